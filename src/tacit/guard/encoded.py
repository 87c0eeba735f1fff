"""Settings in base64 or hexadecimal digits: what they hold decides."""

from __future__ import annotations

from tacit.guard.expressions import LONG_RUN, compiled, lower
from tacit.guard.named import named_values
from tacit.guard.places import places
from tacit.guard.shapes import LONGEST_KEY, blocks, vendor_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tacit.guard.expressions import Span

ENCODED = 40  # characters: a shorter run of base64 or hexadecimal digits holds no line of settings
MOST_ENCODED = 200  # such runs of one text that are decoded


def encoded(text: str, low: str) -> Iterator[Span]:
    """Settings in base64 or hexadecimal digits (`base64 .env`, a Kubernetes value): what they hold decides."""
    longest = max(map(len, compiled(LONG_RUN).findall(text)), default=0)
    if longest < ENCODED:
        return
    # Lines of 60 to 80 characters below each other are one run that was wrapped.
    shape = rf"(?<![\w+/=-])[A-Za-z0-9+/_-]{{{ENCODED},}}(?:\r?\n[A-Za-z0-9+/_-]{{4,80}})*={{0,2}}(?![\w+/=-])"
    for tried, run in enumerate(compiled(shape).finditer(text)):
        if tried >= MOST_ENCODED:
            return
        inside = _decoded(run[0][:LONGEST_KEY])
        if inside and _scan_once(inside):
            yield *run.span(), "encoded-secret"


def _scan_once(text: str) -> bool:
    low = lower(text)
    return any(next(way(text, low), None) is not None for way in (blocks, vendor_tokens, places, named_values))


def _decoded(run: str) -> str:
    """What a run of base64 or hexadecimal digits says, where that is text; empty otherwise."""
    from binascii import Error, a2b_base64, unhexlify

    plain = run.replace("\n", "").replace("\r", "")
    try:
        if compiled(r"[0-9A-Fa-f]+").fullmatch(plain):
            raw = unhexlify(plain[: len(plain) // 2 * 2])
        else:
            plain = plain.rstrip("=").replace("-", "+").replace("_", "/")
            raw = a2b_base64(plain[: len(plain) // 4 * 4])
        said = raw.decode("ascii")
    except (Error, ValueError):
        return ""
    return said if all(c.isprintable() or c in "\n\r\t" for c in said) else ""
