"""One memory for many, through git or a server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tacit.app.by_hand import ByHand
from tacit.app.opened import machine_id
from tacit.core.clock import after_days
from tacit.core.errors import TacitError
from tacit.core.run import DAYS, PREFIX, refusal_lines
from tacit.core.value import replace
from tacit.providers.ssh import Keys
from tacit.stores.counts import held_unsigned, recent
from tacit.stores.git import first_commit
from tacit.sync import Synced, sync
from tacit.sync.git import GitFolder
from tacit.sync.shelf import Shelf


class Team(ByHand):
    """One memory for many, through git or a server."""

    def sync(self, *, dry_run: bool = False) -> Synced:
        """Tell the others what is new here, and take in what they told."""
        keys = self._keys
        if not dry_run:
            self.need_person(
                "Sharing lessons under your signature"
                if keys.key
                else "Sharing this machine's lessons"
            )
        return self._sync(keys, dry_run)

    def _sync(self, keys: Keys, dry_run: bool = False) -> Synced:
        carrier, why = self._git()
        shelf = self._shelf(keys)
        done = sync(shelf, carrier, keys, allowed=keys.allowed, dry_run=dry_run)
        done = replace(done, why_unsigned=why if keys.key else "sync.key is not set")
        if not dry_run:
            shelf.keep({**shelf.state, "doubts": done.doubts})
        return done

    @property
    def _keys(self) -> Keys:
        settings = self.settings()
        key, signers = (str(settings[f"sync.{name}"].value) for name in ("key", "signers"))
        return Keys(key, signers, self.env)

    def _shelf(self, keys: Keys) -> Shelf:
        shelf = Shelf(
            self.work,
            machine_id(self.env),
            me=keys.me,
            erase_outside=self._erase_outside,
            vouch=self.vouch,
        )
        shelf.machine = shelf.state.get("machine", shelf.machine)
        return shelf

    def _git(self) -> tuple[GitFolder, str]:
        root = self._work_tree().root
        commit, why = first_commit(root)
        return GitFolder(root, commit), why

    def sharing(self) -> dict[str, Any]:
        """How this project is shared (`with`: git, or a server's address), and what the next sync would write, where and as whom."""
        keys = self._keys
        shelf, (folder, why) = self._shelf(keys), self._git()
        return {
            "with": shelf.state.get("with", ""),
            "auto": bool(shelf.state.get("auto")),
            "lessons": shelf.untold(),
            "private": shelf.private(),
            "file": folder.name(shelf.machine),
            "root": folder.root,
            "uncommitted": folder.uncommitted(shelf.machine),
            "signs_as": keys.me,
            "key": keys.key,
            "why_unsigned": why if keys.key else "sync.key is not set",
        }

    def share_with(self, carrier: str, *, auto: bool = False) -> None:
        """Remember that a person said yes to sharing this project, and by what."""
        self.need_person("Sharing a project")
        shelf = self._shelf(self._keys)
        shelf.keep({**shelf.state, "with": carrier, "auto": auto})

    def sync_by_itself(self) -> Synced | None:
        """At a session's end: write what is new, where a person said that this may happen by itself."""
        shelf = Shelf(self.work, "") if self.project else None
        if shelf is None or not shelf.state.get("auto"):
            return None
        try:
            return self._sync(self._keys)
        except TacitError as error:  # said by doctor; the session is learned all the same
            shelf.keep({**shelf.state, "doubts": [f"{error.message} {error.hint}".strip()]})
            return None

    def sync_notes(self) -> Sequence[str]:
        """What a person should know of the team's lines."""
        if not self.project:
            return ()
        state = Shelf(self.work, "").state
        told = list(state.get("doubts", ()))
        if held := held_unsigned(self.store, self.project_id):
            told.append(
                f"lessons held because nobody you allow has signed them: {held}"
                " (tacit review, or sync.signers)"
            )
        machine = state.get("machine") or machine_id(self.env)
        folder = GitFolder(self._work_tree().root, "")
        if state.get("with") == "git" and (waiting := folder.uncommitted(machine)):
            told.append(
                f"lines in .tacit that no commit holds yet: {waiting}"
                " (git add .tacit, then commit and push)"
            )
        return told

    def refused(self) -> list[str]:
        """What was refused of late and why: what pretended to be yours, what nobody stands for, what a repository asked for."""
        return [
            *refusal_lines(recent(self.store, PREFIX, after_days(self.now(), -DAYS)[:10])),
            *self.sync_notes(),
        ]
