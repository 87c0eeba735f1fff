"""The work tree at a session's start: kept beside the user's repository, and nothing of theirs touched."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tacit.app import open as open_memories
from tacit.core.errors import TacitError
from tacit.core.value import replace
from tacit.hooks.main import respond
from tacit.replay import Replay
from tacit.replay.bets import settled_verdict
from tacit.replay.clone import clone, packed
from tacit.replay.keeping import KeptTree, keep_tree, kept_for
from tacit.replay.plan import Spent
from tacit.replay.request import trees_folder
from tacit.stores.identity import head_commit
from tacit.testing import run, tool
from tacit.worker import work

Git = Callable[..., str]
AT = "2026-11-18T00:00:00.000Z"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git = _git(folder)
    git("init", "-q", "-b", "main")
    git("config", "user.email", "ada@example.org")
    git("config", "user.name", "Ada")
    (folder / "a.py").write_text("one\n")
    (folder / "gone.py").write_text("two\n")
    (folder / ".gitignore").write_text("*.log\n")
    git("add", ".")
    git("commit", "-qm", "first")
    return folder


def _git(folder: Path) -> Git:
    def ask(*words: str) -> str:
        return subprocess.run(
            ["git", "-C", str(folder), *words], check=True, capture_output=True, text=True
        ).stdout.strip()

    return ask


def kept(repo: Path, top: Path, session: str = "s1", at: str = AT) -> KeptTree:
    inside = str(repo / ".git")
    return keep_tree(
        str(top), str(repo), inside, head_commit(inside), session=session, host="claude_code", at=at
    )


def changed(repo: Path) -> None:
    (repo / "a.py").write_text("changed\n")
    (repo / "gone.py").unlink()
    (repo / "new file.py").write_text("new\n")
    (repo / "x.log").write_text("ignored\n")
    (repo / "big.bin").write_bytes(b"0" * 11_000_000)


def files(folder: Path) -> dict[str, tuple[int, int]]:
    """Everything in a git directory, with size and time."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            state = os.lstat(os.path.join(place, name))
            found[os.path.join(place, name)] = (state.st_size, state.st_mtime_ns)
    return found


def test_head_is_read_from_files(repo: Path) -> None:
    """A branch, packed refs, a commit that is checked out by itself, nothing yet."""
    git, inside = _git(repo), str(repo / ".git")
    head = git("rev-parse", "HEAD")
    assert head_commit(inside) == head
    git("pack-refs", "--all")
    assert head_commit(inside) == head
    git("checkout", "-q", "--detach")
    assert head_commit(inside) == head
    git("checkout", "-q", "--orphan", "empty")
    assert head_commit(inside) == ""
    (repo / ".git" / "HEAD").write_text("ref: refs/../../outside\n")
    assert head_commit(inside) == "" == head_commit(str(repo / "nowhere"))


def test_what_was_kept_can_be_begun_at_again(repo: Path, tmp_path: Path) -> None:
    """Changed, deleted and untracked files as they were, not committed; ignored ones and what is beyond ten megabytes are not there."""
    changed(repo)
    found = kept(repo, tmp_path / "trees")
    assert found.left_out == ("big.bin",) and found.commit != found.head
    assert kept_for(str(tmp_path / "trees"), "claude_code", "s1") == found
    assert kept_for(str(tmp_path / "trees"), "codex", "s1") is None
    work = tmp_path / "work"
    clone(
        packed(found.folder, found.commit, str(tmp_path / "packs")),
        found.commit,
        "main",
        str(work),
        found.head,
    )
    git = _git(work)
    assert git("rev-parse", "HEAD") == found.head
    assert sorted(
        line.split(" ", 1)[-1].strip() for line in git("status", "--short").split("\n")
    ) == [
        '"new file.py"',
        "D gone.py",
        "a.py",
    ]
    assert sorted(each.name for each in work.iterdir()) == [
        ".git",
        ".gitignore",
        "a.py",
        "new file.py",
    ]
    clean = tmp_path / "clean"
    git = _git(repo)
    git("stash", "-q", "-u")
    assert kept(repo, clean).commit == git("rev-parse", "HEAD")


def test_nothing_of_the_users_is_touched_or_started(repo: Path, tmp_path: Path) -> None:
    """Not even the time of an object; no filter, hook or monitor of the repository runs."""
    git = _git(repo)
    for key in ("core.fsmonitor", "filter.loud.clean", "filter.loud.smudge"):
        git("config", key, f"touch {tmp_path}/ran-{key}; cat")
    (repo / ".gitattributes").write_text("*.py filter=loud\n")
    hook = repo / ".git" / "hooks" / "post-index-change"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran-hook\n")
    hook.chmod(0o755)
    changed(repo)
    (repo / "again.py").write_text("two\n")  # what the repository holds already
    before = files(repo / ".git")
    for n in range(2):
        kept(repo, tmp_path / "trees", f"s{n}")
    assert files(repo / ".git") == before
    assert not [each.name for each in tmp_path.iterdir() if each.name.startswith("ran-")]


def test_a_session_start_has_its_work_tree_kept_by_the_worker(repo: Path, tmp_path: Path) -> None:
    """The hook writes down what is checked out and queues; the worker keeps it; a call that wrote before is noted."""
    env = {
        **os.environ,
        "HOME": str(tmp_path / "home"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "TACIT_NO_WORKER": "1",
    }
    changed(repo)
    early, late = tmp_path / "early.jsonl", tmp_path / "late.jsonl"
    early.write_text("")
    late.write_text(
        '{"type": "run", "id": "late", "task": "x"}\n{"type": "step", "tool": "shell", "input": {"command": "make build"}, "output": "ok"}\n'
    )
    with open_memories(env=env, cwd=str(repo)) as memories:
        memories.ensure_project()
        for name, path in (("early", early), ("late", late)):
            said = {
                "session_id": name,
                "transcript_path": str(path),
                "cwd": str(repo),
                "hook_event_name": "SessionStart",
                "source": "startup",
            }
            respond("session-start", said, env)
        assert sorted(
            key.partition(":")[0] for (key,) in memories.store.rows("SELECT key FROM queue")
        ) == [
            "keep",
            "keep",
            "learn",
            "learn",
        ]
        store = memories.store.path
    work(store, env, idle=0.0)
    with open_memories(env=env, cwd=str(repo)) as memories:
        found = {
            name: kept_for(trees_folder(memories), "claude-code", name)
            for name in ("early", "late")
        }
        assert [
            each.partition(":")[0] for (each,) in memories.store.rows("SELECT key FROM queue")
        ] == [
            "learn",
            "learn",
        ]
    assert found["early"] is not None and found["late"] is not None
    assert found["early"].head == _git(repo)("rev-parse", "HEAD") != found["early"].commit
    assert (found["early"].written, found["late"].written) == (False, True)


def test_what_harms_in_a_replay_is_suspended_and_asks(repo: Path, tmp_path: Path) -> None:
    """Given to nobody until a person decides (P5); another verdict, or other words meanwhile, changes nothing."""
    env = {**os.environ, "HOME": str(tmp_path / "home"), "XDG_DATA_HOME": str(tmp_path / "data")}
    with open_memories(env=env, cwd=str(repo)) as memories:
        fails, passes = (
            tool(
                "make check",
                error='psycopg.errors.UndefinedTable: relation "orders" does not exist',
            ),
            tool("make check", "ok"),
        )
        for n in range(2):
            memories.learn(
                run(
                    f"r{n}",
                    fails,
                    tool("make migrate", "done"),
                    passes,
                    complete=True,
                    outcome="success",
                )
            )
        lesson = next(each for each in memories.list() if each.klass == "pitfall")
        assert memories.replays() == []
        worse = settled_verdict([1.0] * 9)
        told = Replay(
            "i",
            "f",
            lesson.id,
            lesson.text,
            "signature",
            3,
            (),
            worse,
            Spent(0, 0.0, 0.0, 0),
            "decided",
            0,
        )
        for other in (
            replace(told, standing=settled_verdict([])),
            replace(told, text="other words"),
        ):
            memories._suspend(other)
            assert memories.get(lesson.id).state == lesson.state
        memories._suspend(told)
        now = memories.get(lesson.id)
        assert (now.state, now.previous_state) == ("under_review", lesson.state)
        asked = subprocess.run(
            [sys.executable, "-m", "tacit", "review"],
            env=env,
            cwd=repo,
            capture_output=True,
            text=True,
        ).stdout
        assert (
            asked.startswith("In question: given to nobody until you decide") and lesson.id in asked
        )
        assert "harms in a replay: worse in 9 of 9 pairs" in " ".join(
            each.reason for each in memories.log()
        )
        assert not memories.inject("make check fails", run="next").injected


@pytest.mark.parametrize("name", [".gitignore", "deep/.gitattributes"])
@pytest.mark.parametrize("linked", [False, True])
def test_a_pipe_that_git_would_open_is_refused_before_git_is_asked(
    repo: Path, tmp_path: Path, name: str, linked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would hold the one worker of all projects until somebody writes into it."""
    path = repo / name
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(tmp_path / "pipe" if linked else path)
    if linked:
        path.symlink_to(tmp_path / "pipe")
    monkeypatch.setattr("tacit.replay.keeping.SLOW", 5.0)
    with pytest.raises(TacitError, match=f"{name} is a pipe"):
        kept(repo, tmp_path / "trees")
