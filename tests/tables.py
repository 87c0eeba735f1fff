"""Cases of a test as a table: TEST.jsonl beside TEST.py, a row for each case.

A row holds whose case it is (`of`, the test without test_), what that test takes, and perhaps `why`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest


@cache
def _rows(test: str) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for line in Path(test).with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()
    ]


def by_table(test: Callable[..., None]) -> Callable[..., None]:
    """Ask a test of every row that names it."""
    cases = [
        row for row in _rows(test.__code__.co_filename) if f"test_{row['of']}" == test.__name__
    ]
    names = [name for name in cases[0] if name not in ("of", "why")]
    return pytest.mark.parametrize(names, [[row[name] for name in names] for row in cases])(test)
