"""A reader's canary: what a transcript looks like when its host has changed and we no longer read it right.

A reader never fails on content, so a changed host shows as a quiet zero: no typed prompt, no result, records of unknown
types. Each such doubt is kept with host, version and entry point, and shown until it stops. People are counted beside records: a host
that keeps its records and renames its mark of a person loses nothing but what matters.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacit.core.run import Run

NOT_READ = "unread: "
DOUBTED = 30  # that a doubt is shown for
FEW_CALLS = 3  # a session of fewer may have ended before its first result
FEW_ANSWERS = 2  # of the agent, in a session whose prompts may have been lost
ALIKE_PROMPTS = 3  # prompts that are all marked alike
SILENT = 10  # sessions of a project without a typed line
UNKNOWN_SHARE, FEW_UNKNOWN = 0.1, 5  # of a file's lines, and at least so many

NO_PROMPT = "a session that a person opened holds prompts, and none is known as typed"
LOST_PROMPTS = "a session with answers and no prompt"
ONE_MARK = "all that was said in a session has one mark, and it is not a person's"
NO_RESULT = "a session with tool calls, and none has a result"
OTHER_SHELL = "commands of PowerShell or cmd, which are not supported: nothing is learned from them"
UNKNOWN = "more than a tenth of the records are of unknown types"


MEND = "what is said there may go unheard: a newer Tacit may read it, else please report host and version"
_OTHER_SHELLS = ("powershell", "pwsh", "cmd", "cmd.exe", "powershell.exe")


def doubts(run: Run) -> tuple[str, ...]:
    """What makes it doubtful that this run was read as its host meant it."""
    reading = run.reading
    if reading is None:
        return ()
    found = []
    prompts = [
        step
        for step in run.steps
        if step.role == "user" and not step.agent and not step.interrupted
    ]
    if (
        reading.interactive
        and any(step.speaker in ("", "unsure") for step in prompts)
        and not any(step.typed for step in run.steps)
    ):
        found.append(NO_PROMPT)
    elif (
        reading.entry
        and len(prompts) >= ALIKE_PROMPTS
        and {step.speaker for step in prompts} <= {"unsure"}
    ):
        found.append(ONE_MARK)
    answers = sum(step.role == "assistant" and not step.agent for step in run.steps)
    if (
        not run.agent
        and answers >= FEW_ANSWERS
        and not any(step.role == "user" for step in run.steps)
    ):
        found.append(LOST_PROMPTS)
    calls = [step for step in run.steps if step.role == "tool"]
    answered = any(
        step.output or step.error or step.status is not None or step.interrupted for step in calls
    )
    if len(calls) >= FEW_CALLS and not answered:
        found.append(NO_RESULT)
    if any(step.tool.lower().replace("_", "") in _OTHER_SHELLS for step in calls):
        found.append(OTHER_SHELL)
    unknown = sum((reading.unknown or {}).values())
    if unknown >= FEW_UNKNOWN and unknown > UNKNOWN_SHARE * reading.lines:
        found.append(UNKNOWN)
    return tuple(found)


def counter(run: Run, doubt: str) -> str:
    """The name under which a doubt is counted: host, version, what."""
    entry = _word(run.reading.entry) if run.reading else ""
    return f"{NOT_READ}{run.host} {_word(run.version) or 'of unknown version'}{f' ({entry})' if entry else ''}: {doubt}"


def _word(said: str) -> str:
    """A file's word for something, as far as it is one."""
    return "".join(c for c in said[:30] if c.isascii() and (c.isalnum() or c in ".+-_"))


def silent_after(kept: Mapping[str, int], run: Run) -> dict[str, int]:
    """How many sessions in a row had no typed line, by host and entry point, after one more. Only where people may sit."""
    reading = run.reading
    if reading is None or not (reading.entry or reading.interactive) or run.agent:
        return dict(kept)
    way = f"{run.host} {_word(run.version)} ({_word(reading.entry) or 'not named'})"
    same = {
        each: many
        for each, many in kept.items()
        if each.split()[0] == run.host and each.split()[-1] == way.split()[-1]
    }
    others = {each: many for each, many in kept.items() if each not in same}
    spoke = any(step.typed for step in run.steps)
    return others if spoke else {**others, way: sum(same.values()) + 1}


def silent_lines(kept: Mapping[str, int]) -> list[str]:
    """For people: where they may have typed for a long time unheard."""
    return [
        f"{way}: {many} sessions of this project and not one typed line; {MEND}"
        for way, many in kept.items()
        if many >= SILENT
    ]


def canary_lines(counters: Mapping[str, int]) -> list[str]:
    """For people: which hosts and versions may not be read right, and what to do."""
    return [
        f"{name.removeprefix(NOT_READ)} ({many} {'session' if many == 1 else 'sessions'}); {MEND}"
        for name, many in sorted(counters.items())
        if name.startswith(NOT_READ)
    ]
