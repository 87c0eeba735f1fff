"""A team's server under mixed work, killed -9 and started again: 32 processes, 100 projects, add, learn, inject, recall, review.

Each project has a user of its own, each process works for all of them by turns, through the library. What a process is about to do is written down before,
what the store acknowledged after. The server and all its processes are killed together, so that whatever it had not written to disk is gone. Afterwards
every acknowledged write must be there, every write found must have been acknowledged or in flight, every chain, seal and tally must verify, and no
user may see, change or find a row of another's project, by raw SQL as that user.

    python bench/faults/team.py [--processes 32] [--projects 100] [--seconds 60] [--kills 3]
    python bench/faults/team.py --controls      # planted mistakes, each of which must be caught
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parent.parent))

import psycopg
from common import Ledger, commit, transcript

import measure
from server import Server

KINDS = {
    "add": 6,
    "learn": 2,
    "inject": 3,
    "recall": 3,
    "review": 3,
}  # and how often each is chosen
SETTINGS = {"max_connections": "120", "shared_buffers": "256MB"}
SWITCH = 0.1  # how often a process turns to another project
SHARED = {"@global", "@agent", ""}
TABLES = (
    "memory alias journal seal evidence use use_mark tally run finding tombstone proposal queue injection counter shared extent"
).split()


# -- one process at work -----------------------------------------------------------------------------------------------


class Worker:
    """Does this and that in this and that project, and notes what it was told."""

    def __init__(self, number: int, place: Path, plan: Mapping[str, Any]) -> None:
        self.number, self.place, self.plan = number, place, plan
        self.chance = random.Random(number * 7919)
        self.notes = (place / f"notes-{number}").open("a", buffering=1)
        self.memories: dict[str, Any] = {}
        self.known: dict[str, list[str]] = collections.defaultdict(list)
        self.count = 0
        self.until = 0.0

    def wait(self) -> None:
        """Until everybody is here: then the time runs."""
        import tacit.learn
        import tacit.recall
        import tacit.stores.postgres  # noqa: F401

        (self.place / f"here-{self.number}").touch()
        while not (self.place / "go").exists():
            time.sleep(0.05)
        self.until = float((self.place / "go").read_text())

    def note(self, what: str, **more: Any) -> None:
        self.notes.write(json.dumps({"what": what, "at": time.time(), **more}) + "\n")

    def work(self) -> None:
        from tacit.core.errors import TacitError

        name = self.chance.choice(self.plan["projects"])
        while time.time() < self.until:
            if self.chance.random() < SWITCH:
                name = self.chance.choice(self.plan["projects"])
            kind = self.chance.choices(list(KINDS), list(KINDS.values()))[0]
            self.count += 1
            act = f"w{self.number}n{self.count}"
            self.note("try", kind=kind, act=act, project=name)
            try:
                told = getattr(self, kind)(name, act)
                if told is not None:
                    self.note("ack", kind=kind, act=act, project=name, **told)
            except TacitError as error:
                self.note(
                    "refused",
                    kind=kind,
                    act=act,
                    project=name,
                    code=type(error).__name__,
                    said=error.message,
                )
                if type(error).__name__ == "Unavailable":
                    self.close()
                    time.sleep(self.chance.uniform(0.2, 1.0))

    def project(self, name: str) -> Any:
        """A project's memories; at most a few stay open, as the server has only so many connections."""
        from tacit.app import open as open_memories

        if name not in self.memories:
            if len(self.memories) >= 2:
                self.close()
            env = {
                "HOME": str(self.place),
                "USER": f"person{self.number}",
                "XDG_DATA_HOME": str(self.place / "data"),
            }
            self.memories[name] = open_memories(
                self.plan["url"].replace("USER", name),
                project=name,
                env=env,
                cwd=str(self.place),
                wait=30.0,
                by=env["USER"],
                yes=True,
            )
        return self.memories[name]

    def close(self) -> None:
        from tacit.stores.postgres import close_pools

        for memories in self.memories.values():
            memories.close()
        self.memories.clear()
        close_pools()

    def add(self, name: str, act: str) -> Mapping[str, Any]:
        memory = self.project(name).add(
            f"In {name} the step {act} needs a fresh cache of kind {self.chance.randrange(50)}."
        )
        self.known[name].append(memory.id)
        return {"id": memory.id}

    def learn(self, name: str, act: str) -> Mapping[str, Any]:
        number = self.number * 100_000 + self.count
        path = transcript(self.place, number)
        [learned] = self.project(name).learn(str(path), over=True)
        path.unlink()
        return {"run": learned.run, "new": list(learned.new), "number": number}

    def inject(self, name: str, act: str) -> Mapping[str, Any]:
        given = self.project(name).inject(
            f"what needs a fresh cache of kind {self.chance.randrange(50)}", run=act
        )
        return {"given": list(given.injected), "withheld": list(given.withheld)}

    def recall(self, name: str, act: str) -> Mapping[str, Any]:
        memories = self.project(name)
        found = memories.recall(f"cache of kind {self.chance.randrange(50)}", limit=10)
        foreign = [hit.memory.id for hit in found.hits if hit.memory.project not in memories.scopes]
        return {"hits": len(found.hits), "foreign": foreign}

    def review(self, name: str, act: str) -> Mapping[str, Any] | None:
        if not self.known[name]:
            return None
        memories, id = self.project(name), self.chance.choice(self.known[name])
        if memories.get(id).state == "under_review":
            memories.review(id, "close", outcome="reinstate", reason=act)
        else:
            memories.review(id, "open", reason=act)
        return {"id": id}


def early(worker: Worker) -> None:
    """A planted mistake: what is added is acknowledged before it is committed."""
    from tacit.stores.postgres import PostgresTransaction

    commit_ = PostgresTransaction._commit

    def late(tx: PostgresTransaction) -> None:
        for project, id in tx.rows(
            "SELECT project, id FROM memory WHERE xmin::text::bigint = txid_current() % 4294967296"
        ):
            worker.note("ack", kind="add", act="", project=project, id=id)
        time.sleep(0.05)
        commit_(tx)

    PostgresTransaction._commit = late  # type: ignore[method-assign]


# -- the campaign ------------------------------------------------------------------------------------------------------


def prepare(server: Server, place: Path, names: list[str]) -> None:
    """A database, a user for each project, and the projects."""
    from tacit.app import open as open_memories
    from tacit.stores.postgres import close_pools, open_store

    with psycopg.connect(server.url(), autocommit=True) as admin:
        admin.execute("CREATE ROLE keeper LOGIN CREATEROLE")
        admin.execute("CREATE DATABASE team OWNER keeper")
    open_store(server.url("team", "keeper")).close()
    with psycopg.connect(server.url("team"), autocommit=True) as admin:
        for name in names:
            admin.execute(f"CREATE ROLE {name} LOGIN IN ROLE tacit_writer")
    env = {"HOME": str(place), "USER": "ada", "XDG_DATA_HOME": str(place / "data")}
    for name in names:
        with open_memories(
            server.url("team", name), project=name, env=env, cwd=str(place), by="ada", yes=True
        ) as memories:
            memories.add(f"In {name} nothing is cached on Mondays.")
        close_pools()


def campaign(
    place: Path,
    processes: int,
    projects: int,
    seconds: float,
    kills: int,
    settings: Mapping[str, str],
    fault: str = "",
) -> dict[str, Any]:
    """Work, kill, reckon."""
    folder = place / "server"
    folder.mkdir()
    names = [f"team{number:03d}" for number in range(projects)]
    with Server(str(folder), {**SETTINGS, **settings}) as server:
        prepare(server, place, names)
        plan = {"projects": names, "url": server.url("team", "USER")}
        (place / "plan").write_text(json.dumps(plan))
        args = [sys.executable, os.path.abspath(__file__), "--worker"]
        with (place / "errors").open("wb") as errors:
            working = [
                subprocess.Popen([*args, str(n), str(place), fault], stderr=errors)
                for n in range(processes)
            ]
        while len(list(place.glob("here-*"))) < processes and all(
            process.poll() is None for process in working
        ):
            time.sleep(0.1)
        began = time.time()
        (place / "going").write_text(str(began + seconds))
        (place / "going").rename(place / "go")
        for number in range(kills):
            time.sleep(
                max(
                    0.0,
                    began
                    + seconds * (number + 1) / (kills + 1)
                    + random.uniform(-1, 1)
                    - time.time(),
                )
            )
            server.kill()
            time.sleep(0.5)
            server.start()
            measure.log(f"killed and started again, {time.time() - began:.0f} s")
        ended = [process.wait(timeout=300) for process in working]
        spent = time.time() - began
        notes = [
            json.loads(line)
            for n in range(processes)
            for line in (place / f"notes-{n}").read_text().splitlines()
        ]
        failures = (
            [f"{sum(map(bool, ended))} processes failed: {(place / 'errors').read_text()[-1500:]}"]
            if any(ended)
            else []
        )
        if fault == "open":
            with psycopg.connect(server.url("team"), autocommit=True) as admin:
                admin.execute("ALTER TABLE tacit.tally DISABLE ROW LEVEL SECURITY")
        deadlocks = (folder / "log").read_text(errors="replace").count("deadlock detected")
        failures += [*kept(server, notes), *sound(server), *apart(server, names)]
    told = collections.Counter((note["what"], note["kind"]) for note in notes)
    refused = collections.Counter(
        f"{note['code']}: {note['said'].partition(': ')[2][:100]}"
        for note in notes
        if note["what"] == "refused"
    )
    return {
        "processes": processes,
        "projects": projects,
        "seconds": round(spent, 1),
        "kills": kills,
        "acknowledged": {kind: told["ack", kind] for kind in KINDS},
        "refused": dict(refused),
        "deadlocks": deadlocks,
        "writes a second": round(
            sum(told["ack", kind] for kind in ("add", "learn", "inject", "review")) / spent, 1
        ),
        "failures": failures,
    }


def kept(server: Server, notes: list[dict[str, Any]]) -> Iterator[str]:
    """What was acknowledged and is not there; what is there and nobody tried."""
    with psycopg.connect(server.url("team")) as admin:
        memories = dict(admin.execute("SELECT id, text FROM tacit.memory").fetchall())
        runs = {
            row[0]
            for row in admin.execute(
                "SELECT foreign_id FROM tacit.run WHERE learned_at <> ''"
            ).fetchall()
        }
        units = collections.Counter(
            row[0]
            for row in admin.execute(
                "SELECT r.foreign_id FROM tacit.use u JOIN tacit.run r ON r.id = u.unit"
            ).fetchall()
        )
        reasons = {
            row[0]
            for row in admin.execute(
                "SELECT payload::json ->> 0 FROM tacit.journal WHERE verb <> 'add'"
            ).fetchall()
        }
    said = " ".join(reasons)
    for note in notes:
        if note["what"] != "ack":
            continue
        kind, where = note["kind"], f"{note['act']} in {note['project']}"
        if kind == "add" and note["id"] not in memories:
            yield f"lost: the lesson {note['id']} of {where}"
        elif kind == "learn" and note["run"] not in runs:
            yield f"lost: the run of {where}"
        elif kind == "learn" and any(id not in memories for id in note["new"]):
            yield f"lost: a lesson of the run of {where}"
        elif kind == "inject" and units[note["act"]] != len(note["given"]) + len(note["withheld"]):
            yield f"lost: {len(note['given']) + len(note['withheld']) - units[note['act']]} uses of {where}"
        elif kind == "review" and note["act"] not in said:
            yield f"lost: the decision {where}"
        elif kind == "recall" and note["foreign"]:
            yield f"leak: {where} was given {note['foreign']}"
    tried = {note["act"] for note in notes}
    for id, text in memories.items():
        act = text.partition(" the step ")[2].partition(" ")[0]
        if act and act not in tried:
            yield f"unknown: nobody tried to write {id}, {text!r}"


def sound(server: Server) -> Iterator[str]:
    """What does not verify, seen by somebody who sees all."""
    from tacit.stores.check import check, rule_of
    from tacit.stores.postgres import close_pools, open_store

    with open_store(server.url("team")) as store:
        health = check(store, rule=rule_of(store))
        measure.log(f"checked {health.checked}")
        yield from (f"unsound: {fault.kind} {fault.id}: {fault.detail}" for fault in health.faults)
    close_pools()


def apart(server: Server, names: list[str]) -> Iterator[str]:
    """Rows of others that a project's user can see, change, add, find or admit himself to, by raw SQL."""
    with psycopg.connect(server.url("team")) as admin:
        ids = dict(admin.execute("SELECT name, id FROM tacit.project").fetchall())
        counts = {
            table: dict(
                admin.execute(f"SELECT project, count(*) FROM tacit.{table} GROUP BY 1").fetchall()
            )
            for table in TABLES
        }
        lesson = dict(
            admin.execute("SELECT project, min(id) FROM tacit.memory GROUP BY 1").fetchall()
        )
    for at, name in enumerate(names):
        own, other = ids[name], ids[names[at - 1]]
        with psycopg.connect(server.url("team", name), autocommit=True) as me:
            for table in TABLES:
                seen = dict(
                    me.execute(f"SELECT project, count(*) FROM tacit.{table} GROUP BY 1").fetchall()
                )
                if foreign := set(seen) - SHARED - {own}:
                    yield f"leak: {name} sees {table} rows of {len(foreign)} other projects"
                if seen.get(own, 0) != counts[table].get(own, 0):
                    yield f"hidden: {name} sees {seen.get(own, 0)} of its {counts[table].get(own, 0)} rows in {table}"
            if (
                foreign := {row[0] for row in me.execute("SELECT id FROM tacit.project").fetchall()}
                - SHARED
                - {own}
            ):
                yield f"leak: {name} sees {len(foreign)} other projects"
            for sql in attempts(own, other, lesson[other]):
                if gained := _gained(me, sql):
                    yield f"leak: {name} did {sql!r}: {gained}"


def attempts(own: str, other: str, lesson: str) -> list[str]:
    """What somebody might try. None may return a row or change one."""
    return [
        f"SELECT * FROM tacit.memory WHERE id = '{lesson}' OR true AND project = '{other}'",
        f"UPDATE tacit.memory SET text = 'mine' WHERE project = '{other}'",
        f"UPDATE tacit.memory SET project = '{other}' WHERE project = '{own}'",
        f"DELETE FROM tacit.memory WHERE project = '{other}'",
        f"INSERT INTO tacit.tally VALUES ('{lesson}', 'helped', '{other}', 1, '')",
        f"INSERT INTO tacit.counter VALUES ('{other}', '2026-01-01', 'x', 1)",
        f"DELETE FROM tacit.queue WHERE project = '{other}'",
        f"SELECT * FROM tacit.rows_weighed('{other}', ARRAY['cach', 'kind', 'monday'], 10, 10)",
        "SELECT it FROM unnest(tacit.indexed((SELECT max(n) FROM tacit.memory_fts))) AS t (it)",
        "SELECT * FROM tacit.memory_fts LIMIT 1",
        "SELECT * FROM tacit.memory_fts_0 LIMIT 1",
        "SELECT * FROM tacit.member LIMIT 1",
        f"SELECT value FROM tacit.meta WHERE strpos(key, '{other}') > 0",
        f"SELECT tacit.admit(session_user, '{other}', 3)",
        f"SELECT tacit.blank_entries('{lesson}')",
        "UPDATE tacit.journal SET by = 'mallory'",
        "DELETE FROM tacit.journal",
        "TRUNCATE tacit.journal",
        "ALTER TABLE tacit.memory DISABLE ROW LEVEL SECURITY",
        "SET ROLE keeper",
        "SET session_replication_role = replica",
        "SET row_security = off; SELECT * FROM tacit.memory LIMIT 1",
    ]


def _gained(me: psycopg.Connection[Any], sql: str) -> str:
    """What a statement brought its user; nothing where it was refused or touched nothing."""
    try:
        cursor = me.execute(sql)  # type: ignore[call-overload]
        rows = [row for row in cursor.fetchall() if any(row)] if cursor.description else []
        return (
            f"{len(rows)} rows"
            if rows
            else f"{cursor.rowcount} rows changed"
            if cursor.rowcount > 0 and not cursor.description
            else "done"
            if cursor.rowcount < 0 and not cursor.description
            else ""
        )
    except psycopg.Error:
        return ""


CONTROLS: dict[str, tuple[dict[str, str], str, int, str]] = {
    # What is planted: settings of the server, a fault of the program, kills, and how it must be told.
    "acknowledged before the server wrote it (synchronous_commit = off)": (
        {"synchronous_commit": "off", "wal_writer_delay": "10s"},
        "",
        1,
        "lost",
    ),
    "acknowledged before COMMIT": ({}, "early", 2, "lost"),
    "a table without row-level security": ({}, "open", 0, "leak"),
}


def controls() -> int:
    """Every planted mistake must be told."""
    missed = 0
    for what, (settings, fault, kills, word) in CONTROLS.items():
        place = Path(tempfile.mkdtemp(prefix="tacit-team-"))
        os.chmod(place, 0o755)
        try:
            found = campaign(place, 8, 10, 20, kills, settings, fault)
        finally:
            shutil.rmtree(place, ignore_errors=True)
        told = [failure for failure in found["failures"] if failure.startswith(word)]
        print(
            f"{'caught' if told else 'MISSED'}: {what}: {len(told)} times, as {told[0] if told else found['failures'][:3]!r}",
            flush=True,
        )
        Ledger("postgres").add({"control": what, "caught": bool(told), "times": len(told)})
        missed += not told
    return 1 if missed else 0


def main() -> int:
    if sys.argv[1:2] == ["--worker"]:
        place = Path(sys.argv[3])
        worker = Worker(int(sys.argv[2]), place, json.loads((place / "plan").read_text()))
        if sys.argv[4:5] == ["early"]:
            early(worker)
        worker.wait()
        worker.work()
        return 0
    parser = argparse.ArgumentParser()
    parser.add_argument("--processes", type=int, default=32)
    parser.add_argument("--projects", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--controls", action="store_true")
    args = parser.parse_args()
    if args.controls:
        return controls()
    place = Path(tempfile.mkdtemp(prefix="tacit-team-"))
    os.chmod(place, 0o755)
    try:
        found = campaign(place, args.processes, args.projects, args.seconds, args.kills, {})
    finally:
        shutil.rmtree(place, ignore_errors=True)
    Ledger("postgres").add(found)
    print(json.dumps({"commit": commit(), **found}, indent=1))
    return 1 if found["failures"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
