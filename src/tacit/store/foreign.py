"""Other programs' SQLite files, read and never written: what a host keeps of its sessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw

from tacit.core.errors import Unavailable
from tacit.safety.files import open_plain

_FOREIGN_WAIT = 2_000  # milliseconds for a program that is writing
MAGIC = b"SQLite format 3\0"


class Foreign:
    """A file of another program's, opened to be read."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self._db = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
            self._db.set_busy_timeout(_FOREIGN_WAIT)
        except apsw.Error as error:
            raise _unreadable(path, error) from None

    def columns(self, table: str) -> set[str]:
        """The columns of a table; none where there is no such table."""
        return {
            str(row[0]) for row in self._rows("SELECT name FROM pragma_table_info(?)", (table,))
        }

    def rows(
        self, table: str, columns: Sequence[str], *, order: str, group: str = "", **where: str
    ) -> list[tuple[Any, ...]]:
        """Rows in order, those whose columns have these values; with `group` one for each of its values. Names are ours, never a file's."""
        filters = " AND ".join(f"{name} = ?" for name in where)
        told = f"WHERE {filters} " if where else ""
        grouped = f"GROUP BY {group} " if group else ""
        return self._rows(
            f"SELECT {', '.join(columns)} FROM {table} {told}{grouped}ORDER BY {order}",
            tuple(where.values()),
        )

    def _rows(self, sql: str, values: tuple[str, ...]) -> list[tuple[Any, ...]]:
        try:
            return list(self._db.execute(sql, values))
        except apsw.Error as error:
            raise _unreadable(self.path, error) from None

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()


def _unreadable(path: str, error: Exception) -> Unavailable:
    return Unavailable(
        f"{path} cannot be read: {error}.",
        "Its program may be writing, or the file is damaged: try again later.",
    )


def is_database(path: str) -> bool:
    """Whether a path leads to a file of SQLite's."""
    try:
        with open(open_plain(path), "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except (OSError, ValueError):
        return False
