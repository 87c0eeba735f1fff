"""Near-copies: one place was changed, and that place is the point; or nothing was changed but the style."""

from __future__ import annotations

from tests.tables import by_table

from tacit.words.claims import Claims
from tacit.words.copies import changed
from tacit.words.match import compare
from tacit.words.prepared import prepare


def claims(text: str) -> Claims:
    return prepare(text).claims


@by_table
def test_what_was_changed_in_a_copy_is_told(one: str, other: str, told: str) -> None:
    """A place more, a condition, another time, exchanged parts: no list has these words; either text may come first."""
    against = changed(claims(one), claims(other))
    assert against == told
    assert changed(claims(other), claims(one))
    likeness = compare(prepare(one), prepare(other))
    assert likeness.blocked or likeness.doubt == 1.0


@by_table
def test_another_style_is_no_other_lesson(one: str, other: str) -> None:
    """Voice, order of whole parts, reasons, synonyms, the sort of a figure."""
    assert changed(claims(one), claims(other)) == changed(claims(other), claims(one)) == ""


def test_texts_in_other_words_are_no_copies() -> None:
    """Whether those are twins is for the other rules to say."""
    one, other = (
        claims("Never feed bread to the ducks on the pond"),
        claims("Ducks get ill from bread, so give them none"),
    )
    assert changed(one, other) == ""
