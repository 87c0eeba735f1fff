"""What journeys through hooks start from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests import verbs
from tests.journeys.world import Machine


@pytest.fixture
def kept(tacit: Any, tmp_path: Path) -> Any:
    """A project with three lessons of a person's, all of them given: trials have their own tests."""
    tacit("init")
    with verbs.open(by="ada", yes=True) as memories:
        memories.use_profile("default", {"trial.rate": 0.0})
    tacit("add", "Prices are integers in cents, never floats.", "--kind", "rule")
    tacit(
        "add",
        "The registry of `npm ci` is read-only; npm ERR there means the lock file is stale.",
        "--kind",
        "pitfall",
    )
    tacit("add", "The order total is rounded once, at the end.", "--kind", "fact")
    return tacit


@pytest.fixture
def machine(tacit: Any, alone: Path, folder: Path) -> Machine:
    """A machine with nothing on it yet, and the folder one stands in."""
    return Machine(tacit, alone, folder)
