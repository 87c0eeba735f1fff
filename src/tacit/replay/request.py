"""One call of `replay` with everything looked up: what a replay needs of store, hosts and formats, put together."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypedDict

import tacit
from tacit.core.digest import short_hash
from tacit.core.errors import NotFound, Refused, TacitError, UsageError
from tacit.core.journal import Hand, change
from tacit.core.profile import profile_id, to_json
from tacit.core.run import Run
from tacit.core.states import ACTIVE
from tacit.core.value import fields, replace, value
from tacit.hosts import every_host, formats
from tacit.hosts import host as host_named
from tacit.hosts.entries import with_entries
from tacit.hosts.places import folders_of
from tacit.hosts.registration import (
    OTHER_INSTRUCTIONS,
    Host,
    command,
    data_of,
    home_of,
    plugin_text,
    registration,
    settings_path,
    user_home,
)
from tacit.hosts.source import FileSource
from tacit.learn import learning
from tacit.learn.occurrences import occurrences
from tacit.lesson import Lesson
from tacit.place.folders import data_folder
from tacit.reading import prompt
from tacit.reading.session import READING_PATIENCE
from tacit.replay import pairs_of
from tacit.replay.arm import TRANSCRIPT
from tacit.replay.clone import commit_of, texts_at
from tacit.replay.confine import CREDENTIALS, services, version
from tacit.replay.kept import ReplayFolder
from tacit.replay.outcome import CHECK, READER, SIGNATURE
from tacit.replay.pairs import MOST_PAIRS, Spent, expected
from tacit.replay.starts import start_of
from tacit.replay.tasks import Skipped, Task, judge_task, stands_in
from tacit.trial.outcome import NO_PROBLEM

_TIMEOUT = 30 * 60.0  # seconds for one run of an agent


if TYPE_CHECKING:
    from tacit.opened import Opened

    class ReplayOptions(TypedDict, total=False):
        """How past tasks are done again."""

        check: str
        setup: str
        pairs: int
        timeout: float
        keep_env: Sequence[str]
        read: Sequence[str]
        write: Sequence[str]
        host: str
        unconfined: bool
        anew: bool


@value
class ReplayPlan:
    """What a replay would do: its tasks, those left out and why, and the cost."""

    lesson: Lesson
    folder: str
    instrument: str
    tasks: tuple[Task, ...]
    skipped: tuple[Skipped, ...]
    expected: Spent
    pairs: int
    confined: bool
    host: str
    done: int = 0  # pairs that an earlier call has run already
    services: tuple[str, ...] = ()  # sockets of this machine that a confined run can reach


def replays_folder(memories: Opened) -> str:
    """Where replays are kept: beside the store, on this machine."""
    return os.path.join(os.path.dirname(os.path.abspath(memories.store.path)), "replays")


def starts_folder(memories: Opened) -> str:
    """Where it is noted at which commit sessions began."""
    return os.path.join(os.path.dirname(os.path.abspath(memories.store.path)), "starts")


class ReplayRequest:
    """One call of `replay`, with everything looked up."""

    def __init__(
        self,
        memories: Opened,
        lesson: Lesson,
        agent: str,
        *,
        opens: Callable[..., Any],
        check: str = "",
        setup: str = "",
        pairs: int = 0,
        timeout: float = _TIMEOUT,
        keep_env: Sequence[str] = (),
        read: Sequence[str] = (),
        write: Sequence[str] = (),
        host: str = "",
        unconfined: bool = False,
        anew: bool = False,
    ) -> None:
        self.memories, self.lesson, self.check, self.setup = memories, lesson, check, setup
        self.opens = opens
        # a command's is its purpose, and no failure
        self.signature = "" if lesson.klass in NO_PROBLEM else lesson.signature
        self.pairs, self.timeout, self.read, self.write = (
            pairs or MOST_PAIRS,
            timeout,
            tuple(read),
            tuple(write),
        )
        try:
            self.agent = tuple(shlex.split(agent))
        except ValueError as error:
            raise UsageError(
                f"The agent's command cannot be read: {error}.",
                "For instance --agent 'claude -p {prompt}'.",
            ) from None
        if not self.agent or self.pairs < 1:
            raise UsageError(
                "A replay needs the command of an agent, and at least one pair.",
                "For instance --agent 'claude -p {prompt}'.",
            )
        if lesson.gate in ("quarantine", "discard"):
            raise Refused(
                f"{lesson.id} is in quarantine: {lesson.gate_reason or 'no reason kept'}.",
                "tacit review shows it; what is not given is not replayed.",
            )
        self.source = memories.place.root if memories.place.kind == "git" else ""
        if not self.source:
            raise UsageError(
                "A replay begins at commits, and this folder is in no git repository.",
                "Call it in the project's repository.",
            )
        named = [
            name
            for name, each in every_host().items()
            if any(os.path.basename(word) in each.programs for word in self.agent)
        ]
        self.host: Host | None = (
            host_named(host) if host else host_named(named[0]) if named else None
        )
        self.by_notes = any("{notes}" in word for word in self.agent)
        self.keep_env = (*keep_env, *(self.host.reaches if self.host else ()))
        self.confined = not unconfined
        if self.confined and not version():
            raise Refused(
                "This system cannot keep an agent in its folder (Linux's Landlock is missing).",
                "In a container or a machine of its own: --unconfined, and read docs/replay.md first.",
            )
        self.desk = (
            learning.desk_of(memories, self.host.name)
            if self.host and not check and not self.signature
            else None
        )
        self.instrument = self._instrument()
        wanted = [
            lesson.id,
            lesson.text,
            *self.agent,
            check,
            setup,
            self.instrument,
            str(timeout),
            *self.keep_env,
            *self.write,
        ]
        top, base, count = (
            replays_folder(memories),
            f"tacit-replay-{short_hash('replay', *wanted)[:12]}",
            1,
        )
        while anew and os.path.exists(os.path.join(top, f"{base}-{count}")):
            count += 1
        last = max(
            (n for n in range(1, 1000) if os.path.exists(os.path.join(top, f"{base}-{n}"))),
            default=1,
        )
        self.kept = ReplayFolder(os.path.join(top, f"{base}-{count if anew else last}"))

    def _instrument(self) -> str:
        if self.check:
            return CHECK
        if self.signature:
            return SIGNATURE
        if self.desk is not None:
            return READER
        raise UsageError(
            f"Nothing can tell whether the problem of {self.lesson.id} occurred: it has no error's signature, and no reader is set up.",
            "Name a command that exits 0 where the work is well: --check 'make test'.",
        )

    # -- the plan ---------------------------------------------------------------------------------------------------------

    def plan(self) -> ReplayPlan:
        known = self.kept.plan()
        found = [*self._tasks()]
        tasks = (
            tuple(Task(**each) for each in known["tasks"])
            if known
            else tuple(each for each in found if isinstance(each, Task))
        )
        skipped = tuple(each for each in found if not isinstance(each, Task))
        done = len(pairs_of(self.kept.runs()))
        return ReplayPlan(
            self.lesson,
            self.kept.folder,
            self.instrument,
            tasks,
            skipped,
            expected(tasks, self.pairs),
            self.pairs,
            self.confined,
            self.host.name if self.host else "",
            done,
            tuple(services()) if self.confined else (),
        )

    def keep_plan(self) -> dict[str, Any]:
        """The plan of this replay, made now if it has none; how many pairs it may run is the caller's to change."""
        known = self.kept.plan()
        if known is None:
            found = [*self._tasks()]
            if not any(isinstance(each, Task) for each in found):
                raise NotFound(
                    "No past task can be replayed for this lesson.",
                    "tacit replay ID --agent … --plan names each and why not.",
                )
            known = {
                "project": self.memories.project_id,
                "lesson": self.lesson.id,
                "text": self.lesson.text,
                "agent": [*self.agent],
                "check": self.check,
                "setup": self.setup,
                "instrument": self.instrument,
                "key": os.urandom(32).hex(),
                "started_at": self.memories.now(),
                "tasks": [fields(each) for each in found if isinstance(each, Task)],
                "skipped": [fields(each) for each in found if not isinstance(each, Task)],
            }
        known["pairs"] = self.pairs
        self.kept.keep_plan(known)
        return known

    def _tasks(self) -> Iterator[Task | Skipped]:
        """Every past run in which the problem was met: as a task, or why it is none."""
        store = self.memories.store
        met: dict[str, list[str]] = {}
        trusted: set[str] = set()
        for row in store.evidence(self.lesson.id):
            if row.run and row.stance == "supports" and row.signal == "seen":
                met.setdefault(row.run, []).append(row.place)
                trusted |= {row.run} if row.tier != "imported" else set()
        for mark in store.marks(memory=self.lesson.id):
            if mark.signal == "outcome" and mark.value == "occurred" and mark.run:
                met.setdefault(mark.run, [])
                trusted.add(mark.run)
        names = [
            *dict.fromkeys([name for host in self._hosts() for name in host.instructions]),
            *OTHER_INSTRUCTIONS,
        ]
        for id, places in met.items():
            run = self._reread(id)
            if isinstance(run, str):
                yield Skipped(id, run)
                continue
            if self.signature:
                places = [each.place for each in occurrences(run, self.signature)]
                if not places:
                    yield Skipped(run.id, "its steps do not show the problem any more")
                    continue
            start = start_of(starts_folder(self.memories), run.host, run.id)
            foreign = run.foreign or id not in trusted
            found = judge_task(replace(run, foreign=foreign), places, self.source, start)
            if isinstance(found, Skipped):
                yield found
                continue
            commit = commit_of(self.source, found.commit)
            if not commit:
                yield Skipped(run.id, f"its commit {found.commit[:12]} is not in this repository")
                continue
            file = stands_in(self.lesson.text, texts_at(self.source, commit, names))
            yield (
                Skipped(run.id, f"the lesson stood in {file} then")
                if file
                else replace(found, commit=commit)
            )

    def _hosts(self) -> list[Host]:
        return [self.host] if self.host else [*every_host().values()]

    def _reread(self, id: str) -> Run | str:
        """A past run from its file, or why not."""
        row = self.memories.store.run(id)
        if row is None or not row.path or not os.path.isfile(row.path):
            return "its transcript is gone"
        try:
            runs = formats.read(FileSource(row.path), None)
            return next((run for run in runs if run.id == row.foreign_id), "its transcript is gone")
        except (TacitError, OSError) as error:
            return f"its transcript cannot be read: {error}"

    # -- what runs need ---------------------------------------------------------------------------------------------------

    @property
    def packs(self) -> str:
        return os.path.join(self.kept.folder, "packs")

    @property
    def writable(self) -> tuple[str, ...]:
        """Folders beside a run's own that may be written."""
        return tuple(map(os.path.abspath, self.write))

    @cached_property
    def hidden(self) -> tuple[str, ...]:
        """What no run may read: credentials, other sessions, the store with the lesson, the repository as it is now; but what it needs to
        start, and what the user opens to it."""
        env = self.memories.env
        home = user_home(env)
        closed = [os.path.join(home, name) for name in CREDENTIALS]
        closed += [
            folder(host, env) for host in every_host().values() for folder in (home_of, data_of)
        ]
        closed += [data_folder(env), os.path.dirname(self.memories.store.path), self.source]
        return tuple(
            dict.fromkeys(path for path in map(os.path.abspath, closed) if path not in ("/", home))
        )

    @cached_property
    def readable(self) -> tuple[str, ...]:
        """What may be read wherever it lies: this program, so that hooks can start, and what the user opens."""
        own = [
            sys.prefix,
            sys.base_prefix,
            *(os.path.dirname(os.path.abspath(each)) for each in (tacit.__file__, __file__)),
        ]
        return tuple(dict.fromkeys([*own, *map(os.path.abspath, self.read)]))

    def make_store(self, path: str, clone: str, given: bool) -> None:
        """A store of a run's own: this project under this profile, with the lesson pinned, or without it."""
        memories, at = self.memories, self.memories.now()
        with self.opens(
            path, env={"HOME": os.path.dirname(path)}, cwd=clone, now=memories.now
        ) as own:
            project = replace(own.ensure_project(), profile=profile_id(memories.profile))
            with own.store.write() as tx:
                tx.put_profile(
                    project.profile, memories.profile.name, to_json(memories.profile), at
                )
                tx.put_project(project)
                if given:
                    # Pinned and in no category: given at the start, and wherever it is given otherwise. What is withheld is all of that.
                    lesson = replace(
                        self.lesson,
                        project=project.id,
                        pinned=True,
                        category="",
                        on_page=False,
                        gate="allow",
                        scope="project",
                        verdict="not yet known",
                        alias="",
                        state=self.lesson.state if self.lesson.state == ACTIVE else "active",
                        superseded_by="",
                        stale_at="",
                    )
                    tx.apply(
                        change(
                            None,
                            lesson,
                            Hand("replay", at),
                            verb="import",
                            reason="given in a replay",
                        )
                    )

    def make_home(self, home: str, store: str) -> None:
        """Connect and log in the agent's program, in a home that holds nothing else."""
        if self.host is None:
            return

        host, env = self.host, {"HOME": home}
        for name in host.login:
            theirs = os.path.join(home_of(host, self.memories.env), name)
            if os.path.isfile(theirs):
                os.makedirs(home_of(host, env), exist_ok=True)
                shutil.copyfile(theirs, os.path.join(home_of(host, env), name))
                os.chmod(os.path.join(home_of(host, env), name), 0o600)
        if self.by_notes:
            return
        path, start = settings_path(host, home, env, "user"), command(self.memories.env)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        text = (
            plugin_text(start, host, store)
            if host.plugin
            else with_entries(
                "", registration(start, host, store), path, comments=host.comments, frame=host.frame
            )
        )
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    @cached_property
    def notes(self) -> str:
        """The lesson as an agent is shown it at a start, for a command that takes it; empty for another."""
        if not self.by_notes:
            return ""
        os.makedirs(self.kept.folder, exist_ok=True)
        folder = tempfile.mkdtemp(dir=self.kept.folder)
        try:
            path = os.path.join(folder, "tacit.db")
            self.make_store(path, folder, True)
            with self.opens(path, env={"HOME": folder}, cwd=folder) as own:
                return str(own.inject("", run="replay").markdown)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def read_runs(self, folder: str, env: Mapping[str, str]) -> list[tuple[str, Run]]:
        """What a run left to read: its host's transcripts, a neutral file it wrote, or what it printed."""
        paths: list[str] = []
        for host in self._hosts():
            for top in folders_of(host.name, {"HOME": env["HOME"]}) if host.sessions else ():
                for place, _, names in os.walk(top):
                    paths += [
                        os.path.join(place, name)
                        for name in sorted(names)
                        if re.fullmatch(host.sessions, name)
                    ]
        paths += [
            path
            for path in (env[TRANSCRIPT], os.path.join(folder, "out.txt"))
            if os.path.isfile(path) and os.path.getsize(path)
        ]
        found: list[tuple[str, Run]] = []
        for path in paths:
            if found and path in paths[-2:]:
                break  # what it printed says the same again
            try:
                source = FileSource(path)
                name = formats.detect(source)
                found += [(path, run) for run in formats.read(source, name)] if name else []
            except (TacitError, OSError):
                continue
        return [(path, run) for path, run in found if run.steps]

    def was_given(self, path: str) -> bool:
        """Whether this store says that the lesson was given."""
        with self.opens(
            path, env={"HOME": os.path.dirname(path)}, cwd=os.path.dirname(path), create=False
        ) as own:
            return any(use.arm != "withheld" for use in own.store.uses(memory=self.lesson.id))

    def ask(self, question: str) -> str:
        """What the reader answers; empty where there is none, or nothing to ask."""
        if self.desk is None or not question:
            return ""
        return self.desk.model.ask(
            question,
            schema=prompt.known_schema(1),
            timeout=READING_PATIENCE * self.memories.profile.model.timeout_s,
        )
