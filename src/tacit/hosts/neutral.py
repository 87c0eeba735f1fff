"""Tacit's own run format, JSON Lines, for every loop that no other format knows:
docs/formats/neutral.md."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tacit.core import clock
from tacit.core.run import OUTCOMES, STANCES, Cost, Finding, Reading, Run, Step, fold_severity
from tacit.core.trust import CLAIMABLE, TIER_OF
from tacit.core.value import replace
from tacit.hosts.source import STANDARD_INPUT, Source, json_record, said_place
from tacit.lesson import PERSONS, TIERS

if TYPE_CHECKING:
    Record = dict[str, Any]

NAME = "neutral"
ROLES = ("user", "assistant", "tool", "system")
_LARGEST = 2**48  # a database must be able to hold sums of such numbers
_MANY_WARNINGS = 20


def _names(said: str) -> dict[str, str]:
    """`theirs:ours` for each other name under which loops already write a field."""
    return dict(pair.split(":") for pair in said.split())


RUN_NAMES = _names("run_id:id started:started_at ended:ended_at started_ts:started_at usage:cost")
STEP_NAMES = _names("content:text exit_code:status file:files ts:at timestamp:at name:tool")
FINDING_NAMES = _names(
    "description:text message:text source:by file:paths files:paths evidence:quote ts:at timestamp:at"
)
INCIDENT_NAMES = _names("category:key description:text message:text")


def detect(source: Source) -> float:
    """How sure we are that these are neutral runs: the first record decides."""
    head = source.head()
    first, found_end, _ = head.lstrip().partition(b"\n")
    found = json_record(first)
    if found is None:
        cut = not found_end and len(head) == 65536
        return 0.7 if cut and _LONG_FIRST_RECORD.match(first) else 0.0
    kind = found.get("type")
    if kind == "run" and ("id" in found or "run_id" in found):
        return 0.95
    if (
        kind == "finding"
        and ("run" in found or "run_id" in found)
        and {"text", "description", "message"} & set(found)
    ):
        return 0.8
    return 0.0


_LONG_FIRST_RECORD = re.compile(rb'\{\s*"type"\s*:\s*"run"')


def read(source: Source) -> Iterator[Run]:
    """The runs in a file, one after the other."""
    reading: _Run | None = None
    notes = _Notes()  # what stands before the first run is noted with it
    for number, line in enumerate(source.lines(), 1):
        found = json_record(line)
        kind = found.pop("type", None) if found else None
        named = _named(kind, found) if found else ""
        if kind == "run" or (
            kind == "finding" and named and (reading is None or reading.id != named)
        ):
            if reading:
                yield reading.finish(source)
                notes = _Notes()
            reading = (
                _Run(named, notes, kind == "finding" and source.path == STANDARD_INPUT)
                if named
                else None
            )
            if reading is None:
                notes.malformed += 1
                notes.warn(f"line {number}: a run without an id, left out with its lines")
        notes.lines += 1
        if found is None:
            if line.strip():
                notes.malformed += 1
                notes.warn(f"line {number} is not a JSON object")
        elif reading:
            reading.take(kind, found, number)
        elif kind != "run":
            notes.count(kind)
            notes.warn(f"line {number} belongs to no run: a line of type run comes first")
    notes.skipped = source.skipped
    if reading:
        yield reading.finish(source)


def _named(kind: Any, found: Record) -> str:
    return _text(
        found.get("run") or found.get("run_id") or (found.get("id") if kind == "run" else "")
    )


class _Notes:
    """What was met on the way."""

    def __init__(self, lines: int = 0) -> None:
        self.lines = lines
        self.malformed = self.skipped = 0
        self.unknown: dict[str, int] = {}
        self.warnings: list[str] = []
        self.unsaid = 0

    def warn(self, text: str) -> None:
        if len(self.warnings) < _MANY_WARNINGS:
            self.warnings.append(text)
        else:
            self.unsaid += 1

    def count(self, kind: Any) -> None:
        name = kind[:60] if isinstance(kind, str) and kind else "(no type)"
        self.unknown[name] = self.unknown.get(name, 0) + 1

    def reading(self) -> Reading:
        more = (f"and {self.unsaid} more",) if self.unsaid else ()
        long = (
            (f"{self.skipped} lines are too long or cut off and were left out",)
            if self.skipped
            else ()
        )
        return Reading(
            self.lines, self.malformed, self.unknown or None, 0, (*self.warnings, *more, *long)
        )


class _Run:
    """A run while its lines come in."""

    def __init__(self, id: str, notes: _Notes, passing: bool) -> None:
        self.id = id
        self.notes = notes
        self.passing = passing  # its findings are submitted one by one: their lines are no place to find them again
        self.run = Run(id, NAME)
        self.steps: list[Step] = []
        self.findings: list[Finding] = []

    def take(self, kind: Any, found: Record, number: int) -> None:
        """One line of this run."""
        takes = {
            "run": self.head,
            "step": self.step,
            "finding": self.finding,
            "incident": self.incident,
            "end": self.end,
        }
        if kind in takes:
            takes[kind](_unnamed(found), f"line:{number}")
        else:
            self.notes.count(kind)

    def finish(self, source: Source) -> Run:
        """All of it."""
        return replace(
            self.run,
            steps=tuple(self.steps),
            findings=tuple(self.findings),
            path=source.path,
            reading=self.notes.reading(),
        )

    def head(self, found: Record, place: str) -> None:
        steps, findings = found.pop("steps", ()), found.pop("findings", ())
        found.pop("id", None)
        taken = self.fields(found, RUN_NAMES, _RUN_FIELDS, place)
        if "complete" not in taken:
            taken["complete"] = bool(steps) and taken.get("outcome", "unknown") != "unknown"
        self.run = replace(self.run, **taken)
        for kind, items, take in (
            ("steps", steps, self.step),
            ("findings", findings, self.finding),
        ):
            if type(items) not in (list, tuple):
                self.notes.warn(f"{place}: {kind} is not a list")
                continue
            for index, item in enumerate(items, 1):
                if type(item) is dict:
                    item.pop("type", None)
                    take(_unnamed(item), f"{place}/{kind}/{index}")
                else:
                    self.notes.warn(f"{place}: {kind}/{index} is not an object")

    def step(self, found: Record, place: str) -> None:
        taken = self.fields(found, STEP_NAMES, _STEP_FIELDS, place, extra=False)
        role = taken.pop("role", "") or ("tool" if taken.get("tool") else "")
        if role not in ROLES:
            self.notes.malformed += 1
            self.notes.warn(f"{place}: a step's role is one of {', '.join(ROLES)}, not {role!r}")
            return
        self.steps.append(Step(role, taken.pop("place", "") or place, **taken))

    def finding(self, found: Record, place: str) -> None:
        claimed, severity = found.pop("tier", None), found.pop("severity", None)
        taken = self.fields(found, FINDING_NAMES, _FINDING_FIELDS, place)
        text = taken.pop("text", "")
        if not text.strip():
            self.notes.malformed += 1
            self.notes.warn(f"{place}: a finding without a text")
            return
        if severity is not None:
            taken["severity"] = fold_severity(severity)
        taken["tier"] = self.tier(claimed, taken.get("by", ""), place)
        place = said_place(text) if self.passing else place
        self.findings.append(Finding(self.id, taken.pop("place", "") or place, text, **taken))

    def incident(self, found: Record, place: str) -> None:
        """Something that says nothing by itself and much when it comes up again."""
        taken = self.fields(found, INCIDENT_NAMES, _INCIDENT_FIELDS, place, extra=False)
        if taken.get("trigger") not in TRIGGERS or not taken.get("key", "").strip():
            self.notes.malformed += 1
            self.notes.warn(
                f"{place}: an incident has a key and a trigger, one of {', '.join(TRIGGERS)}"
            )
            return
        told = {
            **taken,
            "text": taken.get("text", "").strip() or taken["key"],
            "task": self.id,
            "place": place,
        }
        told["paths"] = list(told.get("paths", ()))
        extra = self.run.extra or {}
        self.run = replace(
            self.run, extra={**extra, "incidents": [*extra.get("incidents", ()), told]}
        )

    def tier(self, claimed: Any, by: str, place: str) -> str:
        """How far a finding's words are trusted: never further than its file may claim."""
        if claimed is None:
            if by.lower() in PERSONS:
                self.notes.warn(f"{place}: by {by!r}, taken as agent: only the person can say so")
            return TIER_OF.get(by.lower(), "agent")
        if claimed in CLAIMABLE:
            return str(claimed)
        known = "cannot be claimed by a file" if claimed in TIERS else "is not known"
        self.notes.warn(f"{place}: tier {claimed!r} {known}, taken as agent")
        return "agent"

    def end(self, found: Record, place: str) -> None:
        taken = self.fields(
            found, {"at": "ended_at", "ts": "ended_at", **RUN_NAMES}, _RUN_FIELDS, place
        )
        if "extra" in taken:
            taken["extra"] = {**(self.run.extra or {}), **taken["extra"]}
        self.run = replace(self.run, **{"complete": True, **taken})

    def fields(
        self,
        found: Record,
        names: Mapping[str, str],
        readers: Mapping[str, Callable[[Any], Any]],
        place: str,
        extra: bool = True,
    ) -> Record:
        """What a record says, by our names; what is unknown goes to extra, what has a wrong type is left out."""
        taken: Record = {}
        rest = found.pop("extra", None)
        unknown = dict(rest) if type(rest) is dict else {}
        has_extra = rest is not None
        for name, given in found.items():
            ours = names.get(name, name)
            reader = readers.get(ours)
            if reader is None or (ours != name and (ours in found or ours in taken)):
                if extra:
                    unknown[name] = given
                    has_extra = True
                else:
                    self.notes.count(f"step.{name}")
                continue
            if given is None:
                continue
            usable = reader(given)
            if usable is None:
                self.notes.warn(f"{place}: {name} cannot be {_short(given)}")
            else:
                taken[ours] = usable
        if extra and has_extra:
            taken["extra"] = unknown
        return taken


def _unnamed(found: Record) -> Record:
    """A record without the name of its run."""
    return {name: given for name, given in found.items() if name not in ("run", "run_id")}


def _short(given: Any) -> str:
    shown = json.dumps(given, default=str)
    return shown if len(shown) <= 40 else shown[:37] + "..."


def _text(given: Any) -> str:
    return given if isinstance(given, str) else str(given) if type(given) in (int, float) else ""


def _a_text(given: Any) -> str | None:
    return _text(given) if type(given) in (str, int, float) else None


def _a_bool(given: Any) -> bool | None:
    return given if isinstance(given, bool) else None


def _an_int(given: Any) -> int | None:
    return given if type(given) is int and abs(given) < _LARGEST else None


def _a_number(given: Any) -> float | None:
    return float(given) if type(given) in (int, float) and abs(given) < 1e300 else None


def _texts(given: Any) -> tuple[str, ...] | None:
    if isinstance(given, str):
        return (given,)
    if isinstance(given, list) and all(type(item) is str for item in given):
        return tuple(given)
    return None


def _an_input(given: Any) -> Mapping[str, Any] | None:
    """Arguments by name; a bare text is the command line of a shell."""
    if isinstance(given, dict):
        return given
    return {"command" if isinstance(given, str) else "input": given}


def _a_time(given: Any) -> str | None:
    """ISO 8601 in UTC: other zones are converted, Unix times written out."""
    if type(given) in (int, float):
        return clock.stamp(given) if 0 < given < 1e11 else None
    if not isinstance(given, str) or not given or not clock.seconds(given):
        return None
    zoned = len(given) > 19 and (given[-6:-5] in ("+", "-") or given[-5:-4] in ("+", "-"))
    return clock.stamp(clock.seconds(given)) if zoned else given


def _a_cost(given: Any) -> Cost | None:
    if type(given) is not dict:
        return None
    counts = {name: given.get(name) for name in ("input", "output", "cache_read", "cache_write")}
    usd = _a_number(given.get("usd", given.get("cost_usd")))
    if any(
        count is not None and (_an_int(count) is None or count < 0) for count in counts.values()
    ):
        return None
    return Cost(**{name: count or 0 for name, count in counts.items()}, usd=usd)


def _one_of(words: tuple[str, ...]) -> Callable[[Any], str | None]:
    return lambda given: (
        given.lower() if isinstance(given, str) and given.lower() in words else None
    )


_RUN_FIELDS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(
        "host root project cwd branch commit agent model version domain task task_id task_type objective".split(),
        _a_text,
    ),
    "outcome": _one_of(OUTCOMES),
    "complete": _a_bool,
    "files": _texts,
    "changed": _texts,
    "cost": _a_cost,
    "started_at": _a_time,
    "ended_at": _a_time,
}
_STEP_FIELDS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys("role place text tool output error agent".split(), _a_text),
    "input": _an_input,
    "status": _an_int,
    "files": _texts,
    "at": _a_time,
    "typed": _a_bool,
    "interrupted": _a_bool,
}
# What may be noted as an incident, by its trigger: what the loop's reviewers, workers and checks keep running into.
TRIGGERS = ("failure_class", "concern", "recovery", "recipe", "integration", "low_confidence")
_INCIDENT_FIELDS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys("trigger key text by severity".split(), _a_text),
    "paths": _texts,
    "at": _a_time,
}
_FINDING_FIELDS: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(
        "place text extractor kind by origin category domain agent task_type scope signature quote".split(),
        _a_text,
    ),
    "version": _an_int,
    "stance": _one_of(STANCES),
    "tags": _texts,
    "paths": _texts,
    "at": _a_time,
    "confidence": _a_number,
}
