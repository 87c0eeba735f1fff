"""How alike two texts are, and what one says that the other does not."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tacit.words.match import compare, says_more, shares_half
from tacit.words.prepared import prepare


@given(st.text(max_size=60), st.text(max_size=60))
def test_likeness_is_symmetric_and_bounded(one: str, other: str) -> None:
    """Whichever text came first."""
    a, b = prepare(one), prepare(other)
    assert compare(a, b) == compare(b, a) and 0.0 <= compare(a, b) <= 1.0


def test_what_one_text_says_beyond_another_is_named() -> None:
    assert says_more(prepare("Run the tests with --slow"), prepare("Run the tests")) == "--slow"
    assert says_more(prepare("Run the tests"), prepare("Always run the tests")) == ""
    assert shares_half("Run the tests before a commit", "Run all tests before each commit")
    assert not shares_half("Run the tests", "Write the changelog")
