"""Settled uses as counts: in how many units of each arm a lesson's problem occurred, and at which loss, per holdout rate.

A table is folded from the uses each time anew. A lesson, a kind and an epoch are the same table, summed row by row, never across rates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from tacit.core.links import NEW_TABLE, UNMET, Mark, Use
from tacit.core.value import grouped, replace, value
from tacit.trial.coin import INJECTED, WITHHELD
from tacit.trial.outcome import NOT_OCCURRED, OCCURRED

if TYPE_CHECKING:
    Table = Mapping[float, "Counts"]  # holdout rate → counts

GRADES = 8  # losses are counted in eighths: enough to tell one step from many, few enough to keep a table small


@value
class Trial:
    """One settled use: what the coin said and what became of it."""

    unit: str
    family: str
    memory: str
    h: float  # the recorded holdout rate
    arm: str  # injected or withheld, as assigned; delivered, read or obeyed does not matter
    outcome: str  # occurred, not_occurred or unknown
    blank: bool = False  # the unit got no lesson on trial at all: all its coins fell together
    epoch: str = ""
    at: str = ""  # when it was first settled: the order in which coins count
    loss: float = 1.0  # where it occurred: what it cost until overcome, 1 if it was given up
    came: bool = (
        True  # the lesson's moment: a command or file that it names; where nobody can tell, too
    )


@value
class Counts:
    """One row of a table: in how many units of each arm the problem occurred, and in how many not.

    An occurrence costs 1 unless it is counted among the milder ones: `injected_mild[k - 1]` is how many cost k eighths.
    """

    injected_occurred: int = 0
    injected_not: int = 0
    withheld_occurred: int = 0
    withheld_not: int = 0
    injected_mild: tuple[int, ...] = ()
    withheld_mild: tuple[int, ...] = ()

    @property
    def cells(self) -> tuple[int, int, int, int]:
        """The four counts, a b c d in the formulas."""
        return self.injected_occurred, self.injected_not, self.withheld_occurred, self.withheld_not

    @property
    def injected(self) -> int:
        return self.injected_occurred + self.injected_not

    @property
    def withheld(self) -> int:
        return self.withheld_occurred + self.withheld_not

    @property
    def losses(self) -> tuple[tuple[bool, float, int], ...]:
        """Whether injected, what it cost, and in how many units: every kind of coin of this row."""
        found = [(True, 0.0, self.injected_not), (False, 0.0, self.withheld_not)]
        arms = (
            (True, self.injected_occurred, self.injected_mild),
            (False, self.withheld_occurred, self.withheld_mild),
        )
        for injected, occurred, mild in arms:
            found += [(injected, k / GRADES, n) for k, n in enumerate(mild, 1) if n]
            found.append((injected, 1.0, occurred - sum(mild)))
        return tuple(found)

    @property
    def lost(self) -> tuple[float, float]:
        """The sum of the losses of each arm, injected first."""
        return (
            sum(loss * n for injected, loss, n in self.losses if injected),
            sum(loss * n for injected, loss, n in self.losses if not injected),
        )

    def __add__(self, other: Counts) -> Counts:
        mild = (
            _summed(self.injected_mild, other.injected_mild),
            _summed(self.withheld_mild, other.withheld_mild),
        )
        a, b, c, d = (mine + its for mine, its in zip(self.cells, other.cells))
        return Counts(a, b, c, d, *mild)


def _summed(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    if not one or not other:
        return one or other
    return tuple(mine + its for mine, its in zip(one, other))


def tabulate(trials: Iterable[Trial]) -> dict[float, Counts]:
    """The table of some settled uses, of one lesson or of many; rebuilt from them, never incremented."""
    table: dict[float, Counts] = {}
    for coin in coins(trials):
        table[coin.h] = table.get(coin.h, Counts()) + row_of(coin)
    return table


def coins(trials: Iterable[Trial]) -> list[Trial]:
    """One trial per coin that was tossed and told something, in the order in which the coins first appear.

    The uses of one unit and family (retries, sub-agents, near-duplicates) shared one coin: they count once, in the arm
    recorded first, as occurred if the problem occurred in any, at the largest loss. Blank units, outcomes that nobody could know, and uses
    without a toss stay out.
    """
    first: dict[tuple[str, str], Trial] = {}
    family: dict[
        tuple[str, str], str
    ] = {}  # a memory keeps, within a unit, the family it was first assigned with
    for trial in trials:
        if trial.blank or not tossed(trial):
            continue
        key = trial.unit, family.setdefault((trial.unit, trial.memory), trial.family)
        seen = first.setdefault(key, trial)
        if trial.outcome == OCCURRED:
            worst = max(seen.loss, trial.loss) if seen.outcome == OCCURRED else trial.loss
            first[key] = replace(seen, outcome=OCCURRED, loss=worst, came=True)
        elif seen.outcome != OCCURRED and trial.outcome == NOT_OCCURRED:
            first[key] = replace(seen, outcome=NOT_OCCURRED, came=seen.came or trial.came)
    return [trial for trial in first.values() if trial.outcome in (OCCURRED, NOT_OCCURRED)]


def add(tables: Iterable[Table]) -> dict[float, Counts]:
    """The sum of tables, row by row.

    Counts are never added across rates: a holdout rate that changed along with the problem rate looks like an effect.
    """
    total: dict[float, Counts] = {}
    for table in tables:
        for h, row in table.items():
            total[h] = total.get(h, Counts()) + row
    return total


def tossed(trial: Trial) -> bool:
    """Whether a coin decided, at a rate that leaves both sides a chance."""
    return 0.0 < trial.h < 1.0 and trial.arm in (INJECTED, WITHHELD)


def graded(loss: float) -> int:
    """A loss in eighths; what occurred cost something."""
    return min(GRADES, max(1, round(loss * GRADES)))


def row_of(coin: Trial) -> Counts:
    """One coin as a row."""
    injected, occurred = coin.arm == INJECTED, coin.outcome == OCCURRED
    a, b, c, d = (int(each == (injected, occurred)) for each in _CELLS)
    grade = graded(coin.loss)
    mild = (
        () if not occurred or grade == GRADES else tuple(int(k == grade) for k in range(1, GRADES))
    )
    return Counts(a, b, c, d, mild if injected else (), () if injected else mild)


_CELLS = ((True, True), (True, False), (False, True), (False, False))


def by_epoch(trials: Iterable[Trial]) -> dict[str, list[Trial]]:
    """The trials of each epoch, in the order of appearance; a unit belongs where it began."""
    home: dict[str, str] = {}
    parts = grouped(trials, lambda trial: home.setdefault(trial.unit, trial.epoch))
    return parts


def trials_from(uses: Iterable[Use], marks: Iterable[Mark], *, former: bool = False) -> list[Trial]:
    """The settled, tossed uses of one memory or many, in the order they were settled; the last outcome of a unit stands.

    A table belongs to a text: uses of a memory's former words come only when asked for, and then alone.
    """
    marks = list(marks)
    since = {mark.memory: mark.at for mark in marks if mark.signal == NEW_TABLE}
    settled: dict[tuple[str, str], tuple[str, str, float]] = {}
    unmet: dict[tuple[str, str], float] = {}
    for mark in marks:
        key = (mark.memory, mark.unit)
        if mark.signal == "outcome":
            settled[key] = (mark.value, settled[key][1] if key in settled else mark.at, mark.amount)
        elif mark.signal == UNMET:
            unmet[key] = unmet.get(key, 0.0) + mark.amount
    found = [
        trial_of(use, *settled[use.memory, use.unit], unmet.get((use.memory, use.unit), 0.0) <= 0.0)
        for use in uses
        if (use.memory, use.unit) in settled
        and use.arm in (INJECTED, WITHHELD)
        and 0 < use.probability < 1
        and (use.at <= since.get(use.memory, "")) == former
    ]
    return sorted(found, key=lambda trial: (trial.at, trial.unit))


def trial_of(use: Use, outcome: str, at: str, loss: float = 1.0, came: bool = True) -> Trial:
    """A use and what became of it, settled at a time."""
    return Trial(
        use.unit,
        use.family,
        use.memory,
        use.probability,
        use.arm,
        outcome,
        use.blank,
        use.epoch,
        at,
        loss,
        came,
    )
