"""A run without its steps: its problems, what they cost, and what it says. All that a look back keeps of it.

A problem is told from another by the program that failed, the masked error, and the names in it. What it cost runs from
the failed call to the next success of the same thing in the same lane, one agent's steps; each call in between counts
for one problem only. Runs of one unit, a session and its resumptions and sub-agents, are joined: they are one sighting.
"""

from __future__ import annotations

import re

from tacit.core import clock
from tacit.core.memory import sound_text
from tacit.core.profile import class_of, kind_named
from tacit.core.redact import private, redact
from tacit.core.run import SEVERITIES
from tacit.core.value import replace, value
from tacit.core.words import signature
from tacit.learn import failures, fixes, shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tacit.core.profile import Profile
    from tacit.core.run import Finding, Run, Step
    from tacit.learn.gate import GateDecision

HORIZON = 80  # tool calls between a failure and the next success of the same thing; further apart they are strangers
PAUSE = 600.0  # seconds; in a longer pause nobody worked
EARLIEST, LATEST = clock.seconds("2000-01-01"), clock.seconds("2100-01-01")  # other times are a broken clock's
LONGEST = 220  # characters of a text that is shown


@value
class Home:
    """The project of a run."""

    key: str  # equal for the same project
    name: str
    path: str = ""


@value
class Spent:
    """What was spent between failures and overcoming them. Each call counts for one problem only, so sums are true."""

    calls: int = 0
    seconds: float = 0.0
    tokens: int | None = None  # new ones, without cache reads; None where the host recorded none


@value
class Trouble:
    """One problem in one session."""

    key: str  # equal for the same problem of a project
    label: str  # for people, redacted
    failed: int = 1  # calls
    spent: Spent = Spent()


@value
class Said:
    """One finding of a session, as the gate judged it."""

    finding: Finding  # redacted
    decision: GateDecision
    role: str = ""  # wish: the person's; report: a failure told in words; empty: a lesson about something else
    about: str = ""  # the key of the problem it is a lesson about


@value
class Excerpt:
    """What is kept of a run."""

    unit: str
    home: Home
    started: float  # Unix time; 0 where the host recorded none
    ended: float
    troubles: tuple[Trouble, ...] = ()
    said: tuple[Said, ...] = ()
    tool_calls: int = 0
    failed_calls: int = 0
    passed_over: int = 0
    apart: bool = False  # a sub-agent's own file: it repeats nothing of its session's


def home_by_folder(run: Run) -> Home:
    """The project of a run by the text of its folder alone."""
    folder = run.cwd or run.project or run.path.replace("\\", "/").rpartition("/")[0]
    return Home(folder, folder.rstrip("/").rpartition("/")[2] or folder or "unknown", folder)


def excerpt(run: Run, home: Home, profile: Profile) -> Excerpt:
    """A run without its steps: its problems and their cost, and what it says."""
    from tacit.learn.echo import strip_echo

    run = strip_echo(run, ())
    calls = _Calls(run)
    said = tuple(_said(run, profile, calls.places))
    troubles = tuple(calls.troubles())
    if run.outcome == "failure" and not troubles and not any(each.role == "report" for each in said):
        told = run.task_id or run.task
        troubles = (Trouble(f"task\n{told or run.id}", shown(f"the run failed: {told or run.id}"), 0),)
    started = _moment(run.started_at)
    return Excerpt(
        unit=f"{run.host} {run.root or run.id}",
        home=home,
        started=started,
        ended=max(started, _moment(run.ended_at)),
        troubles=troubles,
        said=said,
        tool_calls=calls.count,
        failed_calls=calls.failed,
        passed_over=calls.passed_over,
        apart=bool(run.agent and run.root),
    )


def _moment(text: str) -> float:
    """A time as the host wrote it; 0 where it wrote none, or one in which there were no agents."""
    at = clock.seconds(text)
    return at if EARLIEST <= at < LATEST else 0.0


class _Calls:
    """The tool calls of a run, lane by lane: which failed, with what problem, and what each problem cost."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.places: dict[str, str] = {}  # place of a failed call -> its problem
        self.count = self.failed = self.passed_over = 0
        self.found: dict[str, Trouble] = {}
        self.spent: dict[str, tuple[int, float]] = {}
        lanes: dict[str, list[Step]] = {}
        for step in run.steps:
            lanes.setdefault(step.agent, []).append(step)
        for steps in lanes.values():
            self._lane(steps)

    def troubles(self) -> Iterator[Trouble]:
        """Each problem of the run with its cost."""
        cost = self.run.cost
        fresh = (cost.input + cost.output + cost.cache_write) / self.count if cost and self.count else None
        for key, trouble in self.found.items():
            calls, seconds = self.spent.get(key, (0, 0.0))
            yield replace(trouble, spent=Spent(calls, seconds, None if fresh is None else round(fresh * calls)))

    def _lane(self, steps: Sequence[Step]) -> None:
        places = [at for at, step in enumerate(steps) if step.tool and step.role != "system"]
        calls = [steps[at] for at in places]
        self.count += len(calls)
        tried: dict[int, tuple[str, ...]] = {}
        owner: dict[int, str] = {}
        for number, step in enumerate(calls):
            key = self._problem(step) if step.error and not step.interrupted else ""
            if key:
                # Of two open problems the later one is being worked on: it takes over the calls that follow.
                owner.update(dict.fromkeys(range(number, self._overcome(calls, number, tried)), key))
        for number, key in owner.items():
            spent, seconds = self.spent.get(key, (0, 0.0))
            self.spent[key] = (spent + 1, seconds + self._duration(steps, places[number]))

    def _problem(self, step: Step) -> str:
        self.failed += 1
        line = failures.telling_line(private(step.error))
        if failures.says_nothing(step.error, line):
            self.passed_over += 1
            return ""
        line = redact(line).text  # before anything is cut: half a secret is not recognised
        told = failures.told(line, self.run.cwd, self.run.branch)
        program = _program(step)
        # A guess that missed is the same one again only if it was the same guess.
        target = _target(step) if failures.is_a_guess(line) else ""
        key = problem_key("edit" if _edits(step) else program.partition(" ")[0], told, target)
        before = self.found.get(key)
        if before is None:
            said = told if told.lower().startswith(f"{program.partition(' ')[0].lower()}:") else f"{program}: {told}"
            self.found[key] = Trouble(key, shown(said))
        else:
            self.found[key] = replace(before, failed=before.failed + 1)
        self.places[step.place] = key
        return key

    def _overcome(self, calls: Sequence[Step], failed: int, tried: dict[int, tuple[str, ...]]) -> int:
        """The call that went well at the same thing; where none did, the one after the last attempt."""
        last = failed
        for number in range(failed, min(len(calls), failed + 1 + HORIZON)):
            if number not in tried:
                tried[number] = _attempt(calls[number])
            if number == failed or tried[number] != tried[failed] or calls[number].interrupted:
                continue
            if calls[number].error:
                last = number
            elif not _went_unseen(calls[number]):
                return number
        return last + 1

    def _duration(self, steps: Sequence[Step], at: int) -> float:
        """From this step to the next of its lane; the person's time is not counted."""
        after = steps[at + 1] if at + 1 < len(steps) else None
        if after is None or after.role == "user":
            return 0.0
        begun, ended = clock.seconds(steps[at].at), clock.seconds(after.at)
        return min(PAUSE, max(0.0, ended - begun)) if begun and ended else 0.0


def problem_key(program: str, told: str, target: str = "") -> str:
    """Equal for the same problem again: the program, the masked error, and the names in it."""
    masked = signature(told) or signature(f"error: {told}")
    names = {_VOLATILE.sub("#", found) for found in _NAMES.findall(told)}
    return "\n".join((program, masked, *sorted(names), target)).rstrip("\n")


_NAMES = re.compile(r"'[^'\n]{1,120}'|\"[^\"\n]{1,120}\"|(?<![\w/])[\w.@~+-]*(?:/[\w.@+-]+)+")
_VOLATILE = re.compile(r"(?:/private)?/(?:tmp|var/folders)/[\w.@+/-]*|\b(?=[a-f-]*\d)[0-9a-f-]{7,}\b|\d+")


def _program(step: Step) -> str:
    """What was run, as a person would call it."""
    line = shell.command_of(step)
    call = shell.main_call(line) if line else None
    return " ".join(filter(None, shell.key(call))) if call else step.tool


def _target(step: Step) -> str:
    """What a call was aimed at: its file, or its whole command line."""
    return step.files[0] if step.files else shell.command_of(step) or str(sorted((step.input or {}).items()))[:200]


def _edits(step: Step) -> bool:
    return bool(step.files and fixes.EDIT_TOOLS.search(step.tool))


def _attempt(step: Step) -> tuple[str, ...]:
    """Equal for two attempts at the same thing."""
    line = shell.command_of(step)
    call = shell.main_call(line) if line else None
    if call is not None:
        return ("shell", *shell.key(call))
    if _edits(step):
        return ("edit", step.files[0])
    return ("tool", step.tool)


def _went_unseen(step: Step) -> bool:
    """Nobody saw how the call ended: a pipe hid it, or it was left running."""
    line = shell.command_of(step)
    if not line:
        return False
    call = shell.main_call(line)
    hidden = call is not None and (call.piped or call.fed) and failures.shows_failure(step.output)
    return hidden or failures.unfinished(step.output)


def _said(run: Run, profile: Profile, places: Mapping[str, str]) -> Iterator[Said]:
    from tacit.learn.extract import EXTRACTORS, Known, extract

    on = tuple(name for name, each in profile.extract.extractors.items() if each.on and name in EXTRACTORS)
    for finding in extract(run, Known(extractors=on)):
        clean = _redacted(finding)
        decision = _judged(clean, profile)
        role = _role(finding, run, profile)
        if decision.stored or role == "report":
            about = places.get(finding.place) or places.get(finding.place.rpartition("#")[0], "")
            yield Said(clean, decision, role, about if finding.extractor in (fixes.FIX, fixes.REPEAT) else "")


def _role(finding: Finding, run: Run, profile: Profile) -> str:
    if finding.extractor == "wish":
        return "wish"
    if finding.stance != "supports":
        return ""
    if finding.extractor == "resolve":
        return "report" if run.outcome == "failure" else ""  # what a failed run says of itself
    if finding.extractor != "outright":
        return ""
    grave = SEVERITIES.index(finding.severity) >= SEVERITIES.index("warning")
    klass = class_of(profile, kind_named(profile, finding.kind))
    return "report" if grave or klass in ("pitfall", "fix", "security") else ""


def _redacted(finding: Finding) -> Finding:
    def clean(text: str) -> str:
        return redact(private(sound_text(text))).text

    return replace(finding, text=clean(finding.text), quote="", signature=clean(finding.signature), extra=None)


def _judged(finding: Finding, profile: Profile) -> GateDecision:
    from tacit.core.screen import screen
    from tacit.learn.gate import GATES, GateRules

    names: tuple[str, ...] = GateRules.FIELDS  # type: ignore[attr-defined]
    given = {name: getattr(profile.gate, name) for name in names if hasattr(profile.gate, name)}
    found = screen(finding.text)
    rules = GateRules(**{**given, "held": profile.trust.held})
    return GATES[profile.gate.function](finding, rules, suspicion="" if found.clean else found.reason)


def shown(text: str, limit: int = LONGEST) -> str:
    """A text for people: secrets out, one line, nothing that a terminal obeys, cut."""
    safe = redact(private(sound_text(text))).text
    flat = " ".join("".join(c if c.isprintable() else " " for c in safe).split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


# --- one session --------------------------------------------------------------------------------------------------------


def sessions(excerpts: Iterable[Excerpt]) -> list[Excerpt]:
    """Runs of one unit as one, in the order they began; those without a time first, as they came."""
    units: dict[str, Excerpt] = {}
    for each in excerpts:
        units[each.unit] = _joined(units[each.unit], each) if each.unit in units else each
    return sorted(units.values(), key=lambda each: each.started)


def _joined(one: Excerpt, other: Excerpt) -> Excerpt:
    # A resumed session repeats the records of the one before it: of two counts of the same thing the larger holds both.
    both = _add if one.apart or other.apart else max
    first, second = (other, one) if 0 < other.started < one.started else (one, other)
    troubles = {each.key: each for each in first.troubles}
    for each in second.troubles:
        known = troubles.get(each.key)
        troubles[each.key] = each if known is None else _met_twice(known, each, both is _add)
    said = {(each.finding.kind, each.finding.text): each for each in (*second.said, *first.said)}
    return replace(
        first,
        ended=max(one.ended, other.ended),
        troubles=tuple(troubles.values()),
        said=tuple(said.values()),
        tool_calls=both(one.tool_calls, other.tool_calls),
        failed_calls=both(one.failed_calls, other.failed_calls),
        passed_over=both(one.passed_over, other.passed_over),
        apart=one.apart and other.apart,
    )


def _add(one: int, other: int) -> int:
    return one + other


def _met_twice(one: Trouble, other: Trouble, apart: bool) -> Trouble:
    if apart:
        return replace(one, failed=one.failed + other.failed, spent=plus(one.spent, other.spent))
    return max(one, other, key=lambda each: (each.spent.calls, each.failed))


def plus(one: Spent, other: Spent) -> Spent:
    """Two expenses together."""
    known = [tokens for tokens in (one.tokens, other.tokens) if tokens is not None]
    return Spent(one.calls + other.calls, one.seconds + other.seconds, sum(known) if known else None)
