"""How a lesson that nobody meets loses strength: a function of what is written down, not a job that rewrites it.

Silence says something only where somebody could have spoken: a lesson ages in runs that could have met or used it (`fade.exposure`), and
days are a second clock beside them. A project that rests forgets nothing.

    none         nothing fades
    days         strength halves with every `stale_days` unmet
    exponential  joelclaw: exp(-rate x days), halved again once it is stale
    runs         ArcheFlow: every ten runs unmet take one off its frequency

ArcheFlow's frequency is therefore not the count of runs that saw a lesson. It is that count less what fading took, and
what fading took depends on where the sightings stand in the project's sequence of runs. `by_runs` replays that sequence;
what it says was lost is written down as a mark when the loss happens, so that everybody who reads the tally agrees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import exp
from typing import TYPE_CHECKING, Protocol

from tacit.core.links import LOST as LOST
from tacit.core.links import Evidence
from tacit.core.memory import STALE
from tacit.core.value import value

if TYPE_CHECKING:

    class Rules(Protocol):
        """What fading needs of a profile's [fade]."""

        @property
        def function(self) -> str: ...
        @property
        def stale_days(self) -> int: ...


RATE = 0.01  # joelclaw: strength is exp(-rate x days)
UNSEEN_OPENING = "unseen"  # the opening balance: runs without it before it came here


@value
class Faded:
    """What is left of a lesson's count after so many runs."""

    frequency: int
    unseen: int  # runs since it was last seen, or since fading last took one off
    lost: int  # taken off in all


def by_runs(seen: Iterable[int], now: int, step: int, *, opened: int = 0, unseen: int = 0, since: int = 0) -> Faded:
    """ArcheFlow's decay, replayed: `seen` are the numbers of the runs that saw it, `now` the last run that counts.

    `opened` is the count it came with at run `since`, after `unseen` quiet runs; a run that saw it does not age it. A
    lesson at zero stays there until it is seen again. A counter already past the step, as another program may leave it,
    costs one at the next quiet run.
    """
    count, lost, quiet, at = opened, 0, unseen, since
    for place in [*sorted({n for n in seen if n > since}), None]:
        runs = max(0, (now if place is None else min(now, place - 1)) - at)
        first = max(1, step - quiet)
        if runs >= first:
            taken = min(count, 1 + (runs - first) // step)
            count, lost, quiet = count - taken, lost + taken, (runs - first) % step
        else:
            quiet += runs
        if place is not None:
            count, quiet, at = count + 1, 0, place
    return Faded(count, quiet, lost)


def of_evidence(evidence: Iterable[Evidence], now: int, step: int) -> Faded:
    """What is left of a lesson's count by its evidence: opening balances first, then each unit of work that saw it."""
    opened = unseen = since = 0
    seen: dict[str, int] = {}
    for row in evidence:
        if row.stance != "supports":
            continue
        if row.opening and row.signal in ("seen", UNSEEN_OPENING):
            opened += int(row.amount) if row.signal == "seen" else 0
            unseen += int(row.amount) if row.signal == UNSEEN_OPENING else 0
            since = max(since, row.seq)
        elif not row.opening and row.signal == "seen":
            unit = row.root or row.run or row.key
            seen[unit] = min(row.seq, seen.get(unit, row.seq))
    early = sum(1 for n in seen.values() if n <= since)  # seen before it was written down, as what a person adds
    return by_runs(seen.values(), now, step, opened=opened + early, unseen=unseen, since=since)


def strength(rules: Rules, days: float, *, stale: bool = False) -> float:
    """How much of a lesson is left after so many days unmet, between 0 and 1."""
    return FADES[rules.function](rules, max(0.0, days)) * (STALE if stale else 1.0)


def _none(rules: Rules, days: float) -> float:
    return 1.0


def _days(rules: Rules, days: float) -> float:
    return float(0.5 ** (days / rules.stale_days)) if rules.stale_days else 1.0


def _exponential(rules: Rules, days: float) -> float:
    return exp(-RATE * days)


FADES: dict[str, Callable[[Rules, float], float]] = {
    "none": _none,
    "days": _days,
    "exponential": _exponential,
    "runs": _none,  # the frequency fades, not the strength
}
