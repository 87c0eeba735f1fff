"""What happened to one lesson, newest first, page by page: sightings, uses, what came of them, changes.

Four tables in one order of time. A page goes on behind the last row of the one before (its time, its table and its key), so that the
hundredth page costs what the first does, and rows that come meanwhile move nothing.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tacit.core.journal import Entry
from tacit.core.value import value
from tacit.store.rows import (
    EVIDENCE,
    LINE,
    MARK,
    SIGHTING,
    USE,
    decided,
    evidence_from,
    mark_from,
    said,
    use_from,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tacit.store.reads import Reads
    from tacit.store.writes import Transaction


# Notes: lines of the journal that a person writes by hand, about no lesson.
#
# The journal tells of lessons, and a note belongs to none. Notes are settings, one key each: the project and the time.

VERB = "note"
_NOTE_PREFIX = "note:"


def put_note(tx: Transaction, project: str, text: str, reason: str, by: str, at: str) -> Entry:
    """Keep one; two of the same moment are both kept."""
    key, number = f"{_NOTE_PREFIX}{project}:{at}", 0
    while tx.meta(f"{key}:{number:03d}"):
        number += 1
    tx.put_meta(
        f"{key}:{number:03d}",
        json.dumps({"text": text, "reason": reason, "by": by, "at": at}, ensure_ascii=False),
    )
    return _entry(project, {"text": text, "reason": reason, "by": by, "at": at})


def notes_of(store: Any, project: str) -> list[Entry]:
    """A project's notes, in the order of time."""
    low = f"{_NOTE_PREFIX}{project}:"
    rows = store.rows(
        "SELECT value FROM setting WHERE key >= :low AND key < :high ORDER BY key",
        low=low,
        high=low[:-1] + ";",
    )
    return [_entry(project, json.loads(row[0])) for row in rows]


def _entry(project: str, kept: dict[str, str]) -> Entry:
    told = f"{kept['text']} ({kept['reason']})" if kept["reason"] else kept["text"]
    return Entry("", project, VERB, kept["by"], told, kept["at"], {}, {})


# In this order where times are equal; the journal's entry stands above what brought it about.
STORY_CHANGED, STORY_CAME, STORY_GIVEN, SEEN = "changed", "came", "given", "seen"
_ORDER = (STORY_CHANGED, STORY_CAME, STORY_GIVEN, SEEN)
_LEAST = {
    STORY_CHANGED: 1 << 62,
    STORY_CAME: 1 << 62,
    STORY_GIVEN: "\uffff",
    SEEN: 1 << 62,
}  # before every row


def _changed(row: Sequence[Any]) -> dict[str, Any]:
    verb, by, run, why, before, after = row
    was, now = json.loads(before or "{}"), json.loads(after or "{}")
    reason = why if why or was or now else "(erased)"
    before, after = decided(was, now)
    told = {"verb": verb, "by": by, "run": run, "reason": reason}
    return {**told, "before": before, "after": after}


def _came(row: Sequence[Any]) -> dict[str, Any]:
    mark = mark_from(row)
    return {"outcome": mark.value, "reason": mark.reason, "run": mark.run, "unit": mark.unit}


def _given(row: Sequence[Any]) -> dict[str, Any]:
    use = use_from(row)
    return {"arm": use.arm, "run": use.run}


def _seen(row: Sequence[Any]) -> dict[str, Any]:
    names = ("stance", "quote", "run", "place", "by", "tier", "signal")
    at = evidence_from(row).__dict__
    return {name: at[name] for name in names}


# The table of each, its key, its columns, which rows there are, and what is told of one.
_PARTS: dict[str, tuple[str, str, str, str, Callable[[Sequence[Any]], dict[str, Any]]]] = {
    STORY_CHANGED: (
        *("journal", "n", 'verb, "by", session, why, before, after', f"verb <> '{LINE}'"),
        _changed,
    ),
    STORY_CAME: ("evidence", "n", EVIDENCE, f"measure = '{MARK}outcome'", _came),
    STORY_GIVEN: ("delivery", '"group"', USE, "true", _given),
    SEEN: ("evidence", "n", EVIDENCE, f"{SIGHTING} AND {said('extra', 'opening', 0)} = 0", _seen),
}


@value
class Event:
    """One thing that happened to a lesson."""

    what: str  # changed, came, given, seen
    at: str
    key: Any
    told: dict[
        str, Any
    ]  # what its table says; of a change the reason, before and after instead of the payload

    @property
    def cursor(self) -> str:
        """By which a page goes on behind it."""
        return json.dumps([self.at, self.what, self.key], separators=(",", ":"))


def story(store: Reads, memory: str, behind: str = "", most: int = 40) -> list[Event]:
    """The newest of what happened to a lesson, or what is older than a row of an earlier page."""
    last = _cursor(behind)
    found = [event for what in _ORDER for event in _part(store, memory, what, last, most)]
    found.sort(key=lambda event: _ORDER.index(event.what))
    found.sort(key=lambda event: event.at, reverse=True)
    return found[:most]


def _part(
    store: Reads, memory: str, what: str, last: tuple[str, str, Any] | None, most: int
) -> list[Event]:
    at, kind, key = last or ("~", what, _LEAST[what])
    table, name, columns, which, told = _PARTS[what]
    # What stands below the row of the cursor: older; of the same time, a later kind, or the same kind with a lower key.
    if what == kind:
        behind = f"(at < :at OR (at = :at AND {name} < :key))"
    else:
        behind = "at <= :at" if _ORDER.index(what) > _ORDER.index(kind) else "at < :at"
    rows = store.rows(
        f"SELECT at, {name}, {columns} FROM {table} WHERE lesson = :it AND {which} AND {behind}"
        f" ORDER BY at DESC, {name} DESC LIMIT :most",
        it=memory,
        at=at,
        most=most,
        key=key,
    )
    return [Event(what, row[0], row[1], told(row[2:])) for row in rows]


def _cursor(text: str) -> tuple[str, str, Any] | None:
    """A cursor as it was handed out; what is none begins at the newest."""
    try:
        at, what, key = json.loads(text)
    except (ValueError, TypeError):
        return None
    fits = isinstance(at, str) and what in _ORDER and type(key) is type(_LEAST[what])
    return (at, what, key) if fits and (isinstance(key, str) or 0 <= key < 1 << 63) else None


def run_names(store: Reads, runs: list[str]) -> dict[str, str]:
    """The hosts' own names of some sessions, by their ids."""
    sql = "SELECT id, name FROM session WHERE id IN (SELECT value FROM json_each(?))"
    return dict(store.rows(sql, json.dumps(sorted({*runs})))) if runs else {}


def sums(store: Reads, memory: str) -> dict[str, int]:
    """How often a lesson was given and left out."""
    sql = "SELECT arm, count(*) FROM delivery WHERE lesson = ? GROUP BY 1"
    arms: dict[str, int] = dict(store.rows(sql, memory))
    withheld = arms.pop("held out", 0)
    return {"given": sum(arms.values()), "withheld": withheld}
