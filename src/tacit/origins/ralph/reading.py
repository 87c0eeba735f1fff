"""Read what Ralph writes: its loop and iterations, its learnings with their checksum, its staging area."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tacit.core.clock import seconds
from tacit.core.errors import Damaged
from tacit.core.exchange import Given, Header, Note, Opening, OriginVerdict, Row, Skipped
from tacit.core.proposal import STAGED_BY_HAND, VALIDATED
from tacit.core.run import Reading, Run, Step
from tacit.core.states import ACTIVE, DOUBTED, GONE, WAITING
from tacit.hosts.source import BytesSource, Source
from tacit.lesson import MAX_TEXT_BYTES, Lesson
from tacit.origins.ralph.their_json import checksum

if TYPE_CHECKING:
    Record = dict[str, Any]
    Item = Row | Given | OriginVerdict | Header | Note | Skipped

NAME = "ralph"
WRITES_IN = ".aiwg"  # from the top of a repository: where its own program writes its runs
# two machines may give one id to two learnings; with the same words it is the same one, and renewed
LASTING_IDS = False
PARTS = {
    "learnings": "ralph-learnings.json",
    "staging": "staging.json",
    "csv": "ralph-learnings.csv",
}
ON_REQUEST = ("csv",)  # not among the files of its folder
CSV = ("id", "type", "taskType", "confidence", "successRate", "useCount", "createdAt")
VERSION = "1.0.0"
LEARNING_TYPES = ("strategy", "antipattern", "estimate", "convention")
STORED = (ACTIVE, DOUBTED)  # what is in the knowledge base
DEFAULT_CONFIDENCE = 0.5  # of a learning that states none
_OUTCOMES = {
    **dict.fromkeys(("completed", "success"), "success"),
    **dict.fromkeys(("failed", "limit_reached", "crashed"), "failure"),
    **dict.fromkeys(("aborted", "cancelled"), "aborted"),
}
RUNNING = ("running", "paused", "pending", "in_progress", "")
FILE_LIMIT = 64 * 1024 * 1024


def detect(source: Source) -> float:
    """How sure we are that this is a loop's state, or one of its iterations."""
    head = source.head().lstrip()
    if not head.startswith(b"{"):
        return 0.0
    loop = (b'"iterations"', b'"currentIteration"', b'"objective"')
    if b'"loopId"' in head and any(part in head for part in loop):
        return 0.9
    parts = (b'"number"', b'"status"', b'"duration"', b'"filesModified"', b'"learnings"')
    is_round = source.name.startswith("iteration") and sum(part in head for part in parts) >= 3
    return 0.6 if is_round else 0.0


def read(source: Source) -> Iterator[Run]:
    """The loop in a state file; nothing in an iteration's own file, which is read with its loop."""
    found, why = _document(source)
    if found is None:
        yield Run(source.stem, NAME, path=source.path, reading=Reading(1, 1, warnings=(why,)))
        return
    if "loopId" not in found:
        return
    notes: list[str] = []
    rounds = [
        _iteration(each, number, notes)
        for number, each in enumerate(_rounds(found, source, notes), 1)
    ]
    known = [each for each in rounds if each is not None]
    status, total = text_in(found.get("status")).lower(), _count(found.get("currentIteration"))
    extra = {"iterations": known, "total": len(known) if total is None else total}
    if status and status in RUNNING:
        extra["open"] = True
        notes.append(f"the loop is {status}: what its iterations teach is learned when it is over")
    ended = (text_in(found.get(name)) for name in ("completedAt", "endTime", "updatedAt"))
    yield Run(
        id=text_in(found["loopId"]) or source.stem,
        host=NAME,
        steps=tuple(_step(each) for each in known),
        task=text_in(found.get("objective")),
        objective=text_in(found.get("objective")),
        task_type=text_in(found.get("taskType")),
        outcome=_OUTCOMES.get(status, "unknown"),
        complete=status not in RUNNING,
        files=tuple(dict.fromkeys(file for each in known for file in each["files"])),
        started_at=text_in(found.get("startedAt")) or text_in(found.get("startTime")),
        ended_at=next(filter(None, ended), ""),
        path=source.path,
        reading=Reading(1, len(rounds) - len(known), warnings=tuple(notes[:20])),
        extra=extra,
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
        "status": text_in(found.get("status")).lower(),
        "duration": max(0.0, duration or 0.0),
        "progress": at.get("progressMade") is True,
        "errors": _texts(at.get("errors")),
        "learnings": _texts(found.get("learnings")),
        "files": _texts(found.get("filesModified")),
    }


def _step(each: Record) -> Step:
    place, files = f"iteration:{each['number']}", tuple(each["files"])
    if each["status"] not in ("failed", "crashed"):
        return Step("assistant", place, text=" ".join(each["learnings"]), files=files)
    error = "; ".join(each["errors"]) or each["status"]
    return Step("tool", place, tool="iteration", error=error, files=files)


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
        yield Note(
            f"{source.path} does not verify ({fault}): taken from its backup; both files are as they were"
        )
        store = {**spare, "lastUpdated": ""}
    rows = "staged" if "staged" in store else "learnings"
    read = _staged if rows == "staged" else _learning
    apart = ("learnings", "staged", "checksum", "stats")
    kept = {name: at for name, at in store.items() if name not in apart}
    yield Header("staging" if rows == "staged" else "learnings", kept)
    for number, found in enumerate(store[rows]):
        yield from read(found, f"{rows}:{number}")


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


def _learning(found: Any, place: str, **decided: Any) -> Iterator[Row | Skipped]:
    """One learning; `decided` is what the staging area says of it."""
    content = found.get("content") if isinstance(found, dict) else None
    read = Fields(found if isinstance(found, dict) else {})
    size, fault = len(read.text.encode("utf-8", "replace")), ""
    if not isinstance(content, dict):
        fault = "a learning without its content"
    elif not read.text:
        fault = "a learning that says nothing"
    elif size > MAX_TEXT_BYTES:
        fault = (
            f"a text of {len(read.text):,} characters; at most {MAX_TEXT_BYTES:,} bytes are kept"
        )
    if fault:
        yield Skipped(place, fault)
        return
    yield from (Skipped(place, why, field) for field, why in read.faults)
    alias = decided.pop("alias", text_in(found.get("id")))
    extra = {**decided.pop("extra", {}), **found}
    at = {"state": ACTIVE, "created_at": read.made, "updated_at": read.changed, **decided}
    figures = (
        ("seen", len(read.loops)),
        ("confidence", read.confidence),
        ("success_rate", read.success),
        ("uses", read.uses),
    )
    yield Row(
        Lesson(
            id="",
            project="",
            text=read.text,
            kind=read.type,
            task_type=read.task,
            paths=read.examples,
            source=NAME,
            extra=extra,
            **at,
        ),
        alias=alias,
        openings=tuple(
            Opening(name, amount, read.changed)
            for name, amount in figures
            if amount or name in ("confidence", "success_rate")
        ),
        place=place,
    )


def _staged(found: Any, place: str) -> Iterator[Row | Skipped]:
    learning = found.get("learning") if isinstance(found, dict) else None
    if not isinstance(learning, dict):
        yield Skipped(place, "a staged record without its learning")
        return
    status, at = text_in(found.get("status")), text_in(found.get("stagedAt"))
    stage = {name: each for name, each in found.items() if name != "learning"}
    decided: Record = {"state": WAITING, "gate": "hold", "gate_reason": STAGED_BY_HAND}
    if status == "validated":
        decided["gate_reason"] = VALIDATED
    elif status == "rejected":
        why = text_in(found.get("rejectionReason")) or "rejected"
        decided = {"state": GONE, "gate": "discard", "gate_reason": why, "closed_by": "evidence"}
    decided |= {"created_at": at, "updated_at": text_in(found.get("validatedAt")) or at}
    alias = text_in(found.get("id"))
    yield from _learning(learning, place, **decided, alias=alias, extra={"staged": stage})


class Fields:
    """A learning's fields as we understand them, and what was wrong with them."""

    def __init__(self, found: Mapping[str, Any]) -> None:
        self.found = found
        self.faults: list[tuple[str, str]] = []
        content = found.get("content")
        self.content: Record = content if isinstance(content, dict) else {}
        self.type = text_in(found.get("type")) or "strategy"
        self.task = text_in(found.get("taskType")) or "general"
        self.confidence = self._share("confidence", DEFAULT_CONFIDENCE)
        self.success = self._share("successRate", 0.0)
        self.uses = self._whole("useCount")
        self.loops = _texts(found.get("sourceLoops"))
        self.made = self._time("createdAt")
        self.changed = self._time("updatedAt") or self.made
        self.examples = tuple(_texts(self.content.get("examples")))
        self.text = learning_text(self.content, self.task)

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
        text = text_in(self.found.get(name))
        if text and not seconds(text):
            self.faults.append((name, f"{name} is not a time"))
        return text if seconds(text) else ""


def learning_text(content: Mapping[str, Any], task: str) -> str:
    """A learning in one sentence: what it describes, the habit it names, or what such tasks take."""
    said = text_in(content.get("description")) or text_in(content.get("pattern"))
    if said:
        return said
    rounds, time = _number(content.get("totalIterations")), _number(content.get("avgIterationTime"))
    if rounds is None and time is None:
        return ""
    kind = f"Tasks of {text_in(content.get('complexity')) or 'unknown'} complexity"
    told = [f"~{rounds:g} iterations"] if rounds is not None else []
    told += [f"~{int(time / 1000 + 0.5)}s per iteration"] if time is not None else []
    return f"{kind}: {', '.join(told)}"


def text_in(at: object) -> str:
    return at.strip() if isinstance(at, str) else ""


def _texts(at: object) -> list[str]:
    return (
        [each for each in at if isinstance(each, str) and each.strip()]
        if isinstance(at, list)
        else []
    )


def _number(at: object) -> float | None:
    good = isinstance(at, (int, float)) and not isinstance(at, bool) and math.isfinite(at)
    return at if good else None  # type: ignore[return-value]


def _count(at: object) -> int | None:
    number = _number(at)
    return int(number) if number is not None and 0 <= number < 2**48 else None
