"""Somebody's word on a lesson.

`helped` is a signal under its own name and never a verdict: nobody can see in one run what would have happened
without the lesson. `wrong` is evidence against its text, and two independent ones send it to review. `outdated` marks
it stale, so that it sinks until it is met again. Both count from the lesson's own tier on: what an agent says against a
person's lesson is kept as a doubt, for people to see.
"""

from __future__ import annotations

from tacit.core.context import WorkContext
from tacit.core.journal import change
from tacit.core.links import Evidence, Mark
from tacit.core.memory import Memory
from tacit.core.rows import RunRow
from tacit.core.trust import reaches, stance_against, tier_to_take_away
from tacit.core.value import replace
from tacit.learn.promote import promote


def give_feedback(work: WorkContext, memory: Memory, word: str, *, run: RunRow | None, reason: str) -> None:
    """Record it, and let the ladder answer."""
    by, tier, at = work.actor.name, work.actor.tier, work.now()
    id, root = (run.id, run.root) if run else ("", "")
    needed = tier_to_take_away(memory, work.store.evidence(memory.id))
    with work.write() as tx:
        if word == "helped":
            tx.add_mark(Mark(memory.id, root, memory.project, "helped", reason, run=id, surface="feedback", at=at))
        elif word == "wrong" or not reaches(tier, needed):
            place = f"feedback {at}" if not id else "feedback"
            tx.add_evidence(
                Evidence(
                    memory.id,
                    memory.project,
                    id,
                    root,
                    stance=stance_against(tier, needed),
                    by=by,
                    tier=tier,
                    place=place,
                    quote=reason or ("" if word == "wrong" else word),
                    at=at,
                )
            )
        elif not memory.stale_at:
            said = reason or f"{by} calls it outdated"
            tx.apply(
                change(
                    memory,
                    replace(memory, stale_at=at, updated_at=at),
                    verb="stale",
                    by=by,
                    reason=said,
                    at=at,
                    run=id,
                    profile=work.project.profile,
                )
            )
        promote(tx, work.project, work.profile, memory.id, by=by, at=at, ids=work.ids, run=id, moment="use")
