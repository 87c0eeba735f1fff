"""opencode: its files, and the plugin that asks us."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from tacit.hosts.registration import EventEntry, Host, Scene, in_shell

PLUGIN = os.path.join(os.path.dirname(__file__), "plugin.js")


def _plugin(argv: Sequence[str], store: Sequence[str]) -> str:
    with open(PLUGIN, encoding="utf-8") as file:
        text = file.read()
    text = text.replace('const COMMAND = ["tacit"]', f"const COMMAND = {json.dumps(list(argv))}")
    return text.replace("const STORE = []", f"const STORE = {json.dumps(list(store))}")


def _sample(entry: EventEntry, scene: Scene) -> dict[str, Any]:
    said: dict[str, Any] = {
        "session_id": scene.session,
        "parent_id": "",
        "cwd": scene.folder,
        "id": scene.call,
    }
    by_event: dict[str, dict[str, Any]] = {
        "session-start": {"source": "startup"},
        "prompt": {"prompt": scene.prompt},
        "subagent-start": {
            "parent_id": scene.session,
            "session_id": "ses_part",
            "agent": scene.agent,
        },
        "before-command": {"tool_input": {"command": scene.command}},
        "before-file": {"tool_input": {"filePath": "notes.md", "content": scene.prompt}},
        "tool-failure": {"error": scene.error},
    }
    return {**said, **by_event.get(entry.ours, {})}


HOST = Host(
    "opencode",
    "opencode",
    (
        EventEntry("chat.message", "session-start", 10),
        EventEntry("chat.message", "prompt", 5),
        EventEntry("chat.message", "subagent-start", 10),
        EventEntry("tool.execute.before", "before-command", 5),
        EventEntry("tool.execute.before", "before-file", 5),
        EventEntry("tool.execute.after", "tool-failure", 5),
        EventEntry("session.idle", "stop", 10),
        EventEntry("dispose", "session-end", 5),
    ),
    in_shell(),
    _sample,
    user=("plugins", "tacit.js"),
    shared=(".opencode", "plugins", "tacit.js"),
    home=("XDG_CONFIG_HOME", ".config"),
    data=("XDG_DATA_HOME", ".local/share"),
    under="opencode",
    plugin=_plugin,
    programs=("opencode",),
    told="What you type at opencode's terminal counts as your word from now on; its earlier sessions do not say who typed.",
    transcripts=("opencode.db",),
    sessions=r"opencode\.db",
    instructions=("AGENTS.md",),
    pages=("AGENTS.md",),
)
