"""The nine states: which moves are legal, which a ladder makes, and what it says when it does not."""

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
from tacit.core.states import ACTIVE, ADMINISTRATIVE, INJECTABLE, LEGAL, STATES, is_legal
from tacit.core.value import replace
from tacit.origins import ORIGINS, named

ANA = ("ana", "person")


# --- the table --------------------------------------------------------------------------------------------------------


def test_every_state_has_its_row() -> None:
    """The table speaks of the nine states and of nothing else, and a move changes the state."""
    assert (tuple(LEGAL), {to for row in LEGAL.values() for to in row} <= set(STATES)) == (
        STATES,
        True,
    )
    assert [state for state in STATES if is_legal(state, state)] == []


def test_nothing_becomes_injectable_but_by_the_ladder() -> None:
    """Only a candidate, an injectable memory or one under review can become injectable."""
    found = {state for state in STATES for to in INJECTABLE if is_legal(state, to)}
    assert found == {"candidate", "provisional", "stable", "under_review"}


def test_administrative_verbs_are_legal_from_every_state() -> None:
    """What a person does by hand leads where its verb leads, whatever the ladder says; it is never a move."""
    for state in STATES:
        assert {verb: is_legal(state, "archived", verb) for verb in ADMINISTRATIVE} == {
            "forget": True,
            "merge": False,
            "erase": False,
            "undo": True,
            "unmerge": True,
            "sync": True,
        }
        assert is_legal(state, "superseded", "merge")
        assert is_legal(state, "rejected", "erase")


def test_words_that_are_no_state_lead_nowhere() -> None:
    """`reinstated` is an outcome of a review, not a state."""
    for state, to, verb in (
        ("under_review", "reinstated", ""),
        ("limbo", "archived", ""),
        ("limbo", "archived", "forget"),
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


@pytest.mark.parametrize("state", STATES)
def test_geas_moves_along_its_own_table(state: str) -> None:
    """All 81 pairs: geas's profile permits what its program and its document have, and nothing else."""
    assert {to for to in STATES if allows(named("geas"), state, to)} == GEAS[state]


@pytest.mark.parametrize("name", ("default", *ORIGINS))
def test_every_profile_has_a_way_up_and_out(name: str) -> None:
    """Under each profile a lesson can rise to canonical, be questioned, and be rejected."""
    profile = named(name)
    wanted = [*pairwise(ACTIVE), ("stable", "under_review"), ("candidate", "rejected")]
    assert [pair for pair in wanted if not allows(profile, *pair)] == []


def test_a_move_carries_its_reason() -> None:
    """The journal gets a sentence with the numbers that decided."""
    found = advance(named(), LadderFacts("provisional", contradictions=3))
    reason = "3 contradictions of its text"
    assert found == Move("under_review", reason, "contradicted", "contradiction")


def test_an_approval_counts_in_the_role_in_which_it_was_given() -> None:
    """An agent is not a person; without an approval a request stands or falls by its conditions."""
    candidate, helpful = LadderFacts("candidate"), LadderFacts("stable", verdict="helps")
    for standing, to, by in (
        (candidate, "provisional", ("claude", "agent")),
        (helpful, "canonical", None),
    ):
        lacks = Refusal(f"{standing.state} → {to} is not reached yet", "the approval of a person")
        assert judge_move(named(), standing, to, by) == lacks


def test_where_the_state_before_is_unknown_each_is_open() -> None:
    """An imported memory under review remembers no state; a person says which."""
    standing = LadderFacts("under_review")
    assert [isinstance(judge_move(named(), standing, to, ANA), Move) for to in INJECTABLE] == [
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
