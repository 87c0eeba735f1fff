"""Whether a lesson helps: what the recorded coins say, valid however often one looks.

If a lesson does nothing, its problem strikes injected and withheld units like the coin that assigned them. Twelve small
bettors stake on that coin, given the outcome. Against a fair coin nobody gets rich, at any time (Ville's inequality),
so wealth is evidence: at 2/alpha on one side the lesson helps or harms, with a total error of alpha over all looks ever
made. Nothing is assumed but that the coin was fair at the recorded rate and that one unit's coin does not change
another unit's outcome; not a constant problem rate, not independent runs, not a schedule. Half of each purse is bet on whether
the problem occurred, half on a loss between 0 (it did not) and 1 (it occurred and was not overcome), in eighths: so a lesson
that lets agents recover counts, one whose problem costs little is not slower for it, and the bets stay fair, since a score is
linear in the loss and largest at its ends.

"No difference" is relative: neither half of what the problem costs where the lesson is left out is spared, nor half as much added,
nor the margin either way. It is a bet of its own on `Y·A/p - ratio·Y·(1 - A)/h`, whose mean is the difference to that share of
the base loss, so nothing is estimated first; a problem that does not occur moves no such bet. It ends nothing. Where the problem
occurs in fewer than 5 of 100 units the word is *rare*, which is a description, taken back by the next units.

What is asked is a table of settled uses (`table`); lessons together are `overall`. Three layers must not be mixed: a *verdict* is
a claim with an error rate; a *belief* (`belief`) is a guess that leans on other lessons of the kind and only orders them; the
origins' signals live elsewhere.

`docs/effect.md` gives the method on one page, `bench/effect.py` measures it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import exp, lgamma, log, log1p
from typing import TYPE_CHECKING

from tacit.core.value import value
from tacit.trial.outcome import NOT_OCCURRED, OCCURRED
from tacit.trial.table import GRADES, Counts, Trial, add, coins, row_of, tossed

if TYPE_CHECKING:
    from tacit.trial.table import Table

ALPHA = 0.05
EFFECT_MARGIN = 0.10  # differences smaller than this, either way, are "no difference", if they are smaller than …
HALF_BASE = 0.5  # … this share of the lesson's own base loss, too
RARE_BELOW, RARE_UNITS = (
    0.05,
    20,
)  # a problem that strikes less often than this, in at least so many units, is rare
SELDOM, SELDOM_BAR = 0.10, 5.0  # share of units below which harm is called at a fifth of the error
HELPS, HARMS, NO_DIFFERENCE, NOT_YET_KNOWN, RARE_EFFECT = (
    "helps",
    "harms",
    "no difference",
    "not yet known",
    "rare",
)
CLAIMS = (HELPS, HARMS, NO_DIFFERENCE)  # words with an error rate; once crossed they are kept
VERDICT_RULE = 3  # how verdicts are found: a course that was kept under another rule is found anew from its units
# The bettors: guesses of the problem rate, the share of their wealth they stake, and how the first unit of wealth is shared out among
# them. These decide only how fast evidence grows, never whether it holds. Most is given to the middle of both: what a lesson's
# 40 to 200 units call for; the smallest stake is there for the long run, the largest for the strongest effects
# (docs/internals/decisions/0031-stakes-and-belief.md).
GUESSES = {0.07: 1, 0.20: 2, 0.45: 1}
BASE_STAKES = {0.15: 3, 0.40: 10, 0.65: 6, 0.90: 1}
SHARES = tuple(guess * stake for guess in GUESSES.values() for stake in BASE_STAKES.values())
FALSE_SHARE = 0.10  # e-BH: the expected share of false ones among the marked
OUT_OF_BALANCE = (
    20.0  # wealth of the bettor against the arms' sizes; a false alarm in at most one store in 20
)


@value
class Verdict:
    """What a table says now."""

    word: str  # helps, harms, no difference, rare or not yet known
    e_help: float  # evidence against "neither occurrence nor loss is less where it is given"
    e_harm: float  # evidence against "neither is more"
    e_no_help: float  # evidence against "it spares the margin, or half of the base loss"
    e_no_harm: float  # evidence against "it adds as much"
    reason: str


@value
class Interval:
    """All differences that are not rejected. `low > high`: no single one fits, so the effect changed over time."""

    low: float
    high: float


@value
class KeptVerdict:
    """A verdict kept from the unit where it was crossed, beside what the table says now."""

    word: str
    run: int | None  # the how-manieth unit crossed the bar
    weaker: bool  # the table alone would not say so any more
    units: int
    now: Verdict

    @property
    def words(self) -> str:
        """For instance "helps (session 84), weaker since"."""
        return (
            self.word
            + (f" (session {self.run})" if self.run else "")
            + (", weaker since" if self.weaker else "")
        )


@value
class Course:
    """How far one lesson has come in one epoch: all that its next coin needs, so that nobody reads its past again."""

    alpha: float
    margin: float
    table: Table
    word: str = NOT_YET_KNOWN  # crossed once and kept
    run: int | None = None  # the how-manieth unit crossed the bar
    units: int = 0
    at: str = ""  # when the last coin was settled, and its unit
    unit: str = ""
    rule: int = 1  # a store of before says nothing here

    def precedes(self, coin: Trial) -> bool:
        """Whether this coin was settled after all that were counted."""
        return (self.at, self.unit) < (coin.at, coin.unit)


@value
class Balance:
    """Whether the two sides have the sizes the coin promised."""

    e: float
    alarm: bool
    reason: str


def log_e(table: Table, difference: float, side: str) -> float:
    """Log evidence that the true difference lies below (`side="help"`) or above (`side="harm"`) the given one.

    On average at most 1 before the log, at any time, if it does not. Monotone in `difference`, which lies strictly
    between -1 and 1.
    """
    wealth = [0.0] * len(SHARES)
    for h, row in table.items():
        for injected, loss, n in row.losses:
            if n:
                for i, factor in enumerate(bets(h, difference, side, injected, loss)):
                    wealth[i] += n * factor
    return log_mean(wealth, SHARES)


def log_mean(wealth: Sequence[float], shares: Sequence[float]) -> float:
    """The log of what bettors hold together, from the log of each one's wealth and the shares they began with."""
    peak = max(wealth)
    return peak + log(
        sum(share * exp(each - peak) for share, each in zip(shares, wealth)) / sum(shares)
    )


class Purse:
    """What the bettors hold against "no difference" on either side: half of it is on occurrence, half on loss."""

    def __init__(self) -> None:
        self._wealth = {
            (side, plain): [0.0] * len(SHARES)
            for side in ("help", "harm")
            for plain in (True, False)
        }

    def add(
        self,
        h: float,
        injected: bool,
        loss: float,
        n: int = 1,
        *,
        undone: float = 0.0,
        expected: float = 0.0,
    ) -> None:
        """Bet on so many coins of one kind; a loss of 0 did not occur. `undone` is what counts, on both halves, where the work was not
        done, `expected` how much of it is to be expected of a coin."""
        for (side, plain), mine in self._wealth.items():
            amount = undone or (1.0 if plain and loss else loss)
            for i, factor in enumerate(bets(h, 0.0, side, injected, amount, expected)):
                mine[i] += n * factor

    def log_e(self, side: str) -> float:
        """Log evidence that the lessons whose coins these are help, or harm."""
        return log_mean(self._wealth[side, True] + self._wealth[side, False], SHARES * 2)


@lru_cache(maxsize=4096)
def bets(
    h: float, difference: float, side: str, injected: bool, loss: float, expected: float = 0.0
) -> tuple[float, ...]:
    """For each bettor the log factor of his wealth after a coin of this kind; `expected` raises every guess of its loss.

    With mean loss guessed m, x = (Y - m)(A - p) / (p(1 - p)) has the true difference as its mean, whatever m. The
    harm side is the help side of -x.
    """
    sign = 1.0 if side == "help" else -1.0
    p, bound = 1.0 - h, sign * difference
    bets: list[float] = []
    for guess in GUESSES:
        m = expected + (1.0 - expected) * guess
        top = max(sign * (1 - m) / p, -sign * m / p, -sign * (1 - m) / h, sign * m / h)
        if top <= bound:  # such a score cannot speak about this bound
            bets += [0.0] * len(BASE_STAKES)
            continue
        score = sign * (loss - m) / p if injected else -sign * (loss - m) / h
        bets += [log1p(s * (bound - score) / (top - bound)) for s in BASE_STAKES]
    return tuple(bets)


def verdict(table: Table, alpha: float = ALPHA, margin: float = EFFECT_MARGIN) -> Verdict:
    """What the table says now, with error at most alpha over all looks ever made at it."""
    purse = Purse()
    for h, row in table.items():
        for injected, loss, n in row.losses:
            purse.add(h, injected, loss, n)
    help_, harm = (finite(purse.log_e(side)) for side in ("help", "harm"))
    no_help = finite(min(log_e(table, -margin, "harm"), log_e_share(table, 1 - HALF_BASE, "harm")))
    no_harm = finite(min(log_e(table, margin, "help"), log_e_share(table, 1 + HALF_BASE, "help")))
    bar = 2.0 / alpha
    if help_ >= bar and help_ >= harm:
        word, reason = (
            HELPS,
            f"e = {help_:.3g} that the problem is rarer or cheaper where it is given; the bar is {bar:g}",
        )
    elif harm >= (higher := bar * (SELDOM_BAR if is_seldom(table) else 1.0)):
        word = HARMS
        reason = f"e = {harm:.3g} that the problem is more common or dearer where it is given; the bar is {higher:g}"
    elif no_help >= bar and no_harm >= bar:
        word = NO_DIFFERENCE
        reason = f"e = {min(no_help, no_harm):.3g} that neither half of it nor {margin:g} is spared or added; the bar is {bar:g}"
    else:
        word = RARE_EFFECT if is_rare(table) else NOT_YET_KNOWN
        reason = f"e = {help_:.3g} for help, {harm:.3g} for harm; the bar is {bar:g}"
    return Verdict(word, help_, harm, no_help, no_harm, reason)


def is_seldom(table: Table) -> bool:
    """Whether the problem strikes in so few units that ending the lesson by an unlucky draw would cost more than its harm."""
    sums = sum(table.values(), Counts())
    return sums.injected_occurred + sums.withheld_occurred < SELDOM * (
        sums.injected + sums.withheld
    )


def is_rare(table: Table) -> bool:
    """Whether the problem strikes too rarely for a difference to show, where the lesson is left out and altogether."""
    sums = sum(table.values(), Counts())
    units, struck = sums.injected + sums.withheld, sums.injected_occurred + sums.withheld_occurred
    return (
        units >= RARE_UNITS
        and struck < RARE_BELOW * units
        and sums.withheld_occurred <= RARE_BELOW * sums.withheld
    )


def log_e_share(table: Table, share: float, side: str) -> float:
    """Log evidence that the mean loss where it is given is below (`help`) or above (`harm`) this share of the loss where it is left out."""
    sign = 1.0 if side == "help" else -1.0
    wealth = [0.0] * len(BASE_STAKES)
    for h, row in table.items():
        given, left = (
            1.0 / (1.0 - h),
            -share / h,
        )  # the score of a loss of 1 in either arm; of 0 it is 0
        top = max(sign * given, sign * left)
        for injected, loss, n in row.losses:
            if n and loss:
                score = sign * loss * (given if injected else left)
                for i, stake in enumerate(BASE_STAKES):
                    wealth[i] += n * log1p(-stake * score / top)
    return log_mean(wealth, [*BASE_STAKES.values()])


def finite(log_wealth: float) -> float:
    """Evidence from its log; it stays a number, also in JSON."""
    return exp(min(log_wealth, 690.0))


def interval(table: Table, alpha: float = ALPHA) -> Interval:
    """All differences of how often the problem occurs that are not rejected by the half of the purse that bets on it.

    Where it excludes 0, the table helps or harms; a verdict may come sooner, by what problems cost. Wider than a textbook
    interval, about 1.7 times, because it may be read after every run.
    """
    plain = {h: Counts(*row.cells) for h, row in table.items()}  # every occurrence at its full loss
    bar = log((2.0 if plain == table else 4.0) / alpha)
    return Interval(-_furthest(plain, bar, "harm", -1.0), _furthest(plain, bar, "help", 1.0))


def _furthest(table: Table, bar: float, side: str, sign: float) -> float:
    """The largest difference, times sign, that is not rejected; the first point tried is 0, the ends ±1 never are."""
    kept, rejected = -1.0, 1.0
    if log_e(table, sign * _ALMOST_ONE, side) < bar:
        return 1.0
    for _ in range(30):  # to 2e-9
        middle = (kept + rejected) / 2
        if log_e(table, sign * middle, side) < bar:
            kept = middle
        else:
            rejected = middle
    return kept


_ALMOST_ONE = 1.0 - 1e-9


def estimate(table: Table) -> float | None:
    """How much more often the problem occurs, injected minus withheld, within rows; None until one row has both arms."""
    total = weights = 0.0
    for row in table.values():
        if row.injected and row.withheld:
            weight = row.injected * row.withheld / (row.injected + row.withheld)
            total += weight * (
                row.injected_occurred / row.injected - row.withheld_occurred / row.withheld
            )
            weights += weight
    return total / weights if weights else None


def forecast(table: Table, alpha: float = ALPHA) -> str | None:
    """A guess how many more units until helps or harms: tens, hundreds or more than 500; None until both arms exist.

    Within a factor of two in little more than half of the cases: no rule may depend on it.
    """
    difference = estimate(table)
    if difference is None:
        return None
    sums = sum(table.values(), Counts())
    injected = (sums.injected_occurred + 0.5) / (sums.injected + 1)
    withheld = (sums.withheld_occurred + 0.5) / (sums.withheld + 1)
    h = max(table, key=lambda rate: table[rate].injected + table[rate].withheld)
    mean = (1 - h) * injected + h * withheld
    growth = (1 - h) * _divergence(injected, mean) + h * _divergence(withheld, mean)
    now = verdict(table, alpha)
    missing = log(2.0 / alpha) - log(now.e_help if difference < 0 else now.e_harm)
    if missing < 100 * growth:
        return "tens"
    return "hundreds" if missing <= 500 * growth else "more than 500"


def _divergence(p: float, q: float) -> float:
    """Kullback-Leibler divergence between two coins."""
    return p * log(p / q) + (1 - p) * log((1 - p) / (1 - q))


def stand(
    trials: Iterable[Trial], alpha: float = ALPHA, margin: float = EFFECT_MARGIN
) -> KeptVerdict:
    """The verdict over time: crossed once it is kept, and the other side takes over only by crossing later.

    The trials are those of one lesson in one epoch, in the order in which they were settled. `no difference` never
    replaces helps or harms.
    """
    return stands(course_of(trials, alpha, margin))


def course_of(
    trials: Iterable[Trial], alpha: float = ALPHA, margin: float = EFFECT_MARGIN
) -> Course:
    """The course of one lesson in one epoch, from its trials in the order in which they were settled."""
    course = Course(alpha, margin, {}, rule=VERDICT_RULE)
    for coin in coins(trials):
        course = follow(course, coin)
    return course


def follow(course: Course, coin: Trial) -> Course:
    """The course with one more coin: looked at after each, since the error rate holds over all looks."""
    table = {**course.table, coin.h: course.table.get(coin.h, Counts()) + row_of(coin)}
    word, run, units = course.word, course.run, course.units + 1
    now = verdict(table, course.alpha, course.margin).word
    if now != word and (now in (HELPS, HARMS) or word not in CLAIMS):
        word, run = now, units if now in CLAIMS else None
    return Course(
        course.alpha, course.margin, table, word, run, units, coin.at, coin.unit, course.rule
    )


def stands(course: Course) -> KeptVerdict:
    """The kept verdict of a course, beside what its table says now."""
    now = verdict(course.table, course.alpha, course.margin)
    return KeptVerdict(course.word, course.run, course.word != now.word, course.units, now)


def agreed(words: Iterable[str], runs: str = NOT_YET_KNOWN) -> str:
    """What the verdicts of a lesson's epochs come to: helps or harms where one says so and none the opposite, no difference or rare
    only where all say it. That the runs themselves fail more often goes before all."""
    if runs == HARMS:
        return HARMS
    said = set(words)
    if HELPS in said or HARMS in said:
        return NOT_YET_KNOWN if {HELPS, HARMS} <= said else HELPS if HELPS in said else HARMS
    return said.pop() if len(said) == 1 else NOT_YET_KNOWN


def counts(trial: Trial) -> bool:
    """Whether a trial is a coin that told something, as `coins` would keep it."""
    return not trial.blank and tossed(trial) and trial.outcome in (OCCURRED, NOT_OCCURRED)


def course_to_json(course: Course) -> str:
    """A course as the store keeps it."""
    table = {
        repr(h): [
            *row.cells,
            *(
                (row.injected_mild, row.withheld_mild)
                if row.injected_mild or row.withheld_mild
                else ()
            ),
        ]
        for h, row in course.table.items()
    }
    return json.dumps({**course.__dict__, "table": table}, separators=(",", ":"))


def course_from_json(kept: str) -> Course:
    """The course behind what a store kept."""
    at = json.loads(kept)
    table = {
        float(h): Counts(*cells[:4], *(tuple(mild) for mild in cells[4:]))
        for h, cells in at["table"].items()
    }
    return Course(**{**at, "table": table})


def holds_across(e_values: Mapping[str, float], false_share: float = FALSE_SHARE) -> frozenset[str]:
    """The lessons whose claim "holds across all lessons" (e-BH): the expected share of false ones is bounded.

    Takes every lesson's current e-value on the side of the claim, not its maximum; they may depend on each other.
    A mark to show, not a condition.
    """
    ranked = sorted(e_values, key=lambda name: -e_values[name])
    count = 0
    for k, name in enumerate(ranked, 1):
        if e_values[name] * false_share * k >= len(ranked):
            count = k
    return frozenset(ranked[:count])


def balance(table: Table) -> Balance:
    """Are settled units missing from one arm? A bet against the arms' sizes, from settled units only."""
    wealth = 0.0
    for h, row in table.items():
        n1, n0 = row.injected, row.withheld
        wealth += (
            lgamma(1 + n1) + lgamma(1 + n0) - lgamma(2 + n1 + n0) - n1 * log(1 - h) - n0 * log(h)
        )
    e = finite(wealth)
    if e < OUT_OF_BALANCE:
        return Balance(e, False, "the two sides have the sizes the coin promised")
    return Balance(
        e,
        True,
        "the two sides are out of balance: outcomes are being lost or selected; figures below cannot be trusted",
    )


def balance_of(tables: Mapping[str, Table]) -> Balance:
    """The same for all lessons together and for each: one that loses its outcomes in one arm does not show in the sum of many.

    Each lesson's bar is raised by their number, so that a false alarm stays as rare.
    """
    whole = balance(add(tables.values()))
    worst = max(tables, key=lambda id: balance(tables[id]).e, default="")
    if whole.alarm or not worst or (e := balance(tables[worst]).e) < OUT_OF_BALANCE * len(tables):
        return whole
    told = f"the sides of {worst} are out of balance: its outcomes are being lost or selected; its figures cannot be trusted"
    return Balance(e, True, told)


def sentence(
    table: Table, standing: KeptVerdict, alpha: float = ALPHA, margin: float = EFFECT_MARGIN
) -> str:
    """What is known of a lesson, for people: counts before rates, never a rate without its sessions, one unit throughout: problems."""
    said = [sentence_of_counts(table, "problem")]
    difference = estimate(table)
    if difference is not None:
        span = interval(table, alpha)
        rows = ", compared rate by rate" if len(table) > 1 else ""
        low, high = _in_100(span.low), _in_100(span.high)
        said.append(
            f"Difference {_in_100(difference)} in 100 sessions (somewhere between {low} and {high}{rows})."
        )
    said += [
        each
        for each in (_took(table), _claim(table, standing, forecast(table, alpha), alpha, margin))
        if each
    ]
    return " ".join(said)


def _took(table: Table) -> str:
    """What a problem cost in either arm; nothing where it was never overcome, or struck in one arm only."""
    sums = sum(table.values(), Counts())
    if not (
        sums.injected_occurred
        and sums.withheld_occurred
        and (sums.injected_mild or sums.withheld_mild)
    ):
        return ""
    given, left = sums.lost
    took = (GRADES * given / sums.injected_occurred, GRADES * left / sums.withheld_occurred)
    return f"A problem took {took[0]:.1f} calls where given, {took[1]:.1f} where left out ({GRADES} at most are counted)."


def sentence_of_counts(table: Table, thing: str) -> str:
    """How often it was met in each arm, in how many sessions."""
    sums = sum(table.values(), Counts())
    given = f"Given: {_count(sums.injected_occurred, thing)} in {_count(sums.injected, 'session')}."
    return (
        f"{given} Left out to compare: {sums.withheld_occurred} in {sums.withheld}."
        if sums.withheld
        else f"{given} Never left out yet."
    )


def _claim(
    table: Table, standing: KeptVerdict, more: str | None, alpha: float, margin: float
) -> str:
    if standing.word == RARE_EFFECT:
        sums = sum(table.values(), Counts())
        struck, units = (
            sums.injected_occurred + sums.withheld_occurred,
            sums.injected + sums.withheld,
        )
        return f"Rare: {struck} in {units} sessions altogether, too few to compare; it goes on being given."
    if standing.word == NOT_YET_KNOWN:
        guess = more if more in (None, "more than 500") else f"{more} of"
        return f"Not yet known; likely {guess} sessions more." if guess else "Not yet known."
    words = standing.words.capitalize()
    if standing.word == NO_DIFFERENCE:
        words += f": neither half of what it costs, nor {round(100 * margin)} in 100 sessions, is spared or added"
    return f"{words}; error rate {100 * alpha:g} % per model and host, any number of looks."


def _count(n: int, thing: str) -> str:
    return f"{n} {thing}" if n == 1 else f"{n} {thing}s"


def _in_100(rate: float) -> str:
    n = round(100 * rate)
    return f"{'+' if n > 0 else '−' if n < 0 else ''}{abs(n)}"
