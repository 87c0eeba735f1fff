"""A working day in half an hour: eight agents' hooks, the worker, tend, backups, a lister and a reader on one store.

It begins with a store of the size that a project has after some time, and its sessions meet the same fifty problems again
and again: what grows is runs, uses, evidence and journal, as in a steady state, and a leak would show. After some minutes of
warming up, medians of the last third are set against those of the first third: the hook's time and memory, the reader's memory,
the size of the write-ahead log. None may grow by more than a tenth. A hook's time is judged twice, each time beside an
interpreter that does nothing, started in the same moment (half of the time before the hook, half of the time after it):

- its seconds over the *processor's* seconds of that interpreter. A machine gets faster and slower by a quarter within half an
  hour, which the processor's seconds tell and this takes out. What a hook waits for, because our own worker, tend and backup
  have the processor or the store, stays in. Nothing else may run beside it.
- its seconds over the seconds of that interpreter, which takes out what others on the machine do, and what our own jobs do.

Noted beside them and not judged: plain seconds, the slowest hooks, the processor's time of both, how long each command takes.

    python bench/faults/soak.py --minutes 30
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from common import (
    ROOT,
    Ledger,
    command,
    commit,
    doctor,
    frozen_source,
    new_home,
    store_of,
    surroundings,
    tacit,
    transcript,
)

AGENTS = 8
MOST = 1.1
THINKING = 2.0  # seconds at most between two events of an agent
WAITED = "hook seconds over processor seconds of python -c pass"
JUDGED = (WAITED, "hook time over python -c pass", "hook memory", "reader memory", "log bytes")
SLOWEST = (0.95, 0.99)
LESSONS = 5_000
PATIENCE = 900.0  # seconds for a command beside eight agents on a machine that others use as well
PROBLEMS = 50
TENDED = 2000
# Written by the library in one transaction per thousand: through the command line it would take as long as the soak.
FILL = """
import sys
sys.path.insert(0, sys.argv[1])
from tacit.memory import open
from tacit.learn.correcting import add_many
from texts import Writer
writer = Writer(1)
with open() as memories:
    for _ in range(int(sys.argv[2]) // 1000):
        add_many(memories, (writer.lesson() for _ in range(1000)))
"""
READER = """
import resource, sys, time
from tacit.memory import open
end = time.monotonic() + float(sys.argv[1])
with open() as memories:
    while time.monotonic() < end:
        memories.lessons(limit=50, text="zebra")
        [line] = [l for l in __import__("builtins").open("/proc/self/status") if l.startswith("VmRSS")] if sys.platform == "linux" else ["VmRSS: 0"]
        print(time.time(), int(line.split()[1]), flush=True)
        time.sleep(0.2)
"""


class Soak:
    """Everything that goes on at once."""

    def __init__(self, home: Path, minutes: float) -> None:
        self.home, self.end = home, time.monotonic() + minutes * 60
        names = (
            WAITED,
            "hook time over python -c pass",
            "hook seconds",
            "hook processor seconds",
            "bare processor seconds",
            "hook memory",
            "log bytes",
            "store bytes",
        )
        self.samples: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
        self.wrong: list[str] = []
        self.counts: dict[str, int] = {}
        self.number = 1000

    def agent(self, which: int) -> None:
        """Sessions one after the other: a start, some prompts, a failure, the end."""
        rng = random.Random(which)
        while time.monotonic() < self.end:
            self.number += 1
            path = transcript(self.home, self.number, rng.randrange(PROBLEMS))
            session = path.stem
            common = {
                "session_id": session,
                "cwd": str(self.home / "work"),
                "transcript_path": str(path),
            }
            self.hook(
                "session-start", {**common, "hook_event_name": "SessionStart", "source": "startup"}
            )
            for n in range(rng.randint(1, 4)):
                self.hook(
                    "prompt",
                    {
                        **common,
                        "hook_event_name": "UserPromptSubmit",
                        "prompt": f"fix schema {rng.randrange(PROBLEMS)} of the tests, part {n}",
                    },
                )
                time.sleep(rng.uniform(0, THINKING))
            self.hook("session-end", {**common, "hook_event_name": "SessionEnd", "reason": "exit"})

    def hook(self, event: str, payload: dict[str, Any]) -> None:
        """One event, its time and its memory, and beside it an interpreter that does nothing."""
        before = self.number % 2
        bare = self.bare() if before else None
        peak = self.home / f"peak-{threading.get_ident()}"
        began = time.monotonic()
        done = subprocess.Popen(
            command("hook", event, fault=f"peak={peak}"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self.home / "work",
            env=surroundings(self.home),
        )
        assert done.stdin and done.stdout and done.stderr
        done.stdin.write(json.dumps(payload).encode())
        done.stdin.close()
        out, err = done.stdout.read(), done.stderr.read()
        status, used = _ended(done)
        done.stdout.close()
        done.stderr.close()
        now = time.monotonic()
        seconds, processor = bare or self.bare()
        self.samples["hook processor seconds"].append((now, used))
        self.samples["hook time over python -c pass"].append((now, (now - began) / seconds))
        self.samples[WAITED].append((now, (now - began) / processor))
        self.samples["hook seconds"].append((now, now - began))
        for name in (
            "hook memory",
            f"hook memory, {event}",
            "hook memory, it spoke" if out else "hook memory, it was silent",
        ):
            self.samples.setdefault(name, []).append((now, float(peak.read_text())))
        self.count("hooks", 1)
        self.count("hooks that spoke", int(bool(out)))
        if status or b"Traceback" in err:
            self.wrong.append(f"hook {event}: {status} {err[-200:]!r}")

    def bare(self) -> tuple[float, float]:
        """Seconds of an interpreter that does nothing, and those of the processor."""
        began = time.monotonic()
        status, used = _ended(
            subprocess.Popen(
                [sys.executable, "-c", "pass"], cwd=self.home / "work", env=surroundings(self.home)
            )
        )
        assert not status
        now = time.monotonic()
        self.samples["bare processor seconds"].append((now, used))
        return now - began, used

    def count(self, name: str, by: int) -> None:
        """Add to a count."""
        self.counts[name] = self.counts.get(name, 0) + by

    def every(self, seconds: float, *args: str) -> None:
        """A command again and again."""
        while time.monotonic() < self.end:
            began = time.monotonic()
            try:
                done = tacit(self.home, *args, patience=PATIENCE)
            except subprocess.TimeoutExpired:
                self.wrong.append(f"{args} did not end within {PATIENCE:.0f} seconds")
                continue
            self.count(args[0], 1)
            if not done.returncode:
                self.samples.setdefault(f"{args[0]} seconds", []).append(
                    (time.monotonic(), time.monotonic() - began)
                )
            if (
                args[:2] == ("data", "backup") and done.returncode == 4
            ):  # the worker is making one, and it says so
                self.count("backup while another was made", 1)
            elif done.returncode or "Traceback" in done.stderr:
                self.wrong.append(
                    f"{args}: {done.returncode} {done.stdout[-200:]} {done.stderr[-200:]}"
                )
            time.sleep(seconds)

    def watch(self) -> None:
        """The size of the store and of its log."""
        store = store_of(self.home)
        while time.monotonic() < self.end:
            for name, path in (("store bytes", store), ("log bytes", Path(f"{store}-wal"))):
                self.samples[name].append(
                    (time.monotonic(), float(path.stat().st_size if path.exists() else 0))
                )
            time.sleep(0.25)


def _ended(process: subprocess.Popen[bytes]) -> tuple[int, float]:
    """How a process ended, and the processor's time it took."""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, used.ru_utime + used.ru_stime


def thirds(
    samples: list[tuple[float, float]], end: float, length: float, share: float = 0.5
) -> tuple[float, float]:
    """Medians of the first and of the last third of the time after the warm-up; or what another share of them stays below."""
    first = [amount for at, amount in samples if end - length <= at <= end - length * 2 / 3]
    last = [amount for at, amount in samples if at >= end - length / 3]
    return (_quantile(first, share), _quantile(last, share)) if first and last else (0.0, 0.0)


def _quantile(amounts: list[float], share: float) -> float:
    return (
        statistics.median(amounts) if share == 0.5 else sorted(amounts)[int(len(amounts) * share)]
    )


def main() -> int:
    """Run it and note the result."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument(
        "--warm-up", type=float, default=3.0, help="minutes before the first third begins"
    )
    parser.add_argument("--lessons", type=int, default=LESSONS)
    args = parser.parse_args()
    every = args.warm_up + args.minutes
    frozen_source()
    commit()  # of what is run, whatever is committed meanwhile
    place = Path(tempfile.mkdtemp(prefix="tacit-soak-"))
    home = new_home(place)
    tacit(home, "init")
    fill = [sys.executable, "-c", FILL, str(ROOT / "bench"), str(args.lessons)]
    subprocess.run(fill, check=True, cwd=home / "work", env=surroundings(home))
    for n in range(PROBLEMS):
        tacit(home, "learn", "--as", "ann", str(transcript(home, n)))
    # a tend compares so many at a time: none is left for the soak to begin with
    for _ in range(args.lessons // TENDED + 1):
        tacit(home, "origin", "tend", patience=3600)
    soak = Soak(home, every)
    reader = subprocess.Popen(
        [sys.executable, "-c", READER, str(every * 60)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=home / "work",
        env=surroundings(home),
    )
    jobs = [threading.Thread(target=soak.agent, args=(n,)) for n in range(AGENTS)]
    commands = (
        (1.0, "worker", "--now"),
        (15.0, "tend"),
        (60.0, "data", "backup"),
        (10.0, "list", "--json"),
    )
    jobs += [threading.Thread(target=soak.every, args=each) for each in commands] + [
        threading.Thread(target=soak.watch)
    ]
    for job in jobs:
        job.start()
    read = [(float(at), float(size)) for at, size in (line.split() for line in reader.stdout or ())]
    for job in jobs:
        job.join()
    reader.wait()
    soak.samples["reader memory"] = [
        (at - time.time() + time.monotonic(), size) for at, size in read
    ]
    health = doctor(home)
    found: dict[str, Any] = {}
    failures = list(soak.wrong)
    for name, samples in soak.samples.items():
        a, b = thirds(samples, soak.end, args.minutes * 60)
        found[name] = {
            "first third": round(a, 4),
            "last third": round(b, 4),
            "ratio": round(b / a, 3) if a else None,
        }
        if name in JUDGED and not (a and b / a <= MOST):
            failures.append(f"{name} grew from {a:g} to {b:g}")
    for share in SLOWEST:
        a, b = thirds(soak.samples["hook seconds"], soak.end, args.minutes * 60, share)
        found[f"hook seconds, {share:.0%} are faster"] = {
            "first third": round(a, 4),
            "last third": round(b, 4),
        }
    if not health["sound"]:
        failures.append(f"doctor: {health['faults'][:3]}")
    told = {
        "minutes": args.minutes,
        "warm-up": args.warm_up,
        "lessons": args.lessons,
        **soak.counts,
        **found,
        "checked": health.get("checked"),
        "failures": failures[:20],
    }
    print(json.dumps(Ledger("soak").add(told), indent=1))
    shutil.rmtree(place, ignore_errors=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
