"""Counting and listing lessons: the same answers on every engine, whatever was changed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tacit.core import edits
from tacit.core.clock import after_days, now
from tacit.core.digest import new_id
from tacit.core.journal import Hand
from tacit.core.links import Evidence, Use
from tacit.lesson import Lesson
from tacit.store.check import check
from tacit.store.reads import SORTS
from tacit.store.writes import open_store

KINDS, GATES, STATES = (
    ("pitfall", "rule", "fix"),
    ("allow", "allow", "hold"),
    ("waiting", "active", "gone", "gone"),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Any]:
    with open_store(str(tmp_path / "facets.db")) as opened:
        yield opened


def lesson(n: int, **fields: Any) -> Lesson:
    at = after_days("2026-11-15T00:00:00.000Z", -(n * 37 % 91))
    told = {
        "id": new_id(),
        "project": ("p", "p", "q")[n % 3],
        "text": f"Lesson {n * 7 % 40} of many",
        "kind": KINDS[n % 3],
        "klass": KINDS[n % 3],
        "category": ("", "", "db")[n % 3],
        "trust": ("user", "agent")[n % 2],
        "gate": GATES[n % 5 % 3],
        "state": STATES[n % 7 % 4],
        "tags": ("slow",) if n % 4 == 0 else (),
        "origin": "here" if n % 9 == 0 else "",
        "created_at": at,
        "updated_at": at,
    }
    return Lesson(**{**told, **fields})


def filled(store: Any, count: int = 120) -> list[Lesson]:
    made = [lesson(n) for n in range(count)]
    with store.write() as tx:
        for n, memory in enumerate(made):
            tx.apply(edits.made(memory, Hand("ada", memory.created_at), reason="said so"))
            for run in range(n % 4):
                tx.add_evidence(
                    Evidence(
                        memory.id,
                        memory.project,
                        f"r{run}",
                        f"r{run}",
                        f"f{n}-{run}",
                        at=memory.created_at,
                    )
                )
            for unit in range(n % 3):
                arm = ("withheld", "injected")[n % 2]
                tx.add_use(
                    Use(
                        memory.id,
                        f"u{unit}",
                        memory.project,
                        "r1",
                        memory.id,
                        arm,
                        0.3,
                        at=after_days(memory.created_at, n % 5),
                    )
                )
    return made


def test_counts_are_those_of_the_lessons_after_every_change(store: Any) -> None:
    """Added, edited, pinned, erased, and taken back with a transaction that failed; plain numbers, on every engine."""
    made = filled(store, 40)
    assert sum(n for *_, n in store.counted(("p",), ("state", "kind"))) == 27
    with store.write() as tx:
        tx.apply(edits.edited(made[0], {"category": "net", "kind": "rule"}, Hand("ada", now())))
        tx.apply(edits.pinned(made[1], True, Hand("ada", now())))
        tx.apply(edits.erased(made[3], Hand("ada", now())))
    with pytest.raises(RuntimeError), store.write() as tx:
        tx.apply(edits.pinned(made[-1], True, Hand("ada", now())))
        raise RuntimeError
    every = store.select(("p", "q"), limit=-1)
    for name in ("kind", "category", "pinned"):
        told = {word: n for word, n in store.counted(("p", "q"), (name,))}
        assert told == Counter(getattr(memory, name) for memory in every), name
    assert json.dumps([list(row) for row in store.counted(("p",), ("state", "stale"))])
    assert check(store).faults == ()


ASKED: list[dict[str, Any]] = [
    {},
    {"states": ("waiting", "active")},
    {"equal": {"kind": "rule"}},
    {"equal": {"kind": "fix", "gate": "hold"}, "states": ("gone",)},
    {"equal": {"origin": "here", "trust": "user"}},
    {"tag": "slow", "equal": {"on_page": 0}},
    {"text": "LESSON 2"},
    {"since": "2026-10-01T00:00:00.000Z", "states": ("active",)},
    {"equal": {"kind": "unheard of"}},
]


@pytest.mark.parametrize("sort", SORTS)
def test_a_list_comes_page_by_page(store: Any, sort: str) -> None:
    """For each order and question all pages are the whole list."""
    filled(store)
    for asked in ASKED:
        for projects in (("p", "@global"), ("p", "q")):
            plain = [m.id for m in store.select(projects, sort=sort, limit=-1, **asked)]
            paged: list[str] = []
            while part := store.select(
                projects, sort=sort, limit=9, behind=paged[-1] if paged else "", **asked
            ):
                paged += [m.id for m in part]
            assert paged == plain, (sort, asked, projects)
    assert store.select((), sort=sort) == []
