"""What the desk shows, as plain data: the same for a screen and for the API, the same words as the command line's JSON."""

from __future__ import annotations

from itertools import islice
from typing import Any

from tacit.app import Memories
from tacit.core.errors import NotFound
from tacit.core.links import CONFIRMED
from tacit.core.memory import Memory, memory_json
from tacit.core.profile import diff, flat
from tacit.core.proposal import Proposal, new_words
from tacit.core.states import OPEN, STATES
from tacit.profiles import load, profile_names
from tacit.stores import check, counts
from tacit.surfaces.numbers import digest_of
from tacit.surfaces.one_screen import came_up
from tacit.surfaces.selection import counted, unasked
from tacit.surfaces.timeline import TRUST
from tacit.surfaces.views import (
    audit_json,
    lesson_json,
    picked,
    profile_json,
    proposal_json,
    recalled_json,
    why_json,
)
from tacit.surfaces.wording import BY_NOTICE, WHOSE, held_words, standing_words
from tacit.surfaces.wording import question as question_of

QUOTES = 5  # pieces of evidence beside a proposal
SIMILAR = 6
ASKED_FACETS = (
    "state",
    "kind",
    "category",
    "trust",
    "verdict",
    "gate",
)  # by which lessons can be asked for
FINDING_FIELDS = (
    "place",
    "extractor",
    "memory",
    "outcome",
    "reason",
    "text",
    "kind",
    "by",
    "tier",
    "at",
)


def said(desk: Memories, memory: Memory) -> dict[str, Any]:
    """A lesson as JSON, with how it stands and whose words it is in plain words."""
    stands = standing_words(memory, desk.profile)
    return {
        **memory_json(memory),
        "stands": stands.words,
        "tone": stands.tone,
        "whose": TRUST.get(memory.trust, memory.trust),
    }


def memories(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    """A page of lessons by their facets, and whether there are more."""
    equal = {name: asked[name] for name in ASKED_FACETS[1:] if asked.get(name)}
    states = (asked["state"],) if asked.get("state") else ()
    limit, offset = asked["limit"], asked["offset"]
    found = desk.list(
        states=states,
        archived=asked.get("archived", False),
        equal=equal,
        tag=asked.get("tag", ""),
        text=asked.get("text", ""),
        sort=asked["sort"],
        limit=limit + 1,
        offset=offset,
    )
    shown = [memory_json(memory) for memory in found[:limit]]
    return {
        "memories": shown,
        "total": _total(desk, asked),
        "more": len(found) > limit,
        "offset": offset,
    }


def _total(desk: Memories, asked: dict[str, Any]) -> int | None:
    """How many lessons there are by these facets; unknown where their words must be read for it."""
    if asked.get("tag") or asked.get("text"):
        return None
    states = (asked["state"],) if asked.get("state") else STATES if asked.get("archived") else OPEN
    rows = [
        dict(zip((*ASKED_FACETS, "rows"), row))
        for row in desk.store.counted(desk.scopes, ASKED_FACETS)
    ]
    fits = (
        row
        for row in rows
        if row["state"] in states
        and all(asked.get(name) in (None, "", row[name]) for name in ASKED_FACETS[1:])
    )
    return sum(int(row["rows"]) for row in fits)


def memory(desk: Memories, id: str) -> dict[str, Any]:
    """One lesson with everything that is known of it."""
    why = desk.why(id)
    told, found = why_json(why), why.memory
    arms: dict[str, int] = {}
    for use in why.uses:
        arms[use.arm] = arms.get(use.arm, 0) + 1
    return {
        **told,
        "evidence": told["evidence"][-200:],
        "uses": {"arms": arms, "latest": told["uses"][-20:]},
        "marks": told["marks"][-200:],
        "effect": lesson_json(desk.effect_of(found.id)) if why.uses else None,
        "journal": told["journal"][:-201:-1],
        "similar": [memory_json(each) for each in similar(desk, found)],
        "proposals": [proposal_json(each) for each in desk.store.proposals(memory=found.id)],
    }


def similar(desk: Memories, of: Memory) -> list[Memory]:
    """The lessons nearest to one, of any state that is kept."""
    hits = desk.recall(of.text, limit=SIMILAR + 1, include_held=True, include_stale=True).hits
    return [hit.memory for hit in hits if hit.memory.id != of.id][:SIMILAR]


def proposals(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    """What waits for a judgement, with the evidence beside it."""
    kind, first, limit = asked.get("kind") or "", asked["offset"], asked["limit"]
    total = len(desk.store.proposals_about(desk.project_id, state=asked["state"], kind=kind))
    return {
        "proposals": [
            proposal(desk, each) for each in _proposals(desk, kind, first, limit, asked["state"])
        ],
        "total": total,
        "more": total > first + limit,
        "offset": first,
    }


def _proposals(
    desk: Memories, kind: str, first: int, limit: int, state: str = "open", behind: str = ""
) -> list[Proposal]:
    if not desk.project_id:
        return []
    kinds = (kind,) if kind else ()
    return desk.counted_anew(
        desk.store.proposals(
            desk.project_id, state=state, kinds=kinds, limit=limit, offset=first, behind=behind
        )
    )


def proposal(desk: Memories, each: Proposal) -> dict[str, Any]:
    """One proposal, the lesson it is about and what was said of it."""
    other = str((each.payload or {}).get("other", ""))
    known = {
        memory.id: memory
        for memory in desk.store.memories([id for id in (each.memory, other) if id])
    }
    kept = known.get(each.memory)
    runs = [
        row
        for run in (each.payload or {}).get("runs", ())[-3:]
        if (row := desk.store.run(str(run)))
    ]
    held = held_words(kept.gate_reason) if kept and kept.gate != "allow" else ""
    return {
        **proposal_json(each),
        "words": digest_of(desk, each.id),
        "new_words": new_words(each),
        **({"reason": f"it waits for you: {held}"} if held else {}),
        "sessions": [_session(row) for row in runs],
        "asks": question_of("confirm" if held else each.kind, each.payload or {}),
        "lesson": said(desk, kept) if kept else None,
        "other": said(desk, known[other]) if other in known else None,
        "evidence": _quotes(desk, kept.id) if kept else [],
    }


def inbox(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    """Everything that waits for a person: proposals first, then lessons under review and those the gate holds; a page of it."""
    kind, behind, limit = asked.get("kind") or "", asked.get("behind") or "", asked["limit"]
    last = desk.store.proposal(behind) if behind else None
    waiting = (
        _proposals(desk, kind, 0, limit + 1, behind=behind if last else "")
        if last or not behind
        else []
    )
    shown = [proposal(desk, each) for each in waiting]
    if len(shown) <= limit:
        beside = unasked(desk, kind, "" if last else behind)
        shown += [_question(desk, each) for each in islice(beside, limit + 1 - len(shown))]
    questions = counted(desk).questions
    total = questions.get(kind, 0) if kind else sum(questions.values())
    heard, best = desk.worth_a_look() if not behind and not kind else ([], [])
    named = [*(("heard", each) for each in heard), *(("candidate", each) for each in best)]
    look = [
        {**_question(desk, memory), "kind": name, "reason": came_up(memory)}
        for name, memory in named
    ]
    more = shown[limit - 1]["id"] if len(shown) > limit else ""
    return {
        "proposals": shown[:limit],
        "total": total,
        "more": more,
        "behind": behind,
        "look": look,
    }


def _question(desk: Memories, memory: Memory) -> dict[str, Any]:
    """A lesson in question, in the shape of a proposal."""
    kind, reason = "held", held_words(memory.gate_reason) or memory.gate
    if memory.state == "under_review":
        kind, reason = "review", "under review"
    return {
        "id": memory.id,
        "kind": kind,
        "reason": reason,
        "by": memory.source or "gate",
        "created_at": memory.updated_at,
        "payload": {},
        "sessions": [],
        "asks": "May agents be given this?" if kind == "held" else "What becomes of it?",
        "approvals": [],
        "lesson": said(desk, memory),
        "other": None,
        "words": digest_of(desk, memory.id),
        "new_words": "",
        "evidence": _quotes(desk, memory.id),
    }


def question(desk: Memories, id: str) -> dict[str, Any]:
    """What waits under an id: a proposal, or a lesson."""
    found = desk.store.proposal(id)
    return (
        proposal(desk, found)
        if found and found.project == desk.project_id
        else _question(desk, desk.get(id))
    )


def _quotes(desk: Memories, memory: str) -> list[dict[str, Any]]:
    rows = [row for row in desk.store.evidence(memory) if row.signal != CONFIRMED][-QUOTES:]
    runs = {
        run: _session(found)
        for run in {row.run for row in rows if row.run}
        if (found := desk.store.run(run))
    }
    return [
        {
            **picked(row, "quote by place at stance"),
            "said": row.by != BY_NOTICE,
            "session": runs.get(row.run),
        }
        for row in rows
    ]


def _session(row: Any) -> dict[str, str]:
    """A session as a link: its id, and what it was about."""
    return {"id": row.foreign_id, "title": (row.task or row.foreign_id)[:60]}


def find_proposal(desk: Memories, id: str) -> Proposal:
    """A proposal by its id."""
    found = desk.store.proposal(id)
    if found is None or found.project != desk.project_id:
        raise NotFound(f"There is no proposal {id[:40]!r}.", "The inbox shows what is open.")
    return found


def recall(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    """A search, with the parts of each score."""
    more = {"include_held": asked["held"], "include_stale": asked["stale"]}
    return recalled_json(desk.recall(asked["q"], limit=asked["limit"], surface="desk", **more))


def runs(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    """The latest runs: what they were given and what came back."""
    rows = desk.audit(limit=asked["limit"] + 1, offset=asked["offset"])
    return {
        "runs": [
            audit_json(each) | {"started_at": each.run.started_at}
            for each in rows[: asked["limit"]]
        ],
        "more": len(rows) > asked["limit"],
        "offset": asked["offset"],
    }


def run_view(desk: Memories, id: str) -> dict[str, Any]:
    """One run, whole: lessons given, withheld, cited, and the findings it was learned from."""
    [found] = desk.audit(id)
    said = [picked(row, *FINDING_FIELDS) for row in desk.store.findings(run=found.run.id)]
    return {
        **audit_json(found),
        "started_at": found.run.started_at,
        "model": found.run.model,
        "findings": said[:200],
    }


def page(desk: Memories) -> dict[str, Any]:
    """The pages as they are, as they would be, and the lines that wait for leave."""
    kept = [target.name for target in desk.pages.kept()]
    report = desk.page(dry_run=True) if kept else None
    standing = desk.list(equal={"on_page": 1}, limit=500, sort="updated")
    return {
        "kept": kept,
        "preview": desk.pages.preview(),
        "files": [dict(each) for each in report.figures.get("files", ())] if report else [],
        "by_hand": [dict(each) for each in report.figures.get("findings", ())] if report else [],
        "notes": list(report.notes) if report else [],
        "lines": [memory_json(each) for each in standing],
        "waiting": [memory_json(each) for each in desk.pages.waiting(desk.profile.page.max_lines)],
        "earned": desk.pages.earned(),
    }


def _in_words(desk: Memories, found: dict[str, dict[str, int]]) -> list[tuple[str, dict[str, int]]]:
    """The same counts in the words of the screens, and what waits counted as everywhere."""
    here = counted(desk)
    stands = {
        "in force": here.in_force,
        "need your word": here.needs_word,
        "wait for another session": here.waiting,
    }
    whose = {WHOSE.get(word, word): n for word, n in found["trust"].items()}
    plain = {"verdict": "Does it help?", "kind": "Kinds", "category": "When given"}
    return [
        ("How they stand", stands),
        ("Whose word", whose),
        *((title, found[name]) for name, title in plain.items()),
    ]


def merged_lessons(desk: Memories) -> list[dict[str, Any]]:
    """Lessons that were merged into others, latest first."""
    return [
        memory_json(each)
        for each in desk.list(states=("superseded",), limit=50, sort="updated")
        if each.superseded_by
    ]


def profiles(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    """Ways of remembering."""
    found = [load(name) for name in profile_names()]
    return {
        "in_force": desk.profile.name,
        "profiles": [*map(profile_json, found)],
    }


def profile(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    """A profile's values, and where they differ from the one in force."""
    found = builtin(asked["name"])
    return {
        **profile_json(found),
        "in_force": desk.profile.name,
        "values": flat(found),
        "differs": [
            {"key": key, "here": here, "there": there}
            for key, here, there in diff(desk.profile, found)
        ],
    }


def builtin(name: str) -> Any:
    """A profile by name. It may elsewhere be a file's path; the desk opens no files."""
    if name not in profile_names():
        raise NotFound(
            f"There is no profile {name[:40]!r}.", f"Profiles: {', '.join(profile_names())}."
        )
    return load(name)


def health(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    """Counts, events and notes; with `verify` every hash and chain is re-derived, which takes its time."""
    found = desk.health() if asked.get("verify") == "yes" else None
    store = desk.store
    events = counts.events(store, desk.project_id)
    return {
        "store": store.path,
        "schema": store.schema,
        "bytes": store.size(),
        "queue": store.queued(),
        "events": {name: int(count) for name, count in events.items()},
        "facets": (facets := check.counts(store, desk.project_id)),
        "counted": _in_words(desk, facets),
        "notes": list(desk.safety_notes()),
        "backups": [each.name for each in desk.backups()] if store.is_file else [],
        "sound": found.health.is_sound if found else None,
        "checked": found.health.checked if found else {},
        "faults": [fault.__dict__ for fault in found.health.faults] if found else [],
    }
