"""Each origin's behaviours that were once not exact, tried as their users would: a command line, their own files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from callers import CALLERS, PERSON, SCRIPT, Ended, World

pytestmark = [pytest.mark.process, pytest.mark.file_only("each world has a home of its own")]


def chosen(folder: Path, system: str) -> World:
    """A repository whose person has chosen an origin."""
    world = World(folder)
    assert world.tacit(PERSON, "init", "--profile", system).code == 0
    return world


def put(world: World, name: str, content: Any) -> str:
    """A file of theirs, with its folders; its name from the top of the repository."""
    path = world.repo / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return name


# --- joelclaw ---------------------------------------------------------------------------------------------------------


def submit(world: World, caller: str, observation: str, **more: Any) -> Ended:
    """One observation on standard input."""
    event = json.dumps({"observation": observation, **more})
    return world.tacit(caller, "learn", "-", "--format", "joelclaw", stdin=event)


@pytest.mark.parametrize("caller", CALLERS[1:])
def test_a_tool_trace_is_discarded_whatever_stands_beside_it(caller: str, tmp_path: Path) -> None:
    world = chosen(tmp_path, "joelclaw")
    submit(world, caller, "<toolCall>rm -rf build</toolCall> the build folder was removed by hand")
    answer = (
        "- 🔴 [gate=allow confidence=0.9] &lt;toolCall&gt;ls&lt;/toolCall&gt; jobs.db is locked"
    )
    path = put(world, "answer.xml", f"<observations><facts>\n{answer}\n</facts></observations>")
    world.tacit(caller, "learn", path, "--format", "joelclaw")
    assert json.loads(world.tacit(PERSON, "list", "--json").out)["data"]["memories"] == []


@pytest.fixture
def observed() -> Callable[..., dict[str, Any]]:
    """An observation of joelclaw's store, five months old."""

    def document(id: str, **more: Any) -> dict[str, Any]:
        return {
            "id": id,
            "observation": f"The gateway {id} keeps its lock in /var/run/{id}.lock",
            "timestamp": 1_781_000_000 - 150 * 86400,
            "write_verdict": "allow",
            "write_confidence": 0.9,
            "category_id": "jc:operations",
            **more,
        }

    return document


def test_stale_is_what_was_never_recalled(
    tmp_path: Path, observed: Callable[..., dict[str, Any]]
) -> None:
    """What joelclaw itself counted as recalled is neither marked by a night nor dropped by recall."""
    world = chosen(tmp_path, "joelclaw")
    rows = [observed("often", recall_count=25), observed("never", recall_count=0)]
    path = put(world, "memory_observations.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert world.tacit(PERSON, "import", path, "--trust", "user").code == 0
    for _ in range(2):
        found = world.tacit(SCRIPT, "recall", "where does the gateway keep its lock?").out
        assert "often.lock" in found and "never.lock" not in found
        night = world.tacit(PERSON, "tend").out
    assert "often" not in night
