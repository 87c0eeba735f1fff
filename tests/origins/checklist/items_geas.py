"""geas: plugin/skills/memorizing/SKILL.md, item by item."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from book import Item, Place, chapter, differs

from tacit.core import clock
from tacit.core.links import Mark
from tacit.core.proposal import Proposal
from tacit.hosts.source import BytesSource
from tacit.origins import geas
from tacit.origins.origin import STAGES, stage

ORCHESTRATOR = "orchestration_authority"
BACKOFF = "Retry without exponential backoff failed and flooded the queue"
ABOUT_IT = "Make the queue retry with exponential backoff"
FLOODS = "Retry without backoff floods the queue and failed twice"
ELSEWHERE = "Translate the landing page into Portuguese"
SENTENCES = {
    "failure_lesson": "The import failed because a regression broke the parser",
    "architecture_precedent": "The architecture keeps module boundaries between layers",
    "decision_precedent": "We decided on a trade-off: we chose queues",
    "security_pattern": "Secrets in the log are a security vulnerability",
    "performance_tip": "Throughput suffers from slow queries and latency",
    "test_strategy": "A fixture raises test coverage of flaky tests",
    "integration_pattern": "The integration needs an api contract at the interface",
    "ux_pattern": "Usability of the user interface needs accessible labels",
    "process_improvement": "The handover in our workflow needs a review step",
    "risk_pattern": "There is a risk that recovery stays uncertain",
    "project_rule": "Convention: we always name branches after the task",
    "agent_rule": "The agent must ask; this is agent-specific",
}
REVIEWERS = {
    "security_pattern": "risk_specialist",
    "architecture_precedent": "design_authority",
    "test_strategy": "quality_specialist",
    "performance_tip": "design_authority",
    "integration_pattern": "design_authority",
    "ux_pattern": "communication_specialist",
    "process_improvement": ORCHESTRATOR,
    "failure_lesson": ORCHESTRATOR,
    "decision_precedent": "product_authority",
    "risk_pattern": ORCHESTRATOR,
    "project_rule": ORCHESTRATOR,
    "agent_rule": ORCHESTRATOR,
}


def task(
    at: Place,
    name: str,
    candidates: list[str] | None = None,
    goal: str = "Something to do",
    verdict: str = "",
    given: list[str] | None = None,
    mission: str = "m-1",
    **documents: dict[str, Any],
) -> Any:
    """A task folder as geas leaves it behind, learned."""
    folder = f".geas/missions/{mission}/tasks/{name}"
    contract = {
        "artifact_type": "task_contract",
        "title": goal,
        "goal": goal,
        "task_kind": "implementation",
    }
    retro = {
        "artifact_type": "retrospective",
        "producer_type": ORCHESTRATOR,
        "memory_candidates": candidates or [],
    }
    every: dict[str, dict[str, Any]] = {
        "task-contract": contract,
        "retrospective": retro,
        **documents,
    }
    if verdict:
        every["gate-result"] = {"artifact_type": "gate_result", "verdict": verdict}
    for file, told in every.items():
        at.write(
            f"{folder}/{file}.json",
            {"version": "1.0", "task_id": name, "created_at": "2026-04-06T08:15:00Z", **told},
        )
    if given:
        packet = geas.packet_of(name, "software_engineer", given, (), (), "", clock.now())
        at.write(f".geas/missions/{mission}/packets/{name}/memory-packet.json", packet)
    return at.memories.learn(str(at.folder / folder / "retrospective.json"))[0]


COUNTED = ("reuse_count", "successful_reuses", "failed_reuses", "contradiction_count")
SIGNALS = {"evidence_count": 2, **dict.fromkeys(COUNTED, 0), "confidence": 0.8}
EXTRACTED = {
    "state": "candidate",
    "evidence_refs": ["retro-1"],
    "evidence_count": 1,
    "confidence": 0.4,
}
MEANT = "Add exponential backoff before a message is queued again"


def write(at: Place, id: str = "mem-task-014-1", summary: str = MEANT, **fields: Any) -> Any:
    """A memory's document, taken in; a field by a signal's name is that signal."""
    signals = {name: fields.pop(name, usual) for name, usual in SIGNALS.items()}
    state = fields.get("state", "provisional")
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
        "title": "Backoff",
        "summary": summary,
        "scope": "project",
        "evidence_refs": ["retro-task-014", "retro-task-019"],
        "signals": signals,
    }
    rest: dict[str, Any] = {"candidate_reason": "c", "source_artifacts": ["s"]}
    if state != "candidate":
        rest = {
            "review_after": "2099-04-06T08:15:00Z",
            "supersedes": [],
            "superseded_by": None,
            "tags": [],
            "body": [],
        }
    source = BytesSource(
        json.dumps({**made, **rest, **fields}, ensure_ascii=False).encode(), "document.json"
    )
    return at.memories.import_(source, format="geas", trust="user")[0]


def lines(at: Place, name: str) -> list[dict[str, Any]]:
    """The rows of an exported journal."""
    found = at.memories.export_files("geas")
    return [
        json.loads(line)
        for path in found
        if path.endswith(name)
        for line in found[path].splitlines()
    ]


def state(at: Place, id: str) -> str:
    return stage(at.memories.get(id))


def files(at: Place) -> dict[str, Any]:
    return {
        path: json.loads(text)
        for path, text in at.memories.export_files("geas").items()
        if path.endswith(".json")
    }


def approve(at: Place, id: str, to: str, *signed: tuple[str, str]) -> Any:
    done = None
    for name, role in signed:
        done = at.sit(name).review(id, "approve", to=to, role=role)
    return done


def signals(at: Place, id: str = "mem-task-014-1") -> dict[str, Any]:
    return next(
        each["signals"]
        for each in files(at).values()
        if each.get("memory_id") == id and "signals" in each
    )


@chapter("geas", "Files")
def layout(at: Place) -> Iterator[Item]:
    write(at)
    task(at, "task-001", [BACKOFF.replace("queue", "mailer of the shop")])
    task(at, "task-020", goal=ABOUT_IT, verdict="pass", given=["mem-task-014-1"])
    found = at.memories.export_files("geas")
    yield "candidates/", any(path.startswith("memory/candidates/") for path in found)
    yield "entries/", any(path.startswith("memory/entries/") for path in found)
    yield "logs/", any(path.startswith("memory/logs/") for path in found)
    yield "state/memory-index.json", "state/memory-index.json" in found
    yield "{memory-id}.json", "memory/entries/mem-task-014-1.json" in found
    yield "{task-id}-{memory-id}.json", "memory/logs/task-020-mem-task-014-1.json" in found


@chapter("geas", "Candidate extraction")
def extraction(at: Place) -> Iterator[Item]:
    task(at, "task-014", [FLOODS, "Secrets in the log are a security vulnerability"])
    names = {each.alias for each in at.memories.list()}
    yield (
        "memory_candidates[] become mem-{task-id}-{N}",
        names == {"mem-task-014-1", "mem-task-014-2"},
    )
    other = at.another("types")
    task(other, "task-001", [*SENTENCES.values()])
    kinds = {each.text: each.kind for each in other.memories.list(limit=50)}
    for name, text in SENTENCES.items():
        yield f"memory_type {name}, from its words", kinds.get(text) == name
    words = {
        "task": "Only in this task: failure of the parser was a bug",
        "mission": "For this mission the failure of mails is a bug",
        "project": "The build failed because of a bug in the cache",
    }
    everywhere = "Every project: failures of disks are a bug everywhere"
    task(other, "task-002", [*words.values(), everywhere])
    scopes = {each.text: each.scope for each in other.memories.list(limit=50)}
    for name, text in words.items():
        yield f"scope {name}, from its words", scopes.get(text) == name
    yield differs(
        "scope agent and global",
        scopes[everywhere] == "project",
        "Scope agent and global need a person",
    )
    other.close()
    document = next(
        each for path, each in files(at).items() if path.endswith("mem-task-014-1.json")
    )
    wanted = {
        "meta.version": "1.0",
        "meta.artifact_type": "memory_candidate",
        "meta.artifact_id": "mem-task-014-1",
        "meta.producer_type": ORCHESTRATOR,
        "memory_id": "mem-task-014-1",
        "memory_type": "failure_lesson",
        "state": "candidate",
        "summary": FLOODS,
        "scope": "project",
        "evidence_refs": ["retro-task-014"],
        "signals.evidence_count": 1,
        "signals.reuse_count": 0,
        "signals.successful_reuses": 0,
        "signals.failed_reuses": 0,
        "signals.contradiction_count": 0,
        "signals.confidence": 0.4,
        "candidate_reason": "Extracted from task task-014 retrospective",
        "source_artifacts": [".geas/missions/m-1/tasks/task-014/retrospective.json"],
    }
    for name, value in wanted.items():
        head, _, tail = name.partition(".")
        found = document[head][tail] if tail else document[head]
        yield f"candidate document: {name}", found == value
    same = task(at, "task-015", ["Retry without backoff floods the queue and it failed twice"])
    again = next(each for path, each in files(at).items() if path.endswith("mem-task-014-1.json"))
    grown = (same.new, again["evidence_refs"], again["signals"]["evidence_count"])
    held = grown == ((), ["retro-task-014", "retro-task-015"], 2)
    yield "a similar candidate: evidence_refs and evidence_count grow, no twin", held


@chapter("geas", "Automatic triggers")
def triggers(at: Place) -> Iterator[Item]:
    troubles: dict[str, tuple[dict[str, Any], float, str]] = {
        "failure_class twice: failure_lesson, 0.6": (
            {
                "failure-record": {
                    "artifact_type": "failure_record",
                    "failure_class": "flaky",
                    "failure_description": "The gateway never answered",
                }
            },
            0.6,
            "failure_lesson",
        ),
        "a concern category in two tasks: 0.6": (
            {
                "specialist-review": {
                    "artifact_type": "specialist_review",
                    "reviewer_type": "risk_specialist",
                    "concerns": [{"category": "validation", "concern": "Amounts are not checked"}],
                }
            },
            0.6,
            "",
        ),
        "recovery_class twice: risk_pattern, 0.4": (
            {
                "recovery-packet": {
                    "artifact_type": "recovery_packet",
                    "recovery_class": "lost",
                    "detected_problem": "The worktree was gone",
                }
            },
            0.4,
            "risk_pattern",
        ),
        "self-check of 2 or less twice for a task_kind: risk_pattern, 0.4": (
            {
                "worker-self-check": {
                    "artifact_type": "worker_self_check",
                    "confidence": 2,
                    "known_risks": ["untested"],
                }
            },
            0.4,
            "risk_pattern",
        ),
    }
    same = []
    for number, (words, (documents, sure, kind)) in enumerate(troubles.items()):
        other = at.another(f"t{number}")
        for name in ("task-001", "task-002"):
            task(other, name, **documents)
        (made,) = other.memories.list()
        yield words, made.tally.confidence == sure and kind in ("", made.kind)
        for _ in range(2):
            other.cli("learn", ".geas")
        same.append(other.memories.get(made.id).tally == made.tally and made.tally.seen == 2)
        other.close()
    yield (
        "both incidents are evidence, and learning the unchanged tree again changes nothing",
        same == [True] * 4,
    )


@chapter("geas", "Review")
def review(at: Place) -> Iterator[Item]:
    for kind, role in REVIEWERS.items():
        write(at, f"mem-{kind}", SENTENCES[kind], memory_type=kind, **EXTRACTED)
        done = at.sit(f"head of {role}").review(f"mem-{kind}", "approve", role=role)
        yield f"reviewer of {kind}: {role}", done.state == "provisional"
    write(at, "mem-a", "Backups of the ledger fail at month end", **EXTRACTED)
    write(at, "mem-b", "Caches of prices go stale at noon", **EXTRACTED)
    at.sit("olga").review("mem-a", "reject", reason="not useful")
    yield "promote_provisional", state(at, "mem-security_pattern") == "provisional"
    yield "keep: it stays a candidate", state(at, "mem-b") == "candidate"
    yield "reject", state(at, "mem-a") == "rejected"
    task(at, "task-099", ["Dashboards broke: a regression in the legend"])
    done = at.sit("olga").review("mem-task-099-1", "approve", role=ORCHESTRATOR)
    yield "mem-{task}-{N} is known to every command from birth on", done.state == "provisional"
    apart = "memory/reviews/mem-security_pattern-review.json" in files(at)
    yield differs(
        "the review file {memory-id}-review.json", apart, "Reviews have a folder of their own"
    )
    write(
        at,
        "mem-c",
        "Cookies lack the secure flag: a security matter",
        memory_type="security_pattern",
        **EXTRACTED,
    )
    at.sit("dora").review("mem-c", "approve", role="design_authority")
    at.sit("rita").review("mem-c", "approve", role="risk_specialist")
    decided = files(at)["memory/reviews/mem-c-review.json"]["reviewer_type"]
    yield "reviewer_type: whose word decided", decided == "risk_specialist"


@chapter("geas", "Promotion pipeline")
def ladder(at: Place) -> Iterator[Item]:
    task(at, "task-001", [BACKOFF])
    task(at, "task-002", [BACKOFF])
    yield "candidate → provisional: two evidence_refs", state(at, "mem-task-001-1") == "provisional"
    trouble = {
        "artifact_type": "failure_record",
        "failure_class": "disk",
        "failure_description": "The disk was full",
    }
    for name in ("task-011", "task-012"):
        task(at, name, **{"failure-record": trouble})
    up = [
        each
        for each in at.memories.list()
        if (each.extra or {}).get("trigger") and stage(each) == "provisional"
    ]
    yield "candidate → provisional: two similar incidents", up != []
    task(at, "task-003", ["Labels of charts failed: a regression in colours"])
    olga = ("olga", ORCHESTRATOR)
    done = approve(at, "mem-task-003-1", "provisional", olga)
    yield "candidate → provisional: the domain authority", done.state == "provisional"
    write(
        at, "mem-s", "Parsers of invoices failed on empty lines", successful_reuses=3, reuse_count=3
    )
    done = approve(at, "mem-s", "stable", olga)
    yield (
        "provisional → stable: 3 successful reuses, no contradiction, review",
        done.state == "stable",
    )
    reused = {"state": "stable", "successful_reuses": 5, "reuse_count": 5}
    write(
        at,
        "mem-k",
        "Tokens of users are a security matter in logs",
        memory_type="security_pattern",
        **reused,
    )
    write(at, "mem-k2", "Queues of mails failed without a limit", **reused)
    with at.memories.store.write(confidence=at.memories.profile.signals.confidence) as tx:
        for id in ("mem-k", "mem-k2"):
            for name in ("t-1", "t-2", "t-3"):
                tx.add_mark(
                    Mark(
                        at.memories.get(id).id,
                        name,
                        at.memories.project_id,
                        "tasks",
                        at=clock.now(),
                    )
                )
    done = approve(at, "mem-k", "canonical", olga, ("rita", "risk_specialist"))
    yield "stable → canonical: 5 reuses in 3 tasks, joint approval", done.state == "canonical"
    alone = approve(at, "mem-k2", "canonical", olga, olga)
    both = approve(at, "mem-k2", "canonical", ("otto", ORCHESTRATOR))
    yield (
        "joint approval takes two heads for every type",
        alone.state == "stable" and both.state == "canonical",
    )
    write(at, "mem-f", "Sorting of names failed for umlauts", failed_reuses=2, reuse_count=2)
    task(at, "task-030", goal="Sorting of names with umlauts", verdict="fail", given=["mem-f"])
    yield "→ under_review: failed_reuses >= 2", state(at, "mem-f") == "under_review"
    write(at, "mem-l", "Rounding of prices failed at midnight", confidence=0.35)
    task(at, "task-031", goal="Rounding of prices at midnight", verdict="fail", given=["mem-l"])
    yield "→ under_review: confidence < 0.3", state(at, "mem-l") == "under_review"
    write(at, "mem-m", "Uploads of images failed when large")
    at.sit("olga").review("mem-m", "open", reason="doubtful")
    yield "→ under_review: on request", state(at, "mem-m") == "under_review"
    at.sit("olga").review("mem-m", "close", outcome="reinstate", role=ORCHESTRATOR)
    yield "under_review → reinstated", state(at, "mem-m") == "provisional"
    outcomes = (("superseded", "supersede"), ("archived", "archive"), ("rejected", "reject"))
    for number, (word, how) in enumerate(outcomes):
        write(at, f"mem-r{number}", f"Case {word} number{number} of area{number} failed there")
        at.sit("olga").review(f"mem-r{number}", "open", reason="doubtful")
        by = {"into": "mem-m"} if how == "supersede" else {}
        at.sit("olga").review(f"mem-r{number}", "close", outcome=how, role=ORCHESTRATOR, **by)
        yield f"under_review → {word}", state(at, f"mem-r{number}") == word
    write(at, "mem-d1", "Overdue lesson about the mast failed", review_after="2026-05-06T08:15:00Z")
    write(
        at,
        "mem-d2",
        "Contradicted lesson about the keel failed",
        contradiction_count=3,
        confidence=0.5,
    )
    write(at, "mem-d3", "Doubtful lesson about the sail failed", confidence=0.2)
    at.memories.tend(only="sweep")
    yield "→ decayed: review_after passed and no reuse", state(at, "mem-d1") == "decayed"
    yield "→ decayed: contradiction_count >= 3", state(at, "mem-d2") == "decayed"
    yield "→ decayed: confidence < 0.3, found by a sweep", state(at, "mem-d3") == "decayed"
    for id, name, wanted in (
        ("mem-task-001-1", "provisional", 30),
        ("mem-s", "stable", 90),
        ("mem-k", "canonical", 180),
    ):
        memory = at.memories.get(id)
        days = clock.days_between(memory.updated_at, memory.review_after)
        yield f"review_after: {wanted} days when {name}", round(days) == wanted
    events = lines(at, "events.jsonl")
    moved = [row for row in events if row["event"] == "memory_promoted"]
    told = any(row["from_state"] and row["to_state"] and row["timestamp"] for row in moved)
    yield "event memory_promoted, from, to and time", told
    why = any(row["event"] == "memory_decayed" and row["reason"] for row in events)
    yield "event memory_decayed, with its reason", why
    write(at, "mem-t", "Thrice doubted lesson about the anchor failed")
    for _ in range(2):
        at.sit("olga").review("mem-t", "open", reason="doubtful")
        at.sit("olga").review("mem-t", "close", outcome="reinstate", role=ORCHESTRATOR)
    at.sit("olga").review("mem-t", "open", reason="doubtful")
    at.memories.tend(only="sweep")
    yield "a third review archives it", state(at, "mem-t") == "archived"


@chapter("geas", "Application logging")
def application(at: Place) -> Iterator[Item]:
    write(at)
    late = "Exponential backoff of the queue may retry too late"
    write(at, "mem-low", late, confidence=0.4, contradiction_count=1)
    told = at.memories.inject(
        ABOUT_IT,
        run="m-1/task-020",
        host="geas",
        agent="software_engineer",
        task_id="task-020",
        trial=False,
    ).markdown
    yield (
        "packet: ## Applicable Memory, cautions apart",
        told.startswith("## Applicable Memory") and "aution" in told,
    )
    yield (
        "packet document: caution_items",
        lines(at, "packets.jsonl")[-1]["caution_items"] == ["mem-low"],
    )
    task(at, "task-020", goal=ABOUT_IT, verdict="pass")
    one = signals(at)
    task(at, "task-021", goal=ABOUT_IT, verdict="fail", given=["mem-task-014-1"])
    two = signals(at)
    task(at, "task-022", goal=ELSEWHERE, verdict="pass", given=["mem-task-014-1"])
    three = signals(at)
    found = [each for path, each in files(at).items() if path.startswith("memory/logs/")]
    logs = {each["task_id"]: each for each in found if each["memory_id"] == "mem-task-014-1"}
    yield (
        "effect positive: passed, and the advice was to the point",
        logs["task-020"]["effect"] == "positive",
    )
    yield "effect negative: failed where it was to help", logs["task-021"]["effect"] == "negative"
    yield "effect neutral: no clear impact", logs["task-022"]["effect"] == "neutral"
    first = logs["task-020"]
    yield (
        "applied_by_type: the agent that received the packet",
        first["applied_by_type"] == "software_engineer",
    )
    named = first["meta"]["artifact_id"]
    yield "artifact_id: mal-{task-id}-{memory-id}", named == "mal-task-020-mem-task-014-1"
    at.memories.feedback("mem-task-014-1", "wrong", run="m-1/task-022")
    four, log = signals(at), files(at)["memory/logs/task-022-mem-task-014-1.json"]
    weaker = (log["effect"], log["followup_action"]) == ("negative", "weaken")
    yield "advice that was wrong: negative, followup_action weaken", weaker
    successful, failed, reused = "successful_reuses", "failed_reuses", "reuse_count"
    for words, told, wanted in (
        (
            f"positive: {successful} and {reused} + 1, confidence + 0.1",
            one,
            {successful: 1, reused: 1, "confidence": 0.9},
        ),
        (
            f"negative: {failed} and {reused} + 1, confidence - 0.1",
            two,
            {failed: 1, reused: 2, "confidence": 0.8},
        ),
        ("neutral: reuse_count + 1, confidence as it was", three, {reused: 3, "confidence": 0.8}),
        (
            "contradiction: contradiction_count + 1, confidence - 0.2",
            four,
            {COUNTED[3]: 1, "confidence": 0.6},
        ),
    ):
        yield words, {name: told[name] for name in wanted} == wanted
    high, low = at.another("high"), at.another("low")
    write(high, confidence=1.0)
    task(high, "task-001", goal=ABOUT_IT, verdict="pass", given=["mem-task-014-1"])
    yield "confidence is at most 1.0", signals(high)["confidence"] == 1
    write(low, confidence=0.05)
    low.memories.feedback("mem-task-014-1", "wrong", run="")
    yield "confidence is at least 0.0", signals(low)["confidence"] == 0
    high.close(), low.close()


@chapter("geas", "Initial confidence")
def confidence(at: Place) -> Iterator[Item]:
    found = []
    for number in range(1, 4):
        task(at, f"task-{number:03d}", [BACKOFF])
        found.append(at.memories.get("mem-task-001-1").tally.confidence)
    for refs, sure in enumerate((0.4, 0.6, 0.8), 1):
        yield f"{refs} evidence refs: {sure}", found[refs - 1] == sure


@chapter("geas", "Valid states")
def states(at: Place) -> Iterator[Item]:
    for name in "candidate provisional stable canonical under_review decayed superseded archived rejected".split():
        report = write(
            at, f"mem-{name}", f"Lesson in state {name} about subject {name} failed", state=name
        )
        yield name, name in STAGES and len(report.kept) == 1 and state(at, f"mem-{name}") == name


@chapter("geas", "Conflicts")
def conflicts(at: Place) -> Iterator[Item]:
    pairs = [
        ("project_rule", "project", "failure_lesson", "project"),
        ("failure_lesson", "project", "failure_lesson", "mission"),
        ("failure_lesson", "mission", "risk_pattern", "project"),
    ]
    won = []
    for number, (kind, scope, other, reach) in enumerate(pairs):
        place = at.another(f"c{number}")
        write(place, "mem-one", "Always retry the queue at once", memory_type=kind, scope=scope)
        write(place, "mem-two", "Never retry the queue at once", memory_type=other, scope=reach)
        one, two = (place.memories.get(f"mem-{name}").id for name in ("one", "two"))
        said = (
            "p1",
            place.memories.project_id,
            "contradiction",
            "opposites",
            "tend",
            clock.now(),
            one,
        )
        with place.memories.store.write() as tx:
            tx.put_proposal(Proposal(*said, payload={"other": two}))
        told = place.memories.inject(
            "retry the queue", run="task-9", host="geas", trial=False
        ).injected
        won.append(one in told and two not in told)
        place.close()
    yield (
        "of two that conflict: rules.md > project memory > narrower memory > risk memory",
        won == [True] * 3,
    )
    write(at, "mem-x", confidence=0.6)
    better = "Add exponential backoff and jitter before a message is queued again"
    report = write(at, "mem-x", better, confidence=0.7, successful_reuses=2, reuse_count=2)
    now = next(each for each in files(at).values() if each.get("memory_id") == "mem-x")
    held = (report.updated, len(at.memories.list(limit=9)), now["summary"]) == (1, 1, better)
    held = held and (now["signals"]["confidence"], now["signals"]["successful_reuses"]) == (0.7, 2)
    yield "an imported entry that changed updates its memory", held
