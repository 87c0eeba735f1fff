"""What a session leaves for the looks at the whole: the lines its person typed, and the commands
that failed in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from tacit.core.run import Run, Step
from tacit.core.value import grouped
from tacit.hooks.common import READ_OF_EACH, used_in
from tacit.reading.calls import SOFT, is_refused
from tacit.reading.command import Command, commands, line_of
from tacit.reading.echo import unfenced
from tacit.reading.page import (
    PERSON,
    at_home,
    failing_output,
    is_outside,
    one_line,
    scrubbed,
    spoken,
)
from tacit.words.diagnose import WORDLESS, clean, recognise, signatures
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
    mark: str = ""  # the signature that hooks know the failure by
    outside: bool = False  # what it printed came from a forge, the web, a server
    at: str = ""


@dataclass(frozen=True)
class Left:
    """What one session left."""

    session: str  # the host's id
    group: str  # what forks and resumptions of one piece of work share
    started: str = ""
    person: str = ""  # whose session it is, where several people's are read together
    host: str = ""
    typed: tuple[Typed, ...] = ()
    failed: tuple[Failed, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As it is kept."""
        return asdict(self)


def left_from(kept: Mapping[str, Any]) -> Left:
    """What was kept of a session."""
    typed = tuple(Typed(**each) for each in kept["typed"])
    failed = tuple(Failed(**each) for each in kept["failed"])
    return Left(**{**kept, "typed": typed, "failed": failed})


def left_by(run: Run, person: str = "") -> Left:
    """What a session leaves."""
    return Left(
        run.id,
        run.lineage or run.root or run.id,
        run.started_at or next((step.at for step in run.steps if step.at), ""),
        person,
        run.host,
        tuple(typed_in(run)),
        tuple(failed_in(run)),
    )


def used_by(run: Run) -> tuple[str, ...]:
    """The words, names and commands that a session used, redacted: what many sessions use is
    common."""
    lines = dict.fromkeys(line[:READ_OF_EACH] for step in run.steps if (line := shell_line(step)))
    ran = scrubbed("\n".join(lines)).split("\n")
    paths = (at_home(path, run.cwd) for step in run.steps for path in step.files)
    return used_in([each.text for each in typed_in(run)], ran, paths)


def as_families(sessions: Sequence[Left]) -> tuple[Left, ...]:
    """Sessions in order of time; one that repeats a message of an earlier one is its fork or
    resumption, whatever its file says."""
    found: list[Left] = []
    group_of: dict[str, str] = {}
    for left in sorted(sessions, key=lambda each: each.started):
        records = [typed.record for typed in left.typed if typed.record]
        group = next((group_of[each] for each in records if each in group_of), left.group)
        group_of |= dict.fromkeys(records, group)
        found.append(replace(left, group=group))
    return tuple(found)


def typed_in(run: Run) -> Iterator[Typed]:
    """The person's own words, message by message, without what they pasted or a program put in
    their name."""
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
    """The commands that failed, the same program with the same error once, the last ones where
    they are too many."""
    found: dict[tuple[str, str], tuple[Failed, Step, str]] = {}
    lanes = grouped(run.steps, lambda step: (step.agent, step.context))
    for steps in lanes.values():
        calls = [(step, line) for step in steps if (line := shell_line(step))]
        outputs = [failure_of(step, line) for step, line in calls]
        for at, ((step, line), output) in enumerate(zip(calls, outputs, strict=True)):
            if not output or not (told := telling(output, run.cwd)):
                continue
            call = call_of(line, told)
            program = call.called if call else line.split()[0]
            known = found.get((program, folded(told)))
            if known is None or not known[0].passed:
                later = zip(
                    calls[at + 1 : at + 1 + PASSED_WITHIN], outputs[at + 1 : at + 1 + PASSED_WITHIN]
                )
                passed = _passed(call, later) if call else ""
                one = Failed(line, told, passed, program, at=step.at)
                found[program, folded(told)] = one, step, output
    for one, step, output in list(found.values())[-MOST_FAILED:]:
        yield replace(
            one,
            command=_piece(one.command, run.cwd),
            passed=_piece(one.passed, run.cwd) if one.passed else "",
            mark=scrubbed(next(iter(signatures(output, run.cwd)), "")),
            outside=is_outside(step),
        )


def shell_line(step: Step) -> str:
    """The shell line of a call, also of a script of Codex's that runs several commands."""
    line = line_of(step)
    given: Mapping[str, Any] = step.input or {}
    if not line and step.tool == "exec" and isinstance(given.get("cmd"), str):
        line = given["cmd"].strip()
    return line


def failure_of(step: Step, line: str) -> str:
    """What a call printed when it failed; empty where it passed, was stopped, or refused before
    it ran."""
    if step.interrupted or is_refused(step.error):
        return ""
    failed = failing_output(step)
    silent = failed == WORDLESS  # a search without a hit, where nothing but looking was done
    # a script that printed no exit code: only its output may tell, unless it showed somebody else's
    unsure = not failed and step.status is None and bool(step.output)
    if (silent or unsure) and not any(call.acts for call in commands(line)):
        return ""
    if unsure and recognise(step.output[-LAST_OF_OUTPUT:], "", SOFT):
        return step.output
    return failed


def telling(output: str, cwd: str) -> str:
    """The line of a failing output that tells what failed, redacted: what a tool marks with a
    cross, else what reads like an error, else the last one."""
    lines = [line for line in clean(output).splitlines() if line.strip()]
    lines = [line for line in lines if not _ECHOED.match(line)] or lines
    told = next((line for line in lines if _CROSSED.match(line)), "")
    told = told or decisive_line("\n".join(lines)) or "".join(lines[-1:])
    return at_home(scrubbed(told), cwd)[:LONGEST_PIECE]


_ECHOED = re.compile(r"\s*[$>+] ")  # a runner prints the command that it runs
_CROSSED = re.compile(r"\s*[×✖✗✘] \S")


def call_of(line: str, told: str) -> Command | None:
    """Which command of a line failed: the one that the failure names, else the last that does
    something."""
    calls = [call for call in commands(line) if not call.neutral]
    named = [call for call in calls if re.search(rf"\b{re.escape(call.program)}\b", told)]
    acting = [call for call in calls if call.acts]
    return next(iter((*named[:1], *acting[-1:], *calls[-1:])), None)


def runs_alike(line: str, failed: Command) -> bool:
    """Whether a line runs a command's program and subcommand, also in another's charge:
    `corepack pnpm test`."""
    spoken = " ".join(failed.proper[:2])
    return f" {spoken} " in f" {' '.join(line.split())} " or any(
        call.key == failed.key for call in commands(line)
    )


def folded(text: str) -> str:
    """A line for comparing: without case, figures and the places of a machine."""
    words = (word for word in text.casefold().split() if "/" not in word)
    return "".join("0" if c.isdigit() else c for c in " ".join(words))


def _passed(failed: Command, later: Iterable[tuple[tuple[Step, str], str]]) -> str:
    """The next call of a program that went well; empty where none was seen."""
    for (step, line), output in later:
        if not (output or step.interrupted) and runs_alike(line, failed):
            return line
    return ""


def _piece(line: str, cwd: str) -> str:
    return at_home(one_line(scrubbed(line)), cwd)[:LONGEST_PIECE]
