"""What `tacit hook` tells before the commands of a session, by its own words: asked of a copy of the store, so that the feeding knows nothing of it.

Two sessions that no host had are played for each one: one whose start was told nothing, so that the moment stands for itself; and one with
its start, where only what that start left untold is left to tell. Only the first line that runs a program is asked about; what a host asks
later about the same program was told then. What the coin withholds counts as told, as it does at starts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

if TYPE_CHECKING:
    from bench.lessons.feed import World


def first_calls(place: Path) -> list[str]:
    """The shell lines of a session that run a program for the first time; what only looks is told nothing about."""
    from tacit.formats import read
    from tacit.formats.source import FileSource
    from tacit.learn.command import commands, line_of

    seen: set[tuple[str, ...]] = set()
    found = []
    for run in read(FileSource(str(place))):
        for step in run.steps:
            line = line_of(step) if step.tool else ""
            fresh = {call.key for call in commands(line) if not call.looks} - seen
            if fresh:
                seen |= fresh
                found.append(line)
    return found


def told_before(
    world: World, session: str, lines: list[str], *, start: bool
) -> list[dict[str, Any]]:
    """What the hook says before each of these lines: the ids, and the text as far as it is about the line."""
    twin, store = world.folder / "twin.db", next(world.home.rglob("tacit.db"), None)
    if store is None:
        return []  # nothing was learned yet
    _copy(store, twin)
    try:
        return list(
            _told(world, twin, f"{session}-{'host' if start else 'need'}", lines, start=start)
        )
    finally:
        for each in world.folder.glob("twin.db*"):
            each.unlink()


def _told(
    world: World, twin: Path, session: str, lines: list[str], *, start: bool
) -> Iterator[dict[str, Any]]:
    from tacit.surfaces.hooks import respond_and_tell

    env = world.env() | {
        "TACIT_NO_WORKER": "1"
    }  # the copy is gone before a worker would have looked at it
    payload: dict[str, Any] = {"session_id": session, "cwd": str(world.repository)}
    if start:
        begins = {"hook_event_name": "SessionStart", "source": "startup"}
        respond_and_tell(
            "session-start", {**payload, **begins}, env, host="claude-code", store=str(twin)
        )
    last = _kept_back(twin, 0)[0]
    for n, line in enumerate(lines):
        call = {
            "hook_event_name": "PreToolUse",
            "tool_use_id": f"call-{n}",
            "tool_name": "Bash",
            "tool_input": {"command": line},
        }
        _, told = respond_and_tell(
            "before-command", {**payload, **call}, env, host="claude-code", store=str(twin)
        )
        last, ids = _kept_back(twin, last)
        texts = [
            each.removeprefix("- ") for each in told.context.splitlines() if each.startswith("- ")
        ]
        if texts or ids:
            yield {"line": line[:200], "given": texts, "withheld": _words(world, twin, ids, line)}


def _kept_back(twin: Path, last: int) -> tuple[int, list[str]]:
    """(the newest answer's number, what the coin kept back in the answers since the last one)."""
    connection = apsw.Connection(str(twin))
    connection.set_busy_timeout(10_000)  # the hook's own connection may still be closing
    found = connection.execute(
        "SELECT id, withheld FROM injection WHERE id > ? ORDER BY id", (last,)
    ).fetchall()
    return max((id for id, _ in found), default=last), [
        id for _, kept in found for id in json.loads(kept)
    ]


def _words(world: World, twin: Path, ids: list[str], line: str) -> list[str]:
    """Lessons in the words that they would have been told in before this line."""
    import tacit
    from tacit.core.programs import part_about, programs

    if not ids:
        return []
    with tacit.open(
        str(twin), env=world.env(), cwd=str(world.repository), create=False
    ) as memories:
        return [
            f"[{memory.id}] {part_about(memory, line, programs(line))}"
            for memory in memories.store.memories(ids)
        ]


def _copy(source: Path, target: Path) -> None:
    with apsw.Connection(str(target)).backup(
        "main", apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READONLY), "main"
    ) as backup:
        while not backup.done:
            backup.step(1000)
