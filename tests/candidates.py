"""A lesson as a hook reads it, made of one that is at hand."""

from __future__ import annotations

import json

from tacit.lesson import Lesson
from tacit.store.moments import Candidate

_WAS = "kind trust severity verdict scope source agent category on_page".split()


def candidate(memory: Lesson, n: int = 0) -> Candidate:
    """What a store would hand a hook."""
    counts = {name: [at] for name, at in {**memory.signals, "seen": float(memory.met)}.items()}
    extra = {**(memory.extra or {}), "was": {name: getattr(memory, name) for name in _WAS}}
    told = (memory.id, memory.project, memory.text, memory.kind, memory.klass, memory.about)
    words = (json.dumps(memory.paths), json.dumps(extra), json.dumps(counts))
    return Candidate((n, *told, *words, "", memory.state, memory.pinned, memory.family))
