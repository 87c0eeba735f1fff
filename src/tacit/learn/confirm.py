"""A person's word on a lesson that is not theirs by origin: they worded it anew, or approved it.

Its trust stays that of its sources; that a person confirmed it is a fact of its own, a row of evidence which `undo` takes back. What is
confirmed has no coin (design §6): its author must not be without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.core.journal import Entry
from tacit.core.links import CONFIRMED, Evidence
from tacit.core.memory import OWNER
from tacit.core.standing import is_confirmed
from tacit.core.trust import READ_AS

if TYPE_CHECKING:
    from tacit.core.ports import Transaction


def confirm(tx: Transaction, id: str, *, by: str, at: str) -> None:
    """Note that a person stands for a lesson as it reads now. What was their own word from the start needs no note."""
    memory = tx.get(id)
    own = memory.trust == OWNER and not (memory.extra or {}).get(READ_AS)
    if not own and not is_confirmed(memory):
        tx.add_evidence(
            Evidence(id, memory.project, signal=CONFIRMED, by=by, tier=OWNER, place=f"confirmed {at}", at=at)
        )


def take_back(tx: Transaction, entry: Entry, *, by: str, at: str) -> None:
    """Undo the confirmation that came with a change."""
    given = [row for row in tx.evidence(entry.memory) if row.signal == CONFIRMED and row.at == entry.at]
    for row in given:
        less = Evidence(
            row.memory,
            row.project,
            signal=CONFIRMED,
            amount=-row.amount,
            by=by,
            tier=OWNER,
            place=f"taken back {at}",
            at=at,
        )
        tx.add_evidence(less)
