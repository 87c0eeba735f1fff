"""Past tasks done again in pairs, with a lesson and without it.

plan → pair by pair: clone, run, judge → bet → stop. Every decision is a pure function (`tasks`, `pairs`, `outcome`); what
runs and writes stands apart (`clone`, `confine`, `arm`, `kept`). A replayed run is never learned and is no evidence: the
store that lessons live in is only read, until *harms* makes a lesson doubted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tacit.core.errors import Refused
from tacit.core.journal import Hand
from tacit.core.ladder import Move
from tacit.core.moves import moved
from tacit.core.states import ACTIVE, DOUBTED
from tacit.core.value import value
from tacit.memory import open as open_memories
from tacit.replay import arm
from tacit.replay.block import BlockRequest
from tacit.replay.kept import DONE, ReplayFolder, write
from tacit.replay.pairs import (
    GIVEN,
    Pair,
    PairsSoFar,
    Spent,
    pairs_of,
    scheduled,
    spent_on,
    standing_of,
    stops_because,
)
from tacit.replay.request import ReplayOptions, ReplayPlan, ReplayRequest
from tacit.replay.starts import beside_store
from tacit.replay.tasks import Task
from tacit.replay.words import sentence
from tacit.trial.evalue import HARMS
from tacit.words.blocks import file_of_name

if TYPE_CHECKING:
    from tacit.opened import Opened


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


def plan_replay(opened: Opened, id: str, **options: Any) -> ReplayPlan:
    """What `replay` with the same arguments would do, cost and be able to tell. Nothing is run or written."""
    return _request(opened, id, ReplayOptions(**options)).plan()


def _request(opened: Opened, id: str, options: ReplayOptions) -> ReplayRequest:
    if options.without:
        return BlockRequest(opened, options, open_memories)
    return ReplayRequest(opened, opened.get(id), options, open_memories)


def replay(
    opened: Opened, id: str, *, say: Callable[[str], None] | None = None, **options: Any
) -> Replay:
    """Do past tasks again with the agent's command, in pairs with a lesson and without it, until something can be said.

    `options` are those of `ReplayOptions`. Killed and called again it goes on.
    """
    if opened.env.get("TACIT_REPLAY"):
        raise Refused("A replay inside a replay would never end.", "Run it from your own shell.")
    opened.need_person("Running agents on past tasks")
    request = _request(opened, id, ReplayOptions(**options))
    with request.kept.alone():
        found = run_pairs(request, request.keep_plan(), say or (lambda _: None))
    _suspend(opened, found)
    return found


def run_pairs(
    request: ReplayRequest, plan: Mapping[str, Any], say: Callable[[str], None]
) -> Replay:
    """Run pairs until something is decided, and whatever was begun before goes on first."""
    kept = request.kept
    tasks = [Task(**each) for each in plan["tasks"]]
    key = bytes.fromhex(plan["key"])
    while True:
        found = replay_on_disk(kept, plan)
        if found.stopped:
            return found
        number = len(found.pairs) + 1
        task, order = scheduled(tasks, key, number)
        say(f"pair {number} of at most {plan['pairs']}: {' '.join(task.prompt.split())[:60]}")
        judged = {run["order"] for run in kept.runs() if run["pair"] == number}
        for at, which in enumerate(order, 1):
            if at not in judged:
                folder = kept.fresh(number, at)
                ran = arm.run_once(request, task, which == GIVEN, folder)
                named = {
                    "pair": number,
                    "order": at,
                    "arm": which,
                    "task": task.id,
                    "run": task.run,
                }
                write(os.path.join(folder, DONE), {**named, **ran})


def replay_on_disk(kept: ReplayFolder, plan: Mapping[str, Any]) -> Replay:
    """A replay as it stands on disk."""
    runs = kept.runs()
    pairs = pairs_of(runs)
    reached = [bool(run.get("reached")) for run in runs if run["arm"] == GIVEN]
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
        stops_because(pairs, plan["pairs"], reached),
        reached.count(False),
        plan.get("started_at", ""),
    )


def _suspend(opened: Opened, found: Replay) -> None:
    """A lesson that harms in a replay is given to nobody until a person decides."""
    if file_of_name(found.lesson):
        return  # lines of a file are the person's to take out
    memory, standing = opened.get(found.lesson), found.standing
    if standing.word == HARMS and memory.state == ACTIVE and memory.text == found.text:
        pairs = f"worse in {standing.worse} of {standing.pairs} pairs, better in {standing.better}"
        move = Move(DOUBTED, f"harms in a replay: {pairs}", "effect")
        with opened.store.write() as tx:
            hand = Hand("replay", opened.now(), profile=opened.ensure_project().profile)
            tx.apply(moved(memory, move, opened.profile, hand))


def replays(opened: Opened, id: str = "") -> list[Replay]:
    """The replays of this project that were begun, or those of one lesson, oldest first."""
    only = id if file_of_name(id) else opened.get(id).id if id else ""
    found = []
    top = beside_store(opened, "replays")
    for name in sorted(os.listdir(top)) if os.path.isdir(top) else ():
        kept = ReplayFolder(os.path.join(top, name))
        plan = kept.plan()
        if plan and plan["project"] == opened.project_id and only in ("", plan["lesson"]):
            found.append(replay_on_disk(kept, plan))
    return sorted(found, key=lambda each: each.started_at)


def replayed(opened: Opened, id: str = "") -> list[dict[str, Any]]:
    """What the replays of a lesson, or of all, came to: a proof of its own beside the control group's, for every surface."""
    return [
        {
            "id": each.id,
            "lesson": each.lesson,
            "day": each.started_at[:10],
            "verdict": each.standing.word,
            "sentence": sentence(each),
        }
        for each in replays(opened, id)
    ]
