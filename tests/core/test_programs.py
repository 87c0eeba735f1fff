"""Which programs a command runs, and which lesson is about one of them."""

from __future__ import annotations

import pytest

from tacit.core.memory import Memory
from tacit.core.programs import is_about, programs


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("./bin/pytest -q tests", ("pytest",)),
        ("cd web && npm install left-pad", ("npm",)),
        ("DEBUG=1 sudo -E docker compose up", ("docker",)),
        ("uv run pytest -k x | tail -5", ("pytest",)),
        ("python -m pip install x; make db", ("pip", "make")),
        ("timeout 30 cargo test 2>&1 | grep FAILED", ("cargo",)),
        ("ls -la; cat x | head", ()),
        ("git status", ("git",)),
        ("", ()),
        ("$(echo x)", ()),
        ("'unclosed", ("unclosed",)),
        ("&& || ;", ()),
    ],
)
def test_the_programs_of_a_command(line: str, expected: tuple[str, ...]) -> None:
    """Behind folders, variables, wrappers and runners; those that only look are none."""
    assert programs(line) == expected


def lesson(text: str, klass: str = "pitfall") -> Memory:
    return Memory(id="m", project="p", text=text, state="provisional", kind=klass, klass=klass)


@pytest.mark.parametrize(
    ("text", "klass", "command", "expected"),
    [
        ("`make db` needs port 5432.", "pitfall", "make db", True),
        ("Use pnpm, not npm.", "preference", "npm ci", True),
        ("Use pnpm, not npm.", "preference", "pnpm add x", True),
        ("Make sure that the port is free.", "pitfall", "make db", False),
        ("Let the job go on.", "fact", "go test ./...", False),
        ("Tests of this project run with `./bin/pytest tests`.", "command", "./bin/pytest", False),
        ("The npmrc is generated.", "fact", "npm ci", False),
    ],
)
def test_a_lesson_about_this_very_program(text: str, klass: str, command: str, expected: bool) -> None:
    """Named in code, or, where the name is no English word, in the sentence."""
    assert is_about(lesson(text, klass), programs(command)) is expected
