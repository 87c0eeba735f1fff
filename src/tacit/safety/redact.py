"""Take secrets out of a text before it is written anywhere.

    redact("export GITHUB_TOKEN=ghp_...").text == "export GITHUB_TOKEN=[redacted:github-token]"

A secret has a shape of its own, stands in a place made for secrets, or something says what it is; in the last case
the value has to look the part as well. It takes linear time, and a text that holds no hint compiles nothing.
`docs/internals/redaction.md` says what falls through.
"""

from __future__ import annotations

from itertools import islice

from tacit.core.value import value
from tacit.safety.redact_values import LONG_RUN, LONGEST_VALUE, compiled, lower, says, worth_hiding
from tacit.safety.redact_ways import (
    LONGEST_KEY,
    blocks,
    columns,
    gitleaks,
    named_values,
    nearby,
    opaque,
    places,
    prefixed,
    shapes,
    vendor_tokens,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from tacit.safety.redact_values import Span

REDACTED_MARK = "[redacted:"
PRIVATE = "[private]"
MOST_TAGS = 1_000  # behind so many everything is private: who writes more of them asks for time, not for privacy
_SHORTEST_SECRET = 8  # characters; nothing shorter is a secret worth the name

# What a first pass takes out can bring two halves of a sentence near enough for a second pass to see more. Texts need
# one pass, rarely two; the bound keeps hostile ones linear.
PASSES = 12
# A text that holds more is a list of secrets: from there on all of it is hidden, and what it costs is bounded.
MOST_SECRETS = 400
ESCAPED = "\x1f\x1f"


@value
class Hit:
    """One secret that was taken out: what it was and where it stood in the text as given."""

    kind: str
    start: int
    length: int


@value
class Redacted:
    """A text without its secrets, and what was taken out."""

    text: str
    hits: tuple[Hit, ...] = ()


def redact(text: str) -> Redacted:
    """The text with every secret replaced by `[redacted:KIND]`; redacting the result again changes nothing."""
    if len(text) < _SHORTEST_SECRET and text.isalnum():  # a record's keys, mostly
        return Redacted(text)
    found: list[Span] = []
    current = text
    for _ in range(PASSES):
        new = _scan_as_far_as_it_pays(current)
        if not new:
            break
        found = _merged(found + _as_given(new, found))
        current = _replaced(text, found)
    return Redacted(current, tuple(Hit(kind, start, end - start) for start, end, kind in found))


def rules_version() -> str:
    """What tells these rules from others: what is written under one version is looked at again under the next."""
    from hashlib import sha256

    here = __file__.rpartition("/")[0]
    told = sha256()
    for name in _RULES:
        with open(f"{here}/{name}", "rb") as file:
            told.update(file.read())
    return told.hexdigest()[:16]


_RULES = ("redact.py", "redact_values.py", "redact_ways.py", "redact_rules.txt", "gitleaks.txt")


def redact_value(obj: Any, name: str = "") -> Any:
    """A JSON-like structure without its secrets: texts are redacted, and so is what a key such as `password` holds."""
    if isinstance(obj, dict):
        return {
            _key(key): redact_value(item, _name_of(key, obj, name)) for key, item in obj.items()
        }
    if isinstance(obj, (list, tuple)):
        items = [redact_value(item, name) for item in obj]
        return tuple(items) if isinstance(obj, tuple) else items
    strength, kind = says(name) if name else (0, "")
    if isinstance(obj, str):
        return (
            f"{REDACTED_MARK}{kind}]"
            if strength and worth_hiding(obj, strength, "quoted")
            else redact(obj).text
        )
    if (
        isinstance(obj, int)
        and not isinstance(obj, bool)
        and strength == 3
        and worth_hiding(str(obj), 3, "quoted")
    ):
        return f"{REDACTED_MARK}{kind}]"
    return obj


def _key(key: Any) -> Any:
    return redact(key).text if isinstance(key, str) else key


def _name_of(key: Any, holder: dict[Any, Any], name: str) -> str:
    """What an entry is called: `{"password": x}`, `{"password": {"value": x}}`, `{"name": "PASSWORD", "value": x}`"""
    if key not in ("value", "default", "content"):
        return key if isinstance(key, str) else ""
    given = holder.get("name", holder.get("key", name))
    return given if isinstance(given, str) else name


def private(text: str) -> str:
    """The text with each `<private>…</private>` replaced by `[private]`; one never closed reaches to the end."""
    if "<" not in text or "private" not in text.lower():
        return text
    tags = compiled(r"(?i)<(/?)\s*private\b[^<>]{0,200}>")
    first = tags.search(text)
    if first and not first[1] and "</" not in text[first.end() :]:
        return text[: first.start()] + PRIVATE
    kept: list[str] = []
    depth = last = 0
    for count, tag in enumerate(tags.finditer(text)):
        if count == MOST_TAGS:
            return "".join(kept) + (text[last : tag.start()] + PRIVATE if depth == 0 else "")
        if not tag[1]:
            if depth == 0:
                kept += (text[last : tag.start()], PRIVATE)
            depth += 1
        elif depth:
            depth -= 1
            last = tag.end()
    return "".join(kept) + (text[last:] if depth == 0 else "")


def redacted_record(at: Any) -> Any:
    """A foreign or outgoing record without secrets, and without what no column can hold."""
    if isinstance(at, str):
        plain = _keepable(at)
        return plain if len(plain) < _SHORTEST_SECRET else redact(private(plain)).text
    if isinstance(at, (list, tuple)):
        return [redacted_record(each) for each in at]
    if isinstance(at, dict):
        return {_keepable(key): redacted_record(each) for key, each in at.items()}
    return None if isinstance(at, float) and at != at else at


def free_words(said: str, by_agent: bool = False) -> str:
    """What somebody gives as a reason, as it may be kept: without secrets; an agent's that speaks to a reading model, without its words."""
    from tacit.safety.screen import screen

    plain: str = redacted_record(said)
    found = screen(plain) if by_agent and plain else None
    return (
        f"[quarantined: {', '.join(found.marks)}]"
        if found is not None and not found.clean
        else plain
    )


def redacted_path(path: str) -> str:
    """The name of a file, folder or branch without secrets: also where slashes and a suffix hide that it says one."""
    plain: str = redacted_record(path)
    spaced = path.replace("/", " ")
    hidden = plain == path and (redact(spaced).hits or redact(spaced.rpartition(".")[0]).hits)
    return f"{REDACTED_MARK}path]" if hidden else plain


def _keepable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\ufffd")


def _scan_as_far_as_it_pays(text: str) -> list[Span]:
    """The secrets of one text; where there are too many, those of a part of it, and the rest as one."""
    end = len(text)
    while True:
        spans, full_at = _scan(text[:end])
        if full_at < 0:
            return spans if end == len(text) else _merged([*spans, (end, len(text), "secrets")])
        # Halved at least: whatever else fills up in the part, all parts together cost no more than the whole.
        at = min(full_at, end // 2)
        end = max(
            (text.rfind(gap, max(0, at - LONGEST_VALUE), at) for gap in " \n"), default=-1
        ) + 1 or max(0, at - LONGEST_VALUE)


def _scan(text: str) -> tuple[list[Span], int]:
    """The secrets of one text, by every way they give themselves away; the surer ways come first
    and name the kind."""
    # what was taken out stays out, and the words in its marker introduce nothing
    if REDACTED_MARK in text:
        text = compiled(r"\[redacted:[a-z0-9-]{1,40}\]").sub(lambda m: "\0" * len(m[0]), text)
    # an escaped line end or tab, in a quote of JSON or code, is white space of the same length
    if "\\" in text:
        text = compiled(r"\\[nrt]").sub(ESCAPED, text)
    low = lower(text)
    spans: list[Span] = []
    for way in (
        blocks,
        vendor_tokens,
        shapes,
        places,
        named_values,
        columns,
        prefixed,
        encoded,
        nearby,
        opaque,
        gitleaks,
    ):
        new = [*islice(way(text, low), MOST_SECRETS + 1)]
        if len(new) > MOST_SECRETS:
            return [], max(start for start, _, _ in new)
        spans.extend(new)
    return _merged(spans), -1


def _merged(spans: list[Span]) -> list[Span]:
    """Overlapping spans become one, named by the first that was found."""
    merged: list[tuple[int, int, str, int]] = []
    for start, end, kind, rank in sorted((s, e, k, rank) for rank, (s, e, k) in enumerate(spans)):
        if merged and start < merged[-1][1]:
            s, e, k, r = merged[-1]
            merged[-1] = (s, max(e, end), k if r < rank else kind, min(r, rank))
        else:
            merged.append((start, end, kind, rank))
    return [(s, e, k) for s, e, k, _ in merged]


def _replaced(text: str, spans: list[Span]) -> str:
    parts: list[str] = []
    last = 0
    for start, end, kind in spans:
        parts += (text[last:start], f"{REDACTED_MARK}{kind}]")
        last = end
    return "".join(parts) + text[last:]


def _as_given(new: list[Span], found: list[Span]) -> list[Span]:
    """Spans of the replaced text, moved to where they stood in the text as given."""
    if not found:
        return new
    from bisect import bisect_right

    ends: list[int] = []  # of the markers, in the replaced text
    shifts = [0]
    for start, end, kind in found:
        marker_end = start - shifts[-1] + len(REDACTED_MARK) + len(kind) + 1
        ends.append(marker_end)
        shifts.append(end - marker_end)
    return [
        (s + shifts[bisect_right(ends, s)], e + shifts[bisect_right(ends, e)], kind)
        for s, e, kind in new
    ]


# Settings in base64 or hexadecimal digits: what they hold decides.

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
    return any(
        next(way(text, low), None) is not None
        for way in (blocks, vendor_tokens, places, named_values)
    )


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
