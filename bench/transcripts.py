"""A synthetic long transcript of Claude Code, for the budget of learning.

    python bench/transcripts.py generate --mb 10 --seed 1 OUT  a Claude Code session, all text made up here

The generated session has the mix of a real one: more progress records than conversation, tool results that repeat
whole files, one failing command in six, answers split over records with the same message id.
"""

from __future__ import annotations

import argparse
import json
import random
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("verb", choices=["generate"])
    parser.add_argument("--mb", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("out")
    asked = parser.parse_args(argv)
    with open(asked.out, "wb") as file:
        file.writelines(generate(asked.mb, asked.seed))
    return 0


def generate(mb: float, seed: int) -> Iterator[bytes]:
    """A session of about so many megabytes; the same seed gives the same bytes."""
    session = _Session(random.Random(seed))
    written = 0
    while written < mb * 1_000_000:
        for record in session.turn():
            line = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            written += len(line)
            yield line


WORDS = (
    "ledger invoice batch cursor retry window queue broker token parser schema column region "
    "tenant worker lease snapshot digest checksum handler route filter merge rebase fixture "
    "backoff shard replica cache header payload gauge counter probe socket buffer stream "
    "encoder decoder folder archive manifest loader planner bucket ticket"
).split()
VERBS = (
    "load",
    "store",
    "merge",
    "split",
    "check",
    "count",
    "parse",
    "render",
    "expire",
    "renew",
    "publish",
    "resolve",
    "group",
    "sort",
    "drop",
    "verify",
)
ASKS = (
    "The {0} {1} test fails on a clean checkout. Find out why and fix it.",
    "Add a {0} option to the {1} command, with a test.",
    "Please use the {0} helper here; the {1} one is on its way out.",
    "No, keep the {0} as it is and change the {1} instead.",
    "Rename {0} to {1} everywhere and run the whole suite.",
)
FAILURES = (
    "ModuleNotFoundError: No module named '{0}_{1}'",
    "fatal: the {0} branch has no upstream branch",
    "AssertionError: expected 3 {0} entries, found 2 (tests/test_{1}.py:48)",
    "error: unknown option '--{0}-{1}'",
    "{0}/{1}.py:17: error: Incompatible return value type",
)


class _Session:
    """Writes the records of one session, turn by turn."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.clock = 1_790_000_000.0
        self.parent: str | None = None
        self.id = self.uuid()

    def turn(self) -> Iterator[dict[str, Any]]:
        """A prompt and what came of it."""
        chance = self.chance
        yield self.snapshot()
        ask = chance.choice(ASKS).format(*chance.sample(WORDS, 2))
        yield self.said(
            "user", {"role": "user", "content": ask}, promptSource="typed", permissionMode="default"
        )
        for _ in range(chance.randint(4, 18)):
            yield from self.cycle()
        yield self.answer([{"type": "text", "text": self.prose(4)}], self.message_id(), 300)
        yield self.record(
            "system", subtype="turn_duration", durationMs=chance.randint(10_000, 900_000)
        )
        if chance.random() < 0.05:
            yield self.record(
                "system", subtype="compact_boundary", content="Conversation compacted"
            )
            summary = {
                "role": "user",
                "content": "This session is being continued. " + self.prose(60),
            }
            yield self.said("user", summary, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def cycle(self) -> Iterator[dict[str, Any]]:
        """Thinking aloud, one tool call with its hooks, and the result."""
        chance = self.chance
        mid = self.message_id()
        if chance.random() < 0.3:
            yield self.answer(
                [{"type": "thinking", "thinking": self.prose(5), "signature": "s" * 300}], mid, 8
            )
        if chance.random() < 0.5:
            yield self.answer([{"type": "text", "text": self.prose(2)}], mid, 40)
        tool = chance.choices(("Bash", "Read", "Edit", "Write", "Grep"), (10, 6, 6, 2, 1))[0]
        call = "toolu_" + self.hex(24)
        given, result, recorded, failed = getattr(self, tool.lower())()
        yield self.answer(
            [{"type": "tool_use", "id": call, "name": tool, "input": given}], mid, 120
        )
        for event in ("PreToolUse", "PreToolUse", "PostToolUse", "PostToolUse", "PostToolUse"):
            data: dict[str, Any] = {
                "type": "hook_progress",
                "hookEvent": event,
                "hookName": f"{event}:{tool}",
            }
            yield self.record("progress", data=data, toolUseID=call, parentToolUseID=call)
        if tool == "Bash":
            for elapsed in range(chance.randint(0, 3)):
                data = {
                    "type": "bash_progress",
                    "output": self.log(3),
                    "elapsedTimeSeconds": elapsed,
                    "totalLines": 3,
                }
                yield self.record("progress", data=data, toolUseID=call, parentToolUseID=call)
        block = {"tool_use_id": call, "type": "tool_result", "content": result, "is_error": failed}
        yield self.said("user", {"role": "user", "content": [block]}, toolUseResult=recorded)

    def bash(self) -> tuple[dict[str, Any], str, Any, bool]:
        word, other = self.chance.sample(WORDS, 2)
        commands = (
            f"uv run pytest tests/test_{word}.py -q",
            f"git status && git diff {word}",
            "make lint",
        )
        command = self.chance.choice(commands)
        given = {"command": command, "description": f"Look at the {word}"}
        if self.chance.random() < 1 / 6:
            error = (
                f"Exit code 1\n{self.log(12)}\n{self.chance.choice(FAILURES).format(word, other)}"
            )
            return given, error, f"Error: {error}", True
        out = self.log(self.chance.randint(2, 40))
        return (
            given,
            out,
            {"stdout": out, "stderr": "", "interrupted": False, "isImage": False},
            False,
        )

    def read(self) -> tuple[dict[str, Any], str, Any, bool]:
        path, code = self.path(), self.code(self.chance.randint(20, 160))
        numbered = "\n".join(f"{n:>6}→{line}" for n, line in enumerate(code.splitlines(), 1))
        file = {
            "filePath": path,
            "content": code,
            "numLines": code.count("\n"),
            "startLine": 1,
            "totalLines": 400,
        }
        return {"file_path": path}, numbered, {"type": "text", "file": file}, False

    def edit(self) -> tuple[dict[str, Any], str, Any, bool]:
        path, whole, old, new = self.path(), self.code(120), self.code(4), self.code(6)
        given = {"file_path": path, "old_string": old, "new_string": new, "replace_all": False}
        if self.chance.random() < 1 / 12:
            error = (
                "<tool_use_error>String to replace not found in file.\nString: "
                + old
                + "</tool_use_error>"
            )
            return given, error, "Error: String to replace not found in file.", True
        patch = [
            {
                "oldStart": 9,
                "oldLines": 4,
                "newStart": 9,
                "newLines": 6,
                "lines": (old + new).splitlines(),
            }
        ]
        recorded = {"filePath": path, "oldString": old, "newString": new, "structuredPatch": patch}
        recorded["originalFile"] = whole
        return given, f"The file {path} has been updated.", recorded, False

    def write(self) -> tuple[dict[str, Any], str, Any, bool]:
        path, code = self.path(), self.code(self.chance.randint(20, 120))
        recorded = {"type": "create", "filePath": path, "content": code, "structuredPatch": []}
        return (
            {"file_path": path, "content": code},
            f"File created successfully at: {path}",
            recorded,
            False,
        )

    def grep(self) -> tuple[dict[str, Any], str, Any, bool]:
        names = [self.path() for _ in range(self.chance.randint(1, 12))]
        recorded = {"mode": "files_with_matches", "filenames": names, "numFiles": len(names)}
        return (
            {"pattern": self.chance.choice(WORDS), "path": "src"},
            "\n".join(names),
            recorded,
            False,
        )

    def answer(self, content: list[dict[str, Any]], mid: str, output: int) -> dict[str, Any]:
        usage = {
            "input_tokens": 3,
            "cache_creation_input_tokens": self.chance.randint(0, 4000),
            "output_tokens": output,
            "cache_read_input_tokens": self.chance.randint(10_000, 150_000),
            "service_tier": "standard",
        }
        message = {
            "model": "made-up-model-1",
            "id": mid,
            "type": "message",
            "role": "assistant",
            "content": content,
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage,
        }
        return self.said("assistant", message, requestId="req_" + self.hex(20))

    def said(self, kind: str, message: dict[str, Any], **more: Any) -> dict[str, Any]:
        return self.record(kind, message=message, **more)

    def record(self, kind: str, **more: Any) -> dict[str, Any]:
        before, self.parent = self.parent, self.uuid()
        return {
            "parentUuid": before,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/nobody/projects/made-up",
            "sessionId": self.id,
            "version": "2.1.240",
            "gitBranch": "main",
            "slug": "quiet-paper-boat",
            "type": kind,
            **more,
            "uuid": self.parent,
            "timestamp": self.now(),
            "entrypoint": "cli",
        }

    def snapshot(self) -> dict[str, Any]:
        backups = {
            self.path(): {"backupFileName": self.hex(16) + "@v1", "version": 1} for _ in range(6)
        }
        return {
            "type": "file-history-snapshot",
            "messageId": self.uuid(),
            "isSnapshotUpdate": False,
            "snapshot": {
                "messageId": self.uuid(),
                "trackedFileBackups": backups,
                "timestamp": self.now(),
            },
        }

    def prose(self, sentences: int) -> str:
        said = []
        for _ in range(sentences):
            a, b, c = self.chance.sample(WORDS, 3)
            said.append(
                f"The {a} has to {self.chance.choice(VERBS)} the {b} before the {c} is read."
            )
        return " ".join(said)

    def code(self, lines: int) -> str:
        written = []
        for _ in range(lines):
            a, b, c = self.chance.sample(WORDS, 3)
            verb = self.chance.choice(VERBS)
            written.append(
                f'    {a}_{verb} = {verb}_{b}({c}, "{a}", limit={self.chance.randint(1, 999)})  # {b} first'
            )
        return "\n".join(written)

    def log(self, lines: int) -> str:
        return "\n".join(
            f"[{self.chance.randint(0, 59999):05d}] \x1b[2m{self.chance.choice(VERBS)}\x1b[0m"
            f" {self.chance.choice(WORDS)} {self.chance.randint(1, 9999)} ok"
            for _ in range(lines)
        )

    def path(self) -> str:
        a, b = self.chance.sample(WORDS[:20], 2)
        return f"/home/nobody/projects/made-up/src/{a}/{b}.py"

    def now(self) -> str:
        self.clock += self.chance.random() * 4
        whole = int(self.clock)
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole))
        return f"{stamp}.{int((self.clock - whole) * 1000):03d}Z"

    def message_id(self) -> str:
        return "msg_" + self.hex(24)

    def uuid(self) -> str:
        digits = self.hex(32)
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))

    def hex(self, length: int) -> str:
        return f"{self.chance.getrandbits(length * 4):0{length}x}"


if __name__ == "__main__":
    raise SystemExit(main())
