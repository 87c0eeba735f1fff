"""What the lessons together do: whether some of them help, and how many failures did not happen where they were given.

Two questions, two instruments. *Do some of these help?* is one purse over the coins of all lessons: the bets of `effect` against "none
of them makes its problem rarer or cheaper", half of the purse on occurrence, half on loss. It asks no more of the lessons than that, so
it speaks first, weeks before one lesson alone can.

*How many failures?* needs a sum: lessons differ, some prevent a problem, some cause one, those that harm are taken out, and those that help
are withheld more rarely. Each coin has a difference of its own, and what is sought is their sum over the sessions that were given
the lesson.
Per coin, x = (Y - m)(A - p) / (1 - p) has p times that coin's difference as its mean, whatever was guessed for m: what is to be expected of
it where it is given. So the sum of the scores, less the sum of the differences, is a fair game, and for a stake s and a bound c on how
far a score can fall below its forecast g, wealth grows by at most

    exp(s(x - difference) - k(sc)(x - g)²/c²),    k(t) = -log(1 - t) - t

on average by nothing (Fan, Grama, Liu 2015; Howard et al. 2021). A mean over six stakes beats 2/alpha on either side
with a probability of at most alpha/2 ever. Guess and forecast come from the lesson's earlier coins only. Assumed beyond
`effect`: within one unit, one lesson's coin does not change another lesson's problem; blank units are there to ask that.

Fewer problems may be less work: an agent that leaves a part undone does not meet its problem. To compare only the units that came to the
lesson's moment (a call of a command, an edit of a file that it names) would be no trial any more: coming to it is the coin's doing, too.
So a second purse asks for another effect of the assignment, over all units: on the problem, with `r` counted for every unit whose moment
did not come, `r` being twice the rate at which the problem struck those that came before. If lessons only change how much is done, up or
down, and what is left undone would have met its problem at most twice as often as what is done, then one of the two purses plays a fair
game; a claim needs both. Where every unit comes to its moment they are one purse. For lessons that name neither command nor file there is
only how sessions end: where those that were given a lesson end well less often, nothing is said of help.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import log, log1p

from tacit.core.value import replace, value
from tacit.trial.coin import INJECTED
from tacit.trial.effect import (
    ALPHA,
    HARMS,
    HELPS,
    NOT_YET_KNOWN,
    Purse,
    Verdict,
    finite,
    log_e,
    log_mean,
)
from tacit.trial.outcome import NOT_OCCURRED, OCCURRED
from tacit.trial.table import GRADES, Counts, Trial, coins, graded, row_of, tabulate, tossed

STAKES = (
    0.01,
    0.02,
    0.035,
    0.06,
    0.1,
    0.18,
)  # they decide how narrow the interval is, never whether it holds
_RATE = 0.2  # the problem rate expected of a lesson that has no coins yet, counted like so many coins in each arm:
_GROUP_WORTH = 4.0
_AS_OFTEN = 2.0  # what was left undone may have met its problem so many times as often as what was done, and a claim still holds
_GRAIN = 20  # guesses are rounded to twentieths, so that each kind of coin is reckoned once
TOGETHER = 0.01  # error of what is said of the lessons together: they speak for all, and have the coins to wait for it
# Wealth of the bettor on bad endings at which nothing is said of help: more than he began with. He makes no claim, so he needs no bar.
WARNED = 1.0


@value
class Whole:
    """What the lessons do to the sessions that are given them: problems a session, negative is good."""

    per_run: float | None
    low: float
    high: float
    lessons_per_run: float
    units: int  # sessions with a coin that told
    verdict: Verdict  # of the purse: do some of them help, or harm?
    given: int = 0  # of the sessions, those that were given one at least
    run: int | None = None  # the how-manieth session crossed the bar
    # of agents, spared in all that were given: about, at least, at most
    calls: tuple[float, float, float] | None = None

    @property
    def spared(self) -> tuple[float, float, float] | None:
        """Failures that did not happen in the sessions that were given lessons: about, at least, at most."""
        if self.per_run is None:
            return None
        return -self.per_run * self.given, -self.high * self.given, -self.low * self.given

    @property
    def sentence(self) -> str:
        """The one statement about the memory as a whole, for people: in failures, and no more than the verdict says."""
        if self.spared is None:
            return "Not yet known whether they help: no session that could tell went without a lesson so far."
        about, least, most = (round(each) for each in self.spared)
        where = f"in {self.given:,} session{'' if self.given == 1 else 's'} that {'was' if self.given == 1 else 'were'} given them"
        if self.verdict.word == HELPS:
            fewer = f"about {about:,} failures ({least:,} to {most:,}) did not happen"
            return f"Some of your lessons help: {where} {fewer}; error rate {100 * TOGETHER:g} %."
        if self.verdict.word == HARMS:
            more = f"about {-about:,} failures more ({-most:,} to {-least:,}) happened"
            return f"Some of your lessons harm: {where} {more}; error rate {100 * TOGETHER:g} %."
        span = f"between {abs(least):,} {'more' if least < 0 else 'fewer'} and {abs(most):,} {'more' if most < 0 else 'fewer'} failures"
        return f"Not yet known whether your lessons help: {where} {span} happened than without."


def whole_memory(
    trials: Iterable[Trial], alpha: float = ALPHA, finished: Mapping[str, bool] | None = None
) -> Whole:
    """The main figure, from settled uses in the order in which they were settled. `finished` says of units whether they ended well.

    Whether blank units fail more often is a question for `effect`: one trial per unit, h the blank share, withheld where
    blank, occurred where the run failed.
    """
    assigned = [trial for trial in trials if not trial.blank and tossed(trial)]
    thrown = coins(assigned)
    units = len({coin.unit for coin in thrown})
    judged, run = _judged(thrown, min(alpha, TOGETHER), finished or {})
    given = len({coin.unit for coin in thrown if coin.arm == INJECTED})
    if not given or not _both_arms(thrown):
        return Whole(
            None, 0.0, 0.0, len(thrown) / units if units else 0.0, units, judged, given, run
        )
    lessons = len(thrown) / units
    # no lesson spares or adds more than one problem where it is given
    most = sum(coin.arm == INJECTED for coin in thrown)
    problems, losses = (
        _summed(_played(thrown, plain=True), most, alpha),
        _summed(_played(thrown), most, alpha),
    )
    about, low, high = (each / given for each in problems)
    spared = (-GRADES * losses[0], -GRADES * losses[2], -GRADES * losses[1])
    return Whole(about, low, high, lessons, units, judged, given, run, spared)


def _summed(game: _Game, most: float, alpha: float) -> tuple[float, float, float]:
    """The sum of the differences: about, and between what."""
    low, high = (min(max(each, -most), most) for each in game.bounds(alpha))
    return min(max(game.total, low), high), low, high


def _both_arms(thrown: Sequence[Trial]) -> bool:
    return len({coin.arm for coin in thrown}) == 2


def _judged(
    thrown: Sequence[Trial], alpha: float, finished: Mapping[str, bool]
) -> tuple[Verdict, int | None]:
    """What the one purse says, kept from the session that crossed the bar; the other side takes over by crossing later."""
    bar, purses = log(2.0 / alpha), (Purse(), Purse())
    word, run, seen = NOT_YET_KNOWN, None, set[str]()
    help_ = harm = 0.0
    past: dict[
        str, tuple[int, int, int]
    ] = {}  # per lesson: coins so far, that came to its moment, that it struck
    for coin in thrown:
        seen.add(coin.unit)
        loss = graded(coin.loss) / GRADES if coin.outcome == OCCURRED else 0.0
        of, came, struck = past.get(coin.family, (0, 0, 0))
        past[coin.family] = of + 1, came + coin.came, struck + (loss > 0)
        r = max(1 / _GRAIN, _rounded(min(1.0, _AS_OFTEN * (struck + 1) / (came + 2))))
        expected = _rounded(r * (of - came) / (of + 1))
        purses[0].add(coin.h, coin.arm == INJECTED, loss)
        purses[1].add(
            coin.h, coin.arm == INJECTED, loss, undone=0.0 if coin.came else r, expected=expected
        )
        help_, harm = purses[0].log_e("help"), purses[0].log_e("harm")
        if max(help_, harm) < bar:
            continue
        help_, harm = (min(purse.log_e(side) for purse in purses) for side in ("help", "harm"))
        now = HELPS if help_ >= bar and help_ >= harm else HARMS if harm >= bar else word
        if now != word:
            word, run = now, len(seen)
    e_help, e_harm = finite(help_), finite(harm)
    reason = f"e = {e_help:.3g} that some spare problems, {e_harm:.3g} that some cause them; the bar is {2.0 / alpha:g}"
    if word == HELPS and (left := undone(thrown, finished)) > WARNED:
        word, run = NOT_YET_KNOWN, None
        reason = f"e = {left:.3g} that sessions which are given lessons end well less often: fewer problems may be less work"
    return Verdict(word, e_help, e_harm, 0.0, 0.0, reason), run


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


def _played(thrown: Sequence[Trial], plain: bool = False) -> _Game:
    """The game of all coins; `plain` counts every occurrence as one, else by its loss."""
    game = _Game()
    past: dict[str, Counts] = {}  # per lesson, the coins before this one
    for each in thrown:
        coin = replace(each, loss=1.0) if plain else each
        before = past.get(coin.family, Counts())
        lost = before.lost
        injected, withheld = _rate(lost[0], before.injected), _rate(lost[1], before.withheld)
        # The guess that leaves the least variance, and the difference to expect.
        game.add(
            _coin(
                coin.h,
                _rounded(coin.h * injected + (1 - coin.h) * withheld),
                _rounded(injected - withheld),
            ),
            coin,
        )
        past[coin.family] = before + row_of(coin)
    return game


# Every face of a coin: the arm, and the loss in eighths.
_FACES = tuple((injected, grade) for injected in (True, False) for grade in range(GRADES + 1))


def _rate(lost: float, of: int) -> float:
    return (lost + _RATE * _GROUP_WORTH) / (of + _GROUP_WORTH)


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
        fall = max(
            sign * (forecast - score) for score in scores
        )  # how far a score can fall below its forecast
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
        face = _FACES.index(
            (thrown.arm == INJECTED, graded(thrown.loss) if thrown.outcome == OCCURRED else 0)
        )
        self.total += coin.scores[face]
        for paid, prices in zip(self.paid, coin.prices):
            for i, price in enumerate(prices[face]):
                paid[i] += price

    def log_e(self, claimed: float, side: str) -> float:
        """Log evidence that the sum of the differences lies below (`help`) or above (`harm`) the claimed one."""
        above = side == "harm"
        gain = self.total - claimed if above else claimed - self.total
        wealth = [
            stake * gain - price for stake, price in zip(STAKES, self.paid[0 if above else 1])
        ]
        return (
            log_mean(wealth, [1.0] * len(wealth)) if max(wealth) > float("-inf") else float("-inf")
        )

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
