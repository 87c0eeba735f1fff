"""Clones of one repository, with real git and real signatures, through the command line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tacit.testing import signed

pytestmark = pytest.mark.skipif(
    not (shutil.which("git") and shutil.which("ssh-keygen")),
    reason="git or ssh-keygen is not installed",
)


class Clone:
    """One machine: a home, a clone, the command line in it."""

    def __init__(self, place: Path, name: str, commands: Any, *, keyed: bool = True) -> None:
        self.home, self.tree = place / name, place / name / "tree"
        self.home.mkdir()
        self._commands = commands
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "XDG_DATA_HOME": str(self.home / "data"),
            "USER": name,
            "GIT_CONFIG_NOSYSTEM": "1",
            "TACIT_NO_WORKER": "1",
        }
        self.env = signed(self.env)
        self.git("clone", "-q", str(place / "remote.git"), str(self.tree), cwd=place)
        self.git("config", "user.email", f"{name}@example.org")
        self.git("config", "user.name", name)
        self.git("checkout", "-q", "-B", "main")
        if keyed:
            self.tacit("sync", "--setup")

    def git(self, *words: str, cwd: Path | None = None) -> str:
        at = cwd or self.tree
        done = subprocess.run(["git", *words], cwd=at, env=self.env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def tacit(self, *words: str, code: int = 0) -> str:
        done = self._commands.fork([*words], b"", str(self.tree), self.env)
        said = "".join(
            each if isinstance(each, str) else each.decode() for each in (done.stdout, done.stderr)
        )
        assert done.returncode == code, said
        return said

    def json(self, *words: str) -> Any:
        done = self._commands.fork([*words, "--json"], b"", str(self.tree), self.env)
        told = json.loads(done.stdout)
        assert told["ok"], told
        return told

    @property
    def line(self) -> str:
        """What the others type to allow this one."""
        return self.tacit("sync", "--setup").split("tacit sync --allow '")[1].split("'")[0]

    def push(self) -> None:
        self.git("add", ".tacit")
        self.git("commit", "-q", "--allow-empty", "-m", "Lessons")
        self.git("push", "-q", "origin", "HEAD:main")

    def pull(self) -> None:
        self.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")


@pytest.fixture
def pair(tmp_path: Path, commands: Any) -> tuple[Clone, Clone]:
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(remote)], check=True)
    ann = Clone(tmp_path, "ann", commands)
    ann.git("commit", "-q", "--allow-empty", "-m", "Begin")  # what is signed is for a repository
    ann.git("push", "-q", "origin", "HEAD:main")
    bob = Clone(tmp_path, "bob", commands)
    bob.pull()
    ann.tacit("sync", "--allow", bob.line)
    bob.tacit("sync", "--allow", ann.line)
    return ann, bob


def test_the_command_line_from_add_to_erase(pair: tuple[Clone, Clone]) -> None:
    """Two clones as people have them: share, preview, change apart, review, doctor, erase."""
    ann, bob = pair
    id = ann.json("add", "Run make seed before the tests.")["data"]["id"]
    assert ann.json("sync", "--yes")["data"]["sent"] == 1
    assert "lines in .tacit that no commit holds yet: 2" in ann.tacit("doctor")
    ann.push()
    assert "no commit holds" not in ann.tacit("doctor")
    bob.pull()
    assert [each["what"] for each in bob.json("sync", "--preview")["data"]["seen"]] == ["added"]
    assert bob.json("list")["data"]["memories"] == []
    bob.json("sync", "--yes")
    bob.json("edit", id, "Ask Zebedee, then run make seed.")
    ann.json("edit", id, "First run make seed.")
    for one, other in ((bob, ann), (ann, bob)):
        one.json("sync")
        one.push()
        other.pull()
    assert any("your own words: 1" in note for note in bob.json("sync")["warnings"])
    (proposal,) = bob.json("review", "list")["data"]["proposals"]
    fields = bob.json("review", "show", proposal["id"])["data"]["payload"]["fields"]
    assert fields["text"] == "First run make seed."
    bob.json("review", "approve", proposal["id"])
    assert bob.json("why", id)["data"]["memory"]["text"] == "First run make seed."
    bob.json("drop", id, "--erase", "--by", "bob", "--yes")
    for one, other in ((bob, ann), (ann, bob)):
        one.json("sync")
        one.push()
        other.pull()
    asked = ann.json("review", "list")["data"]["proposals"]  # the words were ann's, too
    (erasing,) = (each for each in asked if each["payload"].get("erase"))
    ann.json("review", "approve", erasing["id"])
    ann.json("sync")
    for clone in (ann, bob):
        assert clone.json("why", id)["data"]["memory"]["text"] == ""
        assert clone.json("doctor")["data"]["sound"]
        files = (clone.tree / ".tacit").glob("*.jsonl")
        own = [path for path in files if path.stem in clone.json("sync")["data"]["machine"]]
        assert own and b"Zebedee" not in own[0].read_bytes()


def test_the_first_line_into_a_repository_takes_a_yes_and_leave_takes_it_away(
    pair: tuple[Clone, Clone],
) -> None:
    """It was written into a public repository at once, with no question, path or undo."""
    ann, _ = pair
    ann.json("add", "Run make seed before the tests.")
    said = ann.tacit("sync", code=1)
    assert "1 lesson of this project would be written to .tacit/" in said and "--yes" in said
    assert str(ann.tree) in said and "remote.git" in said and "ann@example.org" in said
    assert not (ann.tree / ".tacit").exists()
    hooks = sorted((ann.tree / ".git" / "hooks").iterdir())
    ann.tacit("sync", "--yes")
    assert sorted((ann.tree / ".git" / "hooks").iterdir()) == hooks
    assert (
        ann.git("status", "--short", "-uall").count(".tacit/") == 2
    )  # the file and its merge rule
    ann.json("add", "Run make fixtures, too.")
    ann.tacit("sync")  # asked once
    assert ".tacit" in ann.tacit("leave", "--dry-run", "--by", "ann", "--yes")
    assert (ann.tree / ".tacit").exists()
    ann.tacit("leave", "--delete", "--by", "ann", "--yes")
    assert not (ann.tree / ".tacit").exists()


def test_a_session_that_ends_tells_the_others_by_itself_where_that_was_asked_for(
    pair: tuple[Clone, Clone],
) -> None:
    ann, _ = pair
    ann.tacit("sync", "--auto", "on", "--yes")
    ann.json("add", "Run make seed before the tests.")
    session = ann.home / "session.jsonl"
    said = {
        "type": "user",
        "uuid": "1",
        "sessionId": "s1",
        "cwd": str(ann.tree),
        "timestamp": "2026-01-01T00:00:00.000Z",
        "message": {"role": "user", "content": "Please run the tests."},
    }
    session.write_text(json.dumps(said) + "\n")
    event = {"session_id": "s1", "cwd": str(ann.tree), "transcript_path": str(session)}
    event |= {"hook_event_name": "SessionEnd", "reason": "exit"}
    payload = json.dumps(event).encode()
    words = ["hook", "session-end", "--host", "claude-code"]
    ann._commands.fork(words, payload, str(ann.tree), ann.env)
    ann.tacit("worker", "--now")
    (file,) = (ann.tree / ".tacit").glob("*.jsonl")
    assert "make seed" in file.read_text()
    assert "lines in .tacit that no commit holds yet" in ann.tacit("doctor")


def test_a_team_is_set_up_by_two_commands(tmp_path: Path, commands: Any) -> None:
    """Key, settings and signers were written by hand, by each of six; and what a known key had signed was said to be signed by nobody."""
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(remote)], check=True)
    ann = Clone(tmp_path, "ann", commands, keyed=False)
    ann.git("commit", "-q", "--allow-empty", "-m", "Begin")
    said = ann.tacit("sync", "--setup")
    line = said.split("tacit sync --allow '")[1].split("'")[0]
    assert line.startswith("ann@example.org ssh-ed25519 ") and ann.tacit("sync", "--setup") == said
    text = (
        "Run make seed before the tests, whatever the tests are about, and wait until it has ended."
    )
    ann.tacit("add", text)
    ann.tacit("sync", "--yes")
    ann.push()
    bob = Clone(tmp_path, "bob", commands)
    bob.pull()
    held = bob.tacit("sync", "--yes")
    assert "waits for you" in held and "not signed by anyone you allow" in held
    assert "no name with a public key" in bob.tacit("sync", "--allow", "* ssh-ed25519 x", code=2)
    bob.tacit("sync", "--allow", line)
    told = " ".join(bob.tacit("sync").split())
    assert "(not signed" not in told and "ann@example.org" in told and "active" not in told
    assert text in told  # not cut
    other = line.replace("AAAA", "BBBB", 1)
    assert "has another key for ann@example.org" in bob.tacit("sync", "--allow", other, code=1)
