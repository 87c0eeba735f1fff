"""geas's files, in and out: task folders, the four shapes of its memories, and whatever bad files hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests import verbs

import tacit
from tacit.core.exchange import Given, Opening, OriginVerdict, Row, Skipped
from tacit.core.states import record_of
from tacit.hosts import formats
from tacit.hosts.source import BytesSource, FileSource
from tacit.origins import geas
from tacit.origins.origin import stage

META = {
    "version": "1.0",
    "artifact_type": "memory_entry",
    "artifact_id": "mem-1",
    "producer_type": "orchestration_authority",
    "created_at": "2026-04-06T08:15:00Z",
}
SIGNALS = {
    "evidence_count": 2,
    "reuse_count": 3,
    "successful_reuses": 2,
    "failed_reuses": 1,
    "contradiction_count": 1,
    "confidence": 0.7,
}
ENTRY: dict[str, Any] = {
    "meta": META,
    "memory_id": "mem-1",
    "memory_type": "failure_lesson",
    "state": "stable",
    "title": "再試行",
    "summary": "Größe prüfen — ‘retry’",
    "scope": "project",
    "evidence_refs": ["retro-a", "retro-b"],
    "signals": SIGNALS,
    "review_after": "2026-07-06T08:15:00Z",
    "supersedes": ["mem-0"],
    "superseded_by": None,
    "tags": ["queue", "retry"],
    "body": ["one", "two"],
}


def items(document: Any, path: str = ".geas/memory/entries/mem-1.json") -> list[Any]:
    raw = (
        document
        if isinstance(document, bytes)
        else json.dumps(document, ensure_ascii=False).encode()
    )
    return list(geas.memories(BytesSource(raw, path)))


# --- runs ---------------------------------------------------------------------------------------------------------------


def folder(at: Path, task: str = "task-003", mission: str = "m-1", **documents: Any) -> Path:
    place = at / ".geas" / "missions" / mission / "tasks" / task
    for name, document in documents.items():
        path = place / f"{name.replace('__', '/').replace('_', '-')}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(
            document
            if isinstance(document, bytes)
            else json.dumps(document, ensure_ascii=False).encode()
        )
    return place


def flat(kind: str, **fields: Any) -> dict[str, Any]:
    return {
        "version": "1.0",
        "artifact_type": kind,
        "artifact_id": "x",
        "producer_type": "qa_engineer",
        "task_id": "task-003",
        "created_at": "2026-04-01T12:00:00Z",
        **fields,
    }


def whole(at: Path) -> Path:
    return folder(
        at,
        task_contract=flat(
            "task_contract",
            title="Log in",
            goal="Build the login form",
            task_kind="implementation",
            risk_level="high",
            eval_commands=["npm test"],
            scope={"paths": ["src/auth/"]},
            routing={"primary_worker_type": "frontend-engineer"},
            created_at="2026-04-01T09:00:00Z",
        ),
        worker_self_check=flat(
            "worker_self_check", confidence=2, known_risks=["The refresh path is not tested"]
        ),
        specialist_review=flat(
            "specialist_review",
            reviewer_type="qa_engineer",
            blocking_concerns=[
                {"concern": "No rate limit", "severity": "MAJOR", "category": "abuse"}
            ],
            memory_suggestions=["API answers come in an envelope"],
        ),
        reviews__second=flat(
            "specialist_review",
            reviewer_type="security_engineer",
            concerns=["Tokens lie in local storage"],
        ),
        failure_record=flat(
            "failure_record",
            failure_class="timeout",
            failure_description="The gateway never answered",
        ),
        recovery_packet=flat(
            "recovery_packet",
            recovery_class="dirty_state_recovery",
            detected_problem="Half a checkpoint",
        ),
        integration_result=flat(
            "integration_result",
            status="conflict",
            conflicts=[{"path": "src/api/auth.ts"}],
            files_changed=["src/auth/Login.tsx"],
        ),
        gate_result=flat("gate_result", verdict="pass"),
        closure_packet=flat(
            "closure_packet", change_summary="done", created_at="2026-04-01T15:00:00Z"
        ),
        retrospective=flat(
            "retrospective",
            producer_type="orchestration_authority",
            memory_candidates=["Retry with backoff", "Größe prüfen"],
            created_at="2026-04-01T16:00:00Z",
        ),
    )


def test_a_task_folder_is_one_run(tmp_path: Path) -> None:
    """Every document of the folder is in it, whatever file is named; only one of them stands for the whole."""
    place = whole(tmp_path)
    runs = [
        run for path in sorted(place.rglob("*.json")) for run in geas.read(FileSource(str(path)))
    ]
    (run,) = runs
    told = (run.id, run.task_id, run.task, run.task_type, run.agent)
    assert told == (
        "m-1/task-003",
        "task-003",
        "Log in: Build the login form",
        "implementation",
        "frontend_engineer",
    )
    told = (run.outcome, run.complete, run.started_at, run.ended_at)
    assert told == ("success", True, "2026-04-01T09:00:00Z", "2026-04-01T16:00:00Z")
    assert run.files == ("src/auth/", "src/auth/Login.tsx")
    assert [
        (each.text, each.by, each.tier, (each.extra or {})["memory_id"]) for each in run.findings
    ] == [
        ("Retry with backoff", "orchestration_authority", "agent", "mem-task-003-1"),
        ("Größe prüfen", "orchestration_authority", "agent", "mem-task-003-2"),
        ("API answers come in an envelope", "qa_engineer", "review", "mem-task-003-3"),
    ]
    assert run.extra is not None
    assert run.extra["instruments"] == ["review:qa_engineer", "review:security_engineer"]
    assert [
        (each["trigger"], each["key"], each["severity"]) for each in run.extra["incidents"]
    ] == [
        ("failure_class", "timeout", "info"),
        ("concern", "abuse", "warning"),
        ("concern", "Tokens lie in local storage", "info"),
        ("recovery", "dirty_state_recovery", "info"),
        ("recipe", "npm test", "info"),
        ("integration", "src/api/auth.ts", "info"),
        ("low_confidence", "implementation", "info"),
    ]


def test_learning_a_folder_finds_its_tasks(tmp_path: Path, tacit: Any) -> None:
    """`tacit learn .geas` detects task folders, two missions with a task of one name included."""
    for mission in ("m-1", "m-2"):
        said = flat(
            "retrospective",
            task_id="task-001",
            memory_candidates=[f"Lesson of the mission {mission}"],
        )
        folder(tmp_path / "work", "task-001", mission, retrospective=said)
    ran = tacit("learn", ".geas", "--json", "--like", "geas")
    assert sorted(each["run"] for each in ran.data["runs"]) == ["m-1/task-001", "m-2/task-001"]
    assert {each["format"] for each in ran.data["runs"]} == {"geas"}


def test_a_record_holds_its_documents_as_sections(tmp_path: Path) -> None:
    """The later layout: one record.json, and reviewers' evidence beside it."""
    record = {
        "version": "1.0",
        "task_id": "task-001",
        "created_at": "2026-04-09T13:00:00Z",
        "updated_at": "2026-04-09T14:00:00Z",
        "self_check": {"confidence": 1, "summary": "unsure"},
        "gate_result": {"verdict": "fail"},
        "verdict": {"verdict": "fail"},
        "retrospective": {"memory_candidates": ["Check the schema first"], "what_broke": []},
        "closure": {"change_summary": "x"},
    }
    contract = {"task_id": "task-001", "title": "T", "task_kind": "docs"}
    evidence = {"task_id": "task-001", "agent": "qa-engineer", "concerns": ["x is wrong"]}
    place = folder(tmp_path, "task-001", record=record, contract=contract, evidence__qa=evidence)
    (run,) = geas.read(FileSource(str(place / "record.json")))
    assert [each.text for each in run.findings] == ["Check the schema first"]
    assert (run.outcome, run.task_type) == ("failure", "docs")
    assert [each["trigger"] for each in (run.extra or {})["incidents"]] == [
        "concern",
        "low_confidence",
    ]


@pytest.mark.parametrize(
    "retrospective",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"artifact_type": "retrospective", "task_id": "t", "memory_candidates": "one text"}',
        b'{"artifact_type": "retrospective", "task_id": "t", "memory_candidates": [1, null, {"a": 1}, "", "   "]}',
        b'{"artifact_type": "retrospective", "task_id": ["t"], "memory_candidates": {}}',
        b"\xff\xfe{}",
        b'{"a":' * 50_000,
    ],
)
def test_bad_documents_never_raise(tmp_path: Path, retrospective: bytes) -> None:
    """What cannot be read is counted; the rest of the folder is there."""
    unsure = flat("worker_self_check", confidence="2")
    failed = flat("gate_result", verdict="fail")
    place = folder(
        tmp_path, retrospective=retrospective, gate_result=failed, worker_self_check=unsure
    )
    runs = [
        run for path in sorted(place.glob("*.json")) for run in geas.read(FileSource(str(path)))
    ]
    assert [(run.outcome, run.findings) for run in runs] == [("failure", ())]
    assert runs[0].reading is not None
    assert runs[0].reading.malformed or runs[0].reading.warnings


def test_other_files_are_not_ours() -> None:
    """Somebody else's JSON, also with a task id in it, is left alone."""
    for raw in (
        b'{"name": "x"}',
        b"{}",
        b"hello",
        b'{"type": "run", "id": "r"}',
        b'{"scripts": {"test": "x"}}',
        b'{"task_id": "t", "concerns": []}',
    ):
        assert geas.detect(BytesSource(raw, "package.json")) < formats.FORMAT_DOUBT
        assert geas.holds(BytesSource(raw, "package.json")) < formats.FORMAT_DOUBT


# --- memories: the first shape ----------------------------------------------------------------------------------------------


def test_an_entry_comes_in_with_its_counts() -> None:
    """State, kind, scope and dates as they are; counts as opening balances; its id as an alias."""
    (row,) = items(ENTRY)
    memory = row.memory
    told = (memory.text, memory.kind, stage(memory), memory.scope, memory.tags)
    assert told == (ENTRY["summary"], "failure_lesson", "stable", "project", ("queue", "retry"))
    told = (row.alias, memory.created_at, memory.review_after, record_of(memory.extra))
    assert told == ("mem-1", META["created_at"], ENTRY["review_after"], ENTRY)
    at = META["created_at"]
    assert row.openings == (
        Opening("seen", 2, at),
        Opening("reuse", 3, at),
        Opening("successful_reuse", 2, at),
        Opening("failed_reuse", 1, at),
        Opening("contradicted", 1, at),
        Opening("confidence", 0.7, at),
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"memory_type": "hint"}, "memory_type"),
        ({"state": "reinstated"}, "state"),
        ({"summary": ""}, "summary"),
        ({"summary": 7}, "summary"),
        ({"scope": "team"}, "scope"),
        ({"memory_id": 1}, "memory_id"),
        ({"evidence_refs": []}, "evidence_refs"),
        ({"memory_type": "FAILURE_LESSON"}, "memory_type"),
    ],
)
def test_a_document_that_says_nothing_usable_is_left_out(
    change: dict[str, Any], reason: str
) -> None:
    """With the field that is wrong in the reason."""
    (skipped,) = items({**ENTRY, **change})
    assert isinstance(skipped, Skipped)
    assert reason in skipped.reason
    assert not skipped.field


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"signals": {**SIGNALS, "confidence": "0.7"}}, "confidence"),
        ({"signals": {**SIGNALS, "evidence_count": -1}}, "evidence_count"),
        ({"tags": "queue"}, "tags"),
        ({"review_after": "soon"}, "review_after"),
        ({"body": "text"}, "body"),
        ({"more": 1}, "more"),
        ({"meta": {**META, "created_at": "2026-13-45T99:99:99Z"}}, "created_at"),
    ],
)
def test_a_wrong_field_is_told_and_the_rest_is_kept(change: dict[str, Any], field: str) -> None:
    """String numbers, wrong types, impossible times and unknown fields cost nobody the memory."""
    *told, row = items({**ENTRY, **change})
    assert isinstance(row, Row)
    assert [each.field for each in told] == [field]


LOG = {
    "meta": {**META, "artifact_type": "memory_application_log"},
    "memory_id": "mem-1",
    "task_id": "task-9",
    "applied_by_type": "qa_engineer",
    "usage_surface": "gate_context",
    "effect": "negative",
    "notes": "Größe",
    "followup_action": "weaken",
}
REVIEW = {
    "meta": {**META, "artifact_type": "memory_review"},
    "memory_id": "mem-1",
    "reviewer_type": "design_authority",
    "decision": "keep",
    "rationale": "r",
    "required_followup": [],
    "supersedes": [],
}


def test_logs_reviews_packets_and_events_are_kept_as_they_are() -> None:
    """Each speaks of a memory by its name, and carries its own record."""
    made = (
        "task-9",
        "qa_engineer",
        ["mem-1"],
        ["careful"],
        ["mem-2"],
        "start",
        "2026-04-06T08:15:00.123Z",
    )
    packet = geas.packet_of(*made)
    moved = {
        "event": "memory_promoted",
        "memory_id": "mem-1",
        "from_state": "candidate",
        "to_state": "provisional",
    }
    event = {**moved, "timestamp": "2026-04-06T08:15:00Z"}
    assert [geas.document_faults(each) for each in (LOG, REVIEW, packet)] == [(), (), ()]
    found = [items(each, "x.json")[0] for each in (LOG, REVIEW, packet)]
    found += items(json.dumps(event).encode() + b"\n", "events.jsonl")
    kinds = [(type(each), getattr(each, "signal", "")) for each in found]
    assert kinds == [
        (OriginVerdict, "negative"),
        (OriginVerdict, "review"),
        (Given, ""),
        (OriginVerdict, "event"),
    ]
    for part, document in (
        ("logs", LOG),
        ("reviews", REVIEW),
        ("packets", packet),
        ("events", event),
    ):
        assert [json.loads(line) for line in geas.dump(found, part).splitlines()] == [document]


def test_an_index_tells_of_what_is_missing(tmp_path: Path) -> None:
    """The index is derived: a row whose entry is there brings nothing, one without is named, a path is refused."""
    (tmp_path / "memory" / "entries").mkdir(parents=True)
    (tmp_path / "memory" / "entries" / "mem-1.json").write_text("{}")
    (tmp_path / "state").mkdir()
    row = {
        "memory_id": "mem-1",
        "memory_type": "failure_lesson",
        "state": "stable",
        "confidence": 0.6,
        "tags": [],
    }
    row["review_after"] = "2026-05-06T08:15:00Z"
    rows = [row, {**row, "memory_id": "mem-2"}, {**row, "memory_id": "../../x"}, 7]
    index = {"meta": {**META, "artifact_type": "memory_index"}, "entries": rows}
    path = tmp_path / "state" / "memory-index.json"
    path.write_text(json.dumps(index))
    assert [each.reason for each in geas.memories(FileSource(str(path)))] == [
        "the index names mem-2, and no file holds it",
        "an index row without a plain memory id",
        "an index row without a plain memory id",
    ]


# --- the three later shapes --------------------------------------------------------------------------------------------------

RULES = "# Project Rules\n\n## Evidence\n- Write evidence via CLI: `geas evidence add`\n- Required fields by role:\n  - implementer: `summary`\n  - reviewer: `verdict`\n\n## Code\n- [DRAFT] Build with make\n- [mem-7] Größe prüfen\n- Build with make\n- Build with make\n"
YAML = 'items:\n  - guideline: "Name observable behaviour: \\"it saves\\""\n    applies_when: []\n    source_refs:\n      - "missions/m-1/evidence.yaml"\n  - guideline: \'It\'\'s plain\'\n    applies_when:\n      - "Reviewing a UI change"\n    source_refs: []\n  - applies_when: []\n'


def test_rules_and_agent_notes_are_read_line_by_line() -> None:
    """Drafts are candidates, the others in force; lines under a bullet belong to it; equal lines stay two."""
    rows = items(RULES.encode(), ".geas/rules.md")
    assert [(stage(row.memory), row.memory.category, row.memory.text) for row in rows] == [
        ("stable", "Evidence", "Write evidence via CLI: `geas evidence add`"),
        (
            "stable",
            "Evidence",
            "Required fields by role:\n- implementer: `summary`\n- reviewer: `verdict`",
        ),
        ("candidate", "Code", "Build with make"),
        ("stable", "Code", "Größe prüfen"),
        ("stable", "Code", "Build with make"),
        ("stable", "Code", "Build with make"),
    ]
    assert len({row.alias for row in rows}) == 6
    (note,) = items(
        "# Qa Memory\n\n- Überprüfe zuerst\n".encode(), ".geas/memory/agents/qa-engineer.md"
    )
    told = (note.memory.agent, note.memory.scope, note.memory.kind, note.memory.text)
    assert told == ("qa_engineer", "agent", "agent_rule", "Überprüfe zuerst")


def test_shared_memory_and_its_change_log() -> None:
    """The third shape: lines with ids, and what changed, why."""
    (row,) = items(
        b"# Shared\n- [mem-9] Anchor paths to the mission <!-- x -->\n", ".geas/memory/shared.md"
    )
    assert (row.alias, row.memory.text) == ("mem-9", "Anchor paths to the mission <!-- x -->")
    twice = {"memory_id": "mem-9", "reason": "seen twice", "evidence_refs": ["e1"]}
    update = {"added": [twice], "modified": [], "removed": [{"reason": "no id"}]}
    path = ".geas/missions/m-4/consolidation/memory-update.json"
    added, wrong = items(update, path)
    assert (added.signal, added.run, added.memory, added.text) == (
        "change",
        "m-4",
        "mem-9",
        "seen twice",
    )
    assert isinstance(wrong, Skipped)


def test_yaml_items_are_read_and_written() -> None:
    """The fourth shape; an item without a guideline is named."""
    *rows, wrong = items(YAML.encode(), ".geas/memory/common.yaml")
    assert [(row.memory.text, row.memory.tags) for row in rows] == [
        ('Name observable behaviour: "it saves"', ()),
        ("It's plain", ("Reviewing a UI change",)),
    ]
    assert wrong == Skipped("line:10", "an item without a guideline")
    (role,) = items(b'items:\n  - guideline: "x y z"\n', ".geas/memory/roles/reviewer.yaml")
    assert (role.memory.agent, role.memory.scope) == ("reviewer", "agent")


# --- there and back ----------------------------------------------------------------------------------------------------------


def memories(at: Path, name: str) -> tacit.Memories:
    return verbs.open(str(at / f"{name}.db"), profile="geas", cwd=str(at), by="olga", yes=True)


def tree(at: Path) -> Path:
    """A `.geas` with something of every shape."""
    candidate = {
        **{
            name: at
            for name, at in ENTRY.items()
            if name not in ("review_after", "supersedes", "superseded_by", "tags", "body")
        },
        "meta": {**META, "artifact_type": "memory_candidate", "artifact_id": "mem-2"},
        "memory_id": "mem-2",
        "state": "candidate",
        "candidate_reason": "c",
        "source_artifacts": ["s"],
    }
    texts = {
        "memory/entries/mem-1.json": json.dumps(ENTRY, ensure_ascii=False),
        "memory/candidates/mem-2.json": json.dumps(candidate, ensure_ascii=False),
        "memory/entries/broken.json": "{",
        "memory/logs/task-9-mem-1.json": json.dumps(LOG),
        "memory/reviews/mem-1-review.json": json.dumps(REVIEW),
        "rules.md": RULES,
        "memory/agents/qa-engineer.md": "# Qa\n\n- Überprüfe zuerst\n",
        "memory/common.yaml": YAML,
    }
    write(at / ".geas", texts)
    return at / ".geas"


def write(at: Path, texts: dict[str, str]) -> None:
    for path, text in texts.items():
        place = at / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")


def plain(files: dict[str, str]) -> dict[str, str]:
    """Without the index, which is of the moment."""
    return {path: text for path, text in files.items() if "index" not in path}


def test_import_export_import_is_equal(folder: Path) -> None:
    """Every document comes back field for field, and again from what was exported."""
    source, out = tree(folder), folder / "out"
    with memories(folder, "one") as first:
        reports = first.import_(str(source), trust="user")
        assert sum(len(each.kept) for each in reports) == 11
        assert sum(each.skipped for each in reports) == 2
        files = first.export_files("geas")
    write(out, files)
    for kind in ("entries/mem-1", "candidates/mem-2", "logs/task-9-mem-1", "reviews/mem-1-review"):
        path = f"memory/{kind}.json"
        assert json.loads(files[path]) == json.loads((source / path).read_text("utf-8")), path
    with memories(folder, "two") as second:
        second.import_(str(out), trust="user")
        again = second.export_files("geas")
    assert set(again) == set(files) and plain(again) == plain(files)
    # The lines of rules.md are in force again, each for itself.
    assert [
        (stage(row.memory), row.memory.text)
        for row in items(files["rules.md"].encode(), ".geas/rules.md")
    ] == [(stage(row.memory), row.memory.text) for row in items(RULES.encode(), ".geas/rules.md")]


def test_importing_twice_changes_nothing(folder: Path) -> None:
    """Names are recognised, marks are not doubled."""
    source = tree(folder)
    with memories(folder, "one") as first:
        first.import_(str(source), trust="user")
        before = first.export_files("geas")
        again = first.import_(str(source), trust="user")
        assert sum(len(each.kept) + each.audits for each in again) == 0
        assert plain(first.export_files("geas")) == plain(before)


def test_a_memory_of_another_profile_leaves_as_a_valid_document(folder: Path) -> None:
    """What was never geas's gets a type by its class, and everything a document needs."""
    with verbs.open(str(folder / "d.db"), cwd=str(folder), by="ada", yes=True) as own:
        for kind in own.profile.kinds:
            own.add(f"A lesson of the kind {kind}, with Größe and 日本語", kind=kind)
        documents = [
            json.loads(text)
            for path, text in own.export_files("geas").items()
            if "/entries/" in path
        ]
    assert len(documents) == len({each["memory_id"] for each in documents}) >= 5
    assert [geas.document_faults(each) for each in documents] == [()] * len(documents)


def test_a_long_line_is_left_out() -> None:
    """Five megabytes in one summary: named, and the rest is there."""
    long = {**ENTRY, "memory_id": "mem-long", "summary": "x" * 5_000_000}
    raw = "\n".join(json.dumps(each) for each in (long, ENTRY)).encode()
    skipped, row = geas.memories(BytesSource(raw, "memory/entries.jsonl"))
    assert (isinstance(skipped, Skipped), row.alias) == (True, "mem-1")
    for raw, path in (
        (b"- " + b"[mem-" * 1_000_000, ".geas/rules.md"),
        (b"- a" + b" " * 1_000_000 + b"b", ".geas/rules.md"),
        (b"items:\n  - guideline: a" + b" " * 1_000_000 + b"b", ".geas/memory/common.yaml"),
    ):
        assert list(geas.memories(BytesSource(raw, path)))
    list(
        geas.memories(
            BytesSource(b"items:\n  - guideline: " + b"[" * 5_000_000, ".geas/memory/common.yaml")
        )
    )
