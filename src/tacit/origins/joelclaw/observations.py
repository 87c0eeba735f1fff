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
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tacit.core import clock
from tacit.core.digest import short_hash
from tacit.core.exchange import Given, Opening, OriginVerdict, Row, Skipped
from tacit.core.run import Finding, Reading, Run
from tacit.core.states import STAGE, record_of
from tacit.core.value import replace
from tacit.hosts.source import STANDARD_INPUT, Source, json_record, said_place
from tacit.lesson import MAX_TEXT_BYTES, Lesson, Tally
from tacit.origins.observer import all_between, cleaned, facts_in
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
VERDICTS = ("allow", "hold", "discard")
MILLISECONDS = 100_000_000_000  # larger stamps count milliseconds: as seconds they would lie past the year 5000
_MANY_WARNINGS = 20
_HEAD = 65536
_TELLING = frozenset(  # fields that tell such a document
    "write_verdict category_id observation_type recall_count write_gate_version".split()
)
_COUNTS = {
    "recalls": "recall_count",
    "priority": "retrieval_priority",
    "merged": "merged_count",
}  # opening balances
# --- runs -------------------------------------------------------------------------------------------------------------


def detect(source: Source) -> float:
    """How sure we are that this is a session's observations. A page that only speaks of such files is none."""
    head = source.head(_HEAD)
    if b"<observations>" in head or b"<facts>" in head:
        whole = b"</observations>" in head and _is_log(source)
        return 0.9 if head.lstrip().startswith(b"<") else 0.6 if whole else 0.0
    found = next((at for at in map(json_record, head.splitlines()[:20]) if at is not None), None)
    if found is not None:
        submitted = isinstance(found.get("observation"), str)
        named = (found.get("name") or found.get("event")) in _EVENTS
        kept = {"write_verdict", "timestamp"} & set(found)
        return 0.95 if named else 0.7 if submitted and not kept else 0.0
    lines = head.decode("utf-8", "replace").splitlines()[:200]
    marked = any(line.lstrip(" -*•\t").startswith(tuple(PRIORITIES)) for line in lines)
    return 0.6 if marked and _is_log(source) else 0.0


def _is_log(source: Source) -> bool:
    """A file that may hold notes of a session: plain text, standard input, or a page named by its day."""
    name = source.name.lower()
    return name == "-" or bool(re.match(r"\d{4}-\d\d-\d\d|.*\.(?:txt|log|xml)$", name))


def read(source: Source) -> Iterator[Run]:
    """The sessions in a file."""
    if source.head(_HEAD).lstrip().startswith(b"{"):
        yield from _from_events(source)
    else:
        yield _from_answer(source)


def _from_events(source: Source) -> Iterator[Run]:
    """Submitted observations, by session; events without one belong to the file."""
    sessions: dict[str, list[Finding]] = {}
    ended: dict[str, str] = {}
    unknown: Counter[str] = Counter()
    warnings: list[str] = []
    lines = 0
    for lines, line in enumerate(source.lines(), 1):
        event = json_record(line)
        if event is None:
            warnings += [f"line {lines} is not a JSON object"] if line.strip() else []
            continue
        name = _text(event.get("name")) or _text(event.get("event"))
        inner = event.get("data")
        data: Record = inner if isinstance(inner, dict) else event
        if name and name not in _EVENTS:
            unknown[name] += 1
            continue
        session = _text(data.get("sessionId")) or _text(data.get("session_id")) or source.stem
        at = _time(data.get("timestamp") or event.get("ts") or data.get("at"))
        if name not in ("", SUBMITTED):
            sessions.setdefault(session, [])
            ended[session] = at
        elif fault := _fault(data):
            warnings.append(f"line {lines}: {fault}")
        else:
            said = _text(data.get("observation"))
            place = said_place(said) if source.path == STANDARD_INPUT else f"line:{lines}"
            found = cleaned(_submitted(session, data, said, place, at))
            sessions.setdefault(session, []).append(found)
    bad, told = len(warnings) + source.skipped, tuple(warnings[:_MANY_WARNINGS])
    reading = Reading(lines, bad, unknown or None, warnings=told)
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
            reading=reading,
        )
    if not sessions and warnings:
        yield Run(source.stem, NAME, path=source.path, reading=reading)


def _fault(data: Record) -> str:
    """Why a submitted observation is not taken; empty where it is."""
    if not _text(data.get("observation")):
        return "an observation without a text"
    filed = _text(data.get("category")) or _text(data.get("category_id"))
    spelled = "-".join(filed.lower().replace("_", " ").split())
    if filed and spelled.removeprefix("jc:") not in _NAMED:
        return f"no category is called {filed!r}; one of {', '.join(CATEGORIES)}"
    return ""


def _submitted(session: str, data: Record, text: str, place: str, at: str) -> Finding:
    tags, source = data.get("tags"), _text(data.get("source"))
    return Finding(
        run=session,
        place=place,
        text=text,
        by=source or "agent",
        tier="agent",
        category=_text(data.get("category")) or _text(data.get("category_id")),
        tags=tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
        quote=text[:300],
        at=at,
        extra={"observation_type": "submitted", "session_id": session, "source": source},
    )


def _from_answer(source: Source) -> Run:
    raw = b"".join(source.lines()).decode("utf-8", "replace")
    session, findings = source.stem, []
    for place, kind, text in _facts(raw):
        marked = text.lstrip(" -*•")
        severity = next((word for mark, word in PRIORITIES.items() if marked.startswith(mark)), "")
        finding = Finding(
            run=session,
            place=place,
            text=text,
            by="observer",
            tier="agent",
            severity=severity or "info",
            quote=text[:300],
            extra={"observation_type": kind, "session_id": session},
        )
        findings.append(cleaned(finding))
    narratives = [part for part in all_between(raw, "narrative") if part]
    lines = raw.count("\n") + 1
    strange = () if findings or "<observations>" in raw.lower() else ("no line of it is marked",)
    return Run(
        id=session,
        host=NAME,
        findings=tuple(findings),
        task=next(all_between(raw, "current-task"), ""),
        complete=True,
        path=source.path,
        reading=Reading(lines, lines if strange else source.skipped, warnings=strange),
        extra={"narratives": narratives[:50]} if narratives else None,
    )


def _facts(raw: str) -> Iterator[tuple[str, str, str]]:
    """(place, where it stood, text with its annotation) of each fact; without tags, of each line with a priority mark."""
    tagged = list(all_between(raw, "facts"))
    for number, part in enumerate(tagged):
        for index, fact in enumerate(facts_in(part)):
            yield f"segment:{number}/{index}", "segment_fact", fact
    whole = next(all_between(raw, "observations"), "")
    if not tagged and whole:
        yield "observations", "observation_text", whole
    elif not tagged:
        for number, line in enumerate(raw.splitlines(), 1):
            fact = line.strip(" -*•\t")
            if fact.startswith(tuple(PRIORITIES)):
                yield f"line:{number}", "observation_text", fact


# --- memories in ------------------------------------------------------------------------------------------------------


def holds(source: Source) -> float:
    """How sure we are that these are observation documents: the first record that can be read decides."""
    for line in source.head(_HEAD).splitlines()[:20]:
        found = json_record(line)
        if found is not None:
            document = _document(found)
            if "observation" in document and set(document) & _TELLING:
                return 0.95
            return 0.5 if {"observation", "timestamp"} <= set(document) else 0.0
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
        told = (
            f"an observation of {len(text):,} characters; at most {MAX_TEXT_BYTES:,} bytes are kept"
        )
        yield Skipped(place, told)
        return
    row, faults = _row(found, place)
    yield from (Skipped(place, why, field) for field, why in faults)
    yield row


def _row(found: Record, place: str = "") -> tuple[Row, list[tuple[str, str]]]:
    """A document as a lesson with its opening balances, and what was wrong with its fields."""
    read = _Fields(found)
    made, used = read.time("timestamp"), read.time("last_used_at")
    changed = read.time("updated_at") or made
    category, verdict = (
        read.one_of("category_id", CATEGORIES),
        read.one_of("write_verdict", VERDICTS),
    )
    sure, tags, stale = read.share("write_confidence"), read.tags(), read.flag("stale")
    tagged = read.time("stale_tagged_at") if stale else ""
    read.flag("write_gate_fallback")
    counts = {signal: read.count(field) for signal, field in _COUNTS.items()}
    # What its gate discarded is kept as an audit row by joelclaw; here it is never recallable.
    gate = verdict if verdict in ("hold", "discard") else "allow"
    stage = {"hold": "candidate", "discard": "rejected"}.get(verdict, "provisional")
    stage = "superseded" if read.text("superseded_by") else stage
    reason = read.text("write_reason") or "by its own write gate"
    lesson = Lesson(
        id="",
        project="",
        text=found["observation"],
        kind=category.rpartition(":")[2] or "operations",
        category=category,
        tags=tags,
        source=read.text("source"),
        trust="imported",
        gate=gate,
        gate_reason="" if gate == "allow" else reason,
        state=STAGES[stage],
        closed_by={"superseded": "merge", "rejected": "review"}.get(stage, ""),
        stale_at=(tagged or changed or "1970-01-01T00:00:00Z") if stale else "",
        created_at=made,
        updated_at=changed,
        extra={**found, STAGE: stage},
    )
    openings = [Opening("seen", 1 + max(0, int(counts.pop("merged"))), made)]
    openings += [Opening("confidence", sure, made)] if sure is not None else []
    openings += [Opening(signal, n, used or made) for signal, n in counts.items() if n]
    return Row(lesson, alias=read.text("id"), openings=tuple(openings), place=place), read.faults


class _Fields:
    """A document's fields as we understand them, and what was wrong with them."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self.found = found
        self.faults: list[tuple[str, str]] = []

    def text(self, name: str) -> str:
        """A text; empty where it is none."""
        return _text(self.found.get(name))

    def count(self, name: str) -> float:
        """A number; 0 where it is none."""
        at = self.found.get(name)
        number = _number(at)
        self._note(name, "is not a number", number is None and at is not None)
        return number or 0.0

    def time(self, name: str) -> str:
        """A time; empty where it is none."""
        at = self.found.get(name)
        time = _time(at)
        self._note(name, "is no time", at not in (None, "", 0) and not time)
        return time

    def one_of(self, name: str, words: Collection[str]) -> str:
        """One of these words; empty for any other."""
        at = self.found.get(name)
        word = at.strip().lower() if isinstance(at, str) else ""
        wrong = at not in (None, "") and word not in words
        self._note(name, f"is {str(at)[:40]!r}, none of {', '.join(words)}", wrong)
        return "" if wrong else word

    def share(self, name: str) -> float | None:
        """A number between 0 and 1."""
        at = self.found.get(name)
        number = _number(at)
        wrong = at is not None and (number is None or not 0 <= number <= 1)
        self._note(name, "is no number between 0 and 1", wrong)
        return None if wrong else number

    def flag(self, name: str) -> bool:
        """Whether it is true."""
        at = self.found.get(name)
        self._note(name, "is not true or false", at is not None and not isinstance(at, bool))
        return at is True

    def tags(self) -> tuple[str, ...]:
        """The tags."""
        at = self.found.get("tags")
        right = isinstance(at, list) and all(isinstance(tag, str) for tag in at)
        self._note("tags", "is not a list of texts", at is not None and not right)
        return tuple(at) if right else ()

    def _note(self, name: str, why: str, wrong: bool) -> None:
        if wrong:
            self.faults.append((name, f"{name} {why}"))


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
    memory, known = row.memory, names or {}
    fresh = _document_from(memory, row, known)
    if "observation" not in (memory.extra or {}):
        return {name: at for name, at in fresh.items() if at is not None}
    came = record_of(memory.extra)
    then = _as_it_came(came, memory)
    was = _document_from(then, row, known)
    changed = {name: at for name, at in fresh.items() if at != was[name]}
    if bool(then.stale_at) == bool(memory.stale_at):
        changed.pop("stale_tagged_at", None)
    return {**came, **changed, **({} if _text(came.get("id")) else {"id": row.alias})}


def _as_it_came(came: Record, memory: Lesson) -> Lesson:
    """What a lesson was when its document came in."""
    row, _ = _row(came)
    amounts = {each.signal: each.amount for each in row.openings}
    sure = amounts.get("confidence") if memory.tally.confidence is not None else None
    tally = Tally(seen=int(amounts["seen"]), confidence=sure, signals=amounts)
    changed = row.memory.updated_at or memory.created_at
    return replace(
        row.memory,
        kind=memory.kind,
        created_at=memory.created_at,
        updated_at=changed,
        tally=tally,
        superseded_by="",
    )


def _document_from(memory: Lesson, row: Row, names: Mapping[str, str]) -> Record:
    """Every field, in the order in which its document lists them."""
    told, signals, tally = memory.extra or {}, memory.tally.signals or {}, memory.tally
    replaced = memory.supersedes[0] if memory.supersedes else ""
    return {
        "id": row.alias,
        "session_id": _text(told.get("session_id")) or (row.runs[-1] if row.runs else ""),
        "source": memory.source,
        "timestamp": int(clock.seconds(memory.created_at)),
        "updated_at": memory.updated_at,
        "observation": memory.text,
        "observation_type": _text(told.get("observation_type")) or "observation_text",
        "write_verdict": memory.gate if memory.gate in ("hold", "discard") else "allow",
        "write_confidence": tally.confidence,
        "write_reason": _text(told.get("write_reason")) or memory.gate_reason or "llm_classified",
        "write_gate_version": _text(told.get("write_gate_version")) or "v1",
        "write_gate_fallback": told.get("write_gate_fallback") is True,
        "category_id": memory.category or f"jc:{memory.kind}",
        "category_confidence": _number(told.get("category_confidence")),
        "category_source": _text(told.get("category_source")) or "rules",
        "taxonomy_version": _text(told.get("taxonomy_version")) or "v1",
        "merged_count": max(0, tally.seen - 1),
        "recall_count": int(signals.get("recalls", 0)),
        "retrieval_priority": round(signals.get("priority", 0.0), 10),
        "stale": bool(memory.stale_at),
        "stale_tagged_at": memory.stale_at or None,
        "last_used_at": tally.last_used_at,
        "superseded_by": names.get(memory.superseded_by, memory.superseded_by) or None,
        "supersedes": names.get(replaced, replaced) or None,
        "tags": list(memory.tags),
    }


def name_for(memory: Lesson, taken: Collection[str]) -> str:
    """An id in the form of a UUID, from our own: stable, and never reused."""
    raw = "".join(f"{ord(c):02x}" for c in short_hash("joelclaw", memory.id))[:32]
    name = f"{raw[:8]}-{raw[8:12]}-{raw[12:16]}-{raw[16:20]}-{raw[20:32]}"
    return name if name not in taken else f"{name[:-1]}{len(taken) % 10}"


# --- fields -----------------------------------------------------------------------------------------------------------


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
