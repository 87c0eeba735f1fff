"""Past tasks done again in pairs, with a lesson and without it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Unpack

from tacit.core.errors import Refused, TacitError
from tacit.core.journal import Hand
from tacit.core.ladder import Move
from tacit.core.moves import moved
from tacit.core.states import ACTIVE, DOUBTED
from tacit.core.value import replace
from tacit.hosts import formats
from tacit.hosts.source import FileSource
from tacit.learn.failures import EDIT_TOOLS
from tacit.memory import open as open_memories
from tacit.place.identity import head_commit
from tacit.reading.command import commands, line_of
from tacit.replay import Replay, replay_on_disk, run_pairs, words
from tacit.replay.block import BlockRequest
from tacit.replay.kept import ReplayFolder
from tacit.replay.pairs import Budget, spent_on, stops_because
from tacit.replay.request import ReplayPlan, ReplayRequest, replays_folder, starts_folder
from tacit.replay.starts import note_start, start_of
from tacit.trial.evalue import HARMS
from tacit.words.blocks import file_of_name

if TYPE_CHECKING:
    from tacit.opened import Opened
    from tacit.replay.request import ReplayOptions


def plan_replay(
    opened: Opened, id: str, *, agent: str, without: str = "", **options: Unpack[ReplayOptions]
) -> ReplayPlan:
    """What `replay` with the same arguments would do, cost and be able to tell. Nothing is run or written."""
    return _request(opened, id, agent, without, **options).plan()


def _request(
    opened: Opened, id: str, agent: str, without: str, **options: Unpack[ReplayOptions]
) -> ReplayRequest:
    if not without:
        return ReplayRequest(opened, opened.get(id), agent, opens=open_memories, **options)
    return BlockRequest(opened, without, agent, opens=open_memories, **options)


def replay(
    opened: Opened,
    id: str,
    *,
    agent: str,
    without: str = "",
    budget: Budget | None = None,
    say: Callable[[str], None] | None = None,
    **options: Unpack[ReplayOptions],
) -> Replay:
    """Do past tasks again with the agent's command, in pairs with a lesson and without it, until something can be said.

    `agent` is the command; `{prompt}` in it stands for the task, otherwise it is read from standard input, and `{notes}` for the lesson
    as text where no host's hooks give it. `without` names lines of an instruction file instead of a lesson (CLAUDE.md:12-18).
    Options: `check` (a command that exits 0 where the work is well), `setup`, `pairs`,
    `timeout`, `keep_env`, `read`, `write`, `host`, `unconfined`, `anew`. Killed and called again it goes on.
    """
    if opened.env.get("TACIT_REPLAY"):
        raise Refused("A replay inside a replay would never end.", "Run it from your own shell.")
    opened.need_person("Running agents on past tasks")
    request = _request(opened, id, agent, without, **options)
    with request.kept as kept:
        plan = request.keep_plan()
        found = run_pairs(kept, plan, request, budget or Budget(), say or (lambda _: None))
    _suspend(opened, found)
    return found


def _suspend(opened: Opened, found: Replay) -> None:
    """A lesson that harms in a replay is given to nobody until a person decides."""
    if file_of_name(found.lesson):
        return  # lines of a file are the person's to take out
    memory = opened.get(found.lesson)
    if found.standing.word == HARMS and memory.state == ACTIVE and memory.text == found.text:
        told = f"harms in a replay: worse in {found.standing.worse} of {found.standing.pairs} pairs, better in {found.standing.better}"
        move = Move(DOUBTED, told, "effect")
        with opened.store.write() as tx:
            version = opened.ensure_project().profile
            tx.apply(
                moved(memory, move, opened.profile, Hand("replay", opened.now(), profile=version))
            )


def keep_work_tree(opened: Opened, session: str, host: str, head: str, path: str) -> None:
    """Note where a session that just began did so, so that its task can be done again.

    `head` is the commit that was checked out when it began, `path` its transcript, which says whether a call has
    written already.
    """
    top, place = starts_folder(opened), opened.place
    if place.kind != "git" or not head or start_of(top, host, session) is not None:
        return
    same = head_commit(place.git_dir, place.common_dir) == head
    clean = same and not _has_written(opened, path)
    note_start(top, place.root, head, session=session, host=host, clean=clean)


def _has_written(opened: Opened, path: str) -> bool:
    """Whether a call of this session may have changed a file so far."""
    try:
        calls = [
            step
            for run in formats.read(FileSource(path), None)
            for step in run.steps
            if step.role == "tool"
        ]
    except (TacitError, OSError):
        return False  # not there yet, or without a line that says what it is
    return any(
        EDIT_TOOLS.search(at.tool) or not all(one.looks for one in commands(line_of(at)))
        for at in calls
    )


def replays(opened: Opened, id: str = "") -> list[Replay]:
    """The replays of this project that were begun, or those of one lesson, oldest first."""
    only = id if file_of_name(id) else opened.get(id).id if id else ""
    found = []
    top = replays_folder(opened)
    for name in sorted(os.listdir(top)) if os.path.isdir(top) else ():
        kept = ReplayFolder(os.path.join(top, name))
        plan = kept.plan()
        if plan and plan["project"] == opened.project_id and only in ("", plan["lesson"]):
            each = replay_on_disk(kept, plan, "")
            spent = spent_on(kept.runs())
            why = stops_because(each.pairs, plan["pairs"], spent, Budget())
            found.append(replace(each, stopped=why))
    return sorted(found, key=lambda each: each.started_at)


def replayed(opened: Opened, id: str = "") -> list[dict[str, Any]]:
    """What the replays of a lesson, or of all, came to: a proof of its own beside the control group's, for every surface."""
    return [
        {
            "id": each.id,
            "lesson": each.lesson,
            "day": each.started_at[:10],
            "verdict": each.standing.word,
            "sentence": words.sentence(each),
        }
        for each in replays(opened, id)
    ]
