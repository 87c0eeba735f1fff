"""What hooks ask of the worker: queue a session that is to be learned, and start a process that does it (`drain`) unless one is there.

Hooks queue first and look at the lock afterwards; a worker gives up the lock first and looks at the queue afterwards. One of the two
sees the other, so nothing asked for is forgotten when a worker leaves. A hook that finds the lock free hands it on to its worker.
"""

from __future__ import annotations

import os
import sys
import time

from tacit.core import clock
from tacit.core.value import dumps, loads, replace, value
from tacit.hosts import surroundings
from tacit.worker.turns import (
    Worked,
    is_awaited,
    is_paused,
    lock,
    serves_others,
    spawned,
    take_turn,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tacit.stores.sql import Store


IDLE = 30.0  # seconds without work after which a worker leaves


@value
class LearnJob:
    """A transcript that somebody wants learned."""

    host: str
    session: str
    path: str
    folder: str
    project: str = ""  # its id, where the hook knew one
    named: str = (
        ""  # or what the user called it in the hook's environment, which is not the worker's
    )
    over: bool = False
    format: str = ""  # of the transcript; empty: the host's own
    marked: str = (
        ""  # the mark of an agent's shell that named it: then its path vouches for nothing
    )
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
        waiting = tx.queued_job(key)
        if once and waiting:
            return
        before = loads(waiting[1] or "{}") if waiting else {}
        # A late word about a turn must not take back that the session ended.
        over = job.over or bool(before.get("over"))
        at = clock.stamp(now)
        if waiting and waiting[0] == at:
            at = clock.stamp(
                now + 0.001
            )  # a worker tells by this time that its job was asked for again meanwhile
        tx.enqueue(
            "learn",
            key,
            job.project,
            _payload(job, over),
            at,
            "" if over else clock.stamp(now + later),
        )


def _payload(job: LearnJob, over: bool) -> dict[str, Any]:
    said = {
        "host": job.host,
        "session": job.session,
        "path": job.path,
        "folder": job.folder,
        "over": over,
    }
    more = {
        "named": job.named,
        "format": job.format if job.format != job.host else "",
        "marked": job.marked,
    }
    more |= {"surroundings": job.surroundings}
    return {**said, **{name: word for name, word in more.items() if word}}


def start_if_due(store: Store, env: Mapping[str, str]) -> bool:
    """Start a worker if a job is due that nobody works on."""
    return store.is_job_due(clock.now()) and start(store.path, env)


def start(path: str, env: Mapping[str, str], job: LearnJob | None = None) -> bool:
    """Start a worker of its own session, without our files, unless one is there. With a job it queues that first."""
    from tacit.hosts import of_session

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
    # the worker serves all sessions; which model it asks stands in the user's own file only: a repository can have its host set variables
    left = {
        name
        for name in env
        if of_session(name) or name == "TACIT_PROJECT" or name.startswith("TACIT_MODEL_")
    }
    handed_on = {name: said for name, said in env.items() if name not in left}
    try:
        spawned(words, handed_on, held)
    finally:
        if held is not None:
            os.close(held)
    return True


def work(
    path: str,
    env: Mapping[str, str],
    *,
    idle: float = IDLE,
    at_once: bool = False,
    job: LearnJob | None = None,
    turn: int = 0,
) -> Worked:
    """Drain the queue of a store until it was empty for `idle` seconds. `at_once`: what waits now, due or not, then leave.

    `turn` is the lock, where a hook handed it on.
    """
    from tacit.app import open

    with open(path, env=env, cwd="/", create=False) as home:
        store = home.store
        if job is not None:
            enqueue(store, job)
        worked = Worked()
        while True:
            held, turn = turn or take_turn(store.path, env), 0
            if held is None:
                return replace(worked, alone=worked != Worked())
            try:
                from tacit.worker.drain import serve

                worked = worked.with_more(serve(home, env, idle, at_once))
            finally:
                os.close(held)
            if at_once or is_paused(store) or not store.is_job_due(clock.now()):
                return worked
