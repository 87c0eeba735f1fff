"""Better places for lessons of real sessions: each proposed, shown to fail first, applied, and undone byte for byte.

    python -m bench.guard_places DATA [--settings FOLDER] [--programs FOLDER] [--biome PROGRAM]

It takes the stores that `python -m bench.guards play` left. FOLDER/PROJECT/… holds settings files of a project that its sessions do not show
(a linter's). A permission rule is driven with the real Claude Code and a scripted model: the call runs, with the rule the host refuses it,
without it it runs again. A linter's option is driven with the linter: it reports a file of that folder, then not, then again.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.lessons.feed import BENCH, World, unpacked

import tacit
from tacit.core.errors import Refused
from tacit.core.states import INJECTABLE

HOSTS = Path(__file__).with_name("hosts") / "run.py"
DENIED = "has been denied"  # what Claude Code tells the model of a call that its rules refuse


def proposals(world: World, settings: Path | None) -> Iterator[dict[str, Any]]:
    """Every lesson of a store that has a better place, put there and taken back."""
    for file in (
        (settings / world.project).glob("*")
        if settings and (settings / world.project).exists()
        else ()
    ):
        shutil.copy(file, world.repository / file.name)
    with tacit.open(
        env=world.env(), cwd=str(world.repository), create=False, by="dev", yes=True
    ) as memories:
        for memory in memories.list(states=INJECTABLE, limit=-1):
            try:
                found = memories.better_place(memory.id)
            except Refused:
                continue
            at = world.repository / found.file
            before = at.read_bytes() if at.exists() else None
            memories.place_guard(memory.id)
            placed = at.read_bytes()
            state = memories.get(memory.id).state
            memories.unplace_guard(memory.id)
            undone = (at.read_bytes() if at.exists() else None) == before and memories.get(
                memory.id
            ).state == memory.state
            yield {
                "project": world.project,
                "lesson": memory.text,
                "file": found.file,
                "rules": list(found.rules),
                "after": placed.decode(),
                "before": before.decode() if before else "",
                "retired": state == "archived",
                "undone": undone,
            }


def scenario(row: dict[str, Any]) -> dict[str, Any]:
    """The same on the real host: without the rule, with it, without it."""
    call = row["rules"][0].removeprefix("Bash(").removesuffix(":*)") + " x"
    script = {"main": [{"shell": call}, {"say": "Done."}]}
    steps: list[list[str]] = [
        [],
        ["guard", "place", "{lesson}", "--yes"],
        ["guard", "unplace", "{lesson}"],
    ]
    return {
        "title": f"{row['project']}: {call}"[:30],
        "needs": ["ask"],
        "trial": False,
        "keep": [[row["lesson"]]],
        "sessions": [
            {"prompt": "hello", "script": script, **({"first": [step]} if step else {})}
            for step in steps
        ],
        "expect": [
            {"told": DENIED, "session": n, "in": "last" if n == 1 else "none"} for n in range(3)
        ],
    }


def linted(row: dict[str, Any], biome: str) -> list[bool]:
    """Whether biome reports a file of the folder: with the settings as they stood, with the option, and as they stand again."""
    folder = row["lesson"].split("` is not this project's code")[0].rpartition("`")[2]
    found = []
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        subprocess.run(["git", "init", "-q", name], check=True)
        (place / folder).mkdir(parents=True)
        (place / folder / "theirs.ts").write_text("export const a = {b:1,\n\n\nc:2}\n")
        (place / "ours.ts").write_text("export const ours = 1;\n")
        for settings in (row["before"], row["after"], row["before"]):
            (place / row["file"]).write_text(settings)
            done = subprocess.run([biome, "check", "."], cwd=name, capture_output=True, text=True)
            found.append(f"{folder}/theirs.ts" in done.stdout + done.stderr)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.guard_places", description=__doc__.splitlines()[0]
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--settings", type=Path)
    parser.add_argument("--programs", type=Path, default=HOSTS.parents[2] / ".hosts")
    parser.add_argument("--biome", default="biome")
    args = parser.parse_args()
    data = unpacked(args.data)
    names = sorted(each.name.removeprefix("guards-") for each in BENCH.glob("guards-*"))
    rows = [
        row
        for name in names
        for row in proposals(World(data, name, f"guards-{name}"), args.settings)
    ]
    whole = True
    for row in rows:
        if row["file"].startswith(".claude"):
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                json.dump(scenario(row), file)
                file.flush()
                words = [
                    sys.executable,
                    str(HOSTS),
                    "--host",
                    "claude-code-newest",
                    "--programs",
                    str(args.programs),
                    "--scenario",
                    file.name,
                ]
                done = subprocess.run(words, capture_output=True, text=True, cwd=HOSTS.parent)
            held = not done.returncode
            driven = "runs, refused, runs again" if held else done.stdout[-300:]
        else:
            held = (seen := linted(row, args.biome)) == [True, False, True]
            driven = ", ".join("reported" if each else "passed over" for each in seen)
        whole &= held and row["undone"]
        kept = "retired" if row["retired"] else "stays: it says more"
        print(
            f"| {row['project']} | {row['lesson'][:90]} | `{row['file']}`: {', '.join(row['rules'])} | {driven} | {kept} | {row['undone']} |",
            flush=True,
        )
    print(f"{len(rows)} proposals", file=sys.stderr)
    return 0 if whole and rows else 1


if __name__ == "__main__":
    sys.exit(main())
