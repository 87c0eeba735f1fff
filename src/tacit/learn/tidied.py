"""Tidying carried out: a plan over all lessons in one transaction, each change undone like any other; a person's own are asked about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tacit.core.clock import after_days
from tacit.core.journal import Hand
from tacit.core.merge import merged
from tacit.core.proposal import Proposal
from tacit.core.standing import is_settled
from tacit.core.states import DOUBTED, KEPT, UNDOUBTED
from tacit.core.value import replace
from tacit.learn.gate import may_be_told
from tacit.learn.looked import BY, EXPIRES_DAYS, MOST_LESSONS, taken_out
from tacit.lesson import PERSONAL, WAY, Lesson
from tacit.reading.record import Left
from tacit.reading.tidy import Known, Out, Plan
from tacit.safety.witness import unless_it_acts

if TYPE_CHECKING:
    from tacit.store.reads import WorkContext
    from tacit.store.writes import Transaction

REASONS = {"same": "says the same as another", "replaced": "a later one says otherwise"}


def known_lessons(
    work: WorkContext, sessions: Mapping[str, Left]
) -> tuple[list[Known], dict[str, Lesson]]:
    """The active lessons of a project as tidying sees them, oldest first, by a number each."""
    number = {run: at for at, run in enumerate(sessions, 1)}
    held = [
        memory
        for memory in work.store.select([work.project.id], states=KEPT, limit=MOST_LESSONS)
        if memory.gate == "allow"
    ]
    held.sort(key=lambda memory: (memory.created_at, memory.id))
    taught = {
        memory.id: min(
            (number[each.run] for each in work.store.evidence(memory.id) if each.run in number),
            default=0,
        )
        for memory in held
    }
    held.sort(key=lambda memory: taught[memory.id])
    known = [
        Known(
            str(at),
            memory.text,
            "" if memory.about == WAY else memory.about.partition(";")[0],
            taught[memory.id],
            memory.trust in PERSONAL or is_settled(memory),
        )
        for at, memory in enumerate(held, 1)
    ]
    return known, {each.id: memory for each, memory in zip(known, held, strict=True)}


def tidied(work: WorkContext, plan: Plan, lessons: Mapping[str, Lesson]) -> int:
    """Carry out a plan in one transaction; a person's own lessons are asked about. How many lessons went."""
    gone = 0
    with work.write() as tx:
        hand = Hand(BY, work.now(), "", work.project.profile)

        def now(id: str) -> Lesson:
            return tx.get(lessons[id].id)

        for same in plan.same:
            stays = now(same.stays)
            if same.text != stays.text:
                if may_be_told(same.text, "agent", unless_it_acts).outcome != "allow":
                    continue  # the one wording that loses nothing may not be told: they stay apart
                better = replace(stays, text=same.text)
                tx.apply(hand.change(stays, better, "edit", "one wording true to all"))
            for id in same.goes:
                for change in merged(now(id), now(same.stays), hand, reason="says the same"):
                    tx.apply(change)
                gone += 1
        for out in plan.out:
            if out.by:
                for change in merged(
                    now(out.id), now(out.by), hand, reason="a later one replaces it"
                ):
                    tx.apply(change)
            elif now(out.id).state in UNDOUBTED:
                tx.apply(taken_out(now(out.id), hand, out.why or out.verdict))
            gone += 1
        for out in plan.asked:
            _ask(tx, work, now(out.id), _reason(out, lessons), hand.at)
    return gone


def _reason(out: Out, lessons: Mapping[str, Lesson]) -> str:
    by = f": “{lessons[out.by].text}”" if out.by else f" ({out.why})" if out.why else ""
    return f"{REASONS.get(out.verdict, out.verdict)}{by}"


def _ask(tx: Transaction, work: WorkContext, memory: Lesson, reason: str, at: str) -> None:
    """One question about a person's own lesson, unless one is open or was answered."""
    if any(each.kind == "review" for each in tx.proposals(memory=memory.id, state="")):
        return
    tx.put_proposal(
        Proposal(
            work.ids(),
            memory.project,
            "review",
            reason,
            BY,
            at,
            memory.id,
            tier="person",
            payload={"to": DOUBTED, "needs": ["person"]},
            expires_at=after_days(at, EXPIRES_DAYS),
        )
    )
