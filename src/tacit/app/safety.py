"""Copies of the store, and mending it; also for stores that need not be readable any more."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.opened import Opened, data_folder
from tacit.stores.check import rule_of
from tacit.stores.redact_again import RedactedAgain, redact_again
from tacit.stores.sqlite import SqliteStore, open_store
from tacit.stores.sqlite.copies import Backup, backups, folder_for
from tacit.stores.sqlite.erase import derive

if TYPE_CHECKING:
    from tacit.stores.sqlite.repair import Repaired
    from tacit.stores.sqlite.restore import Restored


class Safety(Opened):
    """Copies of the store, and mending it; also for stores that need not be readable any more."""

    @property
    def backups_folder(self) -> str:
        """Where this store's backups lie."""
        return folder_for(self.store.path, os.path.join(data_folder(self.env), "backups"))

    @property
    def _file(self) -> SqliteStore:
        """The store as the file that it is."""
        return self.store  # type: ignore[return-value]

    def backups(self) -> Sequence[Backup]:
        """The copies of this store, newest first."""
        return backups(self.backups_folder)

    def backup(self) -> Backup:
        """A copy of the store that was restored elsewhere and verified; old ones are rotated out."""
        from tacit.stores.sqlite.backup import back_up

        return back_up(self._file, self.backups_folder)

    def backup_if_due(self) -> Backup | None:
        """For the worker: at most one a day, and only if something was written since; never an error."""
        from tacit.stores.sqlite.backup import back_up_if_due

        if not os.path.exists(self.store.path):  # whoever left deleted it under a worker
            return None
        return back_up_if_due(self._file, self.backups_folder)

    def safety_notes(self) -> Sequence[str]:
        """What a person should know: no recent backup, little room, stores that were kept aside."""
        from tacit.stores.sqlite.restore import notes

        return notes(self.store.path, self.backups_folder)

    def redact_again(self) -> RedactedAgain | None:
        """Take out what the rules of today call a secret, once for each version of them; None where that is done."""
        if not os.path.exists(self.store.path):
            return None
        found = redact_again(self.store)
        if found and found.rows:
            with self.store.write() as tx:
                derive(tx, rule_of(self.store))
            self.store.scrub()
        return found

    def restore(self, name: str = "", *, to: str = "") -> Restored:
        """Put a backup back, the newest without a name; what was there is kept aside. `to` names another, new file."""
        if not to:
            self.need_person("Restoring")
        path, machine, wait = self.store.path, self.store.machine, self.store.wait
        self.store.close()  # it needs the file for itself
        try:
            return restore_store(path, self.env, name, to=to)
        finally:
            self._project = self._profile = None
            self.store = open_store(path, create=False, machine=machine, wait=wait)


def restore_store(path: str, env: Mapping[str, str], name: str = "", *, to: str = "") -> Restored:
    """Put a backup back over a store that need not be readable any more."""
    from tacit.stores.sqlite.restore import restore

    return restore(path, folder_for(path, os.path.join(data_folder(env), "backups")), name, to)


def repair_store(path: str, env: Mapping[str, str]) -> Repaired:
    """Mend a store that need not be readable any more."""
    from tacit.stores.sqlite.repair import repair

    return repair(path, folder_for(path, os.path.join(data_folder(env), "backups")))
