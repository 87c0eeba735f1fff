"""geas's memories on their way out, in the shapes they came in.

A document is kept whole in a lesson's `extra`; on the way out only what changed since is written anew. The index is
derived: it is made from the entries.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.core import clock
from tacit.core.digest import short_hash
from tacit.core.exchange import Given, OriginVerdict, Row
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
    first_text,
    meta_of,
    number_of,
    texts_of,
    title_of,
    whole_second,
)
from tacit.origins.geas.reading import (
    COUNTS,
    DECIDED,
    PARTS,
    PLAIN_NAME,
    TYPE_OF,
    memory,
    unique,
)
from tacit.origins.origin import GIVEN, stage

if TYPE_CHECKING:
    from tacit.origins.geas.documents import Record
    from tacit.origins.geas.reading import Item

LASTING_IDS = True  # an id is never given to another memory
# Where a file a memory stands, seen from `.geas` or from its memory folder: memories first, then what speaks of them.
_FOLDERS = ("entries/*.json", "candidates/*.json", "agents/*.md", "roles/*.yaml", "reviews/*.json")
FILES = (
    *(
        f"{head}{pattern}"
        for pattern in (*_FOLDERS, "logs/*.json", "application-logs/*.json")
        for head in ("memory/", "")
    ),
    "missions/*/packets/*/memory-packet.json",
    "missions/*/consolidation/memory-update.json",
)
MACHINES = ("learn", "tend")
ORCHESTRATOR = "orchestration_authority"
_TITLES = {"rules.md": "Project Rules", "shared.md": "Shared Memory"}


def dump(items: Iterable[Item], part: str = "entries", now: str = "") -> str:
    """One of geas's files as text."""
    every = list(items)
    rows = [each for each in every if isinstance(each, Row)]
    documents = [row for row in rows if not _file_of(row)]
    if part in ("entries", "candidates"):
        wanted, names = part == "candidates", _names(rows)
        chosen = [row for row in documents if (row.memory.state == WAITING) is wanted]
        return _pretty([document_of(row, now, names) for row in chosen])
    if part == "index":
        return _pretty(index_of(documents, now))
    if part in ("rules", "shared", "common"):
        file = PARTS[part].rpartition("/")[2]
        return _text_of([row for row in rows if _file_of(row) == file], file)
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in _others(every, part))


def files(items: Iterable[Item], now: str = "") -> dict[str, str]:
    """The whole `.geas` folder: a file a memory, named by its id where that is a plain name, and the index over them."""
    every = list(items)
    rows = [each for each in every if isinstance(each, Row)]
    names, taken = _names(rows), set[str]()
    found: dict[str, str] = {}
    listed: dict[str, list[Row]] = {}
    for row in rows:
        if file := _file_of(row):
            listed.setdefault(file, []).append(row)
            continue
        document = document_of(row, now, names)
        folder = "candidates" if row.memory.state == WAITING else "entries"
        name = unique(file_name(document["memory_id"]), taken)
        found[f"memory/{folder}/{name}.json"] = _pretty(document)
    if taken:
        found[PARTS["index"]] = dump(rows, "index", now)
    for file, mine in listed.items():
        found[file if file == "rules.md" else f"memory/{file}"] = _text_of(mine, file)
    for document in _others(every, "logs"):
        task, id = (file_name(document_text(document.get(at))) for at in ("task_id", "memory_id"))
        found[f"memory/logs/{unique(f'{task}-{id}', taken)}.json"] = _pretty(document)
    for document in _others(every, "reviews"):
        id = file_name(document_text(document.get("memory_id")))
        found[f"memory/reviews/{unique(f'{id}-review', taken)}.json"] = _pretty(document)
    for part in ("packets", "events"):
        if text := dump(every, part, now):
            found[PARTS[part]] = text
    return found


def _names(rows: Iterable[Row]) -> dict[str, str]:
    return {each.memory.id: each.alias for each in rows if each.memory.id}


def document_of(row: Row, now: str = "", names: Mapping[str, str] | None = None) -> Record:
    """A memory as geas writes it: the document it came as with what changed since, or a new one."""
    lesson, came = row.memory, record_of(row.memory.extra)
    whole = "memory_type" in came and "summary" in came
    before = _imported(came) if whole else None
    known, head, candidate = names or {}, meta_of(came), stage(lesson) == "candidate"
    refs = texts_of(came.get("evidence_refs"))
    refs += [f"retro-{_task_of(run)}" for run in row.runs if run]
    same_text = before is not None and before.memory.text == lesson.text
    fresh: Record = {
        "meta": {
            "version": document_text(head.get("version")) or "1.0",
            "artifact_type": "memory_candidate" if candidate else "memory_entry",
            "artifact_id": document_text(head.get("artifact_id")) or row.alias,
            "producer_type": document_text(head.get("producer_type"))
            or (lesson.source if lesson.source in AGENTS else ORCHESTRATOR),
            "created_at": document_text(head.get("created_at"))
            or whole_second(lesson.created_at or now),
            **({"updated_at": head["updated_at"]} if "updated_at" in head else {}),
        },
        "memory_id": document_text(came.get("memory_id")) or row.alias,
        "memory_type": lesson.kind
        if lesson.kind in TYPES
        else TYPE_OF.get(lesson.klass, "failure_lesson"),
        "state": stage(lesson),
        "title": document_text(came.get("title")) or title_of(lesson.text),
        "summary": came["summary"] if same_text else lesson.text,
        "scope": lesson.scope,
        "evidence_refs": list(dict.fromkeys(refs)) or [f"tacit-{lesson.id or row.alias}"],
        "signals": _signals(lesson, dict_of(came.get("signals"))),
    }
    if candidate:
        why, artifacts = came.get("candidate_reason"), texts_of(came.get("source_artifacts"))
        fresh["candidate_reason"] = document_text(why) or "Learned by Tacit"
        fresh["source_artifacts"] = artifacts or [lesson.origin or "tacit"]
    else:
        replaced = [known.get(id, id) for id in lesson.supersedes]
        by = known.get(lesson.superseded_by, lesson.superseded_by)
        fresh["review_after"] = _due(lesson, came, before, now)
        fresh["supersedes"] = replaced or texts_of(came.get("supersedes"))
        fresh["superseded_by"] = by or came.get("superseded_by")
        fresh["tags"] = list(lesson.tags)
        fresh["body"] = texts_of(came.get("body"))
    ours = {*SHAPES["memory_entry"], *SHAPES["memory_candidate"]}
    beyond = {name: at for name, at in came.items() if whole and name not in ours}
    return {**fresh, **beyond}


def _signals(lesson: Lesson, said: Record) -> Record:
    """Its counts; a figure as it came, where it says the same."""
    tally, counted = lesson.tally, lesson.tally.signals or {}
    good, bad = counted.get("successful_reuse", 0), counted.get("failed_reuse", 0)
    counts = {
        "seen": tally.seen,
        "reuse": int(counted.get("reuse", good + bad)),
        "successful_reuse": int(good),
        "failed_reuse": int(bad),
        "contradicted": tally.contradicted,
        "confidence": round(0.4 if tally.confidence is None else tally.confidence, 4),
    }
    named = {COUNTS[signal]: count for signal, count in counts.items()}
    return {
        name: said[name] if number_of(said.get(name)) == count else count
        for name, count in named.items()
    }


def _due(lesson: Lesson, came: Record, before: Row | None, now: str) -> str:
    """When it is to be looked at again: as it came while nothing changed that, or where we keep no date any more."""
    said, ours = document_text(came.get("review_after")), lesson.review_after
    if said and (not ours or (before is not None and before.memory.review_after == ours)):
        return said
    return whole_second(ours or clock.after_days(now or lesson.updated_at or lesson.created_at, 30))


def _imported(came: Record) -> Row | None:
    return next((each for each in memory(came, "") if isinstance(each, Row)), None)


def index_of(rows: Sequence[Row], now: str) -> Record:
    """The index over memories, made anew from them: it cannot disagree with its entries. A candidate has no review date."""
    entries = []
    for document in (document_of(row, now) for row in rows):
        copied = {name: document[name] for name in ("memory_id", "memory_type", "state")}
        sure, tags = document["signals"]["confidence"], document.get("tags", [])
        due = {name: document[name] for name in ("review_after",) if name in document}
        entries.append({**copied, "confidence": sure, "tags": tags, **due})
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
        name = names.get(entry.memory, "")
        if name and entry.verb == "approve" and entry.reason.startswith("kept by "):
            yield _told("review", name, entry, _review_of(name, "keep", entry))
        now, was = _stages_in(entry.after.get("extra"))
        if not name or entry.verb != "move" or not now:
            continue
        stood = _stages_in(entry.before.get("extra"))[1]
        weakened = was == "under_review" and _rank(now) < _rank(stood)
        at = {"timestamp": whole_second(entry.at)}
        if now in GIVEN and not weakened:
            step = {"event": "memory_promoted", "memory_id": name}
            event = {**step, "from_state": was, "to_state": now, **at}
            yield _told("event", name, entry, event)
        elif now == "decayed":
            step = {"event": "memory_decayed", "memory_id": name, "reason": entry.reason}
            yield _told("event", name, entry, {**step, **at})
        decision = DECIDED.get(now)
        if was == "under_review" and now in GIVEN:
            decision = "weaken" if weakened else "keep"
        if decision and entry.by not in MACHINES:
            yield _told("review", name, entry, _review_of(name, decision, entry))


def _told(signal: str, name: str, entry: Entry, record: Record) -> OriginVerdict:
    told = {"at": entry.at, "text": entry.reason, "record": record}
    return OriginVerdict(f"{signal}s", name, signal, **told)


def _rank(state: str) -> int:
    """How far up geas's ladder a state is; what is no memory in force yet is below all of it."""
    return GIVEN.index(state) if state in GIVEN else -1


def _stages_in(extra: object) -> tuple[str, str]:
    """The stage that a lesson's own fields name, as the journal keeps them, and the one before it."""
    kept = dict_of(json.loads(extra)) if isinstance(extra, str) and extra else {}
    return document_text(kept.get(STAGE)), document_text(kept.get(BEFORE))


def _review_of(name: str, decision: str, entry: Entry) -> Record:
    signed = re.findall(r"\((\w+)\)", entry.reason)  # whose word decided
    return {
        "meta": _new_meta("memory_review", f"mr-{name}-{entry.n}", entry.at),
        "memory_id": name,
        "reviewer_type": next((each for each in reversed(signed) if each in AGENTS), ORCHESTRATOR),
        "decision": decision,
        "rationale": f"{entry.by}: {entry.reason}",
        "required_followup": [],
        "supersedes": [],
    }


def log_of(item: OriginVerdict, now: str = "") -> Record:
    """An application log: the record it came as, or a new one for a use that was judged here."""
    if item.record is not None:
        return dict(item.record)
    effect, task = item.signal if item.signal in EFFECTS else "neutral", _task_of(item.run)
    id = f"mal-{task}-{item.memory}"
    return {
        "meta": _new_meta("memory_application_log", id, item.at or now),
        "memory_id": item.memory,
        "task_id": task,
        "applied_by_type": _agent_or_orchestrator(item.agent),
        "usage_surface": _surface_of(item.agent, item.surface),
        "effect": "negative" if item.followup == "weaken" else effect,
        "notes": item.text or effect,
        "followup_action": item.followup if item.followup in FOLLOWUPS else "none",
    }


def _agent_or_orchestrator(agent: str) -> str:
    return agent if agent.replace("-", "_") in AGENTS else ORCHESTRATOR


def _surface_of(agent: str, surface: str) -> str:
    """Where a memory was used: a reviewer reads it for a review, whoever looks it up has to decide; all others got a packet."""
    if agent.replace("-", "_").endswith(("specialist", "reviewer")) or agent == "challenger":
        return "review_context"
    return "decision_context" if surface.startswith("recall") else "task_packet"


def _others(items: Iterable[Item], part: str) -> Iterator[Record]:
    signal = {"reviews": "review", "events": "event"}.get(part)
    for each in items:
        if isinstance(each, Given) and part == "packets":
            if each.record is None:
                told = each.memories, each.cautions, each.suppressed
                yield packet_of(_task_of(each.run), each.agent, *told, "", each.at)
            elif "applicable_memory_ids" in each.record:
                yield dict(each.record)
        elif isinstance(each, OriginVerdict):
            if part == "logs" and each.signal in EFFECTS:
                yield log_of(each)
            elif each.record is not None and each.signal == signal:
                yield dict(each.record)


def _text_of(rows: Sequence[Row], file: str) -> str:
    """A file of lines or items again."""
    if not rows:
        return ""
    return _yaml_of(rows) if file.endswith(("yaml", "yml")) else _lines_of(rows, file)


def _lines_of(rows: Sequence[Row], file: str) -> str:
    """Section by section in their order."""
    sections: dict[str, list[Row]] = {}
    for row in rows:
        sections.setdefault(str((row.memory.extra or {}).get("section", "")), []).append(row)
    own = f"{file.rpartition('/')[2][:-3].capitalize()} Memory"
    out = [f"# {_TITLES.get(file, own)}", ""]
    for section, mine in sections.items():
        out += [f"## {section}"] if section else []
        for row in mine:
            id = (row.memory.extra or {}).get("id")
            draft = "[DRAFT] " if row.memory.state == WAITING else ""
            first, *rest = row.memory.text.split("\n")
            named = f"[{id}] " if id else ""
            out += [f"- {draft}{named}{first}", *(f"  {line}" for line in rest)]
        out.append("")
    return "\n".join(out).rstrip() + "\n"


def _yaml_of(rows: Sequence[Row]) -> str:
    """Items again. Texts stand in JSON's quotes, which are YAML's too."""
    out = ["items:"]
    for row in rows:
        extra = {name: at for name, at in record_of(row.memory.extra).items() if name != "file"}
        refs = texts_of(extra.pop("source_refs", None))
        item = {"guideline": row.memory.text, "applies_when": list(row.memory.tags)}
        item = {**extra, **item, "source_refs": refs}
        order = ("guideline", "applies_when", "source_refs")
        mark = "  - "
        for name in (*order, *(name for name in item if name not in order)):
            at = item[name]
            if isinstance(at, list) and at:
                listed = (f"      - {json.dumps(each, ensure_ascii=False)}" for each in at)
                out += [f"{mark}{name}:", *listed]
            else:
                out.append(f"{mark}{name}: {json.dumps(at, ensure_ascii=False)}")
            mark = "    "
    return "\n".join(out) + "\n"


def name_for(memory: Lesson, taken: Collection[str]) -> str:
    """mem-<task>-<n> after the task it was learned in, above every number ever given there."""
    extra = memory.extra or {}
    own = document_text(extra.get("memory_id"))
    if own and own not in taken:
        return own
    head = f"mem-{first_text(extra, 'task_id') or 'tacit'}-"
    ends = (name[len(head) :] for name in taken if name.startswith(head))
    return f"{head}{max((int(end) for end in ends if end.isdigit()), default=0) + 1}"


def file_name(id: str) -> str:
    """A file's name for an id: the id where it is a plain name, otherwise a hash. An id is never a path."""
    return id if PLAIN_NAME.fullmatch(id) and ".." not in id else f"mem-{short_hash(id)}"


def _file_of(row: Row) -> str:
    """The file of lines or items that a memory came from; empty where it is a document of its own."""
    file = (row.memory.extra or {}).get("file")
    folder, _, name = file.rpartition("/") if isinstance(file, str) else ("", "", "")
    plain = PLAIN_NAME.fullmatch(name) and ".." not in name
    return str(file) if plain and folder in ("", "agents", "roles") else ""


def _new_meta(kind: str, id: str, now: str) -> Record:
    return {
        "version": "1.0",
        "artifact_type": kind,
        "artifact_id": id,
        "producer_type": ORCHESTRATOR,
        "created_at": whole_second(now),
    }


def _task_of(run: str) -> str:
    return run.rpartition("/")[2]


def _pretty(document: object) -> str:
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
