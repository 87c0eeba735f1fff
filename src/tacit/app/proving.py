"""Whether it helps: effect, audits, replays."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any

from tacit import formats
from tacit.app.opened import Opened
from tacit.core.digest import new_id
from tacit.core.errors import NotFound
from tacit.core.run import Run
from tacit.formats.source import FileSource
from tacit.prove.audit import Checked, Regression, check_run, regressions
from tacit.prove.backtest import Replayed, backtest
from tacit.prove.effect import CSV_COLUMNS, Effects, LessonEffect, effect_of, effects, heard_in, tidy
from tacit.prove.runs import RunAudit, audit_run
from tacit.prove.worth import heard_lines

LOOKED_AT = 1000  # of the newest sessions, among which the beginning of an id is looked for


class Proving(Opened):
    """Whether it helps: effect, audits, replays."""

    def effect(self, id: str = "") -> Effects:
        """The figures of the control group: one lesson, or all and the whole memory."""
        return effects(self.store, self.project_id, self.profile, self.get(id).id if id else "")

    def effect_of(self, id: str) -> LessonEffect:
        """The figures of one lesson, from its own uses alone."""
        return effect_of(self.store, self.project_id, self.profile, self.get(id))

    def effect_rows(self, id: str = "") -> Iterator[tuple[str, ...]]:
        """The uses as one tidy table, heads first: enough to redo every figure elsewhere."""
        only = self.get(id).id if id else ""
        yield CSV_COLUMNS
        uses = [use for use in self.store.all_uses(self.project_id) if not only or use.memory == only]
        yield from tidy(uses, self.store.all_marks(self.project_id))

    def heard_lines(self) -> list[str]:
        """What became of the person's own words, in sentences: given so often, came back so often; empty where nothing can be said."""
        found = heard_in(self.store, self.project_id, self.profile)
        return heard_lines(found) if found else []

    def audit(self, run: str = "", *, limit: int = 20, offset: int = 0) -> list[RunAudit]:
        """What a run, or each of the latest, was given, and what came back."""
        if run:
            found = self.store.find_run(self.project_id, run)
            latest = [] if found else self.store.runs(self.project_id, limit=LOOKED_AT)
            alike = [found] if found else [row for row in latest if row.foreign_id.startswith(run)]
            if len(alike) != 1:
                many = (
                    f"{run!r} fits {len(alike)} sessions." if alike else f"There is no session {run!r} in this project."
                )
                raise NotFound(many, "tacit audit lists the latest.")
            return [audit_run(self.store, alike[0])]
        return [audit_run(self.store, row) for row in self.store.runs(self.project_id, limit=offset + limit)[offset:]]

    def backtest(self, runs: Iterable[Run], profiles: Sequence[str] = ()) -> list[Replayed]:
        """Past runs replayed in order under one or more profiles, each lesson learned only from the past."""
        past = [*runs]
        wanted = [self.load_profile(name) for name in profiles] or [self.profile]
        return [backtest(past, profile, ids=new_id) for profile in wanted]

    def check(self, run: str) -> list[Checked]:
        """ArcheFlow's audit: which of the lessons that a run was given did one of its findings repeat?

        `run` is the id of a run that was learned, or the path of its file.
        """
        if not os.path.isfile(run):
            row = self.store.find_run(self.project_id, run)
            if row is not None and not row.learned_at:
                return []  # it was given lessons and has not come back yet
        current, _ = self._reread(run)
        return check_run(self.work, current)

    def regressions(self, run: str) -> list[Regression]:
        """Findings that were fixed in the run before this one and are back; `run` as for `check`."""
        current, before = self._reread(run)
        if before is None:
            return []
        fixes = (before.extra or {}).get("fixes", ())
        return regressions(fixes, [each.text for each in current.findings], before.id, self.profile.match.threshold)

    def _reread(self, run: str) -> tuple[Run, Run | None]:
        """A run from its file, and the one before it: by the host's own index, or by the order in which they were learned."""
        row = None if os.path.isfile(run) else self.store.find_run(self.project_id, run)
        path = row.path if row else run
        if not os.path.isfile(path):
            raise NotFound(f"There is no run {run!r} whose file can be read.", "Name a learned run, or its file.")
        source = FileSource(path)
        name = formats.detect(source)
        current = next(iter(formats.read(source, name)), None)
        if current is None:
            raise NotFound(f"There is no run in {path}.", "Name a run's own file.")
        beside = getattr(formats.get(name or ""), "previous", None)
        earlier = beside(source) if beside else None
        if earlier is None and row is not None:
            older = [
                each for each in self.store.runs(self.project_id, limit=-1) if each.seq < row.seq and each.learned_at
            ]
            earlier = FileSource(older[0].path) if older and os.path.isfile(older[0].path) else None
        return current, next(iter(formats.read(earlier)), None) if earlier else None


def lookback_part(name: str) -> Any:
    """A module of the look back, for surfaces: it needs neither store nor project, so it is handed out as it is."""
    if name not in ("report", "result", "excerpt", "html", "words", "estimate"):
        raise KeyError(name)
    return import_module(f"tacit.lookback.{name}")
