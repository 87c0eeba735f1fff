"""Asking git about a repository that may be anybody's.

A folder that arrived with its `.git` brings settings along that name programs: a file-system monitor, hooks, filters, a pager. What we ask
starts none of them.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess

QUIET = ("-c", "core.fsmonitor=", "-c", f"core.hooksPath={os.devnull}", "-c", "core.pager=cat", "-c", "core.sshCommand=false")


def ask(folder: str, *arguments: str, timeout: float = 5.0) -> subprocess.CompletedProcess[str] | None:
    """What git answers about a folder; None where there is no git, or it takes too long."""
    import subprocess

    env = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
    try:
        return subprocess.run(
            ["git", *QUIET, "-C", folder, *arguments], capture_output=True, text=True, errors="replace", timeout=timeout, env=env
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
