"""joelclaw's gate by its annotation, Ralph's by its figures."""

from __future__ import annotations

import pytest

from tacit.core.run import Finding
from tacit.core.value import replace
from tacit.learn.gate import GateDecision, GateRules
from tacit.origins.gates import Annotation, annotation, open_gate, read_annotation, validation

RULES = GateRules()


def finding(text: str, tier: str = "agent") -> Finding:
    return Finding("r1", "line:1", text, tier=tier)


# --- joelclaw ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fact", "note"),
    [
        (
            "- 🔴 [gate=allow confidence=0.9 category=jc:operations reason=fix] Restart clears the lock",
            Annotation("Restart clears the lock", "allow", 0.9, "fix", "jc:operations"),
        ),
        (
            "[verdict=HOLD conf=.4 reason='no context'] Rate was raised",
            Annotation("Rate was raised", "hold", 0.4, "no context"),
        ),
        ("[gate=hold confidence=high] Another region", Annotation("Another region", "hold")),
        ("[WIP] Alarm is set to 500", Annotation("Alarm is set to 500")),
        ("Alarm is 500 [gate=discard]", Annotation("Alarm is 500 [gate=discard]")),
        ("", Annotation("")),
    ],
)
def test_annotations(fact: str, note: Annotation) -> None:
    """Bullet and priority mark go, keys have two spellings, values may be quoted, only the front counts."""
    assert read_annotation(fact) == note


def test_joelclaws_gate_follows_the_annotation() -> None:
    """The stated verdict holds, its confidence within 0 and 1."""
    decision = annotation(
        finding("[gate=hold confidence=1.7 reason=ambiguous] Deploys may move"), RULES
    )
    assert decision == GateDecision(
        "hold", "ambiguous", "v1", confidence=1.0, text="Deploys may move"
    )


def test_joelclaws_gate_fails_open_and_says_so() -> None:
    """Without a readable verdict: allowed at .35, flagged."""
    decision = annotation(finding("[gate=maybe] The cache is warmed at seven"), RULES)
    assert decision == GateDecision(
        "allow",
        "parse_fallback",
        "v1",
        fallback=True,
        confidence=0.35,
        text="The cache is warmed at seven",
    )


@pytest.mark.parametrize(
    "fact",
    [
        "[gate=allow confidence=0.9] ok done",
        "[gate=allow] <toolCall>ls</toolCall> and more",
        "[gate=allow] Replace the second bullet with a shorter one",
    ],
)
def test_joelclaws_gate_discards_noise_whatever_the_annotation_says(fact: str) -> None:
    """The document discards scraps, tool traces and instruction edits; the original lets them in."""
    assert annotation(finding(fact), RULES).outcome == "discard"


# --- Ralph and ArcheFlow ----------------------------------------------------------------------------------------------


CHECKED = GateRules(kinds=("strategy", "antipattern", "estimate"))


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({}, ""),
        ({"task_type": ""}, "Missing required fields (type, taskType, content)"),
        ({"kind": "hunch"}, "Invalid type: hunch"),
        ({"confidence": 1.2}, "Confidence must be between 0 and 1"),
        ({"confidence": None}, "Confidence must be between 0 and 1"),
        ({"confidence": 0.29}, "Confidence too low (< 0.3)"),
        ({"confidence": 0.3}, ""),
        ({"extra": {"success_rate": 0.49}}, "Strategies should have success rate >= 0.5"),
        ({"extra": {}}, "Success rate must be between 0 and 1"),
        (
            {"kind": "antipattern", "extra": {"success_rate": 0.21}},
            "Anti-patterns should have low success rate",
        ),
        ({"kind": "antipattern", "extra": {"success_rate": 0.2}}, ""),
    ],
)
def test_ralphs_gate_checks_figures(changes: dict[str, object], fault: str) -> None:
    """The first violated rule gives the reason, and what it refuses is kept as rejected."""
    figures = {"confidence": 0.8, "extra": {"success_rate": 0.5}}
    good = {"kind": "strategy", "task_type": "test-fix", **figures, **changes}
    decision = validation(replace(finding("Write the tests first"), **good), CHECKED)
    expected = (
        GateDecision("discard", fault, rejected=True)
        if fault
        else GateDecision("allow", "within all ranges")
    )
    assert (decision, decision.stored) == (expected, True)


def test_what_was_submitted_is_no_failure_to_read() -> None:
    """Nobody annotated it: what it names decides."""
    said = finding("The cache is warmed at seven")
    for submitted in (
        replace(said, extra={"observation_type": "submitted"}),
        replace(said, extractor="wishes"),
    ):
        assert (
            annotation(submitted, RULES).reason == "submitted, names nothing that could be checked"
        )
    assert (
        annotation(replace(said, extra={"observation_type": "heard"}), RULES).reason
        == "parse_fallback"
    )


# --- ArcheFlow and geas -----------------------------------------------------------------------------------------------


def test_the_open_gate_stops_only_the_noise_its_profile_names() -> None:
    """What ArcheFlow's reviewers say is a candidate, hedged or short; geas discards traces."""
    open_rules = GateRules(min_chars=0, discard=("tool_trace",))
    assert open_gate(finding("maybe flaky", "review"), open_rules) == GateDecision(
        "allow", "this profile has no gate"
    )
    assert open_gate(finding("<toolCall>ls</toolCall>"), open_rules) == GateDecision(
        "discard", "a tool trace"
    )
