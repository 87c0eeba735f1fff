"""What only SQLite can have wrong: its pages, its definitions, its full text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.core.rows import Fault
from tacit.stores.sql_rows import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tacit.stores.sqlite import SqliteStore


LONGEST_TOKEN = 32_768  # bytes: FTS5 keeps no more of a word, and may cut it inside a character


def file_faults(store: SqliteStore, open_store: Callable[[str], SqliteStore]) -> Iterator[Fault]:
    for row in store.rows("PRAGMA integrity_check(20)"):
        if row[0] != "ok":
            yield Fault("file", store.path, str(row[0]))
    if store.path != ":memory:":
        # A garbled definition may still parse: another column, another condition of an index.
        with open_store(":memory:") as ours:
            if store.rows(_DEFINITIONS) != ours.rows(_DEFINITIONS):
                yield Fault("file", store.path, "its tables are not defined as this version defines them")


_DEFINITIONS = "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY 1, 2"


def index_faults(store: SqliteStore) -> Iterator[Fault]:
    """The full text against the texts, word by word; without FTS5's own check, which needs the write lock."""
    from collections import Counter

    from tacit.stores.sqlite.search import _tokenizer
    from tacit.words.tokens import index_words

    tokens = _tokenizer(store)
    wanted: dict[bytes, list[int]] = {}
    stale = 0
    for n, text, tags, paths, words in store.each("SELECT n, text, tags, paths, words FROM memory"):
        own, _, tasks = words.partition("\n")
        # What it holds of tasks is derived from runs, which may be erased or corrected by themselves.
        if own != index_words(" ".join((text, *listed(tags), *listed(paths)))) or (tasks and not text):
            stale += 1
        for token, times in Counter([*tokens(text), *tokens(words)]).items():
            fold = wanted.setdefault(token.encode()[:LONGEST_TOKEN], [0, 0, 0])
            fold[0] += times
            fold[1] += times * n
            fold[2] += times * (n * n % 999_983)
    if stale:
        yield Fault("index", "memory", f"the derived words of {stale} memories are not theirs; tacit reindex rebuilds them")
    store.rows("CREATE VIRTUAL TABLE IF NOT EXISTS temp.memory_words USING fts5vocab(main, memory_fts, instance)")
    differ = 0
    for term, *fold in store.each(
        "SELECT CAST(term AS BLOB), count(*), sum(doc), sum(doc * doc % 999983) FROM temp.memory_words GROUP BY term"
    ):
        differ += wanted.pop(term, None) != fold
    if differ or wanted:
        yield Fault("index", "memory_fts", f"{differ + len(wanted)} words are not where the texts have them; tacit reindex rebuilds it")
    from tacit.stores.sqlite.terms import faults

    yield from faults(store)
