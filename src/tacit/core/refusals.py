"""What was refused while sessions and reports were read, in words for the person whom it concerns.

An attack that fails should not fail unseen: somebody put it there. Each refusal is counted once a session, and told for some weeks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacit.core.run import Run

PREFIX = "refused: "
DAYS = 30  # that a refusal is shown for

FORGED = (
    "something printed imitates the host's sentence for a person's refusal; it was read as output, not as your words"
)
ELSEWHERE = "a session does not lie where its host keeps yours; what it says waits for your word (tacit learn --as NAME stands for one)"
CLAIMED = (
    "a report claims a reviewer's or a tool's word; it speaks as an agent (review_formats names those you stand for)"
)
EVERYWHERE = "a run would have changed a lesson that holds everywhere; on this server that is for its owners"


def refusals(run: Run) -> tuple[str, ...]:
    """What of a run was not taken as it calls itself."""
    reading = run.reading
    told = ((run.foreign, ELSEWHERE), (reading and reading.forged, FORGED), (reading and reading.claimed, CLAIMED))
    return tuple(what for happened, what in told if happened)


def refusal_lines(counters: Mapping[str, int]) -> list[str]:
    """For people: what was refused of late, and how often."""
    return [
        f"refused {many}x: {name.removeprefix(PREFIX)}"
        for name, many in sorted(counters.items())
        if name.startswith(PREFIX)
    ]
