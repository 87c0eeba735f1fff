"""What a run was given and what was withheld, what reached it, what it cited, and what came back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.core.links import Mark
from tacit.core.rows import RunRow
from tacit.core.value import value
from tacit.prove.followed import quote_of
from tacit.trial.outcome import OCCURRED

if TYPE_CHECKING:
    from tacit.stores.sql import Store


@value
class GivenLesson:
    """One lesson's part in one unit of work."""

    memory: str
    text: str
    arm: str
    probability: float
    delivered: bool
    cited: bool
    crossed: bool
    outcome: str  # occurred, not_occurred, unknown, or empty while the run is open
    quote: str = ""  # the words in which its problem came back


@value
class RunAudit:
    """One unit of work and its lessons."""

    run: RunRow
    lessons: tuple[GivenLesson, ...]

    @property
    def receipt(self) -> str:
        """One line: given 5, left out 1, cited 2, came back 0."""
        given = [each for each in self.lessons if each.arm != "withheld"]
        back = sum(each.outcome == "occurred" for each in given)
        cited = sum(each.cited for each in given)
        return f"given {len(given)}, left out {len(self.lessons) - len(given)}, cited {cited}, came back {back}"


def audit_run(store: Store, run: RunRow) -> RunAudit:
    """What became of the lessons of a run's unit."""
    marks: dict[str, dict[str, Mark]] = {}
    every = store.marks(unit=run.root)
    for mark in every:
        marks.setdefault(mark.memory, {})[mark.signal] = mark

    def told(memory: str) -> tuple[str, str]:
        """What became of it, and the words in which it came back."""
        outcome = marks.get(memory, {}).get("outcome")
        if outcome is None or outcome.value != OCCURRED:
            return (outcome.value if outcome else "", "")
        return outcome.value, quote_of(
            outcome, [mark for mark in every if mark.memory == memory], store.evidence(memory)
        )

    uses = store.uses(unit=run.root)
    texts = {memory.id: memory.text for memory in store.memories([use.memory for use in uses])}
    return RunAudit(
        run,
        tuple(
            GivenLesson(
                use.memory,
                texts.get(use.memory, ""),
                use.arm,
                use.probability,
                "delivered" in (said := marks.get(use.memory, {})),
                "cited" in said,
                "crossed" in said,
                *told(use.memory),
            )
            for use in uses
        ),
    )
