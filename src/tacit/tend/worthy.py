"""Which lessons stand on a project's pages, and which have earned a line and wait for somebody's word.

A page is loaded by the host for every run, so nothing on it can be withheld: only what is canonical, exempt from trials or
pinned is proposed, and approving a line takes its lesson off trial.
"""

from __future__ import annotations

import json

from tacit.core.clock import after_days
from tacit.core.digest import short_hash
from tacit.core.lifecycle import INJECTABLE
from tacit.core.proposal import APPROVED, EXPIRED, OPEN, Proposal
from tacit.core.trial import CLOSED
from tacit.core.value import replace
from tacit.tend.layout import entry_of, strength

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tacit.core.memory import Memory
    from tacit.core.profile import Profile
    from tacit.stores.sqlite import SqliteStore, Transaction
    from tacit.tend.context import Context


def standing(store: SqliteStore | Transaction, project: str) -> list[Memory]:
    """The lessons that stand on this project's pages."""
    rows = store.rows("SELECT id FROM memory WHERE project = :p AND on_page = 1 AND gate = 'allow'", p=project)
    return [
        m
        for m in store.memories([row[0] for row in rows])
        if m.state in INJECTABLE and m.verdict not in CLOSED and m.text
    ]


def worthy(store: SqliteStore | Transaction, project: str, profile: Profile) -> list[Memory]:
    """Lessons that have earned a line and have none, strongest first: canonical ones, exempt ones, pinned ones."""
    rows = store.rows(
        "SELECT id FROM memory WHERE project = :p AND on_page = 0 AND gate = 'allow' AND state IN (SELECT value FROM json_each(:given))"
        " AND (pinned = 1 OR state IN (SELECT value FROM json_each(:states)) OR klass IN (SELECT value FROM json_each(:exempt)))",
        p=project, given=json.dumps(INJECTABLE), states=json.dumps(profile.page.states), exempt=json.dumps(profile.trial.exempt),
    )  # fmt: skip
    found = [m for m in store.memories([row[0] for row in rows]) if m.verdict not in CLOSED and m.text]
    return sorted(found, key=strength)


def propose(tx: Transaction, context: Context) -> tuple[str, ...]:
    """A proposal for each lesson that has earned a line; one that was turned down stays quiet until more is known of it."""
    profile, at = context.profile, context.now()
    waiting = worthy(tx, context.project.id, profile)
    _mark(tx, context, {memory.id for memory in waiting}, at)
    made: list[str] = []
    room = profile.page.max_lines - len(standing(tx, context.project.id))
    for memory in waiting[: max(0, room)]:
        key = short_hash("put", memory.id, memory.state, memory.verdict, str(memory.tally.seen), str(memory.pinned))
        asked = [each for each in tx.proposals(memory=memory.id, state="") if each.kind == "page"]
        if any(each.state == OPEN or (each.payload or {}).get("key") == key for each in asked):
            continue
        entry = entry_of(memory, profile.page)
        why = (
            "pinned"
            if memory.pinned
            else memory.state
            if memory.state in profile.page.states
            else f"class {memory.klass}"
        )
        payload = {
            "act": "put",
            "path": "",
            "memory": memory.id,
            "section": entry.section,
            "text": memory.text,
            "key": key,
        }
        told = f"has earned a line under {entry.section} ({why}): {entry.said}"
        made.append(context.ids())
        tx.put_proposal(
            Proposal(
                made[-1], context.project.id, "page", told, context.by, at, memory.id, tier="rules", payload=payload,
                expires_at=after_days(at, profile.triage.expire_days),
            )
        )  # fmt: skip
    return tuple(made)


def _mark(tx: Transaction, context: Context, waiting: set[str], at: str) -> None:
    """Mark proposals for a line: the lesson stands on its page by now, has lost its claim, or nobody answered."""
    for each in tx.proposals(context.project.id, state=OPEN, limit=-1):
        if each.kind != "page" or (each.payload or {}).get("act") != "put":
            continue
        by, state, why = context.by, EXPIRED, "its time is over" if each.expires_at <= at else ""
        if tx.get(each.memory).on_page:
            last = tx.entries(memory=each.memory, verb="page", newest=True, limit=1)
            by, state, why = last[0].by if last else by, APPROVED, "stands on its page"
        elif each.memory not in waiting:
            why = "the lesson has lost its claim to a line"
        if why:
            tx.put_proposal(replace(each, state=state, decided_by=by, decided_at=at, decision=why))
