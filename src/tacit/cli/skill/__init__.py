"""The skill: when to recall, when to keep something, what a good observation looks like. One text for every host.

Hosts that know Agent Skills read a folder `tacit/SKILL.md` beside others: `.claude/skills`, `~/.claude/skills`, or `.agents/skills`
for Codex, OpenHands and others.
"""

from __future__ import annotations

import os

from tacit.core.errors import Unavailable, UsageError
from tacit.safety.files import PAGE_LIMIT, read_plain

NAME = "tacit"


def text() -> str:
    """The skill's own words."""
    with open(os.path.join(os.path.dirname(__file__), "SKILL.md"), encoding="utf-8") as file:
        return file.read()


def path_in(folder: str) -> str:
    """Where the skill stands in a folder of skills."""
    return os.path.join(folder, NAME, "SKILL.md")


def install(folder: str) -> bool:
    """Write the skill into a folder of skills, in one step; whether that changed anything."""
    path = path_in(folder)
    wanted = text()
    try:
        if read_plain(path, PAGE_LIMIT) == wanted.encode():
            return False
    except OSError:
        pass  # there is none, or one that is not ours; writing tells
    temporary = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(wanted)
        os.replace(temporary, path)
    except NotADirectoryError as error:
        raise UsageError(f"{folder} is no folder.", "Name a folder of skills.") from error
    except OSError as error:
        raise Unavailable(
            f"The skill cannot be written to {path}: {error.strerror}.",
            "Name another folder of skills.",
        ) from None
    return True


def remove(folder: str) -> bool:
    """Take the skill out again, if it is still ours to the byte; whether that changed anything."""
    path = path_in(folder)
    try:
        if read_plain(path, PAGE_LIMIT) != text().encode():
            return False
        os.unlink(path)
        os.rmdir(os.path.dirname(path))
    except OSError:
        return not os.path.exists(path)
    return True
