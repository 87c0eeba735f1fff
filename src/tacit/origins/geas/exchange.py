"""geas's memories, in and out, in the four shapes they had.

A document is kept whole in `Memory.extra`; on the way out only what changed since is written anew. The index is derived:
it brings nothing in, and is made from the entries on the way out.
"""

from __future__ import annotations

import json
import re

from tacit.core import clock
from tacit.core.digest import short_hash
from tacit.core.exchange import Given, Judged, Opening, Row, Skipped
from tacit.core.memory import MAX_TEXT_BYTES, Memory
from tacit.core.states import INJECTABLE
from tacit.formats.source import record
from tacit.origins.geas.documents import (
    AGENTS,
    DECISIONS,
    EFFECTS,
    FOLLOWUPS,
    MEMORY_KINDS,
    NEEDED,
    SHAPES,
    TYPES,
    agent_of,
    dict_of,
    document_in,
    documents_in,
    faults_in,
    in_geas,
    kind_of,
    list_of,
    meta_of,
    mission_in,
    number_of,
    stamp_of,
    text_of,
    texts_of,
    time_of,
    title_of,
    whole_second,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from tacit.core.journal import Entry
    from tacit.formats.source import Source
    from tacit.origins.geas.documents import Record

    Item = Row | Given | Judged | Skipped

# The files it writes. A memory of its own, or several in one file: both are read.
LASTING_IDS = True  # an id is never given to another memory
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
# What a memory of another profile is here, by its class.
TYPE_OF = {
    "preference": "project_rule", "rule": "project_rule", "security": "security_pattern", "fix": "process_improvement",
    "pitfall": "failure_lesson", "command": "test_strategy", "fact": "decision_precedent", "estimate": "risk_pattern",
}  # fmt: skip
# The decision that a move by somebody is, in the words of a review; machines make moves, not reviews.
DECIDED = {
    **{state: f"promote_{state}" for state in INJECTABLE},
    "superseded": "supersede", "archived": "archive", "rejected": "reject", "decayed": "weaken",
}  # fmt: skip
MACHINES = ("learn", "tend")
PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")


# --- in ---


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
        kind = kind_of(first, "") or ("event" if text_of(first.get("event")).startswith("memory_") else "")
        return 0.9 if kind in MEMORY_KINDS or kind in ("memory_packet", "event") else 0.0
    found = document_in(source)
    if found is None:
        found = next((each for each in documents_in(source) or () if isinstance(each, dict)), {})
    kind = kind_of(found, source.path)
    if not kind and not found:
        return 0.5 if _memory_place(source.path) else 0.0  # ours by its place, and broken: somebody should be told
    return 0.95 if kind in MEMORY_KINDS else 0.6 if kind == "memory_packet" else 0.0


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
        found = document_in(source)
        if found is None and (listed := documents_in(source)) is not None:
            for number, each in enumerate(listed):
                yield from _item(each if isinstance(each, dict) else None, f"/{number}", source)
        else:
            yield from _item(found, "", source)


def _item(found: Record | None, place: str, source: Source) -> Iterator[Item]:
    if found is None:
        yield Skipped(place, "not a JSON object")
        return
    kind = kind_of(found, source.path if not place else "")
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
    elif text_of(found.get("event")).startswith("memory_"):
        yield _event(found, place)
    else:
        yield Skipped(place, "no memory of geas")


def _memory(found: Record, place: str) -> Iterator[Row | Skipped]:
    wrong = _told(found)
    fatal = [name for name in NEEDED if name in wrong]
    if fatal:
        yield Skipped(place, f"a memory whose {fatal[0]} is {wrong[fatal[0]]}")
        return
    text = found["summary"]
    if _too_long(text):
        yield Skipped(place, _too_long(text))
        return
    for field, why in wrong.items():
        yield Skipped(place, f"{field}: {why}", field)
    at = stamp_of(meta_of(found).get("created_at"))
    signals = dict_of(found.get("signals"))
    state = found["state"]
    yield Row(
        Memory(
            id="",
            project="",
            text=text,
            kind=found["memory_type"],
            scope=found["scope"],
            agent=agent_of(found.get("agent_type")),
            tags=tuple(texts_of(found.get("tags"))),
            paths=tuple(texts_of(found.get("paths"))),
            source=agent_of(meta_of(found).get("producer_type")),
            trust="imported",
            state=state,
            closed_by={"decayed": "silence", "archived": "review", "rejected": "review"}.get(state, ""),
            review_after=stamp_of(found.get("review_after")),
            created_at=at,
            updated_at=stamp_of(meta_of(found).get("updated_at")) or at,
            extra=found,
        ),
        alias=found["memory_id"],
        openings=tuple(
            Opening(signal, float(amount), at)
            for signal, field in _COUNTS.items()
            if (amount := number_of(signals.get(field))) is not None and (amount or signal == "confidence")
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


def _too_long(text: str) -> str:
    """Why a text is not kept; empty where it is."""
    if len(text) * 4 <= MAX_TEXT_BYTES or len(text.encode("utf-8", "replace")) <= MAX_TEXT_BYTES:
        return ""
    return f"a text of {len(text):,} characters; at most {MAX_TEXT_BYTES:,} bytes are kept"


def _told(found: Record) -> dict[str, str]:
    """field -> what is wrong with it, in a memory document whose type its state tells."""
    kind = kind_of(found, "")
    wrong: dict[str, str] = {}
    for fault in faults_in(found, SHAPES[kind], (), ""):
        where, _, why = fault.partition(": ")
        field = where.strip("/").split("/")[-1] or why.split(" ")[0]
        wrong.setdefault(field, why if where != "/" else why.partition(" is ")[2])
    return wrong


def _log(found: Record, place: str) -> Iterator[Judged | Skipped]:
    memory, task, effect = (text_of(found.get(name)) for name in ("memory_id", "task_id", "effect"))
    if not memory or not task or effect not in EFFECTS:
        yield Skipped(place, "an application log without its memory, its task or a known effect")
        return
    yield Judged(
        run=task, memory=memory, signal=effect, at=stamp_of(time_of(found)), text=text_of(found.get("notes")), record=found, place=place
    )  # fmt: skip
    if effect == "positive":
        # The memory's own signals tell how often it served; only the logs tell in how many tasks. Twice in one is one.
        yield Judged(run=task, memory=memory, signal="tasks")


def _review(found: Record, place: str) -> Judged | Skipped:
    memory, decision = text_of(found.get("memory_id")), text_of(found.get("decision"))
    if not memory or decision not in DECISIONS:
        return Skipped(place, "a review without its memory or a known decision")
    return Judged(
        run="reviews", memory=memory, signal="review", at=stamp_of(time_of(found)), text=text_of(found.get("rationale")),
        record=found, place=place,
    )  # fmt: skip


def _packet(found: Record, place: str) -> Given | Skipped:
    ids, task = found.get("applicable_memory_ids"), text_of(found.get("target_task_id"))
    if not isinstance(ids, list) or not all(isinstance(id, str) for id in ids):
        return Skipped(place, "a packet without its list of memories")
    agent = agent_of(found.get("target_agent_type"))
    return Given(run=task, memories=tuple(ids), at=stamp_of(time_of(found)), agent=agent, record=found, place=place)


def _event(found: Record, place: str) -> Judged | Skipped:
    memory = text_of(found.get("memory_id"))
    if not memory:
        return Skipped(place, "an event without its memory")
    told = " → ".join(filter(None, (text_of(found.get("from_state")), text_of(found.get("to_state"))))) or text_of(
        found.get("reason")
    )
    return Judged(
        run="events",
        memory=memory,
        signal="event",
        at=stamp_of(found.get("timestamp")),
        text=told,
        record=found,
        place=place,
    )


def _update(found: Record, place: str, source: Source) -> Iterator[Judged | Skipped]:
    """The change log of the third shape."""
    for verb in ("added", "modified", "removed"):
        for number, each in enumerate(list_of(found.get(verb))):
            at = f"{place}/{verb}/{number}"
            id = text_of(each.get("memory_id")) if isinstance(each, dict) else ""
            if not id:
                yield Skipped(at, "a change without its memory")
                continue
            kept = {**each, "change": verb}
            yield Judged(
                run=mission_in(source.path),
                memory=id,
                signal="change",
                at=stamp_of(time_of(found)),
                text=text_of(each.get("reason")),
                record=kept,
                place=at,
            )


def _index(found: Record, place: str, source: Source) -> Iterator[Skipped]:
    """The index is derived: it brings nothing but the news of an entry that is gone."""
    for number, each in enumerate(list_of(found.get("entries"))):
        id = text_of(each.get("memory_id")) if isinstance(each, dict) else ""
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
    if name in ("rules.md", "shared.md") and (in_geas(source.path) or "memory" in parts[:-1]):
        return name
    if len(parts) > 1 and parts[-2] == "agents" and name.endswith(".md") and "memory" in parts[:-2]:
        return f"agents/{name}"
    return ""


def _from_lines(source: Source) -> Iterator[Row | Skipped]:
    file = _line_file(source) or source.name
    raw = b"".join(source.lines()).decode("utf-8", "replace")
    agent = agent_of(source.stem) if file.startswith("agents/") else ""
    taken: set[str] = set()
    for number, section, text in _bullets(raw):
        draft = text.startswith("[DRAFT]")
        body = text.removeprefix("[DRAFT]").strip()
        id, body = _line_id(body)
        if not body:
            yield Skipped(f"line:{number}", "an empty line")
            continue
        if _too_long(body):
            yield Skipped(f"line:{number}", _too_long(body))
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
    if found := re.match(r"[\[`*(]{1,2}(mem-[\w.-]{1,200})[\]`*)]{1,2}:?\s", text):
        return found[1], text[found.end() :].strip()
    at = text.rfind("<!--") if text.endswith("-->") else -1
    if at >= 0 and (found := re.fullmatch(r"\s{0,4}(mem-[\w.-]{1,200})\s{0,4}", text[at + 4 : -3])):
        return found[1], text[:at].strip()
    return "", text


# Shape four: items of guideline, applies_when, source_refs. The subset of YAML that geas writes, and no more.


def _is_items(source: Source) -> bool:
    head = source.head(4096)
    return b"guideline:" in head and re.search(rb"^items\s*:", head, re.M) is not None


def _from_yaml(source: Source) -> Iterator[Row | Skipped]:
    raw = b"".join(source.lines()).decode("utf-8", "replace")
    parts = source.path.replace("\\", "/").split("/")
    role = agent_of(source.stem) if len(parts) > 1 and parts[-2] == "roles" else ""
    file = f"roles/{source.name}" if role else source.name
    taken: set[str] = set()
    for number, item in _yaml_items(raw):
        text = item.get("guideline")
        if not isinstance(text, str) or not text.strip():
            yield Skipped(f"line:{number}", "an item without a guideline")
            continue
        if _too_long(text):
            yield Skipped(f"line:{number}", _too_long(text))
            continue
        refs = texts_of(item.get("source_refs"))
        yield Row(
            Memory(
                id="",
                project="",
                text=text,
                kind="agent_rule" if role else "project_rule",
                scope="agent" if role else "project",
                agent=role,
                tags=tuple(texts_of(item.get("applies_when"))),
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
    return plain.partition(" #")[0].rstrip() if plain else []


# --- out ---


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
            end = f"{file_name(text_of(document.get('task_id')))}-" if part == "logs" else ""
            tail = "" if part == "logs" else "-review"
            name = _unique(f"{end}{file_name(text_of(document.get('memory_id')))}{tail}", taken)
            found[f"memory/{part}/{name}.json"] = _pretty(document)
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
    refs = texts_of(came.get("evidence_refs")) + [ref for run in row.runs if (ref := _ref(run))]
    counts = {
        "evidence_count": tally.seen,
        "reuse_count": int(signals.get("reuse", signals.get("successful_reuse", 0) + signals.get("failed_reuse", 0))),
        "successful_reuses": int(signals.get("successful_reuse", 0)),
        "failed_reuses": int(signals.get("failed_reuse", 0)),
        "contradiction_count": tally.contradicted,
        "confidence": round(tally.confidence if tally.confidence is not None else 0.4, 4),
    }
    said = dict_of(came.get("signals"))
    fresh: Record = {
        "meta": {
            "version": text_of(meta_of(came).get("version")) or "1.0",
            "artifact_type": "memory_candidate" if candidate else "memory_entry",
            "artifact_id": text_of(meta_of(came).get("artifact_id")) or row.alias,
            "producer_type": text_of(meta_of(came).get("producer_type")) or _producer(memory),
            "created_at": text_of(meta_of(came).get("created_at")) or whole_second(memory.created_at or now),
            **({"updated_at": meta_of(came)["updated_at"]} if "updated_at" in meta_of(came) else {}),
        },
        "memory_id": text_of(came.get("memory_id")) or row.alias,
        "memory_type": memory.kind if memory.kind in TYPES else TYPE_OF.get(memory.klass, "failure_lesson"),
        "state": memory.state,
        "title": text_of(came.get("title")) or title_of(memory.text),
        "summary": memory.text,
        "scope": memory.scope,
        "evidence_refs": list(dict.fromkeys(refs)) or [f"tacit-{memory.id or row.alias}"],
        "signals": {
            name: said[name] if number_of(said.get(name)) == count else count for name, count in counts.items()
        },
    }
    if before is not None and before.memory.text == memory.text:
        fresh["summary"] = came["summary"]
    if candidate:
        fresh["candidate_reason"] = text_of(came.get("candidate_reason")) or "Learned by Tacit"
        fresh["source_artifacts"] = texts_of(came.get("source_artifacts")) or [memory.origin or "tacit"]
    else:
        fresh["review_after"] = _due(memory, came, before, now)
        fresh["supersedes"] = [known.get(id, id) for id in memory.supersedes] or texts_of(came.get("supersedes"))
        fresh["superseded_by"] = known.get(memory.superseded_by, memory.superseded_by) or came.get("superseded_by")
        fresh["tags"] = list(memory.tags)
        fresh["body"] = texts_of(came.get("body"))
    beyond = {
        name: at
        for name, at in came.items()
        if whole and name not in SHAPES["memory_entry"] and name not in SHAPES["memory_candidate"]
    }
    return {**fresh, **beyond}


def _due(memory: Memory, came: Record, before: Row | None, now: str) -> str:
    """When it is to be looked at again: as it came while nothing changed that, or where we keep no date any more."""
    said = text_of(came.get("review_after"))
    if said and (not memory.review_after or (before is not None and before.memory.review_after == memory.review_after)):
        return said
    return whole_second(memory.review_after or clock.after_days(now or memory.updated_at or memory.created_at, 30))


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
        "target_agent_type": _agent_or_orchestrator(agent),
        "target_task_id": task or None,
        "pinned_items": [],
        "applicable_memory_ids": list(applicable),
        "caution_items": list(cautions),
        "suppressed_memory_ids": list(suppressed),
        "assembly_reason": reason or "task start",
    }


def moves(entries: Iterable[Entry], names: Mapping[str, str]) -> Iterator[Judged]:
    """What the journal tells that geas writes down: an event for each promotion and decay, a review for each decision."""
    for entry in entries:
        was, now = text_of(entry.before.get("state")), text_of(entry.after.get("state"))
        name = names.get(entry.memory, "")
        if entry.verb != "move" or not now or not name:
            continue
        at = whole_second(entry.at)
        event: Record = {}
        if now in INJECTABLE:
            event = {"event": "memory_promoted", "memory_id": name, "from_state": was, "to_state": now, "timestamp": at}
        elif now == "decayed":
            event = {"event": "memory_decayed", "memory_id": name, "reason": entry.reason, "timestamp": at}
        if event:
            yield Judged("events", name, "event", entry.at, text=entry.reason, record=event)
        decision = DECIDED.get(now)
        if was == "under_review" and now in INJECTABLE:
            stood = text_of(entry.before.get("previous_state"))
            decision = "weaken" if stood in INJECTABLE and INJECTABLE.index(now) < INJECTABLE.index(stood) else "keep"
        if decision and entry.by not in MACHINES:
            yield Judged(
                "reviews", name, "review", entry.at, text=entry.reason, record=_review_of(name, decision, entry)
            )


def _review_of(name: str, decision: str, entry: Entry) -> Record:
    signed = re.findall(r"\((\w+)\)", entry.reason)
    role = next((each for each in reversed(signed) if each in AGENTS), "orchestration_authority")  # whose word decided
    return {
        "meta": _new_meta("memory_review", f"mr-{name}-{entry.n}", entry.at),
        "memory_id": name,
        "reviewer_type": role,
        "decision": decision,
        "rationale": f"{entry.by}: {entry.reason}",
        "required_followup": [],
        "supersedes": [],
    }


def log_of(item: Judged, now: str = "") -> Record:
    """An application log: the record it came as, or a new one for a use that was judged here."""
    if item.record is not None:
        return dict(item.record)
    effect = item.signal if item.signal in EFFECTS else "neutral"
    return {
        "meta": _new_meta("memory_application_log", f"mal-{_task_of(item.run)}-{item.memory}", item.at or now),
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
                yield packet_of(_task_of(each.run), each.agent, each.memories, each.cautions, each.suppressed, "", each.at)
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
            "source_refs": texts_of(extra.pop("source_refs", None)),
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
    task = text_of((memory.extra or {}).get("task_id")) or "tacit"
    own = text_of((memory.extra or {}).get("memory_id"))
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
        "created_at": whole_second(now),
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
