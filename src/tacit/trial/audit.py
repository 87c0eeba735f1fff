"""What a session was given and what was left out, what it cited, and what came back; counted by subject."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.core.links import Mark, Use
from tacit.core.rows import RunRow
from tacit.core.value import value
from tacit.trial.coin import WITHHELD
from tacit.trial.evalue import unmet_by
from tacit.trial.outcome import NOT_OCCURRED, OCCURRED
from tacit.trial.statement import quote_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tacit.store.reads import Store

NOT_REACHED = "not_reached"  # its problem did not come, perhaps because its moment did not


@value
class GivenLesson:
    """One lesson's part in one unit of work."""

    memory: str
    text: str
    family: str
    arm: str
    probability: float
    delivered: bool
    cited: bool
    crossed: bool
    outcome: str  # occurred, not_occurred, not_reached, unknown, or empty while the run is open
    quote: str = ""  # the words in which its problem came back


@value
class RunAudit:
    """One unit of work and its lessons."""

    run: RunRow
    lessons: tuple[GivenLesson, ...]

    @property
    def receipt(self) -> str:
        """One line, by subject: the parts of one decision were tossed together, and count once."""
        given, out = by_subject(self.lessons)
        back = sum(each.outcome == OCCURRED for each in self.lessons if each.arm != WITHHELD)
        cited = sum(each.cited for each in self.lessons)
        return f"given {given}, left out {out}, cited {cited}, came back {back}"


def by_subject(lessons: Iterable[GivenLesson]) -> tuple[int, int]:
    """How many subjects were given, and how many left out to compare."""
    lessons = list(lessons)
    out = {each.family for each in lessons if each.arm == WITHHELD}
    return len({each.family for each in lessons if each.arm != WITHHELD}), len(out)


def audit_run(store: Store, run: RunRow) -> RunAudit:
    """What became of the lessons of a run's unit."""
    every, uses = store.marks(unit=run.root), store.uses(unit=run.root)
    texts = {memory.id: memory.text for memory in store.memories([use.memory for use in uses])}

    def given(use: Use) -> GivenLesson:
        mine = [mark for mark in every if mark.memory == use.memory]
        said = {mark.signal: mark for mark in mine}
        outcome = said.get("outcome")
        came = outcome is not None and outcome.value == OCCURRED
        return GivenLesson(
            use.memory,
            texts.get(use.memory, ""),
            use.family,
            use.arm,
            use.probability,
            "delivered" in said,
            "cited" in said,
            "crossed" in said,
            _came(outcome, mine),
            quote_of(outcome, mine, store.evidence(use.memory)) if outcome and came else "",
        )

    return RunAudit(run, tuple(map(given, uses)))


def _came(outcome: Mark | None, marks: list[Mark]) -> str:
    """What came of it; where its problem did not come because its moment did not, that is said."""
    if outcome is None:
        return ""
    away = any(amount > 0 for amount in unmet_by(marks).values())
    return NOT_REACHED if away and outcome.value == NOT_OCCURRED else outcome.value
