"""kill -9 at random points of sixteen writers that work on one store: add, learn, inject, tend.

Standard output goes to files, so what a process acknowledged is known after its death. Every acknowledged write must be
there, every write found must have been acknowledged or in flight, learning and tending are whole or absent, and the
doctor finds nothing. A writer that is killed is followed by another, until the batch has its kills. The project's profile
lets lessons fade by runs, and every other tend lives a hundred days ahead, so that sweeps write and move lessons.

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
KINDS = {"add": 4, "learn": 2, "inject": 2, "tend": 3}  # and how often each is chosen
SHORT = {"fade.runs_step": 2, "fade.never": ()}
AHEAD = "clock=8640000"  # a hundred days: candidates are swept, stale lessons marked


def _has_open(pid: int) -> bool:
    """Whether a process has a store open: its shared memory is mapped. Where the system does not tell, from the start."""
    try:
        return "tacit.db-shm" in Path(f"/proc/{pid}/maps").read_text()
    except OSError:
        return True


class Writer:
    """One process at work, and what it was asked to write."""

    def __init__(
        self, kind: str, number: int, home: Path, fault: str, usual: dict[str, float]
    ) -> None:
        self.kind, self.number = kind, number
        self.out = home / f"out-{number}"
        given = None
        if kind == "add":
            source = home / f"in-{number}"
            said = (
                {
                    "text": f"writer {number} lesson {n}",
                    **({"run": f"adder-{number}"} if number % 2 else {}),
                }
                for n in range(1, LINES)
            )
            source.write_text("".join(json.dumps(each) + "\n" for each in said))
            args, given = ["add", "-"], source.open("rb")
        elif kind == "learn":
            args = ["learn", str(transcript(home, number)), "--as", "ann", "--json"]
        elif kind == "tend":
            args, fault = (
                ["origin", "tend", "--run", f"tended-{number}", "--json"],
                fault or (AHEAD if number % 2 else ""),
            )
        else:
            args = [
                "inject",
                "--run",
                f"run-{number}",
                "--task",
                "what to do before writing the lesson about tests",
                "--json",
            ]
        with self.out.open("wb") as out, (home / f"err-{number}").open("wb") as err:
            self.process = subprocess.Popen(
                command(*args, fault=fault),
                stdin=given or subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd=home / "work",
                env=surroundings(home),
            )
        if given:
            given.close()
        self.began = time.monotonic()
        self.opened = 0.0  # when it had the store open
        self.dies_at = 0.0
        # Most of a short life is the interpreter's start, so only one in ten dies at any time. An adder dies a moment after it
        # first wrote, the others between opening the store and the end, as long as that has been taking.
        self.at_any_time = random.random() < 0.1
        if self.at_any_time:
            self.dies_at = self.began + random.uniform(0.0, 1.1 * usual["life"])
        self.killed = False
        self.kills_itself = fault.startswith(("early=", "die="))

    def is_due(self, usual: dict[str, float]) -> bool:
        """Whether its time has come."""
        if self.kills_itself:
            return False
        now = time.monotonic()
        if not self.opened and (
            self.out.stat().st_size if self.kind == "add" else _has_open(self.process.pid)
        ):
            self.opened = now
            if not self.at_any_time:
                self.dies_at = now + random.uniform(0.0, usual[self.kind])
        return now >= (self.dies_at or self.began + 60)

    def answers(self) -> list[dict[str, Any]]:
        """The whole lines it printed."""
        return [json.loads(line) for line in self.out.read_bytes().split(b"\n")[:-1] if line]


def batch(
    seed: int,
    place: Path,
    kills: int = KILLS,
    writers: int = WRITERS,
    fault: str = "",
    kinds: dict[str, int] = KINDS,
) -> dict[str, Any]:
    """One store, so many kills, then the reckoning."""
    random.seed(seed)
    home = prepared(place)
    began = time.monotonic()
    every: list[Writer] = []
    alive: list[Writer] = []
    # seconds: in all, and with the store open
    dead, usual = 0, {"life": 2.0, "add": 0.15, "learn": 3.0, "inject": 1.0, "tend": 3.0}
    while dead < kills:
        while len(alive) < writers:
            kind = random.choices(list(kinds), list(kinds.values()))[0]
            alive.append(Writer(kind, len(every), home, fault, usual))
            every.append(alive[-1])
        time.sleep(0.005)
        for writer in list(alive):
            if writer.process.poll() is not None:
                now = time.monotonic()
                usual["life"] = (usual["life"] + now - writer.began) / 2
                if writer.opened and writer.kind != "add":
                    usual[writer.kind] = (usual[writer.kind] + now - writer.opened) / 2
                alive.remove(writer)
                writer.killed = (
                    writer.process.returncode == -signal.SIGKILL
                )  # by a hand of its own, at a chosen point
                dead += writer.killed
            elif writer.is_due(usual):
                os.kill(writer.process.pid, signal.SIGKILL)
                writer.process.wait()
                writer.killed = True
                alive.remove(writer)
                dead += 1
                if writer.kind != "add" and not writer.out.stat().st_size:
                    # it said nothing yet: perhaps it takes longer than we think
                    usual[writer.kind if writer.opened else "life"] *= 1.15
    for writer in alive:
        writer.process.kill()
        writer.process.wait()
        writer.killed = True
    rows = store_rows(home)
    failures = reckon(home, every, rows) + finished(home)
    ended = [w for w in every if not w.killed]
    killed = {kind: sum(w.killed and w.kind == kind for w in every) for kind in kinds}
    at_work = {
        kind: sum(w.killed and bool(w.opened) and w.kind == kind for w in every) for kind in kinds
    }
    return {
        "kills": dead,
        "writers": writers,
        "processes": len(every),
        "ended by themselves": len(ended),
        "killed": killed,
        "with the store open": at_work,
        "faded": sum(rows["faded"].values()),
        "moved by tend": rows["moved"],
        "acknowledged": sum(len(w.answers()) for w in every),
        "seconds": round(time.monotonic() - began, 1),
        "failures": failures[:20],
    }


def prepared(place: Path) -> Path:
    """A home whose project has one lesson, and fades by runs."""
    home = new_home(place)
    for args in (
        ("init",),
        ("add", "before writing a lesson about tests, run make migrate"),
    ):
        done = tacit(home, *args)
        if done.returncode:
            raise RuntimeError(f"{args}: {done.stderr}")
    code = f"from tacit import open\nfrom tacit.settings import use_profile\nwith open(by='ada', yes=True) as m: use_profile(m, 'archeflow', {SHORT})"
    subprocess.run([sys.executable, "-c", code], cwd=home, env=surroundings(home), check=True)
    return home


def reckon(home: Path, every: list[Writer], rows: dict[str, Any]) -> list[str]:
    """What is wrong after the storm."""
    wrong: list[str] = []
    health = doctor(home)
    if not health["sound"]:
        wrong.append(f"doctor: {health['faults'][:3]}")
    kept: dict[str, int] = {}
    listed = tacit(home, "list", "--json", "--archived", "--limit", "10000000")
    for memory in json.loads(listed.stdout)["data"]["memories"]:
        kept[memory["text"]] = kept.get(memory["text"], 0) + 1
    for writer in every:
        answers = writer.answers()
        if not writer.killed and (
            writer.process.returncode
            or b"Traceback" in (home / f"err-{writer.number}").read_bytes()
        ):
            wrong.append(
                f"{writer.kind} {writer.number} ended with {writer.process.returncode}: {(home / f'err-{writer.number}').read_text()[-200:]}{writer.out.read_text()[-300:]}"
            )
        wrong += {"add": _added, "learn": _learned, "inject": _injected, "tend": _tended}[
            writer.kind
        ](writer, answers, kept, rows)
    for kind, found in (
        ("inject", rows["injections"]),
        ("tend", {run for run in rows["runs"] if run.startswith("tended-")}),
    ):
        asked = {
            f"{'run' if kind == 'inject' else 'tended'}-{w.number}" for w in every if w.kind == kind
        }
        wrong += [f"{kind}: {run} is there, and nobody asked for it" for run in found - asked]
    return wrong


def _learned(
    writer: Writer, answers: list[dict[str, Any]], _kept: dict[str, int], rows: dict[str, Any]
) -> list[str]:
    learned, findings, _ = rows["runs"].get(
        f"{writer.number:08d}-0000-4000-8000-000000000000", (False, 0, 0)
    )
    whole = learned and findings == rows["findings of a run"]
    wrong = []
    if answers and answers[0]["ok"] and not whole:
        wrong.append(f"learn {writer.number} was acknowledged, but its run is {learned, findings}")
    if findings and not whole:
        wrong.append(f"learn {writer.number} is there in part: {learned, findings}")
    return wrong


def _injected(
    writer: Writer, answers: list[dict[str, Any]], _kept: dict[str, int], rows: dict[str, Any]
) -> list[str]:
    given = answers[0]["data"]["injected"] if answers and answers[0]["ok"] else []
    lost = given and f"run-{writer.number}" not in rows["injections"]
    return [f"inject {writer.number} was printed but not recorded"] if lost else []


def _tended(
    writer: Writer, answers: list[dict[str, Any]], _kept: dict[str, int], rows: dict[str, Any]
) -> list[str]:
    """A sweep is many small transactions: what it said it did is there; what it left half done, the next one finishes."""
    run = f"tended-{writer.number}"
    _, _, seq = rows["runs"].get(run, (False, 0, 0))
    wrong = []
    if answers and answers[0]["ok"] and not seq:
        wrong.append(f"tend {writer.number} was acknowledged, but its run was not counted")
    faded, told = (
        rows["faded"].get(run, 0),
        answers[0]["data"]["faded"] if answers and answers[0]["ok"] else 0,
    )
    if told and told != faded:
        wrong.append(f"tend {writer.number} said that {told} faded; {faded} did")
    return wrong


def _added(
    writer: Writer, answers: list[dict[str, Any]], kept: dict[str, int], _rows: dict[str, Any]
) -> list[str]:
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


def finished(home: Path) -> list[str]:
    """A tend after the storm finishes what dead ones began; the next finds nothing to do, and every loss was taken off once."""
    wrong = []
    for number in (1, 2):
        done = json.loads(tacit(home, "origin", "tend", "--json").stdout)["data"]
        if number == 2 and (done["faded"] or done["moves"] or done["stale"]):
            wrong.append(
                f"tend once more still found {done['faded']} to fade, {len(done['moves'])} to move, {len(done['stale'])} stale"
            )
    code = """
import json, sys
from tacit.memory import open
from tacit.core.links import LOST
from tacit.origins.fading import runs as of_evidence
with open() as memories:
    store, step = memories.store, memories.profile.fade.runs_step
    [until] = store.one("SELECT max(sessions) FROM project")
    fading = "SELECT lesson, -sum(amount) FROM evidence WHERE measure = 'mark:' || :it AND lesson IN (SELECT id FROM lesson WHERE stood IN ('waiting', 'active')) GROUP BY 1"
    for memory, lost in store.rows(fading, it=LOST):
        due = of_evidence(store.evidence(memory), until, step).lost
        if lost != due: print(f"{memory} lost {lost} by fading, and should have lost {due}")
"""
    told = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=home / "work",
        env=surroundings(home),
    )
    return wrong + told.stdout.splitlines() + ([told.stderr[-300:]] if told.returncode else [])


def store_rows(home: Path) -> dict[str, Any]:
    """What the command line does not list, read by a process of its own."""
    code = """
import apsw, json, sys
c = apsw.Connection(sys.argv[1])
runs = {f: (bool(l), n, s) for f, l, s, n in c.execute("SELECT name, learned_at, number, (SELECT count(*) FROM evidence WHERE session = session.id AND measure = 'note:finding') FROM session")}
inj = [r[0] for r in c.execute("SELECT s.name FROM delivery d JOIN session s ON s.id = d.session WHERE d.lesson = ''")]
faded = dict(c.execute("SELECT s.name, count(*) FROM evidence e JOIN session s ON s.id = e.session WHERE e.measure GLOB 'mark:*' AND e.extra ->> '$.surface' = 'tend' GROUP BY 1"))
[[moved]] = c.execute("SELECT count(*) FROM journal WHERE by = 'tend'")
print(json.dumps({"runs": runs, "injections": inj, "faded": faded, "moved": moved}))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(store_of(home))], capture_output=True, text=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    counts = [n for learned, n, _ in found["runs"].values() if learned]
    most = max(set(counts), key=counts.count) if counts else 0
    return {**found, "injections": set(found["injections"]), "findings of a run": most}


if __name__ == "__main__":
    sys.exit(campaign("kill", batch, "kills", 5000))
