"""What to expect of a lesson where evidence is thin: a guess that leans on the other lessons of its kind.

It orders lessons and moves them on the ladder, up and back down; it is never a claim.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import exp, log
from typing import TYPE_CHECKING

from tacit.core.links import Mark, Use
from tacit.core.value import value
from tacit.trial.coin import INJECTED, WITHHELD
from tacit.trial.table import Counts, by_epoch, tabulate, trials_from

if TYPE_CHECKING:
    from tacit.trial.table import Table

# Belief: problem rate when withheld, ratio when injected, and how common each ratio is before any lesson was measured.
BASES = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.8, 0.9, 0.95)
RATIOS = {0.1: 0.10, 0.35: 0.15, 0.65: 0.20, 1.0: 0.40, 1.5: 0.10, 2.5: 0.05}
# A problem that strikes nearly every time can hardly strike more often: what would be harm counts as none there. Without such rates a
# useless lesson whose problem always strikes was believed to harm.
CEILING = 0.8
ATOMS = tuple(
    (base, base, 1.0) if ratio > 1 and base >= CEILING else (base, min(0.95, ratio * base), ratio)
    for base in BASES
    for ratio in RATIOS
)
PRIOR = tuple(weight / len(BASES) for _ in BASES for weight in RATIOS.values())
PSEUDO_LESSONS = 20  # how many measured lessons the prior counts for
EM_STEPS = 20


@value
class Belief:
    """A guess, with the help of the kind: for ordering and slots, never a claim."""

    help: float
    none: float
    harm: float
    expected: float  # expected difference of the problem rate; negative is good


def weights_of(tables: Iterable[Table]) -> tuple[float, ...]:
    """How common each atom is among the lessons of one kind, learned by expectation-maximisation from the prior."""
    likelihoods = [_likelihood(table) for table in tables]
    total = PSEUDO_LESSONS + len(likelihoods)
    weights: Sequence[float] = PRIOR
    for _ in range(EM_STEPS if likelihoods else 0):
        sums = [PSEUDO_LESSONS * prior for prior in PRIOR]
        for likelihood in likelihoods:
            for i, share in enumerate(_posterior(likelihood, weights)):
                sums[i] += share
        weights = [s / total for s in sums]
    return tuple(weights)


def believe(table: Table, weights: Sequence[float] = PRIOR) -> Belief:
    """What to expect of one lesson, given the weights of its kind. Rows are added: this is a model, not a claim."""
    shares = _posterior(_likelihood(table), weights)
    known = list(zip(shares, ATOMS))
    return Belief(
        help=sum(share for share, (_, _, ratio) in known if ratio < 1),
        none=sum(share for share, (_, _, ratio) in known if ratio == 1),
        harm=sum(share for share, (_, _, ratio) in known if ratio > 1),
        expected=sum(share * (injected - withheld) for share, (withheld, injected, _) in known),
    )


def belief_from(uses: Sequence[Use], marks: Sequence[Mark]) -> Belief:
    """What to expect of one lesson in the epoch of the use that was settled last, by its own rows alone."""
    epochs = {use.unit: use.epoch for use in uses if use.arm in (INJECTED, WITHHELD)}
    last = next(
        (
            epochs[mark.unit]
            for mark in reversed(marks)
            if mark.signal == "outcome" and mark.unit in epochs
        ),
        "",
    )
    return believe(tabulate(by_epoch(trials_from(uses, marks)).get(last, [])))


def _likelihood(table: Table) -> list[float]:
    """The likelihood of both arms at each atom, scaled so that the largest is 1; a loss counts as that share of a problem."""
    sums = sum(table.values(), Counts())
    a, c = sums.lost
    b, d = sums.injected - a, sums.withheld - c
    logs = [
        a * log(injected) + b * log(1 - injected) + c * log(withheld) + d * log(1 - withheld)
        for withheld, injected, _ in ATOMS
    ]
    peak = max(logs)
    return [exp(each - peak) for each in logs]


def _posterior(likelihood: Sequence[float], weights: Sequence[float]) -> list[float]:
    joint = [each * weight for each, weight in zip(likelihood, weights)]
    total = sum(joint)
    return [each / total for each in joint]


def holdout_cost(lessons: Iterable[tuple[Table, Belief]]) -> float:
    """What withholding has cost so far, in problems, as far as belief can tell."""
    return sum(
        sum(row.withheld for row in table.values()) * max(0.0, -belief.expected)
        for table, belief in lessons
    )
