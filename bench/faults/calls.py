"""SIGKILL, EIO and ENOSPC at every system call on the store's files, one at a time (strace).

A first run counts the calls that a command makes on the store, its log and its shared memory; then the command is run
once per call and fault. It must end in one of two ways: it says that it is done and the lesson is there, or it fails
with a message, without a traceback, and nothing is there. Afterwards, without the fault, everything verifies and the
next command works.

    python bench/faults/calls.py --points 1000000
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

from common import campaign, command, new_home, store_of, surroundings, tacit

FAULTS = ("signal=SIGKILL", "error=EIO", "error=ENOSPC")
COMMANDS = {
    "add": ("add", "a lesson under fault", "--json"),
    "inject": ("inject", "--task", "what to do before the tests", "--run", "r1", "--json"),
    "list": ("list", "--json"),
    "backup": ("backup", "--json"),
}
SHARE = 40  # faults a batch


def traced(home: Path, args: tuple[str, ...], inject: str = "") -> tuple[subprocess.CompletedProcess[str], str]:
    """A command under strace, watching only calls that touch the store."""
    store = str(store_of(home))
    trace = home / "trace"
    watched = [word for end in ("", "-wal", "-shm") for word in ("-P", store + end)]
    argv = ["strace", "-f", "-qq", *watched, "-o", str(trace), *(["-e", f"inject={inject}"] if inject else []), *command(*args)]
    done = subprocess.run(argv, capture_output=True, text=True, cwd=home / "work", env=surroundings(home), timeout=120)
    return done, trace.read_text(errors="replace")


def prepared(place: Path) -> Path:
    """A home whose store has a lesson and, as after a crash, a log that was not folded back."""
    home = new_home(place)
    tacit(home, "init")
    tacit(home, "add", "Run make migrate before the tests.")
    tacit(home, "backup")
    return home


def points(place: Path) -> list[tuple[str, str, str, int]]:
    """Every (command, fault, call, which one)."""
    found = []
    for name, args in COMMANDS.items():
        home = prepared(place / f"count-{name}")
        _, trace = traced(home, args)
        counts: dict[str, int] = {}
        for call in re.findall(r"^\d+ +(\w+)\(", trace, re.M):
            counts[call] = counts.get(call, 0) + 1
        for call, n in counts.items():
            for which in range(1, n + 1):
                found += [(name, fault, call, which) for fault in FAULTS if _makes_sense(fault, call)]
    return found


def _makes_sense(fault: str, call: str) -> bool:
    """A full disk is told by calls that need room; closing and unmapping are not told anything."""
    if fault == "error=ENOSPC":
        return call in ("pwrite64", "write", "ftruncate", "fallocate", "openat", "mmap", "fdatasync", "fsync")
    return fault != "error=EIO" or call not in ("munmap", "close")


# One process looks at what a fault left behind: what the doctor says, what is there, and whether the next write works.
AFTER = """
import json, sys
from tacit.app import open
with open() as memories:
    faults = [str(f) for f in memories.health().health.faults][:2]
    there = [m.text for m in memories.list(archived=True)]
    memories.add("a lesson after the fault")
    after = "a lesson after the fault" in [m.text for m in memories.list()]
print(json.dumps([faults, there, after]))
"""


def once(home: Path, point: tuple[str, str, str, int]) -> list[str]:
    """One command with one fault, and the reckoning, in a prepared home that is put back each time."""
    name, fault, call, which = point
    model = home.with_name("model")
    if not model.exists():
        shutil.copytree(home, model)
    shutil.rmtree(home)
    shutil.copytree(model, home)  # at the same place: a project is known by its path
    began = time.monotonic()
    done, _ = traced(home, COMMANDS[name], f"{call}:{fault}:when={which}")
    wrong = []
    if "Traceback" in done.stderr:
        wrong.append("traceback: " + done.stderr.strip().splitlines()[-1][:200])
    if time.monotonic() - began > 100:  # a lock that cannot be given back looks like a busy store: 60 s of patience
        wrong.append("took more than 100 seconds")
    try:
        told = json.loads(done.stdout)
    except ValueError:
        told = None
    after = subprocess.run([sys.executable, "-c", AFTER], capture_output=True, text=True, cwd=home / "work", env=surroundings(home), timeout=120)
    try:
        faults, there, works = json.loads(after.stdout)
    except ValueError:
        return [f"{name} {call} {which} {fault}: the store cannot be used afterwards: {after.stderr[-300:]}"]
    if faults:
        wrong.append(f"doctor: {faults}")
    if not works:
        wrong.append("the next lesson was not kept")
    kept = "a lesson under fault" in there
    if name == "add" and told and told["ok"] and not kept:
        wrong.append("acknowledged, but not there")
    if name == "add" and told and not told["ok"] and kept:
        wrong.append("said that it failed, but it is there")
    return [f"{name} {call} {which} {fault}: {each}" for each in wrong]


def batch(seed: int, place: Path, share: int = SHARE, every: int = 1) -> dict[str, Any]:
    """The next share of the points; when all are done, nothing is left to do."""
    todo = points(place)[::every]
    mine = todo[(seed - 1) * share : seed * share]
    failures: list[str] = []
    home = prepared(place / "at")
    for point in mine:
        failures += once(home, point)
    return {"calls": len(mine) or 1_000_000, "of": len(todo), "failures": failures[:40]}


if __name__ == "__main__":
    sys.exit(campaign("calls", batch, "calls", 1_000_000))
