"""Mending a store that is proven damaged, from everything that still verifies.

Nothing is guessed. Each truth row carries a SHA-256, each journal entry the hash of the one before it and of the row it
left; so every row can be asked, in turn, from the damaged file, the newest verified backup, the fold of the journal,
and, where a single bit was flipped, from trying the bits: whichever hashes to what was written is the row. A new store
is built of these, checked, and written over the damaged one under an exclusive lock. The damaged file is kept, and what
no source holds any more is listed by its id.

Rows are append-only or corrected in place, never deleted, so the union of backup and file is right; what was erased
after the backup is erased again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

import apsw

from tacit.core.digest import new_id
from tacit.core.errors import Damaged, StoreOther
from tacit.core.rows import Fault
from tacit.core.value import value
from tacit.stores.check import check, rule_of
from tacit.stores.sqlite import open_store
from tacit.stores.sqlite.backup import DERIVED, verify
from tacit.stores.sqlite.copies import Backup, backups, clear_away, make_folder
from tacit.stores.sqlite.copy_files import copy_files
from tacit.stores.sqlite.rebuild import Lost, built, derive_all
from tacit.stores.sqlite.restore import Held, told_plainly
from tacit.stores.sqlite.verify import DEFINITIONS, defined


@value
class Repaired:
    """What was wrong, what it was mended from, and what is lost."""

    faults: tuple[Fault, ...]
    aside: str = ""  # where the damaged store is kept; empty where only derived data was affected
    backup: str = ""
    mended: dict[str, int] = {}  # noqa: RUF012 - a value's default, never changed
    lost: tuple[Lost, ...] = ()


def repair(path: str, folder: str, machine: str = "", wait: float = 10.0) -> Repaired:
    """Mend a store, if it is damaged. The caller has closed its own connections to it."""
    faults = _faults(path)
    if not faults:
        return Repaired(())
    if is_derived(faults):
        try:
            _rebuild(path)
            if not _faults(path):
                return Repaired(faults, mended={"derived": len(faults)})
        except Damaged:
            pass  # the derived tables themselves are broken: a new store has new ones
    backup = _newest(folder)
    make_folder(folder)
    broken, fresh = (os.path.join(folder, f".repair-{new_id()}") for _ in range(2))
    try:
        with told_plainly(path, "repairing"), Held(path, folder, wait) as held:
            copy_files(
                held.aside, broken
            )  # salvaging opens its copy; what is kept aside stays as it was
            mended, lost = built(broken, backup.path if backup else "", fresh, machine)
            held.write(fresh)
        return Repaired(faults, held.aside, backup.name if backup else "", mended, tuple(lost))
    finally:
        clear_away(broken, fresh)


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


def _newest(folder: str) -> Backup | None:
    """The newest backup that still verifies; a backup may rot too."""
    for each in backups(folder):
        if each.verified and not [
            f for f in verify(each.path, folder).faults if f.kind not in DERIVED
        ]:
            return each
    return None


def _rebuild(path: str) -> None:
    with open_store(path, create=False) as store, store.write() as tx:
        derive_all(store, tx)
