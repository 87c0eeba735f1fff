"""Figures by day: what is counted on with every change is what the rows they are derived from add up to."""

from __future__ import annotations

import pytest

from tacit.app import Memories
from tacit.app import open as open_memories
from tacit.core.run import Cost
from tacit.stores import daily
from tacit.surfaces.selection import is_given
from tacit.testing import finding, run


def told(memories: Memories) -> list[tuple[str, str, float]]:
    return [
        (each.what, each.whose, each.amount)
        for each in daily.figures(memories.store, memories.scopes)
        if each.amount
    ]


@pytest.fixture
def busy(folder: object) -> Memories:
    """Lessons that came and went, runs of two models, one of which grew, and an answer to an agent."""
    memories = open_memories()
    first = memories.add("Run make migrate before the tests.", kind="rule")
    memories.add("Use uv, never pip.", kind="preference")
    gone = memories.add("The nightly export needs LANG.", kind="rule")
    memories.forget(gone.id)
    memories.edit(first.id, text="Run make migrate before the tests of the importer.")
    memories.undo(gone.id)
    memories.forget(gone.id)
    memories.inject("migrate the importer", run="a", host="neutral")
    cost = Cost(input=100, output=20, usd=0.5)
    memories.learn(
        run("a", finding("a", "The importer drops empty rows"), model="opus-5", cost=cost)
    )
    memories.learn(
        run(
            "b",
            finding("b", "The importer drops empty rows"),
            model="haiku-5",
            cost=cost,
            complete=False,
        )
    )
    memories.learn(
        run(
            "b",
            finding("b", "The importer drops empty rows"),
            finding("b", "Dates lack a zone"),
            model="haiku-5",
            cost=Cost(input=300, output=50, usd=1.0),
        )
    )
    return memories


def test_what_happened_is_counted_once(busy: Memories) -> None:
    """A lesson that was edited is in force once, one that was taken out is not, and a run that grew counts as it is now."""
    with busy as memories:
        found = dict(((what, whose), amount) for what, whose, amount in told(memories))
        given = memories.store.one("SELECT sum(tokens) FROM injection")[0]
        in_force = sum(is_given(memory) for memory in memories.list(limit=100))
    assert found.pop(("given", "")) == given > 0
    week = {
        name: found.pop(name)
        for name in [*found]
        if name[0] in ("learned", "uses", "units", "came")
    }
    assert week == {("learned", ""): 2.0, ("uses", "exempt"): 2.0, ("units", ""): 1.0}
    assert in_force == 3  # two that somebody wrote, and the finding of two runs
    assert found == {
        ("in_force", ""): 3.0,
        ("runs", "neutral opus-5"): 1.0,
        ("tokens", "neutral opus-5"): 120.0,
        ("usd", "neutral opus-5"): 0.5,
        ("runs", "neutral haiku-5"): 1.0,
        ("tokens", "neutral haiku-5"): 350.0,
        ("usd", "neutral haiku-5"): 1.0,
    }


def test_made_anew_it_is_the_same(busy: Memories) -> None:
    """`tacit reindex` derives what was counted on."""
    with busy as memories:
        before = told(memories)
        with memories.store.write() as tx:
            tx.rows("DELETE FROM daily")
        assert told(memories) == []
        memories.reindex()
        assert told(memories) == before


def test_the_week_is_told_from_it(folder: object) -> None:
    """Given, left out, in how many pieces of work, and of what could be told how much came back; the newest word on a use is the one that stands."""
    with open_memories() as memories:
        text = "The payment client returns 500 where the response is not checked"
        for n in (1, 2):
            memories.learn(run(f"first-{n}", finding(f"first-{n}", text, kind="pitfall")))
        for n in range(12):
            memories.inject("payment client", run=f"t{n}", host="neutral")
            said = (finding(f"t{n}", text, kind="pitfall"),) if n % 3 == 0 else ()
            memories.learn(
                run(f"t{n}", *said, outcome="success", extra={"instruments": ["review"]})
            )
        arms = dict(memories.store.rows("SELECT arm, count(*) FROM use GROUP BY 1"))
        week = memories.week(memories.now())
        last = dict(
            memories.store.rows(
                "SELECT value, count(*) FROM use_mark m JOIN use u ON u.memory = m.memory AND u.unit = m.unit"
                " WHERE signal = 'outcome' AND u.arm <> 'withheld' GROUP BY 1"
            )
        )
        before = told(memories)
        memories.reindex()
        assert told(memories) == before
    assert week["sessions"] == 14 and week["units"] == 12 and week["new"] == 1
    assert (week["given"], week["withheld"]) == (arms["injected"], arms.get("withheld", 0))
    # the coin may leave the lesson out wherever its problem comes
    came, stayed = last.get("occurred", 0), last.get("not_occurred", 0)
    assert (week["back"], week["told"]) == (came, came + stayed) and came + stayed


def test_what_was_taken_out_is_none_of_the_weeks_new_lessons(folder: object) -> None:
    """Whoever dropped one the same day read that it is new."""
    with open_memories() as memories:
        kept = [memories.add(f"Case {n}: run the importer with --cold first.") for n in range(3)]
        since = memories.now()
        assert memories.week(since)["new"] == 3
        memories.forget(kept[0].id)
        assert memories.week(since)["new"] == 2
