"""The exams' own instruments: what they read of a transcript, and how two runs are compared."""

from __future__ import annotations

import json
from pathlib import Path

from bench.exams.rows import Row, compared, written
from bench.exams.transcript import Event, events


def _file(place: Path, records: list[dict[str, object]]) -> Path:
    place.write_text("\n".join(map(json.dumps, records)))
    return place


def test_a_claude_code_session_is_prompts_calls_and_failures(tmp_path: Path) -> None:
    """What the host says by itself (a caveat, a summary) is no prompt."""
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "make lint"}}
    read = {"type": "tool_use", "id": "t2", "name": "Read", "input": {"file_path": "/r/a.py"}}
    failed = {"type": "tool_result", "tool_use_id": "t1", "is_error": True, "content": "no rule"}
    shown = {"type": "tool_result", "tool_use_id": "t2", "content": "x = 1"}
    session = _file(
        tmp_path / "s.jsonl",
        [
            {"type": "user", "isMeta": True, "message": {"content": "Caveat: …"}},
            {"type": "user", "message": {"content": "fix the build"}},
            {"type": "assistant", "message": {"content": [call, read]}},
            {"type": "user", "message": {"content": [failed, shown]}},
        ],
    )
    assert events(session) == [
        Event("prompt", 2, "fix the build"),
        Event("command", 3, "make lint"),
        Event("file", 3, "/r/a.py", tool="Read"),
        Event("failure", 4, "make lint", "no rule"),
        Event("seen", 4, "/r/a.py", "x = 1"),
    ]


def test_a_codex_session_tells_failures_by_their_exit_status(tmp_path: Path) -> None:
    """In both forms: a call of the shell, and a script whose commands are strings."""

    def item(**payload: object) -> dict[str, object]:
        return {"type": "response_item", "payload": payload}

    session = _file(
        tmp_path / "rollout.jsonl",
        [
            {"type": "event_msg", "payload": {"type": "user_message", "message": "run it"}},
            item(
                type="function_call",
                name="exec_command",
                call_id="a",
                arguments='{"cmd": "go vet"}',
            ),
            item(
                type="function_call_output",
                call_id="a",
                output="Process exited with code 2\nOutput:\nbad",
            ),
            item(
                type="custom_tool_call",
                name="exec",
                call_id="b",
                input='tools.exec_command({cmd:"cat a/b.go"})',
            ),
            item(
                type="custom_tool_call_output",
                call_id="b",
                output="Script completed\nOutput:\npackage b",
            ),
        ],
    )
    assert events(session) == [
        Event("prompt", 1, "run it"),
        Event("command", 2, "go vet"),
        Event("failure", 3, "go vet", "bad"),
        Event("command", 4, "cat a/b.go"),
        Event("seen", 5, "a/b.go", "package b"),
    ]


def test_two_runs_are_compared_row_by_row_and_page_by_page(tmp_path: Path) -> None:
    """A figure that is gone, a figure that moved and a page that changed are each named."""
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    written(
        [Row("E1", "a", 3), Row("E1", "b", 5)], {"p": {"s1": ["x"], "s2": ["y"]}}, old, "2026-11-19"
    )
    written([Row("E1", "a", 4)], {"p": {"s1": ["x"], "s2": ["z"]}}, new, "2026-11-20")
    assert compared(old, new) == [
        "E1 · a · 3 → 4",
        "E1 · b · 5 → -",
        "0 of 2 figures are the same",
        "pages · p · 1 of 2 the same",
        "    s2",
    ]
