"""Asking git about a repository that may be anybody's.

A folder that arrived with its `.git` brings settings along that name programs: a file-system monitor, hooks, filters, a pager. What we ask
starts none of them.
"""

from __future__ import annotations

import os
import stat
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess

QUIET_GIT = (
    "-c",
    "core.fsmonitor=",
    "-c",
    f"core.hooksPath={os.devnull}",
    "-c",
    "core.pager=cat",
    "-c",
    "core.sshCommand=false",
)


# By these a shell, or a hook of git's own, leads git to another repository, index or configuration than the folder's.
GIT_ELSEWHERE = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
)


def ask_git(
    folder: str, *arguments: str, timeout: float = 5.0, here: bool = False
) -> subprocess.CompletedProcess[str] | None:
    """What git answers about a folder; None where there is no git, it takes too long, or it would wait for ever.

    `here`: about this folder, whatever the environment says.
    """
    if _holds_a_pipe(os.path.join(folder, ".git")):
        return None
    env = {name: at for name, at in os.environ.items() if not here or name not in GIT_ELSEWHERE}
    env |= {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "LC_ALL": "C",
    }
    try:
        return subprocess.run(
            ["git", *QUIET_GIT, "-C", folder, *arguments],
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
        return (
            "",
            "this clone is shallow and does not hold the first commit (git fetch --unshallow)",
        )
    told = ask_git(
        folder,
        "--no-replace-objects",
        "rev-list",
        "--max-parents=0",
        "--first-parent",
        "HEAD",
        timeout=60.0,
    )
    found = told.stdout.split() if told is not None and not told.returncode else []
    return (found[-1], "") if found else ("", "the repository has no commit yet")


class TrackedFiles:
    """Which files a repository tracks; git is asked once per folder, and again when the index was written since."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[object, frozenset[str] | None]] = {}

    def has(self, path: str) -> bool | None:
        """Whether git tracks what really lies at a path; None where there is no repository around it, or git cannot be asked."""
        real = os.path.realpath(path)
        folder = os.path.dirname(real)
        top = _top_of(folder)
        if not top:
            return None
        written = _index_of(top)
        if self._known.get(folder, (None,))[0] != written:
            self._known[folder] = (written, _tracked_below(top, folder))
        names = self._known[folder][1]
        return None if names is None else real in names


def _top_of(folder: str) -> str:
    """The work tree that a folder lies in. Found without git: a folder that only looks like a repository's inside is no answer."""
    while not os.path.lexists(os.path.join(folder, ".git")):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return ""
    return folder


def _index_of(top: str) -> object:
    """What tells that an index is as it was; a work tree that shares its repository is asked each time."""
    try:
        found = os.stat(os.path.join(top, ".git", "index"))
        return found.st_mtime_ns, found.st_size, found.st_ino
    except OSError:
        return object()


def _tracked_below(top: str, folder: str) -> frozenset[str] | None:
    at = os.path.relpath(folder, top)
    told = ask_git(top, "--literal-pathspecs", "ls-files", "-z", "--", at, here=True)
    if told is None or told.returncode:
        return None
    return frozenset(os.path.join(top, name) for name in told.stdout.split("\0") if name)
