"""opencode's dialect: what our own plugin in it (`plugin.js`) asks, and a flat answer.

A refusal ends the call before it runs; a plugin cannot have the person asked. A sub-agent is a session that names its
parent: told as a context of the parent's, learned as a run of its own.
"""

from __future__ import annotations

import os

from tacit.core.digest import short_hash
from tacit.core.value import dumps
from tacit.hosts.dialect import (
    CHANGED_FIELDS,
    OWN_FOLDER,
    REFUSES,
    Event,
    command_of,
    failing,
    file_of,
    files_in,
    fitted,
    object_at,
    public,
    text_at,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tacit.hosts.dialect import HookAnswer

HOST = "opencode"
_EVENTS = tuple(
    "session-start prompt subagent-start before-command before-file tool-failure stop "
    "session-end".split()
)
LEARNED_FROM = ("stop", "session-end")
# which decisions it passes on, by event
DECIDES = {"before-command": (REFUSES,), "before-file": (REFUSES,)}
LIMIT = 9_500  # characters; the host documents no limit


def read(name: str, payload: Mapping[str, Any], env: Mapping[str, str]) -> Event | None:
    """The event in our words; None where there is nothing for us in it."""
    session, parent, cwd = (
        text_at(payload, "session_id"),
        text_at(payload, "parent_id"),
        text_at(payload, "cwd"),
    )
    if name not in _EVENTS or not session or not os.path.isabs(cwd) or OWN_FOLDER in cwd:
        return None
    said = (
        command_of(payload)
        if name == "before-command"
        else text_at(payload, "prompt" if name == "prompt" else "error")
    )
    touched = file_of(payload) if name == "before-file" else ()
    if touched:
        said = text_at(object_at(payload, "tool_input"), *CHANGED_FIELDS)
    if (name == "before-command" and not said) or (name == "before-file" and not touched):
        return None
    text = failing(said) if name == "tool-failure" else public(said)
    source = text_at(payload, "source") if name == "session-start" else ""
    inside = bool(parent) and name not in LEARNED_FROM
    return Event(
        name=name,
        host=HOST,
        session=parent if inside else session,
        folder=cwd,
        key=short_hash(session, name, source, text_at(payload, "id"), said),
        transcript=_store(env) if name in (*LEARNED_FROM, "session-start") else "",
        source=source,
        model=text_at(payload, "model"),
        agent=text_at(payload, "agent") if parent else "",
        context=session if inside else "",
        text=text,
        files=files_in(text) if name == "prompt" else touched,
        version=text_at(payload, "version"),
    )


def _store(env: Mapping[str, str]) -> str:
    """The file in which the host keeps every session."""
    data = env.get("XDG_DATA_HOME") or os.path.join(
        env.get("HOME") or os.path.expanduser("~"), ".local", "share"
    )
    return os.path.join(data, "opencode", "opencode.db")


def write(event: Event, told: HookAnswer) -> str:
    """Context for the agent, and what the person is shown."""
    refused = told.reason if told.decision == REFUSES else ""
    answer = {
        "context": fitted(told.context, LIMIT),
        "message": told.message,
        "refused": refused[:LIMIT],
    }
    return (
        dumps({name: text for name, text in answer.items() if text}) if any(answer.values()) else ""
    )
