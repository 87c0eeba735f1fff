"""How one lesson stands: small questions about its row and its tally that several rooms ask."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tacit.core.links import CONFIRMED, Evidence, sightings
from tacit.core.states import ACTIVE, stage_of
from tacit.lesson import LIKELY_AGAIN, Lesson, why_untossed

if TYPE_CHECKING:
    from tacit.core.profile import Profile

UNDECIDED = 20  # units without a verdict, from which a replay is offered
OFFERED_MOST = 3  # at once
DECISION = "decision"  # the kind of what was settled about the product
# Why a lesson left its last state. It decides what may bring it back: silence is forgiven, a person's no is not.
CAUSES = (
    "evidence",
    "person",
    "effect",
    "contradiction",
    "use",
    "review",
    "silence",
    "again",
    "merge",
)


def lasts(profile: Profile, memory: Lesson) -> bool:
    """Whether silence can do nothing to a lesson."""
    fade = profile.fade
    kept = memory.pinned or memory.klass in fade.never
    return kept or stage_of(memory, profile.stages) in fade.never_states


def is_order_of_a_day(memory: Lesson) -> bool:
    """Whether one session asked for it and its reader does not expect that it will be asked for again: nobody is told before it is."""
    extra = memory.extra or {}
    return extra.get("word") == "asked" and LIKELY_AGAIN not in extra and memory.tally.seen < 2


def is_product_detail(memory: Lesson) -> bool:
    """Whether a lesson is what one session settled about the product: told where it comes up, and
    rarely news for the person who settled it."""
    return memory.kind == DECISION and memory.tally.seen < 2


def cause_of(memory: Lesson) -> str:
    """Why it is in its state: a cause the ladder knows, or a person's name read as their word."""
    if not memory.closed_by:
        return "evidence"
    return memory.closed_by if memory.closed_by in CAUSES else "person"


def is_exempt(memory: Lesson, profile: Profile) -> bool:
    """Never on trial: a person's own word, by class, pinned, canonical, on a page or in a file that the host loads."""
    return bool(why_untossed(memory, profile.trial.exempt))


def is_confirmed(memory: Lesson) -> bool:
    """Whether this store's person worded it anew or approved it (`learn.confirm`)."""
    return bool((memory.tally.signals or {}).get(CONFIRMED))


def is_settled(memory: Lesson) -> bool:
    """Whether a person stands for these very words: nothing that is met later words them anew."""
    return memory.pinned or memory.on_page or is_confirmed(memory)


def since(evidence: Sequence[Evidence], when: str) -> int:
    """Independent sightings after a time."""
    return sightings([row for row in evidence if row.at > when])


def wants_replay(memory: Lesson) -> str:
    """Why past tasks should be done again with a lesson and without it: so many units could not tell."""
    if (
        memory.state != ACTIVE
        or memory.gate != "allow"
        or memory.verdict not in ("not yet known", "rare")
    ):
        return ""
    units = int((memory.tally.signals or {}).get("units", 0))
    return f"no verdict after {units} sessions" if units >= UNDECIDED else ""


def to_replay(memories: Iterable[Lesson]) -> list[tuple[Lesson, str]]:
    """The lessons for which a replay is offered, with the reason."""
    wanted = [(each, why) for each in memories if (why := wants_replay(each))]
    return sorted(wanted, key=lambda each: each[0].id)[:OFFERED_MOST]


def replay_command(id: str) -> str:
    """What a person types to see what a replay would do and cost."""
    return f"tacit replay {id} --agent 'claude -p {{prompt}}' --plan"
