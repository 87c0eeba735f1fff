"""Two stores of one person become one memory: each takes in, project by project, what the other has.

It is the same join as a team's, without files and signatures: whoever can open both stores vouches for both. Lessons of
global and agent scope come along; what is held or quarantined stays where it is. Projects that only one of them knows are
made in the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tacit.core.memory import Memory
from tacit.core.profile import Profile, from_json, is_current
from tacit.core.rows import Project
from tacit.core.value import value
from tacit.stores.shared import all_lines, standings
from tacit.stores.sql import Store
from tacit.team.lines import UNKNOWN
from tacit.team.sync import Joining, Synced, finish_erasing


@value
class Joined:
    """What each store took in from the other."""

    projects: int
    here: tuple[Synced, ...]
    there: tuple[Synced, ...]


def join(
    here: Store,
    there: Store,
    profile: Profile,
    *,
    now: Callable[[], str],
    erased: Callable[[Memory], object],
) -> Joined:
    """Bring two stores in step; `profile` is for projects whose own is of another version, `erased` blanks what lies outside the first."""
    reports: tuple[list[Synced], list[Synced]] = ([], [])
    pairs = [*_pairs(here, there)]
    for ours, theirs in pairs:
        sides = [
            Joining(store, project, _profile(store, project, profile), now(), whole=True)
            for store, project in ((here, ours), (there, theirs))
        ]
        for side in sides:
            side.join((), side.store.machine)
        for side, other, told in zip(sides, reversed(sides), reports):
            known = standings(side.store, side.project.id)
            lines = [
                line
                for line in all_lines(other.store, other.project.id)
                if known.get(line.id, UNKNOWN) == UNKNOWN
            ]
            side.join(lines, side.store.machine)
            told.append(side.report(side.store.machine, 0, 2))
        finish_erasing(here, ours.id, erased)
        finish_erasing(there, theirs.id, lambda memory: there.scrub())
    return Joined(len(pairs), tuple(reports[0]), tuple(reports[1]))


def _pairs(here: Store, there: Store) -> Iterator[tuple[Project, Project]]:
    """Each project with its counterpart: by id, by remote, by folder; made where it is missing."""
    left = {project.id: project for project in there.projects()}
    for ours in here.projects():
        theirs = left.get(ours.id) or next(
            (each for each in left.values() if _is_same(ours, each)), None
        )
        yield ours, left.pop(theirs.id) if theirs is not None else _copied(here, there, ours)
    for theirs in left.values():
        yield _copied(there, here, theirs), theirs


def _is_same(one: Project, other: Project) -> bool:
    return any(
        a and a == b
        for a, b in ((one.remote, other.remote), (one.key, other.key), (one.root, other.root))
    )


def _copied(source: Store, target: Store, project: Project) -> Project:
    """A project's row and its profile; its coin goes along, so that a unit keeps its assignments."""
    with target.write() as tx:
        compiled = source.profile_json(project.profile)
        if compiled:
            tx.put_profile(project.profile, from_json(compiled).name, compiled, project.created_at)
        tx.put_project(project)
    return project


def _profile(store: Store, project: Project, otherwise: Profile) -> Profile:
    compiled = store.profile_json(project.profile)
    return from_json(compiled) if compiled and is_current(compiled) else otherwise
