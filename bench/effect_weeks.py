"""How many weeks until something true can be said: one developer, fifty sessions a week, twenty-five lessons, each
relevant in one of eight.

    python bench/effect_weeks.py [--developers 100] [--null 100]

The coins, rates and bets are the product's; what agents do is drawn. A session's lessons meet at two moments, its start
and a prompt; of each moment one subject is drawn and tossed. A lesson is told the first time without a coin. Losses are
spread as on recorded sessions: of what fails 20 % is given up, 40 % worked around or cured in one or two calls, the rest
takes three to eight. Medians stand beside their 95 % interval. Exits 1 where a bound is missed.
"""

from __future__ import annotations

import argparse
import random
import sys
from math import inf, log
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from tacit.origins import named
from tacit.trial.coin import INJECTED, WITHHELD, rate_for, tossed
from tacit.trial.evalue import (
    HARMS,
    HELPS,
    NOT_YET_KNOWN,
    Counts,
    Purse,
    Trial,
    is_rare,
    one_by_one,
    tabulate,
)
from tacit.trial.outcome import NOT_OCCURRED, OCCURRED
from tacit.trial.pooled import TOGETHER

SESSIONS, RELEVANT, MOMENTS = 50, 1 / 8, 2
RICH = (
    [(0.5, 0.2)] * 7 + [(0.3, 0.1)] * 6 + [(0.15, 0.03)] * 3 + [(0.3, 0.3)] * 6 + [(0.2, 0.4)] * 3
)
# Of 42 real lessons with twenty units or more 6 strike in 20 of 100 sessions or more, 34 in fewer than 10.
REAL = (
    [(0.5, 0.2), (0.3, 0.1), (0.25, 0.1), (0.2, 0.05), (0.15, 0.05), (0.1, 0.03)]
    + [(0.06, 0.02)] * 7
    + [(0.01, 0.005)] * 8
    + [(0.05, 0.05)] * 4
)
NOTHING = [(base, base) for base, _ in REAL]
LOSSES = (
    [1.0] * 20 + [0.125] * 20 + [0.25] * 20 + [k / 8 for k in (3, 4, 5, 6, 7) for _ in range(8)]
)
RATE = named("default").trial.rate
SIDES = {HELPS: "help", HARMS: "harm"}
BAR, TOGETHER_BAR = log(40.0), log(2 / TOGETHER)
ONE = ((0.5, 0.2), (0.3, 0.1), (0.2, 0.05), (0.2, 0.4))  # one lesson among those of the rich mix
BOUNDS = (9, 20, 20)  # weeks: together in the rich mix, at recorded rates, one lesson .5 → .2


class Lesson:
    def __init__(self, name: str, base: float, given: float) -> None:
        self.name, self.base, self.given, self.purse = name, base, given, Purse()
        self.counts, self.word, self.week, self.told = Counts(), NOT_YET_KNOWN, 0, False

    def rate(self) -> float:
        return rate_for(own="", verdict=self.word, rate=RATE).value

    def settle(self, h: float, injected: bool, loss: float, week: int) -> None:
        self.purse.add(h, injected, loss)
        outcome = OCCURRED if loss else NOT_OCCURRED
        arm = INJECTED if injected else WITHHELD
        self.counts += tabulate([Trial("", "", "", h, arm, outcome, loss=loss)])[h]
        if self.word in SIDES:
            return
        for word, side in SIDES.items():
            if self.purse.log_e(side) >= BAR:
                self.word, self.week = word, week
                return
        self.word = "rare" if is_rare({h: self.counts}) else NOT_YET_KNOWN


def live(
    seed: int, world: list[tuple[float, float]], weeks: int, *, alone: bool = False
) -> tuple[str, int, list[Lesson], float]:
    """One developer until there is a statement: about the lessons together (where they do nothing, to the end), or about
    the first one `alone`. What was said of them, in which week, the lessons, and the problems a week that leaving out
    cost."""
    chance, key = random.Random(seed), b"%d" % seed
    lessons = [Lesson(str(n), *each) for n, each in enumerate(world)]
    pool, word, at, cost, sessions = Purse(), NOT_YET_KNOWN, 0, 0.0, 0
    for sessions in range(1, weeks * SESSIONS + 1):
        week = (sessions - 1) // SESSIONS + 1
        here: list[list[Lesson]] = [[] for _ in range(MOMENTS)]
        for each in lessons:
            if each.word != HARMS and chance.random() < RELEVANT:
                if each.told:
                    here[chance.randrange(MOMENTS)].append(each)
                each.told = True
        for n, moment in enumerate(here):
            fell = tossed(key, f"{sessions} {n}", {each.name: each.rate() for each in moment})
            thrown = []
            for lesson in moment:
                coin = fell[lesson.name]
                injected = coin.arm == INJECTED
                struck = chance.random() < (lesson.given if injected else lesson.base)
                loss = chance.choice(LOSSES) if struck else 0.0
                cost += 0.0 if injected else lesson.base - lesson.given
                lesson.settle(coin.probability, injected, loss, week)
                thrown.append(Trial("", lesson.name, "", coin.probability, coin.arm, "", loss=loss))
            for each in one_by_one(thrown) if not alone else ():
                pool.add(each.h, each.arm == INJECTED, each.loss)
            if word == NOT_YET_KNOWN and not alone:
                said = (w for w in SIDES if pool.log_e(SIDES[w]) >= TOGETHER_BAR)
                word = next(said, word)
                at = week if word in SIDES else 0
        if lessons[0].week if alone else word != NOT_YET_KNOWN and world is not NOTHING:
            break
    return word, at, lessons, cost / sessions * SESSIONS


def verdict_on_first(seed: int, rates: tuple[float, float]) -> int:
    """The week in which one lesson among those of the rich mix had its true verdict within two years, or 0."""
    first = live(seed, [rates, *RICH[1:]], 104, alone=True)[2][0]
    return first.week if first.word == (HELPS if rates[1] < rates[0] else HARMS) else 0


def median(weeks: list[int], by: int) -> tuple[float, str]:
    """The median week of a true statement; in words with its 95 % interval by ranks and how many had one by a week."""
    ranked = sorted(each or inf for each in weeks)
    n, half = len(ranked), 0.98 * len(ranked) ** 0.5
    middle = (ranked[(n - 1) // 2] + ranked[n // 2]) / 2
    ends = ranked[max(0, int(n / 2 - half))], middle, ranked[min(n - 1, int(n / 2 + half))]
    low, mid, high = ("never" if each == inf else f"{each:g}" for each in ends)
    return middle, f"{mid} [{low}, {high}] ({sum(each <= by for each in ranked)} of {n} by {by})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--developers", type=int, default=100)
    parser.add_argument("--null", type=int, default=100)
    asked = parser.parse_args()
    seeds = range(asked.developers)
    found = [[live(seed, world, 60) for seed in seeds] for world in (RICH, REAL)]
    weeks = [[at * (word == HELPS) for word, at, _, _ in some] for some in found]
    weeks.append([verdict_on_first(seed, ONE[0]) for seed in seeds])
    names = ("lessons together, rich mix", "lessons together, rates as recorded", "one .5 → .2")
    print("| what | weeks | bound | |\n|---|---|---|---|")
    good = True
    for name, each, bound in zip(names, weeks, BOUNDS):
        middle, said = median(each, bound)
        good &= middle <= bound
        print(
            f"| {name} | {said} | {bound} | {'PASS' if middle <= bound else 'FAIL'} |", flush=True
        )
    for rates in ONE[1:]:
        said = median([verdict_on_first(seed, rates) for seed in seeds], 52)[1]
        print(f"| one {rates[0]:g} → {rates[1]:g} | {said} | | |", flush=True)
    costs = " / ".join(f"{sum(cost for *_, cost in some) / len(some):.1f}" for some in found)
    print(f"\nProblems a week that leaving out costs, rich / recorded: {costs}.")
    useless = [live(seed, NOTHING, 26) for seed in range(asked.null)]
    wrong = sum(word != NOT_YET_KNOWN for word, *_ in useless)
    called = [each.word in SIDES for _, _, lessons, _ in useless for each in lessons]
    print(
        f"No effect, {asked.null} developers, 26 weeks: {wrong} false statements about the lessons together;"
        f" {sum(called)} of {len(called)} lessons called."
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
