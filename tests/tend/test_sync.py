"""One memory on several machines: what is shared, what is taken in, and whose word changes what."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import tacit

needs_ssh = pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="ssh-keygen is not installed")


class Team:
    """Machines with a work tree each, and keys that all of them allow."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.signers = folder / "allowed_signers"
        self.signers.touch()

    def member(self, name: str, *, signs: bool = True, known: bool = True, allows: bool = True) -> Member:
        home, key = self.folder / name, self.folder / name / "key"
        (home / "tree" / ".git").mkdir(parents=True)
        env = {"HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "USER": name, "PATH": os.environ["PATH"]}
        if signs:
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
            env["TACIT_SYNC_KEY"] = str(key)
            if known:
                with self.signers.open("a") as file:
                    file.write(f"{name}@team {key.with_suffix('.pub').read_text()}")
        if allows:
            env["TACIT_SYNC_SIGNERS"] = str(self.signers)
        return Member(home / "tree", env)


class Member:
    """One of them."""

    def __init__(self, tree: Path, env: dict[str, str]) -> None:
        self.tree, self.env = tree, env
        self.memories = tacit.open(env=env, cwd=str(tree))
        self.journal = tree / ".tacit" / "journal"

    def sync(self, **named: Any) -> Any:
        return self.memories.sync(**named)

    def pull(self, other: Member) -> None:
        """What git would bring: the other's files."""
        self.journal.mkdir(parents=True, exist_ok=True)
        for path in other.journal.glob("*.jsonl"):
            shutil.copy(path, self.journal / path.name)

    def texts(self) -> set[str]:
        return {memory.text for memory in self.memories.list()}


@pytest.fixture
def team(tmp_path: Path) -> Team:
    return Team(tmp_path)


@needs_ssh
def test_a_lesson_arrives_as_the_teams(team: Team) -> None:
    """Added on one machine, given on the other."""
    ann, bob = team.member("ann"), team.member("bob")
    added = ann.memories.add("Run make seed before the tests.", kind="preference")
    assert ann.sync().shared == 1
    bob.pull(ann)
    done = bob.sync()
    assert [(each.what, each.signers) for each in done.seen] == [("added", ("ann@team",))]
    found = bob.memories.get(added.id)
    assert (found.text, found.trust, found.gate, found.state) == (added.text, "team", "allow", "provisional")
    assert added.text in bob.memories.inject("run the tests").markdown
    assert bob.memories.health().health.is_sound
    assert [entry.by for entry in bob.memories.log()] == ["ann"]


@needs_ssh
def test_nothing_new_leaves_the_file_alone(team: Team) -> None:
    """The second sync writes nothing."""
    ann = team.member("ann")
    ann.memories.add("Run make seed before the tests.")
    ann.sync()
    files = {path: path.read_bytes() for path in ann.journal.iterdir()}
    assert ann.sync().shared == 0
    assert {path: path.read_bytes() for path in ann.journal.iterdir()} == files
