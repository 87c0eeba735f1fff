"""The four states: which moves are legal, which a ladder makes, and what it says when it does not."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tacit.core.ladder import PLAIN, Move, Refusal, Standing
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
from tacit.origins import ORIGINS, named
from tacit.origins.ladder import Known
from tacit.origins.origin import GIVEN, STAGES

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
    assert {to for to in STAGES if named("geas").ladder.allows(state, to)} == GEAS[state]


@pytest.mark.parametrize("name", ORIGINS)
def test_every_origin_has_a_way_up_and_out(name: str) -> None:
    """Under each origin a lesson can rise to canonical, be questioned, and be rejected."""
    ladder = named(name).ladder
    rising = [*pairwise(("candidate", *GIVEN))]
    wanted = [*rising, ("stable", "under_review"), ("candidate", "rejected")]
    assert [pair for pair in wanted if not ladder.allows(*pair)] == []


def test_our_own_way_moves_between_the_four_states() -> None:
    """Up, into doubt and back, out from everywhere, and from there only to wait again."""
    moves = {(state, to) for state in STATES for to in STATES if PLAIN.allows(state, to)}
    out = {(state, GONE) for state in (WAITING, ACTIVE, DOUBTED)}
    assert moves == out | {
        (WAITING, ACTIVE),
        (ACTIVE, DOUBTED),
        (DOUBTED, ACTIVE),
        (GONE, WAITING),
    }


def test_an_approval_counts_in_the_role_in_which_it_was_given() -> None:
    """An agent is not a person; without an approval a request stands or falls by its conditions."""
    for state, to, by in ((WAITING, ACTIVE, ("claude", "agent")), (ACTIVE, DOUBTED, None)):
        found = PLAIN.judge(Standing(state), to, by)
        assert found == Refusal(f"{state} → {to} is not reached yet", "the approval of a person")


def test_joint_approval_names_both() -> None:
    """The journal says who approved, and as what."""
    geas, olga = named("geas"), ("olga", "orchestration_authority")
    standing = Known(
        "stable",
        way=geas,
        kind="security_pattern",
        successful_reuses=5,
        tasks=3,
        approvals=(olga,),
    )
    both = "olga (orchestration_authority) and rita (risk_specialist)"
    reason = f"5 successful reuses in 3 tasks, approved by {both}"
    found = geas.ladder.judge(standing, "canonical", ("rita", "risk_specialist"))
    assert found == Move("canonical", reason, "use")


def test_where_the_stage_before_is_unknown_each_is_open() -> None:
    """An imported lesson under review remembers no stage; a person says which."""
    joelclaw = named("joelclaw")
    standing = Known("under_review", way=joelclaw)
    for to in GIVEN:
        assert isinstance(joelclaw.ladder.judge(standing, to, ("ana", "person")), Move)


@pytest.mark.parametrize("role", ["rules", "model", "person"])
def test_joelclaw_promotes_by_any_tier(role: str) -> None:
    """Each of the three tiers may put a line on the page; nobody else may."""
    joelclaw = named("joelclaw")
    standing = Known("provisional", way=joelclaw, kind="operations")
    assert isinstance(joelclaw.ladder.judge(standing, "stable", ("t", role)), Move)
    assert isinstance(joelclaw.ladder.judge(standing, "stable", ("t", "agent")), Refusal)
