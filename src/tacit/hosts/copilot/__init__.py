"""Copilot CLI's own dialect: names in camelCase, and context at the top level of the answer.

What a hook says to `userPromptSubmitted` is dropped, so lessons for a prompt come with the first tool call after it. To
`postToolUseFailure` only plain text with exit status 2 is heard. `preToolUse` is asked for decisions alone.
"""

from __future__ import annotations

import os

from tacit.core.digest import short_hash
from tacit.core.value import dumps, replace
from tacit.hosts.dialect import (
    ASKS,
    COMPACTION_STEP,
    OWN_FOLDER,
    REFUSES,
    Event,
    Insisted,
    at_the_end,
    before_call,
    event_of,
    exit_status,
    failing,
    files_in,
    fitted,
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

HOST = "copilot"
NAMES = {
    "session-start": "sessionStart",
    "prompt": "userPromptSubmitted",
    "subagent-start": "subagentStart",
    "before-call": "preToolUse",
    "step": "postToolUse",
    "tool-failure": "postToolUseFailure",
    "pre-compact": "preCompact",
    "stop": "agentStop",
    "session-end": "sessionEnd",
}
DECIDES = {"before-call": (ASKS, REFUSES)}  # which decisions it passes on, by event
_DECISIONS = {ASKS: "ask", REFUSES: "deny"}
SHOWS_BOTH = True  # its model gets the text and the structured content of an MCP result
LIMIT = 8_000  # characters; what all hooks say to one tool call is cut at 10 KB


def read(name: str, payload: Mapping[str, Any], env: Mapping[str, str]) -> Event | None:
    """The event in our words; None where there is nothing for us in it. The payload does not name it: the command did."""
    session, cwd = text_at(payload, "sessionId"), text_at(payload, "cwd")
    if name not in NAMES or not session or not os.path.isabs(cwd) or OWN_FOLDER in cwd:
        return None
    if name == "before-call":
        at = str(payload.get("timestamp", ""))
        writes = writing(HOST)
        return before_call(payload, host=HOST, session=session, folder=cwd, writes=writes, at=at)
    step = _step(name, payload)
    event, said = event_of(step, name)
    said = text_at(payload, "initialPrompt") if name == "session-start" else said
    text = failing(said) if event == "tool-failure" else public(said)
    source = text_at(payload, "source") if name == "session-start" else ""
    events = _events(payload, session, env) if name in ("stop", "session-end") else ""
    agent = (
        text_at(payload, "agentName", "agentType", "agentDisplayName")
        if name == "subagent-start"
        else ""
    )
    return Event(
        name=event,
        host=HOST,
        session=session,
        folder=cwd,
        key=short_hash(session, event, source, agent, said),
        source=source,
        forgets=True,
        agent=agent,
        context=text_at(payload, "agent_id", "agentId") or agent,
        text=text,
        files=files_in(text) if name == "session-start" else tuple((step or {}).get("files", ())),
        shows=False,
        insists=name == "tool-failure",
        captured=not events,
        transcript=events,
        step=step,
    )


def _events(payload: Mapping[str, Any], session: str, env: Mapping[str, str]) -> str:
    """The file in which the host itself keeps the session, where it says so or where it lies by default."""
    home = env.get("COPILOT_HOME") or os.path.join(
        env.get("HOME") or os.path.expanduser("~"), ".copilot"
    )
    path = text_at(payload, "transcriptPath")
    if not path and session == os.path.basename(session):
        path = os.path.join(home, "session-state", session, "events.jsonl")
    return path if path.endswith(".jsonl") and os.path.isfile(path) else ""


def _step(name: str, payload: Mapping[str, Any]) -> dict[str, Any] | None:
    if name == "prompt":
        asked = text_at(payload, "prompt")
        return {"role": "user", "text": asked, "typed": True, "once_begun": True} if asked else None
    if name == "pre-compact":
        return COMPACTION_STEP
    if name not in ("step", "tool-failure"):
        return None
    result = object_at(payload, "toolResult")
    output = text_at(result, "textResultForLlm") or text_at(payload, "error", "toolResult")
    kind = text_at(result, "resultType")
    status = exit_status(output)
    stopped = kind in ("rejected", "denied")
    failed = not stopped and (
        name == "tool-failure" or kind in ("failure", "timeout") or bool(status)
    )
    tool, given = text_at(payload, "toolName"), object_at(payload, "toolArgs")
    return tool_step(tool, given, output, failed=failed, status=status, stopped=stopped)


def write(event: Event, told: HookAnswer) -> str:
    """An answer as Copilot takes it, in whichever dialect it asked: context at the top level; the person is shown nothing."""
    if event.name == "stop":
        return at_the_end(replace(told, message=""), limit=LIMIT)
    if event.name == "before-call":
        said = {
            "permissionDecision": _DECISIONS.get(told.decision, ""),
            "permissionDecisionReason": told.reason[:LIMIT],
        }
        return dumps(said) if told.decision else ""
    context = fitted(told.context, LIMIT)
    return (
        Insisted(context) if event.insists or not context else dumps({"additionalContext": context})
    )
