"""What geas's documents are and hold: which kind a file is, its envelope, its fields, and whether it is valid.

Foreign JSON is read here once: whatever has the wrong type counts as missing, and nothing raises.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core import clock
from tacit.core.profile import listed
from tacit.hosts.source import Source, json_record
from tacit.lesson import SCOPES
from tacit.origins.origin import STAGES

if TYPE_CHECKING:
    Record = dict[str, Any]
    Check = Callable[[Any], str]
    Shape = Mapping[str, Check | Mapping[str, Any]]

TYPES = listed(
    "project_rule, agent_rule, decision_precedent, failure_lesson, security_pattern, "
    "performance_tip, test_strategy, integration_pattern, ux_pattern, architecture_precedent, "
    "process_improvement, risk_pattern"
)
EFFECTS = listed(
    "positive, negative, neutral, neutral_but_risky, unknown"
)  # two: its older document
SURFACES = listed(
    "task_packet, session_summary, review_context, gate_context, recovery_context, decision_context"
)
FOLLOWUPS = listed("none, strengthen, weaken, supersede, review_required")
DECISIONS = listed(
    "promote_provisional, promote_stable, promote_canonical, keep, weaken, supersede, reject, archive"
)
# Everyone its documents ever named. The reviewers of its own table were missing from its list of agents.
AGENTS = frozenset(
    listed(
        "orchestration_authority, product_authority, design_authority, architecture_authority, "
        "process_lead, challenger, critical_reviewer, risk_specialist, quality_specialist, "
        "communication_specialist, implementer, software_engineer, frontend_engineer, "
        "backend_engineer, qa_engineer, security_engineer, platform_engineer, "
        "operations_specialist, devops_engineer, ux_designer, ui_ux_designer, technical_writer, "
        "repository_manager, literature_analyst, research_analyst, methodology_reviewer, "
        "research_integrity_reviewer, research_engineer, research_writer"
    )
)
TITLE_CHARS = 80
MOST_BYTES = 32 * 1024 * 1024
MEMORY_KINDS = frozenset(
    listed(
        "memory_candidate, memory_entry, memory_review, memory_application_log, memory_index, "
        "memory_update"
    )
)
RUN_KINDS = frozenset(
    listed(
        "retrospective, failure_record, specialist_review, worker_self_check, recovery_packet, "
        "task_contract, gate_result, closure_packet, memory_packet, integration_result, "
        "final_verdict, implementation_contract, challenge_review, record, revalidation_record"
    )
)
# File names stand in where a document does not say what it is.
_BY_NAME = {
    "contract": "task_contract",
    "closure": "closure_packet",
    "gate": "gate_result",
    "self_check": "worker_self_check",
    "recovery_incident": "recovery_packet",
    "recovery": "recovery_packet",
    "verdict": "final_verdict",
    "packet": "memory_packet",
    "failure": "failure_record",
    "review": "specialist_review",
    "evidence": "specialist_review",
}


# --- valid documents ---


def document_faults(document: Record) -> tuple[str, ...]:
    """What is wrong with a memory document, a place and a reason each; empty for a valid one.

    As geas's schemas have it, but for what its own documents contradict: a review need not list follow-ups, a candidate
    in the index needs no review date, the reviewers of its own table are agents, and a thirteenth month is no time.
    """
    kind = document_text(meta_of(document).get("artifact_type"))
    shape = SHAPES.get(kind)
    if shape is None:
        return (f"/meta/artifact_type: {kind!r} is no memory document",)
    return tuple(faults_in(document, shape, _OPTIONAL.get(kind, ()), ""))


def faults_in(document: Record, shape: Shape, optional: Sequence[str], at: str) -> Iterator[str]:
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
            yield from faults_in(document[name], check, ("updated_at",), f"{at}/{name}")
    for name in document:
        if name not in shape:
            yield f"{at or '/'}: {name} is not a field here"


def _is_text(at: Any) -> str:
    return _is_any_text(at) or ("" if at else "empty")


def _is_any_text(at: Any) -> str:
    return "" if isinstance(at, str) else "not a text"


def _is_time(at: Any) -> str:
    if not isinstance(at, str) or not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", at):
        return "not a time such as 2026-04-06T08:15:00Z"
    hour, minute, second = int(at[11:13]), int(at[14:16]), int(at[17:19])
    is_day = clock.stamp(clock.seconds(at))[:10] == at[:10]
    return "" if is_day and hour < 24 and minute < 60 and second < 60 else "no such day or hour"


def _is_count(at: Any) -> str:
    whole = number_of(at) is not None and float(at).is_integer()  # to JSON, 2.0 is a whole number
    return "" if whole and at >= 0 else "not a whole number, 0 or more"


def _is_share(at: Any) -> str:
    if isinstance(at, bool) or not isinstance(at, (int, float)):
        return "not a number"
    return "" if 0 <= at <= 1 else "not between 0 and 1"


def _is_agent(at: Any) -> str:
    return "" if isinstance(at, str) and at.replace("-", "_") in AGENTS else "not an agent"


def _one_of(*words: str) -> Check:
    return lambda at: "" if at in words else f"not one of {', '.join(words)}"


def _or_none(check: Check) -> Check:
    return lambda at: "" if at is None else check(at)


def _are_texts(least: int = 0, unique: bool = False) -> Check:
    """A list of texts; where it must have some, none of them empty."""

    def check(at: Any) -> str:
        if not isinstance(at, list):
            return "not a list"
        if not all(isinstance(each, str) and (each or not least) for each in at):
            return "not a list of texts"
        if len(at) < least:
            return "empty"
        return "one stands there twice" if unique and len(set(at)) < len(at) else ""

    return check


def _are_rows(shape: Mapping[str, Check], optional: Sequence[str]) -> Check:
    def faults(row: Any, n: int) -> Iterator[str]:
        if isinstance(row, dict):
            yield from faults_in(row, shape, optional, f"{n}")
        else:
            yield "not an object"

    def check(at: Any) -> str:
        if not isinstance(at, list):
            return "not a list"
        return "; ".join(fault for n, row in enumerate(at) for fault in faults(row, n))

    return check


_META: Mapping[str, Check] = {
    **dict.fromkeys(("version", "artifact_type", "artifact_id"), _is_text),
    "producer_type": _is_agent,
    "created_at": _is_time,
    "updated_at": _is_time,
}
_COUNTS = ("evidence_count", "reuse_count", "successful_reuses", "failed_reuses")
_COMMON: Shape = {
    "meta": _META,
    "memory_id": _is_text,
    "memory_type": _one_of(*TYPES),
    "state": _one_of(*STAGES),
    "title": _is_text,
    "summary": _is_text,
    "scope": _one_of(*SCOPES),
    "evidence_refs": _are_texts(1),
    "signals": {
        **dict.fromkeys((*_COUNTS, "contradiction_count"), _is_count),
        "confidence": _is_share,
    },
}
SHAPES: Mapping[str, Shape] = {
    "memory_candidate": {
        **_COMMON,
        "state": _one_of("candidate"),
        "candidate_reason": _is_text,
        "source_artifacts": _are_texts(1),
    },
    "memory_entry": {
        **_COMMON,
        "review_after": _is_time,
        "supersedes": _are_texts(unique=True),
        "superseded_by": _or_none(_is_any_text),
        "tags": _are_texts(unique=True),
        "body": _are_texts(),
    },
    "memory_application_log": {
        "meta": _META,
        "memory_id": _is_text,
        "task_id": _is_text,
        "applied_by_type": _is_agent,
        "usage_surface": _one_of(*SURFACES),
        "effect": _one_of(*EFFECTS),
        "notes": _is_any_text,
        "followup_action": _one_of(*FOLLOWUPS),
    },
    "memory_review": {
        "meta": _META,
        "memory_id": _is_text,
        "reviewer_type": _is_agent,
        "decision": _one_of(*DECISIONS),
        "rationale": _is_text,
        "required_followup": _are_texts(),
        "supersedes": _are_texts(unique=True),
    },
    "memory_index": {
        "meta": _META,
        "entries": _are_rows(
            {
                "memory_id": _is_text,
                "memory_type": _one_of(*TYPES),
                "state": _one_of(*STAGES),
                "confidence": _is_share,
                "tags": _are_texts(unique=True),
                "review_after": _is_time,
            },
            ("review_after",),
        ),
    },
    "memory_packet": {
        "meta": _META,
        "packet_id": _is_text,
        "target_agent_type": _is_agent,
        "target_task_id": _or_none(_is_any_text),
        "pinned_items": _are_texts(),
        "applicable_memory_ids": _are_texts(),
        "caution_items": _are_texts(),
        "suppressed_memory_ids": _are_texts(),
        "assembly_reason": _is_text,
    },
}
_OPTIONAL = {"memory_review": ("required_followup", "reviewer_type", "supersedes")}
# Without these a memory document says nothing that could be kept; other faults are named, and the rest is taken.
NEEDED = ("memory_id", "memory_type", "state", "summary", "scope", "evidence_refs")


# --- files and kinds ---


def document_in(source: Source) -> Record | None:
    """The JSON object in a file; None for anything else, or for more than anybody writes into one."""
    raw = _raw(source)
    return json_record(raw) if raw else None


def documents_in(source: Source) -> list[Any] | None:
    """The JSON list in a file."""
    raw = _raw(source)
    if not raw.lstrip().startswith(b"["):
        return None
    wrapped = json_record(b'{"list":' + raw + b"}")
    return wrapped["list"] if wrapped else None


def _raw(source: Source) -> bytes:
    try:
        with source.open() as file:
            found = file.read(MOST_BYTES + 1)
    except (OSError, EOFError):
        return b""
    return found if len(found) <= MOST_BYTES else b""


# What gives a document away that does not say what it is: fields that only this kind has.
_BY_FIELDS = (
    ({"memory_id", "effect"}, "memory_application_log"),
    ({"memory_id", "decision"}, "memory_review"),
    ({"applicable_memory_ids"}, "memory_packet"),
)
_BY_FIELDS_OF_A_TASK = (
    ({"retrospective", "gate_result"}, "record"),
    ({"memory_candidates"}, "retrospective"),
    ({"recovery_class"}, "recovery_packet"),
    ({"failure_class"}, "failure_record"),
)


def kind_of(found: Record, path: str) -> str:
    """What a document is: its own word, or its file's name, or the fields that give it away."""
    stated, has = document_text(meta_of(found).get("artifact_type")), set(found)
    if stated in MEMORY_KINDS or stated in RUN_KINDS:
        return stated
    if {"memory_id", "summary", "state"} <= has:
        return "memory_candidate" if found["state"] == "candidate" else "memory_entry"
    if kind := _told_by(has, _BY_FIELDS):
        return kind
    name = os.path.basename(path)
    if {"added", "modified", "removed"} & has and name.startswith("memory-update"):
        return "memory_update"
    if not (in_geas(path) or {"task_id", "recovery_class"} & has):
        return ""
    stem = os.path.splitext(os.path.basename(path.split("#")[0]))[0].replace("-", "_")
    if kind := "record" if stem == "record" else _told_by(has, _BY_FIELDS_OF_A_TASK):
        return kind
    if stem in RUN_KINDS or stem in MEMORY_KINDS:
        return stem
    if {"concerns", "blocking_concerns"} & has:
        return "specialist_review"
    return next(
        (_BY_NAME[word] for word in _BY_NAME if stem.startswith(word) or stem.endswith(word)), ""
    )


def _told_by(has: set[str], table: Sequence[tuple[set[str], str]]) -> str:
    return next((kind for fields, kind in table if fields <= has), "")


def meta_of(found: Record) -> Record:
    """The envelope: apart under `meta`, or flat, as the task documents have it."""
    meta = found.get("meta")
    return meta if isinstance(meta, dict) else found


def time_of(found: Record) -> str:
    names = ("created_at", "updated_at", "timestamp")
    return next((at for name in names if (at := stamp_of(meta_of(found).get(name)))), "")


def parts_of(path: str) -> list[str]:
    return path.replace("\\", "/").split("/")


def in_geas(path: str) -> bool:
    parts = parts_of(path)
    return ".geas" in parts or {"missions", "tasks"} <= {*parts}


def mission_in(path: str) -> str:
    parts = parts_of(path)
    return parts[parts.index("missions") + 1] if "missions" in parts[:-1] else ""


def document_text(at: object) -> str:
    return at.strip() if isinstance(at, str) else ""


def texts_of(at: object) -> list[str]:
    return [each for each in list_of(at) if isinstance(each, str) and each]


def list_of(at: object) -> list[Any]:
    return at if isinstance(at, list) else []


def dict_of(at: object) -> Record:
    return at if isinstance(at, dict) else {}


def number_of(at: object) -> float | None:
    return at if isinstance(at, (int, float)) and not isinstance(at, bool) and at == at else None


def first_text(found: Record, *names: str) -> str:
    return next((text for name in names if (text := document_text(found.get(name)))), "")


def agent_of(at: object) -> str:
    return document_text(at).lower().replace("-", "_")


def producer_of(found: Record) -> str:
    return agent_of(meta_of(found).get("producer_type"))


def title_of(text: str) -> str:
    """A short title: the first clause, at most eighty characters of it."""
    head = re.split(r"(?<=[.!?;])\s|\s[—–]\s|:\s|\n", text.strip(), maxsplit=1)[0].rstrip(".;:")
    return head if len(head) <= TITLE_CHARS else head[:TITLE_CHARS].rsplit(" ", 1)[0] + "…"


def stamp_of(at: object) -> str:
    text = document_text(at)
    return text if clock.seconds(text) else ""


def whole_second(at: str) -> str:
    """A time without its fraction, as geas writes it."""
    return re.sub(r"\.\d+(?=Z$)", "", at) if at else "1970-01-01T00:00:00Z"
