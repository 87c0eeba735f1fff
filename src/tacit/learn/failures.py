"""What failed in a run, what it cost and how it ended. All of it is counted in the store."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from tacit.core.clock import seconds
from tacit.core.run import FAILURE, Incident, Run, Step
from tacit.core.tables import Tables
from tacit.core.value import replace
from tacit.reading.calls import ASKED, lanes
from tacit.reading.command import Command, commands, line_of
from tacit.safety.redact import private, redact
from tacit.words.diagnose import LONGEST_OUTPUT, Diagnosis, recognise

if TYPE_CHECKING:
    from collections.abc import Callable

    from tacit.reading.calls import Lane, Try

_tables = Tables(__file__)

HORIZON = 80  # steps of one lane between a failure and its cure; further apart they are strangers
LONGEST_PAUSE = 600.0  # seconds; of a longer gap so much is counted: nobody worked through it
MOST_LOST = 8  # calls that one failure counts in a run; beyond them the work went on elsewhere
MOST_CURES = 2  # commands between; more of them explain nothing
LONGEST_COMMAND = 20_000  # characters that are read; what a shell line holds beyond is a document
EDIT_TOOLS = re.compile(r"edit|write|replace|patch|create_file|insert", re.I)
LOOKS_FOR = re.compile(r"^(?:read|grep|glob|ls|view|list|search)", re.I)
_OPTION = re.compile(r"--?[a-zA-Z][\w-]*(?:=.*)?")

_EDITED = "patch diff file_path path filePath notebook_path target_file absolute_path".split()

BARRED = _tables.pattern("BARRED")
_INSTALLS_BY_NAME = _tables.pattern("_INSTALLS")


def notice(run: Run) -> tuple[Incident, ...]:
    """The failures of a run, one per signature, in the order they were first met.

    Errors and commands lose their secrets as a whole, before anything is counted: a line that is
    cut out or masked no longer shows what it was part of.
    """
    safe = cache(_without_secrets)  # agents say the same command many times in a run
    run = replace(run, steps=tuple(_safe(step, safe) for step in run.steps))
    found: dict[str, Incident] = {}
    for lane in lanes(run):
        for one in (*_Followed(run, lane).failures(), *_missing(run, lane.steps)):
            known = found.get(one.mark)
            found[one.mark] = one if known is None else _joined(known, one)
    return tuple(found.values())


def _without_secrets(text: str) -> str:
    return redact(private(text)).text


def _safe(step: Step, safe: Callable[[str], str]) -> Step:
    error = step.error
    if len(error) > LONGEST_OUTPUT:
        error = f"{error[: LONGEST_OUTPUT // 2]}\n{error[-LONGEST_OUTPUT // 2 :]}"
    given = step.input if isinstance(step.input, dict) else {}
    whole = given.get("command") or ""
    command = whole[:LONGEST_COMMAND] if isinstance(whole, str) else ""
    wrong, line = (safe(text) if text else "" for text in (error, command))
    if (wrong, line) == (error, whole):
        return step
    said = {**given, "command": line} if command else step.input
    return replace(step, error=wrong, input=said)


def _joined(known: Incident, again: Incident) -> Incident:
    """Two failures of one signature in a run: what cured the last of them, and all that it cost."""
    passed = again.ended not in ("never", "")
    told = again if passed and (known.ended == "never" or not known.cure) else known
    return replace(
        known,
        count=known.count + again.count,
        calls=known.calls + again.calls,
        seconds=known.seconds + again.seconds,
        ended=told.ended,
        cure=known.cure or again.cure,
        soft=known.soft and again.soft,
    )


class _Followed:
    """What one agent did in a run, read for failures and what followed them."""

    def __init__(self, run: Run, lane: Lane) -> None:
        self.run, self.steps, self.tries = run, lane.steps, lane.tries
        self.met: dict[str, list[int]] = {}  # failure -> the tries in which it was met, in order
        # the tries that ran a command, and those that ran one with a word in front of it
        self.ran: dict[tuple[str, ...], list[int]] = {}
        self.fronted: dict[tuple[str, ...], list[int]] = {}
        for number, one in enumerate(lane.tries):
            for each in one.found:
                self.met.setdefault(each.mark, []).append(number)
            for call in one.calls:
                self.ran.setdefault(call.key, []).append(number)
                if len(call.words) > 1:
                    self.fronted.setdefault(call.without_first.key, []).append(number)

    def failures(self) -> Iterator[Incident]:
        """Each failure of the lane with its end; one that comes again before it passed is the
        same failure."""
        open_until: dict[str, int] = {}
        found: list[Incident] = []
        worked_on: list[tuple[str, int, int]] = []  # failure, from which step, to before which
        for number, one in enumerate(self.tries):
            for each in one.found if one.failed else ():
                call = one.blamed(each)
                if call is None or _is_guess(each, call):
                    continue
                incident = self._incident(one, each, call)
                if open_until.get(each.mark, -1) >= number:
                    found.append(incident)  # counted only: how it ended is known
                    continue
                passed = self._passed(number, one, each, call)
                open_until[each.mark] = passed
                worked_on.append((each.mark, one.at, self._until(each.mark, number, passed)))
                ended, cure = "never", ""
                if passed < len(self.tries):
                    last = self.tries[self._last(each.mark, number, passed)]
                    ended, cure = self._between(last, self.tries[passed], each, call)
                found.append(replace(incident, ended=ended, cure=cure))
        spent = self._spent(worked_on)
        for incident in found:
            calls, took = spent.pop(incident.mark, (0, 0.0))
            if incident.ended == "never":  # nobody can say what of the rest was work on it
                calls, took = 0, 0.0
            yield replace(incident, calls=min(calls, MOST_LOST), seconds=round(took))

    def _incident(self, one: Try, of: Diagnosis, call: Command) -> Incident:
        return Incident(
            FAILURE,
            of.mark,
            of.family,
            of.nature,
            of.code,
            of.name,
            of.tool,
            program=_called(call),
            folder=call.place(one.folder, self.run.cwd),
            soft=one.soft,
            place=one.step.place,
            at=one.step.at,
        )

    def _passed(self, number: int, one: Try, of: Diagnosis, call: Command) -> int:
        """The try that it passed with; the number of all where none did."""
        for later in self._alike(number, call):
            then = self.tries[later]
            if then.at - one.at > HORIZON:
                break
            if any(call.is_like(each) for each in then.calls) and _is_over(then, of):
                return later
        return len(self.tries)

    def _alike(self, number: int, call: Command) -> list[int]:
        """The next tries that may be at the same thing as a command."""
        firstless = call.without_first.key if len(call.words) > 1 else ()
        lists = (self.ran.get(call.key), self.fronted.get(call.key), self.ran.get(firstless))
        near = (
            each[(at := bisect_left(each, number + 1)) : at + HORIZON] for each in lists if each
        )
        return sorted({at for numbers in near for at in numbers})

    def _until(self, mark: str, number: int, passed: int) -> int:
        """The step before which work on a failure was over: it passed, or was met for the last
        time."""
        if passed < len(self.tries):
            return self.tries[passed].at
        return self.tries[self._last(mark, number, passed)].at + 1

    def _last(self, mark: str, first: int, end: int) -> int:
        """The last of these tries in which it was met."""
        met = self.met.get(mark, [])
        at = bisect_left(met, end) - 1
        return met[at] if at >= 0 and met[at] >= first else first

    def _spent(self, worked_on: Sequence[tuple[str, int, int]]) -> dict[str, tuple[int, float]]:
        """The calls and the time of each failure. Of two open failures the later one is being
        worked on: its steps are nobody else's."""
        spent: dict[str, tuple[int, float]] = {}
        free = [*range(len(self.steps) + 1)]  # the next step that nobody has, from each on
        for mark, begin, end in reversed(worked_on):
            at = _next(free, begin)
            while at < end:
                if self.steps[at].tool:
                    calls, took = spent.get(mark, (0, 0.0))
                    spent[mark] = calls + 1, took + self._took(at)
                free[at] = at + 1
                at = _next(free, at)
        return spent

    def _took(self, at: int) -> float:
        """Seconds from a step to the next of its lane; the person's time is not counted."""
        after = self.steps[at + 1] if at + 1 < len(self.steps) else None
        if after is None or after.role == "user":
            return 0.0
        begun, ended = seconds(self.steps[at].at), seconds(after.at)
        return min(LONGEST_PAUSE, max(0.0, ended - begun)) if begun and ended else 0.0

    def _between(self, one: Try, then: Try, of: Diagnosis, call: Command) -> tuple[str, str]:
        """How it ended and, where two runs can share it, by what."""
        again = next(each for each in then.calls if call.is_like(each))
        between = [
            step
            for step in self.steps[one.at + 1 : then.at]
            if step.tool and not step.error and not step.interrupted
        ]
        ran = self._ran(between, then, call)
        if any(map(_edits, between)):
            # What a formatter mends needs no hand: an edit beside it is the work going on.
            mends = [
                text for text in ran if any(each.purpose == "format" for each in commands(text))
            ]
            if of.family in ("format", "lint") and mends and not any(map(barred, mends)):
                return "command", mends[-1]
            return "edit", ""
        if ran:
            clear = len(ran) <= MOST_CURES and not any(map(barred, ran))
            return "command", " && ".join(ran) if clear else ""
        changed = _change(call, again, one.folder, then.folder, self.run.cwd)
        if changed and not barred(changed):
            return "form", changed
        return ("form" if call.words != again.words else "retry"), ""

    def _ran(self, between: Sequence[Step], then: Try, call: Command) -> list[str]:
        """Commands with an effect before an attempt went well, the attempt's own first half
        included."""
        ran: dict[str, None] = {}
        for step in (*between, then.step):
            for each in commands(line_of(step)):
                if step is then.step and each.is_like(call):
                    break
                if each.fed or each.inline or not each.acts or each.is_check or each.is_like(call):
                    continue
                ran[each.displayed(self.run.cwd, self.run.branch)[:90]] = None
        return list(ran)


def _is_guess(of: Diagnosis, call: Command) -> bool:
    return of.family == "text" and call.looks and call.program not in ASKED


def _is_over(then: Try, of: Diagnosis) -> bool:
    """Whether a later try shows that a failure is over: it went well, or a check fails by its
    output alone and of something else."""
    if not then.failed:
        return True
    if any(each.mark == of.mark for each in then.found) or not (then.soft or then.found):
        return False
    still = {each.family for each in then.found}
    return of.family in ("lint", "format", "hook") and of.family not in still


def _next(free: list[int], at: int) -> int:
    """The first entry from a place on that leads to itself; the way there is made short for who
    asks again."""
    first = at
    while free[first] != first:
        first = free[first]
    while free[at] != first:
        free[at], at = first, free[at]
    return first


def _called(call: Command) -> str:
    """What was called, as a person would say it; a script that lies elsewhere on the machine is
    nobody's name."""
    words = [word for word in call.key if not word.startswith(("/", "~", "$"))]
    return " ".join(words)[:60] or call.words[0].rsplit("/", 1)[-1][:60]


def barred(cure: str) -> bool:
    """Whether a cure is none, or one that nobody should be taught."""
    return bool(BARRED.search(cure) or _INSTALLS_BY_NAME.search(cure))


def _change(before: Command, after: Command, was_in: str, is_in: str, cwd: str) -> str:
    """What a command's form lost and gained, in words that two runs share: options, the program
    in front, the folder."""
    for one, other, how in ((before, after, "without"), (after, before, "with")):
        if len(one.words) > 1 and one.key != other.key == one.without_first.key:
            return f"{how} {one.bare[0]}"
    was, now = before.bare[: before.front + 1], after.bare[: after.front + 1]
    if before.key == after.key and was != now:
        return f"without {was[0]}" if was[1:] and was[-1:] == now else f"as {' '.join(now)}"[:60]
    had, has = _options(before), _options(after)
    lost, gained = [word for word in had if word not in has], [w for w in has if w not in had]
    here, there = before.place(was_in, cwd), after.place(is_in, cwd)
    parts = [f"without {' '.join(lost)}"] if lost else []
    parts += [f"with {' '.join(gained)}"] if gained else []
    if not parts and here != there and "/" not in (here, there):
        parts = [f"in {there or 'the root'}"]
    return ", ".join(parts)[:90] if len(lost) + len(gained) <= 3 else ""


def _options(call: Command) -> list[str]:
    return [word.partition("=")[0] for word in call.bare[1:] if _OPTION.fullmatch(word)]


def _edits(step: Step) -> bool:
    """Whether a step changed a file."""
    if not step.input or not EDIT_TOOLS.search(step.tool) or step.tool.lower() == "todowrite":
        return False
    return bool(step.files) or any(isinstance(step.input.get(key), str) for key in _EDITED)


def _missing(run: Run, steps: Sequence[Step]) -> Iterator[Incident]:
    """What failed without a command: paths that were asked of the host's own reading tools and are
    not there, and tools of a server of the user's; all else is the host's own protocol."""
    for step in steps:
        if not step.tool or not step.error or step.interrupted or line_of(step):
            continue
        of, program = Diagnosis("host", name=step.tool[:40], nature="host"), step.tool[:40]
        if step.tool.startswith("mcp__"):
            program = step.tool.removeprefix("mcp__")[:60]
            of = Diagnosis("tool", name=program)
        elif LOOKS_FOR.match(step.tool):
            said = recognise(step.error, run.cwd)
            path = next((each for each in said if each.family == "path"), None)
            of, program = (path, step.tool) if path else (of, program)
        yield Incident(
            FAILURE,
            of.mark,
            of.family,
            of.nature,
            name="" if of.family == "host" else of.name,
            program=program,
            ended="never",
            place=step.place,
            at=step.at,
        )
