"""Forgetting: a lesson that nobody met in sessions that could have met it is gone after a while,
unless silence cannot touch it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tacit.core.journal import Hand
from tacit.core.ladder import Asked
from tacit.core.moves import moved
from tacit.core.states import KEPT, UNDOUBTED, stage_of
from tacit.core.value import replace, value
from tacit.learn.due import due, runs_unmet
from tacit.store.counts import in_states
from tacit.store.due import in_order, last_entry, touched

if TYPE_CHECKING:
    from tacit.core.ladder import Move
    from tacit.lesson import Lesson
    from tacit.store.reads import WorkContext
    from tacit.store.writes import Transaction

LEAST, SHARE = 50, 0.2  # lessons that one pass moves at most, or this share of all, if that is more
AT_ONCE = 100  # lessons judged in one transaction: others get their turn in between
_BY = "fade"


@value
class Faded:
    """What a pass did."""

    moves: tuple[tuple[str, str, str, str], ...] = ()  # (lesson, from, to, reason)
    left: int = 0  # due beyond the bound
    expired: int = 0  # questions


@value
class _Place:
    """How far the last pass came."""

    at: str = ""
    entry: int = 0
    profile: str = ""
    runs: int = 0

    def kept(self) -> str:
        """As the store has it."""
        return f"{self.at}\t{self.entry}\t{self.profile}\t{self.runs}"


def fade(work: WorkContext) -> Faded:
    """One pass over a project."""
    store, project = work.store, work.project.id
    row = store.project(project)
    now = _Place(work.now(), last_entry(store), work.project.profile, row.run_seq if row else 0)
    last = _last(work, now)
    ran = work.profile.fade.exposure > 0 and now.runs > last.runs
    changed = touched(store, project, last.entry)
    found = due(store, project, last.at, now.at, ran=ran)
    ids = in_order(store, [*found, *changed])
    most = max(LEAST, int(SHARE * in_states(store, project, UNDOUBTED)))
    moves: list[tuple[str, str, str, str]] = []
    left = 0
    for start in range(0, len(ids), AT_ONCE):
        with work.write() as tx:
            for memory, move in _judged(tx, work, ids[start : start + AT_ONCE], now):
                if len(moves) == most:
                    left += 1
                    continue
                hand = Hand(_BY, now.at, profile=now.profile)
                tx.apply(moved(memory, move, work.profile, hand))
                moves.append(
                    (memory.id, stage_of(memory, work.profile.stages), move.to, move.reason)
                )
    with work.write() as tx:
        expired = close(tx, project, now.at)
        tx.put_meta(f"tend:{project}:tended", now.at)
        if not left:  # what is left must be found again
            tx.put_meta(_key(project), now.kept())
    return Faded(tuple(moves), left, expired)


def _last(work: WorkContext, now: _Place) -> _Place:
    """Where the last pass that left nothing ended, under the same way of remembering; else the
    beginning."""
    at, entry, profile, runs = [
        *work.store.meta(_key(work.project.id)).split("\t"),
        "",
        "",
        "",
        "",
    ][:4]
    same = profile == now.profile and at <= now.at
    return _Place(at, int(entry), profile, int(runs)) if at and same else _Place()


def _judged(
    tx: Transaction, work: WorkContext, ids: Sequence[str], now: _Place
) -> list[tuple[Lesson, Move]]:
    """Those of these lessons that have a move to make, and which."""
    found = []
    for memory in tx.memories(ids):
        if memory.project != work.project.id or memory.state not in KEPT:
            continue
        evidence = tx.evidence(memory.id)
        asked = Asked(now.at, "sweep", now.runs, runs_unmet(tx, memory, evidence, work.profile))
        ladder = work.profile.ladder
        move = ladder.advance(ladder.known(memory, work.profile, asked, evidence))
        if move is not None:
            found.append((memory, move))
    return found


def close(tx: Transaction, project: str, at: str) -> int:
    """Close questions whose time is over; their lessons keep their states."""
    over = [
        each
        for each in tx.proposals(project, state="open", limit=-1)
        if each.expires_at and each.expires_at <= at
    ]
    for each in over:
        told = "its time is over"
        tx.put_proposal(
            replace(each, state="expired", decided_by=_BY, decided_at=at, decision=told)
        )
    return len(over)


def _key(project: str) -> str:
    return f"tend:{project}:faded"
