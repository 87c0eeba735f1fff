"""A vectorised twin of `tacit.trial.effect`: thousands of lessons at once, one look per run.

The long loops of `bench/effect.py` run on this; the same run first shows that it agrees with the real module.

Lessons are rows, runs are columns. `cells` holds 0..3 for (injected, occurred), (injected, not), (withheld, occurred),
(withheld, not); `rates` is the holdout rate of each run, either one number or an array of the same shape.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacit.trial.belief import ATOMS, EM_STEPS, PRIOR, PSEUDO_LESSONS
from tacit.trial.effect import BASE_STAKES, GUESSES, SHARES

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

NEVER = 1 << 30  # later than any run

_BASE, _INJECTED, _RATIO = (np.array(column) for column in zip(*ATOMS))
_LOGS = np.log(np.stack([_INJECTED, 1 - _INJECTED, _BASE, 1 - _BASE]))  # cell × atom


def factors(h: float, difference: float, side: str) -> Floats:
    """What one run does to the wealth of each bettor: cell × bettor."""
    p, out = 1 - h, np.ones((4, len(GUESSES) * len(BASE_STAKES)))
    for i, m in enumerate(GUESSES):
        x = np.array([(1 - m) / p, -m / p, -(1 - m) / h, m / h])
        below, above = (
            (difference - x) / (x.max() - difference),
            (x - difference) / (difference - x.min()),
        )
        edge = below if side == "help" else above
        out[:, i * len(BASE_STAKES) : (i + 1) * len(BASE_STAKES)] = 1 + edge[:, None] * np.array(
            [*BASE_STAKES]
        )
    return out


def crossings(
    cells: Ints,
    rates: Floats | float,
    bets: list[tuple[float, str]],
    bar: float,
    lengths: Ints | None = None,
) -> tuple[Ints, Floats]:
    """For each bet (difference, side) and lesson: the first look at which its e-value reaches the bar, and its last."""
    lessons, runs = cells.shape
    used = np.unique(rates)
    row = np.searchsorted(used, np.broadcast_to(np.asarray(rates), cells.shape))
    lookup = np.stack(
        [np.concatenate([factors(h, d, side) for d, side in bets], axis=1) for h in used]
    )
    wealth = np.ones((lessons, lookup.shape[2]))
    first = np.full((len(bets), lessons), NEVER)
    last = np.ones((len(bets), lessons))
    for t in range(runs):
        wealth *= lookup[row[:, t], cells[:, t]]
        e = (wealth.reshape(lessons, len(bets), -1) @ (np.array(SHARES) / sum(SHARES))).T
        alive = np.ones(lessons, bool) if lengths is None else lengths > t
        last[:, alive] = e[:, alive]
        first = np.where((e >= bar) & alive & (first == NEVER), t + 1, first)
    return first, last


def counts(cells: Ints, lengths: Ints | None = None) -> Ints:
    """The four counts of each lesson after its last run: lesson × cell."""
    inside = True if lengths is None else np.arange(cells.shape[1]) < lengths[:, None]
    return np.stack([((cells == k) & inside).sum(axis=1) for k in range(4)], axis=1)


def posteriors(tables: Ints, weights: Floats | None = None) -> Floats:
    """Lesson × atom: the share of each atom in the posterior."""
    logs = tables @ _LOGS
    joint = np.exp(logs - logs.max(axis=1, keepdims=True)) * (
        np.array(PRIOR) if weights is None else weights
    )
    out: Floats = joint / joint.sum(axis=1, keepdims=True)
    return out


def weights_of(tables: Ints) -> Floats:
    """The weights of one kind, by expectation-maximisation."""
    weights, prior = np.array(PRIOR), PSEUDO_LESSONS * np.array(PRIOR)
    for _ in range(EM_STEPS):
        weights = (prior + posteriors(tables, weights).sum(axis=0)) / (PSEUDO_LESSONS + len(tables))
    return weights


def beliefs(tables: Ints, weights: Floats | None = None) -> Floats:
    """Lesson × (help, none, harm, expected difference)."""
    shares = posteriors(tables, weights)
    columns = [shares[:, where].sum(axis=1) for where in (_RATIO < 1, _RATIO == 1, _RATIO > 1)]
    return np.stack([*columns, shares @ (_INJECTED - _BASE)], axis=1)
