"""The four screens as plain data: Home, Lesson, Session, Proof; each bounded in what it reads, however long a life was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tacit.core.errors import NotFound, numbered
from tacit.core.ladder import Asked
from tacit.core.run import Incident
from tacit.hooks import recalling
from tacit.learn import queries
from tacit.lesson import Lesson, memory_json
from tacit.memory import Memory as Memories
from tacit.replay import replaying
from tacit.screens import timeline
from tacit.screens.numbers import digest_of, remember_numbers
from tacit.screens.one_screen import one_screen
from tacit.screens.timeline import TRUST, StoryLine
from tacit.screens.views import effect_json, proposal_json
from tacit.screens.wording import ahead, standing_words
from tacit.serve.desk.effects import KnownEffect
from tacit.store.failures import failed_in
from tacit.store.lookups import evidence_in
from tacit.store.story import Event, run_names, sums
from tacit.store.story import story as events_of
from tacit.trial import proving
from tacit.words.diagnose import recognised

STORY_LINES = 30  # lines of a story
FINDINGS_SHOWN = 100  # findings of a session
SIMILAR = 6  # lessons beside one
PER_PAGE = 50  # lessons by effect
_TOKENS = ("input", "output", "cache_read", "cache_write")


def projects(desk: Memories) -> dict[str, Any]:
    """The projects of this store to switch between, and the one that is looked at."""
    known = [(each.id, each.name) for each in desk.store.projects() if each.id[:1] != "@"]
    return {
        "projects": sorted(known, key=lambda each: each[1].lower()),
        "chosen": desk.project_id,
    }


def home(desk: Memories) -> dict[str, Any]:
    """The list that bare `tacit` shows, each row with the digest of its words: a yes is to these."""
    found = one_screen(desk)
    remember_numbers(desk, [row.id for row in found.rows if row.number])
    return {"found": found, "words": {row.id: digest_of(desk, row.id) for row in found.rows}}


def lesson(desk: Memories, id: str, behind: str = "") -> dict[str, Any]:
    """One lesson: how it stands, whether it helps, and its story, a page of it."""
    memory, store = desk.get(id), desk.store
    page = events_of(store, memory.id, behind, STORY_LINES + 1)
    measured = proving.effect_of(desk, memory.id)
    ladder, asked = desk.profile.ladder, Asked(desk.now())
    next_ = ladder.next_move(ladder.known(memory, desk.profile, asked, store.evidence(memory.id)))
    answer, rests = timeline.effect_words(measured)
    last = queries.log(desk, memory=memory.id, newest=True, limit=2)
    return {
        "memory": said(desk, memory),
        "words": digest_of(desk, memory.id),
        "next": ahead(memory, desk.profile, next_, bool(replaying.replayed(desk, memory.id))),
        "lines": event_lines(desk, page[:STORY_LINES]),
        "more": page[STORY_LINES - 1].cursor if len(page) > STORY_LINES else "",
        "behind": behind,
        "effect": {"answer": answer, "rests": rests},
        "quotes": measured.quotes,
        "uses": sums(store, memory.id),
        "similar": [said(desk, each) for each in similar(desk, memory)] if not behind else [],
        "proposals": [proposal_json(each) for each in store.proposals(memory=memory.id)],
        "changed": len(last) > 1 and not last[0].erased,
    }


def said(desk: Memories, memory: Lesson) -> dict[str, Any]:
    """A lesson as JSON, with how it stands and whose words it is in plain words."""
    stands = standing_words(memory, desk.profile)
    return {
        **memory_json(memory),
        "stands": stands.words,
        "tone": stands.tone,
        "whose": TRUST.get(memory.trust, memory.trust),
    }


def similar(desk: Memories, of: Lesson) -> list[Lesson]:
    """The lessons nearest to one, of any state that is kept."""
    most = SIMILAR + 1
    hits = recalling.recall(desk, of.text, limit=most, include_held=True, include_stale=True).hits
    return [hit.memory for hit in hits if hit.memory.id != of.id][:SIMILAR]


def event_lines(desk: Memories, events: Sequence[Event]) -> list[StoryLine]:
    """Events as lines, with the names of their runs."""
    ids = [
        name for event in events for name in (event.told.get("run"), event.told.get("unit")) if name
    ]
    return timeline.lines(events, run_names(desk.store, ids))


def session(desk: Memories, id: str) -> dict[str, Any]:
    """One session: what failed, what it was given and what was left out, what came back, and what was learned from it."""
    row = desk.store.find_run(desk.project_id, id)
    if row is None:
        raise NotFound(
            f"There is no session {id[:60]!r} in this project.",
            "A lesson's story names the sessions that met it.",
        )
    [audited] = proving.audit(desk, row.id)
    findings = desk.store.findings(run=row.id)[:FINDINGS_SHOWN]
    facts = row.facts or {}
    cost = facts.get("cost") or {}
    named = desk.store.memories([each.memory for each in findings if each.memory])
    known = {each.id: said(desk, each) for each in named}
    evidence, marks = evidence_in(desk.store, [row.id]), desk.store.marks(unit=row.root)
    return {
        "run": row,
        "failed": [_failure(each) for each in failed_in(desk.store, row.id)],
        "record": timeline.run_record(audited.lessons, evidence, marks),
        "tokens": sum(int(cost.get(name) or 0) for name in _TOKENS),
        "usd": cost.get("usd"),
        "steps": facts.get("steps", 0),
        "findings": [{"row": each, "lesson": known.get(each.memory)} for each in findings],
    }


_ENDED_WORDS = {
    "edit": "mended by an edit",
    "other edit": "gone after an edit elsewhere",
    "command": "got over by a command",
    "form": "got over in another form",
}


def _failure(each: Incident) -> dict[str, str]:
    """A failure of a session: what it was, what it cost, how it ended."""
    cost = [numbered(each.count or 1, "time")]
    cost += [numbered(each.calls, "call") + " until it was over"] if each.calls else []
    ended = _ENDED_WORDS.get(each.ended, "")
    return {
        "words": recognised(each),
        "cost": ", ".join(cost),
        "ended": f"{ended}: {each.cure}" if ended and each.cure else ended,
    }


def proof(known: KnownEffect, behind: str = "") -> dict[str, Any]:
    """Does it help? The whole memory and its lessons, a page at a time: first those that are measured."""
    if known.found is None:
        return {"is_pending": True, "is_old": False, "total": 0}
    found = effect_json(known.found)
    ordered = sorted(found["lessons"], key=lambda each: not each["measured"])
    first = next((n + 1 for n, each in enumerate(ordered) if each["id"] == behind), 0)
    rows = ordered[first : first + PER_PAGE]
    return {
        **found,
        "lessons": rows,
        "total": len(ordered),
        "more": rows[-1]["id"] if len(ordered) > first + PER_PAGE else "",
        "behind": behind,
        "is_pending": False,
        "is_old": not known.is_current,
    }
