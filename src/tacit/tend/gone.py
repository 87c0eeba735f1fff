"""Which lessons name files or decision records that are gone: looked at in turn, so that every pass costs the same."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tacit.core.gone import GONE, RECORDS, missing_paths, named_paths, record_number
from tacit.core.states import INJECTABLE
from tacit.stores.due import in_turn
from tacit.tend.context import Context

if TYPE_CHECKING:
    from tacit.core.memory import Memory

TURN = 500  # lessons that a pass looks at beside those that changed
_MARK = "looked for files"


class Tree:
    """A project's work tree, asked for what lessons name."""

    def __init__(self, root: str) -> None:
        self.root = root
        files = [name for folder in RECORDS for name in _listed(os.path.join(root, folder))]
        self.records = frozenset(number for name in files if (number := record_number(name)))

    def lacks(self, memory: Memory) -> tuple[str, ...]:
        """What a lesson names and is gone."""
        names = named_paths(memory.text, memory.paths)
        return (
            missing_paths(names, lambda path: os.path.lexists(os.path.join(self.root, path)), self.records)
            if names
            else ()
        )


def look(context: Context, changed: Sequence[str]) -> int:
    """Keep, for lessons that changed and for the next in turn, how much of what they name is gone. How many differ now."""
    if not context.root or not os.path.isdir(context.root):
        return 0
    tree, last = Tree(context.root), int(context.mark(_MARK) or 0)
    turn = in_turn(context.store, context.project.id, last, TURN)
    lessons = context.store.memories(list(dict.fromkeys([*changed, *(id for _, id in turn)])))
    found = {m.id: float(len(tree.lacks(m))) if m.state in INJECTABLE else 0.0 for m in lessons}
    differ = [
        m for m in lessons if (m.tally.signals or {}).get(GONE, 0.0) != found[m.id] and m.project == context.project.id
    ]
    place = str(turn[-1][0]) if len(turn) == TURN else "0"
    if not differ and place == str(last):
        return 0
    with context.write() as tx:
        for memory in differ:
            tx.put_signal(memory.id, memory.project, GONE, found[memory.id])
        context.put_mark(tx, _MARK, place)
    return sum(bool(found[memory.id]) for memory in differ)


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
