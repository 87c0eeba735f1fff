"""Cursor's dialect: names in camelCase, a conversation's id, and flat answers.

Nothing said to `beforeSubmitPrompt` reaches the model: lessons for a prompt come with the first call after it. Its
transcripts are not documented, so prompts, calls and answers are captured.
"""

from __future__ import annotations

import os

from tacit.core.digest import short_hash
from tacit.core.value import dumps
from tacit.hosts.dialect import (
    ASKS,
    COMPACTION_STEP,
    OWN_FOLDER,
    REFUSES,
    Event,
    before_call,
    event_of,
    exit_status,
    failing,
    fitted,
    line_of,
    object_at,
    public,
    text_at,
    tool_step,
)
from tacit.hosts.tools import writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tacit.hosts.dialect import HookAnswer

HOST = "cursor"
NAMES = {
    "session-start": "sessionStart",
    "prompt": "beforeSubmitPrompt",
    "before-call": "preToolUse",
    "step": "postToolUse",
    "tool-failure": "postToolUseFailure",
    "answer": "afterAgentResponse",
    "pre-compact": "preCompact",
    "stop": "stop",
    "session-end": "sessionEnd",
}
# Cursor can also load Claude Code's settings, and then calls its events by those names.
CLAUDES = {
    "SessionStart": "session-start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "before-call",
    "PostToolUse": "step",
    "PostToolUseFailure": "tool-failure",
    "PreCompact": "pre-compact",
    "Stop": "stop",
    "SessionEnd": "session-end",
}
SHELL = (
    "beforeShellExecution"  # where a question about a command is heard; elsewhere a refusal alone
)
OURS = {**{theirs: ours for ours, theirs in NAMES.items()}, **CLAUDES, SHELL: "before-call"}
DECIDES = {"before-call": (ASKS, REFUSES)}  # which decisions it passes on, by event
_DECISIONS = {ASKS: "ask", REFUSES: "deny"}
# what may be answered; a prompt is, with the first step after it
ANSWERED = ("session-start", "step", "tool-failure")
LIMIT = 9_500  # characters; the host documents no limit


def read(name: str, payload: Mapping[str, Any], env: Mapping[str, str]) -> Event | None:
    """The event in our words; None where there is nothing for us in it."""
    name = OURS.get(text_at(payload, "hook_event_name"), name)
    session, folder = text_at(payload, "conversation_id", "session_id"), _folder(payload)
    if name not in NAMES or not session or not folder or OWN_FOLDER in folder:
        return None
    if name == "before-call":
        shell = text_at(payload, "hook_event_name") == SHELL
        given = {"tool_input": {"command": text_at(payload, "command")}} if shell else payload
        if not shell and line_of(given):
            return None  # the shell's own event comes too, and there a question is heard
        at, writes = text_at(payload, "generation_id", "tool_use_id"), writing(HOST)
        return before_call(given, host=HOST, session=session, folder=folder, writes=writes, at=at)
    step = _step(name, payload)
    event, said = event_of(step, name)
    return Event(
        name=event,
        host=HOST,
        session=session,
        folder=folder,
        key=short_hash(session, event, said),
        model=text_at(payload, "model"),
        text=failing(said) if event == "tool-failure" else public(said),
        version=text_at(payload, "cursor_version"),
        files=tuple((step or {}).get("files", ())),
        shows=False,
        captured=True,
        step=step,
    )


def _folder(payload: Mapping[str, Any]) -> str:
    """The first of the folders that the window has open; hooks of the user run elsewhere."""
    roots = payload.get("workspace_roots")
    named = [each for each in roots if isinstance(each, str)] if isinstance(roots, list) else []
    return next((each for each in (*named, text_at(payload, "cwd")) if os.path.isabs(each)), "")


def _step(name: str, payload: Mapping[str, Any]) -> dict[str, Any] | None:
    if name in ("prompt", "answer"):
        said = text_at(payload, "prompt", "text")
        role = "user" if name == "prompt" else "assistant"
        return {"role": role, "text": said, "typed": role == "user"} if said else None
    if name == "pre-compact":
        return COMPACTION_STEP
    if name not in ("step", "tool-failure"):
        return None
    result = object_at(payload, "tool_output", "result_json")
    output = text_at(payload, "error_message", "error") or text_at(
        result, "output", "stdout", "stderr", "content"
    )
    output = output or text_at(payload, "tool_output", "result_json", "output")
    told = result.get("exitCode", result.get("exit_code"))
    status = told if isinstance(told, int) else exit_status(output)
    stopped = (
        payload.get("is_interrupt") is True
        or text_at(payload, "failure_type") == "permission_denied"
    )
    failed = not stopped and (name == "tool-failure" or bool(status))
    tool, given = text_at(payload, "tool_name"), object_at(payload, "tool_input")
    return tool_step(tool, given, output, failed=failed, status=status, stopped=stopped)


def write(event: Event, told: HookAnswer) -> str:
    """Context under Cursor's own name for it; the person is shown nothing."""
    if event.name == "stop":
        return dumps({"followup_message": told.reason[:LIMIT]}) if told.decision else ""
    if event.name == "before-call":
        said = {
            "permission": _DECISIONS.get(told.decision, ""),
            "user_message": told.reason[:LIMIT],
            "agent_message": told.reason[:LIMIT],
        }
        return dumps(said) if told.decision else ""
    context = fitted(told.context, LIMIT)
    return dumps({"additional_context": context}) if context else ""
