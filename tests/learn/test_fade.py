"""Forgetting: what nobody met for long enough is gone, and the worker sees to it once a day."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import verbs
from tests.verbs import Memories

from tacit.core import clock
from tacit.core.states import ACTIVE
from tacit.testing import finding, run
from tacit.worker import drain

SAID = "The importer drops rows with empty names"


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The time, to be moved by hand."""
    now = ["2026-01-01T00:00:00.000Z"]
    monkeypatch.setattr(clock, "now", lambda: now[0])
    return now


@pytest.fixture
def memories(tmp_path: Path, at: list[str]) -> Memories:
    return verbs.open(str(tmp_path / "a.db"), cwd=str(tmp_path))


def quiet_runs(memories: Memories, at: list[str], last: int) -> None:
    """Runs that say nothing."""
    for n in range(1, last + 1):
        memories.learn(run(f"quiet-{n}", started_at=at[0], ended_at=at[0]))


def test_what_was_met_once_and_never_again_leaves_and_comes_back(
    memories: Memories, at: list[str]
) -> None:
    """After ninety days, and only in a project that went on; one new sighting brings it back with its history."""
    memories.learn(run("r1", finding("r1", SAID), started_at=at[0], ended_at=at[0]))
    at[0] = "2026-02-01T00:00:00.000Z"
    assert memories.fade().moves == ()
    at[0] = "2026-05-01T00:00:00.000Z"
    assert memories.fade().moves == (), "a project that rests forgets nothing"
    quiet_runs(memories, at, 10)
    ((id, was, to, reason),) = memories.fade().moves
    assert memories.get(id).text == SAID and was != to and "not met again for 120 days" in reason
    assert memories.list() == [] and memories.fade().moves == ()
    at[0] = "2026-05-02T00:00:00.000Z"
    memories.learn(run("r2", finding("r2", SAID), started_at=at[0], ended_at=at[0]))
    assert [(memory.id, memory.tally.seen) for memory in memories.list()] == [(id, 2)]


def test_silence_never_touches_a_wish(memories: Memories, at: list[str]) -> None:
    kept = [
        memories.add("Answer in German", kind="preference"),
        memories.add("Never push to main", kind="rule"),
        memories.pin(memories.add("The staging host sleeps at night").id),
    ]
    at[0] = "2028-01-01T00:00:00.000Z"
    quiet_runs(memories, at, 10)
    assert memories.fade().moves == ()
    assert all(memories.get(each.id).state == ACTIVE for each in kept)


def test_a_clock_that_runs_wild_empties_no_memory(
    memories: Memories, at: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So many moves in one pass and no more; the next ones do the rest."""
    for n in range(7):
        memories.learn(run(f"r{n}", finding(f"r{n}", f"Module {n} leaks handle{n} in parser{n}")))
    at[0] = "2026-09-01T00:00:00.000Z"
    quiet_runs(memories, at, 10)
    monkeypatch.setattr("tacit.learn.fade.LEAST", 3)
    passes = [memories.fade() for _ in range(4)]
    assert [(len(each.moves), each.left) for each in passes] == [(3, 4), (3, 1), (1, 0), (0, 0)]


def test_the_worker_sees_to_it_once_a_day(memories: Memories, at: list[str]) -> None:
    """Without leave and without a process of its own: nothing leaves this machine."""
    memories.learn(run("r1", finding("r1", SAID), started_at=at[0], ended_at=at[0]))
    at[0] = "2026-05-01T00:00:00.000Z"
    quiet_runs(memories, at, 10)
    assert drain.tend_what_is_due(memories, memories.env) == 1
    assert memories.list() == [] and drain.tend_what_is_due(memories, memories.env) == 0
    at[0] = "2026-05-08T00:00:00.000Z"
    assert drain.projects_due(memories.store, at[0]) == [], "nothing was learned since"
