"""What a look brought becomes lessons, by the ways of every other lesson: gate, ladder, journal, undo.

A habit is a way of working that sessions ask for, told as *asked for in N sessions* and never as the person's word; a cure is told
before its command and at its sign. An item keeps its lesson while its id lasts; what a person worded, confirmed or dropped stays theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tacit.core.clock import after_days
from tacit.core.journal import Hand
from tacit.core.lifecycle import CAUSES
from tacit.core.links import Evidence
from tacit.core.memory import INSIDE, LOOKED, LOOKED_AT, PERSONAL, WAY, Memory, check_fields, joined
from tacit.core.merge import merged
from tacit.core.profile import class_of, kind_named
from tacit.core.proposal import Proposal
from tacit.core.rows import run_id
from tacit.core.standing import is_settled
from tacit.core.states import CLOSED, OPEN
from tacit.core.value import replace
from tacit.guard.redact import redact
from tacit.learn.gate import GateDecision, may_be_told
from tacit.learn.own_commands import told_to_run
from tacit.learn.promote import promote
from tacit.learn.reader.check import comparable
from tacit.reading.asked import Answer, Item, strange_names
from tacit.reading.failures import met
from tacit.reading.record import Failed, Left
from tacit.reading.tidy import Known, Out, Plan

if TYPE_CHECKING:
    from tacit.stores.sql import WorkContext
    from tacit.stores.sql_writer import Transaction

BY = "reader"  # the name under which looks write
MOST_LESSONS = 2_000  # of a project that are looked through for one that says the same
LEAVE = "it would have agents do what only you may: commit, push, deploy, publish or delete"
EXPIRES_DAYS = 30
WHEN = {"start": "before work", "end": "when work is done"}


def take_in(
    work: WorkContext,
    name: str,
    answer: Answer,
    sessions: Mapping[str, Left],
    lessons: Mapping[str, str],
    *,
    advises: str = "",
) -> dict[str, str]:
    """Make, mend and drop the lessons of a look's items in one transaction; which lesson each item is then. `advises` says why the reader's
    word does not count by itself."""
    became = dict(lessons)
    runs = {left.session: run for run, left in sessions.items()}
    with work.write() as tx:
        hand = Hand(BY, work.now(), "", work.project.profile)
        held = tx.select([work.project.id], states=OPEN, limit=MOST_LESSONS)
        out = tx.select([work.project.id], states=CLOSED, limit=MOST_LESSONS)
        every = (*held, *(each for each in out if is_dropped(each)))  # what was dropped stays so
        said = {comparable(memory.text): memory.id for memory in every}
        for item in answer.items:
            known = next(iter(tx.memories([became.get(item.id, "")])), None)
            if known is None:
                same = said.get(comparable(item.text), "")
                became[item.id] = same or _new(tx, work, name, item, sessions, advises, hand)
            elif known.state not in CLOSED:
                _mend(tx, work, known, item, sessions, advises, hand)
            id = became[item.id]
            if tx.get(id).state in CLOSED:
                continue
            _witness(tx, work, id, name, item, sessions, runs, hand.at)
            promote(tx, work.project, work.profile, id, by=BY, at=hand.at, ids=work.ids)
        for each in answer.dropped:
            _drop(tx, became.pop(each.what, ""), each.why, hand)
    return became


def gate(item: Item, sessions: Mapping[str, Left], advises: str) -> GateDecision:
    """Whether an item may be told: what every text is asked, and whether a name of it came from outside alone."""
    failed = _failures_of(item, sessions)
    ran = [line for each in failed for line in (each.command, each.passed) if line]
    asked = may_be_told(item.text, "agent", advises=told_to_run(item.text, ran))
    if asked.outcome != "allow":
        return asked
    own = [*ran, *(each.told for each in failed if not each.outside)]
    strange = strange_names(item.text, own) if failed else []
    why = (
        LEAVE
        if item.leave
        else f"only what came from outside names {strange[0]}"
        if strange
        else advises and f"its reader only advises: {advises}"
    )
    return GateDecision("hold", why) if why else asked


def _failures_of(item: Item, sessions: Mapping[str, Left]) -> list[Failed]:
    """The failing commands that a cure names."""
    words = {cite.words for cite in item.cites}
    by_session = {left.session: left for left in sessions.values()}
    return [
        failed
        for session in {cite.session for cite in item.cites}
        for failed in (by_session[session].failed if session in by_session else ())
        if f"{failed.command} ! {failed.told}" in words
    ]


def _new(
    tx: Transaction,
    work: WorkContext,
    name: str,
    item: Item,
    sessions: Mapping[str, Left],
    advises: str,
    hand: Hand,
) -> str:
    """A new lesson, as a candidate; the ladder says what its sessions make of it."""
    kind = kind_named(work.profile, "rule" if name == "habits" else "fix")
    asked = gate(item, sessions, advises)
    memory = Memory(
        id=work.ids(),
        project=work.project.id,
        kind=kind,
        klass=class_of(work.profile, kind),
        source=LOOKED,
        trust="agent",
        gate=asked.outcome,
        gate_reason=asked.reason,
        created_at=hand.at,
        updated_at=hand.at,
        **_worded(name, item, sessions),
    )
    told = f"seen over all sessions: {item.sessions} show it"
    tx.apply(hand.change(None, check_fields(memory), "add", told))
    return memory.id


def _worded(name: str, item: Item, sessions: Mapping[str, Left]) -> dict[str, object]:
    """The fields of a lesson that follow from its item's words."""
    text = redact(item.text).text
    if name == "habits":
        extra = {"word": "asked", LOOKED_AT: name, "when": item.when}
        return {"text": text, "about": WAY, "extra": extra}
    failed = _failures_of(item, sessions)
    sign = redact(item.sign).text
    programs = dict.fromkeys([item.program, *(each.program for each in failed)])
    extra = {"word": "found", LOOKED_AT: name, INSIDE: True}
    return {
        "text": text,
        "about": joined("", [*filter(None, programs), sign] if sign else filter(None, programs)),
        "signature": next((each.mark for each in failed if each.mark), ""),
        "extra": {**extra, "sign": ["E", sign]} if sign else extra,
    }


def _mend(
    tx: Transaction,
    work: WorkContext,
    known: Memory,
    item: Item,
    sessions: Mapping[str, Left],
    advises: str,
    hand: Hand,
) -> None:
    """Better words or another sign for a lesson, unless a person chose the words."""
    if known.source != LOOKED or is_settled(known) or _by_person(tx, known):
        return
    now = replace(known, **_worded(str((known.extra or {})[LOOKED_AT]), item, sessions))
    if now.signature == "":
        now = replace(now, signature=known.signature)
    if now.text != known.text:
        asked = gate(item, sessions, advises)
        now = replace(now, gate=asked.outcome, gate_reason=asked.reason)
    if now != known:
        tx.apply(hand.change(known, now, "edit", "the look at all sessions words it so now"))


def _by_person(tx: Transaction, memory: Memory) -> bool:
    """Whether somebody else chose its words."""
    return any(entry.by != BY for entry in tx.entries(memory=memory.id, verb="edit"))


def _witness(
    tx: Transaction,
    work: WorkContext,
    memory: str,
    name: str,
    item: Item,
    sessions: Mapping[str, Left],
    runs: Mapping[str, str],
    at: str,
) -> None:
    """One piece of evidence for each session that shows an item, with its line."""
    for cite in item.cites:
        run = runs.get(cite.session, "")
        row = tx.run(run) if run else None
        left = sessions.get(run)
        fork = left is not None and left.group != left.session
        tx.add_evidence(
            Evidence(
                memory,
                work.project.id,
                run=run or run_id(work.project.id, "", cite.session),
                root=row.root if row else run,
                by=BY,
                tier="observed",
                place=f"look {name}",
                quote=cite.words[:600],
                at=at,
                seq=row.seq if row else work.project.run_seq,
                origin=f"lineage:{left.host}:{left.group}" if left is not None and fork else "",
            )
        )


def _drop(tx: Transaction, id: str, why: str, hand: Hand) -> None:
    """Take out what the reader takes back; a person's own stays."""
    memory = next(iter(tx.memories([id])), None) if id else None
    if memory is None or memory.source != LOOKED or is_settled(memory):
        return
    if memory.state in ("candidate", "provisional", "stable"):
        tx.apply(_out(memory, hand, why or "the look at all sessions shows it no more"))


def _out(memory: Memory, hand: Hand, why: str) -> object:
    gone = replace(
        memory,
        state="archived",
        previous_state=memory.state,
        closed_by=BY,
        pinned=False,
        on_page=False,
    )
    return hand.change(memory, gone, "move", why)


def came_back(work: WorkContext, run: str, left: Left) -> None:
    """Count the cures whose sign a session met; one that was told before and done, and failed all the same, is contradicted."""
    with work.write() as tx:
        cures = tx.select([work.project.id], states=OPEN, equal={"source": LOOKED}, limit=500)
        row = tx.run(run)
        told = (
            {use.memory: use.at for use in tx.uses(unit=row.root) if use.arm != "withheld"}
            if row
            else {}
        )
        for memory in cures:
            where, sign = (memory.extra or {}).get("sign") or ("", "")
            struck = [
                each for each in left.failed if where and met(sign, f"{each.command} ! {each.told}")
            ]
            if not struck:
                continue
            did = [
                each
                for each in struck
                if memory.id in told and told[memory.id] <= each.at and _did(memory.text, each)
            ]
            tx.add_evidence(
                Evidence(
                    memory.id,
                    work.project.id,
                    run=run,
                    root=row.root if row else run,
                    stance="contradicts" if did else "supports",
                    by=BY,
                    tier="observed",
                    place="look failures",
                    quote=(did or struck)[0].told,
                    at=work.now(),
                    seq=row.seq if row else 0,
                )
            )
            promote(tx, work.project, work.profile, memory.id, by=BY, at=work.now(), ids=work.ids)


def _did(text: str, failed: Failed) -> bool:
    """Whether a failing command was what a cure says to run."""
    told = text.split("`")[1::2]
    return any(len(each) > 3 and each in failed.command for each in told[:1])


def known_lessons(
    work: WorkContext, sessions: Mapping[str, Left]
) -> tuple[list[Known], dict[str, Memory]]:
    """The active lessons of a project as tidying sees them, oldest first, by a number each."""
    number = {run: at for at, run in enumerate(sessions, 1)}
    held = [
        memory
        for memory in work.store.select([work.project.id], states=OPEN, limit=MOST_LESSONS)
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


def tidied(work: WorkContext, plan: Plan, lessons: Mapping[str, Memory]) -> int:
    """Carry out a plan in one transaction; a person's own lessons are asked about. How many lessons went."""
    gone = 0
    with work.write() as tx:
        hand = Hand(BY, work.now(), "", work.project.profile)

        def now(id: str) -> Memory:
            return tx.get(lessons[id].id)

        for same in plan.same:
            for id in same.goes:
                for change in merged(now(id), now(same.stays), hand, reason="says the same"):
                    tx.apply(change)
                gone += 1
            stays = now(same.stays)
            if (
                same.text
                and same.text != stays.text
                and may_be_told(same.text, "agent").outcome == "allow"
            ):
                tx.apply(
                    hand.change(
                        stays, replace(stays, text=same.text), "edit", "one wording true to all"
                    )
                )
        for out in plan.out:
            if out.by:
                for change in merged(
                    now(out.id), now(out.by), hand, reason="a later one replaces it"
                ):
                    tx.apply(change)
            elif now(out.id).state in ("candidate", "provisional", "stable"):
                tx.apply(_out(now(out.id), hand, out.why or out.verdict))
            gone += 1
        for out in plan.asked:
            _ask(tx, work, now(out.id), _reason(out, lessons), hand.at)
    return gone


def _reason(out: Out, lessons: Mapping[str, Memory]) -> str:
    by = f": “{lessons[out.by].text}”" if out.by else f" ({out.why})" if out.why else ""
    words = {"same": "says the same as another", "replaced": "a later one says otherwise"}
    return f"{words.get(out.verdict, out.verdict)}{by}"


def _ask(tx: Transaction, work: WorkContext, memory: Memory, reason: str, at: str) -> None:
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
            payload={"to": "under_review", "needs": ["person"]},
            expires_at=after_days(at, EXPIRES_DAYS),
        )
    )


def is_dropped(memory: Memory) -> bool:
    """Whether a person took a lesson out: a look does not bring it again."""
    return memory.state in CLOSED and memory.closed_by not in (BY, *CAUSES)
