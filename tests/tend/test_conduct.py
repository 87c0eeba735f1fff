"""The pass as a whole: its steps in order, one process at a time, a dead holder's lease taken over."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tacit
from tacit.app import Memories
from tacit.core.errors import UsageError
from tacit.tend import STEPS

HOLD = """
import sys, time, tacit
from tacit.tend import lease
from tacit.tend.context import Context
memories = tacit.open(sys.argv[1], cwd=sys.argv[2])
context = Context(memories.work)
print(repr(lease.take_lease(context)), flush=True)
time.sleep(60)
"""


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[Memories]:
    with tacit.open(str(tmp_path / "a.db"), cwd=str(tmp_path)) as memories:
        memories.ensure_project()
        yield memories


def test_steps_come_in_their_order(memories: Memories) -> None:
    """Each step reports, in the order of the table; one alone where it is asked for."""
    heard: list[str] = []
    done = memories.tend(report=lambda step, words: heard.append(step) if not words else None)
    assert tuple(step.name for step in done.steps) == STEPS == tuple(heard)
    assert [step.name for step in memories.tend(only="merge").steps] == ["merge"]
    with pytest.raises(UsageError):
        memories.tend(only="dance")


def test_one_at_a_time_and_the_dead_are_succeeded(memories: Memories, tmp_path: Path) -> None:
    """A second pass says who tends and does nothing; once that process was killed, the next one takes over."""
    argv = [sys.executable, "-c", HOLD, memories.store.path, str(tmp_path)]
    holder = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline().strip() == "''"
        busy = memories.tend()
        assert "another process tends this project" in busy.busy and busy.steps == ()
        assert memories.tend(only="sweep").busy == "", (
            "a sweep is transactions only, and needs no lease"
        )
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
    assert memories.tend().busy == ""


def test_a_preview_writes_nothing(memories: Memories) -> None:
    """Not a byte of what the store holds, not even a lease."""
    before = memories.store.rows("SELECT key, value FROM meta ORDER BY 1")
    assert memories.tend(dry_run=True).dry_run
    assert memories.store.rows("SELECT key, value FROM meta ORDER BY 1") == before
