"""What of an environment decides where a session is sent to be read. A project can have its host set any of it."""

from __future__ import annotations

from tacit.core.digest import short_hash
from tacit.hosts import of_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# What a terminal, a desktop or a shell says of itself. Everything else may choose the program that reads, or where it sends what it reads.
_TERMINALS = (
    "TERM", "COLOR", "ITERM", "KITTY", "ALACRITTY", "WEZTERM", "VTE", "GNOME_TERMINAL", "KONSOLE", "WT_", "VSCODE_", "TMUX", "STY", "SSH_",
    "XDG_SESSION", "XDG_SEAT", "XDG_VTNR", "DBUS_", "LC_", "LESS", "LS_", "HIST", "STARSHIP", "P9K", "ZSH_", "TACIT_", "WINDOW", "GPG_TTY",
)  # fmt: skip
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
