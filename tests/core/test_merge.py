"""Two lessons become one: what is written of each."""

from __future__ import annotations

from tacit.core.journal import Hand
from tacit.core.merge import merged
from tacit.lesson import Lesson


def test_what_goes_is_let_go_of_and_what_stays_says_what_it_replaces() -> None:
    """A pin and a place on a page belong to a lesson in force: a superseded one has neither, wherever it is read."""
    goes = Lesson("a", "p", "Run make db.", state="active", pinned=True, on_page=True)
    stays = Lesson(
        "b", "p", "Run make db before the tests.", state="active", supersedes=("c",), merged=1
    )
    gone, more = (
        each.memory
        for each in merged(goes, stays, Hand("Ann", "2026-11-17T00:00:00.000Z"), reason="the same")
    )
    assert (gone.state, gone.previous_state, gone.superseded_by, gone.closed_by) == (
        "gone",
        "active",
        "b",
        "merge",
    )
    assert (gone.pinned, gone.on_page) == (False, False)
    assert (more.state, more.supersedes, more.merged) == ("active", ("c", "a"), 2)
