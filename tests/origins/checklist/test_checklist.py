"""Every item of the four documents works, or differs for a reason that is written down."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
_spec = importlib.util.spec_from_file_location("checklist_run", HERE / "run.py")
assert _spec and _spec.loader
checklist = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(checklist)


@pytest.mark.parametrize("system", ["archeflow", "joelclaw", "geas", "ralph"])
def test_the_document_item_by_item(system: str, tmp_path: Path) -> None:
    rows = list(checklist.results(system, tmp_path))
    assert [row for row in rows if row[2] == "FAILS"] == []
    assert len(rows) == checklist.TOTALS[system]
    assert len({row[:2] for row in rows}) == len(rows), "an item stands there twice"
    assert checklist.unexplained(system, {row[3] for row in rows if row[3]}) == []


@pytest.mark.slow
@pytest.mark.parametrize("caller", ["script", "agent"])
@pytest.mark.parametrize("system", ["archeflow", "joelclaw", "geas", "ralph"])
def test_the_document_from_an_orchestrator(system: str, caller: str, tmp_path: Path) -> None:
    """Each item as before, called by a script and an agent's shell; where a person is needed the caller is told so, and then they do it."""
    told: list[int] = []
    rows = list(checklist.results(system, tmp_path, caller, told))
    assert [row for row in rows if row[2] == "FAILS"] == []
    assert len(rows) == checklist.TOTALS[system]
    assert sum(map(bool, told)) == checklist.WITH_A_PERSON[system]
