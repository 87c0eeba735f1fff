"""How a question is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.core.memory import path_of, shared_path
from tacit.core.profile import task_type_of
from tacit.origins import named
from tacit.recall.query import Query, asked
from tacit.words.passages import PASSAGES_READ, cut

DEFAULT = named("default")


def test_an_error_is_read_as_words_and_as_signature() -> None:
    """What is missing has a signature of its own, and shares that of its kind; its own words are asked for beside them."""
    one = asked(Query(errors=("ModuleNotFoundError: No module named 'flask'",)), DEFAULT)
    other = asked(Query(errors=("ModuleNotFoundError: No module named 'numpy'",)), DEFAULT)
    assert (one.signatures[0], other.signatures[0]) == ("module flask", "module numpy")
    assert one.signatures[1:] == other.signatures[1:] != ()
    assert any("flask" in each for each in one.passages)


@given(
    st.text(max_size=300),
    st.lists(st.text(max_size=80), max_size=3),
    st.lists(st.text(max_size=80), max_size=3),
)
def test_any_text_is_a_question(task: str, files: list[str], errors: list[str]) -> None:
    """No script, operator, quote or control character is refused, and words can stand in a MATCH."""
    wanted = asked(Query(task=task, files=tuple(files), errors=tuple(errors)), DEFAULT)
    words = [
        word for each in wanted.passages for word in ([each] if isinstance(each, str) else each)
    ]
    assert not any('"' in word for word in words)


def test_a_huge_question_is_read_in_bounds() -> None:
    """However long a prompt is, some hundred passages of some dozen words are looked for."""
    wanted = asked(
        Query(task=" ".join(f"word{n}" for n in range(50_000)), errors=("x" * 100_000,)), DEFAULT
    )
    read = cut(wanted.passages, str.split)
    assert 0 < len(read) <= PASSAGES_READ and max(map(len, read)) <= 32
    assert read[0][0] == "word0"


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
