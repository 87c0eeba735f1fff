"""A repository is somebody else's word: none of its code runs, and it decides nothing about trust."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests import verbs
from tests.source_trees import nodes_of

import tacit
from tacit.core.errors import Refused
from tacit.origins import named
from tacit.place.git import ask_git
from tacit.settings import settings_at


def test_git_starts_no_program_that_a_repository_names(folder: Path, tmp_path: Path) -> None:
    """A file-system monitor in the settings that came along with `.git` is not asked."""
    ran = tmp_path / "RAN"
    monitor = tmp_path / "monitor.sh"
    monitor.write_text(f"#!/bin/sh\ntouch {ran}\n")
    monitor.chmod(0o755)
    git = ["git", "-C", str(folder)]
    (folder / "f").write_text("x")
    for words in (["init", "-q"], ["add", "f"], ["config", "core.fsmonitor", str(monitor)]):
        subprocess.run([*git, *words], check=True)
    subprocess.run([*git, "status"], check=True, capture_output=True)
    assert ran.exists()  # git itself does ask it
    ran.unlink()
    for words in (["check-ignore", "-q", "f"], ["status"], ["ls-files", "-m"]):
        assert ask_git(str(folder), *words) is not None
    assert not ran.exists()


def test_every_program_is_started_where_it_cannot_be_replaced() -> None:
    """Python of ours begins isolated (-I, -P), git goes through `place/git.py`; both are read off the source."""
    wrong = []
    for path in sorted(Path(tacit.__file__).parent.rglob("*.py")):
        if not re.search(r'sys\.executable|["\']git["\']', path.read_text("utf-8")):
            continue
        compared = {
            each
            for node in nodes_of(path)
            if isinstance(node, ast.Compare)
            for each in (node.left, *node.comparators)
        }  # what a session's call is held against starts nothing
        for node in nodes_of(path):
            if (
                not isinstance(node, ast.List)
                or node in compared
                or len(node.elts) < 2
                or (isinstance(node.elts[0], ast.Constant) and node.elts[0].value != "git")
                or ast.unparse(node.elts[0]) not in ("sys.executable", "'git'")
            ):
                continue
            words = [ast.unparse(each) for each in node.elts]
            if words[0] == "sys.executable" and words[1] not in ("'-P'", "'-I'"):
                wrong.append(f"{path.name}:{node.lineno}")
            if words[0] == "'git'" and not {"*QUIET_GIT", "*git.QUIET_GIT"} & {*words}:
                wrong.append(f"{path.name}:{node.lineno}")
    assert wrong == []


# -- how it is remembered ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("said", ["joelclaw", ".tacit/team.toml"])
def test_a_repository_chooses_no_way_of_remembering(folder: Path, said: str) -> None:
    """It is no setting at all: what a repository says of it is left out and told."""
    (folder / ".tacit").mkdir()
    (folder / ".tacit" / "config.toml").write_text(f'profile = "{said}"\nlike = "{said}"\n')
    with verbs.open(cwd=str(folder)) as memories:
        memories.ensure_project()
        assert memories.profile == named("default") and memories.inject("anything").markdown == ""
    left_out = settings_at(str(folder), str(folder / "none.toml"), {}).left_out
    assert sum("is not a setting" in line for line in left_out) == 2


def test_an_agent_chooses_no_way_of_remembering(folder: Path) -> None:
    """Neither for good nor for one command."""
    env = {**os.environ, "CLAUDECODE": "1"}
    with (
        verbs.open(cwd=str(folder), env=env) as memories,
        pytest.raises(Refused, match="person's word"),
    ):
        memories.use_profile("default")
    with (
        verbs.open(cwd=str(folder), env=env, profile="joelclaw") as memories,
        pytest.raises(Refused, match="not fenced"),
    ):
        memories.ensure_project()
    with verbs.open(cwd=str(folder), env=env, profile="default") as memories:
        memories.ensure_project()


@pytest.mark.parametrize("target", ["profile", "notes.md"])
def test_a_page_is_written_through_no_link_that_leads_to_something_else(
    folder: Path, tmp_path: Path, target: str
) -> None:
    """A repository's CLAUDE.md may lead to the user's shell profile; a person's own notes elsewhere may be kept."""
    (tmp_path / target).write_text("umask 022\n")
    (folder / "CLAUDE.md").symlink_to(tmp_path / target)
    with verbs.open() as memories:
        memories.add("Run `make seed` before the tests.")
        if target == "notes.md":
            return memories.keep_page("CLAUDE.md")
        with pytest.raises(Refused, match="leads out of this project"):
            memories.keep_page("CLAUDE.md")
        tree = memories.work_tree
        with pytest.raises(Refused, match="leads out of this project"):
            tree.write("CLAUDE.md", b"- `make seed`", (tmp_path / target).read_bytes())
        assert memories.kept_pages() == [] and (tmp_path / target).read_text() == "umask 022\n"


def test_doctor_names_what_of_a_repository_cannot_be_read(folder: Path, tacit: Any) -> None:
    """Nothing of it is fatal, nothing of it is silent: settings, instruction files, a host's own."""
    tacit("add", "Never push to main without a review.")
    (folder / ".tacit").mkdir()
    (folder / ".tacit" / "config.toml").write_text("x = 1\n")
    (folder / "CLAUDE.md").symlink_to("/dev/zero")
    (folder / ".claude").mkdir()
    os.mkfifo(folder / ".claude" / "settings.json")
    told = json.loads(tacit("doctor", "--json").out)["warnings"]
    for said in (
        ".tacit/config.toml: 'x' is not a setting; left out",
        "CLAUDE.md cannot be read: it is not a plain file; left out",
        ".claude/settings.json cannot be read: it is not a plain file",
    ):
        assert any(said in line for line in told), (said, told)
