"""The sweep between runs: due by date, by figure and by silence; bounded, previewable, and the same twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import verbs
from tests.verbs import Memories

from tacit.core import clock
from tacit.core.value import replace
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
    return verbs.open(str(tmp_path / "a.db"), cwd=str(tmp_path))


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
    assert [(was, to) for _, was, to, _ in done.moves] == [("waiting", "gone")]
    at[0] = "2026-05-02T00:00:00.000Z"
    memories.learn(run("r2", finding("r2", said), started_at=at[0], ended_at=at[0]))
    assert [(memory.state, memory.tally.seen) for memory in memories.list()] == [("active", 2)]


def test_a_person_s_preference_is_left_alone(memories: Memories, at: list[str]) -> None:
    """Silence never touches preferences, rules, security and what is pinned."""
    kept = [
        memories.add("Answer in German", kind="preference"),
        memories.add("Never push to main", kind="rule"),
    ]
    pinned = memories.pin(memories.add("The staging host sleeps at night").id)
    at[0] = "2028-01-01T00:00:00.000Z"
    memories.tend()
    assert [memories.get(each.id).state for each in (*kept, pinned)] == ["active"] * 3


def test_an_overdue_lesson_decays_and_is_marked_stale(memories: Memories, at: list[str]) -> None:
    """Neither used nor met until its review date: decayed, with the reason."""
    memory = memories.add("The cache needs a warm-up after deploys", kind="fact")
    memories.store.rows(
        "UPDATE lesson SET extra = json_set(extra, '$.was.review_after', '2026-02-01T00:00:00.000Z')"
        " WHERE id = :id",
        id=memory.id,
    )
    at[0] = "2026-06-01T00:00:00.000Z"
    quiet_runs(memories, at, 1, 10)
    done = memories.tend()
    assert done.stale == (memory.id,)
    assert [(id, to) for id, _, to, _ in done.moves] == [(memory.id, "gone")]


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
    monkeypatch.setattr("tacit.origins.night.context.LEAST", 3)
    monkeypatch.setattr("tacit.origins.night.LEAST", 3)


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
        "the next pass makes them all",
    )
    assert memories.proposals() == [] and len(memories.tend().moves) == 4


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
    assert [(id, to) for id, _, to, _ in done.moves] == [(memory.id, "gone")]
    assert done.of("sweep").figures["expired"] == 1
    assert memories.get(other.id).state == "active"


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
    assert [(id, to) for id, _, to, _ in memories.tend(only="sweep").moves] == [(kept.id, "gone")]


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
        ("active", "gone"),
        ("waiting", "gone"),
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
    assert [to for _, _, to, _ in memories.tend().moves] == ["gone", "gone"]
