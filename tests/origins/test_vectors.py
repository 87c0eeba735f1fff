"""The folder of vectors itself: nothing in it may go unread."""

from __future__ import annotations

from pathlib import Path

import pytest


def test_every_system_has_a_test_module(pytestconfig: pytest.Config) -> None:
    """A folder that no module runs would pass for green."""
    here = Path(__file__).parent
    known = {
        line.split('"')[1]
        for path in here.glob("test_*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("SYSTEM = ")
    }
    root = Path(pytestconfig.getoption("golden", None) or here / "golden")
    assert (
        sorted(path.name for path in root.iterdir() if path.is_dir() and path.name not in known)
        == []
    )
