"""The first screen, which is the one screen; and the page of figures behind it: how memory grew, what it spared, what agents consumed."""

from __future__ import annotations

from typing import Any

from tacit.app import Memories
from tacit.surfaces import drawn, outlook
from tacit.surfaces.one_screen import one_screen, remember_numbers
from tacit.surfaces.web.reckoned import ReckonedEffect


def home(desk: Memories) -> dict[str, Any]:
    """The list that bare `tacit` shows, with its words on the row."""
    found = one_screen(desk)
    remember_numbers(desk, [row.id for row in found.rows])
    return {"found": found}


def home_figures(desk: Memories, known: ReckonedEffect) -> dict[str, Any]:
    """Pictures and tokens; `known` is what the whole memory spared, as far as it was reckoned."""
    found = outlook.looked(desk)
    spared = drawn.spared(outlook.spared(known.found) if known.found else None)
    consumed = [drawn.tokens_by_week(found), drawn.cost(found), drawn.hosts(found)]
    return {
        "found": found,
        "in_force": drawn.in_force(found),
        "spared": spared,
        "is_pending": known.found is None,
        "consumed": consumed,
    }
