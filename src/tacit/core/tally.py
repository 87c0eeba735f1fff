"""What all rows of one lesson add up to: sightings, uses, outcomes."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.core.links import (
    CONFIRMED,
    INSTRUCTED,
    LOST,
    NEW_TABLE,
    STATED_SIGNALS,
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
from tacit.lesson import NO_TALLY, OWNER, WITNESSES, Tally


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
        and use.at > since
        and outcome.get(use.unit) in ("occurred", "not_occurred")
    ]
    if tossed:
        signals["units"] = float(len(tossed))
        signals["tasks"] = float(len({use.task or use.unit for use in tossed}))
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
        seen_at=max((row.at for row in supports), default="") or None if seen else None,
        last_used_at=max((use.at for use in uses if use.arm != "withheld"), default="") or None,
        signals=signals or None,
    )
