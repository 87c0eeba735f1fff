"""The Claude Code plugin and the skill: as the host documents them, saying what the program does, and never twice beside `connect`."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.verbs import open as open_memories

from tacit.hooks.session import ancestors, note, served_by
from tacit.hosts import host
from tacit.hosts.registration import harmless, registration

ROOT = Path(__file__).parent.parent.parent
PLUGIN = ROOT / "plugins" / "claude-code"
SCHEMAS = json.loads(
    (Path(__file__).parent / "data" / "claude_code_plugin.schema.json").read_text()
)
SESSION = "00000001-0000-4000-8000-000000000000"


def loaded(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def frontmatter(path: Path) -> dict[str, str]:
    """The fields of a skill or command: flat `name: text` lines, as hosts with the simplest reader need them."""
    head = re.match(r"---\n(.*?)\n---\n", path.read_text(encoding="utf-8"), re.S)
    assert head, path
    return dict(line.split(": ", 1) for line in head[1].splitlines())


@pytest.mark.parametrize(
    ("shape", "found"),
    [
        ("plugin", lambda: [loaded(PLUGIN / ".claude-plugin" / "plugin.json")]),
        (
            "marketplace",
            lambda: [loaded(at / ".claude-plugin" / "marketplace.json") for at in (PLUGIN, ROOT)],
        ),
        ("hooks", lambda: [loaded(PLUGIN / "hooks" / "hooks.json")]),
        ("mcp", lambda: [loaded(PLUGIN / ".mcp.json")]),
        ("skill", lambda: [frontmatter(PLUGIN / "skills" / "tacit" / "SKILL.md")]),
        (
            "command",
            lambda: [frontmatter(path) for path in sorted((PLUGIN / "commands").glob("*.md"))],
        ),
    ],
)
def test_every_file_fits_the_documented_schema(shape: str, found: Any) -> None:
    """Each file of the plugin, against what the host's documentation says."""
    jsonschema = pytest.importorskip(
        "jsonschema", reason="schemas are checked with jsonschema, which comes with the package mcp"
    )
    validator = jsonschema.Draft202012Validator(
        {"$ref": f"#/$defs/{shape}", "$defs": SCHEMAS["$defs"]}
    )
    files = found()
    assert files
    for each in files:
        assert [error.message for error in validator.iter_errors(each)] == []
        assert [*validator.iter_errors({**each, "surprise": 1})] != []


def test_the_plugin_registers_what_connect_registers() -> None:
    """One list of events for both ways in; the plugin names the command without a path, since it is the same for everybody."""
    assert loaded(PLUGIN / "hooks" / "hooks.json")["hooks"] == {
        event: [group] for event, group in registration(("tacit", []), host("claude-code")).items()
    }
    for at, source in ((ROOT, "./plugins/claude-code"), (PLUGIN, "./")):
        (listed,) = loaded(at / ".claude-plugin" / "marketplace.json")["plugins"]
        assert listed["name"] == "tacit" and listed["source"] == source
        assert (at / source / ".claude-plugin" / "plugin.json").is_file()


def test_the_portable_folder_keeps_to_agent_plugins_1_0() -> None:
    """One manifest of fields that the specification knows, MCP and skill in their fixed places, no hooks; the same server, skill and
    version as the plugin of Claude Code. Copilot loads it for real: bench/hosts, agent-plugin."""
    folder = ROOT / "plugins" / "agent"
    manifest, theirs = (
        loaded(folder / "plugin.json"),
        loaded(PLUGIN / ".claude-plugin" / "plugin.json"),
    )
    known = "$schema name version description author homepage repository license keywords extensions".split()
    assert {*manifest} <= {*known}
    assert manifest["$schema"] == "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"
    assert re.fullmatch(r"[a-z0-9.-]{1,64}", manifest["name"])
    assert all(
        manifest[name] == theirs[name]
        for name in ("name", "version", "description", "license", "keywords", "author")
    )
    servers = loaded(folder / "mcp.json")
    assert servers["$schema"].endswith("/1.0.0/mcp.schema.json")
    assert servers["mcpServers"] == {
        "tacit": {"type": "stdio", **loaded(PLUGIN / ".mcp.json")["mcpServers"]["tacit"]}
    }
    skill = Path("skills", "tacit", "SKILL.md")
    assert (folder / skill).read_bytes() == (PLUGIN / skill).read_bytes()
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert found == {"plugin.json", "mcp.json", "skills/tacit/SKILL.md"}


def test_the_skill_is_one_text_for_every_host() -> None:
    """Both plugins have the same; it is short, and tells what it must."""
    place = PLUGIN / "skills" / "tacit" / "SKILL.md"
    text = place.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 500 and frontmatter(place)["name"] == "tacit"
    for part in (
        "When to recall",
        "When to keep something",
        "The marks of a good observation",
        "What to skip",
    ):
        assert f"## {part}" in text


def test_plugin_and_connect_together_say_everything_once(tacit: Any, folder: Path) -> None:
    """The settings' hooks and the plugin's run side by side, at every event, in parallel: one of the two answers."""
    tacit("add", "Prices are integers in cents, never floats.", "--kind", "rule")
    tacit("connect", "claude-code")
    connected = loaded(folder / ".claude" / "settings.local.json")["hooks"]
    plugged = loaded(PLUGIN / "hooks" / "hooks.json")["hooks"]
    common = {
        "session_id": SESSION,
        "transcript_path": str(folder / "none.jsonl"),
        "cwd": str(folder),
    }
    for event, more in [
        ("SessionStart", {"source": "startup"}),
        ("UserPromptSubmit", {"prompt": "How are prices stored?", "prompt_id": "p1"}),
    ]:
        said = json.dumps({**common, "hook_event_name": event, **more}).encode()
        running = [
            subprocess.Popen(
                ["sh", "-c", group["hooks"][0]["command"]],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                env={
                    **os.environ,
                    "TACIT_NO_WORKER": "1",
                    "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}",
                },
            )
            for group in (connected[event][0], plugged[event][0])
        ]
        answers = [process.communicate(said)[0] for process in running]
        assert sum(b"integers in cents" in answer for answer in answers) == (
            event == "SessionStart"
        ), answers


@pytest.mark.parametrize("shell", [False, True])
def test_a_server_finds_the_session_of_its_host(tacit: Any, folder: Path, shell: bool) -> None:
    """The hook at the start notes the session under its parent, or behind the shell that a host runs it in; whoever has the same parent, or one below it, finds it; an old note does not count."""
    tacit("init")
    said = {
        "session_id": SESSION,
        "transcript_path": "",
        "cwd": str(folder),
        "hook_event_name": "SessionStart",
    }
    hook = [sys.executable, "-m", "tacit", "hook", "session-start"]  # whose parent is this process
    hook = ["sh", "-c", harmless(hook)] if shell else hook
    env, told = {**os.environ, "TACIT_NO_WORKER": "1"}, json.dumps({**said, "source": "startup"})
    subprocess.run(
        hook, input=told, text=True, cwd=folder, env=env, check=True, capture_output=True
    )
    code = "from tacit.hooks.session import *; from tacit import open; print(served_by(open().store, ancestors())[0])"
    for nested in (
        code,
        f"import subprocess, sys; subprocess.run([sys.executable, '-c', {code!r}])",
    ):
        told = subprocess.run(
            [sys.executable, "-c", nested], capture_output=True, text=True, cwd=folder
        ).stdout
        assert told.strip() == SESSION
    with open_memories() as memories:
        assert served_by(memories.store, ancestors()[1:])[0] == "" or os.getppid() == 1
        note(memories.store, "older", "2020-01-01T00:00:00.000Z", wait=1, process=os.getpid())
        assert served_by(memories.store, ancestors(os.getpid()))[0] == ""
