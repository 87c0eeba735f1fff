"""A reader that answers too much, too late, or of what nobody asked about: said, counted, nothing half written."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests import verbs
from tests.readers import desk_of, read_at, read_by
from tests.reading.test_reading import BRANCH, SAID, answer, session, tells, weighs
from tests.verbs import Memories

from tacit.core.errors import ModelUnavailable
from tacit.store.readings import IS_READ, load, readings_folder
from tacit.testing import Scripted, run, user

OTHERS = "Use the develop branch for new work, never main."


def verdict(id: str, word: str = "reversed") -> dict[str, Any]:
    return {"id": id, "verdict": word, "line": 1, "words": BRANCH, "new": 1, "into": "Anything."}


def state_of(memories: Memories) -> list[tuple[str, str, str, int, int]]:
    """Every lesson as it stands, and what was ever said of it."""
    every = memories.list(archived=True, limit=100)
    return sorted(
        (each.text, each.state, each.gate, each.tally.seen, each.tally.contradicted)
        for each in every
    )


@pytest.mark.parametrize("id", ["k2", "k99", "k0", "n1", "h7", "", "OURS", "THEIRS"])
def test_a_verdict_on_what_was_not_asked_about_does_nothing(
    memories: Memories, other_project: Memories, id: str
) -> None:
    """Other numbers, the store's own ids, another project's lessons: none of them is a name of the question."""
    ours, theirs = memories.add(OTHERS), other_project.add(OTHERS)
    before = state_of(memories), state_of(other_project)
    named = {"OURS": ours.id, "THEIRS": theirs.id}.get(id, id)
    said = [verdict(named, word) for word in ("reversed", "outdated", "amended", "came_back")]
    reads = Scripted(answer([], [weighs(holds="working")], said))
    assert read_by(memories, session("r1"), reads) is not None
    assert (state_of(memories), state_of(other_project)) == before


@pytest.fixture
def other_project(memories: Memories, tmp_path: Any) -> Any:
    """Another project of the same store."""

    place = tmp_path / "elsewhere"
    place.mkdir()
    with verbs.open(memories.store.path, project=str(place), env=memories.env) as other:
        yield other


def test_a_reader_that_finds_hundreds_is_cut_to_what_was_asked_for(memories: Memories) -> None:
    """The first so many, and none twice."""
    every = [
        tells(f"Rule {n}: get back to main before task {n}.", 1, BRANCH) for n in range(300)
    ] * 2
    learned = read_by(memories, session("r1"), Scripted(answer(every, [])))
    assert 0 < len(learned.new) <= 8


def test_an_answer_without_an_end_keeps_what_is_whole(memories: Memories) -> None:
    """Cut in the middle of a word: its whole lessons count, never half of one."""
    endless = json.dumps({"lessons": [SAID, *[tells("x" * 400, 1, BRANCH)] * 300]})[:100_000]
    read_by(memories, session("r1"), Scripted(endless, answer([], [weighs()])))
    reading = load(readings_folder(memories.store.path), _run(memories))
    assert reading is not None and reading.state == IS_READ
    assert {each.text for each in memories.list(limit=100)} == {SAID["text"], "x" * 400}


@pytest.mark.parametrize(
    ("why", "told"),
    [
        ("timeout", "no answer within 180 s"),
        ("exit", "was killed"),
        ("refused", "not logged in"),
        ("budget", "the limit is reached"),
    ],
)
def test_whoever_cannot_answer_lets_the_session_wait(
    memories: Memories, why: str, told: str
) -> None:
    """After the first answer as before it: what was answered is kept, nothing is written, and the next try asks the rest alone."""
    found = session("r1", user(BRANCH))
    memories.learn(found)
    silent = ModelUnavailable(told, why=why)
    at = desk_of(memories, Scripted(answer([SAID]), silent))
    (warned,) = read_at(at, memories, found).warnings
    assert "not read yet" in warned and told in warned and memories.list() == []
    again = Scripted(answer([], [weighs()]))
    assert len(read_at(desk_of(memories, again), memories, found).new) == 1
    assert len(again.asked) == 1, "the first question had its answer"


def _run(memories: Memories) -> str:
    row = memories.store.find_run(memories.project_id, "r1")
    assert row is not None
    return row.id


def test_nothing_typed_and_nothing_failed_asks_nobody(memories: Memories) -> None:
    reads = Scripted()
    assert read_by(memories, run("r1", task="t"), reads) is None and not reads.asked
