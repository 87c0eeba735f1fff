"""Lessons that say the same become one, and apart again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests import verbs
from tests.terminals import put_as
from tests.verbs import Memories

from tacit.core.links import Evidence


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[Memories]:
    with verbs.open(str(tmp_path / "a.db"), cwd=str(tmp_path)) as memories:
        memories.ensure_project()
        yield memories


def learned(memories: Memories, text: str, *runs: str) -> str:
    """A lesson met in these runs, as a memory of its own."""
    made = memories.add(text, kind="pitfall")
    with memories.store.write() as tx:
        now = tx.get(made.id)
        put_as(tx, now, "trust", trust="review")
        for name in runs:
            tx.add_evidence(
                Evidence(
                    made.id,
                    made.project,
                    run=name,
                    root=name,
                    finding=name + text,
                    by="guardian",
                    tier="review",
                    at=now.created_at,
                )
            )
    return made.id


def test_the_one_with_more_evidence_stays(memories: Memories) -> None:
    """Superseded, not deleted; what only its own runs saw counts for the keeper, and unmerge takes exactly that back."""
    few = learned(memories, "The importer drops rows whose name is empty", "r1", "r2")
    many = learned(memories, "the importer drops rows whose name is empty.", "r2", "r3", "r4")
    preview = memories.tend(only="merge", dry_run=True)
    done = memories.tend(only="merge")
    assert preview.moves == done.moves == ((few, "active", "gone", done.moves[0][3]),)
    assert (memories.get(few).superseded_by, memories.get(many).supersedes) == (many, (few,))
    assert memories.get(many).tally.seen == 4, "r2 saw both and counts once"
    assert memories.tend(only="merge").moves == ()
    memories.review(few, "unmerge")
    assert (memories.get(few).state, memories.get(few).tally.seen) == ("active", 2)
    assert (memories.get(many).supersedes, memories.get(many).tally.seen) == ((), 3)
    assert memories.health().health.is_sound


def test_an_unmerged_pair_is_left_alone(memories: Memories) -> None:
    """Whoever took a merge back does not want it made again the next night."""
    one = learned(memories, "The importer drops rows whose name is empty", "r1")
    learned(memories, "the importer drops rows whose name is empty.", "r2", "r3")
    memories.tend(only="merge")
    memories.review(one, "unmerge")
    assert memories.tend(only="merge").moves == ()


def test_what_is_alike_and_not_equal_stays_two_lessons(memories: Memories) -> None:
    """Whether it says the same, a reader says."""
    learned(memories, "Enable the query cache on staging", "r1")
    learned(memories, "Enable the query cache on the staging", "r2", "r3")
    assert memories.tend(only="merge").moves == () and memories.proposals() == []


def test_a_person_s_own_words_are_merged_by_a_person(memories: Memories) -> None:
    """A preference that says what another says is a proposal, not a change."""
    memories.add("Answer in German, always", kind="preference")
    memories.add("answer in German, always.", kind="preference")
    done = memories.tend(only="merge")
    assert (done.moves, [each.kind for each in memories.proposals()]) == ((), ["merge"])


def test_what_is_for_others_stays_apart(memories: Memories) -> None:
    """Another agent's lesson, another domain's, a held one: never joined."""
    text = "The importer drops rows whose name is empty"
    learned(memories, text, "r1")
    memories.edit(learned(memories, text + " today", "r2"), agent="maker")
    memories.edit(learned(memories, text + " now", "r3"), domain="billing")
    assert memories.tend(only="merge").moves == ()
