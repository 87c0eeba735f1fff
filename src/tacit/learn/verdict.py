"""What the control group says of one lesson, after one more of its uses was settled.

Each epoch, a model family on a host, has a verdict of its own, and the next coin goes by that of the run's own: a lesson that
helped another model may do nothing for this one. The lesson's one word is what its epochs agree on, so it does not come and
go with whichever model ran last. Belief is told from the same counts; a fold of all rows (core.links) says the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from tacit.core.journal import Change, change
from tacit.core.links import IN_EPOCH
from tacit.core.memory import VERDICTS, Memory
from tacit.core.value import replace, value
from tacit.trial.belief import Belief, believe
from tacit.trial.effect import NOT_YET_KNOWN, RULE, Course, agreed, counts, follow, sentence, stands
from tacit.trial.table import Trial


@value
class _Judged:
    """Belief, the figures in words when they are wanted, and the change of the verdict where there is one."""

    belief: Belief
    figures: Callable[[], str]
    change: Change | None = None


def gone_on(course: Course, trial: Trial, alpha: float, margin: float) -> Course | None:
    """The course after one more settled use; None where it must be found out from the whole past.

    That is so when it was found by another rule or with other numbers, or when the clock says that this use was settled before the last.
    """
    if (course.alpha, course.margin, course.rule) != (alpha, margin, RULE):
        return None
    if not counts(trial):
        return course
    return follow(course, trial) if course.precedes(trial) else None


def verdicts_in(signals: Mapping[str, float]) -> dict[str, str]:
    """The verdict in each epoch, and on its runs as a whole, as a memory's tally keeps them."""
    return {name[len(IN_EPOCH) :]: VERDICTS[int(at) - 1] for name, at in signals.items() if name.startswith(IN_EPOCH)}


def judged(
    memory: Memory,
    course: Course,
    others: Iterable[str] = (),
    runs: str = NOT_YET_KNOWN,
    *,
    by: str,
    at: str,
    run: str,
    version: str,
) -> _Judged:
    """The lesson's verdict and belief after a use was settled in this course's epoch; `others` are the verdicts of its other epochs,
    `runs` is that on its runs as a whole."""

    def figures() -> str:
        return sentence(course.table, stands(course), course.alpha, course.margin) if course.table else ""

    belief = believe(course.table)
    word = agreed((course.word, *others), runs)
    if not course.table or word == memory.verdict:
        return _Judged(belief, figures)
    now = replace(memory, verdict=word, updated_at=at)
    told = change(memory, now, verb="verdict", by=by, reason=figures(), at=at, run=run, profile=version)
    return _Judged(belief, figures, told)
