"""Where the user's store lies, and the small file beside it that tells what its lessons speak of (`stores/sqlite/terms.py`)."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def store_path(given: str | None, env: Mapping[str, str]) -> str:
    """Which store is meant: named, from the environment, or the user's own."""
    return os.path.expanduser(given or env.get("TACIT_STORE") or os.path.join(data_folder(env), "tacit.db"))


def data_folder(env: Mapping[str, str]) -> str:
    """Where the user's store lies."""
    return os.path.join(env.get("XDG_DATA_HOME") or os.path.join(home_folder(env), ".local", "share"), "tacit")


def home_folder(env: Mapping[str, str]) -> str:
    """The user's home."""
    return env.get("HOME") or os.path.expanduser("~")


def spoken_path(store: str) -> str:
    """The file's name."""
    return f"{store}.about"


def is_spoken_of(store: str, words: Iterable[str]) -> bool:
    """Whether a lesson in force may be about one of these words; true where nobody wrote the file."""
    try:
        with open(spoken_path(store), encoding="utf-8", errors="replace") as file:
            held = file.read()
    except (OSError, ValueError):
        return True
    return any(f"\n{word.lower()}\n" in held for word in words if word)
