"""What hooks queue is learned beside the agent: one process per store drains the queue, and leaves when it stays empty."""

from __future__ import annotations

import os

from tacit.core import clock
from tacit.core.value import replace
from tacit.hooks.start_worker import LearnJob, enqueue, start
from tacit.store.moments import is_job_due
from tacit.worker.turns import Worked, is_paused, take_turn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["IDLE", "LearnJob", "enqueue", "start", "work"]

IDLE = 30.0  # seconds without work after which a worker leaves


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
    from tacit.memory import open

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
            if at_once or is_paused(store) or not is_job_due(store, clock.now()):
                return worked
