"""All that a store holds for true, table by table, as plain rows: the same rows whatever the engine.

This is what a bundle carries and what `migrate` copies. Every row travels with its hash, every chain with its links, so that both
ends can be compared row by row. What is derived (full text, the words beside a text, vectors) is made anew at the other end, and
what waits for this machine's worker stays here.
"""

from __future__ import annotations

from itertools import zip_longest

from tacit.core.errors import Damaged, Refused
from tacit.core.exchange import Table
from tacit.core.journal import GENESIS
from tacit.core.links import EVIDENCE_COLUMNS, MARK_COLUMNS, USE_COLUMNS
from tacit.core.memory import DECIDED, from_row
from tacit.core.proposal import Proposal
from tacit.core.value import value
from tacit.stores.sql import HEADER, SEALED, FindingRow, RunRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from tacit.core.exchange import Read
    from tacit.stores.sql import SqlStore, Writer

BATCH = 1000  # rows of one statement


def _table(
    name: str, columns: Sequence[str], key: str, *, numbers: str = "", reals: str = "", blobs: str = ""
) -> Table:
    """A table whose columns are texts unless said otherwise."""
    kind = {
        **dict.fromkeys(numbers.split(), int),
        **dict.fromkeys(reals.split(), float),
        **dict.fromkeys(blobs.split(), bytes),
    }
    return Table(name, tuple(columns), tuple(key.split()), tuple(kind.get(column, str) for column in columns))


# Projects come first: on a server their rows decide who may write the others. Runs and findings come before the memories whose
# derived words name them.
TRUTH = (
    _table("profile", SEALED["profile"][0], "id"),
    _table("project", SEALED["project"][0], "id", numbers="run_seq", blobs="trial_key"),
    _table("meta", SEALED["meta"][0], "key"),
    _table("run", (*RunRow.FIELDS, "hash"), "id", numbers="seq complete", blobs="hash"),  # type: ignore[attr-defined]
    _table(
        "finding", (*FindingRow.FIELDS, "hash"), "key", numbers="version", reals="score runner_up", blobs="digest hash"  # type: ignore[attr-defined]
    ),
    _table("tombstone", SEALED["tombstone"][0], "run place"),
    _table("memory", ("n", *DECIDED, "hash"), "n", numbers="n under_review_count pinned on_page merged", blobs="hash"),
    _table("alias", SEALED["alias"][0], "project namespace alias"),
    _table("journal", ("id", *HEADER, "payload", "salt", "digest", "row", "hash"), "id", numbers="id n", blobs="salt digest row hash"),
    _table("evidence", ("n", *EVIDENCE_COLUMNS, "hash"), "n", numbers="n seq opening", reals="amount", blobs="hash"),
    _table("use", (*USE_COLUMNS, "hash"), "unit memory", numbers="instrument_eligible blank", reals="probability", blobs="hash"),
    _table("use_mark", ("n", *MARK_COLUMNS, "hash"), "n", numbers="n", reals="amount", blobs="hash"),
    _table("tally", ("memory", "signal", "project", "amount", "at"), "memory signal", reals="amount"),
    _table("proposal", (*Proposal.FIELDS, "hash"), "id", blobs="hash"),  # type: ignore[attr-defined]
    _table(
        "injection", ("id", "event", "project", "run", "unit", "surface", "tokens", "given", "withheld", "left_out", "at"), "id",
        numbers="id tokens",
    ),
    _table("counter", ("project", "day", "name", "count"), "project day name", numbers="count"),
    _table("seal", ("project", "kind", "shard", "rows", "xor"), "project kind shard", numbers="shard rows", blobs="xor"),
)  # fmt: skip
BY_NAME = {table.name: table for table in TRUTH}
# What stays behind: derived, or about this machine or server alone. A test holds that every table of a store is in one of the two.
LEFT = ("queue", "shared", "vector", "memory_fts", "facet", "facet_of", "course", "member", "version")
# None of these has a row in a new store.
EMPTY = (
    "memory",
    "journal",
    "run",
    "finding",
    "evidence",
    "use",
    "use_mark",
    "tally",
    "proposal",
    "injection",
    "counter",
)


@value
class Moved:
    """What was written into a store, or found there already."""

    rows: dict[str, int]  # by table
    chains: int  # memories whose journal was verified, entry by entry
    already: bool = False  # all of it was there; nothing was changed


def rows(store: SqlStore, table: Table, order: Sequence[str] = ()) -> Iterator[tuple[Any, ...]]:
    """A table's rows, in the order of its key unless told otherwise."""
    sql = f"SELECT {', '.join(table.columns)} FROM {table.name}%s ORDER BY {', '.join(order or table.key)}"
    if table.name == "seal":  # the seal of nothing says nothing
        return store.each(sql % " WHERE rows <> 0 OR xor <> :none", none=GENESIS)
    return store.each(sql % "")


def reader(store: SqlStore) -> Read:
    """A store's tables as rows; inside `store.snapshot()` they are of one moment."""
    return lambda table: rows(store, table)


def is_empty(store: SqlStore) -> bool:
    """Whether a store holds nothing yet but the rows of projects that were opened in it."""
    return not any(store.one(f"SELECT 1 FROM {name} LIMIT 1") for name in EMPTY)


def verify(read: Read) -> dict[str, int]:
    """How many rows of each table there are, once every hash, chain and seal of them was derived again; `Damaged` otherwise."""
    from tacit.stores.check import truth_faults

    checked: dict[str, int] = {}
    for fault in truth_faults(read, checked):
        raise Damaged(f"{fault.kind} {fault.id}: {fault.detail}.", "Nothing was changed; take another copy.")
    return checked


def move(
    store: SqlStore,
    read: Read,
    *,
    what: str,
    keep: bool = True,
    each: Callable[[str, int], None] = lambda table, rows: None,
) -> Moved:
    """Write all rows into an empty store, in one transaction, as they are; nothing where they are all there already.

    `what` names them in an error, `each` hears of every batch. The rows were verified before, and are compared after.
    """
    with store.write(keep=keep) as tx:
        if not is_empty(tx):
            chains = _known(tx, read, what)
            return Moved({}, chains, already=True)
        counts = {table.name: _fill(tx, table, read, each) for table in TRUTH}
        tx.number_on()
        tx.reindex()
        compare(reader(store), read, what, tables=[table for table in TRUTH if table.name not in ("seal", *SEALED)])
        return Moved(counts, tx.one("SELECT count(*) FROM memory")[0])


def compare(one: Read, other: Read, what: str, tables: Sequence[Table] = TRUTH) -> dict[str, int]:
    """How many rows of each table both have, all of them alike; `Damaged` with the first that differs."""
    counts: dict[str, int] = {}
    for table in tables:
        count = 0
        for here, there in zip_longest(one(table), other(table)):
            if here is None or there is None or tuple(here) != tuple(there):
                at = dict(zip(table.columns, here or there))
                named = " ".join(str(at[column]) for column in table.key)
                raise Damaged(f"{table.name} {named} is not the same in {what}.", "Nothing was changed.")
            count += 1
        counts[table.name] = count
    return counts


def _fill(tx: Writer, table: Table, read: Read, each: Callable[[str, int], None]) -> int:
    count, batch = 0, []
    for row in read(table):
        named = dict(zip(table.columns, row))
        if table.name == "memory":
            named["words"] = tx.words(from_row(row[1:-1]))
        batch.append(named)
        if len(batch) == BATCH:
            count += _put(tx, table, batch)
            each(table.name, count)
            batch = []
    return count + _put(tx, table, batch)


def _put(tx: Writer, table: Table, batch: list[dict[str, Any]]) -> int:
    if table.name in SEALED:  # an opened project, or a setting of it, may stand here: what comes is what counts
        for row in batch:
            tx._put_sealed(table.name, row)
    elif table.name == "seal":  # those of the tables above are counted as they are written
        tx.insert(table.name, [row for row in batch if row["kind"] not in SEALED])
    else:
        tx.insert(table.name, batch)
    return len(batch)


def _known(tx: Writer, read: Read, what: str) -> int:
    """How many chains of these rows a store holds, which must be all, each as far as it goes there or further."""
    heads: dict[str, tuple[int, bytes]] = {}
    journal = BY_NAME["journal"]
    memory, n, link = (journal.columns.index(name) for name in ("memory", "n", "hash"))
    for row in read(journal):
        heads[row[memory]] = (row[n], row[link])
    for id, (number, hash) in heads.items():
        found = tx.one("SELECT hash FROM journal WHERE memory = :id AND n = :n", id=id, n=number)
        if found is None or bytes(found[0]) != hash:
            raise Refused(
                f"The store is not empty, and does not hold all of {what}: {'another history of ' if found else ''}memory {id}"
                f"{'' if found else ' is not here, or not as far'}.",
                "Name a new store with --store FILE; tacit sync FILE joins two stores.",
            )
    return len(heads)
