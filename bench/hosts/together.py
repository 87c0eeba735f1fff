#!/usr/bin/env python3
"""Several hosts, and two versions of one, at work in one repository at the same time; one of them dies in the middle.

    together.py [--rounds 2]

All share a home, a store and a project, and each meets the same failure and cures it. Looked at: every session is known and, where it
lived, settled; the failure was met by as many independent runs as there were sessions; one lesson came of it and not two; no hook failed.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from drive import PATIENCE, PYTEST, ROOT, World  # noqa: E402
from model import Model  # noqa: E402
from programs import PROGRAMS, Turn, install  # noqa: E402

WANTED = ("claude-code-newest", "claude-code-npm", "codex-newest")
CURE = [
    {"shell": "./bin/pytest -q tests"},
    {"shell": "make db"},
    {"shell": "./bin/pytest -q tests"},
    {"say": "All pass."},
]
DIES = [*CURE[:3], {"shell": "sleep 600"}, {"say": "Never said."}]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--programs", type=Path, default=ROOT / ".hosts")
    given = parser.parse_args()
    programs = [
        install(each, given.programs) for each in PROGRAMS if f"{each.host}-{each.pick}" in WANTED
    ]
    if missing := [each.name for each in programs if each.missing]:
        print(f"cannot be had: {', '.join(missing)}")
        return 2
    with tempfile.TemporaryDirectory(
        prefix="tacit-together-", ignore_cleanup_errors=True
    ) as folder:
        model = Model()
        world = World(Path(folder), model)
        # each session has a database of its own
        (world.project / "bin" / "pytest").write_text(PYTEST.replace(".db-up", '".db-up$SHOP"'))
        (world.project / "Makefile").write_text(
            "db:\n\t@touch .db-up$(SHOP) && echo 'database is up'\n"
        )
        for program in programs:
            world.env.update(program.ready(world.home, world.project, model.url))
        world.tacit("init")
        world.tacit("add", "Use pnpm, not npm.", "--kind", "preference", "--by", "ada", "--yes")
        for host in dict.fromkeys(program.host for program in programs):
            world.tacit("connect", host, "--yes", "--by", "ada")
        told: dict[str, list[bool]] = {}
        for number in range(given.rounds):
            told |= _round(world, model, programs, number)
        dead = _dies(world, model, programs[0])
        world.settle()
        facts = _facts(world)
        model.close()
    sessions = given.rounds * len(programs) + 1
    wanted = {
        "runs": sessions,
        "settled": sessions - 1,
        "lineages": sessions,
        "lessons with make db": 1,
        "hook failures": 0,
    }
    print(
        f"{', '.join(each.name for each in programs)}: {given.rounds} rounds at the same time, then one {programs[0].name} killed ({dead} requests), load {os.getloadavg()[0]:.0f}"
    )
    for name, want in wanted.items():
        print(
            f"  {name:22} {facts[name]}, wanted {want if name != 'settled' else f'{want} or more'}"
        )
    silent = [name for name, held in told.items() if not held or not all(held)]
    print(
        f"  told in every request  {len(told) - len(silent)} of {len(told)} sessions {silent or ''}"
    )
    right = (
        all(facts[name] == want for name, want in wanted.items() if name != "settled")
        and facts["settled"] >= wanted["settled"]
        and not silent
    )
    return 0 if right else 1


def _round(world: World, model: Model, programs: list[Any], number: int) -> dict[str, list[bool]]:
    """One session of each at the same time."""
    names = {f"{letter}{number}:": program for letter, program in zip("ABCDEF", programs)}
    model.play({name: CURE for name in names})
    running = []
    for name, program in names.items():
        env = {**world.env, "SHOP": name.strip(":")}
        argv = [program.path, *program.print(Turn(f"{name} run the tests of the shop"))]
        running.append(
            subprocess.Popen(
                argv,
                cwd=world.project,
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )
    for each in running:
        each.wait(PATIENCE)
    world.settle()
    return {
        f"{name}{program.name}": [
            "Use pnpm, not npm." in request.text for request in model.seen(name)
        ]
        for name, program in names.items()
    }


def _dies(world: World, model: Model, program: Any) -> int:
    """A session whose program is killed while a command runs."""
    model.play({"DEAD:": DIES})
    env = {**world.env, "SHOP": "dead"}
    argv = [program.path, *program.print(Turn("DEAD: run the tests of the shop"))]
    running = subprocess.Popen(
        argv,
        cwd=world.project,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    end = time.monotonic() + PATIENCE
    while len(model.seen("DEAD:")) < len(DIES) - 1 and time.monotonic() < end:
        time.sleep(0.2)
    time.sleep(2)
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    return len(model.seen("DEAD:"))


def _facts(world: World) -> dict[str, int]:
    runs = (
        world.tacit("origin", "audit", "--limit", "100", check=False).get("runs")
        or world.tacit("origin", "audit")["runs"]
    )
    doctor = world.tacit("doctor")
    listed = world.tacit("list", "--limit", "100")["memories"]
    met = [row["lineages"] for row in doctor["noticed"] if "orders" in row["signature"]]
    return {
        "runs": world.tacit()["runs"],
        "settled": sum(bool(run["settled_at"]) for run in runs),
        "lineages": sum(met),
        "lessons with make db": sum("make db" in memory["text"] for memory in listed),
        "hook failures": doctor["events"].get("hook_failure", 0),
    }


if __name__ == "__main__":
    sys.exit(main())
