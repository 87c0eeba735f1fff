"""What leaves the house as one file: a report of some days, or one lesson. No request, no script, light and dark, readable on a phone.

Texts of lessons and quotes are anybody's: the templates escape every one. A page forbids itself to load or run anything, and its only style
is the one whose hash it names, so that not even an attribute could bring another.
"""

from __future__ import annotations

import base64
import hashlib
import os
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from tacit.app import Memories
from tacit.core.errors import TacitError, numbered
from tacit.core.lifecycle import next_move
from tacit.core.standing import standing_of
from tacit.core.value import replace
from tacit.stores.shared import is_one_persons
from tacit.stores.story import by_day, run_names
from tacit.stores.story import story as events_of
from tacit.surfaces import timeline
from tacit.surfaces.one_screen import one_screen
from tacit.surfaces.pictures import day_words, short
from tacit.surfaces.views import for_you, picked
from tacit.surfaces.wording import ahead, standing_words

WEB = os.path.join(os.path.dirname(__file__), "web")
_LINES = 60  # of a lesson's story


def templates() -> Environment:
    """The pages and their pieces; every text in them is escaped."""
    made = Environment(
        loader=FileSystemLoader(os.path.join(WEB, "templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["numbered"] = numbered
    made.globals["short"] = short
    return made


def _page(template: str, title: str, made_at: str, **shown: Any) -> str:
    with open(os.path.join(WEB, "static", "look.css"), encoding="utf-8") as file:  # the desk's own
        style = file.read()
    hash = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'"
    page = templates().get_template(template)
    return str(page.render(title=title, made_at=made_at, style=style, policy=policy, **shown))


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
        fixes = [
            each for each in fixes if each["kind"] != "request"
        ]  # what one person asked for is theirs
    at, name = memories.now(), found.project or "No project yet"
    days = f"{day_words(since)} to {day_words(at)} {at[:4]}"
    return _page(
        "shared_report.html",
        f"{name}: {days}",
        at,
        found=found,
        fixes=fixes,
        name=name,
        days=days,
        left_out=len(private),
        signers=_signers(memories) if team else None,
        version=version,
    )


def fixes_of(memories: Memories) -> list[dict[str, Any]]:
    """What only the person is told, with the line of the file as it stands and as it would, where it is about one."""
    return [_with_patch(memories, each) for each in for_you(memories)] if memories.project else []


def _with_patch(memories: Memories, told: dict[str, Any]) -> dict[str, Any]:
    proposal = memories.store.proposal(told["proposal"])
    try:
        patch = memories.patch(proposal) if proposal else None
    except TacitError:  # a work tree that is not here
        patch = None
    if patch is None:
        return {**told, "before": "", "after": ""}
    return {
        **told,
        "before": patch.before.strip(),
        "after": patch.after.strip(),
        **picked(patch, "file number"),
    }


def shared_lesson(memories: Memories, id: str, *, version: str) -> str:
    """One lesson with its story."""
    memory, store = memories.get(id), memories.store
    next_ = next_move(
        memories.profile,
        standing_of(memory, memories.profile, memories.now(), evidence=store.evidence(memory.id)),
    )
    measured = memories.effect_of(memory.id)
    events = events_of(store, memory.id, most=_LINES)
    names = run_names(
        store,
        [
            name
            for event in events
            for name in (event.told.get("run"), event.told.get("unit"))
            if name
        ],
    )
    return _page(
        "shared_lesson.html",
        short(memory.text, 60) or memory.id,
        memories.now(),
        version=version,
        memory=memory,
        said=standing_words(memory, memories.profile),
        ahead=ahead(memory, memories.profile, next_),
        answer=timeline.effect_words(measured),
        picture=timeline.effect_picture(measured),
        timeline=timeline.drawn_timeline(by_day(store, memory.id)),
        lines=timeline.lines(events, names),
        whose=timeline.TRUST.get(memory.trust, memory.trust),
        sides=timeline.SIDES,
    )


def _signers(memories: Memories) -> dict[str, int]:
    """Who signed the team's lessons that are known here, and how many, most first."""
    found = memories.list(equal={"trust": "team"}, limit=500) if memories.project else []
    counts: dict[str, int] = {}
    for name in memories.signers(found).values():
        counts[name] = counts.get(name, 0) + 1
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))
