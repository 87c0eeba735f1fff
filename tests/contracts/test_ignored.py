"""A folder that git ignores is not that repository's project, held against what git itself says of the folder."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tacit.place.identity import locate

pytestmark = pytest.mark.skipif(not shutil.which("git"), reason="git is not installed")

# The lines of .gitignore, and folders of the repository; git is asked which of them it ignores.
PATTERNS = [
    ("build/", ["build", "build/a/b", "src/build", "builds"]),
    ("/build", ["build", "src/build"]),
    ("a/b", ["a/b", "x/a/b", "a/b/c", "a"]),
    ("*\n!/src\n!/src/**", ["src", "src/deep/er", "other"]),
    ("*.egg-info\n!keep.egg-info", ["x.egg-info", "keep.egg-info", "x.egg-info/inside"]),
    ("**/cache", ["cache", "a/b/cache", "cachet"]),
    ("logs/**", ["logs", "logs/a", "logs/a/b"]),
    ("a/**/z", ["a/z", "a/b/z", "a/b/c/z", "z"]),
    ("out?\n[Bb]in\n[!a-y]x\nv[[:digit:]]", ["out1", "out", "Bin", "bin", "zx", "ax", "v1", "vv"]),
    ("# build\n\\#odd\n\\!odd\nspace\\ \nopen[", ["build", "#odd", "!odd", "space ", "open["]),
    ("tmp  \n\n!", ["tmp", "a"]),
    ("a\n!a/b", ["a/b", "a"]),
    ("te*st*\n*mid*", ["test", "te-st-x", "tset", "amidst", "md"]),
    ("[a-]\n[]x]\n[^q]q", ["a", "-", "]", "x", "zq", "qq"]),
]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path.resolve() / "repo"
    root.mkdir()
    git(root, "init", "-q")
    return root


def git(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {name: said for name, said in os.environ.items() if not name.startswith("GIT_")}
    env |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
    return subprocess.run(
        ["git", "-C", str(root), *arguments], env=env, capture_output=True, text=True
    )


def env(root: Path, **more: str) -> dict[str, str]:
    return {"GIT_CONFIG_NOSYSTEM": "1", "HOME": str(root.parent), **more}


def is_project_of(root: Path, folder: str, **more: str) -> bool:
    return locate(str(root / folder), env(root, **more)).root == str(root)


@pytest.mark.parametrize("lines, folders", PATTERNS)
def test_git_and_we_say_the_same(repository: Path, lines: str, folders: list[str]) -> None:
    for folder in folders:
        (repository / folder).mkdir(parents=True, exist_ok=True)
    (repository / ".gitignore").write_text(lines + "\n")
    ignored = {
        folder: git(repository, "check-ignore", "-q", "--", folder).returncode == 0
        for folder in folders
    }
    assert {each: not is_project_of(repository, each) for each in folders} == ignored


def test_patterns_stand_in_other_files_too(repository: Path) -> None:
    """In a folder's own .gitignore, in info/exclude, and in the user's excludes file."""
    for name in ("deep/inner", "local", "mine", "plain"):
        (repository / name).mkdir(parents=True)
    (repository / "deep/.gitignore").write_text("inner\n")
    (repository / ".git/info").mkdir(exist_ok=True)
    (repository / ".git/info/exclude").write_text("local\n")
    (repository.parent / "excludes").write_text("mine\n")
    (repository.parent / ".gitconfig").write_text("[core]\n\texcludesFile = ~/excludes\n")
    assert [
        is_project_of(repository, each) for each in ("deep", "deep/inner", "local", "mine", "plain")
    ] == [True, False, False, False, True]


def test_a_folder_with_tracked_files_is_the_repositorys(repository: Path) -> None:
    """A clone's own .gitignore cannot put the folders one works in out of the project."""
    for name in ("src/deep", "build"):
        (repository / name).mkdir(parents=True)
    (repository / ".gitignore").write_text("*\n")
    (repository / "src/deep/code.py").write_text("1\n")
    git(repository, "add", "--force", "src/deep/code.py")
    assert [is_project_of(repository, each) for each in (".", "src", "src/deep", "build")] == [
        *(True, True, True),
        False,
    ]


def test_a_page_is_written_into_the_ignored_folder_and_not_above_it(
    repository: Path, tacit: Any
) -> None:
    """What stood at the root of this repository for a week: a benchmark's page, written from a folder below .bench/."""
    folder = repository / ".bench" / "world"
    folder.mkdir(parents=True)
    (repository / ".gitignore").write_text(".bench/\n")
    store = ["--store", str(repository.parent / "s.db"), "--by", "ada", "--yes"]
    told = [
        tacit("add", "Always use pnpm instead of npm", *store, cwd=folder),
        tacit("connect", "MEMORY.md", *store, cwd=folder),
    ]
    assert [each.code for each in told] == [0, 0], [each.err for each in told]
    assert not (repository / "MEMORY.md").exists()
    assert (folder / "MEMORY.md").exists()


def test_hooks_go_into_the_ignored_folder_and_not_above_it(repository: Path, tacit: Any) -> None:
    folder = repository / "vendor" / "clone"
    folder.mkdir(parents=True)
    (repository / ".gitignore").write_text("/vendor\n")
    done = tacit("connect", "claude-code", "--shared", "--yes", cwd=folder)
    assert done.code == 0, done.err
    assert not (repository / ".claude").exists()
    assert (folder / ".claude/settings.json").exists()
