"""Which pairs are run, what they say, and when to stop.

If the lesson does nothing, which of the two runs of a pair went better is a fair coin: the bettors of the control group
(`trial.evalue`, the same stakes and bar) bet on it. A pair in which both fared alike moves nobody's wealth. The order of
tasks and of a pair's arms are coins of a key that is kept with the replay, so that one that was killed goes on as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log, log1p
from typing import TYPE_CHECKING, Any

from tacit.core.digest import digest
from tacit.core.value import value
from tacit.trial.evalue import ALPHA, HARMS, HELPS, NOT_YET_KNOWN, STAKES, finite, log_mean

if TYPE_CHECKING:
    from tacit.replay.tasks import Task

GIVEN, WITHOUT = "given", "without"
BAR = log(2.0 / ALPHA)
MOST_PAIRS = 40  # unless told otherwise: an effect of .8 → .3 is found in 97 of 100 replays
UNREACHED = 2  # pairs without the lesson in its own run, after which something is not connected
VOID = 3  # pairs in a row that told nothing, after which going on is a waste


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


def settled_verdict(differences: Sequence[float]) -> PairsSoFar:
    """The verdict after these pairs; the first crossing counts, as a replay would have stopped there."""
    word, now = NOT_YET_KNOWN, differences
    for count, each in enumerate(differences, 1):
        e_help, e_harm = (log_e(differences[:count], side) for side in (1.0, -1.0))
        if each and max(e_help, e_harm) >= BAR:
            word, now = HELPS if e_help >= e_harm else HARMS, differences[:count]
            break
    better, worse = sum(each < 0 for each in now), sum(each > 0 for each in now)
    e_help, e_harm = (finite(log_e(now, side)) for side in (1.0, -1.0))
    return PairsSoFar(word, len(now), better, worse, e_help, e_harm)


def log_e(differences: Sequence[float], side: float) -> float:
    """The logarithm of the wealth won against "the lesson does not help" (side 1) or "does not harm" (side -1)."""
    wealth = [sum(log1p(-stake * side * each) for each in differences) for stake in STAKES]
    return log_mean(wealth, [*STAKES.values()])


def hopeless(differences: Sequence[float], left: int) -> bool:
    """Whether no verdict can come any more, even if all pairs that are left spoke for one side."""
    return all(log_e([*differences, *[-side] * left], side) < BAR for side in (1.0, -1.0))


def standing_of(pairs: Sequence[Pair]) -> PairsSoFar:
    """What all pairs say that told something."""
    return settled_verdict([each.difference for each in pairs if each.difference is not None])


def pairs_of(runs: Sequence[Mapping[str, Any]]) -> tuple[Pair, ...]:
    """The pairs of which both runs were judged, from the first on; what comes after a gap is still to be completed."""
    found: list[Pair] = []
    for number in range(1, len(runs) // 2 + 1):
        both = {run["arm"]: run for run in runs if run["pair"] == number}
        if len(both) < 2:
            break
        given, without = both[GIVEN], next(run for name, run in both.items() if name != GIVEN)
        void = given.get("unsure") and without.get("unsure")
        losses = (None, None) if void else (given["loss"], without["loss"])
        found.append(Pair(number, given["task"], *losses))
    return tuple(found)


def scheduled(tasks: Sequence[Task], key: bytes, number: int) -> tuple[Task, tuple[str, str]]:
    """The task of a pair, counted from 1, and its arms in the order in which they run. Every task has its turn before
    one comes again."""
    turn, at = divmod(number - 1, len(tasks))
    order = sorted(tasks, key=lambda task: digest("replay order", key.hex(), str(turn), task.id))
    first = digest("replay coin", key.hex(), str(number))[0] & 1
    return order[at], (GIVEN, WITHOUT) if first else (WITHOUT, GIVEN)


def stops_because(pairs: Sequence[Pair], planned: int, reached: Sequence[bool] = ()) -> str:
    """Why no further pair is run; empty where one is. `reached` says of each run with the lesson whether it was given it."""
    told = [each.difference for each in pairs if each.difference is not None]
    standing = settled_verdict(told)
    if standing.word != NOT_YET_KNOWN:
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
    return ""


def spent_on(arms: Sequence[Mapping[str, float]]) -> Spent:
    """What finished runs used, added up."""
    return Spent(
        len(arms),
        sum(each.get("usd") or 0.0 for each in arms),
        int(sum(each.get("tokens") or 0 for each in arms)),
        sum(each.get("seconds") or 0.0 for each in arms),
    )


def expected(tasks: Sequence[Task], pairs: int) -> Spent:
    """What so many pairs are expected to use, by what the tasks used the first time; 0 where nobody knows."""

    def mean(figures: Sequence[float]) -> float:
        told = [each for each in figures if each]
        return 2 * pairs * sum(told) / len(told) if told else 0.0

    return Spent(
        2 * pairs,
        mean([task.usd for task in tasks]),
        round(mean([float(task.tokens) for task in tasks])),
        mean([task.seconds for task in tasks]),
    )
