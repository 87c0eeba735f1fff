"""Ralph's pruning, by hand: the learnings that a person names by their figures are taken out.

It is a forgetting like any other: nothing is deleted, and `tacit undo` brings each back.
"""

from __future__ import annotations

from tacit.core.clock import days_between
from tacit.core.edits import forgotten
from tacit.core.journal import Hand
from tacit.core.profile import Profile
from tacit.core.proposal import staging_status
from tacit.core.standing import lasts
from tacit.core.states import GONE, KEPT
from tacit.lesson import PERSONAL, Lesson
from tacit.origins.night.context import NOTHING, Named, Night, StepReport


def step(night: Night) -> StepReport:
    """Take out what was named."""
    named, at, changes = night.named, night.now(), []
    if named is None:
        return StepReport("prune", skipped=NOTHING)
    hand = Hand(night.by, at, profile=night.version)
    found = night.store.select([night.project], states=KEPT, sort="old", limit=1_000_000)
    came = {entry.memory for entry in night.store.entries([night.project], verb="import")}
    with night.write() as tx:
        for memory in found:
            if _fits(memory, named, night.profile, at, imported=memory.id in came):
                gone = forgotten(tx.get(memory.id), hand, reason=named.told)
                if gone is not None:
                    tx.apply(gone)
                    changes.append((memory.id, memory.state, GONE, named.told))
    return StepReport("prune", len(changes), tuple(changes))


def _fits(memory: Lesson, named: Named, profile: Profile, now: str, *, imported: bool) -> bool:
    """Whether a lesson is meant; never one that silence cannot touch, nor what a person said. Of what was `imported` on a person's word
    nobody said it, unless it stood on a page."""
    by_person = memory.trust in PERSONAL and (not imported or memory.source == "page")
    if by_person or lasts(profile, memory):
        return False
    met = memory.tally.seen_at or memory.created_at
    return (
        (named.below is None or _is_below(memory, named.below))
        and (named.older is None or days_between(met, now) > named.older)
        and (not named.unused or not memory.tally.uses)
        and (not named.staged or bool(staging_status(memory)))
    )


def _is_below(memory: Lesson, floor: float) -> bool:
    """Less sure, or seldom successful. A pitfall's success rate is nought by nature, and says nothing against it."""
    success = (memory.tally.signals or {}).get("success_rate")
    figures = (memory.tally.confidence, None if memory.klass == "pitfall" else success)
    return any(figure is not None and figure < floor for figure in figures)
