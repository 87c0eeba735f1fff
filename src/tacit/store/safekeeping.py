"""Copies of the store, and mending it; also for stores that need not be readable any more."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.core.errors import TacitError
from tacit.core.value import value
from tacit.place.folders import data_folder, machine_id
from tacit.store import backup as copies
from tacit.store.backup import Backup, Restored
from tacit.store.check import check, rule_of
from tacit.store.erase import derive
from tacit.store.reads import Store
from tacit.store.redact_again import RedactedAgain
from tacit.store.redact_again import redact_again as redacted_again
from tacit.store.writes import open_store

if TYPE_CHECKING:
    from tacit.opened import Opened


@value
class Repaired:
    """What was wrong with a store, what took its place, and what is lost."""

    faults: tuple[str, ...] = ()
    aside: str = ""  # where the damaged file is kept; empty: only what is derived was affected
    backup: str = ""
    at: str = ""
    lost: tuple[Mapping[str, str], ...] = ()  # changes since, that the damaged file still tells
    unreadable: bool = False  # there may be more


def folder_of(opened: Opened) -> str:
    """Where this store's backups lie."""
    return backups_folder(opened.store.path, opened.env)


def backups(opened: Opened) -> Sequence[Backup]:
    """The copies of this store, newest first."""
    return copies.backups(folder_of(opened))


def backup(opened: Opened) -> Backup:
    """A copy of the store that was opened and looked through; of older days the last is kept."""
    return copies.back_up(opened.store, folder_of(opened))


def backup_if_due(opened: Opened) -> Backup | None:
    """For the worker: at most one a day, and only if something was written since; never an error."""
    if not os.path.exists(opened.store.path):  # whoever left deleted it under a worker
        return None
    return copies.back_up_if_due(opened.store, folder_of(opened), time.time())


def safety_notes(opened: Opened) -> Sequence[str]:
    """What a person should know: no recent backup, little room, stores that were kept aside."""
    return copies.notes(opened.store.path, folder_of(opened), time.time())


def redact_again(opened: Opened) -> RedactedAgain | None:
    """Take out what the rules of today call a secret, once for each version of them; None where that is done."""
    if not os.path.exists(opened.store.path):
        return None
    found = redacted_again(opened.store)
    if found and found.rows:
        with opened.store.write() as tx:
            derive(tx, rule_of(opened.store))
        opened.store.scrub()
    return found


def restore(opened: Opened, name: str = "", *, to: str = "") -> Restored:
    """Put a backup back, the newest without a name; what was there is kept aside. `to` names another, new file."""
    if not to:
        opened.need_person("Restoring")
    path, wait = opened.store.path, opened.store.wait
    opened.store.close()  # it needs the file for itself
    try:
        return restore_store(path, opened.env, name, to=to)
    finally:
        opened._project = opened._profile = None
        opened.store = open_store(path, create=False, machine=machine_id(opened.env), wait=wait)


def backups_folder(path: str, env: Mapping[str, str]) -> str:
    """Where the backups of a store lie."""
    return copies.folder_of(path, os.path.join(data_folder(env), "backups"))


def restore_store(path: str, env: Mapping[str, str], name: str = "", *, to: str = "") -> Restored:
    """Put a backup back over a store that need not be readable any more."""
    folder = backups_folder(path, env)
    chosen = copies.find_backup(folder, name)
    if to:
        copies.copy_to(chosen, to)
        return Restored(chosen, "", (), False)
    return copies.restore(path, folder, chosen)


def _counted_anew(store: Store) -> list[str]:
    """What was not counted as its rows say; it is counted anew."""
    rule = rule_of(store)
    found = [f"{each.kind} {each.id}: {each.detail}" for each in check(store, rule=rule).faults]
    if found:
        with store.write() as tx:
            derive(tx, rule)
    return found


def repair_store(path: str, env: Mapping[str, str]) -> Repaired:
    """Bring the newest good backup back where a store does not pass; an index alone is built anew."""
    try:
        with open_store(path, create=False) as store:
            faults = copies.faults(store)
            if not faults or copies.mend_index(store):
                return Repaired((*faults, *_counted_anew(store)))
    except TacitError as error:
        if error.code not in ("store_damaged", "not_a_store"):
            raise
        faults = [error.message]
    done = copies.restore(path, backups_folder(path, env))
    lost = [
        {"id": each.memory, "text": str(each.after.get("text", each.verb))} for each in done.lost
    ]
    at = done.backup.at
    return Repaired(tuple(faults), done.aside, done.backup.name, at, tuple(lost), done.unreadable)
