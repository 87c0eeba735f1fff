"""A session learned by the rules and read by a model that a test brings."""

from __future__ import annotations

from typing import Any

from tests.verbs import Memories

from tacit.core.digest import new_id
from tacit.core.run import Run
from tacit.learn.pipeline import read
from tacit.reading.questions import ReaderContext
from tacit.reading.session import prepared
from tacit.store.readings import readings_folder


def desk_of(memories: Memories, model: Any, **more: Any) -> ReaderContext:
    place = readings_folder(memories.store.path)
    return ReaderContext(
        memories.store,
        memories.ensure_project(),
        memories.profile,
        place,
        model,
        memories.now,
        new_id,
        **more,
    )


def read_by(memories: Memories, found: Run, model: Any, **more: Any) -> Any:
    """What a reading comes to; None where there is nothing to read."""
    memories.learn(found)
    return read_at(desk_of(memories, model, **more), memories, found)


def read_at(at: ReaderContext, memories: Memories, found: Run, **more: Any) -> Any:
    """The same at a desk, of a session that was learned by the rules."""
    row = memories.store.find_run(memories.project_id, found.id)
    assert row is not None
    reading = prepared(at.folder, found, row.id, row.project, memories.now(), **more)
    return read(at, reading) if reading is not None else None
