"""Neutral runs: what a file says comes in, and no file speaks for a person."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tables import by_table

from tacit.core.run import Cost, Finding, Reading, Run, Step
from tacit.hosts import neutral
from tacit.hosts.source import BytesSource


def read(*lines: object) -> list[Run]:
    data = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    return list(neutral.read(BytesSource(data.encode())))


def one(*lines: object) -> Run:
    (run,) = read({"type": "run", "id": "r"}, *lines)
    return run


def test_a_run_in_lines() -> None:
    """Run, step, finding and end lines give one run, each thing at its line."""
    (run,) = read(
        {
            "type": "run",
            "id": "r-1",
            "task": "fix it",
            "cwd": "/repo",
            "cost": {"input": 5, "output": 2, "usd": 0.1},
        },
        {
            "type": "step",
            "role": "user",
            "text": "fix it",
            "typed": True,
            "at": "2026-03-01T12:00:00+02:00",
        },
        {
            "type": "step",
            "tool": "shell",
            "input": "make",
            "error": "boom",
            "exit_code": 2,
            "file": "a.py",
        },
        {
            "type": "finding",
            "description": "Use uv",
            "source": "reviewer",
            "severity": "CRITICAL",
            "file": "a.py",
        },
        {"type": "end", "outcome": "Failure"},
    )
    assert run == Run(
        id="r-1",
        host="neutral",
        steps=(
            Step("user", "line:2", "fix it", at="2026-03-01T10:00:00.000Z", typed=True),
            Step(
                "tool",
                "line:3",
                tool="shell",
                input={"command": "make"},
                error="boom",
                status=2,
                files=("a.py",),
            ),
        ),
        findings=(
            Finding(
                "r-1",
                "line:4",
                "Use uv",
                by="reviewer",
                tier="review",
                severity="bug",
                paths=("a.py",),
            ),
        ),
        cwd="/repo",
        task="fix it",
        outcome="failure",
        complete=True,
        cost=Cost(input=5, output=2, usd=0.1),
        path="-",
        reading=Reading(lines=5),
    )


def test_a_run_on_one_line() -> None:
    """A run line may hold everything; with steps and an outcome it is over."""
    held = {
        "steps": [{"role": "assistant", "text": "done"}],
        "findings": [{"text": "Use uv", "by": "ci"}],
    }
    (run,) = read({"type": "run", "id": "r", "outcome": "success", **held})
    assert run.complete and run.steps == (Step("assistant", "line:1/steps/1", "done"),)
    assert run.findings == (Finding("r", "line:1/findings/1", "Use uv", by="ci", tier="review"),)


def test_several_runs_in_one_file() -> None:
    """A new run line starts a new run, with its own counts."""
    runs = read(
        {"type": "run", "id": "a"},
        "oops",
        {"type": "run", "id": "b"},
        {"type": "step", "role": "user"},
    )
    assert [(run.id, run.reading) for run in runs] == [
        ("a", Reading(lines=2, malformed=1, warnings=("line 2 is not a JSON object",))),
        ("b", Reading(lines=2)),
    ]


def test_findings_may_name_their_run() -> None:
    """Findings without a run line give a run of the name they carry."""
    said = (("r1", "Use uv"), ("r1", "Use ruff"), ("r2", "Use make"))
    runs = read(*({"type": "finding", "run_id": run, "message": text} for run, text in said))
    found = [(run.id, [finding.text for finding in run.findings]) for run in runs]
    assert found == [("r1", ["Use uv", "Use ruff"]), ("r2", ["Use make"])]


@by_table
def test_no_file_speaks_for_a_person(claims: dict[str, Any], tier: str, warnings: int) -> None:
    """A finding's tier follows its claim up to review; a claim of user or team is lowered to agent, with a warning."""
    run = one({"type": "finding", "text": "Use uv", **claims})
    assert run.reading is not None
    assert ([finding.tier for finding in run.findings], len(run.reading.warnings)) == (
        [tier],
        warnings,
    )


def test_unknown_fields_are_kept() -> None:
    """What the format has no field for stays in extra, of the run and of the finding."""
    (run,) = read(
        {"type": "run", "id": "r", "colour": "red", "extra": {"a": 1}},
        {"type": "finding", "text": "Use uv", "line": 7},
        {"type": "end", "iterations": 3},
    )
    assert (run.extra, run.findings[0].extra) == (
        {"a": 1, "colour": "red", "iterations": 3},
        {"line": 7},
    )


@by_table
def test_what_cannot_be_used_is_named_with_its_line(
    line: object, warning: str, malformed: int
) -> None:
    """A wrong line or value is left out with a warning, and the run is read all the same."""
    assert one(line).reading == Reading(lines=2, malformed=malformed, warnings=(warning,))


def test_unknown_types_and_step_fields_are_counted() -> None:
    """Types of lines and fields of steps that nobody knows are counted by name."""
    run = one(
        {"type": "banner"},
        {"type": "banner"},
        {"no": "type"},
        {"type": "step", "role": "user", "mood": "good"},
    )
    assert run.reading == Reading(lines=5, unknown={"banner": 2, "(no type)": 1, "step.mood": 1})


def test_warnings_end_somewhere() -> None:
    """A file of nothing but faults gives twenty warnings and the number of the others."""
    reading = one(*["oops"] * 30).reading
    assert reading is not None and (len(reading.warnings), reading.warnings[-1]) == (
        21,
        "and 10 more",
    )


def test_a_run_without_an_id_is_left_out_with_its_lines() -> None:
    """Its steps do not fall to the run before it."""
    runs = read(
        {"type": "run", "id": "a"},
        {"type": "run"},
        {"type": "step", "role": "user", "text": "whose?"},
    )
    assert [(run.id, run.steps) for run in runs] == [("a", ())]


DOCS = Path(__file__).parents[2] / "docs" / "formats"


def schema_of(name: str) -> dict[str, Any]:
    return json.loads((DOCS / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["run", "finding"])
def test_the_published_schemas_are_whole(name: str) -> None:
    """A schema says which draft it is of, what it is called and what it describes; its examples read without a fault."""
    schema = schema_of(name)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"].startswith("urn:tacit:") and schema["title"] and schema["description"]
    lead = [{"type": "run", "id": "r"}] if name == "finding" else []
    runs = read(*lead, *schema["examples"])
    assert runs and {
        run.reading and (run.reading.malformed, run.reading.unknown, run.reading.warnings)
        for run in runs
    } == {(0, None, ())}


def test_the_examples_in_the_documentation_read_without_a_fault() -> None:
    """What docs/formats/neutral.md shows gives the runs it speaks of."""
    page = (DOCS / "neutral.md").read_text(encoding="utf-8")
    runs = [run for shown in re.findall(r"```jsonl\n(.*?)```", page, re.S) for run in read(shown)]
    assert [
        (run.id, run.outcome, run.complete, len(run.steps), len(run.findings)) for run in runs
    ] == [
        ("r-17", "success", True, 3, 1),
        ("r-18", "failure", True, 1, 1),
    ]
    assert [run.reading and run.reading.warnings for run in runs] == [(), ()]


def test_the_schemas_name_the_fields_that_are_read() -> None:
    """Schema and reader agree on every field, so that neither changes alone."""
    run, finding = schema_of("run"), schema_of("finding")
    described = {
        name: set(part["properties"]) for name, part in run["$defs"].items() if "properties" in part
    }
    assert described["run"] == {*neutral._RUN_FIELDS, "type", "id", "steps", "findings", "extra"}
    assert described["step"] == {*neutral._STEP_FIELDS, "type"}
    assert set(finding["properties"]) == {
        *neutral._FINDING_FIELDS,
        "type",
        "run",
        "tier",
        "severity",
        "extra",
    }
    assert finding["properties"]["tier"]["enum"] == list(neutral.CLAIMABLE)


def test_a_neutral_file_is_recognised_by_its_first_record() -> None:
    """A run line with an id, or a finding that names its run; a line longer than the head as well."""
    heads = [
        {"type": "run", "id": "r"},
        {"type": "finding", "run": "r", "text": "t"},
        {"type": "run", "id": "r", "task": "x" * 70_000},
        {"type": "run"},
        {"type": "run.start", "run_id": "r"},
        {"text": "t"},
    ]
    assert [neutral.detect(BytesSource(json.dumps(head).encode())) for head in heads] == [
        0.95,
        0.8,
        0.7,
        0.0,
        0.0,
        0.0,
    ]


ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 10**20)
    | st.floats()
    | st.sampled_from(["", "x", "user", "2026-03-01T10"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["type", "text", "role", "id"]), inner, max_size=3)
    ),
    max_leaves=4,
)
READ = {*neutral._RUN_FIELDS, *neutral._STEP_FIELDS, *neutral._FINDING_FIELDS}
NAMED = {*neutral.RUN_NAMES, *neutral.STEP_NAMES, *neutral.FINDING_NAMES}
FIELD = st.sampled_from(
    sorted({*READ, *NAMED, *"steps findings extra tier severity run id".split()})
)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["run", "step", "finding", "end"]),
            st.dictionaries(FIELD, ODD, max_size=5),
        ),
        max_size=4,
    )
)
def test_no_content_makes_the_reader_fail(lines: list[tuple[str, dict[str, Any]]]) -> None:
    """Whatever stands in a field, the lines are read and counted."""
    runs = read({"type": "run", "id": "r"}, *({"type": kind, **fields} for kind, fields in lines))
    assert runs[0].id == "r"
