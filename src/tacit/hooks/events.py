"""A host's event as a value: what somebody wants to know at a moment, who asks, and what they are told."""

from __future__ import annotations

from tacit.core.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tacit.hosts.dialect import Event

START, TASK, PROMPT, COMMAND, FILE, FAILURE = "start", "task", "prompt", "command", "file", "error"


@value
class AskingRun:
    """The run that asks: the host's own id of it, and of the first run of its unit."""

    run: str = ""
    host: str = "cli"
    root: str = (
        ""  # retries, sub-agents and resumptions share the first run's assignments; empty: itself
    )
    model: str = ""
    surface: str = "cli"
    event: str = ""  # the host's own id of this very question: asked twice, answered once
    context: str = ""  # whose context: the host's id of a sub-agent, or what the agent is called; empty: the main one


@value
class Query:
    """What somebody wants to know before, or during, a run."""

    task: str = ""  # what is to be done, or what a person asks, in their words
    files: Sequence[str] = ()
    errors: Sequence[str] = ()
    command: str = ""  # that is about to run; beside an error the one that failed
    # its files are about to be read or edited; `task` is what of them: what is about them, or nothing
    touched: bool = False
    agent: str = ""
    main: bool = (
        False  # the host says that its main agent asks: what is kept for a sub-agent is not for it
    )
    domain: str = ""
    task_type: str = ""
    task_id: str = ""
    mission: str = ""
    category: str = ""
    kind: str = ""
    risk: str = ""  # at "high" or "critical" risk patterns count more


@value
class Told:
    """A lesson on its way to an agent."""

    memory: Any  # a Candidate, or the whole Lesson where a profile's wording names more of it
    signer: str = ""  # of a team mate's lesson
    caution: bool = False  # to be given as a suggestion, not a rule


@value
class LeftOut:
    """A memory that was near and is not given, and why."""

    id: str
    reason: str
    score: float = 0.0


@value
class Injection:
    """What an agent is told, and what it is not."""

    run: str
    markdown: str = ""
    tokens: int = 0
    injected: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    suppressed: tuple[LeftOut, ...] = ()  # the nearest of those left out
    left_out: Mapping[str, int] = {}  # all of them, counted by reason
    note: str = ""  # why nothing is said, where that is not plain


def is_emptied(event: Event) -> bool:
    """Whether this context has just lost what it was told."""
    return event.source == "compact" or (event.source == "resume" and event.forgets)


def moment_of(query: Query, hook: bool) -> str:
    """Which moment it is."""
    if query.touched:
        return FILE
    if query.task:
        return PROMPT if hook else TASK
    if query.errors:
        return FAILURE
    if query.command:
        return COMMAND
    return FILE if query.files else START
