"""What the user has set, and where each value comes from.

Four layers, the later ones win: defaults, the repository's `.tacit/config.toml`, the user's own `config.toml`, the
environment. A repository's own file is somebody else's word: it may name a domain and paths to ignore, and
nothing that reaches outside (no store, endpoint, command or key). Nothing in it is an error either: what does not count is left out
and said, so that no commit can switch a person's memory off. The same holds for a variable, which a repository can have its host set.
"""

from __future__ import annotations

import os

from tacit.core.errors import ConfigInvalid
from tacit.core.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

# key -> (default, may a repository set it, sentence)
CONFIG_KEYS: dict[str, tuple[Any, bool, str]] = {
    "by": ("", False, "the name in which you act"),
    "ignore": (
        (),
        True,
        "globs of folders whose runs are never read or given anything; those of a repository and of TACIT_IGNORE: never read",
    ),
    "receipt": (True, False, "one line at the end of a session"),
    "learns": (True, False, "learn from sessions as they end; no: only give what is known"),
    "gives": (True, False, "give lessons to agents; no: only learn"),
    "model.url": ("", False, "an OpenAI-compatible endpoint"),
    "model.name": ("", False, "the model it serves"),
    "model.key_env": ("", False, "the environment variable that holds its key"),
    "model.command": ("", False, "a command that reads a prompt on its standard input"),
    "model.daily_tokens": (200_000, False, "tokens a day a model may cost, then rules go on alone"),
    "reader.by": (
        "",
        False,
        "who reads finished sessions: claude-code, model (the one above), or nobody",
    ),
    "reader.model": ("haiku", False, "the model that claude-code reads with"),
    "reader.hosts": (
        (),
        False,
        "hosts whose sessions it may read; empty: claude-code reads its own, a model you named reads all",
    ),
    "reader.off": ((), False, "globs of folders whose sessions are never read by a model"),
    "sync.key": (
        "",
        False,
        "the SSH key that signs what this machine shares; its public half where an agent holds it",
    ),
    "sync.signers": (
        "",
        False,
        "the allowed-signers file of the team: whose signed lessons are taken in as the team's",
    ),
}
MOST_TOLD = 5  # sentences about what does not count; a file may hold thousands
MOST_GLOBS = 50  # folders that a repository may have ignored: each is asked at each event
# Of the environment. Not for the reader: a repository can have its host set variables, and only the user's own file says who reads. What a
# variable ignores is not learned, and what its user knows is given there all the same.
VARIABLES = {
    key: "TACIT_" + key.upper().replace(".", "_")
    for key in CONFIG_KEYS
    if not key.startswith("reader.")
}


@value
class Setting:
    """One value and where it comes from."""

    key: str
    value: Any
    source: str


@value
class Settled:
    """All settings by key, and what was said that does not count, a sentence each."""

    by_key: dict[str, Setting]
    left_out: tuple[str, ...] = ()
    unlearned: tuple[
        str, ...
    ] = ()  # folders whose sessions the repository, or a variable, keeps from being learned


def settle(
    user: Mapping[str, Any],
    repository: Mapping[str, Any],
    env: Mapping[str, str],
    *,
    user_path: str = "config.toml",
    repository_path: str = ".tacit/config.toml",
) -> Settled:
    """All settings by key, and what does not count. Only what the user's own file says wrongly is an error."""
    found = {key: Setting(key, default, "default") for key, (default, _, _) in CONFIG_KEYS.items()}
    left_out: list[str] = []
    unlearned: dict[str, tuple[str, ...]] = {}  # by who asks: the repository, a variable

    def take(key: str, entry: Any, source: str) -> None:
        try:
            read = _typed(key, entry, source)
            if key == "ignore":
                ours = source != repository_path
                unlearned[source] = read if ours else _own_folders(read, source, env)
                return
            found[key] = Setting(key, read, source)
        except ConfigInvalid as fault:
            left_out.append(f"{str(fault)[:300].rstrip('.')}; left out")

    for key, entry in _flat(repository).items():
        if key not in CONFIG_KEYS:
            left_out.append(f"{repository_path}: {key[:60]!r} is not a setting; left out")
        elif not CONFIG_KEYS[key][1]:
            left_out.append(f"{repository_path} sets {key}, which a repository may not; left out")
        else:
            take(key, entry, repository_path)
    for key, entry in _flat(user).items():
        if key not in CONFIG_KEYS:
            raise _unknown(key, user_path)
        found[key] = Setting(key, _typed(key, entry, user_path), user_path)
    for key, name in VARIABLES.items():
        if env.get(name):
            take(key, env[name], name)
    more = (
        [f"{repository_path}: {len(left_out) - MOST_TOLD} more of the kind"]
        if len(left_out) > MOST_TOLD
        else []
    )
    told = [
        f"{source}: sessions in {', '.join(globs)} are not learned, as it asks"[:300]
        for source, globs in unlearned.items()
        if globs
    ]
    every = tuple(glob for globs in unlearned.values() for glob in globs)
    return Settled(found, (*told, *left_out[:MOST_TOLD], *more), every)


def _own_folders(globs: tuple[str, ...], path: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """Where a repository would have nothing learned: some of its folders, never itself. What is known there is given all the same: to hear
    nothing is its user's decision alone."""
    if len(globs) > MOST_GLOBS or sum(map(len, globs)) > MOST_GLOBS * 80:
        raise ConfigInvalid(f"{path}: ignore lists more than {MOST_GLOBS} folders")
    if is_ignored(os.path.dirname(os.path.dirname(os.path.abspath(path))), globs, env):
        raise ConfigInvalid(
            f"{path}: ignore covers the whole repository, which your own config.toml alone may"
        )
    return globs


def _flat(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, entry in tree.items():
        key = prefix + str(name)
        if isinstance(entry, dict) and key not in CONFIG_KEYS:
            flat.update(_flat(entry, key + "."))
        else:
            flat[key] = entry
    return flat


def _unknown(key: str, path: str) -> ConfigInvalid:
    from difflib import get_close_matches

    near = get_close_matches(key, CONFIG_KEYS, 1, 0.5)
    hint = f"Did you mean {near[0]}?" if near else "tacit config show lists all of them."
    return ConfigInvalid(f"{path}: {key} is not a setting.", hint)


def _typed(key: str, entry: Any, path: str) -> Any:
    default = CONFIG_KEYS[key][0]
    if isinstance(default, bool):
        word = str(entry).lower()
        if word in ("true", "1", "yes", "on"):
            return True
        if word in ("false", "0", "no", "off"):
            return False
        raise ConfigInvalid(f"{path}: {key} = {entry!r} is neither true nor false.")
    if isinstance(default, int):
        try:
            return int(entry)
        except (TypeError, ValueError):
            raise ConfigInvalid(f"{path}: {key} = {entry!r} is not a number.") from None
    if isinstance(default, tuple):
        items = entry.split(":") if isinstance(entry, str) else entry
        if not isinstance(items, (list, tuple)) or not all(isinstance(item, str) for item in items):
            raise ConfigInvalid(f"{path}: {key} must be a list of texts.")
        return tuple(items)
    if not isinstance(entry, str):
        raise ConfigInvalid(f"{path}: {key} = {entry!r} is not a text.")
    return entry


def is_ignored(folder: str, globs: Sequence[str], env: Mapping[str, str]) -> bool:
    """Whether a folder, or one above it, fits one of the globs. `~` is the home, `*` also crosses slashes."""
    if not globs:
        return False
    from fnmatch import fnmatchcase

    home = env.get("HOME", "")
    wanted = [
        home + glob[1:] if glob.startswith("~") else glob
        for glob in (each.rstrip("/") for each in globs)
    ]
    names = set()
    for path in (folder, os.path.realpath(folder)):
        while path not in names and len(path) > 1:
            names.add(path)
            path = os.path.dirname(path)
    return any(fnmatchcase(name, glob) for name in names for glob in wanted)
