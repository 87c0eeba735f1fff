"""An origin's ladder: rules from some of its stages to one, under conditions on what is known and with approvals.

Rules are tried from top to bottom. Two walls stand here and in no rule: what the gate holds is told only by a person's
word, and silence never touches what the origin keeps for good.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.core import clock
from tacit.core.ladder import WALL, Asked, Ladder, Move, Refusal, Standing, choices
from tacit.core.ladder import known as plainly_known
from tacit.core.states import ACTIVE, UNDOUBTED, stage_before, stage_of
from tacit.core.value import fields, replace, value

if TYPE_CHECKING:
    from tacit.core.links import Evidence
    from tacit.core.profile import Profile
    from tacit.lesson import Lesson

PREVIOUS = "previous"  # as the goal of a rule: the stage a lesson was at before its review

# What a condition may ask for, beside words: the field of `Known`, and how it is called where it is missing.
QUANTITIES = {
    "age_days": "days since it was learned",
    "confidence": "confidence",
    "contradictions": "contradictions",
    "days_in_state": "days in this state",
    "days_overdue": "days past its review date",
    "evidence": "pieces of evidence",
    "failed_reuses": "failed reuses",
    "frequency": "frequency",
    "seen": "independent runs that saw it",
    "seen_since": "independent runs that saw it since it was taken out",
    "successful_reuses": "successful reuses",
    "tasks": "different tasks",
    "under_review_count": "times under review",
    "uses_in_period": "uses since its review date was set",
    "held": "held by the gate",
    "refused": "refused by the gate's checks",
    "stale": "stale",
    "klass": "class",
    "trust": "trust",
    "cause": "taken out by",
    "moment": "during",
}
_FLAGS = ("held", "refused", "stale")
_SIGNS = {">=": "≥", "<=": "≤", ">": ">", "<": "<", "=": "=", "!=": "other than"}


@value
class Condition:
    """A quantity beside a number or a word."""

    quantity: str
    op: str
    bound: float | str


@value
class Rule:
    """One rung: from these stages to that one, when all of this holds, with these approvals.

    `approve` names roles that must all say yes, each a different head, `approve_any` roles of which one must; `propose`
    asks where only that lacks. `reason` is the journal's sentence; `cause` decides what may bring it back.
    """

    name: str
    states: tuple[str, ...]
    to: str
    reason: str
    when: tuple[Condition, ...] = ()
    approve: tuple[str, ...] = ()
    approve_any: tuple[str, ...] = ()
    propose: bool = False
    measured: bool = True
    cause: str = "evidence"


def rule(
    name: str, states: tuple[str, ...], to: str, reason: str, *when: Condition, **more: object
) -> Rule:
    """One rung."""
    return Rule(name, states, to, reason, when, **more)  # type: ignore[arg-type]


def at(quantity: str, op: str, bound: float | str) -> Condition:
    """A condition: a quantity of `QUANTITIES` beside a number or a word."""
    return Condition(quantity, op, bound)


def yes(flag: str) -> Condition:
    """The condition that a flag is up."""
    return at(flag, "=", 1)


def no(flag: str) -> Condition:
    """The condition that it is not."""
    return at(flag, "=", 0)


@value
class Known(Standing):
    """What an origin asks beside: its stage as `state`, its own counts, who approved so far."""

    way: Profile | None = None
    kind: str = ""
    trust: str = "agent"
    previous: str = ""  # the stage before this one
    moment: str = "learn"
    refused: bool = False
    stale: bool = False
    tasks: int = 0
    evidence: int = 0
    confidence: float | None = None  # None where the origin keeps none: no condition on it holds
    successful_reuses: int = 0
    failed_reuses: int = 0
    frequency: int = 0
    age_days: float = 0.0
    runs_unseen: int = 0
    approvals: tuple[tuple[str, str], ...] = ()

    @property
    def profile(self) -> Profile:
        """The origin's class."""
        assert self.way is not None
        return self.way


class Rules(Ladder):
    """An origin's own ladder."""

    def __init__(
        self, moves: Sequence[Rule] = (), review_after: Mapping[str, int] | None = None
    ) -> None:
        self.moves, self.review_after = tuple(moves), review_after or {}

    def review_days(self, stage: str) -> int:
        """After how many days a lesson there is to be looked at again."""
        return self.review_after.get(stage, 0)

    def asks_evidence(self, memory: Lesson) -> bool:
        """An origin's lessons are few."""
        return True

    def known(
        self, memory: Lesson, profile: Profile, asked: Asked, evidence: Sequence[Evidence] = ()
    ) -> Known:
        """What is known of a lesson."""
        plain = fields(plainly_known(memory, profile, asked, evidence))
        signals, tally = memory.tally.signals or {}, memory.tally
        last_seq = max((row.seq for row in evidence if row.stance == "supports"), default=0)
        own = {
            "state": stage_of(memory, profile.stages),
            "previous": asked.previous
            or stage_before(memory, profile.stages)
            or memory.previous_state,
            "refused": memory.gate == "discard",
            "stale": bool(memory.stale_at),
            "tasks": int(signals.get("tasks", 0)),
            "evidence": _pieces(evidence) or tally.seen,
            "confidence": tally.confidence,
            "successful_reuses": int(signals.get("successful_reuse", 0)),
            "failed_reuses": int(signals.get("failed_reuse", 0)),
            # a person's word was said once
            "frequency": int(signals.get("frequency", max(1, tally.seen))),
            "age_days": clock.days_between(memory.created_at, asked.at),
            "runs_unseen": _unseen(evidence, asked.run_seq - last_seq) if asked.run_seq else 0,
        }
        return Known(
            **{**plain, **own},
            way=profile,
            kind=memory.kind,
            trust=memory.trust,
            moment=asked.moment,
            approvals=asked.approvals,
        )

    def advance(self, known: Standing) -> Move | None:
        """The first rule whose conditions hold, and that nobody must approve."""
        for rule, to in self._rules(known):
            if not (rule.approve or rule.approve_any) and not _unmet(rule, to, known):
                return _move(rule, to, known)
        return None

    def lacking(self, known: Standing) -> Iterator[Move]:
        """Moves that lack an approval alone: of rules that ask for it, or because the gate holds."""
        for rule, to in self._rules(known):
            wanted = _roles(rule, known)
            asked = rule.propose if wanted else _walled(to, known)
            if asked and all(_holds(each, known) for each in rule.when):
                yield _move(rule, to, known, wanted or ("person",))

    def allows(self, stage: str, to: str) -> bool:
        """Whether there is such a rule, whatever its conditions."""
        return any(stage in rule.states and to in _goals(rule) for rule in self.moves)

    def judge(self, known: Standing, to: str, by: tuple[str, str] | None = None) -> Move | Refusal:
        """Whether a lesson may go there, asked for by `by` = (name, role), who thereby approves it."""
        way, step = known.profile, f"{known.state} → {to}"
        legal = way.legal.get(known.state, ())
        if to not in way.legal:
            return Refusal(f"{to} is not a state", f"one of {', '.join(way.stages)}")
        if to not in legal:
            return Refusal(f"{step} is not a legal move", choices(known.state, legal))
        if by and by not in known.approvals:
            known = replace(known, approvals=(*known.approvals, by))
        fitting = [(rule, goal) for rule, goal in self._rules(known) if goal == to]
        if not fitting:
            told = sorted({goal for _, goal in self._rules(known)}, key=[*way.stages].index)
            return Refusal(f"{way.name} does not move {step}", choices(known.state, told))
        short: list[tuple[bool, float, str]] = []
        for rule, goal in fitting:
            unmet, unapproved = _unmet(rule, goal, known), _unapproved(rule, known)
            if not unmet and not unapproved:
                return _move(rule, goal, known)
            missing = [*unmet, *unapproved]
            far, said = sum(gap for gap, _ in missing), " and ".join(text for _, text in missing)
            # Whoever approves and may not, is told whose word is missing, before what would do without any.
            short.append((by is not None and bool(unmet), far, said))
        return Refusal(f"{step} is not reached yet", min(short, key=lambda each: each[:2])[2])

    def lifts(self, profile: Profile) -> dict[str, str]:
        """By stage: the stage of the page to which a rule or a model of the triage may approve the move."""
        return {
            stage: rule.to
            for rule in self.moves
            if rule.to in profile.page.states and {"rules", "model"} & {*rule.approve_any}
            for stage in rule.states
            if profile.stages[stage] == ACTIVE
        }

    def next_move(self, known: Standing) -> str:
        """What would move this lesson, in one sentence."""
        way, rules = known.profile, list(self._rules(known))
        rising = [stage for stage, state in way.stages.items() if state in UNDOUBTED]
        height = rising.index(known.state) if known.state in rising else -1
        upward = [(rule, to) for rule, to in rules if to in rising and rising.index(to) > height]
        ways: dict[str, list[tuple[float, str]]] = {}
        for rule, to in upward or rules:
            missing = [*_unmet(rule, to, known), *_unapproved(rule, known)]
            told = " and ".join(text for _, text in missing if text != WALL)
            ways.setdefault(to, []).append((sum(gap for gap, _ in missing), told))
        if not ways:
            return f"Nothing in {way.name} moves a lesson that is {known.state}."
        to = min(ways, key=lambda goal: min(ways[goal]))
        texts = list(dict.fromkeys(text for _, text in sorted(ways[to], key=lambda way: way[0])))
        walled = _walled(to, known)
        if not texts[0]:
            return f"It becomes {to} {f'with {WALL}' if walled else 'the next time it is asked'}."
        ends = f"; in any case with {WALL}." if walled else "."
        return f"It becomes {to} with {', or with '.join(texts[:3])}{ends}"

    def _rules(self, known: Standing) -> Iterator[tuple[Rule, str]]:
        """The rules that speak of this lesson at all, each with the stage it leads to."""
        stages = known.profile.stages
        for rule in self.moves:
            if known.state not in rule.states or (rule.cause == "silence" and known.lasts):
                continue
            was = known.previous if stages.get(known.previous) == ACTIVE else ""
            for to in _goals(rule):
                # where the stage before is not known, as after an import, each of them is open
                back = rule.to != PREVIOUS or not was or to == was
                if back and to in known.profile.legal.get(known.state, ()):
                    yield rule, to


def _goals(rule: Rule) -> tuple[str, ...]:
    return ("provisional", "stable", "canonical") if rule.to == PREVIOUS else (rule.to,)


def _walled(to: str, known: Standing) -> bool:
    """What the gate holds is told by a person's word alone."""
    by_person = any(role == "person" for _, role in known.approvals)
    return known.held and known.profile.stages[to] == ACTIVE and not by_person


def _unmet(rule: Rule, to: str, known: Standing) -> list[tuple[float, str]]:
    """What keeps a rule from applying, apart from its approvals: how far off, and in words."""
    found = [
        (_gap(each, known), _words(each, known)) for each in rule.when if not _holds(each, known)
    ]
    return [*found, (1.0, WALL)] if _walled(to, known) else found


def _holds(condition: Condition, known: Standing) -> bool:
    now, bound, op = getattr(known, condition.quantity), condition.bound, condition.op
    if now is None:
        return False
    if op in ("=", "!="):
        return (now == bound) is (op == "=")
    number, limit = float(now), float(bound)
    more, equal = number > limit, number == limit
    return {">": more, ">=": more or equal, "<": not more and not equal, "<=": not more}[op]


def _gap(condition: Condition, known: Standing) -> float:
    """How far a condition is from holding, between 0 and 1: of two rules, the nearer is named."""
    now, bound = getattr(known, condition.quantity), condition.bound
    if isinstance(bound, str) or now is None or condition.op not in (">=", ">") or bound <= 0:
        return 1.0
    return min(1.0, max(0.05, 1.0 - float(now) / bound))


def _words(condition: Condition, known: Standing) -> str:
    now, bound, quantity = getattr(known, condition.quantity), condition.bound, condition.quantity
    called = QUANTITIES[quantity]
    if quantity in _FLAGS:
        return called if bound else f"no longer {called}"
    if isinstance(bound, str):
        sign = "" if condition.op == "=" else "other than "
        return f"{called} {sign}{bound} (now {now or 'none'})"
    told = "none" if now is None else f"{round(now, 2):g}"
    return f"{called} {_SIGNS[condition.op]} {bound:g} (now {told})"


def _roles(rule: Rule, known: Standing) -> tuple[str, ...]:
    """The approvals a rule needs, as roles; alternatives joined by "or". Two that come to the same role are two heads of it."""
    wanted = [_meant(each, known) for each in rule.approve]
    if rule.approve_any:
        wanted.append(tuple(role for each in rule.approve_any for role in _meant(each, known)))
    return tuple(" or ".join(dict.fromkeys(roles)) for roles in wanted)


def _meant(role: str, known: Standing) -> tuple[str, ...]:
    """`reviewer` is whoever the lesson's kind names; a kind that names nobody leaves it to a person."""
    if role != "reviewer":
        return (role,)
    kind = known.profile.kinds.get(known.kind)
    return (kind.reviewers if kind else ()) or ("person",)


def _unapproved(rule: Rule, known: Standing) -> list[tuple[float, str]]:
    """Roles still to be filled. Each approver fills one role: joint approval takes as many heads as roles."""
    wanted = [role.split(" or ") for role in _roles(rule, known)]
    missing: list[tuple[float, str]] = []
    open_roles = _unfilled(wanted, list(known.approvals))
    for n, roles in enumerate(open_roles):
        again = roles in open_roles[:n] or any(role in roles for _, role in known.approvals)
        told = f"the approval of {_article(' or '.join(roles))}"
        missing.append((1.0, f"{told} by somebody else" if again else told))
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


def _move(rule: Rule, to: str, known: Standing, needs: tuple[str, ...] = ()) -> Move:
    asked = " and ".join(f"{_article(role)} (asked)" for role in needs)
    who = (name if role == "person" else f"{name} ({role})" for name, role in known.approvals)
    told: dict[str, object] = {
        name: f"{round(now, 2):g}" if isinstance(now, float) else now
        for name, now in fields(known).items()
    }
    reason = rule.reason.format_map({**told, "by": asked or " and ".join(who)})
    reason += "" if rule.measured else "; not measured"
    return Move(to, reason, rule.cause, rule.measured, needs)


def _unseen(evidence: Sequence[Evidence], runs: int) -> int:
    """Runs without it: here, and those that it brought along from where it came."""
    brought = sum(row.amount for row in evidence if row.opening and row.signal == "unseen")
    supports = [row for row in evidence if row.stance == "supports" and row.signal == "seen"]
    seen_here = any(not row.opening for row in supports)
    return max(0, runs + (0 if seen_here else int(brought))) if evidence else 0


def _pieces(evidence: Sequence[Evidence]) -> int:
    """Distinct documents that speak for it (evidence refs); one that says it twice is one."""
    supports = [row for row in evidence if row.stance == "supports" and row.signal == "seen"]
    named = {(row.root or row.run or row.key, row.origin) for row in supports if not row.opening}
    return int(sum(row.amount for row in supports if row.opening)) + len(named)
