"""What one use of a memory came to."""

from __future__ import annotations

import pytest

from tacit.learn.apply import by_outcome


@pytest.mark.parametrize(
    ("outcome", "touched", "repeated", "contradicted", "effect"),
    [
        ("success", True, False, False, "positive"),
        ("success", False, True, False, "neutral"),
        ("failure", True, False, False, "negative"),
        ("failure", False, True, False, "negative"),
        ("failure", False, False, False, "neutral"),
        ("unknown", True, True, False, "unknown"),
        ("success", True, False, True, "negative"),
    ],
)
def test_the_outcome_of_a_task_is_a_memorys_where_it_applied(
    outcome: str, touched: bool, repeated: bool, contradicted: bool, effect: str
) -> None:
    """geas's table; advice that was contradicted is weakened whatever came of the task."""
    applied = by_outcome(outcome, touched=touched, repeated=repeated, contradicted=contradicted)
    assert (applied.effect, applied.followup) == (effect, "weaken" if contradicted else "none")
