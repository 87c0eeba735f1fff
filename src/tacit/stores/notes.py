"""Notes: lines of the journal that a person writes by hand, about no lesson.

The journal is a chain per memory, and a note belongs to none. Notes stand in `meta`, which is sealed like all truth, one key each:
the project and the time.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tacit.core.journal import Entry

if TYPE_CHECKING:
    from tacit.stores.sql_writer import Transaction

VERB = "note"
_PREFIX = "note:"


def put_note(tx: Transaction, project: str, text: str, reason: str, by: str, at: str) -> Entry:
    """Keep one; two of the same moment are both kept."""
    key, number = f"{_PREFIX}{project}:{at}", 0
    while tx.meta(f"{key}:{number:03d}"):
        number += 1
    tx.put_meta(
        f"{key}:{number:03d}", json.dumps({"text": text, "reason": reason, "by": by, "at": at}, ensure_ascii=False)
    )
    return _entry(project, {"text": text, "reason": reason, "by": by, "at": at})


def notes_of(store: Any, project: str) -> list[Entry]:
    """A project's notes, in the order of time."""
    low = f"{_PREFIX}{project}:"
    rows = store.rows(
        "SELECT value FROM meta WHERE key >= :low AND key < :high ORDER BY key", low=low, high=low[:-1] + ";"
    )
    return [_entry(project, json.loads(row[0])) for row in rows]


def _entry(project: str, kept: dict[str, str]) -> Entry:
    told = f"{kept['text']} ({kept['reason']})" if kept["reason"] else kept["text"]
    return Entry("", project, VERB, kept["by"], told, kept["at"], {}, {})
