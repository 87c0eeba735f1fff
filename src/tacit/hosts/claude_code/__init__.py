"""Claude Code's dialect: which of its events say something to us, and the shapes in which it wants to be answered.

Text for the model goes into `hookSpecificOutput.additionalContext`, beside the event's own name. Hooks fire inside
sub-agents too, marked by `agent_id`: a context of its own.
"""

from __future__ import annotations

import os

from tacit.core.digest import short_hash
from tacit.hosts.dialect import (
    ASKS,
    OWN_FOLDER,
    REFUSES,
    TOLD_PERSON,
    Event,
    at_the_end,
    command_of,
    failing,
    file_of,
    files_in,
    in_claudes_shape,
    object_at,
    public,
    text_at,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tacit.hosts.dialect import HookAnswer

HOST = "claude-code"
NAMES = {
    "session-start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "subagent-start": "SubagentStart",
    "before-command": "PreToolUse",
    "tool-failure": "PostToolUseFailure",
    "pre-compact": "PreCompact",
    "stop": "Stop",
    "session-end": "SessionEnd",
}
OURS = {theirs: ours for ours, theirs in NAMES.items()}
ANSWERED = tuple(
    "session-start prompt subagent-start before-command before-file tool-failure".split()
)
# what is answered inside a sub-agent too
IN_AGENTS = ("subagent-start", "before-command", "before-file", "tool-failure")

# which decisions it passes on, by event
DECIDES = {"before-command": (ASKS, REFUSES), "before-file": (ASKS, REFUSES)}
LIMIT = 9500  # characters of a string; the host's own limit is 10,000
# sources of a prompt that is somebody's task; wake-ups and polls repeat what was asked before
ASKERS = ("", "user", "sdk")
# and those that carry no source
WAKE_UPS = ("<task-notification>", "<agent-notification>", "<bash-notification>")


def read(name: str, payload: Mapping[str, Any], env: Mapping[str, str]) -> Event | None:
    """The event in our words; None where there is nothing for us in it."""
    event = OURS.get(text_at(payload, "hook_event_name"), name)
    session, cwd = text_at(payload, "session_id"), text_at(payload, "cwd")
    if event not in NAMES or not session or not os.path.isabs(cwd) or OWN_FOLDER in cwd:
        return None
    touched = file_of(payload) if event == "before-command" else ()
    if touched:
        event = "before-file"
    inside = text_at(payload, "agent_id")
    if (inside and event not in IN_AGENTS) or _is_no_task(event, payload):
        return None
    # The folder in which the session was opened: `cwd` follows the agent's `cd`, and a session belongs to one project.
    opened = env.get("CLAUDE_PROJECT_DIR", "")
    source = text_at(payload, "source") if event == "session-start" else ""
    given = object_at(payload, "tool_input")
    said = (
        command_of(payload) if event == "before-command" else text_at(payload, _SAID.get(event, ""))
    )
    if touched:
        said = text_at(given, "old_string", "content", "new_source")
    if event == "before-command" and not said:
        return None
    text = failing(said) if event == "tool-failure" else public(said)
    return Event(
        name=event,
        host=HOST,
        session=session,
        folder=opened if os.path.isabs(opened) and os.path.isdir(opened) else cwd,
        key=short_hash(
            session,
            event,
            source,
            *([text_at(payload, _IDS[event])] if event in _IDS else []),
            said,
        ),
        transcript=text_at(payload, "transcript_path"),
        source=source,
        model=text_at(payload, "model"),
        agent=text_at(payload, "agent_type") if inside else "",
        context=inside,
        text=text,
        files=files_in(text) if event == "prompt" else touched,
        env_file=env.get("CLAUDE_ENV_FILE", "") if event == "session-start" else "",
        root=_root(text_at(payload, "transcript_path"), session) if event in ANSWERED else "",
    )


# What tells one event of its kind from the next. A prompt's id comes with its text: some versions send the id of the one before.
_IDS = {
    **dict.fromkeys(("session-start", "prompt"), "prompt_id"),
    "subagent-start": "agent_id",
    **dict.fromkeys(("before-command", "before-file", "tool-failure"), "tool_use_id"),
}
_SAID = {"prompt": "prompt", "tool-failure": "error"}


def _is_no_task(event: str, payload: Mapping[str, Any]) -> bool:
    if event == "prompt":
        return text_at(payload, "source") not in ASKERS or text_at(
            payload, "prompt"
        ).lstrip().startswith(WAKE_UPS)
    return event == "tool-failure" and payload.get("is_interrupt") is True


def _root(transcript: str, session: str) -> str:
    """The session that this one continues, if its transcript begins with another's lines."""
    if not transcript:
        return ""
    from tacit.safety.files import head_of

    head = head_of(transcript, 16384)
    at = head.find(b'"sessionId":"')
    first = head[at + 13 : head.find(b'"', at + 13)].decode("ascii", "replace") if at >= 0 else ""
    return first if first != session and 0 < len(first) <= 64 else ""


def write(event: Event, told: HookAnswer) -> str:
    """The answer in the host's shape; empty where there is nothing to say, or nobody listens."""
    if event.name == "stop":
        return at_the_end(told, limit=LIMIT)
    theirs = NAMES.get(event.name, NAMES["before-command"]) if event.name in ANSWERED else ""
    return in_claudes_shape(told, theirs, shows=event.name in TOLD_PERSON, limit=LIMIT)
