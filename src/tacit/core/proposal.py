"""A proposal is a change that needs a judge: a rule, a model or a person, possibly several roles."""

from __future__ import annotations

from tacit.core.digest import short_hash
from tacit.core.states import GONE, WAITING
from tacit.core.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tacit.lesson import Lesson


# The staging area: lessons that wait between a run and the memory for somebody to look at them.
#
# There is no second store. A staged lesson is a candidate that the gate holds, and what became of it stands where every
# gate decision stands: pending, validated, or refused with its reason. Clearing the area judges nothing: what was cleared
# comes back when it is met again.

STAGED_BY_HAND = "staged by hand"
VALIDATED = "validated"
KEPT_STAGED = "validated; kept in staging"  # stored, and still shown there
CLEARED = "silence"  # nobody judged it


def staging_status(memory: Lesson) -> str:
    """pending, validated or rejected; empty for what is not in the staging area."""
    if (
        memory.state == WAITING
        and memory.gate == "hold"
        and memory.gate_reason in (STAGED_BY_HAND, VALIDATED)
    ):
        return "pending" if memory.gate_reason == STAGED_BY_HAND else "validated"
    if memory.state == GONE and memory.gate == "discard" and memory.closed_by != CLEARED:
        return "rejected"
    return "validated" if memory.gate_reason == KEPT_STAGED else ""


OPEN, APPROVED, REJECTED, EXPIRED = "open", "approved", "rejected", "expired"
EXPIRES_AFTER_DAYS = 7  # the memory keeps its state


def person_question(project: str, kind: str, subject: str) -> str:
    """The id of what only the person is asked: one proposal per subject, whenever and however often it is found."""
    return short_hash(project, kind, subject)


@value
class Proposal:
    """One waiting, or decided, change."""

    id: str
    project: str
    kind: str
    reason: str
    by: str
    created_at: str
    memory: str = ""
    state: str = OPEN
    tier: str = ""  # which tier of triage it waits for
    payload: Mapping[str, Any] | None = None  # what would change
    approvals: tuple[tuple[str, str], ...] = ()  # (name, role), in order
    expires_at: str = ""
    decided_by: str = ""
    decided_at: str = ""
    decision: str = ""  # the judge's reason


# Questions whose yes puts somebody else's words in force.
OTHER_WORDS = ("edit", "fork", "page")


def new_words(question: Proposal) -> str:
    """The words that a yes to a question would give to its lesson, or to a new one; empty where it changes none."""
    payload = question.payload or {}
    fields = payload.get("fields") or {}
    return str(payload.get("order") or payload.get("text") or fields.get("text") or "")


def reason_now(proposal: Proposal, sessions: int) -> str:
    """Its reason, where it counts sessions out of all there were then, out of all there are now."""
    then = (proposal.payload or {}).get("sessions")
    return (
        proposal.reason.replace(f" of {then} sessions", f" of {sessions:,} sessions")
        if then and sessions > then
        else proposal.reason
    )
