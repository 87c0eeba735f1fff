"""A reader's canary: what a transcript looks like when its host has changed and we no longer read it right.

A reader never fails on content, so a changed host shows as a quiet zero: no typed prompt, no result, records of unknown
types. Each such doubt is kept with host and version, and shown until it stops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tacit.core.run import Run

PREFIX = "unread: "
DAYS = 30  # that a doubt is shown for
FEW_CALLS = 3  # a session of fewer may have ended before its first result
UNKNOWN_SHARE, FEW_UNKNOWN = 0.1, 5  # of a file's lines, and at least so many

NO_PROMPT = "a session that a person opened holds prompts, and none is known as typed"
NO_RESULT = "a session with tool calls, and none has a result"
OTHER_SHELL = "commands of PowerShell or cmd, which are not supported: nothing is learned from them"
UNKNOWN = "more than a tenth of the records are of unknown types"


_OTHER_SHELLS = ("powershell", "pwsh", "cmd", "cmd.exe", "powershell.exe")


def doubts(run: Run) -> tuple[str, ...]:
    """What makes it doubtful that this run was read as its host meant it."""
    reading = run.reading
    if reading is None:
        return ()
    found = []
    prompts = [step for step in run.steps if step.role == "user" and not step.agent and not step.interrupted]
    if reading.interactive and any(not step.speaker for step in prompts) and not any(step.typed for step in run.steps):
        found.append(NO_PROMPT)
    calls = [step for step in run.steps if step.role == "tool"]
    answered = any(step.output or step.error or step.status is not None or step.interrupted for step in calls)
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
    version = "".join(c for c in run.version[:30] if c.isascii() and (c.isalnum() or c in ".+-"))  # a file's word
    return f"{PREFIX}{run.host} {version or 'of unknown version'}: {doubt}"


def canary_lines(counters: Mapping[str, int]) -> list[str]:
    """For people: which hosts and versions may not be read right, and what to do."""
    return [
        f"{name.removeprefix(PREFIX)} ({many} {'session' if many == 1 else 'sessions'}); what is said there may go unheard:"
        " a newer Tacit may read it, else please report host and version"
        for name, many in sorted(counters.items())
        if name.startswith(PREFIX)
    ]
