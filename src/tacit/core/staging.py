"""The staging area: lessons that wait between a run and the memory for somebody to look at them.

There is no second store. A staged lesson is a candidate that the gate holds, and what became of it stands where every
gate decision stands: pending, validated, or refused with its reason. Clearing the area judges nothing: what was cleared
comes back when it is met again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacit.core.memory import Memory

PENDING = "staged by hand"
VALIDATED = "validated"
KEPT = "validated; kept in staging"  # stored, and still shown there
CLEARED = "silence"  # nobody judged it


def staging_status(memory: Memory) -> str:
    """pending, validated or rejected; empty for what is not in the staging area."""
    if memory.state == "candidate" and memory.gate == "hold" and memory.gate_reason in (PENDING, VALIDATED):
        return "pending" if memory.gate_reason == PENDING else "validated"
    if memory.state == "rejected" and memory.gate == "discard" and memory.closed_by != CLEARED:
        return "rejected"
    return "validated" if memory.gate_reason == KEPT else ""
