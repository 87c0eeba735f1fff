"""What real hosts send to hooks, in the smallest shapes that hold the point; recorded from the programs that `make test-hosts` drives."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tacit.hosts import claude_code, codex, copilot, gemini, speaker
from tacit.hosts import host as host_named
from tacit.hosts.dialect import HookAnswer, exit_status
from tacit.hosts.registration import registration

ROOT = Path(__file__).parent.parent.parent
CALL = "call_7c3f244d36f440629c5b3def"


def rolled(folder: Path, *items: dict[str, Any]) -> str:
    """A rollout of Codex 0.166 that ends with these items."""
    path = folder / "rollout-x.jsonl"
    lines = [
        {"type": "event_msg", "payload": {"type": "item_completed", "item": item}} for item in items
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return str(path)


def executed(code: int, call: str = CALL, output: str = "") -> dict[str, Any]:
    return {
        "type": "CommandExecution",
        "id": call,
        "status": "failed" if code else "completed",
        "aggregated_output": output,
        "exit_code": code,
    }


def codex_call(transcript: str, output: str) -> dict[str, Any]:
    return {
        "session_id": "s1",
        "turn_id": "t1",
        "transcript_path": transcript,
        "cwd": "/shop",
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "x"},
        "tool_response": output,
        "tool_use_id": CALL,
    }


@pytest.mark.parametrize(
    "output",
    [
        "FATAL:  role shop does not exist\n",
        "src/a.ts(3,1): TS2304: Cannot find name",
        "FAIL shop/orders 0.2s",
        "",
    ],
)
def test_codex_tells_a_failure_by_the_status_it_wrote(tmp_path: Path, output: str) -> None:
    """However the output ends, and also where there is none."""
    event = codex.read(
        "tool-failure", codex_call(rolled(tmp_path, executed(2, output=output)), output), {}
    )
    assert event is not None and event.name == "tool-failure" and event.text


def test_codex_takes_no_success_for_a_failure(tmp_path: Path) -> None:
    """A command that succeeded may print an error; the status of another call says nothing."""
    looks = "Traceback (most recent call last):\nValueError: no\n"
    path = rolled(tmp_path, executed(1, "call_of_another"), executed(0, output=looks))
    assert codex.read("tool-failure", codex_call(path, looks), {}) is None


def test_codex_without_a_rollout_goes_by_the_outputs_end(tmp_path: Path) -> None:
    """Older versions, a file that is gone or cut off."""
    looks = "Traceback (most recent call last):\nValueError: no\n"
    cut = tmp_path / "cut.jsonl"
    cut.write_text(json.dumps({"payload": {"item": executed(0)}})[:-20])
    for path in ("", str(tmp_path / "gone.jsonl"), str(cut), "/tmp/\0"):
        assert codex.read("tool-failure", codex_call(path, looks), {}) is not None


@pytest.mark.parametrize(
    "line",
    [
        "<shellId: 0 completed with exit code 1>",
        "<shellId: 12345 completed with exit code 1>",
        "Exit code 1",
    ],
)
def test_copilots_last_line_tells_the_status(line: str) -> None:
    """Its result says success all the same."""
    assert exit_status(f"psql: no such role\n{line}") == 1
    payload = {
        "sessionId": "s",
        "cwd": "/shop",
        "toolName": "bash",
        "toolArgs": {"command": "psql"},
        "toolResult": {"resultType": "success", "textResultForLlm": f"psql: no such role\n{line}"},
    }
    event = copilot.read("step", payload, {})
    assert (
        event is not None
        and event.name == "tool-failure"
        and event.step is not None
        and event.step["status"] == 1
    )


def told(name: str, **more: Any) -> dict[str, Any]:
    return {"session_id": "s1", "cwd": "/shop", "hook_event_name": name, **more}


def claude(name: str, **more: Any) -> Any:
    return claude_code.read("", told(name, **more), {})


def test_a_notification_is_no_prompt() -> None:
    """Claude Code wakes its agent with a sub-agent's result, as a prompt without a source."""
    assert (
        claude(
            "UserPromptSubmit",
            prompt="<task-notification>\n<task-id>a9</task-id>\n<result>No broken test.</result>",
        )
        is None
    )
    assert claude("UserPromptSubmit", prompt="why does <task-notification> show up?") is not None


def test_a_sub_agent_is_a_context_of_its_own() -> None:
    """At its start, and where a command of its fails; its prompts and ends are the parent's business."""
    started = claude("SubagentStart", agent_id="a9b8", agent_type="general-purpose")
    assert (started.context, started.agent) == ("a9b8", "general-purpose")
    failed = claude(
        "PostToolUseFailure",
        agent_id="a9b8",
        agent_type="general-purpose",
        tool_name="Bash",
        error="Exit code 1\nno",
    )
    assert (failed.name, failed.context, failed.agent) == (
        "tool-failure",
        "a9b8",
        "general-purpose",
    )
    main = claude("PostToolUseFailure", tool_name="Bash", error="Exit code 1\nno")
    assert (main.context, main.agent) == ("", "")
    assert claude("Stop", agent_id="a9b8") is None


def test_the_end_of_a_turn_is_waited_for() -> None:
    """An `async` Stop makes Claude Code 2.1.197 leave `claude -p` without SessionEnd: nothing was ever learned there."""
    entries = registration(("tacit", []), host_named("claude-code"))
    assert not any("async" in handler for entry in entries.values() for handler in entry["hooks"])
    plugin = json.loads((ROOT / "plugins" / "claude-code" / "hooks" / "hooks.json").read_text())
    assert "async" not in json.dumps(plugin)


def test_gemini_starts_no_process_before_every_call_of_its_model() -> None:
    """PreCompress comes with each of them in 0.61."""
    assert "PreCompress" not in registration(("tacit", []), host_named("gemini"))


def gemini_call(command: str, returned: str) -> dict[str, Any]:
    return {
        "session_id": "s1",
        "cwd": "/shop",
        "hook_event_name": "AfterTool",
        "timestamp": "2026-11-16T06:19:59.486Z",
        "tool_name": "run_shell_command",
        "tool_input": {"command": command},
        "tool_response": {"llmContent": returned},
    }


def test_gemini_says_what_was_asked_and_what_failed_in_its_own_words() -> None:
    """Without the tags of the host: notes of ours in front of a prompt are not searched with, and an error begins with itself."""
    asked = "<hook_context>&lt;tacit-notes&gt; use pnpm</hook_context>run the tests\n--- Content from referenced files ---\nnpm"
    event = gemini.read("", told("BeforeAgent", prompt=asked), {})
    assert event is not None and event.text == "run the tests"
    failed = "<untrusted_context>\nOutput: psql: no role\nExit Code: 2\nProcess Group PGID: 7\n</untrusted_context>"
    event = gemini.read("", gemini_call("make db", failed), {})
    assert event is not None and (event.name, event.text) == ("tool-failure", "psql: no role")


def ran(host: str, line: str) -> Any:
    """A command that went well, as these hosts tell it afterwards."""
    given = {"tool_input": {"command": line}}
    payloads = {
        "gemini": gemini_call(line, "<untrusted_context>\nOutput: ok\n</untrusted_context>"),
        "copilot": {
            "sessionId": "s1",
            "cwd": "/shop",
            "toolName": "bash",
            "toolArgs": {"command": line},
            "toolResult": {"textResultForLlm": "ok"},
        },
        "vscode": {
            "session_id": "s1",
            "cwd": "/shop",
            "hook_event_name": "PostToolUse",
            "tool_name": "run_in_terminal",
            **given,
            "tool_response": "ok",
        },
        "cursor": {
            "conversation_id": "s1",
            "workspace_roots": ["/shop"],
            "hook_event_name": "postToolUse",
            "tool_name": "Shell",
            **given,
            "tool_output": "ok",
        },
    }
    return speaker(host).read("step", payloads[host], {})


@pytest.mark.parametrize("host", ["gemini", "copilot", "vscode", "cursor"])
def test_a_lesson_about_a_command_comes_with_its_result(host: str) -> None:
    """Where nothing that is said before a call is heard; also with that of one that only looks."""
    event = ran(host, "cd web && make db")
    assert (event.name, event.text) == ("before-command", "cd web && make db")
    assert "the port is taken" in speaker(host).write(event, HookAnswer("the port is taken"))
    looked = ran(host, "git log --oneline")
    assert (looked.name, looked.text) == ("before-command", "git log --oneline")


SHELL_NAMES = {
    "copilot": "bash",
    "vscode": "run_in_terminal",
    "gemini": "run_shell_command",
    "cursor": "Shell",
}
EDIT_NAMES = {"copilot": "edit", "vscode": "create_file", "gemini": "replace", "cursor": "Write"}


def before(host: str, tool: str, given: dict[str, Any]) -> Any:
    """What a host sends before a call."""
    sent = {
        "copilot": {"sessionId": "s1", "toolName": tool, "toolArgs": given},
        "vscode": {"session_id": "s1", "hook_event_name": "PreToolUse"},
        "gemini": {"session_id": "s1", "hook_event_name": "BeforeTool"},
        "cursor": {"conversation_id": "s1", "workspace_roots": ["/shop"]},
    }[host]
    shells = host == "cursor" and "command" in given
    named = {"hook_event_name": "beforeShellExecution" if shells else "preToolUse"}
    sent = {**sent, **(named if host == "cursor" else {}), **(given if shells else {})}
    return speaker(host).read(
        "before-call",
        {"cwd": "/shop", "timestamp": "t", "tool_name": tool, "tool_input": given, **sent},
        {},
    )


@pytest.mark.parametrize("host", SHELL_NAMES)
def test_a_command_and_an_edit_are_held_before_they_run(host: str) -> None:
    refused = HookAnswer(decision="refuse", reason="Run make test.")
    command = before(host, SHELL_NAMES[host], {"command": "make db"})
    assert (command.name, command.text, command.captured) == ("before-call", "make db", False)
    edit = before(host, EDIT_NAMES[host], {"file_path": "/shop/a.ts", "content": "x"})
    assert (edit.files, edit.text) == (("/shop/a.ts",), "")
    assert before(host, "view", {"file_path": "/shop/a.ts"}) is None, "reading is free"
    for event in (command, edit):
        said = speaker(host).write(event, refused)
        assert '"deny"' in said and "Run make test." in said
        assert speaker(host).write(event, HookAnswer("a note")) == "", "notes come with the result"


@pytest.mark.parametrize("host", ["copilot", "vscode", "cursor"])
def test_a_question_is_the_hosts_own(host: str) -> None:
    event = before(host, SHELL_NAMES[host], {"command": "make db"})
    assert '"ask"' in speaker(host).write(event, HookAnswer(decision="ask", reason="?"))
    assert "ask" not in gemini.DECIDES["before-call"], "in `gemini -p` nobody would answer"


def test_a_patch_of_codex_is_an_edit() -> None:
    patch = "*** Begin Patch\n*** Update File: src/a.ts\n+x\n*** Add File: b.ts\n*** End Patch"
    line = f"apply_patch <<'EOF'\n{patch}\nEOF"
    payload = {**codex_call("", ""), "hook_event_name": "PreToolUse"}
    event = codex.read("before-command", {**payload, "tool_input": {"command": line}}, {})
    assert event and (event.name, event.files) == ("before-file", ("src/a.ts", "b.ts"))


def test_the_plugin_has_the_distributions_version() -> None:
    """`claude plugin validate --strict` asks for one."""
    plugin = json.loads(
        (ROOT / "plugins" / "claude-code" / ".claude-plugin" / "plugin.json").read_text()
    )
    assert (
        plugin["version"]
        == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    )


def test_codex_tells_its_sub_agents_apart(tmp_path: Path) -> None:
    """Under the parent's session, each with a rollout of its own, which is learned when it stops."""
    who = {"agent_id": "a1", "agent_type": "worker"}
    inside = {**who, "transcript_path": "/c/rollout-a1.jsonl"}
    started = codex.read("", told("SubagentStart", **inside), {})
    assert started is not None and (started.session, started.context, started.agent) == (
        "s1",
        "a1",
        "worker",
    )
    failed = codex.read("", {**codex_call(rolled(tmp_path, executed(1)), "no"), **who}, {})
    assert failed is not None and (failed.session, failed.context) == ("s1", "a1")
    parents = {
        "transcript_path": "/c/rollout-s1.jsonl",
        "agent_transcript_path": "/c/rollout-a1.jsonl",
    }
    over = codex.read("", told("SubagentStop", **{**inside, **parents}), {})
    assert over is not None
    assert (over.name, over.session, over.transcript) == (
        "session-end",
        "a1",
        "/c/rollout-a1.jsonl",
    )
    assert codex.read("", told("UserPromptSubmit", **inside, prompt="look"), {}) is None


@pytest.mark.parametrize("dialect", [claude_code, codex])
def test_every_command_is_looked_up_in_its_context(dialect: Any) -> None:
    """Also one that only looks: whether a lesson names its program stands in a small file."""

    def before(line: str, **more: Any) -> Any:
        given = {"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": line}, **more}
        return dialect.read("", told("PreToolUse", **given), {})

    looked = before("git log && cat x")
    assert (looked.name, looked.text, looked.context) == ("before-command", "git log && cat x", "")
    assert before("") is None
    asked = before("cd web && make db", agent_id="a1", agent_type="x")
    assert (asked.name, asked.text, asked.context) == ("before-command", "cd web && make db", "a1")


def test_a_resumed_session_that_lost_its_notes_is_told_again() -> None:
    """Gemini and Copilot keep no hook's words in their history; Claude Code and Codex do."""
    from tacit.hooks.events import is_emptied

    resumed = told("SessionStart", source="resume", timestamp="2026-11-16T06:19:58.306Z")
    events = [
        gemini.read("", resumed, {}),
        copilot.read("session-start", {"sessionId": "s1", "cwd": "/shop", "source": "resume"}, {}),
        claude("SessionStart", source="resume"),
        codex.read("", resumed, {}),
    ]
    assert [is_emptied(event) for event in events if event is not None] == [
        True,
        True,
        False,
        False,
    ]
