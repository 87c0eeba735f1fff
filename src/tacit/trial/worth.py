"""What the lessons were worth, in things people count: failures, calls, minutes, tokens.

A loss is the calls until a problem was overcome, over eight; so a difference of losses is one of calls, and a lower
bound where more than eight were lost. Minutes and tokens follow from what a call takes in this project; a session whose
host bills no tokens counts for neither. It is told only where the lessons together are known to help, or to harm.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import TYPE_CHECKING, Any

from tacit.core.links import UNKNOWN, Use
from tacit.core.value import value
from tacit.trial.evalue import ALPHA, HARMS, HELPS, log_e, tabulate, trial_of
from tacit.trial.outcome import NOT_OCCURRED, OCCURRED

if TYPE_CHECKING:
    from tacit.trial.evalue import Table
    from tacit.trial.pooled import Pooled

    Span = tuple[float, float, float]  # about, at least, at most

# among a session's facts: success or failure, as its last tests, its commit or its person's last words tell
RUN_ENDED = "ended"
_FAILED = {"failure": OCCURRED, "success": NOT_OCCURRED}


@value
class UnitFacts:
    """One unit of work with all its runs."""

    outcome: str  # success, failure, or a word that says neither
    at: str = ""  # when its first run was settled
    calls: int = 0  # of tools
    tokens: float = 0.0  # that the host bills as new, in and out; 0 where it bills none


def unit_of(parts: Sequence[tuple[str, str, Mapping[str, Any]]]) -> UnitFacts:
    """A unit from its settled runs in order (outcome, when settled, facts): its last word on success stands, the host's
    own or how the run itself ended; the rest adds up."""
    said = [
        facts.get(RUN_ENDED, outcome) if outcome not in _FAILED else outcome
        for outcome, _, facts in parts
    ]
    told = [outcome for outcome in said if outcome in _FAILED]
    costs = [cost for _, _, facts in parts if (cost := facts.get("cost"))]
    return UnitFacts(
        told[-1] if told else UNKNOWN,
        parts[0][1],
        sum(facts.get("calls", 0) for _, _, facts in parts),
        sum(float(cost.get(name) or 0) for cost in costs for name in ("input", "output")),
    )


def failed_sessions(
    uses: Iterable[Use], units: Mapping[str, UnitFacts], since: str
) -> dict[float, Any]:
    """A lesson's second table, by its present words: occurred where the unit failed."""
    found = [
        trial_of(use, _FAILED.get(units[use.unit].outcome, UNKNOWN), units[use.unit].at)
        for use in uses
        if use.unit in units and use.at > since
    ]
    return tabulate(sorted(found, key=lambda trial: (trial.at, trial.unit)))


def ruins(table: Table, alpha: float = ALPHA) -> bool:
    """Whether more of the sessions that get a lesson fail: it may spare its problem by sparing the work. At half of
    alpha, and nothing but this side is ever claimed of it."""
    return bool(table) and log_e(table, 0.0, "harm") >= log(2.0 / alpha)


@value
class Worth:
    """What was spared so far where lessons were given: about, at least, at most; negative is a loss."""

    word: str  # the verdict behind it
    units: int  # sessions that were given them
    calls: Span
    minutes: Span | None = None
    tokens: Span | None = None

    @property
    def sentence(self) -> str:
        """For people; empty where the lessons are not known to help or to harm."""
        if self.word not in (HELPS, HARMS):
            return ""
        sign = 1 if self.word == HELPS else -1
        about, *ends = (sign * each for each in self.calls)
        head = f"{'Spared' if sign > 0 else 'Cost'} about {about:,.0f} calls of agents"
        named = ((self.minutes, "min"), (self.tokens, "tokens"))
        parts = [f"{sign * span[0]:,.0f} {unit}" for span, unit in named if span]
        beside = f": {', '.join(parts)}" if parts else ""
        where = f"over {self.units} sessions that were given them"
        return f"{head} ({min(ends):,.0f} to {max(ends):,.0f}){beside}, {where}."


def worth(
    together: Pooled, seconds_a_call: float | None, units: Iterable[UnitFacts]
) -> Worth | None:
    """What all lessons on trial spared; None where nothing was settled in both arms."""
    if together.calls is None:
        return None
    spared, told = together.calls, [unit for unit in units if unit.calls and unit.tokens]
    calls = sum(unit.calls for unit in told)

    def times(by: float) -> Span | None:
        about, least, most = spared
        return (about * by, least * by, most * by) if by else None

    return Worth(
        together.word,
        together.given,
        spared,
        times((seconds_a_call or 0.0) / 60),
        times(sum(unit.tokens for unit in told) / calls if calls else 0.0),
    )
