#!/usr/bin/env python3
"""What hooks cost: CPU of each event of each host against a bare interpreter, medians of interleaved pairs, and of a session of 100 calls.

    cost.py [--pairs 15]

Payloads have the shapes that `make test-hosts` records. The store holds 300 lessons; answers are recorded as in a session.
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

TACIT = str(Path(sys.executable).with_name("tacit"))
CALLS = ["ls -la"] * 35 + ["cat src/a.py"] * 25 + ["grep -rn x src"] * 15 + ["./bin/pytest -q tests"] * 15 + ["git status"] * 5 + ["make db"] * 5


def events(folder: str, rollout: str) -> dict[str, list[tuple[str, dict[str, object]]]]:
    """Host -> (event, payload); {n} is numbered anew for each call."""
    def claude(name: str, **more: object) -> dict[str, object]:
        return {"session_id": "c{n}", "transcript_path": "", "cwd": folder, "hook_event_name": name, **more}

    def codex(name: str, **more: object) -> dict[str, object]:
        return {"session_id": "x{n}", "turn_id": "t", "transcript_path": rollout, "cwd": folder, "hook_event_name": name, **more}

    def gemini(name: str, **more: object) -> dict[str, object]:
        return {"session_id": "g{n}", "transcript_path": "", "cwd": folder, "hook_event_name": name, "timestamp": "2026-11-16T06:19:59.486Z", **more}

    def copilot(**more: object) -> dict[str, object]:
        return {"sessionId": "p{n}", "timestamp": 1794809979734, "cwd": folder, **more}

    runs, looks = {"tool_input": {"command": "make db"}, "tool_name": "Bash", "tool_use_id": "u{n}"}, {"tool_input": {"command": "ls"}, "tool_name": "Bash", "tool_use_id": "u{n}"}
    shared = [
        ("session-start", {"source": "startup"}, "SessionStart"), ("prompt", {"prompt": "why does the queue number 7 hang?"}, "UserPromptSubmit"),
        ("subagent-start", {"agent_id": "a1", "agent_type": "worker"}, "SubagentStart"), ("before-command", runs, "PreToolUse"),
        ("before-command, looking", looks, "PreToolUse"), ("stop", {}, "Stop"), ("session-end", {}, "SessionEnd"),
    ]  # fmt: skip
    failed = "psycopg.OperationalError: connection to server failed: Connection refused"
    return {
        "claude-code": [(name, claude(theirs, **more)) for name, more, theirs in shared] + [("tool-failure", claude("PostToolUseFailure", **{**runs, "error": f"Exit code 1\n{failed}"}))],
        "codex": [(name, codex(theirs, **more)) for name, more, theirs in shared] + [("tool-failure", codex("PostToolUse", **{**runs, "tool_response": failed + "\nError: exit code 1"}))],
        "gemini": [
            ("session-start", gemini("SessionStart", source="startup")), ("prompt", gemini("BeforeAgent", prompt="why does the queue number 7 hang?")),
            ("tool-failure", gemini("AfterTool", tool_name="run_shell_command", tool_response={"llmContent": f"Output: {failed}\nExit Code: 2"})),
            ("stop", gemini("AfterAgent")), ("session-end", gemini("SessionEnd")),
        ],
        "copilot": [
            ("session-start", copilot(source="new", initialPrompt="hello")), ("step", copilot(toolName="bash", toolArgs={"command": "ls"}, toolResult={"resultType": "success", "textResultForLlm": "a"})),
            ("tool-failure", copilot(toolName="bash", toolArgs={"command": "psql"}, toolResult={"resultType": "success", "textResultForLlm": f"{failed}\n<shellId: 0 completed with exit code 1>"})),
            ("stop", copilot(stopReason="end_turn")), ("session-end", copilot(reason="complete")),
        ],
    }  # fmt: skip


def cpu(argv: list[str], env: dict[str, str], said: str = "") -> float:
    """CPU seconds of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(argv, env=env, input=said, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=15)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        env = {"PATH": os.environ["PATH"], "HOME": folder, "TACIT_NO_WORKER": "1"}
        project = os.path.join(folder, "shop")
        os.makedirs(project)
        lessons = "".join(json.dumps({"text": f"The queue number {n} hangs when worker {n} restarts with code {n * 7}.", "kind": "pitfall"}) + "\n" for n in range(300))
        Path(folder, "lessons.jsonl").write_text(lessons)
        for words in (["init"], ["add", "Use pnpm, not npm.", "--kind", "preference"], ["add", "`make db` needs port 5432.", "--kind", "rule"], ["import", f"{folder}/lessons.jsonl", "--trust", "user", "--yes", "--by", "ada"]):
            subprocess.run([TACIT, *words], cwd=project, env=env, capture_output=True, check=False)
        rollout = os.path.join(folder, "rollout-x.jsonl")
        Path(rollout).write_text(json.dumps({"payload": {"item": {"type": "CommandExecution", "id": "other", "exit_code": 0}}}) + "\n")
        bare = [sys.executable, "-c", "pass"]
        count = 0
        print("| host | event | times a bare interpreter |\n|---|---|---|")
        for host, listed in events(project, rollout).items():
            for name, payload in listed:
                ratios, floor = [], []
                for _ in range(given.pairs):
                    count += 1
                    said = json.dumps(payload).replace("{n}", str(count))
                    argv = [TACIT, "hook", name.partition(",")[0], *([] if host == "claude-code" else ["--host", host])]
                    floor.append(cpu(bare, env))
                    ratios.append(cpu(argv, env, said))
                print(f"| {host} | {name} | {statistics.median(ratios) / statistics.median(floor):.1f} |", flush=True)
        total = bare_total = 0.0
        for n, command in enumerate(CALLS):
            said = {"session_id": "hundred", "cwd": project, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_use_id": f"h{n}", "tool_input": {"command": command}}
            total += cpu([TACIT, "hook", "before-command"], env, json.dumps(said))
            bare_total += cpu(bare, env) if n < 20 else 0.0
        print(f"\na session of 100 shell calls (75 look, 25 run something): {total:.2f} s CPU before commands, {total / (bare_total * 5):.1f} times 100 bare interpreters")
    return 0


if __name__ == "__main__":
    sys.exit(main())
