"""Where a lesson is filed: the source's own word where it names a category, otherwise its keywords."""

from __future__ import annotations

import pytest

from tacit.core.profile import category
from tacit.core.value import replace
from tacit.origins import named
from tacit.origins.filing import category_named, category_of, filed

CATEGORIES = replace(
    named("default").categories,
    match="word",
    names={
        "team:database": category("Database", ("migration", "table"), ("db",)),
        "team:front-end": category("Front end", ("button",), ()),
    },
)


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("team:database", "team:database"),
        ("Database", "team:database"),
        ("DB", "team:database"),
        ("front end", "team:front-end"),
        ("", ""),
        ("unheard of", ""),
    ],
)
def test_a_category_is_named_in_any_spelling(word: str, name: str) -> None:
    """By its name with or without what stands before the colon, or by an alias."""
    assert category_named(word, CATEGORIES) == name


def test_the_sources_own_word_comes_before_keywords() -> None:
    """Where it names no category the keywords decide, and without any of them it is filed under what is left."""
    text = "The migration drops a table, and the button stays."
    assert filed(text, "front-end", None, CATEGORIES).category == "team:front-end"
    assert filed(text, "unheard of", None, CATEGORIES) == category_of(text, CATEGORIES)
    assert category_of(text, CATEGORIES).category == "team:database"
    assert category_of("Nothing of the kind.", CATEGORIES).category == CATEGORIES.otherwise
