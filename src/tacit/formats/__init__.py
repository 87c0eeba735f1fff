"""How foreign systems write their runs, one module per system.

A format module has `NAME`, `detect(source) -> float` (0 not mine … 1 certainly mine) and `read(source)`, which yields
runs. It yields what a run says outright and never raises on bad content: what it could not read is counted in
`Run.reading`. The table below names modules without importing them; others bring theirs through the entry-point group
`tacit.formats`.
"""

from __future__ import annotations

import importlib
import warnings

from tacit.core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol

    from tacit.core.run import Run
    from tacit.formats.source import Source

    class Format(Protocol):
        """What a format module offers."""

        NAME: str

        def detect(self, source: Source) -> float: ...
        def read(self, source: Source) -> Iterator[Run]: ...


FORMATS = {
    "claude-code": "tacit.formats.claude_code",
    "neutral": "tacit.formats.neutral",
}
ENTRY_POINTS = "tacit.formats"
DOUBT = 0.3  # a format less sure than this of a file does not get it


class UnknownFormat(UsageError):
    """No format knows this file, or none has this name."""

    code = "unknown_format"


def names() -> tuple[str, ...]:
    """Every format there is: ours in the order they are asked, then those of others."""
    return (*FORMATS, *sorted(set(_foreign()) - set(FORMATS)))


def get(name: str) -> Format:
    """The format of that name, loaded now."""
    module = FORMATS.get(name)
    if module:
        loaded: Format = importlib.import_module(module)
        return loaded
    foreign = _foreign().get(name)
    if foreign is None:
        raise UnknownFormat(f"there is no format {name!r}", hint=f"known formats: {', '.join(names())}")
    loaded = foreign.load()
    return loaded


def detect(source: Source) -> str | None:
    """The name of the format that is surest of this file; None where none is."""
    best, surest = None, DOUBT
    for name in names():
        try:
            sure = float(get(name).detect(source))
        except Exception as error:
            if name in FORMATS:
                raise
            warnings.warn(f"format {name} failed on {source.path}: {error!r}", RuntimeWarning, stacklevel=2)
            continue
        if sure > surest:
            best, surest = name, sure
    return best


def read(source: Source, name: str | None = None) -> Iterator[Run]:
    """The runs in a source, by the named format or the one that recognises it."""
    chosen = name or detect(source)
    if chosen is None:
        raise UnknownFormat(
            f"reading {source.path}: no format recognises it ({_sight(source)})",
            hint=f"name one with --format: {', '.join(names())}",
        )
    return get(chosen).read(source)


def _foreign() -> dict[str, importlib.metadata.EntryPoint]:
    import importlib.metadata

    return {point.name: point for point in importlib.metadata.entry_points(group=ENTRY_POINTS)}


def _sight(source: Source) -> str:
    head = source.head(4096)
    if not head.strip():
        return "it is empty"
    first = head.splitlines()[0][:60].decode("utf-8", "replace")
    return f"{source.size} bytes that begin with {first!r}"
