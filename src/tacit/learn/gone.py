"""Which lessons name files or decision records that are gone: looked at in turn, so that every
pass costs the same."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence

from tacit.core.links import GONE
from tacit.core.states import ACTIVE
from tacit.lesson import Lesson
from tacit.store.due import in_turn
from tacit.store.reads import WorkContext

TURN = 500  # lessons that a pass looks at beside those that changed
_MARK = "looked for files"


class Tree:
    """A project's work tree, asked for what lessons name."""

    def __init__(self, root: str) -> None:
        self.root = root
        files = [name for folder in ADRS for name in _listed(os.path.join(root, folder))]
        self.records = frozenset(number for name in files if (number := record_number(name)))

    def lacks(self, memory: Lesson) -> tuple[str, ...]:
        """What a lesson names and is gone."""
        names = named_paths(memory.text, memory.paths)
        return (
            missing_paths(
                names, lambda path: os.path.lexists(os.path.join(self.root, path)), self.records
            )
            if names
            else ()
        )


def look(work: WorkContext, root: str, changed: Sequence[str]) -> int:
    """Keep, for lessons that changed and for the next in turn, how much of what they name is
    gone. How many differ now."""
    store, project = work.store, work.project.id
    if not root or not os.path.isdir(root):
        return 0
    mark = f"tend:{project}:{_MARK}"
    tree, last = Tree(root), int(store.meta(mark) or 0)
    turn = in_turn(store, project, last, TURN)
    lessons = store.memories(list(dict.fromkeys([*changed, *(id for _, id in turn)])))
    found = {m.id: float(len(tree.lacks(m))) if m.state == ACTIVE else 0.0 for m in lessons}
    differ = [
        m
        for m in lessons
        if (m.tally.signals or {}).get(GONE, 0.0) != found[m.id] and m.project == project
    ]
    place = str(turn[-1][0]) if len(turn) == TURN else "0"
    if not differ and place == str(last):
        return 0
    with work.write() as tx:
        for memory in differ:
            tx.put_signal(memory.id, memory.project, GONE, found[memory.id])
        tx.put_meta(mark, place)
    return sum(bool(found[memory.id]) for memory in differ)


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []


# What a lesson names that is not there any more: files of the work tree, and decision records. Only
# what can be told is told. A path counts as gone where its first folder is in the tree and it is
# not; one of another tree, or of a machine, never was here. A decision record counts as gone where
# the project keeps such records and has none of that number. Of several things named, one that is
# still there keeps the lesson up.

ADRS = ("docs/decisions", "docs/adr", "docs/adrs", "doc/adr", "adr", "docs/architecture/decisions")
_RECORD = re.compile(r"\bADR[- ]?0*(\d{1,5})\b", re.I)
_PATH_NAMED = re.compile(r"(?<![\w/.:@~$-])((?:[\w.@-]+/)+[\w.@-]*\w)(?![\w/])")
_RECORD_NUMBER = re.compile(r"(?:adr[-_ ]?)?0*(\d{1,5})(?=\D|$)", re.I)


def named_paths(text: str, paths: Sequence[str] = ()) -> tuple[str, ...]:
    """The paths and decision records that a lesson names, each once."""
    said = [
        path for path in (*paths, *_PATH_NAMED.findall(text)) if not path.startswith(("/", "~"))
    ]
    return tuple(dict.fromkeys([*said, *(f"ADR-{number}" for number in _RECORD.findall(text))]))


def missing_paths(
    names: Sequence[str], there: Callable[[str], bool], records: frozenset[str]
) -> tuple[str, ...]:
    """Those that are gone, if nothing that is named is still there; `there` asks the work tree,
    `records` are its numbers."""
    found = []
    for name in names:
        if name.startswith("ADR-"):
            if records and name[4:] not in records:
                found.append(name)
            elif records:
                return ()
        elif there(name):
            return ()
        elif there(name.split("/", 1)[0]) and "/" in name:
            found.append(name)
    return tuple(found)


def record_number(file: str) -> str:
    """The number of a decision record by its file's name; empty where it has none."""
    number = _RECORD_NUMBER.match(file)
    return number[1] if number else ""
