"""What only SQLite can have wrong: its pages, its definitions, its full text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tacit.core.errors import Damaged
from tacit.core.rows import Fault, index_fault
from tacit.stores.sql_rows import listed
from tacit.stores.sqlite.fulltext import tokenizer
from tacit.stores.sqlite.terms import LONGEST_TERM, WEIGHT, Expected, as_held, weight
from tacit.words.tokens import are_index_words

if TYPE_CHECKING:
    from tacit.stores.sqlite import SqliteStore


# What 0.2.0 kept or derived beside the lessons; nothing reads it, and an erased word may stand in it.
LEFT_BEHIND = ("seal", "vector", "vector_word", "vector_centre", "facet", "facet_of", "daily")
LONGEST_TOKEN = 32_768  # bytes: FTS5 keeps no more of a word, and may cut it inside a character


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
    """The full text against the texts, word by word; without FTS5's own check, which needs the write lock."""
    tokens = tokenizer(store)
    wanted: dict[bytes, int] = {}
    counts = Expected()
    stale = 0
    for n, text, about, tags, paths, words in store.each(
        "SELECT n, text, about, tags, paths, words FROM memory"
    ):
        own, _, tasks = words.partition("\n")
        # What it holds of tasks is derived from runs, which may be erased or corrected by themselves.
        if not are_index_words(own, text, " ".join((about, *listed(tags), *listed(paths)))) or (
            tasks and not text
        ):
            stale += 1
        here, once = weight(n), as_held(n)
        for token, times in Counter([*tokens(text), *tokens(words)]).items():
            term = token.encode()[:LONGEST_TOKEN]
            wanted[term] = wanted.get(term, 0) + times * here
            if len(token) <= LONGEST_TERM:
                counts[token] = counts.get(token, 0) + once
    if stale:
        yield index_fault("memory", f"the derived words of {stale} memories are not theirs")
    store.rows(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.memory_words USING fts5vocab(main, memory_fts, instance)"
    )
    differ = 0
    for term, sum_ in store.each(
        f"SELECT CAST(term AS BLOB), sum({WEIGHT}) FROM temp.memory_words GROUP BY term"
    ):
        differ += wanted.pop(term, None) != sum_
    if differ or wanted:
        yield index_fault(
            "memory_fts",
            f"{differ + len(wanted)} words are not where the texts have them",
            "rebuilds it",
        )
    yield from counts.faults(store)


def own_faults(store: SqliteStore) -> Iterator[Fault]:
    """The same of a store that nobody else has open, whose words were derived a moment ago: by FTS5's own check, a tenth of the work."""
    try:
        with store.write(keep=False) as tx:
            tx.rows("INSERT INTO memory_fts (memory_fts, rank) VALUES ('integrity-check', 1)")
    except Damaged as error:
        yield Fault("index", "memory_fts", error.message)
