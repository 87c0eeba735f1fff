"""What became of the lessons that a run was given, and what is written down of the run itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.journal import Change, Hand
from tacit.core.links import IN_EPOCH, INSTRUCTED, UNKNOWN, UNMET, Mark, Use
from tacit.core.memory import VERDICTS, Memory
from tacit.core.profile import Profile
from tacit.core.rows import RunRow
from tacit.core.run import Finding
from tacit.core.value import replace, value
from tacit.hookspecs import of_origins
from tacit.learn.match import prepared, same
from tacit.learn.occurrences import came_to, ended
from tacit.learn.prepare import QUOTED_FOR_SECRETS
from tacit.learn.session import Findings
from tacit.learn.settle import Seen, outcome_of, unit_outcome
from tacit.reading.echo import cited, stands_in
from tacit.safety.redact import private, redact, redacted_path, redacted_record
from tacit.stores.lookups import by_alias, is_settled, settled_units
from tacit.trial import effect
from tacit.trial.belief import Belief, believe
from tacit.trial.outcome import OCCURRED, Outcome, clock_behind
from tacit.trial.run_outcomes import RUN_ENDED, RUN_FAILED, course_of_failures, failed_trial
from tacit.trial.table import Trial, by_epoch, graded, trial_of, trials_from
from tacit.words.prepared import Prepared

if TYPE_CHECKING:
    from tacit.learn.gate import GateDecision
    from tacit.stores.sql_writer import Transaction

MOST_INCIDENTS = 200  # of one run that are kept for the runs after it


class Session(Findings):
    """One run on its way through its transaction: its findings are taken, the uses of its unit settled, its row written."""

    # Uses are settled with every finding of the run, new or met before, stored or discarded: a problem that came back came back,
    # whatever the gate thought of how it was told.
    def settle(
        self,
        tx: Transaction,
        judged: Sequence[tuple[Finding, GateDecision]],
        over: bool,
        echoed: Sequence[Finding] = (),
        lines: Mapping[str, str] | None = None,
    ) -> None:
        """Judge every use of this unit by what the run held and found, also by what was taken out as echo."""
        self._pack(tx)
        self.settled = over
        uses = [use for use in tx.uses(unit=self.row.root) if use.memory]
        if not uses:
            return
        memories = {memory.id: memory for memory in tx.memories([use.memory for use in uses])}
        readied = [
            (finding, prepared(finding)) for finding in (*(each for each, _ in judged), *echoed)
        ]
        earlier = [Seen(finding, frozenset({memory})) for finding, memory in self.said.before()]
        marks = tx.marks(unit=self.row.root)
        tellings = [each for each in tx.tellings(self.row.root) if each.surface.startswith("hook")]
        last = {
            mark.memory: (mark.value, graded(mark.amount))
            for mark in marks
            if mark.signal == "outcome"
        }
        ended = self.run.ended_at or next(
            (step.at for step in reversed(self.run.steps) if step.at), ""
        )
        behind = clock_behind(self.run.started_at, ended, min(use.at for use in uses))
        if behind and over:
            tx.count(self.project.id, "clock_behind", self.at)
        shown = [use.memory for use in uses if use.arm != "withheld" and use.memory in memories]
        quoted = cited(self.run, shown, [memories[id].text for id in shown])
        for use in uses:
            memory = memories.get(use.memory)
            if memory is None:
                continue
            self._mark_delivery(tx, use.memory, marks, quoted)
            instructed = lines is not None and stands_in(memory.text, lines)
            if lines is not None and instructed != bool(
                (memory.tally.signals or {}).get(INSTRUCTED)
            ):
                tx.put_signal(memory.id, memory.project, INSTRUCTED, float(instructed))
            about = [*earlier, *(Seen(f, frozenset(self._about(f, p, memory))) for f, p in readied)]
            outcome = outcome_of(
                use,
                memory,
                self.run,
                about,
                over=over,
                now=self.at,
                behind=behind,
                tellings=tellings,
            )
            own = [mark for mark in marks if mark.memory == memory.id]
            unit = unit_outcome(outcome, self.id, own)
            if outcome.settled and use.arm != "exempt":
                self._mark_moment(tx, memory, own, unit.value == OCCURRED)
            if outcome.settled and (unit.value, graded(unit.loss or 1.0)) != last.get(memory.id):
                self._mark_outcome(tx, use, outcome, unit, last.get(memory.id, ("", 0))[0])
        if over:
            self._fare(tx, uses, judged)

    def _fare(
        self, tx: Transaction, uses: Sequence[Use], judged: Sequence[tuple[Finding, GateDecision]]
    ) -> None:
        """The origins' own word on what was given, where the profile keeps one; then the ladders speak."""
        against = {finding.key for finding, _ in judged if finding.stance == "contradicts"}
        said = set().union(*(about for key, about in self.about.items() if key not in against))
        denied = set().union(*(about for key, about in self.about.items() if key in against))
        for audit in filter(
            None, (of_origins("audit", name) for name in self.profile.signals.audits)
        ):
            again = audit(
                tx,
                self.run,
                uses,
                repeated=said.__contains__,
                contradicted=denied.__contains__,
                hand=self.hand,
            )
            for memory in again:
                self._promote(tx, memory)

    def _pack(self, tx: Transaction) -> None:
        """Record what a run was given by its own system: the memories of its packet, by their names there."""
        run, unit, at = self.run, self.row.root, self.run.started_at or self.at
        for name in (run.extra or {}).get("given", ()):
            if memory := by_alias(tx, self.project.id, run.host, str(name)):
                given = Use(
                    memory,
                    unit,
                    self.project.id,
                    self.id,
                    memory,
                    "exempt",
                    0.0,
                    "packet",
                    task=run.task_id,
                    at=at,
                )
                tx.add_use(given)

    def _about(self, finding: Finding, readied: Prepared, memory: Memory) -> set[str]:
        """The memories a finding is about, and this one if it is its problem."""
        found = self.about.get(finding.key, set())
        return found | {memory.id} if same(memory, readied, self.profile) else found

    def _mark_outcome(
        self, tx: Transaction, use: Use, own: Outcome, unit: Outcome, last: str
    ) -> None:
        memory = use.memory
        if self.id != self.row.root:
            tx.add_mark(self._mark(memory, "run_outcome", own.value, own.loss or 1.0, own.reason))
        mark = self._mark(memory, "outcome", unit.value, unit.loss or 1.0, unit.reason)
        self.counts["settled"] += 1
        tx.add_outcome(use, mark, last)
        # Without a toss the control group has nothing new to say, and a use of former words says nothing of the present ones.
        if use.arm != "exempt" and use.at > tx.measured_since(memory):
            self._judge(tx, use, unit, last)

    def _judge(self, tx: Transaction, use: Use, outcome: Outcome, last: str) -> None:
        """What the control group says of this lesson now, and what its ladder makes of it."""
        memory = tx.get(use.memory)
        course = self._course(tx, memory, use, outcome, last)
        tx.put_signal(
            memory.id, memory.project, f"{IN_EPOCH}{use.epoch}", 1.0 + VERDICTS.index(course.word)
        )
        known = verdicts_in(memory.tally.signals or {})
        runs = known.pop(RUN_FAILED, effect.NOT_YET_KNOWN)
        others = [word for epoch, word in known.items() if epoch != use.epoch]
        found = judged(memory, course, self.hand, others, runs)
        tx.put_signal(memory.id, memory.project, "belief", found.belief.help)
        tx.put_signal(memory.id, memory.project, "belief_harm", found.belief.harm)
        if found.change is not None:
            tx.apply(found.change)
        self._promote(tx, memory.id, found.figures)

    def _course(
        self, tx: Transaction, memory: Memory, use: Use, outcome: Outcome, last: str
    ) -> effect.Course:
        """How far the lesson has come in the epoch of this use: one step on from where it stood, or from its whole past."""
        rules, kept = self.profile.effect, "" if last else tx.course(memory.id, use.epoch)
        trial = trial_of(use, outcome.value, self.at, outcome.loss or 1.0)
        course = (
            gone_on(effect.course_from_json(kept), trial, rules.alpha, rules.margin)
            if kept
            else None
        )
        if course is None:
            past = trials_from(tx.uses(memory=memory.id), tx.marks(memory=memory.id))
            course = effect.course_of(by_epoch(past).get(use.epoch, ()), rules.alpha, rules.margin)
        tx.put_course(memory.id, memory.project, use.epoch, effect.course_to_json(course))
        return course

    def _watch_runs(self, tx: Transaction) -> None:
        """Whether more runs fail that get a lesson of this unit: then it harms, whatever becomes of its own problem."""
        row = tx.run(self.id)
        uses = [use for use in tx.uses(unit=self.row.root) if use.arm != "exempt" and not use.blank]
        there = {memory.id for memory in tx.memories([use.memory for use in uses])}
        for use in uses:
            if row is None or use.memory not in there or use.at <= tx.measured_since(use.memory):
                continue
            course = followed(tx, self.profile, use, row, again=bool(self.row.settled_at))
            memory = tx.get(use.memory)
            if course.word == effect.HARMS and memory.verdict != effect.HARMS:
                why = taken_out_because(course)
                tx.apply(
                    self.hand.change(memory, replace(memory, verdict=effect.HARMS), "verdict", why)
                )
                self._promote(tx, memory.id, lambda why=why: why)  # type: ignore[misc]

    def _mark_delivery(
        self, tx: Transaction, memory: str, marks: Sequence[Mark], quoted: set[str]
    ) -> None:
        have = {mark.signal for mark in marks if mark.memory == memory}
        arrived = any(
            memory in step.text for step in self.run.steps if step.role == "system" and step.text
        )
        for signal, holds in (("delivered", arrived), ("cited", memory in quoted)):
            if holds and signal not in have:
                tx.add_mark(self._mark(memory, signal))

    def _mark_moment(
        self, tx: Transaction, memory: Memory, marks: Sequence[Mark], struck: bool
    ) -> None:
        """Whether the unit came to what the lesson is about; written down where it did not, and taken back by a later run that did."""
        unmet = sum(mark.amount for mark in marks if mark.signal == UNMET)
        first = unmet == 0 and not any(mark.signal == "outcome" for mark in marks)
        came = struck or came_to(self.run, memory) if unmet or first else None
        if came is not None and came == bool(unmet):
            tx.add_mark(self._mark(memory.id, UNMET, "", -unmet if came else 1.0))

    def _mark(
        self, memory: str, signal: str, value: str = "", amount: float = 1.0, reason: str = ""
    ) -> Mark:
        unit, project = self.row.root, self.project.id
        return Mark(
            memory, unit, project, signal, value, amount, self.id, reason=reason, at=self.at
        )

    def leave(self, tx: Transaction) -> None:
        """Write the run's row."""
        run, over = self.run, getattr(self, "settled", False) or self.is_over()
        reading = run.reading
        said = tx.findings(run=self.id)
        facts: dict[str, Any] = {
            "steps": len(run.steps),
            "calls": sum(step.role == "tool" for step in run.steps),
            RUN_ENDED: ended(run) if run.outcome == UNKNOWN else "",
            "findings": len(said),
            # A file, folder or branch can be named after a secret as well as a sentence can hold one.
            "files": [redacted_path(path) for path in run.files[:200]],
            "cwd": redacted_path(run.cwd),
            "branch": redacted_path(run.branch),
        }
        if run.typed:  # messages of the person: what reading it would bring goes by them
            facts["typed"] = run.typed
        if run.cost:
            facts["cost"] = dict(run.cost.__dict__)
        if had := (run.extra or {}).get("instructions"):
            facts["instructions"] = [redacted_path(path) for path in [*had][:50]]
        if noted := (run.extra or {}).get("incidents"):
            facts["incidents"] = [
                {
                    name: redact(private(at)).text if isinstance(at, str) else at
                    for name, at in each.items()
                }
                for each in noted[:MOST_INCIDENTS]
            ]
        if reading:
            facts["reading"] = {
                "lines": reading.lines,
                "malformed": reading.malformed,
                "unknown": dict(reading.unknown or {}),
            }
        # A later word on the same run may be one finding: what it leaves open stays as it was.
        facts = {
            **(self.row.facts or {}),
            **{name: fact for name, fact in facts.items() if fact or not self.row.facts},
        }
        tx.put_run(
            replace(
                self.row,
                seq=self.seq,
                agent=redacted_record(run.agent) or self.row.agent,
                model=redacted_record(run.model) or self.row.model,
                version=run.version or self.row.version,
                domain=redacted_record(run.domain) or self.row.domain,
                task=redact(private(run.task[: 2 * QUOTED_FOR_SECRETS])).text[:2000]
                or self.row.task,
                task_id=redacted_record(run.task_id) or self.row.task_id,
                task_type=redacted_record(run.task_type) or self.row.task_type,
                outcome=run.outcome if run.outcome != "unknown" else self.row.outcome,
                complete=run.complete or over,
                started_at=run.started_at or self.row.started_at,
                ended_at=run.ended_at or self.row.ended_at,
                learned_at=self.row.learned_at or self.at,
                settled_at=self.at if over else "",
                # not with a secret
                path=run.path
                if run.path and redacted_record(run.path) == run.path
                else self.row.path,
                facts=facts,
            )
        )
        for memory in dict.fromkeys(finding.memory for finding in said if finding.memory):
            tx.reword(memory)
        if over and (run.outcome != UNKNOWN or facts.get(RUN_ENDED)):
            self._watch_runs(tx)
        if reading and reading.malformed and self.first:
            tx.count(self.project.id, "malformed_lines", self.at, reading.malformed)


# Do more runs fail that get a lesson? Asked of every coin of a unit once a run of it is over (`trial.run_outcomes`).


def followed(
    tx: Transaction, profile: Profile, use: Use, run: RunRow, *, again: bool
) -> effect.Course:
    """How far a lesson has come after this unit: one step on, or from its whole past where the unit was counted before."""
    rules, since = profile.effect, tx.measured_since(use.memory)
    kept = (
        "" if again or is_settled(tx, use.unit, but=run.id) else tx.course(use.memory, RUN_FAILED)
    )
    word = run.outcome if run.outcome != UNKNOWN else (run.facts or {}).get(RUN_ENDED, UNKNOWN)
    trial = failed_trial(use, word, run.settled_at)
    course = (
        gone_on(effect.course_from_json(kept), trial, rules.alpha, rules.margin) if kept else None
    )
    if course is None:
        uses = tx.uses(memory=use.memory)
        units = settled_units(tx, {each.unit for each in uses})
        course = course_of_failures(uses, units, since, rules.alpha, rules.margin)
    project = tx.get(use.memory).project
    tx.put_course(use.memory, project, RUN_FAILED, effect.course_to_json(course))
    known = 1.0 + VERDICTS.index(course.word) if course.word != effect.NOT_YET_KNOWN else 0.0
    tx.put_signal(use.memory, project, f"{IN_EPOCH}{RUN_FAILED}", known)
    return course


def taken_out_because(course: effect.Course) -> str:
    """Why it is taken out, for the journal."""
    return f"Sessions that get it fail more often. {effect.sentence_of_counts(course.table, 'failed session')}"


# What the control group says of one lesson, after one more of its uses was settled.
#
# Each epoch, a model family on a host, has a verdict of its own, and the next coin goes by that of the run's own: a lesson that helped
# another model may do nothing for this one. The lesson's one word is what its epochs agree on, so it does not come and go with
# whichever model ran last. Belief is told from the same counts; a fold of all rows (core.links) says the same.


@value
class _Judged:
    """Belief, the figures in words when they are wanted, and the change of the verdict where there is one."""

    belief: Belief
    figures: Callable[[], str]
    change: Change | None = None


def gone_on(
    course: effect.Course, trial: Trial, alpha: float, margin: float
) -> effect.Course | None:
    """The course after one more settled use; None where it must be found out from the whole past.

    That is so when it was found by another rule or with other numbers, or when the clock says that this use was settled before the last.
    """
    if (course.alpha, course.margin, course.rule) != (alpha, margin, effect.VERDICT_RULE):
        return None
    if not effect.counts(trial):
        return course
    return effect.follow(course, trial) if course.precedes(trial) else None


def verdicts_in(signals: Mapping[str, float]) -> dict[str, str]:
    """The verdict in each epoch, and on its runs as a whole, as a memory's tally keeps them."""
    return {
        name[len(IN_EPOCH) :]: VERDICTS[int(at) - 1]
        for name, at in signals.items()
        if name.startswith(IN_EPOCH)
    }


def judged(
    memory: Memory,
    course: effect.Course,
    hand: Hand,
    others: Iterable[str] = (),
    runs: str = effect.NOT_YET_KNOWN,
) -> _Judged:
    """The lesson's verdict and belief after a use was settled in this course's epoch; `others` are the verdicts of its other epochs,
    `runs` is that on its runs as a whole."""

    def figures() -> str:
        return (
            effect.sentence(course.table, effect.stands(course), course.alpha, course.margin)
            if course.table
            else ""
        )

    belief = believe(course.table)
    word = effect.agreed((course.word, *others), runs)
    if not course.table or word == memory.verdict:
        return _Judged(belief, figures)
    return _Judged(
        belief, figures, hand.change(memory, replace(memory, verdict=word), "verdict", figures())
    )
