"""Which of the chosen lessons are given and which withheld.

This comes after the choice, so that a withheld lesson leaves its place empty: otherwise the two arms would differ in
two lessons. What was once assigned in a unit stays so on every surface; near-twins share one assignment, since apart
they would hide each other's effect, and so do the parts of a decision, which nobody can use by halves. What is about one subject
is given the first time without a coin: it may never be asked for again. What is exempt is given without a coin and is part of no
table.
"""

from __future__ import annotations

from tacit.core.links import CONFIRMED, IN_EPOCH, INSTRUCTED, UNTOLD, Use
from tacit.core.memory import VERDICTS, WAY, family_of
from tacit.core.value import value
from tacit.trial.coin import WITHHELD, assign, is_spared, rate_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tacit.core.memory import Memory
    from tacit.core.value import Section
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
    blank: bool = False
    recorded: bool = False  # this very memory was assigned in this unit before
    crossed: bool = (
        False  # withheld here, and given all the same because a person asked for no trial
    )

    @property
    def given(self) -> bool:
        """Whether the agent is told."""
        return self.arm != WITHHELD or self.crossed


def assignments(
    memories: Iterable[Memory],
    recorded: Sequence[Use],
    *,
    key: bytes,
    unit: str,
    settings: Section,
    trial: bool = True,
    epoch: str = "",
    cured: Mapping[str, Memory] | None = None,
    pool: bool = False,
) -> list[Assigned]:
    """One assignment for each memory, in their order: the recorded one, its family's, none if exempt, or a coin.

    `cured` has the lessons whose cure a command tells, by their ids: such a command is on trial while they are, with their coin.
    `pool` says that the project's lessons together have a verdict.
    """
    by_memory = {use.memory: use for use in recorded}
    families: dict[str, Assigned] = {
        use.family: Assigned(
            use.memory, use.family, use.arm, use.probability, "as its family", use.blank
        )
        for use in recorded
        if use.arm != EXEMPT
    }
    left_out = sum(use.arm == WITHHELD and not use.blank for use in recorded)
    found: list[Assigned] = []
    memories = list(memories)
    # a part that is told for the first time brings its whole decision, unless that was tossed in this unit already
    first = {
        family_of(each) for each in memories if not each.tally.uses and each.about not in ("", WAY)
    } - {*families}
    for rank, memory in enumerate(memories):
        family = family_of(memory)
        use = by_memory.get(memory.id)
        if use is not None:
            crossed = use.arm == WITHHELD and not trial
            found.append(
                Assigned(
                    memory.id,
                    use.family,
                    use.arm,
                    use.probability,
                    "as recorded",
                    use.blank,
                    True,
                    crossed,
                )
            )
            continue
        if not trial:
            found.append(Assigned(memory.id, family, EXEMPT, 0.0, "no trial was asked for"))
            continue
        rate = _rate((cured or {}).get(tells_cure_of(memory), memory), settings, epoch, pool)
        if rate.value <= 0.0:
            found.append(Assigned(memory.id, family, EXEMPT, 0.0, rate.reason))
            continue
        twin = families.get(family)
        if family in first:
            found.append(Assigned(memory.id, family, EXEMPT, 0.0, "told for the first time"))
        elif twin is None and is_spared(rank, left_out):
            found.append(
                Assigned(
                    memory.id,
                    family,
                    EXEMPT,
                    0.0,
                    "another one is left out of this session already",
                )
            )
        elif twin is None:
            coin = assign(key, unit, family, rate.value)
            twin = Assigned(memory.id, family, coin.arm, coin.probability, rate.reason)
            families[family] = twin
            left_out += coin.arm == WITHHELD
            found.append(twin)
        else:
            found.append(
                Assigned(memory.id, family, twin.arm, twin.probability, "as its family", twin.blank)
            )
    return found


def tells_cure_of(memory: Memory) -> str:
    """The lesson whose cure a command is; empty for other lessons."""
    return memory.family if memory.klass == "command" else ""


def is_exempt(memory: Memory, settings: Section) -> bool:
    """Whether a lesson is given to everybody: only such a one may stand where no coin is thrown."""
    return _rate(memory, settings).value <= 0.0


def _rate(memory: Memory, settings: Section, epoch: str = "", pool: bool = False) -> Rate:
    """By the verdict in the epoch of the run that asks, where there is one; else by what the lesson's epochs agree on."""
    signals = memory.tally.signals or {}
    here = signals.get(f"{IN_EPOCH}{epoch}")
    return rate_for(
        state=memory.state,
        klass=memory.klass,
        severity=memory.severity,
        pinned=memory.pinned,
        verdict=memory.verdict if here is None else VERDICTS[int(here) - 1],
        on_page=memory.on_page or bool(signals.get(INSTRUCTED)),
        belief_help=memory.tally.belief or 0.0,
        belief_harm=signals.get("belief_harm", 0.0),
        units=int(signals.get("units", 0)),
        settings=settings,
        word=str((memory.extra or {}).get("word") or ""),
        trust=memory.trust,
        confirmed=bool(signals.get(CONFIRMED)),
        untold=int(signals.get(UNTOLD, 0)),
        seen=memory.tally.seen,
        pool=pool,
    )
