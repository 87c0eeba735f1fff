"""`/api/v1`: all reading, and all changes of memories, proposals, page and profiles. Nothing here writes outside the store.

One table of endpoints: what each takes, what it does with the memories of the request's own thread, what it says. The routes
and the OpenAPI document are made from it, so that they cannot differ. Answers are the command line's envelope.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tacit.app import Memories
from tacit.core.memory import GATE_ANSWERS, SEVERITIES, TIERS, VERDICTS, memory_json
from tacit.core.proposal import PROPOSAL_KINDS
from tacit.core.states import STATES
from tacit.core.value import value
from tacit.stores.sql_rows import SORTS
from tacit.surfaces.numbers import need_same_words
from tacit.surfaces.views import effect_json, entry_json, overview
from tacit.surfaces.web import views
from tacit.surfaces.web.schema import BOOL, body, number, one_of, text

if TYPE_CHECKING:
    Act = Callable[[Memories, dict[str, Any]], Any]

DECISIONS = ("approve", "edit", "reject", "merge", "unmerge", "open", "close")
REVIEW_OUTCOMES = ("reinstate", "supersede", "archive", "reject", "keep", "weaken", "decay")
LESSON_TEXT = text(20_000, minLength=1)
REASON = text(2_000)
PAGED = {"limit": number(1, 200, 50), "offset": number(0, 10_000_000, 0)}


@value
class Endpoint:
    """One thing the API does."""

    method: str
    path: str
    does: str
    act: Act
    query: Mapping[str, Any] | None = None
    body: Mapping[str, Any] | None = None


def _decide(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    if asked["decision"] == "approve":
        need_same_words(desk, asked["id"], asked["id"])
    names = ("role", "to", "outcome", "into", "text", "reason")
    given = {name: asked[name] for name in names if asked.get(name)}
    done = desk.review(asked["id"], asked["decision"], **given)
    return {"closed": done} if isinstance(done, int) else dict(done.__dict__)


def _decide_proposal(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    return _decide(desk, {**asked, "id": views.find_proposal(desk, asked["id"]).id})


def _undo(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    what: str | int = asked["entry"] if "entry" in asked else asked.get("memory", "")
    return {"memories": [memory_json(memory) for memory in desk.undo(what)]}


def _edit(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    fields = {name: asked[name] for name in EDIT_FIELDS if name in asked}
    for name in ("tags", "paths"):
        if name in fields:
            fields[name] = tuple(fields[name])
    return memory_json(desk.edit(asked["id"], reason=asked.get("reason", ""), **fields))


def _add(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {
        name: tuple(at) if isinstance(at, list) else at
        for name, at in asked.items()
        if name != "text"
    }
    return memory_json(desk.add(asked["text"], **fields))


def _use_profile(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    return {"name": desk.use_profile(views.builtin(asked["name"]).name).name}


def _log(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    memory = desk.get(asked["memory"]).id if asked.get("memory") else ""
    found = desk.log(
        memory=memory,
        verb=asked.get("verb", ""),
        by=asked.get("by", ""),
        newest=True,
        limit=asked["limit"],
    )
    return {"entries": [entry_json(entry) for entry in found]}


TEXTS = {"type": "array", "items": text(400), "maxItems": 50}
FACET_FIELDS = {
    "kind": text(40),
    "category": text(80),
    "domain": text(80),
    "agent": text(80),
    "task_type": text(80),
    "severity": one_of(*SEVERITIES),
    "tags": TEXTS,
    "paths": TEXTS,
    "about": text(1200),
}
EDIT_FIELDS = ("text", *FACET_FIELDS)
DECISION = {
    "role": text(80),
    "to": one_of(*STATES),
    "outcome": one_of(*REVIEW_OUTCOMES),
    "into": text(64),
    "text": text(20_000),
    "reason": REASON,
}

ENDPOINTS: tuple[Endpoint, ...] = (
    Endpoint(
        "GET", "/overview", "What is kept here, on one screen", lambda desk, _: overview(desk)
    ),
    Endpoint(
        "GET",
        "/memories",
        "Lessons by their facets, newest first",
        views.memories,
        {
            **PAGED,
            "state": one_of(*STATES),
            "kind": text(40),
            "category": text(80),
            "trust": one_of(*TIERS),
            "verdict": one_of(*VERDICTS),
            "gate": one_of(*GATE_ANSWERS),
            "tag": text(80),
            "text": text(200),
            "sort": {**one_of(*SORTS), "default": "new"},
            "archived": BOOL,
        },
    ),
    Endpoint(
        "POST",
        "/memories",
        "Keep a lesson",
        _add,
        body=body({"text": LESSON_TEXT, **FACET_FIELDS}, "text"),
    ),
    Endpoint(
        "GET",
        "/memories/{id}",
        "One lesson, whole",
        lambda desk, asked: views.memory(desk, asked["id"]),
    ),
    Endpoint(
        "PATCH",
        "/memories/{id}",
        "Correct a lesson",
        _edit,
        body=body({"text": LESSON_TEXT, **FACET_FIELDS, "reason": REASON}),
    ),
    Endpoint(
        "POST",
        "/memories/{id}/pin",
        "Always give a lesson, or no more",
        lambda desk, asked: memory_json(
            desk.pin(asked["id"], asked["on"], reason=asked.get("reason", ""))
        ),
        body=body({"on": BOOL, "reason": REASON}, "on"),
    ),
    Endpoint(
        "POST",
        "/memories/{id}/page",
        "Let a lesson onto the page, which takes it off trial, or take it off",
        lambda desk, asked: memory_json(
            desk.put_on_page(asked["id"], asked["on"], reason=asked.get("reason", ""))
        ),
        body=body({"on": BOOL, "reason": REASON}, "on"),
    ),
    Endpoint(
        "POST",
        "/memories/{id}/forget",
        "Take a lesson out, reversibly",
        lambda desk, asked: {
            "memories": [
                memory_json(each)
                for each in desk.forget(asked["id"], reason=asked.get("reason", ""))
            ]
        },
        body=body({"reason": REASON}),
    ),
    Endpoint(
        "POST",
        "/memories/{id}/feedback",
        "Say that a lesson helped, was wrong or is outdated",
        lambda desk, asked: memory_json(
            desk.feedback(asked["id"], asked["word"], reason=asked.get("reason", ""))
        ),
        body=body({"word": one_of("helped", "wrong", "outdated"), "reason": REASON}, "word"),
    ),
    Endpoint(
        "POST",
        "/memories/{id}/decide",
        "Decide about a lesson: let it rise, open or close its review, merge it",
        _decide,
        body=body({"decision": one_of(*DECISIONS), **DECISION}, "decision"),
    ),
    Endpoint(
        "POST",
        "/undo",
        "Take back a journal entry, or a lesson's last one",
        _undo,
        body=body({"entry": number(1, 1 << 53), "memory": text(64)}),
    ),
    Endpoint(
        "GET",
        "/proposals",
        "What waits for a judgement, with its evidence",
        views.proposals,
        {
            **PAGED,
            "state": {**one_of("open", "approved", "rejected", "expired"), "default": "open"},
            "kind": one_of(*PROPOSAL_KINDS),
        },
    ),
    Endpoint(
        "GET",
        "/proposals/{id}",
        "One proposal",
        lambda desk, asked: views.proposal(desk, views.find_proposal(desk, asked["id"])),
    ),
    Endpoint(
        "POST",
        "/proposals/{id}/decide",
        "Approve, edit or reject a proposal",
        _decide_proposal,
        body=body({"decision": one_of("approve", "edit", "reject"), **DECISION}, "decision"),
    ),
    Endpoint(
        "GET",
        "/recall",
        "Search, with the parts of each score",
        views.recall,
        {
            "q": {**text(20_000), "default": ""},
            "limit": number(0, 200, 10),
            "held": {**BOOL, "default": False},
            "stale": {**BOOL, "default": False},
        },
    ),
    Endpoint(
        "GET",
        "/runs",
        "Runs: given, withheld, cited, came back",
        views.runs,
        {
            "limit": number(1, 100, 20),
            "offset": number(0, 100_000, 0),
        },
    ),
    Endpoint("GET", "/runs/{id}", "One run", lambda desk, asked: views.run_view(desk, asked["id"])),
    Endpoint(
        "GET",
        "/effect",
        "Does it help? The whole memory and each lesson",
        lambda desk, _: effect_json(desk.effect()),
    ),
    Endpoint(
        "GET", "/page", "The page as it is and as it would be", lambda desk, _: views.page(desk)
    ),
    Endpoint(
        "GET",
        "/log",
        "The journal, newest first",
        _log,
        {
            "limit": number(1, 500, 50),
            "memory": text(64),
            "verb": text(40),
            "by": text(80),
        },
    ),
    Endpoint(
        "GET",
        "/health",
        "Counts, events and notes; verify=yes re-derives every hash and chain",
        views.health,
        {"verify": {**one_of("yes", "no"), "default": "no"}},
    ),
    Endpoint("GET", "/profiles", "Ways of remembering", views.profiles),
    Endpoint(
        "GET",
        "/profiles/{name}",
        "One profile, and where it differs from the one in force",
        views.profile,
    ),
    Endpoint(
        "POST",
        "/profile",
        "Let another profile judge this project from now on",
        _use_profile,
        body=body({"name": text(80)}, "name"),
    ),
)
