"""Who is given a lesson: the coin of the trial.

At a lesson's moment it is injected or withheld by a keyed hash of the unit and the lesson's family. So the arm is the
same on every surface and after every crash, nobody without the store's key can foresee it, and nothing the run does
can change it. The probability of being withheld is stored with the use: a recorded assignment always wins over a
recomputed one, since rates and families change and an open run must not flip.

A unit is the root run with its retries, sub-agents and resumptions. A family is one subject: a lesson with its
near-duplicates, the parts of one decision; it has one coin. Of one moment one subject is drawn first, then tossed, so
never more than one of a moment is left out; the product of both chances is the probability that is recorded.
"""

from __future__ import annotations

from tacit.core.digest import keyed
from tacit.core.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

INJECTED = "injected"
WITHHELD = "withheld"

RARE = "rare"  # of a lesson's verdicts the one that claims nothing: its problem seldom strikes
DRAWN = 2  # by how much more what is drawn from several is tossed; at the usual rate .60, which one moment may cost
LOW_RATE = (
    0.15  # where a problem is rare, or a lesson is known to help: what is left to learn is little
)


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
    """The rate of a subject, from facts that stand before the toss.

    `own` says why nobody tosses it: a person's word, a page that the host loads, a class without a problem. `rate`
    is that of what is on trial; of a way of remembering that holds no trials it is 0.
    """
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
    """The arms of all subjects of one moment: one is drawn, and that one is tossed.

    Alone at its rate; drawn from several at twice its rate, for it is the only one. So each of two is left out as
    often as if it were alone, and each of more the more rarely.
    """
    if not rates:
        return {}
    drawn = _drawn(key, unit, rates)
    found = {}
    for family, alone in rates.items():
        rate = alone * min(len(rates), DRAWN)
        arm = assign(key, unit, family, rate).arm if family == drawn else INJECTED
        found[family] = Assignment(arm, round(rate / len(rates), 9))
    return found


def _drawn(key: bytes, unit: str, families: Iterable[str]) -> str:
    """Which subject of a moment is tossed: each with the same chance, whatever their order."""
    ranked = sorted(families)
    place = _coin(key, "\0".join((unit, "drawn", *ranked)))
    return ranked[int(place * len(ranked))]


def _coin(key: bytes, message: str) -> float:
    return int.from_bytes(keyed(key, message.encode("utf-8", "surrogatepass"))[:8], "big") / 2**64
