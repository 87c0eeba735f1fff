"""Whether it helps: effect and audits."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from tacit.core.errors import NotFound
from tacit.opened import Opened
from tacit.trial.audit import RunAudit, audit_run
from tacit.trial.effect import CSV_COLUMNS, Effects, effects, heard_again, statement_of, tidy
from tacit.trial.said_again import SaidAgain
from tacit.trial.statement import Statement

SESSIONS_SEARCHED = 1000  # of the newest sessions, among which the beginning of an id is looked for


class Proving(Opened):
    """Whether it helps: effect and audits."""

    def effect(self, id: str = "") -> Effects:
        """The figures of the control group: one lesson, or all and the whole memory."""
        return effects(self.store, self.project_id, self.profile, self.get(id).id if id else "")

    def effect_of(self, id: str) -> Statement:
        """What is known of one lesson, from its own uses alone."""
        return statement_of(self.store, self.project_id, self.profile, self.get(id))

    def said_again(self) -> SaidAgain:
        """How often the person had to say it again, wish by wish."""
        uses, alpha = self.store.all_uses(self.project_id), self.profile.effect.alpha
        return heard_again(self.store, self.project_id, uses, alpha)

    def effect_rows(self, id: str = "") -> Iterator[tuple[str, ...]]:
        """The uses as one tidy table, heads first: enough to redo every figure elsewhere."""
        only = self.get(id).id if id else ""
        yield CSV_COLUMNS
        uses = [
            use for use in self.store.all_uses(self.project_id) if not only or use.memory == only
        ]
        yield from tidy(uses, self.store.all_marks(self.project_id))

    def audit(self, run: str = "", *, limit: int = 20, offset: int = 0) -> list[RunAudit]:
        """What a run, or each of the latest, was given, and what came back."""
        if run:
            found = self.store.find_run(self.project_id, run)
            latest = [] if found else self.store.runs(self.project_id, limit=SESSIONS_SEARCHED)
            alike = [found] if found else [row for row in latest if row.foreign_id.startswith(run)]
            if len(alike) != 1:
                many = (
                    f"{run!r} fits {len(alike)} sessions."
                    if alike
                    else f"There is no session {run!r} in this project."
                )
                raise NotFound(many, "tacit desk lists the latest.")
            return [audit_run(self.store, alike[0])]
        return [
            audit_run(self.store, row)
            for row in self.store.runs(self.project_id, limit=offset + limit)[offset:]
        ]


def lookback_part(name: str) -> Any:
    """A module of the look back, for surfaces: it needs neither store nor project, so it is handed out as it is."""
    if name not in ("report", "result", "excerpt", "words", "estimate"):
        raise KeyError(name)
    return import_module(f"tacit.lookback.{name}")
