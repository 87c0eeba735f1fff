"""The plain ladder: from which state to which a lesson goes by itself, when, and whose word it takes.

Rules are tried from top to bottom; the first whose conditions hold is made. What sends a lesson away stands before what
lifts it. Nothing here counts clean uses as help or recurrences as harm: with a problem rate of .05 that passes 99 % of
useless lessons, and it sends 93 % of lessons that cut .5 to .2 to review within 20 uses.

An origin has a ladder of its own, made of the same rules. No hook loads this module.
"""

from __future__ import annotations

from tacit.core.states import ACTIVE, DOUBTED, EXPOSURE, GONE, KEPT, RUNS, WAITING
from tacit.core.value import Section


def at(quantity: str, op: str, bound: float | str) -> Section:
    """A condition: a quantity of `lifecycle.QUANTITIES` beside a number or a word."""
    return Section(quantity=quantity, op=op, bound=bound)


def yes(flag: str) -> Section:
    """The condition that a flag of `lifecycle.LADDER_FLAGS` is up."""
    return at(flag, "=", 1)


def no(flag: str) -> Section:
    """The condition that it is not."""
    return at(flag, "=", 0)


def rule(
    name: str,
    states: tuple[str, ...],
    to: str,
    reason: str,
    *when: Section,
    approve: tuple[str, ...] = (),
    approve_any: tuple[str, ...] = (),
    propose: bool = False,
    measured: bool = True,
    cause: str = "evidence",
) -> Section:
    """One rung: from these states to that one, when all of this holds, with these approvals.

    `approve` names roles that must all say yes, each a different head, `approve_any` roles of which one must;
    `propose` files a question when only that lacks. `reason` is the journal's sentence and may quote quantities,
    {from}, {to} and {by}; `cause` decides what may bring it back; not `measured` is journaled as such.
    """
    return Section(
        name=name,
        states=states,
        to=to,
        when=when,
        approve=approve,
        approve_any=approve_any,
        propose=propose,
        measured=measured,
        cause=cause,
        reason=reason,
    )


PLAIN_MOVES = (
    # By a person, at any time; first, so that what they do is never called silence.
    rule(
        "approved",
        (WAITING,),
        ACTIVE,
        "approved by {by}",
        approve=("person",),
        cause="person",
    ),
    rule(
        "questioned",
        (ACTIVE,),
        DOUBTED,
        "questioned by {by}",
        approve=("person",),
        cause="person",
    ),
    rule(
        "reinstated",
        (DOUBTED,),
        ACTIVE,
        "reviewed and reinstated by {by}",
        at("verdict", "!=", "harms"),
        at("under_review_count", "<", 3),
        approve=("person",),
        cause="review",
    ),
    rule(
        "dropped",
        KEPT,
        GONE,
        "dropped by {by}",
        approve=("person",),
        cause="person",
    ),
    # Away, on evidence.
    rule(
        "harms",
        (ACTIVE,),
        DOUBTED,
        "verdict harms",
        at("verdict", "=", "harms"),
        cause="effect",
    ),
    rule(
        "contradicted",
        (ACTIVE,),
        DOUBTED,
        "{contradictions} contradictions of its text",
        at("contradictions", ">=", 2),
        cause="contradiction",
    ),
    rule(
        "third-review",
        (DOUBTED,),
        GONE,
        "in doubt for the {under_review_count}. time",
        at("under_review_count", ">=", 3),
        cause="review",
    ),
    rule(
        "unreviewed",
        (DOUBTED,),
        GONE,
        "in doubt for {days_in_state} days, and nobody answered",
        at("days_in_state", ">=", 60),
        cause="review",
    ),
    # Up.
    rule(
        "a-persons-word",
        (WAITING,),
        ACTIVE,
        "a person's word",
        yes("person"),
        cause="person",
    ),
    # one act of a person, put in general words by a reader: on trial
    rule(
        "shown",
        (WAITING,),
        ACTIVE,
        "shown by the person, on trial",
        at("word", "=", "shown"),
        at("contradictions", "<", 2),
    ),
    # told where it matters; at starts what a person asked for, the rest after a second piece of
    # work (`told_at_starts`)
    rule(
        "found-once",
        (WAITING,),
        ACTIVE,
        "{word} in one session, told where it matters",
        yes("inside"),
        at("contradictions", "<", 1),
    ),
    # an order that comes back is a habit, unless something spoke against it meanwhile: then it
    # waits for a person
    # a complaint that its problem is back counts as met again, and is no person's word for it
    rule(
        "asked-again-and-again",
        (WAITING,),
        ACTIVE,
        "asked for in {seen} sessions",
        at("word", "=", "asked"),
        at("seen", ">=", RUNS),
        at("contradictions", "<", 1),
    ),
    # a reader's finding: talk alone never suffices, for an agent that repeats a page repeats a
    # page
    rule(
        "found-again",
        (WAITING,),
        ACTIVE,
        "found in {seen} sessions, with evidence",
        at("word", "=", "found"),
        at("seen", ">=", RUNS),
        yes("witnessed"),
        at("contradictions", "<", 2),
    ),
    # talk alone never suffices, however often
    rule(
        "seen-again",
        (WAITING,),
        ACTIVE,
        "met in {seen} sessions",
        at("word", "!=", "found"),
        at("word", "!=", "asked"),
        at("seen", ">=", RUNS),
        yes("witnessed"),
        at("contradictions", "<", 2),
    ),
    # Silence. What waits leaves quietly, what is active fades at its review date; preferences, rules,
    # security and pinned ones stay (`fade.never`).
    rule(
        "one-off",
        (WAITING,),
        GONE,
        "not met again for {days_unseen} days and {runs_unmet} runs",
        at("days_unseen", ">=", 90),
        at("runs_unmet", ">=", EXPOSURE),
        cause="silence",
    ),
    rule(
        "silent",
        (ACTIVE,),
        GONE,
        "neither used nor met in {runs_unmet} runs and until its review date, {days_overdue} days ago",
        at("days_overdue", ">", 0),
        at("uses_in_period", "=", 0),
        at("seen_in_period", "=", 0),
        at("runs_unmet", ">=", EXPOSURE),
        cause="silence",
    ),
    # Back. Silence is forgiven; a person's no needs three further runs and another word.
    rule(
        "met-again",
        (GONE,),
        WAITING,
        "met again after it fell silent",
        at("cause", "=", "silence"),
        no("replaced"),
        at("seen_since", ">=", 1),
        cause="again",
    ),
    rule(
        "asked-again",
        (GONE,),
        WAITING,
        "met in {seen_since} further runs since it was sent away; approved by {by}",
        at("cause", "!=", "silence"),
        no("replaced"),
        at("seen_since", ">=", 3),
        approve=("person",),
        propose=True,
        cause="again",
    ),
)

PLAIN = Section(
    auto=True,  # moves are made by themselves; false: every move waits for a person
    review_after={ACTIVE: 30},  # days until a lesson of a state is looked at again
    moves=PLAIN_MOVES,
)
