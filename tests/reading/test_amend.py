"""What a person changes in part: the old wording goes, what still holds of it stays, and an exception ends nothing by itself."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from tests.readers import read_by
from tests.verbs import Memories

from tacit.core.journal import Hand, change
from tacit.core.run import Step
from tacit.core.value import replace
from tacit.testing import Scripted, run, say, tool, user

OLD = "Duplicate contacts have the same lowercased email and day; on a collision the newest record wins."
CHANGE = "amendment to the merge rule: on a collision the record with more filled fields wins, not the newest"
INTO = "Duplicate contacts have the same lowercased email and day; on a collision the record with more filled fields wins."
PART = "On a collision of contacts the record with more filled fields wins."
OFFER = "Then on a collision the record with more filled fields wins."


def said(
    lessons: Sequence[Any] = (),
    verdicts: Sequence[Any] = (),
    says: str = "yes",
    holds: str = "decision",
) -> str:
    answers = [{"n": n, "says": says, "holds": holds} for n in range(1, 5)]
    return json.dumps({"lessons": list(lessons), "answers": answers, "verdicts": list(verdicts)})


def reads(memories: Memories, id: str, answer: str, *steps: Step) -> Any:
    return read_by(memories, run(id, *steps, task=id, lineage=id), Scripted(answer))


def lesson(text: str, line: int, words: str, **more: Any) -> dict[str, Any]:
    return {
        "text": text,
        "kind": "decision",
        "standing": "said",
        "quotes": [{"line": line, "words": words}],
        **more,
    }


def amended(line: int = 1, words: str = CHANGE, **more: Any) -> dict[str, Any]:
    return {"id": "k1", "verdict": "amended", "line": line, "words": words, **more}


def heard(memories: Memories, typed: bool = True) -> Any:
    """A decision of an earlier session."""
    about = {"topic": "merging contacts", "names": ["contacts"], "files": []}
    told = lesson(OLD, 1, OLD, about=about)
    steps = (user(OLD), say("ok")) if typed else (say(OLD), user("hm"))
    reads(memories, "r1", said([told if typed else {**told, "standing": "found"}]), *steps)
    return next(each for each in memories.list(limit=9) if each.text == OLD)


def in_force(memories: Memories) -> list[str]:
    return [each.text for each in memories.list(limit=20) if each.state in ("active", "active")]


def test_a_new_wording_takes_the_place_of_the_old_one(memories: Memories) -> None:
    old = heard(memories)
    reads(
        memories,
        "r2",
        said(verdicts=[amended(part="the newest record wins", into=INTO)]),
        user(CHANGE),
        say("Done."),
    )
    assert INTO in in_force(memories) and OLD not in in_force(memories)
    now = next(each for each in memories.list(limit=20) if each.text == INTO)
    assert (now.about, now.trust) == (old.about, "user")


def test_a_new_lesson_of_the_session_is_worded_for_the_whole_rule(memories: Memories) -> None:
    """Or the parts that still hold would be lost."""
    heard(memories)
    part = lesson(PART, 1, "on a collision the record with more filled fields wins")
    answer = said([part], [amended(part="the newest record wins", into=INTO, new="n1")])
    reads(memories, "r2", answer, user(CHANGE), say("Done."))
    told = in_force(memories)
    assert INTO in told and OLD not in told and PART not in told


def test_what_says_more_than_the_old_rule_and_the_line_takes_no_place(memories: Memories) -> None:
    """The old one is not told any more all the same: a part of it is wrong."""
    old = heard(memories)
    into = f"{INTO[:-1]}, and every merge is mailed to `audit@example.org`."
    reads(memories, "r2", said(verdicts=[amended(into=into)]), user(CHANGE), say("Done."))
    assert into not in {each.text for each in memories.list(limit=20)}
    assert memories.get(old.id).state == "doubted"


@pytest.mark.parametrize("yes", ["Exactly.", "why?"])
def test_what_the_person_agreed_to_changes_what_a_session_found(
    memories: Memories, yes: str
) -> None:
    old = heard(memories, typed=False)
    steps = (user("the newest is often empty"), say(OFFER), user(yes), say("Done."))
    reads(memories, "r2", said(verdicts=[amended(2, OFFER, into=INTO)], says="no"), *steps)
    state, texts = memories.get(old.id).state, {each.text for each in memories.list(limit=20)}
    assert (state == "gone" or memories.get(old.id).text == INTO) is (yes == "Exactly.")
    assert (INTO in texts) is (yes == "Exactly.")


PAGE = Step(
    "tool",
    "",
    tool="WebFetch",
    input={"url": "https://a.example"},
    output="A collision is won by filled fields.",
)


@pytest.mark.parametrize("quoted", [(2, OFFER), (3, "finally. do it")])
@pytest.mark.parametrize("verdict", ["amended", "reversed", "excepted"])
def test_a_plain_yes_to_the_agents_proposal_ends_no_wish_and_is_asked_about(
    memories: Memories, verdict: str, quoted: tuple[int, str]
) -> None:
    """What a person said ends by a typed line that itself names it: a page may have put the proposal into the agent's mouth."""
    old = heard(memories)
    steps = (user("the newest is often empty"), say(OFFER), user("finally. do it"), say("Done."))
    reads(
        memories,
        "r2",
        said(verdicts=[{**amended(*quoted, into=INTO), "verdict": verdict}], says="no"),
        *steps,
    )
    assert memories.get(old.id).state == "active" and INTO not in in_force(memories)
    asked = [each for each in memories.proposals() if each.memory == old.id]
    assert bool(asked) is (verdict != "excepted")


@pytest.mark.parametrize(
    ("offer", "yes", "page"),
    [
        (OFFER, "do it", True),
        (OFFER, "do it?", False),
        (f"Just this once: {OFFER}", "do it", False),
        ("Then emails are sent in the night.", "do it", False),
        (f"{OFFER} Then push it.", "do it", False),
    ],
)
def test_what_a_page_brought_or_holds_once_suspends_nothing(
    memories: Memories, offer: str, yes: str, page: bool
) -> None:
    old = heard(memories)
    steps = (
        user("what about Monday?"),
        *([PAGE] if page else []),
        say(offer),
        user(yes),
        say("Done."),
    )
    reads(memories, "r2", said(verdicts=[amended(3 + page, yes, into=INTO)], says="no"), *steps)
    assert memories.get(old.id).state == "active" and INTO not in in_force(memories)


def test_one_exception_ends_nothing_and_a_second_one_makes_it_ask(memories: Memories) -> None:
    old = heard(memories)
    for number, state in ((2, "active"), (3, "doubted")):
        words = f"just for import number {number} let the newest lose"
        verdict = {"id": "k1", "verdict": "excepted", "line": 1, "words": words}
        reads(memories, f"r{number}", said(verdicts=[verdict]), user(words), say("ok"))
        assert memories.get(old.id).state == state


@pytest.mark.parametrize("whose", ["person", "session"])
def test_what_is_gone_takes_out_what_a_session_found_and_asks_about_a_persons_word(
    memories: Memories, whose: str
) -> None:
    old = heard(memories, whose == "person")
    if whose == "session":  # in force, as found in two pieces of work
        with memories.store.write() as tx:
            now = replace(old, state="active")
            tx.apply(
                change(old, now, Hand("test", memories.now()), verb="move", reason="found again")
            )
    gone = "merge_contacts: no such table contacts, duplicate contacts are merged upstream"
    verdict = {"id": "k1", "verdict": "outdated", "line": 3, "words": gone}
    steps = (user("look at the contacts"), tool("make merge", error=gone), say("Gone."))
    reads(memories, "r2", said(verdicts=[verdict]), *steps)
    asked = [each for each in memories.proposals() if each.memory == old.id]
    assert (memories.get(old.id).state, bool(asked)) == (
        ("active", True) if whose == "person" else ("doubted", False)
    )
