"""Upgrading a store: in one transaction a step, once, under many processes, with nothing lost."""

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
from tacit.core.digest import GENESIS, new_id, shard_of, xor
from tacit.core.errors import NotAStore, StoreNewer
from tacit.core.journal import Hand, entry_hash, new_salt, payload, payload_digest
from tacit.core.memory import ADDED, DECIDED, Memory, row_hash, to_row
from tacit.stores.check import check
from tacit.stores.sql_rows import HEADER
from tacit.stores.sqlite import SCHEMA, SqliteStore, _prepare, open_store
from tacit.stores.sqlite import migrate as migrations
from tacit.stores.sqlite.migrate import migrate

pytestmark = pytest.mark.on_disk


def schema_of(path: Path) -> list[tuple[Any, ...]]:
    """Every table, index and their SQL."""
    connection = apsw.Connection(str(path))
    try:
        return connection.execute(
            "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY 1, 2"
        ).fetchall()
    finally:
        connection.close()


FIRST = tuple(
    name for name in DECIDED if name not in ADDED
)  # the columns of schema 1; later ones come last


def old_store(path: Path, memories: int = 20) -> list[Memory]:
    """A store as schema 1 wrote it: rows and journal by plain SQL, as that version would have."""
    connection = apsw.Connection(str(path))
    store = SqliteStore(str(path), connection, "old-machine")
    migrate(store, target=1)
    made = []
    seals: dict[int, tuple[int, bytes]] = {}
    with store.write() as tx:
        for n in range(memories):
            at = now()
            memory = Memory(
                new_id(),
                "p",
                f"call getUserName{n} in src/app/user_{n}.py",
                state="provisional",
                tags=("a",),
                created_at=at,
                updated_at=at,
            )
            row = to_row(memory)
            sealed = row_hash(row)
            entry = edits.made(memory, Hand("ada", at), reason="said so").entry
            header = (memory.id, 1, "p", "add", "ada", at, "", "", "old-machine")
            text, salt = payload(entry), new_salt()
            said = payload_digest(salt, text)
            link = entry_hash(GENESIS, header, said, sealed)
            columns = ", ".join((*FIRST, "hash"))
            tx.rows(
                f"INSERT INTO memory ({columns}) VALUES ({', '.join(':' + c for c in (*FIRST, 'hash'))})",
                **dict(zip(FIRST, row)),
                hash=sealed,
            )
            tx.rows(
                "INSERT INTO memory_fts (rowid, text) VALUES (last_insert_rowid(), :text)",
                text=memory.text,
            )
            names = (*HEADER, "payload", "salt", "digest", "row", "hash")
            tx.rows(
                f"INSERT INTO journal ({', '.join(names)}) VALUES ({', '.join(':' + c for c in names)})",
                **dict(zip(HEADER, header)),
                payload=text,
                salt=salt,
                digest=said,
                row=sealed,
                hash=link,
            )
            count, sum_ = seals.get(shard_of(memory.id), (0, GENESIS))
            seals[shard_of(memory.id)] = (count + 1, xor(sum_, link))
            made.append(memory)
        tx.rows(
            "INSERT INTO project (id, name, trial_key, created_at) VALUES ('p', 'p', x'00', '')"
        )
        for shard, (count, sum_) in seals.items():
            tx.rows(
                "INSERT INTO seal (project, kind, shard, rows, xor) VALUES ('p', 'journal', :s, :n, :x)",
                s=shard,
                n=count,
                x=sum_,
            )
    store.close()
    return made


def test_the_schema_is_that_of_the_last_migration() -> None:
    """A hook compares the number and lists no folder for it."""
    assert migrations.NEWEST == SCHEMA


def test_a_commit_waits_for_the_disk(tmp_path: Path) -> None:
    """Acknowledged is there after a power cut, erased is gone from the file. Other tests turn the first off: copied_stores.py."""
    with open_store(str(tmp_path / "s.db")) as store:
        assert store.rows("PRAGMA synchronous") == [(2,)] and store.rows("PRAGMA journal_mode") == [
            ("wal",)
        ]
        assert store.rows("PRAGMA secure_delete") == [(1,)]


def test_a_migrated_store_equals_a_fresh_one(tmp_path: Path) -> None:
    """The same schema, every row as it was, everything verifies, and the new full text finds what the old one could not."""
    made = old_store(tmp_path / "old.db")
    open_store(str(tmp_path / "fresh.db")).close()
    with open_store(str(tmp_path / "old.db")) as store:
        assert check(store).faults == ()
        assert {m.id: m for m in store.select(["p"])} == {m.id: m for m in made}
        assert len(store.find(("p",), ["user"], limit=50).hits) == len(made)
        assert store.rows("PRAGMA user_version")[0][0] == SCHEMA
    assert schema_of(tmp_path / "old.db") == schema_of(tmp_path / "fresh.db")


def test_a_step_that_fails_leaves_the_old_store(tmp_path: Path) -> None:
    """A row the step cannot read: the error comes up, and the store is still whole at schema 1."""
    made = old_store(tmp_path / "old.db", 3)
    connection = apsw.Connection(str(tmp_path / "old.db"))
    connection.execute("UPDATE memory SET tags = '{not json' WHERE id = ?", (made[0].id,))
    connection.close()
    with pytest.raises(ValueError):
        open_store(str(tmp_path / "old.db"))
    connection = apsw.Connection(str(tmp_path / "old.db"))
    assert connection.execute("PRAGMA user_version").fetchall() == [(1,)]
    assert connection.execute("SELECT count(*) FROM memory").fetchall() == [(3,)]
    assert "words" not in [row[1] for row in connection.execute("PRAGMA table_info(memory)")]
    connection.close()


def test_a_newer_store_is_not_touched(tmp_path: Path) -> None:
    """An old program says so and leaves it."""
    open_store(str(tmp_path / "s.db")).close()
    connection = apsw.Connection(str(tmp_path / "s.db"))
    connection.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    connection.close()
    with pytest.raises(StoreNewer):
        open_store(str(tmp_path / "s.db"))


STORM = """
import os, sys, time
while not os.path.exists(sys.argv[2]): time.sleep(0.001)
from tacit.stores.sqlite import open_store
with open_store(sys.argv[1]) as store:
    print(store.rows("PRAGMA user_version")[0][0], len(store.select(["p"], limit=1000)))
"""


@pytest.mark.parametrize("processes", [16, pytest.param(64, marks=pytest.mark.slow)])
def test_many_processes_migrate_once(tmp_path: Path, processes: int) -> None:
    """Many processes open a schema-1 store at once: each finds it migrated, nothing is lost, nobody sees an error. All 64: make campaign."""
    made = old_store(tmp_path / "old.db", 50)
    gate = tmp_path / "go"
    started = [
        subprocess.Popen(
            [sys.executable, "-c", STORM, str(tmp_path / "old.db"), str(gate)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(processes)
    ]
    gate.touch()
    told = [process.communicate(timeout=120) for process in started]
    assert {out.strip() for out, _ in told} == {f"{SCHEMA} {len(made)}"}, [
        err[-500:] for _, err in told if err
    ][:1]
    with open_store(str(tmp_path / "old.db")) as store:
        assert check(store).faults == ()


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
