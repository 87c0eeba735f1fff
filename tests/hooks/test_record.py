"""What a context was told, as the store has it."""

from __future__ import annotations

from typing import Any

from tacit.hooks.record import COMPACTED, known_to
from tacit.store import moments

AT = "2026-11-15T12:00:00.000Z"
STORY = (
    ("", "hook:session-start", ["a", "b"], ["w"]),
    ("sub1", "hook:subagent-start", ["b"], ["w"]),
    ("", COMPACTED, ["b"], []),
    ("", "hook:prompt", ["c"], []),
)


def told(world: Any, group: str, *story: tuple[str, str, list[str], list[str]]) -> None:
    whose = {"project": "p", "session": group, "group": group, "at": AT, "task": ""}
    with world.store.write() as tx:
        for n, (context, surface, given, held) in enumerate(story):
            left = {"asked": {"context": context}} if context else {}
            answer = {**whose, "event": f"{group} {n}", "surface": surface, "tokens": 5}
            moments.record(tx, {**answer, "given": given, "held": held, "left": left}, [])


def test_a_context_knows_what_it_was_told_since_it_was_emptied(world: Any) -> None:
    """A sub-agent knows nothing of its parent's notes; a compaction forgets what it does not give again."""
    told(world, "whole", *STORY)
    told(world, "before", *STORY[:2])
    assert known_to(world.store, "whole", "")[0] == {"b": True, "c": True}
    assert known_to(world.store, "before", "")[0] == {"w": False, "a": True, "b": True}
    assert known_to(world.store, "whole", "sub1")[0] == {"w": False, "b": True}
    assert known_to(world.store, "whole", "sub2")[0] == {}


def test_what_counts_for_the_room_at_calls_is_what_was_told_since_then(world: Any) -> None:
    told(world, "whole", *STORY)
    own = known_to(world.store, "whole", "")[1]
    assert [each.surface for each in own] == [COMPACTED, "hook:prompt"]
