"""Let a memory's ladder speak."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tacit.core.journal import Hand
from tacit.core.ladder import Asked, Move
from tacit.core.moves import moved, proposed, was_answered
from tacit.core.profile import Profile
from tacit.core.rows import Project
from tacit.core.states import stage_of
from tacit.core.value import replace, value
from tacit.lesson import Lesson

if TYPE_CHECKING:
    from tacit.store.writes import Transaction

QUOTED_CHARS = (
    160  # characters of the line that a lesson was drawn from, where somebody is asked about it
)
RUNGS = 4  # a memory may climb at once; a ladder that needs more is a loop


@value
class Promoted:
    """The moves that were made, (memory, from, to, reason), and how many proposals."""

    moves: tuple[tuple[str, str, str, str], ...] = ()
    proposals: int = 0


def promote(
    tx: Transaction,
    project: Project,
    profile: Profile,
    id: str,
    *,
    by: str,
    at: str,
    ids: Callable[[], str],
    run: str = "",
    seq: int = 0,
    moment: str = "learn",
    figures: Callable[[], str] = str,
) -> Promoted:
    """Make every move the ladder allows by itself."""
    moves: list[tuple[str, str, str, str]] = []
    for _ in range(RUNGS):
        memory = tx.get(id)
        evidence = tx.evidence(id) if profile.ladder.asks_evidence(memory) else ()
        asked = Asked(at, moment, seq or project.run_seq)
        known = profile.ladder.known(memory, profile, asked, evidence)
        move = profile.ladder.advance(known)
        if move is not None and move.cause == "silence" and moment != "sweep":
            # Old runs are often learned late: what they say is news to us, and silence is for `tend` to judge.
            return Promoted(tuple(moves))
        if move is None:
            proposals = sum(
                _propose(tx, project, profile, memory, wanted, by, at, ids)
                for wanted in profile.ladder.lacking(known)
            )
            return Promoted(tuple(moves), proposals)
        if move.cause == "effect" and (told := figures()):
            move = replace(move, reason=f"{move.reason}. {told}")
        tx.apply(moved(memory, move, profile, Hand(by, at, run, project.profile)))
        moves.append((id, stage_of(memory, profile.stages), move.to, move.reason))
    return Promoted(tuple(moves))


def _propose(
    tx: Transaction,
    project: Project,
    profile: Profile,
    memory: Lesson,
    wanted: Move,
    by: str,
    at: str,
    ids: Callable[[], str],
) -> int:
    """Ask once, and again only when more is known."""
    if memory.gate == "hold":
        said = next((row.quote for row in tx.evidence(memory.id) if row.quote), "")
        wanted = replace(
            wanted, reason=memory.gate_reason + (f"; from: “{said[:QUOTED_CHARS]}”" if said else "")
        )
    if was_answered(tx.proposals(memory=memory.id, state=""), memory, wanted.to):
        return 0
    tx.put_proposal(proposed(memory, wanted, profile, by=by, at=at, id=ids(), project=project.id))
    return 1
