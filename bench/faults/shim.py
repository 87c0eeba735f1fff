"""The program with one known mistake planted, for negative controls: python shim.py FAULT ARGS…

A campaign that does not catch these would not catch a real one. `early`: acknowledged before COMMIT. `normal`:
synchronous=NORMAL. `clock=SECONDS`: not a mistake but a clock that is off by so much.
"""

from __future__ import annotations

import sys
import time
from typing import Any


def plant(fault: str) -> None:
    """Change the loaded program."""
    from tacit.stores import sqlite

    if fault == "early":
        # Each transaction is committed only when the next one begins: its acknowledgement went out long before.
        enter = sqlite.Transaction.__enter__

        def late(self: Any) -> Any:
            if not self._store._connection.get_autocommit():
                self._store._cursor.execute("COMMIT")
            return enter(self)

        def leave(self: Any, kind: Any, error: Any, trace: Any) -> None:
            if kind is not None:
                self._roll_back()

        sqlite.Transaction.__enter__, sqlite.Transaction.__exit__ = late, leave  # type: ignore[method-assign]
    elif fault == "normal":
        rows = sqlite.SqliteStore.rows

        def lax(self: Any, sql: str, **named: Any) -> Any:
            return rows(self, sql.replace("synchronous = FULL", "synchronous = NORMAL"), **named)

        sqlite.SqliteStore.rows = lax  # type: ignore[method-assign]
    elif fault.startswith("clock="):
        real, off = time.time, float(fault[6:])
        time.time = lambda: real() + off
    else:
        sys.exit(f"unknown fault {fault}")


if __name__ == "__main__":
    fault, sys.argv[1:] = sys.argv[1], sys.argv[2:]
    plant(fault)
    from tacit.surfaces.cli import main

    sys.exit(main())
