"""Two machines and one server: hooks answer from each machine's cache, and what they record arrives on the server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


class Machine:
    """A machine of its own: its data folder, and the command line in it."""

    def __init__(self, tacit: Any, url: str, home: Path, folder: Path) -> None:
        self._tacit, self.folder = tacit, folder
        self.env = {"XDG_DATA_HOME": str(home), "TACIT_STORE": url, "TACIT_NO_WORKER": "1"}

    def __call__(self, *args: str, stdin: str = "", **env: str) -> Any:
        return self._tacit(*args, stdin=stdin, **{**self.env, **env})

    def prompt(self, session: str, text: str, **env: str) -> str:
        """What a prompt is answered with."""
        said = {"session_id": session, "hook_event_name": "UserPromptSubmit", "cwd": str(self.folder), "prompt": text}
        ran = self("hook", "prompt", stdin=json.dumps({**said, "transcript_path": ""}), TACIT_DEBUG="1", **env)
        assert ran.code == 0 and not ran.err, ran.err
        return str(ran.out)


@pytest.fixture
def machines(tacit: Any, postgres_url: str, tmp_path: Path, folder: Path) -> tuple[Machine, Machine]:
    """Ada's and Ben's, in the same project."""
    return (
        Machine(tacit, postgres_url, tmp_path / "ada", folder),
        Machine(tacit, postgres_url, tmp_path / "ben", folder),
    )


def test_a_lesson_of_one_machine_is_given_on_the_other_and_its_use_arrives(machines: tuple[Machine, Machine]) -> None:
    ada, ben = machines
    assert ada("init").code == 0
    id = ada("add", "Run make migrate before the tests.", "--kind", "rule", "--json").data["id"]
    assert ben.prompt("s1", "the tests fail before migrate") == ""  # nothing is here yet
    assert ben("worker", "--now").code == 0
    assert ben.prompt("s1", "the tests fail before migrate") == ""  # now the project is known, and asked for
    assert ben("worker", "--now").code == 0
    assert "make migrate" in ben.prompt("s1", "the tests fail before migrate")
    assert ben("worker", "--now").code == 0
    uses = ada("why", id, "--json").data["uses"]
    assert uses, uses
