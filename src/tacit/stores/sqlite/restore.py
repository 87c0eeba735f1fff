"""Put a backup in the place of a store: what was there is kept aside, and whoever has the store open is waited for."""

from __future__ import annotations

import contextlib
import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterator

import apsw

from tacit.core import clock
from tacit.core.digest import new_id
from tacit.core.errors import (
    Damaged,
    StoreBusy,
    StoreReadOnly,
    TacitError,
    Unavailable,
    UsageError,
)
from tacit.core.value import replace, value
from tacit.stores.files import to_disk
from tacit.stores.sqlite import copy_files as program
from tacit.stores.sqlite import open_store
from tacit.stores.sqlite.backup import (
    DERIVED,
    LOG_LARGE,
    WEEK,
    asides,
    back_up,
    find_backup,
    verify,
)
from tacit.stores.sqlite.copies import (
    COPY_SLACK,
    Backup,
    backups,
    compact,
    copy_pages,
    free_bytes,
    make_folder,
    need_room,
    private,
    quoted,
)
from tacit.stores.sqlite.errors import as_tacit_error


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
        told.append(
            "there is no verified backup yet; tacit data backup makes one, and so does the worker"
        )
    elif time.time() - clock.seconds(newest.at) > WEEK:
        told.append(f"the newest backup is of {newest.at[:10]}; tacit data backup makes one")
    size = sum(os.path.getsize(path + end) for end in ("", "-wal") if os.path.exists(path + end))
    free = free_bytes(os.path.dirname(os.path.abspath(path)))
    if free < 2 * size + COPY_SLACK:
        told.append(
            f"only {free >> 20} MiB are free on its disk; when it is full nothing new is kept, and reading goes on"
        )
    if os.path.exists(path + "-wal") and os.path.getsize(path + "-wal") > LOG_LARGE:
        long = os.path.getsize(path + "-wal") >> 20
        told.append(
            f"its write-ahead log is {long} MiB long: some process has been reading for a long time"
        )
    if kept := asides(folder):
        place = os.path.dirname(kept[0])
        told.append(
            f"{len(kept)} files of stores that were repaired or replaced are kept in {place}; delete them when you like"
        )
    return told


def restore(path: str, folder: str, name: str = "", to: str = "") -> Restored:
    """Put a backup back over the store, or into a new file `to`. It is verified once more before anything is touched."""
    chosen = find_backup(folder, name)
    faults = [fault for fault in verify(chosen.path, folder).faults if fault.kind not in DERIVED]
    if faults:
        raise Damaged(
            f"Backup {chosen.name} does not verify any more ({faults[0].kind} {faults[0].id}: {faults[0].detail}).",
            "Nothing was changed; tacit data backup --list shows the others.",
        )
    if to and os.path.exists(to):
        raise UsageError(
            f"{to} exists already; a restored store goes into a new file.",
            "Name another, or leave out --to.",
        )
    done = Restored(chosen, to or path, install(to or path, chosen.path, folder))
    return done if to else replace(done, warning=_backed_up_again(path, folder))


def _backed_up_again(path: str, folder: str) -> str:
    """The newest backup must be of the state that was chosen: a later repair builds on it. Why none could be made, if so."""
    try:
        with open_store(path, create=False) as store:
            back_up(store, folder)
    except (TacitError, OSError, apsw.Error) as error:
        told = error.message if isinstance(error, TacitError) else str(error)
        return f"the store was restored, but no backup of it could be made: {told} Run tacit data backup."
    return ""


def install(path: str, source: str, folder: str, wait: float = 10.0) -> str:
    """Make the store at `path` what the verified file `source` holds; what was there is copied aside first. Where it lies.

    The caller has closed its own connections to the store. Raises `StoreBusy` while anybody else has it open.
    """
    with told_plainly(path, "restoring"):
        if not _is_there(path):
            os.makedirs(os.path.dirname(os.path.abspath(path)), mode=0o700, exist_ok=True)
            private(path)
            copy_pages(source, path)
            to_disk(path)
            return ""
        with Held(path, folder, wait) as held:
            held.write(source)
        return held.aside


@contextlib.contextmanager
def told_plainly(path: str, doing: str) -> Iterator[None]:
    """What the disk answers comes up in our words."""
    try:
        yield
    except OSError as error:
        raise StoreReadOnly(
            f"The disk answered with an error while {doing} {path}: {error.strerror or error}.",
            "Check the disk, then tacit doctor; a store that was replaced is kept aside, beside the backups.",
        ) from error
    except apsw.Error as error:
        raise as_tacit_error(error, path, doing) from error


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
        need_room(folder, 2 * os.path.getsize(path))
        self.aside = os.path.join(folder, "aside", f"{compact(clock.now())}-{new_id()}.db")
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
        if self._connection is not None:
            try:
                _pages_into(self._connection, source)
                return
            except (apsw.NotADBError, apsw.CorruptError):
                self._connection.close()
                self._connection = None
                self._fd = self._locked()
            except apsw.Error as error:
                raise as_tacit_error(error, self.path, "restoring") from error
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
            raise StoreReadOnly(
                f"{self.path} cannot be written: {error}; nothing was changed.", "Check its disk."
            ) from error

    def _locked(self) -> int:
        """The file with SQLite's lock bytes held by hand: pending, reserved and shared."""
        fd = os.open(self.path, os.O_RDWR)
        try:
            fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB, 512, 0x40000000)
        except OSError:
            os.close(fd)
            raise _open_elsewhere(self.path) from None
        return fd

    def _replace(self, source: str) -> None:
        fresh = f"{self.path}.{new_id()}"
        private(fresh)
        copy_pages(source, fresh)
        to_disk(fresh)
        for end in (
            "-wal",
            "-shm",
        ):  # a log that is left behind would be replayed into the new file
            if os.path.exists(self.path + end):
                os.unlink(self.path + end)
        os.rename(fresh, self.path)
        to_disk(os.path.dirname(os.path.abspath(self.path)))


def _open_elsewhere(path: str) -> StoreBusy:
    return StoreBusy(
        f"Another process has {path} open; nothing was changed.",
        "Close agents and tacit desk, then try again.",
    )


def _pages_into(connection: apsw.Connection, source: str) -> None:
    origin = apsw.Connection(
        f"file:{quoted(source)}?mode=ro", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    )
    try:
        with connection.backup("main", origin, "main") as copying:
            copying.step(-1)
    finally:
        origin.close()


def _copy_aside(path: str, aside: str) -> None:
    # In a process of its own: closing the file here would drop the locks that SQLite holds in this one.

    make_folder(os.path.dirname(aside))
    # Isolated (-I) and without site-packages (-S): nothing in the current folder, which may be anybody's, is imported.
    done = subprocess.run(
        [sys.executable, "-I", "-S", program.__file__, path, aside], capture_output=True, text=True
    )
    if done.returncode or not program.is_copied(done.stdout, aside):
        said = done.stderr.strip()[-300:] or "the copy is not what was read"
        raise Unavailable(f"{path} could not be copied aside: {said}.", "Nothing was changed.")
