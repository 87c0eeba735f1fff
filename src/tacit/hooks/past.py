"""What was known at an earlier time, from the journal alone.

Rows hold what is decided now. Each entry of the journal holds the fields it changed, so that the entries of a memory,
put on top of one another up to a time, are its row at that time. An entry whose words were erased tells nothing any
more: what it held stays unknown, also in retrospect.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from tacit.core.journal import Entry
from tacit.core.links import Evidence, sightings
from tacit.lesson import Lesson, Tally, from_columns


def memories_then(entries: Iterable[Entry]) -> dict[str, Lesson]:
    """The memories as these entries, in the order they were written, leave them; erased ones are left out."""
    rows: dict[str, dict[str, Any]] = {}
    erased: set[str] = set()
    for entry in entries:
        if entry.erased:
            erased.add(entry.memory)
        row = rows.setdefault(entry.memory, {"id": entry.memory, "project": entry.project})
        row.update(entry.after)
    kept = {id: row for id, row in rows.items() if id not in erased and row.get("text")}
    return {id: from_columns(row) for id, row in kept.items()}


def lessons_then(
    entries: Iterable[Entry],
    states: Collection[str] = (),
    *,
    equal: Mapping[str, str | int] | None = None,
    tag: str = "",
    since: str = "",
    text: str = "",
    limit: int = -1,
    **_: object,
) -> list[Lesson]:
    """The lessons as these entries leave them, the youngest first."""
    found = [
        each
        for each in reversed(memories_then(entries).values())
        if (not states or each.state in states)
        and all(getattr(each, name) == at for name, at in (equal or {}).items())
        and (not tag or tag in each.tags)
        and text.casefold() in each.text.casefold()
        and each.updated_at >= since
    ]
    return found if limit < 0 else found[:limit]


def tally_then(evidence: Sequence[Evidence], until: str) -> Tally:
    """What the evidence added up to."""
    known = [row for row in evidence if row.at <= until]
    seen = sightings(known)
    at = max(
        (row.at for row in known if row.signal == "seen" and row.stance == "supports"), default=""
    )
    return Tally(
        seen=seen,
        contradicted=len(
            {row.root or row.run or row.key for row in known if row.stance == "contradicts"}
        ),
        seen_at=at or None,
    )
