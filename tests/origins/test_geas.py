"""geas, by its vectors and by its document: states and roles, confidence, application logs, decay, retrieval, packets."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests import verbs
from tests.verbs import Memories

from tacit.core import clock
from tacit.core.errors import NotFound, Refused
from tacit.core.exchange import Row
from tacit.core.links import Mark
from tacit.core.proposal import Proposal
from tacit.core.run import Finding, Run
from tacit.hooks.events import Query
from tacit.hosts.source import BytesSource
from tacit.lesson import Lesson, Tally
from tacit.origins import geas
from tacit.origins.origin import STAGES, stage
from tacit.origins.ranked import Facts, asked
from tacit.origins.ranking import ordered

from .conftest import Vector

SYSTEM = "geas"
SCHEMAS = tuple(
    f"{name}_schema"
    for name in ("candidate", "entry", "application_log", "review", "index", "packet")
)
DIRECT = {
    **dict.fromkeys(SCHEMAS, "whether a document is valid is asked before it is a memory"),
    "own_retrieval": "a score is not part of what a run is told",
}
ORCHESTRATOR = "orchestration_authority"


class Desk:
    """A project of geas's on a store of its own, and the people who sign there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.opened: list[Memories] = []

    def sit(self, name: str = "olga") -> Memories:
        """The memories, in somebody's name."""
        memories = verbs.open(
            str(self.folder / "geas.db"), profile="geas", cwd=str(self.folder), by=name, yes=True
        )
        self.opened.append(memories)
        return memories

    def write(
        self, document: dict[str, Any], trust: str = "user", path: str = "document.json"
    ) -> Any:
        """Import one document."""
        source = BytesSource(json.dumps(document, ensure_ascii=False).encode(), path)
        return self.sit().import_(source, format="geas", trust=trust)[0]

    def move(self, id: str, to: str) -> Any:
        """Ask for a move with everybody's approval, one head a role."""
        roles = ("person", *self.sit().profile.roles)
        for n, role in enumerate(
            (*roles, *roles)
        ):  # where two heads of one role are wanted, there is a second of each
            done = self.sit(f"person {n}").review(id, "approve", to=to, role=role)
            if not done.waits_for:
                return done
        raise AssertionError(f"{id} still waits for {done.waits_for}")

    def files(self) -> dict[str, Any]:
        """What geas would find in its folder."""
        found = self.sit().export_files("geas")
        return {path: json.loads(text) for path, text in found.items() if path.endswith(".json")}

    def only(self) -> Lesson:
        """The one memory there is, with the name geas would give it."""
        memories = self.sit()
        memories.export("geas")
        (found,) = [
            each
            for each in memories.list(archived=True, limit=9)
            if not (each.extra or {}).get("trigger")
        ]
        return found

    def task(
        self,
        task: str,
        *,
        candidates: Sequence[str] = (),
        verdict: str = "",
        goal: str = "Something to do",
        kind: str = "implementation",
        given: Sequence[str] = (),
        recipes: Sequence[str] = (),
        mission: str = "m-1",
        **documents: dict[str, Any],
    ) -> Any:
        """A task folder as geas leaves it behind, learned from its retrospective."""
        folder = self.folder / ".geas" / "missions" / mission / "tasks" / task
        contract = {
            "artifact_type": "task_contract",
            "title": goal,
            "goal": goal,
            "task_kind": kind,
            "risk_level": "normal",
            "eval_commands": list(recipes),
        }
        every = {"task-contract": contract, **documents}
        told = {
            "artifact_type": "retrospective",
            "producer_type": ORCHESTRATOR,
            "memory_candidates": list(candidates),
        }
        every.setdefault("retrospective", told)
        if verdict:
            every["gate-result"] = {"artifact_type": "gate_result", "verdict": verdict}
        if given:
            packet = geas.packet_of(task, "software_engineer", given, (), (), "", clock.now())
            every[f"../../packets/{task}/memory-packet"] = packet
        head = {"version": "1.0", "task_id": task, "created_at": "2026-04-06T08:15:00Z"}
        for name, written in every.items():
            path = folder / f"{name}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps({**head, **written}, ensure_ascii=False))
        return self.sit().learn(str(folder / "retrospective.json"))[0]

    def apply(self, id: str, effect: str, task: str) -> None:
        """A task that was given a memory, and what came of it."""
        if effect == "contradiction":
            self.task(task, goal=ELSEWHERE)
            self.sit().feedback(id, "wrong", run=f"m-1/{task}")
        else:
            goal = ELSEWHERE if effect == "neutral" else ABOUT_IT
            self.task(
                task, goal=goal, verdict="fail" if effect == "negative" else "pass", given=[id]
            )

    def close(self) -> None:
        for memories in self.opened:
            memories.close()


@pytest.fixture
def desk(folder: Path) -> Iterator[Desk]:
    desk = Desk(folder)
    yield desk
    if desk.opened:
        assert desk.sit().health().health.faults == ()  # whatever was done, the store verifies
    desk.close()


def meta(kind: str, id: str, at: str = "2026-04-06T08:15:00Z") -> dict[str, Any]:
    head = {"version": "1.0", "artifact_type": kind, "artifact_id": id}
    return {**head, "producer_type": ORCHESTRATOR, "created_at": at}


def document(id: str = "mem-task-014-1", **fields: Any) -> dict[str, Any]:
    """A memory document, complete; a candidate where the state says so."""
    signals = {
        "evidence_count": 5,
        "reuse_count": 9,
        "successful_reuses": 9,
        "failed_reuses": 0,
        "contradiction_count": 0,
        "confidence": 0.9,
    }
    signals.update(fields.pop("signals", {}))
    state = fields.get("state", "stable")
    made = {
        "meta": meta("memory_candidate" if state == "candidate" else "memory_entry", id),
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
        folder = ".geas/missions/m-1/tasks/task-014"
        made |= {
            "candidate_reason": "Extracted",
            "source_artifacts": [f"{folder}/retrospective.json"],
        }
    else:
        made |= {
            "review_after": "2099-05-06T08:15:00Z",
            "supersedes": [],
            "superseded_by": None,
            "tags": ["queue"],
            "body": ["Twice under load."],
        }
    return {**made, **fields}


def log(task: str, effect: str = "positive", id: str = "mem-task-014-1") -> dict[str, Any]:
    return {
        "meta": meta("memory_application_log", f"mal-{task}-{id}", "2026-04-20T08:15:00Z"),
        "memory_id": id,
        "task_id": task,
        "applied_by_type": "software_engineer",
        "usage_surface": "task_packet",
        "effect": effect,
        "notes": "Backoff added up front; task passed.",
        "followup_action": "none",
    }


def artifact(file: str, **told: Any) -> dict[str, dict[str, Any]]:
    """One document of a task, under its file's name."""
    return {file: {"artifact_type": file.replace("-", "_"), **told}}


# --- vectors ------------------------------------------------------------------------------------------------------------


def valid(given: dict[str, Any], desk: Desk) -> dict[str, Any]:
    return {"valid": not geas.document_faults(given["document"])}


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
            written = desk.write(args[0])
            # one that is renewed is written, too
            results.append({"op": op, "rc": int(not (written.kept or written.updated))})
        elif op == "promote":
            results.append({"op": op, **_promote(desk, *args)})
        elif op == "index-update":
            head = meta("memory_index", "memory-index", _second(clock.now()))
            if geas.document_faults({"meta": head, "entries": [args[0]]}):
                results.append({"op": op, "rc": 1})
                continue
            action = "updated" if args[0]["memory_id"] in index else "added"
            index[args[0]["memory_id"]] = args[0]
            results.append({"op": op, "rc": 0, "action": action})
        else:
            _, memory, written = args
            desk.write(document(memory))  # a log speaks of a memory that is there
            logged.append(memory)
            results.append({"op": op, "rc": int(not desk.write(written).audits)})
    files = {} if not desk.opened else desk.files()
    # The index is always there and in step, and each decision leaves its review, as the document has it; its program forgot both.
    files = {
        path: files[path]
        for path in files
        if path != "state/memory-index.json" and "/reviews/" not in path
    }
    if logged:
        files = {path: each for path, each in files.items() if "/logs/" in path}
    if index:
        files = {
            "state/memory-index.json": geas.index_of(
                [_row(each) for each in index.values()], clock.now()
            )
        }
    return {"results": results, "files": files}


def _promote(desk: Desk, id: str, to: str) -> dict[str, Any]:
    try:
        was = stage(desk.sit().get(id))
        desk.move(id, to)
    except (Refused, NotFound):
        return {"rc": 2}
    return {"rc": 0, "from": was, "to": to, "moved_from_candidates": was == "candidate"}


def _row(entry: dict[str, Any]) -> Row:
    """A memory that an index row could be about."""
    kept = Lesson(
        "m",
        "p",
        "x",
        kind=entry["memory_type"],
        state=STAGES[entry["state"]],
        extra={"stage": entry["state"]},
        tags=tuple(entry["tags"]),
        review_after=entry["review_after"],
        tally=Tally(confidence=entry["confidence"]),
    )
    return Row(kept, entry["memory_id"])


# --- our own vectors: what the document says in words and the original had no code for ----------------------------------

LESSON = "Add exponential backoff before a message is queued again"
ABOUT_IT = "Make the queue retry with exponential backoff"
ELSEWHERE = "Translate the landing page into Portuguese"


def confidence(given: dict[str, Any], desk: Desk) -> float | None:
    for n in range(given["evidence"]):
        desk.task(f"task-{n}", candidates=[LESSON])
    memory = desk.only()
    for n, effect in enumerate(given["applications"]):
        desk.apply(memory.alias, effect, f"use-{n}")
    return desk.only().tally.confidence


def promotion(given: dict[str, Any], desk: Desk) -> dict[str, Any]:
    if "runs" in given:
        for n in range(given["runs"]):
            desk.task(f"task-{n}", candidates=[LESSON])
        return {"state": stage(desk.only())}
    counts = {
        "successful_reuses": given.get("successful", 0),
        "contradiction_count": given.get("contradictions", 0),
    }
    signals = {"evidence_count": 1, **counts}
    desk.write(document(state=given["state"], memory_type=given["type"], signals=signals))
    for n in range(given.get("tasks", 0)):
        desk.write(log(f"task-{n}"))
    for name, role in given["approvals"]:
        with contextlib.suppress(Refused):
            desk.sit(name).review("mem-task-014-1", "approve", to=given["to"], role=role)
    return {"state": stage(desk.only())}


def harmful_reuse(given: dict[str, Any], desk: Desk) -> dict[str, Any]:
    desk.write(
        document(signals={"failed_reuses": given["failed"], "confidence": given["confidence"]})
    )
    desk.apply("mem-task-014-1", given["effect"], "use-1")
    now = desk.only()
    return {"state": stage(now), "failed": int((now.tally.signals or {}).get("failed_reuse", 0))}


def reviewed(given: dict[str, Any], desk: Desk) -> dict[str, Any]:
    desk.write(document(state=given["state"], signals={"failed_reuses": given["failed"]}))
    for op in given["ops"]:
        with contextlib.suppress(Refused):
            if op == "tend":
                desk.sit().tend()
            elif op == "open":
                desk.sit().review("mem-task-014-1", "open")
            else:
                desk.sit().review("mem-task-014-1", "close", outcome=op, role=ORCHESTRATOR)
    now = desk.only()
    return {"state": stage(now), "failed": int((now.tally.signals or {}).get("failed_reuse", 0))}


def decay(given: dict[str, Any], desk: Desk) -> dict[str, Any]:
    now = clock.now()
    given_signals = {
        "contradiction_count": given.get("contradictions", 0),
        "confidence": given.get("confidence", 0.9),
    }
    made = document(state=given["state"], signals={"evidence_count": 1, **given_signals})
    if "due" in given:
        made["review_after"] = _second(clock.after_days(now, given["due"]))
    if "reviewing" in given:
        made["meta"]["updated_at"] = _second(clock.after_days(now, -given["reviewing"]))
    desk.write(made)
    if given.get("used"):
        used = clock.after_days(now, -1)
        packet = geas.packet_of("task-1", "software_engineer", ["mem-task-014-1"], (), (), "", used)
        assert desk.write(packet).audits
    desk.sit().tend()
    return {"state": stage(desk.only())}


def review_after(given: dict[str, Any], desk: Desk) -> int:
    before = {"provisional": "candidate", "stable": "provisional", "canonical": "stable"}[
        given["to"]
    ]
    desk.write(document(state=before))
    for task in ("task-1", "task-2", "task-3"):
        desk.write(log(task))
    desk.move("mem-task-014-1", given["to"])
    return round(clock.days_between(clock.now(), desk.only().review_after))


def effect(given: dict[str, Any], desk: Desk) -> dict[str, Any]:
    desk.write(document(signals={"reuse_count": 0, "successful_reuses": 0}))
    goal = ABOUT_IT if given["touches"] else ELSEWHERE
    desk.task("use-1", goal=goal, verdict=given["outcome"], given=["mem-task-014-1"])
    signals = desk.only().tally.signals or {}
    said = [name for name in geas.EFFECTS if name in signals]
    counts = {"reuse": "reuse", "successful": "successful_reuse", "failed": "failed_reuse"}
    figures = {name: int(signals.get(at, 0)) for name, at in counts.items()}
    return {"effect": said[0] if len(said) == 1 else said, **figures}


def repetition(given: dict[str, Any], desk: Desk) -> dict[str, Any] | None:
    for n in range(given["tasks"]):
        key = given["spelled"][n] if "spelled" in given else given["key"]
        desk.task(f"task-{n}", **_incident(given["trigger"], key, given.get("each", 1)))
    found = [
        memory
        for memory in desk.sit().list(limit=50)
        if (memory.extra or {}).get("trigger") == given["trigger"]
    ]
    assert len(found) <= 1
    return {"kind": found[0].kind, "confidence": found[0].tally.confidence} if found else None


def _incident(trigger: str, key: str, each: int) -> dict[str, Any]:
    """The documents in which geas's triggers look, and the fields they read there."""
    if trigger == "failure_class":
        told = artifact("failure-record", failure_class=key, summary="It hung")["failure-record"]
        return {f"failures/{n}": told for n in range(each)}
    if trigger == "concern":
        concerns = [
            {"concern": "Nobody looks at what comes back", "category": key, "severity": "MAJOR"}
        ] * each
        return artifact(
            "specialist-review", reviewer_type="qa_engineer", blocking_concerns=concerns
        )
    if trigger == "recovery":
        return artifact("recovery-packet", recovery_class=key, detected_problem="Half a checkpoint")
    if trigger == "recipe":
        return {"recipes": [key], "verdict": "pass"}
    if trigger == "integration":
        return artifact("integration-result", status="conflict", conflicts=[{"path": key}])
    return {**artifact("worker-self-check", confidence=2, summary="Not sure at all"), "kind": key}


def duplicate(given: dict[str, Any], desk: Desk) -> bool:
    kinds = given.get("types", ["failure_lesson", "failure_lesson"])
    for n, (text, kind) in enumerate(zip((given["first"], given["second"]), kinds)):
        finding = Finding(f"task-{n}", "retrospective.json/0", text, kind=kind, tier="agent")
        desk.sit().learn(Run(f"task-{n}", "geas", findings=(finding,), complete=True))
    return len(desk.sit().list(limit=9)) == 1


class Hit:
    channel, words, n = "text", "", 1

    def __init__(self, memory: Lesson) -> None:
        self.memory = memory


def retrieval(given: dict[str, Any], desk: Desk) -> dict[str, Any]:
    at, query, now = given["memory"], given["query"], "2026-11-15T12:00:00Z"
    reuse = {
        "successful_reuse": float(at.get("successful", 0)),
        "failed_reuse": float(at.get("failed", 0)),
    }
    memory = Lesson(
        "m1",
        "p",
        "x" * 20,
        kind=at["kind"],
        scope=at["scope"],
        agent=at.get("agent", ""),
        paths=tuple(at.get("paths", ())),
        state="active",
        created_at=clock.after_days(now, -at["age"]),
        extra={"task_id": at.get("task", "")},
        tally=Tally(
            confidence=at["confidence"], contradicted=at.get("contradictions", 0), signals=reuse
        ),
    )
    profile = desk.sit().profile
    asking = Query(**{**query, "files": tuple(query.get("files", ()))})
    ranked = ordered("six_factor", [Hit(memory)], asked(asking), profile, Facts(now))[0]
    return {"score": ranked.score, "caution": ranked.caution}


WORDS = "alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa".split()


def budget(given: dict[str, Any], desk: Desk) -> dict[str, Any]:
    for n, word in enumerate(WORDS):
        sure = 0.9 if n < 12 else 0.45
        summary = f"Mind the {word} when the queue retries"
        desk.write(document(f"mem-{word}-1", summary=summary, signals={"confidence": sure}))
    told = (
        desk.sit()
        .inject(ABOUT_IT, run="task-9", host="geas", agent=given["agent"], budget=given["level"])
        .markdown
    )
    plain, _, careful = told.partition("\u26a0")
    cautions = careful.count("- **[")
    return {"memories": plain.count("- **["), **({"cautions": cautions} if cautions else {})}


def precedence(given: dict[str, Any], desk: Desk) -> str:
    for name in ("one", "other"):
        at = given[name]
        text = f"{'Always' if name == 'one' else 'Never'} retry the queue at once"
        desk.write(
            document(f"mem-{name}-1", memory_type=at["type"], scope=at["scope"], summary=text)
        )
    memories = desk.sit()
    one, other = (memories.get(f"mem-{name}-1").id for name in ("one", "other"))
    said = ("p1", memories.project_id, "contradiction", "opposites", "tend", clock.now(), one)
    with memories.store.write() as tx:
        tx.put_proposal(Proposal(*said, payload={"other": other}))
    told = memories.inject("retry the queue", run="task-9", host="geas").injected
    return " ".join(name for name, id in (("one", one), ("other", other)) if id in told)


def _second(at: str) -> str:
    return at[:19] + "Z"


DRIVERS: dict[str, Callable[[dict[str, Any], Desk], Any]] = {
    **dict.fromkeys(SCHEMAS, valid),
    "transitions": transition,
    "lifecycle": lifecycle,
    "own_confidence": confidence,
    "own_promotion": promotion,
    "own_harmful_reuse": harmful_reuse,
    "own_review": reviewed,
    "own_decay": decay,
    "own_review_after": review_after,
    "own_effect": effect,
    "own_repetition": repetition,
    "own_duplicate": duplicate,
    "own_retrieval": retrieval,
    "own_budget": budget,
    "own_precedence": precedence,
}


def test_vector(vector: Vector, check: Callable[..., None], desk: Desk) -> None:
    """Every vector that follows the document holds."""
    vector.output = _pinned(vector)
    check(vector, lambda driver: driver(vector.input, desk))


def _pinned(vector: Vector) -> Any:
    """What a vector pins: the wording of a refusal names the original's own table, and the names of log files are free."""
    output = json.loads(json.dumps(vector.output))
    if not isinstance(output, dict):
        return output
    output.pop("error", None), output.pop("errors", None)
    for result in output.get("results", ()):
        result.pop("error", None)
    files = output.get("files", {})
    for path in [path for path in files if "/application-logs/" in path]:
        written = files.pop(path)
        files[f"memory/logs/{written['task_id']}-{written['memory_id']}.json"] = written
    return output


# --- its nine defects, which must not return (origins §3.7) ----------------------------------------------------------------


def test_defect_1_canonical_in_three_calls(desk: Desk) -> None:
    """The program checked the graph only; here a memory without reuse stops where its numbers stop."""
    fresh = {"evidence_count": 2, "successful_reuses": 0, "reuse_count": 0, "confidence": 0.4}
    desk.write(document(state="candidate", signals=fresh))
    assert desk.move("mem-task-014-1", "provisional").state == "provisional"
    with pytest.raises(Refused, match="not reached yet"):
        desk.move("mem-task-014-1", "stable")
    with pytest.raises(Refused, match="not a legal move"):
        desk.move("mem-task-014-1", "canonical")


ENDS = [("supersede", "superseded"), ("archive", "archived"), ("reinstate", "canonical")]


@pytest.mark.parametrize(("outcome", "state"), ENDS)
def test_defect_2_a_review_can_end_as_the_document_says(
    desk: Desk, outcome: str, state: str
) -> None:
    """The program refused two outcomes of a review, and had nowhere to keep the state before it."""
    desk.write(document(state="canonical"))
    desk.sit().review("mem-task-014-1", "open", reason="misled two tasks")
    assert (desk.only().extra or {})["stage before"] == "canonical"
    assert desk.sit().review("mem-task-014-1", "close", outcome=outcome).state == state


def test_defect_3_the_index_follows(desk: Desk) -> None:
    """A candidate is in the index without a review date, and a promotion shows there at once."""
    desk.write(document(state="candidate"))
    (row,) = desk.files()["state/memory-index.json"]["entries"]
    assert (row["state"], "review_after" in row) == ("candidate", False)
    desk.move("mem-task-014-1", "provisional")
    (row,) = desk.files()["state/memory-index.json"]["entries"]
    assert (row["state"], row["review_after"][:4] >= "2026") == ("provisional", True)
    assert geas.document_faults(desk.files()["state/memory-index.json"]) == ()


# Defect 4, thirty days set once, is what own_review_after's vectors ask: each promotion sets its own.


def test_defect_5_signals_are_read_where_they_stand(desk: Desk) -> None:
    """A hook looked for successful_reuses at the top of the document; they stand under signals."""
    desk.write(document(state="provisional", signals={"successful_reuses": 3}))
    assert desk.move("mem-task-014-1", "stable").state == "stable"
    wrong = {"successful_reuses": 9, "signals": {"successful_reuses": 0}}
    report = desk.write(
        document("mem-b-1", state="provisional", summary="Quite another thing", **wrong)
    )
    assert (len(report.kept), report.faults[0].field) == (1, "successful_reuses")
    with pytest.raises(Refused, match="is not reached yet"):
        desk.move("mem-b-1", "stable")


def test_defect_6_what_the_documents_name_can_be_written(desk: Desk) -> None:
    """Reviewers of the table are agents; a trigger's field that a schema lacks has a stand-in; a shipped example is read."""
    review = {
        "meta": document()["meta"] | {"artifact_type": "memory_review"},
        "memory_id": "m",
        "reviewer_type": "risk_specialist",
        "decision": "keep",
        "rationale": "Wait.",
    }
    assert geas.document_faults(review) == ()
    bare = artifact("specialist-review", concerns=[{"description": "No client-side rate limit"}])
    for task in ("task-1", "task-2"):
        desk.task(task, **bare)
    (made,) = desk.sit().list(limit=9)
    assert (
        made.text == "Reviewers keep raising No client-side rate limit: No client-side rate limit"
    )
    example = {
        name: at
        for name, at in document(summary="An example without its signals").items()
        if name != "signals"
    }
    report = desk.write(example)
    assert (len(report.kept), [fault.field for fault in report.faults]) == (1, ["signals"])


def test_defect_7_low_confidence_means_one_thing_at_a_time(desk: Desk) -> None:
    """Found by a sweep it is age and decays; after a use it is harm and goes to review."""
    desk.write(document(signals={"confidence": 0.29}))
    desk.sit().tend()
    assert stage(desk.only()) == "decayed"
    summary = "Quite another thing about the queue retry backoff"
    desk.write(document("mem-b-1", summary=summary, signals={"confidence": 0.35}))
    desk.apply("mem-b-1", "negative", "use-1")
    assert stage(desk.sit().get("mem-b-1")) == "under_review"


@pytest.mark.parametrize(
    "id", ["../../../escape", "/etc/passwd", "..", "a/b", "nul\\x", "x" * 300, "mem 1"]
)
def test_defect_8_an_id_is_never_a_path(desk: Desk, tacit: Any, id: str) -> None:
    """It is kept as a name and comes back in the document; the file is named otherwise, inside the folder."""
    desk.write(document(id))
    (path,) = [path for path in desk.files() if "/entries/" in path]
    assert geas.PLAIN_NAME.fullmatch(path.rpartition("/")[2])
    assert desk.files()[path]["memory_id"] == id
    assert desk.sit().get(id).alias == id
    before = {each for each in desk.folder.rglob("*") if "out" not in each.parts}
    assert (
        tacit(
            "data",
            "export",
            "--format",
            "geas",
            "--out",
            "out",
            "--store",
            str(desk.folder / "geas.db"),
        ).code
        == 0
    )
    after = {each for each in desk.folder.rglob("*") if "out" not in each.parts}
    assert after - before <= {desk.folder / "geas.db-wal", desk.folder / "geas.db-shm"}


def test_defect_9_a_passed_task_credits_only_what_it_touched(desk: Desk) -> None:
    """Every memory of a packet got credit for a passed task, whatever the task was about."""
    unused = {"successful_reuses": 0, "reuse_count": 0}
    desk.write(document("mem-a-1", signals=unused))
    desk.write(document("mem-b-1", summary="Use logical properties in stylesheets", signals=unused))
    desk.task("use-1", goal=ABOUT_IT, verdict="pass", given=["mem-a-1", "mem-b-1"])
    credit = {
        id: (desk.sit().get(id).tally.signals or {}).get("successful_reuse", 0)
        for id in ("mem-a-1", "mem-b-1")
    }
    assert credit == {"mem-a-1": 1, "mem-b-1": 0}


# --- a journey --------------------------------------------------------------------------------------------------------------


def test_journey(desk: Desk, tacit: Any) -> None:
    """Three tasks learned, a memory promoted, given in geas's words, reviewed, exported, and read back by hand."""
    for n in range(3):
        desk.task(
            f"task-{n}",
            candidates=[LESSON, "Wer Umlaute prüft, prüft die Größe zuerst"][: 1 + (n == 0)],
        )
    db = ("--store", str(desk.folder / "geas.db"), "--by", "olga", "--yes")
    listed = tacit("list", "--json", *db).data["memories"]
    assert sorted((each["state"], each["seen"]) for each in listed) == [
        ("active", 3),
        ("waiting", 1),
    ]
    id = next(each["id"] for each in listed if each["seen"] == 3)

    told = tacit("inject", "--task", ABOUT_IT, "--run", "task-9", "--agent", "qa_engineer", *db).out
    assert (
        told
        == f"## Applicable Memory\n- **[mem-task-0-1] {LESSON}** (confidence: 0.8, provisional): {LESSON}\n"
    )

    assert tacit("review", "open", id, "--reason", "too vague", *db).code == 0
    assert tacit("inject", "--task", ABOUT_IT, "--run", "task-10", *db).out == ""
    better = "Add exponential backoff, at most five tries, before a message is queued again"
    assert tacit("review", "close", id, "--outcome", "reinstate", "--text", better, *db).code == 0
    assert tacit("data", "export", "--format", "geas", "--out", "out", *db).code == 0

    out = desk.folder / "out"
    entries = {
        path.name: json.loads(path.read_text("utf-8"))
        for path in (out / "memory" / "entries").glob("*.json")
    }
    (entry,) = entries.values()
    assert geas.document_faults(entry) == ()
    assert (entry["memory_id"], entry["state"], entry["summary"]) == (
        "mem-task-0-1",
        "provisional",
        better,
    )
    assert entry["evidence_refs"] == ["retro-task-0", "retro-task-1", "retro-task-2"]
    assert entry["signals"] == {
        "evidence_count": 3,
        "reuse_count": 0,
        "successful_reuses": 0,
        "failed_reuses": 0,
        "contradiction_count": 0,
        "confidence": 0.8,
    }
    (candidate,) = [
        json.loads(path.read_text("utf-8"))
        for path in (out / "memory" / "candidates").glob("*.json")
    ]
    assert geas.document_faults(candidate) == ()
    assert candidate["summary"] == "Wer Umlaute prüft, prüft die Größe zuerst"
    assert candidate["source_artifacts"] == [".geas/missions/m-1/tasks/task-0/retrospective.json"]
    index = json.loads((out / "state" / "memory-index.json").read_text("utf-8"))
    assert [row["memory_id"] for row in index["entries"]] == ["mem-task-0-1", "mem-task-0-2"]

    events = [
        json.loads(line)
        for line in (out / "state" / "events.jsonl").read_text("utf-8").splitlines()
    ]
    assert [(each["event"], each["from_state"], each["to_state"]) for each in events] == [
        ("memory_promoted", "candidate", "provisional"),
        ("memory_promoted", "under_review", "provisional"),
    ]
    (review,) = [
        json.loads(path.read_text("utf-8")) for path in (out / "memory" / "reviews").glob("*.json")
    ]
    assert geas.document_faults(review) == ()
    told = (review["memory_id"], review["decision"], review["rationale"])
    assert told == ("mem-task-0-1", "keep", "olga: reinstated by olga")

    other = ("--store", str(desk.folder / "again.db"), "--like", "geas", "--by", "olga", "--yes")
    assert tacit("data", "import", "out", "--trust", "user", *other).code == 0
    assert tacit("data", "export", "--format", "geas", "--out", "again", *other).code == 0
    for path in out.rglob("*.json"):
        if path.name != "memory-index.json":
            again = desk.folder / "again" / path.relative_to(out)
            assert json.loads(again.read_text("utf-8")) == json.loads(path.read_text("utf-8"))


# -- what comes up again ---------------------------------------------------------------------------

UNCHECKED = {"category": "input_validation", "concern": "Amounts are not checked"}
SILENT = {"failure_class": "flaky_gateway", "failure_description": "The gateway never answered"}
TROUBLES: dict[str, dict[str, Any]] = {
    "failure_class": artifact("failure-record", **SILENT),
    "concern": artifact("specialist-review", reviewer_type="risk_specialist", concerns=[UNCHECKED]),
    "recovery": artifact(
        "recovery-packet", recovery_class="lost_worktree", detected_problem="The worktree was gone"
    ),
    "low_confidence": artifact(
        "worker-self-check", confidence=2, known_risks=["migrations are untested"]
    ),
}


@pytest.mark.parametrize("trigger", TROUBLES)
def test_what_comes_up_in_two_tasks_counts_in_both_and_only_once(desk: Desk, trigger: str) -> None:
    """Both tasks are evidence at once, and learning the unchanged folders again, in any order, changes nothing."""
    for task in ("task-001", "task-002"):
        desk.task(task, **TROUBLES[trigger])
    folder = desk.folder / ".geas" / "missions" / "m-1" / "tasks"

    def state() -> Any:
        (made,) = [
            each
            for each in desk.sit().list(limit=9)
            if (each.extra or {}).get("trigger") == trigger
        ]
        return (
            made.id,
            made.text,
            stage(made),
            made.tally,
            made.updated_at,
            len(desk.sit().store.evidence(made.id)),
        )

    first = state()
    assert (first[2], first[3].seen) == ("provisional", 2)
    (told,) = [each for path, each in desk.files().items() if "entries/" in path]
    assert told["evidence_refs"] == ["retro-task-001", "retro-task-002"]
    for task in ("task-001", "task-002", "task-001"):
        (again,) = desk.sit().learn(str(folder / task / "retrospective.json"))
        assert again.already and state() == first
    desk.task("task-003", **TROUBLES[trigger])
    third = state()
    assert third[:2] == first[:2] and third[3].seen == 3
    assert third[3].confidence == pytest.approx(
        first[3].confidence + 0.2
    )  # a level up, from where the trigger set it


# -- its documents, filled from what is known -----------------------------------------------------------


def given(desk: Desk, task: str, agent: str, **fields: Any) -> None:
    """A task whose agent was given a memory by us, and what came of it."""
    desk.sit().inject(
        ABOUT_IT, run=f"m-1/{task}", host="geas", agent=agent, task_id=task, trial=False
    )
    desk.task(task, goal=ABOUT_IT, **fields)


def test_a_log_tells_who_used_a_memory_where_and_what_follows(desk: Desk) -> None:
    """As the document prints it: mal-{task}-{memory}, the agent that got the packet, weaken where the advice was wrong."""
    desk.write(document())
    given(desk, "task-020", "software_engineer", verdict="pass")
    given(desk, "task-021", "risk_specialist", verdict="pass")
    given(desk, "task-022", "software_engineer", verdict="fail")
    desk.sit().feedback("mem-task-014-1", "wrong", run="m-1/task-022")
    logs = {each["task_id"]: each for path, each in desk.files().items() if "/logs/" in path}
    assert logs["task-020"]["meta"]["artifact_id"] == "mal-task-020-mem-task-014-1"
    names = ("applied_by_type", "usage_surface", "effect", "followup_action")
    assert {task: tuple(log[name] for name in names) for task, log in logs.items()} == {
        "task-020": ("software_engineer", "task_packet", "positive", "none"),
        "task-021": ("risk_specialist", "review_context", "positive", "none"),
        "task-022": ("software_engineer", "task_packet", "negative", "weaken"),
    }


KINDS = ("failure_lesson", "process_improvement", "risk_pattern", "project_rule", "agent_rule")


@pytest.mark.parametrize("kind", KINDS)
def test_canonical_takes_two_heads_also_where_both_are_of_one_role(desk: Desk, kind: str) -> None:
    desk.write(document(memory_type=kind, signals={"successful_reuses": 6, "reuse_count": 6}))
    memories = desk.sit("ana")
    with memories.store.write(confidence=memories.profile.signals.confidence) as tx:
        memory = tx.get(memories.get("mem-task-014-1").id)
        for task in ("t-1", "t-2", "t-3"):
            tx.add_mark(Mark(memory.id, task, memory.project, "tasks", at=clock.now()))
    first = memories.review("mem-task-014-1", "approve", to="canonical", role=ORCHESTRATOR)
    assert first.waits_for and first.state == "stable"
    again = desk.sit("ana").review("mem-task-014-1", "approve", to="canonical", role=ORCHESTRATOR)
    assert again.waits_for and "somebody else" in str(again)
    assert (
        desk.sit("ben").review("mem-task-014-1", "approve", to="canonical", role=ORCHESTRATOR).state
        == "canonical"
    )
