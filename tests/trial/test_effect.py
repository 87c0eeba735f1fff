"""What the recorded coins say about a lesson."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tacit.core.value import replace
from tacit.trial.belief import ATOMS, PRIOR, Belief, believe, holdout_cost, weights_of
from tacit.trial.coin import epoch_of
from tacit.trial.effect import (
    BASE_STAKES,
    GUESSES,
    Interval,
    bets,
    course_from_json,
    course_of,
    course_to_json,
    estimate,
    forecast,
    holds_across,
    interval,
    log_e,
    stand,
    verdict,
)
from tacit.trial.table import Counts, Trial, add, by_epoch, coins, tabulate

EXAMPLE = {0.3: Counts(6, 35, 9, 9)}
HELPFUL = {0.3: Counts(14, 56, 15, 15)}
HARMFUL = {0.3: Counts(60, 60, 5, 45)}
EVEN = {0.3: Counts(21, 399, 9, 171)}
SAME = {0.3: Counts(400, 1000, 172, 428)}

rates = st.sampled_from([0.05, 0.1, 0.2, 0.3, 0.45, 0.5, 0.7])
rows = st.builds(Counts, *[st.integers(0, 60)] * 4)
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
    assert tabulate(trials) == {0.3: Counts(1, 1, 1, 1), 0.1: Counts(0, 0, 0, 1)}


def test_what_stays_out_of_the_table() -> None:
    """Blank units, outcomes nobody could know, and uses without a toss."""
    untossed = [trial(3, h=0.0), trial(4, "withheld", h=1.0), trial(5, "exempt")]
    assert tabulate([trial(1, blank=True), trial(2, outcome="unknown"), *untossed]) == {}


def test_a_unit_counts_once_and_occurred_in_any_of_its_runs_is_occurred() -> None:
    """Retries share the first assignment, also when a later row claims another arm or rate."""
    runs = [
        trial("u", "withheld", "unknown"),
        trial("u", "withheld", "not_occurred"),
        trial("u", "injected", "occurred", h=0.1),
        trial("u", "withheld", "not_occurred"),
    ]
    assert coins(runs) == [trial("u", "withheld", "occurred")]
    assert tabulate(runs) == {0.3: Counts(0, 0, 1, 0)}


def test_near_duplicates_share_a_coin_and_count_once() -> None:
    """Two memories of one family in one unit are one toss; two families are two."""
    twins = [trial(1, memory="m"), trial(1, outcome="occurred", memory="n")]
    assert tabulate(twins) == {0.3: Counts(1, 0, 0, 0)}
    assert tabulate([trial(1), trial(1, family="g", memory="n")]) == {0.3: Counts(0, 2, 0, 0)}


def test_a_memory_that_changed_its_family_counts_once_in_a_unit() -> None:
    """The assignment recorded first holds for the unit."""
    assert tabulate([trial(1), trial(1, family="g", outcome="occurred")]) == {
        0.3: Counts(1, 0, 0, 0)
    }


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.sampled_from("mn"), st.booleans(), st.booleans()),
        max_size=30,
    )
)
def test_the_order_of_whole_units_does_not_change_the_table(
    facts: list[tuple[int, str, bool, bool]],
) -> None:
    """A table is counted from the uses, never built up from an earlier one."""
    uses = [
        trial(
            u,
            "injected" if u % 2 else "withheld",
            "occurred" if y else "not_occurred",
            memory=m,
            family=m,
            blank=b,
        )
        for u, m, y, b in facts
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
    assert row.cells == (1, 0, 2, 1)
    assert row.lost == (0.125, 1.5)
    assert course_from_json(course_to_json(course_of(trials))).table == {0.3: row}


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
    words = [stand(recovering(seed, 200)).word for seed in range(20)]
    assert words.count("helps") >= 15 and "harms" not in words
    blind = [
        stand([replace(each, loss=1.0) for each in recovering(seed, 200)]).word
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
    for k in range(len(GUESSES) * len(BASE_STAKES)):
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
    one = [Counts(*(int(i == k) for i in range(4))) for k in range(4)]
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
    assert interval({}) == Interval(-1.0, 1.0)
    assert estimate({}) is None
    assert forecast({}) is None


@pytest.mark.parametrize(
    ("table", "word"),
    [
        (EXAMPLE, "not yet known"),
        (HELPFUL, "not yet known"),
        (add([HELPFUL, HELPFUL]), "helps"),
        (HARMFUL, "harms"),
        (SAME, "no difference"),
        (EVEN, "not yet known"),
        ({0.3: Counts(4, 177, 4, 80)}, "rare"),
    ],
)
def test_verdicts(table: dict[float, Counts], word: str) -> None:
    """Five words, each with its reason."""
    said = verdict(table)
    assert said.word == word
    assert "the bar is 40" in said.reason


def test_a_verdict_on_large_counts_stays_a_number() -> None:
    """Evidence beyond what a float can hold is cut off, not infinite."""
    said = verdict({0.3: Counts(1000, 69000, 15000, 15000)})
    assert said.word == "helps"
    assert math.isfinite(said.e_help)
    assert said.e_harm < 1e-9


def test_a_rare_problem_is_never_called_no_difference() -> None:
    """A lesson that spares 60 % of a problem in one session of eight (P1): however long it takes, it helps or goes on."""
    words = {stand(simulated(seed, 500, 0.025, 0.0625)).word for seed in range(30)}
    assert words <= {"not yet known", "rare", "helps"}
    assert "no difference" not in {
        verdict({0.3: Counts(0, 700, 1, 299)}).word,
        verdict({0.3: Counts(0, 7000, 0, 3000)}).word,
    }


@settings(max_examples=60)
@given(tables)
def test_the_interval_excludes_zero_exactly_when_the_verdict_says_so(
    table: dict[float, Counts],
) -> None:
    """High below 0 is e(0, help) at the bar; low above 0 is e(0, harm) at the bar."""
    span, said = interval(table), verdict(table)
    assert (span.high < 0) == (said.e_help >= 40)
    assert (span.low > 0) == (said.e_harm >= 40)


def test_the_estimate_compares_within_rates() -> None:
    """A rate that changed along with the problem rate does not look like an effect."""
    table = {0.5: Counts(25, 25, 25, 25), 0.1: Counts(9, 81, 1, 9)}
    assert estimate(table) == 0.0
    assert estimate({0.3: Counts(3, 4, 0, 0)}) is None
    assert estimate({0.3: Counts(1, 9, 0, 0), 0.1: Counts(1, 3, 2, 2)}) == pytest.approx(-0.25)


# Verdicts over time


def test_a_verdict_is_crossed_at_a_run_and_kept() -> None:
    """The standing names the unit at which the table first said so."""
    trials = simulated(1, 120, 0.05, 0.6)
    standing = stand(trials)
    assert standing.word == "helps" and standing.run is not None and not standing.weaker
    assert standing.words == f"helps (session {standing.run})"
    assert verdict(tabulate(trials[: standing.run - 1])).word == "not yet known"
    assert verdict(tabulate(trials[: standing.run])).word == "helps"
    assert standing.units == 120 and standing.now == verdict(tabulate(trials))


# Epochs


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5"),
        ("us.anthropic.claude-sonnet-4-20250514-v1:0", "claude-sonnet-4"),
        ("claude-3-5-sonnet@20240620", "claude-3-5-sonnet"),
        ("Claude-Opus-4-1[1m]", "claude-opus-4-1"),
        ("openai/gpt-5.1-codex", "gpt-5.1-codex"),
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("gemini-2.5-pro-preview-05-06", "gemini-2.5-pro"),
        ("llama3:8b", "llama3:8b"),
        ("", "unknown"),
    ],
)
def test_an_epoch_is_a_model_without_its_snapshot_on_a_host(model: str, family: str) -> None:
    """A new snapshot, window or provider goes on with the table; a new model starts one."""
    assert epoch_of(model, "codex") == f"{family} / codex"


def test_a_unit_stays_in_the_epoch_where_it_began() -> None:
    """Resumed under another model it does not count twice."""
    one, two, three = trial(1, epoch="a"), trial(1, epoch="b"), trial(2, epoch="b")
    assert by_epoch([one, two, three]) == {"a": [one, two], "b": [three]}


# Belief


def test_without_evidence_belief_is_the_prior() -> None:
    """45 in 100 help, 40 do nothing, 15 harm; of the rates at which hardly more is possible, those do nothing too."""
    belief = believe({})
    assert (belief.help, belief.none, belief.harm) == pytest.approx((0.45, 0.445, 0.105))
    assert weights_of([]) == PRIOR
    assert sum(PRIOR) == pytest.approx(1)


@given(tables)
def test_belief_is_a_distribution(table: dict[float, Counts]) -> None:
    """Its three parts add up to one, and the expectation lies within the atoms."""
    belief = believe(table)
    assert belief.help + belief.none + belief.harm == pytest.approx(1)
    gaps = [injected - withheld for withheld, injected, _ in ATOMS]
    assert min(gaps) - 1e-9 <= belief.expected <= max(gaps) + 1e-9


def test_a_problem_that_always_strikes_is_no_sign_of_harm() -> None:
    """In both arms, in every unit: nothing is known against the lesson."""
    assert believe({0.3: Counts(14, 0, 6, 0)}).harm < 0.2
    assert believe({0.3: Counts(28, 2, 11, 1)}).harm < 0.3


def test_a_lesson_leans_on_its_kind() -> None:
    """The same thin evidence means more among lessons that help."""
    thin = {0.3: Counts(1, 12, 2, 3)}
    good, idle = weights_of([HELPFUL] * 20), weights_of([EVEN] * 20)
    assert believe(thin, good).help > believe(thin).help > believe(thin, idle).help
    assert sum(good) == pytest.approx(1)


# Many lessons


def test_marks_that_hold_across_all_lessons() -> None:
    """The largest k with the k-th e at N / (.10 k) or more: here 4 lessons, bars 40, 20, 13.3, 10."""
    assert holds_across({"a": 30.0, "b": 21.0, "c": 5.0, "d": 1.0}) == {"a", "b"}
    assert holds_across({"a": 30.0, "b": 19.0, "c": 5.0, "d": 1.0}) == frozenset()
    assert holds_across({}) == frozenset()


def test_what_withholding_costs() -> None:
    """Withheld runs times what injection would have spared; a harmful lesson costs nothing by being withheld."""
    good, bad = Belief(0.9, 0.1, 0.0, -0.25), Belief(0.0, 0.1, 0.9, 0.25)
    assert holdout_cost([(EXAMPLE, good), (EXAMPLE, bad)]) == 18 * 0.25


# Words
