"""Who is given a lesson: the coin of the trial.

At a lesson's moment it is injected or withheld by a keyed hash of the unit and the lesson's family: the same on every
surface, foreseen by nobody without the store's key. The probability of being withheld is stored with the use, and a
recorded assignment wins over a recomputed one.

A unit is the root run with its retries, sub-agents and resumptions. A family is one subject: a lesson with its
near-duplicates, the parts of one decision. Of one moment one subject is drawn, by its rate, then tossed: never more
than one is left out. The product of both chances is recorded.
"""

from __future__ import annotations

from tacit.core.digest import keyed
from tacit.core.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

INJECTED = "injected"
WITHHELD = "withheld"

RARE = "rare"  # of a lesson's verdicts the one that claims nothing: its problem seldom strikes
MOST = 0.60  # how often a moment may go without one of its subjects: twice the usual rate
LOW_RATE = 0.15  # where a problem is rare, or a lesson known to help: little is left to learn


@value
class Assignment:
    """Where the coin of one unit and family fell."""

    arm: str  # injected or withheld
    probability: float  # h: how probable "withheld" was


@value
class Rate:
    """How often what is drawn is left out, and why: 0 is never."""

    value: float
    reason: str


def rate_for(*, own: str, verdict: str, rate: float) -> Rate:
    """The rate of a subject. `own` says why nobody tosses it: a person's word, a page that the host loads, a class
    without a problem. `rate` is that of what is on trial; of a way of remembering that holds no trials it is 0."""
    if rate <= 0.0:
        return Rate(0.0, "exempt: no trials are held here")
    if own:
        return Rate(0.0, f"exempt: {own}")
    if verdict in (RARE, "helps"):
        return Rate(min(rate, LOW_RATE), f"verdict {verdict}")
    return Rate(rate, "on trial")


def assign(key: bytes, unit: str, family: str, rate: float) -> Assignment:
    """The arm of a subject that is alone in its moment; the same arguments give the same answer on every machine."""
    return Assignment(WITHHELD if _coin(key, f"{unit}\0{family}") < rate else INJECTED, rate)


def tossed(key: bytes, unit: str, rates: Mapping[str, float]) -> dict[str, Assignment]:
    """The arms of all subjects of one moment: one is drawn, each as often as its rate is high, and that one is tossed.

    So each is left out at its own rate while these add up to no more than `MOST`, and beyond that all of them more
    rarely, in the same proportion.
    """
    every = sum(rates.values())
    if every <= 0.0:
        return {family: Assignment(INJECTED, 0.0) for family in rates}
    ranked = sorted(rates)
    left = _coin(key, "\0".join((unit, "drawn", *ranked))) * every
    drawn = ranked[-1]
    for family in ranked:
        left -= rates[family]
        if left < 0.0:
            drawn = family
            break
    arm = assign(key, unit, drawn, min(every, MOST)).arm
    share = min(1.0, MOST / every)
    return {
        family: Assignment(arm if family == drawn else INJECTED, round(rate * share, 9))
        for family, rate in rates.items()
    }


def _coin(key: bytes, message: str) -> float:
    return int.from_bytes(keyed(key, message.encode("utf-8", "surrogatepass"))[:8], "big") / 2**64
