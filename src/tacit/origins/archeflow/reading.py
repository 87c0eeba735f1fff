"""Read what ArcheFlow writes: its event log, its lessons and their archive."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tacit.core.clock import seconds
from tacit.core.exchange import Given, Opening, OriginVerdict, Row, Skipped
from tacit.core.run import Cost, Finding, Reading, Run, Step, fold_severity
from tacit.core.states import ACTIVE, GONE, WAITING
from tacit.hosts.source import Source, json_record
from tacit.lesson import MAX_TEXT_BYTES, SEVERITIES, Lesson
from tacit.origins.archeflow.rules import ArcheFlow

if TYPE_CHECKING:
    Record = dict[str, Any]
    Item = Row | Given | OriginVerdict | Skipped

NAME = "archeflow"
WRITES_IN = (
    ".archeflow/events"  # from the top of a repository: where its own program writes its runs
)
PARTS = {"lessons": "lessons.jsonl", "archive": "archive.jsonl", "audit": "audit.jsonl"}
INDEX = "index.jsonl"  # beside the event logs: one row per finished run, newest last
BY_HAND = "manual"  # the run id of a lesson that a person added
LESSON_TYPES = ("pattern", "preference", "archetype_hint", "anti_pattern")
# Its reviewers' categories. Its program wrote them into `domain`, where injection asks for code, writing or research.
CATEGORIES = (
    "security",
    "reliability",
    "design",
    "breaking-change",
    "dependency",
    "quality",
    "testing",
    "consistency",
)
GENERAL = "general"
RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_EVENTS = frozenset(
    (
        "run.start",
        "run.complete",
        "run.merged",
        "agent.start",
        "agent.complete",
        "agent.failed",
        "agent.timeout",
        "phase.transition",
        "decision",
        "decision.point",
        "review.verdict",
        "fix.applied",
        "cycle.boundary",
        "shadow.detected",
        "wiggum.break",
        "evidence.downgrade",
    )
)
_OUTCOMES = {"completed": "success", "success": "success", "passed": "success", "merged": "success"}
_OUTCOMES |= {
    "failed": "failure",
    "failure": "failure",
    "error": "failure",
    "aborted": "aborted",
    "cancelled": "aborted",
}
_MANY_WARNINGS = 20


def detect(source: Source) -> float:
    """How sure we are that this is an event log, or the index of such logs: the first record that can be read decides."""
    first = next(filter(None, map(json_record, source.head().splitlines()[:20])), None)
    if first is None or not isinstance(first.get("run_id"), str):
        return 0.0
    if _is_index(first):
        return 0.7
    known = isinstance(first.get("type"), str) and first["type"] in _EVENTS
    return (
        (0.95 if known else 0.5)
        if isinstance(first.get("data"), dict) and isinstance(first.get("type"), str)
        else 0.0
    )


def read(source: Source) -> Iterator[Run]:
    """The run in an event log; none in an index."""
    log = _Log(source)
    for number, line in enumerate(source.lines(), 1):
        found = json_record(line)
        if found is None:
            if line.strip():
                log.malformed(f"line {number} is not a JSON object")
        elif number == 1 and _is_index(found):
            return
        else:
            log.take(found, number)
        log.lines += 1
    if log.id or log.events:
        yield log.finish()


def previous(source: Source) -> Source | None:
    """The event log of the run before this one, by the index beside it: its last row that names another run."""
    beside = {each.name: each for each in source.beside()}
    if INDEX not in beside:
        return None
    mine = next((run.id for run in read(source)), source.stem)
    before = ""
    for line in beside[INDEX].lines():
        id = (json_record(line) or {}).get("run_id")
        if isinstance(id, str) and id != mine and RUN_ID.fullmatch(id) and ".." not in id:
            before = id
    return beside.get(f"{before}.jsonl")


def _is_index(found: Record) -> bool:
    return "run_id" in found and "status" in found and "type" not in found and "data" not in found


class _Log:
    """One event log on the way to being a run."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.lines = self.bad = self.events = 0
        self.unknown: dict[str, int] = {}
        self.warnings: list[str] = []
        self.id = self.task = self.domain = self.model = self.started = self.ended = ""
        self.outcome, self.complete = "unknown", False
        self.steps: list[Step] = []
        self.findings: list[Finding] = []
        self.fixes: list[str] = []
        self.reviewers: list[str] = []
        self.usd = 0.0

    def malformed(self, why: str) -> None:
        self.bad += 1
        if len(self.warnings) < _MANY_WARNINGS:
            self.warnings.append(why)

    def take(self, event: Record, number: int) -> None:
        kind, data = event.get("type"), event.get("data")
        if not isinstance(kind, str) or not isinstance(data, dict):
            self.malformed(f"line {number} is not an event")
            return
        self.events += 1
        self.id = self.id or text_in(event.get("run_id"))
        at = text_in(event.get("ts"))
        self.started, self.ended = self.started or at, at or self.ended
        if kind not in _EVENTS:
            self.unknown[kind] = self.unknown.get(kind, 0) + 1
        who = text_in(data.get("archetype")) or text_in(event.get("agent"))
        place = f"line:{number}"
        if kind == "run.start":
            self.task, self.domain = text_in(data.get("task")), text_in(data.get("domain")).lower()
            self.model = text_in(data.get("model")) or text_in(data.get("model_provider"))
        elif kind == "run.complete":
            self.complete = True
            self.outcome = _OUTCOMES.get(text_in(data.get("status")).lower(), "unknown")
        elif kind == "review.verdict":
            self.review(data, who, place, at)
        elif kind == "fix.applied":
            fixed, file = text_in(data.get("finding")), text_in(data.get("file"))
            if fixed:
                self.fixes.append(fixed)
            self.steps.append(
                Step(
                    "assistant", place, text=f"fixed: {fixed}", files=_files(file), at=at, agent=who
                )
            )
        elif kind == "agent.complete":
            self.usd += _number(data.get("estimated_cost_usd")) or 0.0
            if summary := text_in(data.get("summary")):
                self.steps.append(Step("assistant", place, text=summary, at=at, agent=who))
        elif kind in ("agent.failed", "agent.timeout"):
            error = _first_text(data, "error", "reason", "summary") or kind
            self.steps.append(Step("tool", place, tool="agent", error=error, at=at, agent=who))
        elif kind == "shadow.detected":
            self.say(
                _first_text(data, "description", "insight", "shadow"),
                "archetype_hint",
                data,
                who,
                place,
                at,
                who,
            )
        elif kind == "wiggum.break":
            self.say(
                _first_text(data, "description", "reason"), "anti_pattern", data, who, place, at
            )

    def review(self, data: Record, who: str, place: str, at: str) -> None:
        self.reviewers.append(who)
        findings = data.get("findings", [])
        if not isinstance(findings, list):
            self.malformed(f"{place}: findings is not a list")
            return
        for number, finding in enumerate(findings):
            text = text_in(finding.get("description")) if isinstance(finding, dict) else ""
            if not text:
                self.malformed(f"{place}: finding {number + 1} has no description")
                continue
            kind = (
                finding.get("type")
                if finding.get("type") in ("archetype_hint", "anti_pattern")
                else "pattern"
            )
            agent = (text_in(finding.get("archetype")) or who) if kind == "archetype_hint" else ""
            self.say(text, kind, finding, who or "unknown", f"{place}/{number}", at, agent)

    def say(
        self, text: str, kind: str, said: Record, by: str, place: str, at: str, agent: str = ""
    ) -> None:
        if not text:
            return
        word = text_in(said.get("severity")).lower() or ("warning" if kind != "pattern" else "")
        location = text_in(said.get("location"))
        kept: Record = {
            name: said[name] for name in ("location", "fix_required", "evidence") if name in said
        }
        if word and word not in SEVERITIES:
            kept["severity"] = word  # "critical" is one of its words; ours for it is bug
        self.findings.append(
            Finding(
                run=self.id,
                place=place,
                text=text,
                kind=kind,
                by=by or "unknown",
                tier="review",
                category=text_in(said.get("category")).lower(),
                severity=fold_severity(word),
                domain=text_in(said.get("domain")).lower(),
                agent=agent,
                paths=_files(location),
                quote=text,
                at=at,
                extra=kept or None,
            )
        )

    def finish(self) -> Run:
        id = self.id or self.source.stem
        return Run(
            id=id,
            host=NAME,
            steps=tuple(self.steps),
            findings=tuple(Finding(**{**each.__dict__, "run": id}) for each in self.findings),
            model=self.model,
            domain=self.domain,
            task=self.task,
            objective=self.task,
            outcome=self.outcome,
            complete=self.complete,
            cost=Cost(usd=self.usd) if self.usd else None,
            started_at=self.started,
            ended_at=self.ended,
            path=self.source.path,
            reading=Reading(
                self.lines,
                self.bad + self.source.skipped,
                self.unknown or None,
                warnings=tuple(self.warnings),
            ),
            extra={
                "instruments": [f"review:{name}" for name in dict.fromkeys(self.reviewers)],
                "fixes": self.fixes,
            },
        )


def holds(source: Source) -> float:
    """How sure we are that this is a file of lessons, or the audit trail: the first record that can be read decides."""
    for line in source.head().splitlines()[:20]:
        found = json_record(line)
        if found is None:
            continue
        if "lessons_injected" in found or found.get("type") == "effectiveness_check":
            return 0.95
        if "description" in found and ("frequency" in found or "runs_since_last_seen" in found):
            return 0.95
        return 0.5 if {"description", "severity", "domain"} <= set(found) else 0.0
    return 0.4 if source.name in PARTS.values() else 0.0


def memories(source: Source) -> Iterator[Item]:
    """The lessons, or the audit rows, of a file; each line that is none of these by its place and reason."""
    archive = "archive" in source.stem
    for number, line in enumerate(source.lines(), 1):
        place = f"line:{number}"
        found = json_record(line)
        if found is None:
            if line.strip():
                yield Skipped(place, "not a JSON object")
        elif "lessons_injected" in found:
            yield _given(found, place)
        elif found.get("type") == "effectiveness_check":
            yield _judged(found, place)
        else:
            yield from _lesson(found, place, archive)
    if source.skipped:
        yield Skipped(
            "",
            f"{source.skipped} lines were too long to be read, or lost at the end of a damaged archive",
        )


def _lesson(found: Record, place: str, archive: bool) -> Iterator[Row | Skipped]:
    text = found.get("description")
    if not isinstance(text, str) or not text.strip():
        yield Skipped(place, "a lesson without a description")
        return
    if len(text.encode("utf-8", "replace")) > MAX_TEXT_BYTES:
        yield Skipped(
            place,
            f"a description of {len(text):,} characters; at most {MAX_TEXT_BYTES:,} bytes are kept",
        )
        return
    read = Fields(found)
    yield from (Skipped(place, why, field) for field, why in read.faults)
    confirmed = read.frequency >= ArcheFlow.RUNS or read.type == "preference"
    stood = ACTIVE if confirmed else WAITING
    state = GONE if archive or read.frequency <= 0 else stood
    closed = ("silence" if read.frequency <= 0 else "user") if state == GONE else ""
    yield Row(
        Lesson(
            id="",
            project="",
            text=text,
            kind=read.type,
            category=read.category,
            domain=read.domain,
            agent=read.archetype,
            tags=read.tags,
            severity=read.severity,
            source=read.source,
            state=state,
            previous_state=stood if closed else "",
            closed_by=closed,
            created_at=read.ts,
            updated_at=read.ts,
            extra=found,
        ),
        alias=text_in(found.get("id")),
        openings=(
            Opening("seen", max(0, read.frequency), read.ts),
            *([Opening("unseen", read.unseen, read.ts)] if read.unseen else []),
        ),
        place=place,
    )


class Fields:
    """A lesson's fields as we understand them, and what was wrong with them; used on the way in and on the way out."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self.found = found
        self.faults: list[tuple[str, str]] = []
        self.type = self._text("type") or "pattern"
        self.source = self._text("source")
        self.archetype = self._text("archetype")
        self.severity = fold_severity(self._text("severity"))
        self.frequency = self._count("frequency", 1)
        self.unseen = self._count("runs_since_last_seen", 0)
        self.tags = self._tags()
        ts = self._text("ts")
        self.ts = ts if seconds(ts) else ""
        domain = self._text("domain").lower() or GENERAL
        self.category = domain if domain in CATEGORIES else ""
        self.domain = GENERAL if self.category else domain

    def _text(self, name: str) -> str:
        at = self.found.get(name)
        if at is None or isinstance(at, str):
            return (at or "").strip()
        self.faults.append((name, f"{name} is {_type_name(at)}, not a text"))
        return ""

    def _count(self, name: str, otherwise: int) -> int:
        at = self.found.get(name)
        if at is None:
            return otherwise
        number = _number(at)
        if (
            number is None
            and isinstance(at, str)
            and (text := at.strip()).lstrip("-").isdigit()
            and len(text) < 16
        ):
            self.faults.append((name, f"{name} is the text {text!r}: read as a number"))
            return int(text)
        if number is None or abs(number) > 2**48:
            self.faults.append(
                (name, f"{name} is {_type_name(at)}, not a count: taken as {otherwise}")
            )
            return otherwise
        return math.floor(number)

    def _tags(self) -> tuple[str, ...]:
        at = self.found.get("tags")
        if at is None:
            return ()
        if isinstance(at, list) and all(isinstance(tag, str) for tag in at):
            return tuple(at)
        self.faults.append(("tags", "tags is not a list of texts"))
        return ()


def _given(found: Record, place: str) -> Given | Skipped:
    ids = found["lessons_injected"]
    if (
        not isinstance(ids, list)
        or not all(isinstance(id, str) for id in ids)
        or not text_in(found.get("run_id"))
    ):
        return Skipped(place, "an injection without its run or its lessons")
    return Given(
        run=text_in(found["run_id"]),
        memories=tuple(ids),
        at=text_in(found.get("ts")),
        domain=text_in(found.get("domain")),
        agent=text_in(found.get("archetype")),
        record=found,
        place=place,
    )


def _judged(found: Record, place: str) -> OriginVerdict | Skipped:
    run, lesson, word = (
        text_in(found.get(name)) for name in ("run_id", "lesson_id", "effectiveness")
    )
    if not run or not lesson or word not in ("helpful", "ineffective"):
        return Skipped(place, "a check without its run, its lesson or its result")
    return OriginVerdict(
        run=run,
        memory=lesson,
        signal=word,
        at=text_in(found.get("ts")),
        figure=_number(found.get("keyword_overlap_pct")),
        text=text_in(found.get("lesson_desc")),
        record=found,
        place=place,
    )


def text_in(at: object) -> str:
    return at.strip() if isinstance(at, str) else ""


def _first_text(data: Record, *names: str) -> str:
    return next((text for name in names if (text := text_in(data.get(name)))), "")


def _number(at: object) -> float | None:
    good = isinstance(at, (int, float)) and not isinstance(at, bool) and math.isfinite(at)
    return at if good else None  # type: ignore[return-value]


def _files(location: str) -> tuple[str, ...]:
    """The file of "src/app.py:10"."""
    path = re.sub(r"(?::\d+)+$", "", location)
    return (path,) if path and not any(c.isspace() for c in path) else ()


def second_of(at: str) -> str:
    """A time without its fraction, as ArcheFlow writes it."""
    return re.sub(r"\.\d+(?=Z$)", "", at)


def _type_name(at: object) -> str:
    names = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        list: "a list",
        dict: "an object",
        str: "a text",
    }
    return names.get(type(at), "nothing")
