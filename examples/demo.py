"""The story of Tacit in a minute, told by the real command line on three example sessions: `make demo`.

A shop's agent makes the same mistake on Monday and on Wednesday. From the third session on it is told, except in the control group. Everything happens in a
temporary folder; your own store is not touched.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap

import tacit
from tacit.testing import signed

HERE = os.path.dirname(os.path.abspath(__file__))
SESSIONS = os.path.join(HERE, "sessions")
BOLD, DIM, PLAIN = (
    ("\x1b[1m", "\x1b[2m", "\x1b[0m")
    if sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    else ("", "", "")
)


class Stage:
    """A home and a project of their own, and the command line in them."""

    def __init__(self, folder: str) -> None:
        self.project = os.path.join(folder, "shop")
        os.makedirs(self.project)
        own = ("HOME", "XDG_", "TACIT_", "CLAUDE", "CODEX", "CURSOR", "GEMINI")
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(own)}
        # the demo's person has no terminal: a key stands for it
        self.env = signed({**self.env, "HOME": folder, "USER": "sam", "COLUMNS": "110"})

    def tacit(self, *args: str, show: bool = True, stdin: str = "") -> str:
        """Run a command, show what it prints, and stop the demo if it fails."""
        if show:
            print(
                f"{DIM}$ tacit {' '.join(arg if ' ' not in arg else repr(arg) for arg in args)}{PLAIN}"
            )
        done = subprocess.run(
            [sys.executable, "-m", "tacit", *args],
            cwd=self.project,
            env=self.env,
            capture_output=True,
            text=True,
            input=stdin,
        )
        if done.returncode:
            sys.exit(f"tacit {args[0]} failed with {done.returncode}:\n{done.stdout}{done.stderr}")
        if show:
            print(textwrap.indent(done.stdout.rstrip(), "  ") + "\n")
        return done.stdout

    def data(self, *args: str) -> dict[str, object]:
        """A command's data."""
        answer: dict[str, object] = json.loads(self.tacit(*args, "--json", show=False))["data"]
        return answer


def tell(text: str) -> None:
    print(f"{BOLD}{textwrap.fill(text, 108)}{PLAIN}\n")


def session(name: str) -> str:
    return os.path.join(SESSIONS, name)


def main() -> None:
    folder = tempfile.mkdtemp(prefix="tacit-demo-")
    stage = Stage(folder)
    try:
        story(stage)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def story(stage: Stage) -> None:
    print(f"\n{BOLD}Tacit: memory that proves it helps{PLAIN}\n")
    tell(
        "1. Look back. Without any set-up: what did past sessions of this shop's agent cost, and what had happened before?"
    )
    stage.tacit("lookback", SESSIONS)
    tell(
        "2. Learn. After a session ends Tacit reads its transcript. Monday: the user corrects the agent, and the tests fail until the database is started. "
        "The user's word counts at once; what was merely observed waits until a second, independent session says the same."
    )
    stage.tacit("learn", session("1-monday.jsonl"), "--over", "--as", "sam")
    stage.tacit("list")
    tell(
        "Wednesday: the same failure again. Seen in two independent sessions, the lesson may now be given."
    )
    stage.tacit("learn", session("2-wednesday.jsonl"), "--over", "--as", "sam")
    stage.tacit("list")
    tell(
        "3. Recall. Before the next session starts, its agent is told the few lessons that matter: one line each, marked as notes, with ids."
    )
    stage.tacit(
        "inject",
        "--run",
        "friday",
        "--task",
        "Orders above 500 euros should get free shipping; run pytest",
    )
    tell(
        "4. Prove. Whether a lesson is given is decided by a coin, recorded with its probability: in about three of ten sessions a lesson is left out, its test group. "
        "Twenty more sessions start:"
    )
    given: dict[str, list[int]] = {}
    # as the library does it: twenty processes would only take longer
    with tacit.open(cwd=stage.project, env=stage.env) as memories:
        for number in range(20):
            told = memories.inject(
                task="Add a test for the discount and run pytest", run=f"session-{number}"
            )
            for at, ids in enumerate((told.injected, told.withheld)):
                for id in ids:
                    given.setdefault(str(id), [0, 0])[at] += 1
    texts = {memory["id"]: memory["text"] for memory in stage.data("list")["memories"]}  # type: ignore[attr-defined,index,call-overload]
    for id, (injected, withheld) in sorted(given.items(), key=lambda each: -each[1][1]):
        print(f"  given {injected:2}x, left out {withheld:2}x   {texts[id][:80]}")
    print()
    tell(
        "Friday's session ends. Did the problem of a lesson that was given, or left out, come back?"
    )
    stage.tacit(
        "learn", session("3-friday.jsonl"), "--over", "--as", "sam", "--run", "friday", "--quiet"
    )
    stage.tacit("origin", "audit", "friday")
    lesson = next((id for id, text in texts.items() if "docker" in text), next(iter(texts)))
    tell(
        "5. Ask why. Every lesson shows its evidence in the run's own words, its uses, its journal, and what would move it."
    )
    stage.tacit("why", lesson[:6])
    tell(
        "And whether it helps is answered by its control group. After one session the honest answer is: not yet known."
    )
    stage.tacit("effect")
    tell(
        "Your own agent: `tacit connect claude-code`. Everything it will do is shown first with --dry-run and taken back with --undo."
    )


if __name__ == "__main__":
    main()
