"""A million memories on one PostgreSQL server: what does a project of 10,000 pay for the 99 others?

    python bench/postgres.py [--projects 100] [--memories 10000] [--rounds 200] [--folder .bench/postgres]

Two databases on one server: in one the project is alone, in the other it is one of a hundred, all with the same lessons, so that every word is everywhere.
They are loaded once, by COPY, with the rows that the store's own code makes (`Gathered` takes them instead of a connection), a block of each project at a
time, as they come when everybody works. `check` verifies the project afterwards. Then the same questions go to both in turns, through the library, as the
application's users; what counts is the CPU time of the backend (/proc/PID/schedstat), the median of the pairs.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import psycopg

import measure
from server import Server
from tacit.app import Memories
from tacit.app import open as open_memories
from tacit.core import edits
from tacit.core.digest import GENESIS, new_id, xor
from tacit.core.journal import Hand
from tacit.core.links import Evidence
from tacit.core.memory import NO_TALLY, Memory, Tally
from tacit.core.rows import RunRow, run_id
from tacit.core.value import replace
from tacit.learn.by_hand import memory_from
from tacit.stores.check import check, rule_of
from tacit.stores.postgres import _PUT_SEAL, close_pools, open_store
from tacit.stores.postgres.search import porter_words
from tacit.stores.postgres.whose import translated
from tacit.stores.sql_writer import Transaction
from tacit.testing import signed
from texts import Writer as Texts

BLOCK = 20  # memories of a project that come one after the other
PORTION = 10  # blocks of every project that are loaded in one transaction
RUN = 40  # memories a run could have said; portions hold whole ones
SETTINGS = {
    "shared_buffers": "1GB",
    "maintenance_work_mem": "512MB",
    "max_wal_size": "8GB",
    "max_connections": "60",
}
THE_ONE = "team-042"


class Gathered(Transaction):
    """Takes the statements of `Writer` as rows for COPY. Nothing is there before, so that every question has the answer "none"."""

    def __init__(self, machine: str, first: int) -> None:
        self.machine, self.n = machine, first
        self.tables: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self.seals: dict[tuple[str, str, int], tuple[int, bytes]] = {}
        self._runs: set[str] = set()
        self._evidence: list[Evidence] = []

    def rows(self, sql: str, **named: Any) -> list[Any]:
        if sql.startswith("INSERT INTO"):
            self.tables[sql.split()[2]].append(named)
        return [(self.n,)] if sql.startswith("SELECT n FROM memory") else []

    def add(self, change: Any, run: RunRow | None) -> None:
        """A lesson as `Memories.add_many` keeps it, with the run it was said in."""
        self.apply(change)
        self.tables["memory"][-1]["n"] = self.n
        if run:
            if run.id not in self._runs:
                self._runs.add(run.id)
                self.put_run(run)
            m = change.memory
            self._evidence = [
                Evidence(
                    m.id,
                    m.project,
                    run.id,
                    run.root,
                    by="bench",
                    tier=m.trust,
                    place="tacit add",
                    at=m.created_at,
                )
            ]
            self.add_evidence(self._evidence[0])
        self.n += 1

    def words(self, memory: Memory) -> str:
        return _words(memory.text, memory.tags, memory.paths)

    def index(self, n: int, old: tuple[str, str] | None, new: tuple[str, str] | None) -> None:
        assert new is not None
        project = self.tables["memory"][-1]["project"]
        spelled = " ".join(f"'{project} {word}'" for word in _tokens(" ".join(new)))
        self.tables["memory_fts"].append({"project": project, "n": n, "fts": spelled})

    def evidence(self, memory: str) -> list[Evidence]:
        return self._evidence

    def tally(self, memory: str) -> Tally:
        return NO_TALLY

    def _seal(self, project: str, kind: str, shard: int, rows: int, hash: bytes) -> None:
        count, sum_ = self.seals.get((project, kind, shard), (0, GENESIS))
        self.seals[project, kind, shard] = (count + rows, xor(sum_, hash))

    def copy(self, connection: psycopg.Connection[Any]) -> None:
        """Send everything, in the transaction that is open."""
        connection.execute("SET LOCAL search_path = tacit")
        for table, rows in self.tables.items():
            names = list(rows[0])
            with connection.cursor().copy(
                f"COPY tacit.{table} ({', '.join(names)}) FROM STDIN"
            ) as copy:
                for row in rows:
                    copy.write_row([row[name] for name in names])
        for (project, kind, shard), (rows_, sum_) in self.seals.items():
            named = {"project": project, "kind": kind, "shard": shard, "rows": rows_, "xor": sum_}
            connection.execute(translated(_PUT_SEAL), named)


@lru_cache(maxsize=1 << 14)
def _words(text: str, tags: tuple[str, ...], paths: tuple[str, ...]) -> str:
    from tacit.words.tokens import index_words

    return index_words(text, beside=" ".join((*tags, *paths)))


@lru_cache(maxsize=1 << 14)
def _tokens(text: str) -> list[str]:
    return [
        word.replace("\\", "\\\\").replace("'", "''") for word in sorted(set(porter_words(text)))
    ]


def opened(url: str, folder: str, project: str) -> Memories:
    """A project as its people open it."""
    return open_memories(
        url,
        project=project,
        env=signed({"HOME": folder, "USER": "bench", "XDG_DATA_HOME": folder}),
        cwd=folder,
    )


def prepare(server: Server, database: str, names: list[str], folder: str) -> dict[str, str]:
    """A database with its schema, two users, and projects; name → id. ada owns every project, bob writes in one."""
    with psycopg.connect(server.url(), autocommit=True) as admin:
        for role, rights in (("keeper", "CREATEROLE"), ("ada", ""), ("bob", "")):
            if not admin.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone():
                admin.execute(f"CREATE ROLE {role} LOGIN {rights}")
        if not admin.execute(
            "SELECT 1 FROM pg_database WHERE datname = %s", (database,)
        ).fetchone():
            admin.execute(f"CREATE DATABASE {database} OWNER keeper")
    open_store(server.url(database, "keeper")).close()
    with psycopg.connect(server.url(database), autocommit=True) as admin:
        admin.execute("GRANT tacit_writer TO ada, bob")
        admin.execute("CREATE TABLE IF NOT EXISTS public.loaded (portion integer PRIMARY KEY)")
    ids = {}
    for name in names:
        with opened(server.url(database, "ada"), folder, name) as memories:
            ids[name] = memories.ensure_project().id
    with psycopg.connect(server.url(database, "ada"), autocommit=True) as owner:
        owner.execute("SELECT tacit.admit('bob', %s, 2)", (ids[THE_ONE],))
    return ids


def load(
    server: Server, database: str, ids: dict[str, str], texts: list[dict[str, Any]], folder: str
) -> None:
    """All lessons into every project, unless they are there."""
    with (
        psycopg.connect(server.url(database)) as admin,
        opened(server.url(database, "ada"), folder, THE_ONE) as memories,
    ):
        done = {row[0] for row in admin.execute("SELECT portion FROM public.loaded")}
        portions = range(0, len(texts), BLOCK * PORTION)
        if not done:
            admin.execute("DROP INDEX tacit.memory_fts_words")
        for at in portions:
            if at in done:
                continue
            first = admin.execute("SELECT coalesce(max(n), 0) + 1 FROM tacit.memory").fetchone()
            assert first is not None
            rows = Gathered(memories.store.machine, first[0])
            for block in range(at, min(at + BLOCK * PORTION, len(texts)), BLOCK):
                for project in ids.values():
                    for change, run in made(memories, project, texts, block):
                        rows.add(change, run)
            rows.copy(admin)
            admin.execute(
                "SELECT setval(pg_get_serial_sequence('tacit.memory', 'n'), %s)", (rows.n,)
            )
            admin.execute("INSERT INTO public.loaded VALUES (%s)", (at,))
            admin.commit()
            measure.log(
                f"{database}: {rows.n - 1:,} memories, {time.process_time():.0f} s of CPU here"
            )
    with psycopg.connect(server.url(database), autocommit=True) as admin:
        if not admin.execute("SELECT to_regclass('tacit.memory_fts_words')").fetchone()[0]:  # type: ignore[index]
            admin.execute(
                "CREATE INDEX memory_fts_words ON tacit.memory_fts USING gin (fts) WITH (fastupdate = off)"
            )
            admin.execute("VACUUM ANALYZE")
            admin.execute("CHECKPOINT")


def made(
    memories: Memories, project: str, texts: list[dict[str, Any]], block: int
) -> Iterator[tuple[Any, RunRow | None]]:
    """A block of lessons of a project, each third said in a run."""
    at = memories.now()
    for number in range(block, min(block + BLOCK, len(texts))):
        memory, reason = _template(memories, texts, number, at)
        change = edits.made(
            replace(memory, id=new_id(), project=project),
            Hand("bench", at, profile=memories.profile_version),
            reason=reason,
        )
        name = run_id(project, "cli", f"run-{number // RUN}")
        yield (
            change,
            RunRow(name, project, "cli", f"run-{number // RUN}", name, started_at=at)
            if number % 3 == 0
            else None,
        )


def _template(
    memories: Memories,
    texts: list[dict[str, Any]],
    number: int,
    at: str,
    _kept: dict[int, Any] = {},  # noqa: B006
) -> Any:
    if number not in _kept:
        _kept.clear() if len(_kept) > 4 * BLOCK else None
        _kept[number] = memory_from(
            dict(texts[number]), memories.actor, memories.profile, "p", new_id(), at
        )
    return _kept[number]


def spent(pid: int) -> int:
    """Nanoseconds of CPU that a process has used."""
    with open(f"/proc/{pid}/schedstat") as file:
        return int(file.read().split()[0])


def compare(
    alone: Memories, shared: Memories, ask: Callable[[Memories, int], Any], rounds: int
) -> dict[str, list[float]]:
    """Milliseconds of the backends' CPU, question by question, in turns."""
    pids = {id(m): m.store.one("SELECT pg_backend_pid()")[0] for m in (alone, shared)}
    taken: dict[str, list[float]] = {"alone": [], "shared": [], "wall": [], "client": []}
    for number in range(-10, rounds):
        for name, memories in (("alone", alone), ("shared", shared)):
            before, began, here = (
                spent(pids[id(memories)]),
                time.perf_counter(),
                time.process_time(),
            )
            ask(memories, number)
            if number >= 0:
                taken[name].append((spent(pids[id(memories)]) - before) / 1e6)
                if name == "shared":
                    taken["wall"].append((time.perf_counter() - began) * 1000)
                    taken["client"].append((time.process_time() - here) * 1000)
    return taken


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--projects", type=int, default=100)
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--folder", default=os.path.join(measure.HERE, "..", ".bench", "postgres"))
    args = parser.parse_args()
    measure.nice()
    writer = Texts(1)
    texts = [writer.lesson() for _ in range(args.memories)]
    names = [
        THE_ONE,
        *(name for n in range(args.projects) if (name := f"team-{n:03d}") != THE_ONE),
    ][: args.projects]
    folder = os.path.abspath(args.folder)
    os.makedirs(folder, exist_ok=True)
    with Server(folder, SETTINGS) as server:
        home = os.path.join(folder, "home")
        os.makedirs(home, exist_ok=True)
        sizes = {}
        for database, some in (("alone", names[:1]), ("shared", names)):
            load(server, database, prepare(server, database, some, home), texts, home)
            with psycopg.connect(server.url(database)) as admin:
                sizes[database] = admin.execute(
                    "SELECT pg_database_size(current_database()), (SELECT count(*) FROM tacit.memory)"
                ).fetchone()
        held = report(server, home, [str(each["text"]) for each in texts], sizes, args.rounds)
        close_pools()
        return held


def report(server: Server, home: str, texts: list[str], sizes: dict[str, Any], rounds: int) -> int:
    """Measure, print, write the dated result."""
    table = measure.Table()
    with psycopg.connect(server.url()) as admin:
        version = admin.execute("SHOW server_version").fetchone()
    table.tell(
        "PostgreSQL, shared_buffers",
        f"{version[0] if version else ''} · {SETTINGS['shared_buffers']}",
    )
    table.tell(
        "memories, in the shared database and alone",
        f"{sizes['shared'][1]:,} · {sizes['alone'][1]:,}",
    )
    table.tell(
        "bytes a memory on disk, all tables and indexes",
        f"{sizes['shared'][0] / sizes['shared'][1]:,.0f}",
    )
    with opened(server.url("shared", "bob"), home, THE_ONE) as one:
        health = check(one.store, rule=rule_of(one.store))
        found = (
            f"{sum(health.checked.values()):,} rows" if health.is_sound else str(health.faults[:2])
        )
        table.add(
            "the loaded project verified row by row, as its member", "sound", found, health.is_sound
        )
    prompts = Texts(2)
    asked = [prompts.prompt(prompts.chance.choice(texts)) for _ in range(rounds + 10)]
    kinds: dict[str, Callable[[Memories, int], Any]] = {
        "recall": lambda m, n: m.recall(asked[n], limit=10),
        "a durable add": lambda m, n: m.add(f"Measured {n}: {asked[n]}", kind="fact"),
        "an injection, recorded": lambda m, n: m.inject(asked[n], run=f"measured {new_id()}"),
    }
    for user, who in (("bob", "a member of this project alone"), ("ada", "an owner of all")):
        for kind, ask in kinds.items():
            with (
                opened(server.url("alone", user), home, THE_ONE) as alone,
                opened(server.url("shared", user), home, THE_ONE) as shared,
            ):
                taken = compare(alone, shared, ask, rounds)
            ratio = statistics.median(b / a for a, b in zip(taken["alone"], taken["shared"]))
            what = f"{kind} in one of {sizes['shared'][1] // sizes['alone'][1]} projects against the same alone, by {who}"
            table.at_most(what, ratio, 2.0) if kind == "recall" else table.tell(
                what, f"{ratio:.2f}x"
            )
            middle = {name: statistics.median(each) for name, each in taken.items()}
            table.tell(
                f"  backend CPU alone, shared; client CPU; wall: medians of {rounds}, ms",
                " · ".join(f"{middle[n]:.1f}" for n in ("alone", "shared", "client", "wall")),
            )
    with open(measure.dated("postgres"), "w", encoding="utf-8") as file:
        file.write(
            f"# PostgreSQL: one project among a hundred\n\n`python bench/postgres.py` · {measure.surroundings()}\n\n{table.markdown()}"
        )
    return 0 if table.held else 1


if __name__ == "__main__":
    raise SystemExit(main())
