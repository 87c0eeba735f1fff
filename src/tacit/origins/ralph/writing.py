"""Write Ralph's own files: learnings with their checksum, the staging area, the table."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from csv import writer
from hashlib import sha256
from io import StringIO
from typing import TYPE_CHECKING, Any

from tacit.core.clock import seconds
from tacit.core.digest import short_hash
from tacit.core.exchange import Given, Header, Note, Opening, OriginVerdict, Row, Skipped
from tacit.core.proposal import staging_status
from tacit.core.states import record_of
from tacit.lesson import Lesson
from tacit.origins.ralph.reading import (
    CSV,
    DEFAULT_CONFIDENCE,
    LEARNING_TYPES,
    STORED,
    VERSION,
    Fields,
    learning_text,
    text_in,
)
from tacit.origins.ralph.their_json import checksum, js_json

if TYPE_CHECKING:
    Record = dict[str, Any]
    Item = Row | Given | OriginVerdict | Header | Note | Skipped


def dump(items: Iterable[Item], part: str = "learnings", now: str = "") -> str:
    """The knowledge base, or the staging area, as Ralph writes it, with its checksum."""
    every = list(items)
    headers = (each for each in every if isinstance(each, Header) and each.part == part)
    header = next(headers, Header(part, {}))
    rows = [each for each in every if isinstance(each, Row)]
    if part == "staging":
        waiting = (row for row in rows if staging_status(row.memory))
        in_turn = sorted(waiting, key=lambda row: int(row.place or 0))
        listed = [staged_of(row, number, now) for number, row in enumerate(in_turn)]
    else:
        listed = [learning_of(row) for row in rows if row.memory.state in STORED]
    if part == "csv":
        return _csv(listed)
    came = dict(header.record or {})
    updated = max(text_in(came.get("lastUpdated")), header.changed) or now
    version, sum = came.pop("version", VERSION), checksum(listed)
    store: Record = {"version": version, "checksum": sum, "lastUpdated": updated}
    store |= {key: at for key, at in came.items() if key not in store}
    store["staged" if part == "staging" else "learnings"] = listed
    if part == "learnings":
        store["stats"] = _stats(listed)
    return js_json(store, 2)


def _csv(learnings: list[Record]) -> str:
    """Ralph's seven columns for analysis; a cell that a spreadsheet would run is marked as text."""
    out = StringIO()
    table = writer(out, lineterminator="\n")
    table.writerow(CSV)
    for each in learnings:
        found = (each.get(name, "") for name in CSV)
        cells = [js_json(cell) if isinstance(cell, float) else str(cell) for cell in found]
        table.writerow([f"'{cell}" if _would_run(cell) else cell for cell in cells])
    return out.getvalue()


def _would_run(cell: str) -> bool:
    is_figure = cell.replace(".", "", 1).removeprefix("-").isdigit()
    return cell[:1] in "=+-@\t\r" and bool(cell) and not is_figure


def learning_of(row: Row) -> Record:
    """A memory as Ralph stores it: the record it came as, with what changed since; or a new one."""
    memory, counts = row.memory, {each.signal: each for each in row.openings}
    came = _record(memory)
    read = Fields(came or {})
    content = dict(_content(memory))
    uses = counts.get("uses", Opening("uses", 0))
    times = [memory.updated_at, uses.at, *(each.at for each in row.openings)]
    changed = max(filter(None, times), key=seconds, default="")
    was = read.text if came else learning_text(content, memory.task_type)
    kind = memory.kind if memory.kind in LEARNING_TYPES else _TYPE_OF.get(memory.klass, "strategy")

    def figure(name: str, otherwise: float) -> float:
        return counts[name].amount if name in counts else otherwise

    now: Record = {
        "id": row.alias,
        "type": kind,
        "taskType": memory.task_type or "general",
        "content": _worded(content, memory.text, was),
        "confidence": figure("confidence", DEFAULT_CONFIDENCE),
        "sourceLoops": _loops(row, list(read.loops)),
        "createdAt": read.made or memory.created_at,
        "updatedAt": changed,
        "useCount": int(uses.amount),
        "successRate": figure("success_rate", 0.0),
    }
    if came is None:
        return now
    same = {
        "type": read.type not in LEARNING_TYPES or read.type == now["type"],
        "taskType": read.task == now["taskType"],
        "content": now["content"] == came.get("content"),
        "confidence": read.confidence == now["confidence"],
        "sourceLoops": list(read.loops) == now["sourceLoops"],
        "updatedAt": read.changed == changed,
        "useCount": read.uses == now["useCount"],
        "successRate": read.success == now["successRate"],
    }
    kept = {name: at for name, at in came.items() if name not in _OURS}
    if text_in(kept.get("id")) != row.alias:
        kept = {"id": row.alias, **kept, **({"id": row.alias} if "id" in kept else {})}
    return {**kept, **{name: now[name] for name, is_same in same.items() if not is_same}}


def staged_of(row: Row, number: int, now: str) -> Record:
    """A memory in the staging area."""
    memory = row.memory
    stage = dict((memory.extra or {}).get("staged") or {})
    status = staging_status(memory)
    full = learning_of(row)
    names = ("type", "taskType", "content", "confidence", "sourceLoops", "successRate")
    learning = {name: full[name] for name in names if name in full}
    learning |= {
        name: at
        for name, at in full.items()
        if name in (_record(memory) or {}) and name not in learning
    }
    at = text_in(stage.get("stagedAt")) or memory.created_at or now
    told: Record = {
        "id": text_in(stage.get("id")) or _stage_id(row, at, number),
        "learning": learning,
        "status": status,
        "stagedAt": at,
    }
    if status == "validated":
        told["validatedAt"] = text_in(stage.get("validatedAt")) or memory.updated_at
    elif status == "rejected":
        told["rejectionReason"] = memory.gate_reason
    return told


def name_for(memory: Lesson, taken: Collection[str]) -> str:
    """learn- and eight hexadecimal digits, as Ralph names a learning; from the memory's own id, so that it stays the same."""
    for salt in range(1000):
        name = "learn-" + sha256(f"{memory.id}{salt or ''}".encode()).hexdigest()[:8]
        if name not in taken:
            return name
    return "learn-" + short_hash(memory.id)


_TYPE_OF = {
    "pitfall": "antipattern",
    "estimate": "estimate",
    "fact": "convention",
    "rule": "convention",
}
_OURS = ("staged", "success_rate")  # what we keep beside a record


def _record(memory: Lesson) -> Record | None:
    extra = memory.extra or {}
    return (
        record_of(extra) if isinstance(extra.get("content"), dict) and "taskType" in extra else None
    )


def _content(memory: Lesson) -> Mapping[str, Any]:
    content = (memory.extra or {}).get("content")
    return content if isinstance(content, dict) else {}


def _worded(content: Record, text: str, was: str) -> Record:
    """A learning's content, with its text where somebody corrected it."""
    name = "pattern" if "pattern" in content else "description"
    if not content or (text != was and ("pattern" in content or "description" in content)):
        return {**content, name: text}
    return content


def _loops(row: Row, came: list[str]) -> list[str]:
    """The loops it came from. An anti-pattern names none until a second loop has met it: so its document has it."""
    every = list(dict.fromkeys([*came, *row.runs]))
    if row.memory.kind == "antipattern" and not came and len(every) < 2:
        return []
    return every


def _stage_id(row: Row, at: str, number: int) -> str:
    return f"stage-{int(seconds(at) * 1000 + 0.5)}-{row.order if row.order >= 0 else number}"


def _stats(learnings: list[Record]) -> Record:
    by_type, by_task = dict.fromkeys(LEARNING_TYPES, 0), dict[str, int]()
    for each in learnings:
        for counts, name in ((by_type, each.get("type")), (by_task, each.get("taskType"))):
            if isinstance(name, str):  # a learning that came without it leaves so
                counts[name] = counts.get(name, 0) + 1
    return {"totalLearnings": len(learnings), "byType": by_type, "byTaskType": by_task}
