"""Copilot CLI: its files, and how our hooks stand there."""

from __future__ import annotations

from typing import Any

from tacit.hosts.copilot import NAMES
from tacit.hosts.registration import EventEntry, Host, Scene, entries_of, in_shell


def _sample(entry: EventEntry, scene: Scene) -> dict[str, Any]:
    said: dict[str, Any] = {
        "sessionId": scene.session,
        "timestamp": 1794809979734,
        "cwd": scene.folder,
    }
    call = {"toolName": "bash", "toolArgs": {"command": scene.command}}
    shown = f"{scene.error}\n<shellId: 0 completed with exit code 2>"
    by_event: dict[str, dict[str, Any]] = {
        "session-start": {"source": "new"},
        "prompt": {"prompt": scene.prompt},
        "subagent-start": {"agentName": scene.agent},
        "before-call": call,
        # a failing command is a success to it
        "step": {**call, "toolResult": {"resultType": "success", "textResultForLlm": shown}},
        "tool-failure": {**call, "error": scene.error},
    }
    return {**said, **by_event.get(entry.ours, {})}


HOST = Host(
    "copilot",
    "Copilot CLI",
    entries_of(NAMES),
    in_shell("bash", "timeoutSec", insists=("tool-failure",), type="command"),
    _sample,
    user=("hooks", "tacit.json"),
    shared=(".github", "hooks", "tacit.json"),
    home=("COPILOT_HOME", ".copilot"),
    grouped=False,
    frame={"version": 1},
    programs=("copilot",),
    traces=(".copilot",),
    told="Lessons for a prompt come with the first tool call after it: Copilot drops what a hook says to the prompt itself.",
    transcripts=("session-state",),
    sessions=r"events\.jsonl",
    instructions=("AGENTS.md",),
    pages=("AGENTS.md", ".github/copilot-instructions.md"),
)
