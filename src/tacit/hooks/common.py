"""What is common in a project: words, names and commands that a quarter of its earlier sessions used. They tell nothing.

The worker counts them, a session at a time, and writes one small file a project; a hook looks it up.
"""

from __future__ import annotations

import os

from tacit.core.value import dumps, loads
from tacit.hooks.search import words_of
from tacit.hooks.select import COMMON, calls_of
from tacit.place.folders import common_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

FEWEST = 12  # sessions: of fewer each counts as one of so many, and what three used is not common
READ_OF_EACH = 4_000  # characters of a prompt or of a command
MOST_USED = 4_000  # words, names and commands that are kept of a session
LATEST = 100  # sessions that are counted
DEEP = 3  # words of a command, its program among them


def used_in(typed: Iterable[str], lines: Iterable[str], paths: Iterable[str]) -> tuple[str, ...]:
    """The words, names and commands of one session: what was typed, run and touched."""
    found: dict[str, None] = {}
    for text in typed:
        found |= dict.fromkeys(_words(text[:READ_OF_EACH]))
    for line in dict.fromkeys(lines):
        for call in calls_of(line[:READ_OF_EACH]):
            found |= {" ".join(call[:deep]).lower(): None for deep in range(1, DEEP + 1)}
        found |= dict.fromkeys(_words(line[:READ_OF_EACH]))
    for path in dict.fromkeys(paths):
        found[path.rpartition("/")[2].lower()] = None
    return tuple(found)[:MOST_USED]


def _words(text: str) -> Iterable[str]:
    """Its words, and its names as they stand: `list-edit-form`, `cache.py`, `--no-verify`."""
    for word in text.lower().split():
        name = word.strip("`'\"()[]{}<>,;:!?.=")
        yield from {name, name.rpartition("/")[2]} - {""}
    yield from (word.lower() for word in words_of(text))


def common_of(sessions: Collection[Collection[str]]) -> list[str]:
    """What more than a share of these sessions used, each once however often."""
    held: dict[str, int] = {}
    for used in sessions:
        for word in {*used}:
            held[word] = held.get(word, 0) + 1
    most = COMMON * max(FEWEST, len(sessions))
    return sorted(word for word, times in held.items() if times > most)


def note_used(store: str, project: str, group: str, run: str, used: Collection[str]) -> None:
    """Count a session; one that grew, or went on in another, is the same session."""
    path = _used_path(store, project)
    kept = _read(path)
    kept.pop(run, None)
    kept[run] = [group, *used]
    _keep(store, project, dict([*kept.items()][-LATEST:]))


def forget_used(store: str, project: str, runs: Collection[str]) -> None:
    """Count some sessions no more."""
    kept = _read(_used_path(store, project))
    if not kept.keys().isdisjoint(runs):
        _keep(store, project, {run: used for run, used in kept.items() if run not in runs})


def _keep(store: str, project: str, kept: Mapping[str, Sequence[str]]) -> None:
    groups: dict[str, set[str]] = {}
    for group, *used in kept.values():
        groups.setdefault(group, set()).update(used)
    os.makedirs(os.path.dirname(_used_path(store, project)), mode=0o700, exist_ok=True)
    _put(_used_path(store, project), dumps(kept))
    _put(common_path(store, project), "\n".join(common_of([*groups.values()])))


def _read(path: str) -> dict[str, list[str]]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            found = loads(file.read())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _put(path: str, text: str) -> None:
    """Write a file whole or not at all."""
    half = f"{path}.{os.getpid()}"
    opened = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(opened, "w", encoding="utf-8", errors="replace") as file:
        file.write(text)
    os.replace(half, path)


def _used_path(store: str, project: str) -> str:
    """Where the latest sessions of a project say what they used."""
    return f"{common_path(store, project).removesuffix('common')}used"
