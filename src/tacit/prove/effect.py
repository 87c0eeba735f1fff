"""Does a lesson help? The figures of the control group, per lesson and for the whole memory.

Everything is rebuilt from recorded uses each time; nothing is incremented. Three layers that must not be mixed: a
verdict is a claim with an error rate, a belief is a guess that leans on other lessons of the kind, and the origins'
signals are counted under their own names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.core.links import NEW_TABLE, UNMET, Mark, Use
from tacit.core.memory import Memory
from tacit.core.profile import Profile
from tacit.core.standing import is_exempt, replay_command, to_replay
from tacit.core.value import grouped, value
from tacit.prove.followed import Followed, followed
from tacit.prove.worth import (
    Heard,
    Worth,
    heard,
    heard_lines,
    may_be_said,
    untold_lines,
    why_untold,
    worth,
    worth_line,
)
from tacit.stores import counts
from tacit.stores.incidents import seconds_a_call
from tacit.stores.lookups import courses_of, settled_units
from tacit.trial import effect as stats
from tacit.trial.belief import Belief, believe, holdout_cost, weights_of
from tacit.trial.effect import Balance, Course, Interval, KeptVerdict
from tacit.trial.guarded import GuardEffect, guard_effect
from tacit.trial.outcome import OCCURRED
from tacit.trial.overall import Whole, whole_memory
from tacit.trial.run_outcomes import RUN_FAILED, Beside, beside
from tacit.trial.table import GRADES, by_epoch, graded, tabulate, trials_from

if TYPE_CHECKING:
    from tacit.stores.sql import Store
    from tacit.trial.table import Table, Trial

_FLAGS = ("crossed", "delivered", "cited")
CSV_COLUMNS = (
    "memory",
    "unit",
    "family",
    "epoch",
    "h",
    "arm",
    "outcome",
    "loss",
    "former",
    "blank",
    *_FLAGS,
    "moment",
    "settled_at",
)


@value
class LessonEffect:
    """What is known of one lesson in its current epoch."""

    memory: Memory
    epoch: str
    table: Table
    standing: KeptVerdict
    interval: Interval
    estimate: float | None
    belief: Belief
    sentence: str
    holds_across: bool  # also among all lessons together, at a false share of one in ten
    measured: bool  # False: exempt, never on trial
    older: Mapping[str, str]  # verdicts of earlier epochs
    former: str = ""  # what was known of its former words, before it was edited or merged
    beside: Beside | None = None  # its runs as a whole: failed, steps, tokens
    followed: Followed | None = (
        None  # of a lesson without a coin: given, not followed, in whose words
    )

    @property
    def word(self) -> str:
        """The lesson's one verdict, which every surface says and the next coin goes by: what its models and hosts agree on."""
        return self.memory.verdict


@value
class Effects:
    """The whole memory and its lessons."""

    lessons: tuple[LessonEffect, ...]
    whole: Whole
    balance: Balance
    holdout_cost: float  # problems that withholding is expected to have cost
    tokens: int  # given to agents so far
    unsettled: int  # uses whose run was never joined
    unknown: int
    heard: Heard | None = None  # the words of persons, taken together
    worth: Worth | None = None  # in calls, minutes, tokens, money
    untold: Mapping[str, int] = {}  # why outcomes could not be told
    guards: GuardEffect | None = None  # asked against told, over all guards

    @property
    def headline(self) -> list[str]:
        """What people ask first: what the lessons together do, in failures, and what became of their own words."""
        said = (
            self.whole.sentence,
            worth_line(self.worth),
            *(heard_lines(self.heard) if self.heard else ()),
            self.guards.sentence if self.guards else "",
        )
        return [line for line in said if line]

    @property
    def notes(self) -> list[str]:
        """What so many runs can tell, which lessons a replay would tell of, and why the rest cannot be told."""
        said = may_be_said(self.whole.units, sum(each.measured for each in self.lessons))
        return [said, *replay_lines(self.lessons), *untold_lines(self.untold)]


def replay_lines(lessons: Sequence[LessonEffect]) -> list[str]:
    """Which lessons to have replayed."""
    names = ", ".join(
        f"{memory.id} ({why})" for memory, why in to_replay(each.memory for each in lessons)
    )
    said = f"Past tasks done again tell in a night what the coins cannot yet: {replay_command('ID')}, for {names}."
    return [said] if names else []


def _memory_of(each: Trial | Use | Mark) -> str:
    return each.memory


def effects(store: Store, project: str, profile: Profile, only: str = "") -> Effects:
    """The figures of a project's lessons, by expected difference, most helpful first."""
    uses, marks = store.all_uses(project), store.all_marks(project)
    trials = trials_from(uses, marks)
    former = grouped(trials_from(uses, marks, former=True), _memory_of)
    per_memory = grouped(trials, _memory_of)
    wanted = [only] if only else list(dict.fromkeys(use.memory for use in uses))
    memories = store.memories(wanted)
    tables = {id: tabulate(_latest(mine)[1]) for id, mine in per_memory.items()}
    classes = {memory.id: memory.klass for memory in store.memories(list(per_memory))}
    weights = {
        klass: weights_of([table for id, table in tables.items() if classes.get(id) == klass])
        for klass in set(classes.values())
    }
    since = {mark.memory: mark.at for mark in marks if mark.signal == NEW_TABLE}
    own = grouped(uses, _memory_of)
    units = settled_units(store, {use.unit for use in uses})
    rules = profile.effect
    exempt = followed_all(store, own, marks)
    across = stats.holds_across({id: stats.verdict(table).e_help for id, table in tables.items()})
    lessons = [
        _lesson(
            memory,
            per_memory.get(memory.id, []),
            former.get(memory.id, []),
            profile,
            memory.id in across,
            beside(
                own.get(memory.id, ()), units, since.get(memory.id, ""), rules.alpha, rules.margin
            ),
            exempt.get(memory.id),
        )
        for memory in memories
    ]
    # what nobody measured comes last
    lessons.sort(key=lambda each: (not each.table, each.belief.expected, each.memory.id))
    outcomes = {(mark.memory, mark.unit): mark.value for mark in marks if mark.signal == "outcome"}
    costs = [
        (tables[id], believe(tables[id], weights[classes[id]])) for id in tables if id in classes
    ]
    whole = whole_memory(
        trials, rules.alpha, {id: unit.outcome == "success" for id, unit in units.items()}
    )
    return Effects(
        lessons=tuple(lessons),
        whole=whole,
        balance=stats.balance_of({id: tabulate(mine) for id, mine in per_memory.items()}),
        holdout_cost=holdout_cost(costs),
        tokens=counts.tokens_given(store, project),
        unsettled=sum(1 for use in uses if (use.memory, use.unit) not in outcomes),
        unknown=sum(1 for word in outcomes.values() if word == "unknown"),
        heard=heard(
            {each.id: each for each in store.memories([*own])},
            uses,
            marks,
            rules.alpha,
            rules.margin,
            exempt.values(),
        ),
        worth=worth(whole, seconds_a_call(store, project), units.values()),
        untold=why_untold(marks),
        guards=guard_effect(
            [mark for mark in marks if not only or mark.memory == only], rules.alpha
        ),
    )


def heard_in(store: Store, project: str, profile: Profile) -> Heard | None:
    """What became of the words of persons, without the figures of every lesson."""
    uses, marks = store.all_uses(project), store.all_marks(project)
    own = grouped(uses, _memory_of)
    memories = {each.id: each for each in store.memories([*own])}
    return heard(
        memories,
        uses,
        marks,
        profile.effect.alpha,
        profile.effect.margin,
        followed_all(store, own, marks).values(),
    )


def followed_all(
    store: Store, own: Mapping[str, Sequence[Use]], marks: Sequence[Mark]
) -> dict[str, Followed]:
    """What became of every lesson without a coin; only those that were not followed need their evidence."""
    mine = grouped(marks, _memory_of)
    found: dict[str, Followed] = {}
    for id, uses in own.items():
        each = followed(id, uses, mine.get(id, ()))
        if each is not None and each.broken:
            each = followed(id, uses, mine[id], store.evidence(id))
        if each is not None:
            found[id] = each
    return found


def effect_of(store: Store, project: str, profile: Profile, memory: Memory) -> LessonEffect:
    """The same of one lesson, from its own uses alone, however many others there are. Whether it holds across all is not asked.

    Where the trial was followed use by use, how far it has come is kept, and not even its own uses are read."""
    courses = _followed_up(store, project, profile, memory)
    if courses:
        epoch = max(courses, key=lambda name: (courses[name].at, courses[name].unit))
        older = {
            name: stats.stands(course).words for name, course in courses.items() if name != epoch
        }
        return _told(
            memory, profile, epoch, courses[epoch].table, stats.stands(courses[epoch]), older
        )
    uses = [use for use in store.uses(memory=memory.id) if use.project == project]
    marks = store.marks(memory=memory.id)
    given = followed_all(store, {memory.id: uses}, marks).get(memory.id)
    return _lesson(
        memory,
        trials_from(uses, marks),
        trials_from(uses, marks, former=True),
        profile,
        False,
        None,
        given,
    )


def _followed_up(store: Store, project: str, profile: Profile, memory: Memory) -> dict[str, Course]:
    """How far a lesson has come in each epoch, as it was kept; nothing where that is not all of its trial."""
    units = (memory.tally.signals or {}).get("units", 0.0)
    if not units or memory.project != project:
        return {}
    found = {
        epoch: stats.course_from_json(kept)
        for epoch, kept in courses_of(store, memory.id)
        if epoch != RUN_FAILED
    }
    asked = (profile.effect.alpha, profile.effect.margin, stats.VERDICT_RULE)
    whole = sum(course.units for course in found.values()) == units
    return (
        found
        if whole and all((each.alpha, each.margin, each.rule) == asked for each in found.values())
        else {}
    )


def _latest(trials: Sequence[Trial]) -> tuple[str, list[Trial]]:
    """The current epoch and its trials: the one in which the last use was settled."""
    parts = by_epoch(trials)
    if not parts:
        return "", []
    epoch = trials[-1].epoch if trials[-1].epoch in parts else next(reversed(parts))
    return epoch, parts[epoch]


def _lesson(
    memory: Memory,
    trials: list[Trial],
    before: list[Trial],
    profile: Profile,
    across: bool,
    runs: Beside | None,
    given: Followed | None,
) -> LessonEffect:
    alpha, margin = profile.effect.alpha, profile.effect.margin
    epoch, mine = _latest(trials)
    older = {
        name: stats.stand(part, alpha, margin).words
        for name, part in by_epoch(trials).items()
        if name != epoch
    }
    former = _said(_latest(before)[1], alpha, margin)
    return _told(
        memory,
        profile,
        epoch,
        tabulate(mine),
        stats.stand(mine, alpha, margin),
        older,
        across,
        former,
        runs,
        given,
    )


def _told(
    memory: Memory,
    profile: Profile,
    epoch: str,
    table: Table,
    standing: KeptVerdict,
    older: Mapping[str, str],
    across: bool = False,
    former: str = "",
    runs: Beside | None = None,
    given: Followed | None = None,
) -> LessonEffect:
    alpha, margin = profile.effect.alpha, profile.effect.margin
    exempt = is_exempt(memory, profile)
    if table:
        said = stats.sentence(table, standing, alpha, margin)
        if (
            older or memory.verdict != standing.word
        ):  # of which model and host these are, and what all of them come to
            said = f"With {epoch}: {said} All models and hosts together: {memory.verdict}."
    elif exempt:
        said = given.sentence if given else "Unmeasured: exempt."
    else:
        said = "Not measured yet."
    return LessonEffect(
        memory=memory,
        epoch=epoch,
        table=table,
        standing=standing,
        interval=stats.interval(table, alpha),
        estimate=stats.estimate(table),
        belief=believe(
            table
        ),  # what the ladder goes by, and the same figure as in every other answer
        sentence=said,
        holds_across=across,
        measured=not exempt,
        older=older,
        former=former,
        beside=runs,
        followed=given,
    )


def _said(trials: Sequence[Trial], alpha: float, margin: float) -> str:
    table = tabulate(trials)
    return stats.sentence(table, stats.stand(trials, alpha, margin), alpha, margin) if table else ""


def tidy(uses: Sequence[Use], marks: Sequence[Mark]) -> Iterator[tuple[str, ...]]:
    """One row per use, ordered by when it was settled, with its assignment probability: enough to redo everything elsewhere."""
    said: dict[tuple[str, str], dict[str, Mark]] = {}
    since = {mark.memory: mark.at for mark in marks if mark.signal == NEW_TABLE}
    unmet: dict[tuple[str, str], float] = {}
    for mark in marks:
        said.setdefault((mark.memory, mark.unit), {})[mark.signal] = mark
        if mark.signal == UNMET:
            unmet[mark.memory, mark.unit] = unmet.get((mark.memory, mark.unit), 0.0) + mark.amount

    rows = []
    for use in uses:
        mine = said.get((use.memory, use.unit), {})
        outcome = mine.get("outcome")
        told = (outcome.value, outcome.at) if outcome else ("", "")
        loss = (
            f"{graded(outcome.amount) / GRADES:g}" if outcome and outcome.value == OCCURRED else "0"
        )
        came = unmet.get((use.memory, use.unit), 0.0) <= 0.0
        facts = (
            use.at <= since.get(use.memory, ""),
            use.blank,
            *(signal in mine for signal in _FLAGS),
            came,
        )
        assigned = (use.memory, use.unit, use.family, use.epoch, repr(use.probability), use.arm)
        rows.append((*assigned, told[0], loss, *(str(int(fact)) for fact in facts), told[1]))
    yield from sorted(rows, key=lambda row: (row[-1] or "~", row[1], row[0]))
