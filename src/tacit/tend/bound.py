"""How much one pass may change: at most so many memories, or a share of the active ones; what is beyond becomes one proposal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.core.clock import after_days
from tacit.core.profile import Profile
from tacit.core.proposal import APPROVED, OPEN, Proposal
from tacit.core.states import ACTIVE
from tacit.core.value import replace
from tacit.stores.counts import in_states

if TYPE_CHECKING:
    from tacit.stores.sql import Reads
    from tacit.stores.sql_writer import Transaction

_BOUNDLESS = 1 << 62
LEAST, SHARE = 50, 0.2  # changes of one pass at most, or this share of the active lessons if that is more


class Bound:
    """The room of one pass, counted down; the active set is counted only where it matters."""

    def __init__(self, store: Reads, project: str, profile: Profile) -> None:
        self.store, self.project, self.profile = store, project, profile
        self.spent = self.left = 0
        self._most = -1

    def take(self) -> bool:
        """Whether one more change may be made; counted either way."""
        if self.spent >= LEAST and self.spent >= self.most:
            self.left += 1
            return False
        self.spent += 1
        return True

    @property
    def most(self) -> int:
        """Changes of one pass; no bound where a person approved the surplus of the last one."""
        if self._most < 0:
            self._most = _BOUNDLESS if self._approved() else max(LEAST, int(SHARE * self._active()))
        return self._most

    def _active(self) -> int:
        return in_states(self.store, self.project, ACTIVE)

    def _approved(self) -> list[Proposal]:
        approved = self.store.proposals(self.project, state=APPROVED, limit=-1)
        return [each for each in approved if each.kind == "tend" and not (each.payload or {}).get("done")]

    def settle(self, tx: Transaction, by: str, at: str, id: str) -> str:
        """Propose what was left, once; mark an approved surplus as done. The new proposal's id."""
        for each in self._approved() if self._most == _BOUNDLESS and not self.left else ():
            tx.put_proposal(replace(each, payload={**(each.payload or {}), "done": True}))
        waiting = any(each.kind == "tend" for each in tx.proposals(self.project, state=OPEN, limit=-1))
        if not self.left or waiting:
            return ""
        payload: dict[str, Any] = {"left": self.left, "bound": self.most}
        told = f"{self.left} more changes are due than the {self.most} of one pass"
        expires = after_days(at, self.profile.triage.expire_days)
        tx.put_proposal(
            Proposal(id, self.project, "tend", told, by, at, tier="person", payload=payload, expires_at=expires)
        )
        return id
