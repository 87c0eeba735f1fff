"""What became of a use, judged only by what the coin cannot have touched."""

from __future__ import annotations

from typing import Any

import pytest

from tacit.trial.outcome import Instrument, Outcome, Sighting, clock_behind, joined_outcome, judge

ASSIGNED = "2026-03-01T10:00:00Z"
LATER = "2026-03-01T10:00:00.250Z"  # as a text it would sort before ASSIGNED
REVIEW = Instrument("review", "guardian")


def outcome(**facts: Any) -> Outcome:
    usual: dict[str, Any] = {
        "kind": "review",
        "instruments": [REVIEW],
        "sightings": [],
        "over": True,
    }
    return judge(**{**usual, "assigned_at": ASSIGNED, "now": "2026-03-01T12:00:00Z", **facts})


def test_nothing_found_by_a_blind_instrument_is_not_occurred() -> None:
    """Eligible, over, nothing found: whether or not the topic came up."""
    assert outcome() == Outcome("not_occurred", "not seen by review")


def test_a_finding_after_the_assignment_is_the_problem() -> None:
    """A quarter of a second later is later."""
    seen = [Sighting("review", "guardian", LATER)]
    assert outcome(sightings=seen) == Outcome(
        "occurred", "seen by review after the assignment", loss=1.0
    )


@pytest.mark.parametrize(
    "at", [ASSIGNED, "2026-03-01T09:59:59Z", "2026-03-01T10:30:00+01:00", "2026-03-01T10:00:00"]
)
def test_the_error_that_called_for_the_lesson_does_not_fail_it(at: str) -> None:
    """Findings up to the moment of the assignment do not count, in whatever offset they are written."""
    seen = [Sighting("review", "guardian", at)]
    assert outcome(sightings=seen) == Outcome(
        "not_occurred", "seen by review only before the assignment"
    )


def test_a_finding_without_a_time_is_taken_as_made_at_the_end() -> None:
    """Some formats keep no times; dropping their findings would make every lesson look clean."""
    seen = [Sighting("review", "guardian")]
    assert outcome(sightings=seen) == Outcome(
        "occurred", "seen by review after the assignment", loss=1.0
    )


def test_a_run_without_the_instrument_could_not_have_told() -> None:
    """Not even when another source happens to have found it: that would count only runs in which it occurred."""
    tests_only = [Instrument("test")]
    seen = [Sighting("test", "", LATER)]
    assert outcome(instruments=tests_only, sightings=seen) == Outcome(
        "unknown", "the run held no review"
    )


def test_an_instrument_eligible_for_the_lesson_does_not_judge_it() -> None:
    """A reviewer who may have been told looks harder."""
    told = [Instrument("review", "guardian", eligible=True)]
    seen = [Sighting("review", "guardian", LATER)]
    expected = Outcome("unknown", "every review of the run was eligible for the lesson")
    assert outcome(instruments=told, sightings=seen) == expected
    assert outcome(instruments=told) == expected


def test_among_several_instruments_only_the_blind_ones_judge() -> None:
    """What the told reviewer saw does not count; what the other saw does."""
    both = [Instrument("review", "guardian", eligible=True), Instrument("review", "skeptic")]
    told, blind = Sighting("review", "guardian", LATER), Sighting("review", "skeptic", LATER)
    assert outcome(instruments=both, sightings=[told]) == Outcome(
        "not_occurred", "not seen by review"
    )
    assert outcome(instruments=both, sightings=[told, blind]).value == "occurred"


def test_one_name_told_and_not_told_counts_as_told() -> None:
    """If two instruments cannot be told apart, neither is blind."""
    both = [Instrument("review", eligible=True), Instrument("review")]
    assert outcome(instruments=both).value == "unknown"


def test_a_finding_does_not_settle_a_run_that_goes_on() -> None:
    """Good and bad outcomes are known at the same time: when the run is over."""
    seen = [Sighting("review", "guardian", LATER)]
    assert outcome(over=False, sightings=seen) == Outcome(
        "unknown", "the run is not over", settled=False
    )


@pytest.mark.parametrize(
    ("now", "settled"), [("2026-03-08T09:59:59Z", False), ("2026-03-08T10:00:00Z", True)]
)
def test_a_use_whose_run_never_ends_is_given_up_after_seven_days(now: str, settled: bool) -> None:
    """Until then it is open."""
    reason = "no finished run within 7 days" if settled else "the run is not over"
    assert outcome(over=False, now=now) == Outcome("unknown", reason, settled)


@pytest.mark.parametrize(
    ("ended", "behind"), [("09:59:57", 3600), ("09:59:59", 0), ("10:00:01", 0)]
)
def test_a_clock_is_behind_where_a_run_ended_before_it_was_given_anything(
    ended: str, behind: int
) -> None:
    """By more than the clocks of one machine may differ; a run that went on after it is compared by its own times."""
    assert clock_behind("2026-03-01T09:00:00Z", f"2026-03-01T{ended}Z", ASSIGNED) == behind


OCCURRED = Outcome("occurred", "seen by test after the assignment")
CLEAN = Outcome("not_occurred", "not seen by test")
BLIND = Outcome("unknown", "the run held no test")
OPEN = Outcome("unknown", "the run is not over", settled=False)


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([], Outcome("unknown", "no run")),
        ([CLEAN], CLEAN),
        ([BLIND], BLIND),
        (
            [CLEAN, OCCURRED, BLIND],
            Outcome("occurred", "1 of 3 runs: seen by test after the assignment"),
        ),
        ([BLIND, CLEAN, CLEAN], Outcome("not_occurred", "2 of 3 runs: not seen by test")),
        ([BLIND, BLIND], Outcome("unknown", "2 runs: the run held no test")),
        ([OCCURRED, OPEN], Outcome("unknown", "1 of 2 runs not over", settled=False)),
    ],
)
def test_the_runs_of_a_unit_have_one_outcome(runs: list[Outcome], expected: Outcome) -> None:
    """Occurred in any; not occurred if any could have told; open while one is open."""
    assert joined_outcome(runs) == expected
