"""Prune: what a person names is taken out and can be undone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests import verbs
from tests.verbs import Memories

from tacit.core.errors import Refused
from tacit.testing import Clock, finding, run


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memories(tmp_path: Path, clock: Clock) -> Iterator[Memories]:
    env = {"HOME": str(tmp_path), "USER": "ada"}
    with verbs.open(
        str(tmp_path / "a.db"), env=env, cwd=str(tmp_path), by="ada", yes=True, now=clock
    ) as memories:
        yield memories


def a_month(memories: Memories, clock: Clock) -> None:
    """Lessons, given and settled, some met again and some not."""
    for number in range(12):
        name, text = (
            f"r{number}",
            f"Parser{number % 4} drops field{number % 4} of table{number % 4}",
        )
        memories.inject(f"fix table{number % 4} in parser{number % 4}", run=name, host="neutral")
        memories.learn(
            run(
                name,
                finding(name, text, quote=f"reviewer said: {text}"),
                started_at=clock.now,
                ended_at=clock.now,
            )
        )
        clock.advance(days=2)


def test_a_person_names_what_goes(memories: Memories, clock: Clock) -> None:
    """Unused and old, but never a person's own word; reversible; an agent may not."""
    a_month(memories, clock)
    memories.learn(
        run("odd", finding("odd", "The scheduler skips leap seconds"), ended_at=clock.now)
    )
    wish = memories.add("Answer in German", kind="preference")
    clock.advance(days=50)
    used = {memory.id for memory in memories.list() if memory.tally.uses}
    done = memories.tend(only="prune", older=30, unused=True)
    assert {id for id, *_ in done.moves}.isdisjoint({*used, wish.id}) and done.moves
    assert memories.undo(done.moves[0][0])[0].state != "gone"
    with (
        verbs.open(
            memories.store.path, env={**memories.env, "TACIT_RUN": "r1"}, cwd=memories.folder
        ) as agent,
        pytest.raises(Refused),
    ):
        agent.tend(only="prune", unused=True)
