"""What silence does to lessons, as pure judgements: which lost a count, which is stale, which its ladder moves.

Fading is a function; nothing is rewritten until it crosses a threshold. A sweep therefore only asks those that may have
crossed one since the last sweep, and writes only for those that did.
"""

from __future__ import annotations

import json

from tacit.core import clock
from tacit.core.clock import after_days
from tacit.core.fade import LOST, of_evidence, strength
from tacit.core.journal import change
from tacit.core.lifecycle import advance, lasts
from tacit.core.links import Mark
from tacit.core.standing import standing_of
from tacit.core.value import replace, value
from tacit.tend.context import StepReport

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from tacit.core.journal import Change
    from tacit.core.lifecycle import Move
    from tacit.core.links import Evidence
    from tacit.core.memory import Memory
    from tacit.core.profile import Profile
    from tacit.stores.sql import Project, RunRow
    from tacit.stores.sqlite import Transaction
    from tacit.tend.context import Context

OPEN = ("candidate", "provisional", "stable", "canonical", "under_review", "decayed")
FADING = ("candidate", "provisional", "stable", "canonical")
BY = "tend"  # the name under which it writes


@value
class Loss:
    """What fading took off a lesson's count since the last sweep."""

    memory: str
    taken: int
    left: int
    reason: str


def loss(memory: Memory, evidence: Sequence[Evidence], profile: Profile, until: int) -> Loss | None:
    """What the runs up to `until` took off a lesson; None where nothing, or where silence cannot touch it."""
    if profile.fade.function != "runs" or _keeps(memory, profile):
        return None
    now = of_evidence(evidence, until, profile.fade.runs_step)
    before = -int((memory.tally.signals or {}).get(LOST, 0))
    if now.lost <= before:
        return None
    last = max((row.seq for row in evidence if row.stance == "supports"), default=0)
    told = f"not seen in the {until - last} runs since run {last}: {profile.fade.runs_step} of them cost one"
    return Loss(memory.id, now.lost - before, now.frequency, told)


def mark_of(lost: Loss, project: str, run: str, at: str) -> Mark:
    """A loss, written down."""
    return Mark(lost.memory, "", project, LOST, str(lost.left), -float(lost.taken), run, BY, lost.reason, at)


def stale(memory: Memory, profile: Profile, now: str, *, profile_version: str) -> Change | None:
    """A lesson that is older than the stale days and was never used, marked as such; None where it is not."""
    fade = profile.fade
    if not fade.stale_days or memory.stale_at or memory.tally.uses or _keeps(memory, profile):
        return None
    days = clock.days_between(memory.tally.seen_at or memory.created_at, now)
    if days <= fade.stale_days:
        return None
    told = f"not met for {days:.0f} days and never used"
    marked = replace(memory, stale_at=now, updated_at=memory.updated_at)
    return change(memory, marked, verb="stale", by=BY, reason=told, at=now, profile=profile_version)


def silenced(memory: Memory, evidence: Sequence[Evidence], profile: Profile, now: str, *, run_seq: int) -> Move | None:
    """The move that a lesson's ladder makes by itself when it is swept."""
    fade = profile.fade
    days = clock.days_between(memory.tally.seen_at or memory.created_at, now)
    standing = standing_of(
        memory,
        profile,
        now,
        evidence=evidence,
        moment="sweep",
        run_seq=run_seq,
        strength=strength(fade, days, stale=bool(memory.stale_at)),
    )
    return advance(profile, standing)


def _keeps(memory: Memory, profile: Profile) -> bool:
    return lasts(profile, standing_of(memory, profile, memory.updated_at))


def step(context: Context) -> StepReport:
    """Let what was not met fade, and make the moves that are due."""
    with context.write() as tx:
        return _sweep(tx, context.project, context.profile, context.run, context.now(), context.ids)


def _sweep(tx: Transaction, project: Project, profile: Profile, run: str, at: str, ids: Callable[[], str]) -> StepReport:
    from tacit.stores.outgoing import faded_key, faded_to

    row = _counted(tx, project, run, at) if run else None
    until = row.seq if row else _last_run(tx, project)
    before = faded_to(tx, project.id)
    lost: list[str] = []
    if profile.fade.function == "runs" and until > before:
        for id in _may_have_faded(tx, project.id, before, until, profile.fade.runs_step):
            found = loss(tx.get(id), tx.evidence(id), profile, until)
            if found is not None:
                tx.add_mark(mark_of(found, project.id, row.id if row else "", at))
                lost.append(id)
        tx.put_meta(faded_key(project.id), str(until))
    marked = _mark_stale(tx, project, profile, at)
    moves, left = _move(tx, project, profile, [*lost, *_due(tx, project, profile, at)], until, row, at, ids)
    facts = {"counted": bool(run) and until > before, "faded": len(lost), "stale": tuple(marked)}
    return StepReport("sweep", len(lost) + len(marked), tuple(moves), left=left, facts=facts)


def _counted(tx: Transaction, project: Project, run: str, at: str) -> RunRow:
    """The run's row with its number: a run that was never learned is counted now, under its own name."""
    from tacit.stores.sql import RunRow, run_id

    id = run_id(project.id, "cli", run)
    row = tx.find_run(project.id, run) or RunRow(id, project.id, "cli", run, id, started_at=at)
    if not row.seq:
        row = replace(row, seq=tx.next_seq(project.id))
        tx.put_run(row)
    return row


def _last_run(tx: Transaction, project: Project) -> int:
    now = tx.project(project.id)
    return now.run_seq if now else 0


def _may_have_faded(tx: Transaction, project: str, before: int, until: int, step: int) -> list[str]:
    """Lessons that may have lost a count between two runs; the exact judgement is `sweep.loss`."""
    # What came from elsewhere brings its own quiet runs: as if it had been last seen so many runs earlier.
    rows = tx.rows(
        "SELECT memory FROM (SELECT e.memory, coalesce(max(CASE WHEN e.opening = 0 THEN e.seq END), -1) AS seen,"
        "  coalesce(max(CASE WHEN e.opening = 1 THEN e.seq END), 0) AS came,"
        "  min(coalesce(sum(CASE WHEN e.signal = 'unseen' THEN e.amount END), 0), :step - 1) AS quiet"
        "  FROM evidence e JOIN memory m ON m.id = e.memory"
        "  WHERE m.project = :p AND m.state IN (SELECT value FROM json_each(:states))"
        "  AND e.stance = 'supports' AND e.signal IN ('seen', 'unseen') GROUP BY e.memory)"
        " WHERE seen > :before OR CASE WHEN seen > came THEN (:until - seen) / :step > (:before - seen) / :step"
        "  ELSE CAST(:until - came + quiet AS INTEGER) / :step > CAST(max(:before, came) - came + quiet AS INTEGER) / :step END",
        p=project, states=json.dumps(FADING), before=before, until=until, step=step,
    )  # fmt: skip
    return [row[0] for row in rows]


def _mark_stale(tx: Transaction, project: Project, profile: Profile, at: str) -> list[str]:
    if not profile.fade.stale_days:
        return []
    rows = tx.rows(
        "SELECT id FROM memory WHERE project = :p AND stale_at = '' AND created_at < :before"
        " AND state IN (SELECT value FROM json_each(:states))"
        " AND NOT EXISTS (SELECT 1 FROM tally t WHERE t.memory = id AND t.signal = 'uses') LIMIT :limit",
        p=project.id, states=json.dumps(FADING), before=after_days(at, -profile.fade.stale_days),
        limit=_bound(tx, project, profile),
    )  # fmt: skip
    marked = []
    for (id,) in rows:
        change = stale(tx.get(id), profile, at, profile_version=project.profile)
        if change is not None:
            tx.apply(change)
            marked.append(id)
    return marked


def _due(tx: Transaction, project: Project, profile: Profile, at: str) -> list[str]:
    """Lessons whose time may have come by dates and figures."""
    rows = tx.rows(
        "SELECT m.id FROM memory m WHERE m.project = :p AND m.state IN (SELECT value FROM json_each(:states)) AND ("
        " (m.review_after <> '' AND m.review_after < :now) OR (m.state = 'candidate' AND m.updated_at < :unmet)"
        " OR (m.state = 'decayed' AND m.updated_at < :decayed) OR m.state = 'under_review'"
        " OR (m.stale_at <> '' AND m.created_at < :pruned)"
        " OR EXISTS (SELECT 1 FROM tally t WHERE t.memory = m.id AND (t.signal = 'confidence' AND t.amount < 0.3"
        "  OR t.signal = 'contradicted' AND t.amount >= :against))) ORDER BY m.n",
        p=project.id, states=json.dumps(OPEN), now=at, unmet=after_days(at, -profile.tend.candidate_days),
        decayed=after_days(at, -profile.tend.archive_days), pruned=after_days(at, -profile.tend.prune_days),
        against=profile.ladder.contradictions,
    )  # fmt: skip
    return [row[0] for row in rows]


def _move(
    tx: Transaction,
    project: Project,
    profile: Profile,
    ids: list[str],
    until: int,
    row: RunRow | None,
    at: str,
    new_id: Callable[[], str],
) -> tuple[list[tuple[str, str, str, str]], int]:
    """The moves that are due, up to the bound of one pass; what is beyond it is proposed, once."""
    from tacit.core.moves import moved

    most, left = _bound(tx, project, profile), 0
    moves: list[tuple[str, str, str, str]] = []
    for id in dict.fromkeys(ids):
        memory = tx.get(id)
        move = silenced(memory, tx.evidence(id), profile, at, run_seq=until)
        if move is None:
            continue
        if len(moves) >= most:
            left += 1
            continue
        run = row.id if row else ""
        tx.apply(moved(memory, move, profile, by=BY, at=at, run=run, profile_version=project.profile))
        moves.append((id, memory.state, move.to, move.reason))
    if left:
        _propose(tx, project, profile, left, most, at, new_id())
    return moves, left


def _bound(tx: Transaction, project: Project, profile: Profile) -> int:
    active = tx.one(
        "SELECT count(*) FROM memory WHERE project = :p AND state IN (SELECT value FROM json_each(:states))",
        p=project.id, states=json.dumps(FADING),
    )[0]  # fmt: skip
    return max(profile.tend.least, int(profile.tend.share * active))


def _propose(tx: Transaction, project: Project, profile: Profile, left: int, most: int, at: str, id: str) -> None:
    from tacit.core.proposal import Proposal

    if any(waiting.kind == "tend" for waiting in tx.proposals(project.id, state="open")):
        return
    payload: dict[str, Any] = {"left": left, "bound": most}
    told = f"{left} more moves are due than the {most} of one pass"
    expires = after_days(at, profile.triage.expire_days)
    tx.put_proposal(
        Proposal(id, project.id, "tend", told, "tend", at, tier="person", payload=payload, expires_at=expires)
    )
