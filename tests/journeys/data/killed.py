"""A worker that dies at a chosen point: `killed.py STORE N` ends itself with SIGKILL before its N-th SQL statement.

N = 0 lets it live. Prints how many statements it made.
"""

from __future__ import annotations

import os
import signal
import sys

import apsw

from tacit.worker import work

made = 0


def count(*_: object) -> bool:
    global made
    made += 1
    if made == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    return True


def watch(connection: apsw.Connection) -> None:
    connection.exec_trace = count


apsw.connection_hooks.append(watch)
work(sys.argv[1], os.environ, at_once=True)
print(made)
