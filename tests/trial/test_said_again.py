"""How often a person had to say it again."""

from __future__ import annotations

import pytest

from tacit.core.links import Evidence, Use
from tacit.trial.said_again import Heard, is_said, said_again

DAYS = {f"u{n}": f"2026-10-{n + 1:02}T10:00:00Z" for n in range(20)}


def line(unit: str, place: str = "look habits", by: str = "reader", lesson: str = "m") -> Evidence:
    return Evidence(lesson, "p", unit, unit, by=by, place=place, quote=f"please, {unit}")


def use(unit: str, arm: str, h: float = 0.3) -> Use:
    return Use("m", unit, "p", unit, "m", arm, h, at=DAYS[unit])


@pytest.mark.parametrize(
    ("row", "counts"),
    [
        (line("u1"), True),  # a habit's line
        (line("u1", "s1#said_again", "user"), True),  # a reader's verdict on what a person typed
        (line("u1", "s1#said_again"), False),  # … on what an agent wrote
        (line("u1", "s1#came_back", "user"), False),
        (line("", "look habits"), False),  # no session
    ],
)
def test_it_is_counted_from_two_things_only(row: Evidence, counts: bool) -> None:
    """The habits' answers, and the reader's said again with its quote."""
    assert is_said(row) is counts


def test_with_it_without_it_and_before() -> None:
    """Sessions after it was on file are told apart by whether it was given; those before are why it is there."""
    uses = [use("u10", "injected"), use("u11", "withheld"), use("u12", "exempt", 0.0)]
    rows = [line(unit) for unit in ("u1", "u2", "u11", "u12", "u14")]
    found = said_again(rows, uses, DAYS, {"m": DAYS["u9"]})
    [wish] = found.wishes
    assert (wish.delivered, wish.without) == (Heard(2, 1), Heard(8, 2))
    assert wish.before == Heard(10, 2)
    assert wish.weeks == {"2026-W40": 2, "2026-W42": 3}
    assert wish.quotes[0] == ("2026-10-15", "please, u14")
    assert found.sentence.startswith(
        "You had to say it again in 1 of 2 sessions that were given it, 2 of 8 sessions that were not"
    )


def test_a_session_that_nobody_asked_about_counts_on_no_side() -> None:
    """It cannot tell, whatever stands in it."""
    asked = {unit: day for unit, day in DAYS.items() if unit in ("u1", "u12")}
    found = said_again(
        [line("u1"), line("u15")], [use("u15", "injected")], asked, {"m": DAYS["u9"]}
    )
    [wish] = found.wishes
    assert (wish.delivered, wish.without, wish.before) == (Heard(), Heard(1), Heard(1, 1))


def test_only_the_coin_is_compared() -> None:
    """Said in every session without it, in none with it: the interval lies below nothing."""
    units = {f"s{n}": f"2026-11-{1 + n % 28:02}T10:00:00Z" for n in range(120)}
    uses = [
        Use("m", unit, "p", unit, "m", "withheld" if n % 3 else "injected", 0.3, at=units[unit])
        for n, unit in enumerate(units)
    ]
    rows = [line(each.unit) for each in uses if each.arm == "withheld"]
    [wish] = said_again(rows, uses, units, {"m": "2026-10-01"}).wishes
    assert wish.difference == -1.0 and wish.high < 0
    assert "Difference -100 in 100 sessions" in wish.sentence
    exempt = [Use("m", unit, "p", unit, "m", "exempt", 0.0, at=units[unit]) for unit in units]
    [wish] = said_again(rows, exempt, units, {"m": "2026-10-01"}).wishes
    assert wish.difference is None and "Difference" not in wish.sentence


def test_nothing_said_is_said_so() -> None:
    assert said_again([], [], DAYS, {}).sentence == (
        "Nothing is known yet that you had to say twice."
    )
