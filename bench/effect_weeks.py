"""How many weeks until something true can be said: one developer, fifty sessions a week, twenty-five lessons, each relevant in one of eight.

    python bench/effect_weeks.py [--developers 60] [--null 200]

The coins, rates, bounds and bets are the product's (`trial.coin`, `trial.effect`, `trial.overall`); what agents do is drawn. Losses are spread as on
recorded sessions: of what fails 20 % is given up, 40 % worked around or cured in one or two calls, the rest takes three to eight. The bounds on leaving
out are switched off one by one, so that what each costs is seen.
"""

from __future__ import annotations

import argparse
import random
import sys
from math import exp, log
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from tacit.core.profile_toml import standard
from tacit.trial import coin as coins
from tacit.trial.effect import HARMS, HELPS, NOT_YET_KNOWN, RARE, SHARES, bets, is_rare
from tacit.trial.overall import TOGETHER
from tacit.trial.table import Counts

SESSIONS, RELEVANT = 50, 1 / 8
RICH = [(0.5, 0.2)] * 7 + [(0.3, 0.1)] * 6 + [(0.15, 0.03)] * 3 + [(0.3, 0.3)] * 6 + [(0.2, 0.4)] * 3
# Of 42 real lessons with twenty units or more 6 strike in 20 of 100 sessions or more, 34 in fewer than 10, half of them never again.
REAL = (
    [(0.5, 0.2), (0.3, 0.1), (0.25, 0.1), (0.2, 0.05), (0.15, 0.05), (0.1, 0.03)]
    + [(0.06, 0.02)] * 7
    + [(0.01, 0.005)] * 8
    + [(0.05, 0.05)] * 4
)
NOTHING = [(rate, rate) for rate in (0.5, 0.3, 0.25, 0.2, 0.15, 0.1, *[0.06] * 7, *[0.01] * 8, *[0.05] * 4)]
LOSSES = [1.0] * 20 + [0.125] * 20 + [0.25] * 20 + [k / 8 for k in (3, 4, 5, 6, 7) for _ in range(8)]
DEFAULT = standard("default").trial
BAR, TOGETHER_BAR = log(40.0), log(2 / TOGETHER)
WAYS = ("as it is", "without the bound per session", "without the bound per lesson", "without either, rare at .30")


class Purse:
    """Half on occurrence, half on loss, on either side."""

    def __init__(self) -> None:
        self.wealth = {(side, plain): [0.0] * len(SHARES) for side in ("help", "harm") for plain in (True, False)}

    def add(self, h: float, injected: bool, loss: float) -> None:
        for (side, plain), mine in self.wealth.items():
            for i, factor in enumerate(bets(h, 0.0, side, injected, 1.0 if plain and loss else loss)):
                mine[i] += factor

    def log_e(self, side: str) -> float:
        both = [*self.wealth[side, True], *self.wealth[side, False]]
        peak = max(both)
        return peak + log(
            sum(share * exp(each - peak) for share, each in zip((*SHARES, *SHARES), both)) / (2 * sum(SHARES))
        )


class Lesson:
    def __init__(self, base: float, given: float) -> None:
        self.base, self.given, self.purse = base, given, Purse()
        self.counts, self.units, self.word, self.week = Counts(), 0, NOT_YET_KNOWN, 0

    def rate(self, pool: bool, way: str) -> float:
        units = 0 if "lesson" in way or "either" in way else self.units
        word = NOT_YET_KNOWN if "either" in way and self.word == RARE else self.word
        return coins.rate_for(
            state="provisional", klass="pitfall", severity="", pinned=False, verdict=word, on_page=False, belief_help=0.0,
            belief_harm=0.0, units=units, settings=DEFAULT, pool=pool,
        ).value  # fmt: skip

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
        if self.word in (NOT_YET_KNOWN, RARE):
            for word, side in ((HELPS, "help"), (HARMS, "harm")):
                if self.purse.log_e(side) >= BAR:
                    self.word, self.week = word, week
                    return
            self.word = RARE if is_rare({h: self.counts}) else NOT_YET_KNOWN


def live(
    seed: int, world: list[tuple[float, float]], weeks: int, way: str, *, alone: bool = False, session: int = SESSIONS
) -> dict[str, object]:
    """One developer: the week of the first statement about the lessons together, whether it is true, and what leaving out cost."""
    chance = random.Random(seed)
    lessons = [Lesson(*each) for each in world]
    pool, word, at = Purse(), NOT_YET_KNOWN, 0
    cost = left_out = tossed = given = 0.0
    for n in range(weeks * session):
        week = n // session + 1
        here = [each for each in lessons if each.word != HARMS and chance.random() < RELEVANT]
        chance.shuffle(here)
        missing = 0
        for rank, lesson in enumerate(here):
            h = lesson.rate(word != NOT_YET_KNOWN, way)
            if coins.is_spared(rank, missing) and "session" not in way and "either" not in way:
                given += 1
                continue
            injected = chance.random() >= h
            missing += not injected
            struck = chance.random() < (lesson.given if injected else lesson.base)
            loss = chance.choice(LOSSES) if struck else 0.0
            tossed += 1
            left_out += not injected
            cost += 0.0 if injected else lesson.base - lesson.given
            lesson.settle(h, injected, loss, week)
            pool.add(h, injected, loss)
            if word == NOT_YET_KNOWN:
                word = (
                    HELPS
                    if pool.log_e("help") >= TOGETHER_BAR
                    else HARMS
                    if pool.log_e("harm") >= TOGETHER_BAR
                    else word
                )
                at = week if word != NOT_YET_KNOWN else 0
        if (alone and lessons[0].word != NOT_YET_KNOWN and lessons[0].week) or (
            not alone and word != NOT_YET_KNOWN and world is not NOTHING
        ):
            break
    return {
        "word": word,
        "week": at,
        "lessons": lessons,
        "cost": cost / max(1, n + 1) * session,
        "left": left_out / max(1, n + 1),
    }


def median(weeks: list[int], never: int) -> float:
    ranked = sorted(each or never for each in weeks)
    return (ranked[(len(ranked) - 1) // 2] + ranked[len(ranked) // 2]) / 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--developers", type=int, default=60)
    parser.add_argument("--null", type=int, default=200)
    parser.add_argument("--ways", type=int, default=len(WAYS))
    asked = parser.parse_args()
    print(
        "| leaving out | rich mix: weeks (by 8) | real rates: weeks (by 20) | .5→.2 alone: weeks (by 18) | problems a week it costs, rich / real |\n|---|---|---|---|---|"
    )
    for way in WAYS[: asked.ways]:
        rich = [live(seed, RICH, 30, way) for seed in range(asked.developers)]
        real = [live(seed, REAL, 60, way) for seed in range(asked.developers)]
        single = [live(seed, [(0.5, 0.2), *RICH[1:]], 60, way, alone=True) for seed in range(asked.developers)]
        row = []
        for found, bound, never in ((rich, 8, 31), (real, 20, 61)):
            true = [int(each["week"]) if each["word"] == HELPS else 0 for each in found]  # type: ignore[call-overload]
            row.append(f"{median(true, never):g} ({sum(0 < week <= bound for week in true)} of {len(true)})")
        alone = [each["lessons"][0].week if each["lessons"][0].word == HELPS else 0 for each in single]  # type: ignore[index]
        row.append(f"{median(alone, 61):g} ({sum(0 < week <= 18 for week in alone)} of {len(alone)})")
        row.append(
            " / ".join(f"{sum(float(each['cost']) for each in found) / len(found):.1f}" for found in (rich, real))
        )  # type: ignore[arg-type]
        print(f"| {way} | {' | '.join(row)} |", flush=True)
    if asked.null:
        wrong = lesson_wrong = lessons = 0
        for seed in range(asked.null):
            found = live(seed, NOTHING, 26, WAYS[0])
            wrong += found["word"] != NOT_YET_KNOWN
            lesson_wrong += sum(each.word in (HELPS, HARMS) for each in found["lessons"])  # type: ignore[attr-defined]
            lessons += len(found["lessons"])  # type: ignore[arg-type]
        print(
            f"\nNo effect, {asked.null} developers, 26 weeks: {wrong} false statements about the lessons together; {lesson_wrong} of {lessons} lessons called."
        )


if __name__ == "__main__":
    main()
