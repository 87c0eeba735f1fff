"""Lessons as JSON Lines, one a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from tacit.core.exchange import Row, Skipped
from tacit.hosts.lessons import FACTS, facts, lesson_rows, taken
from tacit.hosts.lessons import NAMESPACE as NAMESPACE
from tacit.hosts.source import Source, json_record

NAME = "jsonl"
PARTS = {"lessons": "tacit-lessons.jsonl"}
_OURS = {"id", "text", "kind", "state", "trust", "verdict"}  # together in no other system's lessons


def holds(source: Source) -> float:
    """How sure we are that these are such lines: ours, or lines that somebody wrote by hand with the same names, a text at least."""
    first = json_record(source.head(1 << 20).lstrip().partition(b"\n")[0])
    if first is None:
        return 0.0
    by_hand = isinstance(first.get("text"), str) and first.keys() <= FACTS.keys()
    return 0.95 if first.keys() >= _OURS else 0.5 if by_hand else 0.0


def memories(source: Source) -> Iterator[Row | Skipped]:
    """The lesson on each line."""
    for number, line in enumerate(source.lines(), 1):
        if line.strip():
            yield taken(json_record(line), f"line:{number}")


def dump(items: Iterable[object], part: str = "", now: str = "") -> str:
    """The lines."""
    return "".join(
        json.dumps(facts(row), ensure_ascii=False, separators=(",", ":")) + "\n"
        for row in lesson_rows(items)
    )
