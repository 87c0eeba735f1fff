#!/usr/bin/env python3
"""The real Claude Code against a scripted model: five sessions teach a lesson, and `tacit replay` does them again.

    replayed.py [--programs FOLDER] [--pairs N]

The model goes wrong nine times in ten where it reads some words, and once in ten where it does not: first those of the lesson,
then those of a block of CLAUDE.md. Exits 1 unless the lesson is doubted and the block is named as what harms.
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import drive  # noqa: E402
from drive import ROOT, World, run  # noqa: E402
from model import Model, offered, strings  # noqa: E402
from programs import PROGRAMS, Program, install  # noqa: E402
from run import prepare  # noqa: E402

LESSON = "make db"
BLOCK = "The quick suite is enough: leave the database alone."
SESSIONS = 5
drive.PATIENCE = 3600.0  # a replay is forty sessions
TAUGHT = (
    {"shell": "./bin/pytest -q tests", "wait": 5},  # the worker looks at the work tree meanwhile
    {"shell": "make db"},
    {"shell": "./bin/pytest -q tests"},
    {"say": "Done."},
)


class Heeding(Model):
    """Plays its script; without one an agent that mostly goes wrong where it reads `words`."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.chance = LESSON, random.Random(5)

    def take(self, path: str, body: Any, headers: dict[str, str]) -> dict[str, Any]:
        if self.script or not offered(body):
            return super().take(path, body, headers)
        if any(each.get("role") == "assistant" for each in body.get("messages", ())):
            return {"say": "Done."}
        read = "\n".join(strings([body.get("messages"), body.get("system") or ""]))
        strikes = self.chance.random() < (0.9 if self.words in read else 0.1)
        return {"shell": ("" if strikes else "touch .db-up && ") + "./bin/pytest -q tests"}


def taught(program: Program, world: World) -> str:
    """The lesson that five sessions taught, each begun at a commit with nothing beside it."""
    prepare(program, world, {"trial": False})
    (world.project / ".gitignore").write_text(".db-up\n.claude/\n")
    (world.project / "CLAUDE.md").write_text(f"# Shop\n\nUse tabs.\n\n## Tests\n\n{BLOCK}\n")
    ada = ("-c", "user.name=ada", "-c", "user.email=ada@example.org")
    for words in (("add", "-A"), (*ada, "commit", "-qm", "rules", "--no-verify")):
        subprocess.run(["git", *words], cwd=world.project, check=True, capture_output=True)
    script = {"main": [*TAUGHT]}
    for n in range(SESSIONS):
        run(program, world, {"prompt": f"Make the tests of ticket {n} pass.", "script": script}, [])
    world.model.play({})
    listed = world.tacit("list", "--limit", "50")["memories"]
    return next(each["id"] for each in listed if LESSON in each["text"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=Path, default=ROOT / ".hosts")
    parser.add_argument("--pairs", type=int, default=20, help="at most so many of each replay")
    given = parser.parse_args()
    program = install(next(each for each in PROGRAMS if each.host == "claude-code"), given.programs)
    if program.missing:
        print(f"left out: {program.missing}")
        return 1
    folder, model = Path(tempfile.mkdtemp(prefix="tacit-replayed-")), Heeding()
    try:
        world = World(folder, model)
        world.env.update(program.ready(world.home, world.project, model.url))
        lesson = taught(program, world)
        agent = f"{program.path} -p {{prompt}} --allowedTools Bash --output-format json"
        line = ("--agent", agent, "--pairs", str(given.pairs))
        plan = world.tacit("replay", lesson, *line, "--plan")
        left = ", ".join(f"{each['run'][:8]} {each['reason']}" for each in plan["skipped"])
        can = f"{len(plan['tasks'])} can be replayed; left out: {left or 'none'}"
        print(f"Claude Code {program.version}, {SESSIONS} sessions, {can}", flush=True)
        found = world.tacit("replay", lesson, *line)
        state = world.tacit("why", lesson)["memory"]["state"]
        print(f"the lesson: {_said(found)}; now {state}", flush=True)
        good = found["verdict"] == "harms" and state == "doubted"
        model.words = BLOCK
        block = ("--without", "CLAUDE.md:5-7", "--check", "test -e .db-up")
        found = world.tacit("replay", *block, *line)
        print(f"CLAUDE.md:5-7: {_said(found)}", flush=True)
        return 0 if good and found["verdict"] == "harms" and len(plan["tasks"]) == SESSIONS else 1
    finally:
        model.close()
        shutil.rmtree(folder, ignore_errors=True)


def _said(found: dict[str, Any]) -> str:
    pairs = f"{found['verdict']} after {len(found['pairs'])} pairs"
    return f"{pairs}, {found['worse']} worse, {found['better']} better"


if __name__ == "__main__":
    sys.exit(main())
