"""Before anything runs: which pairs in which order, what they will cost, what they can tell, and when to stop.

The order of tasks and the order of the two arms of a pair are coins of a key that is drawn once and kept with the replay, so that a replay
that was killed goes on with exactly the pairs it would have had.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.core.digest import digest
from tacit.core.errors import UsageError
from tacit.core.value import value
from tacit.replay.bets import hopeless, power, settled_verdict

if TYPE_CHECKING:
    from tacit.replay.bets import PairsSoFar, Power
    from tacit.replay.tasks import Task

GIVEN, WITHOUT = "given", "without"
# at most, unless told otherwise: an effect of .8 → .3 is found in 97 %, and a useless lesson called something in under 2 %
MOST_PAIRS = 40
# True effects whose power a plan tells: how often the problem strikes without the lesson and with it, in tasks that met it once.
_EFFECTS = ((0.9, 0.2), (0.8, 0.3), (0.5, 0.2))
UNREACHED = (
    2  # pairs whose run with the lesson was never given it, after which something is not connected
)
VOID = 3  # pairs in a row that told nothing, after which going on is a waste


@value
class Budget:
    """What a replay may use; 0: as much as it takes."""

    usd: float = 0.0
    tokens: int = 0
    seconds: float = 0.0


@value
class Spent:
    """What runs have used."""

    runs: int = 0
    usd: float = 0.0
    tokens: int = 0
    seconds: float = 0.0


@value
class Estimate:
    """What a pair is expected to use, and all planned pairs; None where the past runs do not tell."""

    pairs: int
    usd: float | None
    tokens: int | None
    seconds: float | None
    powers: tuple[Power, ...]


@value
class Pair:
    """What two runs of one task came to; a loss is None where nothing could tell."""

    number: int
    task: str
    given: float | None
    without: float | None

    @property
    def difference(self) -> float | None:
        """The loss with the lesson minus the loss without; negative is good."""
        return None if self.given is None or self.without is None else self.given - self.without


@value
class Stop:
    """Whether to go on, and why not."""

    stops: bool
    reason: str = ""


def scheduled(tasks: Sequence[Task], key: bytes, number: int) -> tuple[Task, tuple[str, str]]:
    """The task of a pair, counted from 1, and its arms in the order in which they run. Every task has its turn before one comes again."""
    turn, at = divmod(number - 1, len(tasks))
    order = sorted(tasks, key=lambda task: digest("replay order", key.hex(), str(turn), task.id))
    first = digest("replay coin", key.hex(), str(number))[0] & 1
    return order[at], (GIVEN, WITHOUT) if first else (WITHOUT, GIVEN)


def estimate(tasks: Sequence[Task], pairs: int) -> Estimate:
    """What so many pairs cost, by what the tasks cost the first time, and what they can tell."""

    def mean(found: list[float]) -> float | None:
        told = [each for each in found if each]
        return 2 * pairs * sum(told) / len(told) if told else None

    tokens = mean([float(task.tokens) for task in tasks])
    return Estimate(
        pairs,
        mean([task.usd for task in tasks]),
        None if tokens is None else round(tokens),
        mean([task.seconds for task in tasks]),
        tuple(power(without, given, pairs) for without, given in _EFFECTS),
    )


def another_pair(
    pairs: Sequence[Pair],
    planned: int,
    spent: Spent,
    budget: Budget,
    reached: Sequence[bool] = (),
    whole: bool = False,
) -> Stop:
    """Whether another pair is run. `reached` says of each run with the lesson whether it was given it; `whole` asks
    for all planned pairs, for their figures, also where no verdict can come any more."""
    told = [each.difference for each in pairs if each.difference is not None]
    standing = settled_verdict(told)
    if standing.decided:
        return Stop(True, f"the verdict is there: {standing.word}")
    if len(reached) >= UNREACHED and not any(reached):
        return Stop(
            True, "the lesson never reached the agent; see docs/replay.md, How the lesson is given"
        )
    if len(pairs) >= planned:
        return Stop(True, f"all {planned} planned pairs were run")
    if len(pairs) >= VOID and all(each.difference is None for each in pairs[-VOID:]):
        return Stop(True, f"the last {VOID} pairs told nothing")
    # Who asks for fewer pairs than a verdict takes wants to see them all the same.
    if not whole and not hopeless([], planned) and hopeless(told, planned - len(pairs)):
        return Stop(True, f"no verdict can come any more within {planned} pairs")
    if over := _over(spent, budget, len(pairs)):
        return Stop(True, over)
    return Stop(False)


def _over(spent: Spent, budget: Budget, pairs: int) -> str:
    """Why the next pair may not fit: what pairs took so far is what the next one is taken to need."""
    share = (pairs + 1) / pairs if pairs else 1.0
    for name, used, most in (
        ("usd", spent.usd, budget.usd),
        ("tokens", float(spent.tokens), float(budget.tokens)),
        ("seconds", spent.seconds, budget.seconds),
    ):
        if most and used * share > most:
            return f"the next pair would go beyond the budget of {most:g} {name} ({used:.4g} used)"
    if budget.usd and pairs and not spent.usd:
        return "the budget is in money, and this agent does not tell what it costs; name tokens or hours instead"
    if budget.tokens and pairs and not spent.tokens:
        return "the budget is in tokens, and this agent does not tell how many it takes; name hours instead"
    return ""


_PART = re.compile(
    r"\s*\$?(\d+(?:\.\d+)?)\s*(k|m)?\s*(usd|\$|tok|tokens?|h|hours?|min|minutes?|s|seconds?)\s*",
    re.IGNORECASE,
)


def parsed_budget(text: str) -> Budget:
    """`20usd,8h`, `3Mtok`, `90min`: one or several, with commas between."""
    found: dict[str, float] = {}
    for part in text.split(",") if text.strip() else ():
        matched = _PART.fullmatch(part) or _PART.fullmatch(part.strip().removeprefix("$") + "usd")
        if matched is None:
            raise UsageError(
                f"{part.strip()!r} is not a budget.",
                "For instance --budget 20usd,8h or --budget 3Mtok.",
            )
        amount = float(matched[1]) * {"k": 1e3, "m": 1e6}.get((matched[2] or "").lower(), 1)
        unit = matched[3].lower()
        if unit in ("usd", "$"):
            found["usd"] = amount
        elif unit.startswith("tok"):
            found["tokens"] = amount
        else:
            found["seconds"] = amount * {"h": 3600, "m": 60}.get(unit[0], 1)
    return Budget(found.get("usd", 0.0), round(found.get("tokens", 0)), found.get("seconds", 0.0))


def spent_on(arms: Sequence[Mapping[str, float]]) -> Spent:
    """What finished runs used, added up."""
    return Spent(
        len(arms),
        sum(each.get("usd") or 0.0 for each in arms),
        int(sum(each.get("tokens") or 0 for each in arms)),
        sum(each.get("seconds") or 0.0 for each in arms),
    )


def standing_of(pairs: Sequence[Pair]) -> PairsSoFar:
    """What all pairs say that told something."""
    return settled_verdict([each.difference for each in pairs if each.difference is not None])
