"""What is expected of a lesson before anything is claimed: a guess from its own rows and from the others of its kind."""

from __future__ import annotations

import pytest

from tacit.trial.belief import believe, weights_of
from tacit.trial.coin import is_spared
from tacit.trial.table import Counts


@pytest.mark.parametrize(
    ("counts", "word", "expected"),
    [
        (Counts(2, 40, 10, 10), "help", -0.41),
        (Counts(20, 20, 20, 20), "none", 0.0),
        (Counts(20, 20, 2, 40), "harm", 0.28),
        (Counts(38, 2, 19, 1), "none", 0.0),  # what always strikes can hardly strike more often
        (Counts(), "help", -0.1),  # before anything was measured, more lessons help than not
    ],
)
def test_what_a_lessons_rows_let_expect(counts: Counts, word: str, expected: float) -> None:
    """Three shares of one, and the difference of the problem's rate."""
    found = believe({0.3: counts})
    shares = {"help": found.help, "none": found.none, "harm": found.harm}
    assert max(shares, key=lambda each: shares[each]) == word
    assert sum(shares.values()) == pytest.approx(1.0)
    assert found.expected == pytest.approx(expected, abs=0.005)


def test_the_others_of_its_kind_speak_for_a_lesson() -> None:
    """As much as they are measured; without any it is the prior."""
    helpful, idle = {0.3: Counts(2, 40, 10, 10)}, {0.3: Counts(20, 20, 20, 20)}
    alone, beside = (
        believe({}),
        [believe({}, weights_of([table] * 20)) for table in (helpful, idle)],
    )
    assert beside[0].help > alone.help + 0.1 and beside[1].none > alone.none + 0.1
    assert believe({}, weights_of([])) == alone


@pytest.mark.parametrize(
    ("rank", "left_out", "spared"), [(0, 1, True), (2, 1, True), (3, 1, False), (0, 0, False)]
)
def test_of_the_first_three_one_is_left_out_at_most(rank: int, left_out: int, spared: bool) -> None:
    """Of an answer's lessons; behind them each has its own coin."""
    assert is_spared(rank, left_out) is spared
