"""Where a session began: noted by the worker, and what harms in a replay."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.verbs import open as open_memories

from tacit.core.value import replace
from tacit.hooks.main import respond
from tacit.place.identity import head_commit
from tacit.replay import replaying
from tacit.replay.pairs import Spent, settled_verdict
from tacit.replay.replaying import Replay
from tacit.replay.starts import Start, note_start, start_of
from tacit.testing import run, tool
from tacit.worker import work

Git = Callable[..., str]


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


@pytest.mark.parametrize(
    ("written", "clean"), [("x.log", True), ("a.py", False), ("n w.py", False)]
)
def test_where_a_session_began_is_noted_by_the_worker(
    repo: Path, tmp_path: Path, written: str, clean: bool
) -> None:
    """The hook writes down what is checked out and queues; the worker looks whether anything lies beside it: a changed
    file, or one that git does not know; what git ignores is nobody's."""
    env = {
        **os.environ,
        "HOME": str(tmp_path / "home"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "TACIT_NO_WORKER": "1",
    }
    transcript = tmp_path / "s1.jsonl"
    transcript.write_text("")
    with open_memories(env=env, cwd=str(repo)) as memories:
        memories.ensure_project()
        said = {
            "session_id": "s1",
            "transcript_path": str(transcript),
            "cwd": str(repo),
            "hook_event_name": "SessionStart",
            "source": "startup",
        }
        respond("session-start", said, env)
        store = memories.store.path
    (repo / written).write_text("changed\n")
    work(store, env, idle=0.0)
    head = _git(repo)("rev-parse", "HEAD")
    with open_memories(env=env, cwd=str(repo)) as memories:
        kinds = [key.partition(":")[0] for (key,) in memories.store.rows("SELECT key FROM job")]
        assert kinds == ["learn"]
        assert start_of(memories, "claude-code", "s1") == Start("s1", "claude-code", head, clean)
        assert start_of(memories, "claude-code", "s2") is None


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
            replaying._suspend(memories, other)
            assert memories.get(lesson.id).state == lesson.state
        replaying._suspend(memories, told)
        now = memories.get(lesson.id)
        assert (now.state, now.previous_state) == ("doubted", lesson.state)
        asked = subprocess.run(
            [sys.executable, "-m", "tacit", "review"],
            env=env,
            cwd=repo,
            capture_output=True,
            text=True,
        ).stdout
        assert (
            asked.startswith("Contradicted: told to nobody until you decide") and lesson.id in asked
        )
        assert "harms in a replay: worse in 9 of 9 pairs" in " ".join(
            each.reason for each in memories.log()
        )
        assert not memories.inject("make check fails", run="next").injected


@pytest.mark.parametrize("name", [".gitignore", "deep/.gitattributes"])
@pytest.mark.parametrize("linked", [False, True])
def test_git_is_not_asked_about_a_tree_in_which_it_would_wait(
    repo: Path, tmp_path: Path, name: str, linked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe that git opens would hold the one worker of all projects; such a start is not clean."""
    asked: list[str] = []
    monkeypatch.setattr("tacit.replay.starts.ask_git", lambda *words, **_: asked.append(words[1]))
    head = _git(repo)("rev-parse", "HEAD")
    with open_memories(cwd=str(repo)) as memories:
        note_start(memories, "s1", "h", head)
        assert asked == ["status"]
        path = repo / name
        path.parent.mkdir(exist_ok=True)
        path.unlink(missing_ok=True)
        os.mkfifo(tmp_path / "pipe" if linked else path)
        if linked:
            path.symlink_to(tmp_path / "pipe")
        note_start(memories, "s2", "h", head)
        assert asked == ["status"] and not start_of(memories, "h", "s2").clean  # type: ignore[union-attr]
