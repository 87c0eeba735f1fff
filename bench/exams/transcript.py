"""What happened in a session, read from its host's own file by plain rules of the exam, so that no change of the product moves them.

Claude Code and Codex. An event is what a host would fire a hook at: a prompt, a command or a file before its call, a failure after it;
and what a session saw of its repository's files.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MOMENTS = ("prompt", "command", "file", "failure")


@dataclass(frozen=True)
class Event:
    """One thing that happened."""

    moment: str  # one of MOMENTS, or "seen": what the session saw of a file
    at: int  # the line of the transcript
    text: str  # the prompt, the shell line, or the path
    output: str = ""  # of a failure; of a file what was seen
    tool: str = "Bash"


@dataclass(frozen=True)
class Call:
    """A call of a tool, by what it does: run a line, or touch a file."""

    line: str = ""
    path: str = ""
    tool: str = "Bash"


def events(file: Path) -> list[Event]:
    """A session's events in their order."""
    records = []
    for number, text in enumerate(file.read_text(errors="replace").splitlines(), 1):
        try:
            record = json.loads(text)
        except ValueError:
            continue
        if isinstance(record, dict):
            records.append((number, record))
    codex = any(record.get("type") in ("session_meta", "response_item") for _, record in records)
    return list(_codex(records) if codex else _claude(records))


# --- Claude Code


def _claude(records: list[tuple[int, dict[str, Any]]]) -> Iterator[Event]:
    called: dict[str, Call] = {}
    for at, record in records:
        message = record.get("message")
        if record.get("isSidechain") or not isinstance(message, dict):
            continue
        content = message.get("content")
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
        for part in parts:
            if not isinstance(part, dict):
                continue
            kind = part.get("type")
            if kind == "text" and record.get("type") == "user":
                if _is_prompt(record, str(part.get("text", ""))):
                    yield Event("prompt", at, part["text"])
            elif kind == "tool_use":
                call = _claude_call(str(part.get("name")), part.get("input") or {})
                called[str(part.get("id"))] = call
                yield from _before(at, call)
            elif kind == "tool_result":
                call = called.get(str(part.get("tool_use_id")), Call())
                yield from _after(at, call, _text(part.get("content")), bool(part.get("is_error")))


def _is_prompt(record: dict[str, Any], text: str) -> bool:
    """Whether a person's words began a turn: not the host's, not a summary, not a local command."""
    if record.get("isMeta") or record.get("isCompactSummary") or not text.strip():
        return False
    return not text.lstrip().startswith(("<", "[Request interrupted", "Caveat:"))


def _claude_call(name: str, given: dict[str, Any]) -> Call:
    if isinstance(given.get("command"), str):
        return Call(line=given["command"])
    path = given.get("file_path", given.get("notebook_path", ""))
    return Call(path=path, tool=name) if isinstance(path, str) else Call()


# --- Codex


def _codex(records: list[tuple[int, dict[str, Any]]]) -> Iterator[Event]:
    called: dict[str, list[Call]] = {}
    typed = any(_payload(record).get("type") == "user_message" for _, record in records)
    for at, record in records:
        payload = _payload(record)
        kind, id = payload.get("type"), str(payload.get("call_id"))
        if kind == "user_message" and isinstance(payload.get("message"), str):
            yield Event("prompt", at, payload["message"])
        elif kind == "message" and payload.get("role") == "user" and not typed:
            text = _text(payload.get("content"))
            if text.strip() and not text.lstrip().startswith(("<", "# AGENTS.md")):
                yield Event("prompt", at, text)
        elif kind in ("function_call", "custom_tool_call", "local_shell_call"):
            called[id] = list(_codex_calls(payload))
            for call in called[id]:
                yield from _before(at, call)
        elif kind in ("function_call_output", "custom_tool_call_output") and called.get(id):
            output, failed = _codex_output(payload.get("output"))
            yield from _after(at, called[id][-1], output, failed)


def _payload(record: dict[str, Any]) -> dict[str, Any]:
    found = record.get("payload")
    return found if isinstance(found, dict) else {}


def _codex_calls(payload: dict[str, Any]) -> Iterator[Call]:
    name, text = payload.get("name"), payload.get("arguments", payload.get("input", ""))
    if name == "apply_patch":
        for path in re.findall(r"^\*\*\* (?:Update|Delete|Add) File: (.+)$", str(text), re.M):
            yield Call(path=path.strip(), tool="Edit")
    elif name == "exec":  # the newer form: a script, of which the commands are strings
        for found in re.finditer(r"\bcmd[\"']?\s*:\s*(\"(?:[^\"\\]|\\.)*\")", str(text)):
            yield Call(line=json.loads(found[1], strict=False))
    else:
        given = payload.get("action", text)
        if isinstance(given, str):
            try:
                given = json.loads(given)
            except ValueError:
                return
        line = given.get("cmd", given.get("command")) if isinstance(given, dict) else None
        if isinstance(line, list):
            words = [str(word) for word in line]
            line = words[2] if len(words) == 3 and words[1] in ("-c", "-lc") else shlex.join(words)
        if isinstance(line, str):
            yield Call(line=line)


_STATUS = re.compile(
    r"(?:Exit code:?|exited with code|\"exit_code\":) ?(-?\d{1,5})\b|Script (failed)"
)


def _codex_output(said: Any) -> tuple[str, bool]:
    """A call's output, and whether it failed: by the exit status that the host wrote at its head."""
    text = _text(said)
    if text.startswith('{"output"'):
        try:
            whole = json.loads(text)
            return str(whole["output"]), bool((whole.get("metadata") or {}).get("exit_code"))
        except (ValueError, KeyError, AttributeError):
            pass
    found = _STATUS.search(text[:2_000])
    failed = found is not None and (found[2] is not None or int(found[1] or 0) != 0)
    return re.sub(r"\A(?s:.*?)^Output:\n", "", text, count=1, flags=re.M), failed


# --- both


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else "" if content is None else json.dumps(content)


def _before(at: int, call: Call) -> Iterator[Event]:
    if call.line:
        yield Event("command", at, call.line)
    elif call.path and call.tool.startswith(("Edit", "MultiEdit", "Write", "NotebookEdit", "Read")):
        yield Event("file", at, call.path, tool=call.tool)


def _after(at: int, call: Call, output: str, failed: bool) -> Iterator[Event]:
    if failed:
        if call.line:
            yield Event("failure", at, call.line, output)
    elif output:
        paths = looked_at(call.line) if call.line else [call.path] if call.tool == "Read" else []
        for path in paths:
            yield Event("seen", at, path, output)


_LOOKS = re.compile(r"^\s*(?:cat|head|tail|nl|sed -n|less|bat)\b")
_PATH = re.compile(r"^[\w.@~/+-]*(?:/[\w.@+-]+|\.\w{1,6})$")


def looked_at(line: str) -> list[str]:
    """The files that a shell line shows: those named after `cat` and its like, where the line begins with it."""
    found = []
    for part in re.split(r"&&|\|\||;|\||\n", line):
        if _LOOKS.match(part):
            words = [word.strip("'\"") for word in part.split()[1:]]
            found += [word for word in words if _PATH.match(word) and not word.startswith("-")]
    return found
