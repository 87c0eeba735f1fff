"""The program with one known mistake planted, for negative controls: python shim.py FAULT ARGS…

A campaign that does not catch these would not catch a real one.

    early       acknowledged before COMMIT; early=N also dies before the N-th COMMIT, whose word was given long ago
    normal      synchronous=NORMAL
    deaf        what the disk refuses is taken for written

`peak=FILE` changes nothing and writes down the most memory that the program had, in KiB: what the system tells a parent
begins with the parent's own. Two are no mistakes but what a program must bear: `die=before:N` and `die=after:N` end it with SIGKILL just before and just after
its N-th COMMIT, `clock=SECONDS` is a clock that is off by so much.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import Any


def plant(fault: str) -> None:
    """Change the loaded program."""
    name, _, given = fault.partition("=")
    planted = {
        "early": _early,
        "normal": _normal,
        "deaf": _deaf,
        "die": _die,
        "clock": _clock,
        "peak": _peak,
    }
    if name not in planted:
        sys.exit(f"unknown fault {fault}")
    planted[name](given)


def _early(given: str) -> None:
    """Each transaction is committed only when the next one begins: its acknowledgement went out long before."""
    from tacit.store.writes import Transaction

    enter, commits = Transaction.__enter__, 0

    def late(self: Any) -> Any:
        nonlocal commits
        if not self.store.connection.get_autocommit():
            commits += 1
            if str(commits) == given:
                os.kill(os.getpid(), signal.SIGKILL)
            self.store._cursor.execute("COMMIT")
        return enter(self)

    def leave(self: Any, kind: Any, error: Any, trace: Any) -> None:
        if kind is not None:
            self._roll_back()

    Transaction.__enter__, Transaction.__exit__ = late, leave  # type: ignore[method-assign]


def _normal(_given: str) -> None:
    from tacit.store.reads import Store

    rows = Store.rows

    def lax(self: Any, sql: str, *bound: Any, **named: Any) -> Any:
        return rows(
            self, sql.replace("synchronous = FULL", "synchronous = NORMAL"), *bound, **named
        )

    Store.rows = lax  # type: ignore[method-assign]


def _deaf(_given: str) -> None:
    from tacit.core.errors import StoreReadOnly
    from tacit.store.writes import Transaction

    leave = Transaction.__exit__

    def content(self: Any, kind: Any, error: Any, trace: Any) -> None:
        try:
            leave(self, kind, error, trace)
        except StoreReadOnly:
            pass

    Transaction.__exit__ = content  # type: ignore[method-assign]


def _die(given: str) -> None:
    from tacit.store.writes import Transaction

    when, _, which = given.partition(":")
    leave, commits = Transaction.__exit__, 0

    def last(self: Any, kind: Any, error: Any, trace: Any) -> None:
        nonlocal commits
        commits += kind is None
        due = kind is None and str(commits) == which
        if due and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        leave(self, kind, error, trace)
        if due:
            os.kill(os.getpid(), signal.SIGKILL)

    Transaction.__exit__ = last  # type: ignore[method-assign]


def _peak(given: str) -> None:
    leave = os._exit

    def last(code: int) -> None:
        with open("/proc/self/status") as status, open(given, "w") as file:
            file.write(next((line.split()[1] for line in status if line.startswith("VmHWM")), "0"))
        leave(code)

    os._exit = last  # type: ignore[assignment]


def _clock(given: str) -> None:
    real, off = time.time, float(given)
    time.time = lambda: real() + off


if __name__ == "__main__":
    fault, sys.argv[1:] = sys.argv[1], sys.argv[2:]
    plant(fault)
    from tacit.cli import main

    os._exit(main()) if fault.startswith("peak=") else sys.exit(main())
