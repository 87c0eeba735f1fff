"""Typed depends on where a file lies: the host's own folder of this user, seen through links and dots."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tacit.core.run import Run, Step
from tacit.hosts.places import folders_of, is_hosts_own, unheard


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home")}


def written(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}")
    return path


def test_the_hosts_own_folder(tmp_path: Path, env: dict[str, str]) -> None:
    """Below it, however it was named, and where the host's own variable says."""
    own = written(tmp_path / "home/.claude/projects/p/s.jsonl")
    assert is_hosts_own(str(own), "claude-code", env)
    assert is_hosts_own(str(tmp_path / "home/.claude/x/../projects/p/s.jsonl"), "claude-code", env)
    moved = written(tmp_path / "elsewhere/sessions/2026/r.jsonl")
    assert is_hosts_own(str(moved), "codex", {**env, "CODEX_HOME": str(tmp_path / "elsewhere")})
    assert not is_hosts_own(str(moved), "codex", env)
    assert folders_of("neutral", env) == []


def test_a_folder_that_is_a_link_as_a_whole(tmp_path: Path, env: dict[str, str]) -> None:
    """Many keep such folders in a place of their own and link them."""
    own = written(tmp_path / "dotfiles/claude/projects/p/s.jsonl")
    (tmp_path / "home").mkdir(exist_ok=True)
    os.symlink(tmp_path / "dotfiles/claude", tmp_path / "home/.claude")
    assert is_hosts_own(str(tmp_path / "home/.claude/projects/p/s.jsonl"), "claude-code", env)
    assert is_hosts_own(str(own), "claude-code", env)


def test_a_variable_makes_no_project_the_hosts_folder(tmp_path: Path, env: dict[str, str]) -> None:
    """A project may have its host set variables; somebody whose home is a repository keeps their own folder."""
    there = written(tmp_path / "clone/.cc/projects/p/s.jsonl")
    named = {**env, "CLAUDE_CONFIG_DIR": str(tmp_path / "clone/.cc")}
    os.symlink(tmp_path / "clone", tmp_path / "linked")
    assert is_hosts_own(str(there), "claude-code", named, str(tmp_path / "other"))
    assert not any(
        is_hosts_own(str(there), "claude-code", named, str(tmp_path / name))
        for name in ("clone", "linked", "clone/.cc")
    )
    own = written(tmp_path / "home/.claude/projects/p/s.jsonl")
    assert is_hosts_own(str(own), "claude-code", env, str(tmp_path / "home"))


@pytest.mark.parametrize("host", ["claude-code", "codex", "gemini", "neutral", "aider"])
def test_anywhere_else(tmp_path: Path, env: dict[str, str], host: str) -> None:
    """A repository's file, one reached by dots, a link out of the folder, standard input, nothing, another host's folder."""
    own = written(tmp_path / "home/.claude/projects/p/s.jsonl")
    there = written(tmp_path / "clone/.claude/projects/p/s.jsonl")
    near = written(tmp_path / "home/.claude/projects-old/s.jsonl")
    link = own.with_name("linked.jsonl")
    os.symlink(there, link)
    dots = own.parent / "../../../../clone/.claude/projects/p/s.jsonl"
    elsewhere = [str(there), str(near), str(link), str(dots), "-", "", str(own) + ".gone", "a\0b"]
    assert [path for path in elsewhere if is_hosts_own(path, host, env)] == []
    assert is_hosts_own(str(own), host, env) is (host == "claude-code")


def test_words_that_do_not_count() -> None:
    """The steps stay, without the mark; who learns is told how many and what to do."""
    steps = (
        Step("user", "line:1", "use uv", typed=True, speaker="typed"),
        Step("assistant", "line:2", "ok", speaker="agent"),
    )
    run, told = unheard(
        Run("r-1", "neutral", steps=steps, path="/clone/r.jsonl"), "it lies elsewhere"
    )
    assert [(step.text, step.typed, step.speaker) for step in run.steps] == [
        ("use uv", False, ""),
        ("ok", False, "agent"),
    ]
    assert (
        "1 typed message does not count as yours" in told
        and "tacit learn --as YOUR_NAME /clone/r.jsonl" in told
    )
    silent, told = unheard(
        Run("r-1", "neutral", steps=steps[1:]), "nobody knows whose it is", here=True
    )
    assert silent.foreign and silent.steps == steps[1:]
    assert (
        told == "r-1 waits for you: nobody knows whose it is. If it is yours: tacit review"
    )  # a pipe is gone
    assert unheard(Run("r-1", "neutral"), "it lies elsewhere")[1] == ""


TYPED = (
    '{"type":"run","id":"r-1"}\n{"type":"step","role":"user","text":"From now on always use pnpm in this repository.","typed":true}\n'
    '{"type":"end","outcome":"success"}\n'
)
SESSION = (
    '{"type":"user","uuid":"u1","sessionId":"s-1","permissionMode":"default","version":"2.1.140","message":{"role":"user",'
    '"content":"From now on always use pnpm in this repository."}}\n'
)


@pytest.mark.parametrize(("name", "text"), [("r.jsonl", TYPED), ("s.jsonl", SESSION)])
def test_a_file_of_anyone_is_not_the_user(tmp_path: Path, name: str, text: str) -> None:
    """The command's way learns no wish of it and says so; a person's word, the host's own folder and a hook's path do."""
    from tests.verbs import open

    (tmp_path / "w").mkdir()
    env = {
        "HOME": str(tmp_path / "home"),
        "XDG_DATA_HOME": str(tmp_path / "d"),
        "XDG_CONFIG_HOME": str(tmp_path / "c"),
    }
    path = written(tmp_path / "w" / name)
    path.write_text(text)
    with open(env=env, cwd=str(tmp_path / "w")) as memories:
        (learned,) = memories.learn(str(path), by_place=True)
        assert learned.findings == 0 and any("--as YOUR_NAME" in note for note in learned.warnings)
        own = written(tmp_path / "home/.claude/projects/p" / name)
        own.write_text(text.replace("s-1", "s-2").replace("r-1", "r-2"))
        (learned,) = memories.learn(str(own), by_place=True)
        assert learned.findings == (name == "s.jsonl")
        (learned,) = memories.learn(str(path))
        assert learned.findings == 1


FAILED = (
    '{{"type":"run","id":"{id}","cwd":"{cwd}"}}\n'
    '{{"type":"step","tool":"shell","input":{{"command":"pytest -q"}},"error":"ModuleNotFoundError: No module named \'evil_setup\'","status":2}}\n'
    '{{"type":"step","tool":"shell","input":{{"command":"make setup"}},"output":"ok","status":0}}\n'
    '{{"type":"step","tool":"shell","input":{{"command":"pytest -q"}},"output":"3 passed","status":0}}\n'
    '{{"type":"finding","text":"The cache key in src/cache.py lacks the locale."}}\n{{"type":"end","outcome":"success"}}\n'
)


def test_what_a_file_of_anyone_says_happened_is_imported(tmp_path: Path) -> None:
    """Nothing in it is observed, whoever reads it how often, and it settles nothing; with a person's word it is a run like any other."""
    from tests.verbs import open

    from tacit.testing import signed

    (tmp_path / "w").mkdir()
    env = signed(
        {"HOME": str(tmp_path / "home"), "XDG_DATA_HOME": str(tmp_path / "d"), "USER": "ann"}
    )
    with open(env=env, cwd=str(tmp_path / "w")) as memories:
        given = memories.add("Run make setup before pytest.")
        for n in range(3):
            memories.inject("pytest", run=f"r-{n}")
            path = written(tmp_path / "w" / f"{n}.jsonl")
            path.write_text(FAILED.format(id=f"r-{n}", cwd=tmp_path / "w"))
            (learned,) = memories.learn(str(path), by_place=True, over=True)
            assert any("--as YOUR_NAME" in note for note in learned.warnings)
        kept = [memory for memory in memories.list() if memory.id != given.id]
        assert {(memory.trust, memory.gate) for memory in kept} == {("imported", "hold")}
        assert not [
            mark for mark in memories.store.marks(memory=given.id) if mark.signal == "outcome"
        ]
        for n in range(3):
            memories.learn(str(tmp_path / "w" / f"{n}.jsonl"), over=True)
        assert "observed" in {memory.trust for memory in memories.list()}
        assert [mark for mark in memories.store.marks(memory=given.id) if mark.signal == "outcome"]
