"""Our entries in the text of a host's settings: put in behind everybody else's, taken out without a trace.

Two shapes are about. In one an event has groups, each with a matcher and a list of handlers (Claude Code, Codex, Gemini);
in the other it has the handlers themselves (VS Code, Copilot, Cursor).
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from typing import Any

from tacit.core.errors import TacitError
from tacit.hosts.json_text import bare, json_parts, loads, member, put, top, without_part

_HOOK_CALL = re.compile(r"(^|[/\s'\"])tacit['\"]?\s+hook\s")


def is_ours(handler: object) -> bool:
    """Whether a handler in the settings calls `tacit hook`, from whichever installation."""
    if not isinstance(handler, dict):
        return False
    arguments, command = handler.get("args"), handler.get("command", handler.get("bash"))
    if not isinstance(command, str):
        return False
    if not isinstance(arguments, list):
        return _HOOK_CALL.search(command + " ") is not None
    words = [os.path.basename(command), *arguments]
    return any(words[at : at + 2] == ["tacit", "hook"] for at in range(len(words)))


def parsed(text: str, path: str, *, comments: bool = False) -> dict[str, Any]:
    """The settings behind a text; raises where they are none."""
    if not bare(text).strip():
        return {}
    try:
        tree = loads(text) if comments else json.loads(text)
    except (ValueError, RecursionError) as error:
        hint = "Correct it, or name another with --user or --shared."
        raise TacitError(f"{path} is not JSON ({error}); nothing was changed.", hint) from None
    hooks = tree.get("hooks", {}) if isinstance(tree, dict) else None
    if not isinstance(hooks, dict) or not all(
        isinstance(groups, list) for groups in hooks.values()
    ):
        hint = "Its hooks should be an object of lists."
        raise TacitError(
            f"{path} is not in the shape of settings with hooks; nothing was changed.", hint
        )
    return dict(tree)


def with_entries(
    text: str,
    entries: Mapping[str, Any],
    path: str,
    *,
    comments: bool = False,
    frame: Mapping[str, Any] | None = None,
) -> str:
    """The settings with our entries at the end of each event's list. A file of ours alone begins with the frame."""
    before = parsed(text, path, comments=comments)
    if not bare(text).strip():
        text, before = (
            text + (json.dumps(frame, indent=2) if frame else "{}") + "\n",
            dict(frame or {}),
        )
    if "hooks" not in before:
        text = put(text, top(text), "hooks", {event: [entry] for event, entry in entries.items()})
    else:
        for event, entry in entries.items():
            hooks = _value(text, top(text), "hooks")
            if event in before["hooks"]:
                text = put(text, _value(text, hooks, event), "", entry)
            else:
                text = put(text, hooks, event, [entry])
    others = before.get("hooks", {})
    wanted = {
        **before,
        "hooks": {
            **others,
            **{event: [*others.get(event, []), entry] for event, entry in entries.items()},
        },
    }
    if (loads(text) if comments else json.loads(text)) != wanted:
        raise TacitError(
            f"{path} could not be changed safely; nothing was changed.",
            "Please report this with the file.",
        )
    return text


def without_entries(text: str, path: str, *, comments: bool = False) -> str:
    """The settings without our entries, and without what only they filled."""
    tree = parsed(text, path, comments=comments)
    for event in tree.get("hooks", {}):
        text = _without(text, event)
    left = parsed(text, path, comments=comments)
    if tree.get("hooks") and not left["hooks"]:
        text = _taken(text, top(text), "hooks")
    return text


def _without(text: str, event: str) -> str:
    hooks = _value(text, top(text), "hooks")
    listed = _value(text, hooks, event)
    removed = False
    for part in reversed(json_parts(text, listed)):
        entry = loads(text[part.value_start : part.end])
        handlers = entry.get("hooks") if isinstance(entry, dict) else None
        if is_ours(entry) or (
            isinstance(handlers, list) and handlers and all(map(is_ours, handlers))
        ):
            text, removed = without_part(text, listed, part), True
        elif isinstance(handlers, list) and any(map(is_ours, handlers)):
            inner = _value(text, part.value_start, "hooks")
            for handler in reversed(json_parts(text, inner)):
                if is_ours(loads(text[handler.value_start : handler.end])):
                    text, removed = without_part(text, inner, handler), True
    return _taken(text, hooks, event) if removed and not json_parts(text, listed) else text


def _value(text: str, at: int, key: str) -> int:
    found = member(text, at, key)
    assert found is not None, key
    return found.value_start


def _taken(text: str, at: int, key: str) -> str:
    found = member(text, at, key)
    return without_part(text, at, found) if found is not None else text
