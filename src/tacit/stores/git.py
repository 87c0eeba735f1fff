"""Asking git about a repository that may be anybody's.

A folder that arrived with its `.git` brings settings along that name programs: a file-system monitor, hooks, filters, a pager. What we ask
starts none of them.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess

QUIET = (
    "-c",
    "core.fsmonitor=",
    "-c",
    f"core.hooksPath={os.devnull}",
    "-c",
    "core.pager=cat",
    "-c",
    "core.sshCommand=false",
)


def ask_git(folder: str, *arguments: str, timeout: float = 5.0) -> subprocess.CompletedProcess[str] | None:
    """What git answers about a folder; None where there is no git, it takes too long, or it would wait for ever."""
    import subprocess

    if _holds_a_pipe(os.path.join(folder, ".git")):
        return None
    env = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C"}
    try:
        return subprocess.run(
            ["git", *QUIET, "-C", folder, *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            env=env,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None


def _holds_a_pipe(git_dir: str) -> bool:
    """Whether an archive put a pipe or a device among git's own files: git would open it."""
    try:
        for entry in os.scandir(git_dir):
            try:
                mode = entry.stat().st_mode
            except OSError:
                continue  # a link to nothing
            if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
                return True
    except OSError:
        pass  # no folder: a worktree's, or none
    return False


def first_commit(folder: str) -> tuple[str, str]:
    """The hash of the commit that a repository's main line begins with, and where there is none, why.

    Clones and forks share it, other repositories do not. Only the line of first parents counts: a history that was merged in
    does not make its repository this one.
    """
    shallow = ask_git(folder, "rev-parse", "--is-shallow-repository")
    if shallow is None or shallow.returncode:
        return "", "there is no git repository here that can be asked"
    if shallow.stdout.strip() != "false":
        return "", "this clone is shallow and does not hold the first commit (git fetch --unshallow)"
    told = ask_git(
        folder, "--no-replace-objects", "rev-list", "--max-parents=0", "--first-parent", "HEAD", timeout=60.0
    )
    found = told.stdout.split() if told is not None and not told.returncode else []
    return (found[-1], "") if found else ("", "the repository has no commit yet")
