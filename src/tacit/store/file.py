"""The file: many processes, one SQLite database, nothing lost that was acknowledged.

WAL with `synchronous=FULL`: a commit that was acknowledged survives a power cut. IMMEDIATE transactions: a writer waits
at the door and not half-way. A busy handler with jitter: nobody hears "locked" while others take their turns. One
connection per thread, and never `sqlite3` on the same file in the same process (POSIX locks are per process). A store
is never deleted, renamed or replaced on suspicion: busy means wait, a full disk means read-only.

Hooks load this module: the standard library and apsw, nothing heavy.
"""

from __future__ import annotations

import os
import stat
import time

import apsw

from tacit.core.digest import new_id
from tacit.core.errors import (
    Damaged,
    NoFile,
    NoStore,
    NotAStore,
    StoreBusy,
    StoreOther,
    StoreReadOnly,
    TextInvalid,
    Unavailable,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Self, TypeVar

    S = TypeVar("S", bound="Store")

SCHEMA = 20  # PRAGMA user_version; stores of 0.2.0 have 16
APPLICATION = 0x54616369  # "Taci": tells `file` and us that this is a store
WAIT = 60.0  # seconds a writer waits for its turn; a person would rather wait than lose a lesson
LOG_LIMIT = 4 << 20  # bytes to which the write-ahead log is cut after a burst
SCRUB_WAIT = 10.0  # seconds for readers to leave, so that no old page of an erased text stays
MACHINE = "machine"  # the setting with this machine's name


class Store:
    """A connection to one store."""

    def __init__(self, path: str, connection: apsw.Connection, wait: float = WAIT) -> None:
        self.path = path
        self.wait = wait
        self.connection = connection
        self._cursor = connection.cursor()
        self._until = 0.0
        self._machine = ""
        connection.set_busy_handler(self._busy)

    @property
    def machine(self) -> str:
        """This machine's name, the same for all who open this store."""
        if not self._machine:
            found = self.rows("SELECT value FROM setting WHERE key = ?", MACHINE)
            self._machine = str(found[0][0]) if found else ""
        return self._machine

    def rows(self, sql: str, *bound: Any, **named: Any) -> list[Any]:
        """What a statement answers."""
        try:
            return self._cursor.execute(sql, named or bound).fetchall()
        except (apsw.Error, UnicodeEncodeError) as error:
            raise as_tacit_error(error, self.path, "reading") from error

    def each(self, sql: str, *bound: Any, **named: Any) -> Iterator[Any]:
        """The same row by row, for what may be large."""
        try:
            yield from self.connection.cursor().execute(sql, named or bound)
        except apsw.Error as error:
            raise as_tacit_error(error, self.path, "reading") from error

    def write(self, *, wait: float | None = None, keep: bool = True) -> Transaction:
        """One transaction: `with store.write() as tx: …`. Acknowledge after the block, never inside."""
        return Transaction(self, self.wait if wait is None else wait, keep)

    def hurry(self) -> None:
        """Do not fold the log back when this connection closes: a prompt waits, the next command does it."""
        self.connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)

    def snapshot(self) -> Snapshot:
        """Inside `with store.snapshot():` everything is read as it is now, whatever others write meanwhile."""
        return Snapshot(self)

    def scrub(self) -> None:
        """Fold the write-ahead log back and cut it to nothing: no old page of an erased text stays behind."""
        until = time.monotonic() + SCRUB_WAIT
        while self.rows("PRAGMA wal_checkpoint(TRUNCATE)")[0][0]:
            if time.monotonic() > until:
                raise StoreBusy(
                    "The text is erased, but another process is reading, and old pages may still"
                    f" stand in the write-ahead log of {self.path}.",
                    "Run tacit doctor once the others are done; it folds the log.",
                )
            time.sleep(0.05)

    def size(self) -> int:
        """Its bytes on disk, the write-ahead log included."""
        return size_of(self.path)

    def close(self) -> None:
        """Close the connection; what was acknowledged is on disk already."""
        self._cursor.close()
        self.connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def wait_until(self, seconds: float) -> None:
        """From now on, wait for others so long at most."""
        self._until = time.monotonic() + seconds

    def _busy(self, tries: int) -> bool:
        """Called by SQLite while another connection holds the lock; jitter keeps writers out of step."""
        if self._until == 0.0:
            self._until = time.monotonic() + self.wait
        if time.monotonic() >= self._until:
            return False
        time.sleep(0.0005 * (1 + (time.perf_counter_ns() >> 7) % min(4 << min(tries, 4), 48)))
        return True


class Snapshot:
    """One moment of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __enter__(self) -> Snapshot:
        self._store.rows("BEGIN")
        self._store.rows("SELECT 1 FROM setting LIMIT 1")  # the moment is that of the first reading
        return self

    def __exit__(self, *_: object) -> None:
        self._store.rows("ROLLBACK")


class Transaction:
    """One IMMEDIATE transaction: all of it is on disk when the block is left, or nothing is."""

    def __init__(self, store: Store, wait: float, keep: bool = True) -> None:
        self.store = store
        self.path = store.path
        self._wait = wait
        self._keep = keep  # otherwise all of it is taken back at the end: a preview

    @property
    def machine(self) -> str:
        """This machine's name."""
        return self.store.machine

    def rows(self, sql: str, *bound: Any, **named: Any) -> list[Any]:
        """What a statement answers, inside this transaction."""
        try:
            return self.store._cursor.execute(sql, named or bound).fetchall()
        except (apsw.Error, UnicodeEncodeError) as error:
            raise as_tacit_error(error, self.path, "writing") from error

    def __enter__(self) -> Self:
        self.store.wait_until(self._wait)
        self.rows("BEGIN IMMEDIATE")
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None or not self._keep:
            return self._roll_back()
        try:
            self.rows("COMMIT")
        except BaseException:
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        # After an I/O error SQLite may have rolled back already; doing it twice is no error of ours.
        try:
            self.store._cursor.execute("ROLLBACK")
        except apsw.Error:
            pass


def open_store(path: str, *, create: bool = True, wait: float = WAIT) -> Store:
    """Open a store, making it first where that is asked for; one that cannot be written is opened for reading."""
    return open_as(Store, path, create, wait)


def open_as(kind: type[S], path: str, create: bool, wait: float) -> S:
    """The same as a store of a kind: one that reads more from it than this one."""
    _check_place(path, create)
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_NOMUTEX
    try:
        made = apsw.SQLITE_OPEN_CREATE if create else 0
        return _opened(kind, path, flags | made, path, wait)
    except StoreReadOnly:
        for name, reading, first in _ways_to_read(path):
            try:
                return _opened(kind, name, reading, path, wait, first)
            except StoreReadOnly:
                continue
        raise


def quoted(path: str) -> str:
    """A path as SQLite reads it in an address."""
    whole = os.path.abspath(path)
    return whole.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def size_of(path: str) -> int:
    """Its bytes on disk, the write-ahead log included."""
    files = (path + end for end in ("", "-wal"))
    return sum(os.path.getsize(file) for file in files if os.path.exists(file))


def _ways_to_read(path: str) -> list[tuple[str, int, str]]:
    """How a store may be read that cannot be written: a name, flags, and a statement before all others."""
    if not os.path.exists(path):
        return []
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_NOMUTEX
    address = f"file:{quoted(path)}?mode=ro"
    if os.path.exists(path + "-wal") and os.path.getsize(path + "-wal"):
        # What the log holds was acknowledged and must be read. Alone, SQLite keeps the log's index in memory.
        alone = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_NOMUTEX
        return [(address, flags, ""), (path, alone, "PRAGMA locking_mode = EXCLUSIVE")]
    return [(address, flags, ""), (address + "&immutable=1", flags, "")]


def _opened(kind: type[S], name: str, flags: int, path: str, wait: float, first: str = "") -> S:
    try:
        store = kind(path, apsw.Connection(name, flags=flags), wait)
    except apsw.Error as error:
        raise as_tacit_error(error, path, "opening") from error
    try:
        if first:
            store.rows(first)
        _prepare(store)
    except BaseException:
        store.close()
        raise
    return store


def _prepare(store: Store) -> None:
    store.rows("PRAGMA synchronous = FULL")
    store.rows("PRAGMA secure_delete = ON")  # what is erased is gone from the file
    store.rows(f"PRAGMA journal_size_limit = {LOG_LIMIT}")
    version = store.rows("PRAGMA user_version")[0][0]
    if not version:
        _create(store)
    elif version != SCHEMA:
        old = version < SCHEMA
        raise StoreOther(
            f"{store.path} has schema {version}, and this version of Tacit reads {SCHEMA}; it was not touched.",
            f"tacit data import {store.path} takes its lessons in." if old else "Upgrade Tacit.",
        )


def _create(store: Store) -> None:
    """Fill an empty file. Whoever gets the lock first does; the others find it done."""
    if store.rows("SELECT 1 FROM sqlite_schema LIMIT 1") and not _version(store):
        raise _foreign(store.path)
    _use_wal(store)
    with store.write() as tx:
        if tx.rows("PRAGMA user_version")[0][0]:
            return
        if tx.rows("SELECT 1 FROM sqlite_schema LIMIT 1"):
            raise _foreign(store.path)
        tx.rows(f"PRAGMA application_id = {APPLICATION}")
        schema = os.path.join(os.path.dirname(__file__), "schema.sql")
        with open(schema, encoding="utf-8") as file:
            tx.rows(file.read())
        tx.rows("INSERT INTO setting (key, value) VALUES (?, ?)", MACHINE, new_id())
        tx.rows(f"PRAGMA user_version = {SCHEMA}")


def _version(store: Store) -> int:
    return int(store.rows("PRAGMA user_version")[0][0])


def _foreign(path: str) -> NotAStore:
    return NotAStore(
        f"{path} is an SQLite file of another program.",
        "Name another file; this one was not touched.",
    )


def _use_wal(store: Store) -> None:
    # Changing the mode needs the file for itself and does not always ask the busy handler.
    until = time.monotonic() + store.wait
    while True:
        try:
            mode = store.connection.execute("PRAGMA journal_mode = WAL").fetchall()[0][0]
        except apsw.BusyError:
            mode = "busy"
        except apsw.Error as error:
            raise as_tacit_error(error, store.path, "preparing") from error
        if mode in ("wal", "memory"):
            return
        if mode != "busy":
            raise Unavailable(
                f"{store.path} lies on a file system where many processes cannot share a store safely"
                f" (SQLite answered {mode!r}).",
                "Put it on a local disk with --store or TACIT_STORE.",
            )
        if time.monotonic() > until:
            raise as_tacit_error(apsw.BusyError("busy"), store.path, "preparing")
        time.sleep(0.002 + (time.perf_counter_ns() >> 7) % 16 / 1000)


def _check_place(path: str, create: bool) -> None:
    """Say clearly why a path cannot be a store, before SQLite says it vaguely."""
    if path == ":memory:":
        return
    if os.path.isdir(path):
        raise NoFile(
            f"{path} is a folder, not a store.",
            f"Name a file, for example {os.path.join(path, 'tacit.db')}.",
        )
    if os.path.exists(path):
        # Not opened to look inside: closing it would drop the POSIX locks of another connection here.
        if not os.path.isfile(path):
            mode = os.stat(path).st_mode
            kind = "pipe" if stat.S_ISFIFO(mode) else "socket" if stat.S_ISSOCK(mode) else "device"
            raise NoFile(f"{path} is a {kind}, not a store.", "Name a file.")
        return
    if not create:
        raise NoStore(f"There is no store at {path}.", "The first tacit add makes one.")
    try:
        os.makedirs(os.path.dirname(os.path.abspath(path)), mode=0o700, exist_ok=True)
        # Made with its mode before SQLite fills it: never readable to others, not even for a moment.
        os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise StoreReadOnly(
            f"A store cannot be made at {path}: {error.strerror or error}.",
            "Name a place that can be written, with --store or TACIT_STORE.",
        ) from error


# What went wrong, by SQLite's own classes: our error, what is said of the store, and what to do next.
_SAID = (
    (
        (apsw.BusyError, apsw.LockedError, apsw.ProtocolError),
        StoreBusy,
        "The store {path} stayed busy while {doing} it; nothing was changed.",
        "Try again; tacit doctor shows who works on it.",
    ),
    (
        (apsw.NotADBError,),
        NotAStore,
        "{path} is not a Tacit store ({said}).",
        "Name another file; this one was not touched.",
    ),
    (
        (apsw.CorruptError,),
        Damaged,
        "The store {path} is damaged: {said}.",
        "tacit doctor --repair brings the newest backup back; do not delete the file.",
    ),
    (
        (apsw.ReadOnlyError, apsw.PermissionsError, apsw.CantOpenError),
        StoreReadOnly,
        "The store {path} cannot be used for {doing}: {said}.",
        "Check the permissions of the file and its folder.",
    ),
    (
        (apsw.FullError,),
        StoreReadOnly,
        "The disk of {path} is full; nothing was changed.",
        "Free some space and repeat the command.",
    ),
    (
        (apsw.IOError,),
        StoreReadOnly,
        "The disk answered with an error while {doing} {path}: {said}; nothing was changed.",
        "Check the disk; tacit doctor looks the store through.",
    ),
)


def as_tacit_error(error: apsw.Error | UnicodeEncodeError, path: str, doing: str) -> Exception:
    """An SQLite error in our words: what was being done, what was found, what to do next."""
    if isinstance(error, UnicodeEncodeError):
        around = error.object[max(0, error.start - 20) : error.end + 20]
        shown = around.encode("utf-8", "replace").decode()
        return TextInvalid(
            f"A text is not valid Unicode: a lone surrogate or an undecodable byte in {shown!r}.",
            "Give it as UTF-8.",
        )
    for kinds, ours, message, hint in _SAID:
        if isinstance(error, kinds):
            return ours(message.format(path=path, doing=doing, said=error), hint)
    if isinstance(error, apsw.SQLError) and "fts5" in str(error):
        return Damaged(
            f"The full text of {path} is damaged: {error}.",
            "tacit doctor --repair builds it anew.",
        )
    if isinstance(error, apsw.SQLError) and "no such table" in str(error):
        return NotAStore(
            f"{path} is an SQLite file but not a Tacit store ({error}).",
            "Name another file; this one was not touched.",
        )
    return error
