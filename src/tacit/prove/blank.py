"""Blank units beside the others: how often they succeed, what they cost, how long they are.

The only clean answer for success and cost, and for lessons that disturb each other; a blunt one. Success has a verdict, by
the method of one lesson on a table of units; cost and length (medians), failed commands and corrections (means) stand side by side, without
one.
"""

from __future__ import annotations

from collections.abc import Mapping

from tacit.core.value import value
from tacit.trial import effect as stats
from tacit.trial.effect import Interval, Verdict
from tacit.trial.run_outcomes import UnitFacts as UnitFacts
from tacit.trial.run_outcomes import median
from tacit.trial.table import Counts

SUCCESS, FAILURE = "success", "failure"


@value
class Side:
    """One of the two groups."""

    units: int
    succeeded: int
    failed: int
    tokens: float | None  # medians, over the units that told
    steps: float | None
    failures: float | None = None  # commands that failed, and corrections of a person: means a unit
    corrections: float | None = None


@value
class BlankEffect:
    """Units that got no lesson on trial, beside those that did."""

    given: Side
    blank: Side
    share: float  # of units that are left blank, by the profile
    failures: Interval  # failures in a given unit minus in a blank one: negative is good
    verdict: Verdict


def compared(
    units: Mapping[str, UnitFacts],
    share: float,
    alpha: float,
    margin: float,
    met: Mapping[str, tuple[int, int]],
) -> BlankEffect | None:
    """The two groups side by side; None where no unit was ever left blank. `met` says how many commands failed in a unit and how
    often a person corrected."""
    if not any(each.blank for each in units.values()):
        return None
    one, other = (
        _side({id: each for id, each in units.items() if each.blank == blank}, met)
        for blank in (False, True)
    )
    table = (
        {share: Counts(one.failed, one.succeeded, other.failed, other.succeeded)}
        if 0.0 < share < 1.0
        else {}
    )
    return BlankEffect(
        one, other, share, stats.interval(table, alpha), stats.verdict(table, alpha, margin)
    )


def _side(named: Mapping[str, UnitFacts], met: Mapping[str, tuple[int, int]]) -> Side:
    units = list(named.values())
    failures, corrections = (
        sum(met.get(id, (0, 0))[k] for id in named) / len(named) if named else None for k in (0, 1)
    )
    return Side(
        failures=failures,
        corrections=corrections,
        units=len(units),
        succeeded=sum(each.outcome == SUCCESS for each in units),
        failed=sum(each.outcome == FAILURE for each in units),
        tokens=_median([each.tokens for each in units if each.tokens is not None]),
        steps=_median([float(each.steps) for each in units if each.steps]),
    )


def _median(figures: list[float]) -> float | None:
    return median(figures) if figures else None
