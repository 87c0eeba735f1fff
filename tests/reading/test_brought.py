"""What an output or a page brought into a lesson that a person showed, and quotes that come before what a lesson repeats."""

from __future__ import annotations

from tacit.reading.page import Line
from tacit.reading.whose import brought_in
from tacit.safety.provenance import judge
from tacit.safety.record import Text

SAID = "In the partner flow redirect targets are not validated by agreement."


def test_a_plain_word_of_an_output_is_no_word_of_the_person() -> None:
    lines = (
        Line(1, "U", "use pnpm here", "use pnpm here", 0, "line:1"),
        Line(2, "E", "mirror zorblax is up", "mirror zorblax is up", 1, "line:2"),
    )
    assert "zorblax" in brought_in("Use pnpm here, with zorblax.", lines)
    assert brought_in("Use pnpm here.", lines) == []


def test_an_early_quote_hides_no_copy() -> None:
    """A fooled reader may quote any line: what stands outside after it is outside all the same."""
    texts = (Text(0, "typed", "thanks, mend the header"), Text(3, "outside", SAID, "gh"))
    assert not judge(SAID, texts, quotes=(0,)).grounded
