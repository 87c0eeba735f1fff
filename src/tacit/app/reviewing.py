"""What waits for a judge, and deciding it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from tacit.app.guarding import Guarding
from tacit.app.mending import Mending
from tacit.core.errors import NotFound, UsageError
from tacit.core.memory import Memory
from tacit.core.proposal import Proposal, reason_now
from tacit.core.value import replace
from tacit.learn.deciding import best, find_proposal, heard
from tacit.learn.review import Review, Reviewed
from tacit.stores.counts import pieces_of_work

FOR_PERSON = ("notice", "request", "guard")  # kinds of proposals that no agent is told of
LESSONS_WEIGHED = 1000  # of the newest lessons in a state, among which the best are chosen


class Reviewing(Mending):
    """What waits for a judge, and deciding it."""

    def proposals(self, *, state: str = "open") -> list[Proposal]:
        """What waits for a judge, oldest first; `state=""` for everything that ever did."""
        return self.counted_anew(self.store.proposals(self.project_id, state=state, limit=-1)) if self.project else []

    def counted_anew(self, found: Sequence[Proposal]) -> list[Proposal]:
        """Proposals whose reasons count sessions, out of all that there are by now."""
        sessions = pieces_of_work(self.store, self.project_id) if any(each.kind in FOR_PERSON for each in found) else 0
        return [replace(each, reason=reason_now(each, sessions)) if each.kind in FOR_PERSON else each for each in found]

    def for_person(self, most: int = 10) -> list[Proposal]:
        """What only the person is told: what fails without a way out, instruction files that are wrong, standing requests."""
        return (
            self.counted_anew(self.store.proposals(self.project_id, kinds=FOR_PERSON, limit=most))
            if self.project
            else []
        )

    def worth_a_look(self) -> tuple[list[Memory], list[Memory]]:
        """What was heard from the person and waits to be confirmed, and the best candidates, ten of each."""
        if not self.project:
            return [], []
        known = self.store.select([self.project_id], states=("provisional",), limit=LESSONS_WEIGHED)
        open_ones = self.store.select([self.project_id], states=("candidate",), limit=LESSONS_WEIGHED)
        return heard(known), best(open_ones)

    def review(
        self,
        id: str = "",
        decision: str = "approve",
        *,
        role: str = "person",
        to: str = "",
        outcome: str = "",
        into: str = "",
        text: str = "",
        reason: str = "",
        every: bool = False,
    ) -> Reviewed | int:
        """Decide about a memory or a proposal, in a role: approve, edit, reject, merge, unmerge, open, close, clear.

        `to` names the state to approve, `outcome` what a review comes to (reinstate, keep, weaken, supersede, archive, reject, decay),
        `into` the memory that takes another's place, or stays of two that contradict each other. Where other roles must approve too,
        the decision waits for them.
        """
        self._need_person("Deciding")
        project, seat, reason = self.ensure_project(), self._seat(role), self._kept_reason(reason)
        if decision == "clear":
            return seat.clear(every=every)
        try:
            found = self.get(id).id
        except NotFound:
            waiting = find_proposal(self.store, project.id, id)
            if decision in ("approve", "edit"):
                if waiting.kind == "notice" and (mended := self._mend(waiting, reason)):
                    return mended
                if waiting.kind == "guard":
                    said = cast("Guarding", self).accept_guard(waiting)
                    seat.settle(waiting, reason or said)
                    return Reviewed(
                        waiting.memory, state := self.get(waiting.memory).state, state, said, "", waiting.id
                    )
                return seat.accept(waiting, text=text, stays=self.get(into).id if into else "", reason=reason)
            if decision == "reject":
                return seat.decline(waiting, reason=reason)
            raise UsageError(f"A proposal cannot be {decision}ed.", "approve, edit or reject it.") from None
        if decision == "approve":
            return seat.approve(found, to=to, reason=reason)
        if decision == "reject":
            return seat.reject(found, reason=reason)
        if decision == "open":
            return seat.open(found, reason=reason)
        if decision == "close":
            over = self.get(into).id if into else ""
            return seat.close(found, outcome or "reinstate", to=to, text=text, successor=over, reason=reason)
        if decision == "merge":
            return seat.merge(found, self.get(into).id, reason=reason)
        if decision == "unmerge":
            return seat.unmerge(found, reason=reason)
        if decision == "edit":
            self.edit(found, text=text, reason=reason)
            return seat.approve(found, reason=reason)
        raise UsageError(
            f"{decision!r} is no decision.", "One of: approve, edit, reject, merge, unmerge, open, close, clear."
        )

    def reopen(self, proposal: str) -> Proposal:
        """Let a decided proposal wait again; what a yes changed in a file, or in its lesson if nothing came after it, is put back."""
        self._need_person("Reopening")
        found = find_proposal(self.store, self.project_id, proposal)
        if found.state != "open" and (found.payload or {}).get("applied"):
            found = self._put_back(found)
        made = self.store.entries(memory=found.memory, newest=True, limit=9) if found.memory else []
        yes = next((at for at, entry in enumerate(made, 1) if entry.verb in ("approve", "add")), 0)
        if all(entry.by == found.decided_by and entry.at <= found.decided_at for entry in made[:yes]):
            for entry in made[:yes]:
                self.undo(entry.id)
        return self._seat("person").reopen(found)

    def settle(self, proposal: str, why: str) -> None:
        """Close a proposal that was followed by another way."""
        self._need_person("Deciding")
        self._seat("person").settle(find_proposal(self.store, self.project_id, proposal), why)

    def _seat(self, role: str) -> Review:
        publish = self._publish if self.publishes else None
        return Review(self.work, role, publish)
