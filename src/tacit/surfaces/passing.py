"""A word in passing: what keep and drop do with what a row of the one screen stands for, at the terminal and at the desk."""

from __future__ import annotations

from typing import Any

from tacit.app import Memories
from tacit.core.errors import NotFound, UsageError
from tacit.surfaces.one_screen import numbers_shown


def meant(memories: Memories, name: str) -> str:
    """What a number of the last screen stands for; what is no number is an id already."""
    if not name.isdigit() or len(name) > 2:
        return name
    shown = numbers_shown(memories)
    if int(name) not in shown:
        most = f"The last screen had the numbers 1 to {len(shown)}" if shown else "No screen was shown yet"
        raise NotFound(f"There is no number {name}: {most[0].lower()}{most[1:]}.", "tacit shows it.")
    return shown[int(name)]


def word_done(memories: Memories, id: str, word: str, reason: str = "") -> dict[str, Any]:
    """Do what a word says about a lesson or a question."""
    asked = next((each for each in memories.proposals() if each.id.startswith(id.lower())), None)
    if asked is not None:
        if word == "keep" and asked.kind == "contradiction":
            raise UsageError(
                "Of two lessons that contradict each other one stays: which?", f"tacit review show {asked.id}"
            )
        about = next(iter(memories.store.memories([asked.memory])), None) if asked.memory else None
        memories.review(asked.id, "approve" if word == "keep" else "reject", reason=reason)
        if word == "drop" and about is not None and asked.kind in ("confirm", "promote"):
            memories.forget(about.id, reason=reason)
        did = "answered with yes" if word == "keep" else "answered with no"
        return {"id": asked.id, "did": did, "text": about.text if about else asked.reason}
    memory = memories.get(id)
    if word == "keep":
        memories.review(memory.id, "approve", reason=reason)
        return {"id": memory.id, "did": "kept, it is your word now", "text": memory.text}
    memories.forget(memory.id, reason=reason)
    return {"id": memory.id, "did": f"dropped (tacit undo {memory.id} brings it back)", "text": memory.text}
