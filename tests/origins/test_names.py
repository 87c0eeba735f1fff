"""The origins' own ids, from birth on and in every command; and a list in their columns."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests import verbs

from tacit.cli import main
from tacit.testing import finding, run


def test_a_lesson_has_its_number_when_it_is_learned(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """ArcheFlow: m-001 without any export; never used again."""
    with verbs.open(
        str(folder / "a.db"), profile="archeflow", cwd=str(folder), by="ada", yes=True
    ) as memories:
        memories.learn(
            run(
                "r1",
                finding(
                    "r1",
                    "Timeline references must match the story's start",
                    severity="warning",
                    domain="writing",
                ),
            )
        )
        memories.add("User prefers single bundled PR over many small ones")
        assert [memory.alias for memory in memories.list(sort="old")] == ["m-001", "m-002"]
        assert memories.get("m-001").text.startswith("Timeline")
        memories.forget("m-002")
        assert memories.add("Answer in German").alias == "m-003"
    common = ["--store", str(folder / "a.db"), "--like", "archeflow"]
    assert main(["list", "--sort", "old", *common]) == 0
    head, first, *_ = capsys.readouterr().out.splitlines()
    assert head.split() == ["id", "freq", "kind", "domain", "lesson"]
    assert first.split()[:4] == ["m-001", "1", "pattern", "writing"]


def test_a_memory_of_geas_is_approved_by_its_own_name(folder: Path) -> None:
    """mem-{task}-{n} from the retrospective, usable before any export."""
    task = folder / ".geas" / "missions" / "m-1" / "tasks" / "task-014"
    task.mkdir(parents=True)
    told = {
        "artifact_type": "retrospective",
        "task_id": "task-014",
        "memory_candidates": ["Retry without backoff floods the queue and failed twice"],
    }
    (task / "retrospective.json").write_text(json.dumps(told))
    with verbs.open(
        str(folder / "g.db"), profile="geas", cwd=str(folder), by="olga", yes=True
    ) as memories:
        memories.learn(str(task / "retrospective.json"))
        assert [memory.alias for memory in memories.list()] == ["mem-task-014-1"]
        done = memories.review("mem-task-014-1", "approve", role="orchestration_authority")
        assert done.state == "provisional"


def test_a_learning_of_ralph_has_its_id(folder: Path) -> None:
    with verbs.open(
        str(folder / "r.db"), profile="ralph", cwd=str(folder), by="ada", yes=True
    ) as memories:
        made = memories.add("Test-driven development approach", kind="strategy")
        assert made.alias.startswith("learn-") and len(made.alias) == 14
        assert memories.get(made.alias).id == made.id
