"""Units that got no lesson on trial, beside those that did."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tacit.app import open as open_memories
from tacit.core.value import replace
from tacit.prove.blank import UnitFacts, compared
from tacit.testing import finding, run

LESSON = (
    "API handlers return 500 because the response of the payment service is not checked for null"
)


def units(blank: bool, failed: int, succeeded: int, tokens: float = 100.0) -> dict[str, UnitFacts]:
    outcomes = ["failure"] * failed + ["success"] * succeeded
    return {
        f"{blank}{n}": UnitFacts(blank, outcome, tokens + n, 10)
        for n, outcome in enumerate(outcomes)
    }


def test_without_a_blank_unit_there_is_nothing_to_compare() -> None:
    """However many others there are."""
    assert compared(units(False, 5, 5), 0.1, 0.05, 0.1, {}) is None


def test_success_has_a_verdict_and_cost_a_median() -> None:
    """A memory that halves the failures is noticed; one that was asked too seldom is not yet known."""
    found = compared(
        units(False, 20, 140) | units(True, 32, 8, tokens=300.0),
        0.2,
        0.05,
        0.1,
        {"True0": (30, 10), "False0": (16, 0)},
    )
    assert found is not None
    assert (found.given.units, found.given.succeeded, found.blank.failed) == (160, 140, 32)
    assert (found.given.tokens, found.blank.tokens) == (179.5, 319.5)
    assert (
        found.given.failures,
        found.given.corrections,
        found.blank.failures,
        found.blank.corrections,
    ) == (
        0.1,
        0.0,
        0.75,
        0.25,
    )
    assert found.verdict.word == "helps"
    assert found.failures.high < 0
    few = compared(units(False, 2, 14) | units(True, 3, 1), 0.2, 0.05, 0.1, {})
    assert few is not None
    assert few.verdict.word == "not yet known"


def test_units_that_do_not_tell_count_as_units_only() -> None:
    """An unknown outcome is neither success nor failure."""
    found = compared(
        {"u": UnitFacts(True, "unknown", None, 0)} | units(False, 1, 1), 0.2, 0.05, 0.1, {}
    )
    assert found is not None
    assert (found.blank.units, found.blank.succeeded, found.blank.failed, found.blank.tokens) == (
        1,
        0,
        0,
        None,
    )


def test_the_command_shows_both_groups(folder: Path, tacit: Any) -> None:
    """A profile that leaves half of the units blank, ten runs, and both sides in words and in JSON."""
    profile = folder / "half.toml"
    profile.write_text(
        'name = "half"\nextends = "default"\n[trial]\nblank = 0.5\n', encoding="utf-8"
    )
    with open_memories(profile=str(profile)) as memories:
        for n in (1, 2):
            memories.learn(run(f"first-{n}", finding(f"first-{n}", LESSON, kind="pitfall")))
        for n in range(10):
            memories.inject("payment service", run=f"r{n}", host="neutral")
            done = replace(run(f"r{n}"), outcome="success" if n % 2 else "failure", complete=True)
            memories.learn(done)
        found = memories.effect().blank
    assert found is not None
    assert found.given.units + found.blank.units == 10
    assert found.given.succeeded + found.blank.succeeded == 5
    assert found.share == pytest.approx(0.5)
    told = tacit("effect", "--profile", str(profile))
    assert " failed commands, 0.0 corrections. Control sessions without it: " in " ".join(
        told.out.split()
    )
    assert tacit("effect", "--profile", str(profile), "--json").data["blank"]["share"] == 0.5


def test_connect_offers_control_sessions(folder: Path, tacit: Any) -> None:
    """Asked for, one session in twenty goes without; without a word nothing changes."""
    tacit("connect", "claude-code", "--no-learn")
    with open_memories() as memories:
        assert memories.profile.trial.blank == 0.0
    done = tacit("connect", "claude-code", "--no-learn", "--control")
    assert "one session in twenty goes without memory" in done.out
    with open_memories() as memories:
        assert memories.profile.trial.blank == 0.05 and memories.profile.trial.rate == 0.3
    tacit("profile", "use", "default")
    with open_memories() as memories:
        assert memories.profile.trial.blank == 0.0
