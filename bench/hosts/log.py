#!/usr/bin/env python3
"""What hooks add to a session by the host's own log: Claude Code's durations of our hooks, beside those of a bare interpreter at the same events.

    log.py [--host claude-code-newest] [--sessions 6]

The control is a hook `python -c pass`, registered for the same events by the user: the host starts both at once, so both wait for the same
machine. Wall time, as the host writes it down in its debug log.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from drive import ROOT, World, call  # noqa: E402
from model import Model  # noqa: E402
from programs import PROGRAMS, install  # noqa: E402
from run import prepare  # noqa: E402

EVENTS = {"SessionStart": "", "UserPromptSubmit": "", "SubagentStart": "", "PreToolUse": "Bash", "PostToolUseFailure": "Bash", "Stop": "", "SessionEnd": ""}
BARE = f"{sys.executable} -c pass"
SCRIPT = {
    "main": [{"shell": "./bin/pytest -q tests"}, {"shell": "make db"}, {"agent": "SUBTASK: look", "type": "general-purpose"}, {"shell": "./bin/pytest -q tests"}, {"say": "All pass."}],
    "SUBTASK": [{"shell": "ls tests"}, {"say": "Looked."}],
}  # fmt: skip


def durations(home: Path) -> dict[tuple[str, str], list[float]]:
    """(event, ours or bare) -> milliseconds, as the host's debug log tells them."""
    found: dict[tuple[str, str], list[float]] = {}
    for path in (home / ".claude" / "debug").glob("*.txt"):
        for event, command, ms in re.findall(r"Hooks: (\w+)(?::\S*)? \[([^\]]*)\] finished with status \d+ \((\d+)ms\)", path.read_text()):
            found.setdefault((event, _whose(command)), []).append(float(ms))
    return found


def _whose(command: str) -> str:
    return "ours" if "tacit hook" in command else "bare"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--host", default="claude-code-newest")
    parser.add_argument("--sessions", type=int, default=6)
    parser.add_argument("--programs", type=Path, default=ROOT / ".hosts")
    given = parser.parse_args()
    [program] = [install(each, given.programs) for each in PROGRAMS if f"{each.host}-{each.pick}" == given.host]
    with tempfile.TemporaryDirectory(prefix="tacit-log-", ignore_cleanup_errors=True) as folder:
        model = Model()
        world = World(Path(folder), model)
        world.env.update(program.ready(world.home, world.project, model.url))
        hooks = {event: [{**({"matcher": tools} if tools else {}), "hooks": [{"type": "command", "command": BARE}]}] for event, tools in EVENTS.items()}
        (world.home / ".claude").mkdir(exist_ok=True)
        (world.home / ".claude" / "settings.json").write_text(json.dumps({"hooks": hooks}))
        prepare(program, world, {"keep": [["Use pnpm, not npm.", "--kind", "preference"], ["`make db` makes the tables that `pytest` needs.", "--kind", "fact"]]})
        for _ in range(given.sessions):
            (world.project / ".db-up").unlink(missing_ok=True)
            model.play(SCRIPT)
            call(program, world, {"prompt": "run the tests of the shop", "flags": ["--debug", "hooks"]}, [])
        found = durations(world.home)
        model.close()
    print(f"{program.name}, {given.sessions} sessions, load {os.getloadavg()[0]:.0f}\n\n| event | ours, ms | bare, ms | ratio | n |\n|---|---|---|---|---|")
    for event in EVENTS:
        ours, bare = found.get((event, "ours"), []), found.get((event, "bare"), [])
        if ours:
            ratio = f"{statistics.median(ours) / statistics.median(bare):.1f}" if bare else "-"
            print(f"| {event} | {statistics.median(ours):.0f} | {statistics.median(bare) if bare else 0:.0f} | {ratio} | {len(ours)} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
