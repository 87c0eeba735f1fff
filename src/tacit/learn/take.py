"""Taking in what a session says, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.clock import after_days
from tacit.core.digest import short_hash
from tacit.core.journal import Hand
from tacit.core.ladder import Move
from tacit.core.links import Evidence, Mark
from tacit.core.merge import merged
from tacit.core.moves import moved
from tacit.core.proposal import OPEN, Proposal
from tacit.core.run import Finding, Run
from tacit.core.standing import is_settled
from tacit.core.states import ACTIVE, DOUBTED, GONE
from tacit.core.trust import DOUBTS, READ_AS
from tacit.core.value import replace, value
from tacit.learn.gate import GateDecision
from tacit.learn.outcomes import Session
from tacit.learn.prepare import judged_by_gate, without_secrets
from tacit.learn.settle import unit_outcome
from tacit.learn.stage import Learned
from tacit.lesson import INSIDE, LIKELY_AGAIN, PERSONAL, TWIN, Lesson
from tacit.reading.amend import about_the_same, goes_further
from tacit.reading.answers import lesson_as
from tacit.reading.check import Checked, subject_of
from tacit.reading.decide import AGREED_BY_WORD, Decided, is_habit
from tacit.reading.judge import Heard, NewLesson, Ruling
from tacit.reading.page import PERSON, Line
from tacit.reading.questions import lines_of
from tacit.reading.twins import typed_as_it_stands
from tacit.reading.verdicts import PROBLEM, judged_by_reader, settles
from tacit.safety.witness import Witness, asked_before
from tacit.store.readings import Reading
from tacit.words.match import says_more
from tacit.words.prepared import prepare

if TYPE_CHECKING:
    from tacit.core.rows import FindingRow
    from tacit.reading.questions import ReaderContext
    from tacit.store.writes import Transaction

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
TO_REVIEW = {"to": DOUBTED, "needs": ["person"]}


@value
class Taken:
    """One lesson of a session, ready to be written."""

    lesson: NewLesson
    finding: Finding
    decision: GateDecision
    known: str = ""  # the known lesson that it says again
    typed: bool = False  # and that one is the very line, as the floor took it over
    redacted: int = 0


def take(
    desk: ReaderContext, reading: Reading, heard: Heard
) -> tuple[Learned, list[dict[str, Any]]]:
    """Write what a session says."""
    row = desk.store.run(reading.run)
    run = Run(
        reading.session,
        reading.host,
        lineage=reading.lineage,
        ended_at=row.ended_at if row else "",
        task_type=row.task_type if row else "",
    )
    lines, rows = lines_of(reading), desk.store.findings(run=reading.run)
    kept = [_ready(desk, run, each, lines, rows, heard.witness) for each in _kept(heard)]
    session = Session(desk, run, reading.run, desk.now())
    session.redacted = sum(each.redacted for each in kept)
    session.same = {each.finding.key: each.known for each in kept if each.known}
    hand = Hand(_BY, desk.now(), reading.run, desk.project.profile)
    with desk.store.write(confidence=desk.profile.signals.confidence) as tx:
        session.enter(tx)
        buried = {place.partition("#")[0] for place in session.buried}
        session.take(
            tx,
            [
                (each.finding, each.decision)
                for each in kept
                if each.finding.place.partition("#")[0] not in buried
            ],
        )
        for ruling in heard.rulings:
            _apply(tx, desk, session, ruling, hand, agreed=ruling.memory in heard.agreed)
        made = {each.key: each.memory for each in tx.findings(run=session.id) if each.memory}
        for each in kept:
            for old in tx.memories([old.id for old in each.lesson.replaces]):
                now = next(iter(tx.memories([made.get(each.finding.key, "")])), None)
                _replace(tx, desk, session, old, now, each.finding, hand, old.id in heard.agreed)
        for each in kept:
            if each.typed and made.get(each.finding.key) == each.known:
                _word(tx, each.known, each.finding, hand)
        for lesson in heard.lessons:
            if lesson.same_as and lesson.better:
                _amend(tx, desk, session, lesson, hand)
        _settle(tx, session, heard)
    return session.report(), [_told(each) for each in heard.lessons]


def _kept(heard: Heard) -> list[NewLesson]:
    return [each for each in heard.lessons if not each.why_not]


def _told(each: NewLesson) -> dict[str, Any]:
    """What became of a lesson, for the reading's record."""
    return {
        "lesson": lesson_as(each.checked.lesson),
        "word": each.decided.word,
        "reason": each.why_not or each.decided.reason,
        "hold": each.decided.hold,
    }


def _ready(
    desk: ReaderContext,
    run: Run,
    lesson: NewLesson,
    lines: Sequence[Line],
    rows: Sequence[FindingRow],
    witness: Witness,
) -> Taken:
    """A lesson as the finding that it becomes, judged by the gate."""
    checked, decided = lesson.checked, lesson.decided
    origin = _origin(checked, witness)
    finding, hits = without_secrets(
        _finding(run, checked, decided, desk.profile.kinds, lines, origin)
    )
    if lesson.twin is not None:
        finding = replace(finding, extra={**(finding.extra or {}), TWIN: lesson.twin.kept()})
    for old in lesson.replaces:
        finding = about_the_same(finding, old)
    typed = typed_as_it_stands(finding, rows) if decided.word == "said" else ""
    finding, decision = judged_by_gate(
        finding, desk.profile, desk.known_lines, desk.hold_all, asked_before
    )
    hold = decided.hold or (f"its reader only advises: {desk.advises}" if desk.advises else "")
    if decision.outcome == "allow" and not decision.linked and hold:
        decision = replace(decision, outcome="hold", reason=hold)
    return Taken(lesson, finding, decision, typed or lesson.same_as, bool(typed), hits)


def _origin(checked: Checked, witness: Witness) -> dict[str, Any]:
    """Whether one piece of work is enough for a lesson at its moment."""
    found = witness(checked.lesson.text, [quote.line.step for quote in checked.quotes])
    if found.grounded and not found.bare:
        return {INSIDE: True}
    return {"outside": found.reason} if found.reason else {}


def _settle(tx: Transaction, session: Session, heard: Heard) -> None:
    """What the reading says of the lessons that this unit was given or that were withheld from it:
    came back, or did not."""
    marks = tx.marks(unit=session.row.root)
    last = {mark.memory: mark.value for mark in marks if mark.signal == "outcome"}
    said = [(each.memory, each.verdict.verdict, each.quote) for each in heard.rulings]
    back = {
        memory: quote.words for memory, word, quote in said if word in PROBLEM and settles(quote)
    }
    followed = {memory: quote.words for memory, word, quote in said if word == "followed"}
    again = {
        each.same_as: each.checked.person.words
        for each in heard.lessons
        if each.same_as and each.checked.person is not None
    }
    for use in tx.uses(unit=session.row.root):
        came = back.get(use.memory) or _said_again(
            tx, session, use.memory, again.get(use.memory, "")
        )
        if not came and use.memory not in heard.listed:
            continue
        before = last.get(use.memory, "")
        mine = [mark for mark in marks if mark.memory == use.memory]
        outcome = judged_by_reader(came, before)
        if outcome is not None:
            unit = unit_outcome(outcome, session.id, mine)
            session._mark_outcome(tx, use, outcome, unit)
        words = followed.get(use.memory)
        if words and all(mark.signal != "followed" for mark in mine):
            mark = Mark(
                use.memory, use.unit, use.project, "followed", run=session.id, at=session.at
            )
            tx.add_mark(replace(mark, reason=words[:300]))


def _apply(
    tx: Transaction,
    desk: ReaderContext,
    session: Session,
    each: Ruling,
    hand: Hand,
    *,
    agreed: bool,
) -> None:
    """What a verdict does to a known lesson: evidence for or against it, and what follows."""
    ruling = each.ruled
    if ruling.act in ("nothing", "amend") or not (held := tx.memories([each.memory])):
        return
    memory, unit = held[0], session.unit(tx)
    if ruling.act == "sighting" and {row.root for row in tx.evidence(memory.id)} == {unit}:
        return  # the rules heard it in this very session
    stance = "supports" if ruling.act == "sighting" else "contradicts"
    if (ruling.act == "propose" and ruling.tier not in PERSONAL) or agreed:
        stance = (
            DOUBTS  # what happened asks about a person's lesson, and counts for nothing against it
        )
    tx.add_evidence(
        Evidence(
            memory.id,
            memory.project,
            session.id,
            unit,
            stance=stance,
            by="user" if each.quote.line.letter in PERSON else _BY,
            tier=ruling.tier,
            place=f"{each.quote.line.place}#{each.verdict.verdict}",
            quote=each.quote.words[:600],
            at=hand.at,
            seq=session.seq,
            origin=session.run.descent,
        )
    )
    if ruling.act == "suspend" and memory.state == ACTIVE:
        _suspend(tx, desk, session, memory, ruling.reason, hand)
    elif ruling.act == "propose":
        _propose(tx, desk, memory, ruling.reason, hand.at)
    else:
        session._promote(tx, memory.id)


def _suspend(
    tx: Transaction,
    desk: ReaderContext,
    session: Session,
    memory: Lesson,
    reason: str,
    hand: Hand,
) -> None:
    move = Move(DOUBTED, reason, "contradiction")
    tx.apply(moved(memory, move, desk.profile, hand))
    session.moves.append((memory.id, memory.state, DOUBTED, reason))


def _replace(
    tx: Transaction,
    desk: ReaderContext,
    session: Session,
    old: Lesson,
    now: Lesson | None,
    finding: Finding,
    hand: Hand,
    agreed: bool,
) -> None:
    """Close a lesson of which a part changed, by the wording that holds now."""
    told = f"a part of it was changed: {finding.text}"
    if now is None or now.gate != "allow" or agreed:
        if old.state == ACTIVE:
            _suspend(tx, desk, session, old, told, hand)
    elif now.id == old.id and old.text != finding.text:
        extra = dict(finding.extra or {})
        fresh = replace(old, text=finding.text, trust=finding.tier, source=finding.by, extra=extra)
        tx.apply(hand.change(old, fresh, "edit", told))
    elif now.id != old.id and old.state != GONE:
        for change in merged(old, now, Hand(_BY, hand.at, profile=hand.profile), reason=told):
            tx.apply(change)
        session.moves.append((old.id, old.state, GONE, told))


def _word(tx: Transaction, id: str, finding: Finding, hand: Hand) -> None:
    """Let a sentence that the floor took over as it was typed give way to the reader's wording of
    it; the sentence stays its quote."""
    for memory in tx.memories([id]):
        said = memory.text == finding.text and memory.about
        if said or is_settled(memory) or memory.gate != "allow":
            continue
        extra = {**(memory.extra or {}), **(finding.extra or {})}
        fresh = replace(
            memory, text=finding.text, about=finding.about, paths=finding.paths, extra=extra
        )
        told = "in the reader's words, all of which the person's line has"
        tx.apply(hand.change(memory, fresh, "edit", told))


def _propose(
    tx: Transaction,
    desk: ReaderContext,
    memory: Lesson,
    reason: str,
    at: str,
    kind: str = "review",
    payload: Mapping[str, Any] = TO_REVIEW,
) -> None:
    asked = tx.proposals(memory=memory.id, state="")
    if any(each.state == OPEN and each.kind == kind for each in asked):
        return
    tx.put_proposal(
        Proposal(
            desk.ids(),
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


def _amend(
    tx: Transaction, desk: ReaderContext, session: Session, lesson: NewLesson, hand: Hand
) -> None:
    """Other words for a lesson that was met again."""
    memory = next(iter(tx.memories([lesson.same_as])), None)
    if memory is None or memory.trust in PERSONAL or is_settled(memory):
        return
    better, told = lesson.better, "met again; worded for both sightings"
    reads = bool((memory.extra or {}).get(READ_AS))
    if not reads or memory.gate != "allow" or better == memory.text:
        return
    quotes = lesson.checked.quotes
    said = (quote.around for quote in quotes if quote.line.letter in (*PERSON, "T"))
    both = prepare(" ".join((memory.text, *said)))
    if says_more(prepare(better), both) or goes_further(better):
        payload = {"text": better, "was": memory.text}
        _propose(tx, desk, memory, told, hand.at, "edit", payload)
        return
    tx.apply(hand.change(memory, replace(memory, text=better), "edit", told))
    session._promote(tx, memory.id)


def _said_again(tx: Transaction, session: Session, memory: str, words: str) -> str:
    """The person's words by which this session taught a lesson that another piece of work had
    taught before; empty where there are none."""
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
