"""How a question is read."""

from __future__ import annotations

import pytest

from tacit.core.profile import task_type_of
from tacit.lesson import path_of, shared_path
from tacit.origins import named


@pytest.mark.parametrize(
    ("mine", "other", "near"),
    [
        ("src/db/migrate.py", "src/db/migrate.py", 1.0),
        ("/home/a/src/db/migrate.py", "src/db/migrate.py", 1.0),
        ("src\\db\\migrate.py:7", "src/db/migrate.py", 1.0),
        ("src/db/models.py", "src/db/migrate.py", 0.5),
        ("src/api/migrate.py", "src/db/migrate.py", 0.0),
        ("migrate.py", "models.py", 0.0),
    ],
)
def test_paths_are_compared_from_their_end(mine: str, other: str, near: float) -> None:
    """Absolute and relative spellings of one file are the same; a neighbour is half as near."""
    assert shared_path([mine], [path_of(other)]) == near


def test_ralph_tells_it_from_substrings() -> None:
    """Its document matches anywhere in the objective."""
    assert task_type_of(named("ralph"), "Inspect the latest logs") == "test-fix"
