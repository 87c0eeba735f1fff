"""Near-copies: one place was changed, and that place is the point; or nothing was changed but the style."""

from __future__ import annotations

import pytest

from tacit.words.claims import Claims
from tacit.words.copies import changed
from tacit.words.match import compare
from tacit.words.prepared import prepare


def claims(text: str) -> Claims:
    return prepare(text).claims


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ("The owl sleeps in the barn by day", "The owl sleeps in the barn by day and in the loft", "loft"),
        (
            "Rinse the jars before the first filling",
            "Rinse the jars before the first filling as long as they are warm",
            "long",
        ),
        (
            "Until the tide turns, the ferry waits at the pier",
            "Now that the tide turns, the ferry waits at the pier",
            "now",
        ),
        (
            "Paint the fence, then the gate, so it dries by noon",
            "Paint the fence, then the gate, so it dries by dusk",
            "noon / dusk",
        ),
        (
            "The red boat tows and the blue boat steers upstream",
            "The blue boat tows and the red boat steers upstream",
            "red / blu",
        ),
        (
            "Prefer the oak door over the one of pine in winter",
            "Prefer the pine door over the one of oak in winter",
            "oak / pin",
        ),
        ("Ring page 1 of the bell book twice on Sundays", "Ring page 2 of the bell book twice on Sundays", "1"),
        ("Keep the kiln at 900 degrees over night", "Keep the kiln above 900 degrees over night", "above"),
        ("Salt the stew, it keeps longer", "Salt the stew, others keep it in the cellar", "other"),
    ],
)
def test_what_was_changed_in_a_copy_is_told(one: str, other: str, told: str) -> None:
    """A place more, a condition, another time, exchanged parts: no list has these words; either text may come first."""
    against = changed(claims(one), claims(other))
    assert against == told
    assert changed(claims(other), claims(one))
    likeness = compare(prepare(one), prepare(other))
    assert likeness.blocked or likeness.doubt == 1.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The gardener waters the roses every morning", "The roses are watered every morning by the gardener"),
        ("In winter, feed the birds at the window", "Feed the birds at the window in winter"),
        ("Rinse the jars before filling them", "Rinse the jars before filling them, because dust spoils the jam"),
        ("Rinse the jars before filling them", "Rinse the jars before filling them (dust)"),
        ("The mill answers 429 when it is full", "The mill answers HTTP 429 when it's full; back off"),
        ("Delete the directory of the old mill", "Remove the folder of the old mill"),
        ("Return the boat by the man who hired it", "The boat is returned by the man who hired it"),
        ("The bell is rung once, at noon", "The bell is rung only once, at noon"),
        ("Oil the hinge of the gate", "Oil the hinge of every gate in this project"),
        ("Fire the kiln with glaze 3.11 at noon", "Fire the kiln with glaze 3.11.7 at noon"),
        ("Rinse the jars for 30 before filling them", "Rinse the jars for 30s before filling them"),
    ],
)
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
