"""The team's store: one PostgreSQL database, many people and machines.

Rows are those of the SQLite store. What differs is who waits for whom. A transaction takes its
project's advisory lock before it writes, so that two writers of one project follow each other, as in a file, and two projects
never meet. Who may see a project is decided in the server, by row-level security over the session's user (schema/0001.sql).

A connection serves one store object and one thread; they are lent from a pool per process and address. One that broke is replaced
before the next question or transaction, never inside one: a store outlives a restart of its server.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import errors as sql_errors
from psycopg.types.numeric import FloatLoader, IntDumper

from tacit.core.errors import Damaged, Refused, StoreBusy, StoreReadOnly, TextInvalid, Unavailable
from tacit.core.journal import Change, Entry, is_automatic
from tacit.core.memory import AGENT, GLOBAL
from tacit.core.rows import Fault, Found
from tacit.core.run import HOLDS_EVERYWHERE, PREFIX
from tacit.core.value import replace
from tacit.stores.postgres.whose import Whose, translated
from tacit.stores.sql import Alone, Store
from tacit.stores.sql_writer import Transaction

if TYPE_CHECKING:
    from psycopg import Connection
    from psycopg_pool import ConnectionPool

    from tacit.core.links import Evidence, Mark, Use

_SERVER_WAIT = 60.0  # seconds a writer waits for its turn
POOL_SIZE = 8  # connections a process keeps at most per address
SHARED_LOCK = ""  # the lock of what belongs to no project

_pools: dict[str, ConnectionPool] = {}


class PostgresStore(Whose, Store):
    """A connection to one database."""

    engine = "tacit.stores.postgres"

    def __init__(
        self, url: str, pool: ConnectionPool, connection: Connection[Any], machine: str, wait: float
    ) -> None:
        self.path = _shown(url)
        self.url = url
        self.machine = machine
        self.wait = wait
        self.lock = SHARED_LOCK  # the project whose writers this one follows; set once it is known
        self._pool = pool
        self._connection = connection
        self._is_inside = False

    def rows(self, sql: str, **named: Any) -> list[Any]:
        if any("\0" in each for each in named.values() if isinstance(each, str)):
            return []  # no text here holds one, so nothing is like it
        try:
            return _rows(self, sql, named, "reading")
        except Unavailable:
            if not self.reconnected():
                raise
        return _rows(self, sql, named, "reading")

    def reconnected(self) -> bool:
        """Whether a connection that broke could be replaced; inside a transaction it is not, since what was written there is gone."""
        if self._is_inside or not self._connection.closed:
            return False
        self._pool.putconn(self._connection)
        try:
            self._connection = self._pool.getconn(timeout=min(self.wait, 10.0))
        except psycopg.Error as error:
            raise _told(error, self.path, "connecting to") from error
        return True

    def each(self, sql: str, **named: Any) -> Iterator[Any]:
        """Rows one by one, for what may be large."""
        try:
            if self._connection.closed:
                self.reconnected()
            with self._connection.transaction(), self._connection.cursor(name="each") as cursor:
                cursor.execute(translated(sql), named)
                yield from cursor
        except psycopg.Error as error:
            raise _told(error, self.path, "reading") from error

    def snapshot(self) -> Snapshot:
        return Snapshot(self)

    def alone(self, what: str) -> Lease:
        """Inside it nobody else on any machine is at the same; the server lets go of it with our connection, however that ends."""
        return Lease(self, what)

    def write(
        self, *, wait: float | None = None, confidence: str = "none", keep: bool = True
    ) -> PostgresTransaction:
        """One transaction: `with store.write() as tx: tx.apply(change)`. Acknowledge after the block, never inside."""
        self.changed = True
        return PostgresTransaction(self, self.wait if wait is None else wait, confidence, keep)

    def find(self, projects: Sequence[str], words: Sequence[str], **how: Any) -> Found:
        """Candidates for a query's words, and how common each word is here; ranking is the caller's."""
        return self._own("search").find_words(self, projects, words, **how)  # type: ignore[no-any-return]

    def file_faults(self) -> Iterator[Fault]:
        """The server looks after its own files."""
        yield from ()

    def index_faults(self) -> Iterator[Fault]:
        """What is wrong with full text."""
        from tacit.stores.postgres.search import index_faults

        yield from index_faults(self)

    @property
    def schema(self) -> int:
        """The number of its schema."""
        return int(self.one("SELECT max(number) FROM version")[0])

    def size(self) -> int:
        """The bytes of the database on the server's disk."""
        return int(self.one("SELECT pg_database_size(current_database())")[0])

    def scrub(self) -> None:
        """Let the server take old versions of rows away. Its write-ahead log and its backups are its keeper's."""
        if self.one(
            "SELECT pg_has_role(tableowner, 'usage') FROM pg_tables WHERE schemaname = 'tacit' AND tablename = 'memory'"
        )[0]:
            self.rows(
                "VACUUM memory, memory_fts, journal, evidence, use_mark, finding, proposal, alias, queue"
            )

    def hurry(self) -> None:
        """Nothing is put off here."""

    def close(self) -> None:
        """Give the connection back; what was acknowledged is on the server's disk already."""
        if not self._pool.closed:
            self._pool.putconn(self._connection)


class Lease(Alone):
    """Something that one process does at a time, longer than a transaction: a run that is learned, with a model that is asked."""

    def __init__(self, store: PostgresStore, what: str) -> None:
        self._store = store
        self._key = f"tacit lease {what}"

    def __enter__(self) -> Lease:
        self._store.rows(
            "SELECT set_config('lock_timeout', :wait, false)",
            wait=str(max(1, int(self._store.wait * 1000))),
        )
        self._store.rows("SELECT pg_advisory_lock(hashtextextended(:key, 1))", key=self._key)
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._store.rows("SELECT pg_advisory_unlock(hashtextextended(:key, 1))", key=self._key)
        except Unavailable:
            pass  # the connection is gone, and the lease with it


class Snapshot:
    """One moment of a database."""

    def __init__(self, store: PostgresStore) -> None:
        self._store = store

    def __enter__(self) -> Snapshot:
        self._store.rows("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        self._store._is_inside = True
        return self

    def __exit__(self, *_: object) -> None:
        self._store._is_inside = False
        self._store.rows("ROLLBACK")


class PostgresTransaction(Whose, Transaction):
    """One transaction, behind its project's lock."""

    LOCKED = " FOR UPDATE"
    FREE = " FOR UPDATE SKIP LOCKED"

    def __init__(
        self, store: PostgresStore, wait: float, confidence: str, keep: bool = True
    ) -> None:
        self._store = store
        self._wait = wait
        self._keep = keep
        self._locked: set[str] = set()
        self._changeable: frozenset[str] | None = None
        self.machine = store.machine
        self.confidence = confidence

    def rows(self, sql: str, **named: Any) -> list[Any]:
        return _rows(self._store, sql, named, "writing")

    def find(self, projects: Sequence[str], words: Sequence[str], **how: Any) -> Found:
        """As the store's own, inside the transaction."""
        return self._store.find(projects, words, **how)

    def apply(self, change: Change) -> Entry:
        """As everywhere, behind the lock of the memory's project: a lesson that holds everywhere is written from many.

        What holds everywhere is changed by those whom its owners admitted. What our own machinery would change of it for somebody else
        is left and counted; what somebody asks for is refused.
        """
        if not self.may_change(change.memory.project):
            if not is_automatic(change.entry.by):
                raise Refused(
                    "Lessons that hold everywhere go to every team, and this user was not admitted to change them.",
                    "Keep it in this project, or ask the server's keeper (docs/howto/postgres.md).",
                )
            self.count(self._store.lock, PREFIX + HOLDS_EVERYWHERE, change.entry.at)
            return change.entry
        self.follow(change.memory.project)
        return super().apply(replace(change, memory=self.as_kept(change.memory)))

    def may_change(self, project: str) -> bool:
        if project not in (GLOBAL, AGENT):
            return True
        if self._changeable is None:
            self._changeable = frozenset(self.one("SELECT changeable()")[0])
        return project in self._changeable

    def count(self, project: str, name: str, at: str, by: int = 1) -> None:
        """As everywhere; what is shared by all is locked first, before any row of it."""
        self.follow(project)
        super().count(project, name, at, by)

    def index(self, n: int, old: tuple[str, str] | None, new: tuple[str, str] | None) -> None:
        from tacit.stores.postgres.search import porter_words

        if new is not None:
            self.rows("SELECT put_words(:n, :words)", n=n, words=porter_words(" ".join(new)))

    def reindex(self) -> None:
        from tacit.stores.postgres.search import porter_words

        for n, text, words in self.rows(
            "SELECT n, text, words FROM memory WHERE project = ANY(mine(2))"
        ):
            self.rows("SELECT put_words(:n, :words)", n=n, words=porter_words(f"{text} {words}"))
        self.rows("SELECT measure_anew()")

    def blank_entries(self, memory: str) -> None:
        self.rows("SELECT blank_entries(:it)", it=memory)

    def put_row(self, table: str, row: Mapping[str, Any], *, replace: bool = True) -> None:
        # before what stands there is read
        self.follow(str(row["id"] if table == "project" else row.get("project", "")))
        super().put_row(table, row, replace=replace)

    def add_evidence(self, evidence: Evidence) -> bool:
        self.follow(evidence.project)
        return super().add_evidence(evidence)

    def add_use(self, use: Use) -> bool:
        self.follow(use.project)
        return super().add_use(use)

    def _write_mark(self, mark: Mark) -> None:
        self.follow(mark.project)
        super()._write_mark(mark)

    def follow(self, project: str) -> None:
        """Wait for the other writers of a project; until the end of this transaction they wait for us."""
        if project not in self._locked:
            self.rows(
                "SELECT pg_advisory_xact_lock(hashtextextended(:project, 0))",
                project=f"tacit {project}",
            )
            self._locked.add(project)

    def __enter__(self) -> PostgresTransaction:
        self._store.rows("BEGIN")
        self._store._is_inside = True
        try:
            self.rows(f"SET LOCAL lock_timeout = {max(1, int(self._wait * 1000))}")
            self.follow(self._store.lock)
        except BaseException:
            self._roll_back()
            raise
        return self

    def _commit(self) -> None:
        # A server answers COMMIT of a transaction in which something failed without an error: it rolls back.
        try:
            answer = self._store._connection.execute("COMMIT").statusmessage
        except psycopg.Error as error:
            raise _told(error, self._store.path, "writing") from error
        if answer != "COMMIT":
            raise _told(sql_errors.InFailedSqlTransaction(), self._store.path, "writing")
        self._store._is_inside = False

    def _roll_back(self) -> None:
        try:
            self._store._connection.execute("ROLLBACK")
        except psycopg.Error:
            pass  # the connection is gone, and the transaction with it
        self._store._is_inside = False


def open_store(
    url: str, *, create: bool = True, machine: str = "", wait: float = _SERVER_WAIT
) -> PostgresStore:
    """Connect, making the schema first where that is asked for and allowed."""
    try:
        if url not in _pools:
            # a pool asks a server that is away again and again before it says so
            psycopg.connect(url, connect_timeout=10).close()
        pool = _pool(url)
        connection = pool.getconn(timeout=min(wait, 10.0))
    except psycopg.Error as error:
        raise _told(error, _shown(url), "connecting to") from error
    store = PostgresStore(url, pool, connection, machine, wait)
    try:
        from tacit.stores.postgres.create import prepare_schema

        prepare_schema(store, create)
    except BaseException:
        store.close()
        raise
    return store


def _pool(url: str) -> ConnectionPool:
    from psycopg_pool import ConnectionPool

    def configure(connection: Connection[Any]) -> None:
        connection.autocommit = True
        connection.execute("SET search_path = tacit")
        connection.adapters.register_loader(
            "numeric", FloatLoader
        )  # a sum of counts is a number like any other
        connection.adapters.register_dumper(bool, IntDumper)  # flags are 0 and 1, as in SQLite

    logging.getLogger("psycopg").addHandler(
        logging.NullHandler()
    )  # what goes wrong is said once, in our words
    if url not in _pools or _pools[url].closed:
        check = ConnectionPool.check_connection
        _pools[url] = ConnectionPool(
            url,
            min_size=0,
            max_size=POOL_SIZE,
            configure=configure,
            check=check,
            open=True,
            timeout=10.0,
        )
    return _pools[url]


def close_pools() -> None:
    """Give all connections of this process back to their servers."""
    while _pools:
        _pools.popitem()[1].close()


def _shown(url: str) -> str:
    """An address without its password."""
    head, at, rest = url.rpartition("@")
    scheme, _, user = head.partition("://")
    return f"{scheme}://{user.split(':')[0]}@{rest}" if at else url


def _rows(store: PostgresStore, sql: str, named: dict[str, Any], doing: str) -> list[Any]:
    if named.get("limit") == -1:
        named["limit"] = None  # no limit, in SQLite's spelling
    try:
        # Without parameters a statement goes out as it is, and may be several.
        ours = translated(sql)
        cursor = (
            store._connection.execute(ours, named)
            if named
            else store._connection.execute(ours.replace("%%", "%"))
        )
        return cursor.fetchall() if cursor.description else []
    except (psycopg.Error, UnicodeEncodeError) as error:
        raise _told(error, store.path, doing) from error


def _told(error: Exception, path: str, doing: str) -> Exception:
    """A server's error in our words: what was being done, what was found, what to do next."""
    said = str(error).strip().split("\n")[0]
    if isinstance(error, UnicodeEncodeError) or (
        isinstance(error, psycopg.DataError) and ("NUL" in said or "0x00" in said)
    ):
        return TextInvalid(
            "A text holds what no text column can: a NUL character or a lone surrogate.",
            "Give it as UTF-8.",
        )
    if isinstance(error, psycopg.DataError):
        return TextInvalid(
            f"The server cannot hold a value: {said}.", "Give it shorter, or in another form."
        )
    if isinstance(
        error,
        (sql_errors.LockNotAvailable, sql_errors.DeadlockDetected, sql_errors.SerializationFailure),
    ):
        return StoreBusy(
            f"The store {path} stayed busy while {doing} it; nothing was changed.", "Try again."
        )
    if isinstance(error, sql_errors.InFailedSqlTransaction):
        return Unavailable(
            f"{path} did not keep the change: something in it had failed before.", "Try again."
        )
    if isinstance(error, sql_errors.InsufficientPrivilege):
        return Refused(
            f"The server refuses this user while {doing} {path}: {said}.",
            "Ask an owner of the project to admit you.",
        )
    if isinstance(error, (sql_errors.ReadOnlySqlTransaction, sql_errors.DiskFull)):
        return StoreReadOnly(
            f"{path} cannot be written: {said}; nothing was changed.",
            "Try again when the server can.",
        )
    if isinstance(error, (sql_errors.DataCorrupted, sql_errors.IndexCorrupted)):
        return Damaged(
            f"The database {path} is damaged: {said}.", "Restore it from the server's own backups."
        )
    if isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)):
        return Unavailable(
            f"{path} does not answer while {doing} it: {said}.",
            "Try again; nothing that was kept is lost.",
        )
    return error
