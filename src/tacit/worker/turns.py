"""Whose turn it is: one worker per store at a time, and a session is read only in its own project's environment.

A worker has the environment of the hook that started it and serves every project. A project can have its host set variables: an
endpoint, a key, the PATH on which a program is found. So a job says in which surroundings its hook ran, as a hash; a worker with others
learns it by rules and leaves the reading, and a hook that finds such a worker at work starts one of its own, which waits for its turn.
"""

from __future__ import annotations

import os
import time

from tacit.core import clock
from tacit.core.value import value
from tacit.hooks.start_worker import lock, serves_others
from tacit.hosts import surroundings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from tacit.store.reads import Store

PATIENT = 900.0  # seconds that a worker waits for its turn; what is left then is the next one's
_GLANCE = 0.5


@value
class Worked:
    """What a worker did before it left."""

    learned: int = 0
    failed: int = 0
    skipped: int = 0
    alone: bool = True  # false: another worker holds this store

    def with_more(self, more: Worked) -> Worked:
        """Both together."""
        return Worked(
            self.learned + more.learned,
            self.failed + more.failed,
            self.skipped + more.skipped,
            self.alone,
        )


def detach(turn: int = 0) -> None:
    """Leave the hook's surroundings: its session, its folder, its open files except the lock that it handed on."""
    for leave in (os.setsid, lambda: os.chdir("/")):
        try:
            leave()
        except OSError:
            pass
    os.closerange(3, turn or 256)
    if turn:
        os.closerange(turn + 1, 256)
        os.set_inheritable(turn, False)  # nobody whom the worker starts holds it on


def take_turn(path: str, env: Mapping[str, str]) -> int | None:
    """The lock of a worker, which says in it whose surroundings it has. Where one with others works, it is waited for, by one of a kind."""
    own = surroundings(env)
    held = lock(path, patient=True)
    if (
        held is None
        and serves_others(path, own)
        and (waits := lock(path, suffix=f".{own}")) is not None
    ):
        until = time.monotonic() + PATIENT
        while held is None and time.monotonic() < until:
            time.sleep(_GLANCE)
            held = lock(path)
        os.unlink(f"{os.path.realpath(path)}.worker.{own}")
        os.close(waits)
    if held is not None:
        os.ftruncate(held, 0)
        os.pwrite(held, own.encode(), 0)
    return held


def is_paused(store: Store) -> bool:
    """Whether nothing is to be learned for a while."""
    return store.meta("paused_until") > clock.now()
