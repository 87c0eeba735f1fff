"""geas's memories, in and out, in the four shapes they had.

A document is kept whole in `Memory.extra`; on the way out only what changed since is written anew. The index is derived:
it brings nothing in, and is made from the entries on the way out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.core import clock
from tacit.core.digest import short_hash
from tacit.core.exchange import Given, OriginVerdict, Row, Skipped
from tacit.core.journal import Entry
from tacit.core.states import BEFORE, STAGE, WAITING, record_of
from tacit.lesson import Lesson
from tacit.origins.geas.documents import (
    AGENTS,
    EFFECTS,
    FOLLOWUPS,
    SHAPES,
    TYPES,
    dict_of,
    document_text,
    meta_of,
    number_of,
    texts_of,
    title_of,
    whole_second,
)
from tacit.origins.geas.reading import DECIDED, PARTS, PLAIN_NAME, TYPE_OF, memory, unique
from tacit.origins.origin import GIVEN, stage

if TYPE_CHECKING:
    from tacit.origins.geas.documents import Record

    Item = Row | Given | OriginVerdict | Skipped

# The files it writes. A memory of its own, or several in one file: both are read.
LASTING_IDS = True  # an id is never given to another memory
# Where a file a memory stands, seen from `.geas` or from its memory folder: memories first, then what speaks of them.
FILES = (
    *(
        f"{head}{pattern}"
        for pattern in (
            "entries/*.json",
            "candidates/*.json",
            "agents/*.md",
            "roles/*.yaml",
            "reviews/*.json",
            "logs/*.json",
            "application-logs/*.json",
        )
        for head in ("memory/", "")
    ),
    "missions/*/packets/*/memory-packet.json",
    "missions/*/consolidation/memory-update.json",
)
MACHINES = ("learn", "tend")


def dump(items: Iterable[Item], part: str = "entries", now: str = "") -> str:
    """One of geas's files as text."""
    every = list(items)
    rows = [each for each in every if isinstance(each, Row)]
    names = {each.memory.id: each.alias for each in rows if each.memory.id}
    if part in ("entries", "candidates"):
        wanted = part == "candidates"
        chosen = [
            row for row in rows if _is_document(row) and (row.memory.state == WAITING) is wanted
        ]
        return _pretty([document_of(row, now, names) for row in chosen])
    if part == "index":
        return _pretty(index_of([row for row in rows if _is_document(row)], now))
    if part in ("rules", "shared"):
        return _lines_of(
            [
                row
                for row in rows
                if not _is_document(row) and _file_of(row) == PARTS[part].rpartition("/")[2]
            ]
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
        folder = "candidates" if row.memory.state == WAITING else "entries"
        found[f"memory/{folder}/{unique(file_name(document['memory_id']), taken)}.json"] = _pretty(
            document
        )
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
            end = f"{file_name(document_text(document.get('task_id')))}-" if part == "logs" else ""
            tail = "" if part == "logs" else "-review"
            name = unique(
                f"{end}{file_name(document_text(document.get('memory_id')))}{tail}", taken
            )
            found[f"memory/{part}/{name}.json"] = _pretty(document)
    for part in ("packets", "events"):
        if text := dump(every, part, now):
            found[PARTS[part]] = text
    return found


def document_of(row: Row, now: str = "", names: Mapping[str, str] | None = None) -> Record:
    """A memory as geas writes it: the document it came as with what changed since, or a new one."""
    memory, tally = row.memory, row.memory.tally
    came = record_of(memory.extra)
    whole = "memory_type" in came and "summary" in came
    before = _imported(came) if whole else None
    known, signals = names or {}, tally.signals or {}
    candidate = stage(memory) == "candidate"
    refs = texts_of(came.get("evidence_refs")) + [ref for run in row.runs if (ref := _ref(run))]
    counts = {
        "evidence_count": tally.seen,
        "reuse_count": int(
            signals.get(
                "reuse", signals.get("successful_reuse", 0) + signals.get("failed_reuse", 0)
            )
        ),
        "successful_reuses": int(signals.get("successful_reuse", 0)),
        "failed_reuses": int(signals.get("failed_reuse", 0)),
        "contradiction_count": tally.contradicted,
        "confidence": round(tally.confidence if tally.confidence is not None else 0.4, 4),
    }
    said = dict_of(came.get("signals"))
    fresh: Record = {
        "meta": {
            "version": document_text(meta_of(came).get("version")) or "1.0",
            "artifact_type": "memory_candidate" if candidate else "memory_entry",
            "artifact_id": document_text(meta_of(came).get("artifact_id")) or row.alias,
            "producer_type": document_text(meta_of(came).get("producer_type")) or _producer(memory),
            "created_at": document_text(meta_of(came).get("created_at"))
            or whole_second(memory.created_at or now),
            **(
                {"updated_at": meta_of(came)["updated_at"]} if "updated_at" in meta_of(came) else {}
            ),
        },
        "memory_id": document_text(came.get("memory_id")) or row.alias,
        "memory_type": memory.kind
        if memory.kind in TYPES
        else TYPE_OF.get(memory.klass, "failure_lesson"),
        "state": stage(memory),
        "title": document_text(came.get("title")) or title_of(memory.text),
        "summary": memory.text,
        "scope": memory.scope,
        "evidence_refs": list(dict.fromkeys(refs)) or [f"tacit-{memory.id or row.alias}"],
        "signals": {
            name: said[name] if number_of(said.get(name)) == count else count
            for name, count in counts.items()
        },
    }
    if before is not None and before.memory.text == memory.text:
        fresh["summary"] = came["summary"]
    if candidate:
        fresh["candidate_reason"] = (
            document_text(came.get("candidate_reason")) or "Learned by Tacit"
        )
        fresh["source_artifacts"] = texts_of(came.get("source_artifacts")) or [
            memory.origin or "tacit"
        ]
    else:
        fresh["review_after"] = _due(memory, came, before, now)
        fresh["supersedes"] = [known.get(id, id) for id in memory.supersedes] or texts_of(
            came.get("supersedes")
        )
        fresh["superseded_by"] = known.get(memory.superseded_by, memory.superseded_by) or came.get(
            "superseded_by"
        )
        fresh["tags"] = list(memory.tags)
        fresh["body"] = texts_of(came.get("body"))
    beyond = {
        name: at
        for name, at in came.items()
        if whole and name not in SHAPES["memory_entry"] and name not in SHAPES["memory_candidate"]
    }
    return {**fresh, **beyond}


def _due(memory: Lesson, came: Record, before: Row | None, now: str) -> str:
    """When it is to be looked at again: as it came while nothing changed that, or where we keep no date any more."""
    said = document_text(came.get("review_after"))
    if said and (
        not memory.review_after
        or (before is not None and before.memory.review_after == memory.review_after)
    ):
        return said
    return whole_second(
        memory.review_after or clock.after_days(now or memory.updated_at or memory.created_at, 30)
    )


def _imported(came: Record) -> Row | None:
    return next((each for each in memory(came, "") if isinstance(each, Row)), None)


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
    task: str,
    agent: str,
    applicable: Sequence[str],
    cautions: Sequence[str],
    suppressed: Sequence[str],
    reason: str,
    now: str,
) -> Record:
    """What an agent is handed at the start of a task. A missing agent is the orchestrator."""
    id = f"mp-{task or 'session'}"
    return {
        "meta": _new_meta("memory_packet", id, now),
        "packet_id": id,
        "target_agent_type": _agent_or_orchestrator(agent),
        "target_task_id": task or None,
        "pinned_items": [],
        "applicable_memory_ids": list(applicable),
        "caution_items": list(cautions),
        "suppressed_memory_ids": list(suppressed),
        "assembly_reason": reason or "task start",
    }


def moves(entries: Iterable[Entry], names: Mapping[str, str]) -> Iterator[OriginVerdict]:
    """What the journal tells that geas writes down: an event for each promotion and decay, a review for each decision."""
    for entry in entries:
        before, after = (_stages_in(side.get("extra")) for side in (entry.before, entry.after))
        now, was = after
        name = names.get(entry.memory, "")
        if entry.verb == "approve" and entry.reason.startswith("kept by ") and name:
            kept = _review_of(name, "keep", entry)
            yield OriginVerdict("reviews", name, "review", entry.at, text=entry.reason, record=kept)
        if entry.verb != "move" or not now or not name:
            continue
        at = whole_second(entry.at)
        event: Record = {}
        stood = before[1]
        weakened = was == "under_review" and _rank(now) < _rank(stood)
        if now in GIVEN and not weakened:
            event = {
                "event": "memory_promoted",
                "memory_id": name,
                "from_state": was,
                "to_state": now,
                "timestamp": at,
            }
        elif now == "decayed":
            event = {
                "event": "memory_decayed",
                "memory_id": name,
                "reason": entry.reason,
                "timestamp": at,
            }
        if event:
            yield OriginVerdict("events", name, "event", entry.at, text=entry.reason, record=event)
        decision = DECIDED.get(now)
        if was == "under_review" and now in GIVEN:
            decision = "weaken" if weakened else "keep"
        if decision and entry.by not in MACHINES:
            yield OriginVerdict(
                "reviews",
                name,
                "review",
                entry.at,
                text=entry.reason,
                record=_review_of(name, decision, entry),
            )


def _rank(state: str) -> int:
    """How far up geas's ladder a state is; what is no memory in force yet is below all of it."""
    return GIVEN.index(state) if state in GIVEN else -1


def _stages_in(extra: object) -> tuple[str, str]:
    """The stage that a lesson's own fields name, as the journal keeps them, and the one before it."""
    kept = dict_of(json.loads(extra)) if isinstance(extra, str) and extra else {}
    return document_text(kept.get(STAGE)), document_text(kept.get(BEFORE))


def _review_of(name: str, decision: str, entry: Entry) -> Record:
    signed = re.findall(r"\((\w+)\)", entry.reason)
    role = next(
        (each for each in reversed(signed) if each in AGENTS), "orchestration_authority"
    )  # whose word decided
    return {
        "meta": _new_meta("memory_review", f"mr-{name}-{entry.n}", entry.at),
        "memory_id": name,
        "reviewer_type": role,
        "decision": decision,
        "rationale": f"{entry.by}: {entry.reason}",
        "required_followup": [],
        "supersedes": [],
    }


def log_of(item: OriginVerdict, now: str = "") -> Record:
    """An application log: the record it came as, or a new one for a use that was judged here."""
    if item.record is not None:
        return dict(item.record)
    effect = item.signal if item.signal in EFFECTS else "neutral"
    return {
        "meta": _new_meta(
            "memory_application_log", f"mal-{_task_of(item.run)}-{item.memory}", item.at or now
        ),
        "memory_id": item.memory,
        "task_id": _task_of(item.run),
        "applied_by_type": _agent_or_orchestrator(item.agent),
        "usage_surface": _surface_of(item.agent, item.surface),
        "effect": "negative" if item.followup == "weaken" else effect,
        "notes": item.text or effect,
        "followup_action": item.followup if item.followup in FOLLOWUPS else "none",
    }


def _agent_or_orchestrator(agent: str) -> str:
    return agent if agent.replace("-", "_") in AGENTS else "orchestration_authority"


def _surface_of(agent: str, surface: str) -> str:
    """Where a memory was used: a reviewer reads it for a review, whoever looks it up has to decide; all others got a packet."""
    if agent.replace("-", "_").endswith(("specialist", "reviewer")) or agent == "challenger":
        return "review_context"
    return "decision_context" if surface.startswith("recall") else "task_packet"


def _others(items: Iterable[Item], part: str) -> Iterator[Record]:
    for each in items:
        if isinstance(each, Given) and part == "packets":
            if each.record is not None and "applicable_memory_ids" in each.record:
                yield dict(each.record)
            elif each.record is None:
                yield packet_of(
                    _task_of(each.run),
                    each.agent,
                    each.memories,
                    each.cautions,
                    each.suppressed,
                    "",
                    each.at,
                )
        elif isinstance(each, OriginVerdict):
            if part == "logs" and each.signal in EFFECTS:
                yield log_of(each)
            elif each.record is not None and _belongs(each, part):
                yield dict(each.record)


def _belongs(item: OriginVerdict, part: str) -> bool:
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
                draft = "[DRAFT] " if row.memory.state == WAITING else ""
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
        extra = {name: at for name, at in record_of(row.memory.extra).items() if name != "file"}
        item = {
            "guideline": row.memory.text,
            "applies_when": list(row.memory.tags),
            "source_refs": texts_of(extra.pop("source_refs", None)),
        }
        item.update({name: at for name, at in extra.items() if name not in item})
        mark = "  - "
        for name, at in item.items():
            if isinstance(at, list) and at:
                out += [
                    f"{mark}{name}:",
                    *(f"      - {json.dumps(each, ensure_ascii=False)}" for each in at),
                ]
            else:
                out.append(f"{mark}{name}: {json.dumps(at, ensure_ascii=False)}")
            mark = "    "
    return "\n".join(out) + "\n"


def name_for(memory: Lesson, taken: Collection[str]) -> str:
    """mem-<task>-<n> after the task it was learned in, above every number ever given there."""
    task = document_text((memory.extra or {}).get("task_id")) or "tacit"
    own = document_text((memory.extra or {}).get("memory_id"))
    if own and own not in taken:
        return own
    head = f"mem-{task}-"
    numbers = [
        int(name[len(head) :])
        for name in taken
        if name.startswith(head) and name[len(head) :].isdigit()
    ]
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
    return (
        file
        if folder in ("", "agents", "roles") and PLAIN_NAME.fullmatch(name) and ".." not in name
        else ""
    )


def _new_meta(kind: str, id: str, now: str) -> Record:
    return {
        "version": "1.0",
        "artifact_type": kind,
        "artifact_id": id,
        "producer_type": "orchestration_authority",
        "created_at": whole_second(now),
    }


def _producer(memory: Lesson) -> str:
    return memory.source if memory.source in AGENTS else "orchestration_authority"


def _ref(run: str) -> str:
    return f"retro-{_task_of(run)}" if run else ""


def _task_of(run: str) -> str:
    return run.rpartition("/")[2]


def _pretty(document: object) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
