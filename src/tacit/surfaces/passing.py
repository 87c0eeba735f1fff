"""A word in passing: what keep and drop do with what a row of the one screen stands for, at the terminal and at the desk."""

from __future__ import annotations

from typing import Any

from tacit.app import Memories
from tacit.core.errors import NotFound, Refused, UsageError
from tacit.core.memory import Memory
from tacit.surfaces.one_screen import numbers_shown
from tacit.surfaces.wording import CLOSED


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
    memory = _still_there(memories, id)
    if word == "keep":
        memories.review(memory.id, "approve", reason=reason)
        return {
            "id": memory.id,
            "did": f"kept, it is your word now (tacit undo {memory.id} takes it back)",
            "text": memory.text,
        }
    memories.forget(memory.id, reason=reason)
    return {"id": memory.id, "did": f"dropped (tacit undo {memory.id} brings it back)", "text": memory.text}


def _still_there(memories: Memories, id: str) -> Memory:
    """The lesson that is meant; what became of it, or of the question, since it was shown is said instead of doing something else."""
    try:
        memory = memories.get(id)
    except NotFound:
        for asked in memories.store.proposals_named(memories.project_id, id):
            raise Refused(f"“{asked.reason}” was answered since it was shown; nothing was done.", "tacit") from None
        raise
    if memory.state in CLOSED:
        told = f"“{memory.text}” was {CLOSED[memory.state]} since it was shown; nothing was done."
        raise Refused(told, f"tacit shows the list as it is now; tacit undo {memory.id} brings it back.")
    return memory
