"""A learning that was met in another loop: the figures of both."""

from __future__ import annotations

from typing import Any

import pytest

from tacit.core.memory import Memory
from tacit.learn.iterations import pooled
from tacit.testing import finding


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
    memory = Memory(id="m", project="p", text="x", extra={"content": was})
    found = pooled(memory, finding("r", "x", extra={"content": now}), 0.95)
    assert (found and found[1]["content"]) == joined
