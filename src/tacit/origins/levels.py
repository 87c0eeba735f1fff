"""How many memories a run is given in an origin's way, and which ones have to stay behind.

A level sets the number; caps of kinds, a token cap and conflicts thin it out. Pinned memories stand outside the number, never
outside the token cap: what goes into a prompt is bounded. What is left behind is counted by reason, and the nearest are named,
because "why was I not told?" is a fair question.
"""

from __future__ import annotations

from tacit.core.value import value
from tacit.hooks.events import LeftOut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tacit.core.profile import Profile
    from tacit.lesson import Lesson
    from tacit.origins.ranked import Ranked

_LEVELS = ("lean", "balanced", "deep")
NEAREST = 20  # of those left out that are recorded with their reasons
MANY_SIDED = 90  # characters of a question above which it is deep
# The store is asked for so many times what a level gives, for so many more at least, and never for more than so many.
FETCH, FETCH_MORE, FETCH_MOST = (1.8, 3.0, 5.0), 4, 60


@value
class Level:
    """How much is given, and why."""

    requested: str  # lean, balanced, deep or auto
    applied: str
    reason: str  # explicit, auto-default or auto-complex-query
    most: int  # memories, pinned ones aside
    cautions: int = 0  # and so many that are given as cautions
    fetch: int = 0  # what the store is asked for


@value
class Fitted:
    """What fits the budget, best first, and what does not."""

    kept: tuple[Ranked, ...]
    left: tuple[LeftOut, ...]


def level_for(profile: Profile, wanted: str, text: str, agent: str = "") -> Level:
    """The level for a query: the one that was asked for, or the profile's own; an unknown word means auto."""
    budget = profile.budget
    word = (wanted or budget.level).strip().lower()
    requested = word if word in _LEVELS else "auto"
    if requested == "auto":
        applied, reason = by_length(text)
    else:
        applied, reason = requested, "explicit"
    at = _LEVELS.index(applied)
    most, cautions = (budget.lean, budget.balanced, budget.deep)[at], 0
    role = budget.roles.get(agent)
    if role is not None:
        most, cautions = (
            (role.least, (role.least + role.most + 1) // 2, role.most)[at],
            role.cautions,
        )
    fetch = min(max(-int(-most * FETCH[at] // 1), most + FETCH_MORE), FETCH_MOST)
    return Level(requested, applied, reason, most, cautions, fetch)


def by_length(text: str) -> tuple[str, str]:
    """A long or many-sided question is deep, any other balanced."""
    folded = " ".join(text.lower().split())  # blanks make no question longer
    if len(folded) > MANY_SIDED or any(word in folded for word in (" and ", "why")):
        return "deep", "auto-complex-query"
    return "balanced", "auto-default"


def fit(
    ranked: Iterable[Ranked],
    level: Level,
    profile: Profile,
    *,
    cost: Callable[[Ranked], int],
    spent: int = 0,
    at_odds: frozenset[frozenset[str]] = frozenset(),
) -> Fitted:
    """The best that fit the level, the caps and the token cap; `spent` tokens go to what stands around them."""
    budget = profile.budget
    kept: list[Ranked] = []
    left: list[LeftOut] = []
    kinds: dict[str, int] = {}
    plain = cautions = 0
    room = budget.max_tokens - spent if budget.max_tokens else 1 << 60

    def leave(each: Ranked, reason: str) -> None:
        left.append(LeftOut(each.memory.id, reason, each.score))

    best_first = _settled(ranked, at_odds, profile, leave)
    for each in sorted(
        best_first, key=lambda each: not (budget.pinned_outside and each.memory.pinned)
    ):
        memory = each.memory
        outside = budget.pinned_outside and memory.pinned
        kind = profile.kinds.get(memory.kind)
        if not outside:
            if each.caution and level.cautions:
                if cautions >= level.cautions:
                    leave(each, "budget")
                    continue
            elif plain >= level.most:
                leave(each, "budget")
                continue
            if kind is not None and kind.cap and kinds.get(memory.kind, 0) >= kind.cap:
                leave(each, f"cap of {memory.kind}")
                continue
        price = cost(each)
        if price > room:
            leave(each, "tokens")
            continue
        room -= price
        kept.append(each)
        if outside:
            continue
        kinds[memory.kind] = kinds.get(memory.kind, 0) + 1
        if each.caution and level.cautions:
            cautions += 1
        else:
            plain += 1
    place = {each.memory.id: n for n, each in enumerate(best_first)}
    kept.sort(
        key=lambda each: (not (budget.pinned_outside and each.memory.pinned), place[each.memory.id])
    )
    return Fitted(tuple(kept), tuple(left))


def _settled(
    ranked: Iterable[Ranked],
    at_odds: frozenset[frozenset[str]],
    profile: Profile,
    leave: Callable[[Ranked, str], None],
) -> list[Ranked]:
    """Of two memories at odds, the one that the profile's precedence prefers."""
    every = list(ranked)
    if not at_odds:
        return every
    by_id = {each.memory.id: each for each in every}
    lost: set[str] = set()
    for pair in sorted(map(sorted, at_odds)):
        if len(pair) == 2 and pair[0] in by_id and pair[1] in by_id and not lost.intersection(pair):
            one, other = by_id[pair[0]], by_id[pair[1]]
            loser = other if _goes_before(one, other, profile.budget.precedence) else one
            lost.add(loser.memory.id)
            leave(loser, f"at odds with {(one if loser is other else other).memory.id}")
    return [each for each in every if each.memory.id not in lost]


def _goes_before(one: Ranked, other: Ranked, precedence: Sequence[str]) -> bool:
    """Whether the first of the profile's opinions that tells two apart speaks for `one`; if none does, its fit."""
    for opinion in precedence:
        mine, theirs = _weight(one.memory, opinion), _weight(other.memory, opinion)
        if mine != theirs:
            return mine > theirs
    return one.score >= other.score


def _weight(memory: Lesson, opinion: str) -> float:
    against = opinion.startswith("not ")
    facet, colon, word = opinion.removeprefix("not ").partition(":")
    if colon:
        return float((getattr(memory, "klass" if facet == "class" else facet) == word) != against)
    if opinion in ("newer", "older"):
        from tacit.core.clock import seconds

        at = seconds(memory.created_at)
        return at if opinion == "newer" else -at
    if opinion == "pinned":
        return float(memory.pinned)
    known: float | None = getattr(memory.tally, opinion)
    return known or 0.0


def all_out(ranked: Iterable[Ranked], reason: str) -> list[LeftOut]:
    return [LeftOut(each.memory.id, reason, each.score) for each in ranked]


def nearest_out(left: Iterable[LeftOut]) -> tuple[tuple[LeftOut, ...], dict[str, int]]:
    """The nearest of those left out, and how many there were of each reason."""
    every = sorted(left, key=lambda each: -each.score)
    counts: dict[str, int] = {}
    for each in every:
        counts[each.reason] = counts.get(each.reason, 0) + 1
    return tuple(every[:NEAREST]), counts
