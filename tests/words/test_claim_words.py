"""Two words that say the same."""

from __future__ import annotations

from tests.tables import by_table

from tacit.words.claim_words import related


@by_table
def test_forms_of_one_word_are_related(one: str, other: str, are: bool) -> None:
    """In either order."""
    assert related(one, other) is related(other, one) is are
