"""SIGKILL, EIO and ENOSPC at every system call on the store's files, one at a time (strace).

A first run counts the calls that a command makes on the store, its log and its shared memory; then the command is run
once per call and fault. It must end in one of two ways: it says that it is done and what it was to do is done, or it
fails with a message, without a traceback, and nothing of it is there. Afterwards, without the fault, everything verifies
and the next command works.

    python bench/faults/calls.py [--only tend]
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from common import campaign, command, new_home, store_of, surroundings, tacit, taken, transcript

FAULTS = ("signal=SIGKILL", "error=EIO", "error=ENOSPC")
COMMANDS = {
    "add": ("add", "a lesson under fault", "--json"),
    "inject": ("inject", "--task", "what to do before the tests", "--run", "r1", "--json"),
    "list": ("list", "--json"),
    "backup": ("data", "backup", "--json"),
    "learn": ("learn", "../00000001-0000-4000-8000-000000000000.jsonl", "--as", "ann", "--json"),
    "tend": ("origin", "tend", "--run", "tended", "--json"),
    "restore": ("data", "restore", "--by", "ada", "--yes", "--json"),
}
LATER = "a lesson later than the backup"
SHARE = 40  # faults a batch
# seconds: a lock that cannot be given back looks like a busy store, and a tend waits for it twice, 60 s each time
LONGEST = 200


def traced(
    home: Path, args: tuple[str, ...], inject: str = "", fault: str = ""
) -> tuple[subprocess.CompletedProcess[str], str]:
    """A command under strace, watching only calls that touch the store."""
    store = str(store_of(home))
    trace = home / "trace"
    watched = [word for end in ("", "-wal", "-shm") for word in ("-P", store + end)]
    argv = [
        "strace",
        "-f",
        "-qq",
        *watched,
        "-o",
        str(trace),
        *(["-e", f"inject={inject}"] if inject else []),
        *command(*args, fault=fault),
    ]
    done = subprocess.run(
        argv,
        capture_output=True,
        text=True,
        cwd=home / "work",
        env=surroundings(home),
        timeout=LONGEST + 60,
    )
    return done, trace.read_text(errors="replace")


def prepared(place: Path) -> Path:
    """A home whose store has a lesson, a backup, and a lesson that came later."""
    home = new_home(place)
    transcript(home, 1)
    tacit(home, "init")
    tacit(home, "add", "Run make migrate before the tests.")
    tacit(home, "data", "backup")
    tacit(home, "add", LATER)
    return home


def points(place: Path) -> list[tuple[str, str, str, int]]:
    """Every (command, fault, call, which one)."""
    found = []
    home = prepared(place / "count")
    for name, args in COMMANDS.items():
        _put_back(home)
        _, trace = traced(home, args)
        counts: dict[str, int] = {}
        for call in re.findall(r"^\d+ +(\w+)\(", trace, re.M):
            counts[call] = counts.get(call, 0) + 1
        for call, n in counts.items():
            for which in range(1, n + 1):
                found += [
                    (name, fault, call, which) for fault in FAULTS if _makes_sense(fault, call)
                ]
    return found


def _makes_sense(fault: str, call: str) -> bool:
    """A full disk is told by calls that need room; closing and unmapping are not told anything."""
    if fault == "error=ENOSPC":
        return call in (
            "pwrite64",
            "write",
            "ftruncate",
            "fallocate",
            "openat",
            "mmap",
            "fdatasync",
            "fsync",
        )
    return fault != "error=EIO" or call not in ("munmap", "close")


def _put_back(home: Path) -> None:
    """The home as it was prepared, at the same place: a project is known by its path."""
    model = home.with_name("model")
    if not model.exists():
        shutil.copytree(home, model)
    shutil.rmtree(home)
    shutil.copytree(model, home)


# One process looks at what a fault left behind: what the doctor says, what is there, and whether the next write works.
AFTER = """
import json, sys
from tacit.learn.queries import health
from tacit.memory import open
with open() as memories:
    faults = [str(f) for f in health(memories).health.faults][:2]
    there = [m.text for m in memories.lessons(gone=True)]
    there += [f"run {f}" for f, n in memories.store.rows("SELECT name, CASE WHEN learned_at <> '' OR name = 'r1' THEN 1 ELSE number END FROM session") if n]
    findings = memories.store.one("SELECT count(*) FROM evidence WHERE measure = 'note:finding'")[0]
    memories.add("a lesson after the fault")
    after = "a lesson after the fault" in [m.text for m in memories.lessons()]
print(json.dumps([faults, there, findings, after]))
"""


def once(home: Path, point: tuple[str, str, str, int], mistake: str = "") -> list[str]:
    """One command with one fault, and the reckoning, in a prepared home that is put back each time."""
    name, fault, call, which = point
    _put_back(home)
    began = time.monotonic()
    done, _ = traced(home, COMMANDS[name], f"{call}:{fault}:when={which}", mistake)
    wrong = []
    if "Traceback" in done.stderr:
        wrong.append("traceback: " + done.stderr.strip().splitlines()[-1][:200])
    if time.monotonic() - began > LONGEST:
        wrong.append(f"took more than {LONGEST} seconds")
    try:
        answer = json.loads(done.stdout)
        told = answer["ok"] and (name != "inject" or bool(answer["data"]["injected"]) or None)
    except ValueError:
        told = None  # it died, or gave nothing
    after = subprocess.run(
        [sys.executable, "-c", AFTER],
        capture_output=True,
        text=True,
        cwd=home / "work",
        env=surroundings(home),
        timeout=120,
    )
    try:
        faults, there, findings, works = json.loads(after.stdout)
    except ValueError:
        return [
            f"{name} {call} {which} {fault}: the store cannot be used afterwards: {after.stderr[-300:]}"
        ]
    if faults:
        wrong.append(f"doctor: {faults}")
    if not works:
        wrong.append("the next lesson was not kept")
    if "Run make migrate before the tests." not in there:
        wrong.append("an old lesson is gone")
    wrong += _judged(name, told, there, findings)
    wrong += _tended_again(home) if name == "tend" else []
    return [f"{name} {call} {which} {fault}: {each}" for each in wrong]


def _judged(name: str, told: bool | None, there: list[str], findings: int) -> list[str]:
    """Whether what was said is so; `told` is None where nothing was said."""
    is_done = {
        "add": "a lesson under fault" in there,
        "inject": "run r1" in there,
        "learn": "run 00000001-0000-4000-8000-000000000000" in there,
        "tend": "run tended" in there,
        "restore": LATER not in there,
    }.get(name)
    if name != "restore" and LATER not in there:
        return ["the later lesson is gone"]
    if told is True and is_done is False:
        return ["acknowledged, but not there"]
    if (
        told is False and is_done is True and name != "tend"
    ):  # which is many small transactions: see below
        return ["said that it failed, but it is there"]
    if name == "learn" and is_done != bool(findings):
        return [f"learned in part: {findings} findings"]
    return []


def _tended_again(home: Path) -> list[str]:
    """A tend that failed halfway has counted its run or has not; the next one ends well, and the run is counted once."""
    done = tacit(home, "origin", "tend", "--run", "tended", "--json")
    counted = "import apsw, sys; print(*apsw.Connection(sys.argv[1]).execute('SELECT max(sessions), (SELECT max(number) FROM session) FROM project').fetchall()[0])"
    told = subprocess.run(
        [sys.executable, "-c", counted, str(store_of(home))], capture_output=True, text=True
    ).stdout.split()
    return (
        []
        if done.returncode == 0 and told == ["1", "1"]
        else [f"tend again: {done.returncode}, counted {told}: {done.stderr[-200:]}"]
    )


def batch(
    seed: int, place: Path, share: int = SHARE, every: int = 1, only: str = ""
) -> dict[str, Any]:
    """The next share of the points, of one command or of all; when all are done, nothing is left to do."""
    todo = [point for point in points(place) if not only or point[0] == only][::every]
    mine = todo[(seed - 1) * share : seed * share]
    failures: list[str] = []
    home = prepared(place / "at")
    for point in mine:
        failures += once(home, point)
    return {
        **({"only": only} if only else {}),
        "calls": len(mine),
        "of": len(todo),
        "last": seed * share >= len(todo),
        "failures": failures[:40],
    }


if __name__ == "__main__":
    sys.exit(campaign("calls", batch, "calls", 1_000_000, **taken("--only")))
