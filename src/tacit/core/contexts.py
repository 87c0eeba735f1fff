"""What a context was told.

A session is one unit of every trial, but it is not one reader: a sub-agent starts with nothing of what its parent was told, and
after a compaction the notes are gone. So what was told belongs to a *context*: the main one (an empty key), each sub-agent (the
host's id of it, or the agent's name), and each of these anew after it was compacted. The coin stays the unit's. A problem that occurs
in a context which was not assigned its lesson, in either arm, is not the lesson's failure.
"""

from __future__ import annotations

from tacit.core.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MAIN = ""
COMPACTED = "hook:compact"  # the surface of an answer to a context that has just lost what it was told


@value
class Telling:
    """What one answer assigned to one context, given and withheld alike: the arm must not decide what counts."""

    context: str
    at: str
    surface: str
    given: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()


def known_in(tellings: Iterable[Telling], context: str) -> dict[str, bool]:
    """What this context was assigned since it was last emptied, and whether it was given."""
    known: dict[str, bool] = {}
    for each in tellings:
        if each.context == context:
            known = {} if each.surface == COMPACTED else known
            known.update({**dict.fromkeys(each.withheld, False), **dict.fromkeys(each.given, True)})
    return known


def assigned_in(tellings: Iterable[Telling], memory: str) -> dict[str, tuple[tuple[str, str], ...]]:
    """When each context held this lesson's assignment: (from, until) for each stretch, until is empty for its end.

    A compaction that did not assign it again ends a stretch.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    for each in tellings:
        stretches = found.setdefault(each.context, [])
        is_open = bool(stretches) and not stretches[-1][1]
        assigned = memory in each.given or memory in each.withheld
        if is_open and each.surface == COMPACTED and not assigned:
            stretches[-1] = (stretches[-1][0], each.at)
        elif assigned and not is_open:
            stretches.append((each.at, ""))
    return {context: tuple(stretches) for context, stretches in found.items() if stretches}
