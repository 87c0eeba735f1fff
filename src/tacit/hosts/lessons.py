"""Lessons with their facts, as Tacit itself writes them for people and other tools: JSON Lines,
CSV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tacit.core.errors import UsageError
from tacit.core.exchange import Opening, Row, Skipped
from tacit.core.links import CONFIRMED, STATED_SIGNALS, WITNESSED, is_carried
from tacit.core.states import STATES
from tacit.core.value import replace
from tacit.lesson import Lesson, check_fields, checked

NAMESPACE = "tacit"  # of the ids that lessons were born with
# What is carried, in this order, and its kind; a list and an object are JSON in a cell.
FACTS: dict[str, type] = {
    "id": str,
    "text": str,
    "kind": str,
    "category": str,
    "scope": str,
    "domain": str,
    "agent": str,
    "task_type": str,
    "tags": list,
    "paths": list,
    "severity": str,
    "source": str,
    "origin": str,
    "trust": str,
    "gate": str,
    "gate_reason": str,
    "state": str,
    "previous_state": str,
    "under_review_count": int,
    "closed_by": str,
    "verdict": str,
    "signature": str,
    "pinned": bool,
    "merged": int,
    "stale_at": str,
    "review_after": str,
    "created_at": str,
    "updated_at": str,
    "seen": int,
    "seen_at": str,
    "uses": int,
    "contradicted": int,
    "confidence": float,
    "counts": dict,
    "extra": dict,
    "about": str,
}
_COUNTED = ("seen", "uses", "contradicted", "confidence")
_DERIVED = ("units", "tasks", "frequency", "clean", "recurred", CONFIRMED, WITNESSED)
# scopes that an import may give; wider ones need a person's approval
NARROW = ("task", "mission", "project")
# type: ignore[attr-defined]
_PLAIN = tuple(
    name for name in FACTS if name in Lesson.FIELDS and name not in ("id", "tags", "paths")
)


def is_derived(signal: str) -> bool:
    """Whether a count is made anew from other rows, or from what stands outside the store: it is not carried."""
    return signal in _DERIVED or is_carried(signal)


def facts(row: Row) -> dict[str, Any]:
    """What is told of a lesson on its way out."""
    at, tally = row.memory.__dict__, row.memory.tally
    told = {
        "id": row.alias or row.memory.id,
        **{name: at[name] for name in _PLAIN},
        "tags": list(row.memory.tags),
        "paths": list(row.memory.paths),
        **{name: tally.__dict__[name] for name in _COUNTED},
        "seen_at": tally.seen_at or "",
        "counts": {
            name: amount
            for name, amount in (tally.signals or {}).items()
            if amount and not is_derived(name)
        },
        "extra": row.memory.extra or {},
    }
    return {name: told[name] for name in FACTS}


def row_of(told: Mapping[str, Any], place: str) -> Row:
    """A lesson on its way in; `UsageError` or `ValueError` where a fact is none."""
    for name, field in told.items():
        if name in FACTS and field is not None and not _is(FACTS[name], field):
            raise ValueError(f"{name} holds {field!r:.60}, which is no {FACTS[name].__name__}")
    at = {name: told[name] for name in _PLAIN if told.get(name) not in (None, "")}
    memory = Lesson(**{"id": "", "project": "", **at, "text": told.get("text") or ""})
    memory = replace(
        memory,
        tags=_texts(told, "tags"),
        paths=_texts(told, "paths"),
        extra=told.get("extra") or None,
    )
    return lesson_row(memory, told.get("id") or "", _openings(told), place)


def lesson_row(memory: Lesson, name: str, openings: tuple[Opening, ...], place: str) -> Row:
    """A lesson of ours under its name; the project it goes to is the importer's, and what it refers to stays behind."""
    if not memory.text.strip():
        raise ValueError("it has no text")
    checked("state", memory.state, STATES)
    check_fields(memory)
    scope = memory.scope if memory.scope in NARROW else "project"
    at_home = replace(
        memory, project="", scope=scope, on_page=False, supersedes=(), superseded_by="", family=""
    )
    return Row(at_home, name, openings, place, tier=memory.trust)


def _openings(told: Mapping[str, Any]) -> tuple[Opening, ...]:
    amounts = {name: told.get(name) for name in _COUNTED}
    amounts.update(
        {
            str(name): amount
            for name, amount in (told.get("counts") or {}).items()
            if not is_derived(str(name))
        }
    )
    return tuple(
        Opening(name, float(amount), told.get("seen_at") or "" if name == "seen" else "")
        for name, amount in amounts.items()
        if amount or (amount is not None and name in STATED_SIGNALS)
    )


def _texts(told: Mapping[str, Any], name: str) -> tuple[str, ...]:
    return tuple(str(each) for each in told.get(name) or ())


def _is(kind: type, field: Any) -> bool:
    if kind is float:
        return (
            isinstance(field, (int, float))
            and not isinstance(field, bool)
            and field == field
            and abs(field) < 1e15
        )
    if kind is int:
        return type(field) is int and 0 <= field < 1 << 53
    if kind is dict:
        return isinstance(field, dict)
    return type(field) is kind


def taken(told: Any, place: str) -> Row | Skipped:
    """One object as a lesson, or why it is none."""
    try:
        return row_of(told, place) if isinstance(told, dict) else Skipped(place, "not an object")
    except (ValueError, UsageError) as error:
        return Skipped(place, str(error))


def lesson_rows(items: Iterable[object]) -> Iterator[Row]:
    """The lessons among what is on its way out."""
    return (item for item in items if isinstance(item, Row))
