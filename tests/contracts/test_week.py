"""What happened in a week, as every first screen tells it."""

from __future__ import annotations

from tests.verbs import open as open_memories

from tacit.testing import finding, run


def test_the_week_is_told_from_its_uses(folder: object) -> None:
    """Given, left out, in how many pieces of work, and of what came to its moment how much came back; the newest word on a use is the one that stands."""
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
        arms = dict(
            memories.store.rows("SELECT arm, count(*) FROM delivery WHERE lesson <> '' GROUP BY 1")
        )
        week = memories.week(memories.now())
        last = dict(
            memories.store.rows(
                "SELECT outcome, count(*) FROM delivery WHERE lesson <> '' AND arm <> 'held out'"
                " GROUP BY 1"
            )
        )
    assert week["sessions"] == 14 and week["units"] == 12 and week["new"] == 1
    assert (week["given"], week["withheld"]) == (arms["delivered"], arms.get("held out", 0))
    # the lesson names no command and no file: that a session did not meet its problem is no praise
    came, stayed = last.get("occurred", 0), last.get("not_occurred", 0)
    assert (week["back"], week["told"]) == (came, came) and stayed


def test_what_was_taken_out_is_none_of_the_weeks_new_lessons(folder: object) -> None:
    """Whoever dropped one the same day read that it is new."""
    with open_memories() as memories:
        kept = [memories.add(f"Case {n}: run the importer with --cold first.") for n in range(3)]
        since = memories.now()
        assert memories.week(since)["new"] == 3
        memories.forget(kept[0].id)
        assert memories.week(since)["new"] == 2
