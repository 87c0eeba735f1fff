"""What silence does to lessons, as pure judgements: which lost a count, which is stale, which its ladder moves.

Fading is a function; nothing is rewritten until it crosses a threshold. A sweep therefore only asks those that may have
crossed one since the last sweep, and writes only for those that did.
"""

from __future__ import annotations

from tacit.core import clock
from tacit.core.fade import LOST, of_evidence, strength
from tacit.core.journal import change
from tacit.core.lifecycle import advance, lasts
from tacit.core.links import Mark
from tacit.core.standing import standing_of
from tacit.core.value import replace, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tacit.core.journal import Change
    from tacit.core.lifecycle import Move
    from tacit.core.links import Evidence
    from tacit.core.memory import Memory
    from tacit.core.profile import Profile

BY = "tend"  # the name under which it writes


@value
class Loss:
    """What fading took off a lesson's count since the last sweep."""

    memory: str
    taken: int
    left: int
    reason: str


def loss(memory: Memory, evidence: Sequence[Evidence], profile: Profile, until: int) -> Loss | None:
    """What the runs up to `until` took off a lesson; None where nothing, or where silence cannot touch it."""
    if profile.fade.function != "runs" or _keeps(memory, profile):
        return None
    now = of_evidence(evidence, until, profile.fade.runs_step)
    before = -int((memory.tally.signals or {}).get(LOST, 0))
    if now.lost <= before:
        return None
    last = max((row.seq for row in evidence if row.stance == "supports"), default=0)
    told = f"not seen in the {until - last} runs since run {last}: {profile.fade.runs_step} of them cost one"
    return Loss(memory.id, now.lost - before, now.frequency, told)


def mark_of(lost: Loss, project: str, run: str, at: str) -> Mark:
    """A loss, written down."""
    return Mark(lost.memory, "", project, LOST, str(lost.left), -float(lost.taken), run, BY, lost.reason, at)


def stale(memory: Memory, profile: Profile, now: str, *, profile_version: str) -> Change | None:
    """A lesson that is older than the stale days and was never used, marked as such; None where it is not."""
    fade = profile.fade
    if not fade.stale_days or memory.stale_at or memory.tally.uses or _keeps(memory, profile):
        return None
    days = clock.days_between(memory.tally.seen_at or memory.created_at, now)
    if days <= fade.stale_days:
        return None
    told = f"not met for {days:.0f} days and never used"
    marked = replace(memory, stale_at=now, updated_at=memory.updated_at)
    return change(memory, marked, verb="stale", by=BY, reason=told, at=now, profile=profile_version)


def silenced(memory: Memory, evidence: Sequence[Evidence], profile: Profile, now: str, *, run_seq: int) -> Move | None:
    """The move that a lesson's ladder makes by itself when it is swept."""
    fade = profile.fade
    days = clock.days_between(memory.tally.seen_at or memory.created_at, now)
    standing = standing_of(
        memory,
        profile,
        now,
        evidence=evidence,
        moment="sweep",
        run_seq=run_seq,
        strength=strength(fade, days, stale=bool(memory.stale_at)),
    )
    return advance(profile, standing)


def _keeps(memory: Memory, profile: Profile) -> bool:
    return lasts(profile, standing_of(memory, profile, memory.updated_at))
