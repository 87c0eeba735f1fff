"""Which pairs are run, what they say, and when to stop.

If the lesson does nothing, the two runs of a pair differ by chance alone, and which of them went better is a fair coin: the
bettors of the control group (`trial.evalue`, the same stakes and the same bar) bet on it. A pair in which both fared alike
moves nobody's wealth. Wealth of 2/alpha on one side is a verdict, with a total error of alpha over all looks.

The order of tasks and of the two arms of a pair are coins of a key that is drawn once and kept with the replay, so that a
replay that was killed goes on with exactly the pairs it would have had.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import log, log1p
from typing import TYPE_CHECKING

from tacit.core.digest import digest
from tacit.core.errors import UsageError
from tacit.core.value import value
from tacit.trial.evalue import ALPHA, HARMS, HELPS, NOT_YET_KNOWN, STAKES, finite, log_mean

if TYPE_CHECKING:
    from tacit.replay.tasks import Task

GIVEN, WITHOUT = "given", "without"
MOST_PAIRS = 40  # unless told otherwise: an effect of .8 → .3 is found in 97 of 100 replays
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
class PairsSoFar:
    """What the pairs so far say."""

    word: str  # helps, harms or not yet known
    pairs: int
    better: int  # pairs in which the run with the lesson lost less
    worse: int
    e_help: float
    e_harm: float

    @property
    def decided(self) -> bool:
        return self.word != NOT_YET_KNOWN


def settled_verdict(differences: Sequence[float], alpha: float = ALPHA) -> PairsSoFar:
    """The verdict after these pairs; the first crossing counts, as a replay would have stopped there."""
    bar = log(2.0 / alpha)
    for count, each in enumerate(differences, 1):
        now = differences[:count]
        for word, side in ((HELPS, 1.0), (HARMS, -1.0)):
            if each and log_e(now, side) >= bar:
                return _standing(word, now)
    return _standing(NOT_YET_KNOWN, differences)


def _standing(word: str, differences: Sequence[float]) -> PairsSoFar:
    better, worse = sum(each < 0 for each in differences), sum(each > 0 for each in differences)
    e_help, e_harm = (finite(log_e(differences, side)) for side in (1.0, -1.0))
    return PairsSoFar(word, len(differences), better, worse, e_help, e_harm)


def log_e(differences: Sequence[float], side: float) -> float:
    """The logarithm of the wealth won against "the lesson does not help" (side 1) or "does not harm" (side -1)."""
    wealth = [sum(log1p(-stake * side * each) for each in differences) for stake in STAKES]
    return log_mean(wealth, [*STAKES.values()])


def hopeless(differences: Sequence[float], left: int, alpha: float = ALPHA) -> bool:
    """Whether no verdict can come any more, even if all pairs that are left spoke for one side."""
    bar = log(2.0 / alpha)
    return all(log_e([*differences, *[-side] * left], side) < bar for side in (1.0, -1.0))


def standing_of(pairs: Sequence[Pair]) -> PairsSoFar:
    """What all pairs say that told something."""
    return settled_verdict([each.difference for each in pairs if each.difference is not None])


def scheduled(tasks: Sequence[Task], key: bytes, number: int) -> tuple[Task, tuple[str, str]]:
    """The task of a pair, counted from 1, and its arms in the order in which they run. Every task has its turn before
    one comes again."""
    turn, at = divmod(number - 1, len(tasks))
    order = sorted(tasks, key=lambda task: digest("replay order", key.hex(), str(turn), task.id))
    first = digest("replay coin", key.hex(), str(number))[0] & 1
    return order[at], (GIVEN, WITHOUT) if first else (WITHOUT, GIVEN)


def stops_because(
    pairs: Sequence[Pair],
    planned: int,
    spent: Spent,
    budget: Budget,
    reached: Sequence[bool] = (),
) -> str:
    """Why no further pair is run; empty where one is. `reached` says of each run with the lesson whether it was given
    it."""
    told = [each.difference for each in pairs if each.difference is not None]
    standing = settled_verdict(told)
    if standing.decided:
        return f"the verdict is there: {standing.word}"
    if len(reached) >= UNREACHED and not any(reached):
        return "the lesson never reached the agent; see docs/replay.md, How the lesson is given"
    if len(pairs) >= planned:
        return f"all {planned} planned pairs were run"
    if len(pairs) >= VOID and all(each.difference is None for each in pairs[-VOID:]):
        return f"the last {VOID} pairs told nothing"
    # Who asks for fewer pairs than a verdict takes wants to see them all the same.
    if not hopeless([], planned) and hopeless(told, planned - len(pairs)):
        return f"no verdict can come any more within {planned} pairs"
    return _over(spent, budget, len(pairs))


def _over(spent: Spent, budget: Budget, pairs: int) -> str:
    """Why the next pair may not fit: what pairs took so far is what the next one is taken to need."""
    share = (pairs + 1) / pairs if pairs else 1.0
    for name in ("usd", "tokens", "seconds"):
        used, most = float(getattr(spent, name)), float(getattr(budget, name))
        if most and used * share > most:
            return f"the next pair would go beyond the budget of {most:g} {name} ({used:.4g} used)"
    untold = "the budget is in {}, and this agent does not tell what it takes; name hours instead"
    if budget.usd and pairs and not spent.usd:
        return untold.format("money")
    if budget.tokens and pairs and not spent.tokens:
        return untold.format("tokens")
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


def expected(tasks: Sequence[Task], pairs: int) -> Spent:
    """What so many pairs are expected to use, by what the tasks used the first time; 0 where that is not known."""

    def mean(figures: Sequence[float]) -> float:
        told = [each for each in figures if each]
        return 2 * pairs * sum(told) / len(told) if told else 0.0

    return Spent(
        2 * pairs,
        mean([task.usd for task in tasks]),
        round(mean([float(task.tokens) for task in tasks])),
        mean([task.seconds for task in tasks]),
    )
