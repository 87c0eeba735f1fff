"""What helps against a failure that two pieces of work met."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tacit.core.digest import short_hash
from tacit.core.errors import ModelUnavailable
from tacit.core.journal import Hand
from tacit.core.run import Finding, Incident, Run
from tacit.core.standing import is_confirmed
from tacit.core.states import ACTIVE, KEPT
from tacit.core.value import replace, value
from tacit.learn.cures import adopt, keep
from tacit.learn.failures import barred
from tacit.learn.floor import Cure
from tacit.learn.outcomes import Session
from tacit.learn.same import Neighbours, match
from tacit.lesson import PERSONAL
from tacit.lesson import Lesson as Known
from tacit.reading import answers, prompt
from tacit.reading.answers import Lesson
from tacit.reading.check import find_quote, names_missing
from tacit.reading.command import commands
from tacit.reading.page import PERSON, Line
from tacit.reading.questions import lines_of
from tacit.reading.whose import witness_of
from tacit.safety.redact import redact
from tacit.safety.witness import asked_before
from tacit.store.failures import Counts, Noted, memory_of, noted_of
from tacit.store.readings import Reading, load

if TYPE_CHECKING:
    from tacit.reading.questions import ReaderContext
    from tacit.store.reads import Store
    from tacit.store.writes import Transaction

_BY, _BY_RULES = "reader", "notice"
CURE_LINEAGES, SHOWN = 2, 3  # that met it, and of which as many are shown
_LINES = 24  # of one piece, from the command that failed
_MOST = 3  # questions after one session
ASK_AGAIN = 2  # times as many lineages as when it was asked last


@value
class Piece:
    """One piece of work from the command that failed to the one that passed."""

    run: str
    lineage: str
    lines: tuple[Line, ...]


def piece(run: str, lineage: str, lines: Sequence[Line], met: Incident) -> Piece | None:
    """What a session shows of a failure: to the same program's next success, or so many lines."""
    start = next(
        (at for at, line in enumerate(lines) if line.letter == "T" and line.place == met.place),
        None,
    )
    if start is None:
        return None
    shown: list[Line] = []
    # one that failed behind a pipe shows no output, nor would its next failure
    hard = _failed(lines[start], lines)
    for at, line in enumerate(lines[start : start + _LINES], start):
        shown.append(line)
        same = line.letter == "T" and any(
            call.called == met.program for call in commands(line.whole)
        )
        if hard and same and at > start and not _failed(line, lines):
            break
    return Piece(run, lineage, tuple(shown))


def numbered(pieces: Sequence[Piece]) -> list[Piece]:
    """The same pieces, their lines numbered through."""
    found, number = [], 0
    for each in pieces:
        lines = tuple(replace(line, number=number + at) for at, line in enumerate(each.lines, 1))
        number += len(lines)
        found.append(replace(each, lines=lines))
    return found


def _checked(lesson: Lesson, pieces: Sequence[Piece], met: Incident) -> str:
    """Why a lesson is none; empty where the record bears it out."""
    if barred(lesson.text):
        return "it goes around the failure"
    every = [line for each in pieces for line in each.lines]
    quotes = [find_quote(quote, every) for quote in lesson.quotes]
    if not quotes or None in quotes:
        return "a quote does not stand in the record"
    did = ("T", *PERSON)
    borne_out = {
        each.lineage
        for each in pieces
        for quote in filter(None, quotes)
        if quote.line in each.lines
        and quote.line.letter in did
        and not _failed(quote.line, each.lines)
    }
    if len(borne_out) < CURE_LINEAGES:
        return "what helped was not done in two pieces of work"
    record = (line.whole for line in every if line.letter in did)
    lacking = names_missing(
        lesson.text, " ".join((met.mark, met.program, met.code, met.name, *record))
    )
    return f"nobody ran or typed {lacking[0]}" if lacking else ""


def _failed(line: Line, lines: Sequence[Line]) -> bool:
    return any(after.step == line.step and after.letter in ("E", "X") for after in lines)


def _many(met: Iterable[Noted] | Iterable[Piece]) -> int:
    """How many pieces of work."""
    return len({each.lineage for each in met})


def ask_cures(desk: ReaderContext, reading: Reading) -> list[tuple[str, str]]:
    """Ask about the failures of a session that two pieces of work met, and twice as many as when it was asked about last."""
    counts, project = Counts(desk.store, desk.project.id), desk.project.id
    again: list[tuple[int, str, Sequence[Noted]]] = []
    for mark in noted_of(desk.store, reading.run):
        met = counts.failures(mark)
        asked, _, line = desk.store.meta(_key(project, mark)).partition(" ")
        told = any(memory_of(desk.store, project, mark, by) for by in (_BY_RULES, _BY))
        due = _many(met) >= max(CURE_LINEAGES, ASK_AGAIN * int(asked or 0))
        if due and not told and not _in_force(desk.store, line):
            again.append((-_many(met), mark, met))
    first = sorted(again, key=lambda each: each[:2])[:_MOST]
    return [(mark, _ask(desk, reading, mark, met)) for _, mark, met in first]


def _in_force(store: Store, id: str) -> bool:
    return any(memory.state == ACTIVE for memory in (store.memories([id]) if id else ()))


def _ask(desk: ReaderContext, reading: Reading, mark: str, met: Sequence[Noted]) -> str:
    pieces = _pieces(desk.folder, met)
    if _many(pieces) < CURE_LINEAGES:
        return "not enough of it was kept"
    asked = prompt.cure(mark, _many(met), [each.lines for each in pieces])
    schema, timeout = prompt.lessons_schema(), desk.profile.model.timeout_s
    said = redact(desk.model.ask(asked, schema=schema, timeout=timeout)).text
    if not answers.is_answer(said, "lessons"):
        raise ModelUnavailable(
            f"{desk.model.identity} did not answer in the form that was asked for.", why="garbage"
        )
    lessons = answers.lessons_of(said, 1)
    first = met[-1].incident
    reason = _checked(lessons[0], pieces, first) if lessons else "nothing that they have in common"
    text = "" if reason else lessons[0].text
    _keep(desk, reading, mark, met, text, text and _not_grounded(desk.folder, text, pieces))
    return reason or text


def _not_grounded(folder: str, text: str, pieces: Sequence[Piece]) -> str:
    """Why a person is asked about a cure."""
    whys = [
        witness_of(folder, kept)(text, [line.step for line in each.lines]).reason
        for each in pieces
        if (kept := load(folder, each.run)) is not None
    ]
    return whys[0] if whys and all(whys) else ""


def _pieces(folder: str, met: Sequence[Noted]) -> list[Piece]:
    """The newest pieces of work that met it, one per lineage."""
    found: dict[str, Piece] = {}
    for each in reversed(met):
        wanted = len(found) < SHOWN and each.lineage not in found
        kept = load(folder, each.run) if wanted else None
        one = kept and piece(each.run, each.lineage, lines_of(kept), each.incident)
        if one:
            found[each.lineage] = one
    return numbered([*found.values()])


def _keep(
    desk: ReaderContext,
    reading: Reading,
    mark: str,
    met: Sequence[Noted],
    text: str,
    why: str,
) -> None:
    """Write down that it was asked, and the lesson if there is one."""
    program = met[-1].incident.program
    run = Run(reading.session, reading.host, lineage=reading.lineage)
    with desk.store.write(confidence=desk.profile.signals.confidence) as tx:
        tx.put_meta(_key(desk.project.id, mark), str(_many(met)))
        if not text:
            return
        tags = tuple(dict.fromkeys((program.split(" ")[0], program)))
        told = Cure(mark, text, tuple(met), tags, _BY, "agent", why or desk.advises)
        session = Session(desk, run, reading.run, desk.now())
        session.enter(tx)
        at = desk.now()
        known = None if told.hold or desk.hold_all else _known(tx, desk, reading, told)
        if known is not None and known.source == _BY_RULES:
            tx.put_meta(_key(desk.project.id, mark), f"{_many(met)} {known.id}")
            return  # a line of the rules says it; while it does, nobody is asked again
        if known is not None:
            hand = Hand(told.by, at, reading.run, desk.project.profile)
            adopt(tx, known, told, hand, session.seq)
            session._promote(tx, known.id)
            return
        hold, seq = desk.hold_all, session.seq
        id, _ = keep(tx, desk, told, run=reading.run, seq=seq, at=at, hold=hold, vouch=asked_before)
        session._promote(tx, id)


def _known(tx: Transaction, desk: ReaderContext, reading: Reading, told: Cure) -> Known | None:
    """The lesson that says what a cure says."""
    project, profile = desk.project.id, desk.profile
    finding = Finding(reading.session, told.subject, told.text, _BY, 1, told.kind, tags=told.tags)
    near = Neighbours(tx, project, [finding], profile).of(finding)
    met = match(project, finding, profile, near).memory
    if met is None or met.gate != "allow" or met.project != project:
        return None
    if met.source == _BY_RULES:
        return met if met.state == ACTIVE else None
    own = (
        met.source == _BY and not met.signature and met.state in KEPT and met.trust not in PERSONAL
    )
    return met if own and not met.pinned and not is_confirmed(met) else None


def _key(project: str, mark: str) -> str:
    return f"reader:cure:{short_hash(project, mark)}"
