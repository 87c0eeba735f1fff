"""A learning that was met in another loop: the figures of both."""

from __future__ import annotations

from typing import Any

import pytest

from tacit.lesson import Lesson
from tacit.origins import named
from tacit.origins.ralph.iterations import (
    Iteration,
    complexity_of,
    pooled,
    strategies,
)
from tacit.testing import finding, run


@pytest.mark.parametrize(
    ("was", "now", "joined"),
    [
        ({"examples": ["a"]}, {"examples": ["b", "a", "c", "d"]}, {"examples": ["a", "b", "c"]}),
        ({"examples": ["a"]}, {"note": "b"}, None),
        ({"note": "a"}, {"examples": ["b"]}, None),
        ({"occurrences": 2}, {"occurrences": 3}, {"occurrences": 5}),
        ({"occurrences": 2}, {"occurrences": 0}, None),
        (
            {"effectiveness": 0.5, "iterations": 2},
            {"effectiveness": 1.0, "iterations": 4},
            {"effectiveness": 0.75, "iterations": 6},
        ),
        ({}, {"occurrences": 3}, None),
    ],
)
def test_what_two_loops_say_of_a_learning_is_pooled(
    was: dict[str, Any], now: dict[str, Any], joined: dict[str, Any] | None
) -> None:
    """Iterations, occurrences or examples, where both have them."""
    memory = Lesson(id="m", project="p", text="x", extra={"content": was})
    found = pooled(memory, finding("r", "x", extra={"content": now}), 0.95)
    assert (found and found[1]["content"]) == joined


FIRST, OTHER = "Always warm the cache first", "Never warm the cache at all"


def rounds(*learned: str) -> list[Iteration]:
    return [
        Iteration(n, "completed", 1000.0, True, learnings=(text,))
        for n, text in enumerate(learned, 1)
    ]


@pytest.mark.parametrize(
    ("learned", "approaches"),
    [((FIRST, OTHER), []), ((FIRST, FIRST, OTHER), [FIRST]), ((FIRST,), [FIRST])],
)
def test_an_approach_of_exactly_half_does_not_count(
    learned: tuple[str, ...], approaches: list[str]
) -> None:
    found = strategies(rounds(*learned), run("r"), named("ralph"))
    assert [each.text for each in found] == approaches


@pytest.mark.parametrize(
    ("text", "approach"),
    [
        ("ten chars.", ""),
        ("eleven char", "eleven char"),
        ("y" * 100, "y" * 100),
        ("y" * 101, "y" * 100),
    ],
)
def test_ten_characters_say_nothing_and_a_hundred_are_enough(text: str, approach: str) -> None:
    found = strategies(rounds(text), run("r"), named("ralph"))
    assert [each.text for each in found] == ([approach] if approach else [])


@pytest.mark.parametrize(
    ("iterations", "files", "word"),
    [
        (2, 2, "low"),
        (3, 2, "medium"),
        (2, 3, "medium"),
        (5, 5, "medium"),
        (6, 5, "high"),
        (5, 6, "high"),
        (0, 99, "high"),
    ],
)
def test_two_are_low_and_five_are_medium(iterations: int, files: int, word: str) -> None:
    assert complexity_of(iterations, files) == word
