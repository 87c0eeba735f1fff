"""Write ArcheFlow's own file of lessons, and its log of what was decided."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

from tacit.core.clock import seconds
from tacit.core.exchange import Given, Opening, OriginVerdict, Row, Skipped
from tacit.core.run import fold_severity
from tacit.core.states import GONE, faded, record_of
from tacit.lesson import Lesson
from tacit.origins.archeflow.reading import (
    BY_HAND,
    GENERAL,
    LESSON_TYPES,
    Fields,
    second_of,
    text_in,
)

if TYPE_CHECKING:
    Record = dict[str, Any]
    Item = Row | Given | OriginVerdict | Skipped


def dump(items: Iterable[Item], part: str = "lessons", now: str = "") -> str:
    """One of ArcheFlow's files: lessons, archive or audit, a JSON object a line."""
    if part == "audit":
        rows = [_audit_row(each) for each in items if isinstance(each, (Given, OriginVerdict))]
    else:
        wanted = part == "archive"
        rows = [
            lesson_of(each)
            for each in items
            if isinstance(each, Row) and (each.memory.state == GONE) is wanted
        ]
    return "".join(
        json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows
    )


def lesson_of(row: Row) -> Record:
    """A memory as ArcheFlow writes it: the record it came as, with what changed since; or a new one."""
    memory, counts = row.memory, {each.signal: each for each in row.openings}
    came = record_of(memory.extra) if "description" in (memory.extra or {}) else None
    read = Fields(came or {})
    seen = counts.get("seen", Opening("seen", 0))
    # A person's word was said once, although no run saw it; forgotten, it leaves as it was, only silence wears it down.
    worn = faded(memory)
    frequency = int(counts.get("frequency", seen).amount) if worn or seen.amount else 1
    kind = _type_of(memory, read.type if came else "")
    runs = [run for run in row.runs if run != BY_HAND]
    now = {
        "id": row.alias,
        "ts": second_of(
            _last_change(memory, read.ts if came else memory.created_at, seen.at if runs else "")
        ),
        "run_id": (row.runs or (BY_HAND,))[0],
        "type": kind,
        "source": memory.source,
        "description": memory.text,
        "frequency": frequency,
        "severity": _severity(memory),
        "domain": memory.domain or GENERAL,
        "tags": list(memory.tags),
        "archetype": memory.agent or None,
        "last_seen_run": runs[-1] if runs else "",
        "runs_since_last_seen": int(counts["unseen"].amount) if "unseen" in counts else 0,
    }
    if came is None:
        return now
    same = {
        "ts": read.ts == _last_change(memory, read.ts, seen.at if runs else ""),
        "run_id": True,
        "type": read.type == kind,
        "source": read.source == memory.source,
        "description": came["description"] == memory.text,
        "frequency": read.frequency == frequency,
        "severity": read.severity == memory.severity,
        "domain": read.domain == memory.domain,
        "tags": read.tags == memory.tags,
        "archetype": read.archetype == memory.agent,
        "last_seen_run": not runs,
        "runs_since_last_seen": read.unseen == now["runs_since_last_seen"],
    }
    changed = {name: now[name] for name, is_same in same.items() if not is_same}
    if text_in(came.get("id")) != row.alias:
        changed["id"] = row.alias  # it had none, or one that another lesson bears here
    return {**came, **changed}


def _type_of(memory: Lesson, came: str) -> str:
    if memory.kind in LESSON_TYPES and (not came or came in LESSON_TYPES):
        return memory.kind
    return came or ("preference" if memory.klass == "preference" else "pattern")


def _severity(memory: Lesson) -> str:
    """Its own word for it, as long as it means the same."""
    word = text_in((memory.extra or {}).get("severity"))
    return word if word and fold_severity(word) == memory.severity else memory.severity


def _last_change(memory: Lesson, made: str, seen: str) -> str:
    """When a lesson was made, last met, or faded into the archive; being forgotten does not date it anew."""
    return max(made, seen, memory.updated_at if faded(memory) else "", key=seconds)


def _audit_row(item: Given | OriginVerdict) -> Record:
    if item.record is not None:
        return dict(item.record)
    if isinstance(item, Given):
        return {
            "ts": second_of(item.at),
            "run_id": item.run,
            "domain": item.domain,
            "archetype": item.agent,
            "lessons_injected": list(item.memories),
            "lesson_count": len(item.memories),
        }
    return {
        "ts": second_of(item.at),
        "run_id": item.run,
        "type": "effectiveness_check",
        "lesson_id": item.memory,
        "lesson_desc": item.text,
        "effectiveness": item.signal,
        "keyword_overlap_pct": int(item.figure or 0),
    }


def name_for(memory: Lesson, taken: Collection[str]) -> str:
    """The next number: m-001, m-002 … above every one ever given, also to what is archived by now."""
    numbers = [int(name[2:]) for name in taken if re.fullmatch(r"m-[0-9]{1,9}", name)]
    return f"m-{max(numbers, default=0) + 1:03d}"
