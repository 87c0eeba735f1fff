"""What one use of a memory came to."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.tables import by_table
from tests.verbs import open as open_memories

from tacit.core.journal import Hand
from tacit.core.links import Use
from tacit.core.run import Run
from tacit.lesson import Lesson
from tacit.origins.applied import by_outcome, echoed, outcome, touched


@by_table
def test_the_outcome_of_a_task_is_a_memorys_where_it_applied(
    outcome: str, touched: bool, repeated: bool, contradicted: bool, effect: str
) -> None:
    """geas's table; advice that was contradicted is weakened whatever came of the task."""
    applied = by_outcome(outcome, touched=touched, repeated=repeated, contradicted=contradicted)
    assert (applied.effect, applied.followup) == (effect, "weaken" if contradicted else "none")


@by_table
def test_an_answer_used_a_memory_where_a_phrase_of_it_or_enough_of_its_words_occur(
    answer: str, is_echoed: bool
) -> None:
    """A phrase has three words of at least four letters; without one, more than three in ten of the words."""
    text = "Restart every worker after deploy of queues, while tokens still hold their lease"
    assert echoed(text, answer) is is_echoed


@pytest.mark.parametrize(
    ("more", "task", "is_touched"),
    [
        ("", "restart a worker", True),  # two of ten words
        ("", "restart it", False),
        (" kernel", "restart a worker", False),  # two of eleven
        (" kernel", "restart a worker of the broker", True),
        ("", "write the changelog", False),
    ],
)
def test_a_task_touched_a_memory_where_two_of_its_words_and_a_fifth_of_them_occur(
    more: str, task: str, is_touched: bool
) -> None:
    text = f"restart worker deploy queue tokens lease broker ledger socket parser{more}"
    assert touched(Lesson("m-1", "p", text, "fact"), Run("r", "loop", task=task)) is is_touched


def test_the_second_failed_reuse_asks_for_a_review(folder: Path) -> None:
    """geas's bar; a task that passed in between neither counts nor forgives."""
    with open_memories(profile="geas") as memories:
        lesson = memories.add("Restart the worker after each deploy")
        asked = []
        for n, became in enumerate(("failure", "success", "failure", "failure")):
            run, at = (
                Run(f"r{n}", "loop", task="restart the worker", outcome=became),
                f"2026-11-15T12:0{n}:00.000Z",
            )
            use = Use(lesson.id, run.id, lesson.project, run.id, lesson.id, "exempt", 0.0, at=at)
            with memories.store.write() as tx:
                hand, never = Hand("learn", at, run.id), lambda id: False
                outcome(tx, run, [use], repeated=never, contradicted=never, hand=hand)
                effects = {
                    mark.value
                    for mark in tx.marks(memory=lesson.id)
                    if mark.unit == run.id and mark.value
                }
            asked.append(effects.pop())
        assert asked == ["none", "none", "review_required", "review_required"]
