"""The default profile, by vectors of our own: what the design says in numbers, one case on each side of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests import verbs
from tests.verbs import Memories

from tacit.core import clock
from tacit.core.ladder import PLAIN, Move, Standing
from tacit.core.run import Finding, Run

from .conftest import Vector

SYSTEM = "default"
DIRECT = {"ladder": "a verdict takes a hundred runs to earn"}
LESSON = "Run `make migrate` before the tests"


@pytest.fixture
def memories(folder: Path) -> Iterator[Memories]:
    with verbs.open(str(folder / "default.db"), cwd=str(folder), by="ada", yes=True) as memories:
        yield memories


def ladder(given: dict[str, Any], memories: Memories) -> dict[str, str]:
    at = {name: given[name] for name in given if name in Standing.FIELDS}  # type: ignore[attr-defined]
    to = given.get("to", "")
    # somebody saw it: what only agents say of themselves never suffices
    standing = Standing(**{"witnessed": True, **at})
    said = PLAIN.judge(standing, to, ("ada", "person")) if to else PLAIN.advance(standing)
    return {"state": said.to if isinstance(said, Move) else standing.state}


def budget(given: dict[str, Any], memories: Memories) -> int:
    words = "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo sierra tango"
    memories.add_many(
        [
            {"text": f"The {word} job needs the migration first", "kind": "pitfall"}
            for word in words.split()
        ]
        + [
            {"text": f"Port {8000 + n} is taken by the other service", "kind": "fact"}
            for n in range(400)
        ]
    )
    told = memories.inject(
        given.get("task", "the migration job fails"), run="r1", budget=given["level"], trial=False
    )
    return len(told.injected)


def gate(given: dict[str, Any], memories: Memories) -> str:
    if given["by"] == "person":
        return memories.add(given["text"]).gate
    finding = Finding("r1", "1", given["text"], by="agent", tier="agent")
    learned = memories.learn(Run("r1", "neutral", findings=(finding,), complete=True))[0]
    if learned.discarded:
        assert memories.list(limit=9) == []
        return "discard"
    return memories.get(learned.new[0]).gate


def review_after(given: dict[str, Any], memories: Memories) -> int:
    memory = memories.add(LESSON, kind="rule")
    memories.review(memory.id, "open")
    memories.review(memory.id, "close", outcome="reinstate", to=given["to"])
    now = memories.get(memory.id)
    assert now.state == given["to"]
    return round(clock.days_between(clock.now(), now.review_after))


def sighting(given: dict[str, Any], memories: Memories) -> int:
    for number, (root, origin) in enumerate(given["runs"]):
        run = f"{root}-{number}" if number else root
        finding = Finding(run, "1", LESSON, by="guardian", tier="review", origin=origin)
        for _ in range(2 if given.get("again") else 1):
            memories.learn(Run(run, "neutral", findings=(finding,), root=root, complete=True))
    (memory,) = memories.list(limit=9)
    return memory.tally.seen


DRIVERS: dict[str, Callable[[dict[str, Any], Memories], Any]] = {
    "ladder": ladder,
    "budget": budget,
    "gate": gate,
    "review_after": review_after,
    "sighting": sighting,
}


def test_vector(vector: Vector, check: Callable[..., None], memories: Memories) -> None:
    """Every number of the design holds, on both sides."""
    check(vector, lambda driver: driver(vector.input, memories))
