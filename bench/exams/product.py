"""The product under test, as its user has it: a command, a home, a folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SERVED = Path(__file__).with_name("served.py")
# what belongs to whoever runs the exams, and must not reach the product
OURS = ("HOME", "XDG_", "TACIT_", "CLAUDE", "CODEX", "CURSOR", "GEMINI", "COPILOT", "OPENCODE")


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str


class Product:
    """The `tacit` of a Python environment. One command at a time; several threads take turns."""

    def __init__(self, python: str = sys.executable) -> None:
        self.python = python
        self.turn = threading.Lock()
        self.process = subprocess.Popen(
            [python, str(SERVED)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def run(self, args: list[str], env: dict[str, str], cwd: Path, stdin: str = "") -> Done:
        """Run one command to its end."""
        asked = {"args": args, "env": env, "cwd": str(cwd), "stdin": stdin}
        with self.turn:
            assert self.process.stdin and self.process.stdout
            self.process.stdin.write(json.dumps(asked).encode() + b"\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"the product of {self.python} ended; was it importable?")
        return Done(**json.loads(line))

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


@dataclass
class Home:
    """A user's home with one repository, and the product in it."""

    product: Product
    home: Path
    repository: Path
    coin: bool = True  # whether the trial leaves lessons out

    def env(self) -> dict[str, str]:
        """The environment of whoever lives here. No worker is started: exams ask for each thing themselves."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith(OURS)}
        own = {"HOME": str(self.home), "USER": "dev", "TACIT_NO_WORKER": "1"}
        own["TACIT_LOOKS"] = "off"  # kept answers hang on it; bench.looks measures them alone
        return kept | own | ({} if self.coin else {"TACIT_COIN": "never"})

    def tacit(self, *args: str, stdin: str = "") -> Done:
        return self.product.run(list(args), self.env(), self.repository, stdin)

    def data(self, *args: str) -> dict[str, Any]:
        """What a command says with --json; the exam ends where it fails."""
        end = args.index("--") if "--" in args else len(args)
        done = self.tacit(*args[:end], "--json", *args[end:])
        if done.code:
            raise SystemExit(
                f"tacit {' '.join(args)} ended with {done.code}: {done.err or done.out}"
            )
        found: dict[str, Any] = json.loads(done.out)["data"]
        return found

    def learn(self, place: Path) -> dict[str, Any]:
        """Learn a session that is over."""
        # 0.2.0 waits for a session's end unless it is told that it has come
        done = self.tacit("learn", str(place), "--over", "--json")
        if done.code == 2:
            return self.data("learn", str(place))
        if done.code:
            raise SystemExit(f"tacit learn {place} ended with {done.code}: {done.err or done.out}")
        found: dict[str, Any] = json.loads(done.out)["data"]
        return found

    def lessons(self) -> dict[str, Lesson]:
        """Every lesson that was ever kept here, by its id."""
        # an agent's shell is not shown what is held; a program with its person's key is
        words = ["list", "--all", "--limit", "100000", "--json"]
        env = self.env() | {"TACIT_KEY": self.key()}
        done = self.product.run(words, env, self.repository)
        if done.code:
            raise SystemExit(f"tacit list ended with {done.code}: {done.err or done.out}")
        answer = json.loads(done.out)["data"]
        rows = answer.get("lessons", answer.get("memories"))
        if rows is None:
            raise SystemExit("tacit list --json names neither lessons nor memories")
        return {row["id"]: Lesson(row["id"], row["text"], standing(row)) for row in rows}

    def key(self) -> str:
        """A key of this home's person, for their own programs; made once."""
        kept = self.home / "exam-key"
        if not kept.exists():
            script = "import os, tacit.testing as t; print(t.signed(dict(os.environ))['TACIT_KEY'])"
            words = [self.product.python, "-c", script]
            made = subprocess.run(words, env=self.env(), capture_output=True, text=True, check=True)
            kept.write_text(made.stdout.strip())
        return kept.read_text()

    def hook(self, moment: str, payload: dict[str, Any], host: str = "claude-code") -> str:
        """What the host is given for its agent to read at a moment; empty where nothing is said."""
        said = self.tacit("hook", moment, "--host", host, stdin=json.dumps(payload)).out
        if not said.strip():
            return ""
        answer = json.loads(said)
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))


@dataclass(frozen=True)
class Lesson:
    """A lesson as the list shows it."""

    id: str
    text: str
    state: str  # waiting, active, doubted or gone


# The nine states of 0.2.0 in the four words that came after them; waiting also where its gate holds it.
OLDER = {
    "provisional": "active",
    "stable": "active",
    "canonical": "active",
    "candidate": "waiting",
    "under_review": "doubted",
    "decayed": "doubted",
    "active": "active",
    "waiting": "waiting",
    "doubted": "doubted",
}


def standing(row: dict[str, Any]) -> str:
    """A listed lesson's state in today's four words."""
    state = OLDER.get(row["state"], "gone")
    return "waiting" if state == "active" and row.get("gate", "allow") != "allow" else state
