"""What pairs say: the same task twice, once with the lesson and once without, and a bet on the difference.

If the lesson does nothing, the two runs of a pair differ by chance alone, and which of them went better is a fair coin. The bettors of the
control group (`trial.evalue`, the same stakes and the same bar) bet on that coin. A pair in which both fared alike moves nobody's
wealth: only discordant pairs speak. Wealth of 2/alpha on one side is a verdict, with a total error of alpha over all looks, so a
replay may stop as soon as one is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import exp, log, log1p

from tacit.core.value import value
from tacit.trial.evalue import ALPHA, HARMS, HELPS, NOT_YET_KNOWN, STAKES, Interval

NO_DIFFERENCE, EFFECT_MARGIN = "no difference", 0.10

_ALL = sum(STAKES.values())
_NEARLY = 1.0 - 1e-6


@value
class PairsSoFar:
    """What the pairs so far say."""

    word: str  # helps, harms, no difference or not yet known
    pairs: int
    better: int  # pairs in which the run with the lesson lost less
    worse: int
    e_help: float
    e_harm: float
    interval: Interval  # of the difference of losses, with minus without; negative is good
    reason: str

    @property
    def decided(self) -> bool:
        return self.word != NOT_YET_KNOWN


@value
class Power:
    """What a number of pairs can be expected to tell of one true effect."""

    without: float  # how often the problem strikes without the lesson, in such tasks
    given: float
    median: (
        int | None
    )  # pairs until a verdict in half of the replays; None where it takes more than were planned
    decided: float  # share of replays that have the right verdict by then
    wrong: float  # share that have a wrong one


def settled_verdict(
    differences: Sequence[float], alpha: float = ALPHA, margin: float = EFFECT_MARGIN
) -> PairsSoFar:
    """The verdict after these pairs; each is the loss with the lesson minus the loss without, in [-1, 1].

    The first crossing counts: pairs after it are not looked at, as a replay would have stopped there.
    """
    bar = log(2.0 / alpha)
    better = worse = 0
    for count, each in enumerate(differences, 1):
        better, worse = better + (each < 0), worse + (each > 0)
        now = differences[:count]
        for word, side in ((HELPS, 1.0), (HARMS, -1.0)):
            if each and log_e(now, 0.0, side) >= bar:
                return _standing(word, now, better, worse, alpha)
    found = _standing(NOT_YET_KNOWN, differences, better, worse, alpha)
    if found.interval.low > -margin and found.interval.high < margin:
        return _standing(NO_DIFFERENCE, differences, better, worse, alpha)
    return found


def _standing(
    word: str, differences: Sequence[float], better: int, worse: int, alpha: float
) -> PairsSoFar:
    help_, harm = (exp(min(log_e(differences, 0.0, side), 690.0)) for side in (1.0, -1.0))
    reason = f"e = {help_:.3g} for help, {harm:.3g} for harm; the bar is {2 / alpha:g}"
    return PairsSoFar(
        word, len(differences), better, worse, help_, harm, _interval(differences, alpha), reason
    )


def log_e(differences: Sequence[float], null: float, side: float) -> float:
    """The logarithm of the wealth won against "the mean difference is `null` or more" (side 1) or "or less" (side -1)."""
    most = 1.0 - side * null  # the worst that one pair can cost the bettor
    wealth = [
        log(share / _ALL) + sum(log1p(stake * side * (null - each) / most) for each in differences)
        for stake, share in STAKES.items()
    ]
    top = max(wealth)
    return top + log(sum(exp(each - top) for each in wealth))


def _interval(differences: Sequence[float], alpha: float = ALPHA) -> Interval:
    """All mean differences that are not rejected, at any look."""
    bar = log(2.0 / alpha)
    return Interval(-_furthest(differences, bar, -1.0), _furthest(differences, bar, 1.0))


def _furthest(differences: Sequence[float], bar: float, side: float) -> float:
    """The largest difference, times side, that is not rejected."""
    kept, rejected = -_NEARLY, _NEARLY
    if log_e(differences, side * rejected, side) < bar:
        return 1.0
    for _ in range(30):
        middle = (kept + rejected) / 2
        if log_e(differences, side * middle, side) < bar:
            kept = middle
        else:
            rejected = middle
    return kept


def hopeless(differences: Sequence[float], left: int, alpha: float = ALPHA) -> bool:
    """Whether no verdict can come any more, even if all pairs that are left spoke for one side."""
    bar = log(2.0 / alpha)
    return all(log_e([*differences, *[-side] * left], 0.0, side) < bar for side in (1.0, -1.0))


def power(without: float, given: float, pairs: int, alpha: float = ALPHA) -> Power:
    """What so many pairs tell where the problem strikes at these rates: exact, by counting ways. Harm is help with the arms exchanged."""
    bar = log(2.0 / alpha)
    less, more = sorted((without, given))
    # a pair that speaks for the truth, and one against it
    chances = {(1, 0): more * (1 - less), (0, 1): (1 - more) * less}
    chances[0, 0] = 1.0 - sum(chances.values())
    open_: dict[tuple[int, int], float] = {(0, 0): 1.0}
    right = wrong = 0.0
    median: int | None = None
    for number in range(1, pairs + 1):
        after: dict[tuple[int, int], float] = {}
        for (fors, against), share in open_.items():
            for (one, other), chance in chances.items():
                here = (fors + one, against + other)
                if _wealth(*here) >= bar:
                    right += share * chance
                elif _wealth(*here[::-1]) >= bar:
                    wrong += share * chance
                elif chance:
                    after[here] = after.get(here, 0.0) + share * chance
        open_ = after
        median = number if median is None and right >= 0.5 else median
    if less == more:  # then every verdict is wrong
        return Power(without, given, None, 0.0, right + wrong)
    return Power(without, given, median, right, wrong)


@lru_cache(maxsize=20_000)
def _wealth(better: int, worse: int) -> float:
    return log_e([-1.0] * better + [1.0] * worse, 0.0, 1.0)
