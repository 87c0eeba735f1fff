"""What functions answered on inputs that tell nearly every small change of them apart: answers.jsonl of a room, a test for each module."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from recorded_answers import answered, answering_as_declared, is_same, rows_of, tables

ROWS = {module: rows for table in tables() for module, rows in rows_of(table).items()}


@pytest.mark.parametrize("module", ROWS)
def test_its_functions_answer_as_recorded(module: str) -> None:
    """Row by row; after a change that is meant: python tests/recorded_answers.py, and read the difference."""
    with answering_as_declared():
        for name, args, named, answer in ROWS[module]:
            assert is_same(answered(name, args, named), answer), (name, args, named)
