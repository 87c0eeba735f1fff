"""The figure for the whole memory: lessons that differ, leave, and are withheld at changing rates."""

from __future__ import annotations

import random
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.trial.coin import tossed
from tacit.trial.evalue import HELPS, NOT_YET_KNOWN, Trial, interval, tabulate, verdict
from tacit.trial.guards import GuardEffect
from tacit.trial.pooled import STAKES, pooled, scored
from tacit.trial.statement import together_sentence

WORLD = {
    "good": (0.1, 0.6),
    "fine": (0.1, 0.6),
    "bad": (0.5, 0.1),
    "worse": (0.5, 0.1),
    "idle": (0.25, 0.3),
}


def story(
    seed: int, runs: int, world: dict[str, tuple[float, float]] = WORLD
) -> tuple[float, list[Trial]]:
    """Settled coins and the problems that giving added, or spared where it is negative: a lesson that helps is withheld rarely from then on, one that harms leaves."""
    chance, rates = random.Random(seed), dict.fromkeys(world, 0.3)
    kept: dict[str, list[Trial]] = {name: [] for name in world}
    coins: list[Trial] = []
    truth = 0.0
    for run in range(runs):
        for name, (told, untold) in world.items():
            if name not in rates:
                continue
            arm = "withheld" if chance.random() < rates[name] else "injected"
            occurred = chance.random() < (told if arm == "injected" else untold)
            coin = Trial(
                str(run),
                name,
                name,
                rates[name],
                arm,
                "occurred" if occurred else "not_occurred",
                moment=name,  # a moment of its own
            )
            coins.append(coin)
            kept[name].append(coin)
            truth += (1 - rates[name]) * (told - untold)
        if run % 20 == 19:
            for name in list(rates):
                word = verdict(tabulate(kept[name])).word
                if word == "helps":
                    rates[name] = 0.05
                elif word == "harms":
                    del rates[name]
    return truth, coins


def test_it_holds_the_truth_where_lessons_differ_leave_and_change_their_rates() -> None:
    """Where one table for all of them does not: that bets on one difference for every coin."""
    held = told = in_one = 0
    for seed in range(10):
        truth, coins = story(seed, 200)
        whole = pooled(coins)
        about, least, most = whole.spared or (0.0, 0.0, 0.0)
        held += least <= -truth <= most
        told += abs(about + truth) < 0.5 * whole.given
        span, thrown = interval(tabulate(coins)), sum(coin.arm == "injected" for coin in coins)
        in_one += span[0] * thrown <= truth <= span[1] * thrown
    assert held >= 9
    assert told >= 9
    assert in_one <= 8


def test_without_an_effect_it_says_nothing_at_any_look() -> None:
    """Looked at after every tenth run, two useless lessons beside each other."""
    wrong = 0
    for seed in range(12):
        coins = story(seed, 120, {"a": (0.3, 0.3), "b": (0.1, 0.1)})[1]
        wrong += any(pooled(coins[:n]).word != NOT_YET_KNOWN for n in range(20, len(coins), 20))
    assert wrong <= 1


def test_it_counts_failures_that_did_not_happen() -> None:
    """Lessons that all help: the figure is their sum over the sessions that were given them."""
    _, coins = story(3, 150, {"a": (0.1, 0.7), "b": (0.1, 0.7), "c": (0.1, 0.7)})
    found = pooled(coins)
    assert (found.units, found.word) == (150, HELPS)
    about, least, most = found.spared or (0.0, 0.0, 0.0)
    assert about == pytest.approx(150 * 3 * 0.7 * 0.6, rel=0.35) and 0 < least < about < most
    assert together_sentence(found) == (
        f"Some of your lessons help: in {found.given} sessions that were given them about {round(about)} failures"
        f" ({round(least)} to {round(most)}) did not happen; error rate 1 %."
    )


@pytest.mark.parametrize(("told", "untold", "least"), [(0.3, 0.3, 0), (0.1, 0.5, 8)])
def test_coins_of_one_moment_say_no_more_than_they_may(
    told: float, untold: float, least: int
) -> None:
    """Four subjects meet in every session, one of them at most is left out: useless ones say nothing, helpful ones speak."""
    words = []
    for seed in range(10):
        chance, coins = random.Random(seed), []
        for unit in range(60):
            fell = tossed(b"%d" % seed, str(unit), dict.fromkeys("abcd", 0.3))
            assert sum(each.arm == "withheld" for each in fell.values()) <= 1
            for name, each in fell.items():
                struck = chance.random() < (untold if each.arm == "withheld" else told)
                outcome = "occurred" if struck else "not_occurred"
                coins.append(
                    Trial(str(unit), name, name, each.probability, each.arm, outcome, "start")
                )
        words.append(pooled(coins).word)
    assert words.count(HELPS) >= least and "harms" not in words
    assert least or words.count(NOT_YET_KNOWN) >= 9


def test_only_sessions_that_were_given_lessons_are_spared_anything() -> None:
    """Of a problem that every given session is spared: as many as were given it, not as were tossed for it (P4)."""
    coins = story(5, 200, {"a": (0.0, 1.0)})[1]
    whole = pooled(coins)
    given = sum(coin.arm == "injected" for coin in coins)
    assert whole.given == given < 200
    assert whole.spared is not None and whole.spared[0] == pytest.approx(given, rel=0.15)
    assert whole.calls is not None and whole.calls[0] == pytest.approx(8 * given, rel=0.15)


def test_one_purse_speaks_before_any_lesson_alone() -> None:
    """Eight lessons with two dozen units each: none has a verdict, together they do."""
    _, coins = story(1, 24, {name: (0.05, 0.35) for name in "abcdefgh"})
    assert pooled(coins).word == HELPS
    assert {
        verdict(tabulate([coin for coin in coins if coin.family == name])).word
        for name in "abcdefgh"
    } == {NOT_YET_KNOWN}


def test_fewer_problems_with_less_work_are_no_help() -> None:
    """Told agents leave half of the work undone, and with it half of the problems; sessions that end well are fewer (4a)."""
    chance, coins, finished = random.Random(4), [], {}
    for unit in range(300):
        arm = "withheld" if chance.random() < 0.3 else "injected"
        done = arm == "withheld" or chance.random() < 0.5
        struck = done and chance.random() < 0.5
        coins.append(Trial(str(unit), "a", "a", 0.3, arm, "occurred" if struck else "not_occurred"))
        finished[str(unit)] = done
    assert pooled(coins).word == HELPS
    found = pooled(coins, finished=finished)
    assert found.word == NOT_YET_KNOWN and "end well less often" in found.doubt
    assert pooled(coins, finished=dict.fromkeys(finished, False)).word == HELPS, (
        "no session tells how it ended"
    )


def worked(
    seed: int, *, done: tuple[float, float], rates: tuple[float, float], units: int = 200
) -> list[Trial]:
    """Eight lessons: how often their work is done and how often the problem strikes whoever does it, told and untold."""
    chance, coins = random.Random(seed), []
    for n in range(8 * units):
        told = chance.random() >= 0.3
        came = chance.random() < done[not told]
        struck = came and chance.random() < rates[not told]
        arm, outcome = "injected" if told else "withheld", "occurred" if struck else "not_occurred"
        coins.append(Trial(str(n // 8), str(n % 8), str(n % 8), 0.3, arm, outcome, came=came))
    return coins


@pytest.mark.parametrize(("done", "rates"), [((0.5, 0.5), (0.1, 0.4)), ((0.3, 0.5), (0.05, 0.4))])
def test_help_is_seen_though_not_every_session_comes_to_its_moment(
    done: tuple[float, float], rates: tuple[float, float]
) -> None:
    """Half of the sessions run the command, told as often as untold; or a few less, which is not counted as a problem each."""
    assert pooled(worked(1, done=done, rates=rates)).word == HELPS


@given(
    st.lists(
        st.tuples(
            st.sampled_from("abc"),
            st.sampled_from([0.05, 0.1, 0.3, 0.5]),
            st.booleans(),
            st.booleans(),
        ),
        max_size=60,
    )
)
def test_the_interval_holds_its_own_estimate(
    facts: list[tuple[str, float, bool, bool]],
) -> None:
    """Whatever was thrown."""
    coins = [
        Trial(
            str(n),
            name,
            name,
            h,
            "injected" if arm else "withheld",
            "occurred" if occurred else "not_occurred",
        )
        for n, (name, h, arm, occurred) in enumerate(facts)
    ]
    about, least, most = pooled(coins).spared or (0.0, 0.0, 0.0)
    assert least <= about <= most


@given(
    st.sampled_from([0.05, 0.1, 0.3, 0.5, 0.7]),
    st.floats(0.02, 0.98),
    st.floats(0.02, 0.98),
    st.integers(1, 18),
    st.integers(-18, 18),
    st.sampled_from(STAKES),
    st.sampled_from([1.0, -1.0]),
)
def test_no_stake_grows_on_average(
    h: float, told: float, untold: float, m20: int, g20: int, stake: float, sign: float
) -> None:
    """The inequality itself, over all faces of one coin: whatever the rates, the guess and the forecast."""
    p = 1 - h
    # Half of what occurs costs three eighths, the other half all: the game is about the mean loss.
    loss = {0: lambda rate: 1 - rate, 3: lambda rate: rate / 2, 8: lambda rate: rate / 2}
    mean_loss = 0.5 * 3 / 8 + 0.5
    mean = total = 0.0
    for injected in (True, False):
        for grade, share in loss.items():
            x, sides = scored(h, m20 / 20, g20 / 20, injected, grade)
            price = sides[0 if sign > 0 else 1][STAKES.index(stake)]
            q = (p if injected else h) * share(told if injected else untold)
            total += q * x
            mean += q * exp(sign * stake * (x - p * mean_loss * (told - untold)) - price)
    assert mean <= 1 + 1e-9  # nothing is left where one coin could ruin it
    assert total == pytest.approx(p * mean_loss * (told - untold), abs=1e-9)


@pytest.mark.parametrize(
    ("verdict", "said"), [(HELPS, "asking helps"), ("none", "not yet known whether asking helps")]
)
def test_what_is_said_of_guards(verdict: str, said: str) -> None:
    """Their arms side by side, empty ones left out, with the error in percent."""
    found = GuardEffect({"told": (8, 3), "asked": (12, 1), "refused": (0, 0)}, verdict, 0.01)
    assert found.sentence == (
        f"Guards: the problem came back in sessions that were told 3 of 8, asked 1 of 12; {said} (error rate 1 %)."
    )
