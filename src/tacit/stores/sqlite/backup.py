"""Backups that count, and putting one back.

A copy counts as a backup only after it was restored to a temporary place and everything in it verified. Copies lie away
from the store, in one folder per store, named by a running number and their time; the number tells which is newest, so
that a clock which jumps cannot make an old one look new. A backup is one plain file in rollback mode, mode 0600.

Putting one back never swaps files under somebody's feet: the store is taken exclusively, what is there is copied aside,
and the pages are written through SQLite's own backup interface, in one transaction. Only a file whose header SQLite
cannot read at all is replaced, under the same locks. What was copied aside is never deleted by us.
"""

from __future__ import annotations

import contextlib
import os
import time

import apsw

from tacit.core import clock
from tacit.core.digest import new_id, short_hash
from tacit.core.errors import Damaged, NotFound, Refused, StoreBusy, StoreReadOnly, TacitError, Unavailable
from tacit.core.value import replace, value

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
_WEEK = 7 * 86400


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
        week = int(clock.seconds(each.at) // _WEEK)
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

    _need_room(folder, os.path.getsize(path))
    place = os.path.join(folder, f".verify-{new_id()}")
    try:
        _private(place)
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


@value
class Restored:
    """What came back, and where the store that was there lies now."""

    backup: Backup
    path: str
    aside: str = ""
    warning: str = ""  # it came back, but no fresh backup of it could be made


def notes(path: str, folder: str) -> list[str]:
    """What a person should know about the safety of a store before it is too late."""
    told = []
    found = backups(folder)
    newest = next((each for each in found if each.verified), None)
    if newest is None:
        told.append("there is no verified backup yet; tacit backup makes one, and so does the worker")
    elif time.time() - clock.seconds(newest.at) > _WEEK:
        told.append(f"the newest backup is of {newest.at[:10]}; tacit backup makes one")
    size = sum(os.path.getsize(path + end) for end in ("", "-wal") if os.path.exists(path + end))
    free = _free(os.path.dirname(os.path.abspath(path)))
    if free < 2 * size + SLACK:
        told.append(f"only {free >> 20} MiB are free on its disk; when it is full nothing new is kept, and reading goes on")
    if os.path.exists(path + "-wal") and os.path.getsize(path + "-wal") > LOG_LARGE:
        long = os.path.getsize(path + "-wal") >> 20
        told.append(f"its write-ahead log is {long} MiB long: some process has been reading for a long time")
    if kept := asides(folder):
        place = os.path.dirname(kept[0])
        told.append(f"{len(kept)} files of stores that were repaired or replaced are kept in {place}; delete them when you like")
    return told


# -- putting back -------------------------------------------------------------------------------------------------------


def restore(path: str, folder: str, name: str = "", to: str = "") -> Restored:
    """Put a backup back over the store, or into a new file `to`. It is verified once more before anything is touched."""
    chosen = find(folder, name)
    faults = [fault for fault in verify(chosen.path, folder).faults if fault.kind not in DERIVED]
    if faults:
        raise Damaged(
            f"Backup {chosen.name} does not verify any more ({faults[0].kind} {faults[0].id}: {faults[0].detail}).",
            "Nothing was changed; tacit backup --list shows the others.",
        )
    if to and os.path.exists(to):
        raise Refused(f"{to} exists already; a restored store goes into a new file.", "Name another, or leave out --to.")
    done = Restored(chosen, to or path, install(to or path, chosen.path, folder))
    return done if to else replace(done, warning=_backed_up_again(path, folder))


def _backed_up_again(path: str, folder: str) -> str:
    """The newest backup must be of the state that was chosen: a later repair builds on it. Why none could be made, if so."""
    from tacit.stores.sqlite import open_store

    try:
        with open_store(path, create=False) as store:
            back_up(store, folder)
    except (TacitError, OSError, apsw.Error) as error:
        told = error.message if isinstance(error, TacitError) else str(error)
        return f"the store was restored, but no backup of it could be made: {told} Run tacit backup."
    return ""


def install(path: str, source: str, folder: str, wait: float = 10.0) -> str:
    """Make the store at `path` what the verified file `source` holds; what was there is copied aside first. Where it lies.

    The caller has closed its own connections to the store. Raises `StoreBusy` while anybody else has it open.
    """
    with told_plainly(path, "restoring"):
        if not _is_there(path):
            os.makedirs(os.path.dirname(os.path.abspath(path)), mode=0o700, exist_ok=True)
            _private(path)
            copy_pages(source, path)
            _sync(path)
            return ""
        with Held(path, folder, wait) as held:
            held.write(source)
        return held.aside


@contextlib.contextmanager
def told_plainly(path: str, doing: str) -> Iterator[None]:
    """What the disk answers comes up in our words."""
    from tacit.stores.sqlite import _told

    try:
        yield
    except OSError as error:
        raise StoreReadOnly(
            f"The disk answered with an error while {doing} {path}: {error.strerror or error}.",
            "Check the disk, then tacit doctor; a store that was replaced is kept aside, beside the backups.",
        ) from error
    except apsw.Error as error:
        raise _told(error, path, doing) from error


def _is_there(path: str) -> bool:
    """Whether there is such a file. A disk that cannot tell has not said no."""
    try:
        os.stat(path)
    except FileNotFoundError:
        return False
    return True


class Held:
    """A store taken for ourselves: nobody else has it open, and what it holds is copied aside."""

    def __init__(self, path: str, folder: str, wait: float = 10.0) -> None:
        self.path = path
        self.wait = wait
        _need_room(folder, 2 * os.path.getsize(path))
        self.aside = os.path.join(folder, "aside", f"{_compact(clock.now())}-{new_id()}.db")
        self._connection: apsw.Connection | None = None
        self._fd = -1

    def __enter__(self) -> Held:
        try:
            self._connection = self._taken()
            if self._connection is None:
                self._fd = self._locked()
            _copy_aside(self.path, self.aside)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def write(self, source: str) -> None:
        """Put the pages of a verified file into the store, in one transaction."""
        from tacit.stores.sqlite import _told

        if self._connection is not None:
            try:
                _pages_into(self._connection, source)
                return
            except (apsw.NotADBError, apsw.CorruptError):
                self._connection.close()
                self._connection = None
                self._fd = self._locked()
            except apsw.Error as error:
                raise _told(error, self.path, "restoring") from error
        self._replace(source)

    def _taken(self) -> apsw.Connection | None:
        """The store, locked by SQLite's own rules; None if it cannot tell that this is a database."""
        connection = apsw.Connection(self.path, flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            connection.set_busy_timeout(int(self.wait * 1000))
            # Every open connection in WAL mode holds a shared lock, so this waits until nobody else has the store open.
            connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
            connection.execute("BEGIN EXCLUSIVE; COMMIT")
            return connection
        except (apsw.NotADBError, apsw.CorruptError):
            connection.close()
            return None
        except (apsw.BusyError, apsw.LockedError) as error:
            connection.close()
            raise _open_elsewhere(self.path) from error
        except apsw.Error as error:
            connection.close()
            raise StoreReadOnly(f"{self.path} cannot be written: {error}; nothing was changed.", "Check its disk.") from error

    def _locked(self) -> int:
        """The file with SQLite's lock bytes held by hand: pending, reserved and shared."""
        import fcntl

        fd = os.open(self.path, os.O_RDWR)
        try:
            fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB, 512, 0x40000000)
        except OSError:
            os.close(fd)
            raise _open_elsewhere(self.path) from None
        return fd

    def _replace(self, source: str) -> None:
        fresh = f"{self.path}.{new_id()}"
        _private(fresh)
        copy_pages(source, fresh)
        _sync(fresh)
        for end in ("-wal", "-shm"):  # a log that is left behind would be replayed into the new file
            if os.path.exists(self.path + end):
                os.unlink(self.path + end)
        os.rename(fresh, self.path)
        _sync_folder(os.path.dirname(os.path.abspath(self.path)))


def _open_elsewhere(path: str) -> StoreBusy:
    return StoreBusy(f"Another process has {path} open; nothing was changed.", "Close agents and tacit serve, then try again.")


def _pages_into(connection: apsw.Connection, source: str) -> None:
    origin = apsw.Connection(f"file:{_quoted(source)}?mode=ro", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    try:
        with connection.backup("main", origin, "main") as copying:
            copying.step(-1)
    finally:
        origin.close()


def _copy_aside(path: str, aside: str) -> None:
    # In a process of its own: closing the file here would drop the locks that SQLite holds in this one.
    import subprocess
    import sys

    from tacit.stores.sqlite import copy_files as program

    _make_folder(os.path.dirname(aside))
    # Isolated (-I) and without site-packages (-S): nothing in the current folder, which may be anybody's, is imported.
    done = subprocess.run([sys.executable, "-I", "-S", program.__file__, path, aside], capture_output=True, text=True)
    if done.returncode or not program.is_copied(done.stdout, aside):
        said = done.stderr.strip()[-300:] or "the copy is not what was read"
        raise Unavailable(f"{path} could not be copied aside: {said}.", "Nothing was changed.")


# -- copying ------------------------------------------------------------------------------------------------------------


class _Alone:
    """One at a time in a folder of backups."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __enter__(self) -> None:
        import fcntl

        _make_folder(self.folder)
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

    _make_folder(folder)
    size = int(store.one("PRAGMA page_count")[0]) * int(store.one("PRAGMA page_size")[0])
    _need_room(folder, 2 * size)
    number = max((each.number for each in backups(folder)), default=0) + 1
    partial = os.path.join(folder, f".copy-{new_id()}")
    try:
        _private(partial)
        copy_pages(store.path, partial)
        _sync(partial)
        made = os.path.join(folder, f"{number:06d}-{_compact(clock.now())}.db{_PENDING}")
        os.rename(partial, made)
        _sync_folder(folder)
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
    _sync_folder(folder)
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
        f"file:{_quoted(path)}?mode=ro&immutable=1", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    )
    try:
        rows: Iterator[tuple[object, ...]] = connection.execute(sql, bound)
        return next(iter(rows))[0]
    finally:
        connection.close()


def _quoted(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _compact(at: str) -> str:
    return at.replace("-", "").replace(":", "").replace(".", "")


def _need_room(folder: str, size: int) -> None:
    place = folder
    while not os.path.isdir(place):
        place = os.path.dirname(place)
    free = _free(place)
    if free < size + SLACK:
        raise StoreReadOnly(
            f"{folder} has {free >> 20} MiB free; {(size + SLACK) >> 20} MiB are needed to copy and verify the store.",
            "Free some space; nothing was changed.",
        )


def _free(folder: str) -> int:
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def _make_folder(folder: str) -> None:
    try:
        for place in (os.path.dirname(os.path.dirname(folder)), os.path.dirname(folder), folder):
            os.makedirs(place, mode=0o700, exist_ok=True)  # each by itself: the mode is the last one's only
    except OSError as error:
        raise StoreReadOnly(f"Backups cannot be kept at {folder}: {error.strerror}.", "Check the folder.") from error


def _private(path: str) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _sync(path: str) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _sync_folder(folder: str) -> None:
    _sync(folder)
