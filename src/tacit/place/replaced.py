"""Copies of files that an export replaced: in the user's data folder, never beside the file, where the next export would meet them.

replaced/lessons.jsonl-4f2a…/2026-05-04T10-00-00Z-k3n2….jsonl     what was known: the last ten stay
replaced/lessons.jsonl-4f2a…/theirs/…                             what held something unknown: until a person deletes it
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from tacit.core.digest import new_id, short_hash
from tacit.core.errors import StoreReadOnly
from tacit.place.files import put_file, put_whole, to_disk
from tacit.place.identity import upward


def still_there(folder: str) -> str:
    """The folder, or where it is gone (a work tree that was removed, a part that was renamed) the one above it that lies in a repository.

    Empty where none is left: then nobody can say which project it was.
    """
    if not folder or os.path.isdir(folder):
        return folder
    above = os.path.dirname(folder.rstrip("/"))
    while above and above != os.path.dirname(above):
        if os.path.isdir(above):
            inside = [above, *upward(above, {})]
            return (
                above if any(os.path.exists(os.path.join(each, ".git")) for each in inside) else ""
            )
        above = os.path.dirname(above)
    return ""


_WORK_TREES = ("/.claude/worktrees/", "/.worktrees/", "/.git/worktrees/")


def repository_of(folder: str) -> str:
    """The repository of a work tree that is gone, by the way programs name them: inside the repository, or by id and name in a home of
    theirs (`~/.codex/worktrees/1f2e/shop` and `…/77ab/shop` are both `~/.codex/worktrees/shop`). Any other folder is itself."""
    for part in _WORK_TREES:
        before, found, _ = folder.partition(part)
        if found and before:
            return before
    before, found, rest = folder.partition("/worktrees/")
    _, _, name = rest.partition("/")
    return f"{before}/worktrees/{name.partition('/')[0]}" if found and name else folder


def moved_to(folder: str, moved: Mapping[str, str]) -> str:
    """The project that a person named for a folder, or for one above it, when its repository had moved; empty where nobody did."""
    while folder and folder not in moved and folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
    return moved.get(folder, "")


FOLDER = "replaced"
LAST = 10
_THEIRS = "theirs"
_ERASED = b"[erased]"


def keep_copy(data_folder: str, path: str, data: bytes, at: str, *, theirs: bool) -> str:
    """A copy of what stands at a path, on the disk before anything else happens; where it lies."""
    root, real = os.path.join(data_folder, FOLDER), os.path.realpath(path)
    folder = os.path.join(
        root, f"{os.path.basename(real)}-{short_hash(real)[:8]}", _THEIRS if theirs else ""
    )
    copy = os.path.join(
        folder, f"{at[:19].replace(':', '-')}Z-{new_id()}{os.path.splitext(real)[1]}"
    )
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        put_file(copy, data, 0o600)
        to_disk(folder)
        if not theirs:
            for old in _copies(folder)[:-LAST]:
                os.unlink(old)
    except OSError as error:
        told = f"No copy of {path} could be kept in {root}: {error.strerror or error}. It is as it was."
        raise StoreReadOnly(
            told, "Check that folder's permissions and the room on its disk."
        ) from error
    return copy


def blank_copies(data_folder: str, text: str) -> None:
    """Take an erased lesson's words out of every copy; all else in them stays."""
    forms = {text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]}
    wanted = [form.encode() for form in sorted(forms, key=len, reverse=True) if form]
    for folder, _, names in os.walk(os.path.join(data_folder, FOLDER)):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                data = now = file.read()
            for form in wanted:
                now = now.replace(form, _ERASED)
            if now != data:
                put_whole(path, now)


def _copies(folder: str) -> list[str]:
    """The copies in a folder, oldest first."""
    every = [entry for entry in os.scandir(folder) if entry.is_file()]
    return [
        entry.path
        for entry in sorted(every, key=lambda entry: (entry.stat().st_mtime_ns, entry.name))
    ]
