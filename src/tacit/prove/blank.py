"""Blank units beside the others: how often they succeed, what they cost, how long they are.

The only clean answer for success and cost, and for lessons that disturb each other; a blunt one. Success has a verdict, by
the method of one lesson on a table of units; cost and length are medians side by side, without one.
"""

from __future__ import annotations

from tacit.core.value import value
from tacit.trial import effect as stats
from tacit.trial.run_outcomes import UnitFacts as UnitFacts
from tacit.trial.run_outcomes import median
from tacit.trial.table import Counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tacit.trial.effect import Interval, Verdict

SUCCESS, FAILURE = "success", "failure"


@value
class Side:
    """One of the two groups."""

    units: int
    succeeded: int
    failed: int
    tokens: float | None  # medians, over the units that told
    steps: float | None


@value
class BlankEffect:
    """Units that got no lesson on trial, beside those that did."""

    given: Side
    blank: Side
    share: float  # of units that are left blank, by the profile
    failures: Interval  # failures in a given unit minus in a blank one: negative is good
    verdict: Verdict


def compared(units: Iterable[UnitFacts], share: float, alpha: float, margin: float) -> BlankEffect | None:
    """The two groups side by side; None where no unit was ever left blank."""
    units = list(units)
    given, blank = [each for each in units if not each.blank], [each for each in units if each.blank]
    if not blank:
        return None
    one, other = _side(given), _side(blank)
    table = {share: Counts(one.failed, one.succeeded, other.failed, other.succeeded)} if 0.0 < share < 1.0 else {}
    return BlankEffect(one, other, share, stats.interval(table, alpha), stats.verdict(table, alpha, margin))


def _side(units: list[UnitFacts]) -> Side:
    return Side(
        units=len(units),
        succeeded=sum(each.outcome == SUCCESS for each in units),
        failed=sum(each.outcome == FAILURE for each in units),
        tokens=_median([each.tokens for each in units if each.tokens is not None]),
        steps=_median([float(each.steps) for each in units if each.steps]),
    )


def _median(figures: list[float]) -> float | None:
    return median(figures) if figures else None
