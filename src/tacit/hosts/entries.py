"""Our entries in a host's settings: behind everybody else's, taken out again. `cli.settings_file`
keeps a copy."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from tacit.core.errors import TacitError
from tacit.safety.files import PAGE_LIMIT, read_plain

_HOOK_CALL = re.compile(r"(^|[/\s'\"])tacit['\"]?\s+hook\s")
# Strings are matched first, so that what looks like a comment or a comma inside one is left alone.
_COMMENTS = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.S)
_LAST_COMMAS = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.S)
_INDENT = re.compile(r"\n([ \t]+)\S")


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


def without_comments(text: str) -> str:
    """The text without comments and without commas after a last part, which some hosts allow."""
    return _LAST_COMMAS.sub(r"\1", _COMMENTS.sub(r"\1", text))


def parsed(text: str, path: str, *, comments: bool = False) -> dict[str, Any]:
    """The settings behind a text; raises where they are none."""
    plain = without_comments(text) if comments else text
    if not plain.strip():
        return {}
    try:
        tree = json.loads(plain)
    except (ValueError, RecursionError) as error:
        hint = "Correct it, or name another with --user or --shared."
        raise TacitError(f"{path} is not JSON ({error}); nothing was changed.", hint) from None
    hooks = tree.get("hooks", {}) if isinstance(tree, dict) else None
    if not isinstance(hooks, dict) or not all(isinstance(each, list) for each in hooks.values()):
        hint = "Its hooks should be an object of lists."
        told = f"{path} is not in the shape of settings with hooks; nothing was changed."
        raise TacitError(told, hint)
    return dict(tree)


def with_entries(
    text: str,
    entries: Mapping[str, Any],
    path: str,
    *,
    comments: bool = False,
    frame: Mapping[str, Any] | None = None,
) -> str:
    """The settings with our entries at the end of each event's list; a file of ours alone begins with the frame."""
    tree = parsed(text, path, comments=comments) or dict(frame or {})
    hooks = tree.setdefault("hooks", {})
    for event, entry in entries.items():
        hooks.setdefault(event, []).append(entry)
    return _written(tree, text)


def without_entries(text: str, path: str, *, comments: bool = False) -> str:
    """The settings without our entries, and without what only they filled; as they stood where there are none."""
    tree = parsed(text, path, comments=comments)
    hooks = tree.get("hooks", {})
    left = {}
    for event, listed in hooks.items():
        kept = [each for entry in listed if (each := _without_ours(entry)) is not None]
        if kept or not listed:
            left[event] = kept
    if left == hooks:
        return text
    if left:
        tree["hooks"] = left
    else:
        del tree["hooks"]
    return _written(tree, text)


def _without_ours(entry: Any) -> Any:
    """A group or a handler without what is ours; None where nothing is left of it."""
    if is_ours(entry):
        return None
    handlers = entry.get("hooks") if isinstance(entry, dict) else None
    if not isinstance(handlers, list) or not any(map(is_ours, handlers)):
        return entry
    others = [each for each in handlers if not is_ours(each)]
    return {**entry, "hooks": others} if others else None


def _written(tree: Mapping[str, Any], before: str) -> str:
    """Settings as JSON, indented and ended as the text before."""
    indent = _INDENT.search(before)
    text = json.dumps(tree, indent=indent[1] if indent else 2, ensure_ascii=False)
    text += "\n" if before.endswith("\n") or not before.strip() else ""
    return text.replace("\n", "\r\n") if "\r\n" in before else text


def our_hooks(tree: Mapping[str, Any]) -> list[tuple[str, int, int]]:
    """Our handlers in a file, by event and place."""
    found = []
    for event, groups in inside(tree, "hooks").items():
        for at, group in enumerate(groups if isinstance(groups, list) else ()):
            handlers = group.get("hooks") if isinstance(group, dict) else None
            found += [
                (event, at, n)
                for n, each in enumerate(handlers if isinstance(handlers, list) else ())
                if is_ours(each)
            ]
    return found


def inside(tree: Any, *keys: str) -> dict[str, Any]:
    """The object at the end of a row of keys; an empty one where there is none."""
    for key in keys:
        tree = tree.get(key) if isinstance(tree, dict) else None
    return tree if isinstance(tree, dict) else {}


def json_at(path: str) -> dict[str, Any]:
    """A host's file; empty where it cannot be read."""
    try:
        return parsed(read_plain(path, PAGE_LIMIT).decode("utf-8"), path, comments=True)
    except (OSError, ValueError, TacitError):
        return {}


def toml_at(path: str) -> dict[str, Any]:
    """The same for one in TOML."""
    try:
        return tomllib.loads(read_plain(path, PAGE_LIMIT).decode("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
