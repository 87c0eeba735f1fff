"""Ralph: README-memory-layer.md of AIWG's external loop, item by item."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from book import Item, Place, chapter, differs, time_at

from tacit.core.errors import Damaged, NotFound
from tacit.core.run import Finding
from tacit.hosts.source import BytesSource
from tacit.learn.gate import GateRules
from tacit.origins import ralph
from tacit.origins.gates import validation

NOW = "2026-02-03T10:30:00.000Z"
LEARNING = {
    "id": "learn-00abc123",
    "type": "strategy",
    "taskType": "test-fix",
    "content": {
        "description": "Test-driven development approach",
        "effectiveness": 0.85,
        "iterations": 12,
    },
    "confidence": 0.85,
    "sourceLoops": ["ralph-001", "ralph-003"],
    "createdAt": "2026-02-01T15:00:00Z",
    "updatedAt": "2026-02-03T10:30:00Z",
    "useCount": 5,
    "successRate": 0.85,
}


def store_of(*learnings: dict[str, Any]) -> str:
    listed = list(learnings)
    kept = {
        "version": "1.0.0",
        "checksum": ralph.checksum(listed),
        "lastUpdated": NOW,
        "learnings": listed,
        "stats": {},
    }
    return json.dumps(kept, ensure_ascii=False)


def import_(at: Place, path: str, text: str, **options: Any) -> Any:
    return at.memories.import_(str(at.write(path, text)), trust="user", **options)[0]


def bring(at: Place, *learnings: dict[str, Any]) -> Any:
    return import_(at, ".aiwg/knowledge/ralph-learnings.json", store_of(*learnings))


def learning(
    id: int,
    kind: str = "strategy",
    task: str = "test-fix",
    sure: float = 0.8,
    rate: float | int = 0.8,
    uses: int = 0,
    content: dict[str, Any] | None = None,
    **fields: Any,
) -> dict[str, Any]:
    told = content or {
        "description": f"Approach number {id}",
        "effectiveness": rate,
        "iterations": 3,
    }
    head = {
        "id": f"learn-{id:08x}",
        "type": kind,
        "taskType": task,
        "content": told,
        "sourceLoops": ["l-1"],
    }
    return {**LEARNING, **head, "confidence": sure, "successRate": rate, "useCount": uses, **fields}


def loop(id: str, objective: str, *parts: dict[str, Any]) -> dict[str, Any]:
    base = {"status": "completed", "duration": 45000, "analysis": {"progressMade": True}}
    rounds = [
        {"number": n, **base, "learnings": [], "filesModified": [], **part}
        for n, part in enumerate(parts, 1)
    ]
    head = {"loopId": id, "objective": objective, "status": "completed"}
    return {**head, "currentIteration": len(parts), "iterations": rounds}


def learn(at: Place, id: str, objective: str, *parts: dict[str, Any], **options: Any) -> Any:
    source = BytesSource(json.dumps(loop(id, objective, *parts)).encode(), "state.json")
    return at.memories.learn(source, format="ralph", **options)[0]


def says(*learnings: str, **fields: Any) -> dict[str, Any]:
    """An iteration that learned this."""
    return {"learnings": list(learnings), **fields}


def failed(*errors: str) -> dict[str, Any]:
    return {"status": "failed", "analysis": {"progressMade": False, "errors": list(errors)}}


def exported(at: Place, part: str = "learnings") -> Any:
    return json.loads(at.memories.export("ralph", part))


def of_type(at: Place, kind: str) -> list[dict[str, Any]]:
    return [each for each in exported(at)["learnings"] if each["type"] == kind]


def described(at: Place, kind: str) -> list[str]:
    return [each["content"]["description"] for each in of_type(at, kind)]


def raises(error: type[Exception], call: Callable[[], Any]) -> bool:
    try:
        call()
    except error:
        return True
    return False


@chapter("ralph", "Three memory tiers")
def tiers(at: Place) -> Iterator[Item]:
    said = says("Write tests first", filesModified=["src/login.ts"])
    state = loop("ralph-001", "Fix failing authentication tests", said)
    at.write(".aiwg/ralph-external/state.json", {**state, "iterations": []})
    path = at.folder / ".aiwg/ralph-external/state.json"
    at.write(".aiwg/ralph-external/iterations/iteration-001.json", state["iterations"][0])
    done = at.memories.learn(str(path), format="ralph")[0]
    told = at.memories.inject("Fix database connection tests")
    yield (
        "L1: knowledge is put into the prompt of the next loop",
        "Test-driven development approach" in told.markdown,
    )
    yield "L2: state.json and the iterations' own files are read", done.findings > 0
    yield "L3: what was learned lasts across loops", of_type(at, "strategy") != []


@chapter("ralph", "Storage format")
def format(at: Place) -> Iterator[Item]:
    bring(at, LEARNING)
    found = exported(at)
    for name in ("version", "checksum", "lastUpdated", "learnings", "stats"):
        yield f"the store's {name}", name in found
    for name in LEARNING:
        yield f"a learning's {name}", found["learnings"][0][name] == LEARNING[name]


@chapter("ralph", "Learning types")
def types(at: Place) -> Iterator[Item]:
    bad, good = (
        failed("SyntaxError: bad token"),
        says("Write tests first", filesModified=["src/a.test.ts", "src/b.ts"]),
    )
    learn(at, "l-1", "Fix failing tests", good, good, bad, bad)
    for name in ("strategy", "antipattern", "estimate", "convention"):
        yield f"{name}", of_type(at, name) != []


@chapter("ralph", "Data integrity")
def integrity(at: Place) -> Iterator[Item]:
    bring(at, LEARNING)
    text = at.memories.export("ralph")
    compact = json.dumps(json.loads(text)["learnings"], separators=(",", ":"), ensure_ascii=False)
    sum = sha256(compact.encode()).hexdigest()
    yield "SHA-256 over the compact JSON of the learnings", json.loads(text)["checksum"] == sum
    broken = text.replace("Test-driven", "Tests-driven")
    yield (
        "verified on read",
        at.memories.verify(BytesSource(broken.encode(), "ralph-learnings.json")) != "",
    )
    out = at.folder / "out"
    at.cli("data", "export", "--format", "ralph", "--out", str(out))
    at.memories.add("Minimal changes approach", kind="strategy")
    _, told, _ = at.cli("data", "export", "--format", "ralph", "--out", str(out), "--json")
    copies = [Path(copy).read_text("utf-8") for copy in json.loads(told)["data"]["copies"]]
    yield differs("a .bak before an overwrite", text in copies, "Copies lie in the data folder")
    other = at.another("other")
    other.write("k/ralph-learnings.json.bak", text)
    report = import_(other, "k/ralph-learnings.json", broken)
    yield (
        "recovered from the backup where the checksum differs, and where the file is cut short",
        len(report.kept) == 1,
    )
    other.write("k/ralph-learnings.json.bak", broken)
    refused = raises(Damaged, lambda: import_(other, "k/ralph-learnings.json", broken))
    yield "both bad: an error, and nothing changes", refused
    other.close()
    whole = json.loads((out / "ralph-learnings.json").read_text("utf-8"))["learnings"] != []
    yield "atomic writes: no half file is ever seen", whole and not list(out.glob("*.tmp"))


@chapter("ralph", "SemanticMemory")
def semantic(at: Place) -> Iterator[Item]:
    made = at.memories.add(
        "Test-driven development approach", kind="strategy", task_type="test-fix"
    )
    at.memories.figures(made.id, confidence=0.85, success_rate=0.85)
    (one,) = of_type(at, "strategy")
    yield (
        "store(type, taskType, content, metadata)",
        (one["confidence"], one["successRate"]) == (0.85, 0.85),
    )
    at.memories.get(made.alias, use=True)
    yield "retrieve(id) counts a use", of_type(at, "strategy")[0]["useCount"] == 1
    raised = raises(NotFound, lambda: at.memories.get("learn-ffffffff"))
    yield differs("retrieve of an unknown id", raised, "An unknown id is an error")
    avoid = learning(20, kind="antipattern", task="feature", rate=0)
    bring(at, *(learning(n, sure=n / 10, rate=n / 10, uses=n) for n in range(1, 10)), avoid)
    ask = at.memories.knowledge.query
    yield "query by type", {each.kind for each in ask(kind="antipattern")} == {"antipattern"}
    yield "query by taskType", {each.task_type for each in ask(task_type="feature")} == {"feature"}
    yield (
        "query by minConfidence",
        min(each.tally.confidence or 0 for each in ask(min_confidence=0.7)) >= 0.7,
    )
    yield "query by minSuccessRate", len(ask(kind="strategy", min_success=0.6)) == 5
    yield "query with a limit", len(ask(limit=2)) == 2
    best = [each.alias for each in ask(kind="strategy")][:2]
    yield (
        "sorted by confidence × success rate × log10(uses + 1)",
        best == ["learn-00000009", "learn-00000008"],
    )
    before = next(each for each in exported(at)["learnings"] if each["id"] == "learn-00000009")
    at.memories.figures("learn-00000009", confidence=0.95)
    after = next(each for each in exported(at)["learnings"] if each["id"] == "learn-00000009")
    same = all(before[name] == after[name] for name in ("id", "createdAt", "sourceLoops"))
    yield (
        "update(id, figures); id, createdAt and sourceLoops are protected",
        same and after["confidence"] == 0.95,
    )
    at.memories.forget("learn-00000001")
    yield "delete(id)", all(each["id"] != "learn-00000001" for each in exported(at)["learnings"])
    told = at.memories.knowledge.statistics()
    yield "getStats: totalSize", told.total == len(exported(at)["learnings"])
    yield (
        "getStats: means of confidence and success rate",
        0 < told.confidence < 1 and 0 < told.success < 1,
    )
    yield (
        "getStats: the most used learning",
        told.most_used is not None and told.most_used.alias == "learn-00000009",
    )
    yield "getStats: by type", dict(told.by_kind) == exported(at)["stats"]["byType"]
    yield "getStats: by task type", dict(told.by_task) == exported(at)["stats"]["byTaskType"]
    yield "getStats: lastUpdated", bool(told.updated_at)
    source = BytesSource(at.memories.export("ralph").encode(), "ralph-learnings.json")
    yield "verify()", at.memories.verify(source) == ""
    custom = at.folder / "custom"
    code, *_ = at.cli("data", "export", "--format", "ralph", "--out", str(custom))
    there = (custom / "ralph-learnings.json").exists()
    yield "the knowledge directory is named by its path", code == 0 and there
    yield "clear()", len(at.memories.clear()) > 0 and exported(at)["learnings"] == []


@chapter("ralph", "Task type detection")
def tasks(at: Place) -> Iterator[Item]:
    words = {
        "test-fix": "Fix failing authentication tests",
        "feature": "Implement user registration feature",
        "refactor": "Refactor auth module for clarity",
        "performance": "Optimize database queries",
        "bug-fix": "Fix the crash on start",
        "documentation": "Update the readme",
        "architecture": "Draw the architecture of billing",
        "general": "Rename the mascot",
    }
    found = {}
    for number, (name, objective) in enumerate(words.items()):
        learn(
            at,
            f"t-{number}",
            objective,
            *[says(f"Approach of subject{number} in area{number}")] * 3,
        )
        mine = [
            each for each in exported(at)["learnings"] if each["sourceLoops"] == [f"t-{number}"]
        ]
        found[name] = next((each["taskType"] for each in mine if each["type"] != "convention"), "")
    for name in words:
        yield f"{name}", found[name] == name
    for name in ("test-fix", "feature", "refactor", "performance"):
        yield f"the document's example: {words[name]}", found[name] == name


@chapter("ralph", "Strategy extraction")
def strategies(at: Place) -> Iterator[Item]:
    said = [says("Write tests first before implementation")] * 3 + [
        says("Something quite different")
    ]
    idle = says("Write tests first", analysis={"progressMade": False})
    learn(at, "s-1", "Fix failing tests", *said, idle)
    (one,) = of_type(at, "strategy")
    told = (one["content"]["description"], one["content"]["iterations"]) == (
        "Test-driven development approach",
        3,
    )
    yield "from iterations that completed with progress, named in more than half of them", told
    for raw, category in (
        ("Write tests first before implementation", "Test-driven development approach"),
        ("Implemented incrementally, one function at a time", "Incremental implementation"),
        ("Made minimal changes to fix the bug", "Minimal changes approach"),
        ("Refactored after tests passed", "Implement first, refactor after"),
    ):
        other = at.another(category.split()[0])
        learn(other, "n", "Rename it", says(raw))
        yield f"normalised: {category}", described(other, "strategy") == [category]
        other.close()
    whole = at.another("whole")
    learn(whole, "w", "Fix failing tests", *[says("Write tests first")] * 2)
    (all_of,) = of_type(whole, "strategy")
    whole.close()
    yield "confidence is capped at 0.9", all_of["confidence"] == 0.9
    yield (
        "successRate is the effectiveness",
        all_of["successRate"] == all_of["content"]["effectiveness"] == 1,
    )


@chapter("ralph", "Anti-pattern identification")
def antipatterns(at: Place) -> Iterator[Item]:
    errors = ("SyntaxError: x", "parse error", "Timeout once only here")
    learn(at, "a-1", "Fix failing tests", *map(failed, errors))
    (one,) = of_type(at, "antipattern")
    yield "from failed iterations, twice or more", one["content"]["occurrences"] == 2
    classes = {
        "syntax": ("Unexpected syntax", "Syntax errors - check code carefully before execution"),
        "null": ("x is undefined", "Null/undefined errors - add validation checks"),
        "timeout": ("the call timed out", "Timeout errors - break into smaller steps"),
        "permission": (
            "access denied for user",
            "Permission errors - check file/directory permissions",
        ),
        "module": ("Cannot find module 'x'", "Module not found - verify dependencies installed"),
    }
    for name, (error, text) in classes.items():
        other = at.another(name)
        learn(other, "e", "Rename it", failed(error), failed(error))
        yield f"class: {name}", described(other, "antipattern") == [f"Avoid: {text}"]
        other.close()
    yield "confidence is capped at 0.8", 0 < one["confidence"] <= 0.8
    yield "successRate is 0", one["successRate"] == 0
    yield "impact is high", one["content"]["impact"] == "high"


@chapter("ralph", "Estimate calculation")
def estimates(at: Place) -> Iterator[Item]:
    first = {"duration": 40000, "filesModified": ["a.py", "b.py", "c.py"]}
    learn(
        at,
        "e-1",
        "Fix failing tests",
        first,
        {"duration": 50000},
        {"status": "failed", "duration": 1},
    )
    (one,) = of_type(at, "estimate")
    yield "mean time of completed iterations", one["content"]["avgIterationTime"] == 45000
    yield "total iterations", one["content"]["totalIterations"] == 3
    yield "success rate: completed of all", round(one["content"]["successRate"], 3) == 0.667
    yield "confidence: completed / 5, at most 0.9", one["confidence"] == 0.4
    yield (
        "complexity medium: up to 5 iterations and 5 files",
        one["content"]["complexity"] == "medium",
    )
    for word, count, files in (("low", 2, 2), ("high", 6, 1)):
        other = at.another(word)
        learn(
            other,
            "c",
            "Rename it",
            *[{"filesModified": [f"f{n}.py" for n in range(files)]}] * count,
        )
        yield f"complexity {word}", of_type(other, "estimate")[0]["content"]["complexity"] == word
        other.close()


@chapter("ralph", "Convention detection")
def conventions(at: Place) -> Iterator[Item]:
    files = [
        "src/auth/login.test.ts",
        "lib/memory.mjs",
        "src/types.ts",
        "src/auth/a.ts",
        "src/auth/b.ts",
    ]
    learn(at, "c-1", "Rename it", {"filesModified": files})
    sure = {each["content"]["pattern"]: each["confidence"] for each in of_type(at, "convention")}
    yield "test files, 0.7", sure.get("Tests co-located with source or in test/ directory") == 0.7
    yield "ES modules, 0.8", sure.get("ES modules (.mjs) or TypeScript (.ts)") == 0.8
    yield "source organisation, 0.6", 0.6 in sure.values()
    for name in ("c-2", "c-3"):
        learn(at, name, "Rename it", {"filesModified": files})
    (tests,) = [each for each in of_type(at, "convention") if each["confidence"] == 0.7]
    yield (
        "sourceLoops grow: three equal loops are one learning",
        tests["sourceLoops"] == ["c-1", "c-2", "c-3"],
    )


@chapter("ralph", "Staging area")
def staging(at: Place) -> Iterator[Item]:
    state = (
        "g-1",
        "Fix failing tests",
        *[says("Write tests first", filesModified=["a.test.ts"])] * 3,
    )
    learn(at, *state, stage=True)
    staged = exported(at, "staging")["staged"]
    yield "pending: awaits validation", {each["status"] for each in staged} == {"pending"}
    good, bad = at.memories.staging.validate()
    yield "validated: ready for promotion", good == len(staged) and bad == 0
    weak = at.another("weak")
    learn(weak, "w", "Rename it", {}, *[{"status": "failed"}] * 3, stage=True)
    weak.memories.staging.validate()
    refused = [each for each in exported(weak, "staging")["staged"] if each["status"] == "rejected"]
    yield (
        "rejected: with its reason",
        bool(refused) and all(each["rejectionReason"] for each in refused),
    )
    weak.close()
    profile = at.memories.profile
    shared = {
        name: profile.gate.__dict__[name]
        for name in GateRules.FIELDS
        if name in profile.gate.__dict__
    }  # type: ignore[attr-defined]

    def judged(
        kind: str = "strategy",
        task: str = "t",
        text: str = "x" * 20,
        sure: float = 0.8,
        rate: float = 0.8,
    ) -> str:
        said = Finding(
            "r",
            "p",
            text,
            kind=kind,
            task_type=task,
            tier="observed",
            confidence=sure,
            extra={"success_rate": rate},
        )
        return validation(
            said, GateRules(**{**shared, "kinds": tuple(profile.kinds), "way": profile})
        ).reason

    yield (
        "rule: required fields",
        judged(task="") == "Missing required fields (type, taskType, content)",
    )
    yield "rule: valid type", judged(kind="wish") == "Invalid type: wish"
    yield (
        "rule: confidence between 0 and 1",
        judged(sure=1.2) == "Confidence must be between 0 and 1",
    )
    yield (
        "rule: success rate between 0 and 1",
        judged(rate=-0.1) == "Success rate must be between 0 and 1",
    )
    yield "rule: confidence not below 0.3", judged(sure=0.2) == "Confidence too low (< 0.3)"
    avoided = judged(kind="antipattern", rate=0.3)
    yield (
        "rule: an anti-pattern has a low success rate",
        avoided == "Anti-patterns should have low success rate",
    )
    yield (
        "rule: a strategy succeeds in half",
        judged(rate=0.4) == "Strategies should have success rate >= 0.5",
    )
    stats = at.memories.staging.stats()
    yield "getStagingStats()", (stats.total, stats.validated) == (len(staged), len(staged))
    text = at.memories.export("ralph", "staging")
    again = at.another("again")
    kept = import_(again, "staging.json", text)
    yield "staging.json goes out and comes in", len(kept.kept) == len(staged)
    again.close()
    listed = at.cli("review", "list", "--staged")[1]
    yield "manual: extract stages", bool(staged)
    yield "manual: the staging area is reviewed", "Test-driven" in listed
    promoted, skipped = at.memories.staging.promote(auto_validate=False)
    yield "manual: promote what is validated", promoted == len(staged) and skipped == 0
    yield (
        "promoted, skipped and rejected are counted",
        (promoted, skipped, bad) == (len(staged), 0, 0),
    )
    auto = at.another("auto")
    done = learn(auto, *state)
    yield (
        "automatic: one command from loop to store",
        len(done.new) == len(exported(auto)["learnings"]) > 0,
    )
    learn(auto, "g-2", "Optimize it", *[says("Incremental steps")] * 3, stage=True)
    auto.memories.staging.clear()
    yield "manual: clear the staging area", exported(auto, "staging")["staged"] == []
    auto.close()


@chapter("ralph", "MemoryRetrieval")
def retrieval(at: Place) -> Iterator[Item]:
    with time_at(NOW):
        bring(
            at,
            *(learning(n, sure=0.9 - n / 100) for n in range(1, 5)),
            *(
                learning(
                    10 + n,
                    "antipattern",
                    rate=0,
                    content={
                        "description": f"Avoid: trouble {n} of kind{n}",
                        "occurrences": 2,
                        "impact": "high",
                    },
                )
                for n in range(6)
            ),
            learning(
                30,
                "antipattern",
                rate=0,
                content={
                    "description": "Avoid: Module not found - verify dependencies installed",
                    "occurrences": 2,
                    "impact": "high",
                },
                confidence=0.7,
            ),
            learning(
                31,
                "antipattern",
                rate=0,
                content={
                    "description": "Avoid: Permission errors - check file/directory permissions",
                    "occurrences": 2,
                    "impact": "high",
                },
                confidence=0.6,
            ),
            *(
                learning(
                    40 + n,
                    "estimate",
                    content={
                        "avgIterationTime": 45000,
                        "totalIterations": 3,
                        "complexity": word,
                        "successRate": 0.85,
                    },
                )
                for n, word in enumerate(("low", "medium", "high"))
            ),
            *(
                learning(
                    50 + n,
                    "convention",
                    "general",
                    content={"pattern": f"Pattern {n}", "examples": [f"src/x{n}.test.ts"]},
                    rate=1,
                )
                for n in range(4)
            ),
        )
        told = at.memories.inject("Fix failing authentication tests")
        given = at.memories.store.memories(told.injected)
        kinds = [each.kind for each in given]
        yield "by objective, the task type detected", "strategy" in kinds
        wrong = ("cannot find module", "module not found")
        scored = at.memories.antipatterns(wrong, task="Fix module imports", task_type="test-fix")
        texts = [memory.text for memory, _ in scored]
        yield "by error patterns: matching anti-patterns come first", "Module not found" in texts[0]
        found = at.memories.conventions(["src/x2"])
        yield "by file patterns: matching conventions", "Pattern 2" in found[0].text
        for name, most in (("strategy", 3), ("antipattern", 5), ("estimate", 2), ("convention", 3)):
            yield f"limit of {name}: {most}", kinds.count(name) == most
        heads = (
            "Knowledge Base (from previous loops)",
            "Proven Strategies",
            "Anti-Patterns to Avoid",
        )
        for head in (*heads, "Time/Iteration Estimates", "Project Conventions"):
            yield f"summary: {head}", f"## {head}" in told.markdown.splitlines()
        empty = at.another("empty")
        empty.memories.ensure_project()
        nothing = "## Knowledge Base\n\nNo relevant learnings found for this task type.\n"
        yield "summary of nothing", empty.memories.inject("Anything").markdown == nothing
        empty.close()
        yield "getAntiPatterns(context)", len(scored) > 0
        yield "getFileConventions(patterns)", len(at.memories.conventions(["test.ts"])) > 0
        estimate = at.memories.estimate("test-fix", "medium")
        held = estimate is not None and (estimate.extra or {})["content"]["complexity"] == "medium"
        yield "getEstimate(taskType, complexity)", held
        yield (
            "getTopLearnings(context, limit)",
            len(at.memories.top("Fix failing tests", limit=4)) == 4,
        )


@chapter("ralph", "Relevance scoring")
def relevance(at: Place) -> Iterator[Item]:
    with time_at("2026-02-13T10:30:00.000Z"):
        a = learning(1, sure=0.8, rate=0.75, updatedAt="2026-02-03T10:30:00Z")
        b = learning(2, task="feature", sure=0.9, rate=0.85, updatedAt="2025-12-15T10:30:00Z")
        bring(at, a, b)

        def top(task: str) -> dict[str, float]:
            found = at.memories.top("Fix failing tests", task_type=task, limit=2)
            return {memory.alias: round(value, 3) for memory, value in found}

        score = top("test-fix")
        yield "confidence counts 40 %", score["learn-00000001"] == 0.859
        yield (
            "a task type that matches counts 30 %",
            score["learn-00000001"] > score["learn-00000002"],
        )
        yield "success rate counts 20 %", score["learn-00000002"] == 0.563
        yield "recency counts 10 %, over 90 days", top("feature")["learn-00000002"] == 0.863


@chapter("ralph", "Usage examples")
def examples(at: Place) -> Iterator[Item]:
    first = says(
        "Write tests first", filesModified=["src/auth/login.ts", "test/auth/login.test.ts"]
    )
    done = learn(at, "ralph-001", "Fix failing authentication tests", *[first] * 3)
    yield "1: the whole pipeline", len(done.new) >= 4 and done.rejected == 0
    told = at.memories.inject("Fix failing authentication tests")
    yield (
        "2: knowledge for a new loop",
        "Test-driven development approach (effectiveness: 100%)" in told.markdown,
    )
    manual = learn(
        at,
        "ralph-009",
        "Optimize database queries",
        *[says("Small incremental steps")] * 3,
        stage=True,
    )
    at.memories.staging.validate()
    yield (
        "3: manual promotion with review",
        manual.findings > 0 and at.memories.staging.promote()[0] > 0,
    )
    found = at.memories.knowledge.query(
        kind="strategy", task_type="test-fix", min_confidence=0.7, min_success=0.8
    )
    yield "4: query of one type", len(found) == 1
    bad = failed("Cannot find module 'x'", "permission denied: access denied")
    learn(at, "ralph-010", "Fix module imports", bad, bad, bad)
    wrong = ("cannot find module", "module not found")
    scored = [
        memory.text for memory, _ in at.memories.antipatterns(wrong, task="Fix module imports")
    ]
    held = "Module" in scored[0] and "Permission" in scored[1]
    yield "5: anti-patterns by errors, the module before the permission", held
    learn(at, "ralph-002", "Fix database connection tests", *[says("Tests first again")] * 2)
    third = at.memories.inject("Fix API endpoint tests").markdown
    (one,) = [each for each in of_type(at, "strategy") if each["taskType"] == "test-fix"]
    held = one["sourceLoops"] == ["ralph-001", "ralph-002"] and "Test-driven" in third
    yield "6: loop 3 starts with knowledge of loops 1 and 2", held


@chapter("ralph", "Data management")
def management(at: Place) -> Iterator[Item]:

    def gone(**which: Any) -> set[str]:
        """What one pass of pruning takes away, by the last figure of its id."""
        changes = at.memories.tend(only="prune", **which).of("prune").changes
        return {at.memories.get(id).alias.removeprefix("learn-0000000") for id, *_ in changes}

    surest = {"sure": 0.9, "rate": 0.9}
    low = (learning(1, sure=0.35, rate=0.9, uses=1), learning(2, sure=0.9, rate=0.35, uses=1))
    bring(at, *low, learning(3, **surest), learning(4, **surest, uses=3))
    out = at.folder / "k"
    at.cli("data", "export", "--format", "ralph", "--out", str(out))
    found = json.loads((out / "ralph-learnings.json").read_text("utf-8"))
    held = (
        any(each["id"] and each["type"] == "strategy" for each in found["learnings"])
        and "byType" in found["stats"]
    )
    yield "the exported file is looked at with jq's paths", held
    held = gone(below=0.4) == {"1", "2"}
    yield "remove low quality: confidence or success rate below a floor, imported ones too", held
    yield "remove what was never used", gone(unused=True) == {"3"}
    with time_at("2027-02-03T10:30:00.000Z"):
        held = gone(older=90) == {"4"}
    yield "remove what is older than 90 days", held
    learn(at, "m-1", "Optimize it", *[says("Incremental steps")] * 3, stage=True)
    cleared = (
        at.cli("review", "clear", "--staged")[0] == 0 and exported(at, "staging")["staged"] == []
    )
    yield "clear the staging area", cleared
    yield "backup", at.cli("data", "backup")[0] == 0 and len(at.memories.backups()) == 1
    later = at.memories.add("Known only after the backup was made", kind="strategy").id
    at.memories.restore()
    yield "restore", later not in {each.id for each in at.memories.list(archived=True, limit=100)}
    yield "verify after a restore", at.memories.health().health.faults == ()
    one, two = at.another("one"), at.another("two")
    bring(one, learning(7), learning(8))
    report = import_(one, "k/ralph-learnings.json", store_of(learning(8), learning(9)))
    yield (
        "merge two stores: by id, the second import adds what is new",
        (len(report.kept), report.already) == (1, 1),
    )
    yield "export to JSON", len(exported(one)["learnings"]) == 3
    bad = store_of(learning(5)).replace('"checksum": "', '"checksum": "0')
    refused = raises(Damaged, lambda: import_(one, "bad.json", bad, format="ralph"))
    yield "import from JSON, its checksum validated", refused
    head = one.memories.export("ralph", "csv").splitlines()[0]
    wanted = "id,type,taskType,confidence,successRate,useCount,createdAt"
    yield "export to CSV: seven columns", head == wanted
    one.close(), two.close()
