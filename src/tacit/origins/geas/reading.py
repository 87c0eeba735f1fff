"""Read what geas keeps in files: memories as documents, as lines of a page, as items of YAML, and the log and index beside them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tacit.core.digest import short_hash
from tacit.core.exchange import Given, Opening, OriginVerdict, Row, Skipped
from tacit.core.states import ACTIVE, STAGE, WAITING
from tacit.hosts.source import Source, json_record
from tacit.lesson import MAX_TEXT_BYTES, Lesson
from tacit.origins.geas.documents import (
    DECISIONS,
    EFFECTS,
    MEMORY_KINDS,
    NEEDED,
    SHAPES,
    agent_of,
    dict_of,
    document_in,
    document_text,
    documents_in,
    faults_in,
    in_geas,
    kind_of,
    list_of,
    meta_of,
    mission_in,
    number_of,
    parts_of,
    producer_of,
    stamp_of,
    texts_of,
    time_of,
)
from tacit.origins.origin import GIVEN, STAGES

if TYPE_CHECKING:
    from tacit.origins.geas.documents import Record

    Item = Row | Given | OriginVerdict | Skipped

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
# What a memory of another way is here, by its class.
TYPE_OF = {
    "preference": "project_rule",
    "rule": "project_rule",
    "security": "security_pattern",
    "fix": "process_improvement",
    "pitfall": "failure_lesson",
    "command": "test_strategy",
    "fact": "decision_precedent",
    "estimate": "risk_pattern",
}
# The decision that a move by somebody is, in the words of a review; machines make moves, not reviews.
DECIDED = {
    **{state: f"promote_{state}" for state in GIVEN},
    "superseded": "supersede",
    "archived": "archive",
    "rejected": "reject",
    "decayed": "weaken",
}
PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")
# our signal -> geas's
COUNTS = {
    "seen": "evidence_count",
    "reuse": "reuse_count",
    "successful_reuse": "successful_reuses",
    "failed_reuse": "failed_reuses",
    "contradicted": "contradiction_count",
    "confidence": "confidence",
}
_LEFT_BY = {"decayed": "silence", "archived": "review", "rejected": "review"}
_YAML = (".yaml", ".yml")


def holds(source: Source) -> float:
    """How sure we are that this file holds geas memories."""
    name = source.name
    if name.endswith((".md", *_YAML)):
        if _line_file(source):
            return 0.9
        # an export of ours, or a copy: the name is geas's, the place is not
        return 0.5 if name in ("rules.md", "shared.md") else 0.9 * _is_items(source)
    if name.endswith(".jsonl"):
        first = json_record(source.head(4096).lstrip().partition(b"\n")[0]) or {}
        known = kind_of(first, "") in (*MEMORY_KINDS, "memory_packet")
        return 0.9 if known or _is_event(first) else 0.0
    found = document_in(source)
    if found is None:
        found = next((each for each in documents_in(source) or () if isinstance(each, dict)), {})
    kind = kind_of(found, source.path)
    if not kind and not found:
        # ours by its place, and broken: somebody should be told
        return 0.5 if _memory_place(source.path) else 0.0
    return 0.95 if kind in MEMORY_KINDS else 0.6 if kind == "memory_packet" else 0.0


def _memory_place(path: str) -> bool:
    *above, folder, _ = ("", "", *parts_of(path))
    return folder in ("entries", "candidates", "logs", "reviews") and "memory" in above


def memories(source: Source) -> Iterator[Item]:
    """What a file holds: memories, reviews, logs, packets, events; what cannot be read by its place and reason."""
    if source.name.endswith(".md"):
        yield from _from_lines(source)
    elif source.name.endswith(_YAML):
        yield from _from_yaml(source)
    elif source.name.endswith(".jsonl"):
        for number, line in enumerate(source.lines(), 1):
            if line.strip():
                yield from _item(json_record(line), f"line:{number}", source)
        if n := source.skipped:
            told = f"{n} lines were too long to be read, or lost at the end of a damaged file"
            yield Skipped("", told)
    elif (found := document_in(source)) is None and (listed := documents_in(source)) is not None:
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
        yield from memory(found, place)
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
    elif _is_event(found):
        yield _event(found, place)
    else:
        yield Skipped(place, "no memory of geas")


def _is_event(found: Record) -> bool:
    return document_text(found.get("event")).startswith("memory_")


def memory(found: Record, place: str) -> Iterator[Row | Skipped]:
    wrong = _told(found)
    fatal = [name for name in NEEDED if name in wrong]
    if fatal:
        yield Skipped(place, f"a memory whose {fatal[0]} is {wrong[fatal[0]]}")
        return
    text, state = found["summary"], found["state"]
    if why := _too_long(text):
        yield Skipped(place, why)
        return
    for field, why in wrong.items():
        yield Skipped(place, f"{field}: {why}", field)
    at = stamp_of(meta_of(found).get("created_at"))
    lesson = _lesson(
        text,
        found["memory_type"],
        STAGES[state],
        scope=found["scope"],
        agent=agent_of(found.get("agent_type")),
        tags=tuple(texts_of(found.get("tags"))),
        paths=tuple(texts_of(found.get("paths"))),
        source=producer_of(found),
        closed_by=_LEFT_BY.get(state, ""),
        review_after=stamp_of(found.get("review_after")),
        created_at=at,
        updated_at=stamp_of(meta_of(found).get("updated_at")) or at,
        extra={**found, STAGE: state},
    )
    signals = dict_of(found.get("signals"))
    counts = {signal: number_of(signals.get(field)) for signal, field in COUNTS.items()}
    openings = tuple(
        Opening(signal, float(amount), at)
        for signal, amount in counts.items()
        if amount is not None and (amount or signal == "confidence")
    )
    yield Row(lesson, found["memory_id"], openings, place)


def _lesson(text: str, kind: str, state: str, **more: Any) -> Lesson:
    return Lesson(id="", project="", text=text, kind=kind, trust="imported", state=state, **more)


def _too_long(text: str) -> str:
    """Why a text is not kept; empty where it is."""
    if len(text) * 4 <= MAX_TEXT_BYTES or len(text.encode("utf-8", "replace")) <= MAX_TEXT_BYTES:
        return ""
    return f"a text of {len(text):,} characters; at most {MAX_TEXT_BYTES:,} bytes are kept"


def _told(found: Record) -> dict[str, str]:
    """field -> what is wrong with it, in a memory document whose type its state tells."""
    wrong: dict[str, str] = {}
    for fault in faults_in(found, SHAPES[kind_of(found, "")], (), ""):
        where, _, why = fault.partition(": ")
        field = where.strip("/").split("/")[-1] or why.split(" ")[0]
        wrong.setdefault(field, why if where != "/" else why.partition(" is ")[2])
    return wrong


def _log(found: Record, place: str) -> Iterator[OriginVerdict | Skipped]:
    names = ("memory_id", "task_id", "effect")
    id, task, effect = (document_text(found.get(name)) for name in names)
    if not id or not task or effect not in EFFECTS:
        yield Skipped(place, "an application log without its memory, its task or a known effect")
        return
    yield _said(task, id, effect, stamp_of(time_of(found)), found.get("notes"), found, place)
    if effect == "positive":
        # The memory's own signals tell how often it served; only the logs tell in how many tasks. Twice in one is one.
        yield OriginVerdict(run=task, memory=id, signal="tasks")


def _review(found: Record, place: str) -> OriginVerdict | Skipped:
    id, decision = document_text(found.get("memory_id")), document_text(found.get("decision"))
    if not id or decision not in DECISIONS:
        return Skipped(place, "a review without its memory or a known decision")
    at, why = stamp_of(time_of(found)), found.get("rationale")
    return _said("reviews", id, "review", at, why, found, place)


def _event(found: Record, place: str) -> OriginVerdict | Skipped:
    id = document_text(found.get("memory_id"))
    if not id:
        return Skipped(place, "an event without its memory")
    steps = (document_text(found.get(name)) for name in ("from_state", "to_state"))
    told = " → ".join(filter(None, steps)) or found.get("reason")
    return _said("events", id, "event", stamp_of(found.get("timestamp")), told, found, place)


def _update(found: Record, place: str, source: Source) -> Iterator[OriginVerdict | Skipped]:
    """The change log of the third shape."""
    mission, when = mission_in(source.path), stamp_of(time_of(found))
    for verb in ("added", "modified", "removed"):
        for number, each in enumerate(list_of(found.get(verb))):
            at, change = f"{place}/{verb}/{number}", dict_of(each)
            id = document_text(change.get("memory_id"))
            if not id:
                yield Skipped(at, "a change without its memory")
                continue
            kept, why = {**change, "change": verb}, change.get("reason")
            yield _said(mission, id, "change", when, why, kept, at)


def _said(
    run: str, memory: str, signal: str, at: str, text: object, record: Record, place: str
) -> OriginVerdict:
    told = document_text(text)
    return OriginVerdict(run, memory, signal, at=at, text=told, record=record, place=place)


def _packet(found: Record, place: str) -> Given | Skipped:
    ids, task = found.get("applicable_memory_ids"), document_text(found.get("target_task_id"))
    if not isinstance(ids, list) or not all(isinstance(id, str) for id in ids):
        return Skipped(place, "a packet without its list of memories")
    agent, at = agent_of(found.get("target_agent_type")), stamp_of(time_of(found))
    return Given(task, tuple(ids), at=at, agent=agent, record=found, place=place)


def _index(found: Record, place: str, source: Source) -> Iterator[Skipped]:
    """The index is derived: it brings nothing but the news of an entry that is gone."""
    files = [PARTS[part].split("/") for part in ("entries", "candidates")]
    for number, each in enumerate(list_of(found.get("entries"))):
        id, at = document_text(dict_of(each).get("memory_id")), f"{place}/entries/{number}"
        if not PLAIN_NAME.fullmatch(id):
            yield Skipped(at, "an index row without a plain memory id")
            continue
        own = [["memory", folder, f"{id}.json"] for folder in ("entries", "candidates")]
        if not any(source.has_beside("..", *file) for file in (*own, *files)):
            yield Skipped(at, f"the index names {id}, and no file holds it")


# --- lines of a page ---


def _line_file(source: Source) -> str:
    """rules.md, shared.md or agents/<agent>.md of a geas folder; empty for any other file."""
    *above, folder, name = ("", *parts_of(source.path))
    if name in ("rules.md", "shared.md"):
        return name if in_geas(source.path) or "memory" in (*above, folder) else ""
    is_agents = folder == "agents" and name.endswith(".md") and "memory" in above
    return f"agents/{name}" if is_agents else ""


def _from_lines(source: Source) -> Iterator[Row | Skipped]:
    file = _line_file(source) or source.name
    raw = b"".join(source.lines()).decode("utf-8", "replace")
    agent = agent_of(source.stem) if file.startswith("agents/") else ""
    taken: set[str] = set()
    for number, section, text in _bullets(raw):
        draft = text.startswith("[DRAFT]")
        id, body = _line_id(text.removeprefix("[DRAFT]").strip())
        if why := _too_long(body) if body else "an empty line":
            yield Skipped(f"line:{number}", why)
            continue
        stood = {STAGE: "candidate" if draft else "stable"}
        came = {"file": file, "section": section, "text": body, "draft": draft, "id": id}
        lesson = _lesson(
            body,
            "agent_rule" if agent else "project_rule",
            WAITING if draft else ACTIVE,
            scope="agent" if agent else "project",
            agent=agent,
            category=section,
            extra={**came, **stood},
        )
        alias = id or unique(f"{file}#{short_hash(section, body)[:8]}", taken)
        yield Row(lesson, alias, (Opening("seen", 1),), f"line:{number}")


def _bullets(raw: str) -> Iterator[tuple[int, str, str]]:
    """(line number, section, text) of each top-level bullet, with the lines that are indented under it."""
    section, start, held, fenced = "", 0, [""], False
    for number, line in enumerate((*raw.splitlines(), "# "), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        marked = line.startswith(("- ", "* ", "#"))
        top = not fenced and (marked or (line.strip() and not line[0].isspace()))
        if top and start:
            yield start, section, "\n".join(held).strip()
            start = 0
        if not fenced and line.startswith("#"):
            section = line.lstrip("#").strip() if line.startswith("##") else ""
        elif not fenced and marked:
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


# --- items of YAML ---


def _is_items(source: Source) -> bool:
    head = source.head(4096)
    return b"guideline:" in head and re.search(rb"^items\s*:", head, re.M) is not None


def _from_yaml(source: Source) -> Iterator[Row | Skipped]:
    raw = b"".join(source.lines()).decode("utf-8", "replace")
    role = agent_of(source.stem) if parts_of(source.path)[-2:-1] == ["roles"] else ""
    file = f"roles/{source.name}" if role else source.name
    taken: set[str] = set()
    for number, item in _yaml_items(raw):
        text = item.get("guideline")
        if not isinstance(text, str) or not text.strip():
            yield Skipped(f"line:{number}", "an item without a guideline")
            continue
        if why := _too_long(text):
            yield Skipped(f"line:{number}", why)
            continue
        refs = texts_of(item.get("source_refs"))
        lesson = _lesson(
            text,
            "agent_rule" if role else "project_rule",
            ACTIVE,
            scope="agent" if role else "project",
            agent=role,
            tags=tuple(texts_of(item.get("applies_when"))),
            origin=refs[0] if refs else "",
            extra={**item, "file": file, STAGE: "stable"},
        )
        seen = (Opening("seen", max(1, len(refs))),)
        yield Row(lesson, unique(f"{file}#{short_hash(text)[:8]}", taken), seen, f"line:{number}")


def _yaml_items(raw: str) -> Iterator[tuple[int, Record]]:
    item: Record = {}
    start, field = 0, ""
    for number, line in enumerate(raw.splitlines(), 1):
        said = line.strip()
        head = re.match(r"items\s*:\s*(\[\s*\])?$", line)
        if not said or said.startswith("#") or said == "---" or head:
            continue
        opens = re.match(r"^\s*-\s+([A-Za-z_]\w*)\s*:(?:\s+(.*))?$", line)
        named = opens or re.match(r"^\s+([A-Za-z_]\w*)\s*:(?:\s+(.*))?$", line)
        if opens and (not start or len(line) - len(line.lstrip()) <= 2):
            if start:
                yield start, item
            item, start = {}, number
        if named and start:
            field = named[1]
            item[field] = _yaml_value(named[2] or "")
        elif start and field and said.startswith("- "):
            item[field] = [*list_of(item.get(field)), _yaml_value(said[2:])]
    if start:
        yield start, item


def _yaml_value(text: str) -> Any:
    plain = text.strip()
    if plain.startswith(('"', "[", "{")):
        try:
            return json.loads(plain)
        except (ValueError, RecursionError):
            parts = [part.strip().strip("'\"") for part in plain.strip("[]").split(",")]
            return [part for part in parts if part] if plain[0] == "[" else plain
    if plain.startswith("'") and plain.endswith("'") and len(plain) > 1:
        return plain[1:-1].replace("''", "'")
    return plain.partition(" #")[0].rstrip() if plain else []


def unique(name: str, taken: set[str]) -> str:
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    taken.add(free)
    return free
