"""What is known of one memory, put together for its ladder.

The ladder asks about counts, dates and words; they stand in the memory's row, in its tally and in its evidence. This
is the one place that brings them together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tacit.core import clock
from tacit.core.lifecycle import CAUSES, LadderFacts, review_days
from tacit.core.links import (
    CONFIRMED,
    CONTRADICTED,
    EARLY,
    Evidence,
    sightings,
)
from tacit.core.profile import Profile
from tacit.core.states import ACTIVE, stage_before, stage_of
from tacit.core.trust import WITNESSES
from tacit.lesson import (
    INSIDE,
    LIKELY_AGAIN,
    PERSONAL,
    Lesson,
    why_untossed,
)

UNDECIDED = 20  # units without a verdict, from which a replay is offered
OFFERED_MOST = 3  # at once
DECISION = "decision"  # the kind of what was settled about the product

# What only a memory's evidence knows. A lesson that every run meets has thousands of rows, and its ladder seldom asks.
BY_EVIDENCE = (
    "person",
    "witnessed",
    "seen_since",
    "seen_in_period",
    "evidence",
    "days_unseen",
    "runs_unseen",
)


_AS_DECIDED = (
    "kind",
    "klass",
    "trust",
    "pinned",
    "verdict",
    "under_review_count",
)


def is_order_of_a_day(memory: Lesson) -> bool:
    """Whether one session asked for it and its reader does not expect that it will be asked for again: nobody is told before it is."""
    extra = memory.extra or {}
    return extra.get("word") == "asked" and LIKELY_AGAIN not in extra and memory.tally.seen < 2


def is_product_detail(memory: Lesson) -> bool:
    """Whether a lesson is what one session settled about the product: told where it comes up, and rarely news for the person who settled
    it. Of 81 such lessons of two stores two readers wanted 20 and 33 and called 12 and 14 nonsense, of the other 213 128, 133, 5 and 7.
    """
    return memory.kind == DECISION and memory.tally.seen < 2


def standing_of(
    memory: Lesson,
    profile: Profile,
    now: str,
    *,
    evidence: Sequence[Evidence] = (),
    moment: str = "learn",
    approvals: tuple[tuple[str, str], ...] = (),
    run_seq: int = 0,
    strength: float = 1.0,
    unmet: int = 0,
) -> LadderFacts:
    """A memory's standing at a time. Without its evidence, what only evidence knows counts as nothing."""
    tally, signals = memory.tally, memory.tally.signals or {}
    changed = memory.updated_at or memory.created_at
    period = _period(memory, profile, changed, now)
    last_seq = max((row.seq for row in evidence if row.stance == "supports"), default=0)
    return LadderFacts(
        **{name: getattr(memory, name) for name in _AS_DECIDED},
        state=stage_of(memory, profile.stages),
        previous_state=stage_before(memory, profile.stages) or memory.previous_state,
        cause=cause_of(memory),
        moment=moment,
        person=memory.trust in PERSONAL
        or any(row.tier in PERSONAL and row.stance == "supports" for row in evidence),
        witnessed=memory.trust in WITNESSES
        or any(row.tier in WITNESSES and row.stance == "supports" for row in evidence),
        inside=profile.trust.once
        and bool((memory.extra or {}).get(INSIDE))
        and not is_order_of_a_day(memory),
        word=str((memory.extra or {}).get("word") or ""),
        held=memory.gate in ("hold", "quarantine"),
        refused=memory.gate == "discard",
        exempt=is_exempt(memory, profile),
        stale=bool(memory.stale_at),
        replaced=bool(memory.superseded_by),
        units=int(signals.get("units", 0)),
        tasks=int(signals.get("tasks", 0)),
        seen=tally.seen,
        seen_since=_since(evidence, changed),
        seen_in_period=_since(evidence, period),
        evidence=_pieces(evidence) or tally.seen,
        contradictions=tally.contradicted,
        confidence=tally.confidence,
        success_rate=signals.get("success_rate"),
        reuses=int(
            signals.get(
                "reuse", signals.get("successful_reuse", 0) + signals.get("failed_reuse", 0)
            )
        ),
        successful_reuses=int(signals.get("successful_reuse", 0)),
        failed_reuses=int(signals.get("failed_reuse", 0)),
        uses_in_period=int(bool(tally.last_used_at and tally.last_used_at > period)),
        recalls=int(signals.get("recalls", 0)),
        frequency=int(
            signals.get("frequency", max(1, tally.seen))
        ),  # a person's word was said once
        strength=strength,
        days_in_state=clock.days_between(changed, now),
        days_overdue=clock.days_between(memory.review_after, now) if memory.review_after else None,
        age_days=clock.days_between(memory.created_at, now),
        days_unseen=clock.days_between(
            max(
                (row.at for row in evidence if row.stance == "supports"), default=memory.created_at
            ),
            now,
        ),
        runs_unseen=_unseen(evidence, run_seq - last_seq) if run_seq else 0,
        runs_unmet=unmet,
        approvals=approvals,
    )


def _period(memory: Lesson, profile: Profile, changed: str, now: str) -> str:
    """When the period began in which a use or a sighting keeps it: so many days ago as its state is given, or when it came there."""
    days = review_days(profile, stage_of(memory, profile.stages))
    return max(changed, clock.after_days(now, -days)) if days else changed


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


def early_confidence(memory: Lesson, profile: Profile) -> float | None:
    """How sure one may be of a lesson before anything was measured: by how many runs met it, less what speaks against it.

    None where there is something better to go by: a figure that the profile keeps, the control group, a person's word.
    """
    tally = memory.tally
    if (
        tally.confidence is not None
        or (memory.tally.signals or {}).get("units")
        or memory.trust in PERSONAL
        or not tally.seen
    ):
        return None
    level = EARLY[min(tally.seen, len(EARLY)) - 1] + CONTRADICTED * tally.contradicted
    return round(min(1.0, max(0.0, level)), 10)


def _unseen(evidence: Sequence[Evidence], runs: int) -> int:
    """Runs without it: here, and those that it brought along from where it came."""
    brought = (
        sum(int(row.amount) for row in evidence if row.opening and row.signal == "unseen")
        if evidence
        else 0
    )
    seen_here = any(
        not row.opening and row.stance == "supports" and row.signal == "seen" for row in evidence
    )
    return max(0, runs + (0 if seen_here else brought)) if evidence else 0


def _pieces(evidence: Sequence[Evidence]) -> int:
    """Distinct documents that speak for it (evidence refs); one that says it twice is one."""
    supports = [row for row in evidence if row.stance == "supports" and row.signal == "seen"]
    brought = int(sum(row.amount for row in supports if row.opening))
    return brought + len(
        {(row.root or row.run or row.key, row.origin) for row in supports if not row.opening}
    )


def _since(evidence: Sequence[Evidence], when: str) -> int:
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
