"""`tacit keep 1 3` typed to the agent: noted by the hook, done when the transcript says that a person typed it, and else never."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from tests.verbs import open as open_memories

from tacit.hooks.main import respond
from tacit.screens.numbers import numbers_shown, remember_numbers
from tacit.screens.one_screen import one_screen
from tacit.screens.typed import meaning
from tacit.testing import signed


@pytest.mark.parametrize(
    ("line", "means"),
    [
        ("tacit keep 1 3", ("keep", [1, 3])),
        ("  tacit  drop 2 ", ("drop", [2])),
        ("tacit keep", None),
        ("tacit keep 1 please", None),
        ("please tacit keep 1", None),
        ("tacit keep 1; rm -rf /", None),
        ("tacit keep 1000", ("keep", [1000])),
        ("tacit keep 1000000", None),
        ("tacit approve 1", None),
    ],
)
def test_a_line_says_that_and_nothing_else(line: str, means: Any) -> None:
    assert meaning(line) == means


@pytest.fixture
def shown(folder: Path) -> list[str]:
    """Two lessons that wait and one that is held, as a screen showed them."""
    with open_memories(env=signed(dict(os.environ))) as memories:
        memories.add("The exporter retries three times", trust="agent")
        memories.add("The importer drops rows with umlauts", trust="agent")
        memories.add("Install the mirror with curl", trust="imported")
        remember_numbers(memories, [row.id for row in one_screen(memories).rows])
        return list(numbers_shown(memories).values())


def state(id: str) -> str:
    with open_memories() as memories:
        return memories.get(id).state


def test_a_host_that_tells_prompts_as_steps_notes_it_too(shown: list[str], folder: Path) -> None:
    asked = {"sessionId": "s1", "cwd": str(folder), "prompt": "tacit keep 1", "timestamp": 1}
    assert "taken care of" in respond("prompt", asked, dict(os.environ), host="copilot")


def session(alone: Path, folder: Path, line: str, **marks: Any) -> Path:
    """A transcript of Claude Code, where it keeps them, with that line in it."""
    at = {
        "sessionId": "s1",
        "cwd": str(folder),
        "version": "2.1.200",
        "timestamp": "2026-02-11T10:00:00.000Z",
        "isSidechain": False,
        "userType": "external",
        "entrypoint": "cli",
    }
    typed = {
        **at,
        "type": "user",
        "uuid": "u1",
        "promptSource": "typed",
        "message": {"role": "user", "content": line},
    }
    answer = {
        "id": "m1",
        "role": "assistant",
        "content": [{"type": "text", "text": marks.pop("answer", "ok")}],
    }
    records = [{**typed, **marks}, {**at, "type": "assistant", "uuid": "a1", "message": answer}]
    path = alone / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(folder)) / "s1.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(each) + "\n" for each in records))
    return path


def number_of(word: str) -> int:
    """The number that a lesson was shown with."""
    with open_memories() as memories:
        return next(n for n, id in numbers_shown(memories).items() if word in memories.get(id).text)


def said(tacit: Any, path: Path, folder: Path, line: str, **env: str) -> str:
    """The hook is told of a prompt, the turn ends, and the worker learns the session."""
    plain = {name: word for name, word in os.environ.items() if not name.startswith("CLAUDE")}
    common = {"session_id": "s1", "transcript_path": str(path), "cwd": str(folder)}
    prompt = {**common, "hook_event_name": "UserPromptSubmit", "prompt": line}
    answer = respond("prompt", prompt, {**plain, **env}, host="claude-code")
    over, with_no_worker = (
        {**common, "hook_event_name": "SessionEnd", "reason": "exit"},
        {"TACIT_NO_WORKER": "1"},
    )
    respond("session-end", over, {**plain, **with_no_worker, **env}, host="claude-code")
    tacit("worker", "--now")
    return answer


def test_a_typed_word_is_done_and_is_the_persons(
    tacit: Any, alone: Path, folder: Path, shown: list[str]
) -> None:
    first, other = number_of("exporter"), number_of("importer")
    answer = said(
        tacit, session(alone, folder, f"tacit keep {first}"), folder, f"tacit keep {first}"
    )
    assert "taken care of" in answer
    assert state(shown[first - 1]) == "active" and state(shown[other - 1]) == "waiting"
    with open_memories() as memories:
        assert memories.log(memory=shown[first - 1], newest=True, limit=1)[0].by == (
            os.environ.get("USER") or "you"
        )


def test_claude_codes_own_hooks_bear_the_mark_of_its_shells(
    tacit: Any, alone: Path, folder: Path, shown: list[str]
) -> None:
    """Version 2.1.326 sets CLAUDECODE for hooks, too: nothing that was typed there was ever done."""
    first = number_of("exporter")
    line = f"tacit keep {first}"
    answer = said(
        tacit,
        session(alone, folder, line),
        folder,
        line,
        CLAUDECODE="1",
        CLAUDE_CODE_SESSION_ID="s1",
    )
    assert "taken care of" in answer and state(shown[first - 1]) == "active"


NOT_TYPED: list[tuple[str, dict[str, Any]]] = [
    ("a program", {"entrypoint": "sdk-cli", "promptSource": "sdk"}),
    ("a notification", {"promptSource": "system"}),
    ("a sub-agent", {"isSidechain": True}),
    (
        "a paste with more on the line",
        {"message": {"role": "user", "content": "the page says: tacit keep 1"}},
    ),
    ("the agent", {"message": {"role": "user", "content": "what now?"}, "answer": "tacit keep 1"}),
]


@pytest.mark.parametrize(("who", "marks"), NOT_TYPED, ids=[who for who, _ in NOT_TYPED])
def test_nobody_elses_word_counts(
    tacit: Any, alone: Path, folder: Path, shown: list[str], who: str, marks: dict[str, Any]
) -> None:
    """Also where the hook was told of it as of a prompt."""
    before = [state(id) for id in shown]
    said(tacit, session(alone, folder, "tacit keep 1", **marks), folder, "tacit keep 1")
    assert [state(id) for id in shown] == before, who


def test_an_agents_shell_is_not_even_noted(
    tacit: Any, alone: Path, folder: Path, shown: list[str]
) -> None:
    before = [state(id) for id in shown]
    line, marks = "tacit keep 1", {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "other"}
    said(tacit, session(alone, folder, line), folder, line, **marks)
    assert [state(id) for id in shown] == before


def test_what_is_held_takes_more_than_a_number(
    tacit: Any, alone: Path, folder: Path, shown: list[str]
) -> None:
    held = number_of("curl")
    said(tacit, session(alone, folder, f"tacit keep {held}"), folder, f"tacit keep {held}")
    with open_memories() as memories:
        assert memories.get(shown[held - 1]).gate == "hold"


@pytest.mark.parametrize(
    ("key", "learned", "given"), [("", True, True), ("learns", False, True), ("gives", True, False)]
)
def test_learning_and_giving_have_a_switch_each(
    tacit: Any, alone: Path, folder: Path, key: str, learned: bool, given: bool
) -> None:
    """People ask for memory that only reads, and for one that only learns."""
    tacit("add", "Answer in English, even when I write German.", "--kind", "preference")
    if key:
        config = alone / ".config" / "tacit" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(f"{key} = false\n")
    path = session(alone, folder, "update the changelog")
    plain = {
        **{name: word for name, word in os.environ.items() if not name.startswith("CLAUDE")},
        "TACIT_NO_WORKER": "1",
    }
    common = {"session_id": "s1", "transcript_path": str(path), "cwd": str(folder)}
    start = {**common, "hook_event_name": "SessionStart", "source": "startup"}
    assert (
        "Answer in English" in respond("session-start", start, plain, host="claude-code")
    ) is given
    respond(
        "session-end",
        {**common, "hook_event_name": "SessionEnd", "reason": "exit"},
        plain,
        host="claude-code",
    )
    with open_memories() as memories:
        assert bool(memories.store.queued()) is learned
