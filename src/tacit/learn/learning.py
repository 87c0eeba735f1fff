"""After a run, and during one's own: learn it, submit a finding, wrap a loop."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from tacit.core.canary import canary_lines, counter, doubts, silent_after
from tacit.core.digest import new_id
from tacit.core.errors import NotFound, Refused, UsageError
from tacit.core.rows import run_id
from tacit.core.run import PREFIX, Run, refusals
from tacit.core.trust import reported
from tacit.core.value import replace
from tacit.guards.settle import settle_run
from tacit.hooks.common import note_used
from tacit.hosts import every_host, formats, readers, surroundings
from tacit.hosts.places import SESSIONS, is_hosts_own, unheard
from tacit.hosts.registration import OTHER_INSTRUCTIONS
from tacit.hosts.source import FileSource, Source
from tacit.learn.after_run import learn_run
from tacit.learn.by_hand import Submitted, finding_from, submitted
from tacit.learn.looked import came_back
from tacit.learn.pipeline import read as read_page
from tacit.learn.running import Running
from tacit.learn.stage import Learned, added
from tacit.learn.vouching import Vouching
from tacit.place.identity import locate, normalise_remote
from tacit.place.replaced import moved_to, repository_of, still_there
from tacit.reading.echo import KnownLines
from tacit.reading.models import reader as reader_named
from tacit.reading.page import page_text, page_tokens
from tacit.reading.page import rendered as page_of
from tacit.reading.questions import ReaderContext
from tacit.reading.record import Left, left_by, used_by
from tacit.reading.remembered import headings_of
from tacit.reading.session import afresh, prepared
from tacit.safety.files import head_of, open_plain
from tacit.store.ledger import StoreLedger
from tacit.store.looks import keep_session, looks_folder
from tacit.store.moments import enqueue
from tacit.store.readings import WAITING, Reading, load, readings_folder

if TYPE_CHECKING:
    from tacit.core.ports import Model
    from tacit.facets import FindingFacets, RunFacets
    from tacit.memory import Memory
    from tacit.opened import Opened
    from tacit.store.reads import Store

    T = TypeVar("T")


def lines_of(root: str, loaded: Mapping[str, str] | None = None) -> dict[str, str]:
    """The lines of a folder's instruction files, spelled for comparing, each with the file it stands in; `loaded` are those that a host
    says a session had, by path: nested ones and what they include count where they lie in the folder."""
    found = KnownLines()
    inside = {
        path[len(root) + 1 :]: text
        for path, text in (loaded or {}).items()
        if path.startswith(f"{root}{os.sep}")
    }
    for name, text in (inside | instruction_files(root)).items():
        for line in text.splitlines():
            found.add(line, name)
    return found


def instruction_files(root: str) -> dict[str, str]:
    """The instruction files that lie in a folder, by name."""
    loaded = [name for host in every_host().values() for name in host.instructions]
    heads = {
        name: head_of(os.path.join(root, name), 256_000) for name in (*loaded, *OTHER_INSTRUCTIONS)
    }
    return {name: head.decode("utf-8", "replace") for name, head in heads.items() if head}


def unreadable_instructions(root: str) -> list[str]:
    """Which of them are there and cannot be read, a sentence each."""
    found = []
    for name in dict.fromkeys(
        name for host in every_host().values() for name in (*host.instructions, *OTHER_INSTRUCTIONS)
    ):
        try:
            os.close(open_plain(os.path.join(root, name)))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            found.append(f"{os.path.join(root, name)} cannot be read: {error.strerror}; left out")
    return found


NOBODY = "nobody"  # reads: a no that is remembered
RULES_ALONE = "rules"  # nor reads who was named: the sessions are read in a moment, one by one
CONSENT = "reading_agreed"  # of this machine: the sessions that a person let somebody read, whoever reads later ones
WENT = "moved_from"  # of this machine: folders that are gone, each with the project that a person said it is now


def agreed_sessions(near: Store) -> dict[str, str]:
    """The sessions that a person let somebody read, each with who that is."""
    agreed: dict[str, str] = json.loads(near.meta(CONSENT) or "{}")
    return agreed


def agree_to(near: Store, by: str, sessions: Iterable[str]) -> None:
    """Note that a person let these sessions be read."""
    with near.write() as tx:
        tx.put_meta(CONSENT, json.dumps({**agreed_sessions(near), **dict.fromkeys(sessions, by)}))


def learn(
    opened: Opened,
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
    by_place: bool = False,
    apart: bool | Callable[[str], bool] = False,
) -> list[Learned]:
    """Learn the runs in a file, a source or one run value. Learning the same run twice changes nothing.

    A run belongs to the project of the folder it ran in, if that is here, otherwise to this one. `over` says that the host ended it,
    `again` that sessions which were read are read once more. `by_place`: a session counts only where its host keeps
    this user's sessions, and is imported elsewhere; without it the caller vouches for the file. `apart`: a run whose folder is gone,
    and whose repository nobody knows, is that folder's own project's: of many sessions learned at once nobody vouches where each
    belongs. A function is asked about that folder first; what it refuses is not learned.
    """
    found = []
    for each, doubt in _reported(opened, source, format, by_place):
        each, told = _heard(opened, each, doubt) if by_place else (each, "")
        home = home_of(opened, each, apart)
        if home is None:
            continue
        learned = _learn(
            opened,
            _named(opened, each, domain, agent, run),
            home,
            stage=stage,
            dry_run=dry_run,
            over=over,
            again=again,
        )
        # What is staged waits for a person in any case, and is told as that.
        found.append(
            replace(learned, warnings=(*learned.warnings, told)) if told and not stage else learned
        )
    return found


def _heard(opened: Opened, run: Run, doubt: str) -> tuple[Run, str]:
    """A run as far as it counts: a session that lies elsewhere is anybody's. Who stands for a report's format stands for the report."""
    if run.host in SESSIONS:
        doubt = f"{run.path or 'standard input'} is not where {run.host} keeps your sessions"
        if is_hosts_own(run.path, run.host, opened.env, opened.place.root or opened.folder):
            doubt = ""
    return unheard(run, doubt, here=opened.actor.is_person) if doubt else (run, "")


def read(opened: Opened, run: Run, learned: Learned, *, again: bool = False) -> Learned:
    """A finished run read by the model that the user agreed to, if there is one; what it brought is added to what the rules did."""
    row = opened.store.run(run_id(opened.project_id, run.host, run.id))
    if row is None or not row.settled_at or (desk := desk_of(opened, run.host, run.id)) is None:
        return learned
    reading = prepared(desk.folder, run, row.id, row.project, opened.now(), again=again)
    if reading is None:
        return learned
    if opened.reads_in:
        _let_wait(opened, desk.folder, row.id)
        return learned
    report = read_page(desk, reading)
    _let_wait(opened, desk.folder, row.id)
    return added(learned, report)


def rendered(opened: Opened, source: Source, format: str = "") -> Iterator[tuple[str, str, int]]:
    """The runs of a source as a reader would get to see them: id, page, and about how many tokens it has."""
    for run in formats.read(source, format or None):
        lines = page_of(run).lines
        yield run.id, page_text(lines), page_tokens(lines)


def desk_of(opened: Opened, host: str, session: str = "") -> ReaderContext | None:
    """What reading a host's sessions needs; None where the user agreed to no reader, or not for this session, host or folder."""
    model = reader_of(opened, host, session)
    return None if model is None else context(opened, model)


def reader_of(opened: Opened, host: str, session: str = "") -> Model | None:
    """Who may read a session of a host here; None where the user agreed to nobody for it."""
    named = opened.env.get("TACIT_READER_BY")
    if "read" not in opened.profile.model.steps or named == RULES_ALONE:
        return None
    settings = opened.settings()
    by = agreed_sessions(opened.store).get(session)
    if by and named != NOBODY:
        settings = {**settings, "reader.by": replace(settings["reader.by"], value=by)}
    return reader(opened, settings, host)


def context(opened: Opened, model: Model) -> ReaderContext:
    """What this reader needs here."""
    return ReaderContext(
        opened.store,
        opened.ensure_project(),
        opened.profile,
        readings_folder(opened.store.path),
        model,
        opened.now,
        new_id,
        instruction_lines(opened),
        headings_of(instruction_files(opened.place.root)),
        opened.actor.name,
        examine=True,
        own=opened.store,
    )


def reader(opened: Opened, settings: dict[str, Any], host: str) -> Model | None:
    """Who reads a host's sessions here."""
    ledger, root = StoreLedger(opened.store, opened.now), opened.place.root or opened.folder
    return reader_named(settings, opened.env, ledger, host, root, readers(opened.env))


def submit(
    opened: Opened,
    text: str,
    *,
    run: str,
    host: str = "library",
    origin: str = "",
    **facets: Unpack[FindingFacets],
) -> Submitted:
    """A finding of a run that goes on, as its agent tells it: with an agent's trust, whoever is at the keyboard.

    What comes from one `origin` counts as one sighting, whatever runs it names.
    Facets: kind, category, severity, domain, agent, task_type, tags, paths, by, quote, error.
    """
    work = opened.work
    finding = replace(
        finding_from(text, facets, opened.profile, run, "agent", opened.now()), origin=origin
    )
    known = instruction_lines(opened)
    said = submitted(work, finding, host=host, vouch=opened.vouch, known_lines=known)
    opened._name([said.memory] if said.memory else [])
    return said


def run(
    opened: Memory,
    task: str = "",
    *,
    run: str = "",
    root: str = "",
    instruments: Sequence[str] = (),
    **facets: Unpack[RunFacets],
) -> Running:
    """One run of a loop of your own: `with memories.run(task="…") as run:` gives, takes findings, settles and learns.

    `run` is the loop's own id, `root` that of the first try. `instruments` says who looks for problems in this run, whether or not they
    find any, by the name their findings bear (reviewer, test, linter); tool steps speak for themselves. Facets: model, host, budget,
    and those of `inject`.
    """
    return Running(opened, task, run or new_id(), root, tuple(instruments), facets)


def _reported(
    opened: Opened, source: str | Source | Run, format: str, by_place: bool
) -> Iterator[tuple[Run, str]]:
    """The runs of a source, each with why nobody stands for it; empty where somebody does.

    The caller of the library stands for a value. A person who learns a report by
    hand stands for it where its words are ours or its reviewers'; a neutral file, a linter's messages and comments are anybody's.
    What a system writes in its own folder is vouched for by the person who chose its profile (`app.vouching`).
    """
    if isinstance(source, Run):
        yield source, ""
        return
    file = FileSource(source) if isinstance(source, str) else source
    name = format or formats.detect(file) or ""
    if isinstance(file, FileSource):
        file.opened.clear()  # recognising it may have looked elsewhere
    named = bool(format) and name not in SESSIONS
    runs = formats.read_something(file, name) if named else formats.read(file, name or None)
    for run in runs:
        doubt = vouching(opened).doubt(file, formats.get(name), asks_git=by_place)
        yield reported(run, name, not doubt, told=by_place and name not in SESSIONS), doubt


def vouching(opened: Opened) -> Vouching:
    """Who stands for the logs that are learned here."""
    return Vouching(opened)


def came_with_repository(opened: Opened, sources: Sequence[Source], format: str = "") -> list[str]:
    """The files of these logs that git tracks, and that nobody called theirs as they are now: somebody else may have written them."""
    found: list[str] = []
    for source in sources:
        name = format or formats.detect(source) or ""
        if name and name not in SESSIONS:
            for _ in formats.read(source, name):
                pass  # every file that it opens is noted
            found += vouching(opened).came_with_repository(source, formats.get(name))
    return list(dict.fromkeys(found))


def keep_left(opened: Opened, run: Run) -> None:
    """Keep what the looks at the whole need of a session, and count the cures whose sign it met."""
    left = left_by(run)
    keep_sessions(opened, [left])
    id = run_id(opened.project_id, run.host, run.id)
    note_used(opened.store.path, opened.project_id, left.group, id, used_by(run))
    if left.failed:
        came_back(opened.work, id, left)


def keep_sessions(opened: Opened, left: Iterable[Left]) -> None:
    """Keep what sessions left."""
    project, folder = opened.ensure_project().id, looks_folder(opened.store.path)
    for each in left:
        if each.typed or each.failed:
            run = run_id(project, each.host, each.session)
            keep_session(folder, project, run, each.as_json())


def _named(opened: Opened, run: Run, domain: str, agent: str, id: str) -> Run:
    id = id or run.id
    return replace(
        run,
        domain=domain or run.domain,
        agent=agent or run.agent,
        id=id,
        # They are this run's, whatever it is called.
        findings=tuple(each if each.run == id else replace(each, run=id) for each in run.findings),
    )


def _learn(
    opened: Opened,
    run: Run,
    home: Opened,
    *,
    stage: bool,
    dry_run: bool,
    over: bool,
    again: bool = False,
) -> Learned:
    project = home.ensure_project()
    if not dry_run:
        _doubted(opened, run, project.id)
    learned = learn_run(
        replace(home.work, store=opened.store, now=opened.now),
        run,
        known_lines=instruction_lines(home, None if run.foreign else run),
        over=over,
        hold_all=stage,
        dry_run=dry_run,
        person=opened.env.get("USER")
        or opened.env.get("LOGNAME")
        or "",  # whose account the session is found under
    )
    learned = replace(learned, project=project.id)
    if dry_run:
        told = canary_lines({counter(run, doubt): 1 for doubt in _doubts(run)})
        return replace(learned, warnings=(*learned.warnings, *told))
    settle_run(replace(home.work, store=opened.store, now=opened.now), run)
    if not run.foreign:
        keep_left(home, run)
        learned = read(home, run, learned, again=again)
    home._name(learned.new)
    return learned


def _doubted(opened: Opened, run: Run, project: str) -> None:
    """Keep, once a session, what makes it doubtful that it was read right, and what of it was refused."""
    if (row := opened.store.run(run_id(project, run.host, run.id))) and row.learned_at:
        return
    found = [
        *(counter(run, doubt) for doubt in _doubts(run)),
        *(PREFIX + what for what in refusals(run)),
    ]
    kept = json.loads(opened.store.meta(f"silent:{project}") or "{}")
    silent = silent_after(kept, run) if run.host in SESSIONS else kept
    if found or silent != kept:
        with opened.store.write() as tx:
            for name in found:
                tx.count(project, name, opened.now())
            tx.put_meta(f"silent:{project}", json.dumps(silent))


def home_of(opened: Opened, run: Run, apart: bool | Callable[[str], bool] = False) -> Opened | None:
    """These memories, or those of the folder the run worked in; where that is gone, of its repository, which the host may have noted.
    None where somebody was asked and does not want it."""
    if opened._asked_project:
        return opened
    folder = still_there(run.cwd)
    if folder:
        if os.path.realpath(folder) == os.path.realpath(opened.folder):
            return opened
        return type(opened)(
            opened.store, opened.env, folder, "", opened._asked_profile, now=opened.now
        )
    remote = normalise_remote(run.remote) if run.remote else ""
    if remote and remote == opened.place.remote:
        return opened
    if remote and (
        known := next((each for each in opened.store.projects() if each.remote == remote), None)
    ):
        return type(opened)(
            opened.store,
            opened.env,
            known.root or opened.folder,
            known.id,
            opened._asked_profile,
            now=opened.now,
        )
    gone = repository_of(run.cwd)
    if there := opened.store.project(moved_to(gone, moved(opened))):
        if there.id == opened.project_id:
            return opened
        return type(opened)(
            opened.store, opened.env, there.root, there.id, opened._asked_profile, now=opened.now
        )
    if not apart or not os.path.isabs(gone):
        return opened
    if not remote and callable(apart) and not apart(gone):
        return None
    home = type(opened)(opened.store, opened.env, gone, "", opened._asked_profile, now=opened.now)
    if remote:  # a clone of it is recognised later
        home._place = replace(
            locate(gone, opened.env),
            key=f"remote {remote}",
            name=remote.rpartition("/")[2],
            remote=remote,
        )
    return home


def moved(opened: Opened) -> dict[str, str]:
    """Folders that are gone, each with the project that its sessions belong to, because a person said so."""
    kept = opened.store.meta(WENT)
    found: dict[str, str] = json.loads(kept) if kept else {}
    return found


def was_at(opened: Opened) -> list[str]:
    """The folders, gone by now, where this project was before."""
    return [folder for folder, project in moved(opened).items() if project == opened.project_id]


def moved_from(opened: Opened, folder: str) -> None:
    """A person's word that this project was in another folder, which is gone: what was done there is this project's."""
    opened.need_person("Saying where a project was before")
    if not os.path.isabs(folder) or still_there(folder):
        told = f"{folder} is not the whole path of a folder that is gone."
        raise UsageError(told, "Sessions of a folder that is there are its own project's.")
    found = {**moved(opened), folder: opened.ensure_project().id}
    with opened.store.write() as tx:
        tx.put_meta(WENT, json.dumps(found, sort_keys=True))


def instruction_lines(opened: Opened, run: Run | None = None) -> dict[str, str]:
    """The lines of the project's instruction files, spelled for comparing, each with the file it stands in; with a run also of those
    that its host loaded for it."""
    return lines_of(opened.place.root, (run.extra or {}).get("instructions") if run else None)


def read_on(opened: Opened, run: str) -> Reading | None:
    """Try again to read a run that waits for it; the reading as it stands then, None where there is none or nobody may read it."""
    reading = load(readings_folder(opened.store.path), run)
    if reading is None or (desk := desk_of(opened, reading.host, reading.session)) is None:
        return None
    if reading.state == WAITING:
        read_page(desk, reading)
    return load(desk.folder, run)


def read_again(opened: Opened, session: str) -> Learned:
    """Read a session once more, from what was kept of it, with whoever reads now: its host may have deleted it since."""
    row = opened.store.find_run(opened.project_id, session)
    reading = load(readings_folder(opened.store.path), row.id) if row else None
    if row is None or reading is None:
        raise NotFound(
            f"Nothing is kept of the session {session}.",
            "Where its file is still there: tacit learn --again FILE.",
        )
    desk = desk_of(opened, reading.host, reading.session)
    if desk is None:
        raise Refused(
            "Nobody reads here.",
            "reader.by in your own config.toml says who does (docs/models.md).",
        )
    report = read_page(desk, afresh(reading))
    _let_wait(opened, desk.folder, row.id)
    return report


def _let_wait(opened: Opened, folder: str, run: str) -> None:
    """Have the worker try again what could not be read yet."""
    reading = load(folder, run)
    if reading is not None and reading.state == WAITING:
        where = opened.reads_in or surroundings(opened.env)
        asked = {"run": run, "folder": opened.folder, "surroundings": where}
        with opened.store.write() as tx:
            enqueue(
                tx, "read", f"read:{run}", reading.project, asked, opened.now(), reading.not_before
            )


def _doubts(run: Run) -> tuple[str, ...]:
    """What makes it doubtful that an agent program's session was read right; a log of another system has no prompts to lose."""
    return doubts(run) if run.host in SESSIONS else ()
