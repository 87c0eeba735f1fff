"""What keeps a connected host from doing what it was connected for: asked of the host's own files, each with its mend."""

from __future__ import annotations

import os
import re

from tacit.hosts.entries import is_ours
from tacit.hosts.registration import home_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from tacit.hosts.registration import Host


def cautions(host: Host, connected: Sequence[str], root: str, env: Mapping[str, str]) -> list[str]:
    """What a person should know of this host, a line each; nothing where it is not connected or all is well."""
    ask = CHECKS.get(host.name)
    return ask(host, connected, root, env) if ask is not None else []


def _codex(host: Host, connected: Sequence[str], root: str, env: Mapping[str, str]) -> list[str]:
    """Codex passes over hooks that nobody has trusted, in `codex exec` without a word. What was trusted stands in its config.toml."""
    state = _at(_toml(os.path.join(home_of(host, env), "config.toml")), "hooks", "state")
    told = []
    for path in connected:
        ours = [f"{path}:{_snake(event)}:{group}:{at}" for event, group, at in _our_hooks(_json(path))]
        trusted = [key for key in ours if _at(state, key).get("trusted_hash")]
        if len(trusted) < len(ours):
            told.append(
                f"codex: {len(ours) - len(trusted)} of {len(ours)} hooks in {path} are not trusted and do not run;"
                " start codex once and trust them, or say /hooks there"
            )
    return told


def _gemini(host: Host, connected: Sequence[str], root: str, env: Mapping[str, str]) -> list[str]:
    """Gemini starts no MCP server in a folder that its user has not trusted."""
    home = home_of(host, env)
    files = (os.path.join(home, "settings.json"), os.path.join(root, ".gemini", "settings.json"))
    registered = any("tacit" in _at(_json(path), "mcpServers") for path in files)
    switched_off = _at(_json(files[0]), "security", "folderTrust").get("enabled") is False
    trusted = _json(os.path.join(home, "trustedFolders.json"))
    near = [folder for folder, word in trusted.items() if word in ("TRUST_FOLDER", "TRUST_PARENT") and _holds(folder, word, root)]
    if not registered or switched_off or near:
        return []
    mend = "say /permissions in gemini, or start it with --skip-trust"
    return [f"gemini: {root} is not a folder it trusts, so its MCP servers are disabled there; {mend}"]


def _claude(host: Host, connected: Sequence[str], root: str, env: Mapping[str, str]) -> list[str]:
    """The plugin and our own entries do the same: each event is answered once, but starts two processes."""
    names = ("settings.json", "settings.local.json")
    files = [os.path.join(home_of(host, env), "settings.json"), *(os.path.join(root, ".claude", name) for name in names)]
    plugins = {name.partition("@")[0] for path in files for name, on in _at(_json(path), "enabledPlugins").items() if on is True}
    if "tacit" not in plugins or not connected:
        return []
    mend = "tacit connect claude-code --undo leaves the plugin"
    return [f"claude-code: the plugin and {connected[0]} both call tacit, two processes for each event; {mend}"]


CHECKS: dict[str, Callable[[Host, Sequence[str], str, Mapping[str, str]], list[str]]] = {
    "codex": _codex,
    "gemini": _gemini,
    "claude-code": _claude,
}


def _our_hooks(tree: Mapping[str, Any]) -> list[tuple[str, int, int]]:
    """Our handlers in a file, by event and place."""
    found = []
    for event, groups in _at(tree, "hooks").items():
        for at, group in enumerate(groups if isinstance(groups, list) else ()):
            handlers = group.get("hooks") if isinstance(group, dict) else None
            found += [(event, at, n) for n, each in enumerate(handlers if isinstance(handlers, list) else ()) if is_ours(each)]
    return found


def _snake(event: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()


def _holds(folder: str, word: str, root: str) -> bool:
    top = os.path.realpath(os.path.dirname(folder) if word == "TRUST_PARENT" else folder)
    here = os.path.realpath(root)
    return here == top or here.startswith(top.rstrip(os.sep) + os.sep)


def _at(tree: Any, *keys: str) -> dict[str, Any]:
    for key in keys:
        tree = tree.get(key) if isinstance(tree, dict) else None
    return tree if isinstance(tree, dict) else {}


def _json(path: str) -> dict[str, Any]:
    from tacit.core.errors import TacitError
    from tacit.hosts.entries import parsed

    try:
        with open(path, encoding="utf-8") as file:
            found = parsed(file.read(), path, comments=True)
    except (OSError, ValueError, TacitError):
        return {}
    return found if isinstance(found, dict) else {}


def _toml(path: str) -> dict[str, Any]:
    import tomllib

    try:
        with open(path, "rb") as file:
            return tomllib.load(file)
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError):
        return {}
