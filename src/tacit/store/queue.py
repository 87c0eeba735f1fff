"""What only the worker asks of the queue; what hooks ask stands in `store/moments.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tacit.store.reads import Reads
    from tacit.store.writes import Transaction


NEVER = "9999-12-31T00:00:00.000Z"  # `not_before` of a job that is left alone


def failed_jobs(store: Reads) -> list[dict[str, Any]]:
    """Jobs that wait with an error: what it was, how often, and when it is tried again (empty: not by itself)."""
    rows = store.rows(
        "SELECT key, attempts, error, not_before FROM job WHERE error <> '' ORDER BY n"
    )
    return [
        {
            "job": key,
            "attempts": attempts,
            "error": error,
            "again_at": "" if not_before == NEVER else not_before,
        }
        for key, attempts, error, not_before in rows
    ]


def next_due(store: Reads, never: str, reads: bool) -> str | None:
    """When the next job that `reads` a session, or the next that does not, may be taken; `never` is the time of those that wait for a
    person."""
    row = store.one(
        f"SELECT min(max(not_before, held_until)) FROM job WHERE not_before < :never AND kind {'=' if reads else '<>'} 'read'",
        never=never,
    )
    return row[0] if row else None


def sessions_to_read(store: Reads, now: str) -> int:
    """How many sessions wait to be read now."""
    row = store.one(
        "SELECT count(*) FROM job WHERE kind = 'read' AND key LIKE 'read:%' AND not_before <= :now",
        now=now,
    )
    return int(row[0]) if row else 0


def last_job(store: Reads) -> int:
    """The number of the newest job."""
    return int(store.one("SELECT coalesce(max(n), 0) FROM job")[0])


def asked_at(store: Reads, id: int) -> str | None:
    """When a job was last asked for; None where it is done."""
    row = store.one("SELECT asked_at FROM job WHERE n = :id", id=id)
    return str(row[0]) if row else None


def leased(store: Reads) -> Sequence[tuple[int, int]]:
    """Jobs that somebody holds, with their attempts."""
    return store.rows("SELECT n, attempts FROM job WHERE holder <> ''")


def free(tx: Transaction, id: int, later: str) -> None:
    """Let a job be taken again, not before `later`."""
    tx.rows(
        "UPDATE job SET holder = '', held_until = '', not_before = :later WHERE n = :id",
        later=later,
        id=id,
    )


def hasten(tx: Transaction, never: str) -> None:
    """Let everything that waits for a time be taken now."""
    tx.rows("UPDATE job SET not_before = '' WHERE not_before < :never", never=never)


def hasten_reading(tx: Transaction, surroundings: str) -> None:
    """Let what waits to be read in these surroundings be taken now."""
    tx.rows(
        "UPDATE job SET not_before = '' WHERE kind = 'read' AND payload LIKE :wanted",
        wanted=f'%"{surroundings}"%',
    )


def forgive(tx: Transaction, id: int) -> None:
    """Forget a job's attempts: nobody died of it."""
    tx.rows("UPDATE job SET attempts = 0 WHERE n = :id", id=id)
