"""What doctor says of the memory itself: is it well, and what should somebody look at?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tacit.cli.words import one_line
from tacit.core.errors import numbered
from tacit.core.profile import Profile
from tacit.core.states import GONE
from tacit.learn.figures import statistics
from tacit.memory import Memory as Memories
from tacit.screens.selection import Counted, counted_words
from tacit.screens.wording import EVENTS_COUNTED
from tacit.store.jobs import failed as failed_jobs

if TYPE_CHECKING:
    from tacit.learn.figures import Figures


def seen(memories: Memories, since: str) -> Figures:
    """The figures of this project, with the worker's failures."""
    waiting = [
        f"{each['job']}: {one_line(each['error'], 120)}" for each in failed_jobs(memories.store)
    ]
    return statistics(memories, since, waiting)


def figures_json(found: Figures) -> dict[str, Any]:
    """Figures for --json."""
    plain = {name: dict(at) if isinstance(at, dict) else at for name, at in found.__dict__.items()}
    return {
        **plain,
        "fallback_rate": round(found.fallback_rate, 4),
        "stale_share": round(found.stale_share, 4),
    }


def doctor_lines(found: Figures, profile: Profile, count: Counted) -> list[str]:
    """What doctor tells of the memory, beside the store's soundness."""
    gone = f", {found.gone} name what is gone" if found.gone else ""
    tended = found.tended[:16].replace("T", " ") or "never"
    closed = [f"{n:,} {GONE}"] if (n := found.states.get(GONE)) else []
    lessons = ", ".join([counted_words(count), *closed])  # by how people say they stand
    lines = [f"{lessons}{gone}", f"{_waiting(found, count)}; last tended: {tended}"]
    if "standing" not in profile.columns:  # a ladder of its own is told in its own words
        lines += [f"{id} did not rise: {why}" for id, why in found.stuck[:3]]
    lines += [f"not learned: {failure}" for failure in found.failures[:5]]
    if found.model:
        lines.append(f"model: {_model(found.model)}")
    return lines


# why a model gave no answer that could be used, as its failures are counted
_REFUSALS = {
    "exit": "its program ended with an error (over a limit, say)",
    "timeout": "no answer in time",
    "garbage": "an answer in another form",
    "refused": "it refused",
    "budget": "the day's or month's tokens were used up",
    "dead": "it could not be started or reached",
    "paused": "left alone after failures",
}


def _model(counted: Mapping[str, int]) -> str:
    """What a model was asked and what became of it."""
    named = {
        "model.calls": "calls",
        "model.tokens.in": "tokens sent",
        "model.tokens.out": "tokens received",
    }
    why = {
        name.removeprefix("model.failures."): n
        for name, n in counted.items()
        if name.startswith("model.failures.") and n
    }
    reasons = ", ".join(f"{_REFUSALS.get(name, name)} {n:,}x" for name, n in why.items())
    told = [f"{counted[name]:,} {said}" for name, said in named.items() if counted.get(name)]
    return (
        ", ".join([*told, *([f"failed or left out: {reasons}"] if why else [])]) or "not asked yet"
    )


def _waiting(found: Figures, count: Counted) -> str:
    days = numbered(round(found.oldest), "day") if found.proposals and found.oldest >= 1 else ""
    oldest = f" (the oldest for {days})" if days else ""
    return f"{numbered(count.needs_word, 'question')} for you{oldest}{': tacit review' if count.needs_word else ''}"


def event_in_words(name: str, n: int) -> str:
    """A counted event in words; one that has none here by its name."""
    return (
        f"{n:,} {EVENTS_COUNTED[name]}"
        if name in EVENTS_COUNTED
        else f"{name.replace('_', ' ')}: {n:,}"
    )
