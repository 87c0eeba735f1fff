"""Which task of the project a call runs."""

from __future__ import annotations

import pytest

from tacit.learn import shell
from tacit.learn.notice.tasks import task_of


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
    call = shell.main_call(line)
    assert call is not None and task_of(call) == task
