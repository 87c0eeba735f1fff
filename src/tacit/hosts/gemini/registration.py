"""Gemini CLI: its files, and how our hooks stand in its settings."""

from __future__ import annotations

from typing import Any

from tacit.hosts.gemini import NAMES
from tacit.hosts.registration import (
    AT,
    EventEntry,
    Host,
    Scene,
    as_claude_code_says,
    entries_of,
    in_shell,
)


def _sample(entry: EventEntry, scene: Scene) -> dict[str, Any]:
    failed = {"llmContent": f"Output: {scene.error}\nExit Code: 2"}
    ended = (
        {"tool_name": "run_shell_command", "tool_response": failed}
        if entry.ours == "tool-failure"
        else {}
    )
    return as_claude_code_says(entry, scene, timestamp=AT, **ended)


HOST = Host(
    "gemini",
    "Gemini CLI",
    # Not PreCompress: it comes before every call of the model, and AfterAgent queues the same transcript. AfterTool stands for two events.
    entries_of(
        {
            ours: theirs
            for ours, theirs in NAMES.items()
            if ours not in ("pre-compact", "before-command")
        },
        before_call="run_shell_command|write_file|replace",
        tool_failure="run_shell_command|write_file|replace|read_file",
    ),
    in_shell(unit=1000, ends_it=True, name="tacit", type="command"),
    _sample,
    user=("settings.json",),
    shared=(".gemini", "settings.json"),
    home=("", ".gemini"),
    comments=True,
    programs=("gemini",),
    traces=(".gemini",),
    told="Gemini does not say whether a person typed a prompt, so no standing wish is learned from it: keep them with tacit add.",
    transcripts=("tmp",),
    sessions=r"session-.*\.jsonl?",
    instructions=("GEMINI.md",),
    pages=("GEMINI.md",),
    login=("oauth_creds.json", "google_accounts.json"),
    reaches=("GEMINI_API_KEY", "GEMINI_MODEL", "GOOGLE_API_KEY", "GOOGLE_GEMINI_*"),
)
