"""How much is given, and what stays behind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.core.memory import Memory, Tally
from tacit.core.profile import Profile, with_values
from tacit.core.value import replace
from tacit.origins import named
from tacit.recall.budget import Fitted, Level, fit, tokens_of
from tacit.recall.moments import AT_START, AT_TASK
from tacit.recall.rank import Ranked

DEFAULT = named("default")
Make = Callable[..., Memory]


def ranked(*memories: Memory) -> list[Ranked]:
    return [Ranked(memory, 1.0 - n / 100, {}) for n, memory in enumerate(memories)]


def fitted(
    memories: list[Memory], most: int = 3, profile: Profile = DEFAULT, **named: Any
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
        ({"tally": Tally(belief=0.7)}, {"tally": Tally(belief=0.2)}),
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
        Memory(f"m{n}", "p", "x" * size, pinned=pinned) for n, (size, pinned) in enumerate(lessons)
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


def test_ways_of_working_take_a_part_of_a_task_and_no_more(make: Make) -> None:
    """What is about the task has the rest; at a start there is nothing else, and they have all of it."""
    ways = [Ranked(make(f"Way {n}.", about="*"), 1.0, {}, "standing") for n in range(5)]
    about = [Ranked(make(f"Fact {n}."), 0.5, {}, "words") for n in range(5)]
    level = Level("auto", "balanced", "auto-default", 99, tokens=600, ways=200, moment=AT_TASK)
    found = fit([*ways, *about], level, DEFAULT, cost=lambda each: 100)
    assert kept(found) == [each.memory.id for each in (*ways[:2], *about[:4])]
    start = fit(ways, replace(level, moment=AT_START, ways=0), DEFAULT, cost=lambda each: 100)
    assert kept(start) == [each.memory.id for each in ways]


def test_a_persons_words_stand_for_those_that_say_the_same(make: Make) -> None:
    """Though the agent's wording came up more often and would come first."""
    own = make("Never make draft prs.", trust="user")
    told = make(
        "Never make draft PRs; open them ready for review.", trust="agent", extra={"twin": [own.id]}
    )
    assert kept(fitted([told, own], words=words)) == [own.id]


def test_of_two_that_say_the_same_one_is_given(make: Make) -> None:
    """Nor what the context was told before; other names or figures make another lesson, and what is pinned is told whatever it is."""
    one = make("After a pull request is up, look for review comments and answer them.")
    other = make("After a pull request is up look for new review comments, and answer them.")
    first, second = (
        make("Pin `left-pad` to the old release in package.json always."),
        make("Pin `right-pad2` to the old release in package.json always."),
    )
    found = fitted([one, other, first, second], words=words)
    assert (kept(found), reasons(found)) == (
        [one.id, first.id, second.id],
        [(other.id, f"says what {one.id} says")],
    )
    assert reasons(fitted([one], words=words, told=[other])) == [
        (one.id, f"says what {other.id} says")
    ]
    assert kept(fitted([one, replace(other, pinned=True)], words=words)) == [other.id]


def words(text: str) -> list[str]:
    return text.lower().replace(",", " ").replace(".", " ").split()
