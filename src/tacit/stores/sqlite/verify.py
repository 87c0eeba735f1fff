"""What only SQLite can have wrong: its pages, its definitions, its full text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tacit.core.errors import Damaged, StoreReadOnly
from tacit.core.rows import Fault, index_fault
from tacit.stores.sqlite.terms import LONGEST_TERM

if TYPE_CHECKING:
    from tacit.stores.sqlite import SqliteStore


# What 0.2.0 kept or derived beside the lessons; nothing reads it, and an erased word may stand in it.
LEFT_BEHIND = ("seal", "vector", "vector_word", "vector_centre", "facet", "facet_of", "daily")


def file_faults(store: SqliteStore, open_store: Callable[[str], SqliteStore]) -> Iterator[Fault]:
    for row in store.rows("PRAGMA integrity_check(20)"):
        if row[0] != "ok":
            yield Fault("file", store.path, str(row[0]))
    if store.path != ":memory:":
        # A garbled definition may still parse: another column, another condition of an index.
        with open_store(":memory:") as ours:
            if defined(store.rows(DEFINITIONS)) != defined(ours.rows(DEFINITIONS)):
                yield Fault(
                    "file", store.path, "its tables are not defined as this version defines them"
                )


DEFINITIONS = "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY 1, 2"


def defined(rows: Iterable[Sequence[str]]) -> list[tuple[str, str, str, str]]:
    """What is defined, however it is laid out, without what 0.2.0 kept beside it."""
    return [
        (type, name, table, "".join(re.sub(r"--[^\n]*", "", sql).split()))
        for type, name, table, sql in rows
        if table not in LEFT_BEHIND
    ]


def index_faults(store: SqliteStore) -> Iterator[Fault]:
    """The full text against the texts, by FTS5's own check, and the words counted beside it against the full text.

    FTS5 checks under the write lock; a store that nobody can write is not asked.
    """
    try:
        with store.write(keep=False) as tx:
            tx.rows("INSERT INTO memory_fts (memory_fts, rank) VALUES ('integrity-check', 1)")
    except StoreReadOnly:
        return
    except Damaged as error:
        yield index_fault("memory_fts", error.message, "rebuilds it")
        return
    store.rows(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.counted USING fts5vocab(main, memory_fts, row)"
    )
    wrong = store.one(_MISCOUNTED)[0]
    if wrong:
        yield index_fault(
            "term", f"{wrong} words are not counted as the full text has them", "counts them"
        )


_MISCOUNTED = (
    "SELECT (SELECT count(*) FROM temp.counted c LEFT JOIN term t ON t.word = c.term"
    f" WHERE length(c.term) <= {LONGEST_TERM} AND t.rows IS NOT c.doc)"
    " + (SELECT count(*) FROM term WHERE word NOT IN (SELECT term FROM temp.counted))"
)
