"""A line of a shell as its simple commands."""

from __future__ import annotations

import pytest

from tacit.core.run import Step
from tacit.core.shell_line import bare
from tacit.reading.command import commands, line_of


@pytest.mark.parametrize(
    ("line", "writes"),
    [
        ("make test > out.txt", ("out.txt",)),
        ("make test >> 'my log' 2> err.txt", ("my log", "err.txt")),
        ("make test &> all.txt", ("all.txt",)),
        ("make test 2>&1", ()),
        ("make test > /dev/null", ()),
        ("sort < in.txt", ()),
        ("cat <<EOF > a.py\nx\nEOF", ("a.py",)),
    ],
)
def test_the_files_that_output_goes_to(line: str, writes: tuple[str, ...]) -> None:
    """Not what is read, another stream, or a device."""
    assert commands(line)[0].writes == writes


@pytest.mark.parametrize(
    ("word", "plain"), [("'a b'", "a b"), ('"a"', "a"), ("''", ""), ('"', '"'), ("'a\"", "'a\"")]
)
def test_a_word_is_freed_of_a_pair_of_quotes(word: str, plain: str) -> None:
    """A lone one stays."""
    assert bare(word) == plain


def test_a_document_ends_at_its_mark() -> None:
    """What it holds is no command; what stands below it is."""
    assert [call.called for call in commands("cat <<EOF\nmake x\nEOF\nmake test")] == [
        "cat",
        "make test",
    ]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["bash", "-lc", "make test "], "make test"),
        (["bash", "-c", "make", "test"], "bash -c make test"),
        (["make", "-lc"], "make -lc"),
        (["bash", "run.sh", "x"], "bash run.sh x"),
    ],
)
def test_a_command_given_as_words_is_what_its_shell_runs(words: list[str], line: str) -> None:
    """Codex hands a shell its one line."""
    assert line_of(Step("tool", "step:1", tool="shell", input={"command": words})) == line


@pytest.mark.parametrize(
    ("line", "is_look"),
    [
        ("git -C web log", True),
        ("git -C log", False),  # a folder
        ("kubectl -n logs", False),  # a namespace
        ("kubectl -n logs get pods", True),
        ("npm --version --json", True),
        ("npm --json", False),
        ("python3 --version", True),
    ],
)
def test_what_an_option_names_is_no_subcommand(line: str, is_look: bool) -> None:
    """A call that only reads is known by its subcommand, or by its first flag where it has none."""
    assert commands(line)[0].looks is is_look
