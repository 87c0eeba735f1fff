"""What the recorded coins say about a lesson."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tacit.core.value import replace
from tacit.trial.evalue import (
    GUESSES,
    STAKES,
    Counts,
    Trial,
    bets,
    coins,
    estimate,
    interval,
    is_out_of_balance,
    log_e,
    one_by_one,
    stands,
    tabulate,
    verdict,
)


def counts(a: int, b: int, c: int, d: int) -> Counts:
    """Injected with the problem and without it, then withheld; every problem at its full loss."""
    return Counts((b, *[0] * 7, a), (d, *[0] * 7, c))


EXAMPLE = {0.3: counts(6, 35, 9, 9)}
HELPFUL = {0.3: counts(14, 56, 15, 15)}
HARMFUL = {0.3: counts(60, 60, 5, 45)}
EVEN = {0.3: counts(21, 399, 9, 171)}

rates = st.sampled_from([0.05, 0.1, 0.2, 0.3, 0.45, 0.5, 0.7])
rows = st.builds(counts, *[st.integers(0, 60)] * 4)
tables = st.dictionaries(rates, rows, max_size=3)
differences = st.floats(-0.999, 0.999)
sides = st.sampled_from(["help", "harm"])


def trial(
    unit: object, arm: str = "injected", outcome: str = "not_occurred", **other: object
) -> Trial:
    usual: dict[str, object] = {"family": "f", "memory": "m", "h": 0.3}
    return Trial(unit=str(unit), arm=arm, outcome=outcome, **{**usual, **other})  # type: ignore[arg-type]


def simulated(
    seed: int, units: int, injected: float, withheld: float, h: float = 0.3
) -> list[Trial]:
    """The trials of one lesson whose truth is known."""
    chance = random.Random(seed)
    trials = []
    for unit in range(units):
        arm = "withheld" if chance.random() < h else "injected"
        problem = chance.random() < (injected if arm == "injected" else withheld)
        trials.append(trial(unit, arm, "occurred" if problem else "not_occurred", h=h))
    return trials


# The table


def test_the_four_cells() -> None:
    """Arm and outcome decide the cell, the recorded rate the row."""
    trials = [
        trial(1, "injected", "occurred"),
        trial(2, "injected", "not_occurred"),
        trial(3, "withheld", "occurred"),
        trial(4, "withheld", "not_occurred"),
        trial(5, "withheld", "not_occurred", h=0.1),
    ]
    assert tabulate(trials) == {0.3: counts(1, 1, 1, 1), 0.1: counts(0, 0, 0, 1)}


def test_what_stays_out_of_the_table() -> None:
    """Outcomes nobody could know, and uses without a toss."""
    untossed = [trial(3, h=0.0), trial(4, "withheld", h=1.0), trial(5, "exempt")]
    assert tabulate([trial(2, outcome="unknown"), *untossed]) == {}


def test_a_unit_counts_once_and_occurred_in_any_of_its_runs_is_occurred() -> None:
    """Retries share the first assignment, also when a later row claims another arm or rate."""
    runs = [
        trial("u", "withheld", "unknown"),
        trial("u", "withheld", "not_occurred"),
        trial("u", "injected", "occurred", h=0.1),
        trial("u", "withheld", "not_occurred"),
    ]
    assert coins(runs) == [trial("u", "withheld", "occurred")]
    assert tabulate(runs) == {0.3: counts(0, 0, 1, 0)}


def test_near_duplicates_share_a_coin_and_count_once() -> None:
    """Two memories of one family in one unit are one toss; two families are two."""
    twins = [trial(1, memory="m"), trial(1, outcome="occurred", memory="n")]
    assert tabulate(twins) == {0.3: counts(1, 0, 0, 0)}
    assert tabulate([trial(1), trial(1, family="g", memory="n")]) == {0.3: counts(0, 2, 0, 0)}


def test_a_memory_that_changed_its_family_counts_once_in_a_unit() -> None:
    """The assignment recorded first holds for the unit."""
    assert tabulate([trial(1), trial(1, family="g", outcome="occurred")]) == {
        0.3: counts(1, 0, 0, 0)
    }


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.sampled_from("mn"), st.booleans()),
        max_size=30,
    )
)
def test_the_order_of_whole_units_does_not_change_the_table(
    facts: list[tuple[int, str, bool]],
) -> None:
    """A table is counted from the uses, never built up from an earlier one."""
    uses = [
        trial(
            u,
            "injected" if u % 2 else "withheld",
            "occurred" if y else "not_occurred",
            memory=m,
            family=m,
        )
        for u, m, y in facts
    ]
    assert tabulate(uses) == tabulate(sorted(uses, key=lambda use: use.unit, reverse=True))


# The loss


def test_a_problem_that_was_overcome_counts_by_what_it_cost() -> None:
    """One step of eight is an eighth; what was given up is whole; the largest loss of a unit's runs stands."""
    trials = [
        trial(1, "injected", "occurred", loss=0.125),
        trial(2, "withheld", "occurred", loss=0.5),
        trial(2, "withheld", "occurred", loss=0.25),
        trial(3, "withheld", "occurred"),
        trial(4, "withheld", "not_occurred", loss=0.7),
    ]
    row = tabulate(trials)[0.3]
    assert (row.injected, row.injected_occurred, row.withheld, row.withheld_occurred) == (
        1,
        1,
        3,
        2,
    )
    assert row.lost == (0.125, 1.5)


def test_what_occurred_never_costs_nothing() -> None:
    """However quickly it was overcome: an occurrence stays one."""
    assert tabulate([trial(1, "injected", "occurred", loss=0.0)])[0.3].lost == (0.125, 0.0)


def recovering(seed: int, units: int, h: float = 0.3) -> list[Trial]:
    """The problem strikes both arms alike; told agents overcome it in a step, of the others half give up."""
    chance = random.Random(seed)
    trials = []
    for unit in range(units):
        arm = "withheld" if chance.random() < h else "injected"
        loss = 0.125 if arm == "injected" else chance.choice((0.25, 1.0))
        trials.append(
            trial(
                unit, arm, "occurred" if chance.random() < 0.5 else "not_occurred", h=h, loss=loss
            )
        )
    return trials


def test_a_lesson_that_lets_agents_recover_helps() -> None:
    """Counted yes or no it does nothing; by what it cost it helps, and never harms."""
    words = [first_word(recovering(seed, 200)) for seed in range(20)]
    assert words.count("helps") >= 15 and "harms" not in words
    blind = [
        first_word([replace(each, loss=1.0) for each in recovering(seed, 200)])
        for seed in range(20)
    ]
    assert blind.count("helps") <= 1


@settings(max_examples=60)
@given(
    rates,
    st.floats(0.05, 0.95),
    st.lists(st.integers(1, 8), min_size=1, max_size=3),
    sides,
    differences,
)
def test_no_bettor_gets_rich_on_average_whatever_the_loss(
    h: float, rate: float, grades: list[int], side: str, d: float
) -> None:
    """The mean of each bettor's factor is at most 1 where the true difference is the claimed one or further off."""
    p, share = 1 - h, rate / len(grades)
    losses = [(0.0, 1 - rate), *((grade / 8, share) for grade in grades)]
    # Both arms lose alike, so the true difference is 0; evidence that it lies beyond a bound on the far side of 0 must not grow.
    bound = -abs(d) if side == "help" else abs(d)
    for k in range(len(GUESSES) * len(STAKES)):
        mean = sum(
            chance * q * math.exp(bets(h, bound, side, injected, loss)[k])
            for injected, chance in ((True, p), (False, h))
            for loss, q in losses
        )
        assert mean <= 1 + 1e-9


# Evidence


@given(rates, differences, sides, st.floats(0.02, 0.98), st.floats(-0.9, 0.9))
def test_nobody_gets_rich_against_the_truth(
    h: float, d: float, side: str, base: float, effect: float
) -> None:
    """Over the coin and the outcome of one more run, evidence against a true bound does not grow on average."""
    injected = min(0.98, max(0.02, base + effect))
    truth = injected - base
    assume(truth >= d if side == "help" else truth <= d)
    chances = ((1 - h) * injected, (1 - h) * (1 - injected), h * base, h * (1 - base))
    one = [counts(*(int(i == k) for i in range(4))) for k in range(4)]
    assert sum(q * math.exp(log_e({h: row}, d, side)) for q, row in zip(chances, one)) <= 1 + 1e-9


@given(tables, differences, differences)
def test_evidence_is_monotone_in_the_difference(
    table: dict[float, Counts], one: float, other: float
) -> None:
    """The further the bound from the data, the stronger the evidence against it."""
    low, high = sorted((one, other))
    assert log_e(table, low, "help") <= log_e(table, high, "help") + 1e-9
    assert log_e(table, low, "harm") >= log_e(table, high, "harm") - 1e-9


def test_no_runs_are_no_evidence() -> None:
    """An empty table has evidence 1, knows nothing and holds every difference."""
    assert log_e({}, 0.0, "help") == 0.0
    assert verdict({}).word == "not yet known"
    assert interval({}) == (-1.0, 1.0)
    assert estimate({}) is None


@pytest.mark.parametrize(
    ("table", "word"),
    [
        (EXAMPLE, "not yet known"),
        (HELPFUL, "not yet known"),
        ({0.3: HELPFUL[0.3] + HELPFUL[0.3]}, "helps"),
        (HARMFUL, "harms"),
        (EVEN, "not yet known"),
        ({0.3: counts(4, 177, 4, 80)}, "rare"),
    ],
)
def test_verdicts(table: dict[float, Counts], word: str) -> None:
    """Two claims, and what claims nothing."""
    assert verdict(table).word == word


def test_a_verdict_on_large_counts_stays_a_number() -> None:
    """Evidence beyond what a float can hold is cut off, not infinite."""
    said = verdict({0.3: counts(1000, 69000, 15000, 15000)})
    assert said.word == "helps"
    assert math.isfinite(said.e_help)
    assert said.e_harm < 1e-9


def test_a_rare_problem_is_not_refuted() -> None:
    """A lesson that spares 60 % of a problem in one session of eight: however long it takes, it helps or goes on."""
    words = {first_word(simulated(seed, 500, 0.025, 0.0625)) for seed in range(30)}
    assert words <= {"not yet known", "rare", "helps"}


@settings(max_examples=60)
@given(tables)
def test_the_interval_excludes_zero_exactly_when_the_verdict_says_so(
    table: dict[float, Counts],
) -> None:
    """High below 0 is e(0, help) at the bar; low above 0 is e(0, harm) at the bar."""
    (low, high), said = interval(table), verdict(table)
    assert (high < 0) == (said.e_help >= 40)
    assert (low > 0) == (said.e_harm >= 40)


def test_the_estimate_compares_within_rates() -> None:
    """A rate that changed along with the problem rate does not look like an effect."""
    table = {0.5: counts(25, 25, 25, 25), 0.1: counts(9, 81, 1, 9)}
    assert estimate(table) == 0.0
    assert estimate({0.3: counts(3, 4, 0, 0)}) is None
    assert estimate({0.3: counts(1, 9, 0, 0), 0.1: counts(1, 3, 2, 2)}) == pytest.approx(-0.25)


# Verdicts over time


def first_word(trials: list[Trial]) -> str:
    """The verdict that stands after all of them, looked at after each tenth."""
    word = "not yet known"
    for n in range(10, len(trials) + 1, 10):
        word = stands(word, verdict(tabulate(trials[:n])).word)
    return word


@pytest.mark.parametrize(
    ("kept", "now", "stands_then"),
    [
        ("not yet known", "helps", "helps"),
        ("helps", "not yet known", "helps"),
        ("harms", "rare", "harms"),
        ("helps", "harms", "harms"),  # the other side takes over only by crossing itself
        ("rare", "not yet known", "not yet known"),
    ],
)
def test_a_claim_stays_once_it_was_made(kept: str, now: str, stands_then: str) -> None:
    assert stands(kept, now) == stands_then


# The coins of one moment hang on each other


def test_the_coins_of_a_moment_are_fair_one_after_the_other() -> None:
    """Each at what it was given that none before it was withheld; after one that was, the rest were certain."""
    moment = [trial(1, family=name, h=0.2, moment="m") for name in "abc"]
    assert [round(coin.h, 4) for coin in one_by_one(moment)] == [0.2, 0.25, 0.3333]
    second = [moment[0], replace(moment[1], arm="withheld"), moment[2]]
    assert [coin.family for coin in one_by_one(second)] == ["a", "b"]
    other = [moment[0], trial(1, family="b", h=0.2, moment="another")]
    assert [coin.h for coin in one_by_one(other)] == [0.2, 0.2]


def test_settled_units_that_are_missing_from_one_arm_are_noticed() -> None:
    """Where the coins say three in ten and hardly one is there."""
    fair = simulated(3, 200, 0.3, 0.3)
    lost = [each for each in fair if each.arm == "injected" or int(each.unit) % 5 == 0]
    assert not is_out_of_balance(fair)
    assert is_out_of_balance(lost)
