"""What waits for a judge, and deciding it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tacit.core.errors import NotFound, UsageError
from tacit.core.proposal import Proposal, reason_now
from tacit.core.states import ACTIVE, WAITING
from tacit.core.value import replace
from tacit.learn.block import page
from tacit.learn.deciding import best, find_proposal, heard
from tacit.learn.review import Review, Reviewed
from tacit.lesson import Lesson
from tacit.store.counts import pieces_of_work

if TYPE_CHECKING:
    from tacit.memory import Memory

FOR_PERSON = ("notice",)  # kinds of proposals that no agent is told of
LESSONS_WEIGHED = 1000  # of the newest lessons in a state, among which the best are chosen


def proposals(opened: Memory, *, state: str = "open") -> list[Proposal]:
    """What waits for a judge, oldest first; `state=""` for everything that ever did."""
    return (
        counted_anew(opened, opened.store.proposals(opened.project_id, state=state, limit=-1))
        if opened.project
        else []
    )


def counted_anew(opened: Memory, found: Sequence[Proposal]) -> list[Proposal]:
    """Proposals whose reasons count sessions, out of all that there are by now."""
    sessions = (
        pieces_of_work(opened.store, opened.project_id)
        if any(each.kind in FOR_PERSON for each in found)
        else 0
    )
    return [
        replace(each, reason=reason_now(each, sessions)) if each.kind in FOR_PERSON else each
        for each in found
    ]


def for_person(opened: Memory, most: int = 10) -> list[Proposal]:
    """What only the person is told: what fails without a way out, and instruction files that are wrong."""
    found = (
        opened.store.proposals(opened.project_id, kinds=FOR_PERSON, limit=most)
        if opened.project
        else []
    )
    return counted_anew(opened, found)


def worth_a_look(opened: Memory) -> tuple[list[Lesson], list[Lesson]]:
    """What was heard from the person and waits to be confirmed, and the best candidates, ten of each."""
    if not opened.project:
        return [], []
    known = opened.store.select([opened.project_id], states=(ACTIVE,), limit=LESSONS_WEIGHED)
    open_ones = opened.store.select([opened.project_id], states=(WAITING,), limit=LESSONS_WEIGHED)
    return heard(known), best(open_ones)


def review(
    opened: Memory,
    id: str = "",
    decision: str = "approve",
    *,
    role: str = "person",
    to: str = "",
    outcome: str = "",
    into: str = "",
    text: str = "",
    reason: str = "",
    every: bool = False,
) -> Reviewed | int:
    """Decide about a memory or a proposal, in a role."""
    opened.need_person("Deciding")
    project, seat, reason = (
        opened.ensure_project(),
        _seat(opened, role),
        opened._kept_reason(reason),
    )
    if decision == "clear":
        return seat.clear(every=every)
    try:
        found = opened.get(id).id
    except NotFound:
        waiting = find_proposal(opened.store, project.id, id)
        if decision in ("approve", "edit"):
            if (waiting.payload or {}).get("erase"):
                seat.settle(waiting, reason or waiting.reason)
                (gone,) = opened.drop(waiting.memory, erase=True, reason=reason)
                return Reviewed(gone.id, gone.state, gone.state, "erased", "", waiting.id)
            return seat.accept(waiting, text=text, reason=reason)
        if decision == "reject":
            return seat.decline(waiting, reason=reason)
        raise UsageError(
            f"A proposal cannot be {decision}ed.", "approve, edit or reject it."
        ) from None
    if decision == "approve":
        return seat.approve(found, to=to, reason=reason)
    if decision == "reject":
        return seat.reject(found, reason=reason)
    if decision == "open":
        return seat.open(found, reason=reason)
    if decision == "close":
        over = opened.get(into).id if into else ""
        return seat.close(
            found, outcome or "reinstate", to=to, text=text, successor=over, reason=reason
        )
    if decision == "merge":
        return seat.merge(found, opened.get(into).id, reason=reason)
    if decision == "unmerge":
        return seat.unmerge(found, reason=reason)
    if decision == "edit":
        opened.edit(found, text=text, reason=reason)
        return seat.approve(found, reason=reason)
    raise UsageError(
        f"{decision!r} is no decision.",
        "One of: approve, edit, reject, merge, unmerge, open, close, clear.",
    )


def reopen(opened: Memory, proposal: str) -> Proposal:
    """Let a decided proposal wait again; what a yes changed in its lesson is put back if nothing came after it."""
    opened.need_person("Reopening")
    found = find_proposal(opened.store, opened.project_id, proposal)
    made = opened.store.entries(memory=found.memory, newest=True, limit=9) if found.memory else []
    yes = next((at for at, entry in enumerate(made, 1) if entry.verb in ("approve", "add")), 0)
    if all(entry.by == found.decided_by and entry.at <= found.decided_at for entry in made[:yes]):
        for entry in made[:yes]:
            opened.undo(entry.id)
    return _seat(opened, "person").reopen(found)


def settle(opened: Memory, proposal: str, why: str) -> None:
    """Close a proposal that was followed by another way."""
    opened.need_person("Deciding")
    _seat(opened, "person").settle(find_proposal(opened.store, opened.project_id, proposal), why)


def _seat(opened: Memory, role: str) -> Review:
    publish = (lambda: page(opened)) if opened.publishes else None
    return Review(opened.work, role, publish)
