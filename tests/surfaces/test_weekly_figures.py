"""What the page of figures tells: weeks out of days, and no claim beyond the verdict."""

from __future__ import annotations

import pytest

from tacit.stores.daily import Figure
from tacit.surfaces import weekly_figures
from tacit.surfaces.weekly_figures import Spared, Weekly, WeeklyFigures, by_week, named_model

NOW = "2026-11-16T12:00:00.000Z"


def test_the_past_is_reckoned_back_from_what_is_in_force_now() -> None:
    """Two came in the last week and one went the week before; what was consumed falls into the week of its day."""
    figures = [
        Figure("2026-11-01", "in_force", "", 4.0),
        Figure("2026-11-08", "in_force", "", -1.0),
        Figure("2026-11-15", "in_force", "", 2.0),
        Figure("2026-11-02", "tokens", "codex gpt", 10.0),
        Figure("2026-11-03", "tokens", "codex gpt", 5.0),
        Figure("2026-11-16", "tokens", "codex gpt", 1.0),
    ]
    found = by_week(figures, 5, NOW, "2026-10-30", weeks=26)
    assert found.days == ("2026-11-02", "2026-11-09", "2026-11-16")
    assert found.in_force == (4.0, 3.0, 5.0)
    assert found.tokens == {"codex gpt": (10.0, 5.0, 1.0)}


def test_before_the_first_day_that_was_counted_nothing_is_drawn() -> None:
    """A store that is new, or has no figures, has no past that one could show."""
    assert by_week([], 12, NOW, "").days == ()
    assert by_week(
        [Figure("2026-11-16", "in_force", "", 12.0)], 12, NOW, "2026-11-16"
    ).in_force == (12.0,)


@pytest.mark.parametrize(
    ("word", "about", "units", "big"),
    [
        ("helps", 0.4, 60, "0.40 a session"),
        ("harms", -0.4, 60, "0.40 more a session"),
        ("not yet known", 0.3, 60, "Not yet known"),
        ("not yet known", None, 0, "Not yet known"),
    ],
)
def test_what_was_spared_claims_no_more_than_its_verdict(
    word: str, about: float | None, units: int, big: str
) -> None:
    """A best guess without a verdict is a dot in a picture and no figure in large letters."""
    told = weekly_figures.drawn_spared(Spared(word, about, -0.1, 0.9, units, ""))
    assert told.big == big
    assert ("picture" in told.told or bool(told.picture)) == (units > 0)


def test_nothing_known_is_said_so() -> None:
    """An empty memory draws no picture and claims nothing."""
    empty = WeeklyFigures("p", NOW, 0, Weekly((), (), {}, {}, {}, ()))
    for each in (
        weekly_figures.drawn_in_force(empty),
        weekly_figures.tokens_by_week(empty),
        weekly_figures.cost(empty),
        weekly_figures.hosts(empty),
        weekly_figures.drawn_spared(None),
    ):
        assert each.picture == "" and each.told, each


def test_a_model_is_named_with_its_host() -> None:
    """As people read it."""
    assert (named_model("codex gpt-5"), named_model("codex ")) == (
        "gpt-5 in codex",
        "codex, model unknown",
    )
