"""Write down in a folder which project it is: in git's own settings, or in a file of ours where there is no git."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tacit.core.rows import is_id
from tacit.place.identity import (
    GIT_SETTING,
    MARKER_FILE,
    Place,
    TextFile,
    entries_of,
    marked,
    read_file,
    settings_of,
)

if TYPE_CHECKING:
    pass


def record_project(place: Place, project_id: str) -> bool:
    """Write the id into the place's git config, or into a marker file where there is no git.

    False, and nothing changed, if the file is locked or cannot be written, or if it names another project than when the
    place was located: then somebody else was first, and locating again tells who.
    """
    if not is_id(project_id):
        raise ValueError(f"not a project id: {project_id!r}")
    if not place.believed:
        return False
    in_git = place.kind == "git"
    path = (
        os.path.join(place.common_dir, "config")
        if in_git
        else os.path.join(place.root, MARKER_FILE)
    )
    lock = f"{path}.lock"  # git's own protocol: whoever creates the lock writes the new text into it and renames it
    try:
        fd = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except (OSError, ValueError):
        return False
    renamed = False
    try:
        with open(fd, "wb") as file:
            old = read_file(path)
            if old is None and os.path.lexists(path):
                return False
            text = old.text if old else ""
            recorded = settings_of(text).project if in_git else marked(text)
            if recorded == project_id:
                return True
            if recorded != place.id:
                return False
            new = _with_project(text, project_id) if in_git else f"{project_id}\n"
            file.write(new.encode("utf-8", "surrogateescape"))
            file.flush()
            _keep_owner_and_mode(fd, old)
            os.fsync(fd)
        os.rename(lock, path)
        renamed = True
        return True
    except (OSError, ValueError):
        return False
    finally:
        if not renamed:
            _remove(lock)


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass


def _keep_owner_and_mode(fd: int, old: TextFile | None) -> None:
    found = os.fstat(fd)
    if old and (old.uid, old.gid) != (found.st_uid, found.st_gid):
        os.fchown(fd, old.uid, old.gid)
    os.fchmod(fd, old.mode if old else 0o644)


def _with_project(text: str, project_id: str) -> str:
    """A config text that names the project and is otherwise the same, byte for byte."""
    lines = text.split("\n")
    others = []
    span = None
    for entry in entries_of(text):
        if entry[0] == GIT_SETTING:
            span = entry[2:]  # the last one: it is the one git answers with
        else:
            others.append(entry[:2])
    if span:
        first, column, last = span
        end = "\r" if lines[last].endswith("\r") else ""
        lines[first : last + 1] = [f"{lines[first][:column]}project = {project_id}{end}"]
        new = "\n".join(lines)
    else:
        gap = "" if not text or text.endswith("\n") else "\n"
        if text.rstrip("\r\n").endswith("\\"):
            gap += (
                "\n"  # a value that is continued at the end of the file would swallow our section
            )
        new = f"{text}{gap}[tacit]\n\tproject = {project_id}\n"
    if (
        settings_of(new).project != project_id
        or [e[:2] for e in entries_of(new) if e[0] != GIT_SETTING] != others
    ):
        raise ValueError("the config would not read back as written")
    return new
