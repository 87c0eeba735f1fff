"""Lessons about failures, kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tacit.core.digest import short_hash
from tacit.core.journal import Hand
from tacit.core.links import Evidence
from tacit.core.profile import class_of, kind_named
from tacit.core.programs import ABOUT
from tacit.core.standing import is_confirmed
from tacit.core.states import GONE
from tacit.core.value import replace
from tacit.learn.floor import Cure
from tacit.learn.gate import GateDecision, may_be_told
from tacit.lesson import Lesson, check_fields
from tacit.safety.redact import redact
from tacit.store.failures import memory_of

if TYPE_CHECKING:
    from tacit.reading.questions import ReaderContext
    from tacit.safety.witness import Vouch
    from tacit.store.failures import Noted
    from tacit.store.reads import WorkContext
    from tacit.store.writes import Transaction

BY_NOTICING = "notice"  # the name under which such lessons are written and worded


def keep(
    tx: Transaction,
    work: WorkContext | ReaderContext,
    cure: Cure,
    *,
    run: str,
    seq: int,
    at: str,
    hold: bool,
    vouch: Vouch,
) -> tuple[str, bool]:
    """(the lesson of a failure, whether it is new): made, worded anew or merely met again."""
    project = work.project.id
    hand = Hand(BY_NOTICING, at, run, work.project.profile)
    id = next(filter(None, (memory_of(tx, project, cure.subject, by) for by in _WORDED_BY)), "")
    if not id:
        known = _new(work, cure, at, may_be_told_of(cure, hold, vouch))
        told = f"noticed in {len({each.lineage for each in cure.witnesses})} sessions"
        tx.apply(replace(hand, by=cure.by).change(None, check_fields(known), "add", told))
        _witness(tx, known, cure, cure.witnesses, seq, at)
        return known.id, True
    known = tx.get(id)
    is_news = (
        known.state != GONE and known.source == cure.by and _reword(tx, known, cure, hand, vouch)
    )
    # what joins the line now was met before
    met = [each for each in cure.witnesses if is_news or each.run == run]
    _witness(tx, known, cure, met, seq, at)
    return known.id, False


_WORDED_BY = (BY_NOTICING, "reader")


def adopt(tx: Transaction, memory: Lesson, cure: Cure, hand: Hand, seq: int) -> None:
    """Make a lesson that says the same the one about this failure, with all its witnesses."""
    now = replace(
        memory, text=cure.text, tags=cure.tags, category=cure.when, signature=cure.subject
    )
    told = "what it says was met as a failure, and got over in several sessions"
    tx.apply(hand.change(memory, now, "edit", told))
    _witness(tx, now, cure, cure.witnesses, seq, hand.at)


def may_be_told_of(cure: Cure, hold: bool, vouch: Vouch) -> GateDecision:
    """Whether a cure may be told."""
    if cure.hold:
        return GateDecision("hold", cure.hold)
    commands = " ".join(f"`{command}`" for command in cure.advises)
    asked = may_be_told(cure.text, cure.trust, lambda text: vouch(commands or text), cure.tags)
    if hold and asked.outcome == "allow":
        return GateDecision("hold", "every finding waits for a person")
    return asked


def _new(work: WorkContext | ReaderContext, cure: Cure, at: str, asked: GateDecision) -> Lesson:
    """A new lesson, as a candidate; the ladder says what its witnesses make of it."""
    kind = kind_named(work.profile, cure.kind)
    return Lesson(
        id=work.ids(),
        project=work.project.id,
        text=cure.text,
        kind=kind,
        klass=class_of(work.profile, kind),
        category=cure.when,
        tags=cure.tags,
        source=cure.by,
        trust=cure.trust,
        gate=asked.outcome,
        gate_reason=asked.reason,
        signature=cure.subject,
        extra={ABOUT: _about(cure)} if cure.about else None,
        created_at=at,
        updated_at=at,
    )


def _about(cure: Cure) -> dict[str, list[str]]:
    return {program: [] for program in cure.about}


def _reword(tx: Transaction, memory: Lesson, cure: Cure, hand: Hand, vouch: Vouch) -> bool:
    """Whether the facts call for other words, and no person has chosen the words."""
    rest = {name: at for name, at in (memory.extra or {}).items() if name != ABOUT}
    extra = {**rest, ABOUT: _about(cure)} if cure.about else rest
    now = replace(memory, text=cure.text, tags=cure.tags, category=cure.when, extra=extra or None)
    if (now.text, now.tags, now.extra) == (memory.text, memory.tags, memory.extra):
        return False
    edits = tx.entries(memory=memory.id, verb="edit")
    if is_confirmed(memory) or any(entry.by != BY_NOTICING for entry in edits):
        return False
    asked = may_be_told_of(cure, False, vouch)
    if now.text != memory.text and asked.outcome != "allow":
        now = replace(now, gate=asked.outcome, gate_reason=asked.reason)
    tx.apply(hand.change(memory, now, "edit", "more was noticed"))
    return True


def _witness(
    tx: Transaction, memory: Lesson, cure: Cure, met: Iterable[Noted], seq: int, at: str
) -> None:
    """Write down each run that met the failure, once per run."""
    first: dict[str, Noted] = {}
    for each in met:
        first.setdefault(each.run, each)
    for run, each in first.items():
        one = each.incident
        tx.add_evidence(
            Evidence(
                memory=memory.id,
                project=memory.project,
                run=run,
                root=each.lineage,
                finding=short_hash(memory.project, run, BY_NOTICING, cure.subject),
                by=BY_NOTICING,
                tier="observed",
                place=one.place,
                quote=redact(f"{one.program}: {one.mark}"[:200]).text,
                at=at,
                seq=seq,
            )
        )
