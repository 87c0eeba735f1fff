"""The near side of a store on a server: one SQLite file on this machine from which hooks answer, with a server or without.

It is a store like any other, so everything that reads a store reads it. Two things are its own. Its lessons are copies of
the server's, of the projects that are used on this machine, and only `stores/replicate.py` writes them. And what is recorded
in it (runs, uses, marks, answers) waits in `outbox` until the server has it: triggers put a row's name there in the very
transaction that writes the row, so nothing can be given without being on its way. Hooks load this module; it knows
no network.
"""

from __future__ import annotations

import os

from tacit.core.clock import seconds, stamp
from tacit.core.digest import short_hash
from tacit.core.errors import StoreReadOnly, Unavailable, UsageError
from tacit.stores.places import data_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from tacit.stores.sql import Reads, Store
    from tacit.stores.sql_writer import Transaction

SCHEMES = ("postgresql://", "postgres://")
_NEAR_FOLDER = "near"
FRESH_SECONDS = 60.0  # seconds for which a copy is not looked after; a hook that finds an older one starts a worker
RETRY_SECONDS = 60.0  # seconds after which a server that did not answer is asked again
OLDEST_DAYS = 14.0  # beyond this a copy gives nothing: what was taken out on the server must not live on here for ever
LINGERS = 20.0  # seconds for which a worker that has just carried is still there
# names in the outbox, some 30 MB with their rows; beyond it nothing is given, since it could not be recorded
MOST_WAITING = 100_000

REFRESHED, CACHE_TRIED, CACHE_CARRIED, CACHE_ERROR = (
    "cache:refreshed",
    "cache:tried",
    "cache:carried",
    "cache:error",
)
_HELD, _WANTED, _REFUSED = "cached:", "wanted:", "refused:"

_OUTBOX = """
CREATE TABLE IF NOT EXISTS outbox (
  n     INTEGER PRIMARY KEY AUTOINCREMENT,
  kind  TEXT NOT NULL,
  key   TEXT NOT NULL
) STRICT;
CREATE TRIGGER IF NOT EXISTS outbox_run AFTER INSERT ON run BEGIN
  INSERT INTO outbox (kind, key) VALUES ('run', new.id); END;
CREATE TRIGGER IF NOT EXISTS outbox_use AFTER INSERT ON use BEGIN
  INSERT INTO outbox (kind, key) VALUES ('use', new.unit || ' ' || new.memory); END;
CREATE TRIGGER IF NOT EXISTS outbox_mark AFTER INSERT ON use_mark BEGIN
  INSERT INTO outbox (kind, key) VALUES ('mark', cast(new.n AS TEXT)); END;
CREATE TRIGGER IF NOT EXISTS outbox_injection AFTER INSERT ON injection BEGIN
  INSERT INTO outbox (kind, key) VALUES ('injection', cast(new.id AS TEXT)); END;
"""


def is_far(address: str) -> bool:
    """Whether a store is on a server."""
    return address.startswith(SCHEMES)


def without_password(url: str) -> str:
    """An address without its password, wherever it stands."""
    head, at, rest = url.rpartition("@")
    scheme, _, user = head.partition("://")
    plain = f"{scheme}://{user.split(':')[0]}@{rest}" if at else url
    place, mark, options = plain.partition("?")
    kept = "&".join(option for option in options.split("&") if not option.startswith("password="))
    return place + (mark if kept else "") + kept


def path_of(url: str, folder: str) -> str:
    """Where the copy of a server's lessons lies, in the folder of the user's own data; the password is no part of its name."""
    return os.path.join(folder, _NEAR_FOLDER, short_hash("near", without_password(url)) + ".db")


def near_path(address: str, env: Mapping[str, str]) -> str:
    """The file on this machine: the store's own, or the copy of a server's."""
    return path_of(address, data_folder(env)) if is_far(address) else address


def open_cache(
    url: str, folder: str, *, create: bool = False, machine: str = "", wait: float = 60.0
) -> Store:
    """Open the copy that belongs to a server, without asking the server. `create` makes an empty one."""
    from tacit.stores.sqlite import open_store

    path = path_of(url, folder)
    if not create and not os.path.exists(path):
        raise Unavailable(
            f"Nothing of {without_password(url)} is on this machine yet.",
            "tacit init fetches it, and so does the worker, once it was started.",
        )
    store = open_store(path, create=create, machine=machine, wait=wait)
    store.far = url
    if create and not is_cache(store):
        with store.write() as tx:
            tx.rows(_OUTBOX)
    return store


def is_cache(store: Reads) -> bool:
    """Whether a file is the copy of a server's lessons, under whatever name it was opened."""
    return bool(store.rows("SELECT 1 FROM sqlite_schema WHERE name = 'outbox'"))


def must_be_a_store(store: Store) -> None:
    """Raise `UsageError` for a copy that was opened under its own name, without its server."""
    if is_cache(store):
        raise UsageError(
            f"{store.path} is the copy of a server's lessons: what is learned into it reaches nobody.",
            "Name the server: TACIT_STORE=postgresql://… tacit worker --now",
        )


def held(store: Reads) -> list[str]:
    """The projects whose lessons are here."""
    return _named(store, _HELD)


def wanted(store: Store) -> list[str]:
    """The projects whose lessons should be here: those that are, and those that were used here since."""
    return sorted({*held(store), *_named(store, _WANTED)})


def _named(store: Reads, prefix: str) -> list[str]:
    """The rest of all settings that begin so."""
    rows = store.rows(
        "SELECT key FROM meta WHERE key >= :low AND key < :high", low=prefix, high=prefix[:-1] + ";"
    )
    return [row[0].removeprefix(prefix) for row in rows]


def mark_of(project: str) -> str:
    """The setting that says how far a project's copy goes."""
    return _HELD + project


def refused_key(project: str) -> str:
    """The setting that says why the server takes nothing from this user in a project."""
    return _REFUSED + project


def forget(tx: Transaction, project: str, *, held: bool = True) -> None:
    """Hold and want nothing of a project any more; without `held` only want nothing: it is here now, or not to be had."""
    for key in (_HELD, _WANTED, _REFUSED) if held else (_WANTED,):
        tx.rows("DELETE FROM meta WHERE key = :key", key=key + project)


def want_once(store: Store, project: str, at: str) -> None:
    """Ask once for the lessons of a project that is used on this machine."""
    if is_wanting(store, project):
        with store.write() as tx:
            want(tx, project, at)


def want(tx: Transaction, project: str, now: str) -> None:
    """Ask for a project's lessons; the worker fetches them."""
    tx.put_meta(_WANTED + project, now)


def holds(store: Store, project: str) -> bool:
    """Whether a project's lessons are here."""
    return bool(project) and bool(store.meta(_HELD + project))


def is_wanting(store: Store, project: str) -> bool:
    """Whether a project is used here that nobody has asked for yet."""
    return bool(project) and not holds(store, project) and not store.meta(_WANTED + project)


def is_due(store: Store, now: str) -> bool:
    """Whether there is something to carry or to fetch, and the server was not just asked in vain."""
    if store.meta(CACHE_ERROR) and _age(store, CACHE_TRIED, now) < RETRY_SECONDS:
        return False
    waits = store.one("SELECT 1 FROM outbox LIMIT 1") is not None
    return waits or _age(store, REFRESHED, now) >= FRESH_SECONDS or bool(_named(store, _WANTED))


def calls_for_worker(store: Store, project: str, now: str) -> bool:
    """Whether a hook should see to a worker: a project's lessons are wanted, or something is due and none was at it a moment ago, since
    then it still looks."""
    return is_wanting(store, project) or (
        _age(store, CACHE_TRIED, now) >= LINGERS and is_due(store, now)
    )


def _age(store: Store, key: str, now: str) -> float:
    return seconds(now) - seconds(store.meta(key))


def must_answer(store: Store, project: str, now: str) -> None:
    """Raise `Unavailable` where nothing may be given: what is here is too old, or could not be recorded."""
    if store.meta(_REFUSED + project):
        raise Unavailable(
            f"The server keeps no record of what is given here: {store.meta(_REFUSED + project)}"
        )
    if waiting(store) >= MOST_WAITING:
        raise StoreReadOnly(
            f"{MOST_WAITING:,} records wait for {without_password(store.far)}; no more can be kept.",
            "tacit doctor says why they do not leave.",
        )
    refreshed = store.meta(REFRESHED)
    if refreshed and _age(store, REFRESHED, now) > OLDEST_DAYS * 86400:
        since = (
            f"was last brought in step on {refreshed[:10]}; lessons may have been taken out since."
        )
        hint = "tacit worker --now brings it in step once the server answers."
        raise Unavailable(f"The copy of {without_password(store.far)} {since}", hint)


def waiting(store: Store) -> int:
    """How many names the outbox holds at most: its ends, not its rows, are looked at."""
    first, last = (
        store.one("SELECT n FROM outbox ORDER BY n LIMIT 1"),
        store.one("SELECT n FROM outbox ORDER BY n DESC LIMIT 1"),
    )
    return last[0] - first[0] + 1 if first else 0


def note(store: Store, now: float, error: str = "") -> None:
    """Keep that the server was asked, and what came of it."""
    with store.write() as tx:
        tx.put_meta(CACHE_TRIED, stamp(now))
        tx.put_meta(CACHE_ERROR, error)
