"""What people and roles decide."""

from __future__ import annotations

from pathlib import Path

from tests.verbs import open as open_memories

from tacit.core.edits import made
from tacit.core.journal import Hand
from tacit.core.links import Mark
from tacit.core.proposal import APPROVED, OPEN, Proposal
from tacit.core.trust import Actor
from tacit.core.value import replace
from tacit.learn.review import Review
from tacit.lesson import Lesson

NOW = "2026-11-15T12:00:00.000Z"


def test_a_proposal_stays_open_while_others_must_still_decide(folder: Path) -> None:
    """geas's joint approval: one role's word is kept, the other's makes the move and closes the proposal."""
    with open_memories(profile="geas") as memories:
        project = memories.ensure_project().id
        asked = Proposal("p1", project, "promote", "reused often", "tend", NOW, "m1")
        lesson = Lesson(
            "m1",
            project,
            "Use one queue per worker, not one for all",
            "decision_precedent",
            state="active",
            extra={"stage": "stable"},
        )
        with memories.store.write() as tx:
            tx.apply(
                made(
                    replace(lesson, created_at=NOW, updated_at=NOW),
                    Hand("ada", NOW),
                    reason="said so",
                )
            )
            tx.add_mark(Mark("m1", "", project, "successful_reuse", amount=6.0, at=NOW))
            tx.add_mark(Mark("m1", "", project, "tasks", amount=3.0, at=NOW))
            tx.put_proposal(asked)
        told = []
        for name, role in (("ana", "orchestration_authority"), ("ben", "product_authority")):
            seat = Review(replace(memories.work, actor=Actor(name, "user", "terminal")), role)
            done = seat.accept(asked)
            kept = memories.store.proposal(asked.id)
            told.append((done.state, bool(done.waits_for), kept and kept.state))
        assert told == [("stable", True, OPEN), ("canonical", False, APPROVED)]
