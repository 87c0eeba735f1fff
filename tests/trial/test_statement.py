"""What is said of a lesson's effect, in one value for every screen."""

from __future__ import annotations

import pytest

from tacit.core.links import NOBODY_KNOWS, UNMET, Mark, Use
from tacit.trial.evalue import Counts
from tacit.trial.statement import Arm, tossed_statement, untossed_statement

NONE = (0,) * 7  # of the milder losses
AT = "2026-11-17T00:00:00.000Z"


def test_counts_come_before_rates() -> None:
    """Both arms, the difference with its interval, and no claim without a verdict."""
    known = tossed_statement("m", "not yet known", {0.3: Counts((35, *NONE, 6), (9, *NONE, 9))})
    assert (known.delivered, known.held_out) == (Arm(41, 6), Arm(18, 9))
    assert known.sentence.startswith(
        "Given: 6 problems in 41 sessions. Left out to compare: 9 in 18. Difference −35 in 100 sessions (somewhere between"
    )
    assert known.sentence.endswith("Not yet known.")


@pytest.mark.parametrize(
    ("word", "says", "end"),
    [
        ("helps", "helps", "Helps; error rate 5 %, any number of looks."),
        ("harms", "harms", "Harms; error rate 5 %, any number of looks."),
        ("rare", "not yet known", "its problem is rare; it goes on being given."),
    ],
)
def test_a_verdict_that_was_kept_is_told(word: str, says: str, end: str) -> None:
    """Rare is no verdict: it says why there is none."""
    known = tossed_statement("m", word, {0.3: Counts((60, *NONE, 1), (30, *NONE, 1))})
    assert known.word == says and known.sentence.endswith(end)


def marks(unit: str, outcome: str, *unmet: tuple[str, float]) -> list[Mark]:
    away = [Mark("m", unit, "p", UNMET, value, amount, at=AT) for value, amount in unmet]
    return [*away, Mark("m", unit, "p", "outcome", outcome, reason="the reader: again!", at=AT)]


@pytest.mark.parametrize(
    ("told", "reached"),
    [
        (marks("u", "not_occurred"), Arm(1, 0)),
        (marks("u", "not_occurred", ("", 1.0)), Arm()),  # its moment did not come
        (marks("u", "not_occurred", ("", 1.0), ("", -1.0)), Arm(1, 0)),  # a later run came to it
        (marks("u", "not_occurred", (NOBODY_KNOWS, 0.0)), Arm()),  # it names no moment
        (marks("u", "occurred", (NOBODY_KNOWS, 0.0)), Arm(1, 1)),
        (marks("u", "unknown"), Arm()),
    ],
)
def test_no_praise_without_exposure(told: list[Mark], reached: Arm) -> None:
    """Did not happen again counts only sessions that came to the lesson's moment."""
    use = Use("m", "u", "p", "u", "m", "exempt", 0.0, at=AT)
    known = untossed_statement("m", [use], told)
    assert known.delivered == reached and not known.measured
    assert known.quotes == ((("2026-11-17", "again!"),) if reached.came_back else ())
