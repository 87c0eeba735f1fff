"""Gemini CLI: its files, and how our hooks stand in its settings."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from tacit.hosts.entries import inside, json_at
from tacit.hosts.gemini import NAMES
from tacit.hosts.registration import (
    AT,
    EventEntry,
    Host,
    Scene,
    as_claude_code_says,
    entries_of,
    home_of,
    in_shell,
)


def _cautions(host: Host, connected: Sequence[str], root: str, env: Mapping[str, str]) -> list[str]:
    """Gemini starts no MCP server in a folder that its user has not trusted."""
    home = home_of(host, env)
    files = (os.path.join(home, "settings.json"), os.path.join(root, ".gemini", "settings.json"))
    registered = any("tacit" in inside(json_at(path), "mcpServers") for path in files)
    switched_off = inside(json_at(files[0]), "security", "folderTrust").get("enabled") is False
    trusted = json_at(os.path.join(home, "trustedFolders.json"))
    near = [
        folder
        for folder, word in trusted.items()
        if word in ("TRUST_FOLDER", "TRUST_PARENT") and _holds(folder, word, root)
    ]
    if not registered or switched_off or near:
        return []
    mend = "say /permissions in gemini, or start it with --skip-trust"
    return [
        f"gemini: {root} is not a folder it trusts, so its MCP servers are disabled there; {mend}"
    ]


def _holds(folder: str, word: str, root: str) -> bool:
    top = os.path.realpath(os.path.dirname(folder) if word == "TRUST_PARENT" else folder)
    here = os.path.realpath(root)
    return here == top or here.startswith(top.rstrip(os.sep) + os.sep)


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
    cautions=_cautions,
    login=("oauth_creds.json", "google_accounts.json"),
    reaches=("GEMINI_API_KEY", "GEMINI_MODEL", "GOOGLE_API_KEY", "GOOGLE_GEMINI_*"),
)
