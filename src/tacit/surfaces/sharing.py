"""What leaves the house as one file: a report of some days, or one lesson. Reads the store, and hands what it found to the page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tacit.app import Memories
from tacit.core import clock
from tacit.core.lifecycle import next_move
from tacit.core.memory import Memory
from tacit.core.standing import standing_of
from tacit.core.states import INJECTABLE
from tacit.core.value import replace
from tacit.stores.shared import is_one_persons
from tacit.stores.story import by_day, run_names
from tacit.stores.story import story as events_of
from tacit.surfaces import outlook, standalone, story
from tacit.surfaces.wording import Phrase, ahead, standing_words

if TYPE_CHECKING:
    from tacit.prove.effect import Effects

LEARNED = 20  # lessons that a report names
_LINES = 60  # of a lesson's story


def report(memories: Memories, since: str, *, team: bool, version: str, effects: Effects | None = None) -> str:
    """A report of the days since a time. For a team it leaves out what was only heard from one person, and says so."""
    found = outlook.looked(memories, since=since)
    new = (
        [each for each in memories.list(sort="new", limit=200) if each.created_at[:10] >= since[:10]]
        if memories.project
        else []
    )
    private = [each for each in new if is_one_persons(each)] if team else []
    shown = sorted((each for each in new if each not in private), key=lambda each: each.state not in INJECTABLE)
    signers: dict[str, int] | None = None
    if team:
        ours = [each for each in found.for_you if each["kind"] != "request"]  # what one person asked for is theirs
        found = replace(
            found, for_you=tuple(ours), harmful=tuple(each for each in found.harmful if not is_one_persons(each))
        )
        signers = _signers(memories)
    return standalone.report(
        found, outlook.spared(effects or memories.effect()), _said(memories, shown[:LEARNED]), _said(memories, found.harmful), since=since,
        signers=signers, left_out=len(private), version=version,
    )  # fmt: skip


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


def _said(memories: Memories, found: Iterable[Memory]) -> list[tuple[Memory, Phrase]]:
    return [(each, standing_words(each, memories.profile)) for each in found]


def _signers(memories: Memories) -> dict[str, int]:
    """Who signed the team's lessons that are known here, and how many, most first."""
    found = memories.list(equal={"trust": "team"}, limit=500) if memories.project else []
    counts: dict[str, int] = {}
    for name in memories.signers(found).values():
        counts[name] = counts.get(name, 0) + 1
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))
