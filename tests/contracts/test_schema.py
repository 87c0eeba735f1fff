"""Making and opening a store: once, under many processes, with nothing lost; one of another version is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest

from tacit.core import edits
from tacit.core.clock import now
from tacit.core.digest import new_id
from tacit.core.errors import NotAStore, StoreOther
from tacit.core.journal import Hand
from tacit.core.memory import Memory
from tacit.stores.check import check
from tacit.stores.sqlite import SCHEMA, SqliteStore, _prepare, open_store
from tacit.stores.sqlite.erase import blank
from tacit.stores.tables import TRUTH

pytestmark = pytest.mark.on_disk


def test_a_commit_waits_for_the_disk(tmp_path: Path) -> None:
    """Acknowledged is there after a power cut, erased is gone from the file. Other tests turn the first off: copied_stores.py."""
    with open_store(str(tmp_path / "s.db")) as store:
        assert store.rows("PRAGMA synchronous") == [(2,)] and store.rows("PRAGMA journal_mode") == [
            ("wal",)
        ]
        assert store.rows("PRAGMA secure_delete") == [(1,)]


@pytest.mark.parametrize(
    ("version", "hint"), [(SCHEMA + 1, "Upgrade Tacit"), (SCHEMA - 1, "with Tacit 0.2.0")]
)
def test_a_store_of_another_version_is_not_touched(tmp_path: Path, version: int, hint: str) -> None:
    """One line says what it is and what to do; nothing is brought up to date any more."""
    path = tmp_path / "s.db"
    open_store(str(path)).close()
    with apsw.Connection(str(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreOther, match=f"has schema {version}") as told:
        open_store(str(path))
    assert hint in told.value.hint and path.read_bytes() == before


def test_a_store_of_the_release_before_goes_on(tmp_path: Path) -> None:
    """What 0.2.0 derived beside the lessons is read by nothing, and goes with the first text that is erased."""
    with open_store(str(tmp_path / "s.db")) as store:
        memory = Memory(new_id(), "p", "xyzzy is secret", created_at=now(), updated_at=now())
        with store.write() as tx:
            tx.apply(edits.made(memory, Hand("ada", now()), reason="said so"))
        store.rows("CREATE TABLE facet (category TEXT)")
        store.rows("INSERT INTO facet VALUES ('xyzzy')")
    with open_store(str(tmp_path / "s.db")) as store:
        assert check(store).faults == ()
        assert [hit.memory.id for hit in store.find(("p",), ["xyzzy"]).hits] == [memory.id]
        with store.write() as tx:
            blank(tx, memory, now())
        assert store.rows("SELECT name FROM sqlite_schema WHERE name = 'facet'") == []
        assert check(store).faults == ()


def test_columns_are_those_of_the_store(tmp_path: Path) -> None:
    """A column that somebody adds to the schema is carried to a cache, or a test says that it is not."""
    with open_store(str(tmp_path / "s.db")) as store:
        for table in TRUTH:
            there = [row[1] for row in store.rows(f"PRAGMA table_info({table.name})")]
            derived = ["words"] if table.name == "memory" else []
            assert sorted([*table.columns, *derived]) == sorted(there), table.name


WRITER = """
import json, os, sys, time
import tacit
while not os.path.exists(sys.argv[3]): time.sleep(0.001)
with tacit.open(sys.argv[1]) as memories:
    ids = [memories.add(f"writer {sys.argv[2]} lesson {n}").id for n in range(int(sys.argv[4]))]
print(json.dumps(ids))
"""


class Late(SqliteStore):
    """A store that another process makes after its first question."""

    def rows(self, sql: str, **named: Any) -> list[Any]:
        answer = super().rows(sql, **named)
        if sql == "PRAGMA user_version" and not answer[0][0]:
            open_store(self.path).close()
        return answer


def test_a_store_that_is_made_while_it_is_opened_is_nobody_elses(tmp_path: Path) -> None:
    """Sixteen processes at once met this once in some hundred runs: tables that were not there a moment ago are ours."""
    path = str(tmp_path / "s.db")
    with Late(path, apsw.Connection(path)) as store:
        _prepare(store, path)
        assert store.schema == SCHEMA
    foreign = str(tmp_path / "foreign.db")
    with apsw.Connection(foreign) as other:
        other.execute("CREATE TABLE theirs (x)")
    with pytest.raises(NotAStore, match="of another program"):
        open_store(foreign)


@pytest.mark.parametrize(
    ("writers", "each"), [(8, 40), pytest.param(16, 200, marks=pytest.mark.slow)]
)
def test_many_writers_lose_nothing(tmp_path: Path, folder: Path, writers: int, each: int) -> None:
    """Processes add memories to one new store at once: all are there, nobody sees an error, chains and tallies verify. 3,200: make campaign."""
    gate = tmp_path / "go"
    started = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path / "s.db"), str(n), str(gate), str(each)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            env=dict(os.environ),
        )
        for n in range(writers)
    ]
    gate.touch()
    told = [process.communicate(timeout=240) for process in started]
    assert [err for _, err in told if err] == []
    acknowledged = {id for out, _ in told for id in json.loads(out)}
    assert len(acknowledged) == writers * each
    with open_store(str(tmp_path / "s.db")) as store:
        assert check(store).faults == ()
        projects = [p.id for p in store.projects() if not p.id.startswith("@")]
        assert len(projects) == 1, "one folder is one project, whoever was first"
        assert {m.id for m in store.select(projects, limit=10_000)} == acknowledged


@pytest.mark.slow
def test_many_writers_by_the_command_line_lose_nothing(tmp_path: Path, folder: Path) -> None:
    """16 shells run `tacit add` 200 times each on one new store: 3,200 are there. On demand: make campaign."""
    script = 'for n in $(seq 200); do "$0" -m tacit add "shell $1 lesson $n" --quiet --store "$2" || exit 1; done'
    path = str(tmp_path / "s.db")
    started = [
        subprocess.Popen(
            ["bash", "-c", script, sys.executable, str(n), path],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
        )
        for n in range(16)
    ]
    told = [process.communicate(timeout=3000) for process in started]
    assert [err for _, err in told if err] == []
    assert [process.returncode for process in started] == [0] * 16
    with open_store(path) as store:
        assert check(store).faults == ()
        assert store.one("SELECT count(*) FROM memory")[0] == 3200
