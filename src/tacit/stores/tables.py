"""Every table of a store, once: its columns and its keys.

The tests' picture of a store reads it here. A column is added here (through the fields of its value, for those
that have one) and in the schema of each engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.links import EVIDENCE_COLUMNS, MARK_COLUMNS, USE_COLUMNS
from tacit.core.memory import DECIDED
from tacit.core.proposal import Proposal
from tacit.core.rows import FindingRow, RunRow
from tacit.core.value import value
from tacit.stores.incidents import COLUMNS as INCIDENT_COLUMNS
from tacit.stores.sql_rows import HEADER, KEYED

if TYPE_CHECKING:
    from tacit.stores.sql import Reads


@value
class Table:
    """One table of what a store holds for true: a row is a tuple of these columns."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]  # what its rows are sorted by; no two are alike in it
    number: str = ""  # the column that a store numbers by itself, if any

    @property
    def hashed(self) -> tuple[str, ...]:
        """The columns that a row's own hash covers, in their order."""
        return tuple(name for name in self.columns if name not in (self.number, "hash"))


def _table(name: str, columns: Sequence[str], key: str, *, number: str = "") -> Table:
    return Table(name, tuple(columns), tuple(key.split()), number)


# Projects come first: on a server their rows decide who may write the others. Runs and findings come before the memories whose
# derived words name them.
TRUTH = (
    _table("profile", KEYED["profile"][0], "id"),
    _table("project", KEYED["project"][0], "id"),
    _table("meta", KEYED["meta"][0], "key"),
    _table("run", (*RunRow.FIELDS, "hash"), "id"),  # type: ignore[attr-defined]
    _table("finding", (*FindingRow.FIELDS, "hash"), "key"),  # type: ignore[attr-defined]
    _table("tombstone", KEYED["tombstone"][0], "run place"),
    _table("memory", ("n", *DECIDED, "hash"), "n", number="n"),
    _table("alias", KEYED["alias"][0], "project namespace alias"),
    _table(
        "journal", ("id", *HEADER, "payload", "salt", "digest", "row", "hash"), "id", number="id"
    ),
    _table("evidence", ("n", *EVIDENCE_COLUMNS, "hash"), "n", number="n"),
    _table("use", (*USE_COLUMNS, "hash"), "unit memory"),
    _table("use_mark", ("n", *MARK_COLUMNS, "hash"), "n", number="n"),
    _table("tally", ("memory", "signal", "project", "amount", "at"), "memory signal"),
    _table("proposal", (*Proposal.FIELDS, "hash"), "id"),  # type: ignore[attr-defined]
    _table(
        "injection",
        (
            "id",
            "event",
            "project",
            "run",
            "unit",
            "surface",
            "tokens",
            "given",
            "withheld",
            "left_out",
            "at",
        ),
        "id",
        number="id",
    ),
    _table(
        "shared",
        (
            "n",
            "id",
            "project",
            "memory",
            "kind",
            "machine",
            "local",
            "standing",
            "signer",
            "head",
            "digest",
            "salt",
            "words",
        ),
        "n",
        number="n",
    ),
    _table(
        "incident",
        (*INCIDENT_COLUMNS, "hash"),
        "run kind mark",
    ),
    _table("counter", ("project", "day", "name", "count"), "project day name"),
)
BY_NAME = {table.name: table for table in TRUTH}


def table_rows(store: Reads, table: Table, order: Sequence[str] = ()) -> Iterator[tuple[Any, ...]]:
    """A table's rows, in the order of its key unless told otherwise."""
    sql = f"SELECT {', '.join(table.columns)} FROM {table.name} ORDER BY {', '.join(order or table.key)}"
    return store.each(sql)
