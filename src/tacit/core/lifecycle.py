"""Which state a memory is in, which it may go to, and why.

A profile's ladder is a list of rules, each from some of its stages to one (Tacit's own are the
four states), under conditions on what is known of the memory (`LadderFacts`) and, where it says
so, with approvals. Three questions are answered here, all purely:

    advance   the next move that needs nobody's leave: what `learn` and `tend` make
    judge     a move that somebody asks for: a `Move`, or a `Refusal` that names what is missing
    due       moves whose conditions hold and that only lack an approval: what becomes a proposal

Two walls stand here and not in profiles, since no profile may take them down. A held memory becomes injectable only by
a person. A rule for silence never touches what the profile keeps for good. What a person does by hand (`forget`,
`undo`, `merge`, `unmerge`, `erase`) is legal in every profile and journaled under its own verb, never as a move.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tacit.core.states import ACTIVE, UNDOUBTED
from tacit.core.value import replace, value

if TYPE_CHECKING:
    from tacit.core.profile import Profile
    from tacit.core.value import Section

PREVIOUS = "previous"  # as the goal of a rule: the stage a memory was at before its review

# Why a memory left its last state. It decides what may bring it back: silence is forgiven, a person's no is not.
CAUSES = (
    "evidence",
    "person",
    "effect",
    "contradiction",
    "use",
    "review",
    "silence",
    "again",
    "merge",
)
# what a reader heard: a person's line says it, one act generalised, an agent's line the person said yes to, what happened, an order
HEARD_AS = ("said", "shown", "agreed", "found", "asked")
LADDER_MOMENTS = ("learn", "use", "sweep", "request")  # what is going on while the ladder is asked

# Everything a condition may ask: the field of `LadderFacts`, and how it is called when it is missing.
LADDER_NUMBERS = {
    "seen": "independent runs that saw it",
    "seen_since": "independent runs that saw it since it was taken out",
    "seen_in_period": "runs that saw it since its review date was set",
    "evidence": "pieces of evidence",
    "contradictions": "contradictions",
    "confidence": "confidence",
    "success_rate": "success rate",
    "units": "settled units of work",
    "tasks": "different tasks",
    "reuses": "reuses",
    "successful_reuses": "successful reuses",
    "failed_reuses": "failed reuses",
    "uses_in_period": "uses since its review date was set",
    "recalls": "recalls",
    "frequency": "frequency",
    "strength": "strength",
    "under_review_count": "times under review",
    "days_in_state": "days in this state",
    "days_overdue": "days past its review date",
    "days_unseen": "days since it was last met",
    "age_days": "days since it was learned",
    "runs_unseen": "runs without it",
    "runs_unmet": "runs that could have met or used it",
}
LADDER_FLAGS = {
    "person": "a person's word",
    "held": "held by the gate",
    "refused": "refused by the gate's checks",
    "exempt": "exempt from trials",
    "witnessed": "evidence beyond an agent's word",
    "inside": "nothing from outside in it",
    "pinned": "pinned",
    "stale": "stale",
    "replaced": "replaced",
}
_WORDS = {
    "verdict": "verdict",
    "class": "class",
    "trust": "trust",
    "cause": "taken out by",
    "word": "whose word",
    "moment": "during",
}
QUANTITIES = {**LADDER_NUMBERS, **LADDER_FLAGS, **_WORDS}


@value
class LadderFacts:
    """What is known of one memory when its ladder is asked; the caller folds the counts from evidence and uses.

    Contradictions, failed reuses and units count from the last reinstatement (and units within the current text,
    as the verdict does): a review that found for the memory must not be undone by what it already weighed.
    """

    state: str
    kind: str = ""
    klass: str = "fact"
    trust: str = "agent"
    previous_state: str = ""
    cause: str = ""  # why it is in this state, one of CAUSES
    moment: str = "learn"
    person: bool = False  # a person said it: typed, added or confirmed by one
    held: bool = False  # the gate holds or quarantines it, and nobody confirmed it yet
    refused: bool = False  # the gate's range checks refused it
    witnessed: bool = (
        False  # something beside an agent's word speaks for it: a grammar, a reviewer, a person
    )
    inside: bool = False  # nothing from outside brought its words or names, and the profile tells what was found once
    word: str = ""  # of what a reader heard: said, shown, found or asked
    exempt: bool = False  # never on trial
    pinned: bool = False
    stale: bool = False
    replaced: bool = False  # another lesson stands in its place
    verdict: str = "not yet known"
    units: int = 0
    tasks: int = 0
    seen: int = 0
    seen_since: int = 0
    seen_in_period: int = 0
    evidence: int = 0
    contradictions: int = 0
    confidence: float | None = None  # None where the profile keeps none: no condition on it holds
    success_rate: float | None = None
    reuses: int = 0
    successful_reuses: int = 0
    failed_reuses: int = 0
    uses_in_period: int = 0
    recalls: int = 0
    frequency: int = 0
    strength: float = 1.0
    under_review_count: int = 0
    days_in_state: float = 0.0
    days_overdue: float | None = None  # below zero before the review date; None without one
    days_unseen: float = 0.0
    age_days: float = 0.0
    runs_unseen: int = 0
    runs_unmet: int = 0
    approvals: tuple[
        tuple[str, str], ...
    ] = ()  # (name, role), given so far for the move in question


@value
class Move:
    """A move that may be made, and why."""

    to: str
    reason: str
    rule: str  # the rule's name, for the journal
    cause: str = "evidence"
    measured: bool = (
        True  # False: a person's decision without a measurement behind it, journaled as such
    )
    needs: tuple[str, ...] = ()  # roles that must still approve; not empty only on a proposal


@value
class Refusal:
    """A move that may not be made, why, and the nearest thing that is missing."""

    reason: str
    missing: str = ""


def allows(profile: Profile, state: str, to: str) -> bool:
    """Whether this profile has a rule for the move, whatever its conditions."""
    return to in profile.legal.get(state, ()) and any(
        state in rule.states and to in _goals(profile, rule) for rule in profile.ladder.moves
    )


def advance(profile: Profile, standing: LadderFacts) -> Move | None:
    """The next move that needs no approval: the first rule whose conditions hold. Ask again after making it."""
    if not profile.ladder.auto:
        return None
    for rule, to in _rules(profile, standing):
        if not (rule.approve or rule.approve_any) and not _unmet(profile, rule, to, standing):
            return _move(rule, to, standing)
    return None


def moves_due(profile: Profile, standing: LadderFacts) -> tuple[Move, ...]:
    """Moves that lack an approval only, and are to be proposed.

    These are the rules that say `propose`, the automatic ones where the profile makes no move by itself (`auto =
    false`), and those that would be made but for the gate's hold.
    """
    found = []
    for rule, to in _rules(profile, standing):
        wanted = _roles(profile, rule, standing)
        asked = (
            rule.propose if wanted else not profile.ladder.auto or _walled(profile, to, standing)
        )
        if asked and all(_holds(each, standing) for each in rule.when):
            found.append(_move(rule, to, standing, wanted or ("person",)))
    return tuple(found)


def hinges(profile: Profile, standing: LadderFacts, on: Sequence[str]) -> bool:
    """Whether any rule hangs on these quantities, not known yet: everything else it asks for holds."""
    for rule, _ in _rules(profile, standing):
        unknown = [each for each in rule.when if each.quantity in on]
        told = any(f"{{{name}}}" in rule.reason for name in on)
        if (unknown or told) and all(
            _holds(each, standing) for each in rule.when if each not in unknown
        ):
            return True
    return False


def judge_move(
    profile: Profile, standing: LadderFacts, to: str, by: tuple[str, str] | None = None
) -> Move | Refusal:
    """Whether a memory may go to `to`, asked for by `by` = (name, role), who thereby approves it."""
    if to not in profile.legal:
        return Refusal(f"{to} is not a state", f"one of {', '.join(profile.stages)}")
    step, legal = f"{standing.state} → {to}", profile.legal.get(standing.state, ())
    if to not in legal:
        return Refusal(f"{step} is not a legal move", _choices(standing.state, legal))
    approvals = (
        (*standing.approvals, by) if by and by not in standing.approvals else standing.approvals
    )
    asked = replace(standing, approvals=approvals)
    fitting = [(rule, goal) for rule, goal in _rules(profile, asked) if goal == to]
    if not fitting:
        chosen = sorted({goal for _, goal in _rules(profile, asked)}, key=[*profile.stages].index)
        return Refusal(
            f"the profile {profile.name} does not move {step}", _choices(standing.state, chosen)
        )
    short: list[tuple[bool, float, str]] = []
    for rule, goal in fitting:
        unmet, unapproved = _unmet(profile, rule, goal, asked), _unapproved(profile, rule, asked)
        if not unmet and not unapproved:
            return _move(rule, goal, asked)
        missing = [*unmet, *unapproved]
        # Whoever approves and may not, is told whose word is missing, before what would do without any.
        elsewhere = by is not None and bool(unmet)
        short.append(
            (elsewhere, sum(gap for gap, _ in missing), " and ".join(text for _, text in missing))
        )
    return Refusal(f"{step} is not reached yet", min(short, key=lambda each: each[:2])[2])


_WALL = "the word of a person, since the gate holds it"


def next_move(profile: Profile, standing: LadderFacts) -> str:
    """What would move this memory, in one sentence."""
    if standing.state not in profile.legal:
        return f"{standing.state} is not a state."
    rules = list(_rules(profile, standing))
    rising = [stage for stage, state in profile.stages.items() if state in UNDOUBTED]
    height = rising.index(standing.state) if standing.state in rising else -1
    upward = [(rule, to) for rule, to in rules if to in rising and rising.index(to) > height]
    ways: dict[str, list[tuple[float, str]]] = {}
    for rule, to in upward or rules:
        missing = [*_unmet(profile, rule, to, standing), *_unapproved(profile, rule, standing)]
        told = " and ".join(text for _, text in missing if text != _WALL)
        ways.setdefault(to, []).append((sum(gap for gap, _ in missing), told))
    if not ways:
        return f"Nothing in the profile {profile.name} moves a memory that is {standing.state}."
    to = min(ways, key=lambda goal: min(ways[goal]))
    texts = list(dict.fromkeys(text for _, text in sorted(ways[to], key=lambda way: way[0])))
    walled = _walled(profile, to, standing) and not any(
        role == "person" for _, role in standing.approvals
    )
    if not texts[0]:
        return (
            f"It becomes {to} with {_WALL}."
            if walled
            else f"It becomes {to} the next time its ladder is asked."
        )
    return f"It becomes {to} with {', or with '.join(texts[:3])}" + (
        f"; in any case with {_WALL}." if walled else "."
    )


def review_days(profile: Profile, state: str) -> int:
    """After how many days a memory in this state is to be looked at again; 0 where there is no such date."""
    return profile.ladder.review_after.get(state, 0)


def lasts(profile: Profile, standing: LadderFacts) -> bool:
    """Whether silence can do nothing to this memory."""
    fade = profile.fade
    return standing.pinned or standing.klass in fade.never or standing.state in fade.never_states


def _rules(profile: Profile, standing: LadderFacts) -> Iterator[tuple[Section, str]]:
    """The rules that speak of this memory at all, each with the state it leads to."""
    for rule in profile.ladder.moves:
        if standing.state not in rule.states or (
            rule.cause == "silence" and lasts(profile, standing)
        ):
            continue
        if any(each.quantity == "word" and not _holds(each, standing) for each in rule.when):
            continue  # whose word it is does not change: the rule speaks of others
        for to in _goals(profile, rule):
            if (
                rule.to == PREVIOUS
                and profile.stages.get(standing.previous_state) == ACTIVE
                and to != standing.previous_state
            ):
                continue  # where the state before is not known, as after an import, each of them is open
            if to in profile.legal.get(standing.state, ()):
                yield rule, to


def _goals(profile: Profile, rule: Section) -> tuple[str, ...]:
    if rule.to != PREVIOUS:
        return (rule.to,)
    return tuple(stage for stage, state in profile.stages.items() if state == ACTIVE)


def _unmet(
    profile: Profile, rule: Section, to: str, standing: LadderFacts
) -> list[tuple[float, str]]:
    """What keeps a rule from applying, apart from its approvals: how far off, and in words."""
    found = [
        (_gap(each, standing), _words(each, standing))
        for each in rule.when
        if not _holds(each, standing)
    ]
    if _walled(profile, to, standing) and not any(
        role == "person" for _, role in standing.approvals
    ):
        found.append((1.0, _WALL))
    return found


def _walled(profile: Profile, to: str, standing: LadderFacts) -> bool:
    """A held memory on the way into prompts: no rule lets it pass, only a person."""
    return standing.held and profile.stages[to] == ACTIVE


def _ask(condition: Section, standing: LadderFacts) -> float | str | None:
    name = "klass" if condition.quantity == "class" else condition.quantity
    at: float | str | None = getattr(standing, name)
    return at


def _holds(condition: Section, standing: LadderFacts) -> bool:
    at, bound = _ask(condition, standing), condition.bound
    if at is None:
        return False
    op = condition.op
    if op == "=":
        return at == bound
    if op == "!=":
        return at != bound
    number, limit = float(at), float(bound)
    if op == ">=":
        return number >= limit
    if op == "<=":
        return number <= limit
    return number > limit if op == ">" else number < limit


def _gap(condition: Section, standing: LadderFacts) -> float:
    """How far a condition is from holding, between 0 and 1: of two rules, the nearer is named."""
    at, bound = _ask(condition, standing), condition.bound
    if (
        isinstance(at, str)
        or isinstance(bound, str)
        or at is None
        or condition.op not in (">=", ">")
        or bound <= 0
    ):
        return 1.0
    return min(1.0, max(0.05, 1.0 - float(at) / bound))


_SIGNS = {">=": "≥", "<=": "≤", ">": ">", "<": "<", "=": "=", "!=": "other than"}


def _words(condition: Section, standing: LadderFacts) -> str:
    at, bound, quantity = _ask(condition, standing), condition.bound, condition.quantity
    if quantity in LADDER_FLAGS:
        return LADDER_FLAGS[quantity] if bound else f"no longer {LADDER_FLAGS[quantity]}"
    now = "none" if at is None else at if isinstance(at, str) else f"{round(at, 2):g}"
    if quantity in _WORDS:
        sign = "" if condition.op == "=" else "other than "
        return f"{_WORDS[quantity]} {sign}{bound} (now {now or 'none'})"
    return f"{LADDER_NUMBERS[quantity]} {_SIGNS[condition.op]} {bound:g} (now {now})"


def _roles(profile: Profile, rule: Section, standing: LadderFacts) -> tuple[str, ...]:
    """The approvals a rule needs, as roles; alternatives joined by "or". Two that come to the same role are two heads of it."""
    wanted = [_meant(profile, each, standing) for each in rule.approve]
    if rule.approve_any:
        wanted.append(
            tuple(role for each in rule.approve_any for role in _meant(profile, each, standing))
        )
    return tuple(" or ".join(dict.fromkeys(roles)) for roles in wanted)


def _meant(profile: Profile, role: str, standing: LadderFacts) -> tuple[str, ...]:
    """`reviewer` is whoever the memory's kind names; a kind that names nobody leaves it to a person."""
    if role != "reviewer":
        return (role,)
    kind = profile.kinds.get(standing.kind)
    return (kind.reviewers if kind else ()) or ("person",)


def _unapproved(profile: Profile, rule: Section, standing: LadderFacts) -> list[tuple[float, str]]:
    """Roles still to be filled. Each approver fills one role: joint approval takes as many heads as roles."""
    wanted = _roles(profile, rule, standing)
    missing: list[tuple[float, str]] = []
    open_roles = _unfilled([role.split(" or ") for role in wanted], list(standing.approvals))
    for at, roles in enumerate(open_roles):
        again = (
            " by somebody else"
            if roles in open_roles[:at] or any(role in roles for _, role in standing.approvals)
            else ""
        )
        missing.append((1.0, f"the approval of {_article(' or '.join(roles))}{again}"))
    return missing


def _unfilled(wanted: list[list[str]], approvals: list[tuple[str, str]]) -> list[list[str]]:
    """The roles that stay open under the best assignment of approvers to roles; there are never more than a few."""
    if not wanted:
        return []
    first, rest = wanted[0], wanted[1:]
    best = [first, *_unfilled(rest, approvals)]
    for name, role in approvals:
        if role in first:
            left = _unfilled(rest, [each for each in approvals if each[0] != name])
            best = min(best, left, key=len)
    return best


def _article(role: str) -> str:
    return "a person" if role == "person" else role


def _move(rule: Section, to: str, standing: LadderFacts, needs: tuple[str, ...] = ()) -> Move:
    reason = rule.reason.format_map(
        _told(standing, to, " and ".join(f"{_article(role)} (asked)" for role in needs))
    )
    if not rule.measured:
        reason += "; not measured"
    return Move(to, reason, rule.name, rule.cause, rule.measured, needs)


def _told(standing: LadderFacts, to: str, asked: str) -> dict[str, str]:
    """What a rule's reason may quote: every quantity, `from`, `to` and `by`."""
    at: dict[str, str] = {}
    for name, held in standing.__dict__.items():
        at[name] = (
            "none"
            if held is None
            else f"{round(held, 2):g}"
            if isinstance(held, float)
            else str(held)
        )
    who = " and ".join(
        name if role == "person" else f"{name} ({role})" for name, role in standing.approvals
    )
    return {**at, "class": standing.klass, "from": standing.state, "to": to, "by": asked or who}


def _choices(state: str, states: Iterable[str]) -> str:
    names = ", ".join(states)
    return f"from {state} it may go to {names}" if names else f"{state} is final"
