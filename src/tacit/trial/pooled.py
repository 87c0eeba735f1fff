"""What the lessons do together: whether some of them help, and how many failures did not happen.

*Do some of these help?* is one purse over the coins of all lessons: the bets of `evalue` against "none of them makes its
problem rarer or cheaper". It speaks weeks before one lesson alone can.

*How many failures?* needs a sum, for lessons differ. Per coin, x = (Y - m)(A - p) / (1 - p) has p times that coin's
difference as its mean, whatever was guessed for m. So the sum of the scores, less that of the differences, is a fair
game, and for a stake s and a bound c on how far a score can fall below its forecast g, wealth grows by at most

    exp(s(x - difference) - k(sc)(x - g)²/c²),    k(t) = -log(1 - t) - t

on average by nothing (Fan, Grama, Liu 2015; Howard et al. 2021). Guess and forecast come from the lesson's earlier coins
only. Assumed beyond `evalue`: within one unit, one lesson's coin does not change another lesson's problem.

Fewer problems may be less work: an agent that leaves a part undone does not meet its problem. So a second purse asks for
the effect with `r` counted for every unit whose moment did not come, `r` being twice the rate at which the problem struck
those that came before; a claim needs both. For lessons that name neither command nor file there is only how sessions
end: where those that were given a lesson end well less often, nothing is said of help.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import log, log1p
from operator import add

from tacit.core.value import replace, value
from tacit.trial.coin import INJECTED
from tacit.trial.evalue import (
    ALPHA,
    GRADES,
    HARMS,
    HELPS,
    NOT_YET_KNOWN,
    Purse,
    Trial,
    coins,
    finite,
    grade_of,
    log_e,
    one_by_one,
    tabulate,
)
from tacit.trial.outcome import NOT_OCCURRED, OCCURRED

STAKES = (0.01, 0.02, 0.035, 0.06, 0.1, 0.18)  # how narrow the interval is, never whether it holds
TOGETHER = 0.01  # error of what is said of the lessons together: they speak for all, and have the coins to wait for it
WARNED = 1.0  # wealth of the bettor on bad endings at which nothing is said of help: more than he began with
_RATE, _WORTH = (
    0.2,
    4.0,
)  # the rate expected of a lesson without coins, counted like so many in each arm
_AS_OFTEN = 2.0  # what was left undone may have met its problem so many times as often, and a claim still holds
_GRAIN = 20  # guesses are rounded to twentieths, so that each kind of coin is reckoned once


@value
class Pooled:
    """What the lessons do together in the sessions that were given them."""

    word: str  # helps, harms or not yet known
    units: int  # sessions with a coin that told
    given: int  # of these, those that were given one at least
    e_help: float
    e_harm: float
    # failures that did not happen, and calls of agents that were spared: about, at least, at most
    spared: tuple[float, float, float] | None = None
    calls: tuple[float, float, float] | None = None
    doubt: str = ""  # why help is not said though the coins say it


def pooled(
    trials: Iterable[Trial], alpha: float = ALPHA, finished: Mapping[str, bool] | None = None
) -> Pooled:
    """What all lessons come to, from settled uses in the order in which they were settled. `finished` says of units
    whether they ended well."""
    thrown = coins(trials)
    fair = one_by_one(thrown)
    word, e_help, e_harm = _judged(fair, min(alpha, TOGETHER))
    doubt = ""
    if word == HELPS and undone(fair, finished or {}) > WARNED:
        word, doubt = NOT_YET_KNOWN, "sessions that are given lessons end well less often"
    units = len({coin.unit for coin in thrown})
    given = len({coin.unit for coin in thrown if coin.arm == INJECTED})
    found = Pooled(word, units, given, e_help, e_harm, doubt=doubt)
    if not given or len({coin.arm for coin in thrown}) < 2:
        return found
    # no lesson spares or adds more than one problem where it is given
    most = float(sum(coin.arm == INJECTED for coin in fair))
    problems = _spared([replace(coin, loss=1.0) for coin in fair], most, alpha)
    about, least, greatest = (GRADES * each for each in _spared(fair, most, alpha))
    return replace(found, spared=problems, calls=(about, least, greatest))


def _judged(fair: Sequence[Trial], alpha: float) -> tuple[str, float, float]:
    """What the purses say, kept from the coin that crossed the bar; the other side takes over by crossing later."""
    bar, plain, doubting = log(2.0 / alpha), Purse(), Purse()
    word, e_help, e_harm = NOT_YET_KNOWN, 0.0, 0.0
    # per lesson: coins so far, that came to its moment, that it struck
    past: dict[str, tuple[int, int, int]] = {}
    for coin in fair:
        loss, injected = grade_of(coin) / GRADES, coin.arm == INJECTED
        of, came, struck = past.get(coin.family, (0, 0, 0))
        past[coin.family] = of + 1, came + coin.came, struck + (loss > 0)
        r = max(1 / _GRAIN, _rounded(min(1.0, _AS_OFTEN * (struck + 1) / (came + 2))))
        expected = _rounded(r * (of - came) / (of + 1))
        plain.add(coin.h, injected, loss)
        doubting.add(coin.h, injected, loss, undone=0.0 if coin.came else r, expected=expected)
        e_help, e_harm = (
            min(p.log_e(side) for p in (plain, doubting)) for side in ("help", "harm")
        )
        if e_help >= bar and e_help >= e_harm:
            word = HELPS
        elif e_harm >= bar:
            word = HARMS
    return word, finite(e_help), finite(e_harm)


def undone(thrown: Sequence[Trial], finished: Mapping[str, bool]) -> float:
    """Evidence that sessions which are given a lesson end well less often."""
    if not any(finished.values()):
        return 0.0
    told = [
        replace(coin, outcome=NOT_OCCURRED if finished[coin.unit] else OCCURRED, loss=1.0)
        for coin in thrown
        if coin.unit in finished
    ]
    return finite(log_e(tabulate(told), 0.0, "harm"))


def _spared(thrown: Sequence[Trial], most: float, alpha: float) -> tuple[float, float, float]:
    """The sum of the differences of all coins, as what was spared: about, at least, at most.

    Each stake begins with a sixth of the wealth, and a sum is rejected where one of them alone reaches the bar.
    """
    score, paid = 0.0, [[0.0] * len(STAKES)] * 2
    # per lesson, of the coins before this one: units and losses given, units and losses left out
    past: dict[str, list[float]] = {}
    for coin in thrown:
        before = past.setdefault(coin.family, [_WORTH, _RATE * _WORTH] * 2)
        injected, withheld = before[1] / before[0], before[3] / before[2]
        # the guess that leaves the least variance, and the difference to expect
        guess = _rounded(coin.h * injected + (1 - coin.h) * withheld)
        face = coin.arm == INJECTED, grade_of(coin)
        mine, prices = scored(coin.h, guess, _rounded(injected - withheld), *face)
        score += mine
        paid = [[*map(add, *each)] for each in zip(paid, prices)]
        arm = 0 if coin.arm == INJECTED else 2
        before[arm] += 1
        before[arm + 1] += grade_of(coin) / GRADES
    bar = log(2.0 * len(STAKES) / alpha)
    below, above = (min((bar + n) / stake for n, stake in zip(side, STAKES)) for side in paid)
    low, high = (min(max(each, -most), most) for each in (score - below, score + above))
    return -min(max(score, low), high), -high, -low


def _rounded(guess: float) -> float:
    return round(guess * _GRAIN) / _GRAIN


@lru_cache(maxsize=16384)
def scored(
    h: float, m: float, forecast: float, injected: bool, grade: int
) -> tuple[float, tuple[tuple[float, ...], ...]]:
    """A coin's score, and the price that every stake pays for it: where the sum is claimed lower, and higher."""
    p = 1.0 - h

    def score(arm: bool, loss: float) -> float:
        return loss - m if arm else (m - loss) * p / h

    mine, expected = score(injected, grade / GRADES), forecast * p
    ends = [score(arm, loss) for arm in (True, False) for loss in (0.0, 1.0)]
    prices = []
    for sign in (1.0, -1.0):
        fall = max(sign * (expected - each) for each in ends)  # below its forecast
        prices.append(tuple(_price(stake * fall, (mine - expected) / fall) for stake in STAKES))
    return mine, tuple(prices)


def _price(stake: float, surprise: float) -> float:
    """What a stake pays for a surprise; more than anybody has, where one coin could ruin it."""
    return (-log1p(-stake) - stake) * surprise * surprise if stake < 1.0 else float("inf")
