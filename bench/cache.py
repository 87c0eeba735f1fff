"""A store on PostgreSQL as hooks see it: what the cache costs, and whether anything is lost or doubled between it and a real server.

    python bench/cache.py                          # all parts
    python bench/cache.py --only kills --points 200

speed     hook and inject with a cache of 10,000 and 100,000 lessons and no server at all, beside a file of the same lessons
away      the server is stopped, hooks go on, it comes back, everything is there once
kills     kill -9 of the worker while it carries and fetches, at so many points: before each of its statements here in turn, and at random times
crashes   kill -9 of the server under the worker, and recovery

The server is our own (bench/server.py). The result goes to bench/results/; the exit code is 1 if something did not hold.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

from measure import Spent, Table, dated, interpreter, log, nice, over_floor, run, surroundings
from server import Server
from speed import hooked, injected, some_texts
from stores import PROJECT, cache, environment, fresh, opened
from tacit.app import data_folder
from tacit.app import open as open_memories
from tacit.stores.cache import CACHE_ERROR, CACHE_TRIED, open_cache
from tacit.stores.check import check
from tacit.stores.replicate import CLOSED, cache_status, in_step
from texts import Writer

NOWHERE = "postgresql://bench@nowhere.invalid/team"
TACIT = os.path.join(os.path.dirname(sys.executable), "tacit")
TASK = "the tests fail before migrate"
TABLES = {
    "run": "id, root",
    "use": "unit, memory, arm, probability, at",
    "use_mark": "unit, memory, signal, value, at",
    "injection": "event, unit, given, withheld, at",
}
OURS = {
    "TACIT_NO_WORKER": "1",
    **{name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ},
}
EACH = 4  # sessions that are given something before each kill


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--points", type=int, default=200)
    parser.add_argument("--crashes", type=int, default=5)
    parser.add_argument("--only", default="", help="parts by name, separated by commas")
    parser.add_argument("--out", default=dated("cache"))
    args = parser.parse_args()
    nice()
    table = Table()
    wanted = args.only.split(",") if args.only else ["speed", "away", "kills", "crashes"]
    if "speed" in wanted:
        speed(table, args.rounds)
    if {"away", "kills", "crashes"} & set(wanted):
        place = os.path.join(cache(), "cache-server")
        shutil.rmtree(place, ignore_errors=True)
        os.makedirs(place)
        with Server(place) as server:
            if "away" in wanted:
                away(table, server)
            if "kills" in wanted:
                kills(table, server, args.points)
            if "crashes" in wanted:
                crashes(table, server, args.crashes)
        shutil.rmtree(place, ignore_errors=True)
    with open(args.out, "w", encoding="utf-8") as file:
        file.write(
            f"# Hooks with a store on PostgreSQL\n\n`python bench/cache.py {' '.join(sys.argv[1:])}` · {surroundings()}\n\n{table.markdown()}"
        )
    return 0 if table.held else 1


def speed(table: Table, rounds: int) -> None:
    """A fresh process to the printed and recorded answer, against an interpreter that does nothing; no server is there at all."""
    for size in [
        int(size) for size in os.environ.get("TACIT_BENCH_SIZES", "10000,100000").split(",")
    ]:
        path = fresh(size, "cache")
        folder = os.path.dirname(path)
        env = {**environment(folder), **OURS, "TACIT_PROJECT": PROJECT}
        with opened(path) as far, open_cache(NOWHERE, data_folder(env), create=True) as near:
            begun = time.process_time()
            in_step(near, far.store, only=(far.project_id,))
            in_step(near, far.store)
            lessons = near.one("SELECT count(*) FROM memory")[0]
            table.tell(
                f"the first fetch of a project of {lessons:,} lessons, both sides",
                f"{time.process_time() - begun:.1f} s of CPU",
            )
            table.tell(
                f"a cache of {lessons:,} lessons, bytes a lesson", f"{near.size() / lessons:,.0f}"
            )
        prompts = [Writer(5).prompt(text) for text in some_texts(path, rounds + 1)]
        floor = interpreter(sys.executable, env)
        for name, command in (("inject", injected), ("hook prompt", hooked)):
            ratio, _ = over_floor(command({**env, "TACIT_STORE": NOWHERE}, prompts), floor, rounds)
            beside, _ = over_floor(command({**env, "TACIT_STORE": path}, prompts), floor, rounds)
            table.at_most(
                f"tacit {name} on a server's cache, {size:,} lessons (the same file as a store: {beside:.2f}x)",
                ratio,
                4,
            )
        ratio, _ = over_floor(
            starting(env, hooked({**env, "TACIT_STORE": NOWHERE, "TACIT_NO_WORKER": ""}, prompts)),
            floor,
            rounds,
        )
        table.at_most(f"tacit hook prompt that starts a worker, {size:,} lessons", ratio, 4)
        shutil.rmtree(folder, ignore_errors=True)  # the last worker may still be leaving


def starting(env: dict[str, str], hook: Callable[[int], Spent]) -> Callable[[int], Spent]:
    """A hook that finds that nobody has carried for a while."""

    def ask(n: int) -> Spent:
        with open_cache(NOWHERE, data_folder(env)) as near, near.write() as tx:
            tx.put_meta(CACHE_TRIED, "")
            tx.put_meta(CACHE_ERROR, "")
        return hook(n)

    return ask


class Machine:
    """A data folder, and what its hooks do."""

    def __init__(self, url: str, name: str) -> None:
        self.folder = os.path.join(cache(), "work", name)
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.env = {**environment(self.folder), **OURS, "TACIT_PROJECT": "team", "TACIT_STORE": url}
        self.sessions = 0

    def __call__(self, *args: str) -> Any:
        return json.loads(run([TACIT, *args, "--json"], self.env, cwd=self.folder).out)["data"]

    def works(self, sessions: int) -> None:
        """Sessions that are given something, from the cache alone."""
        with open_memories(
            env=self.env, cwd=self.folder, local_only=True, create=False
        ) as memories:
            for _ in range(sessions):
                self.sessions += 1
                memories.inject(TASK, run=f"s{self.sessions}", surface="hook:prompt")
                memories.recall(
                    "migrate", run=f"s{self.sessions}", limit=2
                )  # told on request: marks

    def meanwhile(self, text: str) -> None:
        """Somebody on another machine adds a lesson and takes the one before it out."""
        with open_memories(
            env={**self.env, "XDG_DATA_HOME": self.folder + "-other"}, cwd=self.folder
        ) as far:
            far.add(text, kind="rule")
            far.forget(far.list(limit=2)[1].id)

    def carries(self, *args: str) -> subprocess.Popen[bytes]:
        """A worker that carries and fetches; it says when it begins and when it is done."""
        return subprocess.Popen(
            [sys.executable, "-c", _CARRIES, *args],
            env=self.env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.folder,
        )

    def verdict(self) -> str:
        """What was lost, doubled or differs between the two sides; empty where nothing is."""
        with (
            open_memories(env=self.env, cwd=self.folder) as far,
            open_cache(self.env["TACIT_STORE"], data_folder(self.env)) as near,
        ):
            faults = [f"{len(check(far.store).faults)} faults"] if check(far.store).faults else []
            if cache_status(near)["outbox"]:
                faults.append(f"{cache_status(near)['outbox']} rows wait")
            for table, columns in TABLES.items():
                here, there = (
                    Counter(
                        tuple(map(str, row)) for row in store.rows(f"SELECT {columns} FROM {table}")
                    )
                    for store in (near, far.store)
                )
                if here != there:
                    faults.append(
                        f"{table}: {(here - there).total()} lost, {(there - here).total()} too many"
                    )
            every = {memory.id: memory for memory in far.store.select([far.project_id], limit=-1)}
            live = [memory for id, memory in sorted(every.items()) if memory.state not in CLOSED]
            if near.memories(sorted(every)) != live:
                faults.append("the copy differs")
            if len({row[0] for row in near.rows("SELECT unit FROM injection")}) != self.sessions:
                faults.append("a session is missing here")
        return ", ".join(faults)


_CARRIES = """
import os, sys
import apsw
left = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 40

def count(*_):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), 9)
    return True

from tacit.app import data_folder
from tacit.stores.cache import open_cache
from tacit.stores.replicate import in_step
from tacit.stores.postgres import open_store
url = os.environ["TACIT_STORE"]
with open_store(url) as far, open_cache(url, data_folder(os.environ)) as near:
    near._connection.set_exec_trace(count)
    before = left
    print("begun", flush=True)
    in_step(near, far)
    print(before - left, flush=True)
"""


def begun(server: Server, name: str, lessons: int) -> Machine:
    """A machine with a project of its own on the server, and its cache."""
    import psycopg

    with psycopg.connect(server.url(), autocommit=True) as admin:
        admin.execute(f"CREATE ROLE {name} LOGIN CREATEROLE")
        admin.execute(f"CREATE DATABASE {name} OWNER {name}")
    machine = Machine(server.url(name, name), name)
    with open_memories(env=machine.env, cwd=machine.folder) as memories:
        memories.add_many(
            {"text": f"Run make migrate before the tests of part {n}.", "kind": "fix"}
            for n in range(lessons)
        )
    machine("init")
    return machine


def away(table: Table, server: Server) -> None:
    machine = begun(server, "away", 20)
    server.stop()
    floor = interpreter(sys.executable, machine.env)

    def hook(_: int) -> Any:
        machine.sessions += 1
        said = {
            "session_id": f"h{machine.sessions}",
            "hook_event_name": "UserPromptSubmit",
            "cwd": machine.folder,
            "prompt": TASK,
            "transcript_path": "",
        }
        return run(
            [TACIT, "hook", "prompt"], machine.env, json.dumps(said).encode(), machine.folder
        )

    answered = []
    ratio, _ = over_floor(
        lambda n: (answered.append(bool((spent := hook(n)).out)), spent)[1], floor, 15
    )
    table.at_most("tacit hook prompt while the server is stopped", ratio, 4)
    table.add(
        "hooks that answered while the server was stopped",
        "all",
        f"{sum(answered)} of {len(answered)}",
        all(answered),
    )
    server.start()
    for _ in range(2):
        machine("worker", "--now")
    table.add(
        "after it is back: lost, doubled or different",
        "nothing",
        machine.verdict() or "nothing",
        not machine.verdict(),
    )


def kills(table: Table, server: Server, points: int) -> None:
    machine, chance = begun(server, "kills", 20), random.Random(7)
    machine.works(EACH)
    whole, statements = _whole(machine)
    hit = 0
    for point in range(points):
        machine.works(EACH)
        machine.meanwhile(f"The tests of part {point} want a database before migrate.")
        if point % 2:
            hit += _killed(machine.carries(), chance.uniform(0, whole))
        else:
            hit += _killed(machine.carries(str(statements * point // points)), None)
    _whole(machine)
    table.add(
        f"kill -9 of the worker at {points} points ({hit} of them in the middle), {machine.sessions} sessions: lost, doubled or different",
        "nothing",
        machine.verdict() or "nothing",
        not machine.verdict(),
    )


def _whole(machine: Machine) -> tuple[float, int]:
    """One undisturbed pass: its seconds and its statements here."""
    child = machine.carries()
    assert child.stdout is not None
    child.stdout.readline()
    start = time.perf_counter()
    said = child.stdout.readline()
    if child.wait():
        raise RuntimeError(child.communicate()[1].decode())
    return time.perf_counter() - start, int(said)


def _killed(child: subprocess.Popen[bytes], after: float | None) -> bool:
    """Kill it some time after it began, unless it does so itself; whether it was in the middle."""
    assert child.stdout is not None
    child.stdout.readline()
    if after is not None:
        time.sleep(after)
        child.send_signal(signal.SIGKILL)
    code = child.wait()
    if code not in (0, -9):
        raise RuntimeError(child.communicate()[1].decode())
    return code == -9


def crashes(table: Table, server: Server, times: int) -> None:
    machine, chance = begun(server, "crashes", 20), random.Random(7)
    machine.works(EACH)
    whole = statistics.median(_whole(machine)[0] for _ in range(3))
    for _ in range(times):
        machine.works(10 * EACH)
        child = machine.carries()
        assert child.stdout is not None
        child.stdout.readline()
        time.sleep(chance.uniform(0, 3 * whole))
        server.kill()
        child.wait()
        server.start()
    _whole(machine)
    table.add(
        f"kill -9 of the server under the worker, {times} times, {machine.sessions} sessions: lost, doubled or different",
        "nothing",
        machine.verdict() or "nothing",
        not machine.verdict(),
    )


if __name__ == "__main__":
    log("hooks with a store on PostgreSQL")
    raise SystemExit(main())
