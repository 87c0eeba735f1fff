"""What a host drops is said where it hears: after Gemini's `/clear` with the next prompt, after a compaction without a start with the next call."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.verbs import open

from tacit.hooks.main import respond
from tacit.hosts import host
from tacit.hosts.registration import Scene

RULE = "Use pnpm, not npm."


def fire(name: str, ours: str, folder: Path, **more: Any) -> str:
    """The answer to an event of this host, as it would send it."""
    entry = next(each for each in host(name).entries if each.ours == ours)
    scene = Scene(
        str(folder), prompt=more.pop("asked", "say hello"), command=more.pop("command", "make db")
    )
    return respond(ours, {**host(name).sample(entry, scene), **more}, os.environ, host=name)


@pytest.fixture
def kept(tacit: Any) -> None:
    with open() as memories:
        memories.add(RULE, kind="preference")


@pytest.mark.usefixtures("kept")
def test_geminis_clear_hears_nothing_and_its_next_prompt_does(folder: Path) -> None:
    """The host drops context at that start, so nothing is recorded as given there; a second prompt is not told again."""
    assert RULE in fire("gemini", "session-start", folder)
    assert RULE not in fire("gemini", "prompt", folder)
    cleared = {"session_id": "after-clear"}
    assert RULE not in fire("gemini", "session-start", folder, source="clear", **cleared)
    assert RULE in fire("gemini", "prompt", folder, **cleared)
    assert RULE not in fire("gemini", "prompt", folder, asked="and again", **cleared)


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("name", ["copilot", "vscode", "cursor"])
def test_after_a_compaction_the_next_call_is_told_again(name: str, folder: Path) -> None:
    """Once; calls before and after are told nothing of what stands in their context."""
    assert RULE in fire(name, "session-start", folder)
    assert RULE not in fire(name, "step", folder, command="make one")
    fire(name, "pre-compact", folder)
    fire(name, "prompt", folder)
    assert RULE in fire(name, "step", folder, command="make two")
    assert RULE not in fire(name, "step", folder, command="make three")


@pytest.mark.usefixtures("kept")
def test_a_start_that_comes_with_its_prompt_is_both(folder: Path) -> None:
    """Copilot tells the prompt with the start: ways of working are not left out for it."""
    assert RULE in fire(
        "copilot", "session-start", folder, initialPrompt="tell me about the weather today"
    )
