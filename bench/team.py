"""A team of 200 machines and a million lines on a real PostgreSQL, and what one more machine has to wait for.

    python bench/server.py python bench/team.py        # by the command line, as a person would; some minutes

Every lesson of the project was worded anew by every machine. Asked: how long a machine that was never here takes for its first sync,
what one signature costs, at what rate all lines are pulled, and when a mate's new line is there after a session's start and while the
worker runs. The lines are written into the server's table at once; all that is asked afterwards goes through `tacit`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from tacit.sync.line import Line, Push, written  # noqa: E402
from tacit.sync.postgres import Server  # noqa: E402
from tacit.sync.sign import signed  # noqa: E402
from tacit.sync.ssh import Keys  # noqa: E402
from tacit.testing import signed as as_person  # noqa: E402

MACHINES, PEOPLE, LESSONS = 200, 20, 5_000
PUSH = 1_000  # lines that a machine sent together
FRESH, NEWS = 2.0, 2.0  # seconds
ASKED = 20  # signatures whose cost is averaged
TACIT = [sys.executable, "-m", "tacit"]


class Person:
    """One login with a key of theirs, and a clone where one is wanted."""

    def __init__(self, folder: Path, name: str) -> None:
        self.home = folder / name
        self.home.mkdir()
        self.name, self.key, self.tree = name, str(self.home / "key"), self.home / "tree"
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.key)
        signers = str(folder / "allowed_signers")
        public = Path(f"{self.key}.pub").read_text()
        with open(signers, "a") as file:
            file.write(f"{name}@team {public}")
        place = {"HOME": str(self.home), "XDG_DATA_HOME": str(self.home / "data"), "USER": name}
        sync = {"TACIT_SYNC_KEY": self.key, "TACIT_SYNC_SIGNERS": signers}
        self.env = as_person({**place, **sync, "PATH": os.environ["PATH"]})

    @property
    def keys(self) -> Keys:
        return Keys(self.key, self.env["TACIT_SYNC_SIGNERS"], self.env)

    def clones(self, repository: Path) -> None:
        run("git", "clone", "-q", str(repository), str(self.tree))

    def tacit(self, *words: str, said: str = "") -> str:
        done = subprocess.run(
            [*TACIT, *words],
            cwd=self.tree,
            env=self.env,
            input=said,
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise SystemExit(f"tacit {' '.join(words)}: {done.returncode}: {done.stderr}")
        return done.stdout

    def has(self, text: str) -> bool:
        """Whether a lesson with these words is in the store."""
        path = next((self.home / "data").rglob("tacit.db"))
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as store:
            return bool(store.execute("SELECT 1 FROM lesson WHERE text = ?", (text,)).fetchone())


def run(*words: str, cwd: Path | None = None) -> None:
    """A program that must succeed."""
    subprocess.run(words, cwd=cwd, check=True, stdout=subprocess.DEVNULL)


def lines_of(machine: int, lessons: int) -> list[Line]:
    """What a machine said of every lesson; the last word on each lesson is another machine's."""
    said = []
    for n in range(1, lessons + 1):
        day = (machine + n) % MACHINES
        at = f"2026-{1 + day // 28:02}-{1 + day % 28:02}T10:{n // 60 % 60:02}:{n % 60:02}.000Z"
        text = (
            f"Wording {machine}: before step {n} of module{n % 97} run check{n % 389} --part {n}."
        )
        says = {"text": text, "kind": "fact", "about": f"module{n % 97}", "word": "session"}
        line = {"state": "active", "files": [], "extra": {}, **says}
        name = f"machine{machine:03}"
        who = f"person{machine % PEOPLE}"
        said.append(written(name, n, f"lesson{n:06}", at, who, line))
    return said


def rows_of(
    person: Person, project: str, machine: int, lessons: int
) -> Iterator[tuple[object, ...]]:
    """Its lines as rows, each push under its signature."""
    before, lines = "", lines_of(machine, lessons)
    for start in range(0, len(lines), PUSH):
        some = lines[start : start + PUSH]
        push = signed(person.keys, project, some[0].machine, some, before)
        assert isinstance(push, Push)
        before = push.head
        for line in some:
            last = push.body if line is some[-1] else ""
            yield project, line.machine, line.n, person.name, line.body, last


def filled(url: str, project: str, people: list[Person], machines: int, lessons: int) -> float:
    """Write all lines; seconds."""
    begun = time.monotonic()
    columns = "project, machine, number, author, body, signature"
    with psycopg.connect(url, autocommit=True) as admin:
        for machine in range(machines):
            with admin.cursor().copy(f"COPY tacit.line ({columns}) FROM STDIN") as copy:
                for row in rows_of(people[machine % PEOPLE], project, machine, lessons):
                    copy.write_row(row)
        admin.execute("ANALYZE tacit.line")
    return time.monotonic() - begun


def until(person: Person, text: str) -> float:
    """Seconds until a lesson is here."""
    begun = time.monotonic()
    while not person.has(text):
        if time.monotonic() - begun > 60:
            raise SystemExit(f"{text!r} was not heard of within a minute")
        time.sleep(0.02)
    return time.monotonic() - begun


def cost_of_a_signature(person: Person, project: str) -> float:
    """Seconds to tell whose push it is."""
    push = signed(person.keys, project, "m", lines_of(0, PUSH))
    assert push is not None
    begun = time.monotonic()
    for _ in range(ASKED):
        assert person.keys.verify(push.message(project), push.signature)
    return (time.monotonic() - begun) / ASKED


def news(keeper: Person, fresh: Person) -> tuple[float, float]:
    """Seconds until a mate's new line is here: after a session's start, and while the worker runs."""
    first, second = "Run make seed before the tests.", "Run make fixtures before the tests."
    keeper.tacit("add", first)
    keeper.tacit("sync")
    event = {"session_id": "s1", "cwd": str(fresh.tree), "hook_event_name": "SessionStart"}
    said = json.dumps({**event, "source": "startup"})
    fresh.tacit("hook", "session-start", "--host", "claude-code", said=said)
    at_start = until(fresh, first)
    keeper.tacit("add", second)
    keeper.tacit("sync")
    running = until(fresh, second)
    fresh.tacit("config", "pause", "1h")  # ends the worker
    return at_start, running


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--machines", type=int, default=MACHINES)
    parser.add_argument("--lessons", type=int, default=LESSONS)
    given = parser.parse_args()
    server = os.environ["TEST_POSTGRES"]
    bounds: dict[str, tuple[float, float]] = {}
    with tempfile.TemporaryDirectory(prefix="tacit-team-") as name:
        folder = Path(name)
        repository = folder / "repository"
        run("git", "init", "-q", "--template=", str(repository))
        who = ("-c", "user.name=ann", "-c", "user.email=ann")
        run("git", *who, "commit", "-q", "--allow-empty", "-m", "Begin", cwd=repository)
        people = [Person(folder, f"person{n}") for n in range(PEOPLE)]
        keeper, fresh = Person(folder, "keeper"), Person(folder, "fresh")
        with psycopg.connect(server, autocommit=True) as admin:
            for person in (*people, keeper, fresh):
                admin.execute(f"CREATE ROLE {person.name} LOGIN")
            admin.execute("CREATE DATABASE team OWNER keeper")
        url = {each.name: _address(server, each.name) for each in (keeper, fresh)}
        for person in (keeper, fresh):
            person.clones(repository)
            person.tacit("init", "--by", person.name, "--yes")
        keeper.tacit("sync", url["keeper"], "--yes")
        for person in (*people, fresh):
            keeper.tacit("sync", "--invite", person.name)
        with psycopg.connect(_address(server, "postgres"), autocommit=True) as admin:
            (project,) = admin.execute("SELECT DISTINCT project FROM tacit.member").fetchone()
        count = given.machines * given.lessons
        took = filled(_address(server, "postgres"), project, people, given.machines, given.lessons)
        print(f"{count:,} lines of {given.machines} machines written in {took:.0f} s", flush=True)
        each = cost_of_a_signature(people[0], project)
        begun = time.monotonic()
        told = fresh.tacit("sync", url["fresh"], "--owner", "keeper", "--yes")
        took = time.monotonic() - begun
        own = took - each * given.machines
        print(told.strip().splitlines()[-1])
        print(f"a fresh machine: {took:.1f} s, {each * 1000:.0f} ms a signature", flush=True)
        bounds["a fresh machine, its signatures apart"] = own, FRESH
        last = max((lines_of(n, 1)[0] for n in range(given.machines)), key=lambda line: line.at)
        assert fresh.has(last.says["text"])
        with closing(Server(url["fresh"], project.rpartition("/")[2], "keeper")) as carrier:
            begun = time.monotonic()
            told = sum(map(len, carrier.read({"somebody": 1}, "fresh").values()))
            took = time.monotonic() - begun
            print(f"all {told:,} lines and pushes pulled: {told / took:,.0f} a second")
        begun = time.monotonic()
        keeper.tacit("sync")
        print(f"the keeper's first sync: {time.monotonic() - begun:.1f} s", flush=True)
        at_start, running = news(keeper, fresh)
        bounds["a mate's line after a session's start"] = at_start, NEWS
        bounds["a mate's line while the worker runs"] = running, NEWS
    for what, (seconds, most) in bounds.items():
        print(
            f"{'ok ' if seconds <= most else 'OVER'} {what}: {seconds:.2f} s (at most {most:.0f})"
        )
    return int(any(seconds > most for seconds, most in bounds.values()))


def _address(server: str, login: str) -> str:
    named = re.sub(r"//[^@/]*@", f"//{login}@", server)
    return re.sub(r"(//[^/]*/)[^?]*", r"\g<1>team", named)


if __name__ == "__main__":
    raise SystemExit(main())
