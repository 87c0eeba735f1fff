"""Prune: old words leave for a file and come back byte for byte; what a person names is taken out and can be undone."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import tacit
from tacit.app import Memories
from tacit.core.errors import Damaged, Refused
from tacit.testing import Clock, finding, run

TABLES = (
    "memory",
    "journal",
    "seal",
    "evidence",
    "use",
    "use_mark",
    "tally",
    "run",
    "finding",
    "injection",
)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memories(tmp_path: Path, clock: Clock) -> Iterator[Memories]:
    env = {"HOME": str(tmp_path), "USER": "ada"}
    with tacit.open(
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


def quiet(memories: Memories, clock: Clock) -> None:
    """Runs that say nothing: silence counts only where somebody could have spoken."""
    for number in range(10):
        memories.learn(run(f"quiet-{clock.now}-{number}", started_at=clock.now, ended_at=clock.now))


def rows(memories: Memories) -> dict[str, list[Any]]:
    every = {
        table: memories.store.rows(f"SELECT * FROM {table} ORDER BY 1, 2, 3") for table in TABLES
    }
    return {
        **every,
        "seal": [row for row in every["seal"] if row[1] != "meta"],
    }  # how far a pass came is kept there


def test_what_is_old_moves_to_a_file_and_back(memories: Memories, clock: Clock) -> None:
    """After a year the words are gone from the store, which verifies; put back, every row is what it was, and twice is once."""
    a_month(memories, clock)
    clock.advance(days=400)
    quiet(memories, clock)
    memories.tend(only="sweep")
    clock.advance(days=400)
    quiet(memories, clock)
    memories.tend(only="sweep")
    clock.advance(days=400)
    before = rows(memories)
    assert memories.tend(only="prune", dry_run=True).of("prune").figures["rows to move"] > 12
    done = memories.tend(only="prune").of("prune")
    assert done.done > 12 and memories.health().health.is_sound
    there = "".join(
        str(row)
        for row in memories.store.rows(
            "SELECT quote FROM evidence UNION ALL SELECT text FROM finding"
        )
    )
    assert "reviewer said" not in there
    assert memories.tend(only="prune").of("prune").done == 0
    assert (
        len(memories.store.injections(memories.store.find_run(memories.project_id, "r0").root)) == 0
    )  # type: ignore[union-attr]
    (path,) = memories.packs()
    assert memories.unpack(path).rows == done.done
    assert rows(memories) == before and memories.unpack(path).rows == 0
    assert memories.health().health.is_sound


def test_a_run_that_moved_is_still_known(memories: Memories, clock: Clock) -> None:
    """Learned again after its words left, it changes nothing; an archived lesson is undone as ever."""
    a_month(memories, clock)
    clock.advance(days=400)
    quiet(memories, clock)
    memories.tend()
    clock.advance(days=400)
    quiet(memories, clock)
    memories.tend()
    assert memories.packs()
    journal = memories.store.rows("SELECT count(*) FROM journal")
    again = memories.learn(
        run("r1", finding("r1", "Parser1 drops field1 of table1", quote="reviewer said: it"))
    )
    assert (again[0].already, again[0].findings) == (True, 0)
    assert memories.store.rows("SELECT count(*) FROM journal") == journal
    gone = memories.list(states=("archived", "decayed"))
    assert gone and memories.undo(gone[0].id)[0].state != gone[0].state


def test_a_damaged_file_is_refused_and_erasing_reaches_it(memories: Memories, clock: Clock) -> None:
    """One flipped byte: nothing is put back. An erased lesson's words leave the file too."""
    a_month(memories, clock)
    kept = memories.list(archived=True)[0]
    clock.advance(days=800)
    memories.tend(only="prune")
    (path,) = memories.packs()
    memories.erase(kept.id)
    told = gzip.decompress(Path(path).read_bytes()).decode()
    assert kept.text not in told
    assert "Parser0 drops" in told
    raw = bytearray(Path(path).read_bytes())
    raw[len(raw) // 2] ^= 0x40
    Path(path).write_bytes(bytes(raw))
    before = rows(memories)
    with pytest.raises(Damaged):
        memories.unpack(path)
    assert rows(memories) == before


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
    assert memories.undo(done.moves[0][0])[0].state != "archived"
    with (
        tacit.open(
            memories.store.path, env={**memories.env, "TACIT_RUN": "r1"}, cwd=memories.folder
        ) as agent,
        pytest.raises(Refused),
    ):
        agent.tend(only="prune", unused=True)


def test_what_was_imported_on_a_persons_word_can_be_pruned(tmp_path: Path, clock: Clock) -> None:
    """The how-to has a person import Ralph's learnings as their own; nobody said them, so quality decides. Their own words stay."""
    rows = [
        ("learn-00000001", "strategy", 0.5, 0.9),
        ("learn-00000002", "strategy", 0.9, 0.5),
        ("learn-00000003", "strategy", 0.9, 0.9),
    ]
    learnings = [
        {
            "id": id,
            "type": kind,
            "taskType": "test-fix",
            "content": {"description": f"Approach {id}", "effectiveness": rate, "iterations": 3},
            "confidence": sure,
            "sourceLoops": ["l-1"],
            "createdAt": "2026-01-01T00:00:00Z",
            "updatedAt": "2026-01-01T00:00:00Z",
            "useCount": 0,
            "successRate": rate,
        }
        for id, kind, sure, rate in rows
    ]
    learnings.append(
        {
            **learnings[2],
            "id": "learn-00000004",
            "type": "antipattern",
            "content": {"description": "Avoid: x", "occurrences": 2, "impact": "high"},
            "successRate": 0,
        }
    )
    folder = tmp_path / "knowledge"
    folder.mkdir()
    checksum = sha256(json.dumps(learnings, separators=(",", ":")).encode()).hexdigest()
    (folder / "ralph-learnings.json").write_text(
        json.dumps(
            {
                "version": "1.0.0",
                "checksum": checksum,
                "lastUpdated": "2026-01-01T00:00:00Z",
                "learnings": learnings,
                "stats": {},
            }
        )
    )
    with tacit.open(
        str(tmp_path / "r.db"), profile="ralph", cwd=str(tmp_path), by="ada", yes=True, now=clock
    ) as memories:
        memories.import_(str(folder), trust="user")
        said = memories.add("Always run the linter first", kind="strategy")
        done = memories.tend(only="prune", below=0.55).of("prune")
        assert {memories.get(id).alias for id, *_ in done.changes} == {
            "learn-00000001",
            "learn-00000002",
        }
        done = memories.tend(only="prune", unused=True).of("prune")
        assert {memories.get(id).alias for id, *_ in done.changes} == {
            "learn-00000003",
            "learn-00000004",
        }
        assert memories.get(said.id).state == "provisional"
