"""Lessons as one JSON document.

{"tacit": "lessons", "version": 1, "lessons": [{"id": "k3v9x2m4q7ab", "text": "Run make migrate before the tests.", …}]}
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from tacit.core.errors import Damaged, StoreNewer, UsageError
from tacit.core.exchange import Row, Skipped
from tacit.formats.lessons import NAMESPACE as NAMESPACE
from tacit.formats.lessons import VERSION, facts, lesson_rows, row_of
from tacit.formats.source import Source

NAME = "json"
PARTS = {"lessons": "tacit-lessons.json"}


def holds(source: Source) -> float:
    """How sure we are that this is such a document."""
    head = source.head(256)
    return 0.95 if head.lstrip()[:1] == b"{" and b'"tacit": "lessons"' in head else 0.0


def memories(source: Source) -> Iterator[Row | Skipped]:
    """Each lesson of the document."""
    with source.open() as file:
        raw = file.read()
    try:
        found: Any = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise Damaged(
            f"{source.path} is not whole: {error}.",
            "Nothing was changed; take it from another copy.",
        ) from error
    if isinstance(found, dict) and type(found.get("version")) is int and found["version"] > VERSION:
        raise StoreNewer(
            f"{source.path} was written by a later version of Tacit.",
            "Upgrade Tacit; nothing was changed.",
        )
    lessons = found.get("lessons") if isinstance(found, dict) else None
    if not isinstance(lessons, list):
        raise Damaged(
            f"{source.path} has no list of lessons.",
            'Expected {"tacit": "lessons", "version": 1, "lessons": [{"text": "…"}]}.',
        )
    for number, told in enumerate(lessons):
        yield taken(told, f"lessons[{number}]")


def taken(told: Any, place: str) -> Row | Skipped:
    """One object as a lesson, or why it is none."""
    try:
        return row_of(told, place) if isinstance(told, dict) else Skipped(place, "not an object")
    except (ValueError, UsageError) as error:
        return Skipped(place, str(error))


def dump(items: Iterable[object], part: str = "", now: str = "") -> str:
    """The document."""
    told = {
        "tacit": "lessons",
        "version": VERSION,
        "lessons": [facts(row) for row in lesson_rows(items)],
    }
    return json.dumps(told, ensure_ascii=False, indent=1) + "\n"
