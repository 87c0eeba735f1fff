"""Codex: its files, and how our hooks stand in its settings."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from tacit.core.value import replace
from tacit.hosts.codex import NAMES
from tacit.hosts.entries import inside, json_at, our_hooks, toml_at
from tacit.hosts.registration import (
    EventEntry,
    Host,
    Scene,
    as_claude_code_says,
    entries_of,
    home_of,
    in_shell,
)

SHELLS = (
    "Bash|shell|exec_command|local_shell"  # the names it has had for the tool that runs a command
)


def _cautions(host: Host, connected: Sequence[str], root: str, env: Mapping[str, str]) -> list[str]:
    """Codex passes over hooks that nobody has trusted, in `codex exec` without a word. What was trusted stands in its config.toml."""
    state = inside(toml_at(os.path.join(home_of(host, env), "config.toml")), "hooks", "state")
    told = []
    for path in connected:
        ours = [
            f"{path}:{_snake(event)}:{group}:{at}" for event, group, at in our_hooks(json_at(path))
        ]
        trusted = [key for key in ours if inside(state, key).get("trusted_hash")]
        if len(trusted) < len(ours):
            told.append(
                f"codex: {len(ours) - len(trusted)} of {len(ours)} hooks in {path} are not trusted and do not run;"
                " start codex once and trust them, or say /hooks there"
            )
    return told


def _snake(event: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()


def _sample(entry: EventEntry, scene: Scene) -> dict[str, Any]:
    ended = (
        {"tool_response": f"{scene.error}\nError: exit code 2"}
        if entry.ours == "tool-failure"
        else {}
    )
    inside = (
        {"agent_id": "agent-1", "agent_type": scene.agent} if entry.theirs == "SubagentStop" else {}
    )
    return as_claude_code_says(entry, scene, turn_id="turn-1", **ended, **inside)


ENTRIES = tuple(
    replace(entry, seconds=3) if entry.ours == "session-end" else entry  # the host's own cap
    for entry in (
        *entries_of(
            NAMES,
            session_start="startup|resume|clear|compact",
            before_command=f"{SHELLS}|apply_patch",
            tool_failure=SHELLS,
        ),
        EventEntry("SubagentStop", "session-end", 3),  # a sub-agent's rollout is a file of its own
    )
)

HOST = Host(
    "codex",
    "Codex",
    ENTRIES,
    in_shell(type="command"),
    _sample,
    user=("hooks.json",),
    shared=(".codex", "hooks.json"),
    home=("CODEX_HOME", ".codex"),
    programs=("codex",),
    traces=(".codex",),
    told="Codex runs new hooks only after you have trusted them: it asks at its next start, or see /hooks.",
    transcripts=("sessions", "archived_sessions"),
    sessions=r".*\.jsonl(\.zst)?",
    instructions=("AGENTS.md",),
    pages=("AGENTS.md",),
    login=("auth.json",),
    reaches=("OPENAI_*", "CODEX_API_KEY"),
    cautions=_cautions,
)
