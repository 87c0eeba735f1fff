"""What waits for a judge, and deciding it."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.app.by_hand import ByHand
from tacit.core.errors import NotFound, Refused, UsageError
from tacit.core.proposal import APPROVED, OPEN, OTHER_WORDS, Proposal, new_words, reason_now
from tacit.core.states import ACTIVE, WAITING
from tacit.core.value import fields, replace
from tacit.learn.deciding import best, find_proposal, heard
from tacit.learn.gate import may_be_told
from tacit.learn.instructions import Patch, patch_of, replaced, turned
from tacit.learn.review import Review, Reviewed
from tacit.lesson import Lesson
from tacit.safety.redact import private, redact
from tacit.store.counts import pieces_of_work

FOR_PERSON = ("notice", "guard")  # kinds of proposals that no agent is told of
LESSONS_WEIGHED = 1000  # of the newest lessons in a state, among which the best are chosen


_TRIES = 3  # an editor that saves in between is never written over


class Reviewing(ByHand):
    """What waits for a judge, and deciding it; a wrong line of an instruction file is mended where a person says so."""

    def proposals(self, *, state: str = "open") -> list[Proposal]:
        """What waits for a judge, oldest first; `state=""` for everything that ever did."""
        return (
            self.counted_anew(self.store.proposals(self.project_id, state=state, limit=-1))
            if self.project
            else []
        )

    def counted_anew(self, found: Sequence[Proposal]) -> list[Proposal]:
        """Proposals whose reasons count sessions, out of all that there are by now."""
        sessions = (
            pieces_of_work(self.store, self.project_id)
            if any(each.kind in FOR_PERSON for each in found)
            else 0
        )
        return [
            replace(each, reason=reason_now(each, sessions)) if each.kind in FOR_PERSON else each
            for each in found
        ]

    def for_person(self, most: int = 10) -> list[Proposal]:
        """What only the person is told: what fails without a way out, and instruction files that are wrong."""
        found = (
            self.store.proposals(self.project_id, kinds=FOR_PERSON, limit=most)
            if self.project
            else []
        )
        return self.counted_anew(found)

    def worth_a_look(self) -> tuple[list[Lesson], list[Lesson]]:
        """What was heard from the person and waits to be confirmed, and the best candidates, ten of each."""
        if not self.project:
            return [], []
        known = self.store.select([self.project_id], states=(ACTIVE,), limit=LESSONS_WEIGHED)
        open_ones = self.store.select([self.project_id], states=(WAITING,), limit=LESSONS_WEIGHED)
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
        self.need_person("Deciding")
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
                if (waiting.payload or {}).get("erase"):
                    seat.settle(waiting, reason or waiting.reason)
                    gone = self.erase(waiting.memory, reason=reason)
                    return Reviewed(gone.id, gone.state, gone.state, "erased", "", waiting.id)
                if waiting.kind == "guard":
                    from tacit.app.guarding import Guarding  # a yes to a guard alone loads them

                    said = Guarding.of(self).accept_guard(waiting)
                    seat.settle(waiting, reason or said)
                    return Reviewed(
                        waiting.memory,
                        state := self.get(waiting.memory).state,
                        state,
                        said,
                        "",
                        waiting.id,
                    )
                return seat.accept(
                    waiting, text=text, stays=self.get(into).id if into else "", reason=reason
                )
            if decision == "reject":
                return seat.decline(waiting, reason=reason)
            raise UsageError(
                f"A proposal cannot be {decision}ed.", "approve, edit or reject it."
            ) from None
        if decision == "approve":
            return seat.approve(found, to=to, reason=reason)
        if decision == "reject":
            return seat.reject(found, reason=reason)
        if decision == "open":
            return seat.open(found, reason=reason)
        if decision == "close":
            over = self.get(into).id if into else ""
            return seat.close(
                found, outcome or "reinstate", to=to, text=text, successor=over, reason=reason
            )
        if decision == "merge":
            return seat.merge(found, self.get(into).id, reason=reason)
        if decision == "unmerge":
            return seat.unmerge(found, reason=reason)
        if decision == "edit":
            self.edit(found, text=text, reason=reason)
            return seat.approve(found, reason=reason)
        raise UsageError(
            f"{decision!r} is no decision.",
            "One of: approve, edit, reject, merge, unmerge, open, close, clear.",
        )

    def takes_more_than_a_number(self, id: str) -> bool:
        """Whether a yes to it is given at a terminal only: it is held or asks about what is, would erase, or would put words in force that
        the gate holds."""
        asked = self.store.proposal(id)
        payload = (asked.payload or {}) if asked else {}
        found = self.store.memories([asked.memory if asked and asked.memory else id])
        if payload.get("erase") or any(memory.gate != "allow" for memory in found):
            return True
        would = new_words(asked) if asked and asked.kind in OTHER_WORDS else ""
        return bool(would) and may_be_told(would, "agent", self.vouch).outcome != "allow"

    def reopen(self, proposal: str) -> Proposal:
        """Let a decided proposal wait again; what a yes changed in a file, or in its lesson if nothing came after it, is put back."""
        self.need_person("Reopening")
        found = find_proposal(self.store, self.project_id, proposal)
        if found.state != "open" and (found.payload or {}).get("applied"):
            found = self._put_back(found)
        made = self.store.entries(memory=found.memory, newest=True, limit=9) if found.memory else []
        yes = next((at for at, entry in enumerate(made, 1) if entry.verb in ("approve", "add")), 0)
        if all(
            entry.by == found.decided_by and entry.at <= found.decided_at for entry in made[:yes]
        ):
            for entry in made[:yes]:
                self.undo(entry.id)
        return self._seat("person").reopen(found)

    def settle(self, proposal: str, why: str) -> None:
        """Close a proposal that was followed by another way."""
        self.need_person("Deciding")
        self._seat("person").settle(find_proposal(self.store, self.project_id, proposal), why)

    def _seat(self, role: str) -> Review:
        publish = self._publish if self.publishes else None
        return Review(self.work, role, publish)

    def patch(self, proposal: Proposal) -> Patch | None:
        """The line that a notice would have changed, as it stands and as it would; once it was accepted, as it was and as it is."""
        payload = proposal.payload or {}
        if payload.get("applied"):
            return Patch(**payload["applied"])
        if not payload.get("file") or self.project is None:
            return None
        raw = self._work_tree().read(str(payload["file"]))
        found = patch_of(payload, _text(raw)) if raw is not None else None
        return found if found is not None and _may_be_kept(found.before) else None

    def _mend(self, proposal: Proposal, reason: str) -> Reviewed | None:
        """Write the better line. What will be written is noted first: after a crash the same word finishes it."""
        payload = proposal.payload or {}
        if proposal.state != OPEN or not payload.get("file"):
            return None  # nothing to write: to know of it is all
        found = self.patch(proposal)
        if found is None:
            raise Refused(
                f"The line does not stand in {payload['file']} any more, or is none that a sentence can be added to.",
                f"Mend the file by hand, then: tacit review reject {proposal.id}",
            )
        noted = replace(proposal, payload={**payload, "applied": fields(found)})
        with self.store.write() as tx:
            tx.put_proposal(noted)
        self._rewrite(found)
        told = f"{found.file} line {found.number} reads as proposed now; tacit undo {proposal.id} puts it back"
        with self.store.write() as tx:
            why = reason or f"{self.actor.name} accepted it"
            tx.put_proposal(
                replace(
                    noted,
                    state=APPROVED,
                    decided_by=self.actor.name,
                    decided_at=self.now(),
                    decision=why,
                )
            )
        self.note(
            f"{found.file} line {found.number}: “{found.after.strip()}” instead of “{found.before.strip()}”",
            reason=reason,
        )
        return Reviewed("", "", "", told, "", proposal.id)

    def _put_back(self, proposal: Proposal) -> Proposal:
        """The file as it was, in this line; the notice without what was done about it."""
        payload = dict(proposal.payload or {})
        found = Patch(**payload.pop("applied"))
        self._rewrite(turned(found))
        self.note(f"{found.file} line {found.number} put back: “{found.before.strip()}”")
        return replace(proposal, payload=payload)

    def _rewrite(self, patch: Patch) -> None:
        tree = self._work_tree()
        for _ in range(_TRIES):
            raw = tree.read(patch.file)
            new = replaced(_text(raw), patch) if raw is not None else None
            if new is None:
                if raw is not None and patch.after in _text(raw).split("\n"):
                    return  # it was written before a crash
                raise Refused(
                    f"{patch.file} has no line “{patch.before.strip()[:120]}” any more.",
                    "Edit the file by hand.",
                )
            if tree.write(patch.file, new.encode("utf-8", "surrogateescape"), raw):
                return
        raise Refused(f"{patch.file} is being edited.", "Try again in a moment.")


def _may_be_kept(line: str) -> bool:
    """Whether a line may stand in the store, as it has to for `undo`: it is text, and has nothing to hide."""
    try:
        line.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return redact(private(line)).text == line


def _text(raw: bytes | None) -> str:
    """A file's text from which its bytes can be had again, whatever they are."""
    return (raw or b"").decode("utf-8", "surrogateescape")
