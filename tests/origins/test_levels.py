"""How much is given, and what stays behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.core.profile import Profile, with_values
from tacit.hooks.render import tokens_of
from tacit.lesson import Lesson
from tacit.origins import named
from tacit.origins.levels import Fitted, Level, fit
from tacit.origins.ranked import Ranked

DEFAULT = named("default")
Make = Callable[..., Lesson]


def ranked(*memories: Lesson) -> list[Ranked]:
    return [Ranked(memory, 1.0 - n / 100, {}) for n, memory in enumerate(memories)]


def fitted(
    memories: list[Lesson], most: int = 3, profile: Profile = DEFAULT, **named: Any
) -> Fitted:
    options = {"cost": lambda each: 10, **named}
    return fit(
        ranked(*memories),
        Level("lean", "lean", "explicit", most, named.pop("cautions", 0)),
        profile,
        **options,
    )


def kept(found: Fitted) -> list[str]:
    return [each.memory.id for each in found.kept]


def reasons(found: Fitted) -> list[tuple[str, str]]:
    return [(each.id, each.reason) for each in found.left]


def test_the_best_are_kept(make: Make) -> None:
    """The rest is named with its reason."""
    memories = [make() for _ in range(5)]
    found = fitted(memories)
    assert kept(found) == [memory.id for memory in memories[:3]]
    assert reasons(found) == [(memory.id, "budget") for memory in memories[3:]]


def test_the_token_cap_is_hard(make: Make) -> None:
    """Also for pinned ones; a shorter lesson may still fit where a longer one did not."""
    long, short, pinned = make("x" * 3000), make("y"), make("z" * 3000, pinned=True)
    capped = with_values(DEFAULT, {"budget.max_tokens": 1000})
    found = fitted(
        [long, short, pinned],
        profile=capped,
        cost=lambda each: tokens_of(each.memory.text),
        spent=20,
    )
    assert kept(found) == [pinned.id, short.id]
    assert reasons(found) == [(long.id, "tokens")]


@pytest.mark.parametrize(
    ("winner", "loser"),
    [
        ({"pinned": True}, {"trust": "user"}),
        ({"trust": "user"}, {"trust": "agent", "verdict": "helps"}),
        ({"trust": "agent", "verdict": "helps"}, {"trust": "agent"}),
        ({"created_at": "2026-02-01T00:00:00Z"}, {"created_at": "2026-01-01T00:00:00Z"}),
    ],
)
def test_of_two_at_odds_one_is_kept(
    make: Make, winner: dict[str, Any], loser: dict[str, Any]
) -> None:
    """By the profile's precedence, not by fit."""
    worse, better = make(**loser), make(**winner)
    found = fitted([worse, better], at_odds=frozenset({frozenset({worse.id, better.id})}))
    assert kept(found) == [better.id]
    assert reasons(found) == [(worse.id, f"at odds with {better.id}")]


@given(
    st.lists(st.tuples(st.integers(1, 400), st.booleans()), max_size=12),
    st.integers(0, 5),
    st.integers(1, 600),
)
def test_no_budget_is_ever_exceeded(lessons: list[tuple[int, bool]], most: int, cap: int) -> None:
    """Number and tokens hold for any lessons; each is kept or named, never both."""
    profile = with_values(DEFAULT, {"budget.max_tokens": cap})
    memories = [
        Lesson(f"m{n}", "p", "x" * size, pinned=pinned) for n, (size, pinned) in enumerate(lessons)
    ]
    found = fit(
        ranked(*memories),
        Level("lean", "lean", "explicit", most),
        profile,
        cost=lambda each: tokens_of(each.memory.text),
    )
    assert sum(tokens_of(each.memory.text) for each in found.kept) <= cap
    assert sum(not each.memory.pinned for each in found.kept) <= most
    assert sorted([*kept(found), *(id for id, _ in reasons(found))]) == sorted(
        memory.id for memory in memories
    )


def test_a_token_is_four_characters_begun() -> None:
    """An estimate, written down as such."""
    assert [tokens_of("x" * size) for size in (0, 1, 4, 5)] == [0, 1, 1, 2]
