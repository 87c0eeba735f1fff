"""Backups that count, and putting one back.

A copy counts as a backup only after it was restored to a temporary place and everything in it verified. Copies lie away
from the store, in one folder per store, named by a running number and their time; the number tells which is newest, so
that a clock which jumps cannot make an old one look new. A backup is one plain file in rollback mode, mode 0600.

Putting one back never swaps files under somebody's feet: the store is taken exclusively, what is there is copied aside,
and the pages are written through SQLite's own backup interface, in one transaction. Only a file whose header SQLite
cannot read at all is replaced, under the same locks. What was copied aside is never deleted by us.
"""

from __future__ import annotations

import os
import time

import apsw

from tacit.core import clock
from tacit.core.digest import new_id, short_hash
from tacit.core.errors import Damaged, NotFound, StoreBusy, StoreReadOnly, TacitError
from tacit.core.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tacit.stores.check import Health
    from tacit.stores.sqlite import SqliteStore

EVERY = 86400.0  # seconds between two automatic backups
NEWEST, WEEKS = 7, 4  # what rotation keeps: the newest, and of older ones the last of each of the latest weeks
SLACK = 8 << 20  # bytes that must stay free beside the copies
LOG_LARGE = 256 << 20  # bytes of a write-ahead log that somebody should know about
DERIVED = ("tally", "index")  # kinds of faults that `reindex` mends: no reason to refuse a backup
_PENDING = ".pending"  # a copy that was not verified yet
WEEK = 7 * 86400


@value
class Backup:
    """One copy of a store."""

    path: str
    number: int
    at: str
    bytes: int
    verified: bool = True

    @property
    def name(self) -> str:
        """What `restore` calls it by."""
        return os.path.basename(self.path).removesuffix(_PENDING).removesuffix(".db")


def folder_for(path: str, root: str) -> str:
    """Where the backups of one store lie, under the root of all backups in the user's data folder."""
    real = os.path.realpath(path)
    stem = os.path.basename(real).removesuffix(".db") or "store"
    return os.path.join(root, f"{stem}-{short_hash(real)[:8]}")


def backups(folder: str) -> list[Backup]:
    """The copies in a folder, newest first; those not verified yet among them."""
    found = []
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    for name in names:
        stem = name.removesuffix(_PENDING)
        number, _, at = stem.removesuffix(".db").partition("-")
        if stem.endswith(".db") and number.isdigit() and len(at) == 19:
            path = os.path.join(folder, name)
            when = f"{at[0:4]}-{at[4:6]}-{at[6:8]}T{at[9:11]}:{at[11:13]}:{at[13:15]}.{at[15:18]}Z"
            found.append(Backup(path, int(number), when, os.path.getsize(path), name == stem))
    return sorted(found, key=lambda each: -each.number)


def rotated(found: Sequence[Backup]) -> list[Backup]:
    """Of verified backups, newest first, those that may go: beyond the newest, all but the last of each of the latest weeks."""
    weeks: list[int] = []
    gone = []
    for each in found[NEWEST:]:
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
        made = _verified(_copied(store, folder))
        for each in rotated([each for each in backups(folder) if each.verified]):
            os.unlink(each.path)
        return made


def back_up_if_due(store: SqliteStore, folder: str, now: float | None = None) -> Backup | None:
    """For the worker: a backup if the newest is a day old and something was written since; never an error.

    What an upgrade left unverified is verified on the way. A full disk, a busy folder or a damaged store leave things as
    they are: `doctor` tells.
    """
    try:
        newest = next((each for each in backups(folder) if each.verified), None)
        age = abs((time.time() if now is None else now) - clock.seconds(newest.at)) if newest else EVERY
        if age < EVERY:
            return None
        if newest and _last_entry(newest.path) == store.one("SELECT max(id) FROM journal")[0]:
            return None
        return back_up(store, folder)
    except (TacitError, OSError, apsw.Error):
        return None


def copy_before_upgrade(store: SqliteStore, folder: str) -> Backup | None:
    """A copy of a store that is about to be migrated, by whoever holds its write lock; verified later, off the hook path.

    None where it cannot be made: the migration is one transaction and safe without it.
    """
    try:
        return _copied(store, folder)
    except (TacitError, OSError, apsw.Error):
        return None


def verify(path: str, folder: str) -> Health:
    """Restore a backup to a temporary place, as `restore` would, and check everything there."""
    from tacit.stores.check import check, rule_of
    from tacit.stores.sqlite import _told, open_store

    need_room(folder, os.path.getsize(path))
    place = os.path.join(folder, f".verify-{new_id()}")
    try:
        private(place)
        copy_pages(path, place)
        with open_store(place, create=False) as store:  # an older schema is brought up to date on the way
            return check(store, rule=rule_of(store))
    except apsw.Error as error:
        raise _told(error, path, "verifying") from error
    finally:
        for end in ("", "-wal", "-shm", "-journal"):
            if os.path.exists(place + end):
                os.unlink(place + end)


def find(folder: str, name: str = "") -> Backup:
    """A backup by its name, its number or a beginning of either; without a name the newest verified one."""
    found = backups(folder)
    fit = [each for each in found if each.verified] if not name else []
    if name:
        number = int(name) if name.isdigit() else -1
        fit = [each for each in found if each.number == number or each.name == name.removesuffix(".db")]
        fit = fit or [each for each in found if each.name.startswith(name)]
    if not fit:
        what = f"There is no backup {name!r}." if name else "There is no verified backup of this store."
        raise NotFound(what, f"tacit backup --list shows what there is; they lie in {folder}.")
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
    return [os.path.join(place, name) for name in sorted(os.listdir(place))] if os.path.isdir(place) else []


class _Alone:
    """One at a time in a folder of backups."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __enter__(self) -> None:
        import fcntl

        make_folder(self.folder)
        self.fd = os.open(os.path.join(self.folder, ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self.fd)
            raise StoreBusy("Another process is making a backup of this store.", "Try again in a moment.") from None
        for name in os.listdir(self.folder):
            if name.startswith((".verify-", ".copy-")):
                os.unlink(os.path.join(self.folder, name))  # of a process that was killed: whoever holds the lock is alone

    def __exit__(self, *_: object) -> None:
        os.close(self.fd)


def _copied(store: SqliteStore, folder: str) -> Backup:
    """A copy of what is committed now, as one file, not verified yet. Others may go on writing."""
    from tacit.stores.sqlite import _told

    make_folder(folder)
    size = int(store.one("PRAGMA page_count")[0]) * int(store.one("PRAGMA page_size")[0])
    need_room(folder, 2 * size)
    number = max((each.number for each in backups(folder)), default=0) + 1
    partial = os.path.join(folder, f".copy-{new_id()}")
    try:
        private(partial)
        copy_pages(store.path, partial)
        sync(partial)
        made = os.path.join(folder, f"{number:06d}-{compact(clock.now())}.db{_PENDING}")
        os.rename(partial, made)
        sync_folder(folder)
    except (apsw.FullError, OSError) as error:
        raise StoreReadOnly(f"The backup could not be written to {folder}: {error}.", "Free some space.") from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise _damaged(store.path, str(error)) from error
    except apsw.Error as error:
        raise _told(error, store.path, "copying") from error
    finally:
        for end in ("", "-wal", "-shm", "-journal"):
            if os.path.exists(partial + end):
                os.unlink(partial + end)
    return next(each for each in backups(folder) if each.path == made)


def _verified(copy: Backup) -> Backup:
    """The copy with its final name, if everything in it verifies; otherwise it goes."""
    folder = os.path.dirname(copy.path)
    health = verify(copy.path, folder)
    faults = [fault for fault in health.faults if fault.kind not in DERIVED]
    if faults:
        os.unlink(copy.path)
        raise _damaged("The store", f"{faults[0].kind} {faults[0].id}: {faults[0].detail}", len(faults))
    final = copy.path.removesuffix(_PENDING)
    os.rename(copy.path, final)
    sync_folder(folder)
    return Backup(final, copy.number, copy.at, copy.bytes)


def _verify_pending(folder: str) -> None:
    """Copies made before an upgrade, or by a process that was killed: they count now, or go."""
    for each in backups(folder):
        if not each.verified:
            try:
                _verified(each)
            except Damaged:
                pass


def _damaged(what: str, first: str, faults: int = 1) -> Damaged:
    return Damaged(
        f"{what} does not verify, so no backup was made ({faults} fault{'s' * (faults > 1)}; {first}).",
        "tacit doctor tells what is affected; tacit doctor --repair mends it.",
    )


def copy_pages(source: str, target: str) -> None:
    """All pages of one file into another, which becomes a plain file without a write-ahead log beside it."""
    given = apsw.Connection(source, flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        given.set_busy_timeout(10_000)
        taken = apsw.Connection(target, flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            with taken.backup("main", given, "main") as copying:
                copying.step(-1)
            taken.execute("PRAGMA journal_mode = DELETE").fetchall()
        finally:
            taken.close()
    finally:
        given.close()


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
        f"file:{quoted(path)}?mode=ro&immutable=1", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    )
    try:
        rows: Iterator[tuple[object, ...]] = connection.execute(sql, bound)
        return next(iter(rows))[0]
    finally:
        connection.close()


def quoted(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def compact(at: str) -> str:
    return at.replace("-", "").replace(":", "").replace(".", "")


def need_room(folder: str, size: int) -> None:
    place = folder
    while not os.path.isdir(place):
        place = os.path.dirname(place)
    free = free_bytes(place)
    if free < size + SLACK:
        raise StoreReadOnly(
            f"{folder} has {free >> 20} MiB free; {(size + SLACK) >> 20} MiB are needed to copy and verify the store.",
            "Free some space; nothing was changed.",
        )


def free_bytes(folder: str) -> int:
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def make_folder(folder: str) -> None:
    try:
        for place in (os.path.dirname(os.path.dirname(folder)), os.path.dirname(folder), folder):
            os.makedirs(place, mode=0o700, exist_ok=True)  # each by itself: the mode is the last one's only
    except OSError as error:
        raise StoreReadOnly(f"Backups cannot be kept at {folder}: {error.strerror}.", "Check the folder.") from error


def private(path: str) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def sync(path: str) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def sync_folder(folder: str) -> None:
    sync(folder)
