"""A fork or a resumed copy of a session is no second sighting, whatever it is called."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.verbs import Memories, open

from tacit.store.check import check

FAILURE = "Exit code 1\npsycopg.OperationalError: connection to 127.0.0.1:5432 refused"


def session(path: Path, id: str, first: str, *more: str) -> str:
    """A session as `--fork-session` copies it: all uuids shared, the session's id rewritten, no mark of where it came from."""
    calls = [
        ("./bin/pytest -q", FAILURE),
        ("make db", "database up"),
        ("./bin/pytest -q", "3 passed"),
    ]
    rows: list[dict[str, Any]] = [
        {
            "type": "user",
            "permissionMode": "default",
            "message": {"role": "user", "content": "run the tests"},
        }
    ]
    for n, (command, output) in enumerate(calls):
        use = {
            "type": "tool_use",
            "id": f"{first}-t{n}",
            "name": "Bash",
            "input": {"command": command},
        }
        rows.append(
            {
                "type": "assistant",
                "message": {"id": f"{first}-m{n}", "role": "assistant", "content": [use]},
            }
        )
        block = {
            "type": "tool_result",
            "tool_use_id": f"{first}-t{n}",
            "content": output,
            "is_error": output == FAILURE,
        }
        kept = f"Error: {output}" if output == FAILURE else {"stdout": output}
        rows.append(
            {"type": "user", "message": {"role": "user", "content": [block]}, "toolUseResult": kept}
        )
    rows += [
        {"type": "user", "permissionMode": "default", "message": {"role": "user", "content": text}}
        for text in more
    ]
    for n, row in enumerate(rows):
        row |= {
            "uuid": f"{first}-{n}",
            "sessionId": id,
            "timestamp": f"2026-11-16T05:00:{n:02d}.000Z",
        }
        row |= {"version": "2.1.325", "entrypoint": "cli", "promptSource": "typed"}
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[Memories]:
    (tmp_path / "w").mkdir()
    env = {
        "HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path / "d"),
        "XDG_CONFIG_HOME": str(tmp_path / "c"),
    }
    with open(env=env, cwd=str(tmp_path / "w")) as opened:
        yield opened
        assert check(opened.store).faults == ()


def seen(memories: Memories) -> set[int]:
    return {memory.tally.seen for memory in memories.list()}


def test_a_fork_is_no_second_sighting(memories: Memories, tmp_path: Path) -> None:
    """One observation, one fork, nothing new done: nothing is told yet. A session of its own is the second."""
    memories.learn(session(tmp_path / "a.jsonl", "s-a", "one"), over=True)
    memories.learn(session(tmp_path / "b.jsonl", "s-b", "one", "go on differently"), over=True)
    assert seen(memories) == set()
    memories.learn(session(tmp_path / "c.jsonl", "s-c", "two"), over=True)
    assert seen(memories) == {2}
