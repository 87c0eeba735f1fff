"""The frameworks' examples run as they stand, offline, each in a fresh folder; and no framework is loaded before it is asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
TOLD = {
    "langgraph_store": (
        "langgraph",
        "second thread knew: ['The order total is rounded once, at the end.', 'Prices are integers in cents; see db/prices.py.']",
    ),
    "anthropic_memory_tool": (
        "anthropic",
        "learned as candidates: ['`make test` needs `docker compose up db` first.']",
    ),
    "openai_agents_run": (
        "agents",
        "learned: ['`make test` fails with `no such table` until `make migrate` has run.']",
    ),
    "pydantic_ai_agent": (
        "pydantic_ai",
        "provisional 3 `make test` failed with `sqlite3.OperationalError: no such table: orders`",
    ),
}


def test_every_example_is_known() -> None:
    """None without a test."""
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(TOLD)


@pytest.mark.parametrize("name", TOLD)
def test_the_example_runs(name: str, folder: Path) -> None:
    """As a newcomer runs it."""
    package, told = TOLD[name]
    pytest.importorskip(package, reason=f"needs {package}: make test-frameworks")
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py")],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert told in done.stdout, done.stdout


@pytest.mark.parametrize(
    ("module", "package"),
    [
        ("langgraph", "langgraph"),
        ("anthropic", "anthropic"),
        ("openai_agents", "agents"),
        ("pydantic_ai", "pydantic_ai"),
    ],
)
def test_a_missing_framework_is_said_plainly(module: str, package: str, tmp_path: Path) -> None:
    """tacit_frameworks loads none of them; a module without its framework says what to install."""
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / f"{package}.py").write_text("raise ImportError('not here')")
    code = f"import sys, tacit_frameworks.tools\nassert not {{'langgraph', 'anthropic', 'agents', 'pydantic_ai'}} & set(sys.modules)\nimport tacit_frameworks.{module}"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(hidden)},
    )
    assert "MissingExtra: This integration needs" in done.stderr, done.stderr
