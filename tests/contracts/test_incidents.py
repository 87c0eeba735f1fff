"""What was noticed in old runs becomes counts, in a file and on a server alike."""

from __future__ import annotations

import pytest
from tests.verbs import open as open_memories

from tacit.core.run import Run
from tacit.store.failures import commonest
from tacit.testing import run, tool

ERROR = 'psycopg.errors.UndefinedTable: relation "orders" does not exist'


def migrated(n: int, lineage: str = "") -> Run:
    """A session that met a missing table and ran the migrations."""
    steps = (
        tool("make check", error=ERROR),
        tool("make migrate", "done"),
        tool("make check", "ok"),
    )
    return run(f"s{n}", *steps, lineage=lineage)


def test_incidents_of_old_runs_become_counts(
    folder: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing that is counted is lost, a lineage counts once; and the store verifies."""
    with open_memories() as memories:
        for n in range(4):
            memories.learn(migrated(n, lineage="s0" if n == 3 else ""))
        before = commonest(memories.store, memories.project_id)
        monkeypatch.setattr("tacit.store.failures.INCIDENT_RUNS", 2)
        memories.learn(Run("later", "claude-code", steps=(), complete=True))
        after = commonest(memories.store, memories.project_id)
        assert (
            [(each["lineages"], each["times"]) for each in after]
            == [(each["lineages"], each["times"]) for each in before]
            == [(3, 4)]
        )
        kept = dict(
            memories.store.rows(
                "SELECT coalesce(extra ->> '$.kind', 'failure') AS kind, COUNT(*) FROM failure GROUP BY 1"
            )
        )
        assert kept == {
            "past until": 1,
            "past failure": 1,
            "failure": 1,
        }
        memories.learn(migrated(0))  # learned again, it is counted already
        assert commonest(memories.store, memories.project_id) == after
        assert memories.health().health.is_sound
        (lesson,) = [each for each in memories.list() if each.source == "notice"]
        memories.erase(lesson.id)
        assert "past failure" not in dict(
            memories.store.rows(
                "SELECT coalesce(extra ->> '$.kind', 'failure') AS kind, COUNT(*) FROM failure GROUP BY 1"
            )
        )
