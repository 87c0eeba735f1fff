"""What one piece of work costs a PostgreSQL server: its CPU, its log, its disk.

    python bench/scale.py [--memories 2000] [--sessions 100]

One project on a server of our own, durable as it comes (fsync on). Sessions are given lessons from a machine's cache, carried to the server, learned there, and asked about. What counts
is the CPU time of the backend (/proc/PID/schedstat) and the bytes of its write-ahead log, each per session, as medians; the growth of the database in all.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import time
from collections.abc import Callable
from typing import Any

import psycopg

import measure
from postgres import SETTINGS, THE_ONE, opened, prepare, spent
from server import Server
from tacit.app import open as open_memories
from tacit.stores.replicate import in_step
from tacit.testing import run, signed, tool, user
from texts import Writer as Texts

COUNTED = ("run", "finding", "evidence", "use", "use_mark", "injection", "journal", "memory")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--memories", type=int, default=2_000)
    parser.add_argument("--sessions", type=int, default=100)
    args = parser.parse_args()
    measure.nice()
    folder = os.path.abspath(os.path.join(measure.HERE, "..", ".bench", "scale"))
    shutil.rmtree(folder, ignore_errors=True)
    home = os.path.join(folder, "home")
    os.makedirs(home)
    table = measure.Table()
    with Server(folder, SETTINGS) as server:
        prepare(server, "scale", [THE_ONE], home)
        url = server.url("scale", "ada")
        with opened(url, home, THE_ONE) as far:
            works(table, far, url, home, args.memories, args.sessions, lambda: packed(server))
        connections(table, server)
    shutil.rmtree(folder)
    with open(measure.dated("scale"), "w", encoding="utf-8") as file:
        told = f"`python bench/scale.py --memories {args.memories} --sessions {args.sessions}`"
        file.write(
            f"# What a session costs a server\n\n{told} · {measure.surroundings()}\n\n{table.markdown()}"
        )
    return 0


class Costs:
    """What the backend of a store spends on each of many acts."""

    def __init__(self, table: measure.Table, far: Any) -> None:
        self.table, self.store = table, far.store
        self.pid = self.store.one("SELECT pg_backend_pid()")[0]

    def of(self, what: str, act: Callable[[int], Any], times: int) -> None:
        """Medians of backend CPU and log bytes, and the size of the database afterwards."""
        cpu, log = [], []
        for number in range(times):
            before, wrote = spent(self.pid), self.log()
            act(number)
            cpu.append((spent(self.pid) - before) / 1e6)
            log.append(self.log() - wrote)
        told = f"{statistics.median(cpu):.1f} ms, {statistics.median(log) / 1e3:.1f} kB"
        self.table.tell(f"{what}: backend CPU, log (medians of {times})", told)

    def log(self) -> int:
        return int(self.store.one("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')")[0])


def packed(server: Server) -> int:
    """Bytes of the database without what vacuum would take away."""
    with psycopg.connect(server.url("scale"), autocommit=True) as admin:
        admin.execute("VACUUM (FULL, ANALYZE)")
        found = admin.execute("SELECT pg_database_size(current_database())").fetchone()
    assert found is not None
    return int(found[0])


def works(
    table: measure.Table,
    far: Any,
    url: str,
    home: str,
    memories: int,
    sessions: int,
    size: Callable[[], int],
) -> None:
    """A project's life, act by act."""
    texts, chance = Texts(3), random.Random(3)
    lessons = [texts.lesson() for _ in range(memories)]
    costs = Costs(table, far)
    base = size()
    costs.of("a lesson added by hand", lambda n: far.add(**lessons[n]), min(200, memories))
    far.add_many(lessons[200:])
    filled = size()
    table.tell(
        f"{memories:,} lessons on disk, all tables and indexes, bytes of each",
        f"{(filled - base) / memories:,.0f}",
    )
    env = signed({"HOME": home, "USER": "ada", "XDG_DATA_HOME": home})
    with open_memories(url, project=THE_ONE, env=env, cwd=home, local_only=True) as near:
        costs.of(
            f"the first fetch of {memories:,} lessons by a machine",
            lambda _: in_step(near.store, far.store, only=(far.project_id,)),
            1,
        )
        costs.of(
            "a look for news where there is none", lambda _: in_step(near.store, far.store), 40
        )
        counts = rows(far)

        def session(number: int) -> None:
            near.inject(
                f"mend: {chance.choice(lessons)['text']}", run=f"s-{number}", model="model-a"
            )
            near.inject(
                f"now: {chance.choice(lessons)['text']}", run=f"s-{number}", model="model-a"
            )
            in_step(near.store, far.store)

        costs.of(
            "a session's uses carried from the machine, and its news fetched", session, sessions
        )
    given, loose = size(), far.store.size()

    def learn(number: int) -> None:
        error = str(texts.lesson()["text"])[:60]
        far.learn(
            run(
                f"s-{number}",
                user(f"No, always {error.lower()} in this repository."),
                tool("make test", error=f"Error: {error}"),
                tool("make mend"),
                tool("make test"),
                task="mend it",
                model="model-a",
            )
        )

    costs.of("a session learned and its uses settled", learn, sessions)
    loose = far.store.size() - loose
    learned = size()
    costs.of(
        "a question (recall, top 10)",
        lambda n: far.recall(texts.prompt(str(chance.choice(lessons)["text"])), limit=10),
        40,
    )
    grew = {name: count - counts[name] for name, count in rows(far).items()}
    table.tell(
        "rows a session leaves: "
        + ", ".join(f"{count / sessions:.1f} {name}" for name, count in grew.items()),
        "",
    )
    told = f"{(given - filled) / sessions:,.0f}, {(learned - given) / sessions:,.0f} ({loose / sessions:,.0f})"
    table.tell(
        "database bytes a session adds, vacuumed: carried, learned (learned, before vacuum)", told
    )


def connections(table: measure.Table, server: Server, times: int = 200) -> None:
    """What a fresh connection costs the server, on a socket and without a password: a process that is forked, filled and ended."""
    with psycopg.connect(server.url("scale")) as admin:
        backend = admin.execute("SELECT pg_backend_pid()").fetchone()
        assert backend is not None
        with open(f"/proc/{backend[0]}/status") as file:
            postmaster = next(int(line.split()[1]) for line in file if line.startswith("PPid"))
    before = reaped(postmaster)
    for _ in range(times):
        with psycopg.connect(server.url("scale", "ada")) as one:
            one.execute("SELECT tacit.sees_all()")
    time.sleep(1)  # the last ones end
    table.tell(
        f"a connection and its first question: server CPU (mean of {times})",
        f"{(reaped(postmaster) - before) / times:.1f} ms",
    )


def reaped(pid: int) -> float:
    """Milliseconds of CPU of a process's children that have ended."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[13]) + int(fields[14])) * 1000 / os.sysconf("SC_CLK_TCK")


def rows(far: Any) -> dict[str, int]:
    return {name: far.store.one(f"SELECT count(*) FROM {name}")[0] for name in COUNTED}


if __name__ == "__main__":
    raise SystemExit(main())
