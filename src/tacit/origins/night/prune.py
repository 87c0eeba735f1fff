"""Prune: the lessons that a person names by their figures are taken out.

`--below`, `--older`, `--unused` and `--staged` say which. It is a forgetting like any other: nothing is deleted, and it can be undone.
"""

from __future__ import annotations

from tacit.core.clock import days_between
from tacit.core.edits import forgotten
from tacit.core.journal import Hand
from tacit.core.profile import Profile
from tacit.core.proposal import staging_status
from tacit.core.standing import lasts
from tacit.core.states import GONE, KEPT
from tacit.core.value import value
from tacit.lesson import PERSONAL, Lesson
from tacit.origins.night.context import NOTHING, Context, StepReport


@value
class Named:
    """Which lessons a person wants taken out: those that meet every word given here."""

    below: float | None = None  # confidence or success rate, where the profile keeps them
    older: float | None = None  # days since it was last met, or learned
    unused: bool = False
    staged: bool = False

    @property
    def told(self) -> str:
        """The words, for the journal."""
        said = [
            f"confidence or success rate below {self.below:g}" if self.below is not None else "",
            f"not met for {self.older:g} days" if self.older is not None else "",
            "never used" if self.unused else "",
            "staged" if self.staged else "",
        ]
        return "pruned: " + ", ".join(word for word in said if word)


def step(context: Context) -> StepReport:
    """Take out what was named."""
    if context.named is None:
        return StepReport("prune", skipped=NOTHING)
    return _taken_out(context, context.named)


def fits(
    memory: Lesson, named: Named, profile: Profile, now: str, *, imported: bool = False
) -> bool:
    """Whether a lesson is meant; never one that silence cannot touch, nor what a person said. Of what was `imported` on a person's word
    nobody said it, unless it stood on a page."""
    by_person = memory.trust in PERSONAL and (not imported or memory.source == "page")
    if lasts(profile, memory) or by_person:
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
    success = (
        (memory.tally.signals or {}).get("success_rate") if memory.klass != "pitfall" else None
    )
    return any(
        figure is not None and figure < floor for figure in (memory.tally.confidence, success)
    )


def _taken_out(context: Context, named: Named) -> StepReport:
    at, changes = context.now(), []
    found = context.store.select([context.project.id], states=KEPT, sort="old", limit=1_000_000)
    came = {entry.memory for entry in context.store.entries([context.project.id], verb="import")}
    meant = [
        memory.id
        for memory in found
        if fits(memory, named, context.profile, at, imported=memory.id in came)
    ]
    for start in range(0, len(meant), 100):
        with context.write() as tx:
            for id in meant[start : start + 100]:
                memory = tx.get(id)
                gone = forgotten(
                    memory, Hand(context.by, at, profile=context.project.profile), reason=named.told
                )
                if gone is not None:
                    tx.apply(gone)
                    changes.append((id, memory.state, GONE, named.told))
    return StepReport("prune", len(changes), tuple(changes))
