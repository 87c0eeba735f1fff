"""How a lesson that nobody meets loses strength: a function of what is written down, not a job that rewrites it.

Silence says something only where somebody could have spoken: a lesson ages in runs that could have met or used it (`fade.exposure`), and
days are a second clock beside them. A project that rests forgets nothing.

    none         nothing fades
    days         strength halves with every `stale_days` unmet
    exponential  exp(-rate x days), halved again once it is stale
    runs         every so many runs unmet take one off its frequency

Such a frequency is therefore not the count of runs that saw a lesson. It is that count less what fading took, and
what fading took depends on where the sightings stand in the project's sequence of runs. `tacit.origins` replays that sequence;
what it says was lost is written down as a mark when the loss happens, so that everybody who reads the tally agrees.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp
from typing import TYPE_CHECKING, Protocol

from tacit.lesson import STALE

if TYPE_CHECKING:

    class Rules(Protocol):
        """What fading needs of a profile's [fade]."""

        @property
        def function(self) -> str: ...
        @property
        def stale_days(self) -> int: ...
        @property
        def rate(self) -> float: ...


def strength(rules: Rules, days: float, *, stale: bool = False) -> float:
    """How much of a lesson is left after so many days unmet, between 0 and 1."""
    return FADES[rules.function](rules, max(0.0, days)) * (STALE if stale else 1.0)


def _none(rules: Rules, days: float) -> float:
    return 1.0


def _days(rules: Rules, days: float) -> float:
    return float(0.5 ** (days / rules.stale_days)) if rules.stale_days else 1.0


def _exponential(rules: Rules, days: float) -> float:
    return exp(-rules.rate * days)


FADES: dict[str, Callable[[Rules, float], float]] = {
    "none": _none,
    "days": _days,
    "exponential": _exponential,
    "runs": _none,  # the frequency fades, not the strength
}
