"""All that a store holds for true, table by table, as plain rows: the same rows whatever the engine.

This is what a bundle carries and what `migrate` copies. Every row travels with its hash, every chain with its links, so that both
ends can be compared row by row. What is derived (full text, the words beside a text, vectors) is made anew at the other end, and
what waits for this machine's worker stays here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any

from tacit.core.errors import Damaged, Refused, UsageError
from tacit.core.exchange import Table
from tacit.core.memory import Memory, check_fields, checked, from_row
from tacit.core.states import STATES
from tacit.core.value import value
from tacit.stores import daily
from tacit.stores.check import truth_faults
from tacit.stores.sql_rows import HEADER, SEALED, entry_of, proposal_of, run_row
from tacit.stores.tables import BY_NAME, EMPTY, TRUTH, table_rows

if TYPE_CHECKING:
    from tacit.core.exchange import Read
    from tacit.stores.sql import Reads, Store
    from tacit.stores.sql_writer import Transaction

_COPY_BATCH = 1000  # rows of one statement


@value
class Moved:
    """What was written into a store, or found there already."""

    rows: dict[str, int]  # by table
    chains: int  # memories whose journal was verified, entry by entry
    already: bool = False  # all of it was there; nothing was changed


@value
class Migrated:
    """What came of a migration."""

    source: str
    target: str
    moved: Moved
    waiting: int = 0  # jobs for the worker that stay at the source


def reader(store: Reads) -> Read:
    """A store's tables as rows; inside `store.snapshot()` they are of one moment."""
    return lambda table: table_rows(store, table)


def is_empty(store: Reads) -> bool:
    """Whether a store holds nothing yet but the rows of projects that were opened in it."""
    return not any(store.one(f"SELECT 1 FROM {name} LIMIT 1") for name in EMPTY)


def verify(read: Read) -> dict[str, int]:
    """How many rows of each table there are, once every hash, chain and seal of them was derived again; `Damaged` otherwise."""
    counts: dict[str, int] = {}
    for fault in truth_faults(read, counts):
        raise Damaged(
            f"{fault.kind} {fault.id}: {fault.detail}.", "Nothing was changed; take another copy."
        )
    for name, parse in _PARSED.items():
        for row in read(BY_NAME[name]):
            try:
                parse(row)
            except (ValueError, TypeError, LookupError, AttributeError, UsageError) as error:
                raise Damaged(
                    f"A row of {name} cannot be read: {error}.",
                    "Nothing was changed; take another copy.",
                ) from error
    return counts


def _memory(row: Sequence[Any]) -> Memory:
    memory = check_fields(from_row(tuple(row[1:-1])))
    checked("state", memory.state, STATES)
    return memory


# Rows whose columns hold more than a text: what anybody would make of them later.
_PARSED: dict[str, Callable[[Any], object]] = {
    "memory": _memory,
    "journal": lambda row: entry_of(row[: 2 + len(HEADER)]),
    "run": lambda row: run_row(row[:-1]),
    "proposal": lambda row: proposal_of(row[:-1]),
}


def move(
    store: Store,
    read: Read,
    *,
    what: str,
    keep: bool = True,
    each: Callable[[str, int], None] = lambda table, rows: None,
) -> Moved:
    """Write all rows into an empty store, in one transaction, as they are; nothing where they are all there already.

    `what` names them in an error, `each` hears of every batch. The rows were verified before, and are compared after.
    """
    if not store.is_whole:
        raise Refused(
            f"{store.path} holds projects that you do not see.",
            "A whole store moves into an empty one only; name another database.",
        )
    with store.write(keep=keep) as tx:
        if not is_empty(tx):
            return Moved({}, _known(tx, read, what), already=True)
        counts = {table.name: _fill(tx, table, read, each) for table in TRUTH}
        tx.number_on()
        tx.reindex()
        daily.rebuild_daily(tx)
        _compare(
            reader(store), read, what, TRUTH[:-1]
        )  # of the seals a server writes some at the end
        return Moved(counts, tx.one("SELECT count(*) FROM memory")[0])


def copy(
    source: Store, target: Store, *, each: Callable[[str, int], None] = lambda table, rows: None
) -> Moved:
    """One store into another, whatever engines they are on, and nothing in the first is changed. Verified at both ends, row by row
    and chain by chain. Twice is once: a target that holds exactly this is left alone, one that holds anything else refused."""
    if not source.is_whole:
        raise Refused(
            f"You do not see all projects of {source.path}.", "Somebody who does must copy it."
        )
    with source.snapshot():
        read = reader(source)
        each("verifying", 0)
        verify(read)
        moved = move(target, read, what=source.path, each=each) if is_empty(target) else None
        each("comparing", 0)
        with target.snapshot():
            try:
                counts = _compare(reader(target), read, target.path)
            except Damaged as error:
                if moved is not None:
                    raise
                raise Refused(
                    f"{target.path} is not empty and holds something else: {error.message}",
                    "Name an empty one; nothing was changed.",
                ) from error
            chains = verify(reader(target)).get("memory", 0)
    return Moved(counts, chains, already=moved is None)


def _compare(one: Read, other: Read, what: str, tables: Sequence[Table] = TRUTH) -> dict[str, int]:
    """How many rows of each table both have; `Damaged` with the first of the other's that the one has not, or not so.

    Only projects, profiles, names and settings may be more in the one: an opened project, of which nothing is known yet.
    """
    counts: dict[str, int] = {}
    for table in tables:
        count = 0
        more = _beyond(one, other, table) if table.name in (*SEALED, "seal") else one(table)
        for here, there in zip_longest(more, other(table)):
            if here is None or there is None or not _alike(table, here, there):
                at = dict(zip(table.columns, here or there))
                named = " ".join(str(at[column]) for column in table.key)
                raise Damaged(
                    f"{table.name} {named} is not the same in {what}.", "Nothing was changed."
                )
            count += 1
        counts[table.name] = count
    return counts


def _alike(table: Table, here: Sequence[Any], there: Sequence[Any]) -> bool:
    """The same row; of a profile, whenever it was first kept."""
    last = -1 if table.name == "profile" else None
    return tuple(here[:last]) == tuple(there[:last])


def _beyond(one: Read, other: Read, table: Table) -> Iterator[tuple[Any, ...]]:
    """The one's rows of a small table without those that the other knows nothing of; seals of such tables are derived again elsewhere."""
    at = [table.columns.index(name) for name in table.key]
    known = {tuple(row[index] for index in at): row for row in other(table)}
    for row in one(table):
        if (found := known.get(tuple(row[index] for index in at))) is not None:
            yield (
                found
                if table.name == "seal" and row[table.columns.index("kind")] in SEALED
                else row
            )


def _fill(tx: Transaction, table: Table, read: Read, each: Callable[[str, int], None]) -> int:
    count, found = 0, iter(read(table))
    while batch := [_named(tx, table, row) for row in islice(found, _COPY_BATCH)]:
        _put(tx, table, batch)
        count += len(batch)
        each(table.name, count)
    return count


def _named(tx: Transaction, table: Table, row: Sequence[Any]) -> dict[str, Any]:
    named = dict(zip(table.columns, row))
    if table.name == "memory":
        named["words"] = tx.words(from_row(tuple(row[1:-1])))
    return named


def _put(tx: Transaction, table: Table, batch: list[dict[str, Any]]) -> None:
    if (
        table.name in SEALED
    ):  # an opened project, or a setting of it, may stand here: what comes is what counts
        for row in batch:
            same = " AND ".join(f"{name} = :{name}" for name in table.key)
            there = tx.one(
                f"SELECT 1 FROM {table.name} WHERE {same}",
                **{name: row[name] for name in table.key},
            )
            # which is what its id says, for ever
            tx.put_sealed(table.name, row, replace=bool(there) and table.name != "profile")
    elif table.name == "seal":  # those of the tables above are counted as they are written
        tx.insert(table.name, [row for row in batch if row["kind"] not in SEALED])
    else:
        tx.insert(table.name, batch)


def _known(tx: Transaction, read: Read, what: str) -> int:
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
