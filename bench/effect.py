"""Does the method of trials keep its promises? Seeded simulation of lessons whose truth is known.

    python bench/effect.py [--quick] [--seed N] [--out FILE]

Prints one line per promise: the figure, its bound, PASS or FAIL. Beside each promise stands the shortcut it replaces (a
z test at each look, runs selected by topic, runs counted instead of units, "no repeat = helpful"), which must be seen
to fail: a simulation in which everything passes would show nothing. Exits 1 on any FAIL. A full run writes a dated
result to bench/results/; --quick is a tenth of the lessons, for the same bounds, and writes only where --out says.
"""

from __future__ import annotations

import argparse
import math
import platform
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from itertools import chain, repeat
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

import numpy as np  # noqa: E402

import effect_power as ahead  # noqa: E402
import effect_twin as twin  # noqa: E402
from effect_twin import NEVER, Bools, Floats, Ints  # noqa: E402
from tacit.trial import coin as trial  # noqa: E402
from tacit.trial import effect, outcome  # noqa: E402
from tacit.trial.belief import Belief, believe, weights_of  # noqa: E402
from tacit.trial.overall import whole_memory  # noqa: E402
from tacit.trial.table import Counts, Trial, tabulate  # noqa: E402

RUNS = 500  # looks per lesson
BAR = 2 / effect.ALPHA
ZERO = [(0.0, "help"), (0.0, "harm")]
HELP, HARM = 0, 1  # rows of ZERO

BASES = (0.05, 0.1, 0.3, 0.5)
RATES = (0.1, 0.3, 0.5)
EFFECTS = (
    (0.5, 0.2),
    (0.3, 0.1),
    (0.2, 0.05),
    (0.2, 0.4),
    (0.5, 0.05),
)  # problem rate withheld → injected

STORY = 4  # times as many lessons: one of its figures lies close to its bound

# Shares of lessons that help much (ratio .1-.4), help a little (.5-.8), do nothing, and harm (1.5-2.5). Problem rates
# when withheld are Beta(1.4, 4.7), mean .23. None of these ratios is an atom of the belief's model except 1.
MIXED = (0.20, 0.25, 0.40, 0.15)
SCEPTICAL = (0.10, 0.15, 0.60, 0.15)


class Line(NamedTuple):
    """One line of the result; `passed` is None where a figure is only shown."""

    item: str
    what: str
    figure: str
    bound: str
    passed: bool | None


class Bench:
    """The random source and the number of lessons per cell."""

    def __init__(self, seed: int, lessons: int) -> None:
        self.random = np.random.default_rng(seed)
        self.lessons = lessons

    def coins(self, shape: tuple[int, int], h: Floats | float) -> Bools:
        """Which runs are injected."""
        return np.greater_equal(self.random.random(shape), h)

    def occurs(self, rates: Floats) -> Bools:
        """In which runs the problem occurs."""
        return np.less(self.random.random(rates.shape), rates)

    def runs(
        self, withheld: float, injected: float, h: float, runs: int = RUNS, lessons: int = 0
    ) -> Ints:
        """Lessons × runs, all with the same true rates."""
        arms = self.coins((lessons or self.lessons, runs), h)
        return cells(arms, self.occurs(np.where(arms, injected, withheld)))


def cells(injected: Bools, occurred: Bools) -> Ints:
    """0..3 as in `effect_twin`."""
    return np.where(injected, 0, 2) + np.where(occurred, 0, 1)


def ever(cells: Ints, rates: Floats | float, lengths: Ints | None = None) -> float:
    """Share of lessons that are ever called helpful or harmful."""
    first, _ = twin.crossings(cells, rates, ZERO, BAR, lengths)
    return float((first.min(axis=0) < NEVER).mean())


# 0. The twin is the real thing


def agreement(bench: Bench) -> list[Line]:
    """Twin and core on the same lessons: e-values, crossings, intervals, belief, lean rates."""
    arms = bench.coins((60, 200), h := np.repeat([[0.1], [0.3], [0.5]], 20, axis=0))
    drawn = cells(arms, bench.occurs(np.where(arms, 0.25, 0.5)))
    rates = np.broadcast_to(h, drawn.shape).copy()
    rates[:, 100:] = 0.05  # two rows per lesson; the coins do not matter here
    bets = [*ZERO, (-0.1, "harm"), (0.1, "help"), (0.37, "help"), (-0.83, "harm")]
    first, last = twin.crossings(drawn, rates, bets, BAR)
    tables = [tabulated(row, hs) for row, hs in zip(drawn, rates)]
    worst = max(
        abs(effect.log_e(table, d, side) - math.log(last[k, i]))
        for i, table in enumerate(tables)
        for k, (d, side) in enumerate(bets)
    )
    crossed = disagree = 0
    for i, (row, hs) in enumerate(zip(drawn, rates)):
        stands = effect.stand(trials(row, hs))
        crossed += stands.run is not None and stands.word in ("helps", "harms")
        twin_run = int(first[:2, i].min())
        disagree += (stands.run if stands.word in ("helps", "harms") else NEVER) != twin_run
        span = effect.interval(tables[i])
        for k, (d, side) in enumerate(bets):
            rejected = d > span.high if side == "help" else d < span.low
            disagree += rejected != (last[k, i] >= BAR)
    counts = twin.counts(drawn)
    weights = weights_of(tables)
    beliefs = [believe(table, weights) for table in tables]
    columns = np.array([[b.help, b.none, b.harm, b.expected] for b in beliefs])
    gap = np.abs(twin.beliefs(counts, twin.weights_of(counts)) - columns)
    lean = twin_lean(columns, 30)
    disagree += sum(lean[i] != core_lean(b, 30) for i, b in enumerate(beliefs))
    what = f"verdicts, intervals and lean rates that differ ({crossed} of {len(tables)} lessons crossed)"
    return [
        Line(
            "0", "twin against core, largest gap of log e", f"{worst:.1e}", "≤ 1e-9", worst <= 1e-9
        ),
        Line(
            "0",
            "twin against core, largest gap of belief",
            f"{gap.max():.1e}",
            "≤ 1e-9",
            bool(gap.max() <= 1e-9),
        ),
        Line("0", f"twin against core, {what}", str(disagree), "= 0", bool(disagree == 0)),
    ]


def tabulated(row: Ints, rates: Floats) -> dict[float, Counts]:
    return {
        float(h): Counts(*(int(((row == k) & (rates == h)).sum()) for k in range(4)))
        for h in np.unique(rates)
    }


def trials(row: Ints, rates: Floats, memory: str = "m") -> list[Trial]:
    arms, outcomes = (trial.INJECTED, trial.WITHHELD), (outcome.OCCURRED, outcome.NOT_OCCURRED)
    return [
        Trial(str(i), memory, memory, float(h), arms[cell // 2], outcomes[cell % 2])
        for i, (cell, h) in enumerate(zip(row.tolist(), rates))
    ]


def twin_lean(beliefs: Floats, units: int) -> Floats:
    """The holdout rate under `lean`, given help, none, harm, expected."""
    if units < trial.LEAN_UNITS:
        return np.full(len(beliefs), 0.3)
    rates = np.where(beliefs[:, 0] >= trial.LEAN_HELP, trial.LEAN_HELP_RATE, 0.3)
    return np.where(beliefs[:, 2] >= trial.LEAN_HARM, trial.LEAN_HARM_RATE, rates)


def core_lean(belief: Belief, units: int) -> float:
    settings = SimpleNamespace(rate=0.3, rate_watch=0.05, rate_severe=0.1, lean=True, exempt=())
    return trial.rate_for(
        state="provisional",
        klass="pitfall",
        severity="warning",
        pinned=False,
        verdict="not yet known",
        on_page=False,
        belief_help=belief.help,
        belief_harm=belief.harm,
        units=units,
        settings=settings,
    ).value


# 1. Lessons without effect


def no_effect(bench: Bench) -> list[Line]:
    """No effect, looked at after each of 500 runs: who calls it helpful or harmful?"""
    lines, z_tests, fishers = [], [], []
    for h in RATES:
        for base in BASES:
            drawn = bench.runs(base, base, h)
            share = ever(drawn, h)
            lines.append(at_most("1", f"no effect, ever called, base {base}, h {h}", share, 0.05))
            z_tests.append(z_test_ever(drawn))
            fishers.append(fisher_ever(drawn[: max(50, bench.lessons // 25)]))
    for base in BASES:
        lines.append(
            at_most(
                "1",
                f"no effect under lean, ever called, base {base}",
                ever(*leaning(bench, base)),
                0.05,
            )
        )
    rows, pooled, gap = falling(bench)
    lines.append(
        at_most(
            "1", "no effect, base falls .5 → .05 while h goes .5 → .3 → .1, row by row", rows, 0.05
        )
    )
    lines.append(
        at_least(
            "1",
            "control: z test at each look from the 20th, lowest of the 12 cells",
            min(z_tests),
            0.15,
        )
    )
    lines.append(shown("1", "control: the same, highest of the 12 cells", max(z_tests)))
    lines.append(
        shown("1", "control: Fisher's test at each look, lowest of the 12 cells", min(fishers))
    )
    lines.append(shown("1", "control: the same, highest of the 12 cells", max(fishers)))
    lines.append(
        shown(
            "1",
            f"control: falling base, counts added across rates (mean difference {gap:+.2f})",
            pooled,
        )
    )
    for base in BASES:
        clean = (bench.random.random((bench.lessons, 3)) >= base).all(axis=1).mean()
        lines.append(
            shown(
                "1",
                f'control: "no repeat in 3 uses = helpful", called helpful, base {base}',
                float(clean),
            )
        )
    return lines


def z_test_ever(drawn: Ints, start: int = 20) -> float:
    """Share of lessons in which a two-sided z test at 5 % is ever significant."""
    injected, occurred = drawn < 2, drawn % 2 == 0
    n1, n0 = injected.cumsum(axis=1), (~injected).cumsum(axis=1)
    a, c = (injected & occurred).cumsum(axis=1), (~injected & occurred).cumsum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        rate = (a + c) / (n1 + n0)
        z = (a / n1 - c / n0) / np.sqrt(rate * (1 - rate) * (1 / n1 + 1 / n0))
    return float((np.abs(np.nan_to_num(z)) >= 1.96)[:, start - 1 :].any(axis=1).mean())


def fisher_ever(drawn: Ints, start: int = 20) -> float:
    """Share of lessons in which Fisher's exact test, two-sided at 5 %, is ever significant."""
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, drawn.shape[1] + 1)))])
    injected, occurred = drawn < 2, drawn % 2 == 0
    n1s, ks, us = (
        injected.cumsum(axis=1),
        occurred.cumsum(axis=1),
        (injected & occurred).cumsum(axis=1),
    )
    called = np.zeros(len(drawn), bool)
    for t in range(start - 1, drawn.shape[1]):
        n1, k, a = (x[~called, t][:, None] for x in (n1s, ks, us))
        if not len(k):
            break
        n, x = t + 1, np.arange(k.max() + 1)[None, :]
        possible = (x <= np.minimum(k, n1)) & (k - x <= n - n1)
        y = np.where(possible, x, a)
        log_p = -(logs[y] + logs[n1 - y] + logs[k - y] + logs[n - n1 - k + y])
        chance = np.where(possible, np.exp(log_p - log_p.max(axis=1, keepdims=True)), 0.0)
        observed = np.take_along_axis(chance, a, axis=1)
        p_value = np.where(chance <= observed * (1 + 1e-7), chance, 0).sum(axis=1) / chance.sum(
            axis=1
        )
        called[~called] = p_value < 0.05
    return float(called.mean())


def leaning(bench: Bench, base: float) -> tuple[Ints, Floats]:
    """Runs whose holdout rate follows the belief, as `trial.lean` lets it."""
    shape = bench.lessons, RUNS
    drawn, rates = np.zeros(shape, np.int64), np.zeros(shape)
    counts = np.zeros((bench.lessons, 4), np.int64)
    for t in range(RUNS):
        rates[:, t] = twin_lean(twin.beliefs(counts), t) if t >= trial.LEAN_UNITS else 0.3
        arms = bench.random.random(bench.lessons) >= rates[:, t]
        drawn[:, t] = cells(arms, bench.random.random(bench.lessons) < base)
        counts[np.arange(bench.lessons), drawn[:, t]] += 1
    return drawn, rates


def falling(bench: Bench) -> tuple[float, float, float]:
    """Ever called row by row, ever called with counts added across rates, and the difference these seem to show."""
    t = np.arange(RUNS)
    h = np.select([t < 150, t < 300], [0.5, 0.3], 0.1)
    arms = bench.coins((bench.lessons, RUNS), h)
    drawn = cells(arms, bench.occurs(np.broadcast_to(np.linspace(0.5, 0.05, RUNS), arms.shape)))
    some = drawn[: max(200, bench.lessons // 5)]
    sums = np.stack([(some == k).cumsum(axis=1) for k in range(4)], axis=2)
    mean_h, called = np.cumsum(h) / (t + 1), np.zeros(len(some), bool)
    for look in range(19, RUNS, 5):
        for d, side in ZERO:
            wealth = np.exp(sums[:, look] @ np.log(twin.factors(mean_h[look], d, side)))
            called |= wealth.mean(axis=1) >= BAR
    a, b, c, d_ = sums[:, -1].T
    rows = ever(drawn, np.broadcast_to(h, drawn.shape))
    return rows, float(called.mean()), float((a / (a + b) - c / (c + d_)).mean())


# 2-4. Lessons with an effect


def true_effect(bench: Bench) -> list[Line]:
    """Does the interval keep the truth, and how soon is an effect seen?"""
    lines, wrong, found = [], {}, {}
    for withheld, injected in EFFECTS:
        truth, right = injected - withheld, HELP if injected < withheld else HARM
        for h in RATES:
            bets = [*ZERO, (truth, "help"), (truth, "harm")]
            first, _ = twin.crossings(bench.runs(withheld, injected, h), h, bets, BAR)
            found[withheld, injected, h] = first[right]
            wrong[withheld, injected, h] = float((first[1 - right] < NEVER).mean())
            if (withheld, injected) != (0.5, 0.05):
                missed = float((first[2:].min(axis=0) < NEVER).mean())
                what = f"interval ever misses the truth, {withheld} → {injected}, h {h}"
                lines.append(at_most("2", what, missed, 0.05))
    for h, share, median in ((0.1, 0.88, 215), (0.3, 0.99, 95), (0.5, 0.99, 85)):
        first = found[0.5, 0.2, h]
        lines.append(at_least("3", f".5 → .2 found in 500 runs, h {h}", by(first, 500), share))
        lines.append(at_most("3", f".5 → .2 median runs, h {h}", float(np.median(first)), median))
    worst = max(wrong, key=lambda cell: wrong[cell])
    what = f"wrong direction ever, worst of 15 cells ({worst[0]} → {worst[1]}, h {worst[2]})"
    lines.append(at_most("3", what, wrong[worst], 0.005))
    lines.append(
        at_least("4", ".2 → .4 found in 500 runs, h 0.3", by(found[0.2, 0.4, 0.3], 500), 0.90)
    )
    lines.append(
        at_most("4", ".2 → .4 median runs, h 0.3", float(np.median(found[0.2, 0.4, 0.3])), 215)
    )
    lines.append(
        at_least("4", ".5 → .05 found in 40 runs, h 0.3", by(found[0.5, 0.05, 0.3], 40), 0.60)
    )
    return lines


def by(first: Ints, run: int) -> float:
    """Share of lessons with a verdict by this run."""
    return float((first <= run).mean())


def power(bench: Bench) -> list[Line]:
    """How soon, beside an oracle; whom belief takes out, and whom it calls stable."""
    lines: list[Line] = []
    n = min(bench.lessons, 2_000)
    for withheld, injected in EFFECTS[:4]:
        drawn = bench.runs(withheld, injected, 0.3, 200, n)
        first, _ = twin.crossings(drawn, 0.3, ZERO, BAR)
        ours = ahead.by_look(first[HELP if injected < withheld else HARM])
        best = ahead.by_look(ahead.crossed(ahead.oracle(drawn, withheld, injected, 0.3), BAR))
        told = ", ".join(f"{mine:.2f} of {its:.2f}" for mine, its in zip(ours, best))
        lines.append(
            Line(
                "9",
                f"{withheld} → {injected}: verdicts by 20, 40, 60, 100, 200 runs, of an oracle's",
                told,
                "",
                None,
            )
        )
        if (withheld, injected) == (0.5, 0.2):
            lines.append(
                at_least(
                    "9",
                    ".5 → .2: share of the oracle's verdicts by 60 runs",
                    ours[2] / best[2],
                    0.85,
                )
            )
    harmful = bench.runs(0.2, 0.4, 0.3, 60, n)
    lines.append(
        at_least("9", ".2 → .4: out by belief by 60 runs", ahead.out_by(harmful, 60), 0.30)
    )
    useless = [bench.runs(rate, rate, 0.3, 200, n) for rate in ahead.USELESS]
    lines.append(
        at_most(
            "9",
            "useless: out by belief by 60 runs, worst of seven rates",
            max(ahead.out_by(each, 60) for each in useless),
            0.08,
        )
    )
    lines.append(
        shown(
            "9",
            "useless: out by belief by 200 runs, worst of seven rates",
            max(ahead.out_by(each, 200) for each in useless),
        )
    )
    lines.append(
        at_most(
            "9",
            "useless: stable by belief at 200 units, worst of seven rates",
            max(ahead.stable_at(each, 200) for each in useless),
            0.08,
        )
    )
    helpers = [bench.runs(*rates, 0.3, 60, n) for rates in ahead.HELPERS]
    lines.append(
        at_most(
            "9",
            "helpers: out by belief by 60 runs, worst of four",
            max(ahead.out_by(each, 60) for each in helpers),
            0.01,
        )
    )
    for withheld, injected in ((0.5, 0.2), (0.3, 0.1), (0.2, 0.05)):
        told = ", ".join(
            f"{share:.2f}"
            for share in ahead.by_look(
                ahead.with_losses(bench.random, withheld, injected, 0.3, n, BAR)
            )
        )
        lines.append(
            Line(
                "9",
                f"{withheld} → {injected}, half of what occurs overcome in two calls: verdicts by 20, 40, 60, 100, 200 runs",
                told,
                "",
                None,
            )
        )
    return lines


# An adaptive coin: what it spares, and what it costs in verdicts


def adaptive(bench: Bench) -> list[Line]:
    """Problems per 100 lesson-runs, and verdicts, under the fixed coin, under `trial.lean`, and under probability matching (Thompson)."""
    lines, lessons = [], min(bench.lessons, 6_000)
    for name, shares in (("mixed", MIXED), ("a quarter helps, a quarter harms", SCEPTICAL)):
        people = population(bench, shares, lessons)
        always = 100 * float(people.injected.mean())
        lines.append(shown("10", f"{name}: problems per 100 lesson-runs if always given", always))
        for coin in ahead.COINS:
            drawn, rates, lengths, met, given = ahead.thrown(
                bench.random, people.withheld, people.injected, coin, 100, twin_lean
            )
            first, _ = twin.crossings(drawn, rates, ZERO, BAR, lengths)
            for look in (40, 100):
                lines.append(
                    shown(
                        "10",
                        f"{name}, {coin}: problems per 100 lesson-runs by {look} runs",
                        100 * float(met[:, :look].mean()),
                    )
                )
                harmful = people.ratio > 1
                lines.append(
                    shown(
                        "10",
                        f"{name}, {coin}: runs that a harmful lesson was given in, by {look} runs",
                        float(given[harmful, :look].mean()),
                    )
                )
            lines.append(
                shown(
                    "10",
                    f"{name}, {coin}: strong helpers with a verdict by 100 runs",
                    by(first[HELP][people.strong], 100),
                )
            )
            lines.append(
                shown(
                    "10",
                    f"{name}, {coin}: harmful ones with a verdict by 100 runs",
                    by(first[HARM][people.ratio > 1], 100),
                )
            )
    for base in (0.1, 0.3, 0.5):
        same = np.full(lessons, base)
        drawn, rates, lengths, *_ = ahead.thrown(
            bench.random, same, same, "Thompson", 200, twin_lean
        )
        lines.append(
            at_most(
                "10",
                f"no effect under Thompson, ever called in 200 runs, base {base}",
                ever(drawn, rates, lengths),
                0.05,
            )
        )
    return lines


# 5. Which runs count, and as what


def selection(bench: Bench) -> list[Line]:
    """No effect; runs selected by topic, and tasks counted run by run."""
    lines = []
    for base in BASES:
        arms = bench.coins((bench.lessons, RUNS), 0.3)
        occurred = bench.occurs(np.full(arms.shape, base))
        # An injected lesson makes the agent speak of its topic: in 50 % of the clean runs, against 30 % when withheld.
        noticed = occurred | bench.occurs(np.where(arms, 0.5, 0.3))
        drawn = cells(arms, occurred)
        chosen = np.take_along_axis(drawn, np.argsort(~noticed, axis=1, kind="stable"), axis=1)
        first, _ = twin.crossings(chosen, 0.3, ZERO, BAR, noticed.sum(axis=1))
        trap = float((first[HELP] < NEVER).mean())
        what = f'control: runs selected by "the topic came up", called helpful, base {base}'
        lines.append(at_least("5", what, trap, 0.30) if base == 0.05 else shown("5", what, trap))
        lines.append(
            at_most(
                "5",
                f"the same runs by assignment, ever called, base {base}",
                ever(drawn, 0.3),
                0.05,
            )
        )
    # Tasks of five runs: three tasks in ten are prone to the problem (.9 in each run), the others are not (.05).
    arms = bench.coins((bench.lessons, RUNS // 5), 0.3)
    prone = np.where(bench.random.random(arms.shape) < 0.3, 0.9, 0.05)
    occurred = bench.occurs(np.repeat(prone[:, :, None], 5, axis=2))
    by_run = cells(np.repeat(arms, 5, axis=1), occurred.reshape(bench.lessons, RUNS))
    by_unit = cells(arms, np.any(occurred, axis=2))
    lines.append(
        at_least(
            "5", "control: assigned by task, counted by run, ever called", ever(by_run, 0.3), 0.70
        )
    )
    lines.append(
        at_most("5", "the same tasks counted as units, ever called", ever(by_unit, 0.3), 0.05)
    )
    return lines


# 6, 7. Many lessons


class Population(NamedTuple):
    withheld: Floats
    injected: Floats
    ratio: Floats
    strong: Bools


def population(bench: Bench, shares: tuple[float, ...], lessons: int = 300) -> Population:
    which = bench.random.choice(4, size=lessons, p=shares)
    draw = bench.random.uniform
    spans = [
        draw(0.1, 0.4, lessons),
        draw(0.5, 0.8, lessons),
        np.ones(lessons),
        draw(1.5, 2.5, lessons),
    ]
    ratio = np.choose(which, spans)
    base = np.clip(bench.random.beta(1.4, 4.7, lessons), 0.02, 0.7)
    return Population(base, np.minimum(0.95, ratio * base), ratio, which == 0)


def store(bench: Bench, lessons: Population, runs: int) -> Ints:
    arms = bench.coins((len(lessons.ratio), runs), 0.3)
    return cells(
        arms, bench.occurs(np.where(arms, lessons.injected[:, None], lessons.withheld[:, None]))
    )


def many_lessons(bench: Bench) -> list[Line]:
    """Belief against the raw difference, and e-BH, in stores of 300 lessons."""
    lines = []
    stores = max(20, bench.lessons // 100)
    for name, shares in (("mixed", MIXED), ("sceptical", SCEPTICAL)):
        for runs in (10, 20, 40, 60):
            raw, shrunk, right, flagged, harm_right, harmful = [], [], 0, 0, 0, 0
            for _ in range(stores):
                lessons = population(bench, shares)
                counts = twin.counts(store(bench, lessons, runs))
                beliefs = twin.beliefs(counts, twin.weights_of(counts))
                a, b, c, d = counts.T
                both = (a + b > 0) & (c + d > 0)
                truth = (lessons.injected - lessons.withheld)[both]
                raw.append((a / np.maximum(a + b, 1) - c / np.maximum(c + d, 1))[both] - truth)
                shrunk.append(beliefs[both, 3] - truth)
                likely = beliefs[:, 0] >= 0.8
                flagged, right = (
                    flagged + likely.sum(),
                    right + (likely & (lessons.ratio < 1)).sum(),
                )
                bad = lessons.ratio > 1
                harmful, harm_right = (
                    harmful + bad.sum(),
                    harm_right + (bad & (beliefs[:, 2] >= 0.8)).sum(),
                )
            errors = [float(np.sqrt(np.mean(np.concatenate(each) ** 2))) for each in (raw, shrunk)]
            fell = f"{errors[0]:.3f} → {errors[1]:.3f}"
            what = f"{name}: error of belief over error of raw difference at {runs} runs ({fell})"
            ratio = errors[1] / errors[0]
            main = name == "mixed"
            lines.append(
                at_most("6", what, ratio, 0.5) if main and runs == 10 else shown("6", what, ratio)
            )
            what = f'{name}: "P help ≥ .8" right at {runs} runs (of {flagged / stores / 300:.1%} flagged)'
            share = float(right / max(flagged, 1))
            lines.append(
                at_least("6", what, share, 0.80) if main and runs == 40 else shown("6", what, share)
            )
            what = f'{name}: "P harm ≥ .8" catches of the harmful at {runs} runs'
            lines.append(shown("6", what, harm_right / harmful))
    for name, shares in (("mixed", MIXED), ("sceptical", SCEPTICAL)):
        lines += across(bench, name, shares, stores)
    return lines


def across(bench: Bench, name: str, shares: tuple[float, ...], stores: int) -> list[Line]:
    """e-BH over the lessons of a store, each with its own number of runs (median 40)."""
    false_shares, marks, helps, false_helps = [], 0, 0, 0
    known = {"strongly helpful": [0, 0], "harmful": [0, 0]}
    for _ in range(stores):
        lessons = population(bench, shares)
        lengths = np.clip(np.exp(bench.random.normal(math.log(40), 0.8, 300)), 5, 400).astype(
            np.int64
        )
        first, last = twin.crossings(
            store(bench, lessons, int(lengths.max())), 0.3, ZERO, BAR, lengths
        )
        marked = [
            int(i)
            for i in effect.holds_across({str(i): float(e) for i, e in enumerate(last[HELP])})
        ]
        false_shares.append(float((lessons.ratio[marked] >= 1).mean()) if marked else 0.0)
        called = first[HELP] < NEVER
        marks, helps = marks + len(marked), helps + int(called.sum())
        false_helps += int((called & (lessons.ratio >= 1)).sum())
        for word, group, side in (
            ("strongly helpful", lessons.strong, HELP),
            ("harmful", lessons.ratio > 1, HARM),
        ):
            known[word][0] += int((group & (first[side] < NEVER)).sum())
            known[word][1] += int(group.sum())
    what = f"{name}: e-BH at .10, mean false share over {stores} stores ({marks} marked, {helps} helps)"
    lines = [at_most("7", what, float(np.mean(false_shares)), 0.10)]
    lines.append(
        shown("7", f"{name}: false share among helps without e-BH", false_helps / max(helps, 1))
    )
    lines += [
        shown("7", f"{name}: {word} lessons that ever get a verdict", n / of)
        for word, (n, of) in known.items()
    ]
    return lines


# 8. The story


class Seen(NamedTuple):
    cells: Ints
    recall: float
    precision: float


def through_matcher(
    bench: Bench, rates: tuple[float, float], h: float, recall: float, precision: float
) -> Seen:
    """200 runs whose outcomes pass a matcher that misses some findings and takes others for this problem.

    False matches fall on runs without the problem, alike in both arms, so often that precision holds where nothing is
    injected.
    """
    withheld, injected = rates
    arms = bench.coins((bench.lessons * STORY, 200), h)
    occurred = bench.occurs(np.where(arms, injected, withheld))
    false = recall * withheld * (1 / precision - 1) / (1 - withheld)
    matched = bench.occurs(np.where(occurred, recall, false))
    there = ~arms
    measured_precision = float(occurred[matched & there].mean())
    return Seen(cells(arms, matched), float(matched[occurred].mean()), measured_precision)


def story(bench: Bench) -> list[Line]:
    """Verdict by 200 runs, every lesson eligible in all of them."""
    lines = []
    good, bad = (0.6, 0.1), (0.1, 0.5)
    for name, h, recall, precision, stated in (
        ("perfect outcomes", 0.3, 1.0, 1.0, (1.0, 1.0)),
        ("matcher recall .8, precision .9", 0.3, 0.8, 0.9, (0.95, 0.99)),
        # .89 before the stakes were shared anew (decision 31)
        ("matcher recall .6, precision .9", 0.3, 0.6, 0.9, (0.83, 0.92)),
        ("severity bug (h .1), perfect outcomes", 0.1, 1.0, 1.0, (0.97, 0.81)),
    ):
        seen = [through_matcher(bench, rates, h, recall, precision) for rates in (good, bad)]
        measured = " / ".join(f"{s.recall:.2f}, {s.precision:.2f}" for s in seen)
        lines.append(
            Line(
                "8",
                f"{name}: recall and precision measured on the story's findings",
                measured,
                "",
                None,
            )
        )
        shares = []
        for sample, side in zip(seen, (HELP, HARM)):
            first, _ = twin.crossings(sample.cells, h, ZERO, BAR)
            shares.append(by(first[side], 200))
        for rates, share, of in zip((good, bad), shares, stated):
            lines.append(near("8", f"{name}: {rates[0]} → {rates[1]} known by 200", share, of))
            if h == 0.3 and recall >= 0.8:
                what = f"{name}: {rates[0]} → {rates[1]} known by 200, what the story promises"
                lines.append(at_least("8", what, share, 0.95))
    for rates, side, of in (((0.5, 0.2), HELP, 0.89), ((0.2, 0.4), HARM, 0.57)):
        first, _ = twin.crossings(
            bench.runs(*rates, 0.3, 200, bench.lessons * STORY), 0.3, ZERO, BAR
        )
        lines.append(
            near(
                "8",
                f"perfect outcomes: {rates[0]} → {rates[1]} known by 200",
                by(first[side], 200),
                of,
            )
        )
    return lines


# Also measured: the coin, the balance alarm, the whole memory


def also(bench: Bench) -> list[Line]:
    """Promises that the acceptance list does not name."""
    n = bench.lessons * 5
    key = b"a store's key of thirty-two byte"
    arms = np.array(
        [
            [trial.assign(key, f"unit-{i}", f, 0.3).arm == "injected" for f in ("f", "g")]
            for i in range(n)
        ]
    )
    table = {0.3: Counts(int(arms[:, 0].sum()), 0, int((~arms[:, 0]).sum()), 0)}
    link = abs(float(np.corrcoef(arms.T)[0, 1]))
    lines = [
        at_most(
            "+",
            f"the real coin: evidence against fairness in {n} units",
            effect.balance(table).e,
            20.0,
        ),
        at_most("+", "the real coin: correlation of two families' coins", link, 4 / math.sqrt(n)),
    ]
    sums = bench.coins((bench.lessons, RUNS), 0.3).cumsum(axis=1)
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, RUNS + 2)))])
    n1, total = sums, np.arange(1, RUNS + 1)
    wealth = (
        logs[n1]
        + logs[total - n1]
        - logs[total + 1]
        - n1 * math.log(0.7)
        - (total - n1) * math.log(0.3)
    )
    alarms = float((wealth >= math.log(effect.OUT_OF_BALANCE)).any(axis=1).mean())
    lines.append(at_most("+", "balance alarm without cause in 500 looks", alarms, 0.05))
    for h, runs in ((0.3, 200), (0.1, 200), (0.3, 500)):
        widths, covered, excluded = [], 0, 0
        stores = bench.lessons // 40
        for _ in range(stores):
            lessons = population(bench, MIXED, 6)
            here = bench.coins((6, runs), h)
            drawn = cells(
                here,
                bench.occurs(np.where(here, lessons.injected[:, None], lessons.withheld[:, None])),
            )
            settled = [trials(row, np.full(runs, h), str(i)) for i, row in enumerate(drawn)]
            whole = whole_memory(chain.from_iterable(settled))
            truth = (1 - h) * runs * float((lessons.withheld - lessons.injected).sum())
            _, least, most = whole.spared or (0.0, -math.inf, math.inf)
            widths.append((whole.high - whole.low) / 2)
            covered += least <= truth <= most
            excluded += whole.low > 0 or whole.high < 0
        where = f"whole memory, 6 lessons, {runs} runs, h {h}"
        lines.append(
            at_least("+", f"{where}: interval holds the truth at the end", covered / stores, 0.95)
        )
        lines.append(shown("+", f"{where}: half width, problems per run", float(np.mean(widths))))
        lines.append(shown("+", f"{where}: excludes 0", excluded / stores))
    return [*lines, *moving(bench)]


def moving(bench: Bench) -> list[Line]:
    """A memory in motion: lessons that differ, leave when they harm and are withheld rarely once they help.

    Looked at after every twentieth run. Beside it what one table of all lessons would say at the end.
    """
    world = ((0.1, 0.6), (0.1, 0.6), (0.5, 0.1), (0.5, 0.1), (0.25, 0.3), (0.25, 0.3))
    stores, missed, pooled, widths = bench.lessons // 50, 0, 0, []
    for _ in range(stores):
        rates, thrown, truth, wrong = dict.fromkeys(range(len(world)), 0.3), [], 0.0, False
        for run in range(200):
            for lesson in list(rates):
                told, untold = world[lesson]
                arm = "withheld" if bench.random.random() < rates[lesson] else "injected"
                problem = bench.random.random() < (told if arm == "injected" else untold)
                name = str(lesson)
                thrown.append(
                    Trial(
                        str(run),
                        name,
                        name,
                        rates[lesson],
                        arm,
                        "occurred" if problem else "not_occurred",
                    )
                )
                truth += (1 - rates[lesson]) * (untold - told)
            if run % 20 == 19:
                whole = whole_memory(thrown)
                _, least, most = whole.spared or (0.0, -math.inf, math.inf)
                wrong |= not least <= truth <= most
                for lesson in list(rates):
                    word = effect.verdict(
                        tabulate(each for each in thrown if each.family == str(lesson))
                    ).word
                    if word == effect.HELPS:
                        rates[lesson] = 0.05
                    elif word == effect.HARMS:
                        del rates[lesson]
        missed += wrong
        widths.append((whole.high - whole.low) / 2)
        span = effect.interval(tabulate(thrown))
        given = sum(each.arm == "injected" for each in thrown)
        pooled += not -span.high * given <= truth <= -span.low * given
    where = "a memory in motion, 6 lessons, 200 runs"
    return [
        at_most(
            "+", f"{where}: interval misses the truth at any of 10 looks", missed / stores, 0.05
        ),
        at_least(
            "+", f"{where}: one table for all lessons misses it at the end", pooled / stores, 0.2
        ),
        shown("+", f"{where}: half width, problems per run", float(np.mean(widths))),
    ]


# Lines


def at_most(item: str, what: str, figure: float, bound: float) -> Line:
    return Line(item, what, _figure(figure), f"≤ {_figure(bound)}", bool(figure <= bound))


def at_least(item: str, what: str, figure: float, bound: float) -> Line:
    return Line(item, what, _figure(figure), f"≥ {_figure(bound)}", bool(figure >= bound))


def near(item: str, what: str, figure: float, stated: float) -> Line:
    """A figure that was stated without a bound: ours must lie within .03 of it.

    So wide because how the stated matcher erred was not written down; ours errs in the least favourable way we know.
    """
    return Line(
        item, what, _figure(figure), f"stated {stated:.2f}", bool(abs(figure - stated) <= 0.03)
    )


def shown(item: str, what: str, figure: float) -> Line:
    return Line(item, what, _figure(figure), "", None)


def _figure(number: float) -> str:
    return (
        f"{number:.0f}"
        if number >= 50
        else f"{number:.4f}".rstrip("0").rstrip(".")
        if number
        else "0"
    )


WORD = {True: "PASS", False: "FAIL", None: "shown"}


def write(path: Path, lines: list[Line], command: str, seconds: float) -> None:
    failed = sum(line.passed is False for line in lines)
    passed = sum(line.passed is True for line in lines)
    text = [
        f"# Effect: acceptance, {datetime.now(UTC):%Y-%m-%d}",
        "",
        f"`{command}` · Python {platform.python_version()}, numpy {np.__version__} · {seconds:.0f} s on one core",
        "",
        f"{passed} passed, {failed} failed; {len(lines) - passed - failed} figures are shown without a bound."
        " Shares are of simulated lessons; the item numbers are those of the acceptance list, `+` is beyond it."
        ' Lines that begin with "control" are the shortcuts which this method replaces: they are meant to look bad.'
        ' "Stated" figures came without a bound; ours must lie within .03 of them.',
        "",
        "| item | what | figure | bound | |",
        "|---|---|---|---|---|",
        *(
            f"| {line.item} | {line.what} | {line.figure} | {line.bound} | {WORD[line.passed]} |"
            for line in lines
        ),
        "",
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(text), encoding="utf-8")


MEASURES = (
    agreement,
    no_effect,
    true_effect,
    power,
    adaptive,
    selection,
    many_lessons,
    story,
    also,
)


def measured(number: int, seed: int, lessons: int) -> list[Line]:
    """One part, from a random source of its own, so that the parts may run at once."""
    return MEASURES[number](Bench(seed + number, lessons))


def each_measured(given: argparse.Namespace) -> Iterator[list[Line]]:
    """All parts in their order."""
    lessons = 1_000 if given.quick else 10_000
    with ProcessPoolExecutor(given.jobs) as pool:
        yield from pool.map(measured, range(len(MEASURES)), repeat(given.seed), repeat(lessons))


def main() -> int:
    ask = argparse.ArgumentParser(
        description="Measure the promises of trial/effect.py by seeded simulation."
    )
    ask.add_argument("--quick", action="store_true", help="a tenth of the lessons")
    ask.add_argument("--seed", type=int, default=20261115)
    ask.add_argument("--out", type=Path, help="where to write the result")
    ask.add_argument("--jobs", type=int, default=1, help="processes")
    given = ask.parse_args()
    started = time.perf_counter()
    lines: list[Line] = []
    for found in each_measured(given):
        for line in found:
            print(
                f"{WORD[line.passed]:5}  {line.item}  {line.what:<95}  {line.figure:>12}  {line.bound}",
                flush=True,
            )
            lines.append(line)
    seconds = time.perf_counter() - started
    out = given.out or (
        None if given.quick else HERE / "results" / f"{datetime.now(UTC):%Y-%m-%d}-effect.md"
    )
    if out:
        write(
            out,
            lines,
            f"python bench/effect.py{' --quick' * given.quick} --seed {given.seed}",
            seconds,
        )
    failed = [line for line in lines if line.passed is False]
    print(
        f"{len(failed)} failed of {sum(line.passed is not None for line in lines)}, {seconds:.0f} s"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
