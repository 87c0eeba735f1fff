"""The origins' gates: joelclaw's, which reads a model's annotation, Ralph's, which checks figures, and the open one of ArcheFlow and geas.

All begin as every gate does; what their documents call noise is `noise`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from tacit.core.run import OUTRIGHT, Finding
from tacit.core.value import replace, value
from tacit.learn.gate import GateDecision, GateRules, KnownLines, settled_first
from tacit.origins.noise import MERITS, noise_in

JOELCLAW_VERSION = "v1"  # the original's own
# joelclaw, ADR-0094: confidence of what could not be read, and of an annotation without a figure
UNREAD, STATED_CONFIDENCE = 0.35, 0.65


def annotation(finding: Finding, rules: GateRules, known_lines: KnownLines = None) -> GateDecision:
    """joelclaw's gate: the observing model annotates each fact, `[gate=allow confidence=.92 reason=…] text`.

    What carries no readable verdict is allowed at a confidence of .35 and flagged; what was never annotated, since somebody submitted it
    or a rule derived it, is no failure to read, and what it names decides its confidence. Scraps, tool traces and edits are
    discarded whatever the annotation says: so the document; the original lets them in.
    """
    note = read_annotation(finding.text)
    blank = GateDecision("allow", "", JOELCLAW_VERSION, category=note.category, text=note.text)
    settled = settled_first(replace(finding, text=note.text), rules, known_lines, finding.text)
    noise = noise_in(note.text, finding.tier, rules)
    if noise and (settled is None or settled.outcome != "quarantine"):
        return replace(blank, outcome="discard", reason=noise)  # scraps and traces wait for nobody
    if settled is not None:
        return replace(blank, outcome=settled.outcome, reason=settled.reason, linked=settled.linked)
    if not note.verdict and _is_submitted(finding):
        concrete = next(
            (
                reason
                for reason, mark in (MERITS[name] for name in rules.favour)
                if mark.search(note.text)
            ),
            "",
        )
        sure = STATED_CONFIDENCE if concrete else UNREAD
        return replace(
            blank,
            reason=f"submitted, {concrete or 'names nothing that could be checked'}",
            confidence=sure,
        )
    if note.verdict not in ("allow", "hold", "discard"):
        return replace(blank, reason="parse_fallback", fallback=True, confidence=UNREAD)
    stated = STATED_CONFIDENCE if note.confidence is None else min(1.0, max(0.0, note.confidence))
    reason = note.reason[:120] or "llm_classified"
    return replace(blank, outcome=note.verdict, reason=reason, confidence=stated)


def open_gate(finding: Finding, rules: GateRules, known_lines: KnownLines = None) -> GateDecision:
    """ArcheFlow's and geas's gate: none of its own but the noise that geas names. What their reviewers say is a candidate."""
    settled = settled_first(finding, rules, known_lines)
    if settled is None and (noise := noise_in(finding.text, finding.tier, rules)):
        return GateDecision("discard", noise)
    return settled or GateDecision("allow", "this profile has no gate")


def validation(finding: Finding, rules: GateRules, known_lines: KnownLines = None) -> GateDecision:
    """Ralph's gate: required fields, a declared kind, figures within their ranges; the first fault gives the reason.

    A figure that a check asks for and the finding lacks fails it: the original lets a missing confidence pass.
    """
    settled = settled_first(finding, rules, known_lines)
    if settled is not None:
        return settled
    fault = _fault(finding, rules)
    if fault:
        return GateDecision("discard", fault, rejected=True)
    return GateDecision("allow", "within all ranges")


# --- Ralph's checks ---------------------------------------------------------------------------------------------------


# The figure, the kind it is asked of (none: every one), its range, and what is said where it lies outside; the first decides.
Check = tuple[str, str, float, float, str]
RANGES: tuple[Check, ...] = (
    ("confidence", "", 0.0, 1.0, "Confidence must be between 0 and 1"),
    ("success_rate", "", 0.0, 1.0, "Success rate must be between 0 and 1"),
)


def _checks(way: Any) -> tuple[Check, ...]:
    """By the origin's own numbers."""
    low = "Anti-patterns should have low success rate"
    high = "Strategies should have success rate >= 0.5"
    return (
        ("confidence", "", way.LEAST_SURE, 1.0, "Confidence too low (< 0.3)"),
        ("success_rate", "antipattern", 0.0, way.MOST_SUCCESS, low),
        ("success_rate", "strategy", way.LEAST_SUCCESS, 1.0, high),
    )


def _fault(finding: Finding, rules: GateRules) -> str:
    extra = finding.extra or {}
    said = {"confidence": finding.confidence, "success_rate": extra.get("success_rate")}
    fault = _unsound(finding.kind, finding.task_type, finding.text, said, rules)
    came = extra.get("record")
    if came and not fault:  # as it was written, before anything was mended
        figures = {"confidence": came.get("confidence"), "success_rate": came.get("successRate")}
        fault = _unsound(came.get("type"), came.get("taskType"), came["content"], figures, rules)
    return fault or _outside(said, _checks(rules.way), finding.kind)


def _unsound(kind: Any, task: Any, said: Any, figures: Mapping[str, Any], rules: GateRules) -> str:
    if not (kind and task and said):
        return "Missing required fields (type, taskType, content)"
    if rules.kinds and kind not in rules.kinds:
        return f"Invalid type: {kind}"
    return _outside(figures, RANGES)


def _outside(figures: Mapping[str, Any], checks: Sequence[Check], of: str = "") -> str:
    """What is said of the first figure that is missing, no number, or outside of its range."""
    for name, kind, low, high, reason in checks:
        figure = figures.get(name)
        is_number = isinstance(figure, (int, float)) and not isinstance(figure, bool)
        if kind in ("", of) and not (is_number and low <= figure <= high):
            return reason
    return ""


# --- joelclaw's annotation --------------------------------------------------------------------------------------------


@value
class Annotation:
    """What the observing model wrote in front of a fact."""

    text: str
    verdict: str = ""
    confidence: float | None = None
    reason: str = ""
    category: str = ""


def read_annotation(fact: str) -> Annotation:
    """A fact and the `[key=value …]` in front of it; brackets without keys are taken off and say nothing."""
    line = re.sub(
        r"^\s*(?:[-*+•](?:\s+|(?=[🔴🟡🟢\[])))?(?:[🔴🟡🟢]\ufe0f?\s*)?", "", fact.strip(), count=1
    )
    match = re.match(r"\[([^\]]*)\]\s*(.*)", line, re.S)
    if match is None:
        return Annotation(line.strip())
    said = {
        key.lower(): stated.strip("\"'")
        for key, stated in re.findall(r"(\w+)\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s\]]+)", match[1])
    }
    return Annotation(
        text=match[2].strip(),
        verdict=said.get("gate", said.get("verdict", "")).lower(),
        confidence=_number(said.get("confidence", said.get("conf", ""))),
        reason=said.get("reason", ""),
        category=said.get("category", ""),
    )


def _is_submitted(finding: Finding) -> bool:
    return (
        finding.extractor != OUTRIGHT
        or (finding.extra or {}).get("observation_type") == "submitted"
    )


def _number(text: str) -> float | None:
    """The number that a text begins with, as models write one: ".9", "0.92,", "92%"."""
    found = re.match(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?)\s*(%?)", text, re.I)
    if found is None:
        return None
    return float(found[1]) / (100 if found[2] else 1)
