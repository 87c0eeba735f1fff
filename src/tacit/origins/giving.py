"""What a run is given, and what a question finds, in an origin's way: its ranker over what its level asks for, within its caps.

A profile that tells no moments apart (`budget.start_tokens` 0) is asked here; the coin, the record and the answer are everybody's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.core.rows import scope_projects
from tacit.core.states import ACTIVE, barred
from tacit.hooks.answer import Order, Scored, text_of
from tacit.hooks.events import LeftOut, Told
from tacit.hooks.known import about_error
from tacit.hooks.render import frame_tokens, line_tokens
from tacit.hooks.search import CANDIDATES, Search
from tacit.lesson import Lesson
from tacit.origins.levels import all_out, fit, level_for
from tacit.origins.ranked import Candidate, Facts, asked, is_forgotten
from tacit.origins.ranking import BY_WORDS, ordered, ranking
from tacit.store import moments

if TYPE_CHECKING:
    from tacit.core.profile import Profile
    from tacit.core.rows import Hit, Project
    from tacit.hooks.events import Query
    from tacit.origins.ranked import Hit as Found
    from tacit.store.reads import Store

SPARE = 8  # lessons beyond the budget that are asked for at the start: some are for other agents
EVERY_HIT = 1000  # memories that a ranker which weighs everything is given at most


def chooser(
    store: Store,
    project: Project,
    profile: Profile,
    query: Query,
    *,
    now: str,
    level: str,
    renderer: str,
    wrap: bool | None,
) -> Callable[[Mapping[str, bool], bool], tuple[list[str], Collection[str], list[LeftOut]]]:
    """What stands in for plain selection."""

    def choose(
        before: Mapping[str, bool], repeat: bool
    ) -> tuple[list[str], Collection[str], list[LeftOut]]:
        wanted, projects = asked(query), scope_projects(project.id)
        size = level_for(profile, level, query.task, query.agent)
        hits: list[Found] = []
        if repeat:
            given = [id for id, was_given in before.items() if was_given]
            told = store.memories(given)
            hits += [Candidate(memory, "before", n) for n, memory in enumerate(told)]
        for error in query.errors:
            full = store.full_text(projects, True)
            hits += full.lessons(dict.fromkeys(about_error(full, error), 1.0), "signature")
        if wanted.nothing or not before:
            hits += store.standing(projects, limit=size.most + SPARE)
            hits += store.recurring(projects, limit=size.most + SPARE)
        met: dict[int, float] = {}
        if profile.rank.ranker in BY_WORDS:
            full = store.full_text(projects, True)
            search = Search(full, text_of(query))
            met = {each.n: each.score for each in search.best(CANDIDATES)}
            hits += full.lessons(met)
        else:
            hits = [*every(store, projects)] or hits
        hits = [hit for hit in hits if not barred(hit.memory, projects)]
        found = ranking(hits, wanted, profile, Facts(now, met))
        known = set() if repeat else before.keys()
        fitted = fit(
            [each for each in found.ranked if each.memory.id not in known],
            size,
            profile,
            cost=lambda each: line_tokens(Told(each.memory, "", each.caution), profile, renderer),
            spent=frame_tokens(profile, renderer, wrap),
            at_odds=frozenset(moments.at_odds(store, project.id)),
        )
        again = [each for each in found.ranked if each.memory.id in known]
        left = [*fitted.left, *all_out(again, "assigned before"), *found.left]
        left.sort(key=lambda each: -each.score)
        cautions = {each.memory.id for each in fitted.kept if each.caution}
        return [each.memory.id for each in fitted.kept], cautions, left

    return choose


def every(store: Store, projects: Sequence[str]) -> list[Candidate]:
    """All memories, in the order of writing, for a ranker that goes by other things than words; none if too many."""
    found = store.select(
        projects, states=(ACTIVE,), equal={"gate": "allow"}, sort="old", limit=EVERY_HIT + 1
    )
    few = len(found) <= EVERY_HIT
    return [Candidate(memory, "", n) for n, memory in enumerate(found)] if few else []


def order(profile: Profile, now: str) -> Order:
    """An origin's way to rank what a question finds; those that go by more than words rank by words here."""
    name = profile.rank.ranker if profile.rank.ranker in BY_WORDS else "lexical"

    def ranked(hits: Sequence[Hit], query: Query, met: Mapping[int, float]) -> list[Scored]:
        found = ordered(name, hits, asked(query), profile, Facts(now, met))
        return [(each.memory, each.score, dict(each.parts)) for each in found]

    return ranked


def forgotten(profile: Profile, now: str) -> Callable[[Lesson], bool]:
    """Whether silence has taken a lesson out of an origin's answers."""
    return lambda memory: profile.rank.drop_stale and is_forgotten(memory, profile, now)
