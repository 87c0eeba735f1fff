"""Asking for one kind of memory at a time, as Ralph's loop does: the best estimate, the conventions of some files, the
failures behind some errors, the most relevant of all; and what the memory holds, in figures.

Everything goes by the rankers and limits that the profile names. A learning that was never used scores zero by Ralph's
own formula (`log10(uses + 1)`), so that its oldest came first; equal scores go here by confidence and success.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.profile import Profile, task_type_of
from tacit.core.rows import scope_projects
from tacit.core.states import ACTIVE, barred
from tacit.core.value import value
from tacit.hooks.events import Query
from tacit.lesson import Lesson
from tacit.origins.ranked import Facts, Ranked, asked, ordered, success_of

if TYPE_CHECKING:
    from tacit.store.reads import Store

CONVENTIONS = 5  # at most, where they are asked for by file; a prompt gets fewer
TOP = 10


@value
class Candidate:
    """A memory in the order of writing."""

    memory: Lesson
    n: int
    channel: str = ""
    words: str = ""


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
        projects = scope_projects(project)
        found = store.select(
            projects, states=(ACTIVE,), equal={"gate": "allow"}, sort="old", limit=-1
        )
        self.hits = [
            Candidate(each, n) for n, each in enumerate(found) if not barred(each, projects)
        ]

    def query(
        self,
        *,
        kind: str = "",
        task_type: str = "",
        min_confidence: float = 0.0,
        min_success: float = 0.0,
        limit: int | None = None,
    ) -> list[Lesson]:
        """Memories by their facets and figures, the proven ones first."""
        fitting = [
            hit
            for hit in self.hits
            if (not kind or hit.memory.kind == kind)
            and (not task_type or hit.memory.task_type == task_type)
            and (hit.memory.tally.confidence or 0.0) >= min_confidence
            and success_of(hit.memory) >= min_success
        ]
        return [each.memory for each in self._proven(fitting)][:limit]

    def estimate(self, task_type: str, complexity: str = "") -> Lesson | None:
        """What such a task takes: of the complexity that is asked for, otherwise the best there is."""
        wanted = complexity or "medium"
        found = self.query(
            kind="estimate", task_type=task_type, min_confidence=self._floor("estimate")
        )
        return next(
            (each for each in found if _content(each).get("complexity") == wanted),
            found[0] if found else None,
        )

    def conventions(self, files: Sequence[str] = ()) -> list[Lesson]:
        """Conventions with an example among the files that are named, by parts of their names; all where none is named."""
        found = self.query(kind="convention", min_confidence=self._floor("convention"))
        fitting = [
            each
            for each in found
            if not files or any(part in name for part in files for name in _examples(each))
        ]
        return fitting[:CONVENTIONS]

    def antipatterns(
        self, errors: Sequence[str] = (), *, task: str = "", task_type: str = ""
    ) -> list[tuple[Lesson, float]]:
        """Failures to avoid: of this type of task, and of any other where an error names them; those that the errors name
        first, each with its confidence and what they add. "Returns anti-patterns matching error patterns, boosted in ranking."
        """
        kind = self.profile.kinds.get("antipattern")
        wanted = task_type or (self._task_type(task) if task else "")
        found = self.query(kind="antipattern", min_confidence=self._floor("antipattern"))
        lift = kind.error_lift if kind else 0.0
        scored = []
        for each in found:
            named = sum(error.lower() in each.text.lower() for error in errors if error)
            if named or not wanted or each.task_type == wanted:
                scored.append((each, (each.tally.confidence or 0.0) + lift * named))
        scored.sort(key=lambda each: -each[1])
        return scored[: kind.cap or None] if kind else scored

    def top(
        self, task: str = "", *, task_type: str = "", limit: int | None = None
    ) -> list[tuple[Lesson, float]]:
        """The most relevant of all kinds for a task, with their relevance."""
        wanted = asked(Query(task=task, task_type=task_type))
        found = ordered("relevance", self.hits, wanted, self.profile, Facts(self.now))
        return [(each.memory, each.parts["relevance"]) for each in found][
            : TOP if limit is None else limit
        ]

    def statistics(self) -> Statistics:
        """Counts by kind and type of task, mean figures, and what was used most."""
        every = [hit.memory for hit in self.hits]
        kinds, tasks = dict.fromkeys(self.profile.kinds, 0), dict[str, int]()
        for each in every:
            kinds[each.kind] = kinds.get(each.kind, 0) + 1
            tasks[each.task_type or "general"] = tasks.get(each.task_type or "general", 0) + 1
        used = max(every, key=lambda each: each.tally.uses, default=None)
        return Statistics(
            len(every),
            kinds,
            tasks,
            _mean([each.tally.confidence or 0.0 for each in every]),
            _mean([success_of(each) for each in every]),
            used if used is not None and used.tally.uses else None,
            max(
                (
                    max(each.updated_at, each.tally.seen_at or "", each.tally.last_used_at or "")
                    for each in every
                ),
                default="",
            ),
        )

    def _proven(self, hits: Sequence[Candidate]) -> list[Ranked]:
        order = {hit.memory.id: hit.n for hit in hits}
        found = ordered("proven", hits, asked(Query()), self.profile, Facts(self.now))
        return sorted(
            found, key=lambda each: (-each.score, -_merit(each.memory), order[each.memory.id])
        )

    def _floor(self, kind: str) -> float:
        known = self.profile.kinds.get(kind)
        return known.min_confidence if known else 0.0

    def _task_type(self, task: str) -> str:
        return task_type_of(self.profile, task)


def _merit(memory: Lesson) -> float:
    return (memory.tally.confidence or 0.0) * (success_of(memory) or 0.5)


def _content(memory: Lesson) -> Mapping[str, Any]:
    content = (memory.extra or {}).get("content")
    return content if isinstance(content, dict) else {}


def _examples(memory: Lesson) -> list[str]:
    examples = _content(memory).get("examples")
    return [*map(str, examples)] if isinstance(examples, list) else list(memory.paths)


def _mean(figures: Sequence[float]) -> float:
    return sum(figures) / len(figures) if figures else 0.0
