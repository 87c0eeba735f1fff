"""What lines add up to depends on which lines are known, and on nothing else."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tacit.core.journal import payload_digest
from tacit.core.value import replace
from tacit.team.lines import (
    MATE,
    OWN,
    UNKNOWN,
    JournalLine,
    blanked,
    counting_lines,
    fold_lines,
    line,
    ordered,
    spoken,
    tips,
    unfolded,
    verifies,
)

MADE = {
    "text": "Run make seed.",
    "kind": "fact",
    "klass": "fact",
    "scope": "project",
    "severity": "info",
    "trust": "user",
    "gate": "allow",
    "state": "provisional",
    "verdict": "not yet known",
    "created_at": "t",
    "updated_at": "t",
}
STEP = st.tuples(
    st.sampled_from(["ann", "bob", "tend"]),
    st.sampled_from(["1", "2", "3"]),
    st.sampled_from(
        [
            ("edit", {"text": "First run make seed."}),
            ("edit", {"text": "Run make fixtures."}),
            ("pin", {"pinned": 1}),
            ("forget", {"state": "archived", "closed_by": "ann", "pinned": 0}),
            ("move", {"state": "stable"}),
        ]
    ),
    st.integers(0, 2**16),
)


# a busy machine is no fault of theirs
calm = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def entry(
    by: str,
    at: str,
    verb: str,
    after: dict[str, Any],
    parents: list[str],
    standing: str = OWN,
    number: int = 0,
) -> JournalLine:
    head = {"verb": verb, "by": by, "at": at, "run": "", "profile": "", "parents": sorted(parents)}
    salt = f"{number:032x}"
    words = ["why", {}, after]
    made = line(
        "entry",
        f"machine of {by}",
        "m1",
        head,
        payload_digest(bytes.fromhex(salt), spoken(words)).hex(),
        salt,
        words,
    )
    return replace(made, standing=standing)


def graph(steps: list[Any], salt: int = 0) -> list[JournalLine]:
    """Entries whose writers had seen any part of what was there."""
    lines = [entry("ann", "0", "add", MADE, [])]
    by_id = {lines[0].id: lines[0]}
    for by, at, (verb, after), dice in steps:
        seen = {lines[0].id: lines[0]}
        for n, each in enumerate(lines):
            if dice >> n & 1:
                waiting = [each.id]
                while waiting:
                    found = by_id[waiting.pop()]
                    seen[found.id] = found
                    waiting += found.parents
        lines.append(entry(by, at, verb, after, tips(seen.values()), number=salt + len(lines)))
        by_id[lines[-1].id] = lines[-1]
    return lines


@calm
@given(st.lists(STEP, max_size=7), st.randoms())
def test_the_order_of_arrival_does_not_matter(steps: list[Any], dice: random.Random) -> None:
    """Any order of the same lines gives the same columns and the same forks; no line comes before what it had seen."""
    lines = graph(steps)
    whole, shuffled = fold_lines(lines), [*lines]
    dice.shuffle(shuffled)
    assert fold_lines(shuffled) == whole
    order = [each.id for each in ordered(shuffled)]
    assert len(order) == len(lines)
    assert all(
        order.index(parent) < order.index(each.id) for each in lines for parent in each.parents
    )
    cut = dice.randrange(len(lines))
    assert [*unfolded(lines[:cut], [each for each in ordered(lines) if each not in lines[:cut]])][
        -1
    ] == whole.columns


@calm
@given(st.lists(STEP, max_size=6))
def test_a_later_word_on_a_field_settles_its_fork(steps: list[Any]) -> None:
    """Whoever has seen everything and decides, decides."""
    lines = graph(steps)
    last = entry(
        "ann", "0", "edit", {"text": "Settled.", "state": "stable", "pinned": 0}, tips(lines)
    )
    now = fold_lines([*lines, last])
    assert (now.columns["text"], now.columns["state"], now.forks) == ("Settled.", "stable", ())


@calm
@given(st.lists(STEP, max_size=6), st.lists(STEP, min_size=1, max_size=3))
def test_strangers_have_no_say(steps: list[Any], more: list[Any]) -> None:
    """Lines that nobody we know has signed change nothing, wherever they hang on."""
    lines = graph(steps)
    forged = [
        replace(each, standing=UNKNOWN) for each in graph([*steps, *more], 1000)[len(lines) :]
    ]
    forged = [replace(each, head={**each.head, "parents": tips(lines)}) for each in forged]
    assert fold_lines([*lines, *forged]) == fold_lines(lines)
    assert {each.id for each in counting_lines([*lines, *forged])} == {each.id for each in lines}


@calm
@given(st.lists(STEP, max_size=6))
def test_erased_is_final_and_its_ids_stay(steps: list[Any]) -> None:
    """Whatever was said beside it; blanked lines keep their names."""
    lines = graph(steps)
    gone = entry(
        "bob",
        "0",
        "erase",
        {"state": "rejected", "closed_by": "erase", "kind": "fact"},
        [lines[0].id],
    )
    now = fold_lines([*lines, gone])
    assert now.erased and (now.columns["text"], now.columns["state"]) == ("", "rejected")
    assert fold_lines([*map(blanked, lines), gone]) == now
    assert all(verifies(each) and verifies(blanked(each)) for each in lines)


def test_a_members_own_word_is_the_teams() -> None:
    """Trust is a matter of view; a stranger's lesson is held, whatever it says of itself."""
    made = entry("ann", "0", "add", {**MADE, "pinned": 1}, [])
    assert fold_lines([made]).columns["trust"] == "user"
    assert fold_lines([replace(made, standing=MATE)]).columns["trust"] == "team"
    held = fold_lines([replace(made, standing=UNKNOWN)]).columns
    assert (held["trust"], held["gate"], held["state"], held["pinned"]) == (
        "imported",
        "hold",
        "candidate",
        0,
    )


def test_a_salt_is_spelled_in_one_way() -> None:
    """One flipped bit makes a capital of a letter in hex: read alike, and yet damage."""
    made = entry("ann", "1", "add", MADE, [], number=0xABC)
    assert verifies(made)
    assert not verifies(replace(made, salt=made.salt.upper()))
