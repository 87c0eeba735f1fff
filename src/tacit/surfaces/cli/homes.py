"""The project of each session that a look back finds, also where its folder is gone."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.app.proving import lookback_part
from tacit.core.errors import numbered
from tacit.core.run import Run
from tacit.core.value import replace
from tacit.formats.source import Source
from tacit.stores.identity import Place, locate, normalise_remote
from tacit.stores.replaced import moved_to, repository_of, still_there
from tacit.surfaces.cli import Cli
from tacit.surfaces.cli.moved import gone_folders, sessions_of_gone

if TYPE_CHECKING:
    from tacit.lookback.excerpt import Home


class GoneFolders:
    """Folders that are gone, and which of them were the project here before it moved: because somebody said so, or by the files that their
    sessions name. What is only likely is counted here and said; `tacit learn` asks."""

    def __init__(self, cli: Cli, args: argparse.Namespace, sources: Sequence[Source]) -> None:
        nobody: tuple[Mapping[str, str], Place, list[str]] = ({}, locate(os.getcwd(), cli.env), [])
        found = cli.here(args, lambda memories: (memories.moved(), memories.place, memories.was_at()), nobody)
        told, self.place, self.said = found
        gone = gone_folders(sources, self.place, told).values()
        self.likely = [each for each in gone if each.may_be(self.place)]
        self.others = [each for each in gone if not each.may_be(self.place)]

    def is_here(self, folder: str) -> bool:
        """Whether a folder that is gone counts as the project here."""
        known = (*self.said, *(each.folder for each in self.likely))
        return bool(moved_to(folder, dict.fromkeys(known, self.place.key)))

    def counted_here(self) -> list[str]:
        """What was taken for the project here without anybody's word."""
        here = f"They are counted as {self.place.name}'s, here; tacit learn asks before it takes them in."
        return [f"{sessions_of_gone(self.likely, 'of these come from')} {here}"] if self.likely else []

    def apart(self) -> list[str]:
        """What stands as a project of its own, because its folder is gone."""
        many = numbered(sum(each.sessions for each in self.others), "session")
        where = "a folder that is gone" if len(self.others) == 1 else f"{len(self.others)} folders that are gone"
        said = f"{many} of {where}: shown as a project of its own; tacit learn asks about such folders."
        return [said] if self.others else []


def _key(place: Place) -> str:
    return f"remote {place.remote}" if place.remote else place.key


class Homes:
    """The project of a run: its folder's repository where that still exists, work trees as one; of a folder that is gone the repository
    that the host noted, what it was before it moved, or what its name tells. Two clones of one remote are one project, as in the store."""

    def __init__(self, env: Mapping[str, str], gone: GoneFolders | None = None) -> None:
        self.env = {name: word for name, word in env.items() if name != "TACIT_PROJECT"}
        self.gone = gone
        self.known: dict[tuple[str, str], Home] = {}
        here = gone.place if gone else None
        self.roots = {_key(here): here.root} if here else {}  # where a project's files are, by its key

    def __call__(self, run: Run) -> Home:
        home = self.known.get((run.cwd, run.remote))
        if home is None or not run.cwd:
            home = self.known[run.cwd, run.remote] = self._find(run)
        return home

    def root(self, home: Home) -> str:
        """Where its instruction files would be; empty where nothing of it is here."""
        return self.roots.get(home.key, "")

    def _find(self, run: Run) -> Home:
        plain = lookback_part("excerpt")
        home: Home
        folder = still_there(run.cwd)
        if not folder and self.gone and self.gone.is_here(repository_of(run.cwd)):
            folder = self.gone.place.root
        if folder:
            place = locate(folder, self.env)
            home = plain.Home(_key(place), place.name, place.root)
            self.roots.setdefault(home.key, place.root)
            return home
        remote = normalise_remote(run.remote) if run.remote else ""
        if remote:
            home = plain.Home(f"remote {remote}", remote.rpartition("/")[2], "")
        else:
            home = plain.home_by_folder(replace(run, cwd=repository_of(run.cwd)) if run.cwd else run)
        return home
