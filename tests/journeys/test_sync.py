"""Three clones of one repository, with real git and real signatures: a small dose of bench/sync.py, and the command line."""

from __future__ import annotations

import json
import runpy
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(
    not (shutil.which("git") and shutil.which("ssh-keygen")),
    reason="git or ssh-keygen is not installed",
)
BENCH = runpy.run_path(str(Path(__file__).parents[2] / "bench" / "sync.py"), run_name="bench")


def test_the_command_line_from_add_to_erase(tmp_path: Path, commands: Any) -> None:
    """Two clones as people have them: share, preview, change apart, review, doctor, erase."""
    signers = tmp_path / "allowed_signers"
    subprocess.run(
        ["git", "init", "-q", "--bare", "-b", "main", str(tmp_path / "remote.git")], check=True
    )
    ann, bob = (
        BENCH["Clone"](tmp_path, name, tmp_path / "remote.git", signers) for name in ("ann", "bob")
    )

    def tacit(clone: Any, *words: str) -> Any:
        told = json.loads(commands.fork([*words, "--json"], b"", str(clone.tree), clone.env).stdout)
        assert told["ok"], told
        return told

    def carry(one: Any, other: Any) -> None:
        for words in (
            ("add", ".tacit"),
            ("commit", "-qm", "Lessons"),
            ("push", "-q", "origin", "HEAD:main"),
        ):
            assert one.git(*words).returncode == 0
        assert other.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main").returncode == 0

    # what is signed is signed for a repository
    assert ann.git("commit", "-q", "--allow-empty", "-m", "Begin").returncode == 0
    id = tacit(ann, "add", "Run make seed before the tests.")["data"]["id"]
    assert tacit(ann, "sync")["data"]["shared"] == 1
    carry(ann, bob)
    assert [each["what"] for each in tacit(bob, "sync", "--preview")["data"]["seen"]] == ["added"]
    assert tacit(bob, "list")["data"]["memories"] == []
    tacit(bob, "sync")
    tacit(bob, "edit", id, "Ask Zebedee, then run make seed.")
    tacit(ann, "edit", id, "First run make seed.")
    for one, other in ((bob, ann), (ann, bob)):
        tacit(one, "sync")
        carry(one, other)
    assert any("changed apart" in note for note in tacit(bob, "sync")["warnings"])
    (proposal,) = tacit(bob, "review", "list")["data"]["proposals"]
    assert (
        tacit(bob, "review", "show", proposal["id"])["data"]["payload"]["fields"]["text"]
        == "Ask Zebedee, then run make seed."
    )
    tacit(bob, "review", "approve", proposal["id"])
    assert tacit(bob, "show", id)["data"]["text"] == "Ask Zebedee, then run make seed."
    tacit(bob, "erase", id, "--by", "bob", "--yes")
    for one, other in ((bob, ann), (ann, bob)):
        tacit(one, "sync")
        carry(one, other)
    assert tacit(ann, "show", id)["data"]["state"] == "archived"  # the words were ann's, too
    waiting = tacit(ann, "review", "list")["data"]["proposals"]
    (asked,) = (each for each in waiting if each["payload"].get("erase"))
    tacit(ann, "review", "approve", asked["id"])
    for one, other in ((ann, bob), (bob, ann)):
        tacit(one, "sync")
        carry(one, other)
    assert tacit(ann, "show", id)["data"]["text"] == ""
    assert tacit(ann, "doctor")["data"]["sound"]
    assert tacit(ann, "sync", "--canonical")["data"] == tacit(bob, "sync", "--canonical")["data"]
    for clone in (ann, bob):
        assert not [path for path in clone.journal.iterdir() if b"Zebedee" in path.read_bytes()]


def test_a_team_is_set_up_by_two_commands(tmp_path: Path, commands: Any) -> None:
    """Key, settings and signers were written by hand, by each of six; and what a known key had signed was said to be signed by nobody."""
    subprocess.run(
        ["git", "init", "-q", "--bare", "-b", "main", str(tmp_path / "remote.git")], check=True
    )
    ann, bob = (
        BENCH["Clone"](tmp_path, name, tmp_path / "remote.git", tmp_path / "none")
        for name in ("ann", "bob")
    )

    def tacit(clone: Any, *words: str, code: int = 0) -> str:
        env = {name: said for name, said in clone.env.items() if not name.startswith("TACIT_SYNC")}
        done = commands.fork([*words], b"", str(clone.tree), env)
        said = done.stdout + done.stderr
        assert done.returncode == code, said
        return str(said if isinstance(said, str) else said.decode())

    for clone in (ann, bob):
        clone.git("config", "user.email", f"{'ann' if clone is ann else 'bob'}@example.org")
    assert ann.git("commit", "-q", "--allow-empty", "-m", "Begin").returncode == 0
    said = tacit(ann, "sync", "--setup")
    line = said.split("tacit sync --allow '")[1].split("'")[0]
    assert line.startswith("ann@example.org ssh-ed25519 ") and tacit(ann, "sync", "--setup") == said
    tacit(
        ann,
        "add",
        "Run make seed before the tests, whatever the tests are about, and wait until it has ended.",
    )
    tacit(ann, "sync")
    for words in (
        ("add", ".tacit"),
        ("commit", "-qm", "Lessons"),
        ("push", "-q", "origin", "HEAD:main"),
    ):
        assert ann.git(*words).returncode == 0
    assert bob.git("pull", "-q", "origin", "main").returncode == 0
    tacit(bob, "sync", "--setup")
    held = tacit(bob, "sync")
    assert "needs your word" in held and "not signed by anyone you allow" in held
    assert "no name with a public key" in tacit(bob, "sync", "--allow", "* ssh-ed25519 x", code=2)
    tacit(bob, "sync", "--allow", line)
    told = " ".join(tacit(bob, "sync").split())
    assert "(not signed" not in told and "ann@example.org" in told and "provisional" not in told
    assert "whatever the tests are about, and wait until it has ended." in told  # not cut
    other = line.replace("AAAA", "BBBB", 1)
    assert "has another key for ann@example.org" in tacit(bob, "sync", "--allow", other, code=1)


def test_two_branches_of_one_machine_merge(tmp_path: Path) -> None:
    """Both hold its file, each with other lines: git keeps those of both, and every line is still signed."""
    signers = tmp_path / "allowed_signers"
    subprocess.run(
        ["git", "init", "-q", "--bare", "-b", "main", str(tmp_path / "remote.git")], check=True
    )
    ann, bob = (
        BENCH["Clone"](tmp_path, name, tmp_path / "remote.git", signers) for name in ("ann", "bob")
    )

    def git(*words: str) -> None:
        done = ann.git(*words)
        assert done.returncode == 0, done.stderr + done.stdout

    def lesson(text: str) -> None:
        ann.memories.add(text)
        ann.memories.sync()
        git("add", ".tacit")
        git("commit", "-qm", text)

    git("commit", "-q", "--allow-empty", "-m", "Begin")
    git("branch", "-M", "main")
    lesson("Run make seed.")
    git("checkout", "-q", "-b", "side")
    lesson("Run make fixtures.")
    git("checkout", "-q", "main")
    lesson("Run make migrate.")
    git("merge", "-q", "--no-edit", "side")
    git("push", "-q", "origin", "main")
    assert bob.git("pull", "-q", "origin", "main").returncode == 0
    bob.memories.sync()
    assert {(memory.text, memory.trust) for memory in bob.memories.list()} == {
        (f"Run make {name}.", "team") for name in ("seed", "fixtures", "migrate")
    }


def test_three_clones_become_one_memory(tmp_path: Path) -> None:
    """With somebody who forges among them; and each planted mistake is caught."""
    told: Any = BENCH["Story"](tmp_path, 3, True)
    for _ in range(4):
        told.round()
    clone = told.clones[0]
    memory = told._make(clone, "add")
    told.sync(clone)
    told._erase(clone, memory)
    told.settle()
    assert told.failures() == []
    for kind in BENCH["PLANTS"]:
        planted = told.plant(kind)
        assert any(each.startswith(planted) for each in told.failures()), (
            kind,
            planted,
            told.failures(),
        )
    for each in (*told.clones, told.mallory):
        each.memories.close()
