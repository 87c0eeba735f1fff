"""How foreign systems write their runs, one module per system."""

from __future__ import annotations

import glob
import importlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Protocol

from tacit.core.errors import UsageError
from tacit.hosts import HOSTS, folder
from tacit.hosts.source import STANDARD_INPUT, FileSource
from tacit.origins import ORIGINS

if TYPE_CHECKING:
    from tacit.core.exchange import Given, Header, Note, OriginVerdict, Row, Skipped
    from tacit.core.run import Run
    from tacit.hosts.source import Source
    from tacit.lesson import Lesson

    class Format(Protocol):
        """What a format module offers."""

        NAME: str

        def detect(self, source: Source) -> float: ...
        def read(self, source: Source) -> Iterator[Run]: ...

    class Exchange(Protocol):
        """What a format module offers that knows its system's memories; `detect` and `read` too where it has runs."""

        NAME: str
        PARTS: Mapping[str, str]

        def holds(self, source: Source) -> float: ...
        def memories(
            self, source: Source
        ) -> Iterator[Row | Given | OriginVerdict | Header | Note | Skipped]: ...
        def dump(
            self,
            items: Iterable[Row | Given | OriginVerdict | Header],
            part: str = "",
            now: str = "",
        ) -> str: ...
        def name_for(self, memory: Lesson, taken: Collection[str]) -> str: ...


FORMATS = {
    **{name: f"{folder(name)}.transcript" for name, marks in HOSTS.items() if marks.reads},
    "neutral": "tacit.hosts.neutral",
    "markdown": "tacit.hosts.markdown",
    "jsonl": "tacit.hosts.lessons_jsonl",
    "csv": "tacit.hosts.lessons_csv",
    "aider": "tacit.hosts.aider",
    "inspect": "tacit.hosts.inspect_ai",
    "openhands": "tacit.hosts.openhands",
    "swe-agent": "tacit.hosts.swe_agent",
    **{name: f"tacit.origins.{name}" for name in sorted(ORIGINS)},
}
_KNOWN = ", ".join(FORMATS)
FORMAT_DOUBT = 0.3  # a format less sure than this of a file does not get it


class UnknownFormat(UsageError):
    """No format knows this file, or none has this name."""

    code = "unknown_format"


def get(name: str) -> Format:
    """The format of that name, loaded now."""
    if name not in FORMATS:
        raise UnknownFormat(f"there is no format {name!r}", hint=f"known formats: {_KNOWN}")
    loaded: Format = importlib.import_module(FORMATS[name])
    return loaded


def detect(source: Source) -> str | None:
    """The name of the format that is surest of this file; None where none is."""
    runs = (name for name in FORMATS if hasattr(get(name), "detect"))
    return _surest(runs, lambda name: float(get(name).detect(source)))


def _surest(names: Iterable[str], sure: Callable[[str], float]) -> str | None:
    of = {name: sure(name) for name in names}
    best = max(of, key=of.__getitem__, default=None)
    return best if best is not None and of[best] > FORMAT_DOUBT else None


def read(source: Source, name: str | None = None) -> Iterator[Run]:
    """The runs in a source, by the named format or the one that recognises it."""
    chosen = name or detect(source)
    if chosen is None:
        raise UnknownFormat(
            f"reading {source.path}: no format recognises it ({_sight(source)})",
            hint=f"name one with --format: {_KNOWN}",
        )
    found = get(chosen)
    return found.read(source) if hasattr(found, "read") else iter(())  # lessons are no run


def read_something(source: Source, name: str) -> Iterator[Run]:
    """The runs in a source that is said to be of a format; one that holds nothing of it is refused."""
    found, fault = False, ""
    for run in read(source, name):
        hollow = not (run.steps or run.findings or run.task)
        if hollow and (run.reading.malformed or not source.head().strip()):
            fault = next(iter(run.reading.warnings), fault)
            continue
        found = True
        yield run
    if not found and (fault or get(name).detect(source) <= FORMAT_DOUBT):
        where = "standard input" if source.path == STANDARD_INPUT else source.path
        seen = fault if fault and source.head().strip() else _sight(source)
        raise nothing_of(where, name, seen)


def nothing_of(where: str, name: str, fault: str) -> UsageError:
    """What is said of a file in which its format can read nothing, with the first fault."""
    return UsageError(
        f"reading {where} as {name}: nothing in it could be read ({fault})",
        hint="Nothing was taken. Look at the file, or name another format with --format.",
    )


def exchanging() -> tuple[str, ...]:
    """The formats that know a system's memories."""
    return tuple(name for name in FORMATS if hasattr(get(name), "memories"))


def exchange(name: str) -> Exchange:
    """The format of that name, for memories."""
    found = get(name)
    if not hasattr(found, "memories"):
        raise UnknownFormat(
            f"{name} is a format of runs, not of memories", hint=f"known: {', '.join(exchanging())}"
        )
    return found  # type: ignore[return-value]


def namespace(name: str) -> str:
    """Where the ids of a format's memories are kept: two ways of writing one thing share theirs."""
    return str(getattr(exchange(name), "NAMESPACE", name))


def holder(source: Source) -> str:
    """The name of the format whose memories a file holds."""
    best = _surest(exchanging(), lambda name: float(exchange(name).holds(source)))
    if best is None:
        raise UnknownFormat(
            f"reading {source.path}: no format knows memories like these ({_sight(source)})",
            hint=f"name one with --format: {', '.join(exchanging())}",
        )
    return best


def memory_files(folder: str) -> list[Source]:
    """The files of memories in a folder, by the names their systems give them, each system's main file first."""
    every = [exchange(name) for name in exchanging()]
    found = files_named_by(folder, *every)
    if not found:
        parts = [file for module in every for file in module.PARTS.values()]
        raise UnknownFormat(
            f"there is no file of memories in {folder}", hint=f"known names: {', '.join(parts)}"
        )
    return found


def files_named_by(folder: str, *modules: Exchange) -> list[Source]:
    """The files of memories in a folder by the names that these systems give them; where a memory has a file of its own, those first."""
    each = [pattern for module in modules for pattern in getattr(module, "FILES", ())]
    parts = [file for module in modules for file in module.PARTS.values()]
    paths = [
        path
        for pattern in (*each, *parts)
        for path in sorted(glob.glob(os.path.join(glob.escape(folder), pattern)))
    ]
    return [FileSource(path) for path in dict.fromkeys(paths) if os.path.isfile(path)]


def _sight(source: Source) -> str:
    head = source.head(4096)
    if not head.strip():
        return "it is empty"
    first = head.splitlines()[0][:60].decode("utf-8", "replace")
    return f"{source.size} bytes that begin with {first!r}"
