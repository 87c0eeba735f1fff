"""The staging area of an origin: what was learned and waits to be promoted, as a whole."""

from __future__ import annotations

from tacit.cli.verb import Answer
from tacit.cli.words import one_line, table
from tacit.core.errors import UsageError
from tacit.core.proposal import staging_status
from tacit.memory import Memory as Memories
from tacit.origins import tending


def staging(memories: Memories, verb: str) -> Answer:
    """The staging area as a whole: looked at, promoted as far as it passes validation, or emptied."""
    stage = tending.staging(memories)
    if verb == "approve":
        memories.need_person("Approving")
        promoted, skipped = stage.promote()
        left = stage.stats()
        told = f"{promoted} promoted, {skipped} skipped, {left.rejected} rejected by validation"
        return Answer(
            {"promoted": promoted, "skipped": skipped, "staging": dict(left.__dict__)}, told
        )
    if verb == "clear":
        memories.need_person("Clearing")
        gone = stage.clear()
        return Answer({"cleared": gone}, f"{gone} cleared; what is met again is staged again")
    if verb != "list":
        raise UsageError(
            f"tacit review {verb} --staged: of what?",
            "list, approve and clear work on the whole area.",
        )
    found = [(staging_status(memory), memory) for memory in stage.listed()]
    rows = [
        [
            memory.id,
            status,
            memory.kind,
            one_line(memory.gate_reason if status == "rejected" else "", 44),
            one_line(memory.text, 60),
        ]
        for status, memory in found
    ]
    data = [
        {
            "id": m.id,
            "status": status,
            "kind": m.kind,
            "task_type": m.task_type,
            "text": m.text,
            "confidence": m.tally.confidence,
            "reason": m.gate_reason if status == "rejected" else None,
        }
        for status, m in found
    ]
    heads = ("id", "status", "kind", "reason", "lesson")
    return Answer(
        {"staged": data, "stats": dict(stage.stats().__dict__)},
        table(rows, heads) if rows else "nothing is staged",
    )
