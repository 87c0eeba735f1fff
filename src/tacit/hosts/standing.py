"""What keeps a connected host from doing what it was connected for: asked of the host's own files, each with its mend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.guard.files import PAGE_LIMIT, read_plain
from tacit.hosts.entries import is_ours

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tacit.hosts.registration import Host


def cautions(host: Host, connected: Sequence[str], root: str, env: Mapping[str, str]) -> list[str]:
    """What a person should know of this host, a line each; nothing where it is not connected or all is well."""
    return host.cautions(host, connected, root, env) if host.cautions is not None else []


def our_hooks(tree: Mapping[str, Any]) -> list[tuple[str, int, int]]:
    """Our handlers in a file, by event and place."""
    found = []
    for event, groups in inside(tree, "hooks").items():
        for at, group in enumerate(groups if isinstance(groups, list) else ()):
            handlers = group.get("hooks") if isinstance(group, dict) else None
            found += [
                (event, at, n) for n, each in enumerate(handlers if isinstance(handlers, list) else ()) if is_ours(each)
            ]
    return found


def inside(tree: Any, *keys: str) -> dict[str, Any]:
    """The object at the end of a row of keys; an empty one where there is none."""
    for key in keys:
        tree = tree.get(key) if isinstance(tree, dict) else None
    return tree if isinstance(tree, dict) else {}


def json_at(path: str) -> dict[str, Any]:
    """A host's file; empty where it cannot be read."""
    from tacit.core.errors import TacitError
    from tacit.hosts.entries import parsed

    try:
        found = parsed(read_plain(path, PAGE_LIMIT).decode("utf-8"), path, comments=True)
    except (OSError, ValueError, TacitError):
        return {}
    return found if isinstance(found, dict) else {}


def toml_at(path: str) -> dict[str, Any]:
    """The same for one in TOML."""
    import tomllib

    try:
        return tomllib.loads(read_plain(path, PAGE_LIMIT).decode("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
