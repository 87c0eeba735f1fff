"""Copilot CLI: its files, and how our hooks stand there."""

from __future__ import annotations

import shlex

from tacit.hosts.registration import Entry, Host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any



def _handler(host: Host, argv: list[str], entry: Entry) -> dict[str, Any]:
    return {"type": "command", "bash": shlex.join(argv), "timeoutSec": entry.seconds}


HOST = Host(
    "copilot",
    "Copilot CLI",
    (
        Entry("sessionStart", "session-start", 10),
        Entry("userPromptSubmitted", "prompt", 5),
        Entry("subagentStart", "subagent-start", 5),
        Entry("postToolUse", "step", 5),
        Entry("postToolUseFailure", "tool-failure", 5),
        Entry("preCompact", "pre-compact", 5),
        Entry("agentStop", "stop", 10),
        Entry("sessionEnd", "session-end", 5),
    ),
    _handler,
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
