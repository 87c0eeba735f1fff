"""Whether lessons help: what the recorded coins say, valid however often one looks.

If a lesson does nothing, its problem strikes injected and withheld units like the coin that assigned them. Twelve small
bettors stake on that coin, given the outcome. Against a fair coin nobody gets rich, at any time (Ville's inequality), so
wealth is evidence: at 2/alpha on one side the lesson helps or harms. Nothing is assumed but that the coin was fair at the
recorded rate and that one unit's coin does not change another unit's outcome.

Half of each purse is bet on whether the problem occurred, half on its loss, between 0 and 1 (not overcome), in eighths.
All evidence is a small table of counts, a row for each recorded probability of being withheld; rows are never added: a
rate that changed along with the problem's looks like an effect. `docs/effect.md` gives the method on a page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import exp, lgamma, log, log1p
from operator import add
from typing import TYPE_CHECKING

from tacit.core.links import NEW_TABLE, NOBODY_KNOWS, UNMET, Mark, Use
from tacit.core.value import replace, value
from tacit.trial.coin import INJECTED, RARE, WITHHELD
from tacit.trial.outcome import NOT_OCCURRED, OCCURRED

if TYPE_CHECKING:
    Table = Mapping[float, "Counts"]  # probability of being withheld → counts

HELPS, HARMS, NOT_YET_KNOWN = "helps", "harms", "not yet known"
ALPHA = 0.05
GRADES = 8  # losses are counted in eighths: enough to tell one step from many
# A problem that strikes less often than this, in at least so many units, is rare.
RARE_BELOW, RARE_UNITS = 0.05, 20
# Where it strikes in fewer units than this, harm is called at a fifth of the error: a lesson against a rare problem
# shall not be ended by an unlucky draw.
SELDOM, SELDOM_BAR = 0.10, 5.0
# The bettors: guesses of the problem rate and the share of their wealth they stake, each with its part of the first unit
# of wealth. They decide how fast evidence grows, never whether it holds.
GUESSES = {0.07: 1, 0.20: 2, 0.45: 1}
STAKES = {0.15: 3, 0.40: 10, 0.65: 6, 0.90: 1}
SHARES = tuple(guess * stake for guess in GUESSES.values() for stake in STAKES.values())


@value
class Trial:
    """One settled use: what the coin said and what became of it."""

    unit: str
    family: str
    memory: str
    h: float  # the recorded probability of being withheld
    arm: str  # injected or withheld, as assigned; delivered, read or obeyed does not matter
    outcome: str  # occurred, not_occurred or unknown
    moment: str = ""  # when it was assigned: of one moment one subject at most is withheld
    at: str = ""  # when it was first settled: the order in which coins count
    loss: float = 1.0  # where it occurred: what it cost until overcome, 1 if it was given up
    came: bool = True  # to the lesson's moment; also where nobody can tell


@value
class Counts:
    """One row of a table: in how many units of each arm the problem cost 0 (it did not come), 1 … 8 eighths."""

    given: tuple[int, ...] = (0,) * (GRADES + 1)
    left_out: tuple[int, ...] = (0,) * (GRADES + 1)

    @property
    def injected(self) -> int:
        return sum(self.given)

    @property
    def withheld(self) -> int:
        return sum(self.left_out)

    @property
    def injected_occurred(self) -> int:
        return sum(self.given[1:])

    @property
    def withheld_occurred(self) -> int:
        return sum(self.left_out[1:])

    @property
    def losses(self) -> list[tuple[bool, float, int]]:
        """Whether injected, what it cost, and in how many units: every kind of coin of this row."""
        arms = ((True, self.given), (False, self.left_out))
        return [(arm, k / GRADES, n) for arm, units in arms for k, n in enumerate(units) if n]

    @property
    def lost(self) -> tuple[float, float]:
        """The sum of the losses of each arm, injected first."""
        sums = [sum(k * n for k, n in enumerate(each)) for each in (self.given, self.left_out)]
        return sums[0] / GRADES, sums[1] / GRADES

    @property
    def plain(self) -> Counts:
        """Every occurrence at its full loss."""
        none = (0,) * (GRADES - 1)
        a, b = self.injected_occurred, self.withheld_occurred
        return Counts((self.given[0], *none, a), (self.left_out[0], *none, b))

    def __add__(self, other: Counts) -> Counts:
        given = tuple(map(add, self.given, other.given))
        return Counts(given, tuple(map(add, self.left_out, other.left_out)))


# From rows to coins, from coins to a table


def trials_from(uses: Iterable[Use], marks: Iterable[Mark]) -> list[Trial]:
    """The settled, tossed uses of one memory or many, in the order they were settled; a unit's last outcome stands.

    A table belongs to a text: uses of a memory's former words stay out.
    """
    marks = list(marks)
    since = {mark.memory: mark.at for mark in marks if mark.signal == NEW_TABLE}
    settled, away = settled_by(marks), unmet_by(marks)
    found = [
        trial_of(use, *settled[key], came=away.get(key, 0.0) <= 0.0)
        for use in uses
        if (key := (use.memory, use.unit)) in settled
        and was_tossed(use.arm, use.probability)
        and use.at > since.get(use.memory, "")
    ]
    return sorted(found, key=lambda trial: (trial.at, trial.unit))


def settled_by(marks: Iterable[Mark]) -> dict[tuple[str, str], tuple[str, str, float]]:
    """Of each memory and unit the last outcome, when it was first settled, and the loss."""
    settled: dict[tuple[str, str], tuple[str, str, float]] = {}
    for mark in marks:
        if mark.signal == "outcome":
            key = mark.memory, mark.unit
            first = settled[key][1] if key in settled else mark.at
            settled[key] = (mark.value, first, mark.amount)
    return settled


def unmet_by(marks: Iterable[Mark], unknown: float = 0.0) -> dict[tuple[str, str], float]:
    """Of each memory and unit whether its moment did not come: more than 0; `unknown` where nobody can tell."""
    away: dict[tuple[str, str], float] = {}
    for mark in marks:
        if mark.signal == UNMET:
            key = mark.memory, mark.unit
            amount = unknown if mark.value == NOBODY_KNOWS else mark.amount
            away[key] = away.get(key, 0.0) + amount
    return away


def was_tossed(arm: str, h: float) -> bool:
    """Whether a coin decided; what is given to everybody is part of no table."""
    return arm in (INJECTED, WITHHELD) and 0.0 < h < 1.0


def trial_of(use: Use, outcome: str, at: str, loss: float = 1.0, came: bool = True) -> Trial:
    """A use and what became of it, settled at a time."""
    who = (use.unit, use.family, use.memory)
    return Trial(*who, use.probability, use.arm, outcome, use.at, at, loss, came)


def coins(trials: Iterable[Trial]) -> list[Trial]:
    """One trial per coin that told something, in the order in which the coins first appear.

    The uses of one unit and family shared one coin: they count once, in the arm recorded first, as occurred if the
    problem occurred in any, at the largest loss. Outcomes that nobody could know stay out.
    """
    first: dict[tuple[str, str], Trial] = {}
    family: dict[tuple[str, str], str] = {}  # within a unit that which it was first assigned with
    for trial in trials:
        if not was_tossed(trial.arm, trial.h):
            continue
        key = trial.unit, family.setdefault((trial.unit, trial.memory), trial.family)
        seen = first.setdefault(key, trial)
        if trial.outcome == OCCURRED:
            worst = max(seen.loss, trial.loss) if seen.outcome == OCCURRED else trial.loss
            first[key] = replace(seen, outcome=OCCURRED, loss=worst, came=True)
        elif seen.outcome != OCCURRED and trial.outcome == NOT_OCCURRED:
            first[key] = replace(seen, outcome=NOT_OCCURRED, came=seen.came or trial.came)
    return [trial for trial in first.values() if trial.outcome in (OCCURRED, NOT_OCCURRED)]


def tabulate(trials: Iterable[Trial]) -> dict[float, Counts]:
    """The table of some settled uses, of one lesson; rebuilt from them, never incremented."""
    rows: dict[float, tuple[list[int], list[int]]] = {}
    for coin in coins(trials):
        arms = rows.setdefault(coin.h, ([0] * (GRADES + 1), [0] * (GRADES + 1)))
        arms[coin.arm == WITHHELD][grade_of(coin)] += 1
    return {h: Counts(tuple(given), tuple(left_out)) for h, (given, left_out) in rows.items()}


def total(table: Table) -> Counts:
    """All rows in one, to be shown: a comparison goes row by row."""
    return sum(table.values(), Counts())


def graded(loss: float) -> int:
    """A loss in eighths; what occurred cost something."""
    return min(GRADES, max(1, round(loss * GRADES)))


def grade_of(coin: Trial) -> int:
    """What a coin's unit lost, in eighths; 0 where nothing occurred."""
    return graded(coin.loss) if coin.outcome == OCCURRED else 0


# The bets


@lru_cache(maxsize=4096)
def bets(
    h: float, difference: float, side: str, injected: bool, loss: float, expected: float = 0.0
) -> tuple[float, ...]:
    """For each bettor the log factor of his wealth after a coin of this kind; `expected` raises every guess of its loss.

    With mean loss guessed m, x = (Y - m)(A - p) / (p(1 - p)) has the true difference as its mean, whatever m. The harm
    side is the help side of -x.
    """
    sign = 1.0 if side == "help" else -1.0
    p, bound = 1.0 - h, sign * difference
    found: list[float] = []
    for guess in GUESSES:
        m = expected + (1.0 - expected) * guess
        top = max(sign * (1 - m) / p, -sign * m / p, -sign * (1 - m) / h, sign * m / h)
        if top <= bound:  # such a score cannot speak about this bound
            found += [0.0] * len(STAKES)
            continue
        score = sign * (loss - m) / p if injected else -sign * (loss - m) / h
        found += [log1p(s * (bound - score) / (top - bound)) for s in STAKES]
    return tuple(found)


def log_mean(wealth: Sequence[float], shares: Sequence[float]) -> float:
    """The log of what bettors hold together, from the log of each one's wealth and the shares they began with."""
    peak = max(wealth)
    held = sum(share * exp(each - peak) for share, each in zip(shares, wealth))
    return peak + log(held / sum(shares))


def log_e(table: Table, difference: float, side: str) -> float:
    """Log evidence that the true difference lies below (`help`) or above (`harm`) the given one, strictly between -1
    and 1; monotone in it."""
    wealth = [0.0] * len(SHARES)
    for h, row in table.items():
        for injected, loss, n in row.losses:
            for i, factor in enumerate(bets(h, difference, side, injected, loss)):
                wealth[i] += n * factor
    return log_mean(wealth, SHARES)


class Purse:
    """What the bettors hold against "no difference" on either side: half of it on occurrence, half on loss."""

    def __init__(self) -> None:
        halves = [(side, plain) for side in ("help", "harm") for plain in (True, False)]
        self._wealth = {half: [0.0] * len(SHARES) for half in halves}

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
        """Bet on so many coins of one kind; a loss of 0 did not occur. `undone` is what counts, on both halves, where
        the work was not done, `expected` how much of it is to be expected of a coin."""
        for (side, plain), mine in self._wealth.items():
            amount = undone or (1.0 if plain and loss else loss)
            for i, factor in enumerate(bets(h, 0.0, side, injected, amount, expected)):
                mine[i] += n * factor

    def log_e(self, side: str) -> float:
        """Log evidence that the lessons whose coins these are help, or harm."""
        return log_mean(self._wealth[side, True] + self._wealth[side, False], SHARES * 2)


def finite(log_wealth: float) -> float:
    """Evidence from its log; it stays a number, also in JSON."""
    return exp(min(log_wealth, 690.0))


# One lesson


@value
class Verdict:
    """What a table says now: helps, harms, rare (which claims nothing) or not yet known."""

    word: str
    e_help: float  # evidence against "neither occurrence nor loss is less where it is given"
    e_harm: float  # evidence against "neither is more"


def verdict(table: Table, alpha: float = ALPHA) -> Verdict:
    """What the table says now, with error at most alpha over all looks ever made at it."""
    purse = Purse()
    for h, row in table.items():
        for injected, loss, n in row.losses:
            purse.add(h, injected, loss, n)
    e_help, e_harm = (finite(purse.log_e(side)) for side in ("help", "harm"))
    bar = 2.0 / alpha
    if e_help >= bar and e_help >= e_harm:
        return Verdict(HELPS, e_help, e_harm)
    if e_harm >= bar * (SELDOM_BAR if is_seldom(table) else 1.0):
        return Verdict(HARMS, e_help, e_harm)
    return Verdict(RARE if is_rare(table) else NOT_YET_KNOWN, e_help, e_harm)


def stands(kept: str, now: str) -> str:
    """A lesson's verdict over time: helps and harms stay once they were said, until the other side is."""
    return kept if kept in (HELPS, HARMS) and now not in (HELPS, HARMS) else now


def is_seldom(table: Table) -> bool:
    """Whether the problem strikes in so few units that an unlucky draw could end the lesson."""
    units, struck = _struck(total(table))
    return struck < SELDOM * units


def is_rare(table: Table) -> bool:
    """Whether the problem strikes too rarely for a difference to show, where it is left out and altogether."""
    sums = total(table)
    units, struck = _struck(sums)
    if units < RARE_UNITS or struck >= RARE_BELOW * units:
        return False
    return sums.withheld_occurred <= RARE_BELOW * sums.withheld


def _struck(sums: Counts) -> tuple[int, int]:
    return sums.injected + sums.withheld, sums.injected_occurred + sums.withheld_occurred


def interval(table: Table, alpha: float = ALPHA) -> tuple[float, float]:
    """All differences of how often the problem occurs that the half of the purse on occurrence does not reject.

    Where it excludes 0, the table helps or harms; a verdict may come sooner, by what problems cost. Where its low end
    lies above its high one no single difference fits: the effect changed over time.
    """
    plain = {h: row.plain for h, row in table.items()}
    bar = log((2.0 if plain == table else 4.0) / alpha)
    return -_furthest(plain, bar, "harm", -1.0), _furthest(plain, bar, "help", 1.0)


def _furthest(table: Table, bar: float, side: str, sign: float) -> float:
    """The largest difference, times sign, that is not rejected; the ends ±1 never are."""
    kept, rejected = -1.0, 1.0
    if log_e(table, sign * _ALMOST_ONE, side) < bar:
        return 1.0
    for _ in range(22):  # to 5e-7
        middle = (kept + rejected) / 2
        if log_e(table, sign * middle, side) < bar:
            kept = middle
        else:
            rejected = middle
    return kept


_ALMOST_ONE = 1.0 - 1e-9


def estimate(table: Table) -> float | None:
    """How much more often the problem occurs, injected minus withheld, within rows; None until one has both arms."""
    found = weights = 0.0
    for row in table.values():
        if row.injected and row.withheld:
            weight = row.injected * row.withheld / (row.injected + row.withheld)
            found += weight * (
                row.injected_occurred / row.injected - row.withheld_occurred / row.withheld
            )
            weights += weight
    return found / weights if weights else None


def one_by_one(thrown: Iterable[Trial]) -> list[Trial]:
    """The coins of each moment as if they had been thrown one after the other.

    Of a moment one subject at most is withheld, so its coins hang on each other. Given those before it, each is fair
    again: at h / (1 - the sum of theirs) while all before it were injected; after one that was withheld it was certain.
    """
    # of a moment: how probable it was that one before was withheld; 1: it was
    used: dict[tuple[str, str], float] = {}
    found = []
    for coin in thrown:
        moment = (coin.unit, coin.moment)
        before = used.get(moment, 0.0)
        if before + coin.h < 1.0:
            found.append(replace(coin, h=round(coin.h / (1.0 - before), 9)))
        used[moment] = 1.0 if coin.arm == WITHHELD else before + coin.h
    return found


OUT_OF_BALANCE = 20.0  # wealth against the arms' sizes; a false alarm in at most one store in 20


def is_out_of_balance(trials: Iterable[Trial]) -> bool:
    """Whether settled units are missing from one arm, by a bet against the sizes that the coins promised: then outcomes
    are being lost or selected."""
    wealth = 0.0
    for h, row in tabulate(one_by_one(coins(trials))).items():
        n1, n0 = row.injected, row.withheld
        sizes = lgamma(1 + n1) + lgamma(1 + n0) - lgamma(2 + n1 + n0)
        wealth += sizes - n1 * log(1 - h) - n0 * log(h)
    return finite(wealth) >= OUT_OF_BALANCE
