"""What hooks ask of the worker: queue a session that is to be learned, and start a process that does it unless one is there.

Hooks queue first and look at the lock afterwards; a worker gives up the lock first and looks at the queue afterwards. One
of the two sees the other, so nothing asked for is forgotten when a worker leaves. A hook that finds the lock free hands it
on to its worker.
"""

from __future__ import annotations

import os
import sys
import time

from tacit.core import clock
from tacit.core.value import dumps, loads, value
from tacit.hosts import of_session, surroundings
from tacit.safety.files import head_of
from tacit.store import moments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tacit.hooks.record import Store


@value
class LearnJob:
    """A transcript that somebody wants learned."""

    host: str
    session: str
    path: str
    folder: str
    project: str = ""  # its id, where the hook knew one
    # or what the user called it in the hook's environment, which is not the worker's
    named: str = ""
    over: bool = False
    format: str = ""  # of the transcript; empty: the host's own
    # the mark of an agent's shell that named it: then its path vouches for nothing
    marked: str = ""
    surroundings: str = ""  # a hash of the environment that its hook ran in: only there it is read


def enqueue(
    store: Store,
    job: LearnJob,
    *,
    later: float = 0.0,
    wait: float | None = None,
    once: bool = False,
) -> None:
    """Queue a transcript, to be read in `later` seconds at the earliest. The same session is one job; `once` leaves one that waits."""
    key = f"learn:{job.host}:{job.session}"
    with store.write(wait=wait) as tx:
        now = time.time()
        waiting = moments.queued(tx, key)
        if once and waiting:
            return
        before = loads(waiting[1] or "{}") if waiting else {}
        # A late word about a turn must not take back that the session ended.
        over = job.over or bool(before.get("over"))
        # A worker tells by this time that its job was asked for again meanwhile.
        at = clock.stamp(now)
        at = clock.stamp(now + 0.001) if waiting and waiting[0] == at else at
        first = "" if over else clock.stamp(now + later)
        moments.enqueue(tx, "learn", key, job.project, _payload(job, over), at, first)


def _payload(job: LearnJob, over: bool) -> dict[str, Any]:
    told = {name: getattr(job, name) for name in ("host", "session", "path", "folder")}
    more = {
        "named": job.named,
        "format": job.format if job.format != job.host else "",
        "marked": job.marked,
        "surroundings": job.surroundings,
    }
    return {**told, "over": over, **{name: word for name, word in more.items() if word}}


def start_if_due(store: Store, env: Mapping[str, str]) -> bool:
    """Start a worker if a job is due that nobody works on."""
    return moments.is_job_due(store, clock.now()) and start(store.path, env)


def start(path: str, env: Mapping[str, str], job: LearnJob | None = None) -> bool:
    """Start a worker of its own session, without our files, unless one is there. With a job it queues that first."""
    if env.get("TACIT_NO_WORKER") or not sys.executable:
        return False
    held, own = lock(path), surroundings(env)
    if held is None and job is None and (not serves_others(path, own) or is_awaited(path, own)):
        return False  # it looks at the queue once more before it leaves
    words = ["worker", "--detached"]
    if held is not None:
        os.ftruncate(held, 0)
        os.pwrite(held, own.encode(), 0)
        words += ["--turn", str(held + 3)]
    words += ["--store", os.path.abspath(path)]
    if job is not None:
        words += ["--wish", dumps(job.__dict__)]
    # The worker serves all sessions; which model it asks stands in the user's own file only: a repository can have its
    # host set variables.
    handed_on = {
        name: said
        for name, said in env.items()
        if not of_session(name) and name != "TACIT_PROJECT" and not name.startswith("TACIT_MODEL_")
    }
    try:
        spawned(words, handed_on, held)
    finally:
        if held is not None:
            os.close(held)
    return True


def spawned(words: Sequence[str], env: Mapping[str, str], turn: int | None = None) -> int:
    """Start a command of ours in a session of its own, with nobody at its ends; its process. It has the lock `turn` as `turn + 3`."""
    # -P: a hook runs in a project's folder, whose modules are not ours to import.
    argv = [sys.executable, "-P", "-m", "tacit", *words]
    given: list[tuple[Any, ...]] = [] if turn is None else [(os.POSIX_SPAWN_DUP2, turn, turn + 3)]
    given += [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    try:
        return os.posix_spawn(sys.executable, argv, dict(env), file_actions=given, setsid=True)
    except (
        NotImplementedError
    ):  # no POSIX_SPAWN_SETSID: the worker leaves the host's session itself
        return os.posix_spawn(sys.executable, argv, dict(env), file_actions=given)


def lock(path: str, patient: bool = False, suffix: str = "") -> int | None:
    """The open lock file, if the lock could be had; closing it gives the lock back. Never a lock on the store itself:
    SQLite's own would be lost with it."""
    import fcntl

    fd = os.open(
        f"{os.path.realpath(path)}.worker{suffix}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
    )
    for _ in range(10 if patient else 1):
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return fd
        except OSError:
            if patient:
                time.sleep(0.02)  # a hook that only looks holds it for a moment
    os.close(fd)
    return None


def serves_others(path: str, own: str) -> bool:
    """Whether the worker that holds the lock has surroundings other than these."""
    said = head_of(f"{os.path.realpath(path)}.worker", 64).decode("ascii", "replace")
    return bool(said) and said != own


def is_awaited(path: str, own: str) -> bool:
    """Whether a worker with these surroundings waits for its turn already."""
    if not os.path.exists(f"{os.path.realpath(path)}.worker.{own}"):
        return False
    held = lock(path, suffix=f".{own}")
    if held is not None:
        os.close(held)
    return held is None
