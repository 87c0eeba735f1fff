"""geas: task folders of governed missions, and the memories it keeps about them, in all the shapes it had.

A run is a task folder, `.geas/missions/<mission>/tasks/<task>/`: contract, self-check, reviews, failure records, gate
result, integration result, closure, retrospective, or one `record.json` that holds them as sections. What a task says
outright are its retrospective's `memory_candidates` and its reviewers' `memory_suggestions`. What only says something by
coming up again (a failure class, a concern, a recovery, a recipe, a conflict, a doubtful self-check) is noted in
`Run.extra["incidents"]`; INCIDENTS below names the fields that are read, since geas's own schemas lack some of them.

Memories came in four shapes, and each is read and written:

    1  candidates/, entries/: one JSON document a memory, with reviews, application logs, packets, an index and events
    2  rules.md and agents/<agent>.md: a line a memory, drafts marked [DRAFT]
    3  shared.md and agents/<agent>.md, with the change log memory-update.json
    4  common.yaml and roles/<role>.yaml: items of guideline, applies_when, source_refs

A document is kept whole in `Memory.extra`; on the way out only what changed since is written anew. A memory id names a
file only if it is a plain name: geas wrote `../../escape` where it said.
"""

from __future__ import annotations

import json
import os
import re

from tacit.core import clock
from tacit.core.digest import short_hash
from tacit.core.exchange import Given, Judged, Opening, Row, Skipped
from tacit.core.lifecycle import STATES
from tacit.core.memory import MAX_TEXT_BYTES, SCOPES, Memory
from tacit.core.run import Finding, Reading, Run, Step, fold_severity
from tacit.formats.source import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from tacit.formats.source import Source

    Record = dict[str, Any]
    Item = Row | Given | Judged | Skipped
    Check = Callable[[Any], str]

NAME = "geas"
# The files it writes. A memory of its own, or several in one file: both are read.
PARTS = {
    "entries": "memory/entries.json",
    "candidates": "memory/candidates.json",
    "logs": "memory/logs.jsonl",
    "reviews": "memory/reviews.jsonl",
    "index": "state/memory-index.json",
    "packets": "missions/packets.jsonl",
    "events": "state/events.jsonl",
    "rules": "rules.md",
    "shared": "memory/shared.md",
    "common": "memory/common.yaml",
}
# Where a file a memory stands, seen from `.geas` or from its memory folder: memories first, then what speaks of them.
FILES = (
    *(
        f"{head}{pattern}"
        for pattern in (
            "entries/*.json", "candidates/*.json", "agents/*.md", "roles/*.yaml", "reviews/*.json", "logs/*.json",
            "application-logs/*.json",
        )
        for head in ("memory/", "")
    ),
    "missions/*/packets/*/memory-packet.json",
    "missions/*/consolidation/memory-update.json",
)  # fmt: skip

TYPES = (
    "project_rule", "agent_rule", "decision_precedent", "failure_lesson", "security_pattern", "performance_tip",
    "test_strategy", "integration_pattern", "ux_pattern", "architecture_precedent", "process_improvement", "risk_pattern",
)  # fmt: skip
EFFECTS = ("positive", "negative", "neutral", "neutral_but_risky", "unknown")  # the last two: its older document
SURFACES = (
    "task_packet", "session_summary", "review_context", "gate_context", "recovery_context", "decision_context",
)  # fmt: skip
FOLLOWUPS = ("none", "strengthen", "weaken", "supersede", "review_required")
DECISIONS = (
    "promote_provisional", "promote_stable", "promote_canonical", "keep", "weaken", "supersede", "reject", "archive",
)  # fmt: skip
# Everyone its documents ever named. The reviewers of its own table were missing from its list of agents.
AGENTS = frozenset((
    "orchestration_authority", "product_authority", "design_authority", "architecture_authority", "process_lead",
    "challenger", "critical_reviewer", "risk_specialist", "quality_specialist", "communication_specialist",
    "implementer", "software_engineer", "frontend_engineer", "backend_engineer", "qa_engineer", "security_engineer",
    "platform_engineer", "operations_specialist", "devops_engineer", "ux_designer", "ui_ux_designer",
    "technical_writer", "repository_manager", "literature_analyst", "research_analyst", "methodology_reviewer",
    "research_integrity_reviewer", "research_engineer", "research_writer",
))  # fmt: skip
# What a memory of another profile is here, by its class.
TYPE_OF = {
    "preference": "project_rule", "rule": "project_rule", "security": "security_pattern", "fix": "process_improvement",
    "pitfall": "failure_lesson", "command": "test_strategy", "fact": "decision_precedent", "estimate": "risk_pattern",
}  # fmt: skip
OUTCOMES = {
    **dict.fromkeys(("pass", "passed", "success", "approved", "complete", "completed"), "success"),
    **dict.fromkeys(("fail", "failed", "failure", "iterate", "escalated", "escalate", "rejected", "blocked", "error"), "failure"),
    **dict.fromkeys(("cancelled", "canceled", "cancel", "aborted"), "aborted"),
}  # fmt: skip
# trigger -> (document, the fields that name what came up, in the order they are asked). The first two and the last were
# asked for by geas's triggers and are not in its schemas; the fields after them are what its documents do hold.
INCIDENTS = {
    "failure_class": ("failure_record", ("failure_class", "failure_type", "category")),
    "concern": ("specialist_review", ("category", "dimension", "concern", "description")),
    "recovery": ("recovery_packet", ("recovery_class",)),
    "recipe": ("task_contract", ("eval_commands", "demo_steps", "test_recipe")),
    "integration": ("integration_result", ("conflicts", "conflict_files", "conflicting_paths")),
    "low_confidence": ("worker_self_check", ("confidence",)),  # together with the contract's task_kind
}
DOUBTFUL = 2  # a self-check's confidence of so much or less, of five
TITLE_CHARS = 80
MANY_WARNINGS = 20
MOST_BYTES = 32 * 1024 * 1024
PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")

_MEMORY_KINDS = frozenset((
    "memory_candidate", "memory_entry", "memory_review", "memory_application_log", "memory_index", "memory_update",
))  # fmt: skip
_RUN_KINDS = frozenset((
    "retrospective", "failure_record", "specialist_review", "worker_self_check", "recovery_packet", "task_contract",
    "gate_result", "closure_packet", "memory_packet", "integration_result", "final_verdict", "implementation_contract",
    "challenge_review", "record", "revalidation_record",
))  # fmt: skip
# File names stand in where a document does not say what it is.
_BY_NAME = {
    "contract": "task_contract", "closure": "closure_packet", "gate": "gate_result", "self_check": "worker_self_check",
    "recovery_incident": "recovery_packet", "recovery": "recovery_packet", "verdict": "final_verdict",
    "packet": "memory_packet", "failure": "failure_record", "review": "specialist_review", "evidence": "specialist_review",
}  # fmt: skip
# The file of a task folder that stands for the whole: the first of these that is there.
_ANCHORS = (
    "retrospective", "closure_packet", "final_verdict", "gate_result", "integration_result", "worker_self_check",
    "failure_record", "specialist_review", "challenge_review", "implementation_contract", "task_contract",
)  # fmt: skip
_SUBFOLDERS = ("reviews", "specialist-reviews", "failures", "failure-records", "evidence", "recovery", "self-checks")


# --- runs -------------------------------------------------------------------------------------------------------------


def detect(source: Source) -> float:
    """How sure we are that this file belongs to a geas task."""
    found = _document(source)
    kind = _kind(found, source.path) if found is not None else ""
    if kind in _RUN_KINDS:
        stated = _text(_meta(found or {}).get("artifact_type")) == kind
        return 0.95 if stated and "task_id" in (found or {}) else 0.85 if _in_geas(source.path) else 0.6
    return 0.4 if kind in _MEMORY_KINDS or holds(source) >= 0.8 else 0.0


def read(source: Source) -> Iterator[Run]:
    """The task that a file belongs to, read with the documents beside it; none from a file that another stands for."""
    task = _Task(source)
    if task.stands_for_all and task.documents:
        yield task.finish()


class _Task:
    """A task folder on the way to being a run."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.bad = 0
        self.warnings: list[str] = []
        self.documents: list[tuple[str, str, Record]] = []  # (place, kind, document)
        folder = os.path.dirname(source.path)
        self.folder = os.path.basename(folder) if folder else ""
        self.mission = _mission_of(folder)
        self._take(source)
        for other in source.beside():
            if other.name.endswith(".json") and other.name != source.name:
                self._take(other)
        self.stands_for_all = self._anchor() == source.name and not (
            self.folder in _SUBFOLDERS and any(other.name.endswith(".json") for other in source.beside(".."))
        )
        if self.stands_for_all:
            for part in (*((name,) for name in _SUBFOLDERS), ("..", "..", "packets", self.folder)):
                for other in source.beside(*part):
                    if other.name.endswith(".json"):
                        self._take(other, "/".join(each for each in part if each != ".."))
            for other in source.beside("..", "..", "..", "..", "recovery"):
                self._take(other, "recovery", focus=True)

    def _anchor(self) -> str:
        """The file of this folder that stands for the task: that of the weightiest document."""
        ranked = [
            (_ANCHORS.index(kind), place.partition("#")[0]) for place, kind, _ in self.documents if kind in _ANCHORS
        ]
        return min(ranked, default=(0, ""))[1]

    def _take(self, source: Source, under: str = "", focus: bool = False) -> None:
        place = f"{under}/{source.name}" if under else source.name
        found = _document(source)
        if found is None:
            self.bad += 1
            self.warn(f"{place} is not a JSON object")
            return
        kind = _kind(found, place)
        if kind == "record":
            for name, section in _sections(found):
                self.documents.append((f"{place}#{name}", name, section))
            return
        if kind in _RUN_KINDS and (not focus or _text(found.get("focus_task_id")) == self.task_id):
            self.documents.append((place, kind, found))

    @property
    def task_id(self) -> str:
        """The task's own word, or the name of its folder."""
        said = (_text(doc.get("task_id")) or _text(doc.get("target_task_id")) for _, _, doc in self.documents)
        return next((id for id in said if id), self.folder or self.source.stem)

    def warn(self, text: str) -> None:
        if len(self.warnings) < MANY_WARNINGS:
            self.warnings.append(text)

    def finish(self) -> Run:
        task = self.task_id
        self.id = f"{self.mission}/{task}" if self.mission else task
        contract = self.first("task_contract")
        times = sorted(at for _, _, doc in self.documents if (at := _time_of(doc)))
        risk = _text(contract.get("risk_level")).lower()
        packet = self.first("memory_packet")
        return Run(
            id=self.id,
            host=NAME,
            steps=tuple(self.steps()),
            findings=tuple(self.findings(task)),
            agent=_agent(_dict(contract.get("routing")).get("primary_worker_type")),
            task=": ".join(text for text in (_text(contract.get("title")), _text(contract.get("goal"))) if text),
            task_id=task,
            task_type=_text(contract.get("task_kind")).lower(),
            objective=_text(contract.get("goal")),
            outcome=self.outcome(),
            complete=any(kind in ("retrospective", "closure_packet", "final_verdict") for _, kind, _ in self.documents),
            files=tuple(dict.fromkeys(self.paths(contract))),
            started_at=times[0] if times else "",
            ended_at=times[-1] if times else "",
            path=self.source.path,
            reading=Reading(len(self.documents) + self.bad, self.bad, None, warnings=tuple(self.warnings)),
            extra={
                "mission": self.mission,
                "risk": risk,
                "instruments": [f"review:{name}" for name in dict.fromkeys(self.reviewers())],
                "incidents": list(self.incidents()),
                "given": _texts(packet.get("applicable_memory_ids")),
            },
        )

    def all(self, kind: str) -> Iterator[tuple[str, Record]]:
        for place, found, document in self.documents:
            if found == kind:
                yield place, document

    def first(self, kind: str) -> Record:
        return next((document for _, document in self.all(kind)), {})

    def outcome(self) -> str:
        """The gravest word: the verdict before the gate's, the gate's before the closure's."""
        words = [
            self.first("final_verdict").get("verdict"),
            self.first("gate_result").get("verdict"),
            _dict(self.first("closure_packet").get("verification_result")).get("gate_verdict"),
            self.first("closure_packet").get("status"),
            self.first("task_contract").get("status"),
        ]
        for word in words:
            if (known := OUTCOMES.get(_text(word).lower())) is not None:
                return known
        return "unknown"

    def reviewers(self) -> Iterator[str]:
        for kind in ("specialist_review", "challenge_review"):
            for _, document in self.all(kind):
                yield _reviewer(document) or "reviewer"

    def paths(self, contract: Record) -> Iterator[str]:
        scope = _dict(contract.get("scope"))
        yield from _texts(scope.get("paths")) or _texts(scope.get("surfaces"))
        for _, document in self.all("integration_result"):
            yield from _texts(document.get("files_changed"))

    def steps(self) -> Iterator[Step]:
        """What the harness recorded as failed: the record, never somebody's account of it."""
        for place, document in self.all("failure_record"):
            error = _first(document, "failure_description", "summary", "description", "detail", "failure_class")
            yield Step("tool", place, tool="task", error=error or "failed", at=_time_of(document))

    def findings(self, task: str) -> Iterator[Finding]:
        """Candidates of the retrospective, numbered as geas numbers them, then what reviewers suggest to remember."""
        number = 0
        for place, document in self.all("retrospective"):
            by = _agent(_meta(document).get("producer_type")) or "orchestration_authority"
            for index, text in self.said(document, "memory_candidates", place):
                number += 1
                yield self.finding(
                    text, f"{place}/memory_candidates/{index}", by, "agent", document, task, number, "retro"
                )
        for place, document in self.all("specialist_review"):
            by = _reviewer(document) or "reviewer"
            for index, text in self.said(document, "memory_suggestions", place):
                number += 1
                yield self.finding(
                    text, f"{place}/memory_suggestions/{index}", by, "review", document, task, number, "review"
                )

    def said(self, document: Record, field: str, place: str) -> Iterator[tuple[int, str]]:
        listed = document.get(field, [])
        if not isinstance(listed, list):
            self.bad += 1
            self.warn(f"{place}: {field} is not a list")
            return
        for index, text in enumerate(listed):
            if isinstance(text, str) and text.strip():
                yield index, text.strip()
            else:
                self.bad += 1
                self.warn(f"{place}: {field}/{index} is not a text")

    def finding(
        self, text: str, place: str, by: str, tier: str, document: Record, task: str, number: int, ref: str
    ) -> Finding:
        artifact = f".geas/missions/{self.mission}/tasks/{task}/{place.partition('/')[0]}"
        return Finding(
            run=self.id,
            place=place,
            text=text,
            by=by,
            tier=tier,
            origin=artifact if self.mission else "",
            task_type=_text(self.first("task_contract").get("task_kind")).lower(),
            quote=text[:300],
            at=_time_of(document),
            extra={
                "memory_id": f"mem-{task}-{number}",
                "title": _title(text),
                "evidence_refs": [f"{ref}-{task}"],
                "candidate_reason": f"Extracted from task {task} {'retrospective' if ref == 'retro' else 'review'}",
                "source_artifacts": [artifact],
                "task_id": task,
                "mission": self.mission,
            },
        )

    # What may come up again. Each is named by trigger and key; the text tells a stranger what it was.

    def incidents(self) -> Iterator[Record]:
        task_kind = _text(self.first("task_contract").get("task_kind")).lower()
        passed = self.outcome() == "success"
        for place, document in self.all("failure_record"):
            key = _first(document, *INCIDENTS["failure_class"][1])
            text = _first(document, "failure_description", "summary", "description", "detail", "root_cause")
            if key:
                yield self.incident("failure_class", key, text or f"failures of class {key}", place, document)
        for place, document in self.all("specialist_review"):
            for field in ("blocking_concerns", "concerns"):
                for index, concern in enumerate(_list(document.get(field))):
                    told = concern if isinstance(concern, dict) else {"concern": concern}
                    key = _first(told, *INCIDENTS["concern"][1])
                    text = _first(told, "concern", "description", "summary") or key
                    if key:
                        yield self.incident(
                            "concern", key, text, f"{place}/{field}/{index}", document, _reviewer(document), told
                        )
        for place, document in self.all("recovery_packet"):
            key = _first(document, *INCIDENTS["recovery"][1])
            if key:
                text = _first(document, "detected_problem", "recommended_action") or f"recovery of class {key}"
                yield self.incident("recovery", key, text, place, document)
        for kind in ("task_contract", "implementation_contract"):
            for place, document in self.all(kind):
                for field in INCIDENTS["recipe"][1] if passed else ():
                    for index, recipe in enumerate(_texts(document.get(field)) or [_text(document.get(field))]):
                        if recipe:
                            yield self.incident("recipe", recipe, recipe, f"{place}/{field}/{index}", document)
        for place, document in self.all("integration_result"):
            for index, path in enumerate(_conflicts(document)):
                text = f"integration conflicts in {path}"
                yield self.incident("integration", path, text, f"{place}/{index}", document, paths=(path,))
        for place, document in self.all("worker_self_check"):
            sure = document.get("confidence")
            if isinstance(sure, (int, float)) and not isinstance(sure, bool):
                if sure <= DOUBTFUL and task_kind:
                    doubts = "; ".join(_texts(document.get("known_risks"))[:2]) or _text(document.get("summary"))
                    text = doubts or f"low confidence in {task_kind} tasks"
                    yield self.incident("low_confidence", task_kind, text, place, document)
            elif sure is not None:
                self.warn(f"{place}: confidence is not a number")

    def incident(
        self,
        trigger: str,
        key: str,
        text: str,
        place: str,
        document: Record,
        by: str = "",
        told: Record | None = None,
        paths: tuple[str, ...] = (),
    ) -> Record:
        return {
            "trigger": trigger,
            "key": " ".join(key.split())[:200],
            "text": " ".join(text.split())[:500],
            "task": self.id,
            "place": place,
            "by": by or _agent(_meta(document).get("producer_type")),
            "severity": fold_severity((told or document).get("severity")),
            "paths": list(paths) or _texts((told or document).get("paths"))[:8],
            "at": _time_of(document),
        }


def _mission_of(folder: str) -> str:
    """m-1 of …/missions/m-1/tasks/task-014; empty where the folder stands elsewhere."""
    parts = folder.replace("\\", "/").rstrip("/").split("/")
    if len(parts) >= 4 and parts[-2] == "tasks" and parts[-4] == "missions":
        return parts[-3]
    return ""


def _sections(found: Record) -> Iterator[tuple[str, Record]]:
    """The documents that a `record.json` holds as its sections."""
    task = _text(found.get("task_id"))
    shared = {"task_id": task, "created_at": _text(found.get("updated_at")) or _text(found.get("created_at"))}
    names = {"self_check": "worker_self_check", "closure": "closure_packet", "verdict": "final_verdict"}
    for name, section in found.items():
        if isinstance(section, dict) and (kind := names.get(name, name)) in _RUN_KINDS:
            yield kind, {**shared, **section}


def _conflicts(document: Record) -> list[str]:
    for field in INCIDENTS["integration"][1]:
        listed = [
            _text(each.get("path")) or _text(each.get("file")) if isinstance(each, dict) else _text(each)
            for each in _list(document.get(field))
        ]
        if any(listed):
            return list(dict.fromkeys(path for path in listed if path))
    if _text(document.get("status")).lower() == "conflict":
        return list(dict.fromkeys(_texts(document.get("files_changed"))))
    return []


def _reviewer(document: Record) -> str:
    return (
        _agent(document.get("reviewer_type"))
        or _agent(document.get("agent"))
        or _agent(_meta(document).get("producer_type"))
    )


# --- documents --------------------------------------------------------------------------------------------------------


def faults(document: Record) -> tuple[str, ...]:
    """What is wrong with a memory document, a place and a reason each; empty for a valid one.

    As geas's schemas have it, but for what its own documents contradict: a review need not list follow-ups, a candidate in
    the index needs no review date, the reviewers of its own table are agents, and a thirteenth month is no time.
    """
    kind = _text(_meta(document).get("artifact_type"))
    shape = _SHAPES.get(kind)
    if shape is None:
        return (f"/meta/artifact_type: {kind!r} is no memory document",)
    return tuple(_faults(document, shape, _OPTIONAL.get(kind, ()), ""))


def _faults(
    document: Record, shape: Mapping[str, Check | Mapping[str, Any]], optional: Sequence[str], at: str
) -> Iterator[str]:
    for name, check in shape.items():
        if name not in document:
            if name not in optional:
                yield f"{at or '/'}: {name} is missing"
        elif callable(check):
            if fault := check(document[name]):
                yield f"{at}/{name}: {fault}"
        elif not isinstance(document[name], dict):
            yield f"{at}/{name}: not an object"
        else:
            yield from _faults(document[name], check, ("updated_at",), f"{at}/{name}")
    for name in document:
        if name not in shape:
            yield f"{at or '/'}: {name} is not a field here"


def _is_text(at: Any) -> str:
    return "" if isinstance(at, str) and at else "not a text" if not isinstance(at, str) else "empty"


def _is_time(at: Any) -> str:
    if not isinstance(at, str) or not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", at):
        return "not a time such as 2026-04-06T08:15:00Z"
    hour, minute, second = int(at[11:13]), int(at[14:16]), int(at[17:19])
    real = clock.stamp(clock.seconds(at))[:10] == at[:10] and hour < 24 and minute < 60 and second < 60
    return "" if real else "no such day or hour"


def _is_count(at: Any) -> str:
    return "" if isinstance(at, int) and not isinstance(at, bool) and at >= 0 else "not a whole number, 0 or more"


def _is_share(at: Any) -> str:
    if isinstance(at, bool) or not isinstance(at, (int, float)):
        return "not a number"
    return "" if 0 <= at <= 1 else "not between 0 and 1"


def _is_agent(at: Any) -> str:
    return "" if isinstance(at, str) and at.replace("-", "_") in AGENTS else "not an agent"


def _one_of(*words: str) -> Check:
    return lambda at: "" if at in words else f"not one of {', '.join(words)}"


def _texts_of(least: int = 0, unique: bool = False) -> Check:
    def check(at: Any) -> str:
        if not isinstance(at, list):
            return "not a list"
        if not all(isinstance(each, str) and each for each in at):
            return "not a list of texts"
        if len(at) < least:
            return "empty"
        return "one stands there twice" if unique and len(set(at)) < len(at) else ""

    return check


def _or_none(check: Check) -> Check:
    return lambda at: "" if at is None else check(at)


def _rows_of(shape: Mapping[str, Check], optional: Sequence[str]) -> Check:
    def check(at: Any) -> str:
        if not isinstance(at, list):
            return "not a list"
        found = [
            fault
            for n, row in enumerate(at)
            for fault in (_faults(row, shape, optional, f"{n}") if isinstance(row, dict) else ("not an object",))
        ]
        return "; ".join(found)

    return check


_META: Mapping[str, Check] = {
    "version": _is_text,
    "artifact_type": _is_text,
    "artifact_id": _is_text,
    "producer_type": _is_agent,
    "created_at": _is_time,
    "updated_at": _is_time,
}
_SIGNALS: Mapping[str, Check] = {
    "evidence_count": _is_count,
    "reuse_count": _is_count,
    "successful_reuses": _is_count,
    "failed_reuses": _is_count,
    "contradiction_count": _is_count,
    "confidence": _is_share,
}
_COMMON: Mapping[str, Any] = {
    "meta": _META,
    "memory_id": _is_text,
    "memory_type": _one_of(*TYPES),
    "state": _one_of(*STATES),
    "title": _is_text,
    "summary": _is_text,
    "scope": _one_of(*SCOPES),
    "evidence_refs": _texts_of(1),
    "signals": _SIGNALS,
}
_SHAPES: Mapping[str, Mapping[str, Any]] = {
    "memory_candidate": {
        **_COMMON,
        "state": _one_of("candidate"),
        "candidate_reason": _is_text,
        "source_artifacts": _texts_of(1),
    },
    "memory_entry": {
        **_COMMON,
        "review_after": _is_time,
        "supersedes": _texts_of(),
        "superseded_by": _or_none(_is_text),
        "tags": _texts_of(unique=True),
        "body": _texts_of(),
    },
    "memory_application_log": {
        "meta": _META,
        "memory_id": _is_text,
        "task_id": _is_text,
        "applied_by_type": _is_agent,
        "usage_surface": _one_of(*SURFACES),
        "effect": _one_of(*EFFECTS),
        "notes": _is_text,
        "followup_action": _one_of(*FOLLOWUPS),
    },
    "memory_review": {
        "meta": _META,
        "memory_id": _is_text,
        "reviewer_type": _is_agent,
        "decision": _one_of(*DECISIONS),
        "rationale": _is_text,
        "required_followup": _texts_of(),
        "supersedes": _texts_of(),
    },
    "memory_index": {
        "meta": _META,
        "entries": _rows_of(
            {
                "memory_id": _is_text,
                "memory_type": _one_of(*TYPES),
                "state": _one_of(*STATES),
                "confidence": _is_share,
                "tags": _texts_of(unique=True),
                "review_after": _is_time,
            },
            ("review_after",),
        ),
    },
    "memory_packet": {
        "meta": _META,
        "packet_id": _is_text,
        "target_agent_type": _is_agent,
        "target_task_id": _or_none(_is_text),
        "pinned_items": _texts_of(),
        "applicable_memory_ids": _texts_of(),
        "caution_items": _texts_of(),
        "suppressed_memory_ids": _texts_of(),
        "assembly_reason": _is_text,
    },
}
_OPTIONAL = {"memory_review": ("required_followup", "reviewer_type", "supersedes")}
# Without these a memory document says nothing that could be kept; other faults are named, and the rest is taken.
_NEEDED = ("memory_id", "memory_type", "state", "summary", "scope", "evidence_refs")


# --- memories in ------------------------------------------------------------------------------------------------------


def holds(source: Source) -> float:
    """How sure we are that this file holds geas memories."""
    name = source.name
    if name.endswith((".md", ".yaml", ".yml")):
        if name in ("rules.md", "shared.md") and not _line_file(source):
            return 0.5  # an export of ours, or a copy: the name is geas's, the place is not
        return 0.9 if _line_file(source) or _is_items(source) else 0.0
    head = source.head(4096)
    if name.endswith(".jsonl"):
        first = record(head.lstrip().partition(b"\n")[0]) or {}
        kind = _kind(first, "") or ("event" if _text(first.get("event")).startswith("memory_") else "")
        return 0.9 if kind in _MEMORY_KINDS or kind in ("memory_packet", "event") else 0.0
    found = _document(source)
    if found is None:
        listed = _documents(source)
        found = listed[0] if listed else {}
    kind = _kind(found, source.path)
    if not kind and not found:
        return 0.5 if _memory_place(source.path) else 0.0  # ours by its place, and broken: somebody should be told
    return 0.95 if kind in _MEMORY_KINDS else 0.6 if kind == "memory_packet" else 0.0


def _memory_place(path: str) -> bool:
    parts = path.replace("\\", "/").split("/")
    return len(parts) > 2 and parts[-2] in ("entries", "candidates", "logs", "reviews") and "memory" in parts[:-2]


def memories(source: Source) -> Iterator[Item]:
    """What a file holds: memories, reviews, logs, packets, events; what cannot be read by its place and reason."""
    if source.name.endswith(".md"):
        yield from _from_lines(source)
    elif source.name.endswith((".yaml", ".yml")):
        yield from _from_yaml(source)
    elif source.name.endswith(".jsonl"):
        for number, line in enumerate(source.lines(), 1):
            if line.strip():
                yield from _item(record(line), f"line:{number}", source)
        if source.skipped:
            yield Skipped("", f"{source.skipped} lines were too long to be read, or lost at the end of a damaged file")
    else:
        found = _document(source)
        if found is None and (listed := _documents(source)) is not None:
            for number, each in enumerate(listed):
                yield from _item(each if isinstance(each, dict) else None, f"/{number}", source)
        else:
            yield from _item(found, "", source)


def _item(found: Record | None, place: str, source: Source) -> Iterator[Item]:
    if found is None:
        yield Skipped(place, "not a JSON object")
        return
    kind = _kind(found, source.path if not place else "")
    if kind in ("memory_candidate", "memory_entry"):
        yield from _memory(found, place)
    elif kind == "memory_application_log":
        yield from _log(found, place)
    elif kind == "memory_review":
        yield _review(found, place)
    elif kind == "memory_packet":
        yield _packet(found, place)
    elif kind == "memory_update":
        yield from _update(found, place, source)
    elif kind == "memory_index":
        yield from _index(found, place, source)
    elif _text(found.get("event")).startswith("memory_"):
        yield _event(found, place)
    else:
        yield Skipped(place, "no memory of geas")


def _memory(found: Record, place: str) -> Iterator[Row | Skipped]:
    wrong = _told(found)
    fatal = [name for name in _NEEDED if name in wrong]
    if fatal:
        yield Skipped(place, f"a memory whose {fatal[0]} is {wrong[fatal[0]]}")
        return
    text = found["summary"]
    if len(text.encode("utf-8", "replace")) > MAX_TEXT_BYTES:
        yield Skipped(place, f"a summary of {len(text):,} characters; at most {MAX_TEXT_BYTES:,} bytes are kept")
        return
    for field, why in wrong.items():
        yield Skipped(place, f"{field}: {why}", field)
    at = _stamp(_meta(found).get("created_at"))
    signals = _dict(found.get("signals"))
    state = found["state"]
    yield Row(
        Memory(
            id="",
            project="",
            text=text,
            kind=found["memory_type"],
            scope=found["scope"],
            agent=_agent(found.get("agent_type")),
            tags=tuple(_texts(found.get("tags"))),
            paths=tuple(_texts(found.get("paths"))),
            source=_agent(_meta(found).get("producer_type")),
            trust="imported",
            state=state,
            closed_by={"decayed": "silence", "archived": "review", "rejected": "review"}.get(state, ""),
            review_after=_stamp(found.get("review_after")),
            created_at=at,
            updated_at=_stamp(_meta(found).get("updated_at")) or at,
            extra=found,
        ),
        alias=found["memory_id"],
        openings=tuple(
            Opening(signal, float(amount), at)
            for signal, field in _COUNTS.items()
            if (amount := _number(signals.get(field))) is not None and (amount or signal == "confidence")
        ),
        place=place,
    )


# our signal -> geas's
_COUNTS = {
    "seen": "evidence_count",
    "reuse": "reuse_count",
    "successful_reuse": "successful_reuses",
    "failed_reuse": "failed_reuses",
    "contradicted": "contradiction_count",
    "confidence": "confidence",
}


def _told(found: Record) -> dict[str, str]:
    """field -> what is wrong with it, in a memory document whose type its state tells."""
    kind = _kind(found, "")
    wrong: dict[str, str] = {}
    for fault in _faults(found, _SHAPES[kind], (), ""):
        where, _, why = fault.partition(": ")
        field = where.strip("/").split("/")[-1] or why.split(" ")[0]
        wrong.setdefault(field, why if where != "/" else why.partition(" is ")[2])
    return wrong


def _log(found: Record, place: str) -> Iterator[Judged | Skipped]:
    memory, task, effect = (_text(found.get(name)) for name in ("memory_id", "task_id", "effect"))
    if not memory or not task or effect not in EFFECTS:
        yield Skipped(place, "an application log without its memory, its task or a known effect")
        return
    yield Judged(
        run=task, memory=memory, signal=effect, at=_stamp(_time_of(found)), text=_text(found.get("notes")), record=found, place=place
    )  # fmt: skip
    if effect == "positive":
        # The memory's own signals tell how often it served; only the logs tell in how many tasks. Twice in one is one.
        yield Judged(run=task, memory=memory, signal="tasks")


def _review(found: Record, place: str) -> Judged | Skipped:
    memory, decision = _text(found.get("memory_id")), _text(found.get("decision"))
    if not memory or decision not in DECISIONS:
        return Skipped(place, "a review without its memory or a known decision")
    return Judged(
        run="reviews", memory=memory, signal="review", at=_stamp(_time_of(found)), text=_text(found.get("rationale")),
        record=found, place=place,
    )  # fmt: skip


def _packet(found: Record, place: str) -> Given | Skipped:
    ids, task = found.get("applicable_memory_ids"), _text(found.get("target_task_id"))
    if not isinstance(ids, list) or not all(isinstance(id, str) for id in ids):
        return Skipped(place, "a packet without its list of memories")
    agent = _agent(found.get("target_agent_type"))
    return Given(run=task, memories=tuple(ids), at=_stamp(_time_of(found)), agent=agent, record=found, place=place)


def _event(found: Record, place: str) -> Judged | Skipped:
    memory = _text(found.get("memory_id"))
    if not memory:
        return Skipped(place, "an event without its memory")
    told = " → ".join(filter(None, (_text(found.get("from_state")), _text(found.get("to_state"))))) or _text(
        found.get("reason")
    )
    return Judged(
        run="events",
        memory=memory,
        signal="event",
        at=_stamp(found.get("timestamp")),
        text=told,
        record=found,
        place=place,
    )


def _update(found: Record, place: str, source: Source) -> Iterator[Judged | Skipped]:
    """The change log of the third shape."""
    for verb in ("added", "modified", "removed"):
        for number, each in enumerate(_list(found.get(verb))):
            at = f"{place}/{verb}/{number}"
            id = _text(each.get("memory_id")) if isinstance(each, dict) else ""
            if not id:
                yield Skipped(at, "a change without its memory")
                continue
            kept = {**each, "change": verb}
            yield Judged(
                run=_mission_in(source.path),
                memory=id,
                signal="change",
                at=_stamp(_time_of(found)),
                text=_text(each.get("reason")),
                record=kept,
                place=at,
            )


def _index(found: Record, place: str, source: Source) -> Iterator[Skipped]:
    """The index is derived: it brings nothing but the news of an entry that is gone."""
    for number, each in enumerate(_list(found.get("entries"))):
        id = _text(each.get("memory_id")) if isinstance(each, dict) else ""
        if not PLAIN_NAME.fullmatch(id):
            yield Skipped(f"{place}/entries/{number}", "an index row without a plain memory id")
        elif not any(source.has_beside("..", "memory", folder, f"{id}.json") for folder in ("entries", "candidates")):
            known = any(source.has_beside("..", *PARTS[part].split("/")) for part in ("entries", "candidates"))
            if not known:
                yield Skipped(f"{place}/entries/{number}", f"the index names {id}, and no file holds it")


# Shapes two and three: a line a memory.


def _line_file(source: Source) -> str:
    """rules.md, shared.md or agents/<agent>.md of a geas folder; empty for any other file."""
    parts = source.path.replace("\\", "/").split("/")
    name = parts[-1]
    if name in ("rules.md", "shared.md") and (_in_geas(source.path) or "memory" in parts[:-1]):
        return name
    if len(parts) > 1 and parts[-2] == "agents" and name.endswith(".md") and "memory" in parts[:-2]:
        return f"agents/{name}"
    return ""


def _from_lines(source: Source) -> Iterator[Row | Skipped]:
    file = _line_file(source) or source.name
    raw = b"".join(source.lines()).decode("utf-8", "replace")
    agent = _agent(source.stem) if file.startswith("agents/") else ""
    taken: set[str] = set()
    for number, section, text in _bullets(raw):
        draft = text.startswith("[DRAFT]")
        body = text.removeprefix("[DRAFT]").strip()
        id, body = _line_id(body)
        if not body:
            yield Skipped(f"line:{number}", "an empty line")
            continue
        alias = id or _unique(f"{file}#{short_hash(section, body)[:8]}", taken)
        yield Row(
            Memory(
                id="",
                project="",
                text=body,
                kind="agent_rule" if agent else "project_rule",
                scope="agent" if agent else "project",
                agent=agent,
                category=section,
                trust="imported",
                state="candidate" if draft else "stable",
                extra={"file": file, "section": section, "text": body, "draft": draft, "id": id},
            ),
            alias=alias,
            openings=(Opening("seen", 1),),
            place=f"line:{number}",
        )


def _bullets(raw: str) -> Iterator[tuple[int, str, str]]:
    """(line number, section, text) of each top-level bullet, with the lines that are indented under it."""
    section, start, held, fenced = "", 0, [""], False
    for number, line in enumerate((*raw.splitlines(), "# "), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        top = not fenced and (line.startswith(("- ", "* ", "#")) or (line.strip() and not line[0].isspace()))
        if top and start:
            yield start, section, "\n".join(held).strip()
            start = 0
        if not fenced and line.startswith("#"):
            section = line.lstrip("#").strip() if line.startswith("##") else ""
        elif not fenced and line.startswith(("- ", "* ")):
            start, held = number, [line[2:].strip()]
        elif start and line.strip():
            held.append(line.strip())


def _line_id(text: str) -> tuple[str, str]:
    """A memory id written into its line, as [mem-x], `mem-x`: or <!-- mem-x -->, and the line without it."""
    for pattern in (r"^[\[`*(]{1,2}(mem-[\w.-]+)[\]`*)]{1,2}:?\s+(.*)$", r"^(.*?)\s*<!--\s*(mem-[\w.-]+)\s*-->$"):
        if found := re.match(pattern, text, re.S):
            one, other = found.groups()
            return (one, other.strip()) if one.startswith("mem-") else (other, one.strip())
    return "", text


# Shape four: items of guideline, applies_when, source_refs. The subset of YAML that geas writes, and no more.


def _is_items(source: Source) -> bool:
    head = source.head(4096)
    return b"guideline:" in head and re.search(rb"^items\s*:", head, re.M) is not None


def _from_yaml(source: Source) -> Iterator[Row | Skipped]:
    raw = b"".join(source.lines()).decode("utf-8", "replace")
    parts = source.path.replace("\\", "/").split("/")
    role = _agent(source.stem) if len(parts) > 1 and parts[-2] == "roles" else ""
    file = f"roles/{source.name}" if role else source.name
    taken: set[str] = set()
    for number, item in _yaml_items(raw):
        text = item.get("guideline")
        if not isinstance(text, str) or not text.strip():
            yield Skipped(f"line:{number}", "an item without a guideline")
            continue
        refs = _texts(item.get("source_refs"))
        yield Row(
            Memory(
                id="",
                project="",
                text=text,
                kind="agent_rule" if role else "project_rule",
                scope="agent" if role else "project",
                agent=role,
                tags=tuple(_texts(item.get("applies_when"))),
                origin=refs[0] if refs else "",
                trust="imported",
                state="stable",
                extra={**item, "file": file},
            ),
            alias=_unique(f"{file}#{short_hash(text)[:8]}", taken),
            openings=(Opening("seen", max(1, len(refs))),),
            place=f"line:{number}",
        )


def _yaml_items(raw: str) -> Iterator[tuple[int, Record]]:
    item: Record = {}
    start, field = 0, ""
    for number, line in enumerate(raw.splitlines(), 1):
        said = line.strip()
        if not said or said.startswith("#") or said == "---" or re.match(r"items\s*:\s*(\[\s*\])?$", line):
            continue
        indent = len(line) - len(line.lstrip())
        opens = re.match(r"^\s*-\s+([A-Za-z_]\w*)\s*:(?:\s+(.*))?$", line)
        named = opens or re.match(r"^\s+([A-Za-z_]\w*)\s*:(?:\s+(.*))?$", line)
        if opens and (not start or indent <= 2):
            if start:
                yield start, item
            item, start = {}, number
        if named and start:
            field = named[1]
            item[field] = _yaml_value(named[2] or "")
        elif start and field and said.startswith("- "):
            listed = item.get(field)
            item[field] = [*(listed if isinstance(listed, list) else []), _yaml_value(said[2:])]
    if start:
        yield start, item


def _yaml_value(text: str) -> Any:
    plain = text.strip()
    if plain.startswith(('"', "[", "{")):
        try:
            return json.loads(plain)
        except (ValueError, RecursionError):
            return (
                [part.strip().strip("'\"") for part in plain.strip("[]").split(",") if part.strip()]
                if plain[0] == "["
                else plain
            )
    if plain.startswith("'") and plain.endswith("'") and len(plain) > 1:
        return plain[1:-1].replace("''", "'")
    return re.sub(r"\s+#.*$", "", plain) if plain else []


# --- memories out -----------------------------------------------------------------------------------------------------


def dump(items: Iterable[Item], part: str = "entries", now: str = "") -> str:
    """One of geas's files as text."""
    every = list(items)
    rows = [each for each in every if isinstance(each, Row)]
    names = {each.memory.id: each.alias for each in rows if each.memory.id}
    if part in ("entries", "candidates"):
        wanted = part == "candidates"
        chosen = [row for row in rows if _is_document(row) and (row.memory.state == "candidate") is wanted]
        return _pretty([document_of(row, now, names) for row in chosen])
    if part == "index":
        return _pretty(index_of([row for row in rows if _is_document(row)], now))
    if part in ("rules", "shared"):
        return _lines_of(
            [row for row in rows if not _is_document(row) and _file_of(row) == PARTS[part].rpartition("/")[2]]
        )
    if part == "common":
        return _yaml_of([row for row in rows if _file_of(row) == "common.yaml"])
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in _others(every, part))


def files(items: Iterable[Item], now: str = "") -> dict[str, str]:
    """The whole `.geas` folder: a file a memory, named by its id where that is a plain name, and the index over them."""
    every = list(items)
    rows = [each for each in every if isinstance(each, Row)]
    names = {each.memory.id: each.alias for each in rows if each.memory.id}
    found: dict[str, str] = {}
    taken: set[str] = set()
    for row in filter(_is_document, rows):
        document = document_of(row, now, names)
        folder = "candidates" if row.memory.state == "candidate" else "entries"
        found[f"memory/{folder}/{_unique(file_name(document['memory_id']), taken)}.json"] = _pretty(document)
    if taken:
        found[PARTS["index"]] = dump(rows, "index", now)
    for each in (row for row in rows if not _is_document(row)):
        file = _file_of(each)
        path = file if file == "rules.md" else f"memory/{file}"
        if path not in found:
            mine = [row for row in rows if not _is_document(row) and _file_of(row) == file]
            found[path] = _yaml_of(mine) if file.endswith(("yaml", "yml")) else _lines_of(mine)
    for part in ("logs", "reviews"):
        for document in _others(every, part):
            end = f"{file_name(_text(document.get('task_id')))}-" if part == "logs" else ""
            tail = "" if part == "logs" else "-review"
            name = _unique(f"{end}{file_name(_text(document.get('memory_id')))}{tail}", taken)
            found[f"memory/{'logs' if part == 'logs' else 'reviews'}/{name}.json"] = _pretty(document)
    for part in ("packets", "events"):
        if text := dump(every, part, now):
            found[PARTS[part]] = text
    return found


def document_of(row: Row, now: str = "", names: Mapping[str, str] | None = None) -> Record:
    """A memory as geas writes it: the document it came as with what changed since, or a new one."""
    memory, tally = row.memory, row.memory.tally
    came = dict(memory.extra or {})
    whole = "memory_type" in came and "summary" in came
    before = _imported(came) if whole else None
    known, signals = names or {}, tally.signals or {}
    candidate = memory.state == "candidate"
    refs = _texts(came.get("evidence_refs")) + [ref for run in row.runs if (ref := _ref(run))]
    counts = {
        "evidence_count": tally.seen,
        "reuse_count": int(signals.get("reuse", signals.get("successful_reuse", 0) + signals.get("failed_reuse", 0))),
        "successful_reuses": int(signals.get("successful_reuse", 0)),
        "failed_reuses": int(signals.get("failed_reuse", 0)),
        "contradiction_count": tally.contradicted,
        "confidence": round(tally.confidence if tally.confidence is not None else 0.4, 4),
    }
    said = _dict(came.get("signals"))
    fresh: Record = {
        "meta": {
            "version": _text(_meta(came).get("version")) or "1.0",
            "artifact_type": "memory_candidate" if candidate else "memory_entry",
            "artifact_id": _text(_meta(came).get("artifact_id")) or row.alias,
            "producer_type": _text(_meta(came).get("producer_type")) or _producer(memory),
            "created_at": _text(_meta(came).get("created_at")) or _second(memory.created_at or now),
            **({"updated_at": _meta(came)["updated_at"]} if "updated_at" in _meta(came) else {}),
        },
        "memory_id": _text(came.get("memory_id")) or row.alias,
        "memory_type": memory.kind if memory.kind in TYPES else TYPE_OF.get(memory.klass, "failure_lesson"),
        "state": memory.state,
        "title": _text(came.get("title")) or _title(memory.text),
        "summary": memory.text,
        "scope": memory.scope,
        "evidence_refs": list(dict.fromkeys(refs)) or [f"tacit-{memory.id or row.alias}"],
        "signals": {name: said[name] if _number(said.get(name)) == count else count for name, count in counts.items()},
    }
    if before is not None and before.memory.text == memory.text:
        fresh["summary"] = came["summary"]
    if candidate:
        fresh["candidate_reason"] = _text(came.get("candidate_reason")) or "Learned by Tacit"
        fresh["source_artifacts"] = _texts(came.get("source_artifacts")) or [memory.origin or "tacit"]
    else:
        fresh["review_after"] = _due(memory, came, before, now)
        fresh["supersedes"] = [known.get(id, id) for id in memory.supersedes] or _texts(came.get("supersedes"))
        fresh["superseded_by"] = known.get(memory.superseded_by, memory.superseded_by) or came.get("superseded_by")
        fresh["tags"] = list(memory.tags)
        fresh["body"] = _texts(came.get("body"))
    beyond = {
        name: at
        for name, at in came.items()
        if whole and name not in _SHAPES["memory_entry"] and name not in _SHAPES["memory_candidate"]
    }
    return {**fresh, **beyond}


def _due(memory: Memory, came: Record, before: Row | None, now: str) -> str:
    """When it is to be looked at again: as it came while nothing changed that, or where we keep no date any more."""
    said = _text(came.get("review_after"))
    if said and (not memory.review_after or (before is not None and before.memory.review_after == memory.review_after)):
        return said
    return _second(memory.review_after or clock.after_days(now or memory.updated_at or memory.created_at, 30))


def _imported(came: Record) -> Row | None:
    return next((each for each in _memory(came, "") if isinstance(each, Row)), None)


def index_of(rows: Sequence[Row], now: str) -> Record:
    """The index over memories, made anew from them: it cannot disagree with its entries. A candidate has no review date."""
    entries = []
    for row in rows:
        document = document_of(row, now)
        due = {"review_after": document["review_after"]} if "review_after" in document else {}
        entries.append(
            {
                "memory_id": document["memory_id"],
                "memory_type": document["memory_type"],
                "state": document["state"],
                "confidence": document["signals"]["confidence"],
                "tags": document.get("tags", []),
                **due,
            }
        )
    return {"meta": _new_meta("memory_index", "memory-index", now), "entries": entries}


def packet_of(
    task: str, agent: str, applicable: Sequence[str], cautions: Sequence[str], suppressed: Sequence[str], reason: str, now: str
) -> Record:  # fmt: skip
    """What an agent is handed at the start of a task. A missing agent is the orchestrator."""
    id = f"mp-{task or 'session'}"
    return {
        "meta": _new_meta("memory_packet", id, now),
        "packet_id": id,
        "target_agent_type": agent if agent.replace("-", "_") in AGENTS else "orchestration_authority",
        "target_task_id": task or None,
        "pinned_items": [],
        "applicable_memory_ids": list(applicable),
        "caution_items": list(cautions),
        "suppressed_memory_ids": list(suppressed),
        "assembly_reason": reason or "task start",
    }


def log_of(item: Judged, now: str = "") -> Record:
    """An application log: the record it came as, or a new one for a use that was judged here."""
    if item.record is not None:
        return dict(item.record)
    effect = item.signal if item.signal in EFFECTS else "neutral"
    return {
        "meta": _new_meta("memory_application_log", f"mal-{item.run}-{item.memory}", item.at or now),
        "memory_id": item.memory,
        "task_id": _task_of(item.run),
        "applied_by_type": "orchestration_authority",
        "usage_surface": "task_packet",
        "effect": effect,
        "notes": item.text or effect,
        "followup_action": "none",
    }


def _others(items: Iterable[Item], part: str) -> Iterator[Record]:
    for each in items:
        if isinstance(each, Given) and part == "packets":
            if each.record is not None and "applicable_memory_ids" in each.record:
                yield dict(each.record)
            elif each.record is None:
                yield packet_of(_task_of(each.run), each.agent, each.memories, (), (), "", each.at)
        elif isinstance(each, Judged):
            if part == "logs" and each.signal in EFFECTS:
                yield log_of(each)
            elif each.record is not None and _belongs(each, part):
                yield dict(each.record)


def _belongs(item: Judged, part: str) -> bool:
    return {"reviews": "review", "events": "event"}.get(part) == item.signal


def _lines_of(rows: Sequence[Row]) -> str:
    """A file of lines again, section by section in their order."""
    if not rows:
        return ""
    file = _file_of(rows[0])
    title = (
        "Project Rules"
        if file == "rules.md"
        else "Shared Memory"
        if file == "shared.md"
        else f"{file.rpartition('/')[2][:-3].capitalize()} Memory"
    )
    out = [f"# {title}", ""]
    for section in dict.fromkeys(str((row.memory.extra or {}).get("section", "")) for row in rows):
        if section:
            out += [f"## {section}"]
        for row in rows:
            extra = row.memory.extra or {}
            if str(extra.get("section", "")) == section:
                draft = "[DRAFT] " if row.memory.state == "candidate" else ""
                id = f"[{extra['id']}] " if extra.get("id") else ""
                first, *rest = row.memory.text.split("\n")
                out += [f"- {draft}{id}{first}", *(f"  {line}" for line in rest)]
        out.append("")
    return "\n".join(out).rstrip() + "\n"


def _yaml_of(rows: Sequence[Row]) -> str:
    """Items again. Texts stand in JSON's quotes, which are YAML's too."""
    if not rows:
        return ""
    out = ["items:"]
    for row in rows:
        extra = {name: at for name, at in (row.memory.extra or {}).items() if name != "file"}
        item = {
            "guideline": row.memory.text,
            "applies_when": list(row.memory.tags),
            "source_refs": _texts(extra.pop("source_refs", None)),
        }
        item.update({name: at for name, at in extra.items() if name not in item})
        mark = "  - "
        for name, at in item.items():
            if isinstance(at, list) and at:
                out += [f"{mark}{name}:", *(f"      - {json.dumps(each, ensure_ascii=False)}" for each in at)]
            else:
                out.append(f"{mark}{name}: {json.dumps(at, ensure_ascii=False)}")
            mark = "    "
    return "\n".join(out) + "\n"


def name_for(memory: Memory, taken: Collection[str]) -> str:
    """mem-<task>-<n> after the task it was learned in, above every number ever given there."""
    task = _text((memory.extra or {}).get("task_id")) or "tacit"
    own = _text((memory.extra or {}).get("memory_id"))
    if own and own not in taken:
        return own
    head = f"mem-{task}-"
    numbers = [int(name[len(head) :]) for name in taken if name.startswith(head) and name[len(head) :].isdigit()]
    return f"{head}{max(numbers, default=0) + 1}"


def file_name(id: str) -> str:
    """A file's name for an id: the id where it is a plain name, otherwise a hash. An id is never a path."""
    return id if PLAIN_NAME.fullmatch(id) and ".." not in id else f"mem-{short_hash(id)}"


def _is_document(row: Row) -> bool:
    return not _file_of(row)


def _file_of(row: Row) -> str:
    file = (row.memory.extra or {}).get("file")
    if not isinstance(file, str):
        return ""
    folder, _, name = file.rpartition("/")
    return file if folder in ("", "agents", "roles") and PLAIN_NAME.fullmatch(name) and ".." not in name else ""


def _new_meta(kind: str, id: str, now: str) -> Record:
    return {
        "version": "1.0",
        "artifact_type": kind,
        "artifact_id": id,
        "producer_type": "orchestration_authority",
        "created_at": _second(now),
    }


def _producer(memory: Memory) -> str:
    return memory.source if memory.source in AGENTS else "orchestration_authority"


def _ref(run: str) -> str:
    return f"retro-{_task_of(run)}" if run else ""


def _task_of(run: str) -> str:
    return run.rpartition("/")[2]


def _pretty(document: object) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _unique(name: str, taken: set[str]) -> str:
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    taken.add(free)
    return free


# --- fields -----------------------------------------------------------------------------------------------------------


def _document(source: Source) -> Record | None:
    """The JSON object in a file; None for anything else, or for more than anybody writes into one."""
    raw = _raw(source)
    return record(raw) if raw else None


def _documents(source: Source) -> list[Any] | None:
    """The JSON list in a file."""
    raw = _raw(source)
    if not raw or not raw.lstrip().startswith(b"["):
        return None
    wrapped = record(b'{"list":' + raw + b"}")
    return wrapped["list"] if wrapped else None


def _raw(source: Source) -> bytes:
    try:
        with source.open() as file:
            found = file.read(MOST_BYTES + 1)
    except (OSError, EOFError):
        return b""
    return found if len(found) <= MOST_BYTES else b""


def _kind(found: Record, path: str) -> str:
    """What a document is: its own word, or its file's name, or the fields that give it away."""
    stated = _text(_meta(found).get("artifact_type"))
    if stated in _MEMORY_KINDS or stated in _RUN_KINDS:
        return stated
    if "memory_id" in found and "summary" in found and "state" in found:
        return "memory_candidate" if found["state"] == "candidate" else "memory_entry"
    if "memory_id" in found and "effect" in found:
        return "memory_application_log"
    if "memory_id" in found and "decision" in found:
        return "memory_review"
    if "applicable_memory_ids" in found:
        return "memory_packet"
    if {"added", "modified", "removed"} & set(found) and os.path.basename(path).startswith("memory-update"):
        return "memory_update"
    stem = os.path.splitext(os.path.basename(path.split("#")[0]))[0].replace("-", "_")
    if not (_in_geas(path) or "task_id" in found or "recovery_class" in found):
        return ""
    if stem == "record" or {"retrospective", "gate_result"} <= set(found):
        return "record"
    if "memory_candidates" in found:
        return "retrospective"
    if "recovery_class" in found:
        return "recovery_packet"
    if "failure_class" in found:
        return "failure_record"
    if stem in _RUN_KINDS or stem in _MEMORY_KINDS:
        return stem
    if "concerns" in found or "blocking_concerns" in found:
        return "specialist_review"
    return next((kind for word, kind in _BY_NAME.items() if stem.startswith(word) or stem.endswith(word)), "")


def _meta(found: Record) -> Record:
    """The envelope: apart under `meta`, or flat, as the task documents have it."""
    meta = found.get("meta")
    return meta if isinstance(meta, dict) else found


def _time_of(found: Record) -> str:
    return next(
        (
            at
            for name in ("created_at", "updated_at", "timestamp")
            if (at := _text(_meta(found).get(name))) and clock.seconds(at)
        ),
        "",
    )


def _in_geas(path: str) -> bool:
    parts = path.replace("\\", "/").split("/")
    return ".geas" in parts or ("missions" in parts and "tasks" in parts)


def _mission_in(path: str) -> str:
    parts = path.replace("\\", "/").split("/")
    return parts[parts.index("missions") + 1] if "missions" in parts[:-1] else ""


def _text(at: object) -> str:
    return at.strip() if isinstance(at, str) else ""


def _texts(at: object) -> list[str]:
    return [each for each in at if isinstance(each, str) and each] if isinstance(at, list) else []


def _list(at: object) -> list[Any]:
    return at if isinstance(at, list) else []


def _dict(at: object) -> Record:
    return at if isinstance(at, dict) else {}


def _number(at: object) -> float | None:
    return at if isinstance(at, (int, float)) and not isinstance(at, bool) and at == at else None


def _first(found: Record, *names: str) -> str:
    return next((text for name in names if (text := _text(found.get(name)))), "")


def _agent(at: object) -> str:
    return _text(at).lower().replace("-", "_")


def _title(text: str) -> str:
    """A short title: the first clause, at most eighty characters of it."""
    head = re.split(r"(?<=[.!?;])\s|\s[—–]\s|:\s|\n", text.strip(), maxsplit=1)[0].rstrip(".;:")
    return head if len(head) <= TITLE_CHARS else head[:TITLE_CHARS].rsplit(" ", 1)[0] + "…"


def _stamp(at: object) -> str:
    text = _text(at)
    return text if clock.seconds(text) else ""


def _second(at: str) -> str:
    """A time without its fraction, as geas writes it."""
    return re.sub(r"\.\d+(?=Z$)", "", at) if at else "1970-01-01T00:00:00Z"
