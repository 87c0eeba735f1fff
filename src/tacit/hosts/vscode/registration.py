"""VS Code: its files, and how our hooks stand there."""

from __future__ import annotations

from typing import Any

from tacit.hosts.registration import (
    AT,
    EventEntry,
    Host,
    Scene,
    as_claude_code_says,
    entries_of,
    in_shell,
)
from tacit.hosts.vscode import NAMES


def _sample(entry: EventEntry, scene: Scene) -> dict[str, Any]:
    ended = (
        {"tool_name": "run_in_terminal", "tool_response": f"{scene.error}\nexit code 2"}
        if entry.ours == "step"
        else {}
    )
    return as_claude_code_says(entry, scene, timestamp=AT, **ended)


HOST = Host(
    "vscode",
    "VS Code",
    entries_of(NAMES),
    in_shell(type="command"),
    _sample,
    user=("hooks", "tacit-vscode.json"),
    shared=(".github", "hooks", "tacit-vscode.json"),
    home=("COPILOT_HOME", ".copilot"),
    home_shared=True,
    grouped=False,
    comments=True,
    programs=("code", "code-insiders"),
    traces=(".vscode", ".config/Code", "Library/Application Support/Code"),
    told="Lessons for a prompt come with the first tool call after it. VS Code tells no end of a session:\n"
    "one that was still for some hours is taken as over.",
    instructions=("AGENTS.md",),
    pages=("AGENTS.md", ".github/copilot-instructions.md"),
)
