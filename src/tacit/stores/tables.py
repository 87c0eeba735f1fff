"""Every table of a store, once: its columns and their kinds, its keys, what of it is hashed.

Check, repair and the cache of a server all read it here. A column is added here (through the fields of its value, for those
that have one) and in the schema of each engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.exchange import Table
from tacit.core.links import EVIDENCE_COLUMNS, MARK_COLUMNS, USE_COLUMNS
from tacit.core.memory import DECIDED, NUMBERS
from tacit.core.proposal import Proposal
from tacit.core.rows import FindingRow, RunRow
from tacit.stores.incidents import COLUMNS as INCIDENT_COLUMNS
from tacit.stores.incidents import INCIDENT_NUMBERS as INCIDENT_NUMBERS
from tacit.stores.sql_rows import HEADER, KEYED

if TYPE_CHECKING:
    from tacit.stores.sql import Reads


def _table(
    name: str,
    columns: Sequence[str],
    key: str,
    *,
    numbers: str = "",
    reals: str = "",
    blobs: str = "",
    same: str = "",
    number: str = "",
) -> Table:
    """A table whose columns are texts unless said otherwise."""
    named = {int: numbers, float: reals, bytes: blobs}
    kind = {column: type for type, columns in named.items() for column in columns.split()}
    return Table(
        name,
        tuple(columns),
        tuple(key.split()),
        tuple(kind.get(column, str) for column in columns),
        tuple((same or key).split()),
        number,
    )


# Projects come first: on a server their rows decide who may write the others. Runs and findings come before the memories whose
# derived words name them.
TRUTH = (
    _table("profile", KEYED["profile"][0], "id"),
    _table("project", KEYED["project"][0], "id", numbers="run_seq", blobs="trial_key"),
    _table("meta", KEYED["meta"][0], "key"),
    _table("run", (*RunRow.FIELDS, "hash"), "id", numbers="seq complete", blobs="hash"),  # type: ignore[attr-defined]
    _table(
        "finding",
        (*FindingRow.FIELDS, "hash"),
        "key",  # type: ignore[attr-defined]
        numbers="version",
        reals="score runner_up",
        blobs="digest hash",
    ),
    _table("tombstone", KEYED["tombstone"][0], "run place"),
    _table(
        "memory",
        ("n", *DECIDED, "hash"),
        "n",
        numbers=f"n {' '.join(NUMBERS)}",
        blobs="hash",
        same="id",
        number="n",
    ),
    _table("alias", KEYED["alias"][0], "project namespace alias"),
    _table(
        "journal",
        ("id", *HEADER, "payload", "salt", "digest", "row", "hash"),
        "id",
        numbers="id n",
        blobs="salt digest row hash",
        same="memory n",
        number="id",
    ),
    _table(
        "evidence",
        ("n", *EVIDENCE_COLUMNS, "hash"),
        "n",
        numbers="n seq opening",
        reals="amount",
        blobs="hash",
        same="key",
        number="n",
    ),
    _table(
        "use",
        (*USE_COLUMNS, "hash"),
        "unit memory",
        numbers="instrument_eligible blank",
        reals="probability",
        blobs="hash",
    ),
    _table(
        "use_mark",
        ("n", *MARK_COLUMNS, "hash"),
        "n",
        numbers="n",
        reals="amount",
        blobs="hash",
        same="hash",
        number="n",
    ),
    _table(
        "tally", ("memory", "signal", "project", "amount", "at"), "memory signal", reals="amount"
    ),
    _table("proposal", (*Proposal.FIELDS, "hash"), "id", blobs="hash"),  # type: ignore[attr-defined]
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
        numbers="id tokens",
        same="event",
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
        numbers="n",
        same="id",
        number="n",
    ),
    _table(
        "incident",
        (*INCIDENT_COLUMNS, "hash"),
        "run kind mark",
        numbers=INCIDENT_NUMBERS,
        blobs="hash",
    ),
    _table("counter", ("project", "day", "name", "count"), "project day name", numbers="count"),
)
BY_NAME = {table.name: table for table in TRUTH}
QUEUE_KEY = ("key",)  # of `queue`, which belongs to this machine and is still mended


def table_rows(store: Reads, table: Table, order: Sequence[str] = ()) -> Iterator[tuple[Any, ...]]:
    """A table's rows, in the order of its key unless told otherwise."""
    sql = f"SELECT {', '.join(table.columns)} FROM {table.name} ORDER BY {', '.join(order or table.key)}"
    return store.each(sql)
