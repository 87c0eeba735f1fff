"""The coin of the trial: who is left out, and how often."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.trial.coin import Assignment, assign, rate_for, tossed

KEY = b"a store's key of thirty-two byte"


def test_the_coin_is_the_keyed_hash_of_unit_and_family() -> None:
    """The first eight bytes of HMAC-SHA-256 over unit, NUL and family, as a share of 2**64."""
    mac = hmac.new(KEY, "run-1\0fämily".encode(), hashlib.sha256).digest()
    u = int.from_bytes(mac[:8], "big") / 2**64
    arm = "withheld" if u < 0.3 else "injected"
    assert assign(KEY, "run-1", "fämily", 0.3) == Assignment(arm, 0.3)


def test_a_known_coin_stays_as_it_fell() -> None:
    """Stores outlive versions: the same key, unit and family give the same coin for ever (.4803671…)."""
    assert assign(KEY, "run-1", "lesson-1", 0.480).arm == "injected"
    assert assign(KEY, "run-1", "lesson-1", 0.481).arm == "withheld"


@given(st.text(min_size=1), st.text(min_size=1), st.floats(0, 1), st.floats(0, 1))
def test_a_higher_rate_only_withholds_more(
    unit: str, family: str, one: float, other: float
) -> None:
    """The coin does not depend on the rate, so who is withheld at a low rate is withheld at a higher one."""
    low, high = (assign(KEY, unit, family, h) for h in sorted((one, other)))
    assert (low.arm, high.arm) != ("withheld", "injected")


@given(st.text(), st.dictionaries(st.text(min_size=1), st.sampled_from([0.15, 0.3]), max_size=6))
def test_of_one_moment_one_subject_at_most_is_left_out(unit: str, rates: dict[str, float]) -> None:
    """Whoever was there; and it does not hang on their order."""
    fell = tossed(KEY, unit, rates)
    assert sum(each.arm == "withheld" for each in fell.values()) <= 1
    assert fell == tossed(KEY, unit, dict(reversed(rates.items())))


@pytest.mark.parametrize(
    ("rates", "recorded"),
    [
        ({"a": 0.3}, {"a": 0.3}),
        ({"a": 0.3, "b": 0.3}, {"a": 0.3, "b": 0.3}),
        ({"a": 0.3, "b": 0.15, "c": 0.3}, {"a": 0.24, "b": 0.12, "c": 0.24}),
        ({"a": 0.15, "b": 0.3, "c": 0.15}, {"a": 0.15, "b": 0.3, "c": 0.15}),
        ({}, {}),
    ],
)
def test_each_is_left_out_as_often_as_is_recorded(
    rates: dict[str, float], recorded: dict[str, float]
) -> None:
    """The product of being drawn and falling: over 6,000 moments within four standard errors."""
    left: Counter[str] = Counter()
    for n in range(6000):
        fell = tossed(KEY, f"unit-{n}", rates)
        assert {name: round(each.probability, 9) for name, each in fell.items()} == recorded
        left.update(name for name, each in fell.items() if each.arm == "withheld")
    for name, h in recorded.items():
        assert abs(left[name] / 6000 - h) < 4 * (h * (1 - h) / 6000) ** 0.5


@pytest.mark.parametrize(
    ("facts", "rate", "reason"),
    [
        ({}, 0.3, "on trial"),
        ({"verdict": "rare"}, 0.15, "verdict rare"),  # little is left to learn
        ({"verdict": "helps"}, 0.15, "verdict helps"),
        ({"own": "a person's own word"}, 0.0, "exempt: a person's own word"),
        ({"rate": 0.0}, 0.0, "exempt: no trials are held here"),
        ({"rate": 0.1, "verdict": "rare"}, 0.1, "verdict rare"),
    ],
)
def test_there_is_one_rate_and_a_low_one(
    facts: dict[str, object], rate: float, reason: str
) -> None:
    """None for what nobody may leave out."""
    found = rate_for(**{"own": "", "verdict": "not yet known", "rate": 0.3, **facts})  # type: ignore[arg-type]
    assert (found.value, found.reason) == (rate, reason)
