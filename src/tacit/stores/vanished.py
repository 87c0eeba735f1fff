"""Folders that are gone: which are still there, to which repository a removed work tree belonged, and where a moved one is now."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from tacit.stores.identity import upward


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
            return above if any(os.path.exists(os.path.join(each, ".git")) for each in inside) else ""
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


def outermost(folders: Iterable[str]) -> dict[str, str]:
    """For each folder the highest of them that it lies in: a repository and its parts are one question."""
    known = set(folders)
    found = {}
    for folder in known:
        at = above = folder
        while above != os.path.dirname(above):
            above = os.path.dirname(above)
            at = above if above in known else at
        found[folder] = at
    return found
