"""Where sessions lie that were written down from a host's events: beside the store, one file each, for its owner alone."""

from __future__ import annotations

import os

from tacit.core.digest import short_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_FOLDER = "captured"
KEPT_DAYS = 30  # as long as hosts keep their own transcripts
LONGEST_NAME = 100
_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"


def captured_folder(store: str) -> str:
    """The folder of a store's captured sessions."""
    return os.path.join(os.path.dirname(os.path.realpath(store)), _FOLDER)


def file_of(store: str, session: str) -> str:
    """Where a session is written down. Its id comes from outside: what is no plain name is hashed."""
    plain = session and not session.strip(_NAME) and len(session) <= LONGEST_NAME
    return os.path.join(captured_folder(store), f"{session if plain else short_hash(session)}.jsonl")


def remove_captured(store: str, sessions: Iterable[str]) -> None:
    """Delete what was written down of some sessions."""
    for session in sessions:
        try:
            os.unlink(file_of(store, session))
        except FileNotFoundError:
            pass


def sweep(store: str, now: float) -> int:
    """Delete what is older than hosts keep theirs."""
    folder, gone = captured_folder(store), 0
    for entry in os.scandir(folder) if os.path.isdir(folder) else ():
        if entry.name.endswith(".jsonl") and entry.stat().st_mtime < now - KEPT_DAYS * 86400:
            os.unlink(entry.path)
            gone += 1
    return gone
