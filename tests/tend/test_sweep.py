"""The sweep between runs: due by date, by figure and by silence; bounded, previewable, and the same twice."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest

import tacit
from tacit.app import Memories
from tacit.core import clock
from tacit.core.value import replace
from tacit.formats.source import BytesSource
from tacit.learn.review import Reviewed
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


def quiet_runs(memories: Memories, at: list[str], first: int, last: int, **fields: str) -> None:
    """Runs that say nothing."""
    for n in range(first, last + 1):
        memories.learn(run(f"quiet-{n}", started_at=at[0], ended_at=at[0], **fields))


def test_a_one_off_is_archived_by_silence_and_comes_back(memories: Memories, at: list[str]) -> None:
    """A candidate that was not met for 90 days is put away; one new sighting brings it back with its history."""
    said = "The importer drops rows with empty names"
    memories.learn(run("r1", finding("r1", said), started_at=at[0], ended_at=at[0]))
    at[0] = "2026-02-01T00:00:00.000Z"
    assert memories.tend().moves == ()
    at[0] = "2026-05-01T00:00:00.000Z"
    quiet_runs(memories, at, 1, 10)
    preview = memories.tend(dry_run=True)
    done = memories.tend()
    assert (preview.moves, preview.dry_run, memories.tend().moves) == (done.moves, True, ())
    assert [(was, to) for _, was, to, _ in done.moves] == [("candidate", "archived")]
    at[0] = "2026-05-02T00:00:00.000Z"
    memories.learn(run("r2", finding("r2", said), started_at=at[0], ended_at=at[0]))
    assert [(memory.state, memory.tally.seen) for memory in memories.list()] == [("provisional", 2)]


def test_a_person_s_preference_is_left_alone(memories: Memories, at: list[str]) -> None:
    """Silence never touches preferences, rules, security and what is pinned."""
    kept = [
        memories.add("Answer in German", kind="preference"),
        memories.add("Never push to main", kind="rule"),
    ]
    pinned = memories.pin(memories.add("The staging host sleeps at night").id)
    at[0] = "2028-01-01T00:00:00.000Z"
    memories.tend()
    assert [memories.get(each.id).state for each in (*kept, pinned)] == ["provisional"] * 3


def test_an_overdue_lesson_decays_and_is_marked_stale(memories: Memories, at: list[str]) -> None:
    """Neither used nor met until its review date: decayed, with the reason."""
    memory = memories.add("The cache needs a warm-up after deploys", kind="fact")
    memories.store.rows(
        "UPDATE memory SET review_after = '2026-02-01T00:00:00.000Z' WHERE id = :id", id=memory.id
    )
    at[0] = "2026-06-01T00:00:00.000Z"
    quiet_runs(memories, at, 1, 10)
    done = memories.tend()
    assert done.stale == (memory.id,)
    assert [(id, to) for id, _, to, _ in done.moves] == [(memory.id, "decayed")]


def seven_are_due_and_a_pass_moves_three(
    memories: Memories, at: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(7):
        memories.learn(
            run(
                f"r{number}",
                finding(f"r{number}", f"Module {number} leaks handle{number} in parser{number}"),
            )
        )
    at[0] = "2026-09-01T00:00:00.000Z"
    quiet_runs(memories, at, 1, 10)
    monkeypatch.setattr("tacit.tend.context.LEAST", 3)
    monkeypatch.setattr("tacit.tend.LEAST", 3)


def test_a_pass_is_bounded(
    memories: Memories, at: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """So many moves and no more; the surplus becomes one proposal, and the next passes do the rest."""
    seven_are_due_and_a_pass_moves_three(memories, at, monkeypatch)
    first, second, third = memories.tend(), memories.tend(), memories.tend()
    assert [(len(each.moves), each.left) for each in (first, second, third)] == [
        (3, 4),
        (3, 1),
        (1, 0),
    ]
    assert [each.kind for each in memories.proposals()] == ["tend"]


def test_a_pass_whose_surplus_was_approved_is_not_bounded(
    memories: Memories, at: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The approval itself changes no memory, and says when it will."""
    seven_are_due_and_a_pass_moves_three(memories, at, monkeypatch)
    assert len(memories.tend().moves) == 3
    (asked,) = memories.proposals()
    done = memories.review(asked.id)
    assert isinstance(done, Reviewed)
    assert (done.memory, done.proposal, done.reason) == (
        "",
        asked.id,
        "the next tacit tend makes them all",
    )
    assert memories.proposals() == [] and len(memories.tend().moves) == 4


@pytest.mark.parametrize("seed", range(2))
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
        memories.import_(
            BytesSource("\n".join(map(json.dumps, rows)).encode(), "lessons.jsonl"), trust="user"
        )
        for number in range(60):
            name, seen = (
                f"r{number}",
                [text for text in texts if dice.random() < 0.04 and lessons[text][0]],
            )
            if seen or dice.random() < 0.5:
                memories.learn(
                    run(
                        name, *(finding(name, text, severity="bug", domain="code") for text in seen)
                    )
                )
            if (
                dice.random() < 0.7 or number == 59
            ):  # what was not swept at once is caught up with later
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


def test_what_is_found_by_range_is_all_that_is_due(memories: Memories, at: list[str]) -> None:
    """Half a year of random runs and uses: a sweep that looks at everything finds nothing that the daily one left."""
    dice, start = random.Random(5), clock.seconds(at[0])
    for day in range(0, 240, 8):
        at[0] = clock.stamp(start + day * clock.DAY)
        for number in dice.sample(range(40), 2):
            name = f"r{day}-{number}"
            memories.learn(
                run(
                    name,
                    finding(name, f"Parser{number} drops field{number} of table{number}"),
                    ended_at=at[0],
                )
            )
        memories.inject(
            f"work on parser{dice.randrange(40)} and table{dice.randrange(40)}", run=f"i{day}"
        )
        memories.tend(only="sweep")
        with memories.store.write() as tx:
            kept = tx.meta(f"tend:{memories.project_id}:swept")
            tx.put_meta(f"tend:{memories.project_id}:swept", "")
        assert memories.tend(only="sweep", dry_run=True).moves == (), f"day {day}"
        with memories.store.write() as tx:
            tx.put_meta(f"tend:{memories.project_id}:swept", kept)
    states = {memory.state for memory in memories.list(archived=True, limit=100)}
    assert {"provisional", "decayed", "archived"} <= states, "or the test shows nothing"


def test_a_review_that_nobody_closes(memories: Memories, at: list[str]) -> None:
    """At 30 days one reminder, at 60 the archive; the reminder's approval reinstates it."""
    memory, other = (
        memories.add("Use tabs in Makefiles", kind="fact"),
        memories.add("Use spaces in YAML", kind="fact"),
    )
    for each in (memory, other):
        memories.review(each.id, "open", reason="doubtful")
    at[0] = "2026-01-20T00:00:00.000Z"
    assert memories.tend(only="sweep").proposals == ()
    at[0] = "2026-02-01T00:00:00.000Z"
    assert len(memories.tend(only="sweep").proposals) == 2
    assert memories.tend(only="sweep").proposals == ()
    waiting = next(each for each in memories.proposals() if each.memory == other.id)
    assert (waiting.kind, waiting.reason) == (
        "review",
        "under review for 31 days; at 60 it is archived",
    )
    memories.review(waiting.id, "approve")
    at[0] = "2026-03-02T12:00:00.000Z"
    done = memories.tend(only="sweep")
    assert [(id, to) for id, _, to, _ in done.moves] == [(memory.id, "archived")]
    assert done.of("sweep").figures["expired"] == 1
    assert memories.get(other.id).state == "provisional"


def test_a_lesson_fades_from_its_last_use(memories: Memories, at: list[str]) -> None:
    """Thirty days after the last use, not after the first review date: one early use does not keep it for good."""
    for name in ("r1", "r2"):
        memories.learn(
            run(name, finding(name, "The importer drops rows with empty names"), ended_at=at[0])
        )
    kept = memories.list()[0]
    at[0] = "2026-01-25T00:00:00.000Z"
    assert memories.inject("why does the importer drop rows", run="i1", trial=False).injected
    at[0] = "2026-02-20T00:00:00.000Z"
    quiet_runs(memories, at, 1, 10)
    assert memories.tend(only="sweep").moves == (), (
        "its date is past, but it was used within the month"
    )
    at[0] = "2026-02-26T00:00:00.000Z"
    assert [(id, to) for id, _, to, _ in memories.tend(only="sweep").moves] == [
        (kept.id, "decayed")
    ]


def test_a_sweep_reads_by_index(memories: Memories) -> None:
    """No statement of a sweep with nothing due looks through a table that grows."""
    asked: list[str] = []
    rows = memories.store.rows
    memories.tend(only="sweep")
    memories.store._connection.trace_v2(1, lambda event: asked.append(event["sql"]))
    memories.tend(only="sweep")
    memories.store._connection.trace_v2(0, None)
    plans = [
        (sql, row[3])
        for sql in dict.fromkeys(asked)
        if sql.startswith("SELECT")
        for row in rows("EXPLAIN QUERY PLAN " + re.sub(r":\w+", "NULL", sql))
    ]
    wide = (
        "SCAN memory",
        "SCAN m",
        "SCAN tally",
        "SCAN t",
        "SCAN journal",
        "SCAN evidence",
        "SCAN e",
        "SCAN use",
        "SCAN finding",
        "SCAN run",
    )
    assert len(plans) > 20
    assert [(sql, plan) for sql, plan in plans if plan in wide] == []


def test_a_project_that_rests_forgets_nothing(memories: Memories, at: list[str]) -> None:
    """Days alone are no silence: nobody could have met or used a lesson. Ten runs and the date together are."""
    known, once = (
        "The importer drops rows with empty names",
        "Exports of the ledger are sorted by day only",
    )
    memories.learn(
        run("r1", finding("r1", known), finding("r1", once), started_at=at[0], ended_at=at[0])
    )
    memories.learn(run("r2", finding("r2", known), started_at=at[0], ended_at=at[0]))
    at[0] = "2026-12-01T00:00:00.000Z"
    assert memories.tend().moves == ()
    assert not any(memory.stale_at for memory in memories.list())
    quiet_runs(memories, at, 1, 9)
    assert memories.tend().moves == ()
    quiet_runs(memories, at, 10, 10)
    done = memories.tend()
    assert {(was, to) for _, was, to, _ in done.moves} == {
        ("provisional", "decayed"),
        ("candidate", "archived"),
    }
    assert all("10 runs" in told for *_, told in done.moves)
    assert memories.tend().moves == ()


def test_only_runs_that_could_have_spoken_count(memories: Memories, at: list[str]) -> None:
    """A reviewer's lesson does not age in other agents' runs, nor one of a domain in other domains'."""
    guarded = finding(
        "", "Migrations need a lock timeout or they block all writers", agent="guardian"
    )
    prose = finding("", "Chapters open with the weather of the day too often", domain="writing")
    for name in ("r1", "r2"):
        memories.learn(
            run(name, *(replace(each, run=name) for each in (guarded, prose)), ended_at=at[0])
        )
    at[0] = "2026-06-01T00:00:00.000Z"
    quiet_runs(memories, at, 1, 12, agent="maker", domain="code")
    assert memories.tend().moves == ()
    quiet_runs(memories, at, 13, 24, agent="guardian", domain="writing")
    assert [to for _, _, to, _ in memories.tend().moves] == ["decayed", "decayed"]
