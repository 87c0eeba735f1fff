"""Is memory well? Figures, alarms, and tending by itself."""

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
    (tmp_path / "work").mkdir()
    with verbs.open(
        str(tmp_path / "a.db"), env=env, cwd=str(tmp_path / "work"), by="ada", yes=True, now=clock
    ) as memories:
        yield memories


def test_alarms_name_what_is_wrong(memories: Memories, clock: Clock) -> None:
    """A gate that falls back, hooks that failed, a backlog, nobody tending: each its sentence; small numbers say nothing."""
    for number in range(25):
        memories.learn(
            run(
                f"r{number}",
                finding(f"r{number}", f"Parser{number} drops field{number} of table{number}"),
                ended_at=clock.now,
            )
        )
    with memories.store.write() as tx:
        tx.count(memories.project_id, "gate_fallback", clock.now, 2)
        tx.count("", "hook_failure", clock.now)
    told = " / ".join(memories.alarms(memories.statistics("2025-01-01", ["learn:x: it broke"])))
    for part in (
        "8% of 25 findings could not be judged",
        "1 hooks failed",
        "1 transcripts could not be learned",
        "not tended yet",
    ):
        assert part in told
    with memories.store.write() as tx:
        tx.rows("DELETE FROM common WHERE kind = 'event'")
    memories.tend()
    assert memories.alarms(memories.statistics("2025-01-01")) == ()


def test_a_refused_move_is_counted(memories: Memories) -> None:
    """Nothing is written but that it was asked for in vain."""
    memory = memories.add("Run make migrate before the tests")
    with pytest.raises(Refused):
        memories.review(memory.id, "unmerge")
    assert memories.statistics("2000-01-01").events == {"move_refused": 1}
