"""A move of the ladder as a change, the memory one rung further with the ladder's reason; or as a proposal to make it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tacit.core.clock import after_days
from tacit.core.journal import Change, Hand
from tacit.core.ladder import Asked, Move
from tacit.core.profile import Profile
from tacit.core.proposal import OPEN, Proposal
from tacit.core.states import DOUBTED, GONE, WAITING, at_stage, meant, stage_of
from tacit.core.value import replace
from tacit.lesson import Lesson

NEWS = 3  # further sightings after which a move that was turned down is proposed again
_KIND_OF = {WAITING: "revive", GONE: "archive"}  # what a proposal to go there is called
_OUT = (DOUBTED, GONE)  # they remember why one came there; every state, that a measurement did


def moved(memory: Lesson, move: Move, profile: Profile, hand: Hand) -> Change:
    """A memory one rung further, with the ladder's reason."""
    stage = meant(move.to, profile.stages)
    days, state = profile.ladder.review_days(stage), profile.stages[stage]
    now = replace(
        at_stage(memory, stage, profile.stages),
        previous_state=memory.state,
        under_review_count=memory.under_review_count + (state == DOUBTED),
        closed_by=move.cause if state in _OUT or move.cause == "effect" else "",
        review_after=after_days(hand.at, days) if days else "",
    )
    told = move.reason if move.measured else f"{move.reason} (not measured)"
    return hand.change(memory, now, "move", told)


def lifted(memory: Lesson, profile: Profile, tier: str, hand: Hand) -> Change | None:
    """A memory that gets its line, moved to the page's state by whose hand it is, in this role; None where its ladder has no such move."""
    ladder = profile.ladder
    to = ladder.lifts(profile).get(stage_of(memory, profile.stages), "")
    known = ladder.known(memory, profile, Asked(hand.at))
    move = ladder.judge(known, to, (hand.by, tier)) if to else None
    return moved(memory, move, profile, hand) if isinstance(move, Move) else None


def proposed(
    memory: Lesson, wanted: Move, profile: Profile, *, by: str, at: str, id: str, project: str
) -> Proposal:
    """A move that only lacks an approval, as a proposal."""
    return Proposal(
        id=id,
        project=project,
        kind=_KIND_OF.get(profile.stages[wanted.to], "promote"),
        reason=wanted.reason,
        by=by,
        created_at=at,
        memory=memory.id,
        tier="person",
        payload={
            "to": wanted.to,
            "needs": list(wanted.needs),
            "known": known_of(memory),
        },
        expires_at=after_days(at, profile.triage.expire_days),
    )


def was_answered(earlier: Iterable[Proposal], memory: Lesson, to: str) -> bool:
    """Whether a move is not to be proposed: it waits already, or it was turned down or let lapse and nothing much is new since."""
    asked = [each for each in earlier if (each.payload or {}).get("to") == to]
    return any(
        each.state == OPEN or not _is_news(memory, (each.payload or {}).get("known"))
        for each in asked
    )


def known_of(memory: Lesson) -> list[str | int]:
    """What speaks for and against a memory, in figures."""
    return [memory.state, memory.verdict, memory.tally.contradicted, memory.tally.seen]


def _is_news(memory: Lesson, known: Sequence[str | int] | None) -> bool:
    """Whether more is known than then: another state or verdict, a contradiction, or three further sightings."""
    now = known_of(memory)
    return not known or [*known[:3]] != now[:3] or int(now[3]) >= int(known[3]) + NEWS
