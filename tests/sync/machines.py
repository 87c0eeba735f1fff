"""Machines with a work tree each, and keys that all of them allow."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from tests import verbs

from tacit.testing import signed


class Member:
    """One machine: a home, a clone, a memory."""

    def __init__(self, tree: Path, env: dict[str, str]) -> None:
        self.tree, self.env = tree, env
        self.folder = tree / ".tacit"
        self.memories = verbs.open(env=env, cwd=str(tree))

    def add(self, text: str, **named: Any) -> Any:
        return self.memories.add(text, **{"kind": "preference", **named})

    def get(self, id: str) -> Any:
        return self.memories.get(id)

    def sync(self, **named: Any) -> Any:
        return self.memories.sync(**named)

    def pull(self, *others: Member) -> None:
        """What git would bring: the others' files."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for other in others:
            for path in other.folder.glob("*.jsonl"):
                mine = self.folder / path.name
                if not mine.exists() or mine.stat().st_mtime_ns < path.stat().st_mtime_ns:
                    shutil.copy2(path, mine)

    def take(self, *others: Member) -> Any:
        """Pull, and sync."""
        self.pull(*others)
        return self.sync()

    @property
    def file(self) -> Path:
        """The one file in its folder."""
        (path,) = self.folder.glob("*.jsonl")
        return path

    def given(self, task: str) -> str:
        """What an agent is told for a task."""
        return str(self.memories.inject(task).markdown)

    def questions(self) -> dict[str, Any]:
        """What waits for a person, by lesson."""
        return {each.memory: each for each in self.memories.proposals()}


class Team:
    """Machines, and the keys that all of them allow."""

    def __init__(self, folder: Path, repositories: dict[str, Path]) -> None:
        self.folder, self.repositories = folder, repositories
        self.signers = folder / "allowed_signers"
        self.signers.touch()

    def member(
        self,
        name: str,
        *,
        signs: bool = True,
        known: bool = True,
        allows: bool = True,
        of: str = "one",
        key_of: str = "",
    ) -> Member:
        home = self.folder / name
        key = self.folder / (key_of or name) / "key"
        shutil.copytree(self.repositories[of], home / "tree")
        place = {"HOME": str(home), "XDG_DATA_HOME": str(home / "data")}
        env = signed({**place, "USER": key_of or name, "PATH": os.environ["PATH"]})
        if signs and not key_of:
            words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)]
            subprocess.run(words, check=True)
        if signs:
            env["TACIT_SYNC_KEY"] = str(key)
        if signs and known and not key_of:
            with self.signers.open("a") as file:
                file.write(f"{name}@team {key.with_suffix('.pub').read_text()}")
        if allows:
            env["TACIT_SYNC_SIGNERS"] = str(self.signers)
        return Member(home / "tree", env)


def meet(*members: Member) -> list[Any]:
    """Each tells, then all take in what was told."""
    for member in members:
        member.sync()
    for member in members:
        member.pull(*(other for other in members if other is not member))
    return [member.sync() for member in members]
