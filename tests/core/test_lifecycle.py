"""The four states: which moves are legal, which a ladder makes, and what it says when it does not."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tacit.core.lifecycle import (
    LadderFacts,
    Move,
    Refusal,
    advance,
    allows,
    judge_move,
)
from tacit.core.states import (
    ACTIVE,
    ADMINISTRATIVE,
    DOUBTED,
    GONE,
    LEGAL,
    STATES,
    WAITING,
    is_legal,
)
from tacit.core.value import replace
from tacit.origins import ORIGINS, named
from tacit.origins.origin import GIVEN, STAGES

ANA = ("ana", "person")


# --- the table --------------------------------------------------------------------------------------------------------


def test_every_state_has_its_row() -> None:
    """The table speaks of the four states and of nothing else, and a move changes the state."""
    assert (tuple(LEGAL), {to for row in LEGAL.values() for to in row} <= set(STATES)) == (
        STATES,
        True,
    )
    assert [state for state in STATES if is_legal(state, state)] == []


def test_nothing_becomes_injectable_but_by_the_ladder() -> None:
    """Only what waits or is doubted can become active; what is gone starts over."""
    assert {state for state in STATES if is_legal(state, ACTIVE)} == {WAITING, DOUBTED}


def test_administrative_verbs_are_legal_from_every_state() -> None:
    """What a person does by hand leads where its verb leads, whatever the ladder says; it is never a move."""
    for state in STATES:
        for verb in ADMINISTRATIVE:
            assert is_legal(state, GONE, verb)
            assert is_legal(state, ACTIVE, verb) is (verb in ("undo", "unmerge", "sync"))


def test_words_that_are_no_state_lead_nowhere() -> None:
    """`reinstated` is an outcome of a review, not a state."""
    for state, to, verb in (
        (DOUBTED, "reinstated", ""),
        ("limbo", GONE, ""),
        ("limbo", GONE, "forget"),
    ):
        assert not is_legal(state, to, verb)


# geas's own program, and the two outcomes of a review that its document demands and its program refused.
GEAS = {
    "candidate": {"provisional", "rejected", "under_review"},
    "provisional": {"stable", "rejected", "under_review", "decayed"},
    "stable": {"canonical", "under_review", "decayed", "superseded"},
    "canonical": {"under_review", "decayed", "superseded", "archived"},
    "under_review": {
        "provisional",
        "stable",
        "canonical",
        "rejected",
        "decayed",
        "superseded",
        "archived",
    },
    "decayed": {"archived", "under_review"},
    "superseded": {"archived"},
    "archived": set(),
    "rejected": set(),
}


@pytest.mark.parametrize("state", STAGES)
def test_geas_moves_along_its_own_table(state: str) -> None:
    """All 81 pairs: geas's profile permits what its program and its document have, and nothing else."""
    assert {to for to in STAGES if allows(named("geas"), state, to)} == GEAS[state]


@pytest.mark.parametrize("name", ORIGINS)
def test_every_origin_has_a_way_up_and_out(name: str) -> None:
    """Under each origin a lesson can rise to canonical, be questioned, and be rejected."""
    profile = named(name)
    rising = [*pairwise(("candidate", *GIVEN))]
    wanted = [*rising, ("stable", "under_review"), ("candidate", "rejected")]
    assert [pair for pair in wanted if not allows(profile, *pair)] == []


def test_our_own_way_moves_between_the_four_states() -> None:
    """Up, into doubt and back, out from everywhere, and from there only to wait again."""
    moves = {(state, to) for state in STATES for to in STATES if allows(named(), state, to)}
    out = {(state, GONE) for state in (WAITING, ACTIVE, DOUBTED)}
    assert moves == out | {
        (WAITING, ACTIVE),
        (ACTIVE, DOUBTED),
        (DOUBTED, ACTIVE),
        (GONE, WAITING),
    }


def test_a_move_carries_its_reason() -> None:
    """The journal gets a sentence with the numbers that decided."""
    found = advance(named(), LadderFacts(ACTIVE, contradictions=3))
    reason = "3 contradictions of its text"
    assert found == Move(DOUBTED, reason, "contradicted", "contradiction")


def test_an_approval_counts_in_the_role_in_which_it_was_given() -> None:
    """An agent is not a person; without an approval a request stands or falls by its conditions."""
    for state, to, by in ((WAITING, ACTIVE, ("claude", "agent")), (ACTIVE, DOUBTED, None)):
        lacks = Refusal(f"{state} → {to} is not reached yet", "the approval of a person")
        found = judge_move(named(), LadderFacts(state), to, by)
        assert isinstance(found, Refusal) and found.reason == lacks.reason
        assert "the approval of a person" in found.missing


def test_where_the_state_before_is_unknown_each_is_open() -> None:
    """An imported memory under review remembers no state; a person says which."""
    standing = LadderFacts("under_review")
    joelclaw = named("joelclaw")
    assert [isinstance(judge_move(joelclaw, standing, to, ANA), Move) for to in GIVEN] == [
        True,
        True,
        True,
    ]


# --- geas's approvals ------------------------------------------------------------------------------------------------


SECURITY = {"kind": "security_pattern", "successful_reuses": 5, "tasks": 3}
ORCHESTRATION, RISK = ("olga", "orchestration_authority"), ("rita", "risk_specialist")


def test_joint_approval_names_both() -> None:
    """The journal says who approved, and as what."""
    standing = LadderFacts("stable", **SECURITY, approvals=(ORCHESTRATION,))  # type: ignore[arg-type]
    both = "olga (orchestration_authority) and rita (risk_specialist)"
    reason = f"5 successful reuses in 3 tasks, approved by {both}"
    assert judge_move(named("geas"), standing, "canonical", RISK) == Move(
        "canonical", reason, "joint-approval", "use"
    )


@pytest.mark.parametrize("outcome", ["stable", "superseded", "archived", "rejected"])
def test_geas_review_outcomes(outcome: str) -> None:
    """Its document's four outcomes of a review: back to the state before, superseded, archived, rejected."""
    standing = LadderFacts("under_review", kind="test_strategy", previous_state="stable")
    assert isinstance(
        judge_move(named("geas"), standing, outcome, ("quinn", "quality_specialist")), Move
    )
    third = replace(standing, under_review_count=3)  # which bars reinstatement
    assert outcome != "stable" or isinstance(
        judge_move(named("geas"), third, outcome, ANA), Refusal
    )


@pytest.mark.parametrize("role", ["rules", "model", "person"])
def test_joelclaw_promotes_by_any_tier(role: str) -> None:
    """Each of the three tiers may put a line on the page; nobody else may."""
    standing = LadderFacts("provisional", kind="operations")
    assert isinstance(judge_move(named("joelclaw"), standing, "stable", ("t", role)), Move)
    assert isinstance(judge_move(named("joelclaw"), standing, "stable", ("t", "agent")), Refusal)
