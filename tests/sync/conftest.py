"""Repositories and teams for the tests of `tacit sync`."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tests.sync.machines import Team


@pytest.fixture(scope="session")
def repositories(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Two repositories with a commit each, to be copied as git would clone them."""
    found = {name: tmp_path_factory.mktemp(name) for name in ("one", "other")}
    who = {
        f"GIT_{who}_{what}": "ann" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    for name, folder in found.items():
        for words in (
            ("init", "-q", "--template="),
            ("commit", "-q", "--allow-empty", "-m", f"Begin {name}"),
        ):
            env = {"PATH": os.environ["PATH"], **who}
            subprocess.run(["git", *words], cwd=folder, check=True, env=env)
    return found


@pytest.fixture
def team(tmp_path: Path, repositories: dict[str, Path]) -> Team:
    return Team(tmp_path, repositories)
