"""What became of one use: did the lesson's problem occur after the assignment?

The judgement rests only on what the coin cannot have touched. A run counts if it is over and held an instrument (a
review, tests, the harness's own error record) that could have seen this problem and was not itself eligible for the
lesson. Only findings after the assignment count. Nothing found is `not_occurred`; `unknown` is for runs that cannot tell.
"""

from __future__ import annotations

from collections.abc import Iterable

from tacit.core.clock import days_between, seconds
from tacit.core.links import UNKNOWN
from tacit.core.value import value
from tacit.lesson import Lesson

OCCURRED = "occurred"
NOT_OCCURRED = "not_occurred"

# classes of lessons: meeting one again is using it, not failing by it (decision 7)
NO_PROBLEM = ("command", "estimate")
CLOCKS_AGREE = 2.0  # seconds by which two clocks of one machine may differ
JOIN_WITHIN_DAYS = 7  # a use whose run never came, or never ended, is given up after this


def has_problem(memory: Lesson) -> bool:
    """Whether a lesson has a problem that can occur. A command has one where a reader copied what the wrong call printed."""
    return memory.klass not in NO_PROBLEM or ((memory.extra or {}).get("sign") or ("",))[0] == "E"


@value
class Instrument:
    """One source of findings that a run held, whether or not it found anything."""

    kind: str  # what it can see: review, test, tool, user …
    name: str = ""  # which one, where a run holds several of a kind
    eligible: bool = False  # it could itself have been given the lesson, in whichever arm


@value
class Sighting:
    """One finding of the run that matched the memory; discarded ones too."""

    kind: str  # the kind of instrument that made it
    name: str = ""
    at: str = ""  # empty where the format keeps no times: taken as made at the end of the run
    loss: float = 1.0  # what it cost until overcome, in [0, 1]; 1 where nobody can tell
    place: str = ""  # the step at which it was made
    assigned_at: str = ""  # where its context was assigned the lesson at a time of its own


@value
class Outcome:
    """What became of a use, and why."""

    value: str  # occurred, not_occurred or unknown
    reason: str
    settled: bool = True  # False: the run may still grow; judge again
    loss: float = 0.0  # of what occurred: together at most 1


def judge(
    *,
    kind: str,
    instruments: Iterable[Instrument],
    sightings: Iterable[Sighting],
    assigned_at: str,
    over: bool,
    now: str,
    behind: float = 0.0,
) -> Outcome:
    """The outcome of one use: did an instrument of this `kind`, blind to the lesson, see its problem afterwards?

    `over` means that the host ended the run, or that it has not grown for six hours: a finding never settles a use
    early. `behind` is by how many seconds the run's clock is behind the store's.
    """
    if not over:
        if days_between(assigned_at, now) >= JOIN_WITHIN_DAYS:
            return Outcome(UNKNOWN, f"no finished run within {JOIN_WITHIN_DAYS} days")
        return Outcome(UNKNOWN, "the run is not over", settled=False)
    held = [each for each in instruments if each.kind == kind]
    if not held:
        return Outcome(UNKNOWN, f"the run held no {kind}")
    blind = {each.name for each in held} - {each.name for each in held if each.eligible}
    if not blind:
        return Outcome(UNKNOWN, f"every {kind} of the run was eligible for the lesson")
    made = [each for each in sightings if each.kind == kind and each.name in blind]
    after = [
        each
        for each in made
        if not seconds(each.at)
        or seconds(each.at) + behind > seconds(each.assigned_at or assigned_at)
    ]
    if after:
        loss = min(1.0, sum(each.loss for each in after))
        return Outcome(OCCURRED, f"seen by {kind} after the assignment", loss=loss)
    when = f"seen by {kind} only before the assignment" if made else f"not seen by {kind}"
    return Outcome(NOT_OCCURRED, when)


def clock_behind(started: str, ended: str, first_assigned: str) -> float:
    """By how many seconds a run's clock is behind the store's: where it ended before anything was assigned to it, its
    start is taken for the moment of the first assignment."""
    start, end, assigned = seconds(started), seconds(ended or started), seconds(first_assigned)
    return assigned - start if start and assigned and end < assigned - CLOCKS_AGREE else 0.0


def joined_outcome(outcomes: Iterable[Outcome]) -> Outcome:
    """One outcome for the runs of one unit: occurred in any; open while any is open."""
    runs = list(outcomes)
    open_runs = sum(not each.settled for each in runs)
    if open_runs:
        return Outcome(UNKNOWN, f"{open_runs} of {len(runs)} runs not over", settled=False)
    if len(runs) == 1:
        return runs[0]
    for word in (OCCURRED, NOT_OCCURRED):
        told = [each for each in runs if each.value == word]
        if told:
            why = f"{len(told)} of {len(runs)} runs: {told[0].reason}"
            return Outcome(word, why, loss=max(each.loss for each in told))
    return Outcome(UNKNOWN, f"{len(runs)} runs: {runs[0].reason}" if runs else "no run")
