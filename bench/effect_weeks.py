"""How many weeks until something true can be said: one developer, fifty sessions a week, twenty-five lessons, each relevant in one of eight.

    python bench/effect_weeks.py [--developers 200] [--null 200] [--ways N]

The coins, rates, bounds and bets are the product's (`trial.coin`, `trial.effect`, `trial.overall`); what agents do is drawn. A lesson is told the first time
without a coin. Losses are spread as on recorded sessions: of what fails 20 % is given up, 40 % worked around or cured in one or two calls, the rest takes three to
eight. The bounds on leaving out are switched off one by one, so that what each costs is seen. Medians stand beside their 95 % interval: for
one lesson and 200 developers it is six weeks wide.
"""

from __future__ import annotations

import argparse
import random
import sys
from math import inf, log
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from tacit.origins import named
from tacit.trial import coin as coins
from tacit.trial.effect import HARMS, HELPS, NOT_YET_KNOWN, RARE_EFFECT, Purse, is_rare
from tacit.trial.overall import TOGETHER
from tacit.trial.table import Counts

SESSIONS, RELEVANT = 50, 1 / 8
RICH = (
    [(0.5, 0.2)] * 7 + [(0.3, 0.1)] * 6 + [(0.15, 0.03)] * 3 + [(0.3, 0.3)] * 6 + [(0.2, 0.4)] * 3
)
# Of 42 real lessons with twenty units or more 6 strike in 20 of 100 sessions or more, 34 in fewer than 10, half of them never again.
REAL = (
    [(0.5, 0.2), (0.3, 0.1), (0.25, 0.1), (0.2, 0.05), (0.15, 0.05), (0.1, 0.03)]
    + [(0.06, 0.02)] * 7
    + [(0.01, 0.005)] * 8
    + [(0.05, 0.05)] * 4
)
NOTHING = [
    (rate, rate) for rate in (0.5, 0.3, 0.25, 0.2, 0.15, 0.1, *[0.06] * 7, *[0.01] * 8, *[0.05] * 4)
]
LOSSES = (
    [1.0] * 20 + [0.125] * 20 + [0.25] * 20 + [k / 8 for k in (3, 4, 5, 6, 7) for _ in range(8)]
)
DEFAULT = named("default").trial
SIDES = {HELPS: "help", HARMS: "harm"}
BAR, TOGETHER_BAR = log(40.0), log(2 / TOGETHER)
PLAIN, SESSION, LESSON, EITHER, MORE = WAYS = (
    "as it is",
    "without the bound per session",
    "without the bound per lesson",
    "without either, rare at .30",
    "a coin of .35",
)
ONE = (
    (0.5, 0.2),
    (0.3, 0.1),
    (0.2, 0.05),
    (0.1, 0.02),
    (0.2, 0.4),
)  # one lesson among those of the rich mix


class Lesson:
    def __init__(self, base: float, given: float) -> None:
        self.base, self.given, self.purse = base, given, Purse()
        self.counts, self.units, self.word, self.week, self.told = (
            Counts(),
            0,
            NOT_YET_KNOWN,
            0,
            False,
        )

    def rate(self, pool: bool, way: str) -> float:
        units = 0 if way in (LESSON, EITHER) else self.units
        word = NOT_YET_KNOWN if way == EITHER and self.word == RARE_EFFECT else self.word
        rate = coins.rate_for(
            state="provisional",
            klass="pitfall",
            severity="",
            pinned=False,
            verdict=word,
            on_page=False,
            belief_help=0.0,
            belief_harm=0.0,
            units=units,
            settings=DEFAULT,
            pool=pool,
        ).value
        return 0.35 if way == MORE and rate == DEFAULT.rate else rate

    def settle(self, h: float, injected: bool, loss: float, week: int) -> None:
        self.purse.add(h, injected, loss)
        self.units += 1
        a, b, c, d = self.counts.cells
        self.counts = Counts(
            a + (injected and loss > 0),
            b + (injected and not loss),
            c + (not injected and loss > 0),
            d + (not injected and not loss),
        )
        if self.word in (NOT_YET_KNOWN, RARE_EFFECT):
            for word, side in SIDES.items():
                if self.purse.log_e(side) >= BAR:
                    self.word, self.week = word, week
                    return
            self.word = RARE_EFFECT if is_rare({h: self.counts}) else NOT_YET_KNOWN


def live(
    seed: int, world: list[tuple[float, float]], weeks: int, way: str, *, alone: bool = False
) -> tuple[str, int, list[Lesson], float]:
    """One developer until there is a statement: about the lessons together (where they do nothing, to the end), or about the first one `alone`.

    What was said of them together, in which week, the lessons, and the problems a week that leaving out cost.
    """
    chance = random.Random(seed)
    lessons = [Lesson(*each) for each in world]
    pool, word, at, cost, sessions = Purse(), NOT_YET_KNOWN, 0, 0.0, 0
    for sessions in range(1, weeks * SESSIONS + 1):
        week = (sessions - 1) // SESSIONS + 1
        here = [each for each in lessons if each.word != HARMS and chance.random() < RELEVANT]
        chance.shuffle(here)
        missing = 0
        for rank, lesson in enumerate(here):
            h = lesson.rate(word != NOT_YET_KNOWN, way)
            spared = coins.is_spared(rank, missing) and way not in (SESSION, EITHER)
            if spared or not lesson.told:
                lesson.told = True
                continue
            injected = chance.random() >= h
            missing += not injected
            struck = chance.random() < (lesson.given if injected else lesson.base)
            loss = chance.choice(LOSSES) if struck else 0.0
            cost += 0.0 if injected else lesson.base - lesson.given
            lesson.settle(h, injected, loss, week)
            pool.add(h, injected, loss)
            if word == NOT_YET_KNOWN and (
                said := next((w for w in SIDES if pool.log_e(SIDES[w]) >= TOGETHER_BAR), "")
            ):
                word, at = said, week
        if lessons[0].week if alone else word != NOT_YET_KNOWN and world is not NOTHING:
            break
    return word, at, lessons, cost / sessions * SESSIONS


def median(weeks: list[int], by: int) -> str:
    """The median week of a true statement, its 95 % interval by ranks, and how many had one by a week; 0 is never."""
    ranked = sorted(each or inf for each in weeks)
    n, half = len(ranked), 0.98 * len(ranked) ** 0.5
    ends = ranked[max(0, int(n / 2 - half))], ranked[min(n - 1, int(n / 2 + half))]
    figures = (ends[0], (ranked[(n - 1) // 2] + ranked[n // 2]) / 2, ends[1])
    low, middle, high = ("never" if each == inf else f"{each:g}" for each in figures)
    return f"{middle} [{low}, {high}] ({sum(each <= by for each in ranked)} of {n})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--developers", type=int, default=200)
    parser.add_argument("--null", type=int, default=200)
    parser.add_argument("--ways", type=int, default=len(WAYS))
    asked = parser.parse_args()
    seeds = range(asked.developers)
    print(
        "| leaving out | rich mix: weeks (by 8) | real rates: weeks (by 20) | .5→.2 alone: weeks (by 18) | problems a week it costs, rich / real |\n|---|---|---|---|---|"
    )
    for way in WAYS[: asked.ways]:
        together = [[live(seed, world, 60, way) for seed in seeds] for world in (RICH, REAL)]
        row = [
            median([at * (word == HELPS) for word, at, _, _ in found], by)
            for found, by in zip(together, (8, 20))
        ]
        row.append(median([verdict_on_first(seed, ONE[0], way) for seed in seeds], 18))
        row.append(
            " / ".join(f"{sum(cost for *_, cost in found) / len(found):.1f}" for found in together)
        )
        print(f"| {way} | {' | '.join(row)} |", flush=True)
    print("\n| one lesson, as it is | weeks (by 52) |\n|---|---|")
    for rates in ONE:
        print(
            f"| {rates[0]:g} → {rates[1]:g} | {median([verdict_on_first(seed, rates, PLAIN) for seed in seeds], 52)} |",
            flush=True,
        )
    useless = [live(seed, NOTHING, 26, PLAIN) for seed in range(asked.null)]
    wrong = sum(word != NOT_YET_KNOWN for word, *_ in useless)
    called = [each.word in SIDES for _, _, lessons, _ in useless for each in lessons]
    print(
        f"\nNo effect, {asked.null} developers, 26 weeks: {wrong} false statements about the lessons together; {sum(called)} of {len(called)} lessons called."
    )


def verdict_on_first(seed: int, rates: tuple[float, float], way: str) -> int:
    """The week in which one lesson among those of the rich mix had its true verdict within two years, or 0."""
    first = live(seed, [rates, *RICH[1:]], 104, way, alone=True)[2][0]
    return first.week if first.word == (HELPS if rates[1] < rates[0] else HARMS) else 0


if __name__ == "__main__":
    main()
