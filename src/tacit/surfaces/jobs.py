"""What a worker does with one job: learn a transcript, read a session that could not be read, keep a work tree."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tacit import formats
from tacit.app import Memories
from tacit.core import clock
from tacit.core.config import is_ignored
from tacit.core.errors import MissingExtra, TacitError
from tacit.core.rows import Job, RunRow
from tacit.core.run import Run
from tacit.core.value import replace, value
from tacit.formats.source import FileSource, Source
from tacit.hosts import surroundings
from tacit.hosts.places import is_hosts_own
from tacit.stores.cache import want_once
from tacit.stores.readings import WAITING
from tacit.surfaces.hooks.words import fulfilled
from tacit.surfaces.receipt import leave as leave_receipt

if TYPE_CHECKING:
    from tacit.stores.sql import Store

ELSEWHERE_IN = 60.0  # seconds until a session is looked at again that another environment reads
LOOKS_FOR_FILE = 3  # at a transcript that is not there; a session in which nothing was asked never writes one


@value
class Done:
    """What came of one look at a transcript."""

    skipped: str = ""  # why nothing was learned, as a counter's name
    missing: bool = False  # not there yet
    again_in: float = 0.0  # seconds, for a session that is not over
    waits: str = ""  # why a session could not be read yet …
    until: str = ""  # … and when it is tried again
    learns: bool = True  # False: a job beside the learning


def done_by(near: Store, store: Store, env: Mapping[str, str], job: Job) -> Done:
    """One job, by its kind."""
    if job.kind == "read":
        return read_session(near, store, env, job)
    return keep_tree_of(near, env, job) if job.kind == "keep" else learn_transcript(near, store, env, job)


def learn_transcript(near: Store, store: Store, env: Mapping[str, str], job: Job) -> Done:
    """Learn a transcript into `store`; what only this machine needs to know, its settings and the receipt, is `near`."""
    said = job.payload
    path, folder = str(said["path"]), str(said["folder"])
    named = job.project or str(said.get("named") or "")
    if is_ignored(folder, Memories(near, env, folder, named).settings()["ignore"].value, env):
        return Done("job_ignored")
    here = Memories(store, env, folder, named)
    known = store.find_run(here.project_id, str(said["session"])) if here.project_id else None
    if not os.path.exists(path):
        if known and known.learned_at:
            return Done()  # learned before its host deleted it
        return Done(missing=True) if job.attempts < LOOKS_FOR_FILE else Done("transcript_missing")
    # All of a session belongs to the project that its hooks spoke for, wherever its agent went.
    home = Memories(store, env, folder, here.ensure_project().id)
    if near.far:
        want_once(near, home.project_id, clock.now())
    over = bool(said.get("over")) or _had_ended(known, path)
    format = str(said.get("format") or said["host"])
    by_place = bool(said.get("marked"))  # an agent's shell named it: it counts only where its host keeps sessions
    home.reads_in = str(said.get("surroundings") or "") or surroundings(env)
    learned = home.learn(_source(path, format, str(said["session"])), format=format, over=over, by_place=by_place)
    if near.meta(f"word:{said['session']}") and not by_place and is_hosts_own(path, str(said["host"]), env, folder):
        fulfilled(near, home, str(said["session"]), _runs_of(path, format, str(said["session"])), over)
    runs = [run for each in learned if (run := store.find_run(home.project_id, each.run)) is not None]
    for run in runs:
        if over and not run.settled_at:
            _mark_ended(store, run)  # a run that was given nothing has nothing to settle, and is over all the same
        if over or run.settled_at:
            leave_receipt(near, store, run)
    open_ended = not over and any(not run.settled_at for run in runs)
    return Done(again_in=home.profile.learn.settle_hours * 3600 + 60 if open_ended else 0.0)


def _runs_of(path: str, format: str, session: str) -> list[Run]:
    """The runs of one session, as its transcript tells them."""
    source = _source(path, format, session)
    found = formats.read(FileSource(source) if isinstance(source, str) else source, format)
    return [run for run in found if run.id == session]


def _source(path: str, format: str, session: str) -> str | Source:
    """What to read: the file, or of one that holds many sessions this one."""
    one_session: Callable[[str, str], Source] | None = getattr(formats.get(format), "one_session", None)
    return one_session(path, session) if one_session else path


def read_session(near: Store, store: Store, env: Mapping[str, str], job: Job) -> Done:
    """Read a session that was learned; its receipt then tells what the reader found, too."""
    wanted = str(job.payload.get("surroundings") or "")
    if wanted and wanted != surroundings(env):
        return Done(waits="it is read in its own project's environment", until=clock.stamp(time.time() + ELSEWHERE_IN))
    run = str(job.payload["run"])
    reading = Memories(store, env, str(job.payload["folder"]), job.project).read_on(run)
    if reading is not None and reading.state == WAITING:
        return Done(waits=reading.error or "not read yet", until=reading.not_before)
    if reading is not None and (row := store.run(run)) is not None:
        leave_receipt(near, store, row)
    return Done(learns=False)


def keep_tree_of(store: Store, env: Mapping[str, str], job: Job) -> Done:
    """Keep the work tree of a session that just began; one that cannot be kept is no failure of the worker's."""
    said = job.payload
    brought: Any = Memories(store, env, str(said["folder"]), job.project)
    try:
        brought.keep_work_tree(str(said["session"]), str(said["host"]), str(said["head"]), str(said["path"]))
    except MissingExtra:
        return Done(learns=False)  # without tacit-replay no tree is ever needed
    except (TacitError, OSError):
        return Done("tree_not_kept", learns=False)
    return Done(learns=False)


def _mark_ended(store: Store, run: RunRow) -> None:
    with store.write() as tx:
        tx.put_run(replace(run, complete=True, settled_at=clock.now()))


def _had_ended(run: RunRow | None, path: str) -> bool:
    """Whether a session was over when it was last learned, and has written nothing since: hooks may come late."""
    return run is not None and bool(run.settled_at) and os.stat(path).st_mtime <= clock.seconds(run.settled_at) + 1.0
