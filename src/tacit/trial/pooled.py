"""What the lessons do together: whether some of them help, and how many failures did not happen.

Two questions, two instruments. *Do some of these help?* is one purse over the coins of all lessons: the bets of
`evalue` against "none of them makes its problem rarer or cheaper". It asks no more of the lessons than that, so it
speaks first, weeks before one lesson alone can.

*How many failures?* needs a sum: lessons differ, some prevent a problem, some cause one. Each coin has a difference of
its own, and what is sought is their sum over the sessions that were given the lesson. Per coin,
x = (Y - m)(A - p) / (1 - p) has p times that coin's difference as its mean, whatever was guessed for m. So the sum of
the scores, less the sum of the differences, is a fair game, and for a stake s and a bound c on how far a score can fall
below its forecast g, wealth grows by at most

    exp(s(x - difference) - k(sc)(x - g)²/c²),    k(t) = -log(1 - t) - t

on average by nothing (Fan, Grama, Liu 2015; Howard et al. 2021). A mean over six stakes beats 2/alpha on either side
with a probability of at most alpha/2 ever. Guess and forecast come from the lesson's earlier coins only. Assumed beyond
`evalue`: within one unit, one lesson's coin does not change another lesson's problem.

Fewer problems may be less work: an agent that leaves a part undone does not meet its problem. To compare only the units
that came to the lesson's moment would be no trial any more: coming to it is the coin's doing, too. So a second purse
asks for another effect over all units: on the problem, with `r` counted for every unit whose moment did not come, `r`
being twice the rate at which the problem struck those that came before. If lessons only change how much is done, up or
down, and what is left undone would have met its problem at most twice as often as what is done, then one of the two
purses plays a fair game; a claim needs both. For lessons that name neither command nor file there is only how sessions
end: where those that were given a lesson end well less often, nothing is said of help.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import log, log1p

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
    log_mean,
    one_by_one,
    tabulate,
)
from tacit.trial.outcome import NOT_OCCURRED, OCCURRED

STAKES = (
    0.01,
    0.02,
    0.035,
    0.06,
    0.1,
    0.18,
)  # they decide how narrow the interval is, never whether it holds
TOGETHER = 0.01  # error of what is said of the lessons together: they speak for all, and have the coins to wait for it
WARNED = 1.0  # wealth of the bettor on bad endings at which nothing is said of help: more than he began with
_RATE, _GROUP_WORTH = (
    0.2,
    4.0,
)  # the problem rate expected of a lesson without coins, counted like so many in each arm
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
    problems = _spared(_played([replace(coin, loss=1.0) for coin in fair]), most, alpha)
    about, least, greatest = _spared(_played(fair), most, alpha)
    return replace(
        found, spared=problems, calls=(GRADES * about, GRADES * least, GRADES * greatest)
    )


def _spared(game: _Game, most: float, alpha: float) -> tuple[float, float, float]:
    """What was spared: about, at least, at most."""
    low, high = (min(max(each, -most), most) for each in game.bounds(alpha))
    return -min(max(game.total, low), high), -high, -low


def _judged(fair: Sequence[Trial], alpha: float) -> tuple[str, float, float]:
    """What the purses say, kept from the coin that crossed the bar; the other side takes over by crossing later."""
    bar, plain, doubting = log(2.0 / alpha), Purse(), Purse()
    word, e_help, e_harm = NOT_YET_KNOWN, 0.0, 0.0
    past: dict[
        str, tuple[int, int, int]
    ] = {}  # per lesson: coins so far, that came to its moment, that it struck
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


# The sum of the differences


def _played(thrown: Sequence[Trial]) -> _Game:
    """The game of all coins."""
    game = _Game()
    # per lesson, of the coins before this one: units and losses given, units and losses left out
    past: dict[str, list[float]] = {}
    for coin in thrown:
        before = past.setdefault(coin.family, [_GROUP_WORTH, _RATE * _GROUP_WORTH] * 2)
        injected, withheld = before[1] / before[0], before[3] / before[2]
        # the guess that leaves the least variance, and the difference to expect
        guess = _rounded(coin.h * injected + (1 - coin.h) * withheld)
        game.add(_coin(coin.h, guess, _rounded(injected - withheld)), coin)
        arm = 0 if coin.arm == INJECTED else 2
        before[arm] += 1
        before[arm + 1] += grade_of(coin) / GRADES
    return game


# Every face of a coin: the arm, and the loss in eighths.
_FACES = tuple((injected, grade) for injected in (True, False) for grade in range(GRADES + 1))


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
    scores = tuple(
        (grade / GRADES - m) if injected else (m - grade / GRADES) * p / h
        for injected, grade in _FACES
    )
    forecast *= p
    sides = []
    for sign in (1.0, -1.0):
        # how far a score can fall below its forecast
        fall = max(sign * (forecast - score) for score in scores)
        sides.append(
            tuple(
                tuple(_price(stake * fall, (score - forecast) / fall) for stake in STAKES)
                for score in scores
            )
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
        face = _FACES.index((thrown.arm == INJECTED, grade_of(thrown)))
        self.total += coin.scores[face]
        for paid, prices in zip(self.paid, coin.prices):
            for i, price in enumerate(prices[face]):
                paid[i] += price

    def log_e(self, claimed: float, side: str) -> float:
        """Log evidence that the sum of the differences lies below (`help`) or above (`harm`) the claimed one."""
        above = side == "harm"
        gain = self.total - claimed if above else claimed - self.total
        paid = self.paid[0 if above else 1]
        wealth = [stake * gain - price for stake, price in zip(STAKES, paid)]
        ruined = max(wealth) == float("-inf")
        return float("-inf") if ruined else log_mean(wealth, [1.0] * len(wealth))

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
