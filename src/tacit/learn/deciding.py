"""The transaction in which somebody decides, and the proposal that is meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tacit.core.errors import NotFound, Refused
from tacit.core.proposal import Proposal
from tacit.core.standing import is_confirmed, is_order_of_a_day, is_product_detail
from tacit.lesson import Lesson

if TYPE_CHECKING:
    from tacit.store.reads import Store, WorkContext
    from tacit.store.writes import Transaction


_MOST = 10
# whose word a reader heard: shares of them that were worth having
_WORTH_BY_STANDING = {"said": 3.0, "shown": 2.5, "asked": 2.0, "found": 1.0}
_KINDS = {
    "rule": 1.0,
    "preference": 0.8,
    "command": 0.8,
    "security": 0.8,
    "pitfall": 0.5,
    "fix": 0.5,
}


def heard(provisional: Iterable[Lesson]) -> list[Lesson]:
    """What a reader heard a person say and the person has not confirmed: on trial until then."""
    theirs = (
        memory
        for memory in provisional
        if _word(memory) in ("said", "shown") and not is_confirmed(memory)
    )
    return best(theirs)


def best(candidates: Iterable[Lesson]) -> list[Lesson]:
    """The candidates that most deserve a look: a person's words first, then what came again and has evidence. What one session settled
    about the product or asked for once is no question: `list` has it."""
    found = [
        memory
        for memory in candidates
        if memory.gate == "allow"
        and memory.text
        and not (is_product_detail(memory) or is_order_of_a_day(memory))
    ]
    return sorted(found, key=lambda memory: (-_score(memory), memory.created_at, memory.id))[:_MOST]


def _word(memory: Lesson) -> str:
    return str((memory.extra or {}).get("word") or "")


def _score(memory: Lesson) -> float:
    return (
        _WORTH_BY_STANDING.get(_word(memory), 0.5)
        + _KINDS.get(memory.klass, 0.3)
        + min(memory.tally.seen, 5) * 0.6
        - memory.tally.contradicted
    )


@contextmanager
def deciding(work: WorkContext) -> Iterator[Transaction]:
    """The transaction of a decision. One that a rule refuses writes nothing and is counted."""
    try:
        with work.write() as tx:
            yield tx
    except Refused:
        with work.store.write() as tx:
            tx.count(work.project.id, "move_refused", work.now())
        raise


def find_proposal(store: Store, project: str, name: str) -> Proposal:
    """A proposal by its id or a unique beginning of it."""
    found = store.proposals_named(project, name.strip())
    if len(found) == 1:
        return found[0]
    raise NotFound(
        f"There is no proposal {name!r}."
        if not found
        else f"{name!r} fits {len(found)} proposals.",
        "tacit review list",
    )
