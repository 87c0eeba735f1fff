"""What the control group says of the lessons together, noted for the coins to come; and verdicts that were found by an older rule, anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.core.journal import change
from tacit.core.links import IN_EPOCH
from tacit.core.memory import VERDICTS, Memory
from tacit.core.value import replace
from tacit.tend.context import Context
from tacit.trial.coin import POOL
from tacit.trial.effect import NO_DIFFERENCE, NOT_YET_KNOWN, agreed, course_of, course_to_json
from tacit.trial.overall import whole_memory
from tacit.trial.table import by_epoch, trials_from

if TYPE_CHECKING:
    from tacit.core.ports import Transaction


def measure(context: Context) -> None:
    """Note whether the lessons together have a verdict, and judge anew what an older store called no difference."""
    store, project = context.store, context.project
    trials = trials_from(store.all_uses(project.id), store.all_marks(project.id))
    word = whole_memory(trials, context.profile.effect.alpha).verdict.word
    noted = word if word != NOT_YET_KNOWN else store.meta(POOL + project.id)  # crossed once, it is kept
    if noted != store.meta(POOL + project.id):
        with context.write() as tx:
            tx.put_meta(POOL + project.id, noted)
    for memory in store.select([project.id], equal={"verdict": NO_DIFFERENCE}, limit=200):
        with context.write() as tx:
            _judge_anew(tx, memory, context)


def _judge_anew(tx: Transaction, memory: Memory, context: Context) -> None:
    rules, found = context.profile.effect, trials_from(tx.uses(memory=memory.id), tx.marks(memory=memory.id))
    courses = {epoch: course_of(mine, rules.alpha, rules.margin) for epoch, mine in by_epoch(found).items()}
    word = agreed(course.word for course in courses.values())
    if not courses or word == memory.verdict:
        return
    for epoch, course in courses.items():
        tx.put_course(memory.id, memory.project, epoch, course_to_json(course))
        tx.put_signal(memory.id, memory.project, f"{IN_EPOCH}{epoch}", 1.0 + VERDICTS.index(course.word))
    at = context.now()
    told = "judged anew: no difference is relative to what the problem costs, and ends nothing"
    tx.apply(
        change(
            memory, replace(memory, verdict=word, updated_at=at), verb="verdict", by="tend", reason=told, at=at,
            profile=context.project.profile,
        )
    )  # fmt: skip
