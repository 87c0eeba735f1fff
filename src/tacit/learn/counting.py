"""What becomes of what was counted: a cure for an agent; a notice for the person, of what nobody got over or a wrong instruction.

After a run only the failures that it met are looked at again, over all that the project counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from tacit.core.run import FAILURE, Incident
from tacit.core.value import value
from tacit.learn.floor import Cure, cure_of, outlives_task
from tacit.learn.notices import Notice, of_instructions, one_cause, without_a_way

if TYPE_CHECKING:
    from tacit.stores.incidents import Noted

    class Counts(Protocol):
        """What is asked about all that was counted in a project: of a store, or of a look back's memory."""

        def lineages(self) -> int: ...
        def failures(self, mark: str = "") -> Sequence[Noted]: ...


@value
class Counted:
    """What the failures met by a run come to now."""

    cures: tuple[Cure, ...] = ()
    notices: tuple[Notice, ...] = ()


def counted(counts: Counts, noticed: Sequence[Incident], lines: Mapping[str, str]) -> Counted:
    """What to tell of the failures that a run has met. `lines` are those of the instruction files."""
    marks = dict.fromkeys(
        each.mark for each in noticed if each.kind == FAILURE and outlives_task(each)
    )
    sessions = counts.lineages()
    cures: list[Cure | None] = []
    notices: list[Notice | None] = []
    for mark in marks:
        met = counts.failures(mark)
        cures.append(cure_of(mark, met))
        notices.append(without_a_way(met, sessions))
        notices += of_instructions(lines, met, sessions)
    return Counted(tuple(filter(None, cures)), tuple(one_cause(filter(None, notices))))
