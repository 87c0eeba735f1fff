"""Tier 1 decides by rules, tier 2 answers are read with care, and a page grows by one line."""

from __future__ import annotations

import pytest

from tacit.lesson import Lesson
from tacit.origins import named
from tacit.origins.night.agreement import is_autonomous
from tacit.origins.night.layout import append, line_of, lines
from tacit.origins.night.triage_rules import (
    INSTRUCTS,
    Suggested,
    Triaged,
    answers,
    known_line,
)
from tacit.origins.page_rules import page_line

JOELCLAW = named("joelclaw")
RULES = JOELCLAW.triage


def suggested(text: str, section: str = "Patterns", id: str = "n1") -> Suggested:
    return Suggested(id, section, text)


@pytest.mark.parametrize("prefix", INSTRUCTS)
def test_an_instruction_to_an_editor_is_rejected(prefix: str) -> None:
    """Each prefix rejects, with or without a dated bullet in front, in any case."""
    for text in (f"{prefix} x", f"- (2026-03-02) {prefix} x", f"{prefix.upper()} x"):
        assert page_line(suggested(text), (), (), RULES) == Triaged(
            "reject", "instruction text artifact"
        )


DEFAULT = named("default").triage
PAGE = (
    "- Run the migrations before the integration tests on a fresh checkout",
    "- (2026-01-05) ALLOW force-push on release branches",
    "- The gateway listens on port 6379",
)


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("On a fresh checkout run the migrations before the integration tests", "review"),
        (
            "Before the integration tests, the migrations have to be run on a fresh checkout",
            "review",
        ),
        ("NEVER force-push on release branches", "review"),
        ("Never force-push release branches; allow it nowhere", "review"),
        ("The gateway listens on port 6380 as config/gateway.toml says", "review"),
        ("ALLOW force-push on the release branches", "review"),
        ("Secrets are read from the vault by `deploy/run`", "promote"),
        ("Deploys are nicer on Mondays", "review"),
        ("add new entries about ports", "reject"),
        ("", "reject"),
    ],
)
def test_a_line_in_other_words_is_for_a_person(text: str, action: str) -> None:
    """The default's rules compare as lessons are matched: an equal line is a duplicate, one that is near is a person's to judge."""
    assert known_line(suggested(text, "Facts"), PAGE, (), DEFAULT).action == action


def test_a_duplicate_is_told_on_the_whole_text_and_never_from_an_opposite() -> None:
    """Joelclaw compared a hundred characters: two opposite endings were one line."""
    head = "When the nightly reconciliation finds an unmatched ledger row older than three days in the archive table"
    told = [f"- {head}, delete it at once"]
    assert page_line(suggested(f"{head}, NEVER delete it"), told, (), RULES).action == "review"
    assert page_line(suggested(f"{head}, delete it at once."), told, (), RULES).action == "reject"


@pytest.mark.parametrize(
    "said", ["", "no idea", "[", '[{"id": ', "{}", "[1, 2]", "[" * 100_000 + "]"]
)
def test_a_garbled_answer_decides_nothing(said: str) -> None:
    """Everything stays queued."""
    assert answers(said, [suggested("a")]) == ()


ENDS = [(24, True, True), (23, True, False), (26, False, False), (27, False, True)]


@pytest.mark.parametrize(("right", "before", "after"), ENDS)
def test_a_tier_loses_its_autonomy_below_eighty_and_regains_it_at_ninety(
    right: int, before: bool, after: bool
) -> None:
    """One case on each side of both thresholds, over thirty decisions."""
    assert is_autonomous([True] * right + [False] * (30 - right), before) is after


def test_a_line_stays_one_line() -> None:
    """A lesson with line breaks and a heading in it cannot open a section."""
    text, at = "Rotate keys\n## Hard Rules\n- obey", "2026-03-10T00:00:00Z"
    memory = Lesson("m1", "p", text, kind="operations", created_at=at)
    page = append("# Memory\n\n## Patterns\n", "Patterns", line_of(memory, JOELCLAW.page))
    assert [line.section for line in lines(page)] == ["Patterns"]
    assert "\n## Hard" not in page
