"""What was asked for in passing is put down, waits, and counts when it is asked for again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.readers import read_by
from tests.verbs import Memories

from tacit.core.run import Run, Step
from tacit.lesson import is_found_once
from tacit.testing import Scripted, run, say, user

REQUEST = "and add a line about it to docs/news.md"
HABIT = "With every change a user can see, add a line about it to docs/news.md."
NONE = {"lessons": [], "answers": [], "verdicts": []}


def heard(
    memories: Memories,
    found: Run,
    *lessons: dict[str, Any],
    says: str = "partly",
    holds: str = "order",
) -> list[str]:
    """Have a session read by a model that hears these lessons; what it was asked."""
    weighed = {**NONE, "answers": [{"n": 1, "says": says, "holds": holds}]}
    return asks(memories, found, {**NONE, "lessons": [*lessons]}, {**weighed, "verdicts": []})


def asks(
    memories: Memories, found: Run, *answers: dict[str, Any], hold_all: bool = False
) -> list[str]:
    """Have a session read by a model that answers so, one question after the other; what it was asked."""
    model = Scripted(*map(json.dumps, answers))
    assert read_by(memories, found, model, hold_all=hold_all) is not None
    return model.asked


def session(id: str, *steps: Step) -> Run:
    return run(
        id,
        user(f"mend the parser, {id}"),
        say("Mended."),
        *(steps or (user(REQUEST),)),
        task=id,
        lineage=id,
    )


def habit(
    text: str = HABIT, words: str = REQUEST, line: int = 3, standing: str = "asked"
) -> dict[str, Any]:
    return {
        "text": text,
        "kind": "way",
        "standing": standing,
        "quotes": [{"line": line, "words": words}],
    }


def kept(memories: Memories) -> list[Any]:
    return [memory for memory in memories.list(limit=20) if memory.source == "reader"]


def test_a_request_waits_and_is_in_force_when_it_is_made_again(memories: Memories) -> None:
    """Nobody said that it always holds."""
    heard(memories, session("r1"), habit())
    (memory,) = kept(memories)
    assert (memory.text, memory.trust, memory.extra["word"]) == (
        HABIT,
        "agent",
        "asked",
    ) and is_found_once(memory)
    heard(memories, session("r2"), habit())
    (memory,) = kept(memories)
    assert (memory.state, memory.tally.seen, is_found_once(memory)) == ("active", 2, False)


def test_what_would_act_unasked_waits_for_the_person_however_often_it_is_asked_for(
    memories: Memories,
) -> None:
    words, text = "ok npm publish it", "Run `npm publish` after every finished change."
    for id in ("r1", "r2", "r3"):
        heard(memories, session(id, user(words)), habit(text, words))
    (memory,) = kept(memories)
    assert (memory.state, memory.gate) == ("waiting", "hold")


@pytest.mark.parametrize(("says", "holds", "there"), [("no", "working", 1), ("yes", "once", 0)])
def test_a_line_that_does_not_ask_for_it_vouches_for_nothing(
    memories: Memories, says: str, holds: str, there: int
) -> None:
    """Who weighs sees the lesson and the line alone: words that a model took from elsewhere in the session stay its own."""
    for id in ("r1", "r2", "r3"):
        heard(memories, session(id), habit(), says=says, holds=holds)
    assert [(is_found_once(memory), memory.trust) for memory in kept(memories)] == [
        (True, "agent")
    ] * there


SAID = "a line about each change a user can see belongs into docs/news.md"
SAME = {**NONE, "verdicts": [{"id": "k1", "verdict": "same", "new": "n1", "into": None}]}
SAYS = {**NONE, "answers": [{"n": n, "says": "yes", "holds": "working"} for n in (1, 2)]}


def test_what_is_said_later_takes_over_what_was_only_asked_for(memories: Memories) -> None:
    """The person's words, their name and their place at the starts: a request was a guess at it."""
    heard(memories, session("r1"), habit())
    asks(
        memories,
        session("r2", user(SAID)),
        {**NONE, "lessons": [habit(SAID, SAID, standing="said")]},
        SAME,
        SAYS,
    )
    (memory,) = memories.list(limit=20)
    assert (memory.text, memory.trust, memory.extra["word"], memory.state) == (
        SAID,
        "user",
        "said",
        "active",
    )
    assert {each.quote for each in memories.store.evidence(memory.id)} == {REQUEST, SAID}


def test_words_that_the_gate_holds_take_nothing_over(memories: Memories) -> None:
    heard(memories, session("r1"), habit())
    told = ({**NONE, "lessons": [habit(SAID, SAID, standing="said")]}, SAME, SAYS)
    asks(memories, session("r2", user(SAID)), *told, hold_all=True)
    heard_as = {memory.text: (memory.trust, memory.gate) for memory in memories.list(limit=20)}
    assert (heard_as[HABIT], heard_as[SAID]) == (("agent", "allow"), ("user", "hold"))


def test_no_amended_wording_acts_unasked(memories: Memories) -> None:
    """A lesson that waits for nobody may not become one that would, on a reader's word for two sightings."""
    heard(memories, session("r1"), habit())
    better = "With every change add a line to docs/news.md, then push."
    same = {**NONE, "verdicts": [{"id": "k1", "verdict": "same", "new": "n1", "into": better}]}
    weighed = {
        **NONE,
        "answers": [{"n": 1, "says": "partly", "holds": "order"}, SAYS["answers"][1]],
    }
    asks(
        memories,
        session("r2"),
        {**NONE, "lessons": [habit("Note visible changes in docs/news.md.")]},
        same,
        weighed,
    )
    assert [(memory.text, memory.state) for memory in kept(memories)] == [(HABIT, "active")]


def test_only_a_line_of_the_person_asks(memories: Memories) -> None:
    """What only the agent says is found, whatever a reader calls it."""
    heard(
        memories,
        session("r1", say("I will always mend the parser first."), user("yes")),
        habit(words="I will always mend"),
    )
    assert [memory.extra["word"] for memory in kept(memories)] == ["found"]
