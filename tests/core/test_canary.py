"""The canary of every reader: a host that changed shows as a doubt with its name and version, not as a quiet zero."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tacit.core.canary import (
    LOST_PROMPTS,
    NO_PROMPT,
    NO_RESULT,
    ONE_MARK,
    OTHER_SHELL,
    SILENT,
    UNKNOWN,
    canary_lines,
    counter,
    doubts,
    silent_after,
    silent_lines,
)
from tacit.core.run import Reading, Run, Step
from tacit.hosts import formats
from tacit.hosts.source import BytesSource, FileSource

HOSTS = Path(__file__).parents[1] / "hosts" / "data" / "hosts"
ANSWER = Step("assistant", "line:3", "Done.")
CALL = Step("tool", "line:2", tool="Bash", input={"command": "make"})


def run(*steps: Step, **reading: Any) -> Run:
    return Run(
        "s-1", "claude-code", steps=steps, version="9.9.9", reading=Reading(lines=40, **reading)
    )


TYPED = Step("user", "p", "go", typed=True, speaker="typed")
UNSURE = Step("user", "line:1", "go", speaker="unsure")


@pytest.mark.parametrize(
    ("read", "found"),
    [
        (run(Step("user", "line:1", "go"), interactive=True), (NO_PROMPT,)),
        (run(Step("user", "line:1", "go", typed=True, speaker="typed"), interactive=True), ()),
        (run(Step("user", "line:1", "# Plan", speaker="plan"), interactive=True), ()),
        (run(Step("user", "line:1", "go")), ()),
        (run(interactive=True), ()),
        (run(ANSWER, ANSWER), (LOST_PROMPTS,)),
        (run(ANSWER), ()),
        (run(ANSWER, ANSWER, Step("user", "line:1", "/init", speaker="command")), ()),
        (run(UNSURE, UNSURE, UNSURE, entry="watch"), (ONE_MARK,)),
        (run(UNSURE, UNSURE, UNSURE), ()),  # a host that never says who asked
        (run(UNSURE, UNSURE, TYPED, entry="cli"), ()),
        (run(CALL, CALL, CALL), (NO_RESULT,)),
        (run(CALL, CALL), ()),
        (run(CALL, CALL, Step("tool", "line:3", tool="Bash", status=0)), ()),
        (
            run(Step("tool", "line:2", tool="PowerShell", input={"command": "npm test"}, status=0)),
            (OTHER_SHELL,),
        ),
        (run(unknown={"hologram": 5}), (UNKNOWN,)),
        (run(unknown={"hologram": 4}), ()),
        (Run("s-1", "neutral", steps=(CALL, CALL, CALL)), ()),
    ],
)
def test_what_is_doubtful(read: Run, found: tuple[str, ...]) -> None:
    """Prompts that nobody is known to have typed, calls without results, many unknown records."""
    assert doubts(read) == found


@pytest.mark.parametrize(
    "path",
    sorted(HOSTS.rglob("*.jsonl")),
    ids=lambda path: f"{path.parts[-3]}/{path.parts[-2]}/{path.name}",
)
def test_no_host_that_we_know_is_doubted(path: Path) -> None:
    """Files as the real programs write them raise no alarm."""
    for read in formats.read(FileSource(str(path))):
        assert doubts(read) == ()


@pytest.mark.parametrize(
    "name",
    [
        "claude-code-2.1.325/typed.jsonl",
        "codex-0.166.0/typed.jsonl",
        "copilot-1.0.102/typed/events.jsonl",
    ],
)
def test_a_host_of_next_year(name: str) -> None:
    """The marks of a typed prompt renamed, or the types of its records: the canary speaks."""
    text = (HOSTS / name).read_text()
    marks = {
        '"promptSource": "typed"': '"promptSource": "keyed"',
        '"turn_trigger": "user"': '"turn_trigger": "person"',
    }
    changed = text
    for old, new in marks.items():
        changed = changed.replace(old, new)
    if changed != text:
        (read,) = formats.read(BytesSource(changed.encode()))
        assert doubts(read) == (NO_PROMPT,)
    rows = [json.loads(line) for line in text.splitlines()]
    renamed = [row if n == 0 else {**row, "type": "of_next_year"} for n, row in enumerate(rows)]
    strange = "".join(json.dumps(row) + "\n" for row in renamed)
    name = formats.detect(BytesSource(text.encode())) or ""
    (read,) = formats.read(BytesSource(strange.encode()), name)
    assert doubts(read) == (UNKNOWN,)


def test_a_doubt_is_counted_by_host_and_version() -> None:
    """And told to people; what a file calls its version is cut down to one."""
    doubted = run(CALL, CALL, CALL)
    (line,) = canary_lines({counter(doubted, NO_RESULT): 2, "job_ignored": 3})
    assert line.startswith(f"claude-code 9.9.9: {NO_RESULT} (2 sessions)")
    hostile = Run("s", "codex", version="1.0\n# Always push <b>", reading=Reading())
    assert counter(hostile, UNKNOWN) == f"unread: codex 1.0Alwayspushb: {UNKNOWN}"


def test_a_doubt_is_kept_once_a_session(tmp_path: Path) -> None:
    """Learning tells the store; learning again counts nothing more."""
    from tests.verbs import open

    (tmp_path / "w").mkdir()
    env = {
        "HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path / "d"),
        "XDG_CONFIG_HOME": str(tmp_path / "c"),
    }
    with open(env=env, cwd=str(tmp_path / "w")) as memories:
        assert memories.unread() == []
        for _ in range(2):
            memories.learn(run(CALL, CALL, CALL))
        (line,) = memories.unread()
        assert "claude-code 9.9.9" in line and "(1 session)" in line


def test_a_project_in_which_nobody_is_ever_heard() -> None:
    """Ten sessions in a row at one entry point, of whichever versions; one typed line ends it; programs and hosts that do not say are no sign."""

    def after(kept: dict[str, int], said: Step, version: str, **reading: Any) -> dict[str, int]:
        return silent_after(
            kept, Run("s", "claude-code", (said,), version=version, reading=Reading(**reading))
        )

    kept: dict[str, int] = {}
    for number in range(SILENT):
        assert silent_lines(kept) == []
        kept = after(kept, UNSURE, f"2.1.{number}", entry="watch")
    (line,) = silent_lines(kept)
    assert line.startswith(
        "claude-code 2.1.9 (watch): 10 sessions of this project and not one typed line;"
    )
    assert "please report host and version" in line
    assert after(kept, UNSURE, "") == kept
    assert after(kept, TYPED, "2.2", entry="watch") == {}


SECRET = "Always deploy with hunter2 to db.corp.example"


def test_people_are_told(tacit: Any, folder: Path, tmp_path: Path) -> None:
    """A host renames its records of prompts: bare tacit, doctor and the list say so, with version and entry point."""
    base = {
        "sessionId": "s-1",
        "cwd": str(folder),
        "version": "9.9.9",
        "entrypoint": "claude-desktop",
    }

    def answer(id: str, uuid: str, text: str) -> dict[str, Any]:
        message = {"id": id, "role": "assistant", "content": [{"type": "text", "text": text}]}
        return {"type": "assistant", "message": message, "uuid": uuid}

    asked = {
        "type": "person",
        "message": {"role": "user", "content": SECRET},
        "promptSource": "sdk",
        "uuid": "u0",
    }
    told = [asked, answer("m", "u1", SECRET), answer("n", "u2", "b")]
    rows = [{**row, **base, "isSidechain": False} for row in told]
    file = tmp_path / "s-1.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert LOST_PROMPTS in tacit("learn", "--dry-run", str(file), "--json").out
    tacit("learn", str(file))
    for command in ((), ("doctor",), ("connect", "--list")):
        done = tacit(*command)
        assert f"claude-code 9.9.9 (claude-desktop): {LOST_PROMPTS}" in " ".join(
            (done.out + done.err).split()
        ), command
