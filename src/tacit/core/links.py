"""What ties runs and memories together, and what it adds up to.

Evidence says a run supports or contradicts a memory; a use says a memory was assigned to a run, injected or withheld.
Both are append-only. A mark is a later fact about a use: delivered, cited, crossed, its outcome. Either may be an
*opening balance*: a counted row for what an imported store brings without its runs. Everything countable about a
memory is a fold over these rows.

A session is one unit of every trial, but it is not one reader: a sub-agent starts with nothing of what its parent was told, and
after a compaction the notes are gone. So what was told belongs to a *context*: the main one (an empty key), each sub-agent (the
host's id of it, or the agent's name), and each of these anew after it was compacted. The coin stays the unit's. A problem that occurs
in a context which was not assigned its lesson, in either arm, is not the lesson's failure.
"""

from __future__ import annotations

from tacit.core.digest import short_hash
from tacit.core.value import value

UNKNOWN = "unknown"  # what became of a use that nobody could see the end of
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any


@value
class Evidence:
    """One run supports or contradicts one memory."""

    memory: str
    project: str
    run: str = ""  # the store's run id; empty for a person's word or an opening balance
    root: str = ""  # the unit the run belongs to: retries and sub-agents are one sighting
    finding: str = ""  # the finding's key
    stance: str = "supports"
    signal: str = "seen"  # what is counted; opening balances may name a profile's own
    amount: float = 1.0  # more than one only on an opening balance
    origin: str = ""  # the document or stream; the same origin in five runs is one
    by: str = ""
    tier: str = "observed"
    place: str = ""
    quote: str = ""
    at: str = ""
    seq: int = 0  # the project's run sequence when it was seen
    opening: bool = False

    @property
    def key(self) -> str:
        """One row per memory, finding and signal: learning the same run twice adds nothing."""
        return short_hash(
            self.memory,
            self.run,
            self.finding or self.place,
            self.signal,
            self.stance,
            "opening" if self.opening else "",
        )


@value
class Use:
    """One memory assigned to one unit of work."""

    memory: str
    unit: str  # the root run's id in the store
    project: str
    run: str  # the run in which it was first assigned
    family: str
    arm: str  # injected, withheld, or exempt: given without a coin, never part of a table
    probability: float  # of being withheld, at the time
    surface: str = ""  # hook, cli, mcp, library
    epoch: str = ""  # model family and host
    instrument: str = ""  # which kind of source could see its problem
    instrument_eligible: bool = (
        False  # that source could itself be given the lesson, so it is not blind
    )
    task: str = ""
    blank: bool = False  # a unit that gets no lesson on trial at all
    at: str = ""


@value
class Mark:
    """A later fact about a use, or an opening balance of uses."""

    memory: str
    unit: str
    project: str
    signal: str  # delivered, cited, crossed, outcome, helped, failed …
    value: str = ""
    amount: float = 1.0
    run: str = ""
    surface: str = ""
    reason: str = ""
    at: str = ""


TURN = "turn "  # with its number, the key of a check's firing: it speaks once in a turn
FIRED, ENDING = "fired", "firing ended"  # marks of a guard: it fired on a call; what became of that
TOLD, GUARD_ASKED, REFUSED = "told", "asked", "refused"  # how it did

NEW_TABLE = "new_table"  # a mark without a unit: from then on the memory says something else, and is measured anew


def measured_since(marks: Iterable[Mark]) -> str:
    """When a memory's present words came: uses assigned before then speak of the former ones. Empty where it never changed."""
    return max((mark.at for mark in marks if mark.signal == NEW_TABLE), default="")


def sightings(evidence: Iterable[Evidence]) -> int:
    """Distinct, independent sightings: two reviewers of one run are one, one document read in five runs is one.

    Rows that share a unit or a named origin are tied together; each knot of tied rows counts once.
    """
    parent: dict[str, str] = {}

    def top(name: str) -> str:
        while parent.setdefault(name, name) != name:
            name = parent[name]
        return name

    loose = 0.0
    for row in evidence:
        if row.signal != "seen" or row.stance != "supports":
            continue
        if row.opening:
            loose += row.amount
        elif row.root or row.run:
            unit = top("run:" + (row.root or row.run))
            if row.origin:
                parent[top("origin:" + row.origin)] = unit
        elif row.origin:
            top("origin:" + row.origin)
    return int(loose) + sum(1 for name in parent if parent[name] == name)


UNHEARD = "unheard"  # a sighting in a log that nobody stands for: kept, and never counted
INSTRUCTED = "instructed"  # it stands in an instruction file: every run reads it there, so no coin can withhold it
CONFIRMED = "confirmed"  # evidence of tier user, and what it adds up to: a person worded it anew or approved it
WITNESSED = "witnessed"  # something beside an agent's word speaks for it


def is_carried(signal: str) -> bool:
    """Whether a fold keeps a signal that no row of evidence, uses or marks tells."""
    return signal == INSTRUCTED


# 1: the unit came to neither a command nor a file that the lesson names; -1 where a later run of it did; 0 where the
# lesson names none, so that nobody can tell
UNMET = "unmet"
NOBODY_KNOWS = "nobody can tell"  # the value of such a mark where the lesson names no moment
# signals of marks of which nothing is known but their sum; one more is counted on, not folded
ADDED_UP = ("delivered", "cited", "crossed", "run_outcome", "helped", UNMET, FIRED, ENDING)
LOST = "faded"  # what fading took off the count of runs, as a negative number; the rest is the frequency (core.fade)
STATED_SIGNALS = (
    "confidence",
    "success_rate",
)  # as a source states them: the last word stands, nothing is added up


def contradictions(evidence: Sequence[Evidence]) -> int:
    return len({row.root or row.run or row.key for row in evidence if row.stance == "contradicts"})


def confidence_of(
    rule: str | Sequence[Any], evidence: Sequence[Evidence], marks: Sequence[Mark]
) -> float | None:
    """How sure a memory is, by a rule: its name alone, or with its numbers."""
    name, *numbers = (rule,) if isinstance(rule, str) else rule
    return CONFIDENCE[name](evidence, marks, *numbers)


def _no_confidence(evidence: Sequence[Evidence], marks: Sequence[Mark]) -> float | None:
    return None


def _stated(evidence: Sequence[Evidence], marks: Sequence[Mark]) -> float | None:
    """What the source said, last word first."""
    said = [row.amount for row in evidence if row.signal == "confidence"]
    less = sum(mark.amount for mark in marks if mark.signal == "weakened")
    return max(0.0, round(said[-1] + less, 10)) if said else None


def _by_sources(
    evidence: Sequence[Evidence],
    marks: Sequence[Mark],
    early: Sequence[float],
    reuse: float,
    contradicted: float,
) -> float | None:
    """A level by the number of sources, then a step for each reuse and contradiction, in their order; within 0 and 1.

    An imported or stated confidence already holds what is behind it: only sources that came later lift it further. A review that
    finds for the memory lifts it to at least the mark's amount, so that the next sweep does not undo the review.
    """
    supports = [row for row in evidence if row.stance == "supports" and row.signal == "seen"]
    brought = int(sum(row.amount for row in supports if row.opening))
    sources = brought + len({row.root or row.run or row.key for row in supports if not row.opening})
    openings = [row.amount for row in evidence if row.signal == "confidence" and row.opening]
    said = [row for row in evidence if row.signal == "confidence" and not row.opening]
    stated = len(
        {row.root or row.run or row.key for row in said}
    )  # sources whose number the statement stands for

    def by(count: int) -> float:
        return float(early[min(max(count, 1), len(early)) - 1])

    if openings:
        level = openings[-1] + by(sources) - by(brought)
    else:
        level = (
            max(row.amount for row in said) + by(max(sources, stated)) - by(stated)
            if said
            else by(sources)
        )
    steps = {"successful_reuse": reuse, "failed_reuse": -reuse}
    moves: list[tuple[str, int, float]] = [
        (row.at, 0, contradicted)
        for row in evidence
        if row.stance == "contradicts" and not row.opening
    ]
    moves += [
        (mark.at, 0, steps[mark.signal] * mark.amount)
        for mark in marks
        if mark.signal in steps and mark.unit
    ]
    moves += [(mark.at, 1, mark.amount) for mark in marks if mark.signal == "reinstated"]
    moves += [(mark.at, 0, mark.amount) for mark in marks if mark.signal == "weakened"]
    for _, lifted, step in sorted(moves):
        level = max(level, step) if lifted else min(1.0, max(0.0, round(level + step, 10)))
    return round(min(1.0, max(0.0, level)), 10)


CONFIDENCE: dict[str, Callable[..., float | None]] = {
    "none": _no_confidence,
    "stated": _stated,
    "sources": _by_sources,
}


# -- what a context was told ---------------------------------------------------------------------------------------------------

MAIN = ""
COMPACTED = (
    "hook:compact"  # the surface of an answer to a context that has just lost what it was told
)


@value
class Telling:
    """What one answer assigned to one context, given and withheld alike: the arm must not decide what counts."""

    context: str
    at: str
    surface: str
    given: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    tokens: int = 0


def assigned_in(tellings: Iterable[Telling], memory: str) -> dict[str, tuple[tuple[str, str], ...]]:
    """When each context held this lesson's assignment: (from, until) for each stretch, until is empty for its end.

    A compaction that did not assign it again ends a stretch.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    for each in tellings:
        stretches = found.setdefault(each.context, [])
        is_open = bool(stretches) and not stretches[-1][1]
        assigned = memory in each.given or memory in each.withheld
        if is_open and each.surface == COMPACTED and not assigned:
            stretches[-1] = (stretches[-1][0], each.at)
        elif assigned and not is_open:
            stretches.append((each.at, ""))
    return {context: tuple(stretches) for context, stretches in found.items() if stretches}
