"""Whose lines a transcript repeats: a forked session holds what its parent was told, so it has its parent's coins.

A host that forks copies the parent's lines into a new file under a new id, and leaves nothing but the ids of the messages to tell
where they came from. Asked only of a session that the store has not met: siblings are looked through once.
"""

from __future__ import annotations

import os

from tacit.guard.files import head_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SIBLINGS = 40  # files beside it that are looked at, the newest first
_HEAD = 16_384  # bytes of each; a session's first message stands there


def copied_from(transcript: str, session: str) -> Iterator[str]:
    """The sessions whose first message a transcript repeats, the newest first; none for a session of its own, or one with no answer yet."""
    head = head_of(transcript, _HEAD)
    first = _first(head)
    if not first or b'"type":"assistant"' not in head.replace(b'": "', b'":"'):
        return
    folder = os.path.dirname(transcript)
    try:
        beside = [entry for entry in os.scandir(folder) if entry.name.endswith(".jsonl") and entry.path != transcript]
        beside.sort(key=lambda entry: -entry.stat().st_mtime)
    except OSError:
        return
    for entry in beside[:SIBLINGS]:
        if _first(head_of(entry.path, _HEAD)) == first and (name := entry.name[: -len(".jsonl")]) != session:
            yield name


def _first(head: bytes) -> bytes:
    """The id of the first message."""
    at = head.replace(b'"uuid": "', b'"uuid":"')
    begin = at.find(b'"uuid":"')
    return at[begin + 8 : at.find(b'"', begin + 8)] if begin >= 0 else b""
