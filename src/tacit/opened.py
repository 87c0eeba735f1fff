"""The opened store with its project, profile and settings: what every verb stands on. Hooks load it."""

from __future__ import annotations

import os

from tacit.core import clock
from tacit.core.digest import new_id
from tacit.core.errors import Refused, UsageError
from tacit.core.rows import Project, scope_projects
from tacit.core.value import replace
from tacit.lesson import GLOBAL, Lesson
from tacit.place.folders import data_folder as data_folder
from tacit.place.folders import home_folder
from tacit.place.folders import machine_id as machine_id
from tacit.place.folders import store_path as store_path
from tacit.store.moments import choice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType
    from typing import Any, Self

    from tacit.core.config import Settled
    from tacit.core.ports import Model
    from tacit.core.profile import Profile
    from tacit.core.rows import Choice
    from tacit.core.trust import Actor
    from tacit.place.files import WorkTree
    from tacit.place.identity import Place
    from tacit.safety.witness import Vouch
    from tacit.store.reads import Reads, Store, WorkContext
    from tacit.store.writes import Transaction


def open_store_at(path: str, env: Mapping[str, str], create: bool, wait: float) -> Store:
    """The store in a file."""
    if "://" in path:
        from tacit.core.address import without_password

        raise UsageError(
            f"{without_password(path)}: a memory is a file here, a server carries a team's lines.",
            "Take it out of TACIT_STORE or --store; docs/howto/postgres.md has the way over.",
        )
    from tacit.store.writes import open_store

    # a look where nothing is leaves nothing behind
    machine = machine_id(env) if create or os.path.exists(path) else ""
    return open_store(path, create=create, machine=machine, wait=wait)


def config_path(env: Mapping[str, str]) -> str:
    """The user's own configuration file."""
    return os.path.join(
        env.get("XDG_CONFIG_HOME") or os.path.join(home_folder(env), ".config"),
        "tacit",
        "config.toml",
    )


def _now() -> str:
    return clock.now()


class Opened:
    """The opened store with its project, profile and settings: what every verb stands on. Hooks load it."""

    def __init__(
        self,
        store: Store,
        env: Mapping[str, str],
        folder: str,
        project: str = "",
        profile: str = "",
        by: str = "",
        yes: bool = False,
        now: Callable[[], str] | None = None,
    ) -> None:
        self.store = store
        self.now = now or _now
        self.env = env
        self.folder = folder
        self._signed = (by, yes)
        self._actor: Actor | None = None
        self._asked_project = project
        self._asked_profile = profile
        self._project: Project | None = None
        self._place: Place | None = None
        self._vouch: Vouch | None = None
        self._profile: Profile | None = None
        self._settled: tuple[tuple[Any, ...], Settled] | None = (
            None  # what the settings were made of, and they
        )
        self.reads_in = (
            ""  # the surroundings in which a worker reads sessions later; empty: here and at once
        )
        self.publishes = (
            True  # whether an approved line is written to its page at once; otherwise tend does it
        )

    @classmethod
    def of(cls, opened: Opened) -> Self:
        """The same opened store, with the verbs of this class."""
        if isinstance(opened, cls):
            return opened
        same = cls.__new__(cls)
        same.__dict__ = opened.__dict__
        return same

    @property
    def actor(self) -> Actor:
        """In whose name this process acts; asked when somebody's word is needed, which a prompt's is not."""
        if self._actor is None:
            self._actor = acting(self.env, *self._signed)
        return self._actor

    @actor.setter
    def actor(self, who: Actor) -> None:
        self._actor = who

    def _name(self, born: Sequence[str]) -> None:
        """Give new memories the ids of the system whose way the profile follows; every command knows them from then on."""
        if not born or not self.profile.ids:
            return
        from tacit.hosts import formats

        format = self.profile.ids
        with self.store.write() as tx:
            taken = tx.aliases(self.project_id, format)
            for memory in tx.memories(born):
                if memory.project == self.project_id and not any(
                    space == format for space, _ in tx.alias_of(memory.id)
                ):
                    name = formats.exchange(format).name_for(memory, taken)
                    taken.add(name)
                    tx.add_alias(self.project_id, format, name, memory.id)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the store's connection."""
        self.store.close()

    @property
    def work_tree(self) -> WorkTree:
        """The project's work tree, to read and write files there."""
        from tacit.place import identity
        from tacit.place.files import WorkTree

        project, place = self.ensure_project(), self.place
        if place.given and project.root != place.root:
            place = identity.locate(project.root, self.env)
        return WorkTree(place.root, place.git_dir)

    @property
    def vouch(self) -> Vouch:
        """What the repository of this folder vouches for: asked of words that no session's record stands behind."""
        from tacit.safety.witness import of_folder

        if self._vouch is None:
            self._vouch = of_folder(self.folder, self.now())
        return self._vouch

    @property
    def place(self) -> Place:
        """Where the folder belongs, as the file system tells it."""
        from tacit.place import identity

        if self._place is None:
            start = self._asked_project if os.sep in self._asked_project else self.folder
            self._place = identity.locate(start, self.env)
            if self._asked_project and os.sep not in self._asked_project:
                self._place = replace(self._place, given=self._asked_project)
        return self._place

    def _choose(self, store: Reads) -> Choice:
        return choice(store, self.place)

    @property
    def project(self) -> Project | None:
        """The project's row; None while nothing was ever kept for it. Looking makes none."""
        if self._project is None:
            choice = self._choose(self.store)
            self._project = self.store.project(choice.id) if choice.id else None
        return self._project

    @property
    def project_id(self) -> str:
        """The project's id; empty while it has no row."""
        return self.project.id if self.project else ""

    @property
    def scopes(self) -> tuple[str, ...]:
        """Where searches look."""
        return scope_projects(self.project_id)

    def ensure_project(self) -> Project:
        """The project's row, made now if it has none, and its id recorded where it will be found again."""
        found = self.project or self.made_project()
        if not self.place.given and self.place.kind == "git" and self.place.id != found.id:
            from tacit.place.identity import locate
            from tacit.place.record import record_project

            if not record_project(self.place, found.id):
                # Another process may have recorded its own id meanwhile; then that one counts, for both of us.
                won = locate(self.folder, self.env).id
                if won and won != found.id:
                    self._place = self._project = None
                    return self.ensure_project()
        return found

    def made_project(self) -> Project:
        """The project's row, made now, with no mark of it anywhere else."""
        with self.store.write() as tx:
            choice = self._choose(tx)
            found = tx.project(choice.id) if choice.id else None
            self._project = found or self._new_project(tx, choice.id or new_id())
        return self._project

    def _new_project(self, tx: Transaction, id: str) -> Project:
        from tacit.lesson import AGENT
        from tacit.settings import keep_profile

        place, at = self.place, self.now()
        name, profile = place.given or place.name, keep_profile(self, tx, at)
        project = Project(
            id, name, place.root, place.key, place.remote, profile, os.urandom(32), 0, at
        )
        tx.put_project(project)
        for shared in (GLOBAL, AGENT):
            if tx.project(shared) is None:
                tx.put_project(
                    replace(
                        project,
                        id=shared,
                        name=shared,
                        root="",
                        key="",
                        remote="",
                        trial_key=os.urandom(32),
                    )
                )
        return project

    @property
    def profile(self) -> Profile:
        """The way of remembering in force: the project's own, or the one that was asked for."""
        if self._profile is None:
            project = self.project
            text = (
                self.store.profile_json(project.profile)
                if project and not self._asked_profile
                else None
            )
            from tacit.core.profile import plain

            if text and (own := plain(text)) is not None:
                found = own
            elif text:
                from tacit.origins import kept

                found = kept(text)
            else:
                from tacit.settings import wanted_profile

                found = wanted_profile(self)
            self._profile = found
        return self._profile

    @property
    def work(self) -> WorkContext:
        """What work on this project needs; the project's row is made if it has none."""
        from tacit.store.reads import WorkContext

        return WorkContext(
            self.store, self.ensure_project(), self.profile, self.now, new_id, self.actor
        )

    @property
    def profile_version(self) -> str:
        """The version that goes into journal entries."""
        return self.project.profile if self.project else ""

    def settings(self) -> dict[str, Any]:
        """All settings with their sources."""
        return self.settled().by_key

    def settled(self) -> Settled:
        """The same, with what does not count of them; settled again only if a file or the environment changed: each question asks."""
        from tacit.core.config import VARIABLES
        from tacit.settings import repository_file, settings_at

        root, user = self.place.root, config_path(self.env)
        state = (
            root,
            user,
            _written(user),
            _written(repository_file(root)),
            *map(self.env.get, VARIABLES.values()),
        )
        if self._settled is None or self._settled[0] != state:
            self._settled = (state, settings_at(root, user, self.env))
        return self._settled[1]

    def model(self, step: str) -> Model | None:
        """The model that the user's configuration names, for a step of the pipeline that the profile lets ask one."""
        if step not in self.profile.model.steps:
            return None
        settings = self.settings()
        named = settings["model.url"].value or settings["model.command"].value
        if not named:
            return None
        from tacit.reading.models import chosen
        from tacit.store.ledger import StoreLedger

        return chosen(
            settings,
            self.env,
            StoreLedger(self.store, self.now),
            lane=step if step == "rewrite" else "",
        )

    def get(self, id: str, *, use: bool = False) -> Lesson:
        """A memory by its id, a unique prefix of it, or an alias; with `use`, counted as a retrieval."""
        found = self.store.get(self.store.resolve(id, self.project_id))
        return self._count_use(found) if use else found

    def _count_use(self, memory: Lesson) -> Lesson:
        from tacit.core.links import Mark

        with self.store.write(confidence=self.profile.signals.confidence) as tx:
            tx.add_mark(
                Mark(memory.id, "", memory.project, "uses", surface="library", at=self.now())
            )
        return self.store.get(memory.id)

    def _change(self, id: str, decide: Any, then: Any = None) -> Lesson:
        with self.store.write() as tx:
            change = decide(tx.get(id))
            if change is not None:
                tx.apply(
                    replace(
                        change,
                        entry=replace(change.entry, reason=self._kept_reason(change.entry.reason)),
                    )
                )
                if then is not None:
                    then(tx, change.entry)
            return tx.get(id)

    def _kept_reason(self, said: str) -> str:
        """Somebody's free words as they may be kept."""
        if not said:
            return ""
        from tacit.safety.redact import free_words

        return free_words(said, by_agent=not self.actor.is_person)

    def need_person(self, what: str) -> None:
        """Refuse what only a person may do."""
        person_only(self.actor, what)


def _written(path: str) -> tuple[int, ...]:
    """What changes when a file is written; empty where there is none."""
    try:
        at = os.stat(path)
    except OSError:
        return ()
    return at.st_mtime_ns, at.st_ctime_ns, at.st_size, at.st_ino


def acting(env: Mapping[str, str], by: str = "", yes: bool = False) -> Actor:
    """Who acts here: whoever signs, shows a key that a person made, or sits at a terminal; everybody else is an agent."""
    from tacit.core.trust import actor
    from tacit.hosts import SHELLS

    name = ""
    if env.get("TACIT_KEY"):
        from tacit.place.folders import name_of

        name = name_of(env["TACIT_KEY"], keys_path(env))
    return actor(env, by, yes, shells=SHELLS, terminal=any(map(_is_terminal, range(3))), key=name)


def person_only(who: Actor, what: str) -> None:
    """Refuse what only a person may do."""
    if not who.is_person:
        raise Refused(f"{what} is a person's word; {who.reason}.", who.how)


def keys_path(env: Mapping[str, str]) -> str:
    """The file of keys with which programs of the user's own act in a name."""
    return os.path.join(os.path.dirname(config_path(env)), "keys")


def _is_terminal(number: int) -> bool:
    try:
        return os.isatty(number)
    except OSError:
        return False
