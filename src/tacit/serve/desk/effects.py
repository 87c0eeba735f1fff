"""What the whole memory spared, reckoned beside the requests: it grows with every use there ever was.

One result is kept for the state of the store it was made from. A screen that finds it out of date gets the older one and sets a
thread to work; one that finds none waits a moment, and is told so.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from tacit.core.value import value
from tacit.memory import Memory as Memories

if TYPE_CHECKING:
    from tacit.trial.effect import Effects

    Opens = Callable[[str], AbstractContextManager[Memories]]

PATIENCE = 0.3  # seconds that a request waits for a first result


@value
class KnownEffect:
    """The last result, and whether it is of the store as it stands."""

    found: Effects | None
    is_current: bool


class EffectCache:
    """The effect of each project's memory, kept."""

    def __init__(self, opens: Opens) -> None:
        self._opens = opens
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[Any, Effects]] = {}  # the state of the store, and the result
        self._work: dict[str, threading.Thread] = {}

    def effect(self, memories: Memories) -> KnownEffect:
        """What is known now; starts to find out more where that is too little."""
        project, state = memories.project_id, state_of(memories)
        with self._lock:
            work = self._work.get(project)
            if self._of(project, state).is_current:
                return self._of(project, state)
            if work is None:
                work = threading.Thread(target=self._reckon, args=(project,), daemon=True)
                self._work[project] = work
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
            with self._opens(project) as memories:
                # before it is read: what is written meanwhile is noticed the next time
                state = state_of(memories)
                found = memories.effect()
            with self._lock:
                self._kept[project] = (state, found)
        finally:
            with self._lock:
                del self._work[project]


def state_of(memories: Memories) -> tuple[Any, ...]:
    """What changes whenever the result could: the uses and marks there are, and the profile that judges them."""
    return (*memories.store.written(), memories.profile.name)
