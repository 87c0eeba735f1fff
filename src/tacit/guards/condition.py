"""A guard: a lesson's condition on a call before it runs, in a small closed form."""

from __future__ import annotations

import os

from tacit.core.digest import short_hash
from tacit.core.value import value
from tacit.guards.command import fits, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

ASK, REFUSE, OFF = "ask", "refuse", "off"
GUARD_STEPS = (ASK, REFUSE)
VERSION = 1  # of the closed form


@value
class Condition:
    """What a guard fires on. Patterns are rows of words: `("git", "push", "--force")`."""

    calls: tuple[tuple[str, ...], ...] = ()  # any of these
    # and not where the same call holds one of these rows of words
    unless: tuple[tuple[str, ...], ...] = ()
    # and only where one of these is checked out, or named behind `push`
    branch: tuple[str, ...] = ()
    # and only where none of these ran since the last such call in this session
    first: tuple[tuple[str, ...], ...] = ()
    # or: a file that is about to change, by the end of its path, `*` for any name
    files: tuple[str, ...] = ()


@value
class Guard:
    """A condition with its lesson, as a sentence and as a way out."""

    lesson: str
    text: str  # the lesson's own words
    condition: Condition
    instead: str = ""  # what to do instead, where the lesson says so
    step: str = ""  # ASK or REFUSE where it is armed


@value
class Attempt:
    """A call that is about to run."""

    line: str = ""  # of a shell
    file: str = ""  # or the file that it would change
    branch: str = ""  # that is checked out


def fires(guard: Guard, call: Attempt, before: Iterable[str] = ()) -> str | None:
    """The reason why this guard fires on a call, after these lines of the session; None where it
    does not, or cannot see."""
    condition = guard.condition
    if call.file:
        named = next((each for each in condition.files if _is_file(each, call.file)), "")
        return f"it would change {named}" if named else None
    if not condition.calls or not (commands := read(call.line)):
        return None
    for command in commands:
        alone = [(name,) for name in command.wrappers]
        pattern = next(
            (row for row in condition.calls if fits(row, command.words) or row in alone), None
        )
        if pattern is None or any(_holds(command.words, each) for each in condition.unless):
            continue
        if condition.branch and not _is_on(condition.branch, command.words, call.branch):
            continue
        if not condition.first:
            return spelled(pattern)
        if not _came_first(condition, commands[: commands.index(command)], before):
            return f"{spelled(pattern)} before {spelled(condition.first[0])}"
    return None


def spelled(pattern: Iterable[str]) -> str:
    """A pattern as a reason names it."""
    return f"`{' '.join(pattern)}`"


def says(guard: Guard) -> str:
    """A guard's condition as a sentence."""
    on = guard.condition
    if on.files:
        return "fires before a change of " + ", ".join(on.files)
    rows = [spelled(row) for row in on.calls]
    said = (
        "fires before " + ", ".join(rows) + (" on " + " or ".join(on.branch) if on.branch else "")
    )
    return said + (
        f" where {spelled(on.first[0])} did not run since the last one" if on.first else ""
    )


def call_key(said: str) -> str:
    """What tells a call from another in one session: its line, or the file that it changes."""
    return short_hash("call", " ".join(said.split())[:1000])


def sees(line: str) -> bool:
    """Whether a guard can read a line."""
    return read(line) is not None


def prepares(guard: Guard, line: str) -> bool:
    """Whether a line runs what a guard wants to have run first."""
    return bool(guard.condition.first) and any(
        _is_any(guard.condition.first, command.words) for command in read(line) or ()
    )


def is_guarded(guard: Guard, line: str) -> bool:
    """Whether a line runs a call that a guard is about, whatever ran before."""
    return any(_is_any(guard.condition.calls, command.words) for command in read(line) or ())


def _came_first(condition: Condition, here: Sequence[Any], before: Iterable[str]) -> bool:
    """Whether what must run first did, since the last call of the guarded kind."""
    done = False
    for line in before:
        for command in read(line) or ():
            if _is_any(condition.first, command.words):
                done = True
            elif _is_any(condition.calls, command.words):
                done = False
    return done or any(_is_any(condition.first, command.words) for command in here)


def _is_any(patterns: Iterable[Sequence[str]], words: Sequence[str]) -> bool:
    """Whether a call is one of these, run as it is or by a runner in front: `uv run pytest` runs `pytest`."""
    return any(fits(each, words[at:]) for each in patterns for at in range(min(4, len(words))))


def _holds(words: Sequence[str], wanted: Sequence[str]) -> bool:
    return all(
        any(word == each or word.startswith(f"{each}=") for word in words) for each in wanted
    )


_EVERY_BRANCH = ("--all", "--mirror", "--branches")


def _is_on(branches: Iterable[str], words: Sequence[str], checked_out: str) -> bool:
    """Whether a call works on one of these branches: it names one behind the remote, or all, or none and one is checked out."""
    if "push" not in words:
        return checked_out in branches
    behind = words[words.index("push") + 1 :]
    named = [_branch(word) for word in behind if not word.startswith("-")][1:]
    return any(
        each in branches or (each in ("HEAD", "@") and checked_out in branches) for each in named
    ) or (not named and (checked_out in branches or not {*behind}.isdisjoint(_EVERY_BRANCH)))


def _branch(ref: str) -> str:
    """The branch that a reference names where it is pushed to."""
    return ref.lstrip("+").rpartition(":")[2].removeprefix("refs/").removeprefix("heads/")


def _is_file(pattern: str, path: str) -> bool:
    """Whether a path ends in a pattern; `*` stands for any part of one name."""
    names = os.path.normpath(path.replace("\\", "/")).split("/")
    wanted = os.path.normpath(pattern).split("/")
    return len(names) >= len(wanted) and all(map(_is_name, wanted, names[-len(wanted) :]))


def _is_name(pattern: str, name: str) -> bool:
    head, star, tail = pattern.partition("*")
    return (
        name == pattern
        if not star
        else name.startswith(head) and name.endswith(tail) and len(name) >= len(head + tail)
    )


_GUARD_TEXTS = ("lesson", "text", "instead", "step")


def guard_json(guard: Guard) -> dict[str, Any]:
    """A guard as it is kept."""
    rows = {
        name: [each if isinstance(each, str) else list(each) for each in at]
        for name, at in guard.condition.__dict__.items()
        if at
    }
    return {"v": VERSION, **{name: getattr(guard, name) for name in _GUARD_TEXTS}, "on": rows}


def guard_from(kept: Mapping[str, Any]) -> Guard:
    """A guard from what was kept; ValueError for whatever is none, of another version or with a field that nobody knows."""
    on = kept.get("on")
    if kept.get("v") != VERSION or not isinstance(on, dict) or not {*on} <= {*Condition.FIELDS}:  # type: ignore[attr-defined]
        raise ValueError("no guard of this version")
    texts = [kept.get(name) for name in _GUARD_TEXTS]
    if not all(isinstance(each, str) for each in texts):
        raise ValueError("no guard")
    rows: dict[str, tuple[Any, ...]] = {}
    for name, at in on.items():
        nested = name in ("calls", "unless", "first")
        rows[name] = tuple(_texts(each) if nested else _text(each) for each in at)
    lesson, text, instead, step = texts
    return Guard(lesson, text, Condition(**rows), instead, step)  # type: ignore[arg-type]


def _texts(row: Any) -> tuple[str, ...]:
    if not isinstance(row, list) or not row:
        raise ValueError("no pattern")
    return tuple(map(_text, row))


def _text(word: Any) -> str:
    if not isinstance(word, str) or not word:
        raise ValueError("no word")
    return word
