"""Full text for who asks more than once: words are kept, lessons come whole. What a hook asks stands in `stores/moments.py`."""

from __future__ import annotations

from sys import byteorder

from tacit.core import states
from tacit.core.rows import Hit
from tacit.core.value import dumps
from tacit.stores import moments
from tacit.stores.sql_rows import MEMORY_COLUMNS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from tacit.stores.sql import LessonRows
    from tacit.stores.sqlite import SqliteStore

TEXTS_KEPT = 2000  # texts whose words a process keeps …
_LONG_TEXT = 2000  # … of so many characters at most

# What may ever be given to an agent (design §4); rank and trial narrow it further, nothing widens it.
IN_STATES = f"m.state = '{states.ACTIVE}'"
INJECTABLE_ROWS = moments.TOLD.removeprefix(" AND ")


class FullText(moments.FullText):
    """The lessons of some projects in one store, whole; with `told`, only what may be given to an agent."""

    def __init__(self, store: SqliteStore, projects: Sequence[str], told: bool) -> None:
        super().__init__(store, projects, told)
        self.tokens = tokenizer(store)  # type: ignore[method-assign]

    def number(self, id: str) -> int:
        """A lesson's number."""
        found: int = self.store.one("SELECT n FROM memory WHERE id = :id", id=id)[0]
        return found

    def lessons(self, scores: Mapping[int, float], channel: str = "words") -> tuple[Hit, ...]:
        """The lessons themselves, in the order of these scores."""
        return numbered(self.store, channel, [*scores.items()])


def looked_up(
    store: SqliteStore, words: Iterable[str]
) -> dict[str, tuple[int, Sequence[int] | None]]:
    """Of the words that any memory holds: how many do, and which, where they are few."""
    sql = "SELECT word, rows, few FROM term WHERE word IN (SELECT value FROM json_each(:words))"
    found = store.rows(sql, words=dumps(list(words)))
    return {word: (rows, None if few is None else _numbers(few)) for word, rows, few in found}


def _numbers(few: bytes) -> Sequence[int]:
    if byteorder == "little":
        return memoryview(few).cast("I").tolist()
    return [int.from_bytes(few[at : at + 4], "little") for at in range(0, len(few), 4)]


class _Tokens(dict[str, list[str]]):
    """The words that the index makes of a text; a process that asks again reads the same lessons again."""

    def __init__(self, store: SqliteStore) -> None:
        from apsw import FTS5_TOKENIZE_DOCUMENT

        self.read, self.flag = (
            store._connection.fts5_tokenizer("porter", ["unicode61"]),
            FTS5_TOKENIZE_DOCUMENT,
        )

    def __missing__(self, text: str) -> list[str]:
        raw = text.encode("utf-8", "replace")
        tokens: list[str] = self.read(
            raw, self.flag, None, include_offsets=False, include_colocated=False
        )  # type: ignore[assignment]
        if len(text) <= _LONG_TEXT:
            if len(self) >= TEXTS_KEPT:
                self.clear()
            self[text] = tokens
        return tokens


def tokenizer(store: SqliteStore) -> Callable[[str], list[str]]:
    if store.tokens is None:
        store.tokens = _Tokens(store).__getitem__
    return store.tokens


def loaded(store: LessonRows, channel: str, rows: Sequence[Any]) -> tuple[Hit, ...]:
    """Hits from rows that end with the memory's words, its number and the channel's score."""
    memories = store._with_tallies([row[:-3] for row in rows])
    return tuple(
        Hit(memory, channel, row[-1], row[-2], row[-3]) for memory, row in zip(memories, rows)
    )


def numbered(store: SqliteStore, channel: str, rows: Sequence[Any]) -> tuple[Hit, ...]:
    """Hits from row numbers and scores, in their order. The rows were sorted without their texts: they are wide."""
    if not rows:
        return ()
    wide = store.rows(
        f"SELECT {MEMORY_COLUMNS}, m.words, m.n FROM memory m WHERE m.n IN (SELECT value FROM json_each(:ns))",
        ns=dumps([row[0] for row in rows]),
    )
    by_number = {row[-1]: row for row in wide}
    return loaded(store, channel, [(*by_number[n], score) for n, score in rows if n in by_number])
