"""What every run and every night asks of the store is found by index: no statement reads through a table that grows."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.terminals import put_as

import tacit
from tacit.app import Memories
from tacit.surfaces.views import overview
from tacit.surfaces.web import views
from tacit.testing import finding, run, tool

GROWING = "memory m tally t journal evidence e use u use_mark finding run r proposal injection facet_of o".split()


def test_learning_asking_and_tending_read_by_index(tmp_path: Path) -> None:
    """Two runs that are given lessons, meet errors again and are settled, and a pass with nothing due, statement by statement."""
    with tacit.open(str(tmp_path / "a.db"), cwd=str(tmp_path)) as memories:
        failed = tool("make build", error="error: header.h: No such file or directory")
        for name in ("r0", "r1"):
            memories.inject("fix the build of the importer", run=name, host="neutral")
            memories.learn(
                run(
                    name,
                    failed,
                    finding(
                        name,
                        "The importer drops rows with empty names",
                        signature="error: <path>: No such file",
                    ),
                )
            )
        memories.tend()
        asked: list[str] = []
        memories.store._connection.trace_v2(1, lambda event: asked.append(event["sql"]))
        memories.inject("fix the build of the importer", run="r2", host="neutral")
        memories.learn(
            run(
                "r2",
                failed,
                finding(
                    "r2",
                    "The importer drops rows with empty names",
                    signature="error: <path>: No such file",
                ),
            )
        )
        memories.tend(only="sweep")
        memories.tend(only="merge")
        memories.tend(only="prune")
        memories.store._connection.trace_v2(0, None)
        wide = scans(memories, asked)
    assert len(asked) > 100
    assert wide == []


def test_what_the_desk_shows_costs_the_same_in_a_store_twice_as_large(tmp_path: Path) -> None:
    """Inbox, lists by facets in every order that has an index, page, counts: in steps of SQLite's machine, which no busy processor changes."""
    paged = {"limit": 50, "offset": 0}
    screens: dict[str, Callable[[Memories], object]] = {
        "inbox": lambda memories: views.inbox(memories, paged),
        "refused": lambda memories: memories.refused(),
        "proposals": lambda memories: views.proposals(memories, {**paged, "state": "open"}),
        "page": views.page,
        "health": lambda desk: views.check.counts(desk.store, desk.project_id),
        "pairs": views.merged_lessons,
        "overview": overview,
    }
    narrow: tuple[dict[str, str], ...] = (
        {"kind": "rule"},
        {"gate": "hold"},
        {"state": "archived", "category": "db"},
    )
    for sort in ("new", "old", "updated", "seen", "used", "state", "kind"):
        # Up to a thousand are sorted at once by what is no facet, so only larger lists tell.
        for facets in ({}, *narrow) if sort in ("new", "kind") else ({},):
            asked = {**paged, **facets, "sort": sort}
            screens[f"lessons {sort} {facets}"] = lambda memories, asked=asked: views.memories(
                memories, asked
            )  # type: ignore[misc]
    costs = []
    for count in (1300, 2200):
        with tacit.open(str(tmp_path / f"{count}.db"), cwd=str(tmp_path)) as memories:
            made = memories.add_many(
                {
                    "text": f"Lesson {n}",
                    "kind": ("rule", "pitfall", "fix")[n % 3],
                    "category": ("", "db")[n % 2],
                }
                for n in range(count)
            )
            with memories.store.write() as tx:
                for memory in made[::9]:
                    put_as(tx, memory, "gate", gate="hold")
                for memory in made[1::7]:
                    put_as(tx, memory, "forget", state="archived")
            memories.learn(run("r1", finding("r1", "The importer drops rows with empty names")))
            costs.append({name: steps(memories, show) for name, show in screens.items()})
    grown = {
        name: (few, costs[1][name]) for name, few in costs[0].items() if costs[1][name] > 1.3 * few
    }
    assert grown == {}


def steps(memories: Memories, show: Callable[[Memories], object]) -> int:
    """What an act costs the store."""
    taken: list[int] = []
    memories.store._connection.trace_v2(
        2, lambda event: taken.append(event["stmt_status"]["SQLITE_STMTSTATUS_VM_STEP"])
    )
    show(memories)
    memories.store._connection.trace_v2(0, None)
    return sum(taken)


def scans(memories: Memories, asked: list[str]) -> list[tuple[str, str]]:
    """The statements that read through a table which grows."""
    wide = []
    for sql in dict.fromkeys(
        each for each in asked if each.startswith("SELECT") and "?" not in each
    ):
        plan = [
            row[3]
            for row in memories.store.rows("EXPLAIN QUERY PLAN " + re.sub(r":\w+", "NULL", sql))
        ]
        wide += [
            (sql[:160], step)
            for step in plan
            if step.split(" USING ")[0] in {f"SCAN {name}" for name in GROWING}
        ]
    return wide
