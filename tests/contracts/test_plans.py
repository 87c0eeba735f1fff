"""What every run and every night asks of the store is found by index: no statement reads through a table that grows."""

from __future__ import annotations

import re
from pathlib import Path

import tacit
from tacit.testing import finding, run, tool

GROWING = (
    "memory",
    "m",
    "tally",
    "t",
    "journal",
    "evidence",
    "e",
    "use",
    "u",
    "use_mark",
    "finding",
    "run",
    "r",
    "proposal",
    "injection",
)


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
                    finding(name, "The importer drops rows with empty names", signature="error: <path>: No such file"),
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
                finding("r2", "The importer drops rows with empty names", signature="error: <path>: No such file"),
            )
        )
        memories.tend(only="sweep")
        memories.tend(only="merge")
        memories.tend(only="prune")
        memories.store._connection.trace_v2(0, None)
        wide = []
        for sql in dict.fromkeys(each for each in asked if each.startswith("SELECT") and "?" not in each):
            plan = [row[3] for row in memories.store.rows("EXPLAIN QUERY PLAN " + re.sub(r":\w+", "NULL", sql))]
            wide += [
                (sql[:160], step) for step in plan if step.split(" USING ")[0] in {f"SCAN {name}" for name in GROWING}
            ]
    assert len(asked) > 100
    assert wide == []
