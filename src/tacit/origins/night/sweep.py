"""What silence does to lessons in a project that is like an origin: counts fade, what was never
recalled is stale, the moves that its ladder finds due are made, or proposed where somebody must agree.

Its lessons are few, so each is judged every time; only what changes is written, a fifth of the
lessons at most, and the rest with the next pass. A plain project forgets as it does by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from tacit.core.clock import days_between
from tacit.core.journal import Change, Hand, change
from tacit.core.ladder import Asked
from tacit.core.links import LOST, Evidence, Mark
from tacit.core.moves import moved, proposed
from tacit.core.profile import Profile
from tacit.core.rows import Project, RunRow, run_id
from tacit.core.standing import lasts
from tacit.core.states import KEPT, UNDOUBTED, stage_of
from tacit.core.value import replace, value
from tacit.learn.due import runs_unmet
from tacit.learn.fade import AT_ONCE, LEAST, SHARE, close, fade
from tacit.lesson import Lesson, is_unrecalled
from tacit.origins.night.context import Night, StepReport
from tacit.store.counts import in_states as how_many
from tacit.store.due import in_order, in_states, may_have_faded
from tacit.store.outgoing import faded_key, faded_to

if TYPE_CHECKING:
    from tacit.store.writes import Transaction

    Writing = Callable[[], AbstractContextManager[Transaction]]

_BY = "tend"  # the name under which it writes


@value
class _Judged:
    """What became of one lesson."""

    stale: bool = False
    move: tuple[str, str, str, str] | None = None
    left: bool = False  # its move is beyond the bound of a pass
    asked: tuple[str, ...] = ()


def step(night: Night) -> StepReport:
    """Do it, and say what was done. A dry run is one transaction that is taken back: each part must see the one before."""
    if not night.profile.tend.night:
        return _forgotten(night)
    if not night.dry_run:
        return _swept(night, night.write)
    with night.write() as tx:
        return _swept(night, lambda: nullcontext(tx))


def _forgotten(night: Night) -> StepReport:
    """What a plain project does by itself once a day."""
    if night.dry_run:
        return StepReport("sweep", skipped="a project that is like no origin forgets by itself")
    with night.write() as tx:
        before = tx.find_run(night.project, night.run) if night.run else None
        row = _counted(tx, night, night.now()) if night.run else None
    done = fade(night.work)
    counted = row is not None and not (before and before.seq)
    figures = {"counted": counted, "expired": done.expired}
    return StepReport("sweep", len(done.moves), done.moves, left=done.left, figures=figures)


def _swept(night: Night, writing: Writing) -> StepReport:
    at, store, project = night.now(), night.store, night.project
    with writing() as tx:
        row = _counted(tx, night, at) if night.run else None
        now = tx.project(project)
        until, before = row.seq if row else now.run_seq if now else 0, faded_to(tx, project)
        run = row.id if row else ""
        lost = _fade(tx, night, until, before, run, at)
    most = max(LEAST, int(SHARE * how_many(store, project, UNDOUBTED)))
    ids = in_order(store, in_states(store, project, KEPT))
    judged: list[_Judged] = []
    for start in range(0, len(ids), AT_ONCE):
        with writing() as tx:
            for id in ids[start : start + AT_ONCE]:
                full = sum(each.move is not None for each in judged) >= most
                judged.append(_judge(tx, night, id, until, run, at, full))
    with writing() as tx:
        expired = close(tx, project, at)
    stale = tuple(id for id, each in zip(ids, judged) if each.stale)
    moves = tuple(each.move for each in judged if each.move)
    asked = tuple(id for each in judged for id in each.asked)
    figures = {
        "counted": row is not None and until > before,
        "faded": len(lost),
        "stale": stale,
        "expired": expired,
    }
    done, left = len(lost) + len(stale) + len(moves), sum(each.left for each in judged)
    return StepReport("sweep", done, moves, asked, left, figures=figures)


# -- counts that fade with runs --------------------------------------------------------------------


def _counted(tx: Transaction, night: Night, at: str) -> RunRow:
    """The run's row with its number: a run that was never learned is counted now, under its own name."""
    project: Project = night.work.project
    id = run_id(project.id, "cli", night.run)
    row = tx.find_run(project.id, night.run)
    row = row or RunRow(id, project.id, "cli", night.run, id, started_at=at)
    if not row.seq:
        row = replace(row, seq=tx.next_seq(project.id))
        tx.put_run(row)
    return row


def _fade(tx: Transaction, night: Night, until: int, before: int, run: str, at: str) -> list[str]:
    """What the runs up to `until` took off each lesson's count, written down with the place up to which that is known."""
    rules = night.profile.fade
    if not rules.runs_step or until <= before:
        return []
    lost = []
    may = may_have_faded(tx, night.project, before, until, rules.runs_step, UNDOUBTED)
    for memory in tx.memories(in_order(tx, may)):
        evidence = tx.evidence(memory.id)
        now = night.profile.own.faded(evidence, until)
        taken = now.lost + int((memory.tally.signals or {}).get(LOST, 0))
        if taken <= 0 or lasts(night.profile, memory):
            continue
        told = _not_seen(evidence, until, rules.runs_step)
        who = (memory.id, "", night.project, LOST, str(now.frequency))
        tx.add_mark(Mark(*who, -float(taken), run, _BY, told, at))
        lost.append(memory.id)
    tx.put_meta(faded_key(night.project), str(until))
    return lost


def _not_seen(evidence: Sequence[Evidence], until: int, step: int) -> str:
    last = max((row.seq for row in evidence if row.stance == "supports"), default=0)
    return f"not seen in the {until - last} runs since run {last}: {step} of them cost one"


# -- what is due ----------------------------------------------------------------------------------


def _judge(
    tx: Transaction, night: Night, id: str, until: int, run: str, at: str, full: bool
) -> _Judged:
    """Mark one lesson as stale, or fresh again; make the move that is due, or propose what lacks somebody's word."""
    memory, profile = tx.get(id), night.profile
    if memory.project != night.project or memory.state not in KEPT:
        return _Judged()
    evidence = tx.evidence(id)
    unmet = runs_unmet(tx, memory, evidence, profile)
    marked = _stale(memory, profile, Hand(_BY, at, profile=night.version), unmet)
    if marked is not None:
        tx.apply(marked)
        memory = tx.get(id)
    is_stale = marked is not None and bool(marked.memory.stale_at)
    ladder, asking = profile.ladder, Asked(at, "sweep", until, unmet)
    known = ladder.known(memory, profile, asking, evidence)
    move = ladder.advance(known)
    if move is not None and full:
        return _Judged(is_stale, left=True)
    if move is not None:
        tx.apply(moved(memory, move, profile, Hand(_BY, at, run, night.version)))
        was = stage_of(memory, profile.stages)
        return _Judged(is_stale, (memory.id, was, move.to, move.reason))
    asked = []
    for wanted in ladder.lacking(known):
        if not _was_asked(tx, memory, wanted.to):
            who = {"by": _BY, "at": at, "id": night.work.ids(), "project": night.project}
            question = proposed(memory, wanted, profile, **who)
            tx.put_proposal(question)
            asked.append(question.id)
    return _Judged(is_stale, asked=tuple(asked))


def _stale(memory: Lesson, profile: Profile, hand: Hand, unmet: int) -> Change | None:
    """A lesson that was not met for the stale days and never recalled, marked so; or met again, and fresh."""
    if memory.stale_at and (memory.tally.seen_at or "") > memory.stale_at:
        return change(memory, replace(memory, stale_at=""), hand, "stale", "met again")
    if memory.stale_at or memory.state not in UNDOUBTED or unmet < profile.fade.exposure:
        return None
    days = days_between(memory.tally.seen_at or memory.created_at, hand.at)
    if not is_unrecalled(memory, days, profile.fade.stale_days) or lasts(profile, memory):
        return None
    told = f"not met for {days:.0f} days and never recalled"
    marked = replace(memory, stale_at=hand.at)  # not `updated_at`: its time in this state goes on
    return change(memory, marked, hand, "stale", told)


def _was_asked(tx: Transaction, memory: Lesson, to: str) -> bool:
    """Whether this move is before somebody, or was since the lesson stands as it stands."""
    asked = [
        each
        for each in tx.proposals(memory=memory.id, state="", limit=-1)
        if (each.payload or {}).get("to") == to
    ]
    return any(each.state == "open" or each.created_at >= memory.updated_at for each in asked)
