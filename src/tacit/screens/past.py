"""Past sessions: what hosts have written on this machine, also before we came.

Claude Code keeps a session's transcript in a folder named after the project's path, everything but letters and digits
made a dash. Two paths may share one name, and a long one is cut, so the records inside have the last word on where
they were written. Codex keeps its rollouts by date, Gemini its sessions by project; both say where they were written. opencode keeps all of
them in one database.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from tacit.core.clock import DAY
from tacit.core.errors import TacitError
from tacit.hosts import every_host, formats
from tacit.hosts.places import folders_of
from tacit.hosts.source import FileSource, Source
from tacit.learn import learning
from tacit.memory import Memory as Memories
from tacit.place.identity import Place, locate
from tacit.safety.files import head_of

SLUG = 200  # characters of a folder's name before the host cuts it and adds a hash
HEAD = 1 << 16  # bytes of a transcript in which its folder is looked for
PAST_DAYS, MOST_PAST = (
    365,
    400,
)  # how far back a guard's record looks, and at how many sessions: the newest


def past_sessions(memories: Memories, days: int = PAST_DAYS) -> list[Source]:
    """The sessions of this project that hosts still keep, the newest ones, oldest first; of one that was named, those of its folder."""
    place = memories.place
    found: list[Source] = []
    if place.given and memories.project:
        place = locate(memories.project.root, memories.env)
    for host in keeping():
        found += transcripts(place, memories.env, host, days, was=learning.was_at(memories))
    return found[-MOST_PAST:]


def transcripts(
    place: Place,
    env: Mapping[str, str],
    host: str,
    days: int,
    *,
    everywhere: bool = False,
    was: Sequence[str] = (),
) -> list[Source]:
    """Transcripts of this project, also of folders where it `was` before it moved, or of all whose folder is there, of the last days.

    Oldest first: lessons grow in the order in which they were met.
    """
    since = time.time() - days * DAY
    where = _Where(place, env, was)
    found: list[tuple[float, str, int, Source]] = []
    for path in all_of(host, env):
        for at, cwd, source in _sessions(host, path, since):
            if where.holds(path, cwd, everywhere):
                found.append((at, path, len(found), source))
    return [source for _, _, _, source in sorted(found, key=lambda each: each[:3])]


def _sessions(host: str, path: str, since: float) -> list[tuple[float, str, Source]]:
    """What a file holds that changed since, one session or many: when, in which folder, what to read; nothing of an unreadable one."""
    many: Callable[[str], list[tuple[float, str, Source]]] | None = getattr(
        formats.get(host), "sessions", None
    )
    try:
        if many:
            return [each for each in many(path) if each[0] >= since]
        at = os.stat(path).st_mtime
        return [(at, written_in(path), FileSource(path))] if at >= since else []
    except (TacitError, OSError):
        return []


def all_of(host: str, env: Mapping[str, str]) -> Iterator[str]:
    """Every transcript of a host; those of sub-agents come with their sessions."""
    for folder in folders_of(host, env):
        if os.path.isfile(folder) and is_transcript(host, os.path.basename(folder)):
            yield folder
        for at, _, names in os.walk(folder):
            if os.path.basename(at) != "subagents":
                yield from (os.path.join(at, name) for name in names if is_transcript(host, name))


def is_transcript(host: str, name: str) -> bool:
    """Whether a file of this name is a session's: hosts keep other things in their folders too."""
    return re.fullmatch(every_host()[host].sessions, name) is not None


def keeping() -> list[str]:
    """The hosts whose past sessions can be looked through."""
    return [name for name, host in every_host().items() if host.sessions]


class _Where:
    """Tells whether a transcript was written in a place; asks the file system once per folder."""

    def __init__(self, place: Place, env: Mapping[str, str], was: Sequence[str]) -> None:
        self.place, self.env, self.roots = place, env, (os.path.realpath(place.root), *was)
        self.known: dict[str, bool] = {}

    def holds(self, path: str, cwd: str, everywhere: bool) -> bool:
        if everywhere:
            return os.path.isdir(cwd)
        if not cwd:
            return os.path.basename(os.path.dirname(path)) == slug(self.place.root)
        if cwd not in self.known:
            self.known[cwd] = self._is_here(cwd)
        return self.known[cwd]

    def _is_here(self, cwd: str) -> bool:
        if os.path.isdir(cwd):
            return (
                locate(cwd, self.env).key == self.place.key
            )  # also in another worktree of the repository
        return any(f"{os.path.realpath(cwd)}/".startswith(f"{root}/") for root in self.roots)


def slug(folder: str) -> str:
    """The name under which Claude Code keeps a folder's sessions, as far as it is not cut."""
    return re.sub(r"[^A-Za-z0-9]", "-", folder)[:SLUG]


def written_in(path: str) -> str:
    """The folder that a transcript's first records name, or the file beside Gemini's chats."""
    try:
        found = re.search(
            rb'"(?:cwd":|directories":\s*\[)\s*("(?:[^"\\]|\\.)*")', head_of(path, HEAD)
        )
        if found:
            return str(json.loads(found[1]))
        return (
            head_of(os.path.join(os.path.dirname(path), "..", ".project_root"), 4096)
            .decode("utf-8")
            .strip()
        )
    except ValueError:
        return ""
