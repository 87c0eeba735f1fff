"""The one JSON of all surfaces: what the command line prints with --json, the desk shows and the MCP server answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tacit.core.journal import Entry
from tacit.core.proposal import Proposal
from tacit.core.value import fields
from tacit.learn import reviewing
from tacit.lesson import memory_json
from tacit.memory import Memory as Memories
from tacit.screens.selection import counted
from tacit.store import counts
from tacit.words.diagnose import recognised
from tacit.worker.turns import is_paused

if TYPE_CHECKING:
    from tacit.hooks.answer import Recalled
    from tacit.learn.queries import Why
    from tacit.trial.audit import RunAudit
    from tacit.trial.effect import Effects, LessonEffect
    from tacit.trial.said_again import SaidAgain


def picked(of: Any, *names: str) -> dict[str, Any]:
    """Some fields of a value, by their names, in this order; several names may stand in one text."""
    return {name: getattr(of, name) for some in names for name in some.split()}


def why_json(found: Why, question: str = "") -> dict[str, Any]:
    """All that is known of one lesson."""
    return {
        "memory": memory_json(found.memory),
        "signer": found.signer or None,
        "evidence": [
            {**row.__dict__, "run": found.runs.get(row.run, row.run)} for row in found.evidence
        ],
        "met": [
            {"mark": one.mark, "program": one.program, "said": recognised(one), "sessions": n}
            for one, n in found.met
        ],
        "uses": [use.__dict__ for use in found.uses],
        "marks": [mark.__dict__ for mark in found.marks],
        "journal": [entry_json(entry) for entry in found.journal],
        "next": found.next,
        "score": {"question": question or None, **found.score},
    }


def overview(memories: Memories) -> dict[str, Any]:
    """What is kept here, on one screen, as JSON."""
    store, project, count = memories.store, memories.project, counted(memories)
    return {
        "store": store.path,
        "project": {
            "id": project.id,
            "name": project.name,
            "root": project.root,
            "remote": project.remote or None,
        }
        if project
        else None,
        "origin": memories.profile.name,
        "states": dict(store.counted([memories.project_id], ("state",))),
        "runs": counts.learned_runs(store, memories.project_id),
        "uses": store.used(memories.project_id),
        "in_force": count.in_force,
        "waiting": count.waiting,
        "needs_word": count.needs_word,
        "questions": dict(count.questions),
        "proposals": len(store.proposals_about(memories.project_id)),
        "for_you": [
            each["text"] + (f" Suggested: {each['patch']}" if each["patch"] else "")
            for each in for_you(memories, 3)
        ],
        "queue": memories.store.queued(),
        "paused": memories.store.meta("paused_until") if is_paused(memories.store) else None,
        "recent": [memory_json(memory) for memory in memories.lessons(limit=5)] if project else [],
    }


def for_you(memories: Memories, most: int = 10) -> list[dict[str, Any]]:
    """What only the person is told: what fails without a way out, and instruction files that are wrong."""
    told = [(each, each.payload or {}) for each in reviewing.for_person(memories, most)]
    return [
        {
            "proposal": each.id,
            "kind": each.kind,
            "text": each.reason,
            "count": at.get("count", 0),
            "quote": at.get("quote", ""),
            "patch": at.get("patch", ""),
            "order": at.get("order", ""),
            "runs": list(at.get("runs", ())),
        }
        for each, at in told
    ]


def entry_json(entry: Entry) -> dict[str, Any]:
    """A journal entry as JSON."""
    return picked(
        entry, "id memory n project verb by at reason before after run profile machine erased"
    )


def effect_json(found: Effects) -> dict[str, Any]:
    """The whole memory and its lessons, as JSON."""
    return {
        "said_again": said_again_json(found.again),
        "together": picked(found.together, "word units given spared calls"),
        "worth": found.worth and picked(found.worth, "word units calls minutes tokens"),
        "lessons": [lesson_json(each) for each in found.lessons],
        "guards": found.guards
        and {
            "arms": {arm: list(some) for arm, some in found.guards.arms.items()},
            "verdict": found.guards.verdict,
        },
        **picked(found, "headline notes tokens unsettled unknown"),
    }


def said_again_json(found: SaidAgain) -> dict[str, Any]:
    """How often they had to say it again, as JSON: sessions that could tell, and those in which it was said."""
    return {
        "sentence": found.sentence,
        "weeks": found.weeks,
        "spared": found.spared,
        "wishes": [
            {
                "lesson": wish.lesson,
                **{
                    side: fields(getattr(wish, side)) for side in ("delivered", "without", "before")
                },
                "weeks": dict(wish.weeks),
                **picked(wish, "difference low high"),
                "quotes": [list(quote) for quote in wish.quotes],
            }
            for wish in found.wishes
        ],
    }


def lesson_json(each: LessonEffect) -> dict[str, Any]:
    """What is known of one lesson's effect, as JSON."""
    known = each.known
    return {
        **picked(each.memory, "id text state kind"),
        "verdict": known.word,
        **picked(known, "measured units difference low high sentence"),
        **{side: fields(getattr(known, side)) for side in ("delivered", "held_out")},
        "quotes": [list(quote) for quote in known.quotes],
    }


def audit_json(each: RunAudit) -> dict[str, Any]:
    """What a run was given and what came back, as JSON."""
    lessons = [dict(lesson.__dict__) for lesson in each.lessons]
    return {
        "run": each.run.foreign_id,
        "host": each.run.host,
        "task": each.run.task,
        "settled_at": each.run.settled_at or None,
        "instructions": (each.run.facts or {}).get("instructions", []),
        "receipt": each.receipt,
        "lessons": lessons,
    }


def recalled_json(found: Recalled) -> dict[str, Any]:
    """What was recalled as JSON, with the parts of each score."""
    level = found.level
    return {
        "hits": [
            {
                "id": hit.memory.id,
                "alias": hit.memory.alias or None,
                "text": hit.memory.text,
                "score": round(hit.score, 6),
                "parts": {name: round(part, 6) for name, part in hit.parts.items()},
                "explain": hit.explain,
                **picked(hit.memory, "state trust"),
                "seen": hit.memory.tally.seen,
                "mark": hit.mark or None,
            }
            for hit in found.hits
        ],
        "budget": level and picked(level, "requested applied reason most"),
        "dropped": [picked(each, "id reason") for each in found.dropped],
        "rewrite": {"words": found.rewrite.words or None, "reason": found.rewrite.reason or None}
        if found.rewrite
        else None,
    }


def proposal_json(proposal: Proposal) -> dict[str, Any]:
    """A proposal as JSON."""
    at = dict(proposal.__dict__)
    return {
        **at,
        "approvals": [list(each) for each in proposal.approvals],
        "payload": dict(proposal.payload or {}),
    }
