"""Between runs: sweep → merge → reflect → triage → page.

This conducts the sweep: what was not met fades, once per run or by days, and its ladder moves it with a reason. Idempotent
(a run is counted once, however often it is named), resumable, previewable, and bounded: a pass makes so many moves at
most, and what is left over becomes one proposal.
"""

from __future__ import annotations

import json

from tacit.core.clock import after_days
from tacit.core.value import replace, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tacit.core.profile import Profile
    from tacit.stores.sql import Project, RunRow
    from tacit.stores.sqlite import SqliteStore, Transaction

OPEN = ("candidate", "provisional", "stable", "canonical", "under_review", "decayed")
FADING = ("candidate", "provisional", "stable", "canonical")


@value
class Tended:
    """What a pass did."""

    run: str = ""
    counted: bool = False  # the run was counted now, and not before
    faded: int = 0  # lessons that lost a count
    stale: tuple[str, ...] = ()
    moves: tuple[tuple[str, str, str, str], ...] = ()  # (memory, from, to, reason)
    left: int = 0  # moves that were due beyond the bound of one pass
    dry_run: bool = False

    @property
    def archived(self) -> tuple[str, ...]:
        """Lessons that went into the archive."""
        return tuple(memory for memory, _, to, _ in self.moves if to == "archived")


def tend(
    store: SqliteStore,
    project: Project,
    profile: Profile,
    *,
    run: str = "",
    now: Callable[[], str],
    ids: Callable[[], str],
    dry_run: bool = False,
) -> Tended:
    """Let what was not met fade. `run` names the run that is over; without it, all learned runs count."""
    at = now()
    try:
        with store.write(confidence=profile.signals) as tx:
            report = _sweep(tx, project, profile, run, at, ids)
            if dry_run:
                raise _Preview
    except _Preview:
        return replace(report, dry_run=True)
    return report


class _Preview(Exception):
    """Leaves the transaction without writing."""


def _sweep(tx: Transaction, project: Project, profile: Profile, run: str, at: str, ids: Callable[[], str]) -> Tended:
    from tacit.stores.outgoing import faded_key, faded_to
    from tacit.tend.sweep import loss, mark_of

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
    return Tended(run, bool(run) and until > before, len(lost), tuple(marked), tuple(moves), left)


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
    from tacit.tend.sweep import stale

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
    from tacit.tend.sweep import BY, silenced

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
