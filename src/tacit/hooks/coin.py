"""Which of the chosen lessons are given and which withheld.

This comes after the choice, so that a withheld lesson leaves its place empty: otherwise the two arms would differ in
two lessons. What was once assigned in a unit stays so on every surface. Near-twins share one assignment, since apart
they would hide each other's effect, and so do the parts of a decision, which nobody can use by halves: they are one
subject, and of a moment one subject at most is left out. What is about one subject is given the first time without a
coin: it may never be asked for again. What is exempt is given without a coin and is part of no table.
"""

from __future__ import annotations

from tacit.core.value import value
from tacit.lesson import WAY, family_of, why_untossed
from tacit.trial.coin import WITHHELD, rate_for, tossed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tacit.core.value import Section
    from tacit.lesson import Kept
    from tacit.store.moments import Use
    from tacit.trial.coin import Rate

EXEMPT = "exempt"


@value
class Assigned:
    """Where one memory stands in one unit."""

    memory: str
    family: str
    arm: str  # injected, withheld or exempt
    probability: float  # of being withheld, when the coin fell
    reason: str
    recorded: bool = False  # this very memory was assigned in this unit before
    # withheld here, and given all the same because a person asked for no trial
    crossed: bool = False

    @property
    def given(self) -> bool:
        """Whether the agent is told."""
        return self.arm != WITHHELD or self.crossed


def assignments(
    memories: Iterable[Kept],
    recorded: Sequence[Use],
    *,
    key: bytes,
    unit: str,
    settings: Section,
    trial: bool = True,
    cured: Mapping[str, Kept] | None = None,
) -> list[Assigned]:
    """One assignment for each memory of a moment, in their order: the recorded one, its family's, none if exempt, or a coin.

    `cured` has the lessons whose cure a command tells, by their ids: such a command is on trial while they are, with
    their coin.
    """
    memories = list(memories)
    own = {use.memory: use for use in recorded}
    known = {use.family: use for use in recorded if use.arm != EXEMPT}
    first = _told_first(memories) - {*known}
    rates = {
        memory.id: _rate((cured or {}).get(tells_cure_of(memory), memory), settings)
        for memory in memories
    }

    def exempt(memory: Kept) -> str:
        """Why nobody tosses for it here; empty where a coin decides."""
        if not trial:
            return "no trial was asked for"
        if rates[memory.id].value <= 0.0:
            return rates[memory.id].reason
        return "told for the first time" if family_of(memory) in first else ""

    fresh = [each for each in memories if each.id not in own and not exempt(each)]
    subjects = {family_of(each): rates[each.id].value for each in reversed(fresh)}
    subjects = {family: rate for family, rate in subjects.items() if family not in known}
    is_short = any(_left_out(memory, own, known) for memory in memories)
    coins = {} if is_short else tossed(key, unit, subjects)

    def assigned(memory: Kept) -> Assigned:
        family, use = family_of(memory), own.get(memory.id)
        if use is not None:
            crossed = use.arm == WITHHELD and not trial
            return Assigned(
                memory.id, use.family, use.arm, use.probability, "as recorded", True, crossed
            )
        if why := exempt(memory):
            return Assigned(memory.id, family, EXEMPT, 0.0, why)
        if twin := known.get(family):
            return Assigned(memory.id, family, twin.arm, twin.probability, "as its family")
        coin = coins.get(family)
        if coin is None:
            return Assigned(
                memory.id, family, EXEMPT, 0.0, "another one is left out at this moment"
            )
        return Assigned(memory.id, family, coin.arm, coin.probability, rates[memory.id].reason)

    return [assigned(memory) for memory in memories]


def _told_first(memories: Iterable[Kept]) -> set[str]:
    """The decisions of which a part is told for the first time: it brings the whole."""
    return {
        family_of(each)
        for each in memories
        if not each.signals.get("uses") and each.about not in ("", WAY)
    }


def _left_out(memory: Kept, own: Mapping[str, Use], known: Mapping[str, Use]) -> bool:
    """Whether this unit goes without it already."""
    use = own.get(memory.id) or known.get(family_of(memory))
    return use is not None and use.arm == WITHHELD


def tells_cure_of(memory: Kept) -> str:
    """The lesson whose cure a command is; empty for other lessons."""
    return memory.family if memory.klass == "command" else ""


def is_exempt(memory: Kept, settings: Section) -> bool:
    """Whether a lesson is given to everybody: only such a one may stand where no coin is thrown."""
    return _rate(memory, settings).value <= 0.0


def _rate(memory: Kept, settings: Section) -> Rate:
    return rate_for(
        own=why_untossed(memory, settings.exempt), verdict=memory.verdict, rate=settings.rate
    )
