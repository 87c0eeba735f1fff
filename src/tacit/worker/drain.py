"""What a worker does while the lock is its own: learn what hooks have queued, until nothing is left to do.

What makes it safe to kill at any point: a job leaves the queue only after its
transcript was learned, learning is one transaction and idempotent, and the lock that makes a worker the only one is
the kernel's, gone with the process. So whoever holds the lock may take over every lease at once.

A session that never said it ended is looked at once more when it has been still long enough to be over; until then
its job stays in the queue, with a time before which nobody needs to wake up for it.

Learning takes moments and goes by rules; reading asks a model and may take minutes. So sessions are read in a thread beside it: what a
person says is known to the next session whatever a reader does.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping

from tacit.core import clock
from tacit.core.errors import TacitError
from tacit.core.value import replace
from tacit.hosts import shell_mark, surroundings
from tacit.memory import Memory as Memories
from tacit.memory import open
from tacit.origins import tending
from tacit.place.folders import sweep
from tacit.store import jobs, safekeeping
from tacit.store.jobs import Job
from tacit.store.lookups import last_learned
from tacit.store.moments import enqueue
from tacit.store.reads import Store
from tacit.worker.jobs import done_by
from tacit.worker.listening import Listening
from tacit.worker.turns import Worked, is_paused

GLANCE = 0.5  # seconds between two looks at the queue
SAFETY = 900.0  # seconds between two looks whether a backup is due, for a worker that never rests
_TEND_DAYS = 1.0  # between two passes of one project


def serve(home: Memories, env: Mapping[str, str], idle: float, at_once: bool) -> Worked:
    """All that is to be done while the lock is ours."""
    work = _drain_once(home.store, env) if at_once else _drain(home, env, idle)
    safekeeping.backup_if_due(home)
    home.store.tidy()
    sweep(home.store.path, time.time())
    if not is_paused(home.store):
        tend_what_is_due(home, env)
    return work


def _drain_once(store: Store, env: Mapping[str, str]) -> Worked:
    """Each job that waited when it began, once: agents that go on queueing do not keep it from its end."""
    worked, lends = (
        Worked(),
        not shell_mark(env, ""),
    )  # a person who calls for it has it read in their own surroundings
    with store.write() as tx:
        jobs.take_over(tx, time.time())
        jobs.hasten(tx)
        done, last = 0, jobs.last_number(tx)
    while not is_paused(store) and (job := _take(store, done, last)) is not None:
        worked, done = _do(store, env, _lent(job, env, lends), worked), job.n
    with BesideLearning(store, env, jobs.last_number(store), lends) as reading:
        reading.begin()
        while reading.is_at_it():
            if (job := _take(store)) is not None:
                worked = _do(store, env, _lent(job, env, lends), worked)
    return worked.with_more(reading.worked)


def _drain(home: Memories, env: Mapping[str, str], idle: float) -> Worked:
    store = home.store
    with store.write() as tx:
        jobs.take_over(tx, time.time())
        jobs.hasten_reading(tx, surroundings(env))
    worked, still_since, safe_until = Worked(), time.monotonic(), 0.0
    with BesideLearning(store, env) as reading, Listening(store, env) as listening:
        while not is_paused(store):
            listening.look()
            reading.begin()
            job = _take(store)
            if job is not None:
                worked = _do(store, env, job, worked)
                if job.kind == "sync":
                    listening.begin(job)
                still_since = time.monotonic()
                if still_since > safe_until:  # where agents never rest, neither does the queue
                    safekeeping.backup_if_due(home)
                    safe_until = still_since + SAFETY
                continue
            due, to_read = _next_due(store, False), _next_due(store, True)
            if reading.is_at_it(due if due >= 0 else GLANCE):
                still_since = time.monotonic()
            elif (
                time.monotonic() >= still_since + idle
                and not 0 <= due <= idle
                and not 0 <= to_read <= idle
            ):
                break
    return worked.with_more(reading.worked)


class BesideLearning:
    """Sessions read one after the other beside the learning, in a thread with connections of its own. Whoever leaves waits for the
    session that is being read, and hears if the store could not be reached."""

    def __init__(
        self, store: Store, env: Mapping[str, str], last: int = -1, lends: bool = False
    ) -> None:
        self.worked = Worked()
        self._store, self._env, self._last, self._lends = store, env, last, lends
        self._thread = threading.Thread()
        self._ends = False
        self._error: TacitError | None = None

    def __enter__(self) -> BesideLearning:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._ends = True
        if self._thread.is_alive():
            self._thread.join()
        if self._error is not None and kind is None:
            raise self._error

    def begin(self) -> None:
        """Read what is due, unless somebody is at it."""
        if self._error is not None:
            raise self._error
        if not self._thread.is_alive() and _next_due(self._store, True) == 0:
            self._thread = threading.Thread(target=self._read, name="tacit-reading", daemon=True)
            self._thread.start()

    def is_at_it(self, seconds: float = GLANCE) -> bool:
        """Whether a session is being read; known after a glance, or sooner where something is due or it ends."""
        glance = max(0.01, min(GLANCE, seconds))
        if not self._thread.is_alive():
            time.sleep(glance)
            return False
        self._thread.join(glance)
        return True

    def _read(self) -> None:
        try:
            with open(self._store.path, env=self._env, cwd="/", create=False) as home:
                store = home.store
                while not self._ends and not is_paused(store):
                    job = _take(store, 0, self._last, reads=True)
                    if job is None:
                        return
                    lent = _lent(job, self._env, self._lends)
                    self.worked = _do(store, self._env, lent, self.worked)
        except TacitError as error:
            self._error = error


def _holder() -> str:
    return f"worker {os.getpid()}"


def _next_due(store: Store, reads: bool) -> float:
    """Seconds until the next job that reads a session, or the next of the others, is due; −1 where none is waiting."""
    at = jobs.next_due(store, reads=reads)
    return max(0.0, clock.seconds(at) - time.time()) if at is not None else -1.0


def _take(store: Store, after: int = 0, last: int = -1, *, reads: bool = False) -> Job | None:
    if _next_due(store, reads) != 0:
        return None
    with store.write() as tx:
        return jobs.take(tx, _holder(), time.time(), reads=reads, after=after, last=last)


def _lent(job: Job, env: Mapping[str, str], lends: bool) -> Job:
    return (
        replace(job, payload={**job.payload, "surroundings": surroundings(env)}) if lends else job
    )


def _do(store: Store, env: Mapping[str, str], job: Job, worked: Worked) -> Worked:
    """One job, and what becomes of its row: gone, later, or left alone with its error."""
    try:
        done = done_by(store, env, job)
    except Exception as error:  # whatever one transcript does, the others are still to be learned
        with store.write() as tx:
            if jobs.fail(tx, job, f"{type(error).__name__}: {error}", time.time()):
                tx.count(job.project, "job_given_up", clock.now())
        return replace(worked, failed=worked.failed + 1)
    with store.write() as tx:
        now = time.time()
        if done.missing:
            jobs.put_off(tx, job, clock.stamp(now + jobs.BACKOFF[0]), blameless=False)
            return worked
        if done.waits:
            jobs.put_off(
                tx, job, done.until, done.waits
            )  # nobody died of it: a model was not there
            return replace(worked, failed=worked.failed + 1)
        if done.again_in and not jobs.is_asked_again(tx, job):
            times = clock.stamp(now), clock.stamp(now + done.again_in)
            enqueue(tx, job.kind, job.key, job.project, job.payload, *times)
        if done.skipped:
            tx.count(job.project, done.skipped, clock.now())
        jobs.finish(tx, job, _holder())
    if not done.learns:
        return worked
    return (
        replace(worked, skipped=worked.skipped + 1)
        if done.skipped
        else replace(worked, learned=worked.learned + 1)
    )


# What is due between sessions: at most once a day for each project, once the queue is empty. A machine
# that was off for a week is caught up with once: what is due is due since the last pass.


def projects_due(store: Store, now: str) -> list[str]:
    """Projects in which something was learned since they were last tended, or tried to be, and that was a day ago or more."""
    found = []
    for project in store.projects():
        last = max(store.meta(f"tend:{project.id}:{mark}") for mark in ("tended", "started"))
        if last_learned(store, project.id) > last and last <= clock.after_days(now, -_TEND_DAYS):
            found.append(project.id)
    return found


def tend_what_is_due(memories: Memories, env: Mapping[str, str]) -> int:
    """Let each project forget what is due; how many projects. An origin's night is its person's to start: tacit origin tend."""
    store, now, done = memories.store, memories.now(), 0
    for project in projects_due(store, now):
        with open(store.path, project=project, env=env, now=memories.now) as there:
            if there.profile.tend.night:
                continue
            with store.write() as tx:  # first: a pass that dies is not started again and again
                tx.put_meta(f"tend:{project}:started", now)
            done += 1
            tending.fade(there)
    return done
