"""Ralph, AIWG's external loop: its loop state and iterations, its learnings and their staging area.

A loop, `.aiwg/ralph-external/state.json`, holds its iterations, or they stand beside it as `iterations/iteration-001.json`:

    {"loopId": "ralph-001", "objective": "Fix failing tests", "status": "completed", "currentIteration": 3,
     "iterations": [{"number": 1, "status": "completed", "duration": 42000, "analysis": {"progressMade": true},
                     "learnings": ["Write tests first"], "filesModified": ["src/a.ts"]}]}

What follows from the iterations is derived by `learn.iterations`; the format puts them down in `Run.extra`.

Knowledge, `.aiwg/knowledge/`: `ralph-learnings.json` with a checksum over its learnings, `.bak` beside it, `staging.json`.
A file that does not verify is taken from its good backup, with a warning; neither is ever written to. Without a good copy
nothing is taken. A learning's record is kept whole in `Memory.extra`, and leaves as it came where nothing changed.
"""

from __future__ import annotations

import json
import math
from hashlib import sha256

from tacit.core.clock import seconds
from tacit.core.digest import short_hash
from tacit.core.errors import Damaged
from tacit.core.exchange import Header, Note, Opening, Row, Skipped
from tacit.core.memory import MAX_TEXT_BYTES, Memory
from tacit.core.run import Reading, Run, Step
from tacit.core.staging import PENDING, VALIDATED, staging_status
from tacit.core.states import INJECTABLE
from tacit.formats.source import BytesSource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from typing import Any

    from tacit.core.exchange import Given, Judged
    from tacit.formats.source import Source

    Record = dict[str, Any]
    Item = Row | Given | Judged | Header | Note | Skipped

NAME = "ralph"
LASTING_IDS = False  # two machines may give one id to two learnings; with the same words it is the same one, and renewed
PARTS = {"learnings": "ralph-learnings.json", "staging": "staging.json", "csv": "ralph-learnings.csv"}
ON_REQUEST = ("csv",)  # not among the files of its folder
CSV = ("id", "type", "taskType", "confidence", "successRate", "useCount", "createdAt")
VERSION = "1.0.0"
TYPES = ("strategy", "antipattern", "estimate", "convention")
STORED = (*INJECTABLE, "under_review", "decayed")  # what is in the knowledge base
DEFAULT_CONFIDENCE = 0.5  # of a learning that states none
OUTCOMES = {"completed": "success", "success": "success", "failed": "failure", "limit_reached": "failure"}
OUTCOMES |= {"aborted": "aborted", "cancelled": "aborted", "crashed": "failure"}
RUNNING = ("running", "paused", "pending", "in_progress", "")
FILE_LIMIT = 64 * 1024 * 1024


# --- runs


def detect(source: Source) -> float:
    """How sure we are that this is a loop's state, or one of its iterations."""
    head = source.head().lstrip()
    if not head.startswith(b"{"):
        return 0.0
    if b'"loopId"' in head and (b'"iterations"' in head or b'"currentIteration"' in head or b'"objective"' in head):
        return 0.9
    parts = (b'"number"', b'"status"', b'"duration"', b'"filesModified"', b'"learnings"')
    return 0.6 if sum(part in head for part in parts) >= 3 and source.name.startswith("iteration") else 0.0


def read(source: Source) -> Iterator[Run]:
    """The loop in a state file; nothing in an iteration's own file, which is read with its loop."""
    found, why = _document(source)
    if found is None:
        yield Run(source.stem, NAME, path=source.path, reading=Reading(1, 1, warnings=(why,)))
        return
    if "loopId" not in found:
        return
    notes: list[str] = []
    rounds = [_iteration(each, number, notes) for number, each in enumerate(_rounds(found, source, notes), 1)]
    known = [each for each in rounds if each is not None]
    status = _text(found.get("status")).lower()
    total = _count(found.get("currentIteration"))
    yield Run(
        id=_text(found["loopId"]) or source.stem,
        host=NAME,
        steps=tuple(_step(each) for each in known),
        task=_text(found.get("objective")),
        objective=_text(found.get("objective")),
        task_type=_text(found.get("taskType")),
        outcome=OUTCOMES.get(status, "unknown"),
        complete=status not in RUNNING,
        files=tuple(dict.fromkeys(file for each in known for file in each["files"])),
        started_at=_text(found.get("startedAt")) or _text(found.get("startTime")),
        ended_at=_text(found.get("completedAt")) or _text(found.get("endTime")) or _text(found.get("updatedAt")),
        path=source.path,
        reading=Reading(1, len(rounds) - len(known), warnings=tuple(notes[:20])),
        extra={"iterations": known, "total": len(known) if total is None else total},
    )


def _rounds(found: Record, source: Source, notes: list[str]) -> list[Any]:
    inline = found.get("iterations")
    if isinstance(inline, list) and inline:
        return inline
    if inline is not None and not isinstance(inline, list):
        notes.append("iterations is not a list")
    beside = []
    for each in source.beside("iterations"):
        if each.name.startswith("iteration") and each.name.endswith(".json"):
            one, why = _document(each)
            beside.append(one)
            if one is None:
                notes.append(why)
    return sorted(beside, key=lambda one: _count((one or {}).get("number")) or 0)


def _iteration(found: Any, number: int, notes: list[str]) -> Record | None:
    if not isinstance(found, dict):
        notes.append(f"iteration {number} is not an object")
        return None
    analysis = found.get("analysis")
    at: Record = analysis if isinstance(analysis, dict) else {}
    duration = _number(found.get("duration"))
    return {
        "number": _count(found.get("number")) or number,
        "status": _text(found.get("status")).lower(),
        "duration": max(0.0, duration or 0.0),
        "progress": at.get("progressMade") is True,
        "errors": _texts(at.get("errors")),
        "learnings": _texts(found.get("learnings")),
        "files": _texts(found.get("filesModified")),
    }


def _step(each: Record) -> Step:
    failed = each["status"] in ("failed", "crashed")
    error = "; ".join(each["errors"]) or each["status"] if failed else ""
    text = " ".join(each["learnings"])
    place = f"iteration:{each['number']}"
    if failed:
        return Step("tool", place, tool="iteration", error=error, files=tuple(each["files"]))
    return Step("assistant", place, text=text, files=tuple(each["files"]))


# --- memories in


def holds(source: Source) -> float:
    """How sure we are that this is a file of learnings, or the staging area."""
    head = source.head().lstrip()
    if b'"checksum"' in head and (b'"learnings"' in head or b'"staged"' in head):
        return 0.95
    return 0.5 if source.name in PARTS.values() else 0.0


def memories(source: Source) -> Iterator[Item]:
    """The learnings, or the staged ones, of a file; from its backup where the file itself does not verify."""
    store, fault = _verified(source)
    if store is None:
        backup = next((each for each in source.beside() if each.name == f"{source.name}.bak"), None)
        spare = _verified(backup)[0] if backup is not None else None
        if spare is None:
            raise Damaged(
                f"Knowledge store corrupted and backup recovery failed: {fault}",
                f"Nothing was taken from {source.path}; restore a good copy and import that.",
            )
        yield Note(f"{source.path} does not verify ({fault}): taken from its backup; both files are as they were")
        store = {**spare, "lastUpdated": ""}
    staging = "staged" in store
    kept = {name: at for name, at in store.items() if name not in ("learnings", "staged", "checksum", "stats")}
    yield Header("staging" if staging else "learnings", kept)
    for number, found in enumerate(store["staged" if staging else "learnings"]):
        yield from _staged(found, f"staged:{number}") if staging else _learning(found, f"learnings:{number}", {})


def sound(text: str) -> bool:
    """Whether a file's text verifies; an export never puts one that does not in place of a good backup."""
    return _verified(BytesSource(text.encode("utf-8", "surrogatepass")))[0] is not None


def _verified(source: Source) -> tuple[Record | None, str]:
    """A store whose checksum is right, or why there is none."""
    found, why = _document(source)
    if found is None:
        return None, why
    rows = found.get("staged") if "staged" in found else found.get("learnings")
    if not isinstance(rows, list):
        return None, "there is no list of learnings"
    if found.get("checksum") != checksum(rows):
        return None, "Checksum mismatch - data may be corrupted"
    return found, ""


def _document(source: Source) -> tuple[Record | None, str]:
    with source.open() as file:
        raw = file.read(FILE_LIMIT + 1)
    if len(raw) > FILE_LIMIT:
        return None, f"{source.name} is over {FILE_LIMIT >> 20} MB"
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError) as error:
        return None, f"{source.name} is not JSON: {error}"
    return (found, "") if isinstance(found, dict) else (None, f"{source.name} holds no JSON object")


def _learning(found: Any, place: str, decided: Mapping[str, Any]) -> Iterator[Row | Skipped]:
    """One learning; `decided` is what the staging area says of it."""
    content = found.get("content") if isinstance(found, dict) else None
    if not isinstance(content, dict):
        yield Skipped(place, "a learning without its content")
        return
    read = _Fields(found)
    if not read.text:
        yield Skipped(place, "a learning that says nothing")
        return
    if len(read.text.encode("utf-8", "replace")) > MAX_TEXT_BYTES:
        yield Skipped(place, f"a text of {len(read.text):,} characters; at most {MAX_TEXT_BYTES:,} bytes are kept")
        return
    yield from (Skipped(place, why, field) for field, why in read.faults)
    at = {"state": "provisional", "created_at": read.made, "updated_at": read.changed, **decided}
    alias = at.pop("alias", _text(found.get("id")))
    extra = {**at.pop("extra", {}), **found}
    yield Row(
        Memory(
            id="", project="", text=read.text, kind=read.type, task_type=read.task,
            paths=read.examples, source=NAME, extra=extra, **at,
        ),
        alias=alias,
        openings=(
            *([Opening("seen", len(read.loops), read.changed)] if read.loops else []),
            Opening("confidence", read.confidence, read.changed),
            Opening("success_rate", read.success, read.changed),
            *([Opening("uses", read.uses, read.changed)] if read.uses else []),
        ),
        place=place,
    )  # fmt: skip


def _staged(found: Any, place: str) -> Iterator[Row | Skipped]:
    learning = found.get("learning") if isinstance(found, dict) else None
    if not isinstance(learning, dict):
        yield Skipped(place, "a staged record without its learning")
        return
    status, at = _text(found.get("status")), _text(found.get("stagedAt"))
    stage = {name: each for name, each in found.items() if name != "learning"}
    decided: Record = {"state": "candidate", "gate": "hold", "gate_reason": PENDING}
    if status == "validated":
        decided["gate_reason"] = VALIDATED
    elif status == "rejected":
        why = _text(found.get("rejectionReason")) or "rejected"
        decided = {"state": "rejected", "gate": "discard", "gate_reason": why, "closed_by": "evidence"}
    times = {"created_at": at, "updated_at": _text(found.get("validatedAt")) or at}
    yield from _learning(
        learning, place, {**decided, **times, "alias": _text(found.get("id")), "extra": {"stage": stage}}
    )


class _Fields:
    """A learning's fields as we understand them, and what was wrong with them."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self.found = found
        self.faults: list[tuple[str, str]] = []
        content = found.get("content")
        self.content: Record = content if isinstance(content, dict) else {}
        self.type = _text(found.get("type")) or "strategy"
        self.task = _text(found.get("taskType")) or "general"
        self.confidence = self._share("confidence", DEFAULT_CONFIDENCE)
        self.success = self._share("successRate", 0.0)
        self.uses = self._whole("useCount")
        self.loops = _texts(found.get("sourceLoops"))
        self.made = self._time("createdAt")
        self.changed = self._time("updatedAt") or self.made
        self.examples = tuple(_texts(self.content.get("examples")))
        self.text = text_of(self.content, self.task)

    def _share(self, name: str, otherwise: float) -> float:
        at = self.found.get(name)
        if at is None:
            return otherwise
        number = _number(at)
        if number is None and isinstance(at, str):
            try:
                number = _number(float(at))
            except ValueError:
                number = None
            if number is not None:
                self.faults.append((name, f"{name} is the text {at!r}: read as a number"))
        if number is None or not 0 <= number <= 1:
            self.faults.append((name, f"{name} is not between 0 and 1: taken as {otherwise:g}"))
            return otherwise
        return number

    def _whole(self, name: str) -> int:
        at = self.found.get(name)
        number = _count(at)
        if number is None and at is not None:
            self.faults.append((name, f"{name} is not a count: taken as 0"))
        return number or 0

    def _time(self, name: str) -> str:
        text = _text(self.found.get(name))
        if text and not seconds(text):
            self.faults.append((name, f"{name} is not a time"))
        return text if seconds(text) else ""


def text_of(content: Mapping[str, Any], task: str) -> str:
    """A learning in one sentence: what it describes, the habit it names, or what such tasks take."""
    said = _text(content.get("description")) or _text(content.get("pattern"))
    if said:
        return said
    rounds, time = _number(content.get("totalIterations")), _number(content.get("avgIterationTime"))
    if rounds is None and time is None:
        return ""
    kind = f"Tasks of {_text(content.get('complexity')) or 'unknown'} complexity"
    told = [f"~{rounds:g} iterations"] if rounds is not None else []
    told += [f"~{int(time / 1000 + 0.5)}s per iteration"] if time is not None else []
    return f"{kind}: {', '.join(told)}"


# --- memories out


def dump(items: Iterable[Item], part: str = "learnings", now: str = "") -> str:
    """The knowledge base, or the staging area, as Ralph writes it, with its checksum."""
    every = list(items)
    header = next((each for each in every if isinstance(each, Header) and each.part == part), Header(part, {}))
    rows = [each for each in every if isinstance(each, Row)]
    if part == "staging":
        name, listed = "staged", [staged_of(each, number, now) for number, each in enumerate(_in_staging(rows))]
    else:
        name, listed = "learnings", [learning_of(each) for each in rows if _is_stored(each.memory)]
    if part == "csv":
        return _csv(listed)
    came = dict(header.record or {})
    updated = max(_text(came.get("lastUpdated")), header.changed) or now
    store: Record = {"version": came.pop("version", VERSION), "checksum": checksum(listed), "lastUpdated": updated}
    store |= {key: at for key, at in came.items() if key not in store}
    store[name] = listed
    if part == "learnings":
        store["stats"] = _stats(listed)
    return js_json(store, 2)


def _csv(learnings: list[Record]) -> str:
    """Ralph's seven columns for analysis; a cell that a spreadsheet would run is marked as text."""
    from csv import writer
    from io import StringIO

    out = StringIO()
    table = writer(out, lineterminator="\n")
    table.writerow(CSV)
    for each in learnings:
        cells = [str(js_json(each.get(name), 0)) if isinstance(each.get(name), float) else str(each.get(name, "")) for name in CSV]
        table.writerow([f"'{cell}" if cell[:1] in "=+-@\t\r" and not _is_figure(cell) else cell for cell in cells])
    return out.getvalue()


def _is_figure(cell: str) -> bool:
    return cell.replace(".", "", 1).removeprefix("-").isdigit()


def learning_of(row: Row) -> Record:
    """A memory as Ralph stores it: the record it came as, with what changed since; or a new one."""
    memory, counts = row.memory, {each.signal: each for each in row.openings}
    came = _record(memory)
    read = _Fields(came or {})
    content = dict(_content(memory))
    uses = counts.get("uses", Opening("uses", 0))
    changed = _last([memory.updated_at, uses.at, *[each.at for each in row.openings if each.signal != "uses"]])
    now: Record = {
        "id": row.alias,
        "type": memory.kind if memory.kind in TYPES else _TYPE_OF.get(memory.klass, "strategy"),
        "taskType": memory.task_type or "general",
        "content": _worded(content, memory.text, read.text if came else text_of(content, memory.task_type)),
        "confidence": counts["confidence"].amount if "confidence" in counts else DEFAULT_CONFIDENCE,
        "sourceLoops": _loops(row, list(read.loops)),
        "createdAt": read.made or memory.created_at,
        "updatedAt": changed,
        "useCount": int(uses.amount),
        "successRate": counts["success_rate"].amount if "success_rate" in counts else 0.0,
    }
    if came is None:
        return now
    same = {
        "type": read.type not in TYPES or read.type == now["type"],
        "taskType": read.task == now["taskType"],
        "content": now["content"] == came.get("content"),
        "confidence": read.confidence == now["confidence"],
        "sourceLoops": list(read.loops) == now["sourceLoops"],
        "updatedAt": read.changed == changed,
        "useCount": read.uses == now["useCount"],
        "successRate": read.success == now["successRate"],
    }
    kept = {name: at for name, at in came.items() if name not in _OURS}
    if _text(kept.get("id")) != row.alias:
        kept = {"id": row.alias, **kept, **({"id": row.alias} if "id" in kept else {})}
    return {**kept, **{name: now[name] for name, is_same in same.items() if not is_same}}


def staged_of(row: Row, number: int, now: str) -> Record:
    """A memory in the staging area."""
    memory = row.memory
    stage = dict((memory.extra or {}).get("stage") or {})
    status = staging_status(memory)
    full = learning_of(row)
    names = ("type", "taskType", "content", "confidence", "sourceLoops", "successRate")
    learning = {name: full[name] for name in names if name in full}
    learning |= {name: at for name, at in full.items() if name in (_record(memory) or {}) and name not in learning}
    at = _text(stage.get("stagedAt")) or memory.created_at or now
    told: Record = {
        "id": _text(stage.get("id")) or _stage_id(row, at, number),
        "learning": learning,
        "status": status,
        "stagedAt": at,
    }
    if status == "validated":
        told["validatedAt"] = _text(stage.get("validatedAt")) or memory.updated_at
    elif status == "rejected":
        told["rejectionReason"] = memory.gate_reason
    return told


def name_for(memory: Memory, taken: Collection[str]) -> str:
    """learn- and eight hexadecimal digits, as Ralph names a learning; from the memory's own id, so that it stays the same."""
    for salt in range(1000):
        name = "learn-" + sha256(f"{memory.id}{salt or ''}".encode()).hexdigest()[:8]
        if name not in taken:
            return name
    return "learn-" + short_hash(memory.id)


_TYPE_OF = {"pitfall": "antipattern", "estimate": "estimate", "fact": "convention", "rule": "convention"}
_OURS = ("stage", "success_rate")  # what we keep beside a record


def _record(memory: Memory) -> Record | None:
    extra = memory.extra or {}
    return dict(extra) if isinstance(extra.get("content"), dict) and "taskType" in extra else None


def _content(memory: Memory) -> Mapping[str, Any]:
    content = (memory.extra or {}).get("content")
    return content if isinstance(content, dict) else {}


def _worded(content: Record, text: str, was: str) -> Record:
    """A learning's content, with its text where somebody corrected it."""
    name = "pattern" if "pattern" in content else "description"
    if not content or (text != was and ("pattern" in content or "description" in content)):
        return {**content, name: text}
    return content


def _loops(row: Row, came: list[str]) -> list[str]:
    """The loops it came from. An anti-pattern names none until a second loop has met it: so its document has it."""
    every = list(dict.fromkeys([*came, *row.runs]))
    if row.memory.kind == "antipattern" and not came and len(every) < 2:
        return []
    return every


def _is_stored(memory: Memory) -> bool:
    return memory.state in STORED


def _in_staging(rows: Iterable[Row]) -> list[Row]:
    """What waits for a person, and what was refused; in the order of writing."""
    return sorted((row for row in rows if staging_status(row.memory)), key=lambda row: int(row.place or 0))


def _stage_id(row: Row, at: str, number: int) -> str:
    return f"stage-{int(seconds(at) * 1000 + 0.5)}-{row.order if row.order >= 0 else number}"


def _stats(learnings: list[Record]) -> Record:
    by_type, by_task = dict.fromkeys(TYPES, 0), dict[str, int]()
    for each in learnings:
        by_type[each["type"]] = by_type.get(each["type"], 0) + 1
        by_task[each["taskType"]] = by_task.get(each["taskType"], 0) + 1
    return {"totalLearnings": len(learnings), "byType": by_type, "byTaskType": by_task}


def _last(times: Iterable[str]) -> str:
    return max((at for at in times if at), key=seconds, default="")


# --- JavaScript's JSON


def checksum(rows: object) -> str:
    """SHA-256 over the compact JSON of the learnings, as Node writes it."""
    return sha256(js_json(rows).encode("utf-8")).hexdigest()


def js_json(at: object, indent: int = 0, depth: int = 0) -> str:
    """JSON as `JSON.stringify(value, null, indent)` writes it: number forms, key order and escapes of JavaScript."""
    if at is None or isinstance(at, bool):
        return {None: "null", True: "true", False: "false"}[at]
    if isinstance(at, str):
        return _js_text(at)
    if isinstance(at, (int, float)):
        return _js_number(at)
    gap = "\n" + " " * indent * (depth + 1) if indent else ""
    end = "\n" + " " * indent * depth if indent else ""
    if isinstance(at, dict):
        colon = ": " if indent else ":"
        parts = [_js_text(str(key)) + colon + js_json(at[key], indent, depth + 1) for key in _js_keys(at)]
        return "{" + gap + ("," + gap).join(parts) + end + "}" if parts else "{}"
    listed = [js_json(each, indent, depth + 1) for each in at]  # type: ignore[attr-defined]
    return "[" + gap + ("," + gap).join(listed) + end + "]" if listed else "[]"


def _js_keys(at: Mapping[Any, Any]) -> list[Any]:
    """Keys that are array indices come first, in rising order; the others as they were written."""
    index = [key for key in at if key.isascii() and key.isdigit() and str(int(key)) == key and int(key) < 2**32 - 1]
    return sorted(index, key=int) + [key for key in at if key not in set(index)] if index else list(at)


def _js_text(text: str) -> str:
    written = json.dumps(text, ensure_ascii=False)
    if written.isascii() or not any("\ud800" <= c <= "\udfff" for c in written):
        return written
    return "".join(f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in written)


def _js_number(at: float) -> str:
    """ECMAScript's Number::toString: as few digits as tell the number apart, exponents from 1e21 and below 1e-6."""
    number = float(at)
    if not math.isfinite(number):
        return "null"
    if number == 0:
        return "0"
    digits, _, power = f"{abs(number):.17e}".partition("e")
    for places in range(17):
        short, _, power = f"{abs(number):.{places}e}".partition("e")
        if float(f"{short}e{power}") == abs(number):
            digits = short
            break
    digits = digits.replace(".", "").rstrip("0") or "0"
    point, sign = int(power) + 1, "-" if number < 0 else ""
    size = len(digits)
    if size <= point <= 21:
        return sign + digits + "0" * (point - size)
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    exponent = point - 1
    tail = f"e{'+' if exponent > 0 else '-'}{abs(exponent)}"
    return f"{sign}{digits}{tail}" if size == 1 else f"{sign}{digits[0]}.{digits[1:]}{tail}"


# --- fields


def _text(at: object) -> str:
    return at.strip() if isinstance(at, str) else ""


def _texts(at: object) -> list[str]:
    return [each for each in at if isinstance(each, str) and each.strip()] if isinstance(at, list) else []


def _number(at: object) -> float | None:
    good = isinstance(at, (int, float)) and not isinstance(at, bool) and math.isfinite(at)
    return at if good else None  # type: ignore[return-value]


def _count(at: object) -> int | None:
    number = _number(at)
    return int(number) if number is not None and 0 <= number < 2**48 else None
