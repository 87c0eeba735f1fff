"""Codex's dialect: Claude Code's shapes, with a turn's id, a smaller limit, and answers that may hold no other key.

There is no event for a failed command: `PostToolUse` comes after every one, with the bare output and mostly without its exit
status, and only what failed, or ends as a failed command does, goes further than this module. Its rollouts are documented
enough to be read, so nothing is captured.
"""

from __future__ import annotations

import os

from tacit.core.digest import short_hash
from tacit.surfaces.hooks import Event
from tacit.surfaces.hooks.dialect import (
    OWN_FOLDER,
    exit_status,
    files_in,
    in_claudes_shape,
    object_at,
    printed,
    public,
    text_at,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tacit.surfaces.hooks import Told

HOST = "codex"
NAMES = {
    "session-start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "subagent-start": "SubagentStart",
    "tool-failure": "PostToolUse",
    "pre-compact": "PreCompact",
    "stop": "Stop",
    "session-end": "SessionEnd",
}
OURS = {theirs: ours for ours, theirs in NAMES.items()}
ANSWERED = ("session-start", "prompt", "subagent-start", "tool-failure")
LIMIT = 7_000  # characters; the host moves what is over about 2,500 tokens into a file


def read(name: str, payload: Mapping[str, Any], env: Mapping[str, str]) -> Event | None:
    """The event in our words; None where there is nothing for us in it."""
    event = OURS.get(text_at(payload, "hook_event_name"), name)
    session, cwd = text_at(payload, "session_id"), text_at(payload, "cwd")
    if event not in NAMES or not session or not os.path.isabs(cwd) or OWN_FOLDER in cwd:
        return None
    if payload.get("agent_id") and event != "subagent-start":
        return None
    said = text_at(payload, "prompt") if event == "prompt" else _failure(payload) if event == "tool-failure" else ""
    if event == "tool-failure" and not said:
        return None
    text = public(printed(said) if event == "tool-failure" else said)
    source = text_at(payload, "source") if event == "session-start" else ""
    ids = ("turn_id",) if event == "prompt" else ("tool_use_id", "agent_id")
    return Event(
        name=event,
        host=HOST,
        session=session,
        folder=cwd,
        key=short_hash(session, event, source, *(text_at(payload, each) for each in ids), said),
        transcript=text_at(payload, "transcript_path"),
        source=source,
        model=text_at(payload, "model"),
        agent=text_at(payload, "agent_type") if event == "subagent-start" else "",
        text=text,
        task=(text_at(payload, "turn_id") or short_hash(text)) if event == "prompt" else "",
        files=files_in(text) if event == "prompt" else (),
        env_file=env.get("CODEX_ENV_FILE", "") if event == "session-start" else "",
    )


def _failure(payload: Mapping[str, Any]) -> str:
    """The error of a call that failed; empty for one that went well."""
    response = object_at(payload, "tool_response")
    told = response.get("exit_code", object_at(response, "metadata").get("exit_code"))
    text = text_at(response, "stderr", "output", "aggregated_output", "stdout", "content") if response else ""
    text = text or (text_at(payload, "tool_response") if not response else "")
    status = told if isinstance(told, int) else exit_status(text)
    if status or response.get("success") is False:
        return text or f"exit code {status}"
    if status is None:
        from tacit.core.output import ends_in_failure

        return text if ends_in_failure(text) else ""
    return ""


def write(event: Event, told: Told) -> str:
    """The answer in the host's shape, which allows no other key; empty where nobody listens."""
    theirs = NAMES[event.name] if event.name in ANSWERED else ""
    return in_claudes_shape(told, theirs, starts=event.name == "session-start", limit=LIMIT)
