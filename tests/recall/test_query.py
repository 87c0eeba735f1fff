"""How a question is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.core.memory import path_of, shared_path
from tacit.core.profile import task_type_of, with_values
from tacit.core.profile_toml import standard
from tacit.recall.query import Query, asked
from tacit.words.passages import PASSAGES_READ, cut

DEFAULT = standard("default")


def test_a_session_start_asks_nothing() -> None:
    """Without task, error and file there is nothing to look up."""
    wanted = asked(Query(task="  \n"), DEFAULT)
    assert (wanted.nothing, wanted.passages, wanted.signatures, wanted.files) == (True, (), (), ())


def test_a_task_without_words_is_not_nothing() -> None:
    """Punctuation and stop words ask for something, though no lesson holds it."""
    wanted = asked(Query(task="?! of the"), DEFAULT)
    assert (wanted.nothing, wanted.passages) == (False, ())


def test_an_error_is_read_as_words_and_as_signature() -> None:
    """What is missing has a signature of its own, and shares that of its kind; its own words are asked for beside them."""
    one = asked(Query(errors=("ModuleNotFoundError: No module named 'flask'",)), DEFAULT)
    other = asked(Query(errors=("ModuleNotFoundError: No module named 'numpy'",)), DEFAULT)
    assert (one.signatures[0], other.signatures[0]) == ("module flask", "module numpy")
    assert one.signatures[1:] == other.signatures[1:] != ()
    assert any("flask" in each for each in one.passages)


def test_file_names_find_and_do_not_weigh() -> None:
    """Words of file names are kept apart from the words that a score is measured by."""
    wanted = asked(Query(task="speed up", files=("./src/db/migrate.py:12",)), DEFAULT)
    assert wanted.files == ("src/db/migrate.py",)
    assert "migrate" in wanted.file_words and wanted.passages == (("speed",),)


def test_a_paste_is_not_asked_twice_for_its_own_paths() -> None:
    paste = "\n".join(
        f"src/parts/part_{n}.py:{n}: something failed in the parser of this module and in no other"
        for n in range(40)
    )
    files = ["src/parts/part_3.py", "lib/elsewhere.py"]
    assert set(asked(Query(task=paste, files=files), DEFAULT).file_words) == {
        "elsewhere.py",
        "elsewhere",
        "py",
    }


def test_a_question_is_cut_where_the_profile_says() -> None:
    """Beyond `query.max_chars` the beginning and the end are read: a question stands before a paste or after it."""
    short = with_values(DEFAULT, {"query.max_chars": 12})
    assert asked(Query(task="alpha bravo charlie delta"), short).passages == (("alpha", "delta"),)


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


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Fix failing tests", "test-fix"),
        (
            "Inspect the latest logs",
            "general",
        ),  # "test" is inside "latest": a substring, not a word
        ("Implement the export", "feature"),
        ("", "general"),
    ],
)
def test_the_type_of_a_task_is_told_from_its_words(text: str, kind: str) -> None:
    """The first type with a word that begins a word of the task."""
    assert task_type_of(DEFAULT, text) == kind


def test_ralph_tells_it_from_substrings() -> None:
    """Its document matches anywhere in the objective."""
    assert task_type_of(standard("ralph"), "Inspect the latest logs") == "test-fix"
