"""The origins' rankers, to the digit: what ArcheFlow, Ralph, geas and joelclaw put first.

Any profile may name one.
"""

from __future__ import annotations

from math import exp, log, prod

from tacit.lesson import STALE, frequency_of, path_of, recalls_of
from tacit.origins.geas.rules import Geas
from tacit.origins.joelclaw.rules import Joelclaw
from tacit.origins.ralph.rules import Ralph
from tacit.origins.ranked import Ranked, days_since, success_of, task_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tacit.core.profile import Profile
    from tacit.lesson import Lesson
    from tacit.origins.ranked import Asked, Facts, Hit


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


# What `hookspecs` finds here by name.
POLICIES: Mapping[str, Any] = {
    "decay": decay,
    "frequency": frequency,
    "relevance": relevance,
    "six_factor": six_factor,
}
