"""Read what can still be read of a damaged store, row by row, trying single bits where a seal says that little is wrong."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import apsw

from tacit.core.links import link_hash
from tacit.core.memory import DECIDED, row_hash
from tacit.stores.shared import is_sound
from tacit.stores.sql_rows import row_seal
from tacit.stores.sqlite import SqliteStore
from tacit.stores.tables import BY_NAME, QUEUE_KEY, TRUTH

if TYPE_CHECKING:
    Row = dict[str, Any]

GAP = 100_000  # row numbers looked up one by one where a scan breaks off
SAME_ROW = {**{table.name: table.same for table in TRUTH}, "queue": QUEUE_KEY}
LINK_TABLES = {name: BY_NAME[name].hashed for name in ("evidence", "use", "use_mark")}
SEALED_TABLES = {name: BY_NAME[name].hashed for name in ("run", "finding", "proposal", "incident")}
NUMBERED = ("evidence", "use_mark", "shared")  # by a number that no hash covers


class Salvage:
    """Rows of a file that may be broken anywhere, as far as they can be read."""

    def __init__(self, path: str, model: SqliteStore, known: list[tuple[Any, ...]]) -> None:
        self.model = model
        self.tables: dict[str, list[tuple[str, str]]] = {}
        for table in SAME_ROW:
            told = model.rows(f"SELECT name, type FROM pragma_table_info('{table}')")
            self.tables[table] = [(name, type) for name, type in told]
        self.broken: set[str] = set()  # tables that could not be read to their end
        _mend_header(path)
        self.connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
        self._mend_schema()
        if not self._has_tables():
            self._graft(path, known)

    def close(self) -> None:
        """Close the copy."""
        self.connection.close()

    def schema(self) -> list[tuple[Any, ...]]:
        """Every table and index with the page it begins at."""
        return self.connection.execute(
            "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_schema ORDER BY rowid"
        ).fetchall()

    def _has_tables(self) -> bool:
        try:
            return {row[1] for row in self.schema()} >= set(SAME_ROW)
        except (apsw.Error, UnicodeDecodeError):
            return False

    def _mend_schema(self) -> None:
        """Table definitions are known by heart: where a file's own are garbled, ours are put in, page numbers kept."""
        ours = self.model.rows(
            "SELECT rowid, type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid"
        )
        try:
            self.connection.execute("PRAGMA writable_schema = ON").fetchall()
            listed = self.connection.execute(
                "SELECT rowid FROM sqlite_schema ORDER BY rowid"
            ).fetchall()
            if len(listed) == len(ours):
                for (at,), (_, type, name, table, sql) in zip(listed, ours):
                    self.connection.execute(
                        "UPDATE sqlite_schema SET type = ?, name = ?, tbl_name = ?, sql = ? WHERE rowid = ?",
                        (type, name, table, sql, at),
                    )
            self.connection.execute("PRAGMA writable_schema = RESET").fetchall()
        except apsw.Error:
            pass

    def _graft(self, path: str, known: list[tuple[Any, ...]]) -> None:
        """The table of tables cannot be read: an empty one takes its place, filled with where the tables are known to begin.

        They begin where they did in the backup, or in any store that was made by this version: nothing moves them.
        """
        try:
            self.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        except apsw.Error:
            pass
        self.connection.close()
        with open(path, "r+b") as file:
            size = os.path.getsize(path) // 4096
            file.seek(28)
            file.write(size.to_bytes(4, "big") + bytes(8))  # as long as it is, no free pages
            file.seek(100)
            file.write(b"\x0d\x00\x00\x00\x00\x10\x00\x00")  # a leaf without cells
        self.connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            self.connection.execute("PRAGMA writable_schema = ON").fetchall()
            for row in known:
                self.connection.execute(
                    "INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES (?, ?, ?, ?, ?)",
                    row,
                )
            self.connection.execute("PRAGMA writable_schema = RESET").fetchall()
        except apsw.Error:
            pass

    def rows(self, table: str) -> Iterator[Row]:
        """Every row that can be reached, each once and in order: from the front, one by one in between, and from the back."""
        columns = self.tables[table]
        # A flipped bit may also make a text of what is none, and not every text is Unicode.
        other = "CASE typeof({0}) WHEN 'text' THEN CAST({0} AS BLOB) ELSE {0} END"
        chosen = ", ".join(
            f"CAST({name} AS BLOB)" if type == "TEXT" else other.format(name)
            for name, type in columns
        )
        numbered = self._numbered(table)
        order = [numbered] if numbered else list(SAME_ROW[table])
        seen: set[int] = (
            set()
        )  # hashes of rows, not their numbers: a page of another table may be read as one of ours
        ends: list[int] = []
        back: list[Row] = []
        for direction in ("", " DESC"):
            by = ", ".join(name + direction for name in order)
            whole = False
            last = None
            try:
                for row in self.connection.execute(f"SELECT {chosen} FROM {table} ORDER BY {by}"):
                    at = self._read(columns, row)
                    if numbered:
                        last = at[numbered]
                    if hash(row) not in seen:
                        seen.add(hash(row))
                        if direction:
                            back.append(at)
                        else:
                            yield at
                whole = True
            except apsw.Error:
                pass
            if whole:
                break
            self.broken.add(table)
            if isinstance(last, int):
                ends.append(last)
        if numbered and len(ends) == 2 and 0 < ends[1] - ends[0] <= GAP:
            for n in range(ends[0] + 1, ends[1]):
                try:
                    for row in self.connection.execute(
                        f"SELECT {chosen} FROM {table} WHERE {numbered} = ?", (n,)
                    ):
                        if hash(row) not in seen:
                            seen.add(hash(row))
                            yield self._read(columns, row)
                except apsw.Error:
                    continue
        yield from reversed(back)

    def _numbered(self, table: str) -> str:
        return "id" if table == "queue" else BY_NAME[table].number

    @staticmethod
    def _read(columns: list[tuple[str, str]], row: Sequence[Any]) -> Row:
        # A text that is not Unicode any more stays bytes: it verifies nowhere, but a bit tried in it may make it whole.
        at: Row = {}
        for (name, type), cell in zip(columns, row):
            if type == "TEXT" and isinstance(cell, bytes):
                try:
                    at[name] = cell.decode("utf-8")
                    continue
                except UnicodeDecodeError:
                    pass
            at[name] = cell
        return at


def _mend_header(path: str) -> None:
    """The constant part of a store's first hundred bytes, put in again."""
    with open(path, "r+b") as file:
        head = bytearray(file.read(100).ljust(100, b"\0"))
        head[0:16] = b"SQLite format 3\0"
        head[16:24] = (
            b"\x10\x00\x02\x02\x00\x40\x20\x20"  # 4096-byte pages, write-ahead log, no reserved bytes
        )
        head[44:48] = (4).to_bytes(4, "big")
        head[56:60] = (1).to_bytes(4, "big")  # UTF-8
        file.seek(0)
        file.write(head)


def verifies(table: str, row: Row) -> bool:
    """Whether a row is what was written."""
    if table == "shared":
        return is_sound(row)
    try:
        # those of schema 10 carry none
        return bool(
            _seal_of(table, row) == row["hash"] or (table == "incident" and not row["hash"])
        )
    except (TypeError, ValueError):
        return False


def _seal_of(table: str, row: Row) -> bytes:
    if table == "memory":
        return row_hash(tuple(row[name] for name in DECIDED))
    if table in LINK_TABLES:
        return link_hash(tuple(row[name] for name in LINK_TABLES[table]))
    return row_seal(table, {name: row[name] for name in SEALED_TABLES[table]})


_RAW = ("hash", "row", "digest", "salt", "trial_key", "xor")


def as_type(raw: bytearray, name: str) -> str | bytes | None:
    if name in _RAW:
        return bytes(raw)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
