"""The only wiring: `open()` finds store, project and profile, and `Memories` delegates to the rooms.

Nothing is decided here. Pure judgements live in `core`, each verb's pipeline in its room; rooms are imported inside
the methods that need them, because a hook pays for every module it loads.
"""

from __future__ import annotations

import io
import os

from tacit.core import clock
from tacit.core.digest import new_id
from tacit.core.errors import NotFound, Refused, StoreBusy, TacitError, Unavailable, UsageError
from tacit.core.memory import GLOBAL, Memory
from tacit.core.states import CLOSED, OPEN
from tacit.core.value import replace, value
from tacit.stores.sql import Project, RunRow, run_id, scope_projects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import Any, TypeVar

    from tacit.core.exchange import Given, Judged, Row
    from tacit.core.journal import Change, Entry
    from tacit.core.ports import Embedder, Model
    from tacit.core.profile import Profile
    from tacit.core.proposal import Proposal
    from tacit.core.run import Finding, Run
    from tacit.core.trust import Actor
    from tacit.formats.bundle import Written
    from tacit.formats.source import Source
    from tacit.learn import Learned, Submitted
    from tacit.learn.intake import TakenIn
    from tacit.learn.reader import Desk
    from tacit.learn.review import Review, Reviewed
    from tacit.learn.running import Running
    from tacit.learn.staging import Stage
    from tacit.profiles.choice import NamedProfile
    from tacit.prove.audit import Checked, Regression
    from tacit.prove.backtest import Replayed
    from tacit.prove.effect import Effects
    from tacit.prove.runs import RunAudit
    from tacit.recall import Injection, Recalled
    from tacit.recall.knowledge import Knowledge
    from tacit.stores.check import Health
    from tacit.stores.files import WorkTree
    from tacit.stores.identity import Choice, Place
    from tacit.stores.packs import Packed
    from tacit.stores.readings import Reading
    from tacit.stores.renew import Renewed
    from tacit.stores.sqlite import SqliteStore, Transaction
    from tacit.stores.sqlite.backup import Backup, Restored
    from tacit.stores.sqlite.repair import Repaired
    from tacit.stores.truth import Migrated
    from tacit.tend import Tended
    from tacit.tend.context import StepReport
    from tacit.tend.join import Joined
    from tacit.tend.pages import Blamed, Pages
    from tacit.tend.stats import Figures
    from tacit.tend.sync import Synced

    T = TypeVar("T")

WITHIN = 2.0  # seconds a command waits for whoever is bringing this machine's cache in step
CHUNK = 500  # memories a transaction when many are added: others get their turn in between
INSTRUCTION_FILES = (
    "CLAUDE.md",
    ".claude/CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    "GEMINI.md",
    "MEMORY.md",
    "CONVENTIONS.md",
)
WORDS_ONLY = ("hook", "cli")  # surfaces whose injections a prompt waits for: no vectors are loaded there


def open(
    path_or_url: str | None = None,
    project: str | None = None,
    profile: str | None = None,
    *,
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
    create: bool = True,
    wait: float = 60.0,
    by: str = "",
    yes: bool = False,
    now: Callable[[], str] | None = None,
    near: bool = False,
) -> Memories:
    """Open the memories of a project: the user's store and the folder's project, unless named otherwise.

    `project` is an id, a known project's name, or a folder. `profile` names the way of remembering for a project that has none yet. With
    `create=False` a missing store raises `Unavailable`. `now` is another clock, for tests and simulations. `near` opens this machine's
    cache where the store is on a server, and asks the server nothing. Close it, or use it in a `with` block.
    """
    seen = os.environ if env is None else env
    folder = os.path.abspath(cwd or os.getcwd())
    address = store_path(path_or_url, seen)
    store = _open_cache(address, seen, create, wait) if near and "://" in address else _open_store(address, seen, create, wait)
    bring_in_step(store, seen, fetch=False)
    return Memories(store, seen, folder, project or "", profile or "", by, yes, now)


def _open_cache(url: str, env: Mapping[str, str], create: bool, wait: float) -> SqliteStore:
    from tacit.stores.cache import is_far, open_cache

    _must_be_known(url, is_far(url))
    return open_cache(url, data_folder(env), create=create, machine=machine_id(env), wait=wait)


def _must_be_known(address: str, known: bool) -> None:
    if not known:
        raise UsageError(f"{address} is not an address of a store.", "Name a file, or postgresql://USER@HOST/DATABASE.")


def bring_in_step(store: SqliteStore, env: Mapping[str, str], project: str = "", *, fetch: bool = True, make: bool = False) -> None:
    """Where this machine has a cache of the server (`make`: and where it has none yet), carry what waits there and fetch what is new.

    So whoever asks the server finds what hooks here recorded, and a hook finds what was just written. Nobody fails for it: the worker
    does the same.
    """
    if not store.url:
        return
    from tacit.stores.cache import open_cache
    from tacit.stores.carry import in_step

    try:
        with open_cache(store.url, data_folder(env), create=make, machine=machine_id(env)) as near:
            if fetch or near.one("SELECT 1 FROM outbox LIMIT 1"):
                in_step(near, store, only=(project,), wait=WITHIN)
    except (TacitError, OSError):
        pass


def _open_store(path: str, env: Mapping[str, str], create: bool, wait: float) -> Any:
    if path.startswith(("postgresql://", "postgres://")):
        try:
            from tacit.stores.postgres import open_store as open_server
        except ImportError as error:
            from tacit.core.installation import hint

            raise UsageError(f"A store on PostgreSQL needs {error.name}.", hint("postgres")) from error
        return open_server(path, create=create, machine=machine_id(env), wait=wait)
    _must_be_known(path, "://" not in path)
    from tacit.stores.sqlite import open_store

    return open_store(
        path, create=create, machine=machine_id(env), wait=wait, backups=os.path.join(data_folder(env), "backups")
    )


def store_path(given: str | None, env: Mapping[str, str]) -> str:
    """Which store is meant: named, from the environment, or the user's own."""
    return os.path.expanduser(given or env.get("TACIT_STORE") or os.path.join(data_folder(env), "tacit.db"))


def data_folder(env: Mapping[str, str]) -> str:
    """Where the user's store lies."""
    return os.path.join(env.get("XDG_DATA_HOME") or os.path.join(_home(env), ".local", "share"), "tacit")


def config_path(env: Mapping[str, str]) -> str:
    """The user's own configuration file."""
    return os.path.join(env.get("XDG_CONFIG_HOME") or os.path.join(_home(env), ".config"), "tacit", "config.toml")


def _home(env: Mapping[str, str]) -> str:
    return env.get("HOME") or os.path.expanduser("~")


def machine_id(env: Mapping[str, str]) -> str:
    """A random name of this machine for this user, made once; empty where it cannot be kept."""
    path = os.path.join(data_folder(env), "machine")
    for _ in range(2):
        try:
            fd = os.open(path, os.O_RDONLY)
        except OSError:
            try:
                os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
                temporary = f"{path}.{new_id()}"
                fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                os.write(fd, new_id().encode())
                os.close(fd)
                try:
                    os.link(temporary, path)  # the first of many processes wins, whole
                finally:
                    os.unlink(temporary)
            except OSError:
                pass
            continue
        text = os.read(fd, 64).decode("ascii", "replace").strip()
        os.close(fd)
        return text if text.isalnum() else ""
    return ""


@value
class Checkup:
    """What `doctor` found."""

    store: str
    schema: int
    bytes: int
    health: Health
    queue: int
    counters: dict[str, int]


def _now() -> str:
    return clock.now()


class Memories:
    """The memories of one project in one store: every verb of the command line, synchronous and typed.

    One object serves one thread. Async callers run its methods in a thread.
    """

    def __init__(
        self,
        store: SqliteStore,
        env: Mapping[str, str],
        folder: str,
        project: str = "",
        profile: str = "",
        by: str = "",
        yes: bool = False,
        now: Callable[[], str] | None = None,
    ) -> None:
        from tacit.core.trust import actor

        self.store = store
        self.now = now or _now
        self.env = env
        self.folder = folder
        self.actor: Actor = actor(env, by, yes)
        self._asked_project = project
        self._asked_profile = profile
        self._project: Project | None = None
        self._place: Place | None = None
        self._profile: Profile | None = None
        self._near: SqliteStore | None = None
        self._settled: tuple[tuple[Any, ...], dict[str, Any]] | None = None  # what the settings were made of, and they
        self._embedder: tuple[Embedder | None] | None = None  # None: not looked up yet
        self.publishes = True  # whether an approved line is written to its page at once; otherwise tend does it

    def __enter__(self) -> Memories:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the store's connection."""
        if self._near is not None:
            self._near.close()
        if self.store.changed:
            bring_in_step(self.store, self.env, self._project.id if self._project else "")
        self.store.close()

    @property
    def near(self) -> SqliteStore:
        """What only this machine knows (its pause, its sessions, its queue): the store itself, or its cache of a server, if it has one."""
        if self.store.url and self._near is None:
            try:
                self._near = _open_cache(self.store.url, self.env, False, self.store.wait)
            except Unavailable:
                return self.store
        return self._near or self.store

    # -- where: project and profile ---------------------------------------------------------------

    @property
    def place(self) -> Place:
        """Where the folder belongs, as the file system tells it."""
        from tacit.stores import identity

        if self._place is None:
            start = self._asked_project if os.sep in self._asked_project else self.folder
            self._place = identity.locate(start, self.env)
            if self._asked_project and os.sep not in self._asked_project:
                self._place = replace(self._place, given=self._asked_project)
        return self._place

    def _choose(self, store: SqliteStore | Transaction) -> Choice:
        from tacit.stores import identity

        place = self.place
        by_id = [place.id] if place.id and store.project(place.id) else []
        # A clone of a local repository has that repository's folder as its remote.
        by_remote = [p.id for p in store.projects() if place.remote in (p.remote, p.root)] if place.remote else []
        by_key = [p.id for p in store.projects(key=place.key)] if place.key else []
        if place.given:
            by_id = [p.id for p in store.projects() if place.given in (p.id, p.name)]
        return identity.decide(place, by_id, by_remote, by_key)

    @property
    def project(self) -> Project | None:
        """The project's row; None while nothing was ever kept for it. Looking makes none."""
        if self._project is None:
            choice = self._choose(self.store)
            self._project = self.store.project(choice.id) if choice.id else None
            self.store.lock = choice.id if self._project else ""
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
        from tacit.stores import identity

        found = self.project
        if found is None:
            with self.store.write() as tx:
                choice = self._choose(tx)
                found = tx.project(choice.id) if choice.id else None
                if found is None:
                    found = self._new_project(tx, choice.id or new_id())
            self._project = found
        if (
            not self.place.given
            and self.place.kind == "git"
            and self.place.id != found.id
            and not identity.record(self.place, found.id)
        ):
            # Another process may have recorded its own id meanwhile; then that one counts, for both of us.
            won = identity.locate(self.folder, self.env).id
            if won and won != found.id:
                self._place = self._project = None
                return self.ensure_project()
        return found

    def _new_project(self, tx: Transaction, id: str) -> Project:
        from tacit.core.memory import AGENT

        place, at = self.place, self.now()
        project = Project(
            id,
            place.given or place.name,
            place.root,
            place.key,
            place.remote,
            self._keep_profile(tx, at),
            os.urandom(32),
            0,
            at,
        )
        tx.put_project(project)
        for shared in (GLOBAL, AGENT):
            if tx.project(shared) is None:
                tx.put_project(
                    replace(project, id=shared, name=shared, root="", key="", remote="", trial_key=os.urandom(32))
                )
        return project

    def _keep_profile(self, tx: Transaction, at: str) -> str:
        from tacit.core.profile import profile_id, to_json

        profile = self._wanted_profile()
        version = profile_id(profile)
        tx.put_profile(version, profile.name, to_json(profile), at)
        return version

    def _wanted_profile(self) -> Profile:
        """The profile that was asked for, or the one that the settings name."""
        if self._asked_profile:
            profile = self.load_profile(self._asked_profile)
            from tacit.profiles.choice import openness

            if not self.actor.is_person and (more := openness(profile)):
                raise Refused(f"The profile {profile.name} is a person's choice ({more}); {self.actor.reason}.", "Leave --profile out.")
            return profile
        return self.load_profile(self.profile_choice().name)

    def profile_choice(self) -> NamedProfile:
        """Which profile the settings name, and what a person should know about it; a repository may not name every one."""
        from tacit.profiles.choice import NamedProfile, by_repository, changed

        setting = self.settings()["profile"]
        path = os.path.join(self.place.root, ".tacit", "config.toml")
        named = by_repository(setting.value, path) if setting.source == path else NamedProfile(str(setting.value))
        chosen = self._chosen_profile()
        if chosen.get("text"):
            return replace(named, note=changed(chosen["name"], chosen["text"]))
        return replace(named, note="") if named.note and self.project and chosen else named

    def _chosen_profile(self) -> dict[str, str]:
        """The profile that a person chose here with `tacit profile use`: its name, its text where it was a file, who and when."""
        import json

        kept = self.store.meta(f"profile:{self.project_id}") if self.project_id else ""
        return dict(json.loads(kept)) if kept else {}

    def load_profile(self, name: str) -> Profile:
        """A profile by name: built in, from an entry point, or a TOML file named by its path."""
        from tacit.profiles import load

        return load(name)

    @property
    def profile(self) -> Profile:
        """The profile in force: the project's own, compiled in the store, or the one that was asked for."""
        if self._profile is None:
            from tacit.core.profile import from_json, is_current

            project = self.project
            compiled = self.store.profile_json(project.profile) if project and not self._asked_profile else None
            if compiled and is_current(compiled):
                self._profile = from_json(compiled)
            elif compiled:
                self._profile = self._compile_anew(compiled)
            else:
                self._profile = self._wanted_profile()
        return self._profile

    def _compile_anew(self, compiled: str) -> Profile:
        """A profile that an earlier version of Tacit compiled, as this version reads it; kept, so that hooks find it ready."""
        import json

        from tacit.profiles import compiled as compile_text
        from tacit.profiles import names

        name, chosen = json.loads(compiled)["name"], self._chosen_profile()
        if chosen.get("text"):
            profile = compile_text(chosen["text"], chosen["name"])
        elif chosen or (name in names() and not self.profile_choice().note):
            profile = self.load_profile(name)
        else:
            profile = self._wanted_profile()
        try:
            self._put_profile(profile, {})
        except (Unavailable, Refused):
            pass  # a server on which we only read
        return profile

    def use_profile(self, name: str) -> Profile:
        """Let another profile judge this project from now on. A file is kept as it is now; what is changed in it later changes nothing."""
        from tacit.profiles import compiled, text_of

        self._need_person("Choosing a profile")
        self.ensure_project()
        is_file, text = name.endswith(".toml"), text_of(name)
        path = os.path.abspath(os.path.expanduser(name)) if is_file else name
        return self._put_profile(
            compiled(text, name), {"name": path, "text": text if is_file else "", "by": self.actor.name, "at": self.now()}
        )

    def _put_profile(self, profile: Profile, chosen: dict[str, str]) -> Profile:
        from tacit.core.profile import profile_id, to_json

        project, version = self.ensure_project(), profile_id(profile)
        with self.store.write() as tx:
            tx.put_profile(version, profile.name, to_json(profile), self.now())
            self._project = replace(project, profile=version)
            tx.put_project(self._project)
            if chosen:
                import json

                tx.put_meta(f"profile:{project.id}", json.dumps(chosen))
        self._profile, self._asked_profile = profile, ""
        return profile

    @property
    def profile_version(self) -> str:
        """The version that goes into journal entries."""
        return self.project.profile if self.project else ""

    def settings(self) -> dict[str, Any]:
        """All settings with their sources, settled again only if a file or the environment changed: each question asks."""
        from tacit.core.config import VARIABLES, settle

        user, repository = config_path(self.env), os.path.join(self.place.root, ".tacit", "config.toml")
        state = (user, repository, _written(user), _written(repository), *map(self.env.get, VARIABLES.values()))
        if self._settled is None or self._settled[0] != state:
            found = settle(_toml(user), _toml(repository), self.env, user_path=user, repository_path=repository)
            self._settled = (state, found)
        return self._settled[1]

    def _tending_model(self) -> Model | None:
        """The model for whichever step of `tend` may ask one; each looks itself whether it may."""
        return next((model for step in ("same", "triage", "reflect") if (model := self.model(step)) is not None), None)

    def model(self, step: str) -> Model | None:
        """The model that the user's configuration names, for a step of the pipeline that the profile lets ask one."""
        if step not in self.profile.model.steps:
            return None
        settings = self.settings()
        named = settings["model.url"].value or settings["model.command"].value
        if not named or (step == "rewrite" and not settings["model.rewrite"].value):
            return None
        from tacit.providers import chosen
        from tacit.stores.ledger import StoreLedger

        return chosen(settings, self.env, StoreLedger(self.store, self.now), lane=step if step == "rewrite" else "")

    # -- keep: what a person does by hand ---------------------------------------------------------

    def add(self, text: str, **facets: Any) -> Memory:
        """Keep a lesson. Facets: kind, category, domain, agent, task_type, scope, tags, paths, severity, source, run, alias, at, extra."""
        return self.add_many([{**facets, "text": text}])[0]

    def add_many(self, lessons: Iterable[str | Mapping[str, Any]], *, alias: str = "", at: str = "") -> list[Memory]:
        """Keep many lessons, in chunked transactions: each chunk is kept whole or not at all.

        `alias` is the namespace of their aliases, `at` the time they are dated where they bring none.
        """
        self.ensure_project()
        kept: list[Memory] = []
        chunk: list[tuple[Change, str, str]] = []
        for lesson in lessons:
            facets = {"text": lesson} if isinstance(lesson, str) else dict(lesson)
            chunk.append((self._make(facets, at), str(facets.get("alias") or ""), str(facets.get("run") or "")))
            if len(chunk) >= CHUNK:
                kept += self._keep(chunk, alias)
                chunk = []
        kept += self._keep(chunk, alias)
        if len(kept) > CHUNK:
            self.store.tidy(len(kept))
        return kept

    def _make(self, facets: dict[str, Any], at: str) -> Change:
        from tacit.core.keep import made
        from tacit.learn.by_hand import memory_from

        when = str(facets.get("at") or at or self.now())
        memory, reason = memory_from(facets, self.actor, self.profile, self.project_id, new_id(), when)
        return made(
            memory,
            by=self.actor.name,
            reason=reason,
            at=when,
            run=str(facets.get("run") or ""),
            profile=self.profile_version,
        )

    def _keep(self, chunk: Sequence[tuple[Change, str, str]], namespace: str) -> list[Memory]:
        from tacit.core.links import Evidence

        if not chunk:
            return []
        with self.store.write(confidence=self.profile.signals) as tx:
            for change, alias, run in chunk:
                tx.apply(change)
                memory = change.memory
                if alias:
                    tx.add_alias(memory.project, namespace or "cli", alias, memory.id)
                if run:
                    row = tx.find_run(self.project_id, run) or RunRow(
                        run_id(self.project_id, "cli", run),
                        self.project_id,
                        "cli",
                        run,
                        run_id(self.project_id, "cli", run),
                        started_at=memory.created_at,
                    )
                    tx.put_run(row)
                    tx.add_evidence(
                        Evidence(
                            memory.id,
                            memory.project,
                            row.id,
                            row.root,
                            by=self.actor.name,
                            tier=memory.trust,
                            place="tacit add",
                            at=memory.created_at,
                            seq=self.project.run_seq if self.project else 0,
                        )
                    )
            return tx.memories([change.memory.id for change, _, _ in chunk])

    def get(self, id: str, *, use: bool = False) -> Memory:
        """A memory by its id, a unique prefix of it, or an alias; with `use`, counted as a retrieval."""
        found = self.store.get(self.store.resolve(id, self.project_id))
        return self._count_use(found) if use else found

    def _count_use(self, memory: Memory) -> Memory:
        from tacit.core.links import Mark

        with self.store.write(confidence=self.profile.signals) as tx:
            tx.add_mark(Mark(memory.id, "", memory.project, "uses", surface="library", at=self.now()))
        return self.store.get(memory.id)

    def edit(self, id: str, *, reason: str = "", typo: bool = False, **fields: Any) -> Memory:
        """Correct a memory's text or facets; never its id, times, evidence or origin.

        Other words are another lesson: what was measured of the former ones is kept beside it. A `typo` changes no meaning.
        """
        from tacit.core.keep import edited
        from tacit.learn.by_hand import checked_facets

        found = self.get(id)
        wanted = checked_facets(fields, self.profile)
        return self._change(
            found.id,
            lambda m: edited(
                m,
                wanted,
                by=self.actor.name,
                at=self.now(),
                klass=self._class_of(wanted.get("kind")),
                reason=reason,
                profile=self.profile_version,
                typo=typo,
            ),
        )

    def rewrite(self, id: str, text: str, extra: Mapping[str, Any], *, reason: str = "") -> Memory:
        """Replace the words and foreign fields of a candidate, for the source that keeps it; secrets are redacted."""
        from tacit.core.keep import rewritten
        from tacit.core.redact import private, redact

        clean = redact(private(text)).text
        by, version = self.actor.name, self.profile_version
        return self._change(id, lambda m: rewritten(m, clean, extra, by=by, at=self.now(), reason=reason, profile=version))

    def _class_of(self, kind: str | None) -> str:
        from tacit.core.profile import class_of

        return class_of(self.profile, kind) if kind else ""

    def pin(self, id: str, on: bool = True, *, reason: str = "") -> Memory:
        """Always give this memory, outside the budget; or no longer."""
        from tacit.core.keep import pinned

        self._need_person("Pinning")
        return self._change(
            self.get(id).id,
            lambda m: pinned(m, on, by=self.actor.name, at=self.now(), reason=reason, profile=self.profile_version),
        )

    def put_on_page(self, id: str, on: bool = True, *, reason: str = "") -> Memory:
        """Approve a lesson for a page that the host loads, which takes it off trial; or take it off again."""
        from tacit.core.keep import paged

        self._need_person("Approving a line for the page")
        found = self.get(id).id
        return self._change(found, lambda m: paged(m, on, by=self.actor.name, at=self.now(), reason=reason, profile=self.profile_version))

    def look_up(self, id: str, run: str = "") -> Memory:
        """A memory asked for by its id. Inside a run that it is withheld from, the use is marked as crossed and stays in its arm."""
        from tacit.core.links import Mark

        memory = self.get(id)
        row = self.store.find_run(self.project_id, run) if run else None
        unit = row.root if row else ""
        crossed = any(m.memory == memory.id and m.signal == "crossed" for m in self.store.marks(unit=unit))
        if not crossed and self.is_withheld(memory.id, run):
            with self.store.write() as tx:
                tx.add_mark(Mark(memory.id, unit, self.project_id, "crossed", run=row.id if row else "", surface="cli", at=self.now()))
        return memory

    def forget(self, id: str = "", *, origin: str = "", reason: str = "") -> list[Memory]:
        """Take out one memory, or everything that came from one origin; `undo` brings it back."""
        from tacit.core.keep import forgotten

        if bool(id) == bool(origin):
            raise UsageError("Forget what?", "Give either an id or --origin.")
        ids = [self.get(id).id] if id else self._from_origin(origin, OPEN)
        if origin and not ids:
            raise NotFound(f"Nothing that is kept came from {origin!r}.", "tacit list --origin shows what did.")
        if id and self.store.get(ids[0]).state in CLOSED:
            raise NotFound(f"{id} is not here any more: it was taken out before.", f"tacit log --memory {ids[0]} tells when.")
        told = reason or (f"everything from {origin}" if origin else "")
        return [
            self._change(
                one,
                lambda m: forgotten(m, by=self.actor.name, at=self.now(), reason=told, profile=self.profile_version),
            )
            for one in ids
        ]

    def _from_origin(self, origin: str, states: Sequence[str]) -> list[str]:
        return [
            memory.id
            for memory in self.store.select(self.scopes, states=states, equal={"origin": origin}, limit=1_000_000)
        ]

    def undo(self, what: str | int = "", *, origin: str = "") -> list[Memory]:
        """Take back a journal entry (by its number), a memory's last entry (by its id), or the forgetting of an origin."""
        if origin:
            gone = [
                m
                for m in self.store.select(self.scopes, states=("archived",), equal={"origin": origin}, limit=1_000_000)
            ]
            wanted = [self.store.entries(memory=m.id, newest=True, limit=1)[0] for m in gone]
            return [self._undo(entry) for entry in wanted if entry.verb == "forget"]
        name = str(what)
        if name.isdigit() and len(name) < 12:
            return [self._undo(self.store.entry(int(name)))]
        return [self._undo(self.store.entries(memory=self.get(name).id, newest=True, limit=1)[0])]

    def _undo(self, entry: Entry) -> Memory:
        from tacit.core.keep import undone

        with self.store.write() as tx:
            memory = tx.get(entry.memory)
            later = tx.entries(memory=entry.memory, after=entry.id)
            tx.apply(undone(memory, entry, later, by=self.actor.name, at=self.now(), profile=self.profile_version))
            return tx.get(entry.memory)

    def erase(self, id: str, *, reason: str = "") -> Memory:
        """Blank a memory's text everywhere: row, journal, evidence, findings, queue, full text, log, backups, moved data, captures."""
        from tacit.core.keep import erased
        from tacit.stores.sqlite.erase import blank

        self._need_person("Erasing")
        found = self.get(id)
        with self.store.write() as tx:
            memory = tx.get(found.id)
            tx.apply(erased(memory, by=self.actor.name, at=self.now(), reason=reason, profile=self.profile_version))
            blank(tx, memory, self.now())
        self._erase_outside(found)
        return self.store.get(found.id)

    def _erase_outside(self, found: Memory) -> None:
        """Blank what lies outside the store's tables: moved data, backups, captures, the write-ahead log, pages."""
        from tacit.stores.captured import remove
        from tacit.stores.packs import forget_words
        from tacit.stores.sqlite.backup import remove_holding

        if self.store.is_file:
            forget_words(self.packs_folder, found.id)
            remove_holding(self.store, self.backups_folder, found.id)  # first: a reader may keep the log from being cut
            runs = [self.store.run(evidence.run) for evidence in self.store.evidence(found.id)]
            remove(self.store.path, {run.foreign_id for run in runs if run})
        from tacit.stores import readings

        readings.remove(readings.folder_of(self.near.path), {evidence.run for evidence in self.store.evidence(found.id) if evidence.run})
        self.store.scrub()
        if found.on_page:
            self._publish()  # its line goes too, from every page that is kept; what git has committed stays there

    def _change(self, id: str, decide: Any) -> Memory:
        with self.store.write() as tx:
            change = decide(tx.get(id))
            if change is not None:
                tx.apply(change)
            return tx.get(id)

    def need_person(self, what: str) -> None:
        """Refuse what only a person may do."""
        self._need_person(what)

    def _need_person(self, what: str) -> None:
        if not self.actor.is_person:
            raise Refused(f"{what} is a person's word; {self.actor.reason}.", "A person signs with --by NAME --yes.")

    # -- learn -----------------------------------------------------------------------------------------------------

    def learn(
        self,
        source: str | Source | Run,
        *,
        format: str = "",
        domain: str = "",
        agent: str = "",
        run: str = "",
        stage: bool = False,
        dry_run: bool = False,
        over: bool = False,
        again: bool = False,
    ) -> list[Learned]:
        """Learn the runs in a file, a source or one run value. Learning the same run twice changes nothing.

        A run belongs to the project of the folder it ran in, if that is here, otherwise to this one. `over` says that the host ended it,
        `again` that sessions which were read are read once more.
        """
        return [
            self._learn(self._named(each, domain, agent, run), stage=stage, dry_run=dry_run, over=over, again=again)
            for each in self._runs(source, format)
        ]

    def submit(self, text: str, *, run: str, host: str = "library", **facets: Any) -> Submitted:
        """A finding of a run that goes on, as its agent tells it: with an agent's trust, whoever is at the keyboard.

        Facets: kind, category, severity, domain, agent, task_type, tags, paths, by, quote, error.
        """
        from tacit.learn import submit
        from tacit.learn.by_hand import finding_from

        project = self.ensure_project()
        finding = finding_from(text, facets, self.profile, run, "agent", self.now())
        return submit(
            self.store, project, self.profile, finding, host=host, now=self.now, ids=new_id, known_lines=self.instruction_lines()
        )

    def run(self, task: str = "", *, run: str = "", root: str = "", instruments: Sequence[str] = (), **facets: Any) -> Running:
        """One run of a loop of your own: `with memories.run(task="…") as run:` gives, takes findings, settles and learns.

        `run` is the loop's own id, `root` that of the first try. `instruments` says who looks for problems in this run, whether or not they
        find any, by the name their findings bear (reviewer, test, linter); tool steps speak for themselves. Facets: model, host, budget,
        and those of `inject`.
        """
        from tacit.learn.running import Running

        return Running(self, self.another, task, run or new_id(), root, tuple(instruments), facets)

    def watched(self, task: str | Callable[..., str] = "", **facets: Any) -> Callable[[Callable[..., T]], Callable[..., T]]:
        """`run` as a decorator: each call of the function is a run, handed to it as its first argument; also for `async def`.

        `task` is a text, or a function of the call's own arguments that makes one.
        """
        from tacit.learn.running import watched

        decorate: Callable[[Callable[..., T]], Callable[..., T]] = watched(self.run, task, facets)
        return decorate

    def another(self) -> Memories:
        """The same memories with a connection of their own, for another thread; close it there."""
        store = _open_store(self.store.url or self.store.path, self.env, False, self.store.wait)
        other = Memories(store, self.env, self.folder, self._asked_project, self._asked_profile, now=self.now)
        other.actor = self.actor
        return other

    def _runs(self, source: str | Source | Run, format: str) -> Iterator[Run]:
        from tacit import formats
        from tacit.core.run import Run
        from tacit.formats.source import FileSource

        if isinstance(source, Run):
            yield source
        else:
            yield from formats.read(FileSource(source) if isinstance(source, str) else source, format or None)

    def past_runs(self, limit: int = 500) -> Iterator[Run]:
        """The latest runs of this project, read again from their transcripts; those that are gone or unreadable are left out."""
        for path in dict.fromkeys(row.path for row in self.store.runs(self.project_id, limit=limit) if row.path):
            try:
                yield from self._runs(path, "")
            except (TacitError, OSError):
                continue

    def _named(self, run: Run, domain: str, agent: str, id: str) -> Run:
        said = {
            "domain": domain or run.domain or str(self.settings()["domain"].value),
            "agent": agent or run.agent,
            "id": id or run.id,
        }
        return replace(run, **said)

    def _learn(self, run: Run, *, stage: bool, dry_run: bool, over: bool, again: bool = False) -> Learned:
        from tacit.learn import learn, preview

        home = self._home_of(run)
        project = home.ensure_project()
        do = preview if dry_run else learn
        learned = do(
            self.store,
            project,
            home.profile,
            run,
            now=self.now,
            ids=new_id,
            known_lines=home.instruction_lines(),
            over=over,
            hold_all=stage,
            model=None if dry_run else home.model("extract"),
        )
        return learned if dry_run else home.read(run, learned, again=again)

    def read(self, run: Run, learned: Learned, *, again: bool = False) -> Learned:
        """A finished run read by the model that the user agreed to, if there is one; what it brought is added to what the rules did."""
        from tacit.learn import added
        from tacit.learn.reader import prepared, read
        from tacit.stores.sql import run_id

        row = self.store.run(run_id(self.project_id, run.host, run.id))
        if row is None or not row.settled_at or (desk := self.desk(run.host)) is None:
            return learned
        reading = prepared(desk.folder, run, row.id, row.project, self.now(), again=again)
        if reading is None:
            return learned
        report = read(desk, reading)
        self._let_wait(desk.folder, row.id)
        return added(learned, report)

    def read_on(self, run: str) -> Reading | None:
        """Try again to read a run that waits for it; the reading as it stands then, None where there is none or nobody may read it."""
        from tacit.learn.reader import read
        from tacit.stores.readings import WAITING, folder_of, load

        reading = load(folder_of(self.near.path), run)
        if reading is None or (desk := self.desk(reading.host)) is None:
            return None
        if reading.state == WAITING:
            read(desk, reading)
        return load(desk.folder, run)

    def read_again(self, session: str) -> Learned:
        """Read a session once more, from what was kept of it, with whoever reads now: its host may have deleted it since."""
        from tacit.learn.reader import afresh, read
        from tacit.stores.readings import folder_of, load

        row = self.store.find_run(self.project_id, session)
        reading = load(folder_of(self.near.path), row.id) if row else None
        if row is None or reading is None:
            raise NotFound(f"Nothing is kept of the session {session}.", "Where its file is still there: tacit learn --again FILE.")
        desk = self.desk(reading.host)
        if desk is None:
            raise Refused("Nobody reads here.", "reader.by in your own config.toml says who does (docs/models.md).")
        report = read(desk, afresh(reading))
        self._let_wait(desk.folder, row.id)
        return report

    def _let_wait(self, folder: str, run: str) -> None:
        """Have the worker try again what could not be read yet."""
        from tacit.stores.readings import WAITING, load

        reading = load(folder, run)
        if reading is not None and reading.state == WAITING:
            asked = {"run": run, "folder": self.folder}
            with self.near.write() as tx:
                tx.enqueue("read", f"read:{run}", reading.project, asked, self.now(), reading.not_before)

    def rendered(self, source: str | Source | Run, format: str = "") -> Iterator[tuple[str, str, int]]:
        """The runs of a source as a reader would get to see them: id, page, and about how many tokens it has."""
        from tacit.learn.reader.render import page, rendered, tokens

        for run in self._runs(source, format):
            lines = rendered(run).lines
            yield run.id, page(lines), tokens(lines)

    def desk(self, host: str) -> Desk | None:
        """What reading a host's sessions needs; None where the user agreed to no reader, or not for this host or folder."""
        from tacit.learn.reader import Desk
        from tacit.learn.reader.remembered import headings_of
        from tacit.providers import reader
        from tacit.stores.ledger import StoreLedger
        from tacit.stores.readings import folder_of

        if "read" not in self.profile.model.steps:
            return None
        model = reader(self.settings(), self.env, StoreLedger(self.store, self.now), host, self.place.root or self.folder)
        if model is None:
            return None
        return Desk(
            self.store, self.ensure_project(), self.profile, folder_of(self.near.path), model, self.now, new_id,
            self.instruction_lines(), headings_of(self.instruction_files()), self.actor.name,
        )  # fmt: skip

    def _home_of(self, run: Run) -> Memories:
        """These memories, or those of the folder the run worked in."""
        if (
            self._asked_project
            or not run.cwd
            or not os.path.isdir(run.cwd)
            or os.path.realpath(run.cwd) == os.path.realpath(self.folder)
        ):
            return self
        return Memories(self.store, self.env, run.cwd, "", self._asked_profile, now=self.now)

    def instruction_lines(self) -> dict[str, str]:
        """The lines of the project's instruction files, spelled for comparing, each with the file it stands in."""
        from tacit.learn.lines import plain_line

        found: dict[str, str] = {}
        for name, text in self.instruction_files().items():
            for line in text.splitlines():
                spelled = plain_line(line)
                if spelled:
                    found.setdefault(spelled, name)
        return found

    def instruction_files(self) -> dict[str, str]:
        """The project's instruction files that are there, by name."""
        found: dict[str, str] = {}
        for name in INSTRUCTION_FILES:
            try:
                with io.open(os.path.join(self.place.root, name), "rb") as file:  # noqa: UP020
                    found[name] = file.read(256_000).decode("utf-8", "replace")
            except OSError:
                continue
        return found

    # -- recall ----------------------------------------------------------------------------------------------------

    def inject(
        self,
        task: str = "",
        *,
        run: str = "",
        host: str = "library",
        root: str = "",
        model: str = "",
        surface: str = "library",
        event: str = "",
        budget: str = "",
        render: str = "",
        wrap: bool | None = None,
        trial: bool = True,
        repeat: bool = False,
        **facets: Any,
    ) -> Injection:
        """What an agent should know before or during a run, recorded with its control group.

        Facets: files, errors, agent, domain, task_type, task_id, mission, category. Nothing was ever kept here: nothing is said.
        """
        from tacit.recall import Asking, Injection, inject
        from tacit.recall.query import Query

        project = self.project
        if project is None:
            return Injection(run or new_id())
        self._must_answer()
        return inject(
            self.store,
            project,
            self.profile,
            Query(task=task, **facets),
            Asking(run, host, root, model, surface, event),
            now=self.now(),
            ids=new_id,
            level=budget,
            renderer=render,
            wrap=wrap,
            trial=trial,
            repeat=repeat,
            exists=lambda path: os.path.lexists(os.path.join(self.place.root, path)),
            embedder=None if surface.startswith(WORDS_ONLY) else lambda: self.embedder,
        )

    def recall(
        self,
        question: str,
        *,
        run: str = "",
        host: str = "library",
        surface: str = "library",
        budget: str = "",
        limit: int | None = None,
        min_score: float | None = None,
        include_held: bool = False,
        include_stale: bool = False,
        as_of: str = "",
        **facets: Any,
    ) -> Recalled:
        """What is known about a question, best first. With `run` an agent asks: its assignments are honoured, what it is told is recorded.

        Facets: files, errors, agent, domain, task_type, category, kind.
        """
        from tacit.recall import Asking, Recalled, recall
        from tacit.recall.query import Query

        if self.project is None:
            return Recalled()
        if run:
            self._must_answer()
        return recall(
            self.store,
            self.project,
            self.profile,
            Query(task=question, **facets),
            now=self.now(),
            asking=Asking(run, host, surface=surface) if run else None,
            level=budget,
            limit=limit,
            min_score=min_score,
            include_held=include_held,
            include_stale=include_stale,
            as_of=as_of,
            person=self.actor.is_person,
            model=lambda: self.model("rewrite"),
            embedder=lambda: self.embedder,
        )

    @property
    def calls_for_worker(self) -> bool:
        """Whether this is a cache that somebody should look after."""
        if not self.store.far:
            return False
        from tacit.stores.cache import calls_for_worker

        return calls_for_worker(self.store, self.project_id, self.now())

    def _must_answer(self) -> None:
        """Raise `Unavailable` where this is a cache from which nothing may be given now."""
        if self.store.far:
            from tacit.stores.cache import must_answer

            must_answer(self.store, self.project_id, self.now())

    def explain(self, id: str, question: str = "", **facets: Any) -> dict[str, Any]:
        """The parts of a memory's score for a question; without one, what is known of it whatever is asked."""
        from tacit.recall import explain
        from tacit.recall.query import Query

        return explain(
            self.store, self.scopes, self.profile, self.get(id), Query(task=question, **facets),
            now=clock.now(), embedder=lambda: self.embedder,
        )  # fmt: skip

    @property
    def embedder(self) -> Embedder | None:
        """What turns texts into vectors here, as the user's configuration names it; None: words only."""
        if self._embedder is None:
            settings, found = self.settings(), None
            if settings["embedder"].value:
                from tacit.providers.embedders import chosen

                found = chosen(settings, self.env)
            self._embedder = (found,)
        return self._embedder[0]

    def embed(self, most: int = 1 << 30) -> int:
        """Make the vectors that are missing, where an embedder is configured; how many were made."""
        return self.store.embed(self.embedder, most=most) if self.embedder else 0

    def notes(self, memories: Iterable[Memory], marks: Iterable[str] = ()) -> str:
        """Lessons as an agent should read them: one neutralised line each, in a fence that no text can know."""
        from itertools import chain, repeat

        from tacit.recall.render import answered

        return answered([*zip(memories, chain(marks, repeat("")))], new_id())

    def exempt(self, *, limit: int = 180) -> Sequence[Memory]:
        """The lessons that every run is given, newest first: what may stand on a page that a host loads."""
        from tacit.recall.rank import barred
        from tacit.recall.trial import is_exempt

        every = self.list(limit=-1) if self.project else []
        return [m for m in every if not barred(m, self.scopes) and is_exempt(m, self.profile.trial)][:limit]

    def is_withheld(self, id: str, run: str) -> bool:
        """Whether a lesson is withheld in the unit of a run."""
        row = self.store.find_run(self.project_id, run) if run else None
        return row is not None and any(use.memory == id and use.arm == "withheld" for use in self.store.uses(unit=row.root))

    # -- prove -----------------------------------------------------------------------------------------------------

    def effect(self, id: str = "") -> Effects:
        """The figures of the control group: one lesson, or all and the whole memory."""
        from tacit.prove.effect import effects

        return effects(self.store, self.project_id, self.profile, self.get(id).id if id else "")

    def effect_rows(self, id: str = "") -> Iterator[tuple[str, ...]]:
        """The uses as one tidy table, heads first: enough to redo every figure elsewhere."""
        from tacit.prove.effect import CSV_COLUMNS, tidy

        only = self.get(id).id if id else ""
        yield CSV_COLUMNS
        uses = [use for use in self.store.all_uses(self.project_id) if not only or use.memory == only]
        yield from tidy(uses, self.store.all_marks(self.project_id))

    def audit(self, run: str = "", *, limit: int = 20, offset: int = 0) -> list[RunAudit]:
        """What a run, or each of the latest, was given, and what came back."""
        from tacit.prove.runs import audit_run

        if run:
            found = self.store.find_run(self.project_id, run)
            if found is None:
                raise NotFound(f"There is no run {run!r} in this project.", "tacit audit lists the latest.")
            return [audit_run(self.store, found)]
        return [audit_run(self.store, row) for row in self.store.runs(self.project_id, limit=offset + limit)[offset:]]

    def backtest(self, runs: Iterable[Run], profiles: Sequence[str] = ()) -> list[Replayed]:
        """Past runs replayed in order under one or more profiles, each lesson learned only from the past."""
        from tacit.prove.backtest import backtest

        past = [*runs]
        wanted = [self.load_profile(name) for name in profiles] or [self.profile]
        return [backtest(past, profile, ids=new_id) for profile in wanted]

    def feedback(self, id: str, word: str, *, run: str = "", reason: str = "") -> Memory:
        """Somebody's word on a lesson: helped (a signal, never a verdict), wrong (evidence against it) or outdated (stale)."""
        from tacit.learn.feedback import give_feedback

        memory = self.get(id)
        if word not in ("helped", "wrong", "outdated"):
            raise UsageError(f"{word!r} is no feedback.", "One of: helped, wrong, outdated.")
        row = self.store.find_run(self.project_id, run) if run else None
        give_feedback(
            self.store, self.ensure_project(), self.profile, memory, word, by=self.actor.name, tier=self.actor.tier, run=row, reason=reason,
            at=self.now(), ids=new_id,
        )  # fmt: skip
        return self.store.get(memory.id)

    # -- exchange, tend, audit -------------------------------------------------------------------------------------

    def import_(
        self, source: str | Source, *, format: str = "", trust: str = "", dry_run: bool = False
    ) -> list[TakenIn]:
        """Take in another system's memories: a file, a folder of them, or a source; one report per file.

        `trust` is the owner's word for his own store (user, team, review …); without it the words are imported text and
        held until somebody vouches for them. A bundle with trust user is a store of one's own, and moves in as it was.
        """
        from tacit import formats
        from tacit.core.memory import checked
        from tacit.core.run import TIERS
        from tacit.learn.intake import Read, take_in

        tier = checked("trust tier", trust or "imported", TIERS)
        if tier != "imported":
            self._need_person(f"Importing with trust {tier}")
        files = [(format or formats.holder(each), each) for each in self._memory_files(source)]
        if "bundle" in dict(files):
            self._need_word(trust)
        if tier == "user" and [name for name, _ in files] == ["bundle"]:
            return [self._move_in(files[0][1], dry_run)]
        read = [Read(name, each.path, formats.namespace(name), tuple(formats.exchange(name).memories(each))) for name, each in files]
        project = self.ensure_project()
        reports = take_in(
            self.store, project, self.profile, read, tier=tier, by=self.actor.name, now=self.now, ids=new_id, dry_run=dry_run
        )
        self.store.tidy()
        return reports

    def _need_word(self, trust: str) -> None:
        """In a new store a bundle may be one's own, moving in, or a stranger's: nothing in the file can tell."""
        from tacit.stores.truth import is_empty

        if not trust and is_empty(self.store):
            raise UsageError(
                "Say whose bundle this is: the store is empty, and all of it could move in.",
                "--trust user: your own, everything as it was. --trust imported: its lessons only, held until you approve them.",
            )

    def _move_in(self, source: Source, dry_run: bool) -> TakenIn:
        """A store of one's own, from its bundle, as it was."""
        from tacit.formats.bundle import Bundle
        from tacit.learn.intake import TakenIn
        from tacit.stores.tables import BY_NAME
        from tacit.stores.truth import move, verify

        with Bundle(source) as bundle:
            verify(bundle.rows)
            kept = tuple(row[1] for row in bundle.rows(BY_NAME["memory"]))
            moved = move(self.store, bundle.rows, what=source.path, keep=not dry_run)
        self._project = self._profile = None
        self.store.tidy()
        return TakenIn("bundle", () if moved.already else kept, moved.chains if moved.already else 0, dry_run=dry_run)

    def export_bundle(self, path: str, each: Callable[[str, int], None] = lambda table, rows: None) -> Written:
        """Everything the store holds for true, all projects of it, in one file that verifies (docs/formats/bundle.md)."""
        from tacit.formats.bundle import save
        from tacit.stores.tables import TRUTH
        from tacit.stores.truth import reader

        with self.store.snapshot():
            return save(path, TRUTH, reader(self.store), each)

    def _memory_files(self, source: str | Source) -> list[Source]:
        from tacit import formats
        from tacit.formats.source import FileSource

        if not isinstance(source, str):
            return [source]
        if os.path.isdir(source):
            return formats.memory_files(source)
        if not os.path.exists(source):
            raise NotFound(f"There is no file or folder {source}.", "Name a file of memories, or their folder.")
        return [FileSource(source)]

    def export(self, format: str, part: str = "") -> str:
        """The project's memories as another system writes them, field for field; `part` names one of its files."""
        from tacit import formats
        from tacit.stores.outgoing import header

        module = formats.exchange(format)
        wanted = part or next(iter(module.PARTS))
        if wanted not in module.PARTS:
            raise UsageError(f"{format} has no part {part!r}.", f"One of: {', '.join(module.PARTS)}.")
        head = header(self.store, format, wanted, self.project_id)
        return module.dump([head, *self._outgoing(format)], wanted, self.now())

    def export_files(self, format: str) -> dict[str, str]:
        """All the files of another system, text by path; one that keeps a file a memory names them itself."""
        from tacit import formats

        module = formats.exchange(format)
        whole = getattr(module, "files", None)
        if whole is None:
            return {file: self.export(format, part) for part, file in module.PARTS.items()}
        found: dict[str, str] = whole(self._outgoing(format), self.now())
        return found

    def _outgoing(self, format: str) -> list[Row | Given | Judged]:
        from tacit import formats
        from tacit.stores.outgoing import audited, outgoing

        rows = outgoing(self.store, self.project_id, self.profile, formats.namespace(format)) if self.project else []
        named = self._named_rows(format, rows)
        names = {row.memory.id: row.alias for row in named}
        told = audited(self.store, self.project_id, format, self.profile.signals.names, names) if self.project else []
        moves = getattr(formats.exchange(format), "moves", None)  # a system that writes its own journal of moves
        moved = moves(self.store.entries(self.scopes, verb="move"), names) if moves else ()
        return [*named, *told, *moved]

    def verify(self, source: str | Source, *, format: str = "") -> str:
        """What is wrong with a file of another system's memories as a whole; empty where it verifies."""
        from tacit import formats
        from tacit.core.errors import Damaged

        for each in self._memory_files(source):
            try:
                next(iter(formats.exchange(format or formats.holder(each)).memories(each)), None)
            except Damaged as error:
                return error.message
        return ""

    def figures(self, id: str, *, confidence: float | None = None, success_rate: float | None = None) -> Memory:
        """State a memory's figures anew, between 0 and 1; id, times and sources never change."""
        from tacit.core.links import Evidence

        stated = {"confidence": confidence, "success_rate": success_rate}
        for name, figure in stated.items():
            if figure is not None and not 0 <= figure <= 1:
                raise UsageError(f"{name} must be between 0 and 1, not {figure:g}.")
        memory, at = self.get(id), self.now()
        with self.store.write(confidence=self.profile.signals) as tx:
            for name, figure in stated.items():
                if figure is not None:
                    tx.add_evidence(
                        Evidence(
                            memory.id, memory.project, signal=name, amount=figure, by=self.actor.name,
                            tier=self.actor.tier, place=f"stated {at} {new_id()}", at=at,
                        )
                    )  # fmt: skip
        return self.store.get(memory.id)

    @property
    def knowledge(self) -> Knowledge:
        """What is known, by kind: `query`, `estimate`, `conventions`, `antipatterns`, `top`, `statistics`."""
        from tacit.recall.knowledge import Knowledge

        return Knowledge(self.store, self.project_id, self.profile, self.now())

    def estimate(self, task_type: str, complexity: str = "") -> Memory | None:
        """What a task of this type and complexity takes; None where nothing is known well enough."""
        return self.knowledge.estimate(task_type, complexity)

    def conventions(self, files: Sequence[str] = ()) -> Sequence[Memory]:
        """The project's conventions for files whose names hold one of these parts."""
        return self.knowledge.conventions(files)

    def antipatterns(
        self, errors: Sequence[str] = (), *, task: str = "", task_type: str = ""
    ) -> Sequence[tuple[Memory, float]]:
        """Failures to avoid, those that the errors name first, with their scores."""
        return self.knowledge.antipatterns(errors, task=task, task_type=task_type)

    def top(self, task: str = "", *, task_type: str = "", limit: int = 10) -> Sequence[tuple[Memory, float]]:
        """The most relevant memories of all kinds for a task, with their relevance."""
        return self.knowledge.top(task, task_type=task_type, limit=limit)

    @property
    def staging(self) -> Stage:
        """What waits between a run and the memory: `listed`, `stats`, `validate`, `promote`, `clear`."""
        from tacit.learn.staging import Stage

        return Stage(
            self.store, self.ensure_project(), self.profile, by=self.actor.name, now=self.now, ids=new_id
        )

    def tend(
        self,
        run: str = "",
        *,
        only: str = "",
        since: str = "",
        dry_run: bool = False,
        report: Callable[[str, str], object] | None = None,
        **named: Any,
    ) -> Tended:
        """What happens between runs: sweep, merge, reflect, triage, page, prune, stats, or `only` one of them.

        `run` names the run that is over, and counts once; without it all learned runs do. With `only="prune"` a person may name what
        is to be taken out: `below` a confidence, `older` than so many days, `unused`, `staged`.
        """
        from tacit.tend import STEPS, tend
        from tacit.tend.prune import Named

        if named:
            self._need_person("Pruning lessons by name")
        project, packs = self.ensure_project(), self.packs_folder if self.store.is_file else ""
        return tend(
            self.store, project, self.profile, steps=(only,) if only else STEPS, run=run, since=since, now=self.now, ids=new_id,
            dry_run=dry_run, model=self._tending_model(), root=project.root, packs=packs,
            named=Named(**named) if named else None, by=self.actor.name if named else "tend", report=report, files=self._work_tree(),
            learn=self._learn_page(False),
        )  # fmt: skip

    def statistics(self, since: str = "", failures: Sequence[str] = ()) -> Figures:
        """How this project's memory is, and what happened since a time. `failures` are what a surface knows could not be learned."""
        from tacit.tend.stats import figures

        return figures(self.store, self.project_id, self.profile, self.now(), since, failures)

    def gone(self, memory: Memory) -> Sequence[str]:
        """What a lesson names that is not in the work tree any more."""
        from tacit.tend.gone import Tree

        root = self.project.root if self.project else ""
        return Tree(root).lacks(memory) if os.path.isdir(root) else ()

    def alarms(self, found: Figures) -> Sequence[str]:
        """What in such figures asks for attention."""
        from tacit.tend.stats import alarms

        return alarms(found, self.profile)

    # -- pages -----------------------------------------------------------------------------------------------------

    @property
    def pages(self) -> Pages:
        """The pages that hosts load and people read: `kept`, `keep`, `drop`, `waiting`, `preview`, `blame`."""
        from tacit.tend.context import Context
        from tacit.tend.pages import Pages

        files, by = self._work_tree(), self.actor.name
        return Pages(Context(self.store, self.ensure_project(), self.profile, self.now, new_id, files=files, by=by))

    def page(self, *, dry_run: bool = False, vouch: bool = False) -> StepReport:
        """Bring the pages up to date. With `vouch` a person says that what was written on them by hand is theirs."""
        from tacit.tend import tend

        if vouch:
            self._need_person("Vouching for a page")
        done = tend(
            self.store, self.ensure_project(), self.profile, steps=("page",), now=self.now, ids=new_id, dry_run=dry_run,
            files=self._work_tree(), by=self.actor.name, learn=self._learn_page(vouch),
        )  # fmt: skip
        if done.busy:
            raise StoreBusy(f"The pages were not written: {done.busy}.", "Try again in a moment.")
        return done.of("page")

    def _publish(self) -> bool:
        """Write the pages; False where another process tends this project, and writes them itself."""
        try:
            self.page()
        except StoreBusy:
            return False
        return True

    def keep_page(self, target: str, on: bool = True) -> None:
        """Let Tacit write a page into the work tree from now on, or no more: a person's leave."""
        self._need_person("Letting Tacit write a page")
        if on:
            self.pages.keep(target)
        else:
            self.pages.drop(target)

    def blame(self, path: str) -> Sequence[Blamed]:
        """The lines of a file, named from the current folder, each with the lesson behind it."""
        tree = self._work_tree()
        return self.pages.blame(os.path.relpath(os.path.join(os.path.realpath(self.folder), path), tree.root))

    def _work_tree(self) -> WorkTree:
        from tacit.stores.files import WorkTree

        project, place = self.ensure_project(), self.place
        if place.given and project.root != place.root:
            from tacit.stores import identity

            place = identity.locate(project.root, self.env)
        return WorkTree(place.root, place.git_dir)

    def _learn_page(self, vouched: bool) -> Callable[[Sequence[Finding]], object]:
        from tacit.learn.page import take

        return lambda found: take(
            self.store, self.ensure_project(), self.profile, found, self.actor, vouched=vouched, now=self.now, ids=new_id
        )

    def check(self, run: str) -> list[Checked]:
        """ArcheFlow's audit: which of the lessons that a run was given did one of its findings repeat?

        `run` is the id of a run that was learned, or the path of its file.
        """
        from tacit.prove.audit import check_run

        if not os.path.isfile(run):
            row = self.store.find_run(self.project_id, run)
            if row is not None and not row.learned_at:
                return []  # it was given lessons and has not come back yet
        current, _ = self._reread(run)
        return check_run(self.store, self.ensure_project(), self.profile, current, self.now())

    def regressions(self, run: str) -> list[Regression]:
        """Findings that were fixed in the run before this one and are back; `run` as for `check`."""
        from tacit.prove.audit import regressions

        current, before = self._reread(run)
        if before is None:
            return []
        fixes = (before.extra or {}).get("fixes", ())
        return regressions(fixes, [each.text for each in current.findings], before.id, self.profile.match.threshold)

    def _reread(self, run: str) -> tuple[Run, Run | None]:
        """A run from its file, and the one before it: by the host's own index, or by the order in which they were learned."""
        from tacit import formats
        from tacit.formats.source import FileSource

        row = None if os.path.isfile(run) else self.store.find_run(self.project_id, run)
        path = row.path if row else run
        if not os.path.isfile(path):
            raise NotFound(f"There is no run {run!r} whose file can be read.", "Name a learned run, or its file.")
        source = FileSource(path)
        name = formats.detect(source)
        current = next(iter(formats.read(source, name)), None)
        if current is None:
            raise NotFound(f"There is no run in {path}.", "Name a run's own file.")
        beside = getattr(formats.get(name or ""), "previous", None)
        earlier = beside(source) if beside else None
        if earlier is None and row is not None:
            older = [each for each in self.store.runs(self.project_id, limit=-1) if each.seq < row.seq and each.learned_at]
            earlier = FileSource(older[0].path) if older and os.path.isfile(older[0].path) else None
        return current, next(iter(formats.read(earlier)), None) if earlier else None

    def _named_rows(self, format: str, rows: Sequence[Row]) -> Sequence[Row]:
        """Rows with the foreign system's ids; a memory that has none gets one, once and for all."""
        from tacit import formats

        name_for = getattr(formats.exchange(format), "name_for", None)
        if name_for is None or all(row.alias for row in rows):
            return rows
        given: dict[str, str] = {}
        with self.store.write() as tx:
            taken = tx.aliases(self.project_id, format)
            for row in sorted((row for row in rows if not row.alias), key=lambda row: int(row.place)):
                given[row.memory.id] = name = name_for(row.memory, taken)
                taken.add(name)
                tx.add_alias(self.project_id, format, name, row.memory.id)
        return [row if row.alias else replace(row, alias=given[row.memory.id]) for row in rows]

    # -- team ------------------------------------------------------------------------------------------------------

    def sync(self, *, dry_run: bool = False) -> Synced:
        """Share what is new here in this machine's file of `.tacit/journal`, and take in what other machines wrote there."""
        from tacit.formats import journal_file
        from tacit.providers.ssh import Keys
        from tacit.stores.files import JournalFolder
        from tacit.tend.sync import sync

        self._need_file("Sharing a memory through git")
        settings, project = self.settings(), self.ensure_project()
        keys = Keys(str(settings["sync.key"].value), str(settings["sync.signers"].value), self.env)
        return sync(
            self.store, project, self.profile, JournalFolder(self._work_tree().root), keys, journal_file,
            machine=machine_id(self.env), now=self.now, dry_run=dry_run, erased=self._erase_outside,
        )  # fmt: skip

    def join(self, path: str) -> Joined:
        """Make one memory of this store and another of the same person: each takes in what the other has."""
        from tacit.tend.join import join

        self._need_person("Joining two stores")
        self._need_file("Joining two stores")
        if os.path.realpath(path) == os.path.realpath(self.store.path):
            raise UsageError(f"{path} is this store itself.", "Name another one.")
        other = _open_store(path, self.env, False, self.store.wait)
        try:
            return join(self.store, other, self.profile, now=self.now, erased=self._erase_outside)
        finally:
            other.close()

    def sync_notes(self) -> Sequence[str]:
        """What a person should know of the team's journal."""
        from tacit.tend.sync import notes

        return notes(self.store, self.project_id) if self.store.is_file else ()

    def canonical(self) -> str:
        """What the team knows as one text, equal on every machine that has synced the same lines."""
        from tacit.stores.shared import canonical

        self._need_file("Sharing a memory through git")
        return canonical(self.store, self.project_id)

    # -- review ----------------------------------------------------------------------------------------------------

    def proposals(self, *, state: str = "open") -> list[Proposal]:
        """What waits for a judge, oldest first; `state=""` for everything that ever did."""
        return self.store.proposals(self.project_id, state=state, limit=-1) if self.project else []

    def review(
        self,
        id: str = "",
        decision: str = "approve",
        *,
        role: str = "person",
        to: str = "",
        outcome: str = "",
        into: str = "",
        text: str = "",
        reason: str = "",
        every: bool = False,
    ) -> Reviewed | int:
        """Decide about a memory or a proposal, in a role: approve, edit, reject, merge, unmerge, open, close, clear.

        `to` names the state to approve, `outcome` what a review comes to (reinstate, keep, weaken, supersede, archive, reject, decay),
        `into` the memory that takes another's place, or stays of two that contradict each other. Where other roles must approve too,
        the decision waits for them.
        """
        from tacit.learn.review import find_proposal

        self._need_person("Deciding")
        project, seat = self.ensure_project(), self._seat(role)
        if decision == "clear":
            return seat.clear(every=every)
        try:
            found = self.get(id).id
        except NotFound:
            waiting = find_proposal(self.store, project.id, id)
            if decision in ("approve", "edit"):
                return seat.accept(waiting, text=text, stays=self.get(into).id if into else "", reason=reason)
            if decision == "reject":
                return seat.decline(waiting, reason=reason)
            raise UsageError(f"A proposal cannot be {decision}ed.", "approve, edit or reject it.") from None
        if decision == "approve":
            return seat.approve(found, to=to, reason=reason)
        if decision == "reject":
            return seat.reject(found, reason=reason)
        if decision == "open":
            return seat.open(found, reason=reason)
        if decision == "close":
            over = self.get(into).id if into else ""
            return seat.close(found, outcome or "reinstate", to=to, text=text, successor=over, reason=reason)
        if decision == "merge":
            return seat.merge(found, self.get(into).id, reason=reason)
        if decision == "unmerge":
            return seat.unmerge(found, reason=reason)
        if decision == "edit":
            self.edit(found, text=text, reason=reason)
            return seat.approve(found, reason=reason)
        raise UsageError(
            f"{decision!r} is no decision.", "One of: approve, edit, reject, merge, unmerge, open, close, clear."
        )

    def reopen(self, proposal: str) -> Proposal:
        """Let a decided proposal wait again; `undo` takes back what its decision changed."""
        from tacit.learn.review import find_proposal

        self._need_person("Reopening")
        return self._seat("person").reopen(find_proposal(self.store, self.project_id, proposal))

    def settle(self, proposal: str, why: str) -> None:
        """Close a proposal that was followed by another way."""
        from tacit.learn.review import find_proposal

        self._need_person("Deciding")
        self._seat("person").settle(find_proposal(self.store, self.project_id, proposal), why)

    def _seat(self, role: str) -> Review:
        from tacit.learn.review import Review

        publish = self._publish if self.publishes else None
        return Review(
            self.store, self.ensure_project(), self.profile, by=self.actor.name, role=role, now=self.now, ids=new_id, publish=publish
        )

    # -- safety ----------------------------------------------------------------------------------------------------

    @property
    def backups_folder(self) -> str:
        """Where this store's backups lie."""
        from tacit.stores.sqlite.backup import folder_for

        return folder_for(self.store.path, os.path.join(data_folder(self.env), "backups"))

    @property
    def packs_folder(self) -> str:
        """Where old data of this store is moved to by `tend`."""
        return os.path.join(self.backups_folder, "moved")

    def packs(self) -> Sequence[str]:
        """The files of data that was moved out, oldest first."""
        from tacit.stores.packs import packs

        return packs(self.packs_folder)

    def unpack(self, name: str) -> Packed:
        """Put the data of such a file back; the file stays, and twice is once."""
        from tacit.stores.packs import find_pack, put_back

        return put_back(self.store, find_pack(self.packs_folder, name))

    def backups(self) -> Sequence[Backup]:
        """The copies of this store, newest first."""
        from tacit.stores.sqlite.backup import backups

        return backups(self.backups_folder)

    def backup(self) -> Backup:
        """A copy of the store that was restored elsewhere and verified; old ones are rotated out."""
        from tacit.stores.sqlite.backup import back_up

        self._need_file("A backup")
        return back_up(self.store, self.backups_folder)

    def backup_if_due(self) -> Backup | None:
        """For the worker: at most one a day, and only if something was written since; never an error."""
        from tacit.stores.sqlite.backup import back_up_if_due

        if not self.store.is_file:
            return None
        return back_up_if_due(self.store, self.backups_folder)

    def safety_notes(self) -> Sequence[str]:
        """What a person should know: no recent backup, little room, stores that were kept aside."""
        from tacit.stores.sqlite.backup import notes

        if not self.store.is_file:
            return ()
        return notes(self.store.path, self.backups_folder)

    def restore(self, name: str = "", *, to: str = "") -> Restored:
        """Put a backup back, the newest without a name; what was there is kept aside. `to` names another, new file."""
        self._need_file("Restoring")
        if not to:
            self._need_person("Restoring")
        return self._closed(lambda path: restore_store(path, self.env, name, to=to))

    def repair(self) -> Repaired:
        """Mend what does not verify: from the rows themselves, the journal and the backups. What is lost is listed."""
        self._need_file("Repairing")
        return self._closed(lambda path: repair_store(path, self.env))

    def _need_file(self, what: str) -> None:
        if not self.store.is_file:
            raise Refused(
                f"{what} is the server's own affair: {self.store.path} is a database.",
                "pg_dump and pg_restore do it; tacit export --format bundle writes a copy that any store can import.",
            )

    def _closed(self, act: Callable[[str], T]) -> T:
        """Do something that needs the store for itself, and open it again."""
        from tacit.stores.sqlite import open_store

        path, machine, wait = self.store.path, self.store.machine, self.store.wait
        self.store.close()
        try:
            return act(path)
        finally:
            self._project = self._profile = None
            self.store = open_store(path, create=False, machine=machine, wait=wait)

    # -- look -------------------------------------------------------------------------------------

    def log(self, **filters: Any) -> list[Entry]:
        """The journal. Filters: memory, verb, by, run, since, until, after, newest, limit; everywhere=True for all projects."""
        everywhere = filters.pop("everywhere", False)
        return self.store.entries(() if everywhere else self.scopes, **filters)

    def health(self) -> Checkup:
        """Verify the whole store."""
        from tacit.stores.check import check, rule_of

        counters = dict(self.store.rows("SELECT name, sum(count) FROM counter GROUP BY 1 ORDER BY 1"))
        return Checkup(
            self.store.path,
            self.store.schema,
            self.store.size(),
            check(self.store, rule=rule_of(self.store)),
            self.near.queued(),
            counters,
        )

    def reindex(self) -> int:
        """Rebuild what is derived: full text and tallies, and vectors where an embedder is configured."""
        from tacit.stores.sqlite.erase import rebuild

        kept = rebuild(self.store, self.profile.signals)
        if self.embedder:
            self.store.embed(self.embedder, anew=True)
        return kept

    def each_entry(self, after: int) -> Iterator[Entry]:
        """New journal entries since a number, for following along."""
        yield from self.store.entries(self.scopes, after=after)

    # Last, because from here on `list` in this class is the verb.
    def list(
        self, *, states: Sequence[str] = (), archived: bool = False, everywhere: bool = False, **filters: Any
    ) -> list[Memory]:
        """Memories of this project (and global ones), newest first. Filters: equal, tag, since, text, sort, limit, offset."""
        wanted = states or (() if archived else OPEN)
        projects = [project.id for project in self.store.projects()] if everywhere else self.scopes
        return self.store.select(projects, states=wanted, **filters)


def lookback_part(name: str) -> Any:
    """A module of the look back, for surfaces: it needs neither store nor project, so it is handed out as it is."""
    from tacit.prove import lookback, lookback_excerpt, lookback_html, lookback_words

    parts = {"lookback": lookback, "lookback_excerpt": lookback_excerpt, "lookback_html": lookback_html, "lookback_words": lookback_words}
    return parts[name]


def restore_store(path: str, env: Mapping[str, str], name: str = "", *, to: str = "") -> Restored:
    """Put a backup back over a store that need not be readable any more."""
    from tacit.stores.sqlite.backup import folder_for, restore

    return restore(path, folder_for(path, os.path.join(data_folder(env), "backups")), name, to)


def migrate_store(
    source: str,
    target: str,
    env: Mapping[str, str],
    *,
    by: str = "",
    yes: bool = False,
    each: Callable[[str, int], None] = lambda table, rows: None,
) -> Migrated:
    """Everything of one store into an empty other one, a file or a server; the first is not changed."""
    from tacit.core.trust import actor
    from tacit.stores.truth import Migrated, copy

    if not actor(env, by, yes).is_person:
        raise Refused("Moving a store is for a person.", "Sign it: --by NAME --yes.")
    one, other = os.path.expanduser(source), os.path.expanduser(target)
    if one == other or ("://" not in one + other and os.path.realpath(one) == os.path.realpath(other)):
        raise UsageError("Source and target are the same store.", "tacit backup makes a copy beside it.")
    with _open_store(one, env, False, 60.0) as first, _open_store(other, env, True, 60.0) as second:
        moved = copy(first, second, each=each)
        second.tidy()
        return Migrated(first.path, second.path, moved, first.queued())


def repair_store(path: str, env: Mapping[str, str]) -> Repaired:
    """Mend a store that need not be readable any more."""
    from tacit.stores.sqlite.backup import folder_for
    from tacit.stores.sqlite.repair import repair

    return repair(path, folder_for(path, os.path.join(data_folder(env), "backups")), machine_id(env))


def renew_cache(url: str, env: Mapping[str, str]) -> Renewed:
    """Make this machine's cache of a server anew; what it holds of its own is carried again."""
    from tacit.stores.renew import renew

    with _open_store(url, env, False, 60.0) as far:
        return renew(url, data_folder(env), far, machine_id(env))


def _written(path: str) -> tuple[int, ...]:
    """What changes when a file is written; empty where there is none."""
    try:
        at = os.stat(path)
    except OSError:
        return ()
    return at.st_mtime_ns, at.st_ctime_ns, at.st_size, at.st_ino


def _toml(path: str) -> dict[str, Any]:
    try:
        with io.open(path, "rb") as file:  # noqa: UP020 - `open` in this module opens memories
            raw = file.read(1_000_000)
    except OSError:
        return {}
    import tomllib

    from tacit.core.errors import ConfigInvalid

    try:
        return tomllib.loads(raw.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigInvalid(f"{path} cannot be read: {error}.", "Correct it, or move it away.") from None
