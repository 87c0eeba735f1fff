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
from typing import TYPE_CHECKING, Any

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
from tacit.learn.occurrences import occurrences
from tacit.lesson import Lesson
from tacit.place.folders import data_folder
from tacit.replay.arm import TRANSCRIPT
from tacit.replay.clone import commit_of, texts_at
from tacit.replay.confine import CREDENTIALS, services, version
from tacit.replay.kept import ReplayFolder
from tacit.replay.pairs import MOST_PAIRS, Spent, expected, pairs_of
from tacit.replay.starts import beside_store, start_of
from tacit.replay.tasks import Skipped, Task, judge_task, stands_in
from tacit.trial.evalue import NOT_YET_KNOWN
from tacit.trial.outcome import NO_PROBLEM, OCCURRED

if TYPE_CHECKING:
    from tacit.opened import Opened


@value
class ReplayOptions:
    """How past tasks are done again."""

    agent: str  # the command; {prompt} stands for the task, {notes} for the lesson as text
    without: str = ""  # lines of an instruction file instead of a lesson
    check: str = ""  # a command that exits 0 where the work is well
    setup: str = ""  # run in each clone first
    pairs: int = MOST_PAIRS  # at most
    timeout: float = 30 * 60.0  # seconds for one run of an agent
    keep_env: Sequence[str] = ()  # variables that are handed on
    read: Sequence[str] = ()  # folders that may be read although they are hidden
    write: Sequence[str] = ()  # folders beside its own that may be written
    unconfined: bool = False


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


class ReplayRequest:
    """One call of `replay`, with everything looked up."""

    def __init__(
        self, memories: Opened, lesson: Lesson, options: ReplayOptions, opens: Callable[..., Any]
    ) -> None:
        self.memories, self.lesson, self.options, self.opens = memories, lesson, options, opens
        # a command's is its purpose, and no failure
        self.signature = "" if lesson.klass in NO_PROBLEM else lesson.signature
        example = "For instance --agent 'claude -p {prompt}'."
        try:
            self.agent = tuple(shlex.split(options.agent))
        except ValueError as error:
            raise UsageError(f"The agent's command cannot be read: {error}.", example) from None
        if not self.agent or options.pairs < 1:
            needs = "A replay needs the command of an agent, and at least one pair."
            raise UsageError(needs, example)
        if lesson.gate in ("quarantine", "discard"):
            told = f"{lesson.id} is in quarantine: {lesson.gate_reason or 'no reason kept'}."
            raise Refused(told, "tacit review shows it; what is not given is not replayed.")
        self.source = memories.place.root if memories.place.kind == "git" else ""
        if not self.source:
            told = "A replay begins at commits, and this folder is in no git repository."
            raise UsageError(told, "Call it in the project's repository.")
        called = {os.path.basename(word) for word in self.agent}
        known = (name for name, each in every_host().items() if called & {*each.programs})
        name = next(known, "")
        self.host = host_named(name) if name else None
        self.by_notes = any("{notes}" in word for word in self.agent)
        self.keep_env = (*options.keep_env, *(self.host.reaches if self.host else ()))
        if not options.unconfined and not version():
            raise Refused(
                "This system cannot keep an agent in its folder (Linux's Landlock is missing).",
                "In a container or a machine of its own: --unconfined, and read docs/replay.md first.",
            )
        if not options.check and not self.signature:
            raise UsageError(
                f"Nothing can tell whether the problem of {lesson.id} occurred: it has no error's signature.",
                "Name a command that exits 0 where the work is well: --check 'make test'.",
            )
        self.instrument = "check" if options.check else "signature"
        wanted = (lesson.id, lesson.text, *self.agent, options.check, options.setup)
        hashed = short_hash("replay", *wanted, str(options.timeout), *self.keep_env, *options.write)
        name = f"tacit-replay-{hashed[:12]}"
        self.kept = ReplayFolder(os.path.join(beside_store(memories, "replays"), name))

    # -- the plan ---------------------------------------------------------------------------------

    def plan(self) -> ReplayPlan:
        """What it would do; tasks are those of its beginning where it was begun."""
        known = self.kept.plan()
        found = [*self._tasks()]
        tasks = tuple(each for each in found if isinstance(each, Task))
        if known:
            tasks = tuple(Task(**each) for each in known["tasks"])
        confined = not self.options.unconfined
        return ReplayPlan(
            self.lesson,
            self.kept.folder,
            self.instrument,
            tasks,
            tuple(each for each in found if not isinstance(each, Task)),
            expected(tasks, self.options.pairs),
            self.options.pairs,
            confined,
            self.host.name if self.host else "",
            len(pairs_of(self.kept.runs())),
            tuple(services()) if confined else (),
        )

    def keep_plan(self) -> dict[str, Any]:
        """The plan of this replay, made now if it has none; how many pairs it may run is the caller's to change."""
        known = self.kept.plan()
        if known is None:
            found = [each for each in self._tasks() if isinstance(each, Task)]
            if not found:
                none = "No past task can be replayed for this lesson."
                raise NotFound(none, "tacit replay ID --agent … --plan names each and why not.")
            known = {
                "project": self.memories.project_id,
                "lesson": self.lesson.id,
                "text": self.lesson.text,
                "agent": [*self.agent],
                "check": self.options.check,
                "setup": self.options.setup,
                "instrument": self.instrument,
                "key": os.urandom(32).hex(),
                "started_at": self.memories.now(),
                "tasks": [fields(each) for each in found],
            }
        known["pairs"] = self.options.pairs
        self.kept.keep_plan(known)
        return known

    def _tasks(self) -> Iterator[Task | Skipped]:
        """Every past run in which the problem was met: as a task, or why it is none."""
        for id, (places, trusted) in self._met().items():
            run = self._reread(id)
            if isinstance(run, str):
                yield Skipped(id, run)
                continue
            if self.signature:
                places = [each.place for each in occurrences(run, self.signature)]
                if not places:
                    yield Skipped(run.id, "its steps do not show the problem any more")
                    continue
            foreign = run.foreign or not trusted
            found = self.task_of(replace(run, foreign=foreign), places)
            file = "" if isinstance(found, Skipped) else self._stood_in(found)
            yield Skipped(run.id, f"the lesson stood in {file} then") if file else found

    def _met(self) -> dict[str, tuple[list[str], bool]]:
        """The runs that met the problem: at which places, and whether more than an import says so."""
        met: dict[str, tuple[list[str], bool]] = {}
        for row in self.memories.store.evidence(self.lesson.id):
            if row.run and row.stance == "supports" and row.signal == "seen":
                places, trusted = met.get(row.run, ([], False))
                met[row.run] = [*places, row.place], trusted or row.tier != "imported"
        for mark in self.memories.store.marks(memory=self.lesson.id):
            if mark.signal == "outcome" and mark.value == OCCURRED and mark.run:
                met[mark.run] = met.get(mark.run, ([], True))[0], True
        return met

    def task_of(self, run: Run, places: Sequence[str]) -> Task | Skipped:
        """A past run as a task, at a commit that this repository holds."""
        start = start_of(self.memories, run.host, run.id)
        found = judge_task(run, places, self.source, start)
        if isinstance(found, Skipped):
            return found
        commit = commit_of(self.source, found.commit)
        if not commit:
            return Skipped(run.id, f"its commit {found.commit[:12]} is not in this repository")
        return replace(found, commit=commit)

    def _stood_in(self, task: Task) -> str:
        """The instruction file that held the lesson when a task began."""
        names = {name: "" for host in self._hosts() for name in host.instructions}
        held = texts_at(self.source, task.commit, [*names, *OTHER_INSTRUCTIONS])
        return stands_in(self.lesson.text, held)

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

    # -- what runs need ---------------------------------------------------------------------------

    @cached_property
    def hidden(self) -> tuple[str, ...]:
        """What no run may read: credentials, other sessions, the store with the lesson, the repository as it is now."""
        env = self.memories.env
        home = user_home(env)
        closed = [os.path.join(home, name) for name in CREDENTIALS]
        for host in every_host().values():
            closed += [home_of(host, env), data_of(host, env)]
        closed += [data_folder(env), os.path.dirname(self.memories.store.path), self.source]
        paths = dict.fromkeys(map(os.path.abspath, closed))
        return tuple(path for path in paths if path not in ("/", home))

    @cached_property
    def readable(self) -> tuple[str, ...]:
        """What may be read wherever it lies: this program, so that hooks can start, and what the user opens."""
        own = (sys.prefix, sys.base_prefix, os.path.dirname(tacit.__file__))
        return tuple(map(os.path.abspath, (*own, *self.options.read)))

    def make_store(self, path: str, clone: str, given: bool) -> None:
        """A store of a run's own: this project under this profile, with the lesson pinned, or without it."""
        memories, at = self.memories, self.memories.now()
        home = {"HOME": os.path.dirname(path)}
        with self.opens(path, env=home, cwd=clone, now=memories.now) as own:
            project = replace(own.ensure_project(), profile=profile_id(memories.profile))
            with own.store.write() as tx:
                profile = memories.profile
                tx.put_profile(project.profile, to_json(profile))
                tx.put_project(project)
                if given:
                    # pinned and in no category: given at the start, and wherever it is given otherwise
                    lesson = replace(
                        self.lesson,
                        project=project.id,
                        state=ACTIVE,
                        pinned=True,
                        category="",
                        on_page=False,
                        gate="allow",
                        scope="project",
                        verdict=NOT_YET_KNOWN,
                        alias="",
                        superseded_by="",
                        stale_at="",
                    )
                    hand, why = Hand("replay", at), "given in a replay"
                    tx.apply(change(None, lesson, hand, verb="import", reason=why))

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
        if host.plugin:
            text = plugin_text(start, host, store)
        else:
            entries = registration(start, host, store)
            text = with_entries("", entries, path, comments=host.comments, frame=host.frame)
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
        tops = [
            (top, host.sessions)
            for host in self._hosts()
            if host.sessions
            for top in folders_of(host.name, {"HOME": env["HOME"]})
        ]
        transcripts = [
            os.path.join(place, name)
            for top, sessions in tops
            for place, _, names in os.walk(top)
            for name in sorted(names)
            if re.fullmatch(sessions, name)
        ]
        said = [self._read(path) for path in transcripts]
        for path in (env[TRANSCRIPT], os.path.join(folder, "out.txt")):
            if not any(said) and os.path.isfile(path) and os.path.getsize(path):
                said.append(self._read(path))
        return [each for found in said for each in found]

    def _read(self, path: str) -> list[tuple[str, Run]]:
        try:
            name = formats.detect(FileSource(path))
            runs = formats.read(FileSource(path), name) if name else ()
            return [(path, run) for run in runs if run.steps]
        except (TacitError, OSError):
            return []

    def was_given(self, path: str) -> bool:
        """Whether this store says that the lesson was given."""
        folder = os.path.dirname(path)
        with self.opens(path, env={"HOME": folder}, cwd=folder, create=False) as own:
            return any(use.arm != "withheld" for use in own.store.uses(memory=self.lesson.id))
