"""The hosts we connect: where each keeps its hooks, how an entry is written there, and whether it is on this machine.

A row per host. What an event means and how it is answered is the dialect's business (`surfaces/hooks`); here stands only
how it is registered: the host's name for it, a matcher where it takes one, and a time limit in the host's unit.
"""

from __future__ import annotations

import os
import shlex
import sys

from tacit.core.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

# A command of an agent's, by the names that hosts have for the tool that runs it.
CODEX_SHELLS = "Bash|shell|exec_command|local_shell"


@value
class Entry:
    """One event as a host registers it."""

    theirs: str
    ours: str  # the word after `tacit hook`
    seconds: int  # the host ends the hook after these
    matcher: str = ""


@value
class Host:
    """One host."""

    name: str
    title: str
    entries: tuple[Entry, ...]
    handler: Callable[[Host, list[str], Entry], dict[str, Any]]
    user: tuple[str, ...]  # the settings in the user's folder of this host
    shared: tuple[str, ...]  # those of a project, for everybody
    local: tuple[str, ...] = ()  # those of a project, for one person, where the host has such a file
    home: tuple[str, str] = ("", "")  # a variable that names the user's folder, and the folder in the home without it
    grouped: bool = True  # an event has groups of handlers, not handlers
    comments: bool = False  # the host allows comments in its settings
    frame: Mapping[str, Any] | None = None  # what a file of ours alone begins with
    programs: tuple[str, ...] = ()
    traces: tuple[str, ...] = ()  # folders in the home that show that the host was used here
    told: str = ""  # what a person should know after connecting


def _exec(host: Host, argv: list[str], entry: Entry) -> dict[str, Any]:
    return {"type": "command", "command": argv[0], "args": argv[1:], "timeout": entry.seconds}


def _shell(host: Host, argv: list[str], entry: Entry) -> dict[str, Any]:
    return {"type": "command", "command": shlex.join(argv), "timeout": entry.seconds}


def _gemini(host: Host, argv: list[str], entry: Entry) -> dict[str, Any]:
    return {"name": "tacit", "type": "command", "command": shlex.join(argv), "timeout": entry.seconds * 1000}


def _copilot(host: Host, argv: list[str], entry: Entry) -> dict[str, Any]:
    return {"type": "command", "bash": shlex.join(argv), "timeoutSec": entry.seconds}


def _cursor(host: Host, argv: list[str], entry: Entry) -> dict[str, Any]:
    return {"command": shlex.join(argv), "timeout": entry.seconds}


HOSTS: dict[str, Host] = {
    host.name: host
    for host in (
        Host(
            "claude-code", "Claude Code",
            (
                Entry("SessionStart", "session-start", 10, "startup|resume|clear|compact|fork"),
                Entry("UserPromptSubmit", "prompt", 5),
                Entry("SubagentStart", "subagent-start", 5),
                Entry("PreToolUse", "before-command", 5, "Bash"),
                # Answered while the agent still looks at it: an `async` answer would come a turn late.
                Entry("PostToolUseFailure", "tool-failure", 5, "Bash"),
                Entry("PreCompact", "pre-compact", 5),
                # Not `async`: versions up to 2.1.197 leave `claude -p` without SessionEnd then, and later ones end this hook early.
                Entry("Stop", "stop", 10),
                Entry("SessionEnd", "session-end", 5),
            ),
            _exec,
            user=("settings.json",), shared=(".claude", "settings.json"), local=(".claude", "settings.local.json"),
            home=("CLAUDE_CONFIG_DIR", ".claude"), programs=("claude",), traces=(".claude",),
        ),
        Host(
            "codex", "Codex",
            (
                Entry("SessionStart", "session-start", 10, "startup|resume|clear|compact"),
                Entry("UserPromptSubmit", "prompt", 5),
                Entry("SubagentStart", "subagent-start", 5),
                Entry("SubagentStop", "session-end", 3),  # a sub-agent's rollout is a file of its own
                Entry("PreToolUse", "before-command", 5, CODEX_SHELLS),
                Entry("PostToolUse", "tool-failure", 5, CODEX_SHELLS),
                Entry("PreCompact", "pre-compact", 5),
                Entry("Stop", "stop", 10),
                Entry("SessionEnd", "session-end", 3),  # the host's own cap
            ),
            _shell,
            user=("hooks.json",), shared=(".codex", "hooks.json"), home=("CODEX_HOME", ".codex"),
            programs=("codex",), traces=(".codex",),
            told="Codex runs new hooks only after you have trusted them: it asks at its next start, or see /hooks.",
        ),
        Host(
            "copilot", "Copilot CLI",
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
            _copilot,
            user=("hooks", "tacit.json"), shared=(".github", "hooks", "tacit.json"), home=("COPILOT_HOME", ".copilot"),
            grouped=False, frame={"version": 1}, programs=("copilot",), traces=(".copilot",),
            told="Lessons for a prompt come with the first tool call after it: Copilot drops what a hook says to the prompt itself.",
        ),
        Host(
            "vscode", "VS Code",
            (
                Entry("SessionStart", "session-start", 10),
                Entry("UserPromptSubmit", "prompt", 5),
                Entry("SubagentStart", "subagent-start", 5),
                Entry("PostToolUse", "step", 5),
                Entry("PreCompact", "pre-compact", 5),
                Entry("Stop", "stop", 10),
            ),
            _shell,
            user=("hooks", "tacit-vscode.json"), shared=(".github", "hooks", "tacit-vscode.json"),
            home=("COPILOT_HOME", ".copilot"), grouped=False, comments=True, programs=("code", "code-insiders"),
            traces=(".vscode", ".config/Code", "Library/Application Support/Code"),
            told="Lessons for a prompt come with the first tool call after it. VS Code tells no end of a session:\n"
            "one that was still for some hours is taken as over.",
        ),
        Host(
            "gemini", "Gemini CLI",
            (
                Entry("SessionStart", "session-start", 10),
                Entry("BeforeAgent", "prompt", 5),
                Entry("AfterTool", "tool-failure", 5, "run_shell_command"),
                # Not PreCompress: it comes before every call of the model, and AfterAgent queues the same transcript.
                Entry("AfterAgent", "stop", 10),
                Entry("SessionEnd", "session-end", 5),
            ),
            _gemini,
            user=("settings.json",), shared=(".gemini", "settings.json"), home=("", ".gemini"), comments=True,
            programs=("gemini",), traces=(".gemini",),
            told="Gemini does not say whether a person typed a prompt, so no standing wish is learned from it: keep them with tacit add.",
        ),
        Host(
            "cursor", "Cursor",
            (
                Entry("sessionStart", "session-start", 10),
                Entry("beforeSubmitPrompt", "prompt", 5),
                Entry("postToolUse", "step", 5),
                Entry("postToolUseFailure", "tool-failure", 5),
                Entry("afterAgentResponse", "step", 5),
                Entry("preCompact", "pre-compact", 5),
                Entry("stop", "stop", 10),
                Entry("sessionEnd", "session-end", 5),
            ),
            _cursor,
            user=("hooks.json",), shared=(".cursor", "hooks.json"), home=("", ".cursor"),
            grouped=False, frame={"version": 1}, programs=("cursor", "cursor-agent"), traces=(".cursor",),
            told="Lessons for a prompt come with the first tool call after it. Some versions of Cursor reject what a hook says\n"
            "at the start: tacit connect cursor --rules also writes a rule that tells the agent where the notes are.",
        ),
    )
}  # fmt: skip


def home_of(host: Host, env: Mapping[str, str]) -> str:
    """The user's folder of a host."""
    variable, folder = host.home
    return (env.get(variable, "") if variable else "") or os.path.join(user_home(env), folder)


def user_home(env: Mapping[str, str]) -> str:
    """Where the user's own files are."""
    return env.get("HOME") or os.path.expanduser("~")


def settings_path(host: Host, root: str, env: Mapping[str, str], level: str) -> str:
    """Which file holds the hooks: the user's, a project's for everybody, or one person's in a project."""
    if level == "user" or (level == "" and not host.local):
        return os.path.join(home_of(host, env), *host.user)
    return os.path.join(root, *(host.shared if level == "shared" else host.local))


def command(env: Mapping[str, str]) -> tuple[str, list[str]]:
    """How a host starts us: the installed command by its full path, or this interpreter."""
    import shutil

    beside = os.path.join(os.path.dirname(sys.executable), "tacit")
    called = os.path.abspath(sys.argv[0]) if os.path.basename(sys.argv[0]) == "tacit" and os.sep in sys.argv[0] else ""
    for found in (called, beside, shutil.which("tacit", path=env.get("PATH")) or ""):
        if found and os.access(found, os.X_OK) and os.path.isfile(found):
            return os.path.abspath(found), []
    return sys.executable, ["-P", "-m", "tacit"]


def registration(start: tuple[str, list[str]], store: str = "", host: Host = HOSTS["claude-code"]) -> dict[str, Any]:
    """One entry per event, in the host's shape. Claude Code's name no host: others load its settings too, and say who they are."""
    found = {}
    for entry in host.entries:
        named = [] if host.name == "claude-code" else ["--host", host.name]
        kept = ["--store", os.path.abspath(store)] if store else []
        handler = host.handler(host, [start[0], *start[1], "hook", entry.ours, *named, *kept], entry)
        if not host.grouped:
            found[entry.theirs] = handler
        else:
            found[entry.theirs] = {**({"matcher": entry.matcher} if entry.matcher else {}), "hooks": [handler]}
    return found


def is_here(host: Host, env: Mapping[str, str]) -> bool:
    """Whether the host seems to be on this machine."""
    import shutil

    traces = [home_of(host, env), *(os.path.join(user_home(env), trace) for trace in host.traces)]
    on_path = any(shutil.which(program, path=env.get("PATH")) for program in host.programs)
    return on_path or any(os.path.isdir(trace) for trace in traces if host.name != "vscode" or "copilot" not in trace)
