"""What is known of a lesson's runs as a whole, beside the trial of its own problem."""

from __future__ import annotations

import pytest

from tacit.core.links import Use
from tacit.trial.run_outcomes import UnitFacts, beside, unit_of


@pytest.mark.parametrize(
    ("given", "withheld", "more"), [(4_000_000, 10, True), (1_000, 1_000, False)]
)
def test_a_lesson_that_makes_runs_longer_is_told_so(given: int, withheld: int, more: bool) -> None:
    """The medians of both arms, and beside one of them that it is more, where that is no accident."""
    arms = ["injected" if n % 3 else "withheld" for n in range(120)]
    at = "2026-01-02T00:00:00Z"
    uses = [Use("m", f"u{n}", "p", f"u{n}", "m", arm, 1 / 3, at=at) for n, arm in enumerate(arms)]
    units = {
        f"u{n}": UnitFacts("success", given if arm == "injected" else withheld, 5, at)
        for n, arm in enumerate(arms)
    }
    found = beside(uses, units, "2026-01-01T00:00:00Z", 0.05, 0.0)
    assert found is not None
    assert (
        f"Median tokens: {given:,} with it, {withheld:,} without{' (more with it)' if more else ''}."
        in found.sentence
    )
    assert "Median steps: 5 with it, 5 without." in found.sentence


@pytest.mark.parametrize(("word", "harms"), [("failure", True), ("success", False)])
def test_a_lesson_whose_runs_fail_is_told_so(word: str, harms: bool) -> None:
    """Where those that get it fail, and those that do not get it pass."""
    at = "2026-01-02T00:00:00Z"
    arms = ["injected" if n % 3 else "withheld" for n in range(120)]
    uses = [Use("m", f"u{n}", "p", f"u{n}", "m", arm, 1 / 3, at=at) for n, arm in enumerate(arms)]
    units = {
        f"u{n}": UnitFacts(word if arm == "injected" else "success", None, 5, at)
        for n, arm in enumerate(arms)
    }
    found = beside(uses, units, "2026-01-01T00:00:00Z", 0.05, 0.0)
    assert found is not None and found.harms is harms
    assert ("Sessions that get it fail more often." in found.sentence) is harms


def test_a_unit_adds_up_what_its_runs_tell() -> None:
    """What a run does not tell of itself counts as none."""
    unit = unit_of(
        [("success", "2026-01-02T00:00:00Z", {"steps": 3}), ("unknown", "2026-01-02T01:00:00Z", {})]
    )
    assert (unit.outcome, unit.steps, unit.calls, unit.tokens) == ("success", 3, 0, None)
