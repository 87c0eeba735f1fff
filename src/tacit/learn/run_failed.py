"""Do more runs fail that get a lesson? Asked of every coin of a unit once a run of it is over (core.run_outcomes)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.core.links import IN_EPOCH, UNKNOWN, Use
from tacit.core.memory import VERDICTS
from tacit.core.profile import Profile
from tacit.core.rows import RunRow
from tacit.learn.verdict import gone_on
from tacit.stores.lookups import is_settled, settled_units
from tacit.trial.effect import NOT_YET_KNOWN, Course, course_from_json, course_to_json, sentence_of_counts
from tacit.trial.run_outcomes import ENDED, RUN_FAILED, course_of_failures, failed_trial

if TYPE_CHECKING:
    from tacit.core.ports import Transaction


def followed(tx: Transaction, profile: Profile, use: Use, run: RunRow, *, again: bool) -> Course:
    """How far a lesson has come after this unit: one step on, or from its whole past where the unit was counted before."""
    rules, since = profile.effect, tx.measured_since(use.memory)
    kept = "" if again or is_settled(tx, use.unit, but=run.id) else tx.course(use.memory, RUN_FAILED)
    word = run.outcome if run.outcome != UNKNOWN else (run.facts or {}).get(ENDED, UNKNOWN)
    trial = failed_trial(use, word, run.settled_at)
    course = gone_on(course_from_json(kept), trial, rules.alpha, rules.margin) if kept else None
    if course is None:
        uses = tx.uses(memory=use.memory)
        units = settled_units(tx, dict.fromkeys((each.unit for each in uses), False))
        course = course_of_failures(uses, units, since, rules.alpha, rules.margin)
    project = tx.get(use.memory).project
    tx.put_course(use.memory, project, RUN_FAILED, course_to_json(course))
    known = 1.0 + VERDICTS.index(course.word) if course.word != NOT_YET_KNOWN else 0.0
    tx.put_signal(use.memory, project, f"{IN_EPOCH}{RUN_FAILED}", known)
    return course


def taken_out_because(course: Course) -> str:
    """Why it is taken out, for the journal."""
    return f"Sessions that get it fail more often. {sentence_of_counts(course.table, 'failed session')}"
