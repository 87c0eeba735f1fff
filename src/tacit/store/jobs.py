"""The queue between hooks and the worker: one row for each thing that is still to be done.

What makes it safe to kill a worker at any point: a job leaves the queue only after it was done, doing it is one
transaction and idempotent, and the lock that makes a worker the only one is the kernel's, gone with the process. So
whoever holds that lock may take over every job that somebody held. What workers die on again and again waits longer
each time, so that other jobs have their turn, and is left alone in the end, its error to be seen in `doctor`.
"""

from __future__ import annotations

from tacit.core.clock import stamp
from tacit.core.value import loads, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tacit.store.file import Store, Transaction

NEVER = "9999-12-31T00:00:00.000Z"  # the time of a job that is left alone
HELD = 120.0  # seconds; only tells people that somebody is at it, since the lock decides
BACKOFF = (15.0, 60.0, 300.0, 1800.0)  # seconds before the next attempt
ATTEMPTS = 5  # failures after which a job is left alone
DEATHS = 2  # deaths of a worker after which its job is tried again at once
MOST_DEATHS = 20  # after which it is left alone; by then hours have passed
LONGEST_ERROR = 500  # characters

READ = "read"  # the kind of job that asks a model and may take minutes; all others take moments


@value
class Job:
    """One thing to be done."""

    n: int
    kind: str
    key: str
    project: str
    payload: Mapping[str, Any]
    attempts: int
    asked_at: str  # when it was last asked for


def take(
    tx: Transaction, holder: str, now: float, *, reads: bool = False, after: int = 0, last: int = -1
) -> Job | None:
    """The oldest job that is due and not held, numbered beyond `after` and up to `last`."""
    found = tx.rows(
        "SELECT n, kind, key, project, payload, attempts + 1, asked_at FROM job"
        " WHERE not_before <= ?1 AND held_until <= ?1 AND (kind = ?2) = ?3"
        " AND n > ?4 AND (?5 < 0 OR n <= ?5) ORDER BY n LIMIT 1",
        *(stamp(now), READ, reads, after, last),
    )
    if not found:
        return None
    tx.rows(
        "UPDATE job SET holder = ?, held_until = ?, attempts = attempts + 1 WHERE n = ?",
        *(holder, stamp(now + HELD), found[0][0]),
    )
    n, kind, key, project, payload, attempts, asked_at = found[0]
    return Job(n, kind, key, project, loads(payload or "{}"), attempts, asked_at)


def take_over(tx: Transaction, now: float) -> None:
    """Free what dead workers held, for the one that holds the lock now."""
    for n, attempts in tx.rows("SELECT n, attempts FROM job WHERE holder <> ''"):
        later = ""
        if attempts > MOST_DEATHS:
            later = NEVER
            said = f"{attempts} workers ended while they were at it"
            tx.rows("UPDATE job SET error = ? WHERE n = ?", said, n)
        elif attempts > DEATHS:
            later = stamp(now + BACKOFF[min(attempts - DEATHS, len(BACKOFF)) - 1])
        tx.rows("UPDATE job SET holder = '', held_until = '', not_before = ? WHERE n = ?", later, n)


def finish(tx: Transaction, job: Job, holder: str) -> None:
    """Take a done job off the queue, unless it was asked for again meanwhile or somebody else holds it."""
    tx.rows(
        "DELETE FROM job WHERE n = ? AND holder = ? AND asked_at = ?",
        *(job.n, holder, job.asked_at),
    )
    tx.rows("UPDATE job SET holder = '', held_until = '' WHERE n = ? AND holder = ?", job.n, holder)


def put_off(
    tx: Transaction, job: Job, until: str, why: str = "", *, blameless: bool = True
) -> None:
    """Put a job back until later; `blameless` where what it needs was away, which counts as no attempt."""
    tx.rows(
        "UPDATE job SET holder = '', held_until = '', error = ?, not_before = ?,"
        " attempts = attempts - ? WHERE n = ?",
        *(why[:LONGEST_ERROR], until, blameless, job.n),
    )


def fail(tx: Transaction, job: Job, error: str, now: float) -> bool:
    """Put a job that failed back for another attempt; True where it was the last and the job is left alone."""
    alone = job.attempts >= ATTEMPTS
    until = NEVER if alone else stamp(now + BACKOFF[min(job.attempts, len(BACKOFF)) - 1])
    put_off(tx, job, until, error, blameless=False)
    return alone


def hasten(tx: Transaction) -> None:
    """Everything that waits for a time may be taken now; what was left alone stays so."""
    tx.rows("UPDATE job SET not_before = '' WHERE not_before < ?", NEVER)


def hasten_reading(tx: Transaction, surroundings: str) -> None:
    """Let what waits to be read in these surroundings be taken now."""
    tx.rows(
        "UPDATE job SET not_before = '' WHERE kind = ? AND payload LIKE ?",
        *(READ, f'%"{surroundings}"%'),
    )


def sessions_to_read(store: Store, now: str) -> int:
    """How many sessions wait to be read now."""
    sql = "SELECT count(*) FROM job WHERE kind = ? AND key LIKE 'read:%' AND not_before <= ?"
    return int(store.rows(sql, READ, now)[0][0])


def is_asked_again(tx: Transaction, job: Job) -> bool:
    """Whether somebody asked for a job again since it was taken."""
    return tx.rows("SELECT asked_at FROM job WHERE n = ?", job.n) != [(job.asked_at,)]


def next_due(store: Store | Transaction, *, reads: bool) -> str | None:
    """When the next job of this sort may be taken; None where none waits."""
    found = store.rows(
        "SELECT min(max(not_before, held_until)) FROM job WHERE not_before < ? AND (kind = ?) = ?",
        *(NEVER, READ, reads),
    )
    return found[0][0] if found else None


def last_number(store: Store | Transaction) -> int:
    """The number of the newest job."""
    return int(store.rows("SELECT coalesce(max(n), 0) FROM job")[0][0])


def failed(store: Store) -> list[dict[str, Any]]:
    """Jobs that wait with an error: what it was, how often, and when they are tried again (empty: not by themselves)."""
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
