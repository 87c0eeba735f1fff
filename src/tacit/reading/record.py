"""What a session leaves for the looks at the whole: the lines its person typed, and the commands that failed in it.

Whose words a line is the host says; what a tool, a plan or a paste brought is left out. Everything is redacted here, before it is
kept or asked. A session is kept as JSON, for its host may delete the transcript before the next look.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from tacit.core.run import Run, Step
from tacit.core.value import grouped
from tacit.learn.command import commands, line_of
from tacit.learn.echo import unfenced
from tacit.learn.notice.calls import SOFT, is_refused
from tacit.learn.reader.render import (
    PERSON,
    at_home,
    failing_output,
    one_line,
    scrubbed,
    spoken,
)
from tacit.words.diagnose import WORDLESS, clean, recognise
from tacit.words.signature import decisive_line

LONGEST_TYPED = 1_500  # characters kept of a typed line; nobody's habit needs more
LONGEST_PIECE = 400  # … of a command and of the line that tells its failure
LAST_OF_OUTPUT = (
    2_000  # characters at an output's end in which a failure is looked for where no status tells
)
PASSED_WITHIN = 15  # calls after a failure in which the same program may pass
MOST_FAILED = 14  # failing commands of a session: a session that fails more is one that fails alike


@dataclass(frozen=True)
class Typed:
    """One message of the person's own words."""

    text: str
    record: str = ""  # the host's id of the message: a fork's copy carries the same one


@dataclass(frozen=True)
class Failed:
    """One command that failed, the line that tells it, and what passed afterwards."""

    command: str
    told: str
    passed: str = ""  # the next call of the same program that went well; empty where none was seen
    program: str = ""


@dataclass(frozen=True)
class Left:
    """What one session left."""

    session: str  # the host's id
    group: str  # what forks and resumptions of one piece of work share
    started: str = ""
    person: str = ""  # whose session it is, where several people's are read together
    typed: tuple[Typed, ...] = ()
    failed: tuple[Failed, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As it is kept."""
        return asdict(self)


def left_from(kept: Mapping[str, Any]) -> Left:
    """What was kept of a session."""
    return Left(
        kept["session"],
        kept["group"],
        kept["started"],
        kept["person"],
        tuple(Typed(**each) for each in kept["typed"]),
        tuple(Failed(**each) for each in kept["failed"]),
    )


def left_by(run: Run, person: str = "") -> Left:
    """What a session leaves."""
    return Left(
        run.id,
        run.lineage or run.root or run.id,
        run.started_at or next((step.at for step in run.steps if step.at), ""),
        person,
        tuple(typed_in(run)),
        tuple(failed_in(run)),
    )


def as_families(sessions: Sequence[Left]) -> tuple[Left, ...]:
    """Sessions in order of time; one that repeats a message of an earlier one is its fork or resumption, whatever its file says."""
    found: list[Left] = []
    group_of: dict[str, str] = {}
    for left in sorted(sessions, key=lambda each: each.started):
        records = [typed.record for typed in left.typed if typed.record]
        group = next((group_of[each] for each in records if each in group_of), left.group)
        group_of |= dict.fromkeys(records, group)
        found.append(replace(left, group=group))
    return tuple(found)


def typed_in(run: Run) -> Iterator[Typed]:
    """The person's own words, message by message, without what they pasted or a program put in their name."""
    before = ""
    for step in run.steps:
        if step.role == "assistant" and step.text:
            before = step.text
        if step.role != "user" or not step.typed or step.speaker == "command":
            continue
        own = " ".join(words for letter, words in spoken(step, before) if letter in PERSON)
        text = at_home(scrubbed(unfenced(own)), run.cwd)[:LONGEST_TYPED]
        if text:
            yield Typed(text, step.record)


def failed_in(run: Run) -> Iterator[Failed]:
    """The commands that failed, the same program with the same error once, the last ones where they are too many."""
    found: dict[tuple[str, str], Failed] = {}
    lanes = grouped(run.steps, lambda step: (step.agent, step.context))
    for steps in lanes.values():
        calls = [(step, line) for step in steps if (line := shell_line(step))]
        for at, (step, line) in enumerate(calls):
            if (output := failure_of(step, line)) and (told := telling(output, run.cwd)):
                one = _failed(line, told, calls[at + 1 :], run.cwd)
                known = found.get((one.program, folded(told)))
                if known is None or (one.passed and not known.passed):
                    found[one.program, folded(told)] = one
    yield from list(found.values())[-MOST_FAILED:]


def shell_line(step: Step) -> str:
    """The shell line of a call, also of a script of Codex's that runs several commands."""
    line = line_of(step)
    given: Mapping[str, Any] = step.input or {}
    if not line and step.tool == "exec" and isinstance(given.get("cmd"), str):
        line = given["cmd"].strip()
    return line


def failure_of(step: Step, line: str) -> str:
    """What a call printed when it failed; empty where it passed, was stopped, or refused before it ran."""
    if step.interrupted or is_refused(step.error):
        return ""
    acts = any(call.acts for call in commands(line))
    if (failed := failing_output(step)) or step.status is not None or not step.output:
        return failed if acts or failed != WORDLESS else ""  # a search without a hit
    # a script that printed no exit code: only its output may tell, unless it showed somebody else's
    return step.output if acts and recognise(step.output[-LAST_OF_OUTPUT:], "", SOFT) else ""


def telling(output: str, cwd: str) -> str:
    """The line of a failing output that tells what failed, redacted: what a tool marks with a cross, else what reads like an error,
    else the last one."""
    lines = [line for line in clean(output).splitlines() if line.strip()]
    lines = [line for line in lines if not _ECHOED.match(line)] or lines
    told = next((line for line in lines if _CROSSED.match(line)), "")
    told = told or decisive_line("\n".join(lines)) or "".join(lines[-1:])
    return at_home(scrubbed(told), cwd)[:LONGEST_PIECE]


_ECHOED = re.compile(r"\s*[$>+] ")  # a runner prints the command that it runs
_CROSSED = re.compile(r"\s*[×✖✗✘] \S")


def program_of(line: str, told: str = "") -> str:
    """Which program a line is about, with its subcommand: the one that a failure names, else the last that does something."""
    calls = [call for call in commands(line) if not call.neutral]
    named = [call for call in calls if re.search(rf"\b{re.escape(call.program)}\b", told)]
    acting = [call for call in calls if call.acts]
    chosen = named[:1] or acting[-1:] or calls[-1:]
    return chosen[0].called if chosen else line.split()[0]


def programs_in(line: str) -> set[str]:
    """The programs that a line runs, each with its subcommand."""
    return {call.called for call in commands(line)}


def folded(text: str) -> str:
    """A line for comparing: without case, figures and the places of a machine."""
    words = (word for word in text.casefold().split() if "/" not in word)
    return "".join("0" if c.isdigit() else c for c in " ".join(words))


def _failed(line: str, told: str, later: Sequence[tuple[Step, str]], cwd: str) -> Failed:
    program = program_of(line, told)
    passed = next(
        (
            other
            for step, other in later[:PASSED_WITHIN]
            if program in programs_in(other)
            and not step.interrupted
            and not failure_of(step, other)
        ),
        "",
    )
    return Failed(_piece(line, cwd), told, _piece(passed, cwd) if passed else "", program)


def _piece(line: str, cwd: str) -> str:
    return at_home(one_line(scrubbed(line)), cwd)[:LONGEST_PIECE]
