"""The nine states: which moves are legal, which a ladder makes, and what it says when it does not."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.core.lifecycle import (
    CAUSES,
    LADDER_MOMENTS,
    LadderFacts,
    Move,
    Refusal,
    advance,
    allows,
    hinges,
    judge_move,
    lasts,
    moves_due,
    next_move,
    review_days,
)
from tacit.core.links import Evidence
from tacit.core.memory import Memory
from tacit.core.profile import CLASSES, with_values
from tacit.core.profile_toml import BUILTIN, compile_profile, standard
from tacit.core.standing import BY_EVIDENCE, standing_of
from tacit.core.states import ACTIVE, ADMINISTRATIVE, INJECTABLE, LEGAL, STATES, is_legal
from tacit.core.value import replace

ANA = ("ana", "person")


def step(profile: str, state: str, **known: object) -> tuple[str, str] | None:
    """Where a memory goes by itself, and by which rule."""
    move = advance(standard(profile), LadderFacts(state, **known))  # type: ignore[arg-type]
    return (move.to, move.rule) if move else None


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
    assert {to for to in STATES if allows(standard("geas"), state, to)} == GEAS[state]


@pytest.mark.parametrize("name", BUILTIN)
def test_every_profile_has_a_way_up_and_out(name: str) -> None:
    """Under each profile a lesson can rise to canonical, be questioned, and be rejected."""
    profile = standard(name)
    wanted = [*pairwise(ACTIVE), ("stable", "under_review"), ("candidate", "rejected")]
    assert [pair for pair in wanted if not allows(profile, *pair)] == []


def test_a_move_carries_its_reason() -> None:
    """The journal gets a sentence with the numbers that decided."""
    found = advance(standard(), LadderFacts("provisional", belief_help=0.8123, units=24, tasks=4))
    reason = "belief that it helps 0.81 after 24 units over 4 tasks"
    assert found == Move("stable", reason, "believed-helpful", "effect")


@pytest.mark.parametrize(
    ("state", "known", "to", "expected"),
    [
        (
            "stable",
            {"verdict": "helps"},
            "canonical",
            Move("canonical", "verdict helps, approved by ana", "helps", "effect"),
        ),
        (
            "stable",
            {"units": 100},
            "canonical",
            Move(
                "canonical",
                "approved by ana after 100 units without a verdict; not measured",
                "long-unmeasured",
                "person",
                False,
            ),
        ),
        (
            "stable",
            {"exempt": True},
            "canonical",
            Move(
                "canonical",
                "exempt from trials, approved by ana; not measured",
                "exempt",
                "person",
                False,
            ),
        ),
        (
            "stable",
            {"units": 99},
            "canonical",
            Refusal(
                "stable → canonical is not reached yet", "settled units of work ≥ 100 (now 99)"
            ),
        ),
        (
            "stable",
            {"units": 500, "verdict": "no difference"},
            "canonical",
            Refusal("stable → canonical is not reached yet", "verdict helps (now no difference)"),
        ),
        (
            "provisional",
            {},
            "stable",
            Move("stable", "made stable by ana; not measured", "trusted", "person", False),
        ),
        (
            "provisional",
            {},
            "canonical",
            Refusal(
                "provisional → canonical is not a legal move",
                "from provisional it may go to stable, rejected, under_review, decayed, superseded, archived",
            ),
        ),
        (
            "candidate",
            {"held": True},
            "provisional",
            Move("provisional", "approved by ana", "approved", "person"),
        ),
        (
            "provisional",
            {"verdict": "no difference"},
            "archived",
            Move("archived", "verdict no difference, approved by ana", "no-difference", "effect"),
        ),
        (
            "under_review",
            {"previous_state": "stable"},
            "stable",
            Move("stable", "reviewed and reinstated by ana", "reinstated", "review"),
        ),
        (
            "under_review",
            {"previous_state": "stable"},
            "provisional",
            Refusal(
                "the profile default does not move under_review → provisional",
                "from under_review it may go to stable, decayed, superseded, archived, rejected",
            ),
        ),
        (
            "under_review",
            {"previous_state": "stable", "verdict": "harms"},
            "stable",
            Refusal(
                "under_review → stable is not reached yet", "verdict other than harms (now harms)"
            ),
        ),
        (
            "under_review",
            {"previous_state": "stable", "under_review_count": 3},
            "stable",
            Refusal("under_review → stable is not reached yet", "times under review < 3 (now 3)"),
        ),
        (
            "rejected",
            {"cause": "person", "seen_since": 2},
            "candidate",
            Refusal(
                "rejected → candidate is not reached yet",
                "independent runs that saw it since it was taken out ≥ 3 (now 2)",
            ),
        ),
        (
            "rejected",
            {"cause": "person", "seen_since": 3},
            "candidate",
            Move(
                "candidate",
                "met in 3 further runs since it was sent away; approved by ana",
                "asked-again",
                "again",
            ),
        ),
        (
            "stable",
            {},
            "reinstated",
            Refusal("reinstated is not a state", f"one of {', '.join(STATES)}"),
        ),
        *(
            (
                state,
                {},
                "under_review",
                Move("under_review", "questioned by ana", "questioned", "person"),
            )
            for state in INJECTABLE
        ),
    ],
)
def test_a_person_asks(
    state: str, known: dict[str, object], to: str, expected: Move | Refusal
) -> None:
    """A person's request is a move with its reason, or a refusal that says what is missing."""
    assert judge_move(standard(), LadderFacts(state, **known), to, ANA) == expected  # type: ignore[arg-type]


def test_an_approval_counts_in_the_role_in_which_it_was_given() -> None:
    """An agent is not a person; without an approval a request stands or falls by its conditions."""
    candidate, helpful = LadderFacts("candidate"), LadderFacts("stable", verdict="helps")
    for standing, to, by in (
        (candidate, "provisional", ("claude", "agent")),
        (helpful, "canonical", None),
    ):
        lacks = Refusal(f"{standing.state} → {to} is not reached yet", "the approval of a person")
        assert judge_move(standard(), standing, to, by) == lacks


def test_where_the_state_before_is_unknown_each_is_open() -> None:
    """An imported memory under review remembers no state; a person says which."""
    standing = LadderFacts("under_review")
    assert [isinstance(judge_move(standard(), standing, to, ANA), Move) for to in INJECTABLE] == [
        True,
        True,
        True,
    ]


# --- proposals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "known", "expected"),
    [
        ("stable", {"verdict": "helps"}, [("canonical", "helps", ("person",))]),
        ("stable", {"verdict": "no difference"}, [("archived", "no-difference", ("person",))]),
        ("stable", {"units": 500}, []),
        ("canonical", {"days_overdue": 1.0}, [("under_review", "still-true", ("person",))]),
        ("archived", {"cause": "person", "seen_since": 2}, []),
        (
            "archived",
            {"cause": "person", "seen_since": 3},
            [("candidate", "asked-again", ("person",))],
        ),
        ("candidate", {"seen": 2}, []),
        (
            "candidate",
            {"seen": 2, "witnessed": True, "held": True},
            [("provisional", "seen-again", ("person",))],
        ),
    ],
)
def test_what_is_proposed(
    state: str, known: dict[str, object], expected: list[tuple[str, str, tuple[str, ...]]]
) -> None:
    """A move that lacks nothing but an approval is put before whoever may give it."""
    found = moves_due(standard(), LadderFacts(state, **known))  # type: ignore[arg-type]
    assert [(move.to, move.rule, move.needs) for move in found] == expected


def test_a_proposal_says_whom_it_asks() -> None:
    """Its reason does not pretend that somebody approved."""
    (move,) = moves_due(standard(), LadderFacts("stable", verdict="helps"))
    assert move.reason == "verdict helps, approved by a person (asked)"


def test_without_auto_every_move_waits() -> None:
    """Ralph's manual promotion: staged, shown, and promoted by a person only."""
    manual = with_values(standard("ralph"), {"ladder.auto": False})
    standing = LadderFacts("candidate", kind="strategy")
    validated = Move("provisional", "passed validation", "validated")
    assert (advance(standard("ralph"), standing), advance(manual, standing)) == (validated, None)
    assert [(move.to, move.needs) for move in moves_due(manual, standing)] == [
        ("provisional", ("person",))
    ]
    assert isinstance(judge_move(manual, standing, "provisional", ANA), Move)


# --- geas's approvals ------------------------------------------------------------------------------------------------


SECURITY = {"kind": "security_pattern", "successful_reuses": 5, "tasks": 3}
ORCHESTRATION, RISK = ("olga", "orchestration_authority"), ("rita", "risk_specialist")


@pytest.mark.parametrize(
    ("known", "to", "by", "missing"),
    [
        ({"kind": "security_pattern"}, "provisional", RISK, ""),
        (
            {"kind": "security_pattern"},
            "provisional",
            ("dora", "design_authority"),
            "the approval of risk_specialist or person",
        ),
        ({"kind": "ux_pattern"}, "provisional", ("cleo", "communication_specialist"), ""),
        ({**SECURITY, "state": "provisional", "successful_reuses": 3}, "stable", RISK, ""),
        (
            {**SECURITY, "state": "provisional", "successful_reuses": 2},
            "stable",
            RISK,
            "successful reuses ≥ 3 (now 2)",
        ),
        (
            {**SECURITY, "state": "provisional", "contradictions": 1},
            "stable",
            RISK,
            "contradictions = 0 (now 1)",
        ),
        (
            {**SECURITY, "state": "provisional"},
            "stable",
            ORCHESTRATION,
            "the approval of risk_specialist or person",
        ),
        ({**SECURITY, "state": "stable", "approvals": (ORCHESTRATION,)}, "canonical", RISK, ""),
        (
            {**SECURITY, "state": "stable", "approvals": (ORCHESTRATION,), "successful_reuses": 4},
            "canonical",
            RISK,
            "successful reuses ≥ 5 (now 4)",
        ),
        (
            {**SECURITY, "state": "stable", "approvals": (ORCHESTRATION,), "tasks": 2},
            "canonical",
            RISK,
            "different tasks ≥ 3 (now 2)",
        ),
        (
            {**SECURITY, "state": "stable"},
            "canonical",
            RISK,
            "the approval of orchestration_authority",
        ),
        (
            {**SECURITY, "state": "stable"},
            "canonical",
            ORCHESTRATION,
            "the approval of risk_specialist",
        ),
        (
            {**SECURITY, "state": "stable", "approvals": (("olga", "risk_specialist"),)},
            "canonical",
            ORCHESTRATION,
            "the approval of orchestration_authority by somebody else",
        ),
        (
            {**SECURITY, "state": "stable", "kind": "failure_lesson"},
            "canonical",
            ORCHESTRATION,
            "the approval of orchestration_authority by somebody else",
        ),
        (
            {
                **SECURITY,
                "state": "stable",
                "kind": "failure_lesson",
                "approvals": (("ben", "orchestration_authority"),),
            },
            "canonical",
            ORCHESTRATION,
            "",
        ),
    ],
)
def test_geas_approvals(
    known: dict[str, object], to: str, by: tuple[str, str], missing: str
) -> None:
    """Reviewers go by the memory's type; joint approval takes two heads, also where both are of one role."""
    found = judge_move(standard("geas"), LadderFacts(**{"state": "candidate", **known}), to, by)  # type: ignore[arg-type]
    assert (found.missing if isinstance(found, Refusal) else "") == missing


def test_joint_approval_names_both() -> None:
    """The journal says who approved, and as what."""
    standing = LadderFacts("stable", **SECURITY, approvals=(ORCHESTRATION,))  # type: ignore[arg-type]
    both = "olga (orchestration_authority) and rita (risk_specialist)"
    reason = f"5 successful reuses in 3 tasks, approved by {both}"
    assert judge_move(standard("geas"), standing, "canonical", RISK) == Move(
        "canonical", reason, "joint-approval", "use"
    )


@pytest.mark.parametrize("outcome", ["stable", "superseded", "archived", "rejected"])
def test_geas_review_outcomes(outcome: str) -> None:
    """Its document's four outcomes of a review: back to the state before, superseded, archived, rejected."""
    standing = LadderFacts("under_review", kind="test_strategy", previous_state="stable")
    assert isinstance(
        judge_move(standard("geas"), standing, outcome, ("quinn", "quality_specialist")), Move
    )
    third = replace(standing, under_review_count=3)  # which bars reinstatement
    assert outcome != "stable" or isinstance(
        judge_move(standard("geas"), third, outcome, ANA), Refusal
    )


@pytest.mark.parametrize("role", ["rules", "model", "person"])
def test_joelclaw_promotes_by_any_tier(role: str) -> None:
    """Each of the three tiers may put a line on the page; nobody else may."""
    standing = LadderFacts("provisional", kind="operations")
    assert isinstance(judge_move(standard("joelclaw"), standing, "stable", ("t", role)), Move)
    assert isinstance(judge_move(standard("joelclaw"), standing, "stable", ("t", "agent")), Refusal)


# --- what would move it ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("profile", "standing", "sentence"),
    [
        (
            "default",
            LadderFacts("candidate", seen=1, witnessed=True),
            "It becomes provisional with independent runs that saw it ≥ 2 (now 1), or with a person's word, "
            "or with nothing from outside in it.",
        ),
        (
            "default",
            LadderFacts("candidate", seen=2, witnessed=True),
            "It becomes provisional the next time its ladder is asked.",
        ),
        (
            "default",
            LadderFacts("provisional", belief_help=0.61, units=25, tasks=3),
            "It becomes stable with belief that it helps ≥ 0.8 (now 0.61), or with the approval of a person.",
        ),
        (
            "default",
            LadderFacts("canonical"),
            "It becomes under_review with verdict harms (now not yet known), or with contradictions ≥ 2 (now 0), "
            "or with the approval of a person.",
        ),
        (
            "geas",
            LadderFacts("stable", kind="failure_lesson", successful_reuses=5, tasks=3),
            "It becomes canonical with the approval of orchestration_authority and the approval of orchestration_authority by somebody else.",
        ),
        (
            "geas",
            LadderFacts("rejected"),
            "Nothing in the profile geas moves a memory that is rejected.",
        ),
        ("geas", LadderFacts("limbo"), "limbo is not a state."),
    ],
)
def test_nearest(profile: str, standing: LadderFacts, sentence: str) -> None:
    """One sentence, the nearest way first, with what is there and what is needed."""
    assert next_move(standard(profile), standing) == sentence


@pytest.mark.parametrize(
    ("state", "days"), [("provisional", 30), ("stable", 90), ("canonical", 180), ("candidate", 0)]
)
def test_review_dates(state: str, days: int) -> None:
    """30, 90 and 180 days; a candidate has no date."""
    assert (review_days(standard(), state), review_days(standard("geas"), state)) == (days, days)


# --- what holds for every profile -------------------------------------------------------------------------------------

FLAGS = ("person", "held", "refused", "exempt", "pinned", "stale")
MOST = {
    "units": 200,
    "tasks": 9,
    "seen": 9,
    "seen_since": 9,
    "evidence": 9,
    "contradictions": 4,
    "successful_reuses": 9,
    "failed_reuses": 4,
    "frequency": 9,
    "under_review_count": 4,
}
SHARES = {
    "belief_help": 1,
    "belief_harm": 1,
    "days_in_state": 400,
    "days_unseen": 400,
    "age_days": 900,
}
WORDS = {
    "state": STATES,
    "klass": CLASSES,
    "previous_state": ("", *INJECTABLE),
    "cause": CAUSES,
    "moment": LADDER_MOMENTS,
    "verdict": ("not yet known", "helps", "harms", "no difference"),
}
STANDINGS = st.builds(
    LadderFacts,
    **{name: st.sampled_from(words) for name, words in WORDS.items()},
    **dict.fromkeys(FLAGS, st.booleans()),
    **{name: st.integers(0, most) for name, most in MOST.items()},
    **{name: st.floats(0, most) for name, most in SHARES.items()},
    confidence=st.none() | st.floats(0, 1),
    days_overdue=st.none() | st.floats(-200, 200),
)


@given(st.sampled_from(BUILTIN), STANDINGS)
def test_walls(name: str, standing: LadderFacts) -> None:
    """Whatever is known: moves are legal, the held stay out of prompts, and silence spares what lasts."""
    profile = standard(name)
    move = advance(profile, standing)
    if move is None:
        return
    assert is_legal(standing.state, move.to)
    assert move.reason
    assert not (standing.held and move.to in INJECTABLE)
    assert not (move.cause == "silence" and lasts(profile, standing))
    assert judge_move(profile, standing, move.to) == move


@given(st.sampled_from(BUILTIN), STANDINGS, st.integers(0, 9), st.integers(0, 90))
def test_evidence_is_read_only_where_a_rule_hinges_on_it(
    name: str, standing: LadderFacts, in_period: int, unseen: int
) -> None:
    """Where none does, the ladder answers the same without it, word for word."""
    profile = standard(name)
    whole = replace(standing, seen_in_period=in_period, runs_unseen=unseen)
    blank = replace(
        whole, **{each: getattr(LadderFacts("candidate"), each) for each in BY_EVIDENCE}
    )
    if not hinges(profile, blank, BY_EVIDENCE):
        assert advance(profile, blank) == advance(profile, whole)
        assert moves_due(profile, blank) == moves_due(profile, whole)


def test_what_only_evidence_knows() -> None:
    """Nothing else of a standing depends on it; and of a lesson that is used and met, the default ladder does not ask."""
    at = "2026-11-15T10:00:00.000Z"
    days = {"created_at": "2026-11-01T00:00:00.000Z", "review_after": "2026-12-01T00:00:00.000Z"}
    memory = Memory("m", "p", "text", state="stable", klass="fix", trust="agent", **days)
    times = [f"2026-11-{10 + n}T00:00:00.000Z" for n in range(3)]
    rows = [
        Evidence("m", "p", f"r{n}", f"r{n}", f"f{n}", tier="user", at=at_, seq=n + 1)
        for n, at_ in enumerate(times)
    ]
    without, known = (
        standing_of(memory, standard("default"), at, evidence=some, run_seq=9)
        for some in ((), rows)
    )
    assert {
        name for name in known.__dict__ if known.__dict__[name] != without.__dict__[name]
    } == set(BY_EVIDENCE)
    assert not hinges(standard("default"), without, BY_EVIDENCE)
    overdue = standing_of(
        replace(memory, review_after="2026-11-14T00:00:00.000Z"), standard("default"), at, unmet=10
    )
    assert hinges(standard("default"), overdue, BY_EVIDENCE)


@given(st.sampled_from(BUILTIN), STANDINGS, st.sampled_from(STATES))
def test_an_answer_always_says_why(name: str, standing: LadderFacts, to: str) -> None:
    """A request is answered by a move with a reason or by a refusal with a reason and what is missing; never by silence."""
    answer = judge_move(standard(name), standing, to, ANA)
    assert answer.reason
    assert isinstance(answer, Move) or answer.missing
    assert next_move(standard(name), standing).endswith(".")


def test_a_profile_without_a_ladder_moves_nothing() -> None:
    """The legal moves are offers; a profile that takes none keeps everything where it is."""
    bare = compile_profile(
        'name = "bare"\nadd_kind = "note"\nother_kind = "note"\n[kinds.note]\nclass = "fact"'
    )
    standing = LadderFacts("candidate", seen=9, person=True)
    refused = Refusal(
        "the profile bare does not move candidate → provisional", "candidate is final"
    )
    assert (advance(bare, standing), judge_move(bare, standing, "provisional", ANA)) == (
        None,
        refused,
    )
