"""Which memories fit a query in an origin's way, best first: by whatever its profile's ranker goes by, with its limits, floor and ties.

Every number that a person may want to set comes from the profile; each score is given with its parts, so that it can be explained.
"""

from __future__ import annotations

from tacit.core.clock import DAY, seconds
from tacit.core.profile import GENERAL, task_type_of
from tacit.core.standing import lasts
from tacit.core.value import value
from tacit.lesson import frequency_of, is_found_once, is_unrecalled, path_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from tacit.core.profile import Profile
    from tacit.hooks.events import Query
    from tacit.lesson import Lesson

    class Hit(Protocol):
        """A candidate as a store finds it."""

        @property
        def memory(self) -> Lesson: ...
        @property
        def channel(self) -> str: ...  # who found it: words, signature, recurring, standing, before
        @property
        def n(self) -> int: ...  # order of writing


FILES = 32  # files of one query that are looked at; a query that names more says nothing by them


@value
class Asked:
    """A query as rankers read it."""

    query: Query
    files: tuple[str, ...] = ()
    nothing: bool = False  # neither task nor error nor file was given


def asked(query: Query) -> Asked:
    """A query with its files as they are compared."""
    files = tuple(dict.fromkeys(path for path in map(path_of, query.files[:FILES]) if path))
    said = query.task.strip() or files or any(error.strip() for error in query.errors)
    return Asked(query, files, not said)


@value
class Candidate:
    """A memory to be ranked, where no search found it."""

    memory: Lesson
    channel: str = ""
    n: int = 0


@value
class Facts:
    """What the world knows at the moment of asking."""

    now: str
    met: Mapping[int, float] = {}  # row -> how much of the question it meets, where found


@value
class Ranked:
    """A memory, how well it fits, and why."""

    memory: Lesson
    score: float
    parts: Mapping[str, float]
    channel: str = ""
    caution: bool = False  # to be given as a suggestion, not a rule
    signer: str = ""  # of a team mate's lesson


def unfit(memory: Lesson, asked: Asked, profile: Profile, now: str) -> str:
    """Why a memory is not for this query; empty if it may be ranked."""
    query, settings = asked.query, profile.rank
    if is_anothers(memory, query.agent):
        return "other agent"
    if query.agent and "subagent" in memory.text.replace("-", "").lower():
        return "says who should do it: for whoever starts sub-agents"
    if not profile.trust.once and is_found_once(memory):
        return "found once"
    if query.category and memory.category != query.category:
        return "other category"
    if query.kind and query.kind not in (memory.kind, memory.klass):
        return "other kind"
    if len(" ".join(memory.text.split())) < settings.min_chars:
        return "too short"
    if settings.drop_stale and (memory.stale_at or is_forgotten(memory, profile, now)):
        return "stale" if memory.stale_at else "never recalled"
    kind = profile.kinds.get(memory.kind)
    if kind is not None:
        if kind.min_confidence and (memory.tally.confidence or 0.0) < kind.min_confidence:
            return "confidence too low"
        if kind.min_success and success_of(memory) < kind.min_success:
            return "success rate too low"
        if kind.same_task and memory.task_type and memory.task_type != task_type(asked, profile):
            return "other task type"
    seen = frequency_of(memory)
    if settings.universal_at and seen >= settings.universal_at:
        return ""
    if seen < settings.min_frequency and memory.klass != "preference":
        return "seen too rarely"
    if settings.by_domain and query.domain and memory.domain not in ("", query.domain, GENERAL):
        return "other domain"
    if (query.main or (settings.by_agent and query.agent)) and memory.agent not in (
        "",
        query.agent,
    ):
        return "other agent"
    return ""


def is_anothers(memory: Lesson, agent: str) -> bool:
    """Whether a memory is kept for one agent and another asks, or one that gives no name: in every project it would reach everybody."""
    return memory.scope == "agent" and memory.agent != agent


def is_forgotten(memory: Lesson, profile: Profile, now: str) -> bool:
    """Older than the stale days and never recalled, unless it is of a kind that silence cannot touch."""
    if lasts(profile, memory):
        return False
    days = days_since(memory.tally.seen_at or memory.created_at, now)
    return is_unrecalled(memory, days, profile.fade.stale_days)


def success_of(memory: Lesson) -> float:
    """The share of its iterations that succeeded; a half where nobody said."""
    return (memory.tally.signals or {}).get("success_rate", 0.5)


def task_type(asked: Asked, profile: Profile) -> str:
    """The type of the asked task: given, or told from its text."""
    return asked.query.task_type or task_type_of(profile, asked.query.task)


def days_since(then: str, now: str) -> float:
    """Days between two times; 0 where the first is unknown or still to come."""
    start = seconds(then)
    return max(0.0, seconds(now) - start) / DAY if start else 0.0
