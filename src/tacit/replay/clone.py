"""A clone of a repository as it was at one commit: its history up to there and nothing later, no remotes, no hooks, no config of anybody's.

What came after the commit is not even in the clone's object store: the way the task was solved then is nowhere to be found in it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence

from tacit.core.errors import TacitError
from tacit.place import git

_PLAIN = re.compile(
    r"\w[\w-]*(?:[./]\w[\w-]*)*"
)  # a branch's name that is also a file's; any other becomes main
SLOW = 1800.0  # seconds for packing a history
_ENV = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
    "GIT_NO_LAZY_FETCH": "1",
}


def commit_of(source: str, name: str) -> str:
    """The whole name of a commit that the repository holds; empty where it does not."""
    if not name or name.startswith("-"):
        return ""
    told = git.ask_git(source, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
    return told.stdout.strip() if told is not None and not told.returncode else ""


def texts_at(source: str, commit: str, names: Sequence[str]) -> dict[str, str]:
    """What files held at a commit, of those that were there."""
    found = {}
    for name in names:
        told = git.ask_git(source, "cat-file", "blob", f"{commit}:{name}")  # which converts nothing
        if told is not None and not told.returncode:
            found[name] = told.stdout
    return found


def packed(source: str, commit: str, folder: str) -> str:
    """A folder with the commit's history in one pack, made once; arms copy it, so that none can reach another's or the source's files."""
    place = os.path.join(folder, commit)
    if os.path.isdir(place):
        return place
    making = f"{place}.{os.getpid()}"
    os.makedirs(making, exist_ok=True)
    _git(source, "pack-objects", "--revs", "-q", os.path.join(making, "pack"), said=f"{commit}\n")
    told = git.ask_git(source, "rev-parse", "--git-path", "shallow")
    shallow = (
        os.path.join(source, told.stdout.strip())
        if told is not None and not told.returncode
        else ""
    )
    if shallow and os.path.isfile(shallow):
        shutil.copyfile(shallow, os.path.join(making, "shallow"))
    os.rename(making, place)
    return place


def clone(pack: str, commit: str, branch: str, folder: str) -> None:
    """The work tree of a commit in a new folder."""
    os.makedirs(folder)
    name = branch if _PLAIN.fullmatch(branch) and not branch.endswith((".lock", "/")) else "main"
    inside = _repository(pack, folder, name)
    with open(os.path.join(inside, "config"), "a", encoding="utf-8") as config:
        config.write(f"[core]\n\thooksPath = {os.devnull}\n[push]\n\tdefault = nothing\n")
    ref = os.path.join(inside, "refs", "heads", *name.split("/"))
    os.makedirs(os.path.dirname(ref), exist_ok=True)
    with open(ref, "w", encoding="ascii") as file_of_ref:
        file_of_ref.write(f"{commit}\n")
    _git(folder, "reset", "-q", "--hard")


def difference(pack: str, commit: str, folder: str) -> str:
    """What was done in a clone's work tree since the commit it began at; empty where git cannot tell.

    Whoever worked there may have named programs in the clone's git directory: a diff of its own, a filter, a monitor. So that directory
    is not asked: a fresh one of ours is, and no submodule is entered.
    """
    with tempfile.TemporaryDirectory(prefix="tacit-diff-") as own:
        try:
            tree = ("--git-dir", _repository(pack, own, "main"), "--work-tree", folder)
            _git(own, *tree, "read-tree", commit)
            plain = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=all")
            return _git(own, *tree, "diff", *plain, commit, timeout=60.0)
        except TacitError:
            return ""


def _repository(pack: str, folder: str, branch: str) -> str:
    """The git directory of a new repository that holds a pack and nobody's settings."""
    _git(folder, "init", "-q", "--template=", "-b", branch)
    inside = os.path.join(folder, ".git")
    for file in os.listdir(pack):
        where = (inside, "shallow") if file == "shallow" else (inside, "objects", "pack", file)
        shutil.copyfile(os.path.join(pack, file), os.path.join(*where))
    return inside


def _git(folder: str, *arguments: str, said: str = "", timeout: float = SLOW) -> str:
    try:
        done = subprocess.run(
            ["git", *git.QUIET_GIT, "-C", folder, *arguments],
            input=said,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            env={
                **{name: text for name, text in os.environ.items() if not name.startswith("GIT_")},
                **_ENV,
            },
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise TacitError(
            f"Cloning for a replay: git {arguments[0]} in {folder}: {error}.", "Is git installed?"
        ) from error
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no word"])[-1]
        raise TacitError(
            f"Cloning for a replay: git {arguments[0]} in {folder} said: {last}",
            "git fsck tells whether the repository is sound.",
        )
    return done.stdout
