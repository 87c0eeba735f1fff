"""The right memories, in the right project, whatever happens to the folder (design §8)."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

GIT = shutil.which("git")
pytestmark = pytest.mark.skipif(GIT is None, reason="git is not installed")


def git(cwd: Path, *args: str) -> None:
    subprocess.run(
        [
            str(GIT),
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "-c",
            "protocol.file.allow=always",
            "-c",
            "init.defaultBranch=main",
            *args,
        ],
        cwd=cwd,
        check=True,
        capture_output=True,
        env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull},
    )


@pytest.fixture
def repo(tmp_path: Path, tacit: Any) -> Path:
    """A repository with a commit and one lesson."""
    place = tmp_path / "shop"
    place.mkdir()
    git(place, "init", "-q")
    (place / "a.txt").write_text("a")
    git(place, "add", "a.txt")
    git(place, "commit", "-qm", "one")
    tacit("add", "the shop's lesson", cwd=place)
    return place


def texts(tacit: Any, cwd: Path) -> list[str]:
    return [m["text"] for m in tacit("list", "--json", cwd=cwd).data["memories"]]


def test_cleaning_the_work_tree_forgets_nothing(tacit: Any, repo: Path) -> None:
    """git clean -fdx takes untracked files; the id stands in the git config, the lessons in the user's store."""
    git(repo, "clean", "-fdxq")
    assert texts(tacit, repo) == ["the shop's lesson"]


def test_a_moved_folder_is_the_same_project(tacit: Any, repo: Path, tmp_path: Path) -> None:
    """The id moves along."""
    moved = tmp_path / "elsewhere" / "renamed"
    moved.parent.mkdir()
    repo.rename(moved)
    assert texts(tacit, moved) == ["the shop's lesson"]


def test_worktrees_share_one_project(tacit: Any, repo: Path, tmp_path: Path) -> None:
    """A second work tree, and a folder deep inside it."""
    git(repo, "worktree", "add", "-q", str(tmp_path / "second"))
    deep = tmp_path / "second" / "deep" / "er"
    deep.mkdir(parents=True)
    assert texts(tacit, deep) == ["the shop's lesson"]
    tacit("add", "from the second tree", cwd=deep)
    assert texts(tacit, repo) == ["from the second tree", "the shop's lesson"]


def test_a_fresh_clone_is_recognised_by_its_remote(tacit: Any, repo: Path, tmp_path: Path) -> None:
    """A clone of a known project, and a second clone of the same remote."""
    git(tmp_path, "clone", "-q", str(repo), "clone")
    assert texts(tacit, tmp_path / "clone") == ["the shop's lesson"]
    git(repo, "remote", "add", "origin", "git@example.org:acme/shop.git")
    tacit("add", "after the remote was set", cwd=repo)
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    git(other, "remote", "add", "origin", "https://example.org/acme/unrelated.git")
    assert texts(tacit, other) == []


def test_a_stranger_with_the_same_name_is_another_project(
    tacit: Any, repo: Path, tmp_path: Path
) -> None:
    """Two repositories called shop do not share lessons."""
    place = tmp_path / "x" / "shop"
    place.mkdir(parents=True)
    git(place, "init", "-q")
    assert texts(tacit, place) == []
    tacit("add", "another shop", cwd=place)
    assert texts(tacit, repo) == ["the shop's lesson"]


def test_a_hostile_folder_in_a_clone_changes_nothing(
    tacit: Any, repo: Path, tmp_path: Path
) -> None:
    """A cloned repository's .tacit/ and marker cannot claim a project, name a store, a model or a command."""
    project = tacit("config", "projects", "--json", cwd=repo).data["projects"][0]["id"]
    evil = tmp_path / "evil"
    evil.mkdir()
    git(evil, "init", "-q")
    (evil / ".tacit").mkdir()
    (evil / ".tacit" / "project").write_text(project)
    (evil / ".tacit" / "tacit.db").write_bytes((repo / "a.txt").read_bytes())
    (evil / ".tacit" / "config.toml").write_text(
        f'store = "{evil}/stolen.db"\nprofile = "default"\n[model]\nurl = "http://evil.example"\ncommand = "touch {evil}/pwned"\n'
    )
    (evil / ".tacit-project").write_text(project)
    git(evil, "add", "-A")
    git(evil, "commit", "-qm", "trap")
    git(tmp_path, "clone", "-q", str(evil), "victim")
    victim = tmp_path / "victim"
    assert texts(tacit, victim) == []
    tacit("add", "mine alone", cwd=victim)
    assert texts(tacit, repo) == ["the shop's lesson"]
    shown = tacit("config", "show", "--json", cwd=victim)
    settings = shown.data["settings"]
    assert settings["model.url"]["value"] == "" and settings["model.command"]["value"] == ""
    assert not (victim / "stolen.db").exists() and not (victim / "pwned").exists()
    assert "may not" in shown.out


def test_a_folder_without_git_is_a_project_by_its_path_or_marker(
    tacit: Any, tmp_path: Path
) -> None:
    """By real path; after init a marker keeps it when the folder moves."""
    plain = tmp_path / "plain"
    plain.mkdir()
    tacit("add", "no git here", cwd=plain)
    assert texts(tacit, plain) == ["no git here"]
    assert texts(tacit, tmp_path) == []


def test_a_global_lesson_is_seen_everywhere(tacit: Any, repo: Path, tmp_path: Path) -> None:
    """Only a person reaches global scope."""
    tacit("add", "everywhere: write small commits", "--scope", "global", cwd=repo)
    other = tmp_path / "other"
    other.mkdir()
    tacit("add", "local", cwd=other)
    assert "everywhere: write small commits" in texts(tacit, other)
    refused = tacit(
        "add", "an agent's dream", "--scope", "global", "--json", cwd=other, CLAUDECODE="1"
    )
    assert (refused.code, refused.error["code"]) == (1, "refused")
