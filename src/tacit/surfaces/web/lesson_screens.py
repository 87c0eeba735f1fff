"""A lesson, a run and their lists as the screens tell them: bounded in what they read, however long a life was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from tacit.app import Memories
from tacit.core.errors import NotFound, UsageError, numbered
from tacit.core.lifecycle import next_move
from tacit.core.memory import Memory
from tacit.core.run import Incident
from tacit.core.standing import standing_of
from tacit.core.states import INJECTABLE, OPEN
from tacit.stores.incidents import failed_in
from tacit.stores.lookups import evidence_in, runs_behind
from tacit.stores.sql_rows import SORTS
from tacit.stores.story import Event, by_day, run_names, sums
from tacit.stores.story import story as events_of
from tacit.surfaces import timeline
from tacit.surfaces.numbers import digest_of
from tacit.surfaces.selection import GONE, IN_FORCE, WAITING, asked_about, counted, shelf
from tacit.surfaces.timeline import StoryLine
from tacit.surfaces.views import proposal_json
from tacit.surfaces.web.views import said, similar
from tacit.surfaces.wording import CLOSED_WORDS, ahead, recognised

STORY_LINES = 30  # lines of a story
FINDINGS_SHOWN = 100  # findings of a run

LIST_FACETS = ("kind", "category", "trust", "gate", "verdict")
ORDER_WORDS = {
    "new": "newest first",
    "old": "oldest first",
    "updated": "changed last",
    "seen": "met most often",
    "used": "given last",
    "kind": "by kind",
    "text": "by text",
}
# What a list of lessons may be narrowed to: the shelves that every surface counts by. What needs a word is the inbox.
SHELVES_SHOWN: dict[str, tuple[str, dict[str, Any]]] = {
    "": ("everything", {}),
    "in-force": (IN_FORCE, {"states": INJECTABLE, "equal": {"gate": "allow"}}),
    "waiting": (WAITING, {"states": ("candidate",), "equal": {"gate": "allow"}}),
    "gone": (GONE, {"states": tuple(CLOSED_WORDS)}),
}


def lesson(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    """One lesson: how it stands, whether it helps, and its story, a page of it."""
    memory, store = desk.get(asked["id"]), desk.store
    behind = asked.get("behind", "")
    page = events_of(store, memory.id, behind, STORY_LINES + 1)
    measured = desk.effect_of(memory.id)
    next_ = next_move(
        desk.profile,
        standing_of(memory, desk.profile, desk.now(), evidence=store.evidence(memory.id)),
    )
    answer, rests = timeline.effect_words(measured)
    last = desk.log(memory=memory.id, newest=True, limit=2)
    return {
        "memory": said(desk, memory),
        "words": digest_of(desk, memory.id),
        "next": ahead(memory, desk.profile, next_, bool(desk.replayed(memory.id))),
        "gone": list(desk.gone(memory)),
        "lines": event_lines(desk, page[:STORY_LINES]),
        "more": page[STORY_LINES - 1].cursor if len(page) > STORY_LINES else "",
        "behind": behind,
        "timeline": "" if behind else timeline.drawn_timeline(by_day(store, memory.id)),
        "sides": timeline.SIDES,
        "effect": {"answer": answer, "rests": rests, "picture": timeline.effect_picture(measured)},
        "quotes": measured.followed.quotes if measured.followed else (),
        "uses": sums(store, memory.id),
        "similar": [said(desk, each) for each in similar(desk, memory)] if not behind else [],
        "proposals": [proposal_json(each) for each in store.proposals(memory=memory.id)],
        "undo": last[0].id if len(last) > 1 and not last[0].erased else 0,
    }


def event_lines(desk: Memories, events: Sequence[Event]) -> list[StoryLine]:
    """Events as lines, with the names of their runs."""
    ids = [
        name for event in events for name in (event.told.get("run"), event.told.get("unit")) if name
    ]
    return timeline.lines(events, run_names(desk.store, ids))


def run_screen(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    """One run: given, left out, cited, came back, with the quotes at their places; and what was learned from it."""
    row = desk.store.find_run(desk.project_id, asked["id"])
    if row is None:
        raise NotFound(
            f"There is no session {asked['id'][:60]!r} in this project.",
            "Sessions lists the latest.",
        )
    [audited] = desk.audit(row.id)
    findings = desk.store.findings(run=row.id)[:FINDINGS_SHOWN]
    cost = (row.facts or {}).get("cost") or {}
    known = {
        each.id: each
        for each in desk.store.memories([each.memory for each in findings if each.memory])
    }
    return {
        "run": row,
        "failed": [_failure(each) for each in failed_in(desk.store, row.id)],
        "record": timeline.run_record(
            audited.lessons, evidence_in(desk.store, [row.id]), desk.store.marks(unit=row.root)
        ),
        "tokens": sum(
            int(cost.get(name) or 0) for name in ("input", "output", "cache_read", "cache_write")
        ),
        "usd": cost.get("usd"),
        "steps": (row.facts or {}).get("steps", 0),
        "findings": [
            {
                "row": each,
                "lesson": said(desk, known[each.memory]) if each.memory in known else None,
            }
            for each in findings
        ],
    }


_ENDED_WORDS = {
    "edit": "mended by an edit",
    "other edit": "gone after an edit elsewhere",
    "command": "got over by a command",
    "form": "got over in another form",
}


def _failure(each: Incident) -> dict[str, str]:
    """A failure of a session: what it was, what it cost, how it ended."""
    cost = [numbered(each.count or 1, "time")] + (
        [numbered(each.calls, "call") + " until it was over"] if each.calls else []
    )
    ended = _ENDED_WORDS.get(each.ended, "")
    return {
        "words": recognised(each),
        "cost": ", ".join(cost),
        "ended": f"{ended}: {each.cure}" if ended and each.cure else ended,
    }


def runs(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    """Runs, newest first, with what came of their lessons."""
    rows = (
        runs_behind(desk.store, desk.project_id, asked.get("behind", ""), asked["limit"] + 1)
        if desk.project
        else []
    )
    shown = rows[: asked["limit"]]
    found = [
        {
            "run": row,
            "record": timeline.run_record(desk.audit(row.id)[0].lessons),
            "failed": len(failed_in(desk.store, row.id)),
            "learned": len(
                {each.memory for each in desk.store.findings(run=row.id) if each.memory}
            ),
        }
        for row in shown
    ]
    return {
        "runs": found,
        "more": shown[-1].foreign_id if len(rows) > len(shown) else "",
        "behind": asked.get("behind", ""),
    }


def lessons_screen(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    """Lessons by how they stand, a page of them."""
    if asked["sort"] not in SORTS:
        raise UsageError(f"{asked['sort']!r} is no order.", f"One of: {', '.join(SORTS)}.")
    if asked.get("show", "") not in SHELVES_SHOWN:
        raise UsageError(
            f"{asked['show']!r} is nothing that lessons can be narrowed to.",
            f"One of: {', '.join(filter(None, SHELVES_SHOWN))}.",
        )
    found = list(islice(_lessons(desk, asked), asked["limit"] + 1))
    shown = found[: asked["limit"]]
    how_many = _counts(desk)
    return {
        "memories": [said(desk, each) for each in shown],
        "more": shown[-1].id if len(found) > len(shown) else "",
        "behind": asked.get("behind", ""),
        "shown": {name: (words, how_many[name]) for name, (words, _) in SHELVES_SHOWN.items()},
        "needs_word": counted(desk).needs_word,
        "kinds": sorted(
            {kind: n for kind, n in desk.store.counted(desk.scopes, ("kind",))}.items()
        ),
        "sorts": ORDER_WORDS,
    }


def _lessons(desk: Memories, asked: dict[str, Any]) -> Iterator[Memory]:
    """Lessons of one shelf, or of all, read as far as somebody asks: what is left out of a page is made up for by the next."""
    show, behind = asked.get("show", ""), asked.get("behind", "")
    words, narrowed = SHELVES_SHOWN[show]
    states = (asked["state"],) if asked.get("state") else narrowed.get("states", ())
    equal = {
        **narrowed.get("equal", {}),
        **{name: asked[name] for name in LIST_FACETS if asked.get(name)},
    }
    questions = asked_about(desk) if words == WAITING else ()
    while part := desk.list(
        states=states,
        equal=equal,
        tag=asked.get("tag", ""),
        text=asked.get("text", ""),
        sort=asked["sort"],
        limit=asked["limit"] + 1,
        behind=behind,
        archived=bool(asked.get("archived")),
    ):
        yield from (each for each in part if not show or shelf(each, questions) == words)
        behind = part[-1].id


def _counts(desk: Memories) -> dict[str, int]:
    count = counted(desk)
    by_state: dict[str, int] = {}
    for state, n in desk.store.counted(desk.scopes, ("state",)):
        by_state[state] = by_state.get(state, 0) + n
    return {
        "": sum(by_state.get(state, 0) for state in OPEN),
        "in-force": count.in_force,
        "waiting": count.waiting,
        "gone": sum(by_state.get(state, 0) for state in CLOSED_WORDS),
    }
