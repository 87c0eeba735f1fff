"""Numbered, forward-only migrations, each in one transaction and safe under many processes at once.

Whoever gets the write lock first migrates; the others find the version raised and go on. A brand-new file runs
through the same steps, so that the migrated schema and the fresh one cannot differ.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import apsw

from tacit.core.errors import NotAStore, StoreBusy, StoreNewer, Unavailable
from tacit.stores.check import rule_of
from tacit.stores.sql_rows import SEALED, listed, row_seal, seal_project
from tacit.stores.sqlite.copies import copy_before_upgrade, folder_for
from tacit.stores.sqlite.erase import fold_anew
from tacit.stores.sqlite.terms import rebuild_terms as count_terms
from tacit.words.tokens import index_words

if TYPE_CHECKING:
    from tacit.stores.sqlite import SqliteStore, SqliteTransaction


APPLICATION_ID = 0x54616369  # "Taci": tells `file` and us that this is a store
# SCHEMA, by its files
NEWEST = sum(
    name[:4].isdigit() for name in os.listdir(os.path.join(os.path.dirname(__file__), "migrations"))
)


def migrate(store: SqliteStore, target: int | None = None) -> None:
    """Bring a store to the newest schema, or to an earlier one (for tests of upgrading)."""
    if 0 < _steps(store, target) < FOLDED and target is None:
        fold_anew(store, rule_of(store))


FOLDED = 12  # belief, and units that could not tell, are reckoned as today since this schema


def _steps(store: SqliteStore, target: int | None) -> int:
    """Go up step by step; the schema the store had, 0 for a new file."""
    goal = NEWEST if target is None else target
    _use_wal(store)
    copied, first = False, -1
    while True:
        with store.write() as tx:
            version: int = tx.rows("PRAGMA user_version")[0][0]
            first = version if first < 0 else first
            if version >= goal:
                if version > NEWEST:
                    raise StoreNewer(
                        f"{store.path} has schema {version}; this version of Tacit knows schemas up to {NEWEST}.",
                        "Upgrade Tacit.",
                    )
                return first
            if version == 0:
                if tx.rows("SELECT 1 FROM sqlite_schema LIMIT 1"):
                    raise NotAStore(
                        f"{store.path} is an SQLite file of another program.",
                        "Name another file; this one was not touched.",
                    )
                tx.rows(f"PRAGMA application_id = {APPLICATION_ID}")
            elif store.backups and not copied and tx.rows("SELECT 1 FROM journal LIMIT 1"):
                copied = True
                copy_before_upgrade(store, folder_for(store.path, store.backups))
            _step(tx, version + 1)
            tx.rows(f"PRAGMA user_version = {version + 1}")


def _step(tx: SqliteTransaction, number: int) -> None:
    with open(
        os.path.join(os.path.dirname(__file__), "migrations", f"{number:04d}.sql"), encoding="utf-8"
    ) as file:
        script = file.read()
    tx.rows(script)  # one execute runs all statements of the script
    if number == 2:
        _split_words(tx)
    if number == 3:
        _seal_tables(tx)
    if number == 12:
        count_terms(tx)


def _split_words(tx: SqliteTransaction) -> None:
    """Schema 2: fill the derived column of every memory and build full text over both columns."""
    for n, text, tags, paths in tx.rows("SELECT n, text, tags, paths FROM memory"):
        words = index_words(" ".join((text, *listed(tags), *listed(paths))))
        if words:
            tx.rows("UPDATE memory SET words = :words WHERE n = :n", n=n, words=words)
    tx.rows("INSERT INTO memory_fts (memory_fts) VALUES ('rebuild')")


def _seal_tables(tx: SqliteTransaction) -> None:
    """Schema 3: the seals of tables whose rows carry no hash."""
    for table, (columns, _) in SEALED.items():
        for row in tx.rows(f"SELECT {', '.join(columns)} FROM {table}"):
            named = dict(zip(columns, row))
            tx.seal(seal_project(table, named), table, 0, 1, row_seal(table, named))


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
