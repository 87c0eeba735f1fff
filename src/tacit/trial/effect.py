"""Does it help? What `effect` answers: how often they had to say it again, the lessons together, then each.

Everything is rebuilt from recorded uses each time. This conductor reads the store and hands values to the modules beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tacit.core.links import NEW_TABLE, UNKNOWN, Mark, Use
from tacit.core.profile import Profile
from tacit.core.standing import is_exempt, replay_command, to_replay
from tacit.core.value import grouped, value
from tacit.lesson import Lesson
from tacit.store import counts
from tacit.store.failures import seconds_a_call
from tacit.store.looks import looks_folder, state_of
from tacit.store.lookups import said_rows, unit_rows
from tacit.store.readings import is_kept, readings_folder
from tacit.trial.evalue import (
    graded,
    is_out_of_balance,
    settled_by,
    tabulate,
    trials_from,
    unmet_by,
)
from tacit.trial.guards import GuardEffect, guard_effect
from tacit.trial.outcome import OCCURRED
from tacit.trial.pooled import Pooled, pooled
from tacit.trial.said_again import SaidAgain, said_again
from tacit.trial.statement import Statement, together_sentence, tossed_statement, untossed_statement
from tacit.trial.worth import UnitFacts, Worth, unit_of, worth

if TYPE_CHECKING:
    from tacit.store.reads import Reads, Store

FEW_SESSIONS = 20  # with a coin that told, below which nothing is said of single lessons
FEW = (
    "Below 20 sessions with a control group nothing is claimed: lessons are ordered by how often"
    " they were met."
)
OUT_OF_BALANCE = (
    "The two sides are out of balance: outcomes are being lost or selected; these figures cannot"
    " be trusted."
)
_FLAGS = ("crossed", "delivered", "cited")
CSV_COLUMNS = (
    *("memory", "unit", "family", "h", "arm", "outcome", "loss", "former"),
    *(*_FLAGS, "moment", "assigned_at", "settled_at"),
)


@value
class LessonEffect:
    """One lesson and what is known of its effect."""

    memory: Lesson
    known: Statement


@value
class Effects:
    """The whole memory and its lessons."""

    again: SaidAgain
    together: Pooled
    worth: Worth | None
    lessons: tuple[LessonEffect, ...]
    guards: GuardEffect | None
    checks: GuardEffect | None  # at the end of the work
    tokens: int  # given to agents so far
    unsettled: int  # uses whose session was never joined
    unknown: int  # uses of which nobody could tell what came
    out_of_balance: bool = False  # outcomes of one arm are missing: nothing here can be trusted

    @property
    def headline(self) -> list[str]:
        """What people ask first."""
        said = (
            self.again.sentence,
            together_sentence(self.together),
            self.worth.sentence if self.worth else "",
            *(each.sentence for each in (self.guards, self.checks) if each),
        )
        return [line for line in said if line]

    @property
    def notes(self) -> list[str]:
        """What so few sessions cannot tell, and which lessons a replay would tell of."""
        few = [FEW] if self.together.units < FEW_SESSIONS else []
        lost = [OUT_OF_BALANCE] if self.out_of_balance else []
        return [*lost, *few, *replay_lines(self.lessons)]


def replay_lines(lessons: Sequence[LessonEffect]) -> list[str]:
    """Which lessons to have replayed."""
    named = to_replay(each.memory for each in lessons)
    names = ", ".join(f"{memory.id} ({why})" for memory, why in named)
    told = "Past tasks done again tell in a night what the coins cannot yet"
    return [f"{told}: {replay_command('ID')}, for {names}."] if names else []


def _memory_of(each: Use | Mark) -> str:
    return each.memory


def effects(store: Store, project: str, profile: Profile, only: str = "") -> Effects:
    """The figures of a project's lessons, those of which most is known first."""
    uses, marks = store.all_uses(project), store.all_marks(project)
    wanted = [only] if only else list(dict.fromkeys(use.memory for use in uses))
    own, told = grouped(uses, _memory_of), grouped(marks, _memory_of)
    units = settled_units(store, {use.unit for use in uses})
    lessons = [
        LessonEffect(
            memory, _known(store, profile, memory, own.get(memory.id, []), told.get(memory.id, []))
        )
        for memory in store.memories(wanted)
    ]
    lessons.sort(key=_order)
    alpha = profile.effect.alpha
    ended_well = {id: unit.outcome == "success" for id, unit in units.items()}
    trials = trials_from(uses, marks)
    together = pooled(trials, alpha, ended_well)
    settled = settled_by(marks)
    guards = [mark for mark in marks if not only or mark.memory == only]
    return Effects(
        again=heard_again(store, project, uses, alpha, only),
        together=together,
        worth=worth(together, seconds_a_call(store, project), units.values()),
        lessons=tuple(lessons),
        guards=guard_effect(guards, alpha),
        checks=guard_effect(guards, alpha, turns=True),
        tokens=counts.tokens_given(store, project),
        unsettled=sum((use.memory, use.unit) not in settled for use in uses),
        unknown=sum(word == UNKNOWN for word, *_ in settled.values()),
        out_of_balance=is_out_of_balance(trials),
    )


def _order(each: LessonEffect) -> tuple[bool, bool, float, str]:
    """Verdicts first, then what was compared, the most helpful first; what nobody measured last."""
    known = each.known
    return (known.word == "not yet known", not known.units, known.difference or 0.0, known.lesson)


def statement_of(store: Store, project: str, profile: Profile, memory: Lesson) -> Statement:
    """What is known of one lesson, from its own uses alone, however many others there are."""
    uses = [use for use in store.uses(memory=memory.id) if use.project == project]
    return _known(store, profile, memory, uses, store.marks(memory=memory.id))


def _known(
    store: Store, profile: Profile, memory: Lesson, uses: Sequence[Use], marks: Sequence[Mark]
) -> Statement:
    alpha = profile.effect.alpha
    table = tabulate(trials_from(uses, marks))
    if table or not is_exempt(memory, profile):
        return tossed_statement(memory.id, memory.verdict, table, alpha)
    back = any(mark.signal == "outcome" and mark.value == OCCURRED for mark in marks)
    evidence = store.evidence(memory.id) if back else ()
    return untossed_statement(memory.id, uses, marks, evidence)


def settled_units(store: Reads, units: set[str]) -> dict[str, UnitFacts]:
    """These units, each with all its settled runs."""
    return {unit: unit_of(parts) for unit, parts in unit_rows(store, units).items()}


def heard_again(
    store: Store, project: str, uses: Sequence[Use], alpha: float, only: str = ""
) -> SaidAgain:
    """How often the person had to say it again, over the sessions that could tell."""
    rows = [row for row in said_rows(store, project) if not only or row.memory == only]
    if not rows:
        return said_again((), (), {}, {}, alpha)
    asked = {*state_of(looks_folder(store.path), project).get("habits", {}).get("asked", ())}
    readings = readings_folder(store.path)
    sessions: dict[str, str] = {}
    for row in store.runs(project, limit=-1):
        typed = (row.facts or {}).get("typed")
        if typed and (row.foreign_id in asked or is_kept(readings, row.id)):
            sessions.setdefault(row.root, row.started_at or row.learned_at)
    held = store.memories(list(dict.fromkeys(each.memory for each in rows)))
    return said_again(rows, uses, sessions, {each.id: each.created_at for each in held}, alpha)


def tidy(uses: Sequence[Use], marks: Sequence[Mark]) -> Iterator[tuple[str, ...]]:
    """One row per use, ordered by when it was settled, with its probability: enough to redo everything elsewhere."""
    settled, away = settled_by(marks), unmet_by(marks)
    since = {mark.memory: mark.at for mark in marks if mark.signal == NEW_TABLE}
    flags = {(mark.memory, mark.unit, mark.signal) for mark in marks}
    rows = []
    for use in uses:
        key = use.memory, use.unit
        word, at, amount = settled.get(key, ("", "", 0.0))
        loss = f"{graded(amount) / 8:g}" if word == OCCURRED else "0"
        facts = (
            use.at <= since.get(use.memory, ""),
            *((*key, signal) in flags for signal in _FLAGS),
            away.get(key, 0.0) <= 0.0,
        )
        assigned = (*key, use.family, repr(use.probability), use.arm)
        rows.append((*assigned, word, loss, *(str(int(fact)) for fact in facts), use.at, at))
    yield from sorted(rows, key=lambda row: (row[-1] or "~", row[1], row[0]))
