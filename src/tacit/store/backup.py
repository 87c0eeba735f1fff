"""Copies of a store, and the way back from damage.

A copy is made by SQLite's own backup while others write, and counts only after it was opened and looked through. One a
day, of the last seven days. A store that does not pass is never thrown away: its file is kept aside, the newest good
copy takes its place, and what was lost since is said.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import apsw

from tacit.core import clock
from tacit.core.digest import new_id, short_hash
from tacit.core.errors import (
    Damaged,
    NotFound,
    StoreBusy,
    StoreReadOnly,
    TacitError,
    UsageError,
)
from tacit.core.journal import Entry
from tacit.store import search
from tacit.store.file import SCHEMA, WAIT, Store, as_tacit_error, open_as, quoted, size_of
from tacit.store.file import open_store as open_file
from tacit.store.rows import ENTRY, LINE, entry_from
from tacit.store.writes import OpenStore

EVERY = 86_400.0  # seconds between two backups by themselves
DAYS = 7  # of which the last backup each is kept
LOG_LARGE = 256 << 20  # bytes of a write-ahead log that somebody should know about
SLACK = 8 << 20  # bytes that must stay free beside a copy
FAULTS = 20  # that are told of a damaged file
LOST = 200  # changes that are read from a damaged file, to say what is lost


@dataclass(frozen=True, slots=True)
class Backup:
    """One good copy."""

    path: str
    number: int
    at: str

    @property
    def name(self) -> str:
        """Its file's name."""
        return os.path.basename(self.path).removesuffix(".db")

    @property
    def bytes(self) -> int:
        """Its size."""
        return os.path.getsize(self.path)

    @property
    def day(self) -> str:
        """The day it was made."""
        return self.at[:10]


@dataclass(frozen=True, slots=True)
class Restored:
    """What came back, where the damaged file is kept, and what is lost."""

    backup: Backup
    aside: str
    lost: tuple[Entry, ...]  # changes after the backup that the damaged file still tells
    unreadable: bool  # there may be more, which it does not tell


def folder_of(path: str, root: str) -> str:
    """Where the backups of one store lie, under the folder of all of them."""
    real = os.path.realpath(path)
    stem = os.path.basename(real).removesuffix(".db") or "store"
    return os.path.join(root, f"{stem}-{short_hash(real)[:8]}")


def backups(folder: str) -> list[Backup]:
    """The copies in a folder, the newest first. Numbers tell which is newer: a clock may jump."""
    found = []
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        number, _, at = name.removesuffix(".db").partition("-")
        if name.endswith(".db") and number.isdigit() and len(at) == 19:
            day, hour = f"{at[:4]}-{at[4:6]}-{at[6:8]}", f"{at[9:11]}:{at[11:13]}:{at[13:15]}"
            found.append(
                Backup(os.path.join(folder, name), int(number), f"{day}T{hour}.{at[15:18]}Z")
            )
    return sorted(found, key=lambda each: -each.number)


def back_up(store: Store, folder: str) -> Backup:
    """A copy of what is committed now, opened and looked through; then older ones of the same days go."""
    with _alone(folder):
        _need_room(folder, store)
        number = max((each.number for each in backups(folder)), default=0) + 1
        partial = os.path.join(folder, f".copy-{new_id()}")
        try:
            _copy(store, partial)
            if faults := _faults_of(partial):
                raise Damaged(
                    f"{store.path} does not pass, so no backup was made: {faults[0]}.",
                    "tacit doctor --repair brings the newest backup back.",
                )
            _to_disk(partial)
            at = clock.now()
            compact = at.replace("-", "").replace(":", "").replace(".", "")
            made = os.path.join(folder, f"{number:06d}-{compact}.db")
            os.rename(partial, made)
            _to_disk(folder)
        finally:
            _clear(partial)
        for old in _outlived(backups(folder)):
            os.unlink(old.path)
        return Backup(made, number, at)


def back_up_if_due(store: Store, folder: str, now: float) -> Backup | None:
    """For the worker: a backup where the newest is a day old and something was written since. Never an error: doctor tells."""
    try:
        newest = next(iter(backups(folder)), None)
        if newest:
            at = clock.seconds(newest.at)
            files = [store.path + end for end in ("", "-wal") if os.path.exists(store.path + end)]
            if abs(now - at) < EVERY or max(map(os.path.getmtime, files)) <= at:
                return None
        return back_up(store, folder)
    except (TacitError, OSError, apsw.Error):
        return None


def _outlived(found: list[Backup]) -> list[Backup]:
    """All but the newest of each of the last seven days that have one."""
    newest_of: dict[str, Backup] = {}
    for each in found:
        newest_of.setdefault(each.day, each)
    kept = list(newest_of.values())[:DAYS]
    return [each for each in found if each not in kept]


def faults(store: Store) -> list[str]:
    """What is wrong with the file and its index, by SQLite's own check; empty where all is well."""
    return file_faults(store) or index_faults(store)


def file_faults(store: Store) -> list[str]:
    """What is wrong with the file."""
    try:
        found = [str(row[0]) for row in store.rows(f"PRAGMA integrity_check({FAULTS})")]
    except Damaged as error:
        return [error.message]
    return [] if found == ["ok"] else found


def index_faults(store: Store) -> list[str]:
    """What is wrong with the index alone, which `mend_index` builds anew."""
    try:
        with store.write(keep=False) as tx:
            tx.rows("INSERT INTO lesson_fts (lesson_fts, rank) VALUES ('integrity-check', 1)")
    except StoreReadOnly:  # FTS5 checks under the write lock
        return []
    except Damaged as error:
        return [error.message]
    return []


def mend_index(store: Store) -> bool:
    """Build the index anew; whether nothing else was wrong."""
    try:
        search.rebuild(store)
    except TacitError:
        return False
    return not faults(store)


def find_backup(folder: str, name: str) -> Backup:
    """A backup by its name, its number or a beginning of either, or a file from elsewhere; without a name the newest."""
    if name and os.path.isfile(name):
        if not os.path.getsize(name):
            raise UsageError(f"{name} is empty: it is no backup.", "Nothing was changed.")
        return Backup(os.path.abspath(name), 0, "")
    every, number = backups(folder), int(name) if name.isdigit() else -1
    found = [each for each in every if each.number == number or each.name == name]
    found = found or [each for each in every if each.name.startswith(name)]
    if not found:
        raise NotFound(
            f"There is no backup {name!r}." if name else "There is no backup of this store.",
            f"tacit data backup --list shows what there is; they lie in {folder}.",
        )
    return found[0]


def copy_to(backup: Backup, path: str) -> None:
    """A backup as a store of its own, in a new file."""
    if found := _faults_of(backup.path):
        raise Damaged(f"The backup {backup.path} does not pass: {found[0]}.", "Choose another.")
    if os.path.exists(path):
        raise UsageError(
            f"{path} exists already; a restored store goes into a new file.",
            "Name another, or leave out --to.",
        )
    _bring_back(backup.path, path)


def notes(path: str, folder: str, now: float) -> list[str]:
    """What a person should know about the safety of a store before it is too late."""
    told, newest = [], next(iter(backups(folder)), None)
    if newest is None:
        told.append("there is no backup yet; tacit data backup makes one, and so does the worker")
    elif now - clock.seconds(newest.at) > DAYS * EVERY:
        told.append(f"the newest backup is of {newest.day}; tacit data backup makes one")
    beside = os.path.dirname(os.path.abspath(path))
    disk, size = os.statvfs(beside), size_of(path)
    if disk.f_bavail * disk.f_frsize < 2 * size + SLACK:
        free = disk.f_bavail * disk.f_frsize >> 20
        told.append(
            f"only {free} MiB are free on its disk; when it is full nothing new is kept, and"
            " reading goes on"
        )
    logged = os.path.getsize(path + "-wal") if os.path.exists(path + "-wal") else 0
    if logged > LOG_LARGE:
        told.append(
            f"its write-ahead log is {logged >> 20} MiB long: some process has been reading for a"
            " long time"
        )
    aside = [name for name in os.listdir(beside) if name.startswith(_aside(path, ""))]
    if aside:
        told.append(
            f"{len(aside)} files of stores that were damaged or replaced are kept in {beside};"
            " delete them when you like"
        )
    return told


def _aside(path: str, at: str) -> str:
    return f"{os.path.basename(path)}.damaged-{at.replace(':', '').replace('.', '')}"


def restore(path: str, folder: str, backup: Backup | None = None) -> Restored:
    """Bring a backup back, the newest good one if none is named. What is there is kept aside first, and never deleted."""
    chosen = backup or _newest_good(folder, path)
    if backup and (found := _faults_of(backup.path)):
        raise Damaged(f"The backup {backup.path} does not pass: {found[0]}.", "Choose another.")
    with _alone(folder):
        aside = os.path.join(os.path.dirname(path), _aside(path, clock.now()))
        try:
            for end in ("", "-wal"):
                if os.path.exists(path + end):
                    shutil.copyfile(path + end, aside + end)
                    os.chmod(aside + end, 0o600)
                    _to_disk(aside + end)
        except OSError as error:
            raise StoreReadOnly(
                f"{path} could not be copied aside: {error.strerror or error}.",
                "Nothing was changed.",
            ) from error
        try:
            _bring_back(chosen.path, path)
        except (apsw.Error, OSError) as error:
            raise StoreReadOnly(
                f"The disk answered with an error while restoring {path}: {error}.",
                f"What was there lies in {aside}.",
            ) from error
    lost, unreadable = _lost(aside, _last_entry(chosen.path))
    return Restored(chosen, aside, lost, unreadable)


def erase(folder: str, blank: Callable[[OpenStore], object]) -> list[str]:
    """Blank a lesson in every copy; one that cannot be opened goes, since nobody can tell what it holds."""
    gone = []
    for each in backups(folder):
        try:
            with open_as(OpenStore, each.path, False, WAIT) as copy:
                blank(copy)
                copy.scrub()
        except TacitError:
            os.unlink(each.path)
            gone.append(each.path)
        _clear_beside(each.path)
    return gone


def _newest_good(folder: str, path: str) -> Backup:
    for each in backups(folder):
        if not _faults_of(each.path):
            return each
    raise NotFound(
        f"There is no good backup of {path} in {folder}.",
        "The file itself was not touched; tacit data import FILE reads what another store holds.",
    )


def _faults_of(path: str) -> list[str]:
    """What is wrong with a copy: it is opened as a store is, for reading alone."""
    try:
        copy = _reading(path)
        try:
            version = copy.execute("PRAGMA user_version").fetchall()[0][0]
            if version != SCHEMA:
                return [f"it has schema {version}, not {SCHEMA}"]
            for table in ("lesson", "journal"):
                copy.execute(f"SELECT count(*) FROM {table}").fetchall()
            found = [str(row[0]) for row in copy.execute(f"PRAGMA integrity_check({FAULTS})")]
            return [] if found == ["ok"] else found
        finally:
            copy.close()
    except apsw.Error as error:
        return [str(error)]


def _reading(path: str) -> apsw.Connection:
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return apsw.Connection(f"file:{quoted(path)}?mode=ro&immutable=1", flags=flags)


def _copy(store: Store, target: str) -> None:
    """All pages into a new file of their own, which has no log beside it."""
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    try:
        copy_pages(store.path, target)
    except apsw.FullError as error:
        raise StoreReadOnly(
            f"The backup could not be written to {target}: {error}.", "Free some space."
        ) from error
    except apsw.Error as error:
        raise as_tacit_error(error, store.path, "copying") from error


def copy_pages(source: str, target: str, *, plain: bool = True) -> None:
    given = apsw.Connection(source, flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        given.set_busy_timeout(10_000)
        taken = apsw.Connection(target, flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            taken.set_busy_timeout(10_000)
            with taken.backup("main", given, "main") as copying:
                while not copying.done:
                    copying.step(-1)
            if plain:
                taken.execute("PRAGMA journal_mode = DELETE").fetchall()
        finally:
            taken.close()
    finally:
        given.close()


def _bring_back(source: str, path: str) -> None:
    """Through SQLite, in one transaction, so that whoever has the store open goes on with what came back.

    Only a file that SQLite cannot read as one of its own is replaced.
    """
    if os.path.exists(path):
        try:
            copy_pages(source, path, plain=False)
            if not _opened_faults(path):
                return
        except (apsw.NotADBError, apsw.CorruptError, apsw.IOError):
            pass
    fresh = f"{path}.fresh-{new_id()}"
    shutil.copyfile(source, fresh)
    os.chmod(fresh, 0o600)
    copy = apsw.Connection(fresh, flags=apsw.SQLITE_OPEN_READWRITE)
    copy.execute("PRAGMA journal_mode = WAL").fetchall()
    copy.close()
    _to_disk(fresh)
    _clear_beside(path)
    os.replace(fresh, path)
    _to_disk(os.path.dirname(os.path.abspath(path)))


def _opened_faults(path: str) -> list[str]:
    try:
        with open_file(path, create=False) as store:
            return faults(store)
    except TacitError as error:
        return [error.message]


def _last_entry(path: str) -> int:
    copy = _reading(path)
    try:
        last: Any = copy.execute("SELECT coalesce(max(n), 0) FROM journal").fetchall()[0][0]
        return int(last)
    finally:
        copy.close()


def _lost(aside: str, since: int) -> tuple[tuple[Entry, ...], bool]:
    """Changes after an entry that a damaged file still tells, and whether there may be more."""
    found: list[Entry] = []
    try:
        damaged = apsw.Connection(aside, flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            asked = (
                f"SELECT {ENTRY} FROM journal j WHERE n > ? AND verb <> '{LINE}' ORDER BY n LIMIT ?"
            )
            for row in damaged.execute(asked, (since, LOST)):
                found.append(entry_from(row))
        finally:
            damaged.close()
    except (apsw.Error, ValueError):
        return tuple(found), True
    return tuple(found), len(found) == LOST


@contextmanager
def _alone(folder: str) -> Iterator[None]:
    """One backup at a time; what a killed one left is cleared away by the next."""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        lock = os.open(os.path.join(folder, ".lock"), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreReadOnly(
            f"Backups cannot be kept at {folder}: {error.strerror}.", "Check the folder."
        ) from error
    try:
        until = time.monotonic() + 10
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError:
                if time.monotonic() > until:
                    raise StoreBusy(
                        f"Another process is making a backup in {folder}.", "Try again in a moment."
                    ) from None
                time.sleep(0.05)
        for name in os.listdir(folder):
            if name.startswith(".copy-"):
                os.unlink(os.path.join(folder, name))
        yield
    finally:
        os.close(lock)


def _need_room(folder: str, store: Store) -> None:
    pages, size = (store.rows(f"PRAGMA {what}")[0][0] for what in ("page_count", "page_size"))
    disk = os.statvfs(folder)
    free, needed = disk.f_bavail * disk.f_frsize, pages * size + SLACK
    if free < needed:
        raise StoreReadOnly(
            f"{folder} has {free >> 20} MiB free, and a backup needs {needed >> 20}.",
            "Free some space; nothing was changed.",
        )


def _to_disk(path: str) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _clear(path: str) -> None:
    if os.path.exists(path):
        os.unlink(path)
    _clear_beside(path)


def _clear_beside(path: str) -> None:
    for end in ("-wal", "-shm", "-journal"):
        if os.path.exists(path + end):
            os.unlink(path + end)
