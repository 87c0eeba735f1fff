"""What one project's finished sessions have taught so far, and what its next session would be told.

A store in memory, as far as a look back needs one. Every judgement is the one that learn and recall make: the matcher,
the gate's word, the ladder, the ranking at a session's start, the budget.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tacit.core import clock
from tacit.core.journal import Hand
from tacit.core.lifecycle import advance
from tacit.core.links import Evidence
from tacit.core.memory import Memory
from tacit.core.profile import Profile, class_of, kind_named
from tacit.core.run import Finding
from tacit.core.standing import standing_of
from tacit.core.states import INJECTABLE
from tacit.core.value import replace, value
from tacit.hooks.render import frame_tokens, line_tokens
from tacit.learn.counting import counted
from tacit.learn.cures import lesson_may_be_told
from tacit.learn.floor import Cure
from tacit.learn.match import prepared
from tacit.learn.notebook import Notebook
from tacit.learn.notices import Notice
from tacit.learn.stage import confirmed, new_memory
from tacit.lookback.excerpt import Excerpt, Home, SessionFinding
from tacit.lookback.result import KnownProject
from tacit.recall.budget import fit, level_for
from tacit.recall.moments import in_order_of_work, room_for, told_at_starts
from tacit.recall.query import Query
from tacit.recall.rank import Ranked, barred
from tacit.safety.witness import unless_it_acts
from tacit.trial.tally import tally_of
from tacit.words.prepared import Prepared, prepare

MOVES = 4  # rungs a lesson may climb at once, as learn allows
_BY = "lookback"


@value
class Foresight:
    """What was known when a session began."""

    met: frozenset[str] = frozenset()  # its problems that had happened before
    told: Mapping[str, str] = {}  # problem -> the lesson about it that would have been given
    matches: tuple[str, ...] = ()  # per thing said, the lesson that already said it; empty: none
    given: frozenset[str] = frozenset()  # lessons that would have been given


class _Lesson:
    """A memory in the making: its evidence, and the problems it is about."""

    def __init__(self, memory: Memory, prepared: Prepared) -> None:
        self.memory, self.prepared = memory, prepared
        self.evidence: list[Evidence] = []
        self.units: set[str] = set()
        self.about: set[str] = set()

    def add(self, row: Evidence) -> None:
        """One sighting more, or the same session once more."""
        tally = self.memory.tally
        plain = row.stance == "supports" and not row.origin and tally.seen == len(self.units)
        self.evidence.append(row)
        self.units.add(row.root)
        if plain:  # one more of many alike: no need to fold them all again
            tally = replace(tally, seen=len(self.units), seen_at=max(tally.seen_at or "", row.at))
        else:
            tally = tally_of(self.evidence, (), ())
        self.memory = replace(self.memory, tally=tally)


def is_told(memory: Memory) -> bool:
    """Whether agents would be given it."""
    return memory.state in INJECTABLE and memory.gate == "allow"


class Book:
    """What one project's finished sessions have taught so far."""

    def __init__(
        self,
        home: Home,
        profile: Profile,
        lines: Mapping[str, str],
    ) -> None:
        self.home, self.profile, self.lines = home, profile, lines
        self.lessons: dict[str, _Lesson] = {}
        self.met: set[str] = set()
        self.by_text: dict[str, str] = {}  # folded
        self.noted = Notebook()
        self.told: dict[str, _Lesson] = {}  # by subject: what was noticed often enough
        self.person: dict[str, Notice] = {}  # by subject: what only the person is told
        self.runs: dict[str, frozenset[tuple[str, str]]] = {}  # of each session

    def foresee(self, session: Excerpt) -> Foresight:
        """What is known as a session begins."""
        given = self.given()
        told = {key: id for id in given for key in self.lessons[id].about}
        for lesson in (
            *self.lessons.values(),
            *self.told.values(),
        ):  # what is about something is told where it comes up
            if is_told(lesson.memory):
                told |= dict.fromkeys(lesson.about, lesson.memory.id)
        return Foresight(
            met=frozenset(each.key for each in session.troubles if each.key in self.met),
            told={each.key: told[each.key] for each in session.troubles if each.key in told},
            matches=tuple(self.match(each.finding) if each.role else "" for each in session.said),
            given=frozenset(
                {*given, *(id for id, lesson in self.lessons.items() if is_told(lesson.memory))}
            ),
        )

    def given(self) -> tuple[str, ...]:
        """The lessons that the start of a session is given, best first."""
        profile = self.profile
        may = [
            lesson.memory
            for lesson in self.lessons.values()
            if is_told(lesson.memory)
            and not (
                barred(lesson.memory, (self.home.key,)) or told_at_starts(lesson.memory, profile)
            )
        ]
        ranked = [Ranked(memory, 1.0, {}, "standing") for memory in in_order_of_work(may)]
        room = room_for(profile, level_for(profile, "", ""), Query(), hook=True, begun=False)
        fitted = fit(
            ranked,
            room,
            profile,
            cost=lambda each: line_tokens(each, profile),
            spent=frame_tokens(profile),
        )
        return tuple(each.memory.id for each in fitted.kept)

    def match(self, finding: Finding) -> str:
        """The lesson that says the same, if there is one."""
        return self.by_text.get(prepared(finding).text, "")

    def learn(self, session: Excerpt) -> tuple[str, ...]:
        """Take in a finished session; per thing said, the lesson it went to (empty: none was kept)."""
        self.met.update(each.key for each in session.troubles)
        self.runs[session.unit] = session.runs
        self._tell(session)
        return tuple(self._take(session, each) for each in session.said)

    def _tell(self, session: Excerpt) -> None:
        """What the incidents of all sessions so far come to, as learning would word it."""
        self.noted.add(session.unit, session.unit, session.noticed)
        how = self.profile.extract.extractors.get("notice")
        told = (
            counted(self.noted, session.noticed, self.lines) if how is not None and how.on else None
        )
        at = clock.stamp(session.ended)
        for each in told.cures if told else ():
            kept = self.told.get(each.subject)
            if kept is None:
                kept = self.told[each.subject] = self._noticed_lesson(each, at)
            elif kept.memory.text != each.text:
                kept.memory = replace(
                    kept.memory,
                    text=each.text,
                    tags=each.tags,
                    gate=lesson_may_be_told(each, unless_it_acts).outcome,
                )
            kept.about |= {note.incident.mark for note in each.witnesses}
            for unit in dict.fromkeys(
                note.lineage for note in each.witnesses if note.lineage not in kept.units
            ):
                kept.add(
                    Evidence(
                        kept.memory.id,
                        self.home.key,
                        unit,
                        unit,
                        each.subject,
                        tier="observed",
                        at=at,
                    )
                )
            self._promote(kept, at)
        for notice in told.notices if told else ():
            self.person[notice.subject] = notice

    def has(self, known: KnownProject, units: Iterable[str], subject: str = "") -> bool:
        """Whether a store knows what some sessions taught: what it is about was noticed there, or all of them were learned."""
        return subject in known.subjects or known.has(
            run for unit in units for run in self.runs.get(unit, ())
        )

    def _noticed_lesson(self, lesson: Cure, at: str) -> _Lesson:
        id = f"{len(self.lessons) + 1:06d}"
        kind = kind_named(self.profile, lesson.kind)
        memory = Memory(
            id,
            self.home.key,
            lesson.text,
            kind,
            class_of(self.profile, kind),
            lesson.when,
            tags=lesson.tags,
            trust="observed",
            source="notice",
            signature=lesson.subject,
            created_at=at,
            updated_at=at,
            gate=lesson_may_be_told(lesson, unless_it_acts).outcome,
        )
        self.lessons[id] = made = _Lesson(
            memory, prepare(memory.text, memory.tags, memory.signature, memory.category)
        )
        return made

    def _take(self, session: Excerpt, said: SessionFinding) -> str:
        if not said.decision.stored:
            return ""
        finding, at = said.finding, said.finding.at or clock.stamp(session.ended)
        lesson = self.lessons.get(self.match(finding)) or self._new(said, at)
        id, unit = lesson.memory.id, session.unit
        lesson.add(
            Evidence(
                id,
                self.home.key,
                unit,
                unit,
                finding.key,
                finding.stance,
                origin=finding.origin,
                by=finding.by,
                tier=finding.tier,
                at=at,
            )
        )
        vouched = confirmed(lesson.memory, finding, Hand(_BY, at, unit))
        if vouched is not None:
            lesson.memory = vouched.memory
        self._promote(lesson, at)
        return id

    def _new(self, said: SessionFinding, at: str) -> _Lesson:
        id = f"{len(self.lessons) + 1:06d}"
        memory = new_memory(said.finding, said.decision, self.profile, self.home.key, id, at)
        self.lessons[id] = lesson = _Lesson(memory, prepared(said.finding))
        self.by_text[lesson.prepared.text] = id
        return lesson

    def _promote(self, lesson: _Lesson, at: str) -> None:
        """As far as into prompts; what is above needs measurements that the past does not hold."""
        for _ in range(MOVES):
            memory = lesson.memory
            if memory.state in INJECTABLE:
                return
            move = advance(
                self.profile, standing_of(memory, self.profile, at, evidence=lesson.evidence)
            )
            if move is None:
                return
            lesson.memory = replace(
                memory, state=move.to, previous_state=memory.state, updated_at=at
            )
