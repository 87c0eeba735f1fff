"""Ralph, the loop of AIWG, honoured to the digit: its vectors, driven through `Memories` with its profile."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tacit
from tacit.app import Memories
from tacit.core import clock
from tacit.core.errors import Damaged, NotFound
from tacit.core.memory import Memory
from tacit.core.run import Finding
from tacit.formats import ralph
from tacit.formats.source import BytesSource
from tacit.learn.gate import GateRules, validation_gate

SYSTEM = "aiwg"
DIRECT = {
    "checksum": "its arrays are no learnings, so that no store could hold them",
    "validate": "what fails cannot come from a run; the gate's own function judges it",
}


@pytest.fixture
def loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Loop:
    return Loop(tmp_path, monkeypatch)


class Loop:
    """An `.aiwg` folder and the memories that stand in for Ralph's classes."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = tmp_path / "work"
        self.knowledge = self.folder / ".aiwg" / "knowledge"
        self.knowledge.mkdir(parents=True)
        self.monkeypatch = monkeypatch
        self.memories: Memories = tacit.open(str(tmp_path / "tacit.db"), profile="ralph", cwd=str(self.folder))
        self.known: set[str] = set()

    def at(self, now: str | None) -> None:
        """Stop the clock."""
        if now:
            self.monkeypatch.setattr(clock, "now", lambda: clock.stamp(clock.seconds(now)))

    def bring(self, learnings: list[Any]) -> None:
        """A knowledge base as Ralph would have written it now."""
        self.known |= {each["id"] for each in learnings if "id" in each}
        store = {
            "version": "1.0.0",
            "checksum": ralph.checksum(learnings),
            "lastUpdated": clock.now(),
            "learnings": learnings,
        }
        path = self.knowledge / "ralph-learnings.json"
        path.write_text(json.dumps(store), encoding="utf-8")
        self.memories.import_(str(path), trust="user")

    def learn(self, state: dict[str, Any], **options: Any) -> Any:
        [learned] = self.memories.learn(BytesSource(json.dumps(state).encode(), "state.json"), **options)
        return learned

    def exported(self, part: str = "learnings") -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.memories.export("ralph", part))
        name = "staged" if part == "staging" else "learnings"
        found[name] = [each for each in found[name] if not _is_third(each.get("learning", each))]
        return found

    def learning(self, memory: Memory) -> dict[str, Any]:
        """One memory as Ralph would return it."""
        every = {each["id"]: each for each in json.loads(self.memories.export("ralph"))["learnings"]}
        names = [alias for namespace, alias in self.memories.store.alias_of(memory.id) if namespace == "ralph"]
        return dict(every[names[0]])

    def alias(self, memory: Memory) -> str:
        return next(alias for namespace, alias in self.memories.store.alias_of(memory.id) if namespace == "ralph")

    def numbered(self, at: Any) -> Any:
        """New ids as the vectors have them: learn-#1, learn-#2 … in the order of appearance."""
        text = json.dumps(at, ensure_ascii=False)
        new = [id for id in dict.fromkeys(re.findall(r"learn-[0-9a-f]{8}", text)) if id not in self.known]
        for number, id in enumerate(new, 1):
            text = text.replace(id, f"learn-#{number}")
        return json.loads(text)


def _is_third(learning: dict[str, Any]) -> bool:
    """The documented third convention, which the original does not have: the vectors allow it beside those they show."""
    return learning["type"] == "convention" and learning["confidence"] == 0.6


def _iteration(**fields: Any) -> dict[str, Any]:
    return {"number": 1, "status": "completed", "duration": 1000, "analysis": {"progressMade": True}, **fields}


def detect_task_type(loop: Loop, given: Any, wanted: Any) -> str:
    state = {"loopId": "r", "objective": given["objective"], "status": "completed", "iterations": [_iteration()] * 5}
    loop.learn(state)
    return str(loop.exported()["learnings"][0]["taskType"])


def normalize_approach(loop: Loop, given: Any, wanted: Any) -> str | None:
    loop.learn(
        {"loopId": "r", "objective": "", "status": "completed", "iterations": [_iteration(learnings=[given["text"]])]}
    )
    found = [each for each in loop.exported()["learnings"] if each["type"] == "strategy"]
    return str(found[0]["content"]["description"]) if found else None


def categorize_error(loop: Loop, given: Any, wanted: Any) -> str | None:
    failed = _iteration(status="failed", analysis={"progressMade": False, "errors": [given["error"]]})
    loop.learn({"loopId": "r", "objective": "", "status": "failed", "iterations": [failed, failed]})
    found = loop.exported()["learnings"]
    return str(found[0]["content"]["description"]).removeprefix("Avoid: ") if found else None


def extract_from_loop(loop: Loop, given: Any, wanted: Any) -> list[Any]:
    loop.learn(given["loop"], stage=True)
    return [each["learning"] for each in loop.exported("staging")["staged"]]


def validate(loop: Loop, given: Any, wanted: Any) -> dict[str, Any]:
    at, profile = given["learning"], loop.memories.profile
    said = Finding(
        "r", "p", str(at.get("content", {}) or ""), kind=at.get("type", ""), task_type=at.get("taskType", ""), tier="observed",
        confidence=at.get("confidence"), extra={"success_rate": at.get("successRate")},
    )  # fmt: skip
    shared = {name: profile.gate.__dict__[name] for name in GateRules.FIELDS if name in profile.gate.__dict__}  # type: ignore[attr-defined]
    decision = validation_gate(said, GateRules(**{**shared, "kinds": tuple(profile.kinds)}))
    return {"valid": True} if decision.outcome == "allow" else {"valid": False, "reason": decision.reason}


def process_pipeline(loop: Loop, given: Any, wanted: Any) -> dict[str, Any]:
    loop.at(given["now"])
    results = []
    for state in given["loops"]:
        before = _thirds(loop)
        if given["options"].get("clearAfter", True):
            learned = loop.learn(state)
            third = _thirds(loop) - before
            good = learned.findings - learned.rejected - third
            results.append(_counts(learned.findings - third, good, learned.rejected, good))
        else:
            learned = loop.learn(state, stage=True)
            good, bad = loop.memories.staging.validate()
            promoted, skipped = loop.memories.staging.promote(auto_validate=False, clear_after=False)
            results.append({**_counts(learned.findings, good, bad, promoted), "skipped": skipped})
    return loop.numbered({"results": results, "staging": _plain(loop, "staging"), "store": _plain(loop, "learnings")})


def _thirds(loop: Loop) -> int:
    return sum(_is_third(each) for each in json.loads(loop.memories.export("ralph"))["learnings"])


def _counts(extracted: int, validated: int, rejected: int, promoted: int) -> dict[str, int]:
    return {"extracted": extracted, "validated": validated, "rejected": rejected, "promoted": promoted, "skipped": 0}


def _plain(loop: Loop, part: str) -> dict[str, Any]:
    """A file without its checksum, and with the figures of what is shown."""
    found = loop.exported(part)
    del found["checksum"]
    if part == "learnings":
        found["stats"] = ralph._stats(found["learnings"])
    return found


def staging(loop: Loop, given: Any, wanted: Any) -> dict[str, Any]:
    loop.at(given["now"])
    results = [STEPS[step[0]](loop, *step[1:]) for step in given["steps"]]
    return loop.numbered({"results": results, "staging": _plain(loop, "staging"), "store": _plain(loop, "learnings")})


def _stage(loop: Loop, state: dict[str, Any]) -> dict[str, int]:
    learned = loop.learn(state, stage=True)
    _drop_thirds(loop)
    shown = len(loop.exported("staging")["staged"])
    return {"extracted": shown, "staged": shown} if learned.findings else {"extracted": 0, "staged": 0}


def _drop_thirds(loop: Loop) -> None:
    for memory in loop.memories.staging.listed():
        if memory.kind == "convention" and memory.tally.confidence == 0.6:
            loop.memories.forget(memory.id)


def _promote(loop: Loop, options: dict[str, bool]) -> dict[str, int]:
    promoted, skipped = loop.memories.staging.promote(
        auto_validate=options.get("autoValidate", True), clear_after=options.get("clearAfter", True)
    )
    return {"promoted": promoted, "skipped": skipped}


STEPS: dict[str, Callable[..., Any]] = {
    "extract": _stage,
    "getStagingStats": lambda loop: dict(loop.memories.staging.stats().__dict__),
    "validateStaged": lambda loop: dict(zip(("validated", "rejected"), loop.memories.staging.validate())),
    "promote": _promote,
    "clearStaging": lambda loop: loop.memories.staging.clear() and None,
    "store": lambda loop, *args: _store(loop, *args),
    "retrieve": lambda loop, id: _found(loop, lambda: loop.learning(loop.memories.get(id, use=True))),
    "update": lambda loop, id, fields: _update(loop, id, fields),
    "delete": lambda loop, id: _found(loop, lambda: bool(loop.memories.forget(id)), False),
    "getStats": lambda loop: _get_stats(loop),
    "verify": lambda loop: _verify(loop),
}


def memory_operations(loop: Loop, given: Any, wanted: Any) -> dict[str, Any]:
    loop.at(given["now"])
    loop.bring(given["store"])
    results = [STEPS[step[0]](loop, *step[1:]) for step in given["steps"]]
    return loop.numbered({"results": results, "store": _plain(loop, "learnings")})


def _store(loop: Loop, kind: str, task: str, content: dict[str, Any], told: dict[str, Any] | None = None) -> Any:
    at = clock.now()
    told = told or {}
    learning = {
        "type": kind, "taskType": task, "content": content, "confidence": told.get("confidence", 0.5),
        "sourceLoops": told.get("sourceLoops", []), "createdAt": at, "updatedAt": at, "useCount": 0,
        "successRate": told.get("successRate", 0),
    }  # fmt: skip
    store = {"version": "1.0.0", "checksum": ralph.checksum([learning]), "lastUpdated": at, "learnings": [learning]}
    [report] = loop.memories.import_(BytesSource(json.dumps(store).encode()), trust="user")
    return json.loads(loop.memories.export("ralph"))["learnings"][-1] if report.kept else None


def _update(loop: Loop, id: str, fields: dict[str, Any]) -> Any:
    """Only figures can be stated anew; id, time of birth and sources are not up for it."""
    names = {"confidence": "confidence", "successRate": "success_rate"}
    memory = loop.memories.figures(id, **{names[name]: fields[name] for name in fields if name in names})
    return loop.learning(memory)


def _found(loop: Loop, call: Callable[[], Any], otherwise: Any = None) -> Any:
    try:
        return call()
    except NotFound:
        return otherwise


def _get_stats(loop: Loop) -> dict[str, Any]:
    found = loop.memories.knowledge.statistics()
    return {
        "totalLearnings": found.total,
        "byType": dict(found.by_kind),
        "byTaskType": dict(found.by_task),
        "totalSize": found.total,
        "lastUpdated": loop.exported()["lastUpdated"],
        "averageConfidence": found.confidence,
        "averageSuccessRate": found.success,
        "mostUsedLearning": loop.learning(found.most_used) if found.most_used else {"useCount": 0},
    }


def _verify(loop: Loop) -> dict[str, Any]:
    fault = loop.memories.verify(BytesSource(loop.memories.export("ralph").encode(), "ralph-learnings.json"))
    return {"valid": False, "error": fault} if fault else {"valid": True}


def query(loop: Loop, given: Any, wanted: Any) -> list[str]:
    loop.bring(given["store"])
    at = given["pattern"]
    found = loop.memories.knowledge.query(
        kind=at.get("type", ""), task_type=at.get("taskType", ""), min_confidence=at.get("minConfidence", 0.0),
        min_success=at.get("minSuccessRate", 0.0), limit=at.get("limit"),
    )  # fmt: skip
    return [loop.alias(each) for each in found]


def relevance(loop: Loop, given: Any, wanted: Any) -> float:
    loop.at(given["now"])
    loop.bring([given["learning"]])
    at = given["context"]
    return loop.memories.top(at["objective"], task_type=at.get("taskType", ""), limit=1)[0][1]


def top_learnings(loop: Loop, given: Any, wanted: Any) -> list[dict[str, Any]]:
    loop.at(given["now"])
    loop.bring(given["store"])
    at = given["context"]
    found = loop.memories.top(at["objective"], task_type=at.get("taskType", ""), limit=given["limit"] or 10)
    return [{"id": loop.alias(memory), "relevance": score} for memory, score in found]


def relevant_knowledge(loop: Loop, given: Any, wanted: Any) -> dict[str, Any]:
    loop.at(given["now"])
    loop.bring(given["store"])
    at = given["context"]
    errors, files, task_type = (tuple(at.get(name, ())) for name in ("errorPatterns", "filePatterns", "taskType"))
    told = loop.memories.inject(at["objective"], task_type="".join(task_type), errors=errors, files=files)
    memories = loop.memories.store.memories(told.injected)
    names = {
        "strategies": "strategy",
        "antipatterns": "antipattern",
        "estimates": "estimate",
        "conventions": "convention",
    }
    found: dict[str, Any] = {
        name: [loop.alias(memory) for memory in memories if memory.kind == kind] for name, kind in names.items()
    }
    if "antipattern_scores" in wanted:
        scored = loop.memories.antipatterns(errors, task=at["objective"], task_type="".join(task_type))
        found["antipattern_scores"] = [score for _, score in scored]
    return {**found, "summary": told.markdown}


def file_conventions(loop: Loop, given: Any, wanted: Any) -> list[str]:
    loop.bring(given["store"])
    return [loop.alias(each) for each in loop.memories.conventions(given["filePatterns"])]


def get_estimate(loop: Loop, given: Any, wanted: Any) -> Any:
    loop.bring(given["store"])
    found = loop.memories.estimate(given["taskType"], given["complexity"] or "")
    return loop.learning(found) if found else None


def format_summary(loop: Loop, given: Any, wanted: Any) -> str:
    kinds = {
        "strategies": "strategy",
        "antipatterns": "antipattern",
        "estimates": "estimate",
        "conventions": "convention",
    }
    learnings = [
        {
            "id": f"learn-{name}-{number}", "type": kind, "taskType": "general", "content": each["content"], "confidence": 0.9,
            "sourceLoops": [], "createdAt": clock.now(), "updatedAt": clock.now(), "useCount": 0, "successRate": 0.9,
        }
        for name, kind in kinds.items()
        for number, each in enumerate(given["knowledge"][name])
    ]  # fmt: skip
    loop.bring(learnings)
    return loop.memories.inject(task_type="general").markdown


def recovery(loop: Loop, given: Any, wanted: Any) -> dict[str, Any]:
    loop.at(given["now"])
    path = loop.knowledge / "ralph-learnings.json"
    for text, file in ((given["store_text"], path), (given["backup_text"], Path(f"{path}.bak"))):
        if text is not None:
            file.write_text(text, encoding="utf-8")
    before = {file.name: file.read_bytes() for file in loop.knowledge.iterdir()}
    try:
        if given["store_text"] is not None:
            loop.memories.import_(str(path), trust="user")
    except Damaged as error:
        assert loop.memories.list(archived=True) == [], "nothing is taken from a file that does not verify"
        return {"error": error.message, "verify": {"valid": False, "error": loop.memories.verify(str(path))}}
    finally:
        assert {file.name: file.read_bytes() for file in loop.knowledge.iterdir()} == before, (
            "no copy is ever written to"
        )
    return {"loaded": json.loads(loop.memories.export("ralph")), "verify": _verify(loop)}


DRIVERS: dict[str, Callable[[Loop, Any, Any], Any]] = {
    "detect_task_type": detect_task_type,
    "normalize_approach": normalize_approach,
    "categorize_error": categorize_error,
    "extract_from_loop": extract_from_loop,
    "validate": validate,
    "process_pipeline": process_pipeline,
    "staging": staging,
    "memory_operations": memory_operations,
    "query": query,
    "relevance": relevance,
    "top_learnings": top_learnings,
    "relevant_knowledge": relevant_knowledge,
    "file_conventions": file_conventions,
    "get_estimate": get_estimate,
    "format_summary": format_summary,
    "checksum": lambda loop, given, wanted: ralph.checksum(given["learnings"]),
    "recovery": recovery,
}


def test_vector(vector: Any, check: Any, loop: Loop) -> None:
    """What its program answered where it followed its document, this answers."""
    check(vector, lambda driver: driver(loop, vector.input, vector.output))
