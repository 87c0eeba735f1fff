"""Copies of a store: where they lie, and how one is made while others write.

Copies lie away from the store, in one folder per store, named by a running number and their time; the number tells which is
newest, so that a clock which jumps cannot make an old one look new. Each is one plain file in rollback mode, mode 0600.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import apsw

from tacit.core import clock
from tacit.core.digest import new_id, short_hash
from tacit.core.errors import Damaged, StoreReadOnly
from tacit.core.value import value
from tacit.stores.files import to_disk
from tacit.stores.sqlite.errors import as_tacit_error

if TYPE_CHECKING:
    from tacit.stores.sqlite import SqliteStore

COPY_SLACK = 8 << 20  # bytes that must stay free beside the copies
PENDING_END = ".pending"  # a copy that was not verified yet


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
        return os.path.basename(self.path).removesuffix(PENDING_END).removesuffix(".db")


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
        stem = name.removesuffix(PENDING_END)
        number, _, at = stem.removesuffix(".db").partition("-")
        if stem.endswith(".db") and number.isdigit() and len(at) == 19:
            path = os.path.join(folder, name)
            when = f"{at[0:4]}-{at[4:6]}-{at[6:8]}T{at[9:11]}:{at[11:13]}:{at[13:15]}.{at[15:18]}Z"
            found.append(Backup(path, int(number), when, os.path.getsize(path), name == stem))
    return sorted(found, key=lambda each: -each.number)


def copied(store: SqliteStore, folder: str) -> Backup:
    """A copy of what is committed now, as one file, not verified yet. Others may go on writing."""
    make_folder(folder)
    size = int(store.one("PRAGMA page_count")[0]) * int(store.one("PRAGMA page_size")[0])
    need_room(folder, 2 * size)
    number = max((each.number for each in backups(folder)), default=0) + 1
    partial = os.path.join(folder, f".copy-{new_id()}")
    try:
        private(partial)
        copy_pages(store.path, partial)
        to_disk(partial)
        made = os.path.join(folder, f"{number:06d}-{compact(clock.now())}.db{PENDING_END}")
        os.rename(partial, made)
        to_disk(folder)
    except (apsw.FullError, OSError) as error:
        raise StoreReadOnly(
            f"The backup could not be written to {folder}: {error}.", "Free some space."
        ) from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise damaged(store.path, str(error)) from error
    except apsw.Error as error:
        raise as_tacit_error(error, store.path, "copying") from error
    finally:
        clear_away(partial)
    return next(each for each in backups(folder) if each.path == made)


def clear_away(*paths: str) -> None:
    """Remove files of SQLite's with all that lies beside them."""
    for each in (path + end for path in paths for end in ("", "-wal", "-shm", "-journal")):
        if os.path.exists(each):
            os.unlink(each)


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


def quoted(path: str) -> str:
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def compact(at: str) -> str:
    return at.replace("-", "").replace(":", "").replace(".", "")


def need_room(folder: str, size: int) -> None:
    place = folder
    while not os.path.isdir(place):
        place = os.path.dirname(place)
    free = free_bytes(place)
    if free < size + COPY_SLACK:
        raise StoreReadOnly(
            f"{folder} has {free >> 20} MiB free; {(size + COPY_SLACK) >> 20} MiB are needed to copy and verify the store.",
            "Free some space; nothing was changed.",
        )


def free_bytes(folder: str) -> int:
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def make_folder(folder: str) -> None:
    try:
        for place in (os.path.dirname(os.path.dirname(folder)), os.path.dirname(folder), folder):
            os.makedirs(
                place, mode=0o700, exist_ok=True
            )  # each by itself: the mode is the last one's only
    except OSError as error:
        raise StoreReadOnly(
            f"Backups cannot be kept at {folder}: {error.strerror}.", "Check the folder."
        ) from error


def private(path: str) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def damaged(what: str, first: str, faults: int = 1) -> Damaged:
    return Damaged(
        f"{what} does not verify, so no backup was made ({faults} fault{'s' * (faults > 1)}; {first}).",
        "tacit doctor tells what is affected; tacit doctor --repair mends it.",
    )
