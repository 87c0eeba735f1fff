#!/usr/bin/env python3
"""What hooks cost: CPU of each event of each host against a bare interpreter, medians of interleaved pairs, and of a session of 100 calls.

    cost.py [--pairs 15]

Payloads are the hosts' own samples, the events of a session one after the other (`tacit.hosts.registration`), in the shapes that `make test-hosts` records. The store holds 300 lessons; answers are recorded as in a session.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tacit.app import open as open_memories
from tacit.core.states import INJECTABLE
from tacit.core.value import replace
from tacit.hosts import every_host
from tacit.hosts.registration import Scene
from tacit.testing import signed

TACIT = str(Path(sys.executable).with_name("tacit"))
ORDER = (
    "session-start",
    "prompt",
    "subagent-start",
    "before-command",
    "before-file",
    "step",
    "tool-failure",
    "pre-compact",
    "stop",
    "session-end",
)
CALLS = (
    ["ls -la"] * 35
    + ["cat src/a.py"] * 25
    + ["grep -rn x src"] * 15
    + ["./bin/pytest -q tests"] * 15
    + ["git status"] * 5
    + ["make db"] * 5
)


def events(folder: str, rollout: str) -> dict[str, list[tuple[str, list[str], dict[str, object]]]]:
    """Host -> (row, words after `tacit hook`, payload); {n} is numbered anew for each call."""
    scene = Scene(
        folder,
        "s{n}",
        prompt="why does the queue number 7 hang?",
        command="make db",
        call="u{n}",
        error="psycopg.OperationalError: connection to server failed: Connection refused",
    )
    found: dict[str, list[tuple[str, list[str], dict[str, object]]]] = {}
    for name, host in every_host().items():
        told = replace(scene, transcript=rollout) if name == "codex" else scene
        words = [] if host.loaded_by_others else ["--host", name]
        rows = [
            (entry.ours, [entry.ours, *words], host.sample(entry, told)) for entry in host.entries
        ]
        looking = [
            (
                f"{entry.ours}, looking",
                [entry.ours, *words],
                host.sample(entry, replace(told, command="ls -la")),
            )
            for entry in host.entries
            if entry.ours == "before-command"
        ]
        found[name] = sorted(
            {row[0] + str(sorted(row[2])): row for row in (*rows, *looking)}.values(),
            key=lambda row: ORDER.index(row[1][0]) if row[1][0] in ORDER else len(ORDER),
        )
    return found


def cpu(argv: list[str], env: dict[str, str], said: str = "") -> float:
    """CPU seconds of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        argv,
        env=env,
        input=said,
        text=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "cost", "version": "1"},
    },
}


def first_answer(env: dict[str, str]) -> float:
    """CPU seconds of `tacit mcp` until its first answer, by the kernel's own count."""
    with subprocess.Popen(
        [TACIT, "mcp"],
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as server:
        assert server.stdin and server.stdout
        server.stdin.write(json.dumps(HELLO).encode() + b"\n")
        server.stdin.flush()
        assert server.stdout.readline()
        spent = int(Path(f"/proc/{server.pid}/schedstat").read_text().split()[0]) / 1e9
        server.kill()
    return spent


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--host", action="append", default=[], help="only this host")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        env = {"PATH": os.environ["PATH"], "HOME": folder, "TACIT_NO_WORKER": "1"}
        project = os.path.join(folder, "shop")
        os.makedirs(project)
        # Signed by a person: what nobody signed waits, and hooks would look through an empty store.
        person = signed({**env, "USER": "ada"})
        with open_memories(env=person, cwd=project) as memories:
            memories.add_many(
                [
                    {"text": "Use pnpm, not npm.", "kind": "preference"},
                    {"text": "`make db` needs port 5432.", "kind": "rule"},
                    *(
                        {
                            "text": f"The queue number {n} hangs when worker {n} restarts with code {n * 7}.",
                            "kind": "pitfall",
                        }
                        for n in range(300)
                    ),
                ]
            )
            in_force = sum(memory.state in INJECTABLE for memory in memories.list(limit=1000))
        assert in_force == 302, f"{in_force} lessons are in force, not 302"
        rollout = os.path.join(folder, "rollout-x.jsonl")
        Path(rollout).write_text(
            json.dumps(
                {"payload": {"item": {"type": "CommandExecution", "id": "other", "exit_code": 0}}}
            )
            + "\n"
        )
        bare = [sys.executable, "-c", "pass"]
        count = 0
        print("| host | event | times a bare interpreter |\n|---|---|---|")
        for host, listed in events(project, rollout).items():
            if given.host and host not in given.host:
                continue
            spent: list[tuple[list[float], list[float]]] = [([], []) for _ in listed]
            for _ in range(given.pairs):  # each time a session of its own, its events in order
                count += 1
                for (_, words, payload), (floor, ours) in zip(listed, spent):
                    floor.append(cpu(bare, env))
                    ours.append(
                        cpu(
                            [TACIT, "hook", *words],
                            env,
                            json.dumps(payload).replace("{n}", str(count)),
                        )
                    )
            for (name, _, _), (floor, ours) in zip(listed, spent):
                print(
                    f"| {host} | {name} | {statistics.median(ours) / statistics.median(floor):.1f} |",
                    flush=True,
                )
        total = bare_total = 0.0
        for n, command in enumerate(CALLS):
            said = {
                "session_id": "hundred",
                "cwd": project,
                "hook_event_name": "PreToolUse",
                "tool_name": "Bash",
                "tool_use_id": f"h{n}",
                "tool_input": {"command": command},
            }
            total += cpu([TACIT, "hook", "before-command"], env, json.dumps(said))
            bare_total += cpu(bare, env) if n < 20 else 0.0
        print(
            f"\na session of 100 shell calls (75 look, 25 run something): {total:.2f} s CPU before commands, {total / (bare_total * 5):.1f} times 100 bare interpreters"
        )
        if Path("/proc/self/schedstat").exists():
            pairs = [(cpu(bare, env), first_answer(env)) for _ in range(given.pairs)]
            floor_at, first_at = (statistics.median(each) for each in zip(*pairs))
            print(
                f"tacit mcp, first answer: {first_at * 1000:.0f} ms CPU, {first_at / floor_at:.1f} times a bare interpreter"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
