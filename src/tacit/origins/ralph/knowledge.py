"""Asking for one kind of learning at a time, as Ralph's loop does: the best estimate, the conventions of some files, the
failures behind some errors, the most relevant of all; and what the memory holds, in figures.

A learning that was never used scores zero by Ralph's own formula (`log10(uses + 1)`), so that its oldest came first;
equal scores go here by confidence and success.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log10
from typing import TYPE_CHECKING, Any

from tacit.core.profile import Profile, task_type_of
from tacit.core.rows import scope_projects
from tacit.core.states import ACTIVE, barred
from tacit.core.value import value
from tacit.hooks.events import Query
from tacit.lesson import Lesson
from tacit.origins.ranked import Candidate, Facts, asked, success_of
from tacit.origins.ranking import ordered

if TYPE_CHECKING:
    from tacit.store.reads import Store

CONVENTIONS = 5  # at most, where they are asked for by file; a prompt gets fewer
TOP = 10


@value
class Statistics:
    """What the memory holds, in figures."""

    total: int
    by_kind: Mapping[str, int]
    by_task: Mapping[str, int]
    confidence: float  # means over all of them; 0 where there are none
    success: float
    most_used: Lesson | None  # None where none was ever used
    updated_at: str = ""  # when any of them was last changed, met or used


class Knowledge:
    """What one project knows at one time."""

    def __init__(self, store: Store, project: str, profile: Profile, now: str) -> None:
        self.profile, self.now = profile, now
        projects, equal = scope_projects(project), {"gate": "allow"}
        found = store.select(projects, states=(ACTIVE,), equal=equal, sort="old", limit=-1)
        self.learnings = [each for each in found if not barred(each, projects)]

    def query(
        self,
        *,
        kind: str = "",
        task_type: str = "",
        min_confidence: float = 0.0,
        min_success: float = 0.0,
        limit: int | None = None,
    ) -> list[Lesson]:
        """Learnings by their facets and figures, the proven ones first."""
        fitting = [
            each
            for each in self.learnings
            if (not kind or each.kind == kind)
            and (not task_type or each.task_type == task_type)
            and _sure(each) >= min_confidence
            and success_of(each) >= min_success
        ]
        return sorted(fitting, key=lambda each: (-_proven(each), -_merit(each)))[:limit]

    def estimate(self, task_type: str, complexity: str = "") -> Lesson | None:
        """What such a task takes: of the complexity that is asked for, otherwise the best there is."""
        found, wanted = self._sure_of("estimate", task_type), complexity or "medium"
        of_it = (each for each in found if _content(each).get("complexity") == wanted)
        return next(of_it, found[0] if found else None)

    def conventions(self, files: Sequence[str] = ()) -> list[Lesson]:
        """Conventions with an example among the files that are named, by parts of their names; all where none is named."""
        return [
            each
            for each in self._sure_of("convention")
            if not files or any(part in name for part in files for name in _examples(each))
        ][:CONVENTIONS]

    def antipatterns(
        self, errors: Sequence[str] = (), *, task: str = "", task_type: str = ""
    ) -> list[tuple[Lesson, float]]:
        """Failures to avoid: of this type of task, and of any other where an error names them; those that the errors name
        first, each with its confidence and what they add. "Returns anti-patterns matching error patterns, boosted in ranking."
        """
        kind = self.profile.kinds.get("antipattern")
        wanted = task_type or (task_type_of(self.profile, task) if task else "")
        scored = []
        for each in self._sure_of("antipattern"):
            named = sum(error.lower() in each.text.lower() for error in errors if error)
            if named or not wanted or each.task_type == wanted:
                scored.append((each, _sure(each) + (kind.error_lift if kind else 0.0) * named))
        scored.sort(key=lambda each: -each[1])
        return scored[: kind.cap or None] if kind else scored

    def top(
        self, task: str = "", *, task_type: str = "", limit: int | None = None
    ) -> list[tuple[Lesson, float]]:
        """The most relevant of all kinds for a task, with their relevance."""
        hits = [Candidate(each, n=n) for n, each in enumerate(self.learnings)]
        wanted = asked(Query(task=task, task_type=task_type))
        found = ordered("relevance", hits, wanted, self.profile, Facts(self.now))
        best = [(each.memory, each.parts["relevance"]) for each in found]
        return best[: TOP if limit is None else limit]

    def statistics(self) -> Statistics:
        """Counts by kind and type of task, mean figures, and what was used most."""
        every = self.learnings
        kinds = Counter(each.kind for each in every)
        used = max(every, key=lambda each: each.tally.uses, default=None)
        times = ((each.updated_at, each.tally.seen_at, each.tally.last_used_at) for each in every)
        return Statistics(
            len(every),
            {**dict.fromkeys(self.profile.kinds, 0), **kinds},
            Counter(each.task_type or "general" for each in every),
            _mean([_sure(each) for each in every]),
            _mean([success_of(each) for each in every]),
            used if used is not None and used.tally.uses else None,
            max((at or "" for each in times for at in each), default=""),
        )

    def _sure_of(self, kind: str, task_type: str = "") -> list[Lesson]:
        known = self.profile.kinds.get(kind)
        least = known.min_confidence if known else 0.0
        return self.query(kind=kind, task_type=task_type, min_confidence=least)


def _proven(memory: Lesson) -> float:
    """confidence × success × log10(uses + 1)"""
    return _merit(memory) * log10(memory.tally.uses + 1)


def _merit(memory: Lesson) -> float:
    """confidence × success; a success rate of 0 counts as a half."""
    return _sure(memory) * (success_of(memory) or 0.5)


def _sure(memory: Lesson) -> float:
    return memory.tally.confidence or 0.0


def _content(memory: Lesson) -> Mapping[str, Any]:
    content = (memory.extra or {}).get("content")
    return content if isinstance(content, dict) else {}


def _examples(memory: Lesson) -> list[str]:
    examples = _content(memory).get("examples")
    return [*map(str, examples)] if isinstance(examples, list) else list(memory.paths)


def _mean(figures: Sequence[float]) -> float:
    return sum(figures) / len(figures) if figures else 0.0
