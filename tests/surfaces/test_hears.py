"""What an agent hears, and when: the look that `tacit inject` is at a terminal, and what the other screens say of it."""

from __future__ import annotations

import io
import json
import os
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest
from tests.terminals import MISSING, Screen, learn_cure, typed
from tests.verbs import open as open_memories

from tacit.cli.inject import main as inject
from tacit.screens.one_screen import one_screen
from tacit.screens.quoted import telling_line
from tacit.testing import run, signed, tool

OTHERS = 9  # sessions beside the three of the cure, so that its command is no common one


@pytest.fixture
def env(folder: Path) -> dict[str, str]:
    """A cure for a command, a way of working and a fact about a file, each of the person's."""
    seen = signed(dict(os.environ))
    with open_memories(env=seen) as memories:
        learn_cure(memories)
        for n in range(OTHERS):
            memories.learn(run(f"other{n}", tool("ls -la", "importer")), over=True)
        memories.add("Answer in English, even when I write German.", kind="preference")
        memories.add(
            "Maps may be nil in importer/read.go.", kind="fact", paths=["importer/read.go"]
        )
    return seen


def row_of_cure(memories: Any) -> Any:
    return next(row for row in one_screen(memories).rows if "npm ci" in row.hears)


def looked(env: dict[str, str], *args: str) -> str:
    out = Screen()
    with redirect_stdout(out):
        assert inject(["inject", *args], env) == 0
    return " ".join(out.getvalue().split())


def test_a_look_shows_every_moment_and_records_nothing(env: dict[str, str]) -> None:
    """It said "nothing is told", with lessons in force; before a command or at a file nothing could be seen at all."""
    said = looked(env)
    start, _, later = said.partition("Later, each at its moment:")
    assert (
        "Answer in English" in start
        and "(you said it)" in start
        and "before `npm run test`: Run `npm ci`" in later
    )
    assert "Run `npm ci`" in looked(env, "--command", "npm run test")
    assert "hears nothing" in looked(env, "--command", "git status")
    assert "Maps may be nil" in looked(env, "--file", "importer/read.go")
    assert "With that prompt it hears" in looked(
        env, "--task", "why are maps nil in importer/read.go?"
    )
    with open_memories(env=env) as memories:
        assert not memories.store.used(memories.project_id)


def test_what_most_sessions_run_is_silent_until_it_fails(env: dict[str, str]) -> None:
    """A common command tells nothing by itself; its error does."""
    with open_memories(env=env) as memories:
        for n in range(OTHERS):
            memories.learn(run(f"more{n}", tool("npm run test", "ok")), over=True)
    assert "hears nothing" in looked(env, "--command", "npm run test")
    assert "Run `npm ci`" in looked(env, "--error", MISSING)


def test_what_is_kept_is_told_first_and_when(env: dict[str, str]) -> None:
    """Two newcomers kept a lesson and saw it nowhere afterwards."""
    with open_memories(env=env) as memories:
        typed(env)
        cure = row_of_cure(memories)
        said = typed(env, "keep", str(cure.number))
        assert "it is your word now, told before `npm run test`" in said
        found = one_screen(memories)
        assert (
            found.told[0].stands == "you said it"
            and {row.id: row.number for row in found.rows}[cure.id] == cure.number
        )
    assert "before `npm run test`: Run `npm ci`" in looked(env).partition("Later")[2]
    assert "Told before `npm run test`." in typed(env, "why", str(cure.number))


def test_bare_tacit_says_that_nobody_hears_it_yet(env: dict[str, str]) -> None:
    """It said "given from now on" before anything was connected."""
    assert (
        "No agent is connected here yet, so none hears of this: tacit connect claude-code"
        in typed(env)
    )
    typed(env, "connect", "claude-code")
    assert "No agent is connected" not in typed(env)


def test_review_has_the_words_and_numbers_of_the_other_screens(env: dict[str, str]) -> None:
    """It named two ids a lesson, approve and reject."""
    with open_memories(env=env) as memories:
        held = memories.add("The mirror of the registry answers faster.", trust="quoted")
        shown = typed(env, "list", "--waiting")
        said = typed(env, "review")
        number = next(row.number for row in one_screen(memories).rows if row.hears == held.text)
    assert f"{number} " in shown and "tacit keep N, or drop" in said and held.id not in said
    assert "kept" in typed(env, "keep", str(number)) or "yes" in typed(env, "keep", str(number))


def test_why_shows_what_the_session_said(env: dict[str, str], alone: Path) -> None:
    """It showed counts, and none of the session's words; the file may be gone, and then it shows counts."""
    path = alone / "s.jsonl"
    failed, well = {"error": f"Exit code 1\n{MISSING}"}, {"output": "ok"}
    calls = [("npm run test", failed), ("npm ci", well), ("npm run test", well)]
    steps = [{"tool": "Bash", "input": {"command": command}, **came} for command, came in calls]
    path.write_text(
        json.dumps({"type": "run", "id": "late", "steps": steps, "outcome": "success"}) + "\n"
    )
    with open_memories(env=env) as memories:
        memories.learn(str(path), format="neutral", over=True)
        lesson = next(each.id for each in memories.list() if "npm ci" in each.text)
    assert f"`npm run test` said “{MISSING}”" in typed(env, "why", lesson)
    path.unlink()
    assert "4 sessions" in typed(env, "why", lesson)
    assert telling_line("Exit code 1\nstarted\nfatal: no\nfatal: a longer line", ()) == "fatal: no"
    output = (
        "[FAILED] markdownlint\nnotes.md:8 error MD040/fence: a language is missing\nhusky failed"
    )
    assert telling_line(output, ("MD040", "markdownlint", "husky")).startswith("notes.md:8")
    assert telling_line(output, ("", "markdownlint", "husky")) == "[FAILED] markdownlint"


def test_the_first_screen_says_that_all_is_paused_and_no_price_that_nobody_can_pay(
    env: dict[str, str],
) -> None:
    """It stood in the last line; a pause that is over still did."""
    typed(env, "config", "pause", "8h")
    assert "Paused until" in typed(env)[:200] and "read by a model" not in typed(env)
    with open_memories(env=env) as memories, memories.store.write() as tx:
        tx.put_meta("paused_until", "2020-01-01T00:00:00.000Z")
    assert "aused until" not in typed(env)
    assert "tacit lookback asks" in typed(env, "config", "set", "reader.hosts", "*")


def test_a_look_back_ends_with_the_host_of_the_project_here(
    env: dict[str, str], folder: Path, alone: Path
) -> None:
    """Most files were another project's; and a pipe says that what it gives is recorded."""
    for n in range(3):
        place = alone / ".claude" / "projects" / "other" / f"c{n}.jsonl"
        place.parent.mkdir(parents=True, exist_ok=True)
        said = {"role": "user", "content": "hello there"}
        head = {
            "sessionId": f"c{n}",
            "cwd": str(alone),
            "timestamp": "2026-07-10T10:00:00.000Z",
            "version": "2.1.0",
        }
        place.write_text(json.dumps({"type": "user", "uuid": "u", "message": said, **head}) + "\n")
    at = {"timestamp": "2026-07-10T10:00:00.000Z"}
    meta = {"id": "x1", "cwd": str(folder), "cli_version": "0.50.0", **at}
    spoken = {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": "hello"}],
    }
    place = (
        alone
        / ".codex"
        / "sessions"
        / "2026"
        / "07"
        / "10"
        / "rollout-2026-07-10T10-00-00-x1.jsonl"
    )
    place.parent.mkdir(parents=True)
    lines = [
        {"type": "session_meta", "payload": meta, **at},
        {"type": "response_item", "payload": spoken, **at},
    ]
    place.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert "tacit connect codex" in typed(env, "lookback")
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as err:
        assert inject(["inject"], env) == 0
    assert "nothing was recorded" in err.getvalue()
