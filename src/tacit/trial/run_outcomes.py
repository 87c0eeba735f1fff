"""What a lesson does to its runs beside its own problem: do more of them fail, are they longer, do they cost more?

A lesson may spare its problem by sparing the work. The coins that tell about its problem tell about this too, so each lesson has
a second table: units that failed, of all epochs together, since a lesson that ruins runs is to be found soon. Only its harm side
is a claim, at an error of its own (half of alpha, the bar of one side), and it goes before everything else that is known of the lesson.
Steps and tokens are compared by medians and, for a claim, as x / (x + a typical run's): bounded, so that the same bets
hold, and fixed in advance, so that no run chooses its own measure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import TYPE_CHECKING, Any

from tacit.core.links import UNKNOWN, Use
from tacit.core.value import replace, value
from tacit.trial.effect import HARMS, Course, course_of, log_e, sentence_of_counts
from tacit.trial.outcome import NOT_OCCURRED, OCCURRED
from tacit.trial.prices import dollars
from tacit.trial.table import Trial, tabulate, trial_of

if TYPE_CHECKING:
    from tacit.trial.table import Table

# among a run's facts: success or failure, as its last tests, its commit or its person's last words tell
ENDED = "ended"
RUN_FAILED = "run failed"  # where its course is kept, beside those of the epochs, whose names hold a slash
TYPICAL = {"steps": 60.0, "tokens": 200_000.0}
_FAILED = {"failure": OCCURRED, "success": NOT_OCCURRED}


@value
class UnitFacts:
    """One unit of work with all its runs."""

    blank: bool
    outcome: str  # success, failure, or a word that says neither
    tokens: float | None
    steps: int
    at: str = ""  # when its first run was settled
    usd: float | None = None
    calls: int = 0  # of tools; steps are all lines of the record
    cached: float = 0.0  # tokens read from a host's cache or written to it: billed at prices of their own


@value
class Beside:
    """What the coins of one lesson say of its runs as a whole."""

    failed: Table  # occurred: the unit failed
    harms: bool  # more of the runs that got it fail
    medians: Mapping[str, tuple[float, float]]  # steps and tokens: injected, withheld
    more: tuple[str, ...] = ()  # of these, which are known to be more with the lesson
    sentence: str = ""


def failed_trial(use: Use, outcome: str, at: str) -> Trial:
    """One use, and whether its unit failed."""
    return trial_of(use, _FAILED.get(outcome, UNKNOWN), at)


def settled_uses(uses: Iterable[Use], units: Mapping[str, UnitFacts], since: str) -> list[Trial]:
    """The settled uses of one lesson's present words, in the order in which their units were settled."""
    found = [
        failed_trial(use, units[use.unit].outcome, units[use.unit].at)
        for use in uses
        if use.unit in units and use.at > since
    ]
    return sorted(found, key=lambda trial: (trial.at, trial.unit))


def course_of_failures(
    uses: Iterable[Use], units: Mapping[str, UnitFacts], since: str, alpha: float, margin: float
) -> Course:
    """How far a lesson has come in what it does to its runs, from its whole past."""
    return course_of(settled_uses(uses, units, since), alpha, margin)


def beside(
    uses: Sequence[Use], units: Mapping[str, UnitFacts], since: str, alpha: float, margin: float
) -> Beside | None:
    """What is known of a lesson's runs as a whole; None where both arms have none that told."""
    course = course_of_failures(uses, units, since, alpha, margin)
    medians: dict[str, tuple[float, float]] = {}
    more: list[str] = []
    mine = [use for use in uses if use.unit in units and use.at > since]
    for name, typical in TYPICAL.items():
        told = [(use, float(amount)) for use in mine if (amount := getattr(units[use.unit], name))]
        arms = [
            [amount for use, amount in told if use.arm == arm and not use.blank] for arm in ("injected", "withheld")
        ]
        if not all(arms):
            continue
        medians[name] = (median(arms[0]), median(arms[1]))
        longer = [replace(trial_of(use, OCCURRED, ""), loss=amount / (amount + typical)) for use, amount in told]
        if log_e(tabulate(longer), 0.0, "harm") >= log_bar(alpha):
            more.append(name)
    if not medians and not course.table:
        return None
    harms = course.word == HARMS
    said = sentence_of_counts(course.table, "failed session") if course.table else ""
    said += " Sessions that get it fail more often." if harms else ""
    for name in medians:
        given, withheld = medians[name]
        said += (
            f" Median {name}: {given:,.0f} with it, {withheld:,.0f} without{' (more with it)' if name in more else ''}."
        )
    return Beside(course.table, harms, medians, tuple(more), said.strip())


def log_bar(alpha: float) -> float:
    """What one side's evidence must reach: half of alpha."""
    return log(2.0 / alpha)


def median(figures: Iterable[float]) -> float:
    """The middle one, or the mean of the two in the middle."""
    ranked = sorted(figures)
    middle = len(ranked) // 2
    return ranked[middle] if len(ranked) % 2 else (ranked[middle - 1] + ranked[middle]) / 2


def unit_of(parts: Sequence[tuple[str, str, Mapping[str, Any]]], blank: bool = False) -> UnitFacts:
    """A unit from its settled runs in order (outcome, when settled, facts): its last word on success stands, the rest adds up. Where the
    host says none, how it ended is taken from the run itself (`ended`)."""
    said = [facts.get(ENDED, outcome) if outcome not in _FAILED else outcome for outcome, _, facts in parts]
    told = [outcome for outcome in said if outcome in _FAILED]
    costs = [cost for _, _, facts in parts if (cost := facts.get("cost"))]
    tokens = sum(cost.get(name) or 0 for cost in costs for name in ("input", "output")) if costs else None
    usd = (
        sum(dollars(facts.get("model", ""), facts["cost"]) or 0.0 for _, _, facts in parts if facts.get("cost")) or None
    )
    return UnitFacts(
        blank,
        told[-1] if told else UNKNOWN,
        tokens,
        sum(facts.get("steps", 0) for _, _, facts in parts),
        parts[0][1],
        usd,
        sum(facts.get("calls", 0) for _, _, facts in parts),
        sum(cost.get(name) or 0 for cost in costs for name in ("cache_read", "cache_write")),
    )
