"""Which task of the project a call runs."""

from __future__ import annotations

import pytest

from tacit.reading.command import main_command


@pytest.mark.parametrize(
    ("line", "task"),
    [
        # what has a colon and stands behind such a runner is a script of the project
        ("hatch run lint:all", "lint:all"),
        ("pdm run lint:all", "lint:all"),
        ("npm run test:unit", "test:unit"),
        ("make db", "db"),
        ("sudo lint:all", ""),  # and behind anything else a program
        ("pytest -q", ""),
    ],
)
def test_the_task_a_call_runs(line: str, task: str) -> None:
    """Runners differ in what stands behind them."""
    call = main_command(line)
    assert call is not None and call.task == task


@pytest.mark.parametrize(
    ("line", "script"),
    [
        ("scripts/ci.sh --fast", "scripts/ci.sh"),
        ("bash scripts/ci.sh", "scripts/ci.sh"),
        ("./run.sh", "./run.sh"),
        ("./gradlew", ""),  # a wrapper of everybody's
        ("./deep/run.sh", ""),
        ("scripts/*.sh", ""),
        ("/usr/bin/scripts/ci.sh", ""),
        ("~/scripts/ci.sh", ""),
        ("scripts", ""),
    ],
)
def test_the_script_a_call_runs(line: str, script: str) -> None:
    """One of the repository, named whole and from inside it."""
    call = main_command(line)
    assert call is not None and call.script == script
