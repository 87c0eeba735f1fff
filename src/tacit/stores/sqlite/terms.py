"""How many memories hold each word, and which ones where they are few.

Full text answers one word at a time, at some thirty microseconds each; a pasted log has hundreds. This table answers all of them in one
statement.
It is derived, changes in the transaction that changes the full text, and is rebuilt with it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from struct import pack
from typing import TYPE_CHECKING

from tacit.core.digest import new_id
from tacit.stores.places import spoken_path
from tacit.stores.sqlite.fulltext import INJECTABLE_ROWS

if TYPE_CHECKING:
    from tacit.stores.sqlite import SqliteStore, SqliteTransaction


# The words that lessons in force speak of, in a small file beside the store: a hook before a command or a file that none of them
# names ends there, without opening the store.
#
# It is derived, written by the worker, and goes with the first change of a lesson: where there is none, the store is asked.

_BETWEEN = re.compile(r"[\s`'\"()\[\]{}<>,;:!?=|&$*/\\]+")


def write_spoken(store: SqliteStore) -> bool:
    """Write the file anew where it is gone; whether that was done. What was changed meanwhile takes it away again."""
    path = spoken_path(store.path)
    if store.path == ":memory:" or os.path.exists(path):
        return False
    before = _last(store)
    found: set[str] = set()
    sql = f"SELECT m.text, m.about, m.paths, m.extra FROM memory m WHERE {INJECTABLE_ROWS}"
    for text, about, paths, extra in store.each(sql):
        more = json.loads(extra) if extra else {}
        known, sign = more.get("about"), more.get("sign")
        said = " ".join((text, about, paths, *(known if isinstance(known, dict) else ())))
        said += f" {sign[-1]}" if isinstance(sign, list) and sign else ""
        found.update(word.strip(".") for word in _BETWEEN.split(said.lower()))
    half = f"{path}.{new_id()}"
    with os.fdopen(
        os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600),
        "w",
        encoding="utf-8",
        errors="replace",
    ) as file:
        file.write("\n".join(["", *sorted(found - {""}), ""]))
    os.replace(half, path)
    if _last(store) != before:
        os.unlink(path)
    return True


def _last(store: SqliteStore) -> int:
    return int(store.one("SELECT coalesce(max(rowid), 0) FROM journal")[0])


_FEW_DOCS = 64  # rows of a word that are kept with it
NUMBER_BYTES = 4  # bytes of a number
# characters of a word that is counted: nobody asks for a longer one, and the full text cuts very long ones mid-letter
LONGEST_TERM = 200


def count_terms(tx: SqliteTransaction, n: int, old: Iterable[str], new: Iterable[str]) -> None:
    """A memory held these words and holds those now."""
    before, after = ({word for word in each if len(word) <= LONGEST_TERM} for each in (old, new))
    number = pack("<I", n)
    fresh = sorted(after - before)
    if fresh:
        tx.rows(_MORE, n=number, words=json.dumps(fresh, ensure_ascii=False))
    for word in sorted(before - after):
        row = tx.one("SELECT few FROM term WHERE word = :word", word=word)
        if row is not None:
            few = (
                None
                if row[0] is None
                else b"".join(each for each in _numbers(row[0]) if each != number)
            )
            tx.rows(
                "UPDATE term SET rows = rows - 1, few = :few WHERE word = :word", word=word, few=few
            )
            tx.rows("DELETE FROM term WHERE word = :word AND rows <= 0", word=word)


def rebuild_terms(tx: SqliteTransaction) -> None:
    """Count anew, from the full text."""
    tx.rows("DELETE FROM term")
    tx.rows(_ALL_TERMS)


def _numbers(few: bytes) -> list[bytes]:
    return [few[at : at + NUMBER_BYTES] for at in range(0, len(few), NUMBER_BYTES)]


_MORE = (
    "INSERT INTO term (word, rows, few) SELECT value, 1, :n FROM json_each(:words) WHERE true"
    " ON CONFLICT (word) DO UPDATE SET rows = rows + 1,"
    f" few = CASE WHEN length(few) < {NUMBER_BYTES * _FEW_DOCS} THEN CAST(few || excluded.few AS BLOB) END"
)
_AS_HEX = "printf('%02X%02X%02X%02X', doc & 255, doc >> 8 & 255, doc >> 16 & 255, doc >> 24 & 255)"
_ALL_TERMS = (
    "INSERT INTO term (word, rows, few) SELECT term, count(*),"
    f" CASE WHEN count(*) <= {_FEW_DOCS} THEN unhex(group_concat({_AS_HEX}, '')) END"
    f" FROM (SELECT DISTINCT term, doc FROM term_row WHERE length(term) <= {LONGEST_TERM}) GROUP BY term"
)
