"""What keeps a connected host from doing what it was connected for: asked of the host's own files, each with its mend."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from tacit.core.errors import TacitError
from tacit.hosts.entries import is_ours, parsed
from tacit.hosts.registration import Host
from tacit.safety.files import PAGE_LIMIT, read_plain

OLD_FORM = "calls tacit in a form that hurts the host once tacit is uninstalled"


def cautions(host: Host, connected: Sequence[str], root: str, env: Mapping[str, str]) -> list[str]:
    """What a person should know of this host, a line each; nothing where it is not connected or all is well."""
    told = host.cautions(host, connected, root, env) if host.cautions is not None else []
    old = [
        path
        for path in connected
        if host.plugin is None and any(map(_can_hurt, _ours_in(json_at(path))))
    ]
    return [
        f"{host.name}: {path} {OLD_FORM}; tacit connect {host.name}{_level(path, root)} mends it"
        for path in old
    ] + told


def _level(path: str, root: str) -> str:
    return (
        ""
        if path.endswith(".local.json")
        else " --shared"
        if path.startswith(root + os.sep)
        else " --user"
    )


def _can_hurt(handler: Mapping[str, Any]) -> bool:
    """Whether an entry of ours is of the form before 0.3: it fails where the program is gone."""
    return "args" in handler or " || " not in str(handler.get("command", handler.get("bash", "")))


def _ours_in(tree: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Our handlers in a file, in groups or by themselves."""
    listed = [
        each
        for groups in inside(tree, "hooks").values()
        if isinstance(groups, list)
        for each in groups
    ]
    inner = [
        each
        for group in listed
        if isinstance(group, dict)
        for each in group.get("hooks") or ()
        if is_ours(each)
    ]
    return [*inner, *(each for each in listed if is_ours(each))]


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
        found = parsed(read_plain(path, PAGE_LIMIT).decode("utf-8"), path, comments=True)
    except (OSError, ValueError, TacitError):
        return {}
    return found if isinstance(found, dict) else {}


def toml_at(path: str) -> dict[str, Any]:
    """The same for one in TOML."""
    try:
        return tomllib.loads(read_plain(path, PAGE_LIMIT).decode("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
