"""What the control group says of one lesson, after one more of its uses was settled.

The verdict is that of the current epoch, model family and host: a lesson that helped another model may do nothing for
this one. Belief is told from the same counts and kept with the others; a fold of all rows (core.links) says the same.
"""

from __future__ import annotations

from tacit.core.effect import believe, counts, follow, sentence, stands
from tacit.core.journal import change
from tacit.core.value import replace, value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tacit.core.effect import Belief, Course, Trial
    from tacit.core.journal import Change
    from tacit.core.memory import Memory


@value
class Judged:
    """Belief, the figures in words when they are wanted, and the change of the verdict where there is one."""

    belief: Belief
    figures: Callable[[], str]
    change: Change | None = None


def gone_on(course: Course, trial: Trial, alpha: float, margin: float) -> Course | None:
    """The course after one more settled use; None where it must be found out from the whole past.

    That is so when the profile asks with other numbers now, or when the clock says that this use was settled before the last.
    """
    if (course.alpha, course.margin) != (alpha, margin):
        return None
    if not counts(trial):
        return course
    return follow(course, trial) if course.precedes(trial) else None


def judged(memory: Memory, course: Course, *, by: str, at: str, run: str, version: str) -> Judged:
    """The verdict and the belief in the epoch of the use that was just settled."""

    def figures() -> str:
        return sentence(course.table, stands(course), course.alpha, course.margin) if course.table else ""

    belief = believe(course.table)
    if not course.table or course.word == memory.verdict:
        return Judged(belief, figures)
    now = replace(memory, verdict=course.word, updated_at=at)
    told = change(memory, now, verb="verdict", by=by, reason=figures(), at=at, run=run, profile=version)
    return Judged(belief, figures, told)
