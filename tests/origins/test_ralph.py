"""Ralph, the loop of AIWG, honoured to the digit: its vectors, driven through `Memories` with its profile."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests import verbs
from tests.verbs import Memories

from tacit.core import clock
from tacit.core.errors import Damaged, NotFound
from tacit.core.run import Finding
from tacit.hosts.source import BytesSource
from tacit.learn.gate import GateRules
from tacit.lesson import Lesson
from tacit.origins import ralph
from tacit.origins.gates import validation
from tacit.origins.ralph import writing

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
        self.folder = tmp_path / "loop"
        self.knowledge = self.folder / ".aiwg" / "knowledge"
        self.knowledge.mkdir(parents=True)
        self.monkeypatch = monkeypatch
        self.memories: Memories = verbs.open(
            str(tmp_path / "tacit.db"), profile="ralph", cwd=str(self.folder)
        )
        self.known: set[str] = set()

    def at(self, now: str | None) -> None:
        """Stop the clock."""
        if now:
            self.monkeypatch.setattr(clock, "now", lambda: clock.stamp(clock.seconds(now)))

    def bring(self, learnings: list[Any]) -> None:
        """A knowledge base as Ralph would have written it now."""
        self.known |= {each["id"] for each in learnings if "id" in each}
        path = self.knowledge / "ralph-learnings.json"
        path.write_text(stored(*learnings, at=clock.now()), encoding="utf-8")
        self.memories.import_(str(path), trust="user")

    def learn(self, state: dict[str, Any], **options: Any) -> Any:
        [learned] = self.memories.learn(
            BytesSource(json.dumps(state).encode(), "state.json"), **options
        )
        return learned

    def exported(self, part: str = "learnings") -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.memories.export("ralph", part))
        name = "staged" if part == "staging" else "learnings"
        found[name] = [each for each in found[name] if not _is_third(each.get("learning", each))]
        return found

    def learning(self, memory: Lesson) -> dict[str, Any]:
        """One memory as Ralph would return it."""
        every = {
            each["id"]: each for each in json.loads(self.memories.export("ralph"))["learnings"]
        }
        names = [
            alias
            for namespace, alias in self.memories.store.alias_of(memory.id)
            if namespace == "ralph"
        ]
        return dict(every[names[0]])

    def alias(self, memory: Lesson) -> str:
        return next(
            alias
            for namespace, alias in self.memories.store.alias_of(memory.id)
            if namespace == "ralph"
        )

    def numbered(self, at: Any) -> Any:
        """New ids as the vectors have them: learn-#1, learn-#2 … in the order of appearance."""
        text = json.dumps(at, ensure_ascii=False)
        new = [
            id
            for id in dict.fromkeys(re.findall(r"learn-[0-9a-f]{8}", text))
            if id not in self.known
        ]
        for number, id in enumerate(new, 1):
            text = text.replace(id, f"learn-#{number}")
        return json.loads(text)


def _is_third(learning: dict[str, Any]) -> bool:
    """The documented third convention, which the original does not have: the vectors allow it beside those they show."""
    return learning["type"] == "convention" and learning["confidence"] == 0.6


def _iteration(**fields: Any) -> dict[str, Any]:
    return {
        "number": 1,
        "status": "completed",
        "duration": 1000,
        "analysis": {"progressMade": True},
        **fields,
    }


def detect_task_type(loop: Loop, given: Any, wanted: Any) -> str:
    loop.learn(state("r", [_iteration()] * 5, given["objective"]))
    return str(loop.exported()["learnings"][0]["taskType"])


def normalize_approach(loop: Loop, given: Any, wanted: Any) -> str | None:
    loop.learn(state("r", [_iteration(learnings=[given["text"]])], ""))
    found = [each for each in loop.exported()["learnings"] if each["type"] == "strategy"]
    return str(found[0]["content"]["description"]) if found else None


def categorize_error(loop: Loop, given: Any, wanted: Any) -> str | None:
    failed = _iteration(
        status="failed", analysis={"progressMade": False, "errors": [given["error"]]}
    )
    loop.learn({"loopId": "r", "objective": "", "status": "failed", "iterations": [failed, failed]})
    found = loop.exported()["learnings"]
    return str(found[0]["content"]["description"]).removeprefix("Avoid: ") if found else None


def extract_from_loop(loop: Loop, given: Any, wanted: Any) -> list[Any]:
    loop.learn(given["loop"], stage=True)
    return [each["learning"] for each in loop.exported("staging")["staged"]]


def validate(loop: Loop, given: Any, wanted: Any) -> dict[str, Any]:
    at, profile = given["learning"], loop.memories.profile
    said = Finding(
        "r",
        "p",
        str(at.get("content", {}) or ""),
        kind=at.get("type", ""),
        task_type=at.get("taskType", ""),
        tier="observed",
        confidence=at.get("confidence"),
        extra={"success_rate": at.get("successRate")},
    )
    shared = {
        name: profile.gate.__dict__[name]
        for name in GateRules.FIELDS
        if name in profile.gate.__dict__
    }  # type: ignore[attr-defined]
    decision = validation(
        said, GateRules(**{**shared, "kinds": tuple(profile.kinds), "way": profile})
    )
    return (
        {"valid": True}
        if decision.outcome == "allow"
        else {"valid": False, "reason": decision.reason}
    )


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
            promoted, skipped = loop.memories.staging.promote(
                auto_validate=False, clear_after=False
            )
            results.append({**_counts(learned.findings, good, bad, promoted), "skipped": skipped})
    return loop.numbered(
        {"results": results, "staging": _plain(loop, "staging"), "store": _plain(loop, "learnings")}
    )


def _thirds(loop: Loop) -> int:
    return sum(_is_third(each) for each in json.loads(loop.memories.export("ralph"))["learnings"])


def _counts(extracted: int, validated: int, rejected: int, promoted: int) -> dict[str, int]:
    return {
        "extracted": extracted,
        "validated": validated,
        "rejected": rejected,
        "promoted": promoted,
        "skipped": 0,
    }


def _plain(loop: Loop, part: str) -> dict[str, Any]:
    """A file without its checksum, and with the figures of what is shown."""
    found = loop.exported(part)
    del found["checksum"]
    if part == "learnings":
        found["stats"] = writing._stats(found["learnings"])
    return found


def staging(loop: Loop, given: Any, wanted: Any) -> dict[str, Any]:
    loop.at(given["now"])
    results = [STEPS[step[0]](loop, *step[1:]) for step in given["steps"]]
    return loop.numbered(
        {"results": results, "staging": _plain(loop, "staging"), "store": _plain(loop, "learnings")}
    )


def _stage(loop: Loop, state: dict[str, Any]) -> dict[str, int]:
    learned = loop.learn(state, stage=True)
    _drop_thirds(loop)
    shown = len(loop.exported("staging")["staged"])
    return (
        {"extracted": shown, "staged": shown} if learned.findings else {"extracted": 0, "staged": 0}
    )


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
    "validateStaged": lambda loop: dict(
        zip(("validated", "rejected"), loop.memories.staging.validate())
    ),
    "promote": _promote,
    "clearStaging": lambda loop: loop.memories.staging.clear() and None,
    "store": lambda loop, *args: _store(loop, *args),
    "retrieve": lambda loop, id: _found(
        loop, lambda: loop.learning(loop.memories.get(id, use=True))
    ),
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


def _store(
    loop: Loop, kind: str, task: str, content: dict[str, Any], told: dict[str, Any] | None = None
) -> Any:
    at = clock.now()
    told = told or {}
    learning = {
        "type": kind,
        "taskType": task,
        "content": content,
        "confidence": told.get("confidence", 0.5),
        "sourceLoops": told.get("sourceLoops", []),
        "createdAt": at,
        "updatedAt": at,
        "useCount": 0,
        "successRate": told.get("successRate", 0),
    }
    [report] = loop.memories.import_(BytesSource(stored(learning, at=at).encode()), trust="user")
    return json.loads(loop.memories.export("ralph"))["learnings"][-1] if report.kept else None


def _update(loop: Loop, id: str, fields: dict[str, Any]) -> Any:
    """Only figures can be stated anew; id, time of birth and sources are not up for it."""
    names = {"confidence": "confidence", "successRate": "success_rate"}
    memory = loop.memories.figures(
        id, **{names[name]: fields[name] for name in fields if name in names}
    )
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
    fault = loop.memories.verify(
        BytesSource(loop.memories.export("ralph").encode(), "ralph-learnings.json")
    )
    return {"valid": False, "error": fault} if fault else {"valid": True}


def query(loop: Loop, given: Any, wanted: Any) -> list[str]:
    loop.bring(given["store"])
    at = given["pattern"]
    found = loop.memories.knowledge.query(
        kind=at.get("type", ""),
        task_type=at.get("taskType", ""),
        min_confidence=at.get("minConfidence", 0.0),
        min_success=at.get("minSuccessRate", 0.0),
        limit=at.get("limit"),
    )
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
    found = loop.memories.top(
        at["objective"], task_type=at.get("taskType", ""), limit=given["limit"] or 10
    )
    return [{"id": loop.alias(memory), "relevance": score} for memory, score in found]


def relevant_knowledge(loop: Loop, given: Any, wanted: Any) -> dict[str, Any]:
    loop.at(given["now"])
    loop.bring(given["store"])
    at = given["context"]
    errors, files, task_type = (
        tuple(at.get(name, ())) for name in ("errorPatterns", "filePatterns", "taskType")
    )
    told = loop.memories.inject(
        at["objective"], task_type="".join(task_type), errors=errors, files=files
    )
    memories = loop.memories.store.memories(told.injected)
    found: dict[str, Any] = {
        name: [loop.alias(memory) for memory in memories if memory.kind == kind]
        for name, kind in KINDS.items()
    }
    if "antipattern_scores" in wanted:
        scored = loop.memories.antipatterns(
            errors, task=at["objective"], task_type="".join(task_type)
        )
        found["antipattern_scores"] = [score for _, score in scored]
    return {**found, "summary": told.markdown}


def file_conventions(loop: Loop, given: Any, wanted: Any) -> list[str]:
    loop.bring(given["store"])
    return [loop.alias(each) for each in loop.memories.conventions(given["filePatterns"])]


def get_estimate(loop: Loop, given: Any, wanted: Any) -> Any:
    loop.bring(given["store"])
    found = loop.memories.estimate(given["taskType"], given["complexity"] or "")
    return loop.learning(found) if found else None


KINDS = {
    "strategies": "strategy",
    "antipatterns": "antipattern",
    "estimates": "estimate",
    "conventions": "convention",
}


def format_summary(loop: Loop, given: Any, wanted: Any) -> str:
    at = clock.now()  # one for all: the newer of two would come first
    usual = {"taskType": "general", "confidence": 0.9, "successRate": 0.9, "sourceLoops": []}
    told = [
        (f"{name}-{n}", name, each)
        for name in KINDS
        for n, each in enumerate(given["knowledge"][name])
    ]
    loop.bring(
        [
            learning(
                f"learn-{id}",
                "",
                **usual,
                type=KINDS[name],
                content=each["content"],
                createdAt=at,
                updatedAt=at,
            )
            for id, name, each in told
        ]
    )
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
        assert loop.memories.list(archived=True) == [], (
            "nothing is taken from a file that does not verify"
        )
        return {
            "error": error.message,
            "verify": {"valid": False, "error": loop.memories.verify(str(path))},
        }
    finally:
        assert {file.name: file.read_bytes() for file in loop.knowledge.iterdir()} == before, (
            "no copy is ever written to"
        )
    return {"loaded": json.loads(loop.memories.export("ralph")), "verify": _verify(loop)}


DRIVERS: dict[str, Callable[[Loop, Any, Any], Any]] = {
    **{
        each.__name__: each
        for each in (
            detect_task_type,
            normalize_approach,
            categorize_error,
            extract_from_loop,
            validate,
            process_pipeline,
            staging,
            memory_operations,
            query,
            relevance,
            top_learnings,
            relevant_knowledge,
            file_conventions,
            get_estimate,
            format_summary,
            recovery,
        )
    },
    "checksum": lambda loop, given, wanted: ralph.checksum(given["learnings"]),
}


def test_vector(vector: Any, check: Any, loop: Loop) -> None:
    """What its program answered where it followed its document, this answers."""
    check(vector, lambda driver: driver(loop, vector.input, vector.output))


# --- the twelve defects, by the number they have in the reference


def rounds(*learnings: str, **fields: Any) -> list[dict[str, Any]]:
    """Completed iterations, one for each thing that was learned."""
    said = enumerate(learnings, 1)
    return [
        _iteration(number=n, duration=30000, learnings=[text], filesModified=[], **fields)
        for n, text in said
    ]


def state(
    id: str, iterations: list[dict[str, Any]], objective: str = "Fix failing tests"
) -> dict[str, Any]:
    return {
        "loopId": id,
        "objective": objective,
        "status": "completed",
        "currentIteration": len(iterations),
        "iterations": iterations,
    }


def failing(*errors: str) -> list[dict[str, Any]]:
    analyses = [{"progressMade": False, "errors": [text]} for text in errors]
    return [
        _iteration(number=n, status="failed", analysis=each) for n, each in enumerate(analyses, 1)
    ]


def learning(id: str, text: str, **fields: Any) -> dict[str, Any]:
    return {
        "id": id,
        "type": "strategy",
        "taskType": "test-fix",
        "content": {"description": text, "effectiveness": 0.8, "iterations": 4},
        "confidence": 0.8,
        "sourceLoops": ["ralph-1"],
        "createdAt": "2026-01-29T10:30:00.000Z",
        "updatedAt": "2026-01-29T10:30:00.000Z",
        "useCount": 0,
        "successRate": 0.8,
        **fields,
    }


def stored(*learnings: dict[str, Any], sum: str = "", at: str = "2026-02-01T00:00:00.000Z") -> str:
    rows = list(learnings)
    head = {"version": "1.0.0", "checksum": sum or ralph.checksum(rows), "lastUpdated": at}
    return json.dumps({**head, "learnings": rows})


def test_defect_3_the_unused_are_ordered_too(loop: Loop) -> None:
    """Before anything was used, confidence and success decide, not the order of writing; giving a learning counts as a use."""
    weak = learning("learn-00000001", "Guess", confidence=0.6, successRate=0.6)
    loop.bring(
        [weak, learning("learn-00000002", "Read the logs", confidence=0.95, successRate=0.9)]
    )
    found = [loop.alias(each) for each in loop.memories.knowledge.query(kind="strategy")]
    assert found == ["learn-00000002", "learn-00000001"]
    loop.memories.inject("Fix failing tests", run="ralph-9")
    assert [each["useCount"] for each in loop.exported()["learnings"]] == [1, 1]


def test_defect_4_equal_learnings_grow_instead_of_multiplying(loop: Loop) -> None:
    """Three equal loops are one strategy of three loops; a failure does not lose confidence because others fail, too."""
    for number in (1, 2, 3):
        loop.learn(
            state(
                f"ralph-{number}",
                rounds("Write tests first", "Write tests first", "Look around a little"),
            )
        )
    [one] = [each for each in loop.exported()["learnings"] if each["type"] == "strategy"]
    whole = {
        "description": "Test-driven development approach",
        "effectiveness": pytest.approx(2 / 3),
        "iterations": 6,
    }
    assert (one["sourceLoops"], one["content"]) == (["ralph-1", "ralph-2", "ralph-3"], whole)
    loop.learn(state("ralph-4", failing("timed out", "timed out")))
    loop.learn(
        state(
            "ralph-5",
            failing("timed out", "timeout", *(f"odd failure number {n}" for n in range(6))),
        )
    )
    [avoid] = [each for each in loop.exported()["learnings"] if each["type"] == "antipattern"]
    found = (avoid["confidence"], avoid["content"]["occurrences"], avoid["sourceLoops"])
    assert found == (0.8, 4, ["ralph-4", "ralph-5"])


def test_defect_5_without_a_good_copy_nothing_changes(loop: Loop, tacit: Any, folder: Path) -> None:
    """Exit 5, an explanation, and the store is as it was."""
    bad = folder / "ralph-learnings.json"
    bad.write_text(stored(learning("learn-00000009", "x"), sum="0" * 64), encoding="utf-8")
    Path(f"{bad}.bak").write_text("{", encoding="utf-8")
    tacit("init", "--like", "ralph")
    ran = tacit("data", "import", str(bad), "--trust", "user", "--json")
    assert (ran.code, ran.error["code"]) == (5, "damaged")
    assert tacit("list", "--archived", "--json").data["count"] == 0


def test_defect_5_an_export_keeps_a_good_backup(tacit: Any, folder: Path) -> None:
    """A damaged file may hold what nobody has: it is not written over, nor is the good copy beside it. Moved away, it is made anew."""
    main, backup = folder / "ralph-learnings.json", folder / "ralph-learnings.json.bak"
    good = stored(learning("learn-00000001", "Read the logs"))
    main.write_text("{ damaged", encoding="utf-8")
    backup.write_text(good, encoding="utf-8")
    tacit("data", "import", str(main), "--format", "ralph", "--trust", "user", "--like", "ralph")
    assert tacit("data", "export", "--format", "ralph", "--out", str(folder)).code == 1
    assert (main.read_text(encoding="utf-8"), backup.read_text(encoding="utf-8")) == (
        "{ damaged",
        good,
    )
    main.rename(folder / "damaged.json")
    assert tacit("data", "export", "--format", "ralph", "--out", str(folder)).code == 0
    assert json.loads(main.read_text(encoding="utf-8"))["learnings"][0]["id"] == "learn-00000001"
    assert backup.read_text(encoding="utf-8") == good


def test_defect_6_many_writers_lose_nothing(loop: Loop) -> None:
    """Four at once, ten loops each: every one of their strategies is kept."""
    from concurrent.futures import ThreadPoolExecutor

    words = (
        "walrus falcon badger otter heron lynx marten bison gecko raven acorn birch cedar dogwood elm fennel ginger hazel "
        "juniper laurel anvil bellows chisel dowel easel funnel gasket hammer jigsaw lathe quartz basalt cobalt dolomite "
        "feldspar garnet halite jasper malachite obsidian"
    ).split()

    def work(mine: list[str]) -> None:
        with verbs.open(
            loop.memories.store.path, profile="ralph", cwd=str(loop.folder)
        ) as memories:
            for word in mine:
                said = json.dumps(
                    state(f"loop-{word}", rounds(f"Begin with the {word} list"))
                ).encode()
                memories.learn(BytesSource(said, "state.json"))

    loop.memories.ensure_project()
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, [words[n::4] for n in range(4)]))
    found = [
        each["content"]["description"]
        for each in loop.exported()["learnings"]
        if each["type"] == "strategy"
    ]
    assert sorted(found) == sorted(f"Begin with the {word} list" for word in words)


def test_defect_7_staging_loses_nothing_and_validates_when_told(loop: Loop) -> None:
    """A damaged staging file is refused, not started anew; unvalidated learnings are not promoted; what was refused can be cleared."""
    bad = loop.knowledge / "staging.json"
    bad.write_text('{"version": "1.0.0", "checksum": "00", "staged": []}', encoding="utf-8")
    with pytest.raises(Damaged):
        loop.memories.import_(str(bad), trust="user")
    loop.learn(state("ralph-1", rounds("Write tests first")), stage=True)
    stage = loop.memories.staging
    assert (stage.promote(auto_validate=False), stage.stats().pending) == ((0, 0), 2)
    counts = {"total": 1, "pending": 0, "validated": 0, "rejected": 1}
    assert (stage.promote(), stage.stats().__dict__) == ((1, 0), counts)
    assert (stage.clear(), stage.stats().total) == (1, 0)


@pytest.mark.parametrize("figure", [0, float("nan"), None, 1.5, "high"])
def test_defect_9_zero_is_zero_and_what_is_no_figure_is_told(loop: Loop, figure: Any) -> None:
    """A confidence of 0 stays 0; one that is none is reported and taken as the document's default."""
    loop.bring([learning("learn-00000001", "Read the logs", confidence=figure)])
    assert loop.memories.get("learn-00000001").tally.confidence == (0 if figure == 0 else 0.5)
    decided = validate(loop, {"learning": {**learning("", "x"), "confidence": figure}}, None)
    assert decided["valid"] is False


def test_defect_11_two_machines_do_not_hide_each_others_learnings(loop: Loop) -> None:
    """Equal ids with different content are two learnings, and both leave under an id of their own."""
    loop.bring([learning("learn-00000001", "Read the logs")])
    loop.bring([learning("learn-00000001", "Bisect the history")])
    found = {each["content"]["description"]: each["id"] for each in loop.exported()["learnings"]}
    assert set(found) == {"Read the logs", "Bisect the history"} and len(set(found.values())) == 2


def test_defect_12_bounded_and_accounted_for(loop: Loop) -> None:
    """A prompt has a budget in tokens; each learning has a journal; another one writes its own rows only."""
    loop.bring(
        [learning(f"learn-{n:08x}", f"Approach {n}: " + "a long story " * 700) for n in range(3)]
    )
    told = loop.memories.inject("Fix failing tests", run="ralph-9")
    assert told.tokens <= loop.memories.profile.budget.max_tokens and len(told.injected) < 3
    assert [
        entry.verb for entry in loop.memories.log(memory=loop.memories.get("learn-00000001").id)
    ] == ["import"]
    store = loop.memories.store
    before = store.rows("SELECT id, changed_at, extra FROM lesson ORDER BY n")
    loop.learn(state("ralph-10", rounds("Write tests first")))
    assert store.rows("SELECT id, changed_at, extra FROM lesson ORDER BY n")[:3] == before


# --- beyond its program: what its document promises


def test_conventions_of_shared_folder_and_suffix(loop: Loop) -> None:
    """The documented third convention: where the files of one suffix lie, at .6."""
    files = ["src/auth/login.py", "src/auth/token.py", "docs/auth.md"]
    loop.learn(state("ralph-1", [_iteration(filesModified=files)]))
    found = [
        each
        for each in json.loads(loop.memories.export("ralph"))["learnings"]
        if each["type"] == "convention"
    ]
    assert [(each["confidence"], each["taskType"], each["content"]) for each in found] == [
        (
            0.6,
            "general",
            {"pattern": "Source files (.py) organised under src/auth", "examples": files[:2]},
        )
    ]


def test_figures_are_stated_anew_and_nothing_else(loop: Loop) -> None:
    """Confidence and success may be restated, within 0 and 1; id, birth and sources are not up for it."""
    from tacit.core.errors import UsageError

    loop.bring([learning("learn-00000001", "Read the logs")])
    with pytest.raises(UsageError):
        loop.memories.figures("learn-00000001", confidence=1.2)
    loop.memories.figures("learn-00000001", confidence=0.0, success_rate=0.25)
    [row] = loop.exported()["learnings"]
    assert (row["confidence"], row["successRate"], row["id"]) == (0, 0.25, "learn-00000001")
    assert (row["createdAt"], row["sourceLoops"]) == ("2026-01-29T10:30:00.000Z", ["ralph-1"])


def test_a_journey_in_its_own_words(tacit: Any, folder: Path) -> None:
    """Three loops by the command line: one staged and reviewed by hand, two automatic; given, exported, read back by hand."""
    for number in (1, 2, 3):
        files = ["src/auth/login.ts", "test/auth/login.test.ts"]
        text = json.dumps(
            state(
                f"ralph-00{number}",
                rounds(
                    *["Write tests first"] * 3,
                )
                if number > 1
                else [
                    _iteration(
                        number=n,
                        duration=45000,
                        learnings=["Write tests first"],
                        filesModified=files,
                    )
                    for n in (1, 2, 3)
                ],
                "Fix failing authentication tests",
            )
        )
        (folder / f"state-{number}.json").write_text(text, encoding="utf-8")
    tacit("init", "--like", "ralph")
    tacit("learn", "state-1.json", "--stage")
    staged = tacit("review", "list", "--staged", "--json").data
    assert {each["status"] for each in staged["staged"]} == {"pending"}
    assert staged["stats"]["total"] == len(staged["staged"])
    nothing = "## Knowledge Base\n\nNo relevant learnings found for this task type.\n"
    assert tacit("inject", "--task", "Fix failing tests", "--quiet").out == nothing
    assert tacit("review", "approve", "--staged", "--json").data["promoted"] == len(
        staged["staged"]
    )
    for number in (2, 3):
        assert tacit("learn", f"state-{number}.json", "--json").data["runs"][0]["rejected"] == 0
    given = tacit("inject", "--task", "Fix the failing cart tests", "--run", "ralph-004", "--quiet")
    assert given.out.startswith(
        "## Knowledge Base (from previous loops)\n\n## Proven Strategies\n"
        "- Test-driven development approach (effectiveness: 100%)\n\n## Time/Iteration Estimates\n"
    )
    modules = "- ES modules (.mjs) or TypeScript (.ts)\n  Examples: src/auth/login.ts, test/auth/login.test.ts\n"
    assert modules in given.out
    assert tacit("data", "export", "--format", "ralph", "--out", "out").code == 0
    store = json.loads((folder / "out" / "ralph-learnings.json").read_text(encoding="utf-8"))
    compact = json.dumps(store["learnings"], ensure_ascii=False, separators=(",", ":"))
    assert ralph.checksum(json.loads(compact)) == store["checksum"]
    [strategy] = [each for each in store["learnings"] if each["type"] == "strategy"]
    assert (strategy["sourceLoops"], strategy["content"]["iterations"]) == (
        ["ralph-001", "ralph-002", "ralph-003"],
        9,
    )
    assert store["stats"]["totalLearnings"] == len(store["learnings"])
    assert tacit("review", "clear", "--staged").code == 0


ENDED = {"status": "completed"}
