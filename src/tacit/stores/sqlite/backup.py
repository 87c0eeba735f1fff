"""Backups that count, and putting one back.

A copy (`copies`) counts as a backup only after it was restored to a temporary place and everything in it verified.

Putting one back never swaps files under somebody's feet: the store is taken exclusively, what is there is copied aside,
and the pages are written through SQLite's own backup interface, in one transaction. Only a file whose header SQLite
cannot read at all is replaced, under the same locks. What was copied aside is never deleted by us.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator, Sequence

import apsw

from tacit.core import clock
from tacit.core.digest import new_id
from tacit.core.errors import Damaged, NotFound, StoreBusy, TacitError, UsageError
from tacit.stores.check import Health, check, rule_of
from tacit.stores.files import to_disk
from tacit.stores.sqlite import SqliteStore, open_store
from tacit.stores.sqlite.copies import (
    PENDING_END,
    Backup,
    backups,
    clear_away,
    copied,
    copy_pages,
    damaged,
    make_folder,
    need_room,
    private,
    quoted,
)
from tacit.stores.sqlite.errors import as_tacit_error

BACKUP_EVERY = 86400.0  # seconds between two automatic backups
BACKUPS_KEPT, WEEKS = (
    7,
    4,
)  # what rotation keeps: the newest, and of older ones the last of each of the latest weeks
LOG_LARGE = 256 << 20  # bytes of a write-ahead log that somebody should know about
DERIVED = ("tally", "index")  # kinds of faults that `reindex` mends: no reason to refuse a backup
WEEK = 7 * 86400


def rotated(found: Sequence[Backup]) -> list[Backup]:
    """Of verified backups, newest first, those that may go: beyond the newest, all but the last of each of the latest weeks."""
    weeks: list[int] = []
    gone = []
    for each in found[BACKUPS_KEPT:]:
        week = int(clock.seconds(each.at) // WEEK)
        if week in weeks or len(weeks) >= WEEKS:
            gone.append(each)
        else:
            weeks.append(week)
    return gone


def back_up(store: SqliteStore, folder: str) -> Backup:
    """Copy the store, restore the copy to a temporary place, verify it there; then it counts. Old ones are rotated out."""
    with _Alone(folder):
        _verify_pending(folder)
        made = _verified(copied(store, folder))
        for each in rotated([each for each in backups(folder) if each.verified]):
            os.unlink(each.path)
        return made


def back_up_if_due(store: SqliteStore, folder: str, now: float | None = None) -> Backup | None:
    """For the worker: a backup if the newest is a day old and something was written since; never an error.

    A full disk, a busy folder or a damaged store leave things as
    they are: `doctor` tells.
    """
    try:
        newest = next((each for each in backups(folder) if each.verified), None)
        age = (
            abs((time.time() if now is None else now) - clock.seconds(newest.at))
            if newest
            else BACKUP_EVERY
        )
        if age < BACKUP_EVERY:
            return None
        if newest and _last_entry(newest.path) == store.one("SELECT max(id) FROM journal")[0]:
            return None
        return back_up(store, folder)
    except (TacitError, OSError, apsw.Error):
        return None


def verify(path: str, folder: str) -> Health:
    """Restore a backup to a temporary place, as `restore` would, and check everything there."""
    make_folder(folder)
    need_room(folder, os.path.getsize(path))
    place = os.path.join(folder, f".verify-{new_id()}")
    try:
        private(place)
        copy_pages(path, place)
        with open_store(place, create=False) as store:
            return check(store, rule=rule_of(store))
    except apsw.Error as error:
        raise as_tacit_error(error, path, "verifying") from error
    finally:
        clear_away(place)


def find_backup(folder: str, name: str = "") -> Backup:
    """A backup by its name, its number or a beginning of either, or a file that was brought from elsewhere; without a name
    the newest verified one."""
    if name and os.path.isfile(name):
        if not os.path.getsize(name):
            raise UsageError(
                f"{name} is empty: it is no backup of a store.", "Nothing was changed."
            )
        return Backup(os.path.abspath(name), 0, "", os.path.getsize(name))
    found = backups(folder)
    fit = [each for each in found if each.verified] if not name else []
    if name:
        number = int(name) if name.isdigit() else -1
        fit = [
            each for each in found if each.number == number or each.name == name.removesuffix(".db")
        ]
        fit = fit or [each for each in found if each.name.startswith(name)]
    if not fit:
        what = (
            f"There is no backup {name!r}."
            if name
            else "There is no verified backup of this store."
        )
        raise NotFound(what, f"tacit data backup --list shows what there is; they lie in {folder}.")
    return fit[0]


def remove_holding(store: SqliteStore, folder: str, memory: str) -> tuple[str, ...]:
    """After an erasure: a fresh backup, then those that still hold words of this memory are removed. Their names.

    Where no fresh one can be made the old ones go all the same: a person asked for the words to be gone.
    """
    holding = [each for each in backups(folder) if _holds(each.path, memory)]
    if not holding:
        return ()
    try:
        back_up(store, folder)
    except (TacitError, OSError, apsw.Error):
        pass  # the worker makes one as soon as it can
    for each in holding:
        if os.path.exists(each.path):
            os.unlink(each.path)
    return tuple(each.name for each in holding)


def asides(folder: str) -> list[str]:
    """Stores that were copied aside before they were repaired or replaced; kept until a person deletes them."""
    place = os.path.join(folder, "aside")
    return (
        [os.path.join(place, name) for name in sorted(os.listdir(place))]
        if os.path.isdir(place)
        else []
    )


class _Alone:
    """One at a time in a folder of backups."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __enter__(self) -> None:
        make_folder(self.folder)
        self.fd = os.open(
            os.path.join(self.folder, ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
        )
        try:
            fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self.fd)
            raise StoreBusy(
                "Another process is making a backup of this store.", "Try again in a moment."
            ) from None
        for name in os.listdir(self.folder):
            if name.startswith((".verify-", ".copy-")):
                # of a process that was killed: whoever holds the lock is alone
                os.unlink(os.path.join(self.folder, name))

    def __exit__(self, *_: object) -> None:
        os.close(self.fd)


def _verified(copy: Backup) -> Backup:
    """The copy with its final name, if everything in it verifies; otherwise it goes."""
    folder = os.path.dirname(copy.path)
    health = verify(copy.path, folder)
    faults = [fault for fault in health.faults if fault.kind not in DERIVED]
    if faults:
        os.unlink(copy.path)
        raise damaged(
            "The store", f"{faults[0].kind} {faults[0].id}: {faults[0].detail}", len(faults)
        )
    final = copy.path.removesuffix(PENDING_END)
    os.rename(copy.path, final)
    to_disk(folder)
    return Backup(final, copy.number, copy.at, copy.bytes)


def _verify_pending(folder: str) -> None:
    """Copies made before an upgrade, or by a process that was killed: they count now, or go."""
    for each in backups(folder):
        if not each.verified:
            try:
                _verified(each)
            except Damaged:
                pass


def _holds(path: str, memory: str) -> bool:
    """Whether a backup has words of this memory; one that cannot be read is taken to."""
    sql = (
        "SELECT EXISTS (SELECT 1 FROM memory WHERE id = ?1 AND text <> '')"
        " OR EXISTS (SELECT 1 FROM journal WHERE memory = ?1 AND verb <> 'erase' AND payload <> '')"
    )
    try:
        return bool(_looked(path, sql, memory))
    except apsw.Error:
        return True


def _last_entry(path: str) -> int:
    found = _looked(path, "SELECT max(id) FROM journal")
    return int(found) if isinstance(found, int) else -1


def _looked(path: str, sql: str, *bound: str) -> object:
    connection = apsw.Connection(
        f"file:{quoted(path)}?mode=ro&immutable=1",
        flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI,
    )
    try:
        rows: Iterator[tuple[object, ...]] = connection.execute(sql, bound)
        return next(iter(rows))[0]
    finally:
        connection.close()
