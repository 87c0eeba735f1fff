"""Which commit is checked out, read from git's files: a hook asks no program."""

from __future__ import annotations

import os

from tacit.guard.files import head_of

_MOST = 1 << 24  # bytes of packed refs that are read


def head_commit(git_dir: str, common_dir: str = "") -> str:
    """The whole name of the commit that HEAD stands at; empty where there is none, or its files cannot be read."""
    said = _read(os.path.join(git_dir, "HEAD"), 400).strip()
    if not said.startswith("ref: "):
        return said if _is_name(said) else ""
    name = said[5:].strip()
    if not name.startswith("refs/") or ".." in name.split("/"):
        return ""
    for place in dict.fromkeys((git_dir, common_dir or git_dir)):
        found = _read(os.path.join(place, *name.split("/")), 100).strip()
        if _is_name(found):
            return found
    packed = _read(os.path.join(common_dir or git_dir, "packed-refs"), _MOST)
    return next(
        (
            line[: -len(name) - 1]
            for line in packed.splitlines()
            if line.endswith(f" {name}") and _is_name(line[: -len(name) - 1])
        ),
        "",
    )


def _is_name(text: str) -> bool:
    return len(text) in (40, 64) and all(each in "0123456789abcdef" for each in text)


def _read(path: str, most: int) -> str:
    return head_of(path, most).decode("utf-8", "replace")
