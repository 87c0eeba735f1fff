"""Did the problem of a given, or withheld, lesson occur in this run?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tacit.core.clock import seconds
from tacit.core.links import MAIN, Mark, Telling, Use, assigned_in
from tacit.core.run import Finding, Run
from tacit.core.value import replace, value
from tacit.learn.occurrences import occurrences, said_again
from tacit.lesson import Lesson, seen_by
from tacit.trial.outcome import (
    NO_PROBLEM,
    OCCURRED,
    Instrument,
    Outcome,
    Sighting,
    has_problem,
    joined_outcome,
    judge,
)


@value
class Seen:
    """One finding of the run and the memories that it is, or would be, about."""

    finding: Finding
    memories: frozenset[str]

    def states(self, signature: str) -> bool:
        """Whether the run's own log says outright that this problem struck; what we derived from
        its steps does not count twice."""
        return self.finding.extractor == "outright" and self.finding.signature == signature


def instruments(run: Run, use: Use | None = None, source: str = "") -> tuple[Instrument, ...]:
    """What this run held that can see problems, whether or not it found any.

    One that is marked `:own` (a linter, a test suite) sees only problems of its own telling: for
    the lessons of any other source its silence says nothing.

    A transcript holds the harness's own record, and the person at the keyboard where one typed.
    Reviews and tests count only where the format says the run had them (`extra["instruments"]`):
    telling them from their findings would select runs by their outcome.
    """
    found = []
    if run.steps:  # the harness writes failures down; that an agent called no tool may be the lesson's own doing
        found.append(Instrument("tool"))
    if any(step.typed for step in run.steps):
        found.append(Instrument("user"))
    for each in (run.extra or {}).get("instruments", ()):
        kind, name, scope = [*str(each).split(":", 2), "", ""][:3]
        if scope == "own" and name != source:
            continue
        found.append(Instrument(kind, name, bool(use and use.instrument_eligible)))
    return tuple(found)


def outcome_of(
    use: Use,
    memory: Lesson,
    run: Run,
    seen: Iterable[Seen],
    *,
    over: bool,
    now: str,
    behind: float = 0.0,
    tellings: Sequence[Telling] = (),
) -> Outcome:
    """What this run says of one use: a lesson with a signature or a sign by the steps that failed
    so, or the typed lines that hold it, another by who looked for its problem.

    `tellings` are the answers of the host's hooks, which tell contexts apart: a problem in a
    context that was not assigned the lesson is none of its own. Without them the unit counts as one
    context.
    """
    if not has_problem(memory):
        return Outcome("unknown", f"a {memory.klass} has no problem that could occur", settled=over)

    def said_by(kind: str, held: Sequence[Instrument], met: list[Sighting]) -> Outcome:
        met = _where_told(met, run, assigned_in(tellings, memory.id))
        return judge(
            kind=kind,
            instruments=held,
            sightings=met,
            assigned_at=use.at,
            over=over,
            now=now,
            behind=behind,
        )

    where, words = (memory.extra or {}).get("sign") or ("", "")
    # a command's is its purpose, and no failure
    signature = "" if memory.klass in NO_PROBLEM else memory.signature
    if (signature or where == "E") and run.steps:
        marks = (signature,) if signature else ()
        struck = [*occurrences(run, *marks, words=words if where == "E" else "")]
        struck += [
            Sighting("tool", "", s.finding.at, place=s.finding.place)
            for s in seen
            if signature and s.states(signature)
        ]
        return said_by("tool", instruments(run), struck)
    family = {memory.id, use.family}
    held = instruments(run, use, memory.source)
    named = {each.name for each in held}
    sightings = [
        Sighting(
            seen_by(s.finding.tier),
            s.finding.by if s.finding.by in named else "",
            s.finding.at,
            place=s.finding.place,
        )
        for s in seen
        if s.memories & family
    ]
    kind = seen_by(memory.trust)
    if where == "U":
        kind = "user"
        sightings += said_again(run, words)
    return said_by(kind, held, sightings)


def _where_told(
    sightings: list[Sighting], run: Run, assigned: Mapping[str, tuple[tuple[str, str], ...]]
) -> list[Sighting]:
    """Sightings in contexts that held the lesson's assignment by then, each with its time; all
    of them where no context is known."""
    if not assigned:
        return sightings
    contexts = {step.place: step.context for step in run.steps if step.context}
    # some hosts write a sub-agent's steps into a run of its own
    own = run.id if run.agent and run.root not in ("", run.id) else MAIN
    found = []
    for each in sightings:
        for begin, end in assigned.get(contexts.get(each.place, own), ()):
            if not end or not each.at or seconds(each.at) <= seconds(end):
                found.append(replace(each, assigned_at=begin))
                break
    return found


def unit_outcome(this: Outcome, run: str, marks: Sequence[Mark]) -> Outcome:
    """One outcome for the runs of a unit: what the others said, and this one now."""
    others: dict[str, Outcome] = {}
    for mark in marks:  # in order of writing: the last word of each run stands
        # The first run of a unit speaks for the unit, and has no word of its own beside it.
        own = mark.signal == "run_outcome" or (mark.signal == "outcome" and mark.run == mark.unit)
        if own and mark.run != run:
            others[mark.run] = Outcome(
                mark.value, mark.reason, loss=mark.amount if mark.value == OCCURRED else 0.0
            )
    return joined_outcome([this, *others.values()]) if others else this
