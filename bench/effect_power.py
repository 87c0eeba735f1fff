"""How soon an effect is seen, beside an oracle that knows both rates and bets with the same coins at the same bar.

Called by `bench/effect.py`. The oracle bets the likelihood ratio of the arm given the outcome, which grows fastest in the long run; at a
few dozen runs bolder stakes may cross sooner. Belief is asked after every unit from the twentieth, as the ladder asks it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import effect_twin as twin
from effect_twin import Bools, Floats, Ints
from tacit.origins import named
from tacit.trial.effect import SHARES, bets

STABLE, REVIEW = (
    0.8,
    0.65,
)  # beliefs from which the default ladder calls a lesson stable, or sends it to review

Thrown = tuple[Ints, Floats, Ints, Bools, Bools]
LOOKS = (20, 40, 60, 100, 200)
HELPERS = ((0.5, 0.2), (0.3, 0.1), (0.2, 0.05), (0.3, 0.2))
USELESS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)


def oracle(cells: Ints, withheld: float, injected: float, h: float) -> Floats:
    """The oracle's wealth after each run."""
    rate = (1 - h) * injected + h * withheld
    factors = np.array(
        [injected / rate, (1 - injected) / (1 - rate), withheld / rate, (1 - withheld) / (1 - rate)]
    )
    wealth: Floats = np.exp(np.cumsum(np.log(factors[cells]), axis=1))
    return wealth


def by_look(first: Ints) -> list[float]:
    """Share of lessons that had crossed by each look."""
    return [float((first <= look).mean()) for look in LOOKS]


def crossed(wealth: Floats, bar: float) -> Ints:
    """The first look at which each lesson's wealth reached the bar."""
    reached = wealth >= bar
    return np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, twin.NEVER)


# as in the worlds of effect_worlds: cured at once, after some attempts, never
LOSSES, OFTEN = (0.25, 0.75, 1.0), (0.5, 0.25, 0.25)


def with_losses(
    random: np.random.Generator,
    withheld: float,
    injected: float,
    h: float,
    lessons: int,
    bar: float,
) -> Ints:
    """The look at which each lesson has its verdict where a problem costs a part: bets on a loss know less of how often it occurs."""
    kinds = [(given, loss) for given in (True, False) for loss in (0.0, *LOSSES)]
    side = "help" if injected < withheld else "harm"
    # half of the purse on the loss, half on whether it occurred
    factors = np.array(
        [
            [*bets(h, 0.0, side, given, loss), *bets(h, 0.0, side, given, float(loss > 0))]
            for given, loss in kinds
        ]
    )
    wealth, first = np.zeros((lessons, factors.shape[1])), np.full(lessons, twin.NEVER)
    for t in range(LOOKS[-1]):
        given = random.random(lessons) >= h
        occurred = random.random(lessons) < np.where(given, injected, withheld)
        loss = np.where(occurred, 1 + random.choice(len(LOSSES), p=OFTEN, size=lessons), 0)
        wealth += factors[np.where(given, 0, len(LOSSES) + 1) + loss]
        crosses = np.exp(wealth) @ np.array([*SHARES, *SHARES]) >= bar * 2 * sum(SHARES)
        first = np.where(crosses & (first == twin.NEVER), t + 1, first)
    return first


def believed(cells: Ints) -> Floats:
    """Lesson × run × (help, none, harm): belief after every run."""
    counts = np.stack([np.cumsum(cells == k, axis=1) for k in range(4)], axis=2)
    shape = counts.shape[:2]
    told: Floats = twin.beliefs(counts.reshape(-1, 4))[:, :3].reshape(*shape, 3)
    return told


def out_by(cells: Ints, look: int) -> float:
    """Share of lessons that belief of harm had taken out by a look, asked after each unit as the default profile asks it."""
    rules = named("default").effect
    harm = believed(cells[:, :look])[:, rules.min_units - 1 :, 2]
    return float((harm >= REVIEW).any(axis=1).mean())


def stable_at(cells: Ints, look: int) -> float:
    """Share of lessons that stand as stable by belief at a look: it is revocable, so only what is believed then counts."""
    return float((believed(cells[:, :look])[:, -1, 0] >= STABLE).mean())


COINS = ("fixed coin .30", "lean", "Thompson")
MATCH_UNITS, MATCH_FLOOR = 10, 0.10  # Thompson: from the tenth unit, both arms at least one in ten


def thrown(
    random: np.random.Generator,
    withheld: Floats,
    injected: Floats,
    coin: str,
    runs: int,
    lean: Callable[[Floats, int], Floats],
) -> Thrown:
    """Lessons under one coin, run by run, taken out by belief as the default profile does: cells, the rate of each coin, how many coins each lesson had, in which runs its
    problem was met and in which it was given."""
    rules, lessons = named("default").effect, len(withheld)
    counts, inside = np.zeros((lessons, 4), np.int64), np.ones(lessons, bool)
    drawn, rates = np.zeros((lessons, runs), np.int64), np.full((lessons, runs), 0.3)
    met, given = np.zeros((lessons, runs), bool), np.zeros((lessons, runs), bool)
    lengths = np.full(lessons, runs)
    for t in range(runs):
        told = twin.beliefs(counts)
        if t >= rules.min_units:
            leaves = inside & (told[:, 2] >= REVIEW)
            lengths[leaves], inside = t, inside & ~leaves
        if coin == "lean":
            rates[:, t] = lean(told, t)
        elif coin == "Thompson" and t >= MATCH_UNITS:
            rates[:, t] = np.round(
                np.clip(told[:, 2] + told[:, 1] / 2, MATCH_FLOOR, 1 - MATCH_FLOOR), 2
            )
        given[:, t] = inside & (random.random(lessons) >= rates[:, t])
        met[:, t] = random.random(lessons) < np.where(given[:, t], injected, withheld)
        drawn[:, t] = np.where(given[:, t], 0, 2) + np.where(met[:, t], 0, 1)
        counts[np.flatnonzero(inside), drawn[inside, t]] += 1
    return drawn, rates, lengths, met, given
