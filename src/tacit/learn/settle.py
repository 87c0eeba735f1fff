"""Did the problem of a given, or withheld, lesson occur in this run?

Asked of every use of the unit, injected and withheld alike, with the same matcher and all findings, also discarded ones. Settled only when the run is over;
growth settles again. What a run could have seen is told from what it held, never from what was found in it.
"""

from __future__ import annotations

from tacit.core.outcome import Instrument, Outcome, Sighting, fold, judge
from tacit.core.trust import seen_by
from tacit.core.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tacit.core.links import Mark, Use
    from tacit.core.memory import Memory
    from tacit.core.run import Finding, Run


@value
class Seen:
    """One finding of the run and the memories that it is, or would be, about."""

    finding: Finding
    memories: frozenset[str]


def instruments(run: Run, use: Use | None = None) -> tuple[Instrument, ...]:
    """What this run held that can see problems: the harness's own record, the person at the keyboard, reviewers, tests."""
    found: dict[tuple[str, str], Instrument] = {}

    def hold(kind: str, name: str = "", eligible: bool = False) -> None:
        found.setdefault((kind, name), Instrument(kind, name, eligible))

    if any(step.tool for step in run.steps):
        hold("tool")
    if any(step.typed for step in run.steps):
        hold("user")
    for finding in run.findings:
        hold(seen_by(finding.tier), finding.by, bool(use and use.instrument_eligible))
    for kind in (run.extra or {}).get("instruments", ()):
        hold(str(kind))
    return tuple(found.values())


def outcome_of(use: Use, memory: Memory, run: Run, seen: Iterable[Seen], *, over: bool, now: str) -> Outcome:
    """What this run says of one use."""
    kind = seen_by(memory.trust)
    family = {memory.id, use.family}
    sightings = [Sighting(seen_by(s.finding.tier), _name(s.finding), s.finding.at) for s in seen if s.memories & family]
    held = instruments(run, use)
    if kind not in {each.kind for each in held} and not any(s.kind == kind for s in sightings):
        kind = next((s.kind for s in sightings), kind)
    return judge(kind=kind, instruments=held, sightings=sightings, assigned_at=use.at, over=over, now=now)


def _name(finding: Finding) -> str:
    return finding.by if seen_by(finding.tier) not in ("tool", "user") else ""


def unit_outcome(this: Outcome, run: str, marks: Sequence[Mark]) -> Outcome:
    """One outcome for the runs of a unit: what the others said, and this one now."""
    others: dict[str, Outcome] = {}
    for mark in marks:  # in order of writing: the last word of each run stands
        if mark.signal == "run_outcome" and mark.run != run:
            others[mark.run] = Outcome(mark.value, mark.reason)
    return fold([this, *others.values()]) if others else this
