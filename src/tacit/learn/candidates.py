"""Which lessons are most worth a person's glance: what was heard from them and is not confirmed, and the best that are not in force."""

from __future__ import annotations

from collections.abc import Iterable

from tacit.core.memory import Memory

_MOST = 10
# whose word a reader heard: shares of them that were worth having
_WORTH = {"said": 3.0, "shown": 2.5, "asked": 2.0, "found": 1.0}
_TOLD = {"said": "you said it", "shown": "you did it once", "asked": "you asked for it", "found": "found by reading"}
_KINDS = {"rule": 1.0, "preference": 0.8, "command": 0.8, "security": 0.8, "pitfall": 0.5, "fix": 0.5}


def heard(provisional: Iterable[Memory], most: int = _MOST) -> list[Memory]:
    """What a reader heard a person say and the person has not confirmed: on trial until then."""
    found = [memory for memory in provisional if _word(memory) in ("said", "shown") and memory.gate == "allow"]
    return sorted(found, key=lambda memory: (-_score(memory), memory.created_at, memory.id))[:most]


def best(candidates: Iterable[Memory], most: int = _MOST) -> list[Memory]:
    """The candidates that most deserve a look: a person's words first, then what came again and has evidence."""
    found = [memory for memory in candidates if memory.gate == "allow" and memory.text]
    return sorted(found, key=lambda memory: (-_score(memory), memory.created_at, memory.id))[:most]


def why(memory: Memory) -> str:
    """What a candidate is, in a few words."""
    return f"{_TOLD.get(_word(memory), memory.trust)}, seen {memory.tally.seen}x"


def _word(memory: Memory) -> str:
    return str((memory.extra or {}).get("word") or "")


def _score(memory: Memory) -> float:
    return (
        _WORTH.get(_word(memory), 0.5)
        + _KINDS.get(memory.klass, 0.3)
        + min(memory.tally.seen, 5) * 0.6
        - memory.tally.contradicted
    )
