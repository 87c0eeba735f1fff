"""What the lessons were worth, in things people count."""

from __future__ import annotations

import pytest

from tacit.core.links import Use
from tacit.trial.pooled import Pooled
from tacit.trial.worth import UnitFacts, failed_sessions, ruins, unit_of, worth

HELPFUL = Pooled("helps", 60, 50, 900.0, 0.1, (20.0, 5.0, 40.0), (80.0, 20.0, 160.0))
BILLED = UnitFacts("success", calls=10, tokens=5_000.0)
UNBILLED = UnitFacts("success", calls=10)


def test_what_was_spared_in_calls_minutes_and_tokens() -> None:
    """Of a host that bills no tokens nothing is reckoned: its sessions are not counted as if they cost nothing."""
    found = worth(HELPFUL, 30.0, [BILLED, UNBILLED])
    assert found is not None
    assert found.minutes == (40.0, 10.0, 80.0) and found.tokens == (40_000.0, 10_000.0, 80_000.0)
    assert found.sentence == (
        "Spared about 80 calls of agents (20 to 160): 40 min, 40,000 tokens, over 50 sessions that were given them."
    )
    unbilled = worth(HELPFUL, None, [UNBILLED])
    assert unbilled is not None and (unbilled.minutes, unbilled.tokens) == (None, None)


def test_without_a_verdict_nothing_is_claimed() -> None:
    found = worth(Pooled("not yet known", 9, 8, 1.0, 1.0, (1, -2, 4), (8, -16, 32)), 30.0, [BILLED])
    assert found is not None and found.sentence == ""
    assert worth(Pooled("not yet known", 0, 0, 1.0, 1.0), 30.0, []) is None


@pytest.mark.parametrize(("word", "harms"), [("failure", True), ("success", False)])
def test_a_lesson_whose_sessions_fail_is_noticed(word: str, harms: bool) -> None:
    """Where those that get it fail, and those that do not get it pass; uses of former words stay out."""
    at = "2026-01-02T00:00:00Z"
    arms = ["injected" if n % 3 else "withheld" for n in range(120)]
    uses = [Use("m", f"u{n}", "p", f"u{n}", "m", arm, 1 / 3, at=at) for n, arm in enumerate(arms)]
    units = {
        f"u{n}": UnitFacts(word if arm == "injected" else "success", at)
        for n, arm in enumerate(arms)
    }
    assert ruins(failed_sessions(uses, units, "2026-01-01T00:00:00Z")) is harms
    assert not ruins(failed_sessions(uses, units, "2026-02-01T00:00:00Z"))


def test_a_unit_adds_up_what_its_runs_tell() -> None:
    """The last word on success stands; what the host does not say is taken from how the run ended."""
    unit = unit_of(
        [
            ("success", "2026-01-02", {"calls": 3, "cost": {"input": 5, "output": 2}}),
            ("unknown", "2026-01-03", {"ended": "failure", "cost": {"cache_read": 9}}),
        ]
    )
    assert unit == UnitFacts("failure", "2026-01-02", 3, 7.0)
