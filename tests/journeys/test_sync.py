"""Three clones of one repository, with real git and real signatures: a small dose of bench/sync.py, and the command line."""

from __future__ import annotations

import runpy
import shutil
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(
    not (shutil.which("git") and shutil.which("ssh-keygen")), reason="git or ssh-keygen is not installed"
)
BENCH = runpy.run_path(str(Path(__file__).parents[2] / "bench" / "sync.py"), run_name="bench")


def test_three_clones_become_one_memory(tmp_path: Path) -> None:
    """With somebody who forges among them; and each planted mistake is caught."""
    told: Any = BENCH["Story"](tmp_path, 3, True)
    for _ in range(4):
        told.round()
    clone = told.clones[0]
    memory = told._make(clone, "add")
    told.sync(clone)
    told._erase(clone, memory)
    told.settle()
    assert told.failures() == []
    for kind in BENCH["PLANTS"]:
        told.plant(kind)
        found = told.failures()
        assert len(found) > len(told.expected), kind
        told.expected = found
    for each in (*told.clones, told.mallory):
        each.memories.close()
