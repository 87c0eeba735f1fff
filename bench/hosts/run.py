#!/usr/bin/env python3
"""Drive the real host programs against a scripted model, and say what works: `make test-hosts`.

    run.py [--host NAME …] [--scenario NAME …] [--table FILE] [--keep]

Programs come from npm into `.hosts/`, once. Sessions run in a network namespace that has only a loopback, where one can be made.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from drive import ROOT, Session, World, faults, run  # noqa: E402
from model import Model  # noqa: E402
from programs import PROGRAMS, Program, install  # noqa: E402

INSIDE = "TACIT_HOSTS_INSIDE"
CANNOT = {  # why, where it is the same for every program that has no way for it
    "agent-plugin": "not tried: only Copilot installs such a folder by a command",
    "acp": "has no such mode of its own",
    "entry": "its records name no entry point",
    "ask": "its hooks have no answer that has the person asked",
    "refuse": "its hooks are told of a call when it is over, or guards do not speak to it",
    "stop": "its end of a turn cannot be answered",
    "question": "the scripted model is offered no tool that asks",
}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--host", action="append", default=[], help="only this host, or host-newest, host-npm"
    )
    parser.add_argument(
        "--scenario", action="append", default=[], help="only this scenario (its name, or a file)"
    )
    parser.add_argument(
        "--programs", type=Path, default=ROOT / ".hosts", help="where the programs are installed"
    )
    parser.add_argument("--table", type=Path, help="write the table between the marks in this file")
    parser.add_argument(
        "--times",
        type=int,
        default=1,
        help="drive each so often; it passes where it passed every time",
    )
    parser.add_argument(
        "--jobs", type=int, default=2, help="how many sessions are driven at the same time"
    )
    parser.add_argument(
        "--keep",
        action="store_true",
        help="keep the folders of the sessions, and say where they are",
    )
    given = parser.parse_args()
    programs = [each for each in PROGRAMS if _wanted(each, given.host)]
    if (
        INSIDE in os.environ
    ):  # the namespace has no way to npm: what was installed before stands here
        found = json.loads(os.environ[INSIDE])
        programs = [replace(each, **told) for each, told in zip(programs, found)]
    else:
        programs = [install(each, given.programs) for each in programs]
        for each in programs:
            print(
                f"{each.host} ({each.pick}): {each.version or '-'}{'  MISSING: ' + each.missing if each.missing else ''}",
                flush=True,
            )
        _isolate(
            json.dumps(
                [
                    {
                        "version": each.version,
                        "path": each.path,
                        "missing": each.missing,
                        "acp": each.acp,
                    }
                    for each in programs
                ]
            )
        )
    scenarios = {
        path.stem: json.loads(path.read_text())
        for path in sorted((HERE / "scenarios").glob("*.json"))
    }
    chosen = {
        name: scenarios.get(name) or json.loads(Path(name).read_text())
        for name in (given.scenario or scenarios)
    }
    began, load = time.monotonic(), os.getloadavg()[0]
    with ProcessPoolExecutor(
        given.jobs
    ) as pool:  # a session mostly waits, and each has a home of its own
        driven = {
            (program.name, told["title"]): pool.submit(
                _often, program, told, given.keep, given.times
            )
            for told in chosen.values()
            for program in programs
        }
        rows = {
            program.name: {
                told["title"]: driven[program.name, told["title"]].result()
                for told in chosen.values()
            }
            for program in programs
        }
    if given.table:
        took = f"{(time.monotonic() - began) / 60:.0f} minutes, {given.jobs} at a time, load {load:.0f} at the beginning and {os.getloadavg()[0]:.0f} at the end"
        _write_table(
            given.table,
            rows,
            f"{time.strftime('%Y-%m-%d')}, commit {_commit()}, Node {_node()}; one call, {took}.",
        )
    failed = sum(cell[0] == "FAILS" for cells in rows.values() for cell in cells.values())
    print(
        f"{sum(cell[0] == 'yes' for cells in rows.values() for cell in cells.values())} pass, {failed} fail"
    )
    return 1 if failed else 0


def _wanted(program: Program, hosts: list[str]) -> bool:
    return not hosts or program.host in hosts or f"{program.host}-{program.pick}" in hosts


def _isolate(found: str) -> None:
    """Go on in a network namespace of our own; say so where that is not to be had."""
    own = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--net", "--map-root-user"]
    if (
        shutil.which("unshare")
        and not subprocess.run([*own, "true"], capture_output=True).returncode
    ):
        os.execvpe(own[0], [*own, sys.executable, *sys.argv], {**os.environ, INSIDE: found})
    print(
        "no network namespace can be made here: the programs could reach other machines", flush=True
    )


def _loopback() -> None:
    """A new namespace's loopback is down."""
    import fcntl
    import socket
    import struct

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(asked, 0x8913, request))[1]
        fcntl.ioctl(asked, 0x8914, struct.pack("16sh14x", b"lo", flags | 1))


def _often(program: Program, told: dict[str, Any], keep: bool, times: int) -> tuple[str, str]:
    """Driven several times: what failed once fails."""
    cells = [_cell(program, told, keep) for _ in range(times)]
    failed = [cell for cell in cells if cell[0] == "FAILS"]
    if times > 1:
        print(
            f"{program.name:28} {told['title']:30} {sum(cell[0] == 'yes' for cell in cells)} of {times}",
            flush=True,
        )
    return failed[0] if failed else cells[0]


def _cell(program: Program, told: dict[str, Any], keep: bool) -> tuple[str, str]:
    """yes, FAILS, or - with the reason."""
    if program.missing:
        return "-", program.missing
    for need in told.get("needs", ()):
        if (need not in program.can and not (need == "terminal" and program.typed)) or (
            need == "acp" and not program.acp
        ):
            return "-", dict(program.cannot).get(need, CANNOT.get(need, f"cannot {need}"))
    told = json.loads(
        json.dumps(told).replace("{agent}", program.agent).replace("{other}", program.other)
    )
    began = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="tacit-hosts-"))
    model = Model()
    sessions: list[Session] = []
    try:
        world = World(folder, model)
        world.env.update(program.ready(world.home, world.project, model.url))
        prepare(program, world, told)
        if keep:
            listen(world)
        for each in told["sessions"]:
            sessions.append(run(program, world, each, sessions))
        wrong = [
            f"session {n + 1}: {s.out[-300:]}" for n, s in enumerate(sessions) if s.code is None
        ]
        wrong += faults(world, sessions, told["expect"], program.can)
    except (AssertionError, OSError, subprocess.SubprocessError) as error:
        wrong = [f"{type(error).__name__}: {str(error)[:400]}"]
    finally:
        model.close()
        if keep:
            _keep_log(folder, sessions)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    cell = ("FAILS", "; ".join(wrong)) if wrong else ("yes", "")
    where = f"  [{folder}]" if keep else ""
    print(
        f"{program.name:28} {told['title']:30} {cell[0]:5} {time.monotonic() - began:5.1f} s  {cell[1]}{where}",
        flush=True,
    )
    return cell


def prepare(program: Program, world: World, told: dict[str, Any]) -> None:
    """What stands in the store and in the host's settings before the first session."""
    if told.get("trial") is False:
        world.env["TACIT_COIN"] = "never"
    world.tacit("init")
    for text in told.get("noted", ()):  # an agent's own notes: they wait
        world.said("add", text)
    for words in told.get("keep", ()):
        world.lesson = world.tacit("add", *words, "--by", "ada", "--yes")["id"]
    for step, text, form in told.get("guards", ()):
        lesson = world.tacit("add", text, "--by", "ada", "--yes")["id"]
        world.tacit("guard", step, lesson, "--before", form, "--anyway")
    for form, text in told.get("checks", ()):
        lesson = world.tacit("add", text, "--by", "ada", "--yes")["id"]
        world.tacit("guard", "check", lesson, "--when-done", form)
    if told.get("plugin"):
        PLUGIN[program.host](program, world)
    else:
        world.tacit("connect", program.host, "--yes", "--by", "ada")
    if told.get("mcp"):
        MCP[program.host](program, world)


def listen(world: World) -> None:
    """Let hooks also write down what they are sent, in payloads.jsonl: the shapes that fixtures are made from."""
    real, ear = str(Path(sys.executable).with_name("tacit")), world.folder / "tacit"
    ear.write_text(
        f'#!/bin/sh\ncat >"{world.folder}/in.$$"\n(cat "{world.folder}/in.$$"; echo) >>"{world.folder}/payloads.jsonl"\n"{real}" "$@" <"{world.folder}/in.$$"\n'
    )
    ear.chmod(0o755)
    for path in settings_of(world):
        if path.exists():
            path.write_text(path.read_text().replace(real, str(ear)))


def settings_of(world: World) -> list[Path]:
    """The files in which `connect` registers our command."""
    homes = (
        ".codex/hooks.json",
        ".gemini/settings.json",
        ".copilot/hooks/tacit.json",
        ".config/opencode/plugins/tacit.js",
    )
    return [
        world.project / ".claude" / "settings.local.json",
        *(world.home / name for name in homes),
    ]


def _by_command(*words: str) -> Any:
    def add(program: Program, world: World) -> None:
        tacit = str(Path(sys.executable).with_name("tacit"))
        done = subprocess.run(
            [program.path, *words, tacit, "mcp"],
            cwd=world.project,
            env=world.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert not done.returncode, f"{' '.join(words)}: {done.stdout}{done.stderr}"

    return add


def _opencode_mcp(program: Program, world: World) -> None:
    path = world.home / ".config" / "opencode" / "opencode.json"
    settings = json.loads(path.read_text())
    settings["mcp"] = {
        "tacit": {
            "type": "local",
            "command": [str(Path(sys.executable).with_name("tacit")), "mcp"],
            "enabled": True,
        }
    }
    path.write_text(json.dumps(settings))


def _copilot_mcp(program: Program, world: World) -> None:
    path = world.home / ".copilot" / "mcp-config.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    server = {
        "type": "local",
        "command": str(Path(sys.executable).with_name("tacit")),
        "args": ["mcp"],
        "tools": ["*"],
    }
    path.write_text(json.dumps({"mcpServers": {"tacit": server}}))


MCP = {
    "claude-code": _by_command("mcp", "add", "tacit", "--"),
    "codex": _by_command("mcp", "add", "tacit", "--"),
    "gemini": _by_command("mcp", "add", "tacit"),
    "copilot": _copilot_mcp,
    "opencode": _opencode_mcp,
}


def _claude_plugin(program: Program, world: World) -> None:
    for words in (["marketplace", "add", str(ROOT)], ["install", "tacit@tacit"]):
        done = subprocess.run(
            [program.path, "plugin", *words],
            cwd=world.project,
            env=world.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert not done.returncode, f"plugin {' '.join(words)}: {done.stdout}{done.stderr}"


def _agent_plugin(program: Program, world: World) -> None:
    """The Agent Plugins 1.0 folder: a skill and our MCP server; hooks stay those of `connect`."""
    place = ["plugin", "install", str(ROOT / "plugins" / "agent")]
    subprocess.run(
        [program.path, *place],
        env=world.env,
        cwd=world.project,
        check=True,
        capture_output=True,
        timeout=120,
    )
    world.tacit("connect", program.host, "--yes", "--by", "ada")


PLUGIN = {"claude-code": _claude_plugin, "copilot": _agent_plugin}


def _keep_log(folder: Path, sessions: list[Session]) -> None:
    for n, session in enumerate(sessions):
        lines = [
            json.dumps(
                {
                    "track": r.track,
                    "step": r.step,
                    "path": r.path,
                    "tools": r.tools,
                    "body": {k: v for k, v in r.body.items() if k != "tools"},
                }
            )
            for r in session.requests
        ]
        (folder / f"session-{n}.jsonl").write_text("\n".join(lines))
        (folder / f"session-{n}.out").write_text(session.out)


def _write_table(path: Path, rows: dict[str, dict[str, tuple[str, str]]], told: str) -> None:
    """Put the table, under what is told of it, between its two marks."""
    begin, end = "<!-- table: begin (make test-hosts) -->", "<!-- table: end -->"
    titles = list(dict.fromkeys(title for cells in rows.values() for title in cells))
    lines = [told, "", "| | " + " | ".join(rows) + " |", "|---|" + "---|" * len(rows)]
    notes: dict[str, int] = {}

    def shown(word: str, why: str) -> str:
        return word if not why else f"{word} ({notes.setdefault(why[:200], len(notes) + 1)})"

    for title in titles:
        lines.append(
            f"| {title} | "
            + " | ".join(shown(*cells.get(title, ("", ""))) for cells in rows.values())
            + " |"
        )
    lines += ["", *(f"({n}) {note}  " for note, n in notes.items())]
    text = path.read_text()
    before, _, rest = text.partition(begin)
    after = rest.partition(end)[2]
    path.write_text(f"{before}{begin}\n" + "\n".join(lines).rstrip() + f"\n{end}{after}")


def _commit() -> str:
    """What was driven; with a mark where files differ from it."""
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--exclude", "*"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip() or "unknown"


def _node() -> str:
    done = subprocess.run(["node", "--version"], capture_output=True, text=True)
    return done.stdout.strip().removeprefix("v")


if __name__ == "__main__":
    if INSIDE in os.environ:
        _loopback()
    sys.exit(main())
