"""The findings of one run inside its transaction: each becomes a memory, a sighting, or a
counted nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.core.clock import days_between
from tacit.core.digest import digest
from tacit.core.edits import made
from tacit.core.journal import Hand
from tacit.core.links import UNHEARD, Evidence
from tacit.core.rows import FindingRow, RunRow, run_id
from tacit.core.run import Finding, Incident, Run
from tacit.core.trust import HELD, stance_against, tier_to_take_away
from tacit.core.value import replace, value
from tacit.learn.cures import keep
from tacit.learn.filing import filing_of
from tacit.learn.floor import cures_of
from tacit.learn.instructions import ask_about
from tacit.learn.prepare import unit_of
from tacit.learn.promote import promote
from tacit.learn.same import Neighbours, keeps_apart, match, successor_of
from tacit.learn.stage import (
    Learned,
    confirmed,
    in_better_words,
    met_again,
    new_memory,
    vouched_for,
)
from tacit.lesson import PERSONAL, Lesson, family_of
from tacit.store.failures import Counts, fold_incidents, lineage_of, put_incidents

if TYPE_CHECKING:
    from tacit.learn.gate import GateDecision
    from tacit.learn.same import Matched
    from tacit.reading.questions import ReaderContext
    from tacit.safety.witness import Vouch
    from tacit.store.reads import WorkContext
    from tacit.store.writes import Transaction

BY_LEARNING = "learn"  # the name under which the pipeline writes
PORTION = 50  # findings whose neighbours are looked up at once


@value
class Became:
    """What became of one finding."""

    what: str  # new, met, known, lifted, buried, linked or discard
    key: str = ""  # of the finding; empty for the cure of a failure
    memory: str = ""  # the lesson that it made or met
    about: frozenset[str] = frozenset()  # the lessons it is about, by id and family
    waits: str = ""  # why a new one is not told: hold or quarantine
    reason: str = ""
    rejected: bool = False  # kept, as refused by a check

    @property
    def is_news(self) -> bool:
        """Whether this run had not said it before."""
        return bool(self.key) and self.what not in ("known", "buried")


class Findings:
    """The learning of one run inside its transaction: what is known of the run, and what became
    of each of its findings."""

    def __init__(self, work: WorkContext | ReaderContext, run: Run, id: str, at: str) -> None:
        self.project, self.profile, self.ids = work.project, work.profile, work.ids
        self.work, self.run, self.id, self.at = work, run, id, at
        self.hand = Hand(BY_LEARNING, at, id, work.project.profile)
        self.redacted = 0
        self.same: dict[str, str] = {}  # finding key -> the memory that a reader calls the same
        self.new: set[str] = set()  # keys of findings of this learning
        self.became: list[Became] = []
        self.about: dict[str, set[str]] = {}  # finding key -> memories it is about
        self.moves: list[tuple[str, str, str, str]] = []
        self.counts = Counter[str]()  # proposals, and uses that were settled

    def enter(self, tx: Transaction) -> None:
        """Find out what is known of this run already."""
        root = unit_of(tx, self.project.id, self.run, self.id)
        self.row = tx.run(self.id) or RunRow(
            self.id, self.project.id, self.run.host, self.run.id, root
        )
        self.first = not self.row.learned_at
        # the same run, under the name it asked for lessons with
        asked = tx.run(root) if root != self.id else None
        counted = asked.seq if asked and asked.foreign_id == self.run.id else 0
        self.seq = self.row.seq or counted or tx.next_seq(self.project.id)
        self.said = {row.key: row for row in tx.findings(run=self.id)}  # by earlier learnings
        self.buried = tx.tombstones(self.id)

    def is_over(self) -> bool:
        """The host said so, now or before this word on it, or nothing was added for some hours."""
        hours = days_between(self.run.ended_at, self.at) * 24 if self.run.ended_at else 0.0
        ended = self.row.complete and not self.run.steps
        return self.run.complete or ended or hours >= self.profile.learn.settle_hours

    def take(self, tx: Transaction, judged: Sequence[tuple[Finding, GateDecision]]) -> None:
        """Each finding becomes a memory, a sighting, or a counted nothing."""
        for at in range(0, len(judged), PORTION):
            portion = judged[at : at + PORTION]
            texts = [finding for finding, _ in portion]
            near = Neighbours(tx, self.project.id, texts, self.profile)
            for finding, decision in portion:
                became = self._take(tx, finding, decision, near)
                self.about[finding.key] = {*became.about}
                self.became.append(became)

    def take_for(
        self, tx: Transaction, run: str, judged: Sequence[tuple[Finding, GateDecision]]
    ) -> None:
        """What this run makes a finding of an earlier one: only the second time does a thing
        come up again."""
        row = tx.find_run(self.project.id, run)
        if row is None:
            return
        other = type(self)(self.work, Run(run, row.host), row.id, self.at)
        other.enter(tx)
        other.take(tx, judged)
        self.became += other.became
        self.moves += other.moves
        self.counts += other.counts

    def _take(
        self, tx: Transaction, finding: Finding, decision: GateDecision, near: Neighbours
    ) -> Became:
        found, twin = self._match(tx, finding, decision, near)
        known = found.memory
        about = frozenset({known.id, known.family or known.id} if known else ())
        if finding.key in self.said or finding.key in self.new:
            lifted = self._lift(tx, finding, decision)
            return Became("lifted" if lifted else "known", finding.key, lifted, about)
        if finding.place in self.buried:
            return Became("buried", finding.key, "", about)
        self.new.add(finding.key)
        finding, decision = self._weighed(finding, decision, known)
        if not decision.stored:
            self._record(tx, finding, decision, "", found)
            what = "linked" if decision.linked else "discard"
            return Became(what, finding.key, "", about, reason=decision.reason)
        memory = self._store(tx, finding, decision, known, twin)
        near.wrote(tx, memory)
        self._record(tx, finding, decision, memory, found)
        waits = decision.outcome if known is None else ""
        return Became(
            "met" if known else "new",
            finding.key,
            memory,
            about | {memory},
            waits if waits in ("hold", "quarantine") else "",
            decision.reason,
            decision.rejected,
        )

    def _lift(self, tx: Transaction, finding: Finding, decision: GateDecision) -> str:
        """The lesson that an earlier learning of this run held because nobody stood for it,
        where somebody does now; empty for none."""
        row = self.said.get(finding.key)
        if row is None or not row.memory or row.tier not in HELD or not decision.stored:
            return ""
        lifted = ""
        for memory in tx.memories([row.memory]):
            now = vouched_for(memory, finding, decision, self.hand)
            if now is not None:
                tx.apply(now)
                lifted = memory.id
            if self._is_heard(finding):  # what it said counts from now on
                self._witness(tx, memory, finding, decision)
                self._promote(tx, memory.id)
        return lifted

    def tell(
        self,
        tx: Transaction,
        noticed: Sequence[Incident],
        lines: Mapping[str, str],
        hold: bool,
        person: str,
        vouch: Vouch,
    ) -> None:
        """Write down what failed, and tell what has become worth telling by it: an agent, or the
        person."""
        put_incidents(tx, self.project.id, self.id, self.unit(tx), self.seq, noticed, person)
        fold_incidents(tx, self.project.id, self.seq)
        how = self.profile.extract.extractors.get("notice")
        if how is None or not noticed:
            return
        counts = Counts(tx, self.project.id)
        for lesson in cures_of(counts, noticed):
            id, new = keep(
                tx, self.work, lesson, run=self.id, seq=self.seq, at=self.at, hold=hold, vouch=vouch
            )
            self.became.append(Became("new" if new else "met", memory=id))
            self._promote(tx, id)
        self.counts["proposals"] += ask_about(tx, counts, noticed, lines, self.at)

    def _weighed(
        self, finding: Finding, decision: GateDecision, known: Lesson | None
    ) -> tuple[Finding, GateDecision]:
        """What is too slight to be new is counted and nothing more; of what is known, poor
        figures are a sighting still."""
        if (
            known is None
            and decision.stored
            and filing_of(self.profile).is_slight(finding, self.profile)
        ):
            slight = f"{finding.severity}, and not known"
            return finding, replace(decision, outcome="discard", reason=slight, rejected=False)
        if decision.rejected and known is not None and known.gate != "discard":
            figures = {**(finding.extra or {}), "success_rate": None}
            told = f"known; its figures here are not taken: {decision.reason}"
            return replace(finding, confidence=None, extra=figures), replace(
                decision, outcome="allow", reason=told, rejected=False
            )
        return finding, decision

    def _match(
        self, tx: Transaction, finding: Finding, decision: GateDecision, near: Neighbours
    ) -> tuple[Matched, Lesson | None]:
        """The lesson that a finding is, and the one that it is alike to and yet apart from."""
        apart: dict[str, Lesson] = {}  # alike, and yet not this one
        finding = replace(finding, at=finding.at or self.run.ended_at)

        def met() -> Matched:
            found = match(self.project.id, finding, self.profile, near.of(finding), but=apart)
            if found.memory is None:
                return found
            stands = successor_of(tx, tx.get(found.memory.id))  # as it is now
            if stands is None or not keeps_apart(finding, decision, stands, self.profile):
                return replace(found, memory=stands)
            apart[found.memory.id] = stands
            return met()

        found = met()
        twin = next(iter(apart.values()), None)
        # What a person said is known by their own words first, anything else by what a reader calls
        # it.
        if finding.key in self.same and (found.memory is None or finding.tier not in PERSONAL):
            for told in tx.memories([self.same[finding.key]]):
                stands = successor_of(tx, told)
                if stands is None or not keeps_apart(
                    finding, decision, stands, self.profile, claimed=True
                ):
                    return replace(found, memory=stands, score=1.0, runner_up=0.0), twin
                twin = stands
        return found, twin

    def _store(
        self,
        tx: Transaction,
        finding: Finding,
        decision: GateDecision,
        known: Lesson | None,
        twin: Lesson | None,
    ) -> str:
        """The memory that a finding makes, or meets again."""
        if known is None:
            memory = new_memory(
                finding, decision, self.profile, self.project.id, self.ids(), self.at
            )
            if twin is not None and twin.gate == "allow":
                memory = replace(memory, family=family_of(twin))
            tx.apply(made(memory, self.hand, f"{finding.extractor}: {decision.reason}"))
        else:
            memory = known
            if self._is_heard(finding):
                finding = self._met_again(tx, known, finding, decision)
        self._witness(tx, memory, finding, decision, new=known is None)
        vouched = confirmed(tx.get(memory.id), finding, self.hand)
        if vouched is not None:
            tx.apply(vouched)
        self._promote(tx, memory.id)
        return memory.id

    def _met_again(
        self, tx: Transaction, known: Lesson, finding: Finding, decision: GateDecision
    ) -> Finding:
        spoken = in_better_words(known, finding, self.profile, self.hand)
        if spoken is not None:
            tx.apply(spoken)
            known = tx.get(known.id)
        finding, changes = met_again(known, finding, decision, self.profile, self.hand)
        for change in changes:
            tx.apply(change)
        return finding

    def _is_heard(self, finding: Finding) -> bool:
        """Whether somebody stands for the log that says it."""
        return not (self.run.foreign and finding.tier in HELD)

    def unit(self, tx: Transaction) -> str:
        """The piece of work that this session is of: what rules notice in it and what a reader
        hears of it is one sighting."""
        own = run_id(self.project.id, self.run.host, self.run.lineage) if self.run.lineage else ""
        return own or lineage_of(tx, self.row.root) or self.row.root

    def _witness(
        self,
        tx: Transaction,
        memory: Lesson,
        finding: Finding,
        decision: GateDecision,
        *,
        new: bool = False,
    ) -> None:
        """Write down that this run said it. Of what nobody stands for neither the sighting nor
        its figures count."""
        heard = self._is_heard(finding)
        stance = finding.stance
        if stance == "contradicts":
            stance = stance_against(finding.tier, tier_to_take_away(memory, tx.evidence(memory.id)))
        tx.add_evidence(
            Evidence(
                memory=memory.id,
                project=memory.project,
                run=self.id,
                root=self.unit(tx),
                finding=finding.key,
                stance=stance,
                signal="seen" if heard else UNHEARD,
                origin=finding.origin or self.run.descent,
                by=finding.by,
                tier=finding.witness,
                place=finding.place,
                quote=finding.quote,
                at=finding.at or self.run.ended_at or self.at,
                seq=self.seq,
            )
        )
        confidence = finding.confidence if decision.confidence is None else decision.confidence
        for signal, figure in (
            ("confidence", confidence),
            ("success_rate", (finding.extra or {}).get("success_rate")),
        ):
            if isinstance(figure, (int, float)) and (heard or new):
                tx.add_evidence(
                    Evidence(
                        memory.id,
                        memory.project,
                        self.id,
                        self.row.root,
                        finding.key,
                        signal=signal,
                        amount=figure,
                        at=self.at,
                    )
                )

    def _promote(self, tx: Transaction, id: str, figures: Callable[[], str] = str) -> None:
        done = promote(
            tx,
            self.project,
            self.profile,
            id,
            by=BY_LEARNING,
            at=self.at,
            ids=self.ids,
            run=self.id,
            seq=self.seq,
            figures=figures,
        )
        self.moves += done.moves
        self.counts["proposals"] += done.proposals

    def _record(
        self, tx: Transaction, finding: Finding, decision: GateDecision, memory: str, found: Matched
    ) -> None:
        stays = bool(memory)
        tx.put_finding(
            FindingRow(
                key=finding.key,
                project=self.project.id,
                run=self.id,
                place=finding.place,
                extractor=finding.extractor,
                version=finding.version,
                memory=memory,
                outcome="linked" if decision.linked else decision.outcome,
                reason=decision.reason,
                gate=decision.version,
                text=finding.text if stays else "",
                digest=digest("finding", finding.text),
                kind=finding.kind,
                by=finding.by,
                tier=finding.tier,
                origin=finding.origin if stays else "",
                signature=finding.signature if stays else "",
                score=found.score,
                runner_up=found.runner_up,
                at=finding.at or self.at,
            )
        )
        if decision.fallback:
            tx.count(self.project.id, "gate_fallback", self.at)
        if decision.outcome == "discard" and not memory and self.profile.own:
            tx.count(self.project.id, "gate_discard", self.at)

    def report(self, dry_run: bool = False) -> Learned:
        """What came of it."""
        of = Counter(each.what for each in self.became if each.key)
        waits = Counter(each.waits for each in self.became)
        news = sum(each.is_news for each in self.became)
        met = (each.memory for each in self.became if each.what in ("met", "lifted"))
        warned = (*(self.run.reading.warnings if self.run.reading else ()), *self._left_out())
        return Learned(
            run=self.run.id,
            format=self.run.host,
            already=not self.first and not news,
            findings=news,
            known=of["known"] + of["lifted"],
            buried=of["buried"],
            new=tuple(each.memory for each in self.became if each.what == "new"),
            matched=tuple(dict.fromkeys(met)),
            held=waits["hold"],
            quarantined=waits["quarantine"],
            discarded=of["discard"],
            rejected=sum(each.rejected for each in self.became),
            linked=of["linked"],
            redacted=self.redacted,
            settled=self.counts["settled"],
            moves=tuple(self.moves),
            proposals=self.counts["proposals"],
            dry_run=dry_run,
            warnings=warned,
        )

    def _left_out(self) -> Iterator[str]:
        if count := sum(each.what == "buried" for each in self.became):
            told = "what was said at the same place of this run was erased. If it is something else, learn it under another run id"
            yield f"{self.run.id}: {count} left out: {told}."
        if not self.profile.own:
            return  # an origin's gate says why it took no memory from something
        why = Counter(each.reason for each in self.became if each.what == "discard")
        for reason, times in why.items():
            yield f"{self.run.id}: {times} discarded: {reason}"
