"""What every way of remembering has from the origins: words as keywords, clearing a project, a note in the journal, Ralph's seven columns."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests import verbs
from tests.verbs import Memories

from tacit.core.errors import Refused
from tacit.origins.filing import hits_of


@pytest.fixture
def memories(folder: Path) -> Iterator[Memories]:
    with verbs.open(str(folder / "d.db"), cwd=str(folder), by="ada", yes=True) as opened:
        yield opened


def test_a_word_is_not_found_in_another_that_begins_alike() -> None:
    assert hits_of("Bring a ruler", ["rule"], "inflected") == 0
    assert hits_of("House rules apply", ["rule"], "inflected") == 1
    assert hits_of("Everything is tested; testing takes long", ["test"], "inflected") == 1
    assert (
        hits_of("He preferred that, it is his preference", ["prefer", "preference"], "inflected")
        == 2
    )


def test_a_project_can_be_cleared_and_comes_back(memories: Memories, tmp_path: Path) -> None:
    kept = [memories.add(text) for text in ("Run make migrate first", "Never push to main")]
    wide = memories.add("Never print a stack trace to users", scope="global")
    assert {each.id for each in memories.clear()} == {each.id for each in kept}
    assert [each.id for each in memories.list()] == [wide.id]
    memories.undo(kept[0].id)
    assert {each.id for each in memories.list()} == {kept[0].id, wide.id}
    work, env = tmp_path / "work", {"CLAUDECODE": "1", "HOME": str(tmp_path)}
    with (
        verbs.open(str(work / "d.db"), cwd=str(work), env=env) as agent,
        pytest.raises(Refused),
    ):
        agent.clear()


def test_a_note_stands_in_the_journal(memories: Memories) -> None:
    """What somebody changed around the memory, and why; beside the entries of lessons, in their order."""
    lesson = memories.add("Run make migrate first")
    memories.note("raised the budget to deep", reason="research week")
    first, second = memories.log()
    told = (first.memory, second.verb, second.by, second.reason)
    assert told == (lesson.id, "note", "ada", "raised the budget to deep (research week)")
    assert [each.verb for each in memories.log(verb="note")] == ["note"]
    assert [each.verb for each in memories.log(memory=lesson.id)] == ["add"]
    assert memories.health().health.faults == ()


def test_ralphs_seven_columns(folder: Path) -> None:
    with verbs.open(
        str(folder / "r.db"), profile="ralph", cwd=str(folder), by="ada", yes=True
    ) as memories:
        made = memories.add(
            "Test-driven development approach", kind="strategy", task_type="test-fix"
        )
        memories.figures(made.id, confidence=0.8, success_rate=0.75)
        head, row = memories.export("ralph", "csv").splitlines()
        assert head == "id,type,taskType,confidence,successRate,useCount,createdAt"
        assert row.split(",")[:6] == [made.alias, "strategy", "test-fix", "0.8", "0.75", "0"]
        assert "ralph-learnings.csv" not in memories.export_files("ralph")
        assert memories.knowledge.statistics().updated_at >= made.updated_at
