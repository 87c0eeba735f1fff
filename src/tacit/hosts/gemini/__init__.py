"""Gemini CLI's dialect: Claude Code's envelope, other names for the events.

`AfterTool` comes after every call; of what is said to `BeforeTool` only a decision is heard. What is said at the start
after `/clear` is dropped, and after a compression no event asks for the notes again.
"""

from __future__ import annotations

import os

from tacit.core.digest import short_hash
from tacit.core.value import dumps
from tacit.hosts.dialect import (
    CHANGED_FIELDS,
    OWN_FOLDER,
    REFUSES,
    TOLD_PERSON,
    Event,
    at_the_end,
    before_call,
    command_of,
    exit_status,
    failing,
    file_of,
    files_in,
    in_claudes_shape,
    object_at,
    public,
    text_at,
)
from tacit.hosts.tools import writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tacit.hosts.dialect import HookAnswer

HOST = "gemini"
NAMES = {
    "session-start": "SessionStart",
    "prompt": "BeforeAgent",
    "before-call": "BeforeTool",
    "before-command": "AfterTool",
    "tool-failure": "AfterTool",
    "pre-compact": "PreCompress",
    "stop": "AfterAgent",
    "session-end": "SessionEnd",
}
OURS = {theirs: ours for ours, theirs in NAMES.items()}
# which decisions it passes on, by event; where nobody sits there (`gemini -p`) it waits for ever for the answer to a question
DECIDES = {"before-call": (REFUSES,)}
ANSWERED = ("session-start", "prompt", "before-command", "before-file", "tool-failure")
LIMIT = 9_500  # characters; the host documents no limit


def read(name: str, payload: Mapping[str, Any], env: Mapping[str, str]) -> Event | None:
    """The event in our words; None where there is nothing for us in it."""
    event = OURS.get(text_at(payload, "hook_event_name"), name)
    session, cwd = text_at(payload, "session_id"), text_at(payload, "cwd")
    if event not in NAMES or not session or not os.path.isabs(cwd) or OWN_FOLDER in cwd:
        return None
    said = (
        without_host_text(text_at(payload, "prompt"))
        if event == "prompt"
        else _failure(payload)
        if event == "tool-failure"
        else ""
    )
    at = text_at(payload, "timestamp")
    opened = env.get("GEMINI_PROJECT_DIR", "")
    folder = opened if os.path.isabs(opened) and os.path.isdir(opened) else cwd
    if event == "before-call":
        writes = writing(HOST)
        return before_call(payload, host=HOST, session=session, folder=folder, writes=writes, at=at)
    touched = file_of(payload) if event == "tool-failure" and not said else ()
    if event == "tool-failure" and not said:
        event = "before-file" if touched else "before-command"
        given = object_at(payload, "tool_input")
        said = text_at(given, *CHANGED_FIELDS) if touched else command_of(payload)
        if not said and not touched:
            return None
    text = failing(said) if event == "tool-failure" else public(said)
    source = text_at(payload, "source") if event == "session-start" else ""
    # A call has no id. Its time is part of every payload, and the same for copies of one event.
    at = at if event in ("prompt", "before-command", "before-file", "tool-failure") else ""
    return Event(
        name=event,
        host=HOST,
        session=session,
        folder=folder,
        key=short_hash(session, event, source, at, said),
        transcript=text_at(payload, "transcript_path"),
        source=source,
        forgets=True,
        dropped=source == "clear",
        catches_up=event == "prompt",
        text=text,
        files=files_in(text) if event == "prompt" else touched,
    )


def _failure(payload: Mapping[str, Any]) -> str:
    """The error of a call that failed; empty for one that went well."""
    response = object_at(payload, "tool_response")
    error = response.get("error")
    text = unwrapped(_joined(response.get("llmContent"))) or text_at(response, "returnDisplay")
    if error:
        return text_at(error, "message") or text if isinstance(error, dict) else str(error)
    return text if exit_status(text) else ""


def _joined(content: Any) -> str:
    """The text of a content that is a text, or parts with texts."""
    if isinstance(content, list):
        return "\n".join(text_at(part, "text") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


# the host's tags around what hooks said, and around what tools and servers returned
HOOK, OUTSIDE = "hook_context", "untrusted_context"
REFERENCED = "--- Content from referenced files ---"


def without_host_text(prompt: str) -> str:
    """What was asked, without what the host added to it: what hooks said, what servers returned, and the files that were mentioned."""
    return _without(_without(prompt.partition("\n" + REFERENCED)[0], HOOK), OUTSIDE).strip()


def unwrapped(result: str) -> str:
    """What a tool returned, without the host's tags around it and without what hooks said to it: an error is known by its own words."""
    lines = _without(result, HOOK).split("\n")
    return "\n".join(
        line for line in lines if line.strip() not in (f"<{OUTSIDE}>", f"</{OUTSIDE}>")
    ).rstrip()


def _without(text: str, tag: str) -> str:
    """A text without what stands between these tags; one that is not closed runs to the end."""
    first, *rest = text.split(f"<{tag}>")
    return first + "".join(part.partition(f"</{tag}>")[2] for part in rest)


def write(event: Event, told: HookAnswer) -> str:
    """The answer in the host's shape; empty where nobody listens."""
    if event.name == "stop":
        return at_the_end(told, limit=LIMIT)
    if event.name == "before-call":
        return dumps({"decision": "deny", "reason": told.reason}) if told.decision else ""
    theirs = NAMES.get(event.name, NAMES["before-command"]) if event.name in ANSWERED else ""
    return in_claudes_shape(told, theirs, shows=event.name in TOLD_PERSON, limit=LIMIT)
