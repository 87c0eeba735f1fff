"""Lessons with their facts, as Tacit itself writes them for people and other tools: JSON, JSON Lines, CSV, and what a bundle lends.

They carry what was decided about each lesson and what it counted, not its history: whoever wants that takes a bundle.
"""

from __future__ import annotations

from tacit.core.exchange import Row
from tacit.core.lifecycle import STATES
from tacit.core.memory import check_fields, checked
from tacit.core.value import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tacit.core.exchange import Opening
    from tacit.core.memory import Memory

COUNTS = ("seen", "uses", "contradicted", "confidence")  # what comes back as opening balances
NARROW = ("task", "mission", "project")  # scopes that an import may give; wider ones need a person's approval


def lesson(memory: Memory, openings: tuple[Opening, ...], place: str) -> Row:
    """A lesson on its way in: our old id is its name, and the project it goes to is the importer's."""
    checked("state", memory.state, STATES)
    check_fields(memory)
    scope = memory.scope if memory.scope in NARROW else "project"
    at_home = replace(
        memory, project="", scope=scope, on_page=False, pinned=False, supersedes=(), superseded_by="", family=""
    )
    return Row(at_home, memory.id, openings, place)
