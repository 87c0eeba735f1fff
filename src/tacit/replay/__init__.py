"""Proof in a night: past tasks done again by the user's own agent, in pairs, with a lesson and without it.

plan → pair by pair: clone, run, judge → bet → stop. Every decision is a pure function (`tasks`, `pairs`, `outcome`); what
runs and writes stands apart (`clone`, `confine`, `arm`, `kept`). A replayed run is never learned and is no evidence: the
store that lessons live in is only read here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.value import fields, value
from tacit.replay import arm
from tacit.replay.kept import DONE, write
from tacit.replay.pairs import GIVEN, Pair, scheduled, spent_on, standing_of, stops_because
from tacit.replay.tasks import Task

if TYPE_CHECKING:
    from tacit.replay.kept import ReplayFolder
    from tacit.replay.pairs import Budget, PairsSoFar, Spent
    from tacit.replay.request import ReplayRequest


@value
class Replay:
    """What a replay has come to."""

    id: str
    folder: str
    lesson: str
    text: str
    instrument: str
    tasks: int
    pairs: tuple[Pair, ...]
    standing: PairsSoFar
    spent: Spent
    stopped: str  # why no further pair was run
    unreached: int  # runs that were to have the lesson and never got it
    started_at: str = ""


def run_pairs(
    kept: ReplayFolder,
    plan: Mapping[str, Any],
    request: ReplayRequest,
    budget: Budget,
    say: Callable[[str], None],
) -> Replay:
    """Run pairs until something is decided, and whatever was begun before goes on first."""
    tasks = [Task(**each) for each in plan["tasks"]]
    key = bytes.fromhex(plan["key"])
    while True:
        runs = kept.runs()
        pairs = pairs_of(runs)
        reached = [run["reached"] for run in runs if run["arm"] == GIVEN]
        if why := stops_because(pairs, plan["pairs"], spent_on(runs), budget, reached):
            return replay_on_disk(kept, plan, why)
        number = len(pairs) + 1
        task, order = scheduled(tasks, key, number)
        say(f"pair {number} of at most {plan['pairs']}: {' '.join(task.prompt.split())[:60]}")
        for at, which in enumerate(order, 1):
            _one(kept, request, task, number, at, which)


def _one(
    kept: ReplayFolder, request: ReplayRequest, task: Task, pair: int, order: int, which: str
) -> None:
    """One run of a pair, from wherever it was left."""
    attempt = kept.attempt(pair, order)
    if attempt.done is not None:
        return arm.tidy_run(attempt.folder)
    ran = attempt.ran
    if ran is None:
        arm.begin(request, task, which == GIVEN, attempt.folder)
        ran = kept.attempt(pair, order).ran
        assert ran is not None
    judged = arm.judge_run(request, task, attempt.folder, ran)
    told = {name: ran[name] for name in ("status", "seconds", "tokens", "usd") if name in ran}
    write(
        os.path.join(attempt.folder, DONE),
        {
            "pair": pair,
            "order": order,
            "arm": which,
            "task": task.id,
            "run": task.run,
            **fields(judged),
            "reached": ran.get("reached", False),
            **told,
        },
    )
    arm.tidy_run(attempt.folder)


def pairs_of(runs: Sequence[Mapping[str, Any]]) -> tuple[Pair, ...]:
    """The pairs of which both runs were judged, from the first on; what comes after a gap is still to be completed."""
    found: list[Pair] = []
    for number in range(1, len(runs) // 2 + 1):
        both = {run["arm"]: run for run in runs if run["pair"] == number}
        if len(both) < 2:
            break
        given, without = both[GIVEN], next(run for name, run in both.items() if name != GIVEN)
        told = not (given.get("unsure") and without.get("unsure"))
        found.append(
            Pair(
                number, given["task"], *((given["loss"], without["loss"]) if told else (None, None))
            )
        )
    return tuple(found)


def replay_on_disk(kept: ReplayFolder, plan: Mapping[str, Any], stopped: str) -> Replay:
    """A replay as it stands on disk."""
    runs = kept.runs()
    pairs = pairs_of(runs)
    return Replay(
        kept.id,
        kept.folder,
        plan["lesson"],
        plan["text"],
        plan["instrument"],
        len(plan["tasks"]),
        pairs,
        standing_of(pairs),
        spent_on(runs),
        stopped,
        sum(run["arm"] == GIVEN and not run["reached"] for run in runs),
        plan.get("started_at", ""),
    )
