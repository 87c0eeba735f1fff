"""Which lessons stand on a project's pages, and which have earned a line and wait for somebody's word.

A page is loaded by the host for every run, so nothing on it can be withheld: only what is canonical, exempt from trials or
pinned is proposed, and approving a line takes its lesson off trial. Where a ladder lets rules or a model approve the move to a
state of the page, what was met lately is put before them.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any

from tacit.core.clock import after_days
from tacit.core.digest import short_hash
from tacit.core.profile import Profile
from tacit.core.proposal import APPROVED, EXPIRED, OPEN
from tacit.core.states import ACTIVE, ENDING_VERDICTS, stage_of
from tacit.core.value import replace
from tacit.lesson import Lesson, is_found_once
from tacit.origins.night.context import LOOKBACK_DAYS, Context
from tacit.origins.night.layout import entry_of, rank, strength
from tacit.store.reads import Reads

if TYPE_CHECKING:
    from tacit.store.writes import Transaction

# facets that decide who has earned a line, and who is first
_ONE_WAY = "what is written on a page is taken in by tacit data import"
_TOLD = ("state", "klass", "gate", "verdict", "severity", "pinned", "on_page")


def lessons_on_pages(store: Reads, project: str) -> list[Lesson]:
    """The lessons that stand on this project's pages."""
    found = store.select(
        [project], states=(ACTIVE,), equal={"on_page": 1, "gate": "allow"}, sort="old", limit=-1
    )
    return [memory for memory in found if memory.verdict not in ENDING_VERDICTS and memory.text]


def worthy(context: Context, most: int | None = None) -> list[Lesson]:
    """Lessons that have earned a line and have none, strongest first: canonical ones, exempt ones, pinned ones.

    Of more than `most`, group by group as `strength` orders them; in a group that has too many, those met most often in the whole project
    come before those written first.
    """
    store, project, profile = context.store, context.project.id, context.profile
    found: dict[str, Lesson] = {}
    limit = -1 if most is None else most
    groups = sorted(_earned(context), key=lambda group: rank(group[0]))
    for _, equals in groupby(groups, key=lambda group: rank(group[0])):
        if most is not None and len(found) >= most:
            break
        for facets, rows in equals:
            fitting = store.select(
                [project], states=(facets["state"],), equal=facets, sort="old", limit=limit
            )
            fitting += (
                [hit.memory for hit in store.recurring([project], limit=limit)]
                if 0 <= limit < rows
                else []
            )
            found |= {memory.id: memory for memory in fitting if has_earned(memory, profile)}
    return sorted(found.values(), key=strength)[:most]


def has_earned(memory: Lesson, profile: Profile) -> bool:
    """Whether a lesson has earned a line and has none."""
    return (
        bool(memory.text)
        and not memory.on_page
        and not is_found_once(memory)
        and _fits(memory.__dict__, profile)
    )


def earned(context: Context) -> int:
    """How many lessons have earned a line and have none."""
    return sum(rows for _, rows in _earned(context))


def _earned(context: Context) -> list[tuple[dict[str, Any], int]]:
    counted = context.store.counted([context.project.id], _TOLD)
    groups = [(dict(zip(_TOLD, words)), rows) for *words, rows in counted]
    return [
        (facets, rows)
        for facets, rows in groups
        if not facets["on_page"] and _fits(facets, context.profile)
    ]


def _fits(facets: Mapping[str, Any], profile: Profile) -> bool:
    may = (
        facets["state"] == ACTIVE
        and facets["gate"] == "allow"
        and facets["verdict"] not in ENDING_VERDICTS
    )
    earned = (
        facets["pinned"]
        or (profile.page.states and facets["state"] == ACTIVE)
        or facets["klass"] in profile.trial.exempt
    )
    return may and bool(earned or profile.ladder.lifts(profile))


def _is_due(memory: Lesson, profile: Profile, at: str) -> bool:
    """Whether a lesson is put before the tiers now: what only they could lift, while it is news."""
    if (
        stage_of(memory, profile.stages) not in profile.ladder.lifts(profile)
        or memory.pinned
        or memory.klass in profile.trial.exempt
    ):
        return True
    met = max(memory.tally.seen_at or "", memory.created_at)
    return met >= after_days(at, -LOOKBACK_DAYS)


def propose(tx: Transaction, context: Context) -> tuple[str, ...]:
    """A proposal for each lesson that has earned a line; one that was turned down stays quiet until more is known of it."""
    profile, at = context.profile, context.now()
    _mark(tx, context, at)
    made: list[str] = []
    room = profile.page.max_lines - len(lessons_on_pages(tx, context.project.id))
    for memory in worthy(context, max(0, room)):
        if not _is_due(memory, profile, at):
            continue
        key = short_hash(
            "put",
            memory.id,
            memory.state,
            memory.verdict,
            str(memory.tally.seen),
            str(memory.pinned),
        )
        asked = [each for each in tx.proposals(memory=memory.id, state="") if each.kind == "page"]
        if any(each.state == OPEN or (each.payload or {}).get("key") == key for each in asked):
            continue
        entry = entry_of(memory, profile.page)
        by_class = f"class {memory.klass}" if memory.klass in profile.trial.exempt else "met lately"
        why = (
            "pinned"
            if memory.pinned
            else stage_of(memory, profile.stages)
            if stage_of(memory, profile.stages) in profile.page.states
            else by_class
        )
        said = {"section": entry.section, "text": memory.text, "line": entry.said}
        payload = {"act": "put", "path": "", "memory": memory.id, **said, "key": key}
        told = f"has earned a line under {entry.section} ({why}): {entry.said}"
        made.append(context.propose(tx, "page", told, memory.id, payload=payload, tier="rules"))
    return tuple(made)


def _mark(tx: Transaction, context: Context, at: str) -> None:
    """Mark proposals for a line: the lesson stands on its page by now, has lost its claim, or nobody answered."""
    for each in tx.proposals(context.project.id, state=OPEN, limit=-1):
        if each.kind != "page":
            continue
        by, state, why = context.by, EXPIRED, "its time is over" if each.expires_at <= at else ""
        if (each.payload or {}).get("act") != "put":
            tx.put_proposal(
                replace(each, state=state, decided_by=by, decided_at=at, decision=_ONE_WAY)
            )
            continue
        memory = tx.get(each.memory)
        if memory.on_page:
            last = tx.entries(memory=each.memory, verb="page", newest=True, limit=1)
            by, state, why = last[0].by if last else by, APPROVED, "stands on its page"
        elif not has_earned(memory, context.profile):
            why = "the lesson has lost its claim to a line"
        if why:
            tx.put_proposal(replace(each, state=state, decided_by=by, decided_at=at, decision=why))
