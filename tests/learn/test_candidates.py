"""Which lessons are worth a person's glance."""

from __future__ import annotations

import pytest

from tacit.core.journal import Hand
from tacit.core.links import CONFIRMED
from tacit.core.memory import Memory, Tally
from tacit.core.profile_toml import standard
from tacit.core.value import replace
from tacit.learn.deciding import best, heard
from tacit.learn.stage import in_better_words
from tacit.testing import finding


def lesson(
    id: str,
    word: str = "",
    klass: str = "fact",
    seen: int = 1,
    contradicted: int = 0,
    **fields: str,
) -> Memory:
    named = {
        "state": "candidate",
        "text": f"lesson {id}",
        "gate": "allow",
        "created_at": "2026-01-01",
        **fields,
    }
    tally = Tally(seen=seen, contradicted=contradicted)
    return Memory(
        id=id, project="p", klass=klass, kind="fact", tally=tally, extra={"word": word}, **named
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (lesson("b", "said"), lesson("a", "shown")),
        (lesson("b", "shown", seen=2), lesson("a", "asked", seen=2)),
        (lesson("b", "asked", seen=2), lesson("a", "found", seen=2)),
        (lesson("b", "found"), lesson("a")),
        (lesson("b", klass="rule"), lesson("a", klass="command")),
        (lesson("b", klass="preference"), lesson("a", klass="fix")),
        (lesson("b", klass="fix"), lesson("a")),
        (lesson("b", seen=2), lesson("a")),
        (lesson("b", seen=3, klass="rule"), lesson("a", "found", seen=2)),  # 3.3 and 2.5
        (lesson("b", klass="rule"), lesson("a", "found", klass="none")),  # 2.1 and 1.9
        (lesson("b", "shown"), lesson("a", seen=3)),  # 3.4 and 2.6
        (lesson("b", contradicted=0), lesson("a", contradicted=1)),
        (lesson("b", seen=2, contradicted=1), lesson("a", contradicted=1)),
        (
            lesson("a", seen=5),
            lesson("b", seen=9),
        ),  # from five sightings on they are equal, and the id decides
        (lesson("b", created_at="2025-12-31"), lesson("a")),
        (lesson("a"), lesson("b")),
    ],
)
def test_the_better_one_stands_first(first: Memory, second: Memory) -> None:
    """By whose word it was, what class it has, how often it was seen and contradicted; then the older one."""
    assert [each.id for each in best([second, first])] == [first.id, second.id]


def test_what_one_session_settled_or_asked_for_is_no_question() -> None:
    """Most of what newcomers called nonsense among what waits."""
    rows = [
        replace(lesson("a", "said"), kind="decision"),
        lesson("b", "asked"),
        lesson("c", "asked", seen=2),
    ]
    assert [each.id for each in best(rows)] == ["c"] and heard(rows) == []


def test_what_is_held_is_not_shown() -> None:
    """Nor is what has no text; of what was heard only what a person said or did."""
    rows = [
        lesson("a", "said", gate="hold"),
        lesson("b", "shown"),
        lesson("c", "asked"),
        lesson("d", "said"),
    ]
    assert [each.id for each in heard(rows)] == ["d", "b"]
    assert [each.id for each in heard(rows, most=1)] == ["d"]
    theirs = replace(rows[-1], tally=replace(rows[-1].tally, signals={CONFIRMED: 1.0}))
    assert [each.id for each in heard([theirs])] == []  # worded anew: their word already
    assert [each.id for each in best([*rows, lesson("e", "said", text="")], most=2)] == ["d", "b"]
    assert (
        len(best([lesson(f"m{n:02}") for n in range(12)]))
        == len(heard([lesson(f"m{n:02}", "said") for n in range(12)]))
        == 10
    )


@pytest.mark.parametrize(
    ("word", "before", "taken"),
    [("said", "found", True), ("found", "found", False), ("said", "shown", False)],
)
def test_fuller_words_take_over_only_where_a_person_was_heard(
    word: str, before: str, taken: bool
) -> None:
    """What a reader found for itself stays in its shorter form when it is found again; what somebody said of it replaces it."""
    memory = lesson("a", before, text="Run make migrate before the tests.", trust="agent")
    again = finding(
        "r",
        "Run make migrate before the tests of the shop.",
        tier="observed",
        by="reader",
        extra={"word": word},
    )
    change = in_better_words(
        memory, again, standard("default"), Hand("reader", "2026-01-01T00:00:00Z")
    )
    assert (change is not None) is taken
