"""Fading as a function: replayed from where the sightings stand, it is what a job that ran after every run would have left."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tacit.core.links import Evidence
from tacit.origins.fading import Faded, by_runs, runs


def job(seen: set[int], until: int, step: int, count: int, quiet: int) -> Faded:
    """ArcheFlow's decay, run by run, as its document tells it."""
    lost = 0
    for run in range(1, until + 1):
        if run in seen:
            count, quiet = count + 1, 0
            continue
        quiet += 1
        if quiet >= step:
            quiet = 0
            if count:
                count, lost = count - 1, lost + 1
    return Faded(count, quiet, lost)


@given(
    st.sets(st.integers(1, 120)),
    st.integers(0, 120),
    st.integers(1, 12),
    st.integers(0, 6),
    st.integers(0, 30),
)
def test_the_function_is_the_job(
    seen: set[int], runs: int, step: int, opened: int, quiet: int
) -> None:
    """Whatever was seen when, and whatever it came with."""
    seen = {n for n in seen if n <= runs}
    assert by_runs(seen, runs, step, opened=opened, unseen=quiet) == job(
        seen, runs, step, opened, quiet
    )


def test_five_sightings_last_fifty_runs() -> None:
    """The document's own example: five decrements, ten runs each."""
    assert [by_runs((), runs, 10, opened=5).frequency for runs in (9, 10, 49, 50, 90)] == [
        5,
        4,
        1,
        0,
        0,
    ]


def test_evidence_is_read_by_unit() -> None:
    """Two reviewers of one run are one sighting, what was imported ages from the day it came, contradictions do not count."""
    rows = [
        Evidence("m", "p", signal="seen", amount=2, seq=5, opening=True),
        Evidence("m", "p", signal="unseen", amount=4, seq=5, opening=True),
        Evidence("m", "p", run="a", root="a", finding="1", seq=9),
        Evidence("m", "p", run="a", root="a", finding="2", seq=9),
        Evidence("m", "p", run="b", root="b", finding="3", seq=11, stance="contradicts"),
    ]
    assert runs(rows, 12, 10) == Faded(3, 3, 0)
    assert runs(rows[:2], 11, 10) == Faded(1, 0, 1)
