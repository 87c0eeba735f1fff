"""Whether it helps: effect and audits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tacit.core.errors import NotFound
from tacit.trial.audit import RunAudit, audit_run
from tacit.trial.effect import CSV_COLUMNS, Effects, effects, heard_again, statement_of, tidy
from tacit.trial.said_again import SaidAgain
from tacit.trial.statement import Statement

if TYPE_CHECKING:
    from tacit.opened import Opened

SESSIONS_SEARCHED = 1000  # of the newest sessions, among which the beginning of an id is looked for


def effect(opened: Opened, id: str = "") -> Effects:
    """The figures of the control group: one lesson, or all and the whole memory."""
    return effects(opened.store, opened.project_id, opened.profile, opened.get(id).id if id else "")


def effect_of(opened: Opened, id: str) -> Statement:
    """What is known of one lesson, from its own uses alone."""
    return statement_of(opened.store, opened.project_id, opened.profile, opened.get(id))


def said_again(opened: Opened) -> SaidAgain:
    """How often the person had to say it again, wish by wish."""
    uses, alpha = opened.store.all_uses(opened.project_id), opened.profile.effect.alpha
    return heard_again(opened.store, opened.project_id, uses, alpha)


def effect_rows(opened: Opened, id: str = "") -> Iterator[tuple[str, ...]]:
    """The uses as one tidy table, heads first: enough to redo every figure elsewhere."""
    only = opened.get(id).id if id else ""
    yield CSV_COLUMNS
    uses = opened.store.all_uses(opened.project_id)
    mine = [use for use in uses if only in ("", use.memory)]
    yield from tidy(mine, opened.store.all_marks(opened.project_id))


def audit(opened: Opened, run: str = "", *, limit: int = 20, offset: int = 0) -> list[RunAudit]:
    """What a run, or each of the latest, was given, and what came back."""
    if run:
        found = opened.store.find_run(opened.project_id, run)
        latest = [] if found else opened.store.runs(opened.project_id, limit=SESSIONS_SEARCHED)
        alike = [found] if found else [row for row in latest if row.foreign_id.startswith(run)]
        if len(alike) != 1:
            none = f"There is no session {run!r} in this project."
            many = f"{run!r} fits {len(alike)} sessions." if alike else none
            raise NotFound(many, "tacit desk lists the latest.")
        return [audit_run(opened.store, alike[0])]
    latest = opened.store.runs(opened.project_id, limit=offset + limit)
    return [audit_run(opened.store, row) for row in latest[offset:]]
