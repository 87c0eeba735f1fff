"""How soon an effect is seen, beside an oracle that knows both rates and bets with the same coins at the same bar.

Called by `bench/effect.py`. The oracle bets the likelihood ratio of the arm given the outcome, which grows fastest in the long run; at a
few dozen runs bolder stakes may cross sooner. Belief is asked after every unit from the twentieth, as the ladder asks it.
"""

from __future__ import annotations

import numpy as np

import effect_twin as twin
from effect_twin import Floats, Ints
from tacit.core.profile_toml import standard

LOOKS = (20, 40, 60, 100, 200)
HELPERS = ((0.5, 0.2), (0.3, 0.1), (0.2, 0.05), (0.3, 0.2))
USELESS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)


def oracle(cells: Ints, withheld: float, injected: float, h: float) -> Floats:
    """The oracle's wealth after each run."""
    rate = (1 - h) * injected + h * withheld
    factors = np.array([injected / rate, (1 - injected) / (1 - rate), withheld / rate, (1 - withheld) / (1 - rate)])
    wealth: Floats = np.exp(np.cumsum(np.log(factors[cells]), axis=1))
    return wealth


def by_look(first: Ints) -> list[float]:
    """Share of lessons that had crossed by each look."""
    return [float((first <= look).mean()) for look in LOOKS]


def crossed(wealth: Floats, bar: float) -> Ints:
    """The first look at which each lesson's wealth reached the bar."""
    reached = wealth >= bar
    return np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, twin.NEVER)


def believed(cells: Ints) -> Floats:
    """Lesson × run × (help, none, harm): belief after every run."""
    counts = np.stack([np.cumsum(cells == k, axis=1) for k in range(4)], axis=2)
    shape = counts.shape[:2]
    told: Floats = twin.beliefs(counts.reshape(-1, 4))[:, :3].reshape(*shape, 3)
    return told


def out_by(cells: Ints, look: int) -> float:
    """Share of lessons that belief of harm had taken out by a look, asked after each unit as the default profile asks it."""
    rules = standard("default").effect
    harm = believed(cells[:, :look])[:, rules.min_units - 1 :, 2]
    return float((harm >= rules.belief_review).any(axis=1).mean())


def stable_at(cells: Ints, look: int) -> float:
    """Share of lessons that stand as stable by belief at a look: it is revocable, so only what is believed then counts."""
    return float((believed(cells[:, :look])[:, -1, 0] >= standard("default").effect.belief_stable).mean())
