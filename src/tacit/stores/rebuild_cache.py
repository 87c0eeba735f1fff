"""A cache made anew, for one that is damaged or was long refused: lessons are fetched, and what it still holds of its own is carried again.

Carrying twice is carrying once, so every record that can be read and verifies goes along, whether the server has it or not. The old file
is moved aside and kept: only its keeper knows whether it is worth anything.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tacit.core.clock import stamp
from tacit.core.errors import Damaged
from tacit.core.links import link_hash
from tacit.core.memory import DECIDED, row_hash
from tacit.core.rows import Fault
from tacit.core.value import value
from tacit.stores.cache import open_cache, path_of, want, wanted
from tacit.stores.replicate import in_step
from tacit.stores.sqlite import open_store
from tacit.stores.tables import BY_NAME, TRUTH

if TYPE_CHECKING:
    from tacit.stores.sql import Store
    from tacit.stores.sql_writer import Transaction

SETTLE = 1.0  # seconds in which hooks that hold the old file are done with it
_OWN = ("run", "use", "use_mark", "injection", "queue")


@value
class Renewed:
    """What became of a cache."""

    aside: str = ""  # where the old file lies
    kept: int = 0  # records of its own that went along
    lost: int = 0  # that cannot be read or are not what was written
    lessons: int = 0  # fetched


def cache_faults(near: Store) -> Iterator[Fault]:
    """What is wrong with a cache: its pages, its copies, its records."""
    try:
        for (said,) in near.rows("PRAGMA integrity_check(20)"):
            if said != "ok":
                yield Fault("file", near.path, str(said))
        for *row, sealed in near.each(f"SELECT {', '.join(DECIDED)}, hash FROM memory"):
            if row_hash(tuple(row)) != sealed:
                yield Fault(
                    "memory", str(row[0]), "the copy is not what was fetched: its hash differs"
                )
        for table, columns in _HASHED.items():
            for *row, sealed in near.rows(f"SELECT {', '.join(columns)}, hash FROM {table}"):
                if link_hash(row) != sealed:
                    yield Fault(
                        table,
                        f"{row[0]} in {row[1]}",
                        "the record is not what was written: its hash differs",
                    )
    except Damaged as error:
        yield Fault("file", near.path, error.message)


_HASHED = {name: BY_NAME[name].hashed for name in ("use", "use_mark")}


def renew(url: str, folder: str, far: Store, machine: str = "") -> Renewed:
    """Set a cache aside and fill a new one."""
    path, aside = path_of(url, folder), ""
    if os.path.exists(path):
        aside = f"{path}.aside-{stamp(time.time()).replace(':', '')}"
        for end in ("-wal", "-shm", ""):
            if os.path.exists(path + end):
                os.rename(path + end, aside + end)
        time.sleep(SETTLE)
    own, lost, projects = _salvaged(aside) if aside else ({}, 0, [])
    with open_cache(url, folder, create=True, machine=machine) as near:
        with near.write() as tx:
            for project in projects:
                want(tx, project, stamp(time.time()))
            kept = sum(_put(tx, table, row) for table, rows in own.items() for row in rows)
        in_step(near, far)
        return Renewed(aside, kept, lost, near.one("SELECT count(*) FROM memory")[0])


def _salvaged(path: str) -> tuple[dict[str, list[dict[str, Any]]], int, list[str]]:
    """The records of an old cache, how many of them are lost, and the projects it had."""
    own: dict[str, list[dict[str, Any]]] = {}
    lost = 0
    try:
        with open_store(path, create=False) as old:
            projects = _tried(lambda: wanted(old), [])
            for table in _OWN:
                rows: list[dict[str, Any]] = _tried(lambda: _rows(old, table), [])  # noqa: B023 - called at once
                own[table] = [row for row in rows if _verifies(table, row)]
                lost += len(rows) - len(own[table])
            return own, lost, projects
    except Damaged:
        return own, lost, []


def _tried(read: Callable[[], Any], otherwise: Any) -> Any:
    try:
        return read()
    except Damaged:
        return otherwise


def _rows(old: Store, table: str) -> list[dict[str, Any]]:
    names = [row[1] for row in old.rows(f"PRAGMA table_info({table})")]
    return [dict(zip(names, row)) for row in old.rows(f"SELECT * FROM {table}")]


def _verifies(table: str, row: dict[str, Any]) -> bool:
    columns = _HASHED.get(table)
    return columns is None or link_hash([row[name] for name in columns]) == row["hash"]


def _put(tx: Transaction, table: str, row: dict[str, Any]) -> int:
    named = {name: field for name, field in row.items() if (table, name) not in _NUMBERS}
    tx.rows(
        f"INSERT OR IGNORE INTO {table} ({', '.join(named)}) VALUES ({', '.join(':' + name for name in named)})",
        **named,
    )
    return 1


_NUMBERS = {("queue", "id"), *((table.name, table.number) for table in TRUTH)}  # given anew
