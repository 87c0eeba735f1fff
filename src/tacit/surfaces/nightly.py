"""Tending by itself: at most once a day for each project, detached, after a learned run, where the user allows it.

The worker starts it once its queue is empty. A machine that was off for a week is caught up with once: what is due is due
since the last pass, however long ago that was.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.app import Memories
from tacit.core import clock
from tacit.stores.lookups import last_learned

if TYPE_CHECKING:
    from tacit.stores.sql import Store

_DAYS = 1.0  # between two passes of one project


def projects_due(store: Store, now: str) -> list[str]:
    """Projects in which something was learned since they were last tended, or tried to be, and that was a day ago or more."""
    found = []
    for project in store.projects():
        last = max(store.meta(f"tend:{project.id}:{mark}") for mark in ("tended", "started"))
        if last_learned(store, project.id) > last and last <= clock.after_days(now, -_DAYS):
            found.append(project.id)
    return found


def start(memories: Memories, env: Mapping[str, str], among: Sequence[str] | None = None) -> int:
    """Start a pass for each project that is due, each in a process of its own that nobody waits for; how many. A server's projects are
    others' too: `among` names those that are used here."""
    if env.get("TACIT_NO_WORKER") or not sys.executable or str(memories.settings()["tend"].value) != "yes":
        return 0
    store, now = memories.store, memories.now()
    projects = [project for project in projects_due(store, now) if among is None or project in among]
    for project in projects:
        with store.write() as tx:  # first: a pass that dies is not started again and again
            tx.put_meta(f"tend:{project}:started", now)
        argv = [sys.executable, "-P", "-m", "tacit", "tend", "--quiet", "--project", project]
        argv += [] if store.url else ["--store", os.path.abspath(store.path)]
        nowhere = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
        surroundings = {**env, "TACIT_STORE": store.url} if store.url else dict(env)
        os.posix_spawn(sys.executable, argv, surroundings, file_actions=nowhere)
    return len(projects)
