"""One memory for many, through git."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.app.by_hand import ByHand
from tacit.app.opened import machine_id
from tacit.app.settings import profile_choice
from tacit.core.clock import after_days
from tacit.core.errors import Refused
from tacit.core.rows import Project
from tacit.core.run import DAYS, PREFIX, refusal_lines
from tacit.core.value import replace
from tacit.formats import journal_file
from tacit.providers.ssh import Keys
from tacit.stores.counts import recent
from tacit.stores.files import JournalFolder
from tacit.stores.git import first_commit
from tacit.stores.identity_record import record_project
from tacit.stores.shared import canonical
from tacit.team.files import Shared
from tacit.team.sync import Synced, notes, sync


class Team(ByHand):
    """One memory for many, through git."""

    def invitations(self) -> list[tuple[str, str, str, str]]:
        """Projects on a server that their owners offer to this login: id, name, remote, owner; those of this repository if any."""
        if not self.store.url:
            return []
        offered: list[tuple[str, str, str, str]] = self.store.invitations()  # type: ignore[attr-defined]
        return [
            each for each in offered if self.place.remote and each[2] == self.place.remote
        ] or offered

    def join_project(self, owner: str) -> Project:
        """Join the project that its owner, who is named, offers; this folder is its from then on."""
        self.need_person("Joining a project")
        found = [each for each in self.invitations() if each[3] == owner]
        if len(found) != 1:
            told = (
                f"{owner} offers you {len(found)} projects here"
                if found
                else f"{owner} invited you to no project here"
            )
            raise Refused(
                f"{told}.",
                "Its owner says SELECT tacit.admit('YOU', 'PROJECT', 2) (docs/howto/postgres.md).",
            )

        self.store.join(found[0][0], owner)  # type: ignore[attr-defined]
        if not record_project(self.place, found[0][0]):
            raise Refused(
                "The project was joined, but its id cannot be written down here.",
                "Is the git config locked?",
            )
        self._place = self._project = None
        return self.ensure_project()

    def sync(self, *, dry_run: bool = False) -> Synced:
        """Share what is new here in this machine's file of `.tacit/journal`, and take in what other machines wrote there."""
        self._need_file("Sharing a memory through git")
        settings = self.settings()
        keys = Keys(str(settings["sync.key"].value), str(settings["sync.signers"].value), self.env)
        if not dry_run:
            self.need_person(
                "Sharing lessons under your signature"
                if keys.key
                else "Sharing this machine's lessons"
            )
        root = self._work_tree().root
        repository, why = first_commit(root)
        shared = Shared(JournalFolder(root), keys, journal_file, repository)
        done = sync(
            self.work, shared, machine_id(self.env), dry_run=dry_run, erased=self._erase_outside
        )
        return replace(done, why_unsigned=why if keys.key else "sync.key is not set")

    def sync_notes(self) -> Sequence[str]:
        """What a person should know of the team's journal."""
        return notes(self.store, self.project_id) if self.store.is_file else ()

    def refused(self) -> list[str]:
        """What was refused of late and why: what pretended to be yours, what nobody stands for, what a repository asked for."""
        chosen = profile_choice(self).note
        return [
            *refusal_lines(recent(self.store, PREFIX, after_days(self.now(), -DAYS)[:10])),
            *self.sync_notes(),
            *([chosen] if chosen else ()),
        ]

    def canonical(self) -> str:
        """What the team knows as one text, equal on every machine that has synced the same lines."""
        self._need_file("Sharing a memory through git")
        return canonical(self.store, self.project_id)
