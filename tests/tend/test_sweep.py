"""The sweep between runs: due by date, by figure and by silence; bounded, previewable, and the same twice."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import tacit
from tacit.app import Memories
from tacit.core import clock
from tacit.core.profile import changed
from tacit.formats.source import BytesSource
from tacit.testing import finding, run


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The time, to be moved by hand."""
    now = ["2026-01-01T00:00:00.000Z"]
    monkeypatch.setattr(clock, "now", lambda: now[0])
    return now


@pytest.fixture
def memories(tmp_path: Path, at: list[str]) -> Memories:
    return tacit.open(str(tmp_path / "a.db"), cwd=str(tmp_path))


def test_a_one_off_is_archived_by_silence_and_comes_back(memories: Memories, at: list[str]) -> None:
    """A candidate that was not met for 90 days is put away; one new sighting brings it back with its history."""
    said = "The importer drops rows with empty names"
    memories.learn(run("r1", finding("r1", said), started_at=at[0], ended_at=at[0]))
    at[0] = "2026-02-01T00:00:00.000Z"
    assert memories.tend().moves == ()
    at[0] = "2026-05-01T00:00:00.000Z"
    preview = memories.tend(dry_run=True)
    done = memories.tend()
    assert (preview.moves, preview.dry_run, memories.tend().moves) == (done.moves, True, ())
    assert [(was, to) for _, was, to, _ in done.moves] == [("candidate", "archived")]
    at[0] = "2026-05-02T00:00:00.000Z"
    memories.learn(run("r2", finding("r2", said), started_at=at[0], ended_at=at[0]))
    assert [(memory.state, memory.tally.seen) for memory in memories.list()] == [("provisional", 2)]


def test_a_person_s_preference_is_left_alone(memories: Memories, at: list[str]) -> None:
    """Silence never touches preferences, rules, security and what is pinned."""
    kept = [memories.add("Answer in German", kind="preference"), memories.add("Never push to main", kind="rule")]
    pinned = memories.pin(memories.add("The staging host sleeps at night").id)
    at[0] = "2028-01-01T00:00:00.000Z"
    memories.tend()
    assert [memories.get(each.id).state for each in (*kept, pinned)] == ["provisional"] * 3


def test_an_overdue_lesson_decays_and_is_marked_stale(memories: Memories, at: list[str]) -> None:
    """Neither used nor met until its review date: decayed, with the reason."""
    memory = memories.add("The cache needs a warm-up after deploys", kind="fact")
    memories.store.rows("UPDATE memory SET review_after = '2026-02-01T00:00:00.000Z' WHERE id = :id", id=memory.id)
    at[0] = "2026-06-01T00:00:00.000Z"
    done = memories.tend()
    assert done.stale == (memory.id,)
    assert [(id, to) for id, _, to, _ in done.moves] == [(memory.id, "decayed")]


def test_a_pass_is_bounded(memories: Memories, at: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """So many moves and no more; the surplus becomes one proposal, and the next passes do the rest."""
    for number in range(7):
        memories.learn(
            run(f"r{number}", finding(f"r{number}", f"Module {number} leaks handle{number} in parser{number}"))
        )
    at[0] = "2026-09-01T00:00:00.000Z"
    memories._profile = changed(memories.profile, {"tend.least": 3, "tend.share": 0.0})
    first, second, third = memories.tend(), memories.tend(), memories.tend()
    assert [(len(each.moves), each.left) for each in (first, second, third)] == [(3, 4), (3, 1), (1, 0)]
    assert [each.kind for each in memories.proposals()] == ["tend"]


@pytest.mark.parametrize("seed", range(3))
def test_sweeps_leave_what_a_job_after_every_run_would_have_left(tmp_path: Path, seed: int) -> None:
    """Twelve imported lessons and sixty runs at random: frequency, counter and archive, lesson by lesson."""
    dice = random.Random(seed)
    texts = [
        f"Lesson {name} about {name}s"
        for name in "alpha bravo carol delta eagle frank giant hotel india julia kayak lemon".split()
    ]
    lessons = {text: [dice.randrange(1, 4), dice.randrange(0, 14)] for text in texts}
    rows = [
        {
            "id": f"m-{n:03d}",
            "description": text,
            "frequency": count,
            "runs_since_last_seen": quiet,
            "severity": "bug",
            "domain": "code",
        }
        for n, (text, (count, quiet)) in enumerate(lessons.items(), 1)
    ]
    with tacit.open(str(tmp_path / "a.db"), profile="archeflow", cwd=str(tmp_path)) as memories:
        memories.import_(BytesSource("\n".join(map(json.dumps, rows)).encode(), "lessons.jsonl"), trust="user")
        for number in range(60):
            name, seen = f"r{number}", [text for text in texts if dice.random() < 0.04 and lessons[text][0]]
            if seen or dice.random() < 0.5:
                memories.learn(run(name, *(finding(name, text, severity="bug", domain="code") for text in seen)))
            if dice.random() < 0.7 or number == 59:  # what was not swept at once is caught up with later
                memories.tend(run=name) if dice.random() < 0.5 else memories.tend()
            elif not seen:
                memories.learn(run(name))
            counted = memories.store.find_run(memories.project_id, name) is not None
            for text in texts if counted else ():
                _age(lessons[text], text in seen)
        memories.tend()
        found = {
            row["description"]: [row["frequency"], row["runs_since_last_seen"]]
            for row in map(json.loads, memories.export("archeflow").splitlines())
        }
    assert found == {text: state for text, state in lessons.items() if state[0]}


def _age(lesson: list[int], seen: bool) -> None:
    count, quiet = lesson
    if not count:
        return
    quiet += 1
    if seen:
        count, quiet = count + 1, 0
    elif quiet >= 10:
        count, quiet = count - 1, 0
    lesson[:] = [count, quiet]
