"""The embedded store: one SQLite file, many processes.

Rules that keep it whole: WAL with `synchronous=FULL`, so that an acknowledged commit survives power loss; IMMEDIATE
transactions, so that a writer waits at the door and not half-way; jittered retry while others hold the lock;
`secure_delete`, so that what is erased is gone from the file; one connection per thread, and never `sqlite3` on the
same file in the same process (POSIX locks are per process). A store is never deleted, renamed or replaced on
suspicion: busy means wait, an I/O error or a full disk means read-only, and only what is proven damaged is reported
as damaged.
"""

from __future__ import annotations

import os
import time

import apsw

from tacit.core.errors import NoFile, NoStore, NotAStore, StoreOther, StoreReadOnly
from tacit.safety.files import kind_of
from tacit.stores.places import spoken_path
from tacit.stores.sql import Store
from tacit.stores.sql_writer import Transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from tacit.core.rows import Fault, Found
    from tacit.stores.sqlite.fulltext import FullText
    from tacit.stores.sqlite.search import Cached

SCHEMA = 16  # PRAGMA user_version of a store as schema.sql makes it, and as 0.2.0 did
LOG_LIMIT = (
    4 << 20
)  # bytes to which the write-ahead log is cut once a burst is folded back: what a thousand pages need
_WAIT = 60.0  # seconds a writer waits for its turn; a person would rather wait than lose a lesson


class SqliteStore(Store):
    """A connection to one store file."""

    engine = "tacit.stores.sqlite"

    def __init__(
        self, path: str, connection: apsw.Connection, machine: str = "", wait: float = _WAIT
    ) -> None:
        self.path = path
        self.machine = machine
        self._connection = connection
        self._cursor = connection.cursor()
        self._deadline = 0.0
        self.wait = wait
        self.kept: Cached | None = (
            None  # what full text found before, for a process that asks more than once
        )
        self.tokens: Callable[[str], list[str]] | None = None  # and how the full text reads a text
        connection.set_busy_handler(self._busy)

    @property
    def connection(self) -> apsw.Connection:
        """Its connection."""
        return self._connection

    def rows(self, sql: str, *bound: Any, **named: Any) -> list[Any]:
        try:
            return self._cursor.execute(sql, bound or named).fetchall()
        except (apsw.Error, UnicodeEncodeError) as error:
            raise _told(error, self.path, "reading") from error

    def column(self, sql: str, **named: Any) -> list[Any]:
        """Rows of one column, never null, as a plain list: a tuple around each would cost half as much again."""
        try:
            found = self._cursor.execute(sql, named).get
        except (apsw.Error, UnicodeEncodeError) as error:
            raise _told(error, self.path, "reading") from error
        return found if isinstance(found, list) else [] if found is None else [found]

    def each(self, sql: str, **named: Any) -> Iterator[Any]:
        """Rows one by one, for what may be large."""
        try:
            yield from self._connection.cursor().execute(sql, named)
        except apsw.Error as error:
            raise _told(error, self.path, "reading") from error

    def snapshot(self) -> Snapshot:
        return Snapshot(self)

    def write(
        self, *, wait: float | None = None, confidence: str = "none", keep: bool = True
    ) -> SqliteTransaction:
        """One IMMEDIATE transaction: `with store.write() as tx: tx.apply(change)`. Acknowledge after the block, never inside.

        With `keep=False` all of it is taken back at the end: a preview.
        """
        return SqliteTransaction(self, self.wait if wait is None else wait, confidence, keep)

    def find(self, projects: Sequence[str], words: Sequence[str], **how: Any) -> Found:
        """Candidates for a query's words, and how common each word is here; ranking is the caller's.

        What may be given is looked for at once, since a prompt waits; who asks for everything gets a deeper look.
        """
        from tacit.stores.sqlite.compare import find_words

        return find_words(self, projects, words, deep=not how.get("injectable"), **how)

    def full_text(self, projects: Sequence[str], told: bool = False) -> FullText:
        """The texts of these projects, as the one ranking asks for them."""
        from tacit.stores.sqlite.fulltext import FullText

        return FullText(self, projects, told)

    def file_faults(self) -> Iterator[Fault]:
        """What is wrong with the file itself."""
        from tacit.stores.sqlite.verify import file_faults

        return file_faults(self, open_store)

    def index_faults(self) -> Iterator[Fault]:
        """What is wrong with full text."""
        from tacit.stores.sqlite.verify import index_faults

        yield from index_faults(self)

    @property
    def schema(self) -> int:
        """The number of its schema."""
        return int(self.one("PRAGMA user_version")[0])

    def size(self) -> int:
        """Its bytes on disk, the write-ahead log included."""
        return sum(
            os.path.getsize(self.path + end)
            for end in ("", "-wal")
            if os.path.exists(self.path + end)
        )

    def scrub(self) -> None:
        """Leave no old page image of what was blanked, and nothing of it in this process."""
        from tacit.stores.sqlite.erase import scrub

        self.kept = self.tokens = None
        scrub(self)

    def tidy(self, added: int = 0) -> int:
        """Merge the full text's segments, in short transactions; after many rows were `added`, if that pays. Else also write anew what
        hooks look at before they open the store."""
        from tacit.stores.sqlite.search import merge_segments

        if not added:
            from tacit.stores.sqlite.terms import write_spoken

            write_spoken(self)
        return merge_segments(self, added)

    def hurry(self) -> None:
        """Do not fold the write-ahead log back when this connection closes: a prompt is waiting, the next command does it."""
        self._connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)

    def close(self) -> None:
        """Close the connection; what was acknowledged is on disk already."""
        self.kept = self.tokens = None
        self._cursor.close()
        self._connection.close()

    def _busy(self, tries: int) -> bool:
        # Called by SQLite while another connection holds the lock. Jitter keeps many writers from knocking in step.
        if self._deadline == 0.0:
            self._deadline = time.monotonic() + self.wait
        if time.monotonic() >= self._deadline:
            return False
        time.sleep(0.0005 * (1 + (time.perf_counter_ns() >> 7) % min(4 << min(tries, 4), 48)))
        return True


class Snapshot:
    """One moment of a store."""

    def __init__(self, store: SqliteStore) -> None:
        self._store = store

    def __enter__(self) -> Snapshot:
        self._store.rows("BEGIN")
        self._store.rows("SELECT 1 FROM meta LIMIT 1")  # the moment is that of the first reading
        return self

    def __exit__(self, *_: object) -> None:
        self._store.rows("ROLLBACK")


class SqliteTransaction(Transaction):
    """One IMMEDIATE transaction on a store."""

    def __init__(self, store: SqliteStore, wait: float, confidence: str, keep: bool = True) -> None:
        self._store = store
        self._wait = wait
        self._keep = keep
        self.machine = store.machine
        self.confidence = confidence
        self._spoke = False  # a lesson was written

    def rows(self, sql: str, *bound: Any, **named: Any) -> list[Any]:
        try:
            return self._store._cursor.execute(sql, bound or named).fetchall()
        except (apsw.Error, UnicodeEncodeError) as error:
            raise _told(error, self._store.path, "writing") from error

    def find(self, projects: Sequence[str], words: Sequence[str], **how: Any) -> Found:
        """As the store's own, inside the transaction, where others wait: never a deep look, and a brief one for what is compared."""
        from tacit.stores.sqlite.compare import find_words

        return find_words(self._store, projects, words, brief=not how.get("injectable"), **how)

    def index(self, n: int, old: tuple[str, str] | None, new: tuple[str, str] | None) -> None:
        from tacit.stores.sqlite.fulltext import tokenizer
        from tacit.stores.sqlite.terms import count_terms as count_terms

        tokens = tokenizer(self._store)
        count_terms(
            self, n, *(tokens(" ".join(each)) if each is not None else () for each in (old, new))
        )
        if old is not None:
            self.rows(
                "INSERT INTO memory_fts (memory_fts, rowid, text, words) VALUES ('delete', :n, :text, :words)",
                n=n,
                text=old[0],
                words=old[1],
            )
        if new is not None:
            self.rows(
                "INSERT INTO memory_fts (rowid, text, words) VALUES (:n, :text, :words)",
                n=n,
                text=new[0],
                words=new[1],
            )

    def spoke(self) -> None:
        if not self._spoke:
            self._spoke = True
            try:
                os.unlink(
                    spoken_path(self._store.path)
                )  # it says what lessons spoke of before this
            except OSError:
                pass

    def reindex(self) -> None:
        from tacit.stores.sqlite.terms import rebuild_terms as count_terms
        from tacit.stores.sqlite.verify import LEFT_BEHIND

        for table in LEFT_BEHIND:
            self.rows(f"DROP TABLE IF EXISTS {table}")
        self.rows("INSERT INTO memory_fts (memory_fts) VALUES ('rebuild')")
        count_terms(self)

    def __enter__(self) -> SqliteTransaction:
        self._store._deadline = time.monotonic() + self._wait
        self.rows("BEGIN IMMEDIATE")
        return self

    def _commit(self) -> None:
        self.rows("COMMIT")

    def _roll_back(self) -> None:
        self._store.kept = (
            None  # what was found in here was never written; SQLite does not count it back
        )
        # After an I/O error SQLite may have rolled back already; rolling back twice is no error of ours.
        try:
            self._store._cursor.execute("ROLLBACK")
        except apsw.Error:
            pass


def open_store(
    path: str, *, create: bool = True, machine: str = "", wait: float = _WAIT
) -> SqliteStore:
    """Open a store, making it first where that is asked for. One that cannot be written is opened for reading."""
    if path != ":memory:":
        _check_place(path, create)
    flags = (
        apsw.SQLITE_OPEN_READWRITE
        | (apsw.SQLITE_OPEN_CREATE if create else 0)
        | apsw.SQLITE_OPEN_NOMUTEX
    )
    try:
        return _opened(path, flags, path, machine, wait)
    except StoreReadOnly:
        # A full disk has no room for the shared memory of a reader; a read-only folder does not even take its name.
        for name, reading, pragma in _ways_to_read(path):
            try:
                return _opened(name, reading, path, machine, wait, pragma)
            except StoreReadOnly:
                continue
        raise


def _ways_to_read(path: str) -> list[tuple[str, int, str]]:
    """How a store may still be read when it cannot be opened as usual: (name, flags, a pragma before anything else)."""
    if path == ":memory:" or not os.path.exists(path):
        return []
    name = (
        "file:"
        + os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        + "?mode=ro"
    )
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI | apsw.SQLITE_OPEN_NOMUTEX
    ways = [(name, flags, "")]
    try:
        logged = os.path.getsize(path + "-wal")
    except OSError:
        logged = 0
    if not logged:
        # Everything is in the file, and where nobody can write nobody will: no locks, no shared memory.
        ways.append((name + "&immutable=1", flags, ""))
    else:
        # What the log holds was acknowledged and must be read. Alone, SQLite keeps the log's index on its heap.
        alone = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_NOMUTEX
        ways.append((path, alone, "PRAGMA locking_mode = EXCLUSIVE"))
    return ways


def _opened(
    name: str, flags: int, path: str, machine: str, wait: float, pragma: str = ""
) -> SqliteStore:
    try:
        store = SqliteStore(path, apsw.Connection(name, flags=flags), machine, wait)
    except apsw.Error as error:
        raise _told(error, path, "opening") from error
    try:
        if pragma:
            store.rows(pragma)
        _prepare(store, path)
    except BaseException:
        store.close()
        raise
    return store


def _prepare(store: SqliteStore, path: str) -> None:
    store.rows("PRAGMA synchronous = FULL")
    store.rows("PRAGMA secure_delete = ON")
    store.rows(f"PRAGMA journal_size_limit = {LOG_LIMIT}")
    version = store.rows("PRAGMA user_version")[0][0]
    if version == SCHEMA:
        return
    if version:
        newer = version > SCHEMA
        raise StoreOther(
            f"{path} has schema {version}, and this version of Tacit reads schema {SCHEMA} alone; it was not touched.",
            "Upgrade Tacit."
            if newer
            else "Open it once with Tacit 0.2.0, which brings it up to date.",
        )
    # Asked once more: between the two questions another process may have made the store.
    if (
        store.rows("SELECT 1 FROM sqlite_schema LIMIT 1")
        and not store.rows("PRAGMA user_version")[0][0]
    ):
        raise NotAStore(
            f"{path} is an SQLite file of another program.",
            "Name another file; this one was not touched.",
        )
    from tacit.stores.sqlite.create import create_schema

    create_schema(store, SCHEMA)


def _check_place(path: str, create: bool) -> None:
    """Say clearly why a path cannot be a store, before SQLite says it vaguely."""
    if os.path.isdir(path):
        raise NoFile(
            f"{path} is a folder, not a store.",
            "Name a file, for example " + os.path.join(path, "tacit.db") + ".",
        )
    if os.path.exists(path):
        if not os.path.isfile(path):
            raise NoFile(f"{path} is {kind_of(path)}, not a store.", "Name a file.")
        # Not opened to look inside: closing it would drop the POSIX locks of another connection in this process.
        return
    if not create:
        raise NoStore(
            f"There is no store at {path}.",
            "tacit init makes one, and so does the first tacit add.",
        )
    folder = os.path.dirname(os.path.abspath(path))
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        # The file exists with its mode before SQLite fills it, so that it is never readable to others, not even for a moment.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        return  # another process was faster
    except OSError as error:
        raise StoreReadOnly(
            f"A store cannot be made at {path}: {error.strerror}.",
            "Name another place with --store or TACIT_STORE.",
        ) from error


def _told(error: apsw.Error | UnicodeEncodeError, path: str, doing: str) -> Exception:
    from tacit.stores.sqlite.errors import as_tacit_error

    return as_tacit_error(error, path, doing)
