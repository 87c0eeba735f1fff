"""What became of the lessons that a run was given, and what is written down of the run itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.links import INSTRUCTED, NOBODY_KNOWS, UNKNOWN, UNMET, Mark, Use
from tacit.core.rows import FindingRow
from tacit.core.run import Finding
from tacit.core.value import replace
from tacit.learn.occurrences import came_to, ended
from tacit.learn.prepare import QUOTED_FOR_SECRETS
from tacit.learn.same import prepared, same
from tacit.learn.session import Findings
from tacit.learn.settle import Seen, outcome_of, unit_outcome
from tacit.lesson import Lesson
from tacit.reading.echo import cited, stands_in
from tacit.safety.redact import private, redact, redacted_path, redacted_record
from tacit.store.lookups import by_alias
from tacit.trial.effect import settled_units
from tacit.trial.evalue import HARMS, graded, stands, tabulate, trials_from, verdict
from tacit.trial.outcome import OCCURRED, Outcome, clock_behind
from tacit.trial.statement import counted
from tacit.trial.worth import RUN_ENDED, failed_sessions, ruins
from tacit.words.prepared import Prepared

if TYPE_CHECKING:
    from tacit.learn.gate import GateDecision
    from tacit.store.writes import Transaction

MOST_INCIDENTS = 200  # of one run that are kept for the runs after it


class Session(Findings):
    """One run on its way through its transaction: its findings are taken, the uses of its unit
    settled, its row written."""

    # Uses are settled with every finding of the run, new or met before, stored or discarded: a
    # problem that came back came back, whatever the gate thought of how it was told.
    def settle(
        self,
        tx: Transaction,
        judged: Sequence[tuple[Finding, GateDecision]],
        over: bool,
        echoed: Sequence[Finding] = (),
        lines: Mapping[str, str] | None = None,
    ) -> None:
        """Judge every use of this unit by what the run held and found, also by what was taken
        out as echo."""
        self._pack(tx)
        self.settled = over
        uses = [use for use in tx.uses(unit=self.row.root) if use.memory]
        if not uses:
            return
        memories = {memory.id: memory for memory in tx.memories([use.memory for use in uses])}
        readied = [
            (finding, prepared(finding)) for finding in (*(each for each, _ in judged), *echoed)
        ]
        earlier = [
            Seen(_again(row), frozenset({row.memory})) for row in self.said.values() if row.memory
        ]
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
            if outcome.settled:
                self._mark_moment(tx, memory, own, unit.value == OCCURRED)
            if outcome.settled and (unit.value, graded(unit.loss or 1.0)) != last.get(memory.id):
                self._mark_outcome(tx, use, outcome, unit)
        if over:
            self._fare(tx, uses, judged)

    def _fare(
        self, tx: Transaction, uses: Sequence[Use], judged: Sequence[tuple[Finding, GateDecision]]
    ) -> None:
        """The origins' own word on what was given, where the profile keeps one; then the ladders
        speak."""
        against = {finding.key for finding, _ in judged if finding.stance == "contradicts"}
        said = set().union(*(about for key, about in self.about.items() if key not in against))
        denied = set().union(*(about for key, about in self.about.items() if key in against))
        if own := self.profile.own:
            for memory in own.fared(tx, self.run, uses, said, denied, self.hand):
                self._promote(tx, memory)

    def _pack(self, tx: Transaction) -> None:
        """Record what a run was given by its own system: the memories of its packet, by their
        names there."""
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

    def _about(self, finding: Finding, readied: Prepared, memory: Lesson) -> set[str]:
        """The memories a finding is about, and this one if it is its problem."""
        found = self.about.get(finding.key, set())
        return found | {memory.id} if same(memory, readied, self.profile) else found

    def _mark_outcome(self, tx: Transaction, use: Use, own: Outcome, unit: Outcome) -> None:
        memory = use.memory
        if self.id != self.row.root:
            tx.add_mark(self._mark(memory, "run_outcome", own.value, own.loss or 1.0, own.reason))
        mark = self._mark(memory, "outcome", unit.value, unit.loss or 1.0, unit.reason)
        self.counts["settled"] += 1
        tx.add_mark(mark)
        # Without a toss the control group has nothing new to say, and a use of former words says
        # nothing of the present ones.
        if use.arm != "exempt" and use.at > tx.measured_since(memory):
            self._judge(tx, tx.get(memory))

    def _judge(self, tx: Transaction, memory: Lesson) -> None:
        """What the control group says of this lesson now, from all its settled uses, and what
        its ladder makes of it."""
        table = tabulate(trials_from(tx.uses(memory=memory.id), tx.marks(memory=memory.id)))
        if not table:
            return
        alpha = self.profile.effect.alpha
        word = stands(memory.verdict, verdict(table, alpha).word)

        def figures() -> str:
            return counted(table, word, alpha)

        if word != memory.verdict:
            change = self.hand.change(memory, replace(memory, verdict=word), "verdict", figures())
            tx.apply(change)
        self._promote(tx, memory.id, figures)

    def _watch_runs(self, tx: Transaction) -> None:
        """Whether more runs fail that get a lesson of this unit: then it harms, whatever becomes
        of its own problem."""
        uses = [use for use in tx.uses(unit=self.row.root) if use.arm != "exempt"]
        for memory in tx.memories([use.memory for use in uses]):
            own = tx.uses(memory=memory.id)
            units = settled_units(tx, {use.unit for use in own})
            table = failed_sessions(own, units, tx.measured_since(memory.id))
            if memory.verdict == HARMS or not ruins(table, self.profile.effect.alpha):
                continue
            why = f"Sessions that get it fail more often. {counted(table, HARMS)}"
            tx.apply(self.hand.change(memory, replace(memory, verdict=HARMS), "verdict", why))
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
        self, tx: Transaction, memory: Lesson, marks: Sequence[Mark], struck: bool
    ) -> None:
        """Whether the unit came to what the lesson is about; written down where it did not, and
        taken back by a later run that did."""
        known = [mark for mark in marks if mark.signal == UNMET]
        unmet = sum(mark.amount for mark in known)
        first = not known and not any(mark.signal == "outcome" for mark in marks)
        came = struck or came_to(self.run, memory) if unmet or first else True
        if came is None:
            tx.add_mark(self._mark(memory.id, UNMET, NOBODY_KNOWS, 0.0))
        elif came == bool(unmet):
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
            # A file, folder or branch can be named after a secret as well as a sentence can hold
            # one.
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
        if over and "failure" in (run.outcome, facts.get(RUN_ENDED)):
            self._watch_runs(tx)
        if reading and reading.malformed and self.first:
            tx.count(self.project.id, "malformed_lines", self.at, reading.malformed)


def _again(row: FindingRow) -> Finding:
    """What an earlier learning of the run took in."""
    return Finding("", row.place, row.text, kind=row.kind, by=row.by, tier=row.tier, at=row.at)
