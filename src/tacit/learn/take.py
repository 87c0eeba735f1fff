"""Taking in what a reading brought, in one transaction: lessons as findings like any other, verdicts as evidence and moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.clock import after_days
from tacit.core.digest import short_hash
from tacit.core.journal import Hand
from tacit.core.lifecycle import Move
from tacit.core.links import Evidence, Mark
from tacit.core.memory import INSIDE, LIKELY_AGAIN, PERSONAL, TWIN, Memory, family_of, said_as
from tacit.core.merge import merged
from tacit.core.moves import moved
from tacit.core.proposal import OPEN, Proposal
from tacit.core.run import Finding, Run
from tacit.core.standing import is_settled
from tacit.core.states import INJECTABLE
from tacit.core.trust import DOUBTS, READ_AS, tier_to_take_away
from tacit.core.value import replace, value
from tacit.learn.gate import GateDecision
from tacit.learn.outcomes import Session
from tacit.learn.prepare import judged_by_gate, without_secrets
from tacit.learn.settle import unit_outcome
from tacit.learn.stage import Learned
from tacit.reading.amend import about_the_same, changed_lesson, goes_further
from tacit.reading.answer import Verdict, lesson_as
from tacit.reading.asking import Questions, lines_of
from tacit.reading.check import Checked, Found, find_quote, subject_of, telling
from tacit.reading.decide import (
    AGREED_BY_WORD,
    Decided,
    decide,
    is_habit,
    spoken_around,
)
from tacit.reading.page import PERSON, Line
from tacit.reading.remembered import headings_about, remembered
from tacit.reading.twins import (
    are_alike,
    is_sure,
    near_ones,
    twin_words,
    typed_as_it_stands,
    without_twins,
)
from tacit.reading.verdicts import (
    PROBLEM,
    Ruled,
    judged_by_reader,
    needs_weighing,
    ruled,
    ruled_by_yes,
    settles,
)
from tacit.reading.whose import witness_of
from tacit.safety.witness import Witness, asked_before
from tacit.stores.readings import Reading
from tacit.words.match import says_more, shares_half
from tacit.words.prepared import prepare

if TYPE_CHECKING:
    from tacit.reading.asking import ReaderContext
    from tacit.stores.sql_writer import Transaction

EXTRACTOR, VERSION = "reader", 1
_BY = "reader"
EXPIRES_DAYS = 30
# as profiles call them
KIND_OF_LESSON = {
    "way": "rule",
    "decision": "decision",
    "cure": "fix",
    "fact": "fact",
    "preference": "preference",
}
_PERSONAL = ("rule", "preference")
TO_REVIEW = {"to": "under_review", "needs": ["person"]}
# the gate's word where only the wording speaks; a reader's quotes speak for it


@value
class _Judged:
    """A verdict whose quote stands in the session, and what it does."""

    memory: str
    ruling: Ruled
    verdict: Verdict
    quote: Found


class Taking:
    """One reading on its way into the store."""

    def __init__(self, desk: ReaderContext, reading: Reading, told: Sequence[Checked]) -> None:
        self.desk, self.reading, self.lines, self.told = desk, reading, lines_of(reading), told
        self.new = [each for each in told if not each.dropped]  # by their numbers, from 1
        self.heard: list[tuple[Checked, Decided]] = []
        self.verdicts: list[_Judged] = []
        self.headings: list[str] = []  # of instruction files, that may say what a new lesson says
        self.listed: frozenset[str] = (
            frozenset()
        )  # lessons the session was held against, given and withheld alike
        # number of a new lesson -> the known one, and a wording true to both
        self.same: dict[int, tuple[str, str]] = {}
        self.twins: dict[
            int, tuple[str, ...]
        ] = {}  # number of a new lesson -> what `TWIN` says of it
        self.replaced: dict[
            int, list[Memory]
        ] = {}  # lessons whose place a new one takes, by its identity
        self.agreed: set[str] = set()  # lessons that a plain yes to the agent's proposal suspends
        self.covered: set[int] = (
            set()
        )  # numbers of new lessons that an instruction file says already
        self.witness: Witness = witness_of(desk.folder, reading)

    def judge(self, asking: Questions) -> None:
        """Hold the session against what is known, and weigh what it newly says, outside any transaction."""
        # nobody's lesson is touched on the word of a model that failed its exam
        said, names = ((), {}) if self.desk.advises else self._known(asking)
        same = [each for each in said if each.verdict == "same" and 1 <= each.new <= len(self.new)]
        self._weigh(asking, [each for each in same if each.id in names], names)
        self._covers(same)
        quoted: list[tuple[Verdict, Memory, Found]] = []
        for verdict in said:
            if (
                verdict.id in names
                and verdict.quote
                and (stands := find_quote(verdict.quote, self.lines)) is not None
            ):
                quoted.append((verdict, names[verdict.id], stands))
        # a plain yes to the agent's line
        spoken = {id(each): spoken_around(each[2].line, self.lines) for each in quoted}
        about = {
            key: telling(words) for key, words in spoken.items()
        }  # a mere yes takes nothing back
        open_ones = [
            each
            for each in quoted
            if needs_weighing(
                each[0].verdict, each[2], bool(about[id(each)] & telling(each[1].text))
            )
        ]
        weighed = asking.revoked(
            [(each[1].text, spoken[id(each)] or each[2].around) for each in open_ones]
        )
        by = {id(each): weighed.get(number) for number, each in enumerate(open_ones, 1)}
        for each in quoted:
            verdict, memory, quote = each
            needed = tier_to_take_away(memory, self.desk.store.evidence(memory.id))
            agreed = bool(spoken[id(each)])
            ruling = ruled(
                verdict.verdict, memory, quote, by.get(id(each)), needed=needed, agreed=agreed
            )
            words, yes = quote, None
            if ruling.act in ("nothing", "propose"):
                yes = ruled_by_yes(verdict.verdict, memory, quote, self.lines, self.witness)
            if yes is not None:
                ruling, words = yes
                self.agreed.add(memory.id)
            if ruling.act == "amend" and not self._reword(memory, verdict, words):
                ruling = replace(
                    ruling, act="suspend" if memory.state in INJECTABLE else "contradiction"
                )
            self.verdicts.append(_Judged(memory.id, ruling, verdict, quote))
        if not self.desk.advises:
            self._twins(asking)
        self.reading = asking.reading

    def _reword(self, memory: Memory, verdict: Verdict, quote: Found) -> bool:
        """Whether a lesson of this session takes the place of one of which a part changed: it is worded for it."""
        at = verdict.new - 1 if 1 <= verdict.new <= len(self.new) else -1
        place = next(
            (n for n, (checked, _) in enumerate(self.heard) if at >= 0 and checked is self.new[at]),
            -1,
        )
        new = self.heard[place] if place >= 0 and self.heard[place][1].word else None
        found = changed_lesson(memory, verdict.into, quote, new)
        if found is None:
            return False
        if new is None:
            self.heard.append(found)
            self.new.append(found[0])
        else:
            self.heard[place], self.new[at] = found, found[0]
            if self.same.get(verdict.new, ("", ""))[0] == memory.id:
                del self.same[verdict.new]
        self.replaced.setdefault(id(found[0]), []).append(memory)
        return True

    def _known(self, asking: Questions) -> tuple[Sequence[Verdict], dict[str, Memory]]:
        """What the session says of remembered lessons, and which they are, by their names in that question."""
        new = [each.lesson.text for each in self.new]
        store, row = self.desk.store, self.desk.store.run(self.reading.run)
        used = [
            use.memory
            for use in store.uses(unit=row.root if row else self.reading.run)
            if use.memory
        ]
        known = remembered(store, self.desk.project.id, new, self.lines, used)
        names = {f"k{number}": memory for number, memory in enumerate(known, 1)}
        self.listed = frozenset(memory.id for memory in known)
        self.headings = headings_about(self.desk.headings, new)
        said = asking.known(
            [(name, memory.text) for name, memory in names.items()],
            new,
            self.headings,
            [each.id for each in known],
        )
        return said, names

    def _weigh(
        self, asking: Questions, same: Sequence[Verdict], names: Mapping[str, Memory]
    ) -> None:
        """One question over pairs of two texts each: whether the person's line says a lesson, and whether a new lesson says a known one
        where words alone do not tell. That two are the same is a reader's claim."""
        lines = [(each, each.person) for each in self.new if each.lesson.standing != AGREED_BY_WORD]
        own = [(each, (each.lesson.text, line.around)) for each, line in lines if line is not None]
        texts = {
            id(each): (names[each.id].text, self.new[each.new - 1].lesson.text) for each in same
        }
        unsure = [each for each in same if not is_sure(*texts[id(each)])]
        said = asking.weighed([*(pair for _, pair in own), *(texts[id(each)] for each in unsure)])
        by = {id(each): said.get(number) for number, (each, _) in enumerate(own, 1)}
        heard = [
            (each, decide(each, by.get(id(each)), self.lines, self.witness)) for each in self.told
        ]
        self.heard = without_twins(heard, are_alike)
        denied = {
            id(each)
            for at, each in enumerate(unsure, len(own) + 1)
            if at not in said or said[at].says != "yes"
        }
        for each in same:
            if id(each) not in denied:
                self.same.setdefault(each.new, (names[each.id].id, each.into))
                self.twins.setdefault(
                    each.new, (said_as(names[each.id]), family_of(names[each.id]))
                )

    def _twins(self, asking: Questions) -> None:
        """Ask of the new lessons that nobody called known yet which of them say what another one says."""
        numbers = {id(each): number for number, each in enumerate(self.new, 1)}
        new = {
            number: decided.text
            for checked, decided in self.heard
            if decided.word
            and (number := numbers.get(id(checked), 0))
            and number not in self.same
            and number not in self.covered
            and id(checked) not in self.replaced
        }
        near = near_ones(self.desk, new)
        for number, (word, other) in twin_words(near, new, asking.twins).items():
            if isinstance(other, int):  # an earlier one of this session
                first = short_hash("twin", new[other])
                group = self.twins.setdefault(other, (first, first))[:2]
                if word == "more":
                    self.twins[other] = (*group, "less")
                self.twins[number] = (*group, word)
                continue
            self.twins[number] = said_as(other), family_of(other), word
            if word == "same":
                self.same[number] = other.id, ""

    def _covers(self, same: Sequence[Verdict]) -> None:
        """Which new lessons an instruction file says already: none that quotes a person, unless half of its words stand in the heading."""
        headings = {f"h{number}": text for number, text in enumerate(self.headings, 1)}
        for each in same:
            new = self.new[each.new - 1]
            if each.id in headings and (
                new.person is None or shares_half(new.lesson.text, headings[each.id])
            ):
                self.covered.add(each.new)

    def take(self) -> tuple[Learned, list[dict[str, Any]]]:
        """Write it. What became of each lesson is told with its reason, also of those that became none."""
        desk = self.desk
        told: list[dict[str, Any]] = []
        row = desk.store.run(self.reading.run)
        run = Run(
            self.reading.session,
            self.reading.host,
            lineage=self.reading.lineage,
            ended_at=row.ended_at if row else "",
            task_type=row.task_type if row else "",
        )
        session = Session(desk, run, self.reading.run, desk.now())
        found: list[tuple[Finding, GateDecision]] = []
        places: list[
            tuple[Finding, list[Memory]]
        ] = []  # findings, and the lessons whose place each takes
        rows = desk.store.findings(run=self.reading.run)
        worded: dict[
            str, Finding
        ] = {}  # what the rules took over as it was typed, and the reader's wording of it
        number = 0
        for checked, decided in self.heard:
            outcome = {
                "lesson": lesson_as(checked.lesson),
                "word": decided.word,
                "reason": decided.reason,
                "hold": decided.hold,
            }
            told.append(outcome)
            number += not checked.dropped
            if not decided.word:
                continue
            if number in self.covered:
                outcome["reason"] = "an instruction file says it"
                continue
            finding, hits = without_secrets(
                _finding(
                    run, checked, decided, desk.profile.kinds, self.lines, self._origin(checked)
                )
            )
            session.redacted += hits
            if number in self.twins:
                finding = replace(
                    finding, extra={**(finding.extra or {}), TWIN: [*self.twins[number]]}
                )
            for old in self.replaced.get(id(checked), ()):
                finding = about_the_same(finding, old)
            if decided.word == "said" and (raw := typed_as_it_stands(finding, rows)):
                session.same[finding.key] = raw
                worded[raw] = finding
            elif number in self.same:
                session.same[finding.key] = self.same[number][0]
            found.append(_gated(finding, decided, desk))
            if id(checked) in self.replaced:
                places.append((found[-1][0], self.replaced[id(checked)]))
        with desk.store.write(confidence=desk.profile.signals.confidence) as tx:
            session.enter(tx)
            buried = {place.partition("#")[0] for place in session.buried}
            session.take(
                tx, [each for each in found if each[0].place.partition("#")[0] not in buried]
            )
            for judged in self.verdicts:
                self._apply(tx, session, judged)
            self._replace(tx, session, places)
            self._word(tx, session, worded)
            for number, (memory, better) in self.same.items():
                self._amend(tx, session, memory, better, number)
            self._settle(tx, session)
        return session.report(), told

    def _origin(self, checked: Checked) -> dict[str, Any]:
        """Whether one piece of work is enough for a lesson at its moment: every name in it is grounded, and it names something or more
        than the agent's prose vouches for it."""
        found = self.witness(checked.lesson.text, [quote.line.step for quote in checked.quotes])
        if found.grounded and not found.bare:
            return {INSIDE: True}
        return {"outside": found.reason} if found.reason else {}

    def _settle(self, tx: Transaction, session: Session) -> None:
        """What the reading says of the lessons that this unit was given or that were withheld from it: came back, or did not. Who was asked
        did not know which was which. What a person had to say again came back, whether it was heard as a remembered lesson or as a new one
        that says the same."""
        marks = tx.marks(unit=session.row.root)
        last = {mark.memory: mark.value for mark in marks if mark.signal == "outcome"}
        said = [(each.memory, each.verdict.verdict, each.quote) for each in self.verdicts]
        back = {
            memory: quote.words
            for memory, word, quote in said
            if word in PROBLEM and settles(quote)
        }
        followed = {memory: quote.words for memory, word, quote in said if word == "followed"}
        lines = {memory: self.new[at - 1].person for at, (memory, _) in self.same.items()}
        again = {memory: line.words for memory, line in lines.items() if line is not None}
        for use in tx.uses(unit=session.row.root):
            came = back.get(use.memory) or _said_again(
                tx, session, use.memory, again.get(use.memory, "")
            )
            if not came and use.memory not in self.listed:
                continue
            before, mine = (
                last.get(use.memory, ""),
                [mark for mark in marks if mark.memory == use.memory],
            )
            outcome = judged_by_reader(came, before)
            if outcome is not None:
                session._mark_outcome(
                    tx, use, outcome, unit_outcome(outcome, session.id, mine), before
                )
            if (words := followed.get(use.memory)) and all(
                mark.signal != "followed" for mark in mine
            ):
                mark = Mark(
                    use.memory,
                    use.unit,
                    use.project,
                    "followed",
                    run=session.id,
                    at=self.desk.now(),
                )
                tx.add_mark(replace(mark, reason=words[:300]))

    def _apply(self, tx: Transaction, session: Session, judged: _Judged) -> None:
        ruling, at = judged.ruling, self.desk.now()
        if ruling.act in ("nothing", "amend") or not (held := tx.memories([judged.memory])):
            return
        unit = session.unit(tx)
        if ruling.act == "sighting" and {each.root for each in tx.evidence(judged.memory)} == {
            unit
        }:
            return  # the rules heard it in this very session
        memory = held[0]
        stance = "supports" if ruling.act == "sighting" else "contradicts"
        if (ruling.act == "propose" and ruling.tier not in PERSONAL) or memory.id in self.agreed:
            stance = DOUBTS  # what happened asks about a person's lesson, and counts for nothing against it
        by = "user" if judged.quote.line.letter in PERSON else _BY
        tx.add_evidence(
            Evidence(
                memory.id,
                memory.project,
                self.reading.run,
                unit,
                stance=stance,
                by=by,
                tier=ruling.tier,
                place=f"{judged.quote.line.place}#{judged.verdict.verdict}",
                quote=judged.quote.words[:600],
                at=at,
                seq=session.seq,
                origin=session.run.descent,
            )
        )
        if ruling.act == "suspend" and memory.state in ("provisional", "stable"):
            self._suspend(tx, session, memory, ruling.reason)
        elif ruling.act == "propose":
            self._propose(tx, memory, ruling.reason, at)
        else:
            session._promote(tx, memory.id)

    def _suspend(self, tx: Transaction, session: Session, memory: Memory, reason: str) -> None:
        move = Move("under_review", reason, "taken-back", "contradiction")
        tx.apply(moved(memory, move, self.desk.profile, self._hand()))
        session.moves.append((memory.id, memory.state, "under_review", reason))

    def _edit(self, tx: Transaction, memory: Memory, now: Memory, reason: str) -> None:
        tx.apply(self._hand().change(memory, now, "edit", reason))

    def _hand(self) -> Hand:
        return Hand(_BY, self.desk.now(), self.reading.run, self.desk.project.profile)

    def _replace(
        self, tx: Transaction, session: Session, places: Sequence[tuple[Finding, Sequence[Memory]]]
    ) -> None:
        """Close lessons of which a part changed, by the wording that holds now; what waits for a person replaces nothing, it suspends."""
        at, version = self.desk.now(), self.desk.project.profile
        made = {row.key: row.memory for row in tx.findings(run=session.id) if row.memory}
        for finding, olds in places:
            for old in tx.memories([each.id for each in olds]):
                now = (
                    next(iter(tx.memories([made[finding.key]])), None)
                    if finding.key in made
                    else None
                )
                told = f"a part of it was changed: {finding.text}"
                if now is None or now.gate != "allow" or old.id in self.agreed:
                    if old.state in ("provisional", "stable"):
                        self._suspend(tx, session, old, told)
                elif now.id == old.id and old.text != finding.text:
                    extra = dict(finding.extra or {})
                    fresh = replace(
                        old, text=finding.text, trust=finding.tier, source=finding.by, extra=extra
                    )
                    self._edit(tx, old, fresh, told)
                elif now.id != old.id and old.state != "superseded":
                    for each in merged(old, now, Hand(_BY, at, profile=version), reason=told):
                        tx.apply(each)
                    session.moves.append((old.id, old.state, "superseded", told))

    def _word(self, tx: Transaction, session: Session, worded: Mapping[str, Finding]) -> None:
        """Let a sentence that the rules took over as it was typed give way to the reader's wording of it; the sentence stays its quote."""
        made = {row.key: row.memory for row in tx.findings(run=session.id) if row.memory}
        for memory in tx.memories([*worded]):
            finding = worded[memory.id]
            said = memory.text == finding.text and memory.about
            if (
                made.get(finding.key) != memory.id
                or said
                or is_settled(memory)
                or memory.gate != "allow"
            ):
                continue
            extra = {**(memory.extra or {}), **(finding.extra or {})}
            fresh = replace(
                memory, text=finding.text, about=finding.about, paths=finding.paths, extra=extra
            )
            self._edit(
                tx, memory, fresh, "in the reader's words, all of which the person's line has"
            )

    def _propose(
        self,
        tx: Transaction,
        memory: Memory,
        reason: str,
        at: str,
        kind: str = "review",
        payload: Mapping[str, Any] = TO_REVIEW,
    ) -> None:
        if any(
            each.state == OPEN and each.kind == kind
            for each in tx.proposals(memory=memory.id, state="")
        ):
            return
        tx.put_proposal(
            Proposal(
                self.desk.ids(),
                memory.project,
                kind,
                reason,
                _BY,
                at,
                memory.id,
                tier="person",
                payload=dict(payload),
                expires_at=after_days(at, EXPIRES_DAYS),
            )
        )

    def _amend(self, tx: Transaction, session: Session, id: str, better: str, number: int) -> None:
        """Other words for a lesson that was met again: only for a model's own words, and only what one of the two sightings says, as the
        person or a call does; else they are proposed."""
        memory = next(iter(tx.memories([id])), None)
        if memory is None or memory.trust in PERSONAL or is_settled(memory):
            return
        if (
            not (memory.extra or {}).get(READ_AS)
            or memory.gate != "allow"
            or not better
            or better == memory.text
        ):
            return
        said = (
            quote.around
            for quote in self.new[number - 1].quotes
            if quote.line.letter in (*PERSON, "T")
        )
        if says_more(prepare(better), prepare(" ".join((memory.text, *said)))) or goes_further(
            better
        ):
            told = {"text": better, "was": memory.text}
            self._propose(
                tx, memory, "met again; worded for both sightings", self.desk.now(), "edit", told
            )
            return
        self._edit(tx, memory, replace(memory, text=better), "met again; worded for both sightings")
        session._promote(tx, id)


def _said_again(tx: Transaction, session: Session, memory: str, words: str) -> str:
    """The person's words by which this session taught a lesson that another piece of work had taught before; empty where there are none.
    `words`: theirs for a new lesson that says the same."""
    evidence = [each for each in tx.evidence(memory) if each.stance == "supports"]
    if all(each.root == session.unit(tx) for each in evidence):
        return ""
    mine = (each for each in evidence if each.run == session.id and each.tier == "user")
    return words or next((each.quote for each in mine), "")


def _finding(
    run: Run,
    checked: Checked,
    decided: Decided,
    kinds: Any,
    lines: Sequence[Line],
    origin: dict[str, Any],
) -> Finding:
    lesson, quote = checked.lesson, checked.person or checked.quotes[0]
    kind = KIND_OF_LESSON.get(decided.kind or lesson.kind, "")
    if kind not in kinds or (kind in _PERSONAL and decided.word in ("found", AGREED_BY_WORD)):
        kind = "fact"  # how somebody works and what they like is theirs to say
    extra: dict[str, Any] = {"word": decided.word, "witness": decided.witness, **origin}
    if is_habit(checked, decided):
        extra[LIKELY_AGAIN] = True
    if lesson.sign:
        extra["sign"] = [lesson.sign_in, lesson.sign]
    about, paths = subject_of(lesson, lines)
    return Finding(
        run.id,
        f"{quote.line.place}#{short_hash(lesson.text)}",
        decided.text,
        EXTRACTOR,
        VERSION,
        kind,
        by="user" if decided.word == "said" else _BY,
        tier=decided.tier,
        task_type=run.task_type,
        quote=quote.words,
        extra=extra,
        about=about,
        paths=paths,
    )


def _gated(finding: Finding, decided: Decided, desk: ReaderContext) -> tuple[Finding, GateDecision]:
    """The gate's word, with the reader's: what asks a person waits for one."""
    finding, decision = judged_by_gate(
        finding, desk.profile, desk.known_lines, desk.hold_all, asked_before
    )
    hold = decided.hold or (f"its reader only advises: {desk.advises}" if desk.advises else "")
    if decision.outcome == "allow" and not decision.linked and hold:
        decision = replace(decision, outcome="hold", reason=hold)
    return finding, decision
