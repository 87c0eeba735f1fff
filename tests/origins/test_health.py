"""Is memory well? Figures, alarms, what is gone, and tending by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests import verbs
from tests.verbs import Memories

from tacit.core.errors import Refused
from tacit.testing import Clock, finding, run


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memories(tmp_path: Path, clock: Clock) -> Iterator[Memories]:
    env = {"HOME": str(tmp_path), "USER": "ada"}
    (tmp_path / "work").mkdir()
    with verbs.open(
        str(tmp_path / "a.db"), env=env, cwd=str(tmp_path / "work"), by="ada", yes=True, now=clock
    ) as memories:
        yield memories


def test_alarms_name_what_is_wrong(memories: Memories, clock: Clock) -> None:
    """A gate that falls back, hooks that failed, a backlog, nobody tending: each its sentence; small numbers say nothing."""
    for number in range(25):
        memories.learn(
            run(
                f"r{number}",
                finding(f"r{number}", f"Parser{number} drops field{number} of table{number}"),
                ended_at=clock.now,
            )
        )
    with memories.store.write() as tx:
        tx.count(memories.project_id, "gate_fallback", clock.now, 2)
        tx.count("", "hook_failure", clock.now)
    told = " / ".join(memories.alarms(memories.statistics("2025-01-01", ["learn:x: it broke"])))
    for part in (
        "8% of 25 findings could not be judged",
        "1 hooks failed",
        "1 transcripts could not be learned",
        "not tended yet",
    ):
        assert part in told
    with memories.store.write() as tx:
        tx.rows("DELETE FROM common WHERE kind = 'event'")
    memories.tend()
    assert memories.alarms(memories.statistics("2025-01-01")) == ()


def test_a_lesson_about_a_file_that_is_gone_sinks_and_says_so(
    memories: Memories, tmp_path: Path
) -> None:
    """Half its rank, a line in why, never deleted; the file comes back and so does the rank."""
    tree = tmp_path / "work"
    (tree / "src").mkdir()
    (tree / "docs" / "decisions").mkdir(parents=True)
    (tree / "docs" / "decisions" / "0041-queues.md").write_text("")
    (tree / "src" / "importer.py").write_text("")
    here = memories.add("Guard src/importer.py against empty rows", kind="pitfall")
    gone = memories.add("Guard src/exporter.py against empty rows", kind="pitfall")
    record = memories.add("ADR-0014 asks for empty rows to be kept", kind="fact")
    away = memories.add("See other-project/src/main.py for empty rows", kind="fact")
    assert memories.tend(only="sweep").of("sweep").figures["gone"] == 2
    marked = {
        id
        for id in (here.id, gone.id, record.id, away.id)
        if (memories.get(id).tally.signals or {}).get("gone")
    }
    assert marked == {gone.id, record.id}
    ranked = memories.recall("guard against empty rows in the importer and exporter")
    scores = {answer.memory.id: answer.score for answer in ranked.hits}
    assert scores[gone.id] < scores[here.id]
    told = memories.inject("guard empty rows in the importer and exporter", run="next").injected
    assert told.index(here.id) < told.index(gone.id)
    assert (
        memories.gone(memories.get(gone.id)) == ("src/exporter.py",)
        and memories.health().health.is_sound
    )
    (tree / "src" / "exporter.py").write_text("")
    memories.tend(only="sweep")
    assert not (memories.get(gone.id).tally.signals or {}).get("gone")


def test_a_refused_move_is_counted(memories: Memories) -> None:
    """Nothing is written but that it was asked for in vain."""
    memory = memories.add("Run make migrate before the tests")
    with pytest.raises(Refused):
        memories.review(memory.id, "unmerge")
    assert memories.statistics("2000-01-01").events == {"move_refused": 1}
