"""A learning that was met in another loop: the figures of both."""

from __future__ import annotations

from typing import Any

import pytest

from tacit.core.profile import with_values
from tacit.lesson import Lesson
from tacit.origins import named
from tacit.origins.ralph.iterations import (
    Iteration,
    approach_of,
    complexity_of,
    iterated,
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


RALPH = named("ralph")
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
    found = strategies(
        rounds(*learned), run("r"), RALPH.extract, RALPH.extract.extractors["strategy"]
    )
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
    assert approach_of(text, RALPH.extract) == approach


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


@pytest.mark.parametrize("off", ["strategy", "antipattern", "estimate", "convention"])
def test_what_is_switched_off_is_not_derived(off: str) -> None:
    each = {
        "status": "completed",
        "duration": 1.0,
        "progress": True,
        "learnings": [FIRST],
        "files": ["tests/a.test.ts"],
        "errors": [],
    }
    failed = {**each, "status": "failed", "errors": ["Timeout: the test took too long"] * 2}
    loop = run("r", extra={"iterations": [{"number": 1, **each}, {"number": 2, **failed}]})
    others = {name: how for name, how in RALPH.extract.extractors.items() if name != off}
    without = with_values(RALPH, {"extract.extractors": others})
    derived = {found.extractor for found in iterated(loop, without)}
    assert derived == {found.extractor for found in iterated(loop, RALPH)} - {off}
    assert off in {found.extractor for found in iterated(loop, RALPH)}
