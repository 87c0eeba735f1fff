"""What a run was given and what was withheld, what reached it, what it cited, and what came back."""

from __future__ import annotations

from tacit.core.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tacit.core.ports import Store
    from tacit.core.rows import RunRow


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


@value
class RunAudit:
    """One unit of work and its lessons."""

    run: RunRow
    lessons: tuple[GivenLesson, ...]

    @property
    def receipt(self) -> str:
        """One line: given 5, withheld 1, cited 2, came back 0."""
        given = [each for each in self.lessons if each.arm != "withheld"]
        back = sum(each.outcome == "occurred" for each in given)
        cited = sum(each.cited for each in given)
        return f"given {len(given)}, withheld {len(self.lessons) - len(given)}, cited {cited}, came back {back}"


def audit_run(store: Store, run: RunRow) -> RunAudit:
    """What became of the lessons of a run's unit."""
    marks: dict[str, dict[str, str]] = {}
    for mark in store.marks(unit=run.root):
        marks.setdefault(mark.memory, {})[mark.signal] = mark.value
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
                said.get("outcome", ""),
            )
            for use in uses
        ),
    )
