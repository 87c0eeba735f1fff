"""Ralph's loops, learnings and staging area, read and written back; JavaScript's JSON to the byte."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import verbs

from tacit.core.errors import Damaged
from tacit.core.exchange import Header, Note, Row, Skipped
from tacit.hosts import formats
from tacit.hosts.source import BytesSource, FileSource
from tacit.origins import ralph


def learning(**fields: Any) -> dict[str, Any]:
    return {
        "id": "learn-00000001",
        "type": "strategy",
        "taskType": "test-fix",
        "content": {"description": "Read the logs", "effectiveness": 0.85, "iterations": 12},
        "confidence": 0.85,
        "sourceLoops": ["ralph-001", "ralph-003"],
        "createdAt": "2026-02-01T15:00:00.000Z",
        "updatedAt": "2026-02-03T10:30:00.000Z",
        "useCount": 5,
        "successRate": 0.85,
        **fields,
    }


def store(*rows: Any, name: str = "learnings", **fields: Any) -> bytes:
    listed = list(rows)
    head = {
        "version": "1.0.0",
        "checksum": ralph.checksum(listed),
        "lastUpdated": "2026-02-01T00:00:00.000Z",
    }
    return json.dumps({**head, name: listed, **fields}).encode()


# --- loops


def test_a_loop_is_a_run() -> None:
    """Objective, outcome, and each iteration as a step; what was learned, what failed and which files changed travel along."""
    rounds = [
        {
            "number": 1,
            "status": "completed",
            "duration": 42000,
            "analysis": {"progressMade": True},
            "learnings": ["Tests first"],
            "filesModified": ["src/a.ts"],
        },
        {
            "number": 2,
            "status": "failed",
            "duration": 900,
            "analysis": {"progressMade": False, "errors": ["SyntaxError: x"]},
        },
    ]
    head = {"loopId": "ralph-001", "objective": "Fix failing tests", "status": "completed"}
    state = {**head, "currentIteration": 3, "iterations": rounds}
    source = BytesSource(json.dumps(state).encode(), "state.json")
    assert formats.detect(source) == "ralph"
    [run] = ralph.read(source)
    assert (run.id, run.host, run.objective, run.outcome, run.complete, run.files) == (
        "ralph-001",
        "ralph",
        "Fix failing tests",
        "success",
        True,
        ("src/a.ts",),
    )
    assert [(step.place, step.role, step.error) for step in run.steps] == [
        ("iteration:1", "assistant", ""),
        ("iteration:2", "tool", "SyntaxError: x"),
    ]
    assert run.extra == {
        "total": 3,
        "iterations": [
            {
                "number": 1,
                "status": "completed",
                "duration": 42000,
                "progress": True,
                "errors": [],
                "learnings": ["Tests first"],
                "files": ["src/a.ts"],
            },
            {
                "number": 2,
                "status": "failed",
                "duration": 900,
                "progress": False,
                "errors": ["SyntaxError: x"],
                "learnings": [],
                "files": [],
            },
        ],
    }


WRONG = {"status": 3, "duration": "long", "analysis": [], "learnings": "x", "filesModified": [1]}


@pytest.mark.parametrize("iterations", ["none", 7, [7, None, WRONG]])
def test_a_loop_of_the_wrong_shape_is_still_a_run(iterations: Any) -> None:
    """What cannot be read is counted, and nothing raises."""
    state = {
        "loopId": "r",
        "objective": ["x"],
        "status": 4,
        "currentIteration": -1,
        "iterations": iterations,
    }
    [run] = ralph.read(BytesSource(json.dumps(state).encode(), "state.json"))
    assert (run.id, run.objective, run.complete) == ("r", "", False)
    assert run.reading is not None and bool(run.reading.malformed) is isinstance(iterations, list)


def test_a_cut_file_is_told() -> None:
    """Half a state file is a run nobody can read, not a crash."""
    [run] = ralph.read(BytesSource(b'{"loopId": "r", "itera', "state.json"))
    assert (
        run.reading is not None
        and run.reading.malformed == 1
        and "not JSON" in run.reading.warnings[0]
    )


def test_iterations_stand_beside(tmp_path: Path) -> None:
    """A folder of iterations is read with its loop, in the order of their numbers, and not a second time by itself."""
    (tmp_path / "iterations").mkdir()
    for number in (10, 2, 1):
        said = {
            "number": number,
            "status": "completed",
            "duration": 1,
            "learnings": [],
            "filesModified": [],
        }
        (tmp_path / "iterations" / f"iteration-{number:03d}.json").write_text(json.dumps(said))
    (tmp_path / "state.json").write_text(
        json.dumps({"loopId": "r", "objective": "x", "status": "running"})
    )
    [run] = ralph.read(FileSource(str(tmp_path / "state.json")))
    assert [each["number"] for each in (run.extra or {})["iterations"]] == [1, 2, 10]
    one = FileSource(str(tmp_path / "iterations" / "iteration-001.json"))
    assert (formats.detect(one), list(ralph.read(one)), run.complete) == ("ralph", [], False)


# --- learnings


def test_a_learning_comes_as_it_is() -> None:
    """Its record whole, its figures as balances, its id as an alias."""
    header, row = ralph.memories(BytesSource(store(learning())))
    head = {"version": "1.0.0", "lastUpdated": "2026-02-01T00:00:00.000Z"}
    assert isinstance(header, Header) and header.record == head
    assert isinstance(row, Row)
    assert (
        row.alias,
        row.memory.text,
        row.memory.kind,
        row.memory.task_type,
        row.memory.state,
    ) == (
        "learn-00000001",
        "Read the logs",
        "strategy",
        "test-fix",
        "active",
    )
    assert [(each.signal, each.amount) for each in row.openings] == [
        ("seen", 2),
        ("confidence", 0.85),
        ("success_rate", 0.85),
        ("uses", 5),
    ]
    assert row.memory.extra == learning()


def test_bad_learnings_and_fields_are_told() -> None:
    """Records without content are left out, figures that are none are mended; everything else is there."""
    rows = [
        7,
        {"type": "strategy"},
        learning(content={}),
        learning(content={"description": "x" * 5_000_000}),
        learning(confidence="0.4"),
        learning(confidence=7),
        learning(useCount="many"),
        learning(createdAt="yesterday"),
        learning(content={"description": "Größe prüfen — 日本語 ✓"}, type="STRATEGY"),
    ]
    found = list(ralph.memories(BytesSource(store(*rows))))
    lost = [each.place for each in found if isinstance(each, Skipped) and not each.field]
    assert lost == [f"learnings:{n}" for n in range(4)]
    assert [
        (each.place, each.field) for each in found if isinstance(each, Skipped) and each.field
    ] == [
        ("learnings:4", "confidence"),
        ("learnings:5", "confidence"),
        ("learnings:6", "useCount"),
        ("learnings:7", "createdAt"),
    ]
    assert [row.openings[1].amount for row in found if isinstance(row, Row)] == [
        0.4,
        0.5,
        0.85,
        0.85,
        0.85,
    ]


def test_a_file_that_does_not_verify_needs_a_good_backup(tmp_path: Path) -> None:
    """The backup is taken with a note where it verifies; otherwise the whole file is refused, before anything is yielded."""
    main, backup = tmp_path / "ralph-learnings.json", tmp_path / "ralph-learnings.json.bak"
    main.write_bytes(store(learning())[:-20])
    with pytest.raises(Damaged):
        next(iter(ralph.memories(FileSource(str(main)))))
    backup.write_bytes(store(learning()))
    note, header, row = ralph.memories(FileSource(str(main)))
    assert isinstance(note, Note) and "backup" in note.text
    assert isinstance(header, Header) and isinstance(row, Row)


def staged(number: int, status: str, text: str, **more: Any) -> dict[str, Any]:
    said = learning(content={"description": text})
    said = {
        key: said[key]
        for key in ("type", "taskType", "content", "confidence", "sourceLoops", "successRate")
    }
    head = {"id": f"stage-1234567890-{number}", "learning": said, "status": status}
    return {**head, "stagedAt": "2026-02-03T10:25:00.000Z", **more}


FILES = {
    "ralph-learnings.json": store(
        learning(),
        learning(
            id="learn-00000002",
            confidence=1.0,
            successRate=0,
            content={"description": "Größe — 日本語", "n": 1e-7},
        ),
        learning(
            id="learn-00000003",
            type="estimate",
            content={"avgIterationTime": 45000.5, "totalIterations": 3, "complexity": "low"},
        ),
        learning(
            id="learn-00000004",
            type="convention",
            taskType="general",
            content={"pattern": "One file", "examples": ["a/b.ts"]},
        ),
        learning(
            id="learn-00000004",
            type="antipattern",
            content={"description": "Avoid: x y z", "occurrences": 2},
            more={"a": [None]},
        ),
        learning(
            id="../../escape",
            content={"description": "An id is never a path"},
            useCount=0,
            sourceLoops=[],
        ),
        note="kept",
        stats={
            "totalLearnings": 6,
            "byType": {"strategy": 3, "antipattern": 1, "estimate": 1, "convention": 1},
            "byTaskType": {"test-fix": 5, "general": 1},
        },
    ),
    "staging.json": store(
        staged(0, "pending", "Read the logs"),
        staged(1, "validated", "Bisect", validatedAt="2026-02-03T10:26:00.000Z"),
        staged(2, "rejected", "Guess", rejectionReason="Confidence too low (< 0.3)"),
        name="staged",
    ),
}
PARTS = {part: file for part, file in ralph.PARTS.items() if part not in ralph.ON_REQUEST}


def test_import_export_import_is_the_same(tmp_path: Path) -> None:
    """Both files leave as they came, with a sum that verifies; a second import adds nothing, and what left comes back equal."""
    folder = tmp_path / "knowledge"
    folder.mkdir()
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    with verbs.open(str(tmp_path / "a.db"), profile="ralph", cwd=str(tmp_path)) as memories:
        first = memories.import_(str(folder), trust="user")
        texts = {part: memories.export("ralph", part) for part in PARTS}
        again = memories.import_(str(folder), trust="user")
    assert [len(report.kept) for report in first] == [6, 3]
    assert [(report.kept, report.differing) for report in again] == [((), 0)] * 2
    assert {part: json.loads(text) for part, text in texts.items()} == {
        part: json.loads(FILES[PARTS[part]]) for part in PARTS
    }
    assert all(ralph.sound(text) for text in texts.values())
    other = tmp_path / "other"
    other.mkdir()
    for part, file in PARTS.items():
        (other / file).write_text(texts[part], encoding="utf-8")
    with verbs.open(str(tmp_path / "b.db"), profile="ralph", cwd=str(tmp_path)) as memories:
        memories.import_(str(other), trust="user")
        assert {part: memories.export("ralph", part) for part in PARTS} == texts


def test_only_what_changed_is_written_anew(tmp_path: Path) -> None:
    """A corrected text changes the content's description; a retrieval the count and the time; the rest stays."""
    with verbs.open(str(tmp_path / "a.db"), profile="ralph", cwd=str(tmp_path)) as memories:
        two = learning(id="learn-00000002", content={"description": "Bisect"})
        memories.import_(BytesSource(store(learning(), two)), trust="user")
        memories.edit("learn-00000001", text="Read the logs before editing")
        memories.get("learn-00000002", use=True)
        one, two = json.loads(memories.export("ralph"))["learnings"]
    assert one["content"] == {
        "description": "Read the logs before editing",
        "effectiveness": 0.85,
        "iterations": 12,
    }
    assert {**one, "content": None, "updatedAt": None} == {
        **learning(),
        "content": None,
        "updatedAt": None,
    }
    assert (two["useCount"], two["content"]) == (6, {"description": "Bisect"})
    assert two["updatedAt"] > learning()["updatedAt"]


# --- JavaScript's JSON


@pytest.mark.parametrize(
    ("at", "written"),
    [
        (1.0, "1"),
        (0.1, "0.1"),
        (-0.0, "0"),
        (1e21, "1e+21"),
        (1e20, "100000000000000000000"),
        (1e-7, "1e-7"),
        (1e-6, "0.000001"),
        (123456789012345680000, "123456789012345680000"),
        (1.5e300, "1.5e+300"),
        (5e-324, "5e-324"),
        (0.30000000000000004, "0.30000000000000004"),
        (2**53 + 1, "9007199254740992"),
        (float("nan"), "null"),
        (float("inf"), "null"),
        (True, "true"),
        (None, "null"),
        ({"b": 1, "2": 2, "1": 3, "01": 4}, '{"1":3,"2":2,"b":1,"01":4}'),
        ("\u2028\x7f\x01\ud800é", '"\u2028\x7f\\u0001\\ud800é"'),
        ([], "[]"),
        ({}, "{}"),
        ([1, {"a": []}], '[1,{"a":[]}]'),
    ],
)
def test_numbers_keys_and_escapes_are_javascripts(at: Any, written: str) -> None:
    """As `JSON.stringify` writes them."""
    assert ralph.js_json(at) == written


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON)
@settings(max_examples=200, deadline=None)
def test_what_is_written_reads_back(at: Any) -> None:
    """Compact and indented alike, every number as the double that it is in JavaScript."""
    wanted = json.loads(json.dumps(at), parse_int=float)
    assert [json.loads(ralph.js_json(at, indent), parse_int=float) for indent in (0, 2)] == [
        wanted,
        wanted,
    ]


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_node_writes_the_same() -> None:
    """The program itself, where it is installed."""
    samples = [
        0.1,
        1e21,
        1e-7,
        123.456,
        2**53,
        1 / 3,
        {"b": 1, "1": [True, None]},
        "é\u2028\x01",
        -1.5e-10,
        12345678.9,
    ]
    done = subprocess.run(
        [
            "node",
            "-e",
            "process.stdout.write(JSON.stringify(JSON.parse(require('fs').readFileSync(0))))",
        ],
        input=json.dumps(samples).encode(),
        capture_output=True,
        check=True,
    )
    assert ralph.js_json(samples) == done.stdout.decode()


def test_a_newer_version_of_a_learning_updates_its_memory(tmp_path: Path) -> None:
    """Under its id and in its words: figures become what the record says, nothing is doubled, and the same again changes nothing."""

    def came(**fields: object) -> BytesSource:
        return BytesSource(store(learning(**fields)), "ralph-learnings.json")

    with verbs.open(
        str(tmp_path / "a.db"), profile="ralph", cwd=str(tmp_path), by="ada", yes=True
    ) as memories:
        memories.import_(came(), trust="user")
        newer = {"confidence": 0.9, "successRate": 0.7, "useCount": 8}
        assert [memories.import_(came(**newer), trust="user")[0].updated for _ in range(2)] == [
            1,
            0,
        ]
        (found,) = json.loads(memories.export("ralph"))["learnings"]
        assert {name: found[name] for name in newer} == newer
        assert memories.health().health.faults == ()
