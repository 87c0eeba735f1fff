"""What is told when: by the subject of a lesson, not by who said it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tacit.core.links import Evidence
from tacit.core.value import replace
from tacit.hooks.known import is_told_at_starts
from tacit.lesson import Lesson, Tally

Make = Callable[..., Lesson]
FACT = {"kind": "fact", "klass": "fact", "trust": "user"}


def found_once(make: Make, text: str, **fields: Any) -> Lesson:
    return make(
        text,
        kind="fact",
        klass="fact",
        trust="agent",
        extra={"word": "found"},
        tally=Tally(seen=1),
        **fields,
    )


def test_a_decision_about_something_else_is_no_filler(world: Any, make: Make) -> None:
    """A person's fact competes by subject like all others: at a start, and at a prompt about another thing, it is not told."""
    tags = make("Merged tags keep the first spelling.", about="tag merging; merge_tags", **FACT)
    world.put(tags, *(make(f"Number {n} is odd or even.", **FACT) for n in range(20)))
    assert world.inject("", surface="hook:session-start").injected == ()
    assert (
        world.inject("CSV quoting drops a comma in the export", surface="hook:prompt").injected
        == ()
    )
    assert world.inject(
        "why does merge_tags change case?", surface="hook:prompt", trial=False
    ).injected == (tags.id,)


def test_what_was_settled_together_comes_together(world: Any, make: Make) -> None:
    """The parts of a decision, though their words share nothing with the question; not what the same run settled about another topic."""
    parts = [
        make(text, about="tag merging", **FACT)
        for text in (
            "Merged tags keep the first spelling.",
            "Ties go to the older one.",
            "Empty ones are dropped.",
        )
    ]
    other = make("Reports are sent on Mondays.", about="reports", **FACT)
    replaced = make(
        "Ties go to the newer one.", about="tag merging", superseded_by=parts[1].id, **FACT
    )
    world.put(*parts, other, replaced)
    with world.store.write() as tx:
        for n, memory in enumerate((*parts, other, replaced)):
            tx.add_evidence(
                Evidence(memory.id, "p", "run1", "run1", f"f{n}", at="2026-11-01T00:00:00Z")
            )
    told = world.inject(
        "which spelling do merged tags keep?", surface="hook:prompt", trial=False
    ).injected
    assert set(told) == {memory.id for memory in parts}


def test_what_another_run_settled_about_the_very_topic_comes_too(world: Any, make: Make) -> None:
    """An amendment stands in a later session, and shares no word with the question that finds the rule."""
    rule = make("Merged tags keep the first spelling.", about="tag merging", **FACT)
    amended = make("Ties go to the older one.", about="Tag merging; announced_at", **FACT)
    other = make("Ties go to the visitors.", about="football", **FACT)
    world.put(rule, amended, other)
    with world.store.write() as tx:
        for n, memory in enumerate((rule, amended, other)):
            tx.add_evidence(
                Evidence(memory.id, "p", f"run{n}", f"run{n}", f"f{n}", at="2026-11-01T00:00:00Z")
            )
    told = world.inject(
        "which spelling do merged tags keep?", surface="hook:prompt", trial=False
    ).injected
    assert set(told) == {rule.id, amended.id}


def test_found_once_is_told_at_its_moment_and_marked(world: Any, make: Make) -> None:
    """Where its subject is named or two rare words are asked for; never at a start, and not where the profile switches it off."""
    once = found_once(
        make, "The frobnicator needs zlib before it starts.", about="frobnicator; zlib_init"
    )
    world.put(once, *(make(f"Number {n} is odd or even.", **FACT) for n in range(20)))
    assert world.inject("", surface="hook:session-start").injected == ()
    assert world.inject("start it", surface="hook:prompt", run="r2").injected == ()
    told = world.inject("why does zlib_init crash?", surface="hook:prompt", run="r3", trial=False)
    assert told.injected == (once.id,) and "(found once)" in told.markdown
    assert world.inject("the frobnicator fails without zlib", run="r4", trial=False).injected == (
        once.id,
    )


def test_before_an_edit_what_is_about_that_file_or_function(world: Any, make: Make) -> None:
    file = make("Dates are kept in UTC.", paths=("src/dates.py",), **FACT)
    function = make("Rounds half up on purpose.", about="rounding; round_price", **FACT)
    world.put(file, function, make("The dates of a release are announced.", **FACT))
    told = world.inject(
        "", files=("/repo/src/dates.py",), touched=True, surface="hook:before-file", trial=False
    )
    assert told.injected == (file.id,)
    body = "def round_price(x):\n    return x"
    told = world.inject(
        body, files=("src/money.py",), touched=True, surface="hook:before-file", trial=False
    )
    assert told.injected == (function.id,)
    assert (
        world.inject(
            "x = round_price(2)", files=("src/z.py",), touched=True, surface="hook:before-file"
        ).injected
        == ()
    )


@pytest.mark.parametrize(
    ("klass", "trust", "seen", "told"),
    [
        ("rule", "agent", 1, False),
        ("rule", "agent", 2, True),
        ("preference", "user", 1, True),
        ("fact", "user", 3, False),
    ],
)
def test_a_way_of_working_is_told_at_starts(
    make: Make, klass: str, trust: str, seen: int, told: bool
) -> None:
    """Also one with a subject: what two sessions met, or a person said. A fact about a subject is told there."""
    memory = make(klass=klass, trust=trust, about="commits and changelog", tally=Tally(seen=seen))
    assert is_told_at_starts(memory) is told


def test_a_start_tells_what_came_up_more_often_first(world: Any, make: Make) -> None:
    """Through the store: two pieces of work met the one, one the other; both are about a subject."""
    rule = {"kind": "rule", "klass": "rule", "trust": "user"}
    again = make(
        "When asked to commit, update the changelog too.", about="commits; git commit", **rule
    )
    once = make("New options are described in the README.", about="options; README.md", **rule)
    world.put(once, again)
    world.seen(again.id, "one", "two")
    assert world.inject("", surface="hook:session-start", trial=False).injected == (
        again.id,
        once.id,
    )


def test_a_way_of_working_that_a_person_kept_is_told_at_the_next_start(make: Make) -> None:
    """A newcomer kept one of 24 lessons, and the next session was told none."""
    way = make(
        "Keep personal data out of local storage.",
        kind="rule",
        klass="rule",
        about="storage",
        tally=Tally(seen=1),
    )
    kept = replace(way, tally=Tally(seen=1, signals={"confirmed": 1.0}))
    assert is_told_at_starts(kept) and not is_told_at_starts(way)
