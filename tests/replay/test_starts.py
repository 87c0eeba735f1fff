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
from tacit.replay import Replay, replaying
from tacit.replay.pairs import Spent, settled_verdict
from tacit.replay.request import starts_folder
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


def test_where_a_session_began_is_noted_by_the_worker(repo: Path, tmp_path: Path) -> None:
    """The hook writes down what is checked out and queues; the worker looks; a call that wrote before is noted."""
    env = {
        **os.environ,
        "HOME": str(tmp_path / "home"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "TACIT_NO_WORKER": "1",
    }
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
            key.partition(":")[0] for (key,) in memories.store.rows("SELECT key FROM job")
        ) == [
            "keep",
            "keep",
            "learn",
            "learn",
        ]
        store = memories.store.path
    work(store, env, idle=0.0)
    with open_memories(env=env, cwd=str(repo)) as memories:
        top = starts_folder(memories)
        early, late = (start_of(top, "claude-code", name) for name in ("early", "late"))
        kinds = memories.store.rows("SELECT key FROM job")
        assert [each.partition(":")[0] for (each,) in kinds] == ["learn", "learn"]
    head = _git(repo)("rev-parse", "HEAD")
    assert early == Start("early", "claude-code", head, True)
    assert late == Start("late", "claude-code", head, False)


@pytest.mark.parametrize("change", ["a.py", "new file.py"])
def test_what_no_commit_holds_is_no_start(repo: Path, tmp_path: Path, change: str) -> None:
    """A changed file, and one that git does not know; what it ignores is nobody's."""
    (repo / "x.log").write_text("ignored\n")
    head, named = head_commit(str(repo / ".git")), {"session": "s1", "host": "codex"}
    assert note_start(str(tmp_path / "starts"), str(repo), head, clean=True, **named).clean
    (repo / change).write_text("changed\n")
    assert not note_start(str(tmp_path / "starts"), str(repo), head, clean=True, **named).clean
    assert start_of(str(tmp_path / "starts"), "codex", "s1") == Start("s1", "codex", head, False)
    assert start_of(str(tmp_path / "starts"), "codex", "s2") is None


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
    note_start(str(tmp_path / "s"), str(repo), "c1", session="s1", host="h", clean=True)
    assert asked == ["status"]
    path = repo / name
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(tmp_path / "pipe" if linked else path)
    if linked:
        path.symlink_to(tmp_path / "pipe")
    start = note_start(str(tmp_path / "s"), str(repo), "c1", session="s2", host="h", clean=True)
    assert not start.clean and asked == ["status"]
