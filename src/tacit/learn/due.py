"""What may have come due since the last pass, found by range."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tacit.core.clock import after_days
from tacit.core.ladder import CONTRADICTED, REVIEW_DAYS, UNREVIEWED_DAYS, UNSEEN_DAYS
from tacit.core.links import Evidence
from tacit.core.profile import GENERAL, Profile
from tacit.core.states import ACTIVE, DOUBTED, WAITING
from tacit.lesson import Lesson
from tacit.store.due import by_tally, in_range, runs_that_could

if TYPE_CHECKING:
    from tacit.store.reads import Reads

# Lines that a date may cross: which date, how many days after it, and of lessons in which state.
_WINDOWS = (
    ("state", UNREVIEWED_DAYS, DOUBTED),
    ("seen", UNSEEN_DAYS, WAITING),
    ("age", UNSEEN_DAYS, WAITING),
    ("review", 0, ACTIVE),
    ("seen", REVIEW_DAYS, ACTIVE),
    ("uses", REVIEW_DAYS, ACTIVE),
)


def due(store: Reads, project: str, since: str, at: str, *, ran: bool = False) -> list[str]:
    """Lessons one of whose dates crossed a line between two times, or that were contradicted too
    often. `ran`: there were sessions since, and what only waited for those may be due as well."""
    found: dict[str, None] = {}
    if ran:
        found.update(dict.fromkeys(_waited(store, project, at)))
    for of, days, state in _WINDOWS:
        low = after_days(since, -days) if since else ""
        high = after_days(at, -days)
        found.update(dict.fromkeys(in_range(store, project, of, low, high, (state,))))
    doubtful = by_tally(store, project, "contradicted", ">=", CONTRADICTED, (ACTIVE,))
    return [*found, *(id for id in doubtful if id not in found)]


def _waited(store: Reads, project: str, at: str) -> Iterator[str]:
    """What is past its date and waits for sessions alone."""
    unseen = after_days(at, -UNSEEN_DAYS)
    for of in ("seen", "age"):
        yield from in_range(store, project, of, "", unseen, (WAITING,))
    period = after_days(at, -REVIEW_DAYS)
    recent = {
        id for of in ("seen", "uses") for id in in_range(store, project, of, period, "9", (ACTIVE,))
    }
    overdue = in_range(store, project, "review", "", at, (ACTIVE,))
    yield from (id for id in overdue if id not in recent)


def runs_unmet(store: Reads, memory: Lesson, evidence: Sequence[Evidence], profile: Profile) -> int:
    """How many runs of its project could have met or used a lesson since one did or it came to
    its state; counted up to the bound."""
    if not profile.fade.exposure:
        return 0
    last = max((row.seq for row in evidence if row.stance == "supports"), default=0)
    since = max(memory.tally.last_used_at or "", memory.updated_at or memory.created_at)
    general = memory.domain in ("", GENERAL)
    domain = "" if general else memory.domain
    return runs_that_could(
        store, memory.project, last, since, memory.agent, domain, profile.fade.exposure
    )


def crossed(
    store: Reads, project: str, days: float, since: str, at: str, states: Sequence[str]
) -> list[str]:
    """Memories that were last met, or made, so many days ago or more, and not yet so long at the
    time before."""
    low, high = after_days(since, -days) if since else "", after_days(at, -days)
    return [id for of in ("seen", "age") for id in in_range(store, project, of, low, high, states)]
