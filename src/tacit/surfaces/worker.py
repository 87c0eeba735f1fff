"""The worker: one process per store that learns what hooks have queued, and goes when there is nothing left to do.

Hooks `enqueue` and `start`; `work` drains. What makes it safe to kill at any point: a job leaves the queue only after its
transcript was learned, learning is one transaction and idempotent, and the lock that makes a worker the only one is
the kernel's, gone with the process. So whoever holds the lock may take over every lease at once.

Nothing asked for is forgotten when a worker leaves: it gives up the lock first and looks at the queue afterwards, while
hooks queue first and look at the lock afterwards. One of the two sees the other.

A session that never said it ended is looked at once more when it has been still long enough to be over; until then
its job stays in the queue, with a time before which nobody needs to wake up for it.
"""

from __future__ import annotations

import os
import sys
import time

from tacit.core import clock
from tacit.core.errors import TacitError, Unavailable
from tacit.core.value import replace, value
from tacit.hosts import shell_mark
from tacit.hosts.environment import surroundings
from tacit.stores.sql_rows import ENDLESS
from tacit.surfaces.turns import is_awaited, lock, serves_others, take_turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tacit.app import Memories
    from tacit.core.ports import Store, Transaction
    from tacit.core.rows import Job

IDLE = 30.0  # seconds without work after which a worker leaves
GLANCE = 0.5  # seconds between two looks at the queue
SAFETY = 900.0  # seconds between two looks whether a backup is due, for a worker that never rests
LEASE = 120.0  # seconds; only tells people that somebody is at it, since the lock decides
BACKOFF = (15.0, 60.0, 300.0, 1800.0)  # seconds before the next attempt
ATTEMPTS = 5  # failures after which a job is left alone, its error to be seen in `doctor`
_PATIENCE = 2  # deaths of a worker after which its job is tried again at once
DEATHS = 20  # after which it is left alone; by then hours have passed
NEVER = "9999-12-31T00:00:00.000Z"  # `not_before` of a job that is left alone
VECTORS = 5000  # that are made before a worker leaves; the next one goes on


@value
class Wish:
    """A transcript that somebody wants learned."""

    host: str
    session: str
    path: str
    folder: str
    project: str = ""  # its id, where the hook knew one
    named: str = ""  # or what the user called it in the hook's environment, which is not the worker's
    over: bool = False
    format: str = ""  # of the transcript; empty: the host's own
    marked: str = ""  # the mark of an agent's shell that named it: then its path vouches for nothing
    surroundings: str = ""  # a hash of the environment that its hook ran in: only there it is read


@value
class Worked:
    """What a worker did before it left."""

    learned: int = 0
    failed: int = 0
    skipped: int = 0
    alone: bool = True  # false: another worker holds this store


# -- what hooks do ------------------------------------------------------------------------------------------------------


def enqueue(store: Store, wish: Wish, *, later: float = 0.0, wait: float | None = None, once: bool = False) -> None:
    """Queue a transcript, to be read in `later` seconds at the earliest. The same session is one job; `once` leaves one that waits."""
    import json

    key = f"learn:{wish.host}:{wish.session}"
    with store.write(wait=wait) as tx:
        now = time.time()
        waiting = tx.queued_job(key)
        if once and waiting:
            return
        before = json.loads(waiting[1] or "{}") if waiting else {}
        # A late word about a turn must not take back that the session ended.
        over = wish.over or bool(before.get("over"))
        at = clock.stamp(now)
        if waiting and waiting[0] == at:
            at = clock.stamp(now + 0.001)  # a worker tells by this time that its job was asked for again meanwhile
        tx.enqueue("learn", key, wish.project, _payload(wish, over), at, "" if over else clock.stamp(now + later))


def _payload(wish: Wish, over: bool) -> dict[str, Any]:
    said = {"host": wish.host, "session": wish.session, "path": wish.path, "folder": wish.folder, "over": over}
    more = {"named": wish.named, "format": wish.format if wish.format != wish.host else "", "marked": wish.marked}
    more |= {"surroundings": wish.surroundings}
    return {**said, **{name: word for name, word in more.items() if word}}


def start_if_due(store: Store, env: Mapping[str, str]) -> bool:
    """Start a worker if a job is due that nobody works on."""
    return _is_due(store) and start(store.path, env, far=store.far)


def look_after(memories: Memories) -> None:
    """Where hooks answer from a server's cache: ask for this project's lessons if none are here, and start a worker that carries and
    fetches. A cache that is busy is looked after by the next event."""
    from tacit.core.errors import StoreBusy
    from tacit.stores.cache import want_once

    store = memories.store
    try:
        want_once(store, memories.project_id, clock.now())
    except StoreBusy:
        return
    start(store.path, memories.env, far=store.far)


def start(path: str, env: Mapping[str, str], wish: Wish | None = None, far: str = "") -> bool:
    """Start a worker of its own session, without our files, unless one is there. With a wish it queues that first.

    `path` is the file that holds the queue; of a server's cache `far` is the server, which is told in the environment: others can read
    a process's arguments.
    """
    if env.get("TACIT_NO_WORKER") or not sys.executable:
        return False
    if far:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    if wish is None:
        held, own = lock(path), surroundings(env)
        if held is not None:
            os.close(held)
        elif not serves_others(path, own) or is_awaited(path, own):
            return False  # it looks at the queue once more before it leaves
    # -P: the hook runs in a project's folder, whose modules are not ours to import.
    argv = [sys.executable, "-P", "-m", "tacit", "worker", "--detached"]
    argv += [] if far else ["--store", os.path.abspath(path)]
    if wish is not None:
        import json

        argv += ["--wish", json.dumps(wish.__dict__)]
    nowhere = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    handed_on = {name: said for name, said in env.items() if not _is_session(name)}
    handed_on |= {"TACIT_STORE": far} if far else {}
    try:
        os.posix_spawn(sys.executable, argv, handed_on, file_actions=nowhere, setsid=True)
    except NotImplementedError:  # no POSIX_SPAWN_SETSID here: the worker leaves the host's session itself
        os.posix_spawn(sys.executable, argv, handed_on, file_actions=nowhere)
    return True


def _is_session(name: str) -> bool:
    """Variables of the session in which a hook runs: the worker serves all sessions. Which model it asks stands in the user's
    own file only: a repository can have its host set variables."""
    from tacit.hosts import of_session

    return of_session(name) or name == "TACIT_PROJECT" or name.startswith("TACIT_MODEL_")


# -- what the worker does -----------------------------------------------------------------------------------------------


def work(
    path: str, env: Mapping[str, str], *, idle: float = IDLE, at_once: bool = False, wish: Wish | None = None
) -> Worked:
    """Drain the queue of a store until it was empty for `idle` seconds. `at_once`: what waits now, due or not, then leave.

    Of a store on a server the queue is this machine's, and so is what hooks recorded: that is carried over first.
    """
    from tacit.app import open

    with open(path, env=env, cwd="/", create="://" in path, near=True) as near:
        store = near.store
        if wish is not None:
            enqueue(store, wish)
        worked = Worked()
        while True:
            turn = take_turn(store.path, env)
            if turn is None:
                return replace(worked, alone=worked != Worked())
            try:
                worked = _serve(near, env, worked, idle, at_once)
            except Unavailable:
                if at_once or not store.far:
                    raise
                return worked  # what waits stays; a hook starts the next worker
            finally:
                os.close(turn)
            if at_once or _is_paused(store) or not (_is_due(store) or _carries(store)):
                return worked


def _serve(near: Memories, env: Mapping[str, str], worked: Worked, idle: float, at_once: bool) -> Worked:
    """All that is to be done while the lock is ours."""
    from tacit.stores.cache import held
    from tacit.stores.captured import sweep
    from tacit.surfaces import nightly

    home = _home(near, env)
    try:
        worked = _drain_once(near.store, home, env) if at_once else _drain(near.store, home, env, worked, idle)
        home.backup_if_due()
        near.store.tidy()
        sweep(near.store.path, time.time())
        for each in {near, home}:
            _embed(each)
        if not _is_paused(near.store):
            nightly.start(home, env, held(near.store) if near.store.far else None)
    finally:
        if home is not near:
            home.close()
    return worked


def _home(near: Memories, env: Mapping[str, str]) -> Memories:
    """Where lessons are kept: the same file, or the server whose cache it is."""
    from tacit.stores.cache import must_be_a_store, note

    if not near.store.far:
        must_be_a_store(near.store)
        return near
    from tacit.app import open

    try:
        return open(near.store.far, env=env, cwd="/")
    except TacitError as error:
        note(near.store, time.time(), error.message)
        raise


def _carries(store: Store) -> bool:
    """Whether something waits for a server that answers."""
    from tacit.stores.cache import is_due

    return bool(store.far) and is_due(store, clock.now())


def _embed(memories: Memories) -> None:
    """The vectors that are missing, where an embedder is configured; one that cannot be reached is counted, not waited for."""
    try:
        memories.embed(most=VECTORS)
    except TacitError:
        with memories.store.write() as tx:
            tx.count("", "vectors_failed", clock.now())


def failed_jobs(store: Store) -> list[dict[str, Any]]:
    """Jobs that wait with an error: what it was, how often, and when it is tried again (empty: not by itself)."""
    from tacit.stores import queue

    return [
        {"job": key, "attempts": attempts, "error": error, "again_at": "" if not_before == NEVER else not_before}
        for key, attempts, error, not_before in queue.failing(store)
    ]


def _drain_once(store: Store, home: Memories, env: Mapping[str, str]) -> Worked:
    """Each job that waited when it began, once: agents that go on queueing do not keep it from its end."""
    from tacit.stores import queue

    holder, worked = _holder(), Worked()
    lends = not shell_mark(env, "")  # a person who calls for it has it read in their own surroundings
    _carry(store, home)
    with store.write() as tx:
        _take_over(tx)
        queue.hasten(tx, NEVER)
        done, last = 0, queue.last_job(tx)
    while not _is_paused(store):
        job = _take(store, holder, done, last)
        if job is None:
            break
        if lends:
            job = replace(job, payload={**job.payload, "surroundings": surroundings(env)})
        worked, done = _do(store, home, env, job, holder, worked), job.id
    _carry(store, home)
    return worked


def _carry(store: Store, home: Memories) -> int:
    """Bring this machine's cache and its server in step; how many rows went there. A file has nothing to carry."""
    if not store.far:
        return 0
    from tacit.stores.carry import in_step

    return in_step(store, home.store)[0].rows


def _drain(store: Store, home: Memories, env: Mapping[str, str], worked: Worked, idle: float) -> Worked:
    from tacit.stores import queue

    holder = _holder()
    with store.write() as tx:
        _take_over(tx)
        queue.hasten_reading(tx, surroundings(env))
    still_since, safe_until = time.monotonic(), 0.0
    while not _is_paused(store):
        if _carries(store) and _carry(store, home):
            still_since = time.monotonic()
        job = _take(store, holder)
        if job is not None:
            worked = _do(store, home, env, job, holder, worked)
            still_since = time.monotonic()
            if still_since > safe_until:  # where agents never rest, neither does the queue
                home.backup_if_due()
                safe_until = still_since + SAFETY
            continue
        rest = still_since + idle - time.monotonic()
        next_due = _next_due(store)
        if rest <= 0 and not 0 <= next_due <= idle:
            break
        time.sleep(max(0.01, min(GLANCE, next_due if next_due >= 0 else GLANCE)))
    return worked


def _holder() -> str:
    return f"worker {os.getpid()}"


def _take_over(tx: Transaction) -> None:
    """Free what a dead worker held. What workers die on again and again waits, so that other jobs have their turn."""
    from tacit.stores import queue

    for id, attempts in queue.leased(tx):
        wait = BACKOFF[min(attempts - _PATIENCE, len(BACKOFF)) - 1] if attempts > _PATIENCE else 0.0
        later = clock.stamp(time.time() + wait) if wait else ""
        queue.free(tx, id, later)


def _is_paused(store: Store) -> bool:
    return store.meta("paused_until") > clock.now()


def _is_due(store: Store) -> bool:
    return store.is_job_due(clock.now())


def _next_due(store: Store) -> float:
    """Seconds until the next job is due; −1 where none is waiting."""
    from tacit.stores import queue

    at = queue.next_due(store, NEVER)
    return max(0.0, clock.seconds(at) - time.time()) if at is not None else -1.0


def _take(store: Store, holder: str, after: int = 0, last: int = ENDLESS) -> Job | None:
    if not _is_due(store):
        return None
    with store.write() as tx:
        now = time.time()
        return tx.lease(holder, clock.stamp(now), clock.stamp(now + LEASE), after=after, last=last)


def _do(store: Store, home: Memories, env: Mapping[str, str], job: Job, holder: str, worked: Worked) -> Worked:
    """One job, and what becomes of its row: gone, later, or left alone with its error."""
    from tacit.stores import queue
    from tacit.surfaces.jobs import done_by

    try:
        if job.attempts > DEATHS:
            raise RuntimeError(f"{job.attempts - 1} workers ended while they learned it")
        done = done_by(store, home.store, env, job)
    except Exception as error:  # whatever one transcript does, the others are still to be learned
        if store.far and isinstance(error, Unavailable):
            _put_back(store, job)
            raise
        with store.write() as tx:
            tx.postpone(job, f"{type(error).__name__}: {error}", _next_attempt(job))
            if job.attempts >= ATTEMPTS:
                tx.count(job.project, "job_given_up", clock.now())
        return replace(worked, failed=worked.failed + 1)
    with store.write() as tx:
        now = time.time()
        if done.missing:
            tx.postpone(job, "", clock.stamp(now + BACKOFF[0]))
            return worked
        if done.waits:
            tx.postpone(job, done.waits, done.until)
            queue.forgive(tx, job.id)  # nobody died of it: a model was not there
            return replace(worked, failed=worked.failed + 1)
        if done.again_in and queue.asked_at(tx, job.id) == job.at:  # nobody asked again meanwhile
            tx.enqueue(job.kind, job.key, job.project, job.payload, clock.stamp(now), clock.stamp(now + done.again_in))
        if done.skipped:
            tx.count(job.project, done.skipped, clock.now())
        tx.finish(job, holder)
    if not done.learns:
        return worked
    return replace(worked, skipped=worked.skipped + 1) if done.skipped else replace(worked, learned=worked.learned + 1)


def _put_back(store: Store, job: Job) -> None:
    """The server is away, which is no fault of the job."""
    from tacit.stores import queue

    with store.write() as tx:
        tx.postpone(job, "", clock.stamp(time.time() + BACKOFF[0]))
        queue.take_back_attempt(tx, job.id)


def _next_attempt(job: Job) -> str:
    return NEVER if job.attempts >= ATTEMPTS else clock.stamp(time.time() + BACKOFF[job.attempts - 1])
