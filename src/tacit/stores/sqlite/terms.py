"""How many memories hold each word, and which ones where they are few.

Full text answers one word at a time, at some thirty microseconds each; a pasted log has hundreds. This table answers all of them in one
statement.
It is derived, changes in the transaction that changes the full text, and is rebuilt with it.
"""

from __future__ import annotations

from struct import pack
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tacit.core.rows import Fault
    from tacit.stores.sqlite import SqliteStore, Transaction

FEW = 64  # rows of a word that are kept with it
WIDE = 4  # bytes of a number
LONGEST = 200  # characters of a word that is counted: nobody asks for a longer one, and the full text cuts very long ones mid-letter


def counted(tx: Transaction, n: int, old: Iterable[str], new: Iterable[str]) -> None:
    """A memory held these words and holds those now."""
    before, after = ({word for word in each if len(word) <= LONGEST} for each in (old, new))
    number = pack("<I", n)
    fresh = sorted(after - before)
    if fresh:
        tx.many(_MORE, [{"word": word, "n": number, "most": WIDE * FEW} for word in fresh])
    for word in sorted(before - after):
        row = tx.one("SELECT few FROM term WHERE word = :word", word=word)
        if row is not None:
            few = None if row[0] is None else b"".join(each for each in _numbers(row[0]) if each != number)
            tx.rows("UPDATE term SET rows = rows - 1, few = :few WHERE word = :word", word=word, few=few)
            tx.rows("DELETE FROM term WHERE word = :word AND rows <= 0", word=word)


def rebuild(tx: Transaction) -> None:
    """Count anew, from the full text."""
    tx.rows("DELETE FROM term")
    tx.many(_PUT, [{"word": word, "rows": len(rows), "few": _few(rows)} for word, rows in _held(tx)])


def faults(store: SqliteStore) -> Iterator[Fault]:
    """The counts against the full text, word by word."""
    from tacit.core.rows import Fault

    kept = dict((word, (rows, few)) for word, rows, few in store.each("SELECT word, rows, few FROM term"))
    wrong = 0
    for word, held in _held(store):
        rows, few = kept.pop(word, (0, None))
        # A memory that gains a word later stands behind those with higher numbers: the order says nothing.
        wrong += rows != len(held) or (few is not None and sorted(_numbers(few)) != sorted(_numbers(_few(held) or b"")))
    if wrong or kept:
        yield Fault("index", "term", f"{wrong + len(kept)} words are not counted as the texts have them; tacit reindex counts them")


def _held(store: SqliteStore | Transaction) -> Iterator[tuple[str, list[int]]]:
    last, held = "", dict[int, None]()
    for word, n in store.rows("SELECT term, doc FROM term_row WHERE length(term) <= :longest ORDER BY term, doc", longest=LONGEST):
        if word != last and held:
            yield last, list(held)
            held = {}
        last = word
        held[n] = None
    if held:
        yield last, list(held)


def _few(rows: Sequence[int]) -> bytes | None:
    return pack(f"<{len(rows)}I", *rows) if len(rows) <= FEW else None


def _numbers(few: bytes) -> list[bytes]:
    return [few[at : at + WIDE] for at in range(0, len(few), WIDE)]


_PUT = "INSERT INTO term (word, rows, few) VALUES (:word, :rows, :few)"
_MORE = (
    "INSERT INTO term (word, rows, few) VALUES (:word, 1, :n) ON CONFLICT (word) DO UPDATE SET rows = rows + 1,"
    " few = CASE WHEN length(few) < :most THEN CAST(few || excluded.few AS BLOB) END"
)
