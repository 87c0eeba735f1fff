"""A clone of a repository as it was at one commit: its history up to there and nothing later, no remotes, no hooks, no config of anybody's.

What came after the commit is not even in the clone's object store: the way the task was solved then is nowhere to be found in it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence

from tacit.core.errors import TacitError
from tacit.place import git

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


def clone(pack: str, commit: str, folder: str) -> None:
    """The work tree of a commit in a new folder, whose git directory holds one pack and nobody's settings."""
    os.makedirs(folder)
    _git(folder, "init", "-q", "--template=", "-b", "main")
    inside = os.path.join(folder, ".git")
    for file in os.listdir(pack):
        where = (inside, "shallow") if file == "shallow" else (inside, "objects", "pack", file)
        shutil.copyfile(os.path.join(pack, file), os.path.join(*where))
    with open(os.path.join(inside, "config"), "a", encoding="utf-8") as config:
        config.write(f"[core]\n\thooksPath = {os.devnull}\n[push]\n\tdefault = nothing\n")
    with open(os.path.join(inside, "refs", "heads", "main"), "w", encoding="ascii") as ref:
        ref.write(f"{commit}\n")
    _git(folder, "reset", "-q", "--hard")


def _git(folder: str, *arguments: str, said: str = "") -> None:
    try:
        done = subprocess.run(
            ["git", *git.QUIET_GIT, "-C", folder, *arguments],
            input=said,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SLOW,
            env={
                **{name: text for name, text in os.environ.items() if not name.startswith("GIT_")},
                **_ENV,
            },
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        told = f"Cloning for a replay: git {arguments[0]} in {folder}: {error}."
        raise TacitError(told, "Is git installed?") from error
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no word"])[-1]
        told = f"Cloning for a replay: git {arguments[0]} in {folder} said: {last}"
        raise TacitError(told, "git fsck tells whether the repository is sound.")
