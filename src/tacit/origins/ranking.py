"""The origins' rankers, to the digit: what ArcheFlow, Ralph, geas and joelclaw put first, with limits, floor and ties."""

from __future__ import annotations

from math import exp, log, prod

from tacit.core.value import value
from tacit.hooks.events import LeftOut
from tacit.lesson import STALE, frequency_of, path_of, recalls_of
from tacit.origins.geas.rules import Geas
from tacit.origins.joelclaw.rules import Joelclaw
from tacit.origins.ralph.rules import Ralph
from tacit.origins.ranked import Ranked, days_since, success_of, task_type, unfit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tacit.core.profile import Profile
    from tacit.lesson import Lesson
    from tacit.origins.ranked import Asked, Facts, Hit


CALLED_FOR = ("standing", "before")  # channels whose lessons need not fit the words
# rankers that a full-text search finds candidates for; the others weigh everything
BY_WORDS = ("lexical", "decay")


@value
class Ranking:
    """What fits, best first, and what was near."""

    ranked: tuple[Ranked, ...]
    left: tuple[LeftOut, ...]


def ranking(hits: Iterable[Hit], asked: Asked, profile: Profile, facts: Facts) -> Ranking:
    """The candidates that may be given for this query, best first; below the profile's floor nothing."""
    left: list[LeftOut] = []
    fit: list[Hit] = []
    for hit in _once(hits):
        reason = unfit(hit.memory, asked, profile, facts.now)
        if reason:
            left.append(LeftOut(hit.memory.id, reason))
        else:
            fit.append(hit)
    ranked: list[Ranked] = []
    signatures: set[str] = set()
    for each in ordered(profile.rank.ranker, fit, asked, profile, facts):
        signature = each.memory.signature
        if each.score < profile.rank.floor and each.channel not in CALLED_FOR:
            left.append(LeftOut(each.memory.id, "below the floor", each.score))
        elif signature and signature in signatures:
            left.append(LeftOut(each.memory.id, "same signature", each.score))
        else:
            signatures.add(signature)
            ranked.append(each)
    return Ranking(tuple(ranked), tuple(left))


def ordered(
    name: str, hits: Sequence[Hit], asked: Asked, profile: Profile, facts: Facts
) -> list[Ranked]:
    """Candidates by their score, equal ones by the profile's ties and then in the order of writing."""
    scored = RANKERS[name](hits, asked, profile, facts)
    ties = profile.rank.ties
    if len({each.score for each in scored}) == len(scored):
        scored.sort(key=lambda each: -each.score)
    else:
        order = {hit.memory.id: hit.n for hit in hits}
        scored.sort(
            key=lambda each: (
                -each.score,
                *[_tie(each.memory, tie) for tie in ties],
                order[each.memory.id],
            )
        )
    return scored


def _once(hits: Iterable[Hit]) -> list[Hit]:
    found: dict[str, Hit] = {}
    for hit in hits:
        found.setdefault(hit.memory.id, hit)
    return list(found.values())


def frequency(hits: Sequence[Hit], asked: Asked, profile: Profile, facts: Facts) -> list[Ranked]:
    """ArcheFlow: the most common first."""
    return [_ranked(hit, {"frequency": float(frequency_of(hit.memory))}) for hit in hits]


def relevance(hits: Sequence[Hit], asked: Asked, profile: Profile, facts: Facts) -> list[Ranked]:
    """Ralph: confidence, the same type of task, success, recency; at most 1, and its lifts for errors and files."""
    wanted = task_type(asked, profile)
    files = [path_of(file).lower() for file in asked.query.files]
    errors = [error.lower() for error in asked.query.errors if error]
    found = []
    for hit in hits:
        memory = hit.memory
        days = days_since(memory.updated_at or memory.created_at, facts.now)
        score = (
            Ralph.CONFIDENCE_WEIGHT * (memory.tally.confidence or 0.0)
            + (Ralph.SAME_TYPE if memory.task_type == wanted else 0.0)
            + Ralph.SUCCESS_WEIGHT * success_of(memory)
            + Ralph.RECENCY * max(0.0, (Ralph.RECENT_DAYS - days) / Ralph.RECENT_DAYS)
        )
        parts = {"relevance": min(1.0, score)}
        kind = profile.kinds.get(memory.kind)
        text = memory.text.lower()
        if kind is not None and kind.error_lift:
            parts["errors"] = kind.error_lift * sum(error in text for error in errors)
        if kind is not None and kind.path_lift and files:
            named = " ".join((text, *memory.paths, *map(str, _examples(memory)))).lower()
            parts["files"] = kind.path_lift * any(file in named for file in files)
        found.append(_ranked(hit, parts))
    return found


def _examples(memory: Lesson) -> Sequence[object]:
    content = (memory.extra or {}).get("content")
    listed = (content if isinstance(content, dict) else memory.extra or {}).get("examples")
    return listed if isinstance(listed, list) else ()


def six_factor(hits: Sequence[Hit], asked: Asked, profile: Profile, facts: Facts) -> list[Ranked]:
    """geas: scope, paths, role, freshness, confidence, reuse, less contradictions; where risk is high, risks count."""
    query = asked.query
    context = 0 if query.task_id else 1 if query.mission else 2  # a task, a mission, the project
    risky = query.risk.lower() in ("high", "critical")
    found = []
    for hit in hits:
        memory = hit.memory
        tally, signals = memory.tally, memory.tally.signals or {}
        good, bad = signals.get("successful_reuse", 0.0), signals.get("failed_reuse", 0.0)
        paths = {path_of(path) for path in memory.paths}
        confidence = tally.confidence or 0.0
        days = days_since(tally.last_used_at or memory.created_at, facts.now)
        parts = {
            "scope": Geas.SIX["scope"]
            * Geas.MATRIX.get(_scope_row(memory, query.task_id, query.agent), (0.0, 0.0, 0.0))[
                context
            ],
            "path": Geas.SIX["path"]
            * (len(paths.intersection(asked.files)) / len(asked.files) if asked.files else 0.0),
            "role": Geas.SIX["role"] * bool(query.agent and memory.agent == query.agent),
            "freshness": Geas.SIX["freshness"] * max(0.0, 1 - days / Geas.FRESH_DAYS),
            "confidence": Geas.SIX["confidence"] * confidence,
            "reuse": Geas.SIX["reuse"] * (good / (good + bad) if good + bad else Geas.NO_HISTORY),
            "contradictions": -min(Geas.AGAINST * tally.contradicted, Geas.AGAINST_MOST),
        }
        score = min(1.0, max(0.0, sum(parts.values())))
        if risky and memory.kind == Geas.RISKY_KIND:
            parts["risk"] = Geas.RISK
            score += Geas.RISK
        caution = confidence < Geas.CAUTION_BELOW or tally.contradicted > 0
        found.append(Ranked(memory, score, parts, hit.channel, caution))
    return found


def _scope_row(memory: Lesson, task_id: str, agent: str) -> str:
    if memory.scope == "task":
        own = str((memory.extra or {}).get("task_id", ""))
        return "task_same" if own and own == task_id else "task_other"
    if memory.scope == "agent":
        return "agent_same" if agent and memory.agent == agent else "agent_other"
    return memory.scope


def decay(hits: Sequence[Hit], asked: Asked, profile: Profile, facts: Facts) -> list[Ranked]:
    """joelclaw: how well the words fit, less with time, more with use."""
    return [decayed(hit, facts.met.get(hit.n, 0.0), facts.now) for hit in hits]


def decayed(hit: Hit, raw: float, now: str) -> Ranked:
    """A raw score × exp(−rate × days) × use, stale ones less."""
    memory = hit.memory
    parts = {
        "raw": raw,
        "decay": exp(-Joelclaw.RATE * days_since(memory.created_at, now)),
        "use": _boost(memory),
        "stale": STALE if memory.stale_at else 1.0,
    }
    return Ranked(memory, prod(parts.values()), parts, hit.channel)


def _boost(memory: Lesson) -> float:
    signals = memory.tally.signals or {}
    echoes = signals.get("echo", 0.0) * Joelclaw.ECHO + signals.get("fizzle", 0.0) * Joelclaw.FIZZLE
    wanted = min(1.0, max(-1.0, signals.get("priority", echoes)))
    return max(
        Joelclaw.BOOST_LEAST,
        (1 + Joelclaw.PRIORITY * wanted)
        * (1 + min(Joelclaw.RECALLS_MOST, Joelclaw.RECALLS * log(1 + recalls_of(memory)))),
    )


def _ranked(hit: Hit, parts: dict[str, float]) -> Ranked:
    return Ranked(hit.memory, sum(parts.values()), parts, hit.channel)


def _tie(memory: Lesson, name: str) -> object:
    """A key for equal scores: more before less, later before earlier; by birth, the order of writing; by text, whenever it was written."""
    if name == "text":
        return memory.text
    if name == "created_at":
        return memory.created_at
    if name == "updated_at":
        return _Later(memory.updated_at)
    if name == "confirmed_at":
        return _Later(memory.tally.seen_at or memory.created_at)
    if name == "confidence":
        return -(memory.tally.confidence or 0.0)
    return -(memory.tally.seen if name == "seen" else frequency_of(memory))


class _Later(str):
    """A time that sorts before an earlier one."""

    __slots__ = ()

    def __lt__(self, other: str) -> bool:
        return str.__gt__(self, other)


def by_words(hits: Sequence[Hit], asked: Asked, profile: Profile, facts: Facts) -> list[Ranked]:
    """How well the words fit, as the one ranking has it."""
    found = [(hit, facts.met.get(hit.n, 0.0)) for hit in hits]
    return [Ranked(hit.memory, fit, {"words": fit}, hit.channel) for hit, fit in found]


RANKERS: Mapping[str, Callable[[Sequence[Hit], Asked, Profile, Facts], list[Ranked]]] = {
    "decay": decay,
    "frequency": frequency,
    "lexical": by_words,
    "relevance": relevance,
    "six_factor": six_factor,
}
