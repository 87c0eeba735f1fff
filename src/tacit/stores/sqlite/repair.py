"""A store that is proven damaged gives way to its newest backup that still verifies.

The damaged file is kept, and what it still tells of lessons that came or changed since that backup
is listed, so that a person knows what to say again. Where only what is derived is wrong it is built
anew. Without a backup nothing is touched.
"""

from __future__ import annotations

from collections.abc import Iterable

import apsw

from tacit.core.errors import Damaged, StoreOther
from tacit.core.rows import Fault
from tacit.core.value import value
from tacit.stores.check import check, rule_of
from tacit.stores.sqlite import open_store
from tacit.stores.sqlite.backup import DERIVED, verify
from tacit.stores.sqlite.copies import Backup, backups
from tacit.stores.sqlite.erase import derive
from tacit.stores.sqlite.restore import install
from tacit.stores.sqlite.verify import DEFINITIONS, defined


@value
class Lost:
    """A lesson that the backup does not hold as it was."""

    id: str
    text: str


@value
class Repaired:
    """What was wrong, what came back, and what is lost since."""

    faults: tuple[Fault, ...]
    aside: str = ""  # where the damaged store is kept; empty where only derived data was affected
    backup: str = ""
    at: str = ""  # when that backup was made: what came later is lost
    lost: tuple[Lost, ...] = ()  # of it, what the damaged file still tells


def repair(path: str, folder: str, wait: float = 10.0) -> Repaired:
    """Put the newest sound backup in the place of a damaged store. The caller has closed its own connections to it."""
    faults = _faults(path)
    if not faults:
        return Repaired(())
    if is_derived(faults):
        try:
            with open_store(path, create=False) as store, store.write() as tx:
                derive(tx, rule_of(store))
            if not _faults(path):
                return Repaired(faults)
        except Damaged:
            pass  # the derived tables themselves are broken
    told, erased = _read(path)
    backup = _newest(folder, erased)
    if backup is None:
        raise Damaged(
            f"{path} is damaged ({faults[0].kind} {faults[0].id}: {faults[0].detail}), and there is no sound backup of it.",
            "Nothing was changed. Keep the file; tacit data export reads what can still be read.",
        )
    held, _ = _read(backup.path)
    lost = tuple(Lost(id, text) for id, text in told.items() if held.get(id) != text)
    aside = install(path, backup.path, folder, wait)
    return Repaired(faults, aside, backup.name, backup.at, lost)


def _read(path: str) -> tuple[dict[str, str], set[str]]:
    """The text of each lesson and the ids of those that were erased, as far as a file can be read; nothing is written."""
    told: dict[str, str] = {}
    erased: set[str] = set()
    try:
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    except apsw.Error:
        return told, erased
    try:
        for id, text in connection.execute("SELECT id, text FROM memory ORDER BY n"):
            if isinstance(id, str) and text == "":
                erased.add(id)
            elif isinstance(id, str) and isinstance(text, str):
                told[id] = text
    except (apsw.Error, ValueError):
        pass  # what comes behind a broken page cannot be read
    finally:
        connection.close()
    return told, erased


def _faults(path: str) -> tuple[Fault, ...]:
    """What is proven wrong. Busy, a full disk or an I/O error come up as what they are: no reason to mend anything."""
    try:
        with open_store(path, create=False) as store:
            # Where rows are damaged, what is derived from them is built anew whatever it is like.
            return check(
                store,
                rule=rule_of(store),
                index=lambda found: store.index_faults() if is_derived(found) else iter(()),
            ).faults
    except Damaged as error:
        return (Fault("file", path, error.message),)
    except StoreOther:
        if not _is_ours(path):
            raise
        return (Fault("file", path, "its version number is not the one that its tables have"),)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        return (Fault("file", path, f"a row cannot be read: {error}"),)


def is_derived(faults: Iterable[Fault]) -> bool:
    """Whether nothing is wrong but what can be derived anew."""
    return all(fault.kind in DERIVED for fault in faults)


def _is_ours(path: str) -> bool:
    """Whether a store that calls itself newer has exactly the tables of this version."""
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        with open_store(":memory:") as ours:
            return defined(connection.execute(DEFINITIONS)) == defined(ours.rows(DEFINITIONS))
    finally:
        connection.close()


def _newest(folder: str, erased: set[str]) -> Backup | None:
    """The newest backup that still verifies and brings back nothing that was erased since; a backup may rot too."""
    for each in backups(folder):
        clean = each.verified and erased.isdisjoint(_read(each.path)[0])
        if clean and is_derived(verify(each.path, folder).faults):
            return each
    return None
