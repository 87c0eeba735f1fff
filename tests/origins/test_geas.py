"""geas, by its vectors and by its document: states and roles, confidence, application logs, decay, retrieval, packets."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tacit
from tacit.app import Memories
from tacit.core import clock
from tacit.core.errors import NotFound, Refused
from tacit.core.exchange import Row
from tacit.core.memory import Memory, Tally
from tacit.formats import geas
from tacit.formats.source import BytesSource

from .conftest import Vector

SYSTEM = "geas"
DIRECT = {
    **dict.fromkeys(
        ("candidate_schema", "entry_schema", "application_log_schema", "review_schema", "index_schema", "packet_schema"),
        "whether a document is valid is asked before it is a memory",
    ),
}
ORCHESTRATOR = "orchestration_authority"


class Desk:
    """A project of geas's on a store of its own, and the people who sign there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.opened: list[Memories] = []

    def sit(self, name: str = "olga") -> Memories:
        """The memories, in somebody's name."""
        memories = tacit.open(str(self.folder / "geas.db"), profile="geas", cwd=str(self.folder), by=name, yes=True)
        self.opened.append(memories)
        return memories

    def write(self, document: dict[str, Any], trust: str = "user", path: str = "document.json") -> Any:
        """Import one document."""
        source = BytesSource(json.dumps(document, ensure_ascii=False).encode(), path)
        return self.sit().import_(source, format="geas", trust=trust)[0]

    def move(self, id: str, to: str) -> Any:
        """Ask for a move with everybody's approval, one head a role."""
        roles = ("person", *self.sit().profile.roles)
        for n, role in enumerate(roles):
            done = self.sit(f"person {n}").review(id, "approve", to=to, role=role)
            if not done.waits_for:
                return done
        raise AssertionError(f"{id} still waits for {done.waits_for}")

    def files(self) -> dict[str, Any]:
        """What geas would find in its folder."""
        return {path: json.loads(text) for path, text in self.sit().export_files("geas").items() if path.endswith(".json")}

    def close(self) -> None:
        for memories in self.opened:
            memories.close()


@pytest.fixture
def desk(folder: Path) -> Iterator[Desk]:
    desk = Desk(folder)
    yield desk
    desk.close()


def document(id: str = "mem-task-014-1", **fields: Any) -> dict[str, Any]:
    """A memory document, complete; a candidate where the state says so."""
    signals = {"evidence_count": 5, "reuse_count": 9, "successful_reuses": 9, "failed_reuses": 0, "contradiction_count": 0, "confidence": 0.9}  # fmt: skip
    signals.update(fields.pop("signals", {}))
    state = fields.get("state", "stable")
    made = {
        "meta": {
            "version": "1.0",
            "artifact_type": "memory_candidate" if state == "candidate" else "memory_entry",
            "artifact_id": id,
            "producer_type": ORCHESTRATOR,
            "created_at": "2026-04-06T08:15:00Z",
        },
        "memory_id": id,
        "memory_type": "failure_lesson",
        "state": state,
        "title": "Retry without backoff floods the queue",
        "summary": "Add exponential backoff before re-queueing.",
        "scope": "project",
        "evidence_refs": ["retro-task-014", "retro-task-019"],
        "signals": signals,
    }
    if state == "candidate":
        made |= {"candidate_reason": "Extracted", "source_artifacts": [".geas/missions/m-1/tasks/task-014/retrospective.json"]}
    else:
        made |= {"review_after": "2099-05-06T08:15:00Z", "supersedes": [], "superseded_by": None, "tags": ["queue"], "body": ["Twice under load."]}  # fmt: skip
    return {**made, **fields}


def log(task: str, effect: str = "positive", id: str = "mem-task-014-1") -> dict[str, Any]:
    return {
        "meta": {
            "version": "1.0",
            "artifact_type": "memory_application_log",
            "artifact_id": f"mal-{task}-{id}",
            "producer_type": ORCHESTRATOR,
            "created_at": "2026-04-20T08:15:00Z",
        },
        "memory_id": id,
        "task_id": task,
        "applied_by_type": "software_engineer",
        "usage_surface": "task_packet",
        "effect": effect,
        "notes": "Backoff added up front; task passed.",
        "followup_action": "none",
    }


# --- vectors ------------------------------------------------------------------------------------------------------------


def valid(given: dict[str, Any], desk: Desk) -> dict[str, Any]:
    return {"valid": not geas.faults(given["document"])}


def transition(given: dict[str, Any], desk: Desk) -> dict[str, Any]:
    """A memory in one state, rich in evidence and reuse, and everybody asked to let it go to another."""
    assert desk.write(document(state=given["from"])).kept
    for task in ("task-1", "task-2", "task-3"):
        desk.write(log(task))
    try:
        done = desk.move("mem-task-014-1", given["to"])
    except Refused:
        return {"allowed": False}
    assert (done.was, done.state) == (given["from"], given["to"])
    return {"allowed": True}


def lifecycle(given: dict[str, Any], desk: Desk) -> dict[str, Any]:
    """Writes are imports, promotions are reviews by the competent authority, files are what is exported."""
    results: list[dict[str, Any]] = []
    index: dict[str, dict[str, Any]] = {}
    logged: list[str] = []
    for op, *args in given["ops"]:
        if op in ("candidate-write", "entry-write"):
            results.append({"op": op, "rc": int(not desk.write(args[0]).kept)})
        elif op == "promote":
            results.append({"op": op, **_promote(desk, *args)})
        elif op == "index-update":
            action = "updated" if args[0]["memory_id"] in index else "added"
            index[args[0]["memory_id"]] = args[0]
            results.append({"op": op, "rc": 0, "action": action})
        else:
            task, memory, written = args
            desk.write(document(memory))  # a log speaks of a memory that is there
            logged.append(memory)
            results.append({"op": op, "rc": int(not desk.write(written).audits)})
    files = {} if not desk.opened else desk.files()
    files.pop("state/memory-index.json", None)  # always there, and always in step; the original forgot it
    if logged:
        files = {path: each for path, each in files.items() if "/logs/" in path}
    if index:
        files = {"state/memory-index.json": geas.index_of([_row(each) for each in index.values()], clock.now())}
    return {"results": results, "files": files}


def _promote(desk: Desk, id: str, to: str) -> dict[str, Any]:
    try:
        was = desk.sit().get(id).state
        desk.move(id, to)
    except (Refused, NotFound):
        return {"rc": 2}
    return {"rc": 0, "from": was, "to": to, "moved_from_candidates": was == "candidate"}


def _row(entry: dict[str, Any]) -> Row:
    """A memory that an index row could be about."""
    kept = Memory("m", "p", "x", kind=entry["memory_type"], state=entry["state"], tags=tuple(entry["tags"]), review_after=entry["review_after"], tally=Tally(confidence=entry["confidence"]))  # fmt: skip
    return Row(kept, entry["memory_id"])


DRIVERS: dict[str, Callable[[dict[str, Any], Desk], Any]] = {
    **dict.fromkeys((name for name in DIRECT), valid),
    "transitions": transition,
    "lifecycle": lifecycle,
}


def test_vector(vector: Vector, check: Callable[..., None], desk: Desk) -> None:
    """Every vector that follows the document holds."""
    vector.output = _pinned(vector)
    check(vector, lambda driver: driver(vector.input, desk))


def _pinned(vector: Vector) -> Any:
    """What a vector pins: the wording of a refusal names the original's own table, and the names of log files are free."""
    output = json.loads(json.dumps(vector.output))
    output.pop("error", None), output.pop("errors", None)
    for result in output.get("results", ()):
        result.pop("error", None)
    files = output.get("files", {})
    for path in [path for path in files if "/application-logs/" in path]:
        written = files.pop(path)
        files[f"memory/logs/{written['task_id']}-{written['memory_id']}.json"] = written
    return output
