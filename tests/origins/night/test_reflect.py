"""Reflecting: rules propose what they see, a model suggests, and nothing is changed by either."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests import verbs
from tests.verbs import Memories

from tacit.core import clock
from tacit.core.digest import new_id
from tacit.core.edits import made
from tacit.core.journal import Hand
from tacit.core.links import Evidence
from tacit.lesson import Lesson
from tacit.origins.night import tend
from tacit.origins.night.context import Context
from tacit.testing import Scripted

VAGUE = "When the tests fail on a fresh checkout it is mostly because the migrations were not run before them"
SHARP = "Run the migrations before the tests on a fresh checkout"


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[Memories]:
    with verbs.open(str(tmp_path / "a.db"), cwd=str(tmp_path), by="ada", yes=True) as memories:
        memories.ensure_project()
        yield memories


def reflect(memories: Memories, model: Any = None, **named: Any) -> Any:
    done = tend(Context(memories.work, model=model, **named), ("reflect",))
    assert not done.busy
    return done.of("reflect")


def said(*rows: tuple[list[str], str]) -> str:
    return json.dumps(
        {"suggestions": [{"lessons": ids, "text": text, "reason": "shorter"} for ids, text in rows]}
    )


def waiting(memories: Memories) -> list[tuple[str, str, Any]]:
    return [
        (each.kind, each.memory, (each.payload or {}).get("text")) for each in memories.proposals()
    ]


def held(memories: Memories, text: str, **fields: str) -> Lesson:
    """A lesson in somebody else's words, for which nobody vouched yet."""
    memory = Lesson(
        new_id(), memories.project_id, text, gate="hold", created_at=clock.now(), **fields
    )
    with memories.store.write() as tx:
        tx.apply(made(memory, Hand("learn", clock.now()), reason="x"))
    return memory


def lessons(memories: Memories, count: int) -> list[Lesson]:
    told = "Lesson {n} is about the number {number} as was seen in some runs of last week"
    return [memories.add(told.format(n=n, number=n * 7919)) for n in range(count)]


def test_a_model_s_suggestion_is_a_proposal_with_quoted_evidence(memories: Memories) -> None:
    """The lesson stays as it is; the proposal holds both texts and what was said in runs; a person's approval is the edit."""
    memory = memories.add(VAGUE)
    missing = "no such table: orders"
    with memories.store.write() as tx:
        tx.add_evidence(
            Evidence(memory.id, memory.project, "r1", "r1", "f1", quote=missing, at=clock.now())
        )
    done = reflect(memories, Scripted(said(([memory.id], SHARP))))
    assert memories.get(memory.id).text == VAGUE
    (proposal,) = memories.proposals()
    assert done.proposals == (proposal.id,)
    assert (proposal.kind, proposal.tier, proposal.by) == ("edit", "person", "reflect")
    assert proposal.payload == {
        "text": SHARP,
        "was": VAGUE,
        "evidence": [{"run": "r1", "quote": missing}],
    }
    memories.review(proposal.id, "approve")
    assert memories.get(memory.id).text == SHARP
    assert memories.health().health.faults == ()


WRONG = (
    '{"suggestions": [{"lessons": "x", "text": 7}]}',
    said((["nobody"], SHARP)),
    said(([], SHARP)),
)


@pytest.mark.parametrize("answer", ["", "{", "no", "[1]", *WRONG])
def test_garbage_suggests_nothing_and_is_not_paid_for_twice(
    memories: Memories, answer: str
) -> None:
    """The lesson was shown; it is shown again when it changes."""
    memory = memories.add(VAGUE)
    model = Scripted(answer)
    reflect(memories, model)
    reflect(memories, model)
    assert len(model.asked) == 1 and waiting(memories) == []
    memories.edit(memory.id, text=VAGUE + ".")
    reflect(memories, model)
    assert len(model.asked) == 2


def test_what_is_held_is_not_shown(memories: Memories) -> None:
    """Other people's text goes to nobody before somebody vouched for it."""
    memories.add(VAGUE)
    held(memories, "Held words from a page", state="active")
    model = Scripted("")
    reflect(memories, model)
    assert VAGUE in model.asked[0] and "Held words" not in model.asked[0]


def test_a_dry_run_asks_nobody(memories: Memories) -> None:
    """It costs nothing to look."""
    memories.add(VAGUE)
    model = Scripted("")
    reflect(memories, model, dry_run=True)
    assert model.asked == []
