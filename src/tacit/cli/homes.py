"""The project of each session that a look back finds, also where its folder is gone, and what the store keeps of it by now."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from tacit.cli.verb import Asked, Cli
from tacit.core.run import Run
from tacit.core.states import ACTIVE
from tacit.core.value import replace
from tacit.learn import learning, queries, reviewing
from tacit.lookback.excerpt import Home, home_by_folder
from tacit.lookback.result import KnownProject
from tacit.memory import Memory as Memories
from tacit.place.identity import Place, locate, normalise_remote
from tacit.place.replaced import moved_to, repository_of, still_there
from tacit.screens.one_screen import answered_failures
from tacit.screens.selection import counted, counted_words, is_given
from tacit.screens.wording import BY_NOTICE
from tacit.store.due import runs_after

_KEPT_MOST = 2_000  # lessons of a kind: more than anybody reads


def moved_roots(cli: Cli, args: Asked) -> tuple[Place, dict[str, str]]:
    """The project one stands in; and the folders that are gone, each with where a person said that its project is by now."""

    def known(memories: Memories) -> tuple[Place, dict[str, str]]:
        roots = {each.id: each.root for each in memories.store.projects()}
        moved = learning.moved(memories)
        return memories.place, {folder: roots.get(of, "") for folder, of in moved.items()}

    nothing: dict[str, str] = {}
    found: tuple[Place, dict[str, str]]
    found = cli.here(args, known, (locate(os.getcwd(), cli.env), nothing))
    return found


def _key(place: Place) -> str:
    return f"remote {place.remote}" if place.remote else place.key


class Homes:
    """The project of a run: its folder's repository where that still exists, work trees as one; of a folder that is gone the repository
    that the host noted, what it was before it moved, or what its name tells. Two clones of one remote are one project, as in the store."""

    def __init__(
        self,
        env: Mapping[str, str],
        here: Place | None = None,
        moved: Mapping[str, str] | None = None,
    ) -> None:
        self.env = {name: word for name, word in env.items() if name != "TACIT_PROJECT"}
        self.moved = moved or {}
        self.known: dict[tuple[str, str], Home] = {}
        self.roots = (
            {_key(here): here.root} if here else {}
        )  # where its files are, by a project's key

    def __call__(self, run: Run) -> Home:
        home = self.known.get((run.cwd, run.remote))
        if home is None or not run.cwd:
            home = self.known[run.cwd, run.remote] = self._find(run)
        return home

    def root(self, home: Home) -> str:
        """Where its instruction files would be; empty where nothing of it is here."""
        return self.roots.get(home.key, "")

    def _find(self, run: Run) -> Home:
        folder = still_there(run.cwd) or moved_to(repository_of(run.cwd), self.moved)
        if folder:
            place = locate(folder, self.env)
            home = Home(_key(place), place.name, place.root)
            self.roots.setdefault(home.key, place.root)
            return home
        if remote := normalise_remote(run.remote) if run.remote else "":
            return Home(f"remote {remote}", remote.rpartition("/")[2], "")
        return home_by_folder(replace(run, cwd=repository_of(run.cwd)) if run.cwd else run)


def known_here(cli: Cli, args: Asked) -> Callable[[Home, Sequence[str]], KnownProject]:
    """What is kept of a project, and of failures that came back there."""
    projects = cli.here(args, lambda memories: memories.store.projects(), [])

    def known(home: Home, marks: Sequence[str]) -> KnownProject:
        for each in projects:
            keys = (each.key, f"remote {each.remote}")
            if home.key in keys or (home.path and home.path == each.root):
                there = Asked(**{**vars(args), "project": each.id})
                found: KnownProject
                found = cli.here(there, lambda memories: _known(memories, marks), KnownProject())
                return found
        return KnownProject()

    return known


def _known(memories: Memories, marks: Sequence[str]) -> KnownProject:
    store, project = memories.store, memories.project_id
    allowed = {"gate": "allow"}
    kept = queries.listed(memories, states=(ACTIVE,), equal=allowed, sort="seen", limit=_KEPT_MOST)
    asked = store.proposals(project, state="", kinds=("notice",), limit=_KEPT_MOST)
    waits = reviewing.counted_anew(memories, [each for each in asked if each.state == "open"])
    patches = {each.id: str((each.payload or {}).get("patch") or "") for each in waits}
    noticed = queries.listed(memories, archived=True, equal={"source": BY_NOTICE}, limit=_KEPT_MOST)
    subjects = {each.signature for each in noticed}
    subjects |= {str((each.payload or {}).get("subject", "")) for each in asked}
    count = counted(memories)
    mends = {id: f" Suggested: {patch}" if patch else "" for id, patch in patches.items()}
    return KnownProject(
        project,
        counted_words(count) if count.in_force + count.waiting + count.needs_word else "",
        tuple(each.text for each in kept if is_given(each)),
        tuple(each.reason + mends[each.id] for each in waits),
        frozenset(subjects - {""}),
        frozenset(id for id, _, _, at in runs_after(store, project, -1, 1_000_000) if at),
        answered_failures(memories, marks),
    )
