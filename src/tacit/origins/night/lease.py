"""Who tends a project: one process at a time.

The lease is a line in the store, so that it also holds between machines. Its holder is known by machine, process and
the moment that process began, for numbers of processes are used again. On the same machine a holder that died is
seen at once; on another one its lease runs out.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tacit.core import clock
from tacit.core.errors import StoreBusy

if TYPE_CHECKING:
    from tacit.origins.night.context import Context
    from tacit.store.writes import Transaction

LEASE_LASTS = 900.0  # longer than any one call of a model may take
LEASE = "lease"


def take_lease(context: Context) -> str:
    """Take the lease; the sentence that says who has it, where somebody else does."""
    with context.store.write() as tx:
        held = _read(tx, context)
        if held and held[1] > context.now() and not _is_dead(held[0], context):
            return f"another process tends this project since {held[2]}"
        _put(tx, context, since=context.now())
    return ""


def renew(context: Context) -> None:
    """Go on holding it. Raises where another process took over after the time ran out: one of the two must stop."""
    if (
        not context.held_until
        or clock.days_between(context.now(), context.held_until) * clock.DAY > LEASE_LASTS / 2
    ):
        return
    with context.store.write() as tx:
        held = _read(tx, context)
        if not held or held[0] != _me(context):
            context.held_until = ""
            raise StoreBusy(
                "Another process tends this project now; this one stopped.", "Nothing is lost."
            )
        _put(tx, context, since=held[2])


def give_back(context: Context) -> None:
    """Let the next one in."""
    if not context.held_until:
        return
    context.held_until = ""
    with context.store.write() as tx:
        held = _read(tx, context)
        if held and held[0] == _me(context):
            context.put_mark(tx, LEASE, "")


def _read(tx: Transaction, context: Context) -> tuple[str, str, str] | None:
    """(holder, until, since)."""
    parts = tx.meta(f"tend:{context.project.id}:{LEASE}").split("\t")
    return (parts[0], parts[1], parts[2]) if len(parts) == 3 else None


def _put(tx: Transaction, context: Context, since: str) -> None:
    context.held_until = clock.stamp(clock.seconds(context.now()) + LEASE_LASTS)
    context.put_mark(tx, LEASE, f"{_me(context)}\t{context.held_until}\t{since}")


def _me(context: Context) -> str:
    return f"{context.store.machine} {os.getpid()} {_began(os.getpid())} {context.name}"


def _is_dead(holder: str, context: Context) -> bool:
    machine, pid, began = [*holder.split(" "), "", "", ""][:3]
    if machine != context.store.machine or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return began != _began(int(pid))


def _began(pid: int) -> str:
    """When a process began, in the kernel's own count; empty for one that ended, or where the system does not say."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            told = file.read().rpartition(b")")[2].split()
        return "" if told[0] in (b"Z", b"X") else told[19].decode()
    except (OSError, IndexError):
        return ""
