"""Figures of a project's memory, and what in them asks for attention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.clock import after_days, days_between
from tacit.core.ladder import Asked
from tacit.core.profile import Profile
from tacit.core.states import ACTIVE, DOUBTED, GONE, UNDOUBTED
from tacit.core.value import value
from tacit.store import counts
from tacit.store.due import often_met
from tacit.store.reads import Reads

if TYPE_CHECKING:
    from tacit.opened import Opened

_FEW = 20  # below so many a share says nothing
# findings, active lessons, open proposals: more is a fault
UNJUDGED, TOO_STALE, BACKLOG = 0.05, 0.5, 50
UNTENDED = 7.0  # days after which somebody should know
STUCK = 5  # promotions that did not fire, of which the nearest missing condition is told


@value
class Figures:
    """What a project's memory looks like, and what happened since a time."""

    since: str
    at: str
    states: Mapping[str, int]
    kinds: Mapping[str, int]
    categories: Mapping[str, int]
    active: int
    stale: int
    uncategorised: int
    runs: int  # learned since
    new: int  # lessons
    risen: int  # moves up
    closed: int  # moves out
    merged: int
    findings: int
    fallbacks: int  # of the gate
    proposals: Mapping[str, int]  # open ones, by kind
    oldest: float  # days that the oldest of them has waited
    held: int
    under_review: int
    harmful: tuple[tuple[str, str], ...]  # (id, text) of lessons with the verdict harms
    stuck: tuple[
        tuple[str, str], ...
    ]  # (id, what would move it) of lessons met often that did not rise
    gone: int  # lessons that name what is not there any more
    tokens: int  # given to agents
    model: Mapping[str, int]  # counters of models
    events: Mapping[str, int]  # all other counted events
    tended: str  # when a whole pass last ended; empty: never
    failures: tuple[str, ...] = ()  # jobs of the worker that wait with an error

    @property
    def fallback_rate(self) -> float:
        """The share of findings that the gate could not judge."""
        return self.fallbacks / self.findings if self.findings else 0.0

    @property
    def stale_share(self) -> float:
        """The share of the active lessons that are stale."""
        return self.stale / self.active if self.active else 0.0


def statistics(opened: Opened, since: str = "", failures: Sequence[str] = ()) -> Figures:
    """How a project's memory is, and what happened since a time. `failures` are what a surface knows could not be learned."""
    store, project, at = opened.store, opened.project_id, opened.now()

    def by(column: str) -> dict[str, int]:
        return dict(store.counted([project], (column,)))

    def active(column: str) -> dict[Any, int]:
        told: dict[Any, int] = {}
        for state, word, n in store.counted([project], ("state", column)):
            told[word] = told.get(word, 0) + n * (state in UNDOUBTED)
        return told

    counted = counts.events(store, project, since[:10])
    waiting = store.proposals(project, state="open", limit=-1) if project else []
    moved = [
        entry.after.get("state") for entry in store.entries([project], verb="move", since=since)
    ]
    kinds: dict[str, int] = {}
    for each in waiting:
        kinds[each.kind] = kinds.get(each.kind, 0) + 1
    harmful = store.select([project], equal={"verdict": "harms"}, sort="updated", limit=20)
    states = by("state")
    return Figures(
        since=since,
        at=at,
        states=states,
        kinds=by("kind"),
        categories=by("category"),
        active=sum(states.get(state, 0) for state in UNDOUBTED),
        stale=active("stale").get(1, 0),
        uncategorised=active("category").get("", 0),
        runs=counts.learned_runs(store, project, since),
        new=counts.new_memories(store, project, since),
        risen=sum(state == ACTIVE for state in moved),
        closed=sum(state == GONE for state in moved),
        merged=int(counted.get("merged", 0)),
        findings=counts.findings_since(store, project, since),
        fallbacks=int(counted.get("gate_fallback", 0)),
        proposals=kinds,
        oldest=max((days_between(each.created_at, at) for each in waiting), default=0.0),
        held=sum(active("gate").get(gate, 0) for gate in ("hold", "quarantine")),
        under_review=states.get(DOUBTED, 0),
        harmful=tuple((memory.id, memory.text) for memory in harmful),
        stuck=stuck(store, project, opened.profile, at),
        gone=counts.with_signal(store, project, "gone"),
        tokens=counts.tokens_given(store, project, since),
        model={name: int(n) for name, n in counted.items() if name.startswith("model.")},
        events={name: int(n) for name, n in counted.items() if not name.startswith("model.")},
        tended=store.meta(f"tend:{project}:tended"),
        failures=tuple(failures),
    )


def stuck(store: Reads, project: str, profile: Profile, at: str) -> tuple[tuple[str, str], ...]:
    """Lessons that were met most often and have not risen, each with the nearest thing that is missing."""
    ladder, asked = profile.ladder, Asked(at)
    found = store.memories(often_met(store, project, STUCK))
    known = (ladder.known(each, profile, asked, store.evidence(each.id)) for each in found)
    return tuple((each.id, ladder.next_move(at)) for each, at in zip(found, known))


def alarms(opened: Opened, found: Figures) -> tuple[str, ...]:
    """What somebody should look at, in sentences; empty where memory is well."""
    # A model that is left alone, or whose tokens are used up, was not called.
    quiet = ("model.failures.paused", "model.failures.budget")
    failed = sum(
        n
        for name, n in found.model.items()
        if name.startswith("model.failures") and name not in quiet
    )
    calls, open_ = found.model.get("model.calls", 0), sum(found.proposals.values())
    told = [
        (
            found.findings >= _FEW and found.fallback_rate > UNJUDGED,
            f"{found.fallback_rate:.0%} of {found.findings} findings could not be judged (more than {UNJUDGED:.0%})",
        ),
        (
            found.active >= _FEW and found.stale_share > TOO_STALE,
            f"{found.stale_share:.0%} of the active lessons are stale (more than {TOO_STALE:.0%}); tacit origin tend",
        ),
        (
            found.active >= _FEW
            and found.uncategorised > opened.profile.health.uncategorised * found.active,
            f"{found.uncategorised} of {found.active} active lessons have no category",
        ),
        (
            open_ > BACKLOG,
            f"{open_} proposals wait (more than {BACKLOG}), the oldest for {found.oldest:.0f} days; tacit review",
        ),
        (
            bool(found.events.get("hook_failure")),
            f"{found.events.get('hook_failure', 0)} hooks failed; tacit connect checks them",
        ),
        (
            bool(found.failures),
            f"{len(found.failures)} transcripts could not be learned; the first: {'; '.join(found.failures[:1])}",
        ),
        (calls >= _FEW and failed > calls / 2, f"{failed} of {calls} calls of the model failed"),
        (
            found.model.get("model.failures.budget", 0) > 0,
            f"a day's tokens were used up and {found.model.get('model.failures.budget', 0)} questions not asked; model.daily_tokens",
        ),
        (
            found.active >= _FEW
            and found.tended < after_days(found.at, -UNTENDED)
            and found.runs > 0,
            f"not tended {'since ' + found.tended[:10] if found.tended else 'yet'}; tacit origin tend, or tacit config set tend yes",
        ),
    ]
    return tuple(sentence for holds, sentence in told if holds)
