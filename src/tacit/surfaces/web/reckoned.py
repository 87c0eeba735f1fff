"""What takes long to reckon, reckoned beside the requests: what the whole memory spared grows with every use there ever was.

One result is kept for the state of the store it was made from. A screen that finds it out of date gets the older one and sets a thread to
work; one that finds none waits a moment, and is told if that was not enough.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from tacit.app import Memories
from tacit.core.value import value

if TYPE_CHECKING:
    from tacit.prove.effect import Effects
    from tacit.surfaces.web.server import Desk

PATIENCE = 0.3  # seconds that a request waits for a first result


@value
class ReckonedEffect:
    """A result, if there is one, and whether it is of the store as it is now."""

    found: Effects | None
    is_current: bool


class Reckoned:
    """The effect of the memory, kept."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._lock = threading.Lock()
        self._kept: dict[Any, tuple[Any, Effects]] = {}  # by project: the state of the store, and the result
        self._work: dict[Any, threading.Thread] = {}

    def effect(self, memories: Memories) -> ReckonedEffect:
        """What is known now; starts to find out more where that is too little."""
        project, state = memories.project_id, state_of(memories)
        with self._lock:
            work = self._work.get(project)
            if self._of(project, state).is_current:
                return self._of(project, state)
            if work is None:
                work = self._work[project] = threading.Thread(target=self._reckon, args=(project,), daemon=True)
                work.start()
        if project not in self._kept:
            work.join(PATIENCE)
        with self._lock:
            return self._of(project, state)

    def _of(self, project: str, state: Any) -> ReckonedEffect:
        at, found = self._kept.get(project, (None, None))
        return ReckonedEffect(found, found is not None and at == state)

    def _reckon(self, project: str) -> None:
        try:
            with self._desk.memories(project) as memories:
                state = state_of(memories)  # before it is read: what is written meanwhile is noticed the next time
                found = memories.effect()
            with self._lock:
                self._kept[project] = (state, found)
        finally:
            with self._lock:
                del self._work[project]


def state_of(memories: Memories) -> tuple[Any, ...]:
    """What changes whenever the result could: the uses and marks there are, and the profile that judges them."""
    sealed = memories.store.sealed(memories.project_id)
    return sealed.get("use", 0), sealed.get("mark", 0), sealed.get("journal", 0), memories.profile.name
