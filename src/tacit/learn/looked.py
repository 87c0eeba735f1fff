"""What a look brought becomes lessons, by the ways of every other lesson: gate, ladder, journal, undo.

A habit is a way of working that sessions ask for, told as *asked for Nx* and never as the person's word; a cure is told
before its command and at its sign. An item keeps its lesson while its id lasts; what a person worded, confirmed or dropped stays theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tacit.core.journal import Change, Hand
from tacit.core.links import Evidence
from tacit.core.profile import class_of, kind_named
from tacit.core.standing import CAUSES, is_settled
from tacit.core.states import GONE, KEPT, UNDOUBTED
from tacit.core.value import replace
from tacit.learn.gate import GateDecision, may_be_told
from tacit.learn.promote import promote
from tacit.lesson import INSIDE, LOOKED, LOOKED_AT, WAY, Lesson, check_fields, joined
from tacit.reading.asked import Answer, Cite, Item, failing, strange_names
from tacit.reading.check import comparable
from tacit.reading.failures import met
from tacit.reading.record import Failed, Left
from tacit.safety.redact import redact
from tacit.safety.witness import unless_it_acts

if TYPE_CHECKING:
    from tacit.store.reads import WorkContext
    from tacit.store.writes import Transaction

BY = "reader"  # the name under which looks write
MOST_LESSONS = 2_000  # of a project that are looked through for one that says the same
MOST_CURES = 500  # of a project that a session is held against
LEAVE = "it would have agents do what only you may: commit, push, deploy, publish or delete"
EXPIRES_DAYS = 30


@dataclass(frozen=True)
class Brought:
    """One look's answer on its way into the store."""

    work: WorkContext
    look: str
    sessions: Mapping[str, Left]  # by run
    hand: Hand
    advises: str = ""  # why the reader's word does not count by itself

    def take_in(self, answer: Answer, lessons: Mapping[str, str]) -> dict[str, str]:
        """Make, mend and drop the lessons of all items in one transaction; which lesson each item is then."""
        became = dict(lessons)
        with self.work.write() as tx:
            project = self.work.project.id
            held = tx.select([project], states=KEPT, limit=MOST_LESSONS)
            out = tx.select([project], states=(GONE,), limit=MOST_LESSONS)
            every = (*held, *(each for each in out if is_dropped(each)))  # dropped stays dropped
            said = {comparable(memory.text): memory.id for memory in every}
            for item in answer.items:
                known = next(iter(tx.memories([became.get(item.id, "")])), None)
                if known is None:
                    same = said.get(comparable(item.text), "")
                    became[item.id] = same or self._new(tx, item)
                elif known.state != GONE:
                    self._mend(tx, known, item)
                if tx.get(became[item.id]).state != GONE:
                    self._witness(tx, became[item.id], item)
            for each in answer.dropped:
                self._drop(tx, became.pop(each.what, ""), each.why)
        return became

    def _new(self, tx: Transaction, item: Item) -> str:
        """A new lesson, as a candidate; the ladder says what its sessions make of it."""
        kind = kind_named(self.work.profile, "rule" if self.look == "habits" else "fix")
        asked = self.asked_of(item)
        memory = Lesson(
            id=self.work.ids(),
            project=self.work.project.id,
            kind=kind,
            klass=class_of(self.work.profile, kind),
            source=LOOKED,
            trust="agent",
            gate=asked.outcome,
            gate_reason=asked.reason,
            created_at=self.hand.at,
            updated_at=self.hand.at,
            **self._worded(item),
        )
        told = f"seen over all sessions: {item.sessions} show it"
        tx.apply(self.hand.change(None, check_fields(memory), "add", told))
        return memory.id

    def _worded(self, item: Item) -> dict[str, object]:
        """The fields of a lesson that follow from its item's words."""
        text = redact(item.text).text
        if self.look == "habits":
            extra = {"word": "asked", LOOKED_AT: self.look, "when": item.when}
            return {"text": text, "about": WAY, "extra": extra}
        failed, sign = self._failures_of(item), redact(item.sign).text
        names = dict.fromkeys([item.program, *(each.program for each in failed), sign])
        extra = {"word": "found", LOOKED_AT: self.look, INSIDE: True}
        return {
            "text": text,
            "about": joined("", filter(None, names)),
            "signature": next((each.mark for each in failed if each.mark), ""),
            "extra": {**extra, "sign": ["E", sign]} if sign else extra,
        }

    def asked_of(self, item: Item) -> GateDecision:
        """Whether an item may be told: what every text is asked, and whether a name of it came from outside alone."""
        failed = self._failures_of(item)
        ran = [line for each in failed for line in (each.command, each.passed) if line]
        asked = may_be_told(item.text, "agent", unless_it_acts)
        if asked.outcome != "allow":
            return asked
        own = [*ran, *(each.told for each in failed if not each.outside)]
        if item.leave:
            return GateDecision("hold", LEAVE)
        if failed and (strange := strange_names(item.text, own)):
            return GateDecision("hold", f"only what came from outside names {strange[0]}")
        if self.advises:
            return GateDecision("hold", f"its reader only advises: {self.advises}")
        return asked

    def _failures_of(self, item: Item) -> list[Failed]:
        """The failing commands that a cure names."""
        cited = {(cite.session, cite.words) for cite in item.cites}
        return [
            failed
            for left in self.sessions.values()
            for failed in left.failed
            if (left.session, failing(failed)) in cited
        ]

    def _mend(self, tx: Transaction, known: Lesson, item: Item) -> None:
        """Better words or another sign for a lesson, unless a person chose the words."""
        edits = tx.entries(memory=known.id, verb="edit")
        if known.source != LOOKED or is_settled(known) or any(each.by != BY for each in edits):
            return
        now = replace(known, **self._worded(item))
        now = replace(now, signature=now.signature or known.signature)
        if now.text != known.text:
            asked = self.asked_of(item)
            now = replace(now, gate=asked.outcome, gate_reason=asked.reason)
        if now != known:
            told = "the look at all sessions words it so now"
            tx.apply(self.hand.change(known, now, "edit", told))

    def _witness(self, tx: Transaction, memory: str, item: Item) -> None:
        """One piece of evidence for each session that shows an item, with its line; then the ladder speaks."""
        runs = {left.session: run for run, left in self.sessions.items()}
        for cite in item.cites:
            if run := runs.get(cite.session, ""):
                self._add(tx, memory, run, cite)
        work = self.work
        promote(tx, work.project, work.profile, memory, by=BY, at=self.hand.at, ids=work.ids)

    def _add(self, tx: Transaction, memory: str, run: str, cite: Cite) -> None:
        row, left = tx.run(run), self.sessions[run]
        tx.add_evidence(
            Evidence(
                memory,
                self.work.project.id,
                run=run,
                root=row.root if row else run,
                by=BY,
                tier="observed",
                place=f"look {self.look}",
                quote=cite.words[:600],
                at=self.hand.at,
                seq=row.seq if row else self.work.project.run_seq,
                origin=f"lineage:{left.host}:{left.group}" if left.group != left.session else "",
            )
        )

    def _drop(self, tx: Transaction, id: str, why: str) -> None:
        """Take out what the reader takes back; a person's own stays."""
        memory = next(iter(tx.memories([id])), None) if id else None
        if memory is None or memory.source != LOOKED or is_settled(memory):
            return
        if memory.state in UNDOUBTED:
            told = why or "the look at all sessions shows it no more"
            tx.apply(taken_out(memory, self.hand, told))


def taken_out(memory: Lesson, hand: Hand, why: str) -> Change:
    """A lesson that goes by a look's word."""
    gone = {"state": GONE, "previous_state": memory.state, "closed_by": BY}
    return hand.change(memory, replace(memory, **gone, pinned=False, on_page=False), "move", why)


def is_dropped(memory: Lesson) -> bool:
    """Whether a person took a lesson out: a look does not bring it again."""
    return memory.state == GONE and memory.closed_by not in (BY, *CAUSES)


def came_back(work: WorkContext, run: str, left: Left) -> None:
    """Count the cures whose sign a session met; one that was told before and done, and failed all the same, is contradicted."""
    with work.write() as tx:
        row = tx.run(run)
        unit = row.root if row else run
        told = {use.memory: use.at for use in tx.uses(unit=unit) if use.arm != "withheld"}
        for memory in tx.select(
            [work.project.id], states=KEPT, equal={"source": LOOKED}, limit=MOST_CURES
        ):
            where, sign = (memory.extra or {}).get("sign") or ("", "")
            struck = [each for each in left.failed if where and met(sign, failing(each))]
            if not struck:
                continue
            since = told.get(memory.id, "")
            vain = [each for each in struck if since and since <= each.at and _did(memory, each)]
            tx.add_evidence(
                Evidence(
                    memory.id,
                    work.project.id,
                    run=run,
                    root=unit,
                    stance="contradicts" if vain else "supports",
                    by=BY,
                    tier="observed",
                    place="look failures",
                    quote=(vain or struck)[0].told,
                    at=work.now(),
                    seq=row.seq if row else 0,
                )
            )
            promote(tx, work.project, work.profile, memory.id, by=BY, at=work.now(), ids=work.ids)


def _did(memory: Lesson, failed: Failed) -> bool:
    """Whether a failing command was what a cure says first to run."""
    told = memory.text.split("`")[1::2]
    return bool(told) and len(told[0]) > 3 and told[0] in failed.command
