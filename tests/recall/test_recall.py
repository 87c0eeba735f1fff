"""What is known about a question, now, then, and inside a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tacit.core import edits
from tacit.core.journal import Hand
from tacit.core.rows import run_id
from tacit.hooks.events import AskingRun
from tacit.hooks.past import memories_then
from tacit.lesson import Lesson, Tally

Make = Callable[..., Lesson]
NOW = "2026-11-15T12:00:00.000Z"


def ids(found: Any) -> list[str]:
    return [hit.memory.id for hit in found.hits]


def test_a_question_finds_what_holds_its_words(world: Any, make: Make) -> None:
    """Best first, with score and parts; candidates among them, marked."""
    both, one = (
        make("The queue hangs when the worker restarts."),
        make("The queue is slow.", state="waiting"),
    )
    world.put(both, one, make("Paint the door."))
    found = world.recall("queue worker")
    assert [(hit.memory.id, hit.mark) for hit in found.hits] == [
        (both.id, ""),
        (one.id, "waiting"),
    ]
    assert found.hits[0].score > found.hits[1].score > 0 and found.hits[0].parts["words"] > 0


def test_identifiers_paths_and_unspaced_scripts_are_found(world: Any, make: Make) -> None:
    """By their parts: camelCase, snake_case, a file's name, two letters of Japanese."""
    camel, path, japanese = (
        make("getUserName returns None"),
        make("see src/db/migrate_all.py"),
        make("日付は必ず書く"),
    )
    world.put(camel, path, japanese)
    assert ids(world.recall("user name")) == [camel.id]
    assert ids(world.recall("migrate")) == [path.id]
    assert ids(world.recall("必ず")) == [japanese.id]


def test_held_stale_and_quarantined_come_on_request(world: Any, make: Make) -> None:
    """What is dropped is named with its reason; an agent gets nothing that waits for a person."""
    held, stale, bad = (
        make("queue one", gate="hold"),
        make("queue two", stale_at=NOW),
        make("queue three", gate="quarantine"),
    )
    world.put(held, stale, bad)
    found = world.recall("queue")
    assert ids(found) == []
    assert {(each.id, each.reason) for each in found.dropped} == {
        (held.id, "hold"),
        (stale.id, "stale"),
        (bad.id, "quarantine"),
    }
    assert set(ids(world.recall("queue", include_held=True))) == {held.id, bad.id}
    assert ids(world.recall("queue", include_held=True, person=False)) == []
    assert ids(world.recall("queue", include_stale=True)) == [stale.id]


@pytest.mark.parametrize(("limit", "count"), [(None, 7), (0, 0), (3, 3), (10**6, 20), (-1, 0)])
def test_limits_are_kept(world: Any, make: Make, limit: int | None, count: int) -> None:
    """Without one, the level's number."""
    world.put(*(make(f"The queue hangs, case {n}.") for n in range(20)))
    assert len(world.recall("queue", limit=limit).hits) == count


def test_a_minimum_score_replaces_the_floor(world: Any, make: Make) -> None:
    """Nothing that fits less is shown."""
    full, part = (
        make("queue"),
        make("queue and many other words that dilute what it says about the thing we asked for"),
    )
    world.put(full, part)
    scores = {hit.memory.id: hit.score for hit in world.recall("queue", min_score=0.0).hits}
    assert ids(world.recall("queue", min_score=(scores[full.id] + scores[part.id]) / 2)) == [
        full.id
    ]


def test_what_is_below_the_floor_is_named(world: Any, make: Make) -> None:
    """The nearest of it, with its score; and what the limit left out."""
    full, part = (
        make("queue"),
        make("queue and many other words that dilute what it says about the thing we asked for"),
    )
    world.put(full, part)
    scores = {hit.memory.id: hit.score for hit in world.recall("queue", min_score=0.0).hits}
    found = world.recall("queue", min_score=(scores[full.id] + scores[part.id]) / 2)
    assert [(each.id, each.reason) for each in found.dropped] == [(part.id, "below the floor")]
    found = world.recall("queue", min_score=0.0, limit=1)
    assert [(each.id, each.reason) for each in found.dropped] == [(part.id, "limit")]


def test_reading_never_writes(world: Any, make: Make) -> None:
    """A person's question leaves no trace."""
    world.put(make("The queue hangs."))
    before = world.store.one("PRAGMA data_version"), world.store.one("SELECT total_changes()")
    world.recall("queue")
    assert (
        world.store.one("PRAGMA data_version"),
        world.store.one("SELECT total_changes()"),
    ) == before


def test_inside_a_run_what_is_withheld_is_not_shown(world: Any, make: Make) -> None:
    """The hook's assignment holds for the agent's own question, and what it is shown is recorded as on request."""
    world.put(*(make(f"The queue hangs, case {n}.") for n in range(20)))
    for run in (f"r{n}" for n in range(20)):  # the coin leaves one out in three of five
        given = world.inject("queue hangs", run=run, level="deep")
        if given.withheld:
            break
    found = world.recall("queue hangs", asking=AskingRun(run), limit=20)
    unit = run_id("p", "cli", run)
    uses = {use.memory: use.arm for use in world.store.uses(unit=unit)}
    assert given.withheld and not set(given.withheld) & set(ids(found))
    assert (
        set(ids(found)) == {id for id, arm in uses.items() if arm != "withheld"} and len(uses) == 20
    )
    delivered = {
        (mark.memory, mark.value)
        for mark in world.store.marks(unit=unit)
        if mark.signal == "delivered"
    }
    assert delivered == {(id, "on request") for id in ids(found)}


def test_what_recall_withheld_inject_withholds(world: Any, make: Make) -> None:
    """The other way round, too."""
    memories = world.put(*(make(f"The queue hangs, case {n}.") for n in range(15)))
    shown = set(ids(world.recall("queue hangs", asking=AskingRun("r1"), limit=15)))
    told = world.inject("queue hangs", level="deep", repeat=True)
    assert set(told.withheld) == set(memories) - shown


def test_what_was_known_then(world: Any, make: Make) -> None:
    """Text, state and sightings of an earlier time; what came later is not known."""
    first, second, third = (
        "2026-11-01T00:00:00.000Z",
        "2026-11-05T00:00:00.000Z",
        "2026-11-09T00:00:00.000Z",
    )
    memory = make("The queue hangs.", created_at=first, updated_at=first)
    world.put(memory)
    world.seen(memory.id, "r1", at=first)
    world.seen(memory.id, "r2", at=third)
    with world.store.write() as tx:
        tx.apply(edits.edited(tx.get(memory.id), {"text": "The pipe hangs."}, Hand("ada", second)))
        tx.apply(edits.forgotten(tx.get(memory.id), Hand("ada", third)))
    assert ids(world.recall("queue")) == []
    (then,) = world.recall("queue", as_of="2026-11-02T00:00:00.000Z").hits
    assert (then.memory.text, then.memory.state, then.memory.tally.seen) == (
        "The queue hangs.",
        "active",
        1,
    )
    assert ids(world.recall("pipe", as_of="2026-11-06T00:00:00.000Z")) == [memory.id]
    assert ids(world.recall("queue", as_of="2026-11-06T00:00:00.000Z")) == []
    assert ids(world.recall("pipe", as_of="2026-11-10T00:00:00.000Z")) == []
    assert ids(world.recall("queue", as_of="2026-10-01T00:00:00.000Z")) == []


def test_the_journal_rebuilds_every_row(world: Any, make: Make) -> None:
    """All entries together give the row as it is."""
    memory = make(
        "The queue hangs.",
        tags=("a",),
        paths=("b.py",),
        pinned=True,
        extra={"z": 1},
        severity="bug",
        tally=Tally(),
    )
    world.put(memory)
    with world.store.write() as tx:
        tx.apply(
            edits.edited(
                tx.get(memory.id),
                {"text": "The pipe hangs.", "severity": "info", "tags": ()},
                Hand("ada", NOW),
            )
        )
    assert memories_then(world.store.entries(("p",))) == {memory.id: world.store.get(memory.id)}


def test_what_was_erased_stays_unknown(world: Any, make: Make) -> None:
    """Also in retrospect."""
    from tacit.store.erase import blank

    memory = make("The queue hangs.", created_at="2026-11-01T00:00:00.000Z")
    world.put(memory)
    with world.store.write() as tx:
        tx.apply(edits.erased(tx.get(memory.id), Hand("ada", NOW)))
        blank(tx, memory, NOW)
    assert ids(world.recall("queue", as_of="2026-11-02T00:00:00.000Z")) == []
