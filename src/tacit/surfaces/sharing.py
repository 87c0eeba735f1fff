"""What leaves the house as one file: a report of some days, or one lesson. Reads the store, and hands what it found to the page."""

from __future__ import annotations

from typing import Any

from tacit.app import Memories
from tacit.core import clock
from tacit.core.errors import TacitError
from tacit.core.lifecycle import next_move
from tacit.core.standing import standing_of
from tacit.core.value import replace
from tacit.stores.shared import is_one_persons
from tacit.stores.story import by_day, run_names
from tacit.stores.story import story as events_of
from tacit.surfaces import standalone, story
from tacit.surfaces.one_screen import one_screen
from tacit.surfaces.views import for_you
from tacit.surfaces.wording import ahead, standing_words

_LINES = 60  # of a lesson's story


def report(memories: Memories, since: str, *, team: bool, version: str) -> str:
    """A report of the days since a time. For a team it leaves out what was only heard from one person, and says so."""
    found, fixes = one_screen(memories, since=since), fixes_of(memories)
    private: set[str] = set()
    if team:
        rows = [row.id for row in found.rows if not row.is_question]
        private = {each.id for each in memories.store.memories(rows) if is_one_persons(each)}
        found = replace(
            found,
            told=tuple(row for row in found.told if row.id not in private),
            new=tuple(row for row in found.new if not row.is_question and row.id not in private),
        )
        fixes = [each for each in fixes if each["kind"] != "request"]  # what one person asked for is theirs
    return standalone.report(
        found, fixes, since=since, at=memories.now(), signers=_signers(memories) if team else None, left_out=len(private), version=version
    )  # fmt: skip


def fixes_of(memories: Memories) -> list[dict[str, Any]]:
    """What only the person is told, with the line of the file as it stands and as it would, where it is about one."""
    return [_with_patch(memories, each) for each in for_you(memories)] if memories.project else []


def _with_patch(memories: Memories, told: dict[str, Any]) -> dict[str, Any]:
    proposal = memories.store.proposal(told["proposal"])
    try:
        patch = memories.patch(proposal) if proposal else None
    except TacitError:  # a work tree that is not here
        patch = None
    lines = (
        {"file": patch.file, "number": patch.number, "before": patch.before.strip(), "after": patch.after.strip()}
        if patch
        else {}
    )
    return {**told, "before": "", "after": "", **lines}


def shared_lesson(memories: Memories, id: str, *, version: str) -> str:
    """One lesson with its story."""
    memory, store = memories.get(id), memories.store
    next_ = next_move(
        memories.profile, standing_of(memory, memories.profile, memories.now(), evidence=store.evidence(memory.id))
    )
    measured = memories.effect_of(memory.id)
    events = events_of(store, memory.id, most=_LINES)
    names = run_names(
        store, [name for event in events for name in (event.told.get("run"), event.told.get("unit")) if name]
    )
    return standalone.lesson_page(
        memory, standing_words(memory, memories.profile), ahead(memory, memories.profile, next_), story.effect_words(measured),
        story.effect_picture(measured), story.timeline(by_day(store, memory.id)), story.lines(events, names),
        made_at=memories.now(), version=version,
    )  # fmt: skip


def since_days(memories: Memories, days: int) -> str:
    """The time so many days ago."""
    return clock.after_days(memories.now(), -days)


def _signers(memories: Memories) -> dict[str, int]:
    """Who signed the team's lessons that are known here, and how many, most first."""
    found = memories.list(equal={"trust": "team"}, limit=500) if memories.project else []
    counts: dict[str, int] = {}
    for name in memories.signers(found).values():
        counts[name] = counts.get(name, 0) + 1
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))
