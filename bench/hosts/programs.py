"""The real host programs: where they come from, how each is pointed at the scripted model, and how it is driven.

A row per program and version. `newest` is the vendor's last version, `npm` the one that npm gives to a user with this Node (it
passes over versions whose engine is newer), a number that very version. Nothing here knows of a scenario.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

ARCH = {"aarch64": "arm64", "x86_64": "x64"}.get(platform.machine(), platform.machine())
KEY = "scripted-key-0123456789abcdef"
CONTEXT = 200_000
QUIET = ("--no-audit", "--no-fund", "--loglevel=error")


@dataclass(frozen=True)
class Turn:
    """One call of a program."""

    prompt: str
    session: str = ""  # the session to go on with
    fork: bool = False
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Program:
    """A host program of one version."""

    host: str  # as `tacit connect` calls it
    package: str
    binary: str
    pick: str  # newest, npm or a version
    ready: Callable[
        [Path, Path, str], dict[str, str]
    ]  # home, project, model's address -> environment
    print: Callable[[Turn], list[str]]
    typed: Callable[[], list[str]] | None = None  # interactively, in a pseudo-terminal …
    ready_at: str = (
        ""  # … where this stands on its screen, without spaces, when it waits for a prompt
    )
    compact: str = "/compact"  # its word for it
    can: frozenset[str] = frozenset()
    cannot: tuple[tuple[str, str], ...] = ()  # what this program has no way for, and why
    version: str = ""
    path: str = ""
    agent: str = "general-purpose"  # a type of sub-agent that it has …
    other: str = "Explore"  # … and another
    acp: tuple[str, ...] = ()  # how an editor starts it as an agent of its protocol
    adapter: str = ""  # … by a package of its own
    native: str = ""  # the package of its binary, by system and machine
    missing: str = ""  # why it could not be had

    @property
    def name(self) -> str:
        return f"{self.host} {self.version or self.pick}"


# -- Claude Code -------------------------------------------------------------------------------------------------------


def _claude_ready(home: Path, project: Path, url: str) -> dict[str, str]:
    known = {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
        "projects": {
            str(project): {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        },
    }
    (home / ".claude.json").write_text(json.dumps(known))
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def _claude_print(turn: Turn) -> list[str]:
    resumed = ["--resume", turn.session] if turn.session else []
    forked = ["--fork-session"] if turn.fork else []
    return [
        "-p",
        turn.prompt,
        *resumed,
        *forked,
        "--allowedTools",
        "Bash,Write,Agent,Task,mcp__tacit,mcp__plugin_tacit_tacit",
        "--output-format",
        "json",
        *turn.flags,
    ]


def _claude_typed() -> list[str]:
    return ["--permission-mode", "default", "--allowedTools", "Bash,Agent,Task,mcp__tacit"]


# -- Codex -------------------------------------------------------------------------------------------------------------

CODEX_CONFIG = """model = "gpt-5.1-codex"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"

[projects."{project}"]
trust_level = "trusted"
"""


def _codex_ready(home: Path, project: Path, url: str) -> dict[str, str]:
    folder = home / ".codex"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(CODEX_CONFIG.format(url=url, project=project))
    return {"SCRIPTED_KEY": KEY}


def _codex_print(turn: Turn) -> list[str]:
    # Hooks that nobody has trusted at a terminal are passed over without a word, so a test must say so.
    options = ["--dangerously-bypass-hook-trust", "--skip-git-repo-check", "--json", *turn.flags]
    if turn.session:
        return ["exec", *options, "resume", turn.session, turn.prompt]
    return ["exec", *options, turn.prompt]


def _codex_typed() -> list[str]:
    return ["--dangerously-bypass-hook-trust"]


# -- Gemini CLI, Copilot CLI, opencode ---------------------------------------------------------------------------------


def _gemini_ready(home: Path, project: Path, url: str) -> dict[str, str]:
    folder = home / ".gemini"
    folder.mkdir(parents=True, exist_ok=True)
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"disableAutoUpdate": True},
        "privacy": {"usageStatisticsEnabled": False},
    }
    (folder / "settings.json").write_text(json.dumps(settings, indent=2) + "\n")
    (folder / "trustedFolders.json").write_text(json.dumps({str(project): "TRUST_FOLDER"}))
    return {"GEMINI_API_KEY": KEY, "GOOGLE_GEMINI_BASE_URL": url}


def _gemini_print(turn: Turn) -> list[str]:
    resumed = ["--resume", turn.session] if turn.session else []
    # Without a model's name its router asks for JSON, and tries for a minute.
    return [
        "-m",
        "gemini-2.5-pro",
        "-p",
        turn.prompt,
        *resumed,
        "--yolo",
        "--skip-trust",
        *turn.flags,
    ]


def _gemini_typed() -> list[str]:
    return ["-m", "gemini-2.5-pro", "--yolo", "--skip-trust"]


def _copilot_ready(home: Path, project: Path, url: str) -> dict[str, str]:
    folder = home / ".copilot"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps({"trusted_folders": [str(project)]}))
    return {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_API_KEY": KEY,
        "COPILOT_MODEL": "gpt-4.1",
    }


def _copilot_print(turn: Turn) -> list[str]:
    resumed = [f"--resume={turn.session}"] if turn.session else []
    return ["-p", turn.prompt, *resumed, "--allow-all-tools", *turn.flags]


def _copilot_typed() -> list[str]:
    return ["--allow-all-tools"]


def _opencode_ready(home: Path, project: Path, url: str) -> dict[str, str]:
    folder = home / ".config" / "opencode"
    folder.mkdir(parents=True, exist_ok=True)
    settings = {
        "provider": {"anthropic": {"options": {"baseURL": f"{url}/v1", "apiKey": KEY}}},
        "model": "anthropic/claude-sonnet-4-5",
        "small_model": "anthropic/claude-sonnet-4-5",
        "autoupdate": False,
        "share": "disabled",
    }
    (folder / "opencode.json").write_text(json.dumps(settings, indent=2) + "\n")
    return {
        "ANTHROPIC_API_KEY": KEY,
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
    }


def _opencode_print(turn: Turn) -> list[str]:
    resumed = ["--session", turn.session] if turn.session else []
    forked = ["--fork"] if turn.fork else []
    return ["run", "--format", "json", *resumed, *forked, *turn.flags, turn.prompt]


def _opencode_typed() -> list[str]:
    return []


_CLAUDE = Program(
    "claude-code",
    "@anthropic-ai/claude-code",
    "claude",
    "newest",
    _claude_ready,
    _claude_print,
    _claude_typed,
    ready_at="❯|>",
    can=frozenset(
        {
            "print",
            "typed",
            "subagent",
            "resume",
            "fork",
            "clear",
            "compact",
            "mcp",
            "plugin",
            "ask",
            "refuse",
            "question",
            "entry",
            "acp",
            "stop",
        }
    ),
    adapter="@agentclientprotocol/claude-agent-acp",
)
_CODEX = Program(
    "codex",
    "@openai/codex",
    "codex",
    "newest",
    _codex_ready,
    _codex_print,
    _codex_typed,
    can=frozenset(
        {
            "print",
            "typed",
            "subagent",
            "resume",
            "clear",
            "compact",
            "mcp",
            "refuse",
            "entry",
            "stop",
        }
    ),
    agent="worker",
    other="explorer",
    ready_at="›|Codex",
    cannot=(
        ("fork", "forks only in its terminal, by a picker"),
        ("plugin", "has no plugins of Claude Code's kind"),
    ),
)
PROGRAMS = (
    _CLAUDE,
    replace(_CLAUDE, pick="npm"),
    _CODEX,
    replace(_CODEX, pick="0.166.0"),  # of the month before, as people have it who do not upgrade
    Program(
        "gemini",
        "@google/gemini-cli",
        "gemini",
        "newest",
        _gemini_ready,
        _gemini_print,
        _gemini_typed,
        ready_at="Typeyourmessage",
        compact="/compress",
        can=frozenset({"print", "resume", "clear", "mcp", "refuse", "acp", "stop"}),
        acp=("-m", "gemini-2.5-pro", "--acp", "--yolo"),
        cannot=(
            ("typed", "does not say whether a person typed a prompt"),
            ("ask", "waits for ever for the answer where nobody sits there, so none is asked"),
            ("subagent", "has no event for sub-agents"),
            ("fork", "has no forks"),
            ("plugin", "has no plugins of Claude Code's kind"),
            ("compact", "tells of no compression after it, and before every call of its model"),
        ),
    ),
    Program(
        "copilot",
        "@github/copilot",
        "copilot",
        "newest",
        _copilot_ready,
        _copilot_print,
        _copilot_typed,
        ready_at="/commands",
        can=frozenset(
            {
                "print",
                "typed",
                "resume",
                "clear",
                "compact",
                "mcp",
                "agent-plugin",
                "acp",
                "ask",
                "refuse",
                "stop",
            }
        ),
        acp=("--acp", "--allow-all-tools"),
        cannot=(
            ("subagent", "the scripted model is offered no sub-agent"),
            ("fork", "has no forks"),
            ("plugin", "has no plugins of Claude Code's kind"),
        ),
    ),
    Program(
        "opencode",
        "opencode-ai",
        "opencode",
        "newest",
        _opencode_ready,
        _opencode_print,
        _opencode_typed,
        native="opencode-{os}-{arch}",
        ready_at="Askanything",
        can=frozenset(
            {
                "print",
                "typed",
                "subagent",
                "resume",
                "fork",
                "clear",
                "compact",
                "mcp",
                "acp",
                "refuse",
            }
        ),
        agent="general",
        other="explore",
        acp=("acp",),
        cannot=(
            (
                "plugin",
                "has no plugins of Claude Code's kind: ours is its own, used in every scenario",
            ),
        ),
    ),
)


# -- installing --------------------------------------------------------------------------------------------------------


def install(program: Program, folder: Path) -> Program:
    """The program from npm, in a folder of its own; with `missing` where it cannot be had. What is there already is used."""
    if not shutil.which("npm"):
        return replace(program, missing="npm is not on this machine")
    version = program.pick if program.pick[0].isdigit() else ""
    if program.pick == "newest":
        asked = _npm(["view", program.package, "version"], folder)
        if asked.returncode:
            return replace(program, missing=f"npm view: {_last_line(asked)}")
        version = asked.stdout.strip().splitlines()[-1]
        if (
            program.native
        ):  # a registry may have the program's newest version and not its binary for this machine
            built = _npm(
                ["view", program.native.format(os=sys.platform, arch=ARCH), "versions", "--json"],
                folder,
            )
            listed = json.loads(built.stdout or "[]") if not built.returncode else []
            version = version if version in listed or not listed else listed[-1]
    place = folder / f"{program.host}-{program.pick}{'-' + version if version else ''}"
    binary = place / "node_modules" / ".bin" / program.binary
    if not binary.exists():
        place.mkdir(parents=True, exist_ok=True)
        (place / "package.json").write_text('{"private": true}\n')
        wanted = f"{program.package}@{version}" if version else program.package
        done = _npm(["install", *QUIET, wanted], place)
        if done.returncode or not binary.exists():
            return replace(program, version=version, missing=f"npm install: {_last_line(done)}")
    told = json.loads((place / "node_modules" / program.package / "package.json").read_text())
    acp = (str(binary), *program.acp) if program.acp else ()
    if program.adapter:
        editors = folder / "editors"
        named = editors / "node_modules" / ".bin" / program.adapter.rpartition("/")[2]
        if named.exists() or not _npm(["install", *QUIET, program.adapter], editors).returncode:
            acp = (str(named),)
    return replace(program, version=told["version"], path=str(binary), acp=acp)


def _npm(args: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    cwd.mkdir(parents=True, exist_ok=True)
    return subprocess.run(
        ["npm", *args],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=900,
        env={**os.environ, "CI": "1"},
    )


def _last_line(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line for line in (done.stderr or done.stdout).splitlines() if line.strip()]
    return (lines[-1] if lines else f"exit status {done.returncode}")[:160]
