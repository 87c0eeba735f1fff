"""Work that takes longer than a click: tending, one at a time, with its progress as server-sent events; and reckoning, beside the requests.

A job is a thread with memories of its own. Its lines are kept, so that a page that comes late, or comes back, sees them all.
`journal` is the third stream: what is learned while one looks on.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool

from tacit.app import Memories
from tacit.core.digest import new_id
from tacit.core.errors import NotFound, StoreBusy, TacitError, numbered
from tacit.core.journal import Entry
from tacit.core.value import value
from tacit.surfaces.views import picked

if TYPE_CHECKING:
    from tacit.prove.effect import Effects
    from tacit.surfaces.web.server import Desk

LOOK = 0.5  # seconds between looks for something new
STREAM_SECONDS = 600.0  # seconds a stream stays open; a browser comes back by itself
JOBS_KEPT = 20  # finished jobs that are remembered
PATIENCE = 0.3  # seconds that a request waits for a first result
# tend without the page: nothing is written outside the store
UNATTENDED = ("sweep", "merge", "reflect", "triage", "prune", "stats")


class Job:
    """One piece of work and what it has said so far."""

    def __init__(self, name: str) -> None:
        self.id, self.name = new_id(), name
        self.lines: list[str] = []
        self.over = False

    def say(self, line: str) -> None:
        """One more line of progress."""
        self.lines.append(line)


class Jobs:
    """The jobs of one desk."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._jobs: dict[str, Job] = {}
        self._one = threading.Lock()

    def start(self, name: str, work: Callable[[Memories, Callable[[str], None]], str]) -> Job:
        """Begin, unless another job is under way."""
        if not self._one.acquire(blocking=False):
            raise StoreBusy("Another job is under way.", "Wait for its end.")
        job = Job(name)
        self._jobs[job.id] = job
        for old in list(self._jobs)[:-JOBS_KEPT]:
            del self._jobs[old]
        threading.Thread(target=self._work, args=(job, work), daemon=True).start()
        return job

    def _work(self, job: Job, work: Callable[[Memories, Callable[[str], None]], str]) -> None:
        try:
            with self._desk.memories() as memories:
                job.say(work(memories, job.say))
        except TacitError as error:
            job.say(f"{error.message} {error.hint}")
        except Exception as error:  # whatever happens, the page is told and the next job may start
            job.say(f"A bug of ours: {type(error).__name__}: {error}")
        finally:
            job.over = True
            self._one.release()

    def events(self, id: str) -> AsyncIterator[str]:
        """A job's lines as they come, then its end."""
        job = self._jobs.get(id)
        if job is None:
            raise NotFound(
                "There is no such job.", "It may have ended before the desk was started anew."
            )
        return _stream(job)

    async def journal(self, after: int) -> AsyncIterator[str]:
        """New journal entries as they are written. Waiting holds no thread: many may look on."""
        deadline = time.monotonic() + STREAM_SECONDS
        while time.monotonic() < deadline:
            entries = await run_in_threadpool(partial(self._entries, after))
            for entry in entries if after >= 0 else ():
                told = {**picked(entry, "id memory verb by"), "reason": entry.reason[:300]}
                yield event("entry", json.dumps(told), entry.id)
            after = max([after, 0, *(entry.id for entry in entries)])
            yield ": still here\n\n"
            await asyncio.sleep(2 * LOOK)

    def _entries(self, after: int) -> list[Entry]:
        with self._desk.memories() as memories:
            return (
                memories.log(newest=True, limit=1)
                if after < 0
                else memories.log(after=after, limit=200)
            )


async def _stream(job: Job) -> AsyncIterator[str]:
    told = 0
    deadline = time.monotonic() + STREAM_SECONDS
    while time.monotonic() < deadline:
        over = job.over
        for line in job.lines[told:]:
            told += 1
            yield event("line", json.dumps(line), told)
        if over:
            yield event("over", json.dumps(job.name), told + 1)
            return
        await asyncio.sleep(LOOK)


def event(kind: str, data: str, id: int) -> str:
    """One server-sent event."""
    return f"id: {id}\nevent: {kind}\ndata: {data}\n\n"


def tended(memories: Memories, say: Callable[[str], None]) -> str:
    """Everything that is due between runs but the pages."""
    changes = 0
    for step in UNATTENDED:
        say(f"{step} …")
        done = memories.tend(only=step)
        if done.busy:
            return f"{step}: {done.busy}"
        changes += len(done.moves)
    return f"done: {numbered(changes, 'lesson')} moved; tacit page writes the pages"


# -- what the whole memory spared, which grows with every use there ever was: one result is kept for the state of the store it was made
# from. A screen that finds it out of date gets the older one and sets a thread to work; one that finds none waits a moment, and is told so.


@value
class KnownEffect:
    """A result, if there is one, and whether it is of the store as it is now."""

    found: Effects | None
    is_current: bool


class EffectCache:
    """The effect of the memory, kept."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._lock = threading.Lock()
        self._kept: dict[
            Any, tuple[Any, Effects]
        ] = {}  # by project: the state of the store, and the result
        self._work: dict[Any, threading.Thread] = {}

    def effect(self, memories: Memories) -> KnownEffect:
        """What is known now; starts to find out more where that is too little."""
        project, state = memories.project_id, state_of(memories)
        with self._lock:
            work = self._work.get(project)
            if self._of(project, state).is_current:
                return self._of(project, state)
            if work is None:
                work = self._work[project] = threading.Thread(
                    target=self._reckon, args=(project,), daemon=True
                )
                work.start()
        if project not in self._kept:
            work.join(PATIENCE)
        with self._lock:
            return self._of(project, state)

    def _of(self, project: str, state: Any) -> KnownEffect:
        at, found = self._kept.get(project, (None, None))
        return KnownEffect(found, found is not None and at == state)

    def _reckon(self, project: str) -> None:
        try:
            with self._desk.memories(project) as memories:
                state = state_of(
                    memories
                )  # before it is read: what is written meanwhile is noticed the next time
                found = memories.effect()
            with self._lock:
                self._kept[project] = (state, found)
        finally:
            with self._lock:
                del self._work[project]


def state_of(memories: Memories) -> tuple[Any, ...]:
    """What changes whenever the result could: the uses and marks there are, and the profile that judges them."""
    sealed = memories.store.sealed(memories.project_id)
    return (
        sealed.get("use", 0),
        sealed.get("mark", 0),
        sealed.get("journal", 0),
        memories.profile.name,
    )
