"""Who stands for a log that is learned: the person who learns it, or the one who chose its system's way of remembering.

A person's choice of a profile that is a format's own vouches for what that system writes from then on in its own folder of this
repository. What git tracks came with the repository: it may be anybody's, whoever learns it, until a person says that these very files
are theirs. Formats say by `WRITES_IN` which folder of a repository is their system's, and by `SPEAKS_ON_STDIN` that what they are handed
on standard input is what an agent says of itself.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.clock import seconds
from tacit.core.trust import ANYBODYS, LogFile, doubts_choice, doubts_files
from tacit.hosts.places import SESSIONS
from tacit.hosts.source import Source
from tacit.place.git import TrackedFiles

if TYPE_CHECKING:
    from tacit.hosts.formats import Format
    from tacit.opened import Opened

_ANSWERS = "own-logs:"  # in what only this machine knows: whether logs that git tracks are a person's, by path and hash


class Vouching:
    """Whose word stands behind files, for one opened project."""

    def __init__(self, opened: Opened) -> None:
        self._opened = opened
        self._tracked = TrackedFiles()

    def doubt(self, source: Source, format: Format, *, asks_git: bool = True) -> str:
        """Why nobody stands for what was just read from a source; empty where somebody does."""
        person = self._opened.actor.is_person and format.NAME not in ANYBODYS
        opened = getattr(source, "opened", None)
        if format.NAME in SESSIONS:  # these count by their place
            return "" if person else "a session counts where its host keeps it"
        if opened is None:
            speaks = getattr(format, "SPEAKS_ON_STDIN", False) and not self._choice_doubt(format)
            return "" if person or speaks else "nobody can tell whose words standard input brings"
        files = [self._file(path, format) for path in sorted(opened)]
        in_doubt = (
            [each for each in files if each.tracked and not self._answer(each.path)]
            if asks_git
            else []
        )
        if doubt := doubts_files(in_doubt):
            return doubt
        if person:
            return ""
        return self._choice_doubt(format) or doubts_choice(
            files, getattr(format, "WRITES_IN", ""), *self._chosen()
        )

    def came_with_repository(self, source: Source, format: Format) -> list[str]:
        """Of the files that were read from a source those that git tracks, and of which nobody was asked as they are now."""
        files = [self._file(path, format) for path in sorted(getattr(source, "opened", ()))]
        return [each.path for each in files if each.tracked and self._answer(each.path) is None]

    def answer(self, paths: Iterable[str], yes: bool) -> None:
        """A person's word whether these files are theirs, as they are now."""
        self._opened.need_person("Saying whose logs these are")
        said = self._answers() | {os.path.realpath(path): [_hash_of(path), yes] for path in paths}
        with self._opened.store.write() as tx:
            tx.put_meta(
                _ANSWERS + self._opened.ensure_project().id, json.dumps(said, sort_keys=True)
            )

    def _answer(self, path: str) -> bool | None:
        """What a person said of a file, if it still is what they said it of."""
        known = self._answers().get(os.path.realpath(path))
        return bool(known[1]) if known and known[0] == _hash_of(path) else None

    def _answers(self) -> dict[str, Sequence[Any]]:
        kept = self._opened.store.meta(_ANSWERS + self._opened.project_id)
        return dict(json.loads(kept)) if kept else {}

    def _file(self, path: str, format: Format) -> LogFile:
        real = os.path.realpath(path)
        folder = os.path.join(
            os.path.realpath(self._opened.place.root or self._opened.folder),
            getattr(format, "WRITES_IN", ""),
        )
        inside = bool(getattr(format, "WRITES_IN", "")) and real.startswith(folder + os.sep)
        try:
            found = os.stat(real)
            return LogFile(
                path, inside, found.st_uid == os.getuid(), found.st_mtime, self._tracked.has(path)
            )
        except (OSError, ValueError):
            return LogFile(path, inside, False, 0.0, None)

    def _choice_doubt(self, format: Format) -> str:
        opened, profile = self._opened, self._opened.profile.name
        if profile != format.NAME or not self._chosen()[1]:
            return f"no person chose the profile {format.NAME} for this project (it is {profile})"
        if opened.place.given and opened.project and opened.project.root != opened.place.root:
            return f"this is not the folder of the project {opened.project.name}"
        return ""

    def _chosen(self) -> tuple[str, float]:
        """The profile that a person chose here, with `tacit init`, and since when; 0 where nobody did."""
        opened, name = self._opened, self._opened.profile.name
        if chosen := choice_of_person(opened):
            return name, seconds(chosen["at"])
        return name, 0.0


def _hash_of(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def choice_of_person(opened: Opened) -> dict[str, str]:
    """What a person chose here with `tacit init`: its name, who and when."""
    kept = opened.store.meta(f"profile:{opened.project_id}") if opened.project_id else ""
    return dict(json.loads(kept)) if kept else {}
