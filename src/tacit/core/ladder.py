"""How a lesson becomes active, doubted and gone: by itself, and by a person's word.

What sends a lesson away is asked before what lifts it. Nothing here counts clean uses as help or recurrences as harm:
with a problem rate of .05 that passes 99 % of useless lessons. An origin brings a ladder of its own. No hook loads this.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tacit.core import clock
from tacit.core.standing import cause_of, is_order_of_a_day, lasts, since
from tacit.core.states import (
    ACTIVE,
    DOUBTED,
    EXPOSURE,
    GONE,
    KEPT,
    LEGAL,
    RUNS,
    STATES,
    WAITING,
    stage_of,
)
from tacit.core.trust import WITNESSES
from tacit.core.value import value
from tacit.lesson import INSIDE, PERSONAL, Lesson

if TYPE_CHECKING:
    from tacit.core.links import Evidence
    from tacit.core.profile import Profile

REVIEW_DAYS = 30  # until an active lesson is looked at again
UNSEEN_DAYS = 90  # after which one that waits, and was not met again, leaves
UNREVIEWED_DAYS = 60  # after which one in doubt leaves, where nobody answered
CONTRADICTED = 2  # contradictions that put a lesson in doubt
REVIEWS = 3  # the third doubt is the last: no lesson goes round for ever
ASKED_AGAIN = 3  # further sightings of what a person sent away, after which it is asked about

PERSON = "person"
WALL = "the word of a person, since the gate holds it"
APPROVAL = "the approval of a person"


@value
class Standing:
    """What is known of one lesson when it is asked where it belongs."""

    state: str
    klass: str = "fact"
    cause: str = ""  # why it is in this state, one of `standing.CAUSES`
    person: bool = False  # a person said it: typed, added or confirmed by one
    held: bool = False  # the gate holds or quarantines it, and nobody confirmed it yet
    witnessed: bool = False  # something beside an agent's word speaks for it
    inside: bool = False  # nothing from outside brought its words or names
    word: str = ""  # how a reader heard it: said, shown, agreed, found or asked
    lasts: bool = False  # silence can do nothing to it
    replaced: bool = False
    verdict: str = "not yet known"
    seen: int = 0
    seen_since: int = 0  # since it came to this state
    seen_in_period: int = 0  # since its review date was set
    uses_in_period: int = 0
    contradictions: int = 0
    under_review_count: int = 0
    days_in_state: float = 0.0
    days_overdue: float | None = None  # below zero before the review date; None without one
    days_unseen: float = 0.0
    runs_unmet: int = 0  # runs that could have met or used it


@value
class Asked:
    """What goes on while a lesson is asked where it belongs."""

    at: str
    moment: str = "learn"  # or use, sweep, request
    run_seq: int = 0
    unmet: int = 0  # runs that could have met or used it
    approvals: tuple[tuple[str, str], ...] = ()  # (name, role), given so far for the move
    previous: str = ""  # where it stood before its review, where somebody says so


@value
class Move:
    """A move that may be made, and why."""

    to: str
    reason: str
    cause: str = "evidence"
    measured: bool = True  # False: a person's decision without a measurement behind it
    needs: tuple[str, ...] = ()  # roles that must still approve; not empty only on a proposal


@value
class Refusal:
    """A move that may not be made, why, and the nearest thing that is missing."""

    reason: str
    missing: str = ""


def known(memory: Lesson, profile: Profile, asked: Asked, evidence: Sequence[Evidence]) -> Standing:
    """What is known of a lesson; without its evidence, what only evidence knows counts as nothing."""
    tally, extra = memory.tally, memory.extra or {}
    changed = memory.updated_at or memory.created_at
    days = profile.ladder.review_days(stage_of(memory, profile.stages))
    period = max(changed, clock.after_days(asked.at, -days)) if days else changed
    tiers = {memory.trust, *(row.tier for row in evidence if row.stance == "supports")}
    met = (row.at for row in evidence if row.stance == "supports")
    return Standing(
        state=memory.state,
        klass=memory.klass,
        cause=cause_of(memory),
        person=not tiers.isdisjoint(PERSONAL),
        held=memory.gate in ("hold", "quarantine"),
        witnessed=not tiers.isdisjoint(WITNESSES),
        inside=profile.trust.once and bool(extra.get(INSIDE)) and not is_order_of_a_day(memory),
        word=str(extra.get("word") or ""),
        lasts=lasts(profile, memory),
        replaced=bool(memory.superseded_by),
        verdict=memory.verdict,
        seen=tally.seen,
        seen_since=since(evidence, changed),
        seen_in_period=since(evidence, period),
        uses_in_period=int(bool(tally.last_used_at and tally.last_used_at > period)),
        contradictions=tally.contradicted,
        under_review_count=memory.under_review_count,
        days_in_state=clock.days_between(changed, asked.at),
        days_overdue=clock.days_between(memory.review_after, asked.at)
        if memory.review_after
        else None,
        days_unseen=clock.days_between(max(met, default=memory.created_at), asked.at),
        runs_unmet=asked.unmet,
    )


class Ladder:
    """Tacit's own: the four states."""

    def review_days(self, stage: str) -> int:
        """After how many days a lesson there is to be looked at again; 0 where there is no such date."""
        return REVIEW_DAYS if stage == ACTIVE else 0

    def asks_evidence(self, memory: Lesson) -> bool:
        """Whether a session can change where it stands only by what its evidence knows: a lesson
        that every run meets has thousands of rows."""
        return memory.state in (WAITING, GONE)

    def known(
        self, memory: Lesson, profile: Profile, asked: Asked, evidence: Sequence[Evidence] = ()
    ) -> Standing:
        """What is known of a lesson."""
        return known(memory, profile, asked, evidence)

    def advance(self, known: Standing) -> Move | None:
        """The next move that needs nobody's leave; ask again after making it."""
        return next((each for each in _by_itself(known) if not _walled(known, each)), None)

    def lacking(self, known: Standing) -> Iterator[Move]:
        """Moves that lack a person's word alone, and are to be proposed."""
        for each in _by_itself(known):
            if _walled(known, each):
                yield Move(each.to, each.reason, each.cause, needs=(PERSON,))
        if known.state == GONE and not _keeps_out(known) and known.cause != "silence":
            yield Move(WAITING, _asked_again(known, "a person (asked)"), "again", needs=(PERSON,))

    def allows(self, stage: str, to: str) -> bool:
        """Whether there is such a move, whatever it asks for."""
        return (stage, to) in _BY_PERSON

    def judge(self, known: Standing, to: str, by: tuple[str, str] | None = None) -> Move | Refusal:
        """Whether a lesson may go there, asked for by `by` = (name, role)."""
        step = f"{known.state} → {to}"
        if to not in STATES:
            return Refusal(f"{to} is not a state", f"one of {', '.join(STATES)}")
        if (known.state, to) not in _BY_PERSON:
            legal = to in LEGAL[known.state]
            why = "is a move that nobody makes" if legal else "is not a legal move"
            return Refusal(f"{step} {why}", choices(known.state, LEGAL[known.state]))
        if by is not None and by[1] == PERSON:
            return self._by_person(known, to, by[0])
        found = next((each for each in _by_itself(known) if each.to == to), None)
        if found is not None and not _walled(known, found):
            return found
        return Refusal(f"{step} is not reached yet", APPROVAL)

    def _by_person(self, known: Standing, to: str, name: str) -> Move | Refusal:
        done, cause = _BY_PERSON[known.state, to]
        missing = ""
        if known.state == DOUBTED and to == ACTIVE:
            missing = _bars_reinstating(known)
        elif known.state == GONE:
            done, missing = _asked_again(known, name), _keeps_out(known)
        if missing:
            return Refusal(f"{known.state} → {to} is not reached yet", missing)
        return Move(to, done.format(by=name), cause)

    def lifts(self, profile: Profile) -> dict[str, str]:
        """By stage: the stage of a page to which somebody else than a person may approve the move."""
        return {}

    def next_move(self, known: Standing) -> str:
        """What would move this lesson, in one sentence."""
        rising = WAITING in (known.state,) or known.state == DOUBTED
        to = ACTIVE if rising else DOUBTED if known.state == ACTIVE else WAITING
        if any(each.to == to and not _walled(known, each) for each in _by_itself(known)):
            return f"It becomes {to} the next time it is looked at."
        if known.held and to == ACTIVE:
            return f"It becomes {to} with {WALL}."
        lacking = [APPROVAL]
        if known.state == WAITING:
            lacking.insert(0, _lacks(known))
        elif known.state == ACTIVE:
            lacking += [f"{CONTRADICTED} contradictions", "the verdict that it harms"]
        elif known.state == GONE:
            lacking = [_keeps_out(known) or APPROVAL]
        return f"It becomes {to} with {', or with '.join(lacking)}."


PLAIN = Ladder()


def choices(stage: str, stages: Iterable[str]) -> str:
    """Where a lesson may go from here."""
    names = ", ".join(stages)
    return f"from {stage} it may go to {names}" if names else f"{stage} is final"


# What a person may do with a lesson, and how the journal tells it.
_BY_PERSON = {
    (WAITING, ACTIVE): ("approved by {by}", "person"),
    (ACTIVE, DOUBTED): ("questioned by {by}", "person"),
    (DOUBTED, ACTIVE): ("reviewed and reinstated by {by}", "review"),
    (GONE, WAITING): ("", "again"),
    **{(state, GONE): ("dropped by {by}", "person") for state in KEPT},
}


def _walled(known: Standing, move: Move) -> bool:
    """What the gate holds becomes active by a person alone."""
    return known.held and move.to == ACTIVE


def _by_itself(known: Standing) -> Iterator[Move]:
    """The moves whose conditions hold, the first to be made first."""
    if known.state == ACTIVE:
        yield from _away(known)
    elif known.state == DOUBTED:
        times, days = known.under_review_count, known.days_in_state
        if times >= REVIEWS:
            yield Move(GONE, f"in doubt for the {times}. time", "review")
        if days >= UNREVIEWED_DAYS:
            told = f"in doubt for {round(days, 2):g} days, and nobody answered"
            yield Move(GONE, told, "review")
    elif known.state == WAITING:
        yield from _up(known)
        quiet = known.days_unseen >= UNSEEN_DAYS and known.runs_unmet >= EXPOSURE
        if quiet and not known.lasts:
            told = f"not met again for {round(known.days_unseen, 2):g} days"
            yield Move(GONE, f"{told} and {known.runs_unmet} runs", "silence")
    elif known.cause == "silence" and not known.replaced and known.seen_since:
        yield Move(WAITING, "met again after it fell silent", "again")


def _away(known: Standing) -> Iterator[Move]:
    if known.verdict == "harms":
        yield Move(DOUBTED, "verdict harms", "effect")
    if known.contradictions >= CONTRADICTED:
        told = f"{known.contradictions} contradictions of its text"
        yield Move(DOUBTED, told, "contradiction")
    overdue = known.days_overdue or 0.0
    met = known.uses_in_period or known.seen_in_period
    if overdue > 0 and not met and known.runs_unmet >= EXPOSURE and not known.lasts:
        told = f"neither used nor met in {known.runs_unmet} runs and until its review date"
        yield Move(GONE, f"{told}, {round(overdue, 2):g} days ago", "silence")


def _up(known: Standing) -> Iterator[Move]:
    if known.person:
        yield Move(ACTIVE, "a person's word", "person")
    # one act of a person, put in general words by a reader: on trial
    if known.word == "shown" and known.contradictions < CONTRADICTED:
        yield Move(ACTIVE, "shown by the person, on trial")
    # told where it matters; at starts what a person asked for, the rest after a second session
    if known.inside and not known.contradictions:
        yield Move(ACTIVE, f"{known.word} in one session, told where it matters")
    if known.seen < RUNS:
        return
    # an order that comes back is a habit, unless something spoke against it meanwhile
    if known.word == "asked" and not known.contradictions:
        yield Move(ACTIVE, f"asked for in {known.seen} sessions")
    # talk alone never suffices, however often: an agent that repeats a page repeats a page
    if known.word != "asked" and known.witnessed and known.contradictions < CONTRADICTED:
        found = known.word == "found"
        told = "found in {} sessions, with evidence" if found else "met in {} sessions"
        yield Move(ACTIVE, told.format(known.seen))


def _lacks(known: Standing) -> str:
    """What evidence would have to say for a lesson that waits."""
    told = [f"{RUNS} sessions that met it (now {known.seen})"] if known.seen < RUNS else []
    if not known.witnessed and known.word != "asked":
        told.append("evidence beyond an agent's word")
    if known.contradictions:
        told.append("nothing that speaks against it")
    return " and ".join(told)


def _bars_reinstating(known: Standing) -> str:
    if known.verdict == "harms":
        return "another verdict than harms"
    return (
        "another lesson: it was in doubt three times" if known.under_review_count >= REVIEWS else ""
    )


def _keeps_out(known: Standing) -> str:
    """What lacks before one that is gone may wait again."""
    if known.replaced:
        return "the end of the lesson that replaced it"
    wanted = 1 if known.cause == "silence" else ASKED_AGAIN
    if known.seen_since >= wanted:
        return ""
    return f"{wanted} sessions that met it since it was taken out (now {known.seen_since})"


def _asked_again(known: Standing, name: str) -> str:
    if known.cause == "silence":
        return "met again after it fell silent"
    told = f"met in {known.seen_since} further runs since it was sent away"
    return f"{told}; approved by {name}"
