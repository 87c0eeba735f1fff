"""A lesson as a hook reads it, made of one that is at hand."""

from __future__ import annotations

import json

from tacit.lesson import Lesson
from tacit.store.moments import Candidate


def candidate(memory: Lesson, n: int = 0) -> Candidate:
    """What a store would hand a hook."""
    signals = {**memory.signals, "seen": float(memory.met)}
    told = (memory.id, memory.project, memory.text, memory.kind, memory.klass, memory.about)
    words = (json.dumps(memory.paths), json.dumps(memory.extra or {}), json.dumps(signals))
    state = (memory.trust, memory.state, memory.severity, memory.verdict)
    flags = (memory.pinned, memory.on_page, memory.family, memory.source)
    return Candidate(
        (n, *told, *words, *state, *flags, memory.scope, memory.agent, memory.category)
    )
