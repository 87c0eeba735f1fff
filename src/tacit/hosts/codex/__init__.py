"""Codex's dialect: Claude Code's shapes, with a turn's id, a smaller limit, and answers that may hold no other key.

There is no event for a failed command: `PostToolUse` comes after every one, mostly without its exit status, which the
rollout has by then; where an older version wrote none, the output's end is looked at.
"""

from __future__ import annotations

import os

from tacit.core.digest import short_hash
from tacit.core.value import loads
from tacit.hosts.dialect import (
    FILES,
    OWN_FOLDER,
    REFUSES,
    TOLD_PERSON,
    Event,
    at_the_end,
    command_of,
    exit_status,
    failing,
    files_in,
    in_claudes_shape,
    object_at,
    public,
    text_at,
)
from tacit.safety.files import open_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tacit.hosts.dialect import HookAnswer

HOST = "codex"
NAMES = {
    "session-start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "subagent-start": "SubagentStart",
    "before-command": "PreToolUse",
    "tool-failure": "PostToolUse",
    "pre-compact": "PreCompact",
    "stop": "Stop",
    "session-end": "SessionEnd",
}
# The end of a sub-agent is the end of a run: its rollout is a file of its own, which names its parent.
OURS = {**{theirs: ours for ours, theirs in NAMES.items()}, "SubagentStop": "session-end"}
ANSWERED = tuple(
    "session-start prompt subagent-start before-command before-file tool-failure".split()
)
# what concerns us inside a sub-agent too
IN_AGENTS = ("subagent-start", "before-command", "tool-failure", "session-end")
_TAIL = 1 << 18  # bytes at a rollout's end in which the call that has just ended is looked for
# which decisions it passes on, by event
DECIDES = {"before-command": (REFUSES,), "before-file": (REFUSES,)}
# the lines of a patch, the tool's own or one on a command line, that name a file
_PATCHES = ("*** Update File: ", "*** Add File: ", "*** Delete File: ")
LIMIT = 7_000  # characters; the host moves what is over about 2,500 tokens into a file


def read(name: str, payload: Mapping[str, Any], env: Mapping[str, str]) -> Event | None:
    """The event in our words; None where there is nothing for us in it."""
    event = OURS.get(text_at(payload, "hook_event_name"), name)
    session, cwd = text_at(payload, "session_id"), text_at(payload, "cwd")
    if event not in NAMES or not session or not os.path.isabs(cwd) or OWN_FOLDER in cwd:
        return None
    inside = text_at(payload, "agent_id")
    if inside and event not in IN_AGENTS:
        return None
    said = (
        text_at(payload, "prompt")
        if event == "prompt"
        else _failure(payload)
        if event == "tool-failure"
        else ""
    )
    if event == "before-command":
        said = command_of(payload)
    if event in ("before-command", "tool-failure") and not said:
        return None
    touched = _patched(said) if event == "before-command" else ()
    event = "before-file" if touched else event
    text = failing(said) if event == "tool-failure" else public(said)
    source = text_at(payload, "source") if event == "session-start" else ""
    ids = ("turn_id",) if event == "prompt" else ("tool_use_id", "agent_id")
    return Event(
        name=event,
        host=HOST,
        session=inside if inside and event == "session-end" else session,
        folder=cwd,
        key=short_hash(session, event, source, *(text_at(payload, each) for each in ids), said),
        transcript=text_at(payload, "agent_transcript_path", "transcript_path"),
        source=source,
        model=text_at(payload, "model"),
        agent=text_at(payload, "agent_type") if inside else "",
        context=inside,
        text=text,
        files=files_in(text) if event == "prompt" else touched,
        env_file=env.get("CODEX_ENV_FILE", "") if event == "session-start" else "",
    )


def _patched(line: str) -> tuple[str, ...]:
    """The files that a patch is about to change."""
    if "*** Begin Patch" not in line:
        return ()
    named = [
        text[len(start) :].strip()
        for text in line.split("\n")
        for start in _PATCHES
        if text.startswith(start)
    ]
    return tuple(named[:FILES])


def _failure(payload: Mapping[str, Any]) -> str:
    """The error of a call that failed; empty for one that went well."""
    response = object_at(payload, "tool_response")
    told = response.get("exit_code", object_at(response, "metadata").get("exit_code"))
    text = (
        text_at(response, "stderr", "output", "aggregated_output", "stdout", "content")
        if response
        else ""
    )
    text = text or (text_at(payload, "tool_response") if not response else "")
    status = told if isinstance(told, int) else _written(payload)
    status = exit_status(text) if status is None else status
    if status or response.get("success") is False:
        return text or f"exit code {status}"
    if status is None:
        from tacit.core.shell_line import ends_in_failure

        return text if ends_in_failure(text) else ""
    return ""


def _written(payload: Mapping[str, Any]) -> int | None:
    """The exit status of this very call as the host has just written it down; None where it has not."""
    call, path = text_at(payload, "tool_use_id"), text_at(payload, "transcript_path")
    if not call or not path:
        return None
    try:
        with open(open_plain(path), "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL))
            lines = file.read().split(b"\n")
    except (OSError, ValueError):  # a path may hold a NUL or half a character
        return None
    for line in reversed(lines):
        if b'"CommandExecution"' in line and call.encode("utf-8", "replace") in line:
            try:
                item = loads(line)["payload"]["item"]
            except (ValueError, LookupError, TypeError, RecursionError):
                return None
            code = (
                item.get("exit_code") if isinstance(item, dict) and item.get("id") == call else None
            )
            return code if isinstance(code, int) else None
    return None


def write(event: Event, told: HookAnswer) -> str:
    """The answer in the host's shape, which allows no other key; empty where nobody listens."""
    if event.name == "stop":
        return at_the_end(told, limit=LIMIT)
    theirs = NAMES.get(event.name, NAMES["before-command"]) if event.name in ANSWERED else ""
    return in_claudes_shape(told, theirs, shows=event.name in TOLD_PERSON, limit=LIMIT)
