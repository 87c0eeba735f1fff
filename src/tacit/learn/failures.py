"""What failed in a run, what it cost and how it ended; and which commands served which purpose. All
of it is counted in the store.

A failure is followed through its lane to the next call at the same thing that went well. What stood
between is told apart: an edit of the file that the error names, another edit, a command with an
effect, another form of the command itself, nothing at all. Only what two runs can share is kept of
a cure: a command in its general form, or the words that the form lost and gained.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from tacit.core.clock import seconds
from tacit.core.digest import short_hash
from tacit.core.run import COMMAND, FAILURE, Incident, Run, Step
from tacit.core.tables import Tables
from tacit.core.value import replace, value
from tacit.reading.calls import ASKED, lanes
from tacit.reading.command import Command, commands, line_of
from tacit.safety.redact import private, redact
from tacit.words.diagnose import LONGEST_OUTPUT, Diagnosis, recognise

if TYPE_CHECKING:
    from tacit.reading.calls import Lane, Try

_tables = Tables(__file__)

HORIZON = 80  # steps of one lane between a failure and its cure; further apart they are strangers
LONGEST_PAUSE = 600.0  # seconds; of a longer gap so much is counted: nobody worked through it
MOST_LOST = 8  # calls that one failure counts in a run; beyond them the work went on elsewhere
MOST_CURES = 2  # commands between; more of them explain nothing
MOST_REPAIRS = 8  # pieces of code of one repair
EDIT_TOOLS = re.compile(r"edit|write|replace|patch|create_file|insert", re.I)
EDITED_PATH_KEYS = (
    "file_path",
    "path",
    "filePath",
    "notebook_path",
    "target_file",
    "absolute_path",
    "filename",
)
LOOKS_FOR = re.compile(r"^(?:read|grep|glob|ls|view|list|search)", re.I)

BARRED = _tables.pattern("BARRED")
_INSTALLS_BY_NAME = _tables.pattern("_INSTALLS")
FENCED = (
    "```language"  # whichever language it was: that a fence names one is what two repairs share
)
_REPAIR = _tables.pattern("_REPAIR")


def failures(run: Run, by_lane: Sequence[Lane]) -> Iterator[Incident]:
    """The failures of a run, one per signature, in the order they were first met."""
    found: dict[str, Incident] = {}
    for each in by_lane:
        lane = _Followed(run, each)
        for one in (*lane.failures(), *_missing(run, each.steps)):
            known = found.get(one.mark)
            found[one.mark] = one if known is None else _joined(known, one)
    yield from found.values()


def _joined(known: Incident, again: Incident) -> Incident:
    """Two failures of one signature in a run: what cured the last of them, and all that it cost."""
    told = (
        again
        if again.ended not in ("never", "") and (known.ended == "never" or not known.cure)
        else known
    )
    return replace(
        known,
        count=known.count + again.count,
        calls=known.calls + again.calls,
        seconds=known.seconds + again.seconds,
        ended=told.ended,
        cure=known.cure or again.cure,
        repair=" ".join(
            dict.fromkeys([*known.repair.split(), *again.repair.split()][:MOST_REPAIRS])
        ),
        soft=known.soft and again.soft,
        failed=known.failed + again.failed,
    )


@value
class _End:
    """How one failure ended."""

    ended: str
    cure: str = ""
    repair: str = ""


class _Followed:
    """What one agent did in a run, read for failures and what followed them."""

    def __init__(self, run: Run, lane: Lane) -> None:
        self.run, self.steps, self.tries = run, lane.steps, lane.tries
        self.met: dict[str, list[int]] = {}  # failure -> the tries in which it was met, in order
        for number, one in enumerate(lane.tries):
            for each in one.found:
                self.met.setdefault(each.mark, []).append(number)

    def failures(self) -> Iterator[Incident]:
        """Each failure of the lane with its end; one that comes again before it passed is the
        same failure."""
        open_until: dict[str, int] = {}
        found: list[Incident] = []
        worked_on: list[tuple[str, int, int]] = []  # failure, from which step, to before which
        for number, one in enumerate(self.tries):
            for each in one.found if one.failed else ():
                call = one.blamed(each)
                if call is None or self._guessed(each, call):
                    continue
                incident = self._incident(one, each, call)
                if open_until.get(each.mark, -1) >= number:
                    found.append(replace(incident, ended=""))  # counted only: how it ended is known
                    continue
                passed, end = self._end(number, one, each, call)
                open_until[each.mark] = passed
                worked_on.append((each.mark, one.at, self._until(each.mark, number, passed)))
                found.append(replace(incident, ended=end.ended, cure=end.cure, repair=end.repair))
        spent = self._spent(worked_on)
        for incident in found:
            calls, took = spent.pop(incident.mark, (0, 0.0))
            if incident.ended == "never":  # nobody can say what of the rest was work on it
                calls, took = 0, 0.0
            yield replace(incident, calls=min(calls, MOST_LOST), seconds=round(took))

    def _until(self, mark: str, number: int, passed: int) -> int:
        """The step before which work on a failure was over: it passed, or was met for the last
        time."""
        if passed < len(self.tries):
            return self.tries[passed].at
        return self.tries[self._last(mark, number, passed)].at + 1

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

    def _last(self, mark: str, first: int, end: int) -> int:
        """The last of these tries in which it was met."""
        met = self.met.get(mark, [])
        at = bisect_left(met, end) - 1
        return met[at] if at >= 0 and met[at] >= first else first

    def _took(self, at: int) -> float:
        """Seconds from a step to the next of its lane; the person's time is not counted."""
        after = self.steps[at + 1] if at + 1 < len(self.steps) else None
        if after is None or after.role == "user":
            return 0.0
        begun, ended = seconds(self.steps[at].at), seconds(after.at)
        return min(LONGEST_PAUSE, max(0.0, ended - begun)) if begun and ended else 0.0

    def _guessed(self, of: Diagnosis, call: Command) -> bool:
        return of.family == "text" and call.looks and call.program not in ASKED

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

    def _end(self, number: int, one: Try, of: Diagnosis, call: Command) -> tuple[int, _End]:
        """(the try that it passed with, how it ended)."""
        for later in range(number + 1, len(self.tries)):
            then = self.tries[later]
            if then.at - one.at > HORIZON:
                break
            again = next((each for each in then.calls if call.is_like(each)), None)
            if again is None or (then.failed and any(each.mark == of.mark for each in then.found)):
                continue
            if then.failed and not (then.soft or then.found):
                continue
            if then.failed and (
                of.family not in ("lint", "format", "hook")
                or of.family in {each.family for each in then.found}
            ):
                continue  # something else fails now: nobody can say that this is over
            last = self.tries[self._last(of.mark, number, later)]
            return later, self._between(last, then, of, call, again)
        return len(self.tries), _End("never")

    def _between(self, one: Try, then: Try, of: Diagnosis, call: Command, again: Command) -> _End:
        between = [
            step
            for step in self.steps[one.at + 1 : then.at]
            if step.tool and not step.error and not step.interrupted
        ]
        edited = {path: text for step in between for path, text in _edits(step)}
        named = of.path and {
            path: text
            for path, text in edited.items()
            if path.endswith("/" + of.path.removeprefix("./")) or path == of.path
        }
        if of.nature == "convention" and named:
            return _End("edit", repair=_repair("\n".join(named.values())))
        ran = self._ran(between, then, call)
        if not edited and ran:
            cure = " && ".join(ran) if len(ran) <= MOST_CURES and not any(map(barred, ran)) else ""
            return _End("command", cure)
        if edited:
            # What a formatter mends needs no hand: an edit beside it is the work going on.
            mends = [
                text for text in ran if any(call.purpose == "format" for call in commands(text))
            ]
            if of.family in ("format", "lint") and mends and not any(map(barred, mends)):
                return _End("command", mends[-1])
            return _End("edit" if named else "other edit")
        if (changed := _change(call, again, one.folder, then.folder, self.run.cwd)) and not barred(
            changed
        ):
            return _End("form", changed)
        return _End("form" if call.words != again.words else "retry")

    def _ran(self, between: Sequence[Step], then: Try, call: Command) -> list[str]:
        """Commands with an effect before an attempt went well, in their general form; the
        attempt's own first half included."""
        ran: dict[str, None] = {}
        for step in (*between, then.step):
            for each in commands(line_of(step)):
                if step is then.step and each.is_like(call):
                    break
                if each.fed or each.inline or not each.acts or each.is_check or each.is_like(call):
                    continue
                said = each.form(self.run.cwd, then.folder)
                text = (
                    said[0]
                    if said and not said[2]
                    else each.displayed(self.run.cwd, self.run.branch)
                )
                ran[text[:90]] = None
        return list(ran)


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
    if before.key == after.key and (was := before.bare[: before.front + 1]) != (
        now := after.bare[: after.front + 1]
    ):
        return f"without {was[0]}" if was[1:] and was[-1:] == now else f"as {' '.join(now)}"[:60]
    lost = [word for word in _telling(before) if word not in _telling(after)]
    gained = [word for word in _telling(after) if word not in _telling(before)]
    here, there = before.place(was_in, cwd), after.place(is_in, cwd)
    parts = [f"without {' '.join(lost)}"] if lost else []
    parts += [f"with {' '.join(gained)}"] if gained else []
    if not parts and here != there and "/" not in (here, there):
        parts = [f"in {there or 'the root'}"]
    return ", ".join(parts)[:90] if len(lost) + len(gained) <= 3 else ""


def _telling(call: Command) -> list[str]:
    return [
        word.partition("=")[0]
        for word in call.bare[1:]
        if re.fullmatch(r"--?[a-zA-Z][\w-]*(?:=.*)?", word)
    ]


def _edits(step: Step) -> Iterator[tuple[str, str]]:
    """(path, text brought in) of each file that a step edited."""
    if not EDIT_TOOLS.search(step.tool) or step.tool.lower() == "todowrite" or not step.input:
        return

    def text(*keys: str) -> str:
        given: Mapping[str, Any] = step.input or {}
        return next((given[key] for key in keys if isinstance(given.get(key), str)), "")

    if patch := text("patch", "input", "diff"):
        for part in re.split(r"^\*\*\* (?:Update|Add) File: |^\+\+\+ b/", patch, flags=re.M)[1:]:
            path, _, body = part.partition("\n")
            yield (
                path.strip(),
                "\n".join(line[1:] for line in body.splitlines() if line.startswith("+")),
            )
        return
    path = text(*EDITED_PATH_KEYS) or (step.files[0] if step.files else "")
    old = step.input.get("old_string") or step.input.get("old_str") or ""
    if path:
        known, new = (
            set(str(old).splitlines()),
            text("new_string", "content", "new_str", "file_text"),
        )
        yield path, "\n".join(line for line in new.splitlines() if line not in known)


def _repair(text: str) -> str:
    found = dict.fromkeys(
        FENCED if each.startswith("```") else re.sub(r"\s+", "_", each)
        for each in _REPAIR.findall(text[:20_000])
    )
    return " ".join(list(found)[:MOST_REPAIRS])


def _missing(run: Run, steps: Sequence[Step]) -> Iterator[Incident]:
    """Paths that were asked of the host's own reading tools and are not there; every other
    refusal of theirs is host protocol."""
    for step in steps:
        if not step.tool or not step.error or step.interrupted or line_of(step):
            continue
        name, program = "", step.tool[:40]
        mark, family, nature = f"host {program}", "host", "host"
        # a server of the user's: not the host's protocol, and nothing that a form knows
        if step.tool.startswith("mcp__"):
            name = program = step.tool.removeprefix("mcp__")[:60]
            mark, family, nature = f"tool {name}", "tool", "other"
        elif LOOKS_FOR.match(step.tool):
            for each in recognise(step.error, run.cwd):
                if each.family == "path":
                    mark, family, nature, name, program = (
                        each.mark,
                        each.family,
                        each.nature,
                        each.name,
                        step.tool,
                    )
                    break
        yield Incident(
            FAILURE,
            mark,
            family,
            nature,
            name=name,
            program=program,
            ended="never",
            place=step.place,
            at=step.at,
        )


# --- all of a run ---

LONGEST_COMMAND = 20_000  # characters that are read; what a shell line holds beyond is a document
_TEXTS = ("mark", "code", "name", "program", "folder", "line", "cure", "repair")


def notice(run: Run) -> tuple[Incident, ...]:
    """The incidents of a run, secrets masked before anything is counted.

    Errors and commands lose them as a whole: a line that is cut out or masked no longer shows what
    it was part of.
    """
    safe = cache(_without_secrets)  # agents say the same command many times in a run
    run = replace(run, steps=tuple(_safe(step, safe) for step in run.steps))
    by_lane = lanes(run)
    return tuple(_masked(each) for each in (*failures(run, by_lane), *_forms_used(run, by_lane)))


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
    return replace(
        step,
        error=wrong,
        input={**given, "command": line} if command else step.input,
    )


def _masked(incident: Incident) -> Incident:
    texts = {name: getattr(incident, name) for name in _TEXTS}
    joined = "\n".join(texts.values())
    if _without_secrets(joined) == joined:
        return incident
    return replace(incident, **{name: _without_secrets(text) for name, text in texts.items()})


# Which commands serve which purpose here, how often each form passed and failed: counted, never
# told by one run.

_MOST = 12  # forms of one run
MOST_CALLS = 200  # of one shell line that are looked at; a longer one is a script
# A failure that no form of the grammar knows, told by the output's own summary.
_FAILED = re.compile(
    r"\b[1-9]\d* (?:failed|failures?|errors?\b)|^FAILED\b|^FAIL\b|^error(?:\[|:)|BUILD FAILED"
    r"|Build failed|exit(?:ed with)? (?:code|status) [1-9]",
    re.M | re.I,
)


def _forms_used(run: Run, by_lane: Sequence[Lane]) -> Iterator[Incident]:
    """The forms of commands that a run used, by purpose, with how often they passed and failed."""
    found: dict[str, Incident] = {}
    for lane in by_lane:
        for one in lane.tries:
            for call in one.calls[:MOST_CALLS]:
                served = "" if call.fed else call.purpose
                said = call.form(run.cwd, one.folder) if served else None
                if said is None:
                    continue
                form, folder, single = said
                mark = short_hash(served, form, folder)  # the form itself stands beside it
                failed = one.failed and (
                    not one.soft or any(one.blamed(each) == call for each in one.found)
                )
                failed = failed or (call.piped and bool(_FAILED.search(one.step.output[-4000:])))
                known = found.get(mark) or Incident(
                    COMMAND,
                    mark,
                    "single" if single else "",
                    served,
                    program=form,
                    folder=folder,
                    count=0,
                    place=one.step.place,
                    at=one.step.at,
                )
                found[mark] = replace(
                    known, count=known.count + (not failed), failed=known.failed + failed
                )
    most = sorted(found.values(), key=lambda each: -(each.count + each.failed))[:_MOST]
    yield from sorted(most, key=lambda each: each.at)
