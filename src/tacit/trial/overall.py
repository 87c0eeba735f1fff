"""What the lessons together do to a run: one figure for the whole memory, valid however often one looks.

The lessons of a memory differ: some prevent a problem, some cause one, those that harm are taken out, and those that help
are withheld more rarely. A single table bets that one difference holds for every coin, so its interval speaks of none of
them (`effect.interval` is for one lesson). Here each coin has a difference of its own, and the sum of all of them is what
is sought: problems that injection added or spared, over the settled units.

Per coin, x = (Y - m)(A - p) / (p(1 - p)) has that coin's difference as its mean, whatever was guessed for m. So the sum
of the scores, less the sum of the differences, is a fair game, and for a stake s and a bound c on how far a score can fall
below its forecast g, wealth grows by at most

    exp(s(x - difference) - k(sc)(x - g)²/c²),    k(t) = -log(1 - t) - t

on average by nothing (Fan, Grama, Liu 2015; Howard et al. 2021). A mean over six stakes beats 2/alpha on either side
with a probability of at most alpha/2 ever. Guess and forecast come from the lesson's earlier coins only. Assumed beyond
`effect`: within one unit, one lesson's coin does not change another lesson's problem; blank units are there to ask that.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, log, log1p
from typing import TYPE_CHECKING

from tacit.core.value import value
from tacit.trial.coin import INJECTED
from tacit.trial.effect import ALPHA, HARMS, HELPS, MARGIN, NO_DIFFERENCE, NOT_YET_KNOWN, Verdict
from tacit.trial.outcome import OCCURRED
from tacit.trial.table import GRADES, Counts, coins, graded, row_of, tossed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tacit.trial.table import Trial

STAKES = (0.01, 0.02, 0.035, 0.06, 0.1, 0.18)  # they decide how narrow the interval is, never whether it holds
_RATE = 0.2  # the problem rate expected of a lesson that has no coins yet, counted like so many coins in each arm:
_WORTH = 4.0
_GRAIN = 20  # guesses are rounded to twentieths, so that each kind of coin is reckoned once


@value
class Whole:
    """What the lessons' own injection does to a run: problems per run, negative is good."""

    per_run: float | None
    low: float
    high: float
    lessons_per_run: float
    units: int
    verdict: Verdict


def whole_memory(trials: Iterable[Trial], alpha: float = ALPHA, margin: float = MARGIN) -> Whole:
    """The main figure, from settled uses in the order in which they were settled.

    Whether blank units fail more often is a question for `effect`: one trial per unit, h the blank share, withheld where
    blank, occurred where the run failed.
    """
    assigned = [trial for trial in trials if not trial.blank and tossed(trial)]
    thrown = coins(assigned)
    units = len({coin.unit for coin in thrown})
    if not units:
        return Whole(None, 0.0, 0.0, 0.0, 0, _judged(_Game(), 0, alpha, margin))
    game = _played(thrown)
    low, high = game.bounds(alpha)
    lessons = len(thrown) / units  # no run can lose or gain more than one problem per lesson
    low, high = max(low / units, -lessons), min(high / units, lessons)
    per_run = min(max(game.total / units, low), high) if _both_arms(thrown) else None
    return Whole(per_run, low, high, lessons, units, _judged(game, len(thrown), alpha, margin))


def _both_arms(thrown: Sequence[Trial]) -> bool:
    return len({coin.arm for coin in thrown}) == 2


def _played(thrown: Sequence[Trial]) -> _Game:
    game = _Game()
    past: dict[str, Counts] = {}  # per lesson, the coins before this one
    for coin in thrown:
        before = past.get(coin.family, Counts())
        lost = before.lost
        injected, withheld = _rate(lost[0], before.injected), _rate(lost[1], before.withheld)
        # The guess that leaves the least variance, and the difference to expect.
        game.add(
            _coin(coin.h, _rounded(coin.h * injected + (1 - coin.h) * withheld), _rounded(injected - withheld)), coin
        )
        past[coin.family] = before + row_of(coin)
    return game


# Every face of a coin: the arm, and the loss in eighths.
_FACES = tuple((injected, grade) for injected in (True, False) for grade in range(GRADES + 1))


def _rate(lost: float, of: int) -> float:
    return (lost + _RATE * _WORTH) / (of + _WORTH)


def _rounded(guess: float) -> float:
    return round(guess * _GRAIN) / _GRAIN


@value
class _Coin:
    """What each face of a coin is worth: its score, and the price every stake pays for it on either side."""

    scores: tuple[float, ...]  # in the order of _FACES
    prices: tuple[tuple[tuple[float, ...], ...], ...]  # side → face → stake


@lru_cache(maxsize=4096)
def _coin(h: float, m: float, forecast: float) -> _Coin:
    p = 1.0 - h
    scores = tuple((grade / GRADES - m) / p if injected else (m - grade / GRADES) / h for injected, grade in _FACES)
    sides = []
    for sign in (1.0, -1.0):
        fall = max(sign * (forecast - score) for score in scores)  # how far a score can fall below its forecast
        sides.append(
            tuple(tuple(_price(stake * fall, (score - forecast) / fall) for stake in STAKES) for score in scores)
        )
    return _Coin(scores, tuple(sides))


def _price(stake: float, surprise: float) -> float:
    """What a stake pays for a surprise; more than anybody has, where one coin could ruin it."""
    return (-log1p(-stake) - stake) * surprise * surprise if stake < 1.0 else float("inf")


class _Game:
    """The sum of the scores, and what each stake has paid so far, for the sum being lower or higher than claimed."""

    def __init__(self) -> None:
        self.total = 0.0
        self.paid = [[0.0] * len(STAKES), [0.0] * len(STAKES)]

    def add(self, coin: _Coin, thrown: Trial) -> None:
        face = _FACES.index((thrown.arm == INJECTED, graded(thrown.loss) if thrown.outcome == OCCURRED else 0))
        self.total += coin.scores[face]
        for paid, prices in zip(self.paid, coin.prices):
            for i, price in enumerate(prices[face]):
                paid[i] += price

    def log_e(self, claimed: float, side: str) -> float:
        """Log evidence that the sum of the differences lies below (`help`) or above (`harm`) the claimed one."""
        above = side == "harm"
        gain = self.total - claimed if above else claimed - self.total
        wealth = [stake * gain - price for stake, price in zip(STAKES, self.paid[0 if above else 1])]
        peak = max(wealth)
        if peak == float("-inf"):
            return peak
        return peak + log(sum(exp(each - peak) for each in wealth) / len(wealth))

    def bounds(self, alpha: float) -> tuple[float, float]:
        """All sums of differences that are not rejected."""
        bar = log(2.0 / alpha)
        return self._furthest(bar, "harm", -1.0), self._furthest(bar, "help", 1.0)

    def _furthest(self, bar: float, side: str, sign: float) -> float:
        step = 1.0
        while self.log_e(self.total + sign * step, side) < bar:
            step *= 2
            if step > 1e12:  # every stake is ruined: nothing can be said
                return sign * float("inf")
        near, far = 0.0, step
        for _ in range(50):
            middle = (near + far) / 2
            if self.log_e(self.total + sign * middle, side) < bar:
                near = middle
            else:
                far = middle
        return self.total + sign * far


def _judged(game: _Game, thrown: int, alpha: float, margin: float) -> Verdict:
    """In words; "no difference" is less than the margin per lesson and run."""

    def e(claimed: float, side: str) -> float:
        return exp(min(game.log_e(claimed, side), 690.0))

    help_, harm = e(0.0, "help"), e(0.0, "harm")
    no_help, no_harm = e(-margin * thrown, "harm"), e(margin * thrown, "help")
    bar = 2.0 / alpha
    if help_ >= bar and help_ >= harm:
        word, reason = HELPS, f"e = {help_:.3g} that the lessons spare problems; the bar is {bar:g}"
    elif harm >= bar:
        word, reason = HARMS, f"e = {harm:.3g} that the lessons cause problems; the bar is {bar:g}"
    elif min(no_help, no_harm) >= bar:
        word = NO_DIFFERENCE
        reason = f"e = {min(no_help, no_harm):.3g} that it is under {margin:g} per lesson; the bar is {bar:g}"
    else:
        word, reason = NOT_YET_KNOWN, f"e = {help_:.3g} for help, {harm:.3g} for harm; the bar is {bar:g}"
    return Verdict(word, help_, harm, no_help, no_harm, reason)
