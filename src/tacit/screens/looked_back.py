"""What past sessions say before anything is set up: they are learned into a store that goes with
the look (a copy of the real one, where there is one), and the one screen is shown over it.

Nobody reads them there, no repository is marked, and nothing outside of that store is written.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tacit.core import clock
from tacit.core.rows import Project, run_id
from tacit.core.run import Run
from tacit.hosts.source import Source
from tacit.learn.learning import RULES_ALONE, home_of, learn
from tacit.lesson import sound_text
from tacit.memory import Memory
from tacit.opened import Opened, open_store_at
from tacit.safety.redact import private, redact
from tacit.screens.one_screen import OneScreen, one_screen, screen_json
from tacit.store.backup import copy_pages
from tacit.store.failures import failed_in

EARLIEST, LATEST = "2000", "2100"  # other times are a broken clock's
NAMED_FILES = 20  # unreadable files that are named

Read = Callable[[Source], Iterable[Run] | None]  # None: no format knows the file


@dataclass
class ProjectPast:
    """What the sessions of one project come to."""

    name: str
    path: str
    sessions: int
    failures: int  # each counted once a session
    repeated: int  # had happened in another session
    calls: int  # until those were overcome
    screen: OneScreen

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {**vars(self), "screen": screen_json(self.screen)}


@dataclass
class LookedBack:
    """What was read, and what it comes to."""

    files: int = 0
    bytes: int = 0
    foreign: int = 0  # files that no format knows
    malformed_lines: int = 0
    unread: list[tuple[str, str]] = field(default_factory=list)  # path and reason, the first few
    unread_count: int = 0
    first_at: str = ""
    last_at: str = ""
    tool_calls: int = 0
    failed_calls: int = 0
    all_known: bool = True  # whether each of these sessions was learned before
    projects: list[ProjectPast] = field(default_factory=list)

    def sum(self, name: str) -> int:
        """Of all projects."""
        return sum(getattr(each, name) for each in self.projects)

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        named = "files bytes foreign malformed_lines unread unread_count".split()
        return {
            **{name: self.sum(name) for name in ("sessions", "failures", "repeated", "calls")},
            **{name: at for name, at in vars(self).items() if name not in (*named, "projects")},
            "files": {name: getattr(self, name) for name in named},
            "projects": [each.as_json() for each in self.projects],
        }


class _Looking(Memory):
    """Learning that leaves no mark outside of its store."""

    def ensure_project(self) -> Project:
        return self.project or self.made_project()


def look_back(
    sources: Sequence[Source],
    read: Read,
    *,
    env: Mapping[str, str],
    store: str = "",
    since: str = "",
    wanted: str = "",
    met: Callable[[Run, str], None] = lambda run, root: None,
    progress: Callable[[int, int], None] = lambda done, size: None,
) -> LookedBack:
    """Learn these sessions aside and look. `store` is the real file, `wanted` a part of a project's
    name or folder; `met` is called with each run that is looked at and the folder of its project."""
    with tempfile.TemporaryDirectory(prefix="tacit-look-") as folder:
        aside = os.path.join(folder, "tacit.db")
        if store and os.path.exists(store):
            os.close(os.open(aside, os.O_CREAT | os.O_RDWR, 0o600))
            copy_pages(store, aside)
        own = {
            name: word for name, word in env.items() if name not in ("TACIT_PROJECT", "TACIT_STORE")
        }
        own |= {"XDG_DATA_HOME": folder, "TACIT_READER_BY": RULES_ALONE}
        with _Looking(open_store_at(aside, own, True, 60.0), own, os.getcwd()) as looking:
            return _Look(looking, clock.seconds(since), wanted, met).at(sources, read, progress)


class _Look:
    """One look, run by run."""

    def __init__(
        self, looking: _Looking, begin: float, wanted: str, met: Callable[[Run, str], None]
    ) -> None:
        self.looking, self.begin, self.wanted, self.met = looking, begin, wanted.lower(), met
        self.found = LookedBack()
        self.units: dict[str, dict[str, set[str]]] = {}  # project -> failure -> pieces of work
        self.runs: dict[str, dict[str, set[str]]] = {}  # project -> piece of work -> its runs
        self.calls: dict[tuple[str, str], tuple[int, int]] = {}
        self.homes: dict[str, Opened] = {}

    def at(
        self, sources: Sequence[Source], read: Read, progress: Callable[[int, int], None]
    ) -> LookedBack:
        """Everything, and what it comes to."""
        for number, source in enumerate(sources, 1):
            size = 0
            try:
                for run in self._read(source, read):
                    self._take(run)
                size = source.size
            # One file in a strange state must not keep the others from being read.
            except Exception as error:
                self.found.unread_count += 1
                if len(self.found.unread) < NAMED_FILES:
                    told = f"{type(error).__name__}: {error}"
                    self.found.unread.append((safe_line(source.path), safe_line(told)))
            progress(number, size)
        self.found.tool_calls = sum(calls for calls, _ in self.calls.values())
        self.found.failed_calls = sum(failed for _, failed in self.calls.values())
        self.found.projects = sorted(
            map(self._project, self.homes), key=lambda each: -each.sessions
        )
        return self.found

    def _read(self, source: Source, read: Read) -> Iterator[Run]:
        runs = read(source)
        if runs is None:
            self.found.foreign += 1
            return
        for run in runs:
            self.found.malformed_lines += run.reading.malformed if run.reading else 0
            yield run
        self.found.files += 1
        self.found.bytes += source.size

    def _take(self, run: Run) -> None:
        home = home_of(self.looking, run, True)
        if home is None or clock.seconds(run.started_at) < self.begin:
            return
        if not any(self.wanted in text.lower() for text in (home.place.name, home.place.root)):
            return
        [learned] = learn(self.looking, run, over=True, apart=True)
        project, id = learned.project, run_id(learned.project, run.host, run.id)
        if self.looking.store.run(id) is None:
            return  # a question of ours, or a past task done again
        self.found.all_known &= learned.already
        self.met(run, home.place.root)
        self.homes.setdefault(project, home)
        unit = f"{run.host} {run.lineage or run.root or run.id}"
        runs = self.runs.setdefault(project, {})
        runs.setdefault(unit, set()).add(id)
        self._count_calls(run, unit)

    def _count_calls(self, run: Run, unit: str) -> None:
        steps = [step for step in run.steps if step.tool and step.role != "system"]
        failed = sum(bool(step.error) and not step.interrupted for step in steps)
        # a resumed session repeats the records of the one before it, a sub-agent's file nothing
        key = (unit, run.agent if run.root else "")
        known = self.calls.get(key, (0, 0))
        self.calls[key] = max(known[0], len(steps)), max(known[1], failed)
        times = [at for at in (run.started_at, run.ended_at) if EARLIEST <= at < LATEST]
        if times:
            self.found.first_at = min(self.found.first_at or times[0], *times)
            self.found.last_at = max(self.found.last_at, *times)

    def _project(self, project: str) -> ProjectPast:
        home, store = self.homes[project], self.looking.store
        met: dict[str, dict[str, int]] = {}  # failure -> piece of work -> calls until it was over
        for unit, runs in self.runs[project].items():
            for run in runs:
                for each in failed_in(store, run, 1000):
                    known = met.setdefault(each.mark, {})
                    known[unit] = max(known.get(unit, 0), each.calls)
        again = [units for units in met.values() if len(units) > 1]
        memories = Memory(store, self.looking.env, home.folder, project)
        return ProjectPast(
            memories.project.name if memories.project else "",
            home.place.root,
            len(self.runs[project]),
            sum(map(len, met.values())),
            sum(len(units) - 1 for units in again),
            sum(sum(units.values()) for units in again),
            one_screen(memories),
        )


def safe_line(text: str, most: int = 220) -> str:
    """A text for people: secrets out, one line, nothing that a terminal obeys, cut."""
    safe = redact(private(sound_text(text))).text
    flat = " ".join("".join(c if c.isprintable() else " " for c in safe).split())
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"
