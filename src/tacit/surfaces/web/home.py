"""The first screen: how memory grew, what it spared, what waits, what harms, what agents consumed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.surfaces import drawn, outlook
from tacit.surfaces.wording import standing_words

if TYPE_CHECKING:
    from typing import Any

    from tacit.app import Memories
    from tacit.surfaces.web.reckoned import ReckonedEffect


def home(desk: Memories, known: ReckonedEffect) -> dict[str, Any]:
    """Everything that stands on it; `known` is what the whole memory spared, as far as it was reckoned."""
    found = outlook.looked(desk)
    spared = drawn.spared(outlook.spared(known.found) if known.found else None)
    return {
        "found": found,
        "in_force": drawn.in_force(found),
        "spared": spared,
        "is_pending": known.found is None,
        "is_old": known.found is not None and not known.is_current,
        "waiting": drawn.waiting(found),
        "consumed": [drawn.tokens_by_week(found), drawn.cost(found), drawn.hosts(found)],
        "harmful": [
            {"id": each.id, "text": each.text, "said": standing_words(each, desk.profile)} for each in found.harmful
        ],
    }
