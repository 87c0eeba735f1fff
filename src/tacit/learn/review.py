"""What people and roles decide."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tacit.core.clock import after_days
from tacit.core.edits import edited, laid_over, paged
from tacit.core.errors import Refused, UsageError
from tacit.core.journal import Change, Hand, change
from tacit.core.ladder import Asked, Move, Refusal
from tacit.core.links import Evidence, Mark
from tacit.core.merge import brought, merged, parted, taken_back
from tacit.core.moves import lifted, moved
from tacit.core.proposal import APPROVED, EXPIRED, OPEN, REJECTED, Proposal
from tacit.core.standing import is_confirmed
from tacit.core.states import (
    ACTIVE,
    DOUBTED,
    GONE,
    STATES,
    UNDOUBTED,
    WAITING,
    let_in,
    meant,
    stage_before,
    stage_of,
)
from tacit.core.value import replace, value
from tacit.learn.deciding import deciding
from tacit.learn.feedback import confirm
from tacit.learn.promote import promote
from tacit.lesson import Lesson
from tacit.store.reads import WorkContext

if TYPE_CHECKING:
    from tacit.store.writes import Transaction

_AWAY = (DOUBTED, GONE, "under_review", "archived", "decayed")  # where a proposal would take it
REINSTATED = 0.4  # confidence at least of what a review found for: without it the next sweep would undo the review
_PERSON_ROLE = "person"
# What a review may come to; where the memory goes then, in words of its profile or else out.
_OUTCOMES = {
    "reinstate": "previous",
    "supersede": "superseded",
    "archive": "archived",
    "reject": "rejected",
    "decay": "decayed",
    "keep": "previous",
    "weaken": "lower",
}


@value
class Reviewed:
    """What came of a decision."""

    memory: str
    state: str  # where it stands now
    was: str
    reason: str
    waits_for: str = ""  # what is still missing; empty where the decision is made
    proposal: str = ""


class Review:
    """Decisions of one person, in one role, in one project."""

    def __init__(
        self, work: WorkContext, role: str, publish: Callable[[], object] | None = None
    ) -> None:
        if role not in (_PERSON_ROLE, *work.profile.roles):
            raise UsageError(
                f"{role!r} is not a role of the profile {work.profile.name}.",
                f"One of: {', '.join((_PERSON_ROLE, *work.profile.roles))}.",
            )
        self.work, self.project, self.profile = work, work.project, work.profile
        self.by, self.role, self.now, self.ids = work.actor.name, role, work.now, work.ids
        self.publish = publish  # writes the pages

    def hand(self, at: str) -> Hand:
        """Whose changes these are."""
        return Hand(self.by, at, profile=self.project.profile)

    # -- memories ---------------------------------------------------------------------------------

    def approve(self, id: str, *, to: str = "", reason: str = "") -> Reviewed:
        """Let a memory rise: a held one into the ladder, any other to the next state up, or the one
        that is named."""
        with deciding(self.work) as tx:
            memory = tx.get(id)
            goal = to or self._next_up(memory)
            if memory.gate in ("hold", "quarantine") and (not goal or self._is_told(goal)):
                self._vouch(tx, memory, reason)
                if not to:
                    return self._confirmed(tx, self._climb(tx, memory))
            if not goal and self._is_told(self._stage(memory)) and self._may_stand_for(memory):
                return self._confirmed(tx, self._stand_for(tx, memory, reason))
            if not goal:
                raise Refused(
                    f"{id} is {self._stage(memory)}; there is nothing above it to approve.",
                    f"tacit why {id}",
                )
            return self._confirmed(tx, self._decide(tx, tx.get(id), goal, reason))

    def _may_stand_for(self, memory: Lesson) -> bool:
        """Whether a person's yes to what is told already says anything new."""
        own = self.profile.stages.keys() == set(STATES)
        return own and self.role == _PERSON_ROLE and not is_confirmed(memory)

    def _stand_for(self, tx: Transaction, memory: Lesson, reason: str) -> Reviewed:
        told, at = reason or f"{self.by} stands for it", self.now()
        now = replace(memory, gate_reason=f"approved by {self.by}", updated_at=at)
        tx.apply(change(memory, now, self.hand(at), "approve", told))
        return self._stays(memory, told)

    def _confirmed(self, tx: Transaction, done: Reviewed) -> Reviewed:
        """What a person let rise or worded anew is confirmed."""
        if self.role == _PERSON_ROLE and not done.waits_for and self._is_told(done.state):
            confirm(tx, done.memory, by=self.by, at=tx.get(done.memory).updated_at)
        return done

    def reject(self, id: str, *, reason: str = "") -> Reviewed:
        """Send a memory away for good."""
        with deciding(self.work) as tx:
            return self._decide(tx, tx.get(id), self._out("rejected"), reason)

    def open(self, id: str, *, reason: str = "") -> Reviewed:
        """Ask for a review: until it is closed, the memory is given to nobody."""
        with deciding(self.work) as tx:
            return self._decide(tx, tx.get(id), meant(DOUBTED, self.profile.stages), reason)

    def close(
        self,
        id: str,
        outcome: str,
        *,
        to: str = "",
        text: str = "",
        successor: str = "",
        reason: str = "",
    ) -> Reviewed:
        """Close a review: reinstate (with a better text), keep, weaken, supersede, archive, reject,
        or leave it to decay."""
        if outcome not in _OUTCOMES:
            raise UsageError(
                f"{outcome!r} is no outcome of a review.", f"One of: {', '.join(_OUTCOMES)}."
            )
        with deciding(self.work) as tx:
            memory = tx.get(id)
            if outcome == "keep" and memory.state in UNDOUBTED:
                return self._keep(tx, memory, reason)
            if memory.state != DOUBTED and outcome in ("reinstate", "decay", "keep", "weaken"):
                raise Refused(
                    f"{id} is {self._stage(memory)}, not in doubt.", f"tacit review open {id}"
                )
            if outcome == "supersede" and successor:
                return self._supersede(tx, memory, tx.get(successor), reason)
            if text:
                self._apply(tx, edited(memory, {"text": text}, self.hand(self.now())))
                memory = tx.get(id)
            stood = stage_before(memory, self.profile.stages)
            if not self._is_told(stood):
                stood = meant(ACTIVE, self.profile.stages)
            if outcome == "weaken":
                lower = self._below(stood)
                if not self.profile.ladder.allows(self._stage(memory), lower):
                    raise Refused(
                        f"{id} was on trial, and the profile {self.profile.name} knows nothing weaker.",
                        "Keep it (--outcome keep) or put it away (--outcome archive).",
                    )
                return self._weaken(tx, memory, lower, reason)
            goal = _OUTCOMES[outcome]
            back = (to or stood) if goal == "previous" else self._out(goal)
            return self._decide(tx, memory, back, reason)

    def _stage(self, memory: Lesson) -> str:
        return stage_of(memory, self.profile.stages)

    def _stays(self, memory: Lesson, told: str) -> Reviewed:
        return Reviewed(memory.id, self._stage(memory), self._stage(memory), told)

    def _apply(self, tx: Transaction, made: Change | None) -> None:
        if made is not None:
            tx.apply(made)

    def _close(self, tx: Transaction, each: Proposal, state: str, why: str) -> None:
        tx.put_proposal(
            replace(each, state=state, decided_by=self.by, decided_at=self.now(), decision=why)
        )

    def _weigh(self, tx: Transaction, memory: Lesson, signal: str, amount: float, why: str) -> None:
        """A figure that a review adds to a lesson's, or takes off."""
        mark = Mark(memory.id, "", memory.project, signal, amount=amount, surface="review")
        tx.add_mark(replace(mark, at=self.now(), reason=why))

    def _is_told(self, stage: str) -> bool:
        return self.profile.stages.get(stage) == ACTIVE

    def _out(self, stage: str) -> str:
        """A way out by its name, where the profile tells several apart."""
        return stage if stage in self.profile.stages else GONE

    def _below(self, stage: str) -> str:
        """The stage under one of those that are told; under the first, where it fades."""
        told = [each for each, state in self.profile.stages.items() if state == ACTIVE]
        at = told.index(stage)
        return told[at - 1] if at else self._out("decayed")

    def _next_up(self, memory: Lesson) -> str:
        rising = [each for each, state in self.profile.stages.items() if state in UNDOUBTED]
        stage = self._stage(memory)
        at = rising.index(stage) + 1 if stage in rising else len(rising)
        return rising[at] if at < len(rising) else ""

    def _keep(self, tx: Transaction, memory: Lesson, reason: str) -> Reviewed:
        """It stays as it is: its next review is put off, what was held against it is wiped,
        proposals to take it out are turned down."""
        at, told = self.now(), f"kept by {self.by}" + (f": {reason}" if reason else "")
        days = self.profile.ladder.review_days(self._stage(memory))
        now = replace(
            memory, review_after=after_days(at, days) if days else "", stale_at="", updated_at=at
        )
        tx.apply(change(memory, now, self.hand(at), "approve", told))
        self._wipe(tx, memory)
        for each in tx.proposals(memory=memory.id, state=OPEN):
            if (each.payload or {}).get("to") in _AWAY:
                self._close(tx, each, REJECTED, told)
        return self._stays(memory, told)

    def _weaken(self, tx: Transaction, memory: Lesson, goal: str, reason: str) -> Reviewed:
        """Back one state lower than it stood, and less sure by a contradiction's worth, as far as a
        review that lets it stay allows."""
        told = f"weakened to {goal}" + (f": {reason}" if reason else "")
        done = self._decide(tx, memory, goal, told, stood=goal)
        own = self.profile.own
        if own and not done.waits_for and memory.tally.confidence is not None:
            self._weigh(tx, memory, "weakened", own.WEAKENED, told)
        return done

    def _decide(
        self, tx: Transaction, memory: Lesson, to: str, reason: str, *, stood: str = ""
    ) -> Reviewed:
        at = self.now()
        waiting = [
            each
            for each in tx.proposals(memory=memory.id, state=OPEN)
            if (each.payload or {}).get("to") == to
        ]
        approvals = waiting[0].approvals if waiting else ()
        ladder, roles = self.profile.ladder, (_PERSON_ROLE, *self.profile.roles)
        everybody = tuple((f"{role} {n}", role) for role in roles for n in (1, 2))

        def judged(*signed: tuple[str, str]) -> Move | Refusal:
            seq, given = self.project.run_seq, (*approvals, *signed)
            asked = Asked(at, "request", seq, approvals=given, previous=stood)
            known = ladder.known(memory, self.profile, asked, tx.evidence(memory.id))
            return ladder.judge(known, to, signed[-1])

        word = judged((self.by, self.role))
        if isinstance(word, Refusal):
            if isinstance(judged(*everybody), Refusal):
                raise Refused(f"{memory.alias or memory.id}: {word.reason}.", word.missing)
            kept = self._sign(tx, next(iter(waiting), None), memory, to, reason)
            return replace(
                self._stays(memory, word.reason), waits_for=word.missing, proposal=kept.id
            )
        self._move(tx, memory, word, reason, at)
        for each in waiting:
            signed = replace(each, approvals=(*approvals, (self.by, self.role)))
            self._close(tx, signed, APPROVED, reason or word.reason)
        done = Reviewed(memory.id, to, self._stage(memory), reason or word.reason)
        return replace(done, proposal=waiting[0].id) if waiting else done

    def _move(self, tx: Transaction, memory: Lesson, move: Move, reason: str, at: str) -> None:
        told = replace(move, reason=f"{move.reason}: {reason}" if reason else move.reason)
        tx.apply(moved(memory, told, self.profile, self.hand(at)))
        if memory.state == DOUBTED and self._is_told(move.to):
            self._wipe(tx, memory)

    def _wipe(self, tx: Transaction, memory: Lesson) -> None:
        """What the review has weighed counts no more."""
        failed = (memory.tally.signals or {}).get("failed_reuse", 0.0)
        counted = {"failed_reuse": failed, "contradicted": float(memory.tally.contradicted)}
        for signal, amount in counted.items():
            if amount:
                self._weigh(tx, memory, signal, -amount, "reinstated")
        if memory.tally.confidence is not None:
            self._weigh(tx, memory, "reinstated", REINSTATED, "")

    def _sign(
        self, tx: Transaction, known: Proposal | None, memory: Lesson, to: str, reason: str
    ) -> Proposal:
        """Keep an approval until the others are there."""
        at, mine = self.now(), (self.by, self.role)
        kept = known or Proposal(
            self.ids(),
            self.project.id,
            "promote",
            reason or f"{self._stage(memory)} → {to}",
            self.by,
            at,
            memory.id,
            tier=_PERSON_ROLE,
            payload={"to": to},
            expires_at=after_days(at, self.profile.triage.expire_days),
        )
        kept = replace(kept, approvals=tuple(dict.fromkeys((*kept.approvals, mine))))
        tx.put_proposal(kept)
        return kept

    def _vouch(self, tx: Transaction, memory: Lesson, reason: str) -> None:
        told = reason or f"{self.by} vouches for it"
        now = let_in(memory, self.profile.stages, f"approved by {self.by}")
        now = replace(now, updated_at=self.now())
        tx.apply(change(memory, now, self.hand(now.updated_at), "approve", told))
        word = Evidence(
            memory.id,
            memory.project,
            signal="approved",
            by=self.by,
            tier="user",
            place=f"review {self.by}",
            quote=reason,
            at=now.updated_at,
        )
        tx.add_evidence(word)

    def _climb(self, tx: Transaction, memory: Lesson) -> Reviewed:
        """A lesson let in goes as far as its ladder takes it with this approval, one rung at least
        where it may; all at one time, so that it is taken back as one."""
        at = tx.get(memory.id).updated_at
        promote(
            tx,
            self.project,
            self.profile,
            memory.id,
            by=self.by,
            at=at,
            ids=self.ids,
            moment="request",
        )
        now = tx.get(memory.id)
        if now.state == WAITING:
            ladder, goal = self.profile.ladder, meant(ACTIVE, self.profile.stages)
            known = ladder.known(now, self.profile, Asked(at, "request"), tx.evidence(now.id))
            word = ladder.judge(known, goal, (self.by, self.role))
            if isinstance(word, Move):
                self._move(tx, now, word, "", at)
        now = tx.get(memory.id)
        return Reviewed(
            memory.id, self._stage(now), self._stage(memory), "let in by a person's word"
        )

    # -- two memories -----------------------------------------------------------------------------

    def merge(self, id: str, into: str, *, reason: str = "") -> Reviewed:
        """Two memories that say the same become one."""
        with deciding(self.work) as tx:
            loser, winner = tx.get(id), tx.get(into)
            if loser.id == winner.id:
                raise UsageError("A memory cannot be merged into itself.")
            if loser.state == GONE or winner.state == GONE:
                raise Refused(
                    "Only memories that are kept can be merged.", "tacit undo brings one back."
                )
            why, hand = (
                reason or f"says the same as {winner.alias or winner.id}",
                self.hand(self.now()),
            )
            more = brought(loser, winner, tx.evidence(loser.id), tx.evidence(winner.id), hand)
            for each in merged(loser, winner, hand, reason=why, cause="merge"):
                tx.apply(each)
            if more is not None:
                tx.add_evidence(more)
            return Reviewed(loser.id, self._out("superseded"), self._stage(loser), why)

    def _supersede(self, tx: Transaction, loser: Lesson, winner: Lesson, reason: str) -> Reviewed:
        done = self._decide(tx, loser, self._out("superseded"), reason)
        if not done.waits_for:
            self._tie(tx, tx.get(loser.id), winner, done.reason)
        return done

    def _tie(self, tx: Transaction, loser: Lesson, winner: Lesson, reason: str) -> None:
        at = self.now()
        if loser.superseded_by != winner.id:
            tied = replace(loser, superseded_by=winner.id, updated_at=at)
            tx.apply(change(loser, tied, self.hand(at), "merge", reason))
        now = tx.get(winner.id)
        more = replace(
            now, supersedes=(*now.supersedes, loser.id), merged=now.merged + 1, updated_at=at
        )
        told = f"takes the place of {loser.alias or loser.id}: {reason}"
        tx.apply(change(now, more, self.hand(at), "merge", told))

    def unmerge(self, id: str, *, reason: str = "") -> Reviewed:
        """Take a merge back: the memory stands where it stood, and its sightings are its own again."""
        with deciding(self.work) as tx:
            memory = tx.get(id)
            if not memory.superseded_by:
                raise Refused(f"{id} was not merged into another memory.", f"tacit why {id} --full")
            at, told = self.now(), reason or "merged by mistake"
            winner = tx.get(memory.superseded_by)
            less = taken_back(memory, winner, tx.evidence(winner.id), self.hand(at))
            changes = parted(memory, winner, self.hand(at), reason=told)
            for each in changes:
                tx.apply(each)
            if less is not None:
                tx.add_evidence(less)
            return Reviewed(memory.id, self._stage(changes[0].memory), self._stage(memory), told)

    # -- proposals --------------------------------------------------------------------------------

    def accept(self, proposal: Proposal, *, text: str = "", reason: str = "") -> Reviewed:
        """Approve a proposal: make its change, or add this approval to the others."""
        payload = proposal.payload or {}
        _need_open(proposal)
        if proposal.kind == "notice":
            self._settled(proposal, APPROVED, reason or f"{self.by} knows")
            return Reviewed("", "", "", "closed", "", proposal.id)
        if proposal.kind == "page":
            return self._page_line(proposal, text, reason)
        if proposal.kind == "fork" and not text:
            done = self._take_lost(proposal, reason)
        elif text or proposal.kind == "edit":
            done = self._rewrite(proposal, text or str(payload.get("text", "")), reason)
        elif proposal.kind == "merge" and payload.get("other"):
            why = reason or proposal.reason
            done = self.merge(str(payload["other"]), proposal.memory, reason=why)
        elif not payload.get("to"):
            if proposal.kind != "promote":
                raise Refused(
                    f"A proposal to {proposal.kind} is not approved as it stands.",
                    f"tacit review show {proposal.id}",
                )
            done = self.approve(proposal.memory, reason=reason)
        else:
            with deciding(self.work) as tx:
                memory = tx.get(proposal.memory)
                if memory.gate in ("hold", "quarantine") and self._is_told(str(payload["to"])):
                    self._vouch(tx, memory, reason)
                return self._confirmed(
                    tx, self._decide(tx, tx.get(proposal.memory), str(payload["to"]), reason)
                )
        if not done.waits_for:
            self._settled(proposal, APPROVED, reason or done.reason)
        return replace(done, proposal=proposal.id)

    def _page_line(self, proposal: Proposal, text: str, reason: str) -> Reviewed:
        """Put a lesson on the page, off trial; in better words where some were given."""
        if (proposal.payload or {}).get("act") != "put":
            raise Refused(
                "Lines that were written on a page are taken in by import.",
                "tacit data import FILE --trust user; tacit review reject closes this.",
            )
        with deciding(self.work) as tx:
            memory, hand = tx.get(proposal.memory), self.hand(self.now())
            was = self._stage(memory)
            if text:
                self._apply(tx, edited(memory, {"text": text}, hand, reason))
            self._apply(tx, paged(tx.get(memory.id), True, hand))
            self._apply(tx, lifted(tx.get(memory.id), self.profile, "person", hand))
            signed = (*proposal.approvals, (self.by, self.role))
            tx.put_proposal(replace(proposal, approvals=signed))
            state = self._stage(tx.get(memory.id))
        if self.publish is not None:
            self.publish()
        self._settled(proposal, APPROVED, reason or "stands on its page")
        return Reviewed(memory.id, state, was, reason or proposal.reason, "", proposal.id)

    def _take_lost(self, proposal: Proposal, reason: str) -> Reviewed:
        """What another machine decided, and was overruled without having been seen, after all."""
        payload = proposal.payload or {}
        with deciding(self.work) as tx:
            memory, at = tx.get(proposal.memory), self.now()
            told = (
                reason or f"{payload.get('by', '')}'s word instead of {payload.get('stands', '')}'s"
            )
            now = laid_over(memory, payload.get("fields", {}), at)
            tx.apply(change(memory, now, self.hand(at), "undo", told))
            return Reviewed(memory.id, self._stage(now), self._stage(memory), told)

    def _rewrite(self, proposal: Proposal, text: str, reason: str) -> Reviewed:
        with deciding(self.work) as tx:
            memory = tx.get(proposal.memory)
            told = reason or proposal.reason
            self._apply(tx, edited(memory, {"text": text}, self.hand(self.now()), reason=told))
            return self._confirmed(tx, self._stays(memory, told))

    def decline(self, proposal: Proposal, *, reason: str = "") -> Reviewed:
        """Reject a proposal; the memory keeps its state."""
        _need_open(proposal)
        why = reason or f"rejected by {self.by}"
        self._settled(proposal, REJECTED, why)
        state = self._stage(self.work.store.get(proposal.memory)) if proposal.memory else ""
        return Reviewed(proposal.memory, state, state, why, "", proposal.id)

    def reopen(self, proposal: Proposal) -> Proposal:
        """Let a decided proposal wait again."""
        if proposal.state == OPEN:
            raise Refused(
                f"Proposal {proposal.id} is open.", "tacit review list shows what is open."
            )
        at = self.now()
        mine = tuple(each for each in proposal.approvals if each != (self.by, self.role))
        again = replace(
            proposal,
            state=OPEN,
            decided_by="",
            decided_at="",
            decision="",
            approvals=mine,
            expires_at=after_days(at, self.profile.triage.expire_days),
        )
        with deciding(self.work) as tx:
            tx.put_proposal(again)
        return again

    def settle(self, proposal: Proposal, why: str) -> None:
        """Close a proposal that was followed by another way, for instance a merge into a third
        lesson."""
        self._settled(proposal, APPROVED, why)

    def clear(self, *, every: bool = False) -> int:
        """Close proposals whose time is over, or all that are open."""
        at, closed = self.now(), 0
        with deciding(self.work) as tx:
            for each in tx.proposals(self.project.id, state=OPEN, limit=-1):
                if over := bool(each.expires_at) and each.expires_at <= at:
                    self._close(tx, each, EXPIRED, "its time is over")
                elif every:
                    self._close(tx, each, REJECTED, f"cleared by {self.by}")
                closed += over or every
        return closed

    def _settled(self, proposal: Proposal, state: str, why: str) -> None:
        with deciding(self.work) as tx:
            now = tx.proposal(proposal.id)
            if now is not None and now.state == OPEN:
                self._close(tx, now, state, why)


def _need_open(proposal: Proposal) -> None:
    if proposal.state != OPEN:
        told = f"Proposal {proposal.id} is {proposal.state}."
        raise Refused(told, "tacit review list shows what is open.")
