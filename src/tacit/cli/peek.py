"""`tacit inject` at a terminal: what an agent hears, and when. A look: nothing is recorded, nothing left out to measure.

Each moment is asked for as its hook asks, so that what is shown is what is told: at a start, with a prompt, before a command, at a file,
after an error. Without a moment named, the start, and below it which lessons wait for which moment, what the person kept first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacit.cli.words import WIDEST, hung, one_line, wrapped
from tacit.core.standing import is_confirmed
from tacit.core.states import ACTIVE
from tacit.hooks import recalling
from tacit.learn import queries
from tacit.lesson import Lesson
from tacit.memory import Memory as Memories
from tacit.screens.moments import moment_words
from tacit.screens.numbers import COLUMNS, names_to_type
from tacit.screens.one_screen import without_details
from tacit.screens.selection import counted, is_given, said_again
from tacit.screens.wording import YOURS, is_yours

_LATER = 60  # lessons that wait for their moment, on one screen
_OTHER = (
    "Another moment: tacit inject --task 'TEXT', --command 'git commit', --file PATH, --error TEXT."
)
_ONE_AT_A_TIME = "One lesson is told at a time: another about it comes with the next such command. "
_FEW_AT_A_TIME = "No more are told at a time: others about it come with the next change, or with a prompt about it. "
_LOOKED = "You only looked: nothing was recorded."


def peeked(
    memories: Memories,
    one: Mapping[str, str],
    many: Mapping[str, Sequence[str]],
    facets: Mapping[str, Any],
) -> str:
    """The screen for what was asked: one moment, or all of them."""

    def told(surface: str, task: str = "", **moment: Any) -> list[Lesson]:
        found = recalling.inject(
            memories,
            task,
            surface=f"hook:{surface}",
            look=True,
            budget=one.get("budget", ""),
            **{**facets, **moment},
        )
        by_id = {memory.id: memory for memory in memories.store.memories(found.injected)}
        return [by_id[id] for id in found.injected if id in by_id]

    files, errors, task = tuple(many["files"]), tuple(many["errors"]), one.get("task", "")
    if command := one.get("command", ""):
        found = told("before-command", command=command)
        return _one(
            memories,
            f"Before `{one_line(command, 80)}` your agent hears",
            found,
            _ONE_AT_A_TIME if found else "",
        )
    if files and not task:
        return _one(
            memories,
            f"Before {one_line(files[0], 80)} is changed your agent hears",
            found := told("before-file", files=files, touched=True),
            _FEW_AT_A_TIME if len(found) > 1 else "",
        )
    if errors and not task:
        return _one(
            memories, "After that error your agent hears", told("tool-failure", errors=errors)
        )
    start = told("session-start")
    lines = _section(
        memories,
        "At the start of a session your agent hears",
        start,
        " (only ways of working are told there)",
    )
    if task:
        known = {memory.id for memory in start}
        then = [
            memory
            for memory in told("prompt", task, files=files, errors=errors)
            if memory.id not in known
        ]
        lines += ["", *_section(memories, "With that prompt it hears", then, " more")]
    else:
        lines += _later(memories, start)
    return "\n".join([*lines, "", *wrapped(f"{_OTHER} {_LOOKED}", 0, WIDEST)]) + "\n"


def _one(memories: Memories, title: str, found: Sequence[Lesson], how: str = "") -> str:
    return (
        "\n".join([*_section(memories, title, found), "", *wrapped(f"{how}{_LOOKED}", 0, WIDEST)])
        + "\n"
    )


def _section(memories: Memories, title: str, found: Sequence[Lesson], none: str = "") -> list[str]:
    return (
        [f"{title}:", *_rows(memories, [(memory, "") for memory in found])]
        if found
        else [f"{title} nothing{none}."]
    )


def _later(memories: Memories, start: Sequence[Lesson]) -> list[str]:
    """Which lessons wait for which moment: what the person kept, then what most sessions met."""
    at_starts = {memory.id for memory in start}
    allowed: dict[str, Any] = {"states": (ACTIVE,), "equal": {"gate": "allow"}, "limit": 100}
    kept = filter(is_confirmed, memories.lessons(sort="updated", **allowed))
    every = {memory.id: memory for memory in (*kept, *memories.lessons(sort="seen", **allowed))}
    given = [memory for memory in every.values() if is_given(memory)]
    same = {id for ids in said_again(given).values() for id in ids}
    found = without_details([memory for memory in given if memory.id not in {*at_starts, *same}])
    if not found:
        return []
    rows = [(memory, _when(memories, memory)) for memory in found[:_LATER]]
    more = counted(memories).in_force - len(at_starts) - len(rows)
    lines = ["", "Later, each at its moment:", *_rows(memories, rows)]
    return [*lines, f"      and {more} more: tacit list"] if more > 0 else lines


def _when(memories: Memories, memory: Lesson) -> str:
    return (
        "at a start that has room"
        if queries.is_told_at_starts(memories, memory)
        else moment_words(memory, False)
    )


def _rows(memories: Memories, found: Sequence[tuple[Lesson, str]]) -> list[str]:
    names = names_to_type(memories, {memory.id: memory.text for memory, _ in found})
    lines: list[str] = []
    for memory, when in found:
        yours = f"  ({YOURS})" if is_yours(memory, memories.profile) else ""
        said = (
            f"{when}: {one_line(memory.text, COLUMNS)}{yours}"
            if when
            else f"{one_line(memory.text, COLUMNS)}{yours}"
        )
        lines += hung(f"{names[memory.id]:>4}  ", said, WIDEST)
    return lines
