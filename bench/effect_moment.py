"""Is less work taken for help, or more of it for harm? Memories of eight lessons whose truth is known, with the moment of each coin and without.

    python bench/effect_moment.py [--memories 200]

The purses are the product's (`trial.overall`); what agents do is drawn. Told agents leave a share of their work undone, or do more of it; who does the work
meets the problem as often, told or not, but where a row says otherwise. `the problem alone` asks as if every session had come to its moment.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from tacit.core.value import replace
from tacit.trial.effect import HARMS, HELPS
from tacit.trial.overall import whole_memory
from tacit.trial.table import Trial

LOSSES = (
    [1.0] * 20 + [0.125] * 20 + [0.25] * 20 + [k / 8 for k in (3, 4, 5, 6, 7) for _ in range(8)]
)


class Way(NamedTuple):
    name: str
    sessions: int
    comes: float  # share of the sessions that come to a lesson's moment untold
    rates: tuple[float, float]  # of the problem where the work is done: untold, told
    undone: tuple[float, float] = (
        0.0,
        0.0,
    )  # what told agents leave out of what would pass, and of what would fail
    more: float = 0.0  # of the sessions that would not come to it, those in which told agents do
    share: int = 1  # of the memories that are asked for, one in so many


WAYS = (
    Way("half left undone (4a)", 60, 0.25, (0.4, 0.4), (0.5, 0.5)),
    Way("half left undone, four times as long", 240, 0.25, (0.4, 0.4), (0.5, 0.5), share=4),
    Way("half left undone, a rare problem", 240, 0.5, (0.1, 0.1), (0.5, 0.5), share=4),
    Way(
        "what would fail is left undone four times as often",
        60,
        0.25,
        (0.4, 0.4),
        (0.2, 0.8),
        share=2,
    ),
    Way(
        "half of what would fail is left undone, nothing else",
        120,
        0.5,
        (0.4, 0.4),
        (0.0, 0.5),
        share=2,
    ),
    Way("half as much again is done", 120, 0.25, (0.4, 0.4), more=0.5, share=4),
    Way("helps, every session comes to it", 60, 1.0, (0.5, 0.2), share=8),
    Way("helps, half of them do", 150, 0.5, (0.5, 0.2), share=8),
    Way("helps, one in eight does", 500, 0.125, (0.5, 0.2), share=8),
)


def coins(way: Way, seed: int) -> list[Trial]:
    """The settled coins of one memory."""
    chance, found = random.Random(seed), []
    for n in range(8 * way.sessions):
        told = chance.random() >= 0.3
        struck = chance.random() < way.rates[told]
        came = chance.random() < way.comes
        if told and came:
            came = chance.random() >= way.undone[struck]
        elif told:
            came = chance.random() < way.more
        arm, outcome = (
            "injected" if told else "withheld",
            "occurred" if struck and came else "not_occurred",
        )
        lesson, loss = str(n % 8), chance.choice(LOSSES)
        found.append(Trial(str(n // 8), lesson, lesson, 0.3, arm, outcome, loss=loss, came=came))
    return found


def claims(memories: list[list[Trial]]) -> str:
    """How many memories were called what, and at which session in the middle."""
    said = [whole_memory(each) for each in memories]
    parts = []
    for word in (HELPS, HARMS):
        at = sorted(each.run or 0 for each in said if each.verdict.word == word)
        parts += (
            [f"{word} {len(at)}" + (f" (session {at[len(at) // 2]})" if len(at) > 1 else "")]
            if at
            else []
        )
    return f"{', '.join(parts) or 'nothing'} of {len(said)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memories", type=int, default=200)
    asked = parser.parse_args()
    print("| told agents | the problem alone | with its moment |\n|---|---|---|")
    for way in WAYS:
        memories = [coins(way, seed) for seed in range(asked.memories // way.share)]
        blind = [[replace(coin, came=True) for coin in each] for each in memories]
        print(f"| {way.name} | {claims(blind)} | {claims(memories)} |", flush=True)


if __name__ == "__main__":
    main()
