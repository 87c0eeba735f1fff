"""Somebody's word on a lesson."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.core.journal import Entry, Hand
from tacit.core.links import CONFIRMED, Evidence, Mark
from tacit.core.rows import RunRow
from tacit.core.standing import is_confirmed
from tacit.core.trust import READ_AS, reaches, stance_against, tier_to_take_away
from tacit.core.value import replace
from tacit.learn.promote import promote
from tacit.lesson import OWNER, Lesson
from tacit.store.reads import WorkContext

if TYPE_CHECKING:
    from tacit.store.writes import Transaction


def give_feedback(
    work: WorkContext, memory: Lesson, word: str, *, run: RunRow | None, reason: str
) -> None:
    """Record it, and let the ladder answer."""
    by, tier, at = work.actor.name, work.actor.tier, work.now()
    id, root = (run.id, run.root) if run else ("", "")
    needed = tier_to_take_away(memory, work.store.evidence(memory.id))
    with work.write() as tx:
        if word == "helped":
            tx.add_mark(
                Mark(
                    memory.id,
                    root,
                    memory.project,
                    "helped",
                    reason,
                    run=id,
                    surface="feedback",
                    at=at,
                )
            )
        elif word == "wrong" or not reaches(tier, needed):
            place, quote = (
                f"feedback {at}" if not id else "feedback",
                reason or ("" if word == "wrong" else word),
            )
            said = Evidence(
                memory.id,
                memory.project,
                id,
                root,
                by=by,
                tier=tier,
                place=place,
                quote=quote,
                at=at,
            )
            tx.add_evidence(replace(said, stance=stance_against(tier, needed)))
        elif not memory.stale_at:
            hand, told = Hand(by, at, id, work.project.profile), reason or f"{by} calls it outdated"
            tx.apply(hand.change(memory, replace(memory, stale_at=at), "stale", told))
        promote(
            tx,
            work.project,
            work.profile,
            memory.id,
            by=by,
            at=at,
            ids=work.ids,
            run=id,
            moment="use",
        )


# A person's word on a lesson that is not theirs by origin: they worded it anew, or approved it. Its trust stays that
# of its sources; that a person confirmed it is a fact of its own, a row of evidence which `undo` takes back. What is
# confirmed has no coin (design §6): its author must not be without it.


def confirm(tx: Transaction, id: str, *, by: str, at: str) -> None:
    """Note that a person stands for a lesson as it reads now."""
    memory = tx.get(id)
    own = memory.trust == OWNER and not (memory.extra or {}).get(READ_AS)
    if not own and not is_confirmed(memory):
        tx.add_evidence(
            Evidence(
                id,
                memory.project,
                signal=CONFIRMED,
                by=by,
                tier=OWNER,
                place=f"confirmed {at}",
                at=at,
            )
        )


def take_back(tx: Transaction, entry: Entry, *, by: str, at: str) -> None:
    """Undo the confirmation that came with a change."""
    given = [
        row for row in tx.evidence(entry.memory) if row.signal == CONFIRMED and row.at == entry.at
    ]
    for row in given:
        tx.add_evidence(replace(row, amount=-row.amount, by=by, place=f"taken back {at}", at=at))
