"""Claude Code's dialect: which of its events say something to us, and the shapes in which it wants to be answered.

Text for the model goes into `hookSpecificOutput.additionalContext`, beside the event's own name; at the top level it
would be ignored silently. The host moves strings over 10,000 characters into a file, so ours stay below. Hooks fire
inside sub-agents too, marked by `agent_id`: those are part of the session they serve and are passed over.
"""

from __future__ import annotations

import os

from tacit.core.digest import short_hash
from tacit.surfaces.hooks import Event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tacit.surfaces.hooks import Told

HOST = "claude-code"
NAMES = {
    "session-start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "subagent-start": "SubagentStart",
    "tool-failure": "PostToolUseFailure",
    "pre-compact": "PreCompact",
    "stop": "Stop",
    "session-end": "SessionEnd",
}
OURS = {theirs: ours for ours, theirs in NAMES.items()}
ANSWERED = ("session-start", "prompt", "subagent-start", "tool-failure")

LIMIT = 9500  # characters of a string; the host's own limit is 10,000
PEOPLE = (
    "",
    "user",
    "sdk",
)  # sources of a prompt that is somebody's task; wake-ups and polls repeat what was asked before
PROMPT = 4_000  # characters of a prompt that are looked at: what is asked stands in front of what was pasted
FILES = 16
# Without one of these, without a digit and without a long word no text holds a secret that `core.redact` would find.
HINTS = (
    "pass", "pw", "kennwort", "contrase", "mdp", "token", "jeton", "secret", "geheimnis", "key", "clave", "cred", "auth", "login",
    "curl", "wget", "begin", "://",
)  # fmt: skip
LONG_WORD = 24
OWN_FOLDER = "/tacit-model-call"  # where Tacit asks models; it must not talk to itself


def read(name: str, payload: Mapping[str, Any], env: Mapping[str, str]) -> Event | None:
    """The event in our words; None where there is nothing for us in it."""
    event = OURS.get(_text(payload, "hook_event_name"), name)
    session, cwd = _text(payload, "session_id"), _text(payload, "cwd")
    if event not in NAMES or not session or not os.path.isabs(cwd) or OWN_FOLDER in cwd:
        return None
    if (payload.get("agent_id") and event != "subagent-start") or _is_no_task(event, payload):
        return None
    # The folder in which the session was opened: `cwd` follows the agent's `cd`, and a session belongs to one project.
    opened = env.get("CLAUDE_PROJECT_DIR", "")
    source = _text(payload, "source") if event == "session-start" else ""
    said = _text(payload, _SAID.get(event, ""))
    text = _public(said, kept=event == "prompt")
    return Event(
        name=event,
        host=HOST,
        session=session,
        folder=opened if os.path.isabs(opened) and os.path.isdir(opened) else cwd,
        key=short_hash(HOST, session, event, source, *(_text(payload, each) for each in _IDS[event]), said),
        transcript=_text(payload, "transcript_path"),
        source=source,
        model=_text(payload, "model"),
        agent=_text(payload, "agent_type") if event == "subagent-start" else "",
        text=text,
        task=(_text(payload, "prompt_id") or short_hash(text)) if event == "prompt" else "",
        files=files_in(text) if event == "prompt" else (),
        env_file=env.get("CLAUDE_ENV_FILE", "") if event == "session-start" else "",
    )


# What tells one event of its kind from the next. A prompt's id comes with its text: some versions send the id of the one before.
_IDS: dict[str, tuple[str, ...]] = {
    "session-start": ("prompt_id",),
    "prompt": ("prompt_id",),
    "subagent-start": ("agent_id",),
    "tool-failure": ("tool_use_id",),
    "pre-compact": (),
    "stop": (),
    "session-end": (),
}
_SAID = {"prompt": "prompt", "tool-failure": "error"}


def _text(payload: Mapping[str, Any], key: str) -> str:
    found = payload.get(key)
    return found if isinstance(found, str) else ""


def _is_no_task(event: str, payload: Mapping[str, Any]) -> bool:
    if event == "prompt":
        return _text(payload, "source") not in PEOPLE
    return event == "tool-failure" and payload.get("is_interrupt") is True


def _public(text: str, *, kept: bool) -> str:
    """A text without what is private; one that is kept beside what was given for it, also without secrets."""
    from tacit.core.memory import sound_text

    text = sound_text(text[:PROMPT])
    if is_plain(text) or not (kept or "<" in text):
        return text
    from tacit.core.redact import PRIVATE, private, redact

    shown = private(text).replace(PRIVATE, " ").strip()
    return redact(shown).text if kept else shown


def is_plain(text: str) -> bool:
    """Whether a text surely holds nothing private or secret, so that the rules for finding it need not be loaded."""
    low = text.lower()
    return (
        text.isascii()
        and "<" not in text
        and not any(digit in text for digit in "0123456789")
        and not any(hint in low for hint in HINTS)
        and all(len(word) <= LONG_WORD for word in text.split())
    )


def files_in(text: str) -> tuple[str, ...]:
    """The files that a prompt names: @mentions, paths, and names with an extension."""
    found = []
    for word in text[:PROMPT].split():
        name = word.strip("`'\"()[]{}<>,;:!?").rstrip(".").removeprefix("@")
        stem, dot, extension = name.rpartition(".")
        spelled = dot and stem and len(stem + extension) > 2  # "e.g." is none
        looks = "/" in name or (spelled and extension.isalnum() and len(extension) < 6 and not extension.isdigit())
        if looks and "://" not in name and 2 < len(name) < 200 and name.strip("/."):
            found.append(name)
    return tuple(dict.fromkeys(found))[:FILES]


def write(event: Event, told: Told) -> str:
    """The answer in the host's shape; empty where there is nothing to say, or nobody listens."""
    answer: dict[str, Any] = {}
    if told.message and event.name == "session-start":
        answer["systemMessage"] = told.message[:LIMIT]
    if told.context and event.name in ANSWERED:
        answer["hookSpecificOutput"] = {"hookEventName": NAMES[event.name], "additionalContext": fitted(told.context)}
    if not answer:
        return ""
    import json

    return json.dumps(answer)


def fitted(text: str, limit: int = LIMIT) -> str:
    """A text below the host's limit: whole lines go from its end, its last line, which closes the fence, stays."""
    if len(text) <= limit:
        return text
    lines = text.rstrip("\n").split("\n")
    last = lines.pop()
    while lines and sum(map(len, lines)) + len(lines) + len(last) + 1 > limit:
        lines.pop()
    return "\n".join([*lines, last]) + "\n" if lines else ""
