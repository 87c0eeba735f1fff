"""VS Code's dialect: Claude Code's shapes with a time in every payload, and no end of a session.

Copilot CLI speaks it too where a hook was registered under a name in PascalCase. Nothing said to `UserPromptSubmit`
reaches the model; transcripts are explicitly unstable, so prompts and calls are captured.
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
    TOLD_PERSON,
    Event,
    before_call,
    event_of,
    exit_status,
    failing,
    files_in,
    in_claudes_shape,
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

HOST = "vscode"
NAMES = {
    "session-start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "subagent-start": "SubagentStart",
    "before-call": "PreToolUse",
    "step": "PostToolUse",
    "pre-compact": "PreCompact",
    "stop": "Stop",
}
# Copilot CLI knows more of Claude Code's names.
OURS = {
    **{theirs: ours for ours, theirs in NAMES.items()},
    "PostToolUseFailure": "tool-failure",
    "SessionEnd": "session-end",
}
DECIDES = {"before-call": (ASKS, REFUSES)}  # which decisions they pass on, by event
COPILOT = "COPILOT_AGENT_SESSION_ID"
LIMIT = 8_000  # characters; the host documents no limit, Copilot CLI cuts at 10 KB


def read(name: str, payload: Mapping[str, Any], env: Mapping[str, str]) -> Event | None:
    """The event in our words; None where there is nothing for us in it."""
    name = OURS.get(text_at(payload, "hook_event_name", "hookEventName"), name)
    session, cwd = text_at(payload, "session_id", "sessionId"), text_at(payload, "cwd")
    if name not in OURS.values() or not session or not os.path.isabs(cwd) or OWN_FOLDER in cwd:
        return None
    if payload.get("agent_id") and name != "subagent-start":
        return None
    # an inherited one names another session
    host = "copilot" if env.get(COPILOT) == session else HOST
    if name == "before-call":
        writes = writing(host)
        at = text_at(payload, "tool_use_id", "timestamp")
        return before_call(payload, host=host, session=session, folder=cwd, writes=writes, at=at)
    step = _step(name, payload)
    event, said = event_of(step, name)
    asked = text_at(payload, "initial_prompt", "initialPrompt") if name == "session-start" else ""
    said = asked or said
    text = failing(said) if event == "tool-failure" else public(said)
    source = text_at(payload, "source") if name == "session-start" else ""
    agent = text_at(payload, "agent_type") if name == "subagent-start" else ""
    return Event(
        name=event,
        host=host,
        session=session,
        folder=cwd,
        key=short_hash(session, event, source, agent, said),
        source=source,
        model=text_at(payload, "model"),
        agent=agent,
        context=text_at(payload, "agent_id", "agentId") or agent,
        text=text,
        files=files_in(text) if asked else tuple((step or {}).get("files", ())),
        shows=host == HOST,
        insists=name == "tool-failure",
        captured=True,
        step=step,
    )


def _step(name: str, payload: Mapping[str, Any]) -> dict[str, Any] | None:
    if name == "prompt":
        asked = text_at(payload, "prompt")
        return {"role": "user", "text": asked, "typed": True} if asked else None
    if name == "pre-compact":
        return COMPACTION_STEP
    if name not in ("step", "tool-failure"):
        return None
    result = object_at(payload, "tool_response", "tool_result")
    output = text_at(
        result, "text_result_for_llm", "textResultForLlm", "output", "stdout", "error", "content"
    )
    output = output or text_at(payload, "tool_response", "error")
    kind = text_at(result, "result_type", "resultType")
    status = exit_status(output)
    stopped = kind in ("rejected", "denied") or payload.get("is_interrupt") is True
    failed = not stopped and (
        name == "tool-failure" or kind in ("failure", "timeout", "error") or bool(status)
    )
    tool, given = text_at(payload, "tool_name"), object_at(payload, "tool_input")
    return tool_step(tool, given, output, failed=failed, status=status, stopped=stopped)


def write(event: Event, told: HookAnswer) -> str:
    """The answer in the shape of the host that asked."""
    if event.host == "copilot":
        from tacit.hosts.copilot import write

        return write(event, told)
    if event.name == "stop":
        said = {"hookEventName": NAMES["stop"], "decision": "block", "reason": told.reason[:LIMIT]}
        return dumps({"hookSpecificOutput": said}) if told.decision else ""
    if event.name == "before-call" and not told.decision:
        return ""
    return in_claudes_shape(told, _told_to(event), shows=event.name in TOLD_PERSON, limit=LIMIT)


def _told_to(event: Event) -> str:
    return (
        NAMES["step"]
        if event.name in ("step", "before-command", "before-file", "tool-failure")
        else NAMES[event.name]
    )
