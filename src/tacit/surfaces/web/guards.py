"""Guards at the desk: what `tacit guard` does, on one screen."""

from __future__ import annotations

from typing import Any

from tacit.app import Memories
from tacit.enforce.guard import says
from tacit.enforce.record import of_part, offers, why_not_offered
from tacit.surfaces.past import past_sessions

FIRINGS = 40  # of a guard that is tried
_DONE_WORDS = {"ask": "Asks you from now on.", "refuse": "Refused from now on.", "off": "Only told again."}


def screen(desk: Memories, asked: dict[str, Any]) -> dict[str, Any]:
    """What is armed, which lessons could be, and of one that is tried its record on past sessions."""
    tried = None
    if asked.get("tried"):
        guard, record = desk.try_guard(asked["tried"], past_sessions(desk))
        steps = [(step, says(part), of_part(part, record).said) for step, part in offers(guard, record)]
        tried = {"id": guard.lesson, "text": guard.text, "said": record.said, "firings": record.firings[:FIRINGS], "steps": steps,
            "lacks": why_not_offered(record), "unseen": record.unseen}  # fmt: skip
    return {
        "armed": [(each, says(each.guard)) for each in desk.guards()],
        "could": [(each, says(each)) for each in desk.guardable()],
        "tried": tried,
    }


def act(desk: Memories, asked: dict[str, str]) -> dict[str, Any]:
    """Let a lesson ask or refuse before a call, on its record, or only tell it again."""
    id, do = asked["id"], asked.get("do", "")
    if do == "off":
        desk.disarm_guard(id)
    else:
        desk.arm_guard(id, do, past_sessions(desk))
    return {"told": _DONE_WORDS[do], "entry": None, "to": "/guards"}
