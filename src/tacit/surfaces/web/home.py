"""The first screen: how memory grew, what it spared, what waits, what harms, what agents consumed."""

from __future__ import annotations

from tacit.surfaces import drawn, outlook
from tacit.surfaces.wording import standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tacit.app import Memories


def home(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    """Everything that stands on it."""
    found = outlook.looked(desk)
    return {
        "found": found,
        "drawn": [drawn.in_force(found), drawn.spared(outlook.spared(desk.effect()))],
        "waiting": drawn.waiting(found),
        "consumed": [drawn.tokens(found), drawn.cost(found), drawn.hosts(found)],
        "harmful": [{"id": each.id, "text": each.text, "said": standing(each, desk.profile)} for each in found.harmful],
    }
