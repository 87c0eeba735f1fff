"""The command line as it is really called: by a person at a terminal, by a script without one, from an agent's shell.

Each world has a home and a repository of its own, a shell's environment, and processes of its own: who acts is found out from them. Logs
are written as the four systems write them, with any lesson in them.
"""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

PERSON, SCRIPT, AGENT = "person", "script", "agent"
CALLERS = (PERSON, SCRIPT, AGENT)
SYSTEMS = ("archeflow", "ralph", "geas", "joelclaw")
TACIT = [sys.executable, "-m", "tacit"]
NULLS = "Missing null checks in API response handlers"


class Ended:
    """A process that ended."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err
        assert "Traceback" not in out + err, out + err

    def __repr__(self) -> str:
        return f"{self.code}\n{self.out}\n{self.err}"


class World:
    """A fresh home and a repository."""

    # conftest's: a command is a process of its own all the same, without the start of an interpreter
    commands: Any = None

    def __init__(self, folder: Path, *, git: bool = True) -> None:
        self.home, self.repo = folder / "a home", folder / "shop"
        self.home.mkdir(parents=True)
        self.repo.mkdir()
        self.path = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
        self.name = "ann"
        if git:
            self.git("init", "-q", "-b", "main")

    def git(self, *args: str) -> None:
        named = ["-c", "user.name=mallory", "-c", "user.email=m@example.org"]
        subprocess.run(
            ["git", *named, *args],
            cwd=self.repo,
            check=True,
            env=self.env(SCRIPT),
            capture_output=True,
        )

    def env(self, caller: str, **more: str) -> dict[str, str]:
        marks = {"CLAUDECODE": "1"} if caller == AGENT else {}
        return {
            "HOME": str(self.home),
            "PATH": self.path,
            "USER": self.name,
            "LANG": "C.UTF-8",
            "TERM": "xterm",
            "COLUMNS": "200",
            "PYTHONUTF8": "1",
            **marks,
            **more,
        }

    def tacit(self, caller: str, *args: str, stdin: str = "", **env: str) -> Ended:
        """One command. What a person types stands in `stdin`; a script's or an agent's is a pipe."""
        told = self.env(caller, **env)
        if not self.commands:
            return self.run(caller, [*TACIT, *args], stdin, **env)
        if caller != PERSON:
            done = self.commands.fork(args, stdin.encode(), str(self.repo), told)
            return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())

        def call(terminal: str) -> tuple[int, bytes]:
            done = self.commands.fork(args, b"", str(self.repo), told, terminal)
            return done.returncode, done.stdout

        return _at_terminal(call, stdin)

    def run(self, caller: str, command: list[str], stdin: str = "", **env: str) -> Ended:
        if caller == PERSON:
            return _at_terminal(
                partial(_process, command, self.repo, self.env(caller, **env)), stdin
            )
        done = subprocess.run(
            command,
            input=stdin,
            cwd=self.repo,
            env=self.env(caller, **env),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)


def _process(
    command: list[str], folder: Path, env: dict[str, str], terminal: str
) -> tuple[int, bytes]:
    """Its status and answer, with a terminal of its own: the first that a new session opens."""
    at_it = ["sh", "-c", 'exec "$@" <"$0" 2>"$0"', terminal, *command]
    done = subprocess.run(
        at_it,
        stdout=subprocess.PIPE,
        cwd=folder,
        env=env,
        timeout=120,
        check=False,
        start_new_session=True,
    )
    return done.returncode, done.stdout


def _at_terminal(call: Callable[[str], tuple[int, bytes]], typed: str) -> Ended:
    """A call with a terminal for what is typed and told; its answer goes elsewhere, as in `tacit … > file`."""
    ours, theirs = pty.openpty()
    told: list[bytes] = []

    def listen() -> None:
        while True:
            try:
                more = os.read(ours, 65536)
            except OSError:
                return
            if not more:
                return
            told.append(more)

    listener = threading.Thread(target=listen)
    listener.start()
    if typed:
        os.write(ours, typed.encode())
    code, out = call(os.ttyname(theirs))
    os.close(theirs)
    listener.join(5)
    os.close(ours)
    return Ended(code, out.decode(), b"".join(told).decode("utf-8", "replace"))


# --- logs as their systems write them ------------------------------------------------------------------------------------


def write_logs(system: str, top: Path, text: str = NULLS, name: str = "r") -> list[str]:
    """Two finished runs that say the same (one session of joelclaw's): the files to learn, from the top of the repository."""
    return {"archeflow": _events, "ralph": _loop, "geas": _tasks, "joelclaw": _session}[system](
        top, text, name
    )


def _put(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = isinstance(content, list)
    path.write_text(
        "".join(json.dumps(row) + "\n" for row in content)
        if rows
        else content
        if isinstance(content, str)
        else json.dumps(content)
    )


def _events(top: Path, text: str, name: str) -> list[str]:
    found = {
        "location": "src/api.py:10",
        "severity": "WARNING",
        "category": "quality",
        "description": text,
    }
    for run in (f"{name}1", f"{name}2"):
        told: list[tuple[str, str | None, dict[str, Any]]] = [
            ("run.start", None, {"task": "Improve the API", "domain": "code"}),
            (
                "review.verdict",
                "guardian",
                {"archetype": "guardian", "verdict": "changes", "findings": [found]},
            ),
            ("run.complete", None, {"status": "completed"}),
        ]
        rows = [
            {
                "ts": f"2026-05-04T10:0{n}:00Z",
                "run_id": run,
                "seq": n,
                "parent": [],
                "type": kind,
                "phase": "check",
                "agent": who,
                "data": data,
            }
            for n, (kind, who, data) in enumerate(told)
        ]
        _put(top / f".archeflow/events/{run}.jsonl", rows)
    return [f".archeflow/events/{name}1.jsonl", f".archeflow/events/{name}2.jsonl"]


def _loop(top: Path, text: str, name: str) -> list[str]:
    state = {
        "loopId": f"ralph-{name}",
        "objective": "Fix failing authentication tests",
        "status": "completed",
        "currentIteration": 3,
    }
    folder = f".aiwg/ralph-external/{name}"
    _put(top / folder / "state.json", state)
    for n in (1, 2, 3):
        done = {
            "number": n,
            "status": "completed",
            "duration": 30000,
            "analysis": {"progressMade": True},
            "learnings": [text],
            "filesModified": [],
        }
        _put(top / folder / f"iterations/iteration-00{n}.json", done)
    return [f"{folder}/state.json"]


def _tasks(top: Path, text: str, name: str) -> list[str]:
    for task in (f"{name}-1", f"{name}-2"):
        folder = top / ".geas/missions/m-1/tasks" / task
        at = {"version": "1.0", "task_id": task, "created_at": "2026-04-06T08:15:00Z"}
        goal = {
            "title": "Make the queue retry",
            "goal": "Make the queue retry",
            "task_kind": "implementation",
            "risk_level": "normal",
        }
        _put(folder / "task-contract.json", {**at, "artifact_type": "task_contract", **goal})
        _put(folder / "gate-result.json", {**at, "artifact_type": "gate_result", "verdict": "pass"})
        retro = {
            "artifact_type": "retrospective",
            "producer_type": "orchestration_authority",
            "memory_candidates": [text],
        }
        _put(folder / "retrospective.json", {**at, **retro})
    return [f".geas/missions/m-1/tasks/{name}-{n}/retrospective.json" for n in (1, 2)]


def _session(top: Path, text: str, name: str) -> list[str]:
    fact = f"- 🔴 [gate=allow confidence=0.92 category=jc:operations reason=durable_fix] {text}"
    _put(
        top / f".joelclaw/{name}.xml",
        f"<observations><segment><narrative>Mended it.</narrative><facts>\n{fact}\n</facts></segment></observations>\n",
    )
    return [f".joelclaw/{name}.xml"]


def question(system: str, run: str = "next", task: str = NULLS) -> list[str]:
    """What its orchestrator asks before the next run."""
    return {
        "archeflow": ["inject", "--domain", "code", "--run", run],
        "ralph": ["inject", "--task", "Fix failing authentication tests", "--run", run],
        "geas": ["inject", "--task", task, "--agent", "qa_engineer", "--run", run],
        "joelclaw": ["recall", task],
    }[system]
