"""Keys with which a program of one's own says in whose name it acts.

A person at a terminal is known by it. A program without one (a job of CI, a notebook, a script of cron) is taken for an agent, unless it
shows a key that a person made: `tacit config key NAME` prints it once and keeps its SHA-256, in a file beside the user's configuration.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from tacit.core.digest import hex_digest
from tacit.core.errors import ConfigInvalid


def key_names(path: str) -> dict[str, str]:
    """Whose key each is, by its digest."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ConfigInvalid(
            f"The keys in {path} cannot be read: {error}.", "Remove it and make new ones: tacit config key NAME."
        ) from None
    return {str(digest): str(name) for digest, name in found.items()} if isinstance(found, dict) else {}


def name_of(key: str, path: str) -> str:
    """In whose name a program acts that shows this key; empty if it is none of ours."""
    return key_names(path).get(hex_digest(key), "") if key else ""


def make(name: str, path: str) -> str:
    """A new key, in that name; what stands under the name already goes on working."""
    key = os.urandom(24).hex()
    _write({**key_names(path), hex_digest(key): name}, path)
    return key


def take_back(name: str, path: str) -> int:
    """How many keys of that name no longer count."""
    known = key_names(path)
    left = {digest: whose for digest, whose in known.items() if whose != name}
    if left != known:
        _write(left, path)
    return len(known) - len(left)


def _write(known: Mapping[str, str], path: str) -> None:
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    fresh = f"{path}.{os.getpid()}"
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        json.dump(known, file, indent=1)
    os.replace(fresh, path)
