"""Making a store: the one schema, in one transaction, safe under many processes at once."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import apsw

from tacit.core.errors import NotAStore, StoreBusy, Unavailable

if TYPE_CHECKING:
    from tacit.stores.sqlite import SqliteStore

APPLICATION_ID = 0x54616369  # "Taci": tells `file` and us that this is a store


def create_schema(store: SqliteStore, version: int) -> None:
    """Fill an empty file. Whoever gets the write lock first does; the others find it done."""
    _use_wal(store)
    with store.write() as tx:
        if tx.rows("PRAGMA user_version")[0][0]:
            return
        if tx.rows("SELECT 1 FROM sqlite_schema LIMIT 1"):
            raise NotAStore(
                f"{store.path} is an SQLite file of another program.",
                "Name another file; this one was not touched.",
            )
        tx.rows(f"PRAGMA application_id = {APPLICATION_ID}")
        path = os.path.join(os.path.dirname(__file__), "schema.sql")
        with open(path, encoding="utf-8") as file:
            tx.rows(file.read())  # one execute runs all statements
        tx.rows(f"PRAGMA user_version = {version}")


def _use_wal(store: SqliteStore) -> None:
    # Changing the journal mode needs the file for itself and does not always ask the busy handler, so it is retried here.
    deadline = time.monotonic() + store.wait
    while True:
        try:
            mode = store._cursor.execute("PRAGMA journal_mode = WAL").fetchall()[0][0]
        except apsw.BusyError:
            mode = "busy"
        except apsw.Error as error:
            from tacit.stores.sqlite.errors import as_tacit_error

            raise as_tacit_error(error, store.path, "preparing") from error
        if mode in ("wal", "memory"):
            return
        if mode != "busy":
            raise Unavailable(
                f"{store.path} lies on a file system without shared memory (SQLite answered {mode!r}),"
                " where many processes cannot share a store safely.",
                "Put it on a local disk with --store or TACIT_STORE; a team shares one memory through PostgreSQL or git.",
            )
        if time.monotonic() > deadline:
            raise StoreBusy(
                f"The store {store.path} stayed busy while it was being prepared; nothing was changed.",
                "Try again.",
            )
        time.sleep(0.002 + (time.perf_counter_ns() >> 7) % 16 / 1000)
