"""What the origins ask of a memory under their own names: audits of a run, questions for one kind at a time."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tacit.core.errors import NotFound
from tacit.core.run import Run
from tacit.hosts import formats
from tacit.hosts.source import FileSource
from tacit.lesson import Lesson
from tacit.origins.verbs import Checked, Knowledge, Regression, check_run
from tacit.origins.verbs import regressions as came_undone

if TYPE_CHECKING:
    from tacit.opened import Opened


def check(opened: Opened, run: str) -> list[Checked]:
    """Which of the lessons that a run was given did one of its findings repeat?

    `run` is the id of a run that was learned, or the path of its file.
    """
    if not os.path.isfile(run):
        row = opened.store.find_run(opened.project_id, run)
        if row is not None and not row.learned_at:
            return []  # it was given lessons and has not come back yet
    current, _ = _reread(opened, run)
    return check_run(opened.work, current)


def regressions(opened: Opened, run: str) -> list[Regression]:
    """Findings that were fixed in the run before this one and are back; `run` as for `check`."""
    current, before = _reread(opened, run)
    if before is None:
        return []
    fixes = (before.extra or {}).get("fixes", ())
    return came_undone(
        fixes, [each.text for each in current.findings], before.id, opened.profile.match.threshold
    )


def _reread(opened: Opened, run: str) -> tuple[Run, Run | None]:
    """A run from its file, and the one before it: by the host's own index, or by the order in which they were learned."""
    row = None if os.path.isfile(run) else opened.store.find_run(opened.project_id, run)
    path = row.path if row else run
    if not os.path.isfile(path):
        raise NotFound(
            f"There is no run {run!r} whose file can be read.",
            "Name a learned run, or its file.",
        )
    source = FileSource(path)
    name = formats.detect(source)
    current = next(iter(formats.read(source, name)), None)
    if current is None:
        raise NotFound(f"There is no run in {path}.", "Name a run's own file.")
    beside = getattr(formats.get(name or ""), "previous", None)
    earlier = beside(source) if beside else None
    if earlier is None and row is not None:
        older = [
            each
            for each in opened.store.runs(opened.project_id, limit=-1)
            if each.seq < row.seq and each.learned_at
        ]
        earlier = FileSource(older[0].path) if older and os.path.isfile(older[0].path) else None
    return current, next(iter(formats.read(earlier)), None) if earlier else None


def knowledge(opened: Opened) -> Knowledge:
    """What is known, by kind: `query`, `estimate`, `conventions`, `antipatterns`, `top`, `statistics`."""
    return Knowledge(opened.store, opened.project_id, opened.profile, opened.now())


def estimate(opened: Opened, task_type: str, complexity: str = "") -> Lesson | None:
    """What a task of this type and complexity takes; None where nothing is known well enough."""
    return knowledge(opened).estimate(task_type, complexity)


def conventions(opened: Opened, files: Sequence[str] = ()) -> Sequence[Lesson]:
    """The project's conventions for files whose names hold one of these parts."""
    return knowledge(opened).conventions(files)


def antipatterns(
    opened: Opened, errors: Sequence[str] = (), *, task: str = "", task_type: str = ""
) -> Sequence[tuple[Lesson, float]]:
    """Failures to avoid, those that the errors name first, with their scores."""
    return knowledge(opened).antipatterns(errors, task=task, task_type=task_type)


def top(
    opened: Opened, task: str = "", *, task_type: str = "", limit: int = 10
) -> Sequence[tuple[Lesson, float]]:
    """The most relevant memories of all kinds for a task, with their relevance."""
    return knowledge(opened).top(task, task_type=task_type, limit=limit)
