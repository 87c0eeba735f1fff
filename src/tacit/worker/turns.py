"""Whose turn it is: one worker per store at a time, and a session is read only in its own project's environment.

A worker has the environment of the hook that started it and serves every project. A project can have its host set variables: an
endpoint, a key, the PATH on which a program is found. So a job says in which surroundings its hook ran, as a hash; a worker with others
learns it by rules and leaves the reading, and a hook that finds such a worker at work starts one of its own, which waits for its turn.
"""

from __future__ import annotations

import os
import sys
import time

from tacit.core import clock
from tacit.core.value import value
from tacit.hosts import surroundings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tacit.stores.sql import Store

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
    ):  # no POSIX_SPAWN_SETSID here: the worker leaves the host's session itself
        return os.posix_spawn(sys.executable, argv, dict(env), file_actions=given)


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


def serves_others(path: str, own: str) -> bool:
    """Whether the worker that holds the lock has surroundings other than these."""
    from tacit.safety.files import head_of

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


def is_paused(store: Store) -> bool:
    """Whether nothing is to be learned for a while."""
    return store.meta("paused_until") > clock.now()
