"""What a host is to `connect`: where it keeps its hooks, how an entry is written there, and whether
it is on this machine."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tacit.core.value import value

# where a host waits longer than for the others: nobody has asked yet, or nobody waits any more
SECONDS = {"session-start": 10, "stop": 10}
MOMENT = 5
# Files of instructions beside those that hosts load.
OTHER_INSTRUCTIONS = ("MEMORY.md", "CONVENTIONS.md")


@value
class EventEntry:
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
    entries: tuple[EventEntry, ...]
    handler: Callable[[Host, list[str], EventEntry], dict[str, Any]]
    sample: Callable[[EventEntry, Scene], dict[str, Any]]  # an event as it sends it
    user: tuple[str, ...]  # the settings in the user's folder of this host
    shared: tuple[str, ...]  # those of a project, for everybody
    # those of a project, for one person, where the host has such a file
    local: tuple[str, ...] = ()
    # a variable that names the user's folder, and the folder in the home without it
    home: tuple[str, str] = ("", "")
    data: tuple[str, str] | None = None  # the same for its sessions, where they lie elsewhere
    under: str = ""  # its own folder in those that are many programs'
    grouped: bool = True  # an event has groups of handlers, not handlers
    comments: bool = False  # the host allows comments in its settings
    frame: Mapping[str, Any] | None = None  # what a file of ours alone begins with
    programs: tuple[str, ...] = ()
    traces: tuple[str, ...] = ()  # folders in the home that show that the host was used here
    home_shared: bool = False  # the user's folder is another host's too, so it shows nothing
    loaded_by_others: bool = False  # other hosts load its settings, so an entry there names no host
    # the text of its settings file, which is ours alone
    plugin: Callable[[Sequence[str], Sequence[str]], str] | None = None
    # a file in the project that tells of the notes, and its text (`--rules`)
    rule: tuple[tuple[str, ...], str] | None = None
    told: str = ""  # what a person should know after connecting
    transcripts: tuple[str, ...] = ()  # what in the user's folder holds sessions that can be read
    sessions: str = ""  # the pattern of those files' names; empty: past ones are not looked for
    instructions: tuple[str, ...] = ()  # files in a project that it loads as instructions
    pages: tuple[str, ...] = ()  # what it loads of the pages that we can write
    # Its own program as a mere model: a command that offers no tools and lets nothing of the user's reach the request (docs/models.md).
    reader: str = ""
    # a variable, and what the command takes besides where it is set
    reader_with: tuple[str, str] = ("", "")
    login: tuple[str, ...] = ()  # files in the user's folder by which its program is logged in
    # variables by which it reaches its model; a * stands for the rest of a name
    reaches: tuple[str, ...] = ()
    cautions: Callable[[Host, Sequence[str], str, Mapping[str, str]], list[str]] | None = None


def cautions(host: Host, connected: Sequence[str], root: str, env: Mapping[str, str]) -> list[str]:
    """What keeps a connected host from doing what it was connected for, each with its mend."""
    return host.cautions(host, connected, root, env) if host.cautions is not None else []


def harmless(argv: Sequence[str], *, insists: bool = False, ends_it: bool = False) -> str:
    """A line for the shell that does nothing where the program is gone, and ends well where it is
    broken: a host may stop at a hook that fails."""
    there = (
        f"[ ! -x {shlex.quote(argv[0])} ]"
        if os.path.isabs(argv[0])
        else f"! command -v {argv[0]} >/dev/null 2>&1"
    )
    if ends_it:
        call = f"{{ trap 'kill -9 $!' TERM; exec 3<&0; {shlex.join(argv)} <&3 & wait $!; }}"
        return f"{there} || {call} || true"
    return f"{there} || {shlex.join(argv)}" + (
        "; [ $? -ne 2 ] || exit 2" if insists else " || true"
    )


def in_shell(
    command: str = "command",
    timeout: str = "timeout",
    unit: int = 1,
    insists: tuple[str, ...] = (),
    ends_it: bool = False,
    **more: str,
) -> Callable[[Host, list[str], EventEntry], dict[str, Any]]:
    """A handler whose command is a line for the shell, under the host's names for it and for its time limit, in parts of a second."""

    def handler(host: Host, argv: list[str], entry: EventEntry) -> dict[str, Any]:
        return {
            **more,
            command: harmless(argv, insists=entry.ours in insists, ends_it=ends_it),
            timeout: entry.seconds * unit,
        }

    return handler


def entries_of(names: Mapping[str, str], **matchers: str) -> tuple[EventEntry, ...]:
    """An entry for each event of a dialect, by the host's name for it; a matcher where it takes one, by our name with _ for -."""
    return tuple(
        EventEntry(
            theirs, ours, SECONDS.get(ours, MOMENT), matchers.get(ours.replace("-", "_"), "")
        )
        for ours, theirs in names.items()
    )


def home_of(host: Host, env: Mapping[str, str]) -> str:
    """The user's folder of a host."""
    return _folder(host, host.home, env)


def data_of(host: Host, env: Mapping[str, str]) -> str:
    """Where a host keeps this user's sessions."""
    return _folder(host, host.data or host.home, env)


def _folder(host: Host, named: tuple[str, str], env: Mapping[str, str]) -> str:
    variable, folder = named
    top = (env.get(variable, "") if variable else "") or os.path.join(user_home(env), folder)
    return os.path.join(top, host.under) if host.under else top


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
    beside = os.path.join(os.path.dirname(sys.executable), "tacit")
    called = (
        os.path.abspath(sys.argv[0])
        if os.path.basename(sys.argv[0]) == "tacit" and os.sep in sys.argv[0]
        else ""
    )
    for found in (called, beside, shutil.which("tacit", path=env.get("PATH")) or ""):
        if found and os.access(found, os.X_OK) and os.path.isfile(found):
            return os.path.abspath(found), []
    return sys.executable, ["-P", "-m", "tacit"]


def plugin_text(start: tuple[str, list[str]], host: Host, store: str = "") -> str:
    """The file of a host that loads plugins instead of calling hooks."""
    assert host.plugin is not None
    return host.plugin([start[0], *start[1]], ["--store", os.path.abspath(store)] if store else [])


def is_our_plugin(text: str, host: Host) -> bool:
    """Whether a file is one that `connect` wrote, by whichever installation."""
    return text.startswith(f"// Written by `tacit connect {host.name}`")


def registration(start: tuple[str, list[str]], host: Host, store: str = "") -> dict[str, Any]:
    """One entry per event, in the host's shape."""
    found = {}
    for entry in host.entries:
        named = [] if host.loaded_by_others else ["--host", host.name]
        kept = ["--store", os.path.abspath(store)] if store else []
        handler = host.handler(
            host, [start[0], *start[1], "hook", entry.ours, *named, *kept], entry
        )
        if not host.grouped:
            found[entry.theirs] = handler
        else:
            found[entry.theirs] = {
                **({"matcher": entry.matcher} if entry.matcher else {}),
                "hooks": [handler],
            }
    return found


def is_here(host: Host, env: Mapping[str, str]) -> bool:
    """Whether the host seems to be on this machine."""
    traces = [os.path.join(user_home(env), trace) for trace in host.traces]
    own = [] if host.home_shared else [home_of(host, env)]
    on_path = any(shutil.which(program, path=env.get("PATH")) for program in host.programs)
    return on_path or any(os.path.isdir(trace) for trace in (*own, *traces))


# Events as hosts send them, made up: what `connect` fires to show that its hooks answer, and what their cost is
# measured with.

AT = "2026-11-16T06:19:59.486Z"


@value
class Scene:
    """What happens in a session that never was."""

    folder: str
    session: str = "tacit-self-test"
    prompt: str = "run the tests"
    command: str = "make test"
    error: str = "make: *** [Makefile:3: test] Error 1"
    transcript: str = ""
    agent: str = "general-purpose"
    call: str = "call-1"


def as_claude_code_says(entry: EventEntry, scene: Scene, **more: Any) -> dict[str, Any]:
    """The shapes of Claude Code, which others took over."""
    said: dict[str, Any] = {
        "session_id": scene.session,
        "transcript_path": scene.transcript,
        "cwd": scene.folder,
        "hook_event_name": entry.theirs,
    }
    call = {
        "tool_name": "Bash",
        "tool_use_id": scene.call,
        "tool_input": {"command": scene.command},
    }
    by_event: dict[str, dict[str, Any]] = {
        "session-start": {"source": "startup"},
        "prompt": {"prompt": scene.prompt},
        "subagent-start": {"agent_id": "agent-1", "agent_type": scene.agent},
        "before-call": call,
        "before-command": call,
        "tool-failure": {**call, "error": f"Exit code 2\n{scene.error}"},
        "step": {**call, "tool_response": scene.error},
    }
    return {**said, **by_event.get(entry.ours, {}), **more}
