"""What a lesson names that is there no more."""

from __future__ import annotations

import pytest

from tacit.learn.gone import missing_paths

TREE = {"src", "src/app.py"}


@pytest.mark.parametrize(
    ("names", "records", "missing"),
    [
        (["src/old.py"], "", ["src/old.py"]),
        (["src/old.py", "src/app.py"], "", []),  # what is still there speaks for the lesson
        (["lib/old.py"], "", []),  # a folder that never was is another repository's
        (["old.py"], "", []),
        (["ADR-7"], "", []),  # nothing is known where there are no records
        (["ADR-7"], "8", ["ADR-7"]),
        (["ADR-8"], "8", []),
        (["ADR-7", "ADR-8"], "8", []),
        (["ADR-7", "src/old.py"], "8", ["ADR-7", "src/old.py"]),
        (["ADR-7", "src/app.py"], "", []),
    ],
)
def test_a_lesson_is_gone_with_all_that_it_names(
    names: list[str], records: str, missing: list[str]
) -> None:
    """Paths are asked of the work tree, records of decisions by their number."""
    assert missing_paths(names, TREE.__contains__, frozenset(records.split())) == tuple(missing)
