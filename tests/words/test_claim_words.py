"""Two words that say the same."""

from __future__ import annotations

import pytest

from tacit.words.claim_words import related


@pytest.mark.parametrize(
    ("one", "other", "are"),
    [
        ("macht", "gemacht", True),  # a participle
        ("config", "configuration", True),  # six letters of a longer word
        ("conf", "config", True),  # four, and at most three more
        ("user", "username", False),
        ("keys", "keyword", False),
        ("key", "keys", False),  # too short to tell
        ("cat", "cab", False),
        ("migrate", "migrates", True),
        ("database", "datebase", True),  # a typo behind the first three letters
        ("database", "batabase", False),
        ("restart", "restrat", False),  # two edits are too many for seven letters
        ("deployment", "deploiemnt", False),
        ("restart", "resolve", False),
        ("queue", "stack", False),
    ],
)
def test_forms_of_one_word_are_related(one: str, other: str, are: bool) -> None:
    """In either order."""
    assert related(one, other) is related(other, one) is are
