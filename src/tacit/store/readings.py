"""Where readings of sessions lie: beside the store, one compressed file each, for its owner alone.

A file holds the session as it was shown to the reader, scrubbed, and each answer from the moment it came: hosts delete their own
files, and a process that is killed repeats at most the call it was waiting for. They stay on the machine that wrote the
session, also where lessons are kept on a server: the words of a whole session are nobody else's.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tacit.core.value import replace, value
from tacit.place.files import put_packed, read_packed, remove_file

_READINGS_FOLDER = "readings"
WAITING, IS_READ = "waiting", "read"
_END, _TEXTS = ".json.gz", ".texts.gz"


@value
class Reading:
    """How far the reading of one run has come."""

    run: str  # the run's id in the store
    project: str
    host: str = ""
    session: str = ""  # the host's own id of it
    path: str = ""  # the host's file
    lineage: str = ""  # what it shares with forks and copies of it
    lines: tuple[tuple[Any, ...], ...] = ()  # as rendered
    root: str = ""  # the folder it worked in
    commit: str = ""  # HEAD of its repository before it began
    done: int = 0  # lines that were read: of a session that grew the rest is read on
    state: str = WAITING
    answers: Mapping[str, Mapping[str, Any]] = {}  # by the name of the prompt
    lessons: tuple[Mapping[str, Any], ...] = ()  # what became of each lesson, with the reason
    version: str = ""  # of rendering and prompts
    model: str = ""
    error: str = ""  # why it waits
    attempts: int = 0
    not_before: str = ""
    started_at: str = ""  # of the session
    at: str = ""


def readings_folder(store: str) -> str:
    """The folder of a store's readings."""
    return os.path.join(os.path.dirname(os.path.realpath(store)), _READINGS_FOLDER)


def load(folder: str, run: str) -> Reading | None:
    """The reading of a run; None where there is none, or none that can be read: then it is read anew."""
    at = read_packed(_path(folder, run))
    if not isinstance(at, dict) or at.get("run") != run:
        return None
    known = {name: held for name, held in at.items() if name in Reading.FIELDS}  # type: ignore[attr-defined]
    known["lines"] = tuple(tuple(line) for line in known.get("lines", ()))
    known["lessons"] = tuple(known.get("lessons", ()))
    return Reading(**known)


def is_kept(folder: str, run: str) -> bool:
    """Whether a run is read, or waits to be."""
    return os.path.exists(_path(folder, run))


def begin(folder: str, reading: Reading) -> None:
    """Write a reading that is to be begun, where its store is still there."""
    try:
        os.mkdir(folder, mode=0o700)
    except FileExistsError:
        pass
    save(folder, reading)


def save(folder: str, reading: Reading) -> None:
    """Write a reading whole or not at all; an error where its folder was taken away meanwhile, which is never made anew."""
    put_packed(_path(folder, reading.run), reading.__dict__)


def save_texts(folder: str, run: str, texts: Iterable[tuple[Any, ...]]) -> None:
    """Write every text of a session, and whose each is, beside its reading: whoever lists readings does not open them."""
    put_packed(_path(folder, run, _TEXTS), [*texts])


def load_texts(folder: str, run: str) -> tuple[tuple[Any, ...], ...] | None:
    """The texts of a session; None where they were not kept or cannot be read."""
    kept = read_packed(_path(folder, run, _TEXTS))
    return tuple(tuple(each) for each in kept) if isinstance(kept, list) else None


def keep_on(folder: str, reading: Reading, begun_at: str) -> None:
    """Write how far a reading that was begun has come. A session that went on meanwhile, and was learned again, has its new lines still to
    be read."""
    newer = load(folder, reading.run)
    if newer is not None and newer.state == WAITING and newer.at != begun_at:
        done = reading.done if newer.lines[: len(reading.lines)] == reading.lines else 0
        new = {"lines": newer.lines, "commit": newer.commit, "root": newer.root, "at": newer.at}
        reading = replace(reading, state=WAITING, done=done, **new)
    save(folder, reading)


def every(folder: str, state: str = "") -> Iterator[Reading]:
    """All readings, oldest session first; of one state where it is named."""
    names = (
        [entry.name.removesuffix(_END) for entry in os.scandir(folder) if entry.name.endswith(_END)]
        if os.path.isdir(folder)
        else []
    )
    found = [
        reading
        for run in names
        if (reading := load(folder, run)) is not None and state in ("", reading.state)
    ]
    yield from sorted(found, key=lambda reading: (reading.started_at, reading.run))


def remove_readings(folder: str, runs: Iterable[str]) -> None:
    """Take readings away for good."""
    for run in runs:
        remove_file(_path(folder, run))
        remove_file(_path(folder, run, _TEXTS))


def _path(folder: str, run: str, end: str = _END) -> str:
    if not run.isalnum():
        raise ValueError(f"{run!r} is no run's id")
    return os.path.join(folder, f"{run}{end}")
