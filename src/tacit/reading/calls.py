"""The shell calls of a run as noticing reads them: which segment of a line, in which folder, and
how it went.

A line's exit status is that of its last segment, and some hosts' scripts record none. Behind a
pipe, a `;` or a `||` a failure shows in the output alone, so an output is read for the forms of the
grammar in both cases: *hard*, the status says so; *soft*, only a code-carrying form does, and only
where a segment of the line could have printed it. Reading a log, a file or somebody else's check is
no failure of one's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tacit.core.run import Run, Step
from tacit.core.tables import Tables
from tacit.core.value import grouped, value
from tacit.reading.command import (
    INTERPRETERS,
    SCRIPT_RUNNERS,
    Command,
    commands,
    folder_below,
    line_of,
)
from tacit.words.diagnose import CODED, Diagnosis, diagnose, recognise

_tables = Tables(__file__)

# what they print is a picture of something else
SCREEN_PROGRAMS = frozenset("tmux screen workmux agent-browser expect script".split())
ASKED = frozenset(
    ("gh", "glab")
)  # what a search prints is no error; a service that is asked answers with one
# What a program that only looks may itself fail with.
OF_LOOKING = frozenset(
    "usage command path github network http glob rights git database lock".split()
)
SOFT = CODED | {"path"}
SOFT_LOOKING = SOFT & OF_LOOKING
OF_CHECKS = frozenset("lint format types compile test module package foreign".split())
CHECKING = ("test", "build", "lint", "format", "typecheck", "check", "run")
COMMITS = frozenset(
    {("git", "commit"), ("git", "push"), ("git", "merge"), ("git", "rebase")}
)  # hooks print everything

_APART = _tables.pattern("_APART", re.I)
_RUNNING = _tables.pattern("_RUNNING", re.I)
_LOST = re.compile(
    r"\||;|\n|(?<![&>])&(?![&>\d])"
)  # the line's status is not that of every segment


@value
class Try:
    """One shell line that was run, and what came of it."""

    at: int  # position among the lane's steps
    step: Step
    line: str
    calls: tuple[Command, ...]
    failed: bool
    soft: bool
    found: tuple[Diagnosis, ...] = ()
    folder: str = ""  # where the line began, below the project's root

    def blamed(self, of: Diagnosis) -> Command | None:
        """The segment that a diagnosis is about."""
        return _blamed(self.calls, of)


@value
class Lane:
    """What one agent of a run did, in order: what one does is no cure of what another met."""

    steps: tuple[Step, ...]
    tries: tuple[Try, ...]


def is_refused(said: str) -> bool:
    """Whether a host, or a guard by it, says that a call was refused, stopped or cut off before
    it ran."""
    return bool(said) and _APART.search(said[:600]) is not None


def lanes(run: Run) -> tuple[Lane, ...]:
    """The lanes of a run."""
    found = grouped(run.steps, lambda step: (step.agent, step.context))
    return tuple(Lane(tuple(steps), tuple(tries(run, steps))) for steps in found.values())


def tries(run: Run, steps: Sequence[Step]) -> Iterator[Try]:
    """The shell lines of one lane; refused, interrupted and unfinished ones left out."""
    standing = ""
    for at, step in enumerate(steps):
        line = line_of(step) if step.tool and not step.interrupted else ""
        if not line or _RUNNING.search(step.output[:300]) or is_refused(step.error):
            continue
        calls = commands(line)
        folder = folder_below(str((step.input or {}).get("workdir") or ""), run.cwd) or standing
        one = _tried(run, at, step, line, calls, folder)
        if (
            len(calls) == 1
            and calls[0].words[0] == "cd"
            and len(calls[0].words) == 2
            and not step.error
        ):
            standing = folder_below(calls[0].bare[1], run.cwd)
        yield one


def _tried(
    run: Run, at: int, step: Step, line: str, calls: tuple[Command, ...], folder: str
) -> Try:
    if step.error:
        found = tuple(
            each for each in diagnose(step.error, run.cwd) if _own(each, calls, line, hard=True)
        ) or _wordless(calls)
        return Try(at, step, line, calls, True, False, found, folder)
    soft: tuple[Diagnosis, ...] = ()
    if step.output and (step.status is None or _LOST.search(line)):
        acts = any(call.acts for call in calls)
        found = recognise(step.output, run.cwd, SOFT if acts else SOFT_LOOKING)
        soft = tuple(
            each
            for each in found
            if _own(each, calls, line, hard=False) and not _passed(each, step.output)
        )
    return Try(at, step, line, calls, bool(soft), bool(soft), soft, folder)


def _wordless(calls: Sequence[Command]) -> tuple[Diagnosis, ...]:
    """A command that failed without saying why; one that only looks says by its status that it
    found nothing."""
    acting = [call for call in calls if call.acts]
    # the line says itself that it failed
    ends = [call for call in calls[-1:] if call.key[0] in ("exit", "false", "return")]
    asked = [call for call in calls if call.program in ASKED]
    return tuple(
        Diagnosis("silent", name=call.called[:60]) for call in (acting or ends or asked)[-1:]
    )


def _own(of: Diagnosis, calls: Sequence[Command], line: str, *, hard: bool) -> bool:
    """Whether a segment of the line could have failed so; an output may also hold what somebody
    else's program said."""
    acting = [call for call in calls if call.acts]
    if any(call.key[0] in SCREEN_PROGRAMS for call in calls):
        return False
    if of.family in OF_CHECKS:
        return _checker(acting, of) is not None
    if of.family in ("hook", "commit"):
        return any(call.key[:2] in COMMITS for call in calls)
    if of.family == "path":
        if not of.name:
            # what a check prints of paths is its own business
            return hard and all(not call.purpose for call in acting)
        return of.name in line or (hard and any(not call.purpose for call in acting))
    if of.family in ("usage", "command", "script"):
        return not of.name or of.name.lstrip("-") in line or (hard and bool(acting))
    if not hard:
        return of.coded and bool(acting)
    return bool(acting) or of.family in OF_LOOKING or of.family == "text"


def _passed(of: Diagnosis, output: str) -> bool:
    """Whether the output says that the tool let it pass: a remark is no rejection."""
    return (
        bool(of.tool)
        and re.search(
            rf"(?:✔|✓)\s*{re.escape(of.tool)}\b|^{re.escape(of.tool)}\b.*\bPassed\s*$", output, re.M
        )
        is not None
    )


def _blamed(calls: Sequence[Command], of: Diagnosis) -> Command | None:
    acting = [call for call in calls if call.acts]
    if of.family in OF_CHECKS:
        return _checker(acting, of)
    if of.family == "command":
        called = next(
            (call for call in calls if call.program == of.name or of.name in call.words), None
        )
        return called or (acting[-1] if acting else None)  # a script that calls it
    # the pattern itself belongs to the moment, but says whose it was
    if about := of.path if of.family == "glob" else of.name:
        named = [call for call in calls if any(about in word for word in call.words)]
        if named:
            return named[-1]
    if of.tool in ("git", "gh", "cargo"):
        of_it = [call for call in calls if call.program == of.tool]
        if of_it:
            return of_it[-1]
    shown = [call for call in calls if not call.neutral]
    return (
        acting[-1]
        if acting
        else shown[-1]
        if shown
        else calls[-1]
        if calls and of.family == "silent"
        else None
    )


def _checker(acting: Sequence[Command], of: Diagnosis) -> Command | None:
    """The check that prints such a finding: the linter's own task for a linter's rule, else any
    check or commit."""
    wanted = {"lint": ("lint", "format"), "format": ("format", "lint"), "test": ("test",)}.get(
        of.family, ("typecheck", "build", "test")
    )
    serving = [("format" if call.checks_format else call.purpose, call) for call in acting]
    for want in wanted:
        for served, call in serving:
            if served == want:
                return call
    for served, call in serving:
        if served in CHECKING or call.key[:2] in COMMITS or (of.tool and of.tool == call.program):
            return call
    for _, call in serving:  # scripts of the project, runners of tasks, interpreters
        head = call.key
        if (
            head[0] in SCRIPT_RUNNERS
            or head[0] in INTERPRETERS
            or head[0] in ("mise", "make", "just", "task", "cargo", "go", "gradle")
        ):
            return call
    return None
