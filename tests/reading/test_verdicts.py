"""A wish ends by its person's words: what a bare yes to an agent's proposal does to it, however a reader weighs that yes."""

from __future__ import annotations

import pytest

from tacit.lesson import Lesson
from tacit.reading.answers import Weighed
from tacit.reading.check import Found
from tacit.reading.decide import Decided
from tacit.reading.page import Line
from tacit.reading.verdicts import ruled


def wish(trust: str = "user", word: str = "said") -> Lesson:
    made = {"project": "p", "id": "m1", "state": "active", "extra": {"word": word}}
    return Lesson(text="Store every timestamp in UTC.", trust=trust, **made)


def typed(text: str, letter: str = "U") -> Found:
    return Found(Line(3, letter, text, text, 2, "line:3"), text, text)


YES = Weighed("yes", "working")


@pytest.mark.parametrize("verdict", ["reversed", "amended", "outdated"])
@pytest.mark.parametrize(("trust", "word"), [("user", "said"), ("agent", "shown")])
def test_a_bare_yes_ends_no_wish(verdict: str, trust: str, word: str) -> None:
    """Also where a reader is fooled twice: it says that the yes takes the wish back, and weighs it so."""
    done = ruled(verdict, wish(trust, word), typed("do it"), YES, needed="user")
    assert done.act == "propose"


@pytest.mark.parametrize("verdict", ["reversed", "outdated"])
def test_a_typed_line_that_names_it_ends_it(verdict: str) -> None:
    line = typed("no more UTC, keep timestamps in local time from now on")
    assert ruled(verdict, wish(), line, YES, needed="user").act == "suspend"


def test_what_the_agent_proposed_changes_a_part_of_no_wish() -> None:
    """A plain yes behind it makes a question of it."""
    offer = typed("Shall I store timestamps in local time?", letter="A")
    asked = {"needed": "user", "agreed": True}
    assert ruled("amended", wish(), offer, YES, **asked).act == "propose"
    assert ruled("amended", wish("agent", "shown"), offer, YES, **asked).act == "propose"


@pytest.mark.parametrize(
    ("word", "tier", "whose"),
    [
        ("said", "user", "person"),
        ("said", "quoted", "outside"),
        *((word, "agent", "session") for word in ("shown", "agreed", "asked", "found")),
        ("found", "quoted", "outside"),
    ],
)
def test_whose_word_it_is(word: str, tier: str, whose: str) -> None:
    assert Decided("Use pnpm here.", word, tier).whose == whose
