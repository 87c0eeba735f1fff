"""What may have come due since the last pass, told from the ladder itself and found by range.

A rule that waits for time names it: days in a state, past a review date, unseen, of age. A memory
can only begin to meet such a condition when a date of its own crosses a line, so a pass asks for
the dates that crossed it since the last pass, and for what the journal says was changed meanwhile.
Whoever is found is judged exactly; nobody else is looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tacit.core.clock import after_days
from tacit.core.fade import strength
from tacit.core.links import Evidence
from tacit.core.profile import GENERAL, Profile
from tacit.core.value import Section, value
from tacit.lesson import Lesson
from tacit.store.due import by_tally, in_range, in_states, runs_that_could

if TYPE_CHECKING:
    from tacit.store.reads import Reads

_BY_DAYS = {
    "days_in_state": ("state",),
    "age_days": ("age",),
    "days_unseen": ("seen", "age"),
    "days_overdue": ("review",),
}
_IN_PERIOD = {"uses_in_period": "uses", "seen_in_period": "seen"}
# Figures that send a memory away; what lifts one is judged when it is learned. The op decides which
# way it looks.
_FIGURES = {
    "confidence": ("confidence", "<"),
    "contradictions": ("contradicted", ">"),
    "frequency": ("frequency", "<"),
}
_NO_WINDOW = ("runs_unseen",)  # moved by every run: whoever has such a rule is asked each time
BY_RUNS = (
    "runs_unmet"  # moved by runs alone: what a date already let through is asked again after each
)
_LONGEST = 36500.0  # days: what takes longer does not happen


@value
class Window:
    """One line that a date may cross: so many days after it, a memory in these states may be
    due."""

    of: str  # which date: state, age, review, seen or uses
    days: float
    states: tuple[str, ...]


def windows(profile: Profile) -> tuple[Window, ...]:
    """The lines of a profile's ladder, each once."""
    found: dict[Window, None] = {}
    for rule in profile.ladder.moves:
        if not _by_itself(rule):
            continue
        for condition in rule.when:
            found.update(dict.fromkeys(_windows_of(condition, rule, profile)))
    return tuple(found)


def _by_itself(rule: Section) -> bool:
    """Whether the sweep makes this move, or proposes it; the others wait to be asked for."""
    return rule.propose or not (rule.approve or rule.approve_any)


def _windows_of(condition: Section, rule: Section, profile: Profile) -> Iterator[Window]:
    bound = condition.bound
    if condition.quantity in _BY_DAYS and not isinstance(bound, str):
        for of in _BY_DAYS[condition.quantity]:
            yield Window(of, bound, rule.states)
    elif condition.quantity in _IN_PERIOD:
        for state in rule.states:
            if days := profile.ladder.review_after.get(state, 0):
                yield Window(_IN_PERIOD[condition.quantity], float(days), (state,))
    elif condition.quantity == "strength" and not isinstance(bound, str):
        for stale in (False, True):
            for of in ("seen", "age"):
                yield Window(of, _days_until(profile, bound, stale), rule.states)


def _days_until(profile: Profile, bound: float, stale: bool) -> float:
    """After how many days unmet a lesson's strength is down to a bound."""
    low, high = 0.0, _LONGEST
    while high - low > 0.01:
        middle = (low + high) / 2
        low, high = (
            (middle, high) if strength(profile.fade, middle, stale=stale) > bound else (low, middle)
        )
    return low


def due(
    store: Reads, project: str, profile: Profile, since: str, at: str, *, ran: bool = False
) -> list[str]:
    """Memories one of whose dates crossed a line between two times, or whose figures stand beyond
    one; oldest first.

    `ran`: there were runs since, so that what is past its date and only waited for runs may be due
    as well.
    """
    found: dict[str, None] = {}
    if ran:
        found.update(dict.fromkeys(_waited(store, project, profile, at)))
    for window in windows(profile):
        low = after_days(since, -window.days) if since else ""
        found.update(
            dict.fromkeys(
                in_range(
                    store,
                    project,
                    window.of,
                    low,
                    after_days(at, -window.days),
                    _states(profile, window.states),
                )
            )
        )
    for rule in profile.ladder.moves:
        for condition in rule.when if _by_itself(rule) else ():
            found.update(dict.fromkeys(_by_figure(store, project, profile, condition, rule)))
    return list(found)


def _waited(store: Reads, project: str, profile: Profile, at: str) -> Iterator[str]:
    """What is past every date of a rule that also counts runs: it waits for those alone."""
    for rule in profile.ladder.moves:
        if not _by_itself(rule) or not any(
            condition.quantity == BY_RUNS for condition in rule.when
        ):
            continue
        quiet = any(condition.quantity in _IN_PERIOD for condition in rule.when)
        for state in rule.states:
            period = after_days(at, -profile.ladder.review_after.get(state, 0))
            past = [
                {
                    id
                    for of in _BY_DAYS[condition.quantity]
                    for id in in_range(
                        store,
                        project,
                        of,
                        "",
                        after_days(at, -float(condition.bound)),
                        _states(profile, (state,)),
                    )
                }
                for condition in rule.when
                if condition.quantity in _BY_DAYS and not isinstance(condition.bound, str)
            ]
            recent = (
                {
                    id
                    for of in ("seen", "uses")
                    for id in in_range(store, project, of, period, "9", _states(profile, (state,)))
                }
                if quiet
                else set()
            )
            yield from sorted(set.intersection(*past) - recent if past else ())


def runs_unmet(store: Reads, memory: Lesson, evidence: Sequence[Evidence], profile: Profile) -> int:
    """How many runs of its project could have met or used a lesson since one did or it came to
    its state; counted up to the bound."""
    if not profile.fade.exposure:
        return 0
    last = max((row.seq for row in evidence if row.stance == "supports"), default=0)
    since = max(memory.tally.last_used_at or "", memory.updated_at or memory.created_at)
    general = memory.domain in ("", GENERAL)
    domain = "" if general else memory.domain
    return runs_that_could(
        store, memory.project, last, since, memory.agent, domain, profile.fade.exposure
    )


def _states(profile: Profile, stages: Sequence[str]) -> tuple[str, ...]:
    """The states in which a lesson at one of these stages is."""
    return tuple(dict.fromkeys(profile.stages[stage] for stage in stages))


def _by_figure(
    store: Reads, project: str, profile: Profile, condition: Section, rule: Section
) -> list[str]:
    states = _states(profile, rule.states)
    if condition.quantity in _NO_WINDOW:
        return in_states(store, project, states)
    signal, away = _FIGURES.get(condition.quantity, ("", ""))
    if not signal or not condition.op.startswith(away):
        return []
    return by_tally(store, project, signal, condition.op, float(condition.bound), states)


def crossed(
    store: Reads, project: str, days: float, since: str, at: str, states: Sequence[str]
) -> list[str]:
    """Memories that were last met, or made, so many days ago or more, and not yet so long at the
    time before."""
    low, high = after_days(since, -days) if since else "", after_days(at, -days)
    return [id for of in ("seen", "age") for id in in_range(store, project, of, low, high, states)]


def in_state(store: Reads, project: str, state: str, until: str) -> list[str]:
    """Memories that are in a state since a time or longer."""
    return in_range(store, project, "state", "", until, (state,))
