"""What all rows of one lesson add up to: sightings, uses, outcomes, and what to believe of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tacit.core.links import (
    CONFIRMED,
    INSTRUCTED,
    LOST,
    NEW_TABLE,
    STATED_SIGNALS,
    UNKNOWN,
    UNTOLD,
    WITNESSED,
    Evidence,
    Mark,
    Use,
    confidence_of,
    contradictions,
    is_carried,
    measured_since,
    sightings,
)
from tacit.core.memory import NO_TALLY, OWNER, WITNESSES, Tally
from tacit.trial.belief import belief_from


def tally_of(
    evidence: Sequence[Evidence],
    uses: Sequence[Use],
    marks: Sequence[Mark],
    confidence: str = "none",
    kept: Tally = NO_TALLY,
) -> Tally:
    """What all rows of one memory add up to; of what was `kept` only that goes on which no row tells."""
    outcome: dict[str, str] = {}
    signals: dict[str, float] = {}
    for mark in marks:  # in order of writing: growth settles again, the last outcome stands
        if mark.signal == "outcome":
            outcome[mark.unit] = mark.value
        else:
            signals[mark.signal] = signals.get(mark.signal, 0) + mark.amount
    for row in evidence:
        if row.signal in STATED_SIGNALS[1:]:
            signals[row.signal] = row.amount
        elif row.opening and row.signal not in ("seen", "confidence"):
            signals[row.signal] = signals.get(row.signal, 0) + row.amount
    # an opening balance and another machine's mark are somebody else's word: they spare nobody the coin
    for said in (CONFIRMED, INSTRUCTED, WITNESSED):
        signals.pop(said, None)
    if any(row.tier in WITNESSES and row.stance == "supports" for row in evidence):
        signals[WITNESSED] = 1.0
    if (
        sum(
            row.amount
            for row in evidence
            if row.signal == CONFIRMED and row.tier == OWNER and not row.opening
        )
        > 0
    ):
        signals[CONFIRMED] = 1.0
    injected = {use.unit for use in uses if use.arm != "withheld"}
    signals.pop(NEW_TABLE, None)
    since = measured_since(marks)
    tossed = [
        use
        for use in uses
        if use.arm != "exempt"
        and not use.blank
        and use.at > since
        and outcome.get(use.unit) in ("occurred", "not_occurred")
    ]
    if untold := _untold({use.unit for use in uses if not use.blank and use.at > since}, outcome):
        signals[UNTOLD] = float(untold)
    if tossed:
        signals["units"] = float(len(tossed))
        signals["tasks"] = float(len({use.task or use.unit for use in tossed}))
    belief = None
    if outcome and any(
        use.arm != "exempt" and use.at > since and use.unit in outcome for use in uses
    ):
        believed = belief_from(uses, marks)
        belief, signals["belief_harm"] = believed.help, believed.harm
    signals.update(
        {
            name: amount
            for name, amount in (kept.signals or {}).items()
            if is_carried(name) and amount
        }
    )
    supports = [row for row in evidence if row.stance == "supports" and row.signal == "seen"]
    seen = sightings(evidence)
    if LOST in signals:
        signals["frequency"] = max(0.0, seen + signals[LOST])
    return Tally(
        seen=seen,
        uses=len(uses) + int(signals.pop("uses", 0)),
        clean=sum(
            1 for unit, word in outcome.items() if unit in injected and word == "not_occurred"
        ),
        recurred=sum(
            1 for unit, word in outcome.items() if unit in injected and word == "occurred"
        ),
        contradicted=max(0, contradictions(evidence) + int(signals.pop("contradicted", 0))),
        confidence=confidence_of(confidence, evidence, marks),
        belief=belief,
        seen_at=max((row.at for row in supports), default="") or None if seen else None,
        last_used_at=max((use.at for use in uses if use.arm != "withheld"), default="") or None,
        signals=signals or None,
    )


def _untold(units: set[str], outcome: Mapping[str, str]) -> int:
    """How many of these units, the last ones in a row, could not tell what became of it."""
    count = 0
    for unit, word in outcome.items():
        if unit in units:
            count = count + 1 if word == UNKNOWN else 0
    return count
