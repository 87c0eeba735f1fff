"""Lessons about failures, kept: one memory per failure, born with all its witnesses, worded anew when the facts ask for it.

A person's hand is respected: a lesson that somebody edited keeps its words, one that was taken out stays out, and its subject met
again is counted and nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tacit.core.digest import short_hash
from tacit.core.journal import Change, Hand
from tacit.core.links import Evidence
from tacit.core.profile import Profile, class_of, kind_named
from tacit.core.programs import ABOUT
from tacit.core.rows import Project
from tacit.core.standing import is_confirmed
from tacit.core.states import GONE
from tacit.core.value import replace
from tacit.learn.floor import Cure
from tacit.learn.gate import GateDecision, may_be_told
from tacit.lesson import Lesson, check_fields
from tacit.safety.redact import redact
from tacit.store.failures import memory_of

if TYPE_CHECKING:
    from tacit.safety.witness import Vouch
    from tacit.store.writes import Transaction

BY_NOTICING = "notice"  # the name under which such lessons are written and worded


def keep(
    tx: Transaction,
    project: Project,
    profile: Profile,
    lesson: Cure,
    *,
    run: str,
    seq: int,
    at: str,
    ids: Callable[[], str],
    hold: bool,
    vouch: Vouch,
) -> tuple[str, bool]:
    """(the memory of a lesson's subject, whether it is new): made, worded anew or merely met again. `vouch` is asked whose word its
    commands are."""
    hand = Hand(BY_NOTICING, at, run, project.profile)
    known = of_subject(tx, project.id, lesson.subject) or of_subject(
        tx, project.id, lesson.subject, "reader"
    )
    if known is None:
        known = _new(tx, project, profile, lesson, replace(hand, by=lesson.by), ids(), hold, vouch)
        for each in witnesses(lesson):
            _witness(tx, known, lesson, each, seq, at)
        return known.id, True
    said = None
    if known.state != GONE and known.source == lesson.by:
        said = reworded(tx, known, lesson, hand, vouch)
        if said is not None:
            tx.apply(said)
    for each in witnesses(lesson):
        if each[0] == run or said is not None:  # what joins the line now was met before
            _witness(tx, known, lesson, each, seq, at)
    return known.id, False


def adopt(tx: Transaction, memory: Lesson, lesson: Cure, hand: Hand, seq: int) -> None:
    """Make a lesson that says the same the one about this subject, with all its witnesses: two would stand side by side."""
    now = replace(
        memory, text=lesson.text, tags=lesson.tags, category=lesson.when, signature=lesson.subject
    )
    tx.apply(
        hand.change(
            memory,
            now,
            "edit",
            "what it says was met as a failure, and got over in several sessions",
        )
    )
    for each in witnesses(lesson):
        _witness(tx, now, lesson, each, seq, hand.at)


def of_subject(tx: Transaction, project: str, subject: str, by: str = BY_NOTICING) -> Lesson | None:
    """The memory that is about a subject, whatever became of it."""
    id = memory_of(tx, project, subject, by)
    return tx.get(id) if id else None


def _new(
    tx: Transaction,
    project: Project,
    profile: Profile,
    lesson: Cure,
    hand: Hand,
    id: str,
    hold: bool,
    vouch: Vouch,
) -> Lesson:
    """A new lesson, as a candidate; the ladder says what its witnesses make of it."""
    kind = kind_named(profile, lesson.kind)
    asked = lesson_may_be_told(lesson, vouch)
    if hold and asked.outcome == "allow":
        asked = GateDecision("hold", "every finding waits for a person")
    memory = Lesson(
        id=id,
        project=project.id,
        text=lesson.text,
        kind=kind,
        klass=class_of(profile, kind),
        category=lesson.when,
        tags=lesson.tags,
        source=lesson.by,
        trust=lesson.trust,
        gate=asked.outcome,
        gate_reason=asked.reason,
        signature=lesson.subject,
        extra=_extra(lesson, None),
        created_at=hand.at,
        updated_at=hand.at,
    )
    told = f"noticed in {len({each.lineage for each in lesson.witnesses})} sessions"
    tx.apply(hand.change(None, check_fields(memory), "add", told))
    return memory


def lesson_may_be_told(lesson: Cure, vouch: Vouch) -> GateDecision:
    """Whether a cure may be told: the words are ours, so what is asked about is the commands that it tells somebody to run."""
    if lesson.hold:
        return GateDecision("hold", lesson.hold)
    commands = " ".join(f"`{command}`" for command in lesson.advises)
    return may_be_told(lesson.text, lesson.trust, lambda text: vouch(commands or text), lesson.tags)


def reworded(
    tx: Transaction, memory: Lesson, lesson: Cure, hand: Hand, vouch: Vouch
) -> Change | None:
    """Other words for the same subject, where the facts call for them and no person has chosen the words. Words that stay are not asked
    about again: a session that was told them shows them first."""
    extra = _extra(lesson, memory.extra)
    if (memory.text, memory.tags, memory.extra) == (lesson.text, lesson.tags, extra):
        return None
    if is_confirmed(memory) or any(
        entry.by != BY_NOTICING for entry in tx.entries(memory=memory.id, verb="edit")
    ):
        return None
    now = replace(memory, text=lesson.text, tags=lesson.tags, category=lesson.when, extra=extra)
    asked = lesson_may_be_told(lesson, vouch)
    if now.text != memory.text and asked.outcome != "allow":
        now = replace(now, gate=asked.outcome, gate_reason=asked.reason)
    return hand.change(memory, now, "edit", "more was noticed")


def _extra(lesson: Cure, known: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    rest = {name: value for name, value in (known or {}).items() if name != ABOUT}
    about = {ABOUT: {program: [] for program in lesson.about}} if lesson.about else {}
    return {**rest, **about} or None


def finding_key(project: str, lesson: Cure, run: str) -> str:
    """The key of one run's sighting of a failure."""
    return short_hash(project, run, "notice", lesson.subject)


def witnesses(lesson: Cure) -> Iterator[tuple[str, str, str, str]]:
    """(run, lineage, place, what it met) of each run that met the failure, once per run."""
    seen: set[str] = set()
    for each in lesson.witnesses:
        if each.run not in seen:
            seen.add(each.run)
            one = each.incident
            yield each.run, each.lineage, one.place, f"{one.program}: {one.mark}"[:200]


def _witness(
    tx: Transaction,
    memory: Lesson,
    lesson: Cure,
    met: tuple[str, str, str, str],
    seq: int,
    at: str,
) -> None:
    run, lineage, place, quote = met
    tx.add_evidence(
        Evidence(
            memory=memory.id,
            project=memory.project,
            run=run,
            root=lineage,
            finding=finding_key(memory.project, lesson, run),
            by=BY_NOTICING,
            tier="observed",
            place=place,
            quote=redact(quote).text,
            at=at,
            seq=seq,
        )
    )
