"""Lessons that say the same become one, and apart again; opposites are put before a person, once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.terminals import put_as

import tacit
from tacit.app import Memories
from tacit.core.links import Evidence


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[Memories]:
    with tacit.open(str(tmp_path / "a.db"), cwd=str(tmp_path)) as memories:
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
    many = learned(memories, "The importer drops the rows whose name is empty", "r2", "r3", "r4")
    preview = memories.tend(only="merge", dry_run=True)
    done = memories.tend(only="merge")
    assert preview.moves == done.moves == ((few, "provisional", "superseded", done.moves[0][3]),)
    assert (memories.get(few).superseded_by, memories.get(many).supersedes) == (many, (few,))
    assert memories.get(many).tally.seen == 4, "r2 saw both and counts once"
    assert memories.tend(only="merge").moves == ()
    memories.review(few, "unmerge")
    assert (memories.get(few).state, memories.get(few).tally.seen) == ("provisional", 2)
    assert (memories.get(many).supersedes, memories.get(many).tally.seen) == ((), 3)
    assert memories.health().health.is_sound


def test_an_unmerged_pair_is_left_alone(memories: Memories) -> None:
    """Whoever took a merge back does not want it made again the next night."""
    one = learned(memories, "The importer drops rows whose name is empty", "r1")
    learned(memories, "The importer drops the rows whose name is empty", "r2", "r3")
    memories.tend(only="merge")
    memories.review(one, "unmerge")
    assert memories.tend(only="merge").moves == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "When the cache key is stale, delete it at once",
            "When the cache key is stale, NEVER delete it at once",
        ),
        (
            "On a merge conflict in the lock file: ALLOW it",
            "On a merge conflict in the lock file: NEVER do it",
        ),
        ("Enable the query cache on staging", "Disable the query cache on staging"),
        (
            "The upload timeout of the gateway is 30 seconds",
            "The upload timeout of the gateway is 60 seconds",
        ),
    ],
)
def test_opposites_are_proposed_and_never_merged(memories: Memories, one: str, other: str) -> None:
    """Once, and not again after a person rejected it."""
    a, b = learned(memories, one, "r1"), learned(memories, other, "r2", "r3")
    done = memories.tend(only="merge")
    assert done.moves == ()
    (waiting,) = memories.proposals()
    assert (waiting.kind, {waiting.memory, waiting.payload["other"]}) == ("contradiction", {a, b})
    memories.review(waiting.id, "reject", reason="both hold, in their places")
    memories.edit(a, tags=("looked-at",))
    memories.tend(only="merge", since="2000-01-01T00:00:00.000Z")
    assert memories.proposals() == []


def test_a_proposal_quotes_no_word_of_the_lesson_that_may_be_erased(memories: Memories) -> None:
    """It stands with the other lesson, and is not blanked with this one."""
    one = learned(memories, "Anastasia approves the rotation of the token", "r1")
    learned(memories, "Anastasia refuses the rotation of the token", "r2", "r3")
    memories.tend(only="merge")
    (waiting,) = memories.proposals()
    assert waiting.reason.startswith(f"says the opposite of {one} (negation)")
    memories.erase(one)
    assert "approv" not in "".join(
        str(row) for row in memories.store.rows("SELECT * FROM proposal")
    )


ALLOW, NEVER = (
    "Delete the build cache at once when a test fails oddly",
    "Never delete the build cache when a test fails oddly",
)


def test_rejecting_a_contradiction_keeps_both(memories: Memories) -> None:
    """And the pair is not brought up again, however often it is tended. A third lesson is no answer, and a pair that was worded anew is no contradiction yet."""
    pair = [learned(memories, ALLOW, "r1", "r2"), learned(memories, NEVER, "r4", "r5")]
    third = learned(memories, "The importer drops rows whose name is empty", "r7")
    memories.tend(only="merge")
    (asked,) = memories.proposals()
    with pytest.raises(tacit.TacitError, match="not one of the two"):
        memories.review(asked.id, "approve", into=third)
    memories.edit(pair[0], text="Delete the build cache at night only")
    with pytest.raises(tacit.TacitError, match="worded anew"):
        memories.review(asked.id, "approve")
    memories.review(asked.id, "reject", reason="both hold, in different stages")
    memories.tend(only="merge", since="2000-01-01")
    assert memories.proposals() == [] and {memories.get(id).state for id in pair} == {"provisional"}


def test_a_person_s_own_words_are_merged_by_a_person(memories: Memories) -> None:
    """A preference that says what another says is a proposal, not a change."""
    memories.add("Answer in German, always", kind="preference")
    memories.add("Always answer in German", kind="preference")
    done = memories.tend(only="merge")
    assert (done.moves, [each.kind for each in memories.proposals()]) == ((), ["merge"])


def test_what_is_for_others_stays_apart(memories: Memories) -> None:
    """Another agent's lesson, another domain's, a held one: never joined."""
    text = "The importer drops rows whose name is empty"
    learned(memories, text, "r1")
    memories.edit(learned(memories, text + " today", "r2"), agent="maker")
    memories.edit(learned(memories, text + " now", "r3"), domain="billing")
    assert memories.tend(only="merge").moves == ()
