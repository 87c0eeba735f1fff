#!/usr/bin/env python3
"""What hooks add to a session by the host's own account: the wall time that the real program writes down for them.

    log.py [--host codex …] [--sessions 6]

Sessions alternate: in one the registered command is ours, in the next a bare interpreter (`python -c pass`) at the same events, so that both
meet the same machine and the same host. Claude Code has the times in its debug log, Codex tells them to a client of its app-server, Gemini
writes them into its telemetry, Copilot into a session's events. opencode has no hooks of its own and writes no times down: there the wrapper
that stands in front of the command measures the process.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from drive import PATIENCE, ROOT, TACIT, World, call  # noqa: E402
from model import Model  # noqa: E402
from programs import PROGRAMS, Program, install  # noqa: E402
from run import prepare, settings_of  # noqa: E402

Times = list[tuple[str, float]]  # events as the host names them, milliseconds

KEPT = [
    ["Use pnpm, not npm.", "--kind", "preference"],
    ["`make db` makes the tables that `pytest` needs.", "--kind", "fact"],
]
WORK: list[dict[str, Any]] = [
    {"shell": "./bin/pytest -q tests"},
    {"shell": "make db"},
    {"shell": "./bin/pytest -q tests"},
    {"say": "All pass."},
]
PROMPT = "run the tests of the shop"


def script(program: Program) -> dict[str, Any]:
    """A failure and its cure; with a sub-agent where the host tells of one."""
    if "subagent" not in program.can:
        return {"main": WORK}
    asked = {"agent": "SUBTASK: look", "type": program.agent}
    return {
        "main": [*WORK[:2], asked, {"shell": "sleep 4"}, *WORK[2:]],
        "SUBTASK": [{"shell": "ls tests"}, {"say": "Looked."}],
    }


def stand_in(world: World, timed: bool) -> None:
    """Let the host start, by one and the same line, our command or, where the file `bare` is there, an interpreter that does nothing.

    It takes the shell's place, so that little is added to either; where the host writes no times the shell stays and measures.
    """
    wrapper, times = world.folder / "tacit", world.folder / "times"
    bare, ours = f'"{sys.executable}" -c pass', f'"{TACIT}" "$@"'
    if timed:
        chosen = f'if [ -e "{world.folder}/bare" ]; then {bare}; else {ours}; fi'
        text = f'began=$(date +%s%N)\n{chosen}\ncode=$?\necho "$2 $(( ($(date +%s%N) - began) / 1000 ))" >>"{times}"\nexit $code\n'
    else:
        text = f'if [ -e "{world.folder}/bare" ]; then exec {bare}; else exec {ours}; fi\n'
    wrapper.write_text(f"#!/bin/sh\n{text}")
    wrapper.chmod(0o755)
    for path in settings_of(world):
        if path.exists():
            path.write_text(path.read_text().replace(TACIT, str(wrapper)))


# -- where each host has them ------------------------------------------------------------------------------------------


def _claude(program: Program, world: World) -> Times:
    folder = world.home / ".claude" / "debug"
    shutil.rmtree(folder, ignore_errors=True)
    call(program, world, {"prompt": PROMPT, "flags": ["--debug", "hooks"]}, [])
    said = re.compile(r"Hooks: (\w+)(?::\S*)? \[[^\]]*\] finished with status \d+ \((\d+)ms\)")
    return [
        (event, float(ms))
        for path in folder.glob("*.txt")
        for event, ms in said.findall(path.read_text())
    ]


def _gemini(program: Program, world: World) -> Times:
    """Its telemetry, written into a file: objects one after another."""
    path, out = world.home / ".gemini" / "settings.json", world.folder / "telemetry.json"
    out.unlink(missing_ok=True)
    settings = json.loads(path.read_text())
    settings["telemetry"] = {
        "enabled": True,
        "target": "local",
        "otlpEndpoint": "",
        "outfile": str(out),
    }
    path.write_text(json.dumps(settings))
    call(program, world, {"prompt": PROMPT}, [])
    found, text, read = [], out.read_text() if out.exists() else "", json.JSONDecoder()
    at = 0
    while (at := text.find("{", at)) >= 0:
        told, at = read.raw_decode(text, at)
        said = told.get("attributes") or {}
        if said.get("event.name") == "gemini_cli.hook_call":
            found.append((str(said["hook_event_name"]), float(said["duration_ms"])))
    return found


def _copilot(program: Program, world: World) -> Times:
    folder = world.home / ".copilot" / "session-state"
    shutil.rmtree(folder, ignore_errors=True)
    call(program, world, {"prompt": PROMPT}, [])
    began: dict[str, datetime] = {}
    found = []
    for path in folder.glob("*/events.jsonl"):
        for told in map(json.loads, path.read_text().splitlines()):
            if told["type"] in ("hook.start", "hook.end"):
                id, at = told["data"]["hookInvocationId"], datetime.fromisoformat(told["timestamp"])
                if told["type"] == "hook.start":
                    began[id] = at
                elif id in began:
                    found.append(
                        (str(told["data"]["hookType"]), (at - began.pop(id)).total_seconds() * 1000)
                    )
    return found


def _codex(program: Program, world: World) -> Times:
    """A session of its app-server, which tells its client of each hook."""
    with _Client(program, world) as client:
        if "[hooks.state." not in (world.home / ".codex" / "config.toml").read_text():
            return _trusted(client, world) or _codex(program, world)
        thread = client.ask("thread/start", cwd=str(world.project))["thread"]["id"]
        client.ask("turn/start", threadId=thread, input=[{"type": "text", "text": PROMPT}])
        client.until(
            lambda told: (
                told.get("method") == "turn/completed" and told["params"]["threadId"] == thread
            )
        )
        client.leave()
    ended = [
        told["params"]["run"] for told in client.told if told.get("method") == "hook/completed"
    ]
    return [(run["eventName"], float(run["durationMs"])) for run in ended]


def _trusted(client: _Client, world: World) -> Times:
    """Trust our hooks as their user would at its terminal: the host tells the hash that it wants to see."""
    rows = [
        row
        for each in client.ask("hooks/list", cwds=[str(world.project)])["data"]
        for row in each["hooks"]
    ]
    client.leave()
    with open(world.home / ".codex" / "config.toml", "a", encoding="utf-8") as file:
        file.writelines(
            f'\n[hooks.state.{json.dumps(row["key"])}]\ntrusted_hash = "{row["currentHash"]}"\n'
            for row in rows
        )
    return []


class _Client:
    """A client of Codex's app-server: a line is a message."""

    def __init__(self, program: Program, world: World) -> None:
        self.told: list[dict[str, Any]] = []
        self.server = subprocess.Popen(
            ["timeout", str(PATIENCE), program.path, "app-server"],
            cwd=world.project,
            env=world.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.ask("initialize", clientInfo={"name": "tacit-bench", "version": "1"})
        self.say({"method": "initialized"})

    def __enter__(self) -> _Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def say(self, message: dict[str, Any]) -> None:
        assert self.server.stdin is not None
        self.server.stdin.write(json.dumps(message) + "\n")
        self.server.stdin.flush()

    def ask(self, method: str, **params: Any) -> Any:
        id = len(self.told) + 1000
        self.say({"id": id, "method": method, "params": params})
        answer = self.until(lambda told: told.get("id") == id)
        assert "result" in answer, f"codex app-server, {method}: {answer}"
        return answer["result"]

    def until(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        assert self.server.stdout is not None
        for line in self.server.stdout:
            self.told.append(json.loads(line))
            if wanted(self.told[-1]):
                return self.told[-1]
        raise AssertionError("codex app-server ended")

    def leave(self) -> None:
        if self.server.stdin is None or self.server.stdin.closed:
            return
        self.server.stdin.close()
        assert self.server.stdout is not None
        self.told += [json.loads(line) for line in self.server.stdout]
        self.server.wait(60)


def _measured(program: Program, world: World) -> Times:
    """By the wrapper."""
    path = world.folder / "times"
    path.unlink(missing_ok=True)
    call(program, world, {"prompt": PROMPT}, [])
    rows = [line.split() for line in path.read_text().splitlines()] if path.exists() else []
    return [(event, int(us) / 1000) for event, us in rows]


TOLD_BY: dict[str, tuple[str, Callable[[Program, World], Times]]] = {
    "claude-code": ("its debug log", _claude),
    "codex": ("its app-server's `hook/completed`", _codex),
    "gemini": ("its telemetry", _gemini),
    "copilot": ("its `events.jsonl`", _copilot),
    "opencode": ("no log of its own: a wrapper around the command", _measured),
}


def measured(program: Program, sessions: int) -> dict[str, tuple[list[float], list[float]]]:
    """Event -> times of ours and of a bare interpreter."""
    found: dict[str, tuple[list[float], list[float]]] = {}
    with tempfile.TemporaryDirectory(prefix="tacit-log-", ignore_cleanup_errors=True) as folder:
        model = Model()
        world = World(Path(folder), model)
        world.env.update(program.ready(world.home, world.project, model.url))
        prepare(program, world, {"keep": KEPT})
        stand_in(world, TOLD_BY[program.host][1] is _measured)
        for number in range(2 * sessions):
            (world.project / ".db-up").unlink(missing_ok=True)
            (world.folder / "bare").touch() if number % 2 else (world.folder / "bare").unlink(
                missing_ok=True
            )
            model.play(script(program))
            for event, ms in TOLD_BY[program.host][1](program, world):
                found.setdefault(event, ([], []))[number % 2].append(ms)
        model.close()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--host", action="append", default=[], help="only this host, or host-newest, host-npm"
    )
    parser.add_argument(
        "--sessions", type=int, default=6, help="with ours, and as many with a bare interpreter"
    )
    parser.add_argument("--programs", type=Path, default=ROOT / ".hosts")
    given = parser.parse_args()
    print("| host | event | ours, ms | bare, ms | ratio | n |\n|---|---|---|---|---|---|")
    for each in PROGRAMS:
        if given.host and not {each.host, f"{each.host}-{each.pick}"} & {*given.host}:
            continue
        program = install(each, given.programs)
        if program.missing:
            print(f"| {program.name} | {program.missing} | | | | |")
            continue
        for event, (ours, bare) in measured(program, given.sessions).items():
            if ours and bare:
                one, other = statistics.median(ours), statistics.median(bare)
                print(
                    f"| {program.name} | {event} | {one:.0f} | {other:.0f} | {one / other:.1f} | {len(ours)} |",
                    flush=True,
                )
        print(
            f"<!-- {program.name}: by {TOLD_BY[program.host][0]}; load {os.getloadavg()[0]:.0f} -->",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
