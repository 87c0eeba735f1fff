"""Counting and listing by facets: the same answers as reading every row, on every engine, whatever was changed."""

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
from tacit.core.memory import DECIDED, Memory, to_row
from tacit.core.value import replace
from tacit.stores.check import check
from tacit.stores.sql import Store
from tacit.stores.sql_rows import FACETS, SORTS, facet_columns
from tacit.stores.sqlite import facets, open_store

KINDS, GATES, STATES = (
    ("pitfall", "rule", "fix"),
    ("allow", "allow", "hold"),
    ("candidate", "provisional", "archived", "superseded"),
)


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    if request.param == "postgres":
        yield request.getfixturevalue("postgres_store")
        return
    with open_store(str(tmp_path / "facets.db")) as opened:
        yield opened


def lesson(n: int, **fields: Any) -> Memory:
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
    return Memory(**{**told, **fields})


def filled(store: Any, count: int = 120) -> list[Memory]:
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


def counted(store: Any, projects: tuple[str, ...]) -> Counter[tuple[Any, ...]]:
    """The counts, from the rows themselves."""
    every = Store.select(store, projects, limit=-1)
    return Counter(facet_columns(dict(zip(DECIDED, to_row(memory)))) for memory in every)


def told(store: Any, projects: tuple[str, ...]) -> Counter[tuple[Any, ...]]:
    return Counter({tuple(row[:-1]): row[-1] for row in store.counted(projects, FACETS)})


def test_counts_are_those_of_the_rows_after_every_change(store: Any) -> None:
    """Added, edited, moved, pinned, put on the page, erased, and taken back with a transaction that failed."""
    made = filled(store, 40)
    assert (
        told(store, ("p", "q")) == counted(store, ("p", "q"))
        and sum(told(store, ("p",)).values()) == 27
    )
    # plain numbers, on every engine
    assert json.dumps(
        [store.sealed("p"), [list(row) for row in store.counted(("p",), ("state", "stale"))]]
    )
    assert {
        kind: store.sealed("p")[kind] + store.sealed("q")[kind]
        for kind in ("journal", "evidence", "use")
    } == {
        "journal": 40,
        "evidence": 60,
        "use": 39,
    }
    with store.write() as tx:
        tx.apply(edits.edited(made[0], {"category": "net", "kind": "rule"}, Hand("ada", now())))
        tx.apply(edits.pinned(made[1], True, Hand("ada", now())))
        tx.apply(
            edits.paged(
                next(m for m in made[4:] if m.state == "provisional" and m.gate == "allow"),
                True,
                Hand("ada", now()),
                reason="asked",
            )
        )
        tx.apply(edits.erased(made[3], Hand("ada", now())))
    with pytest.raises(RuntimeError), store.write() as tx:
        tx.apply(edits.pinned(made[-1], True, Hand("ada", now())))
        raise RuntimeError
    assert told(store, ("p", "q")) == counted(store, ("p", "q"))
    by_category = store.counted(("p", "q"), ("category",))
    assert [word for word, _ in by_category] == ["", "db", "net"] and sum(
        n for _, n in by_category
    ) == 40
    assert check(store).faults == ()


ASKED: list[dict[str, Any]] = [
    {},
    {"states": ("candidate", "provisional")},
    {"equal": {"kind": "rule"}},
    {"equal": {"kind": "fix", "gate": "hold"}, "states": ("archived",)},
    {"equal": {"origin": "here", "trust": "user"}},
    {"tag": "slow", "equal": {"on_page": 0}},
    {"text": "LESSON 2"},
    {"since": "2026-10-01T00:00:00.000Z", "states": ("provisional",)},
    {"equal": {"kind": "unheard of"}},
]


@pytest.mark.parametrize("sort", SORTS)
def test_a_list_is_that_of_reading_all_rows(store: Any, sort: str) -> None:
    """For each order and question, page by page, however the engine comes by it."""
    filled(store)
    for asked in ASKED:
        for projects in (("p", "@global"), ("p", "q")):
            plain = [m.id for m in Store.select(store, projects, sort=sort, limit=-1, **asked)]
            paged = [
                m.id
                for offset in range(0, 126, 9)
                for m in store.select(projects, sort=sort, limit=9, offset=offset, **asked)
            ]
            assert paged == plain, (sort, asked, projects)
            if store.is_file and sort in ("updated", "seen", "used"):  # of many, an index is walked
                for few in (0, 10):
                    walked = facets.select(
                        store, projects, sort=sort, limit=9, offset=9, few=few, **asked
                    )
                    assert [m.id for m in walked or ()] == plain[9:18], (sort, asked, projects, few)
    assert store.select((), sort=sort) == []


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE facet SET rows = rows + 1 WHERE id = 1",
        "UPDATE facet SET kind = 'rule'  WHERE id = 1",
        "DELETE FROM facet WHERE id = 1",
        "DELETE FROM facet_of WHERE n = 1",
        "UPDATE facet_of SET facet = 1 + facet % 3",
        "INSERT INTO facet_of VALUES (9999, 1)",
    ],
)
def test_a_count_that_is_off_is_seen_and_made_anew(tmp_path: Path, damage: str) -> None:
    """Derived, so nothing is lost; `reindex` mends it."""
    from tacit.stores.sqlite.erase import rebuild_derived

    with open_store(str(tmp_path / "s.db")) as store:
        filled(store, 12)
        store.rows(damage)
        assert {(fault.kind, fault.id) for fault in check(store).faults} == {("index", "facet")}
        rebuild_derived(store, "none")
        assert check(store).faults == ()


def test_an_erased_word_is_in_no_facet(tmp_path: Path) -> None:
    """A category may be somebody's words: with its last lesson it goes."""
    with open_store(str(tmp_path / "s.db")) as store:
        memory = replace(lesson(0), category="xyzzy-plugh")
        with store.write() as tx:
            tx.apply(edits.made(memory, Hand("ada", memory.created_at), reason="said so"))
            tx.apply(edits.erased(memory, Hand("ada", now())))
        assert "xyzzy" not in str(store.rows("SELECT * FROM facet"))


@pytest.mark.parametrize("few", [0, 1000])
@pytest.mark.parametrize("sort", SORTS)
def test_pages_go_on_behind_the_last_lesson(
    store: Any, sort: str, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Page by page, each behind the last lesson of the one before, all of them come once and in the order of the whole list."""
    filled(store)
    if few == 0:
        monkeypatch.setattr(
            facets.select, "__kwdefaults__", {**facets.select.__kwdefaults__, "few": 0}
        )
    asked: dict[str, Any] = {"states": ("candidate", "provisional"), "sort": sort}
    whole = [memory.id for memory in store.select(("p", "q"), **asked, limit=200)]
    paged: list[str] = []
    while part := store.select(("p", "q"), **asked, limit=7, behind=paged[-1] if paged else ""):
        paged += [memory.id for memory in part]
    assert paged == whole and len(whole) > 50
