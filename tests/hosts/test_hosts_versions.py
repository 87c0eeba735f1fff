"""Hosts by version: small files in the shapes that the real programs wrote, one folder each, and what is read out of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tacit.core.run import Run
from tacit.hosts import formats
from tacit.hosts.source import BytesSource, FileSource

DATA = Path(__file__).parent / "data" / "hosts"
PNPM, PASS = "no, use pnpm, not npm", "make the tests pass"
READ = {
    "claude-code-2.1.325/typed.jsonl": (
        "install the packages",
        ["install the packages", PNPM],
        [1, 0],
    ),
    "claude-code-2.1.325/print.jsonl": (PASS, [], [1, 0]),
    "claude-code-2.1.325/fork.jsonl": (PASS, [], [1, 0]),
    "claude-code-2.1.197/print.jsonl": (PASS, [], [1, 0]),
    "claude-code-2.1.49/typed.jsonl": ("fix the build", ["fix the build", "always use uv"], [1, 0]),
    "codex-0.166.0/typed.jsonl": (PNPM, [PNPM], [2]),
    "codex-0.166.0/exec.jsonl": (PASS, [], [2]),
    "copilot-1.0.102/print/events.jsonl": (PASS, [], [1]),
    "copilot-1.0.102/typed/events.jsonl": (PASS, [PASS, PNPM], [1]),
    "gemini-0.61.0/session-1.jsonl": (PASS, [], [1]),
}


def read(name: str) -> Run:
    (run,) = formats.read(FileSource(str(DATA / name)))
    return run


@pytest.mark.parametrize("name", READ)
def test_a_host_as_its_version_writes(name: str) -> None:
    """The host is recognised; task, typed words and exit codes are right; no record is unknown."""
    run = read(name)
    folder = name.split("/")[0]
    assert run.host == folder.rpartition("-")[0]
    typed = [step.text for step in run.steps if step.typed]
    assert (
        run.task,
        typed,
        [step.status for step in run.steps if step.tool and step.role == "tool"],
    ) == READ[name]
    assert run.reading is not None and run.reading.unknown is None
    assert all(step.speaker in ("typed", "refusal", "answer") for step in run.steps if step.typed)


def test_every_file_is_expected() -> None:
    """No file lies here unread."""
    assert {str(path.relative_to(DATA)) for path in DATA.rglob("*.jsonl")} == set(READ)


def test_a_fork_of_the_real_shape() -> None:
    """Its records and lineage are those of the session it was copied from."""
    one, fork = read("claude-code-2.1.325/print.jsonl"), read("claude-code-2.1.325/fork.jsonl")
    assert (one.id, fork.id, one.lineage) == ("s-print", "s-fork", fork.lineage) and one.lineage
    assert [step.record for step in fork.steps][: len(one.steps)] == [
        step.record for step in one.steps
    ]


@pytest.mark.parametrize(
    ("startup", "second", "speaker"),
    [("startup", 9, "typed"), ("startup", 1, "unsure"), ("picker", 9, ""), ("", 0, "")],
)
def test_copilots_first_prompt(startup: str, second: int, speaker: str) -> None:
    """In a terminal a person types it, some seconds after the start; one that came at once stood on the command line; `-p` has no terminal."""
    opened = {
        "type": "session.start",
        "data": {"sessionId": "p-1", "producer": "copilot-agent"},
        "timestamp": "2026-11-16T06:00:00.000Z",
    }
    model = {
        "type": "session.model_change",
        "data": {"source": startup},
        "timestamp": "2026-11-16T06:00:00.400Z",
    }
    handed = {"hookType": "sessionStart", "input": {"initialPrompt": "use pnpm"}}
    hook = {"type": "hook.start", "data": handed, "timestamp": f"2026-11-16T06:00:0{second}.500Z"}
    asked = {
        "type": "user.message",
        "data": {"content": "use pnpm"},
        "timestamp": "2026-11-16T06:00:09.900Z",
    }
    (run,) = formats.read(
        BytesSource(
            "".join(f"{json.dumps(each)}\n" for each in (opened, model, hook, asked)).encode(),
            "events.jsonl",
        )
    )
    assert [(step.speaker, step.typed) for step in run.steps] == [(speaker, speaker == "typed")]


def test_copilots_failure_has_its_words_without_the_hosts_line() -> None:
    """The exit code stands in the events file; what the shell printed is the error."""
    (step,) = [
        step for step in read("copilot-1.0.102/print/events.jsonl").steps if step.role == "tool"
    ]
    assert (step.error, step.status, step.input) == ("refused", 1, {"command": "pytest -q"})


def test_geminis_opening_is_the_hosts() -> None:
    """What the host opens a session with is neither the task nor anybody's prompt."""
    first = read("gemini-0.61.0/session-1.jsonl").steps[0]
    assert (first.role, first.speaker) == ("system", "host") and "Always list folders" in first.text


def test_gemini_puts_tags_around_what_is_not_its_own() -> None:
    """Around what a tool returned, behind which stands what hooks said, and inside a prompt: an error's words are the program's alone, and
    do not depend on what was told."""
    run = read("gemini-0.61.0/session-1.jsonl")
    (step,) = [step for step in run.steps if step.role == "tool"]
    assert (step.error, step.status, run.task) == ("refused", 1, "make the tests pass")


def _captured(tmp_path: Path, *events: tuple[str, dict[str, str]]) -> list[str]:
    """What counts as typed of Copilot's hooks, in the order in which they came to run."""
    from tacit.hooks import capture
    from tacit.hosts import copilot

    path = ""
    for name, more in events:
        event = copilot.read(
            name, {"sessionId": "p-1", "cwd": "/repo", **more}, {"HOME": str(tmp_path)}
        )
        assert event is not None and event.captured
        path = capture.keep(str(tmp_path / "tacit.db"), event).transcript
    (run,) = formats.read(FileSource(path))
    return [step.text for step in run.steps if step.typed]


def test_copilots_prompt_counts_once_its_session_has_begun(tmp_path: Path) -> None:
    """Hooks of the start and of the prompt run at the same time; one of the command line must not win the race."""
    start, prompt = ("session-start", {}), ("prompt", {"prompt": "use pnpm"})
    handed = ("session-start", {"initialPrompt": "use pnpm"})
    assert _captured(tmp_path / "a", start, prompt) == ["use pnpm"]
    assert _captured(tmp_path / "b", prompt, handed) == []
    assert _captured(tmp_path / "c", handed, prompt) == []


def test_copilots_events_file_is_learned_where_there_is_one(tmp_path: Path) -> None:
    """By the payload's word, else where it lies by default; without one the capture is."""
    from tacit.hosts import copilot

    payload, env = {"sessionId": "p-1", "cwd": "/repo"}, {"HOME": str(tmp_path)}
    for name in ("stop", "session-end"):
        event = copilot.read(name, payload, env)
        assert event is not None and event.captured and event.transcript == ""
    path = tmp_path / ".copilot/session-state/p-1/events.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("{}")
    for more in ({}, {"transcriptPath": str(path)}):
        event = copilot.read("session-end", {**payload, **more}, env)
        assert event is not None and (event.transcript, event.captured, event.host) == (
            str(path),
            False,
            "copilot",
        )
    event = copilot.read("session-end", {**payload, "sessionId": "../p-1"}, env)
    assert event is not None and event.captured
