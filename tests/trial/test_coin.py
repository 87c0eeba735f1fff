"""The coin of the trial and the rate at which it withholds."""

from __future__ import annotations

import hashlib
import hmac
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tables import by_table

from tacit.trial.coin import Assignment, Rate, assign, rate_for

KEY = b"a store's key of thirty-two byte"
DEFAULTS = SimpleNamespace(
    rate=0.30,
    rate_watch=0.05,
    rate_severe=0.10,
    rate_heard=0.10,
    lean=False,
    exempt=("preference", "rule", "security"),
)
LEAN = SimpleNamespace(**{**vars(DEFAULTS), "lean": True})
OFF = SimpleNamespace(**{**vars(DEFAULTS), "rate": 0.0})


def rate(settings: SimpleNamespace = DEFAULTS, **facts: object) -> Rate:
    usual: dict[str, object] = {
        "state": "provisional",
        "klass": "pitfall",
        "severity": "warning",
        "pinned": False,
        "verdict": "not yet known",
        "on_page": False,
        "belief_help": 0.0,
        "belief_harm": 0.0,
        "units": 0,
    }
    return rate_for(settings=settings, **{**usual, **facts})  # type: ignore[arg-type]


def test_the_coin_is_the_keyed_hash_of_unit_and_family() -> None:
    """The first eight bytes of HMAC-SHA-256 over unit, NUL and family, as a share of 2**64."""
    mac = hmac.new(KEY, "run-1\0fämily".encode(), hashlib.sha256).digest()
    u = int.from_bytes(mac[:8], "big") / 2**64
    assert assign(KEY, "run-1", "fämily", 0.3) == Assignment(
        "withheld" if u < 0.3 else "injected", 0.3, u
    )


def test_a_known_coin_stays_as_it_fell() -> None:
    """Stores outlive versions: the same key, unit and family give the same coin for ever."""
    assert assign(KEY, "run-1", "lesson-1", 0.3) == Assignment("injected", 0.3, 0.48036712778056295)


@given(st.text(min_size=1), st.text(min_size=1), st.floats(0, 1), st.floats(0, 1))
def test_a_higher_rate_only_withholds_more(
    unit: str, family: str, one: float, other: float
) -> None:
    """The coin does not depend on the rate, so who is withheld at a low rate is withheld at a higher one."""
    low, high = (assign(KEY, unit, family, h) for h in sorted((one, other)))
    assert low.u == high.u
    assert (low.arm, high.arm) != ("withheld", "injected")


@pytest.mark.parametrize("h", [0.05, 0.3])
def test_the_share_withheld_is_the_rate(h: float) -> None:
    """Over 4,000 units the withheld share lies within four standard errors of the rate."""
    withheld = sum(assign(KEY, f"unit-{i}", "f", h).arm == "withheld" for i in range(4000))
    assert abs(withheld / 4000 - h) < 4 * (h * (1 - h) / 4000) ** 0.5


def test_families_and_keys_have_coins_of_their_own() -> None:
    """Another family or another store's key tosses again."""
    coins = {
        assign(KEY, "u", "f", 0.3).u,
        assign(KEY, "u", "g", 0.3).u,
        assign(KEY + b"!", "u", "f", 0.3).u,
    }
    assert len(coins) == 3


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"word": "said"}, 0.10),
        ({"word": "shown", "seen": 1}, 0.30),
        ({"word": "shown", "seen": 2}, 0.10),
        ({"word": "found", "seen": 9}, 0.30),
        ({"word": "shown", "seen": 2, "state": "stable"}, 0.30),
    ],
)
def test_what_a_person_showed_twice_is_as_good_as_said(
    facts: dict[str, object], expected: float
) -> None:
    """A reader's general words for one act are on trial like any lesson; a second piece of work in which the person asks for it makes them theirs."""
    assert rate(**facts).value == expected


@by_table
def test_default_rates(facts: dict[str, object], value: float, reason: str) -> None:
    """Each fact has its rate and says so; belief does not move it unless `lean` is on."""
    assert rate(**facts) == Rate(value, reason)


@by_table
def test_lean_rates(facts: dict[str, object], value: float, reason: str) -> None:
    """After 30 units a strong belief moves the rate, and nothing that is exempt."""
    assert rate(LEAN, **facts) == Rate(value, reason)


def test_a_profile_without_trials_still_withholds_what_is_never_injected() -> None:
    """Rate 0 exempts everything, but no profile injects what harms."""
    assert rate(OFF, severity="bug") == Rate(0.0, "exempt: this profile holds no trials")
    assert rate(OFF, verdict="harms") == Rate(1.0, "never injected: verdict harms")
