"""What hosts really do: files cut off in the middle, records of a future version, two versions and two hosts at once, a host that dies.

Nothing is lost, nothing is learned twice, and the canary says what is not understood.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from tests.verbs import Memories, open

from tacit.store.failures import commonest

DATA = Path(__file__).parents[1] / "hosts" / "data" / "hosts"
FILES = (
    "claude-code-2.1.325/typed.jsonl",
    "claude-code-2.1.325/print.jsonl",
    "claude-code-2.1.197/print.jsonl",
    "codex-0.166.0/typed.jsonl",
    "copilot-1.0.102/typed/events.jsonl",
    "gemini-0.61.0/session-1.jsonl",
)


def known(memories: Memories) -> Any:
    """All that learning brought: lessons with what they are counted by, failures with the runs that met them."""
    store, project = memories.store, memories.project_id
    lessons = sorted(
        (each.text, each.kind, each.state, len(memories.why(each.id).evidence))
        for each in memories.list()
    )
    return lessons, commonest(store, project)


def learned(path: Path, *texts: str, format: str) -> tuple[Any, list[str]]:
    """What a store of its own knows after a file was learned in each of these states, and what its canary says."""
    store = path.parent / f"{len(list(path.parent.iterdir()))}.db"
    with open(str(store)) as memories:
        for text in texts:
            path.write_text(text)
            memories.learn(str(path), format=format, over=True)
        return known(memories), memories.unread()


@pytest.mark.parametrize("name", FILES)
def test_a_truncated_transcript(name: str, tmp_path: Path, folder: Path) -> None:
    """Learned at a cut, in the middle of a line, and again when it is whole: what the whole teaches, once."""
    whole = (DATA / name).read_text()
    path = (
        tmp_path / "session" / "events.jsonl"
        if "copilot" in name
        else tmp_path / "session" / Path(name).name
    )
    path.parent.mkdir()
    format = name.split("/")[0].rpartition("-")[0]
    at_once, _ = learned(path, whole, format=format)
    for cut in (len(whole) // 3, len(whole) // 2, len(whole) - 20):
        assert learned(path, whole[:cut], whole, whole, format=format)[0] == at_once
    assert at_once[0] or at_once[1]  # the file teaches something, so this can fail


@pytest.mark.parametrize("name", FILES)
def test_records_of_a_future_version(name: str, tmp_path: Path, folder: Path) -> None:
    """Between records that are known they change nothing; few are passed over, many are said, with host and version."""
    lines = (DATA / name).read_text().splitlines()
    path = tmp_path / "session" / ("events.jsonl" if "copilot" in name else Path(name).name)
    path.parent.mkdir()
    format = name.split("/")[0].rpartition("-")[0]
    future = json.dumps(
        {
            "type": "hologram",
            "uuid": "h1",
            "timestamp": "2027-01-01T00:00:00Z",
            "payload": {"type": "hologram"},
            "data": {},
        }
    )
    one = [*lines[:-1], future, lines[-1]]
    many = [lines[0], *(each for line in lines[1:] for each in (future, line)), *([future] * 10)]
    plain, quiet = learned(path, "\n".join(lines) + "\n", format=format)
    few, still_quiet = learned(path, "\n".join(one) + "\n", format=format)
    full, told = learned(path, "\n".join(many) + "\n", format=format)
    assert plain == few == full and quiet == still_quiet == []
    assert len(told) == 1 and told[0].startswith(format) and "unknown types" in told[0]


def opencode(told: dict[str, Any], cut: int, open_call: bool = False, future: int = 0) -> str:
    """An export with so many messages; the last call still running, as a killed program leaves it; with parts that no version has yet."""
    copy = json.loads(json.dumps(told))
    copy["messages"] = copy["messages"][:cut]
    parts = [part for message in copy["messages"] for part in message["parts"]]
    if open_call:
        (call,) = [part for part in parts if part.get("callID")][-1:]
        call["state"] = {
            "status": "running",
            "input": call["state"]["input"],
            "time": {"start": 1794847891509},
        }
    for number in range(future):
        copy["messages"][-1]["parts"].insert(
            0, {"id": f"prt_h{number}", "type": "hologram", "text": "?"}
        )
    return json.dumps(copy)


def test_an_opencode_session_in_the_middle_and_of_the_future(tmp_path: Path, folder: Path) -> None:
    """Read while a call runs and again when it is whole: what the whole teaches, once. Parts of a future version change nothing and are said."""
    told = json.loads((DATA / "opencode-1.18.18" / "export.json").read_text())
    path = tmp_path / "session" / "export.json"
    path.parent.mkdir()
    whole = opencode(told, 3)
    at_once, quiet = learned(path, whole, format="opencode")
    assert at_once[1] and quiet == []
    for half in (
        opencode(told, 1),
        opencode(told, 2, open_call=True),
        opencode(told, 3, open_call=True),
    ):
        assert learned(path, half, whole, whole, format="opencode")[0] == at_once
    future, said = learned(path, opencode(told, 3, future=5), format="opencode")
    assert (
        future == at_once
        and len(said) == 1
        and said[0].startswith("opencode")
        and "unknown types" in said[0]
    )


def test_two_versions_and_two_hosts_in_one_repository(tmp_path: Path, folder: Path) -> None:
    """The same failure in sessions of four programs is met by four independent runs, in whichever order they are learned, also twice."""
    found = []
    for order in (1, -1):
        with open(str(tmp_path / f"{order}.db")) as memories:
            for name in (*FILES[1:3], *FILES[3:])[::order]:
                for _ in range(2):
                    memories.learn(
                        str(DATA / name), format=name.split("/")[0].rpartition("-")[0], over=True
                    )
            found.append(known(memories))
    assert found[0] == found[1] and found[0][1]


def test_a_host_that_dies_in_its_first_turn(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It told of a start and never of an end: its transcript waits from the start on, and is read once the worker looks."""
    from tacit import worker
    from tacit.hooks.main import respond
    from tacit.hooks.sessions import DIED

    monkeypatch.setenv("TACIT_NO_WORKER", "1")
    transcript = tmp_path / "s-print.jsonl"
    whole = (DATA / "claude-code-2.1.325/print.jsonl").read_text()
    transcript.write_text(whole[: len(whole) * 2 // 3])
    with open() as memories:
        memories.ensure_project()
        store = memories.store.path
    said = {
        "session_id": "s-print",
        "transcript_path": str(transcript),
        "cwd": str(folder),
        "hook_event_name": "SessionStart",
        "source": "startup",
    }
    respond("session-start", said, os.environ)
    assert worker.work(store, os.environ, idle=0.0).learned == 0  # not while it may be alive
    later = time.time() + DIED + 1
    monkeypatch.setattr(time, "time", lambda: later)
    assert worker.work(store, os.environ, idle=0.0).learned == 1
    with open() as memories:
        dead = known(memories)
        memories.learn(str(transcript), format="claude-code")
        assert (
            known(memories) == dead
            and memories.store.find_run(memories.project_id, "s-print") is not None
        )


def test_a_waiting_session_is_not_put_off(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session that is resumed while its last turn waits to be learned keeps its place in the queue."""
    from tacit.hooks.main import respond

    monkeypatch.setenv("TACIT_NO_WORKER", "1")
    with open() as memories:
        memories.ensure_project()
        near = memories.store
        said = {
            "session_id": "s1",
            "transcript_path": str(tmp_path / "t.jsonl"),
            "cwd": str(folder),
            "source": "resume",
        }
        respond("stop", {**said, "hook_event_name": "Stop"}, os.environ)
        before = near.rows("SELECT not_before FROM job")
        respond("session-start", {**said, "hook_event_name": "SessionStart"}, os.environ)
        assert near.rows("SELECT not_before FROM job") == before and len(before) == 1
