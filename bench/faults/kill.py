"""kill -9 at random points of sixteen writers that work on one store: add, learn, inject.

Standard output goes to files, so what a process acknowledged is known after its death. Every acknowledged write must be
there, every write found must have been acknowledged or in flight, learning is whole or absent, and the doctor finds
nothing. A writer that is killed is followed by another, until the batch has its kills.

    python bench/faults/kill.py --points 5000 [--minutes M]
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from common import campaign, command, doctor, new_home, store_of, surroundings, tacit, transcript

WRITERS = 16
KILLS = 80  # a batch; then a fresh store
LINES = 4000  # more than a writer can write before it is killed


class Writer:
    """One process at work, and what it was asked to write."""

    def __init__(self, kind: str, number: int, home: Path, fault: str, usual: float) -> None:
        self.kind, self.number = kind, number
        self.out = home / f"out-{number}"
        given = None
        if kind == "add":
            source = home / f"in-{number}"
            source.write_text("".join(f'"writer {number} lesson {n}"\n' for n in range(1, LINES)))
            args, given = ["add", "-"], source.open("rb")
        elif kind == "learn":
            args = ["learn", str(transcript(home, number)), "--json"]
        else:
            args = ["inject", "--run", f"run-{number}", "--task", "what to do before writing the lesson about tests", "--json"]
        with self.out.open("wb") as out, (home / f"err-{number}").open("wb") as err:
            self.process = subprocess.Popen(
                command(*args, fault=fault), stdin=given or subprocess.DEVNULL, stdout=out, stderr=err, cwd=home / "work", env=surroundings(home)
            )
        if given:
            given.close()
        self.began = time.monotonic()
        # Most of a short life is the interpreter's start. So an adder mostly dies a moment after it first wrote, and the
        # others at any point of a life as long as lives have been so far.
        self.at_any_time = kind != "add" or random.random() < 0.1
        self.dies_at = self.began + random.uniform(0.0, 1.1 * usual) if self.at_any_time else 0.0
        self.killed = False

    def is_due(self) -> bool:
        """Whether its time has come."""
        now = time.monotonic()
        if not self.dies_at and (self.out.stat().st_size or now > self.began + 30):
            self.dies_at = now + random.uniform(0.0, 0.15)
        return bool(self.dies_at) and now >= self.dies_at

    def answers(self) -> list[dict[str, Any]]:
        """The whole lines it printed."""
        return [json.loads(line) for line in self.out.read_bytes().split(b"\n")[:-1] if line]


def batch(seed: int, place: Path, kills: int = KILLS, writers: int = WRITERS, fault: str = "") -> dict[str, Any]:
    """One store, so many kills, then the reckoning."""
    random.seed(seed)
    home = new_home(place)
    tacit(home, "init")
    tacit(home, "add", "before writing a lesson about tests, run make migrate")
    began = time.monotonic()
    every: list[Writer] = []
    alive: list[Writer] = []
    dead, usual = 0, 1.0
    while dead < kills:
        while len(alive) < writers:
            kind = random.choices(("add", "learn", "inject"), (6, 2, 2))[0]
            alive.append(Writer(kind, len(every), home, fault, usual))
            every.append(alive[-1])
        time.sleep(0.005)
        for writer in list(alive):
            if writer.process.poll() is not None:
                usual = 0.8 * usual + 0.2 * (time.monotonic() - writer.began)
                alive.remove(writer)
            elif writer.is_due():
                os.kill(writer.process.pid, signal.SIGKILL)
                writer.process.wait()
                writer.killed = True
                alive.remove(writer)
                dead += 1
                if writer.at_any_time and not writer.out.stat().st_size:
                    usual *= 1.02  # died before it said anything: perhaps lives are longer than we think
    for writer in alive:
        writer.process.kill()
        writer.process.wait()
        writer.killed = True
    failures = reckon(home, every)
    ended = [w for w in every if not w.killed]
    return {
        "kills": dead, "writers": writers, "processes": len(every), "ended by themselves": len(ended),
        "acknowledged": sum(len(w.answers()) for w in every), "seconds": round(time.monotonic() - began, 1), "failures": failures[:20],
    }  # fmt: skip


def reckon(home: Path, every: list[Writer]) -> list[str]:
    """What is wrong after the storm."""
    wrong: list[str] = []
    health = doctor(home)
    if not health["sound"]:
        wrong.append(f"doctor: {health['faults'][:3]}")
    kept: dict[str, int] = {}
    listed = tacit(home, "list", "--json", "--archived", "--limit", "10000000")
    for memory in json.loads(listed.stdout)["data"]["memories"]:
        kept[memory["text"]] = kept.get(memory["text"], 0) + 1
    rows = store_rows(home)
    for writer in every:
        answers = writer.answers()
        if not writer.killed and (writer.process.returncode or b"Traceback" in (home / f"err-{writer.number}").read_bytes()):
            wrong.append(f"{writer.kind} {writer.number} ended with {writer.process.returncode}: {(home / f'err-{writer.number}').read_text()[-200:]}")
        if writer.kind == "add":
            wrong += _added(writer, answers, kept)
        elif writer.kind == "learn":
            session = f"{writer.number:08d}-0000-4000-8000-000000000000"
            learned, findings = rows["runs"].get(session, (False, 0))
            whole = learned and findings == rows["findings of a run"]
            if answers and answers[0]["ok"] and not whole:
                wrong.append(f"learn {writer.number} was acknowledged, but its run is {learned, findings}")
            if findings and not whole:
                wrong.append(f"learn {writer.number} is there in part: {learned, findings}")
        else:
            given = answers[0]["data"]["injected"] if answers and answers[0]["ok"] else []
            if given and f"run-{writer.number}" not in rows["injections"]:
                wrong.append(f"inject {writer.number} was printed but not recorded")
    started = {f"run-{w.number}" for w in every if w.kind == "inject"}
    wrong += [f"an injection of {run} that nobody asked for" for run in rows["injections"] - started]
    return wrong


def _added(writer: Writer, answers: list[dict[str, Any]], kept: dict[str, int]) -> list[str]:
    wrong = [f"add {writer.number} was refused: {a['error']}" for a in answers if not a["ok"]]
    for n in range(1, LINES):
        text = f"writer {writer.number} lesson {n}"
        found = kept.get(text, 0)
        if n <= len(answers) and found != 1:
            wrong.append(f"acknowledged, but found {found} times: {text}")
        elif n == len(answers) + 1 and found > 1:
            wrong.append(f"in flight, but found {found} times: {text}")
        elif n > len(answers) + 1 and found:
            wrong.append(f"never in flight, but found: {text}")
    return wrong


def store_rows(home: Path) -> dict[str, Any]:
    """What the command line does not list, read by a process of its own."""
    code = """
import apsw, json, sys
c = apsw.Connection(sys.argv[1])
runs = {f: (bool(l), n) for f, l, n in c.execute("SELECT foreign_id, learned_at, (SELECT count(*) FROM finding WHERE run = run.id) FROM run")}
inj = [r[0] for r in c.execute("SELECT run.foreign_id FROM injection JOIN run ON run.id = injection.run")]
print(json.dumps({"runs": runs, "injections": inj}))
"""
    done = subprocess.run([sys.executable, "-c", code, str(store_of(home))], capture_output=True, text=True)
    found = json.loads(done.stdout)
    counts = [n for learned, n in found["runs"].values() if learned]
    most = max(set(counts), key=counts.count) if counts else 0
    return {"runs": found["runs"], "injections": set(found["injections"]), "findings of a run": most}


if __name__ == "__main__":
    sys.exit(campaign("kill", batch, "kills", 5000))
