"""The recipes of examples/frameworks run as they stand against the real libraries, offline, each in a fresh folder: `make test-frameworks`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

RECIPES = Path(__file__).parents[2] / "examples" / "frameworks"
NEEDS = {
    "langgraph_agent": "langgraph",
    "anthropic_tools": "anthropic",
    "openai_agents_run": "agents",
    "pydantic_ai_agent": "pydantic_ai",
}


def test_every_recipe_is_known() -> None:
    """None without a test."""
    assert {path.stem for path in RECIPES.glob("*.py")} == set(NEEDS)


@pytest.mark.parametrize("name", NEEDS)
def test_what_two_runs_met_is_a_lesson(name: str, folder: Path) -> None:
    """As a newcomer runs it: three runs end well, the failure that they met is known with its way out."""
    pytest.importorskip(NEEDS[name], reason=f"needs {NEEDS[name]}: make test-frameworks")
    done = subprocess.run(
        [sys.executable, str(RECIPES / f"{name}.py")],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("The tests pass.") == 3, done.stdout
    told, _, known = done.stdout.partition("known now:")
    assert "the model was told: You fix tests." in told
    assert "Run `make migrate` before `make test`" in known, known
