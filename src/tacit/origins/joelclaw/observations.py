"""joelclaw: observations of sessions, submitted one by one or written down by an observing model, and its store of them.

A run is a session. Three kinds of file tell of one:

    the event stream    {"name": "memory/observation.submitted", "data": {"observation": …, "category": …, "tags": […]}}
                        also `memory/session.ended`; in joelclaw nothing consumed them, and what was written was lost
    an observer's answer, XML with segments of a narrative and facts, `- 🔴 [gate=allow confidence=0.9 …] text`
    a daily log or note  lines that begin with 🔴, 🟡 or 🟢

Facts keep their annotation: the write gate reads it. A narrative carries none; joelclaw let every narrative in by its
fallback, here they are context for a reader and no findings.

Memories are observation documents, one JSON object a line, as its search index held them; `timestamp` counts seconds.
A document is kept whole in `Memory.extra`, and only what changed since is written anew.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tacit.core import clock
from tacit.core.digest import short_hash
from tacit.core.exchange import Given, Opening, OriginVerdict, Row, Skipped
from tacit.core.run import Finding, Reading, Run
from tacit.core.states import STAGE, record_of
from tacit.hosts.source import STANDARD_INPUT, Source, json_record, said_place
from tacit.lesson import MAX_TEXT_BYTES, Lesson
from tacit.origins.origin import STAGES

if TYPE_CHECKING:
    Record = dict[str, Any]
    Item = Row | Given | OriginVerdict | Skipped

NAME = "joelclaw"
WRITES_IN = ".joelclaw"  # from the top of a repository: where its own program writes its runs
LASTING_IDS = SPEAKS_ON_STDIN = (
    True  # an id is never given to another memory; there an agent submits what it observed
)
PARTS = {"observations": "memory_observations.jsonl"}
SUBMITTED = "memory/observation.submitted"
_EVENTS = (
    SUBMITTED,
    "memory/session.ended",
    "memory/session.compaction.pending",
    "memory/observations.accumulated",
)
PRIORITIES = {
    "🔴": "warning",
    "🟡": "recommendation",
    "🟢": "info",
}  # corrections, recurring patterns, minor things
CATEGORIES = (
    "jc:preferences",
    "jc:rules-conventions",
    "jc:system-architecture",
    "jc:operations",
    "jc:memory-system",
    "jc:projects",
    "jc:people-relationships",
)
# Other names that its taxonomy knows them by.
_ALIASES = (
    "rules conventions hard-rules architecture ops o11y-triage memory project people relationships"
)
_NAMED = {*(name.removeprefix("jc:") for name in CATEGORIES), *_ALIASES.split()}
_VERDICTS = ("allow", "hold", "discard")
MILLISECONDS = 100_000_000_000  # larger stamps count milliseconds: as seconds they would lie past the year 5000
_MANY_WARNINGS = 20
_HEAD = 65536
_COUNTS = {
    "recalls": "recall_count",
    "priority": "retrieval_priority",
    "merged": "merged_count",
}  # opening balances
# The order in which its document lists them; a new observation is written so.
FIELDS = (
    "id",
    "session_id",
    "source",
    "timestamp",
    "updated_at",
    "observation",
    "observation_type",
    "write_verdict",
    "write_confidence",
    "write_reason",
    "write_gate_version",
    "write_gate_fallback",
    "category_id",
    "category_confidence",
    "category_source",
    "taxonomy_version",
    "merged_count",
    "recall_count",
    "retrieval_priority",
    "stale",
    "stale_tagged_at",
    "last_used_at",
    "superseded_by",
    "supersedes",
    "tags",
)


# --- runs -------------------------------------------------------------------------------------------------------------


def detect(source: Source) -> float:
    """How sure we are that this is a session's observations. A page that only speaks of such files is none."""
    head = source.head(_HEAD)
    if b"<observations>" in head or b"<facts>" in head:
        return (
            0.9
            if head.lstrip().startswith(b"<")
            else 0.6
            if b"</observations>" in head and _is_log(source)
            else 0.0
        )
    for line in head.splitlines()[:20]:
        found = json_record(line)
        if found is not None:
            name = found.get("name") or found.get("event")
            if name in _EVENTS:
                return 0.95
            return 0.0 if not _is_submitted(found) else 0.7
    text = head.decode("utf-8", "replace")
    marked = any(
        line.lstrip(" -*•\t").startswith(tuple(PRIORITIES)) for line in text.splitlines()[:200]
    )
    return 0.6 if marked and _is_log(source) else 0.0


def _is_log(source: Source) -> bool:
    """A file that may hold notes of a session: plain text, standard input, or a page named by its day."""
    name = source.name.lower()
    return (
        name.endswith((".txt", ".log", ".xml"))
        or name == "-"
        or bool(re.match(r"\d{4}-\d\d-\d\d", name))
    )


def read(source: Source) -> Iterator[Run]:
    """The sessions in a file."""
    head = source.head(_HEAD).lstrip()
    if head.startswith(b"{"):
        yield from _from_events(source)
    else:
        yield _from_answer(source)


def _from_events(source: Source) -> Iterator[Run]:
    """Submitted observations, by session; events without one belong to the file."""
    from tacit.origins.observer import cleaned

    sessions: dict[str, list[Finding]] = {}
    ended: dict[str, str] = {}
    lines = bad = 0
    unknown: dict[str, int] = {}
    warnings: list[str] = []
    for number, line in enumerate(source.lines(), 1):
        lines += 1
        event = json_record(line)
        if event is None:
            if line.strip():
                bad += 1
                _warn(warnings, f"line {number} is not a JSON object")
            continue
        name = _text(event.get("name")) or _text(event.get("event"))
        inner = event.get("data")
        data: Record = inner if isinstance(inner, dict) else event
        if name and name not in _EVENTS:
            unknown[name] = unknown.get(name, 0) + 1
            continue
        session = _text(data.get("sessionId")) or _text(data.get("session_id")) or source.stem
        at = _time(data.get("timestamp") or event.get("ts") or data.get("at"))
        if name in ("", SUBMITTED):
            text = _text(data.get("observation"))
            if not text:
                bad += 1
                _warn(warnings, f"line {number}: an observation without a text")
                continue
            filed = _text(data.get("category")) or _text(data.get("category_id"))
            if filed and not _is_category(filed):
                bad += 1
                known = ", ".join(CATEGORIES)
                _warn(warnings, f"line {number}: no category is called {filed!r}; one of {known}")
                continue
            place = said_place(text) if source.path == STANDARD_INPUT else f"line:{number}"
            sessions.setdefault(session, []).append(
                cleaned(_submitted(session, data, text, place, at))
            )
        else:
            sessions.setdefault(session, [])
            ended[session] = at
    for session, findings in sessions.items():
        times = sorted(finding.at for finding in findings if finding.at)
        yield Run(
            id=session,
            host=NAME,
            findings=tuple(findings),
            complete=session in ended or bool(findings),
            started_at=times[0] if times else "",
            ended_at=ended.get(session) or (times[-1] if times else ""),
            path=source.path,
            reading=Reading(lines, bad + source.skipped, unknown or None, warnings=tuple(warnings)),
        )
    if not sessions and bad:
        yield Run(
            source.stem,
            NAME,
            path=source.path,
            reading=Reading(lines, bad, unknown or None, warnings=tuple(warnings)),
        )


def _is_category(name: str) -> bool:
    spelled = "-".join(name.lower().replace("_", " ").split())
    return spelled.removeprefix("jc:") in _NAMED


def _submitted(session: str, data: Record, text: str, place: str, at: str) -> Finding:
    tags = data.get("tags")
    said = _text(data.get("category")) or _text(data.get("category_id"))
    return Finding(
        run=session,
        place=place,
        text=text,
        by=_text(data.get("source")) or "agent",
        tier="agent",
        category=said,
        tags=tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
        quote=text[:300],
        at=at,
        extra={
            "observation_type": "submitted",
            "session_id": session,
            "source": _text(data.get("source")),
        },
    )


def _is_submitted(found: Record) -> bool:
    return (
        isinstance(found.get("observation"), str)
        and "write_verdict" not in found
        and "timestamp" not in found
    )


def _from_answer(source: Source) -> Run:
    from tacit.origins.observer import cleaned

    raw = b"".join(source.lines()).decode("utf-8", "replace")
    session = source.stem
    findings = tuple(
        cleaned(
            Finding(
                run=session,
                place=place,
                text=text,
                by="observer",
                tier="agent",
                severity=next(
                    (
                        word
                        for mark, word in PRIORITIES.items()
                        if text.lstrip(" -*•").startswith(mark)
                    ),
                    "info",
                ),
                quote=text[:300],
                extra={"observation_type": kind, "session_id": session},
            )
        )
        for place, kind, text in _facts(raw)
    )
    narratives = [part for part in _between(raw, "narrative") if part]
    lines = raw.count("\n") + 1
    strange = () if findings or "<observations>" in raw.lower() else ("no line of it is marked",)
    return Run(
        id=session,
        host=NAME,
        findings=findings,
        task=next(_between(raw, "current-task"), ""),
        complete=True,
        path=source.path,
        reading=Reading(lines, lines if strange else source.skipped, warnings=strange),
        extra={"narratives": narratives[:50]} if narratives else None,
    )


def _facts(raw: str) -> Iterator[tuple[str, str, str]]:
    """(place, where it stood, text with its annotation) of each fact; without tags, of each line with a priority mark."""
    tagged = list(_between(raw, "facts"))
    for number, part in enumerate(tagged):
        for index, line in enumerate(part.splitlines()):
            fact = re.sub(r"^\s*[-*+•]\s+", "", line).strip()
            if fact:
                yield f"segment:{number}/{index}", "segment_fact", fact
    whole = next(_between(raw, "observations"), "")
    if not tagged and whole:
        yield "observations", "observation_text", whole
    elif not tagged:
        for number, line in enumerate(raw.splitlines(), 1):
            fact = line.strip(" -*•\t")
            if fact.startswith(tuple(PRIORITIES)):
                yield f"line:{number}", "observation_text", fact


def _between(text: str, tag: str) -> Iterator[str]:
    low, at = text.lower(), 0
    while (start := low.find(f"<{tag}>", at)) >= 0:
        start += len(tag) + 2
        end = low.find(f"</{tag}>", start)
        if end < 0:
            return
        yield text[start:end].strip()
        at = end


# --- memories in ------------------------------------------------------------------------------------------------------


def holds(source: Source) -> float:
    """How sure we are that these are observation documents: the first record that can be read decides."""
    for line in source.head(_HEAD).splitlines()[:20]:
        found = json_record(line)
        if found is not None:
            document = _document(found)
            known = {
                "write_verdict",
                "category_id",
                "observation_type",
                "recall_count",
                "write_gate_version",
            } & set(document)
            return (
                0.95
                if "observation" in document and known
                else 0.5
                if {"observation", "timestamp"} <= set(document)
                else 0.0
            )
    return 0.4 if source.name in PARTS.values() else 0.0


def memories(source: Source) -> Iterator[Item]:
    """The observations of a file, each line that is none by its place and reason."""
    for number, line in enumerate(source.lines(), 1):
        place = f"line:{number}"
        found = json_record(line)
        if found is None:
            if line.strip():
                yield Skipped(place, "not a JSON object")
            continue
        yield from _observation(_document(found), place)
    if source.skipped:
        yield Skipped(
            "",
            f"{source.skipped} lines were too long to be read, or lost at the end of a damaged file",
        )


def _document(found: Record) -> Record:
    """A document, also where a search answer wraps it."""
    inner = found.get("document")
    return inner if isinstance(inner, dict) and "observation" in inner else found


def _observation(found: Record, place: str) -> Iterator[Row | Skipped]:
    text = found.get("observation")
    if not isinstance(text, str) or not text.strip():
        yield Skipped(place, "an observation without a text")
        return
    if len(text.encode("utf-8", "replace")) > MAX_TEXT_BYTES:
        yield Skipped(
            place,
            f"an observation of {len(text):,} characters; at most {MAX_TEXT_BYTES:,} bytes are kept",
        )
        return
    read = _Fields(found)
    yield from (Skipped(place, why, field) for field, why in read.faults)
    yield Row(
        Lesson(
            id="",
            project="",
            text=text,
            kind=read.category.rpartition(":")[2] or "operations",
            category=read.category,
            tags=read.tags,
            source=read.text("source"),
            trust="imported",
            gate=read.gate,
            gate_reason=""
            if read.gate == "allow"
            else read.text("write_reason") or "by its own write gate",
            state=STAGES[read.stage],
            closed_by={"superseded": "merge", "rejected": "review"}.get(read.stage, ""),
            stale_at=read.stale_at,
            created_at=read.created_at,
            updated_at=read.updated_at or read.created_at,
            extra={**found, STAGE: read.stage},
        ),
        alias=read.text("id"),
        openings=(
            Opening("seen", 1 + max(0, int(read.count("merged_count"))), read.created_at),
            *(
                [Opening("confidence", read.confidence, read.created_at)]
                if read.confidence is not None
                else []
            ),
            *(
                Opening(signal, amount, read.last_used_at or read.created_at)
                for signal, field in _COUNTS.items()
                if signal != "merged" and (amount := read.count(field))
            ),
        ),
        place=place,
    )


class _Fields:
    """A document's fields as we understand them, and what was wrong with them."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self.found = found
        self.faults: list[tuple[str, str]] = []
        self.created_at = self._time("timestamp")
        self.updated_at = self._time("updated_at")
        self.last_used_at = self._time("last_used_at")
        self.category = self._one_of("category_id", CATEGORIES)
        self.verdict = self._one_of("write_verdict", _VERDICTS)
        self.confidence = self._share("write_confidence")
        self.tags = self._tags()
        stale = self._flag("stale")
        self.stale_at = (
            (
                self._time("stale_tagged_at")
                or self.updated_at
                or self.created_at
                or "1970-01-01T00:00:00Z"
            )
            if stale
            else ""
        )
        self._flag("write_gate_fallback")
        self._counts = {name: self._count(name) for name in _COUNTS.values()}
        # What its gate discarded is kept as an audit row by joelclaw; here it is never recallable.
        self.gate = (
            "hold"
            if self.verdict == "hold"
            else "discard"
            if self.verdict == "discard"
            else "allow"
        )
        if self.text("superseded_by"):
            self.stage = "superseded"
        else:
            self.stage = {"hold": "candidate", "discard": "rejected"}.get(
                self.verdict, "provisional"
            )

    def text(self, name: str) -> str:
        return _text(self.found.get(name))

    def count(self, name: str) -> float:
        return self._counts[name]

    def _count(self, name: str) -> float:
        at = self.found.get(name)
        number = _number(at)
        if number is None and at is not None:
            self.faults.append((name, f"{name} is not a number"))
        return number or 0.0

    def _time(self, name: str) -> str:
        at = self.found.get(name)
        time = _time(at)
        if at not in (None, "", 0) and not time:
            self.faults.append((name, f"{name} is no time"))
        return time

    def _one_of(self, name: str, words: Collection[str]) -> str:
        at = self.found.get(name)
        word = at.strip().lower() if isinstance(at, str) else ""
        if at not in (None, "") and word not in words:
            self.faults.append((name, f"{name} is {str(at)[:40]!r}, none of {', '.join(words)}"))
            return ""
        return word

    def _share(self, name: str) -> float | None:
        at = self.found.get(name)
        number = _number(at)
        if at is not None and (number is None or not 0 <= number <= 1):
            self.faults.append((name, f"{name} is no number between 0 and 1"))
            return None
        return number

    def _flag(self, name: str) -> bool:
        at = self.found.get(name)
        if at is not None and not isinstance(at, bool):
            self.faults.append((name, f"{name} is not true or false"))
        return at is True

    def _tags(self) -> tuple[str, ...]:
        at = self.found.get("tags")
        if at is None:
            return ()
        if isinstance(at, list) and all(isinstance(tag, str) for tag in at):
            return tuple(at)
        self.faults.append(("tags", "tags is not a list of texts"))
        return ()


# --- memories out -----------------------------------------------------------------------------------------------------


def dump(items: Iterable[Item], part: str = "observations", now: str = "") -> str:
    """Observation documents, one a line; erased and quarantined texts stay here."""
    rows = [each for each in items if isinstance(each, Row) and each.memory.gate != "quarantine"]
    names = {row.memory.id: row.alias for row in rows if row.memory.id}
    return "".join(
        json.dumps(document_of(row, names), ensure_ascii=False, separators=(",", ":")) + "\n"
        for row in rows
    )


def document_of(row: Row, names: Mapping[str, str] | None = None) -> Record:
    """A memory as joelclaw's index holds it: the document it came as with what changed since, or a new one."""
    memory, signals = row.memory, row.memory.tally.signals or {}
    came = record_of(memory.extra) if "observation" in (memory.extra or {}) else None
    told, known = memory.extra or {}, names or {}
    verdict = {"hold": "hold", "discard": "discard"}.get(memory.gate, "allow")
    fresh: Record = {
        "id": row.alias,
        "session_id": _text(told.get("session_id")) or (row.runs[-1] if row.runs else ""),
        "source": memory.source,
        "timestamp": int(clock.seconds(memory.created_at)),
        "updated_at": memory.updated_at,
        "observation": memory.text,
        "observation_type": _text(told.get("observation_type")) or "observation_text",
        "write_verdict": verdict,
        "write_confidence": memory.tally.confidence,
        "write_reason": _text(told.get("write_reason")) or memory.gate_reason or "llm_classified",
        "write_gate_version": _text(told.get("write_gate_version")) or "v1",
        "write_gate_fallback": told.get("write_gate_fallback") is True,
        "category_id": memory.category or f"jc:{memory.kind}",
        "category_confidence": _number(told.get("category_confidence")),
        "category_source": _text(told.get("category_source")) or "rules",
        "taxonomy_version": _text(told.get("taxonomy_version")) or "v1",
        "merged_count": max(0, memory.tally.seen - 1),
        "recall_count": int(signals.get("recalls", 0)),
        "retrieval_priority": round(signals.get("priority", 0.0), 10),
        "stale": bool(memory.stale_at),
        "stale_tagged_at": memory.stale_at or None,
        "last_used_at": memory.tally.last_used_at,
        "superseded_by": known.get(memory.superseded_by, memory.superseded_by) or None,
        "supersedes": known.get(memory.supersedes[0], memory.supersedes[0])
        if memory.supersedes
        else None,
        "tags": list(memory.tags),
    }
    if came is None:
        return {name: fresh[name] for name in FIELDS if fresh[name] is not None}
    read = _Fields(came)
    same = {
        "id": True,
        "session_id": True,
        "source": read.text("source") == memory.source,
        "timestamp": True,
        "updated_at": (read.updated_at or read.created_at or memory.created_at)
        == memory.updated_at,
        "observation": came["observation"] == memory.text,
        "write_verdict": (read.verdict or "allow") == verdict,
        "write_confidence": memory.tally.confidence is None
        or read.confidence == memory.tally.confidence,
        "category_id": read.category == memory.category,
        "merged_count": read.count("merged_count") == fresh["merged_count"],
        "recall_count": read.count("recall_count") == fresh["recall_count"],
        "retrieval_priority": math.isclose(
            read.count("retrieval_priority"), fresh["retrieval_priority"], abs_tol=1e-9
        ),
        "stale": bool(read.stale_at) == fresh["stale"],
        "stale_tagged_at": bool(read.stale_at) == fresh["stale"],
        "last_used_at": not memory.tally.last_used_at,
        "superseded_by": not memory.superseded_by,
        "supersedes": not memory.supersedes,
        "tags": read.tags == memory.tags,
    }
    changed = {name: fresh[name] for name, is_same in same.items() if not is_same}
    return {**came, **changed, **({} if read.text("id") else {"id": row.alias})}


def name_for(memory: Lesson, taken: Collection[str]) -> str:
    """An id in the form of a UUID, from our own: stable, and never reused."""
    raw = "".join(f"{ord(c):02x}" for c in short_hash("joelclaw", memory.id))[:32]
    name = f"{raw[:8]}-{raw[8:12]}-{raw[12:16]}-{raw[16:20]}-{raw[20:32]}"
    return name if name not in taken else f"{name[:-1]}{len(taken) % 10}"


# --- fields -----------------------------------------------------------------------------------------------------------


def _warn(warnings: list[str], text: str) -> None:
    if len(warnings) < _MANY_WARNINGS:
        warnings.append(text)


def _text(at: object) -> str:
    return at.strip() if isinstance(at, str) else ""


def _number(at: object) -> float | None:
    good = isinstance(at, (int, float)) and not isinstance(at, bool) and math.isfinite(at)
    return at if good else None  # type: ignore[return-value]


def _time(at: object) -> str:
    """A time as text: from ISO, or from seconds or milliseconds since 1970. joelclaw took seconds for milliseconds."""
    if isinstance(at, str):
        return at.strip() if clock.seconds(at.strip()) else ""
    number = _number(at)
    if number is None or number <= 0 or number > MILLISECONDS * 1000:
        return ""
    return clock.stamp(number / 1000 if number > MILLISECONDS else number)
