"""The agent programs we know: a line each in the table below, a folder each beside it.

A folder holds the dialect (`__init__`, all that a hook loads), how our hooks stand in its settings (`registration`) and,
where it writes any that can be read, its sessions (`transcript`). A line holds by which marks a payload tells its host.
"""

from __future__ import annotations

import sys

from tacit.core.digest import short_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from tacit.hosts.registration import Host


# What a terminal, a desktop or a shell says of itself. Everything else may choose the program that reads, or where it sends what it reads.
_TERMINALS = tuple(
    "TERM COLOR ITERM KITTY ALACRITTY WEZTERM VTE GNOME_TERMINAL KONSOLE WT_ VSCODE_ TMUX STY "
    "SSH_ XDG_SESSION XDG_SEAT XDG_VTNR DBUS_ LC_ LESS LS_ HIST STARSHIP P9K ZSH_ TACIT_ "
    "WINDOW GPG_TTY".split()
)
_OF_A_SHELL = frozenset(
    "PWD OLDPWD SHLVL _ COLUMNS LINES LANG LANGUAGE TZ DISPLAY WAYLAND_DISPLAY XAUTHORITY MAIL PAGER EDITOR VISUAL PS1 PROMPT".split()
)


def surroundings(env: Mapping[str, str]) -> str:
    """A hash of what in an environment may decide who reads a session, and where it is sent."""
    told = sorted(
        f"{name}={said}"
        for name, said in env.items()
        if name not in _OF_A_SHELL and not name.startswith(_TERMINALS) and not of_session(name)
    )
    return short_hash("\0".join(told))


class Marks:
    """By what a host is known. Written out: a `@value` makes its `__init__` at the first instance, and every hook would pay for it."""

    def __init__(
        self,
        shell: str = "",  # a variable that it sets for the commands of its agents: who has it is no person
        names_run: bool = False,  # that variable holds the session's id, as its hooks tell it
        in_hooks: str = "",  # set for hooks, too: the variable that names the session there
        reads: bool = True,  # its sessions can be read (transcript.py); else what its events say is written down
        surely: tuple[
            str, ...
        ] = (),  # fields of a payload that tell it, wherever the hook was registered
        unnamed: bool = False,  # those fields only where the payload does not name its event
        named: str = "",  # the host in whose dialect it speaks where the payload names its event
        fields: tuple[
            str, ...
        ] = (),  # fields that tell it where nobody registered the hook under its name
        events: tuple[str, ...] = (),  # names of events that it alone has
        paths: tuple[str, ...] = (),  # parts of its transcripts' paths
    ) -> None:
        self.shell, self.names_run, self.in_hooks, self.reads = shell, names_run, in_hooks, reads
        self.surely, self.unnamed = surely, unnamed
        self.named, self.fields, self.events, self.paths = named, fields, events, paths


# Asked from top to bottom.
HOSTS: dict[str, Marks] = {
    "claude-code": Marks("CLAUDECODE", in_hooks="CLAUDE_CODE_SESSION_ID", paths=("/.claude/",)),
    "codex": Marks("CODEX_THREAD_ID", True, fields=("turn_id",), paths=("/rollout-",)),
    "gemini": Marks(
        "GEMINI_CLI",
        events=("BeforeAgent", "AfterAgent", "AfterTool", "PreCompress"),
        paths=("/.gemini/",),
    ),
    "copilot": Marks(
        "COPILOT_AGENT_SESSION_ID",
        True,
        "COPILOT_AGENT_SESSION_ID",
        surely=("sessionId",),
        unnamed=True,
        named="vscode",
    ),
    "vscode": Marks(reads=False, fields=("timestamp",)),
    "opencode": Marks("OPENCODE", in_hooks="TACIT_PLUGIN_SESSION"),  # set by our own plugin
    "cursor": Marks("CURSOR_AGENT", reads=False, surely=("cursor_version", "conversation_id")),
}
# set for a model's command: our own hooks are silent inside it, and it asks no further model
MODEL_CALL = "TACIT_MODEL_CALL"
# Variables that tell an agent's shell: those we set ourselves, those of hosts without a folder here, and those of the table.
SHELLS = (
    "TACIT_RUN",
    MODEL_CALL,
    "TACIT_REPLAY",
    "CODEX_SANDBOX",
    "CLINE_ACTIVE",
    *(marks.shell for marks in HOSTS.values() if marks.shell),
)
# Claude Code's own variables that say how it reaches its model, not which session it is in.
_STANDING = ("CLAUDE_CODE_USE_", "CLAUDE_CODE_OAUTH_", "CLAUDE_CODE_SKIP_")
# of one session's, without that beginning
_OF_ONE = tuple(
    "CLAUDE_PROJECT_DIR CLAUDE_ENV_FILE CLAUDE_PID CLAUDE_EFFORT TACIT_PLUGIN_SESSION".split()
)
WHOSE_SETTINGS_OTHERS_LOAD = "claude-code"  # so a payload without any mark is its own


def host_of(payload: Mapping[str, Any], registered: str = "") -> str:
    """Whose dialect this is."""
    named = payload.get("hook_event_name") or payload.get("hookEventName")
    for name, marks in HOSTS.items():
        if any(field in payload for field in marks.surely) and not (marks.unnamed and named):
            return name
    if registered:
        return HOSTS[registered].named or registered if registered in HOSTS else registered
    transcript = str(payload.get("transcript_path") or "")
    for name, marks in HOSTS.items():
        told = any(field in payload for field in marks.fields) or any(
            part in transcript for part in marks.paths
        )
        if told or named in marks.events:
            return name
    return WHOSE_SETTINGS_OTHERS_LOAD


def run_in_shell(env: Mapping[str, str]) -> str:
    """The run in whose shell a command was started; empty outside one. Our own variable first: it is set for the one run at hand."""
    names = ("TACIT_RUN", *(marks.shell for marks in HOSTS.values() if marks.names_run))
    return next((env[name] for name in names if env.get(name)), "")


def shell_mark(env: Mapping[str, str], session: str) -> str:
    """The mark of an agent's shell in which a host's event is told; empty where the host itself
    tells it."""
    named = {marks.shell: marks.in_hooks for marks in HOSTS.values() if marks.in_hooks}
    return next(
        (
            name
            for name in SHELLS
            if env.get(name) and not (session and env.get(named.get(name, "")) == session)
        ),
        "",
    )


def of_session(name: str) -> bool:
    """Whether an environment variable tells of the session it was set in; what serves all sessions is started without them."""
    return (
        name in SHELLS
        or name in _OF_ONE
        or (name.startswith("CLAUDE_CODE_") and not name.startswith(_STANDING))
    )


def speaker(name: str) -> Any:
    """The module that speaks a host's dialect; None for a host we do not know."""
    return _loaded(folder(name)) if name in HOSTS else None


def host(name: str) -> Host:
    """What a host is and has, from its folder."""
    found: Host = _loaded(f"{folder(name)}.registration").HOST
    return found


def every_host() -> dict[str, Host]:
    """All of them."""
    return {name: host(name) for name in HOSTS}


def readers(env: Mapping[str, str] | None = None) -> dict[str, str]:
    """Those whose own program may read finished sessions, and its command in these surroundings."""
    found = {name: known for name, known in every_host().items() if known.reader}
    return {
        name: f"{known.reader} {known.reader_with[1]}"
        if (env or {}).get(known.reader_with[0])
        else known.reader
        for name, known in found.items()
    }


def folder(name: str) -> str:
    """A host's folder, as a module."""
    return f"{__name__}.{name.replace('-', '_')}"


def _loaded(module: str) -> Any:
    __import__(module)
    return sys.modules[module]
