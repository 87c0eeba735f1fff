"""Before and during a run: what an agent should know, recorded with its control group. The one facet that a prompt loads."""

from __future__ import annotations

import os

from tacit.core.digest import new_id
from tacit.core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Unpack

    from tacit.core.profile import Profile
    from tacit.facets import QueryFacets
    from tacit.hooks.answer import Order, Recalled
    from tacit.hooks.events import Injection, Query, Told
    from tacit.hooks.record import Choose
    from tacit.opened import Opened


def inject(
    opened: Opened,
    task: str = "",
    *,
    run: str = "",
    host: str = "library",
    root: str = "",
    model: str = "",
    surface: str = "library",
    event: str = "",
    context: str = "",
    budget: str = "",
    render: str = "",
    wrap: bool | None = None,
    trial: bool = True,
    repeat: bool = False,
    look: bool = False,
    **facets: Unpack[QueryFacets],
) -> Injection:
    """What an agent should know before or during a run, recorded with its control group.

    Facets: files, errors, agent, domain, task_type, task_id, mission, category. Nothing was ever kept here: nothing is said.
    With `look` somebody only looks: nothing is recorded, nothing left out to measure.
    """
    from tacit.hooks.events import AskingRun, Injection, Query
    from tacit.hooks.record import NO_LIMIT, tell
    from tacit.hooks.render import by_profile, renderer_named

    project = opened.project
    if project is None:
        return Injection(run or new_id())
    query = Query(task=task, **facets)
    profile = opened.profile
    renderer = render or profile.render.renderer
    renderer_named(renderer)

    def word(told: Sequence[Told], nonce: str, again: bool) -> str:
        how: dict[str, Any] = {"renderer": render, "wrap": wrap, "again": again}
        told = told if renderer == "notes" else _every_field(opened, told)
        return by_profile(told, profile, nonce, **how)

    return tell(
        opened.store,
        project,
        query,
        AskingRun(run, host, root, model, surface, event, context),
        now=opened.now(),
        settings=profile.trial,
        trial=trial and opened.env.get("TACIT_COIN") != "never",
        repeat=repeat,
        look=look,
        once=profile.trust.once,
        most=getattr(profile.budget, budget, NO_LIMIT) if budget else NO_LIMIT,
        exists=lambda path: os.path.lexists(os.path.join(opened.place.root, path)),
        choose=_chooser(opened, query, budget, render, wrap),
        word=word,
    )


def _every_field(opened: Opened, told: Sequence[Told]) -> list[Told]:
    """Lessons with all that a profile's wording may name."""
    from tacit.core.value import replace

    whole = {each.id: each for each in opened.store.memories([each.memory.id for each in told])}
    return [replace(each, memory=whole[each.memory.id]) for each in told]


def _chooser(
    opened: Opened, query: Query, level: str, renderer: str, wrap: bool | None
) -> Choose | None:
    """What an origin's profile puts in the place of plain selection."""
    if not is_origins(opened.profile) or opened.project is None:
        return None
    from tacit.origins.giving import chooser

    how = {"now": opened.now(), "level": level, "renderer": renderer, "wrap": wrap}
    return chooser(opened.store, opened.project, opened.profile, query, **how)  # type: ignore[arg-type]


def recall(
    opened: Opened,
    question: str,
    *,
    run: str = "",
    host: str = "library",
    surface: str = "library",
    budget: str = "",
    limit: int | None = None,
    min_score: float | None = None,
    include_held: bool = False,
    include_stale: bool = False,
    as_of: str = "",
    **facets: Unpack[QueryFacets],
) -> Recalled:
    """What is known about a question, best first. With `run` an agent asks: its assignments are honoured, what it is told is recorded.

    Facets: files, errors, agent, domain, task_type, category, kind.
    """
    from tacit.core.value import replace
    from tacit.hooks.answer import Recalled, recall
    from tacit.hooks.events import AskingRun, Query
    from tacit.origins.levels import level_for

    if not isinstance(question, str):
        raise UsageError(
            f"A question is text, not {type(question).__name__}.",
            'recall("what you want to know")',
        )
    if opened.project is None:
        return Recalled()
    size = level_for(opened.profile, budget, question, facets.get("agent", ""))
    floor = opened.profile.rank.floor if is_origins(opened.profile) else 0.0
    found, rewrite = Query(task=question, **facets), None
    how: dict[str, Any] = {}
    if is_origins(opened.profile):
        from tacit.origins import giving
        from tacit.origins.rewrite import reworded

        settings = opened.profile.query
        rewrite = reworded(question, settings, size, lambda: opened.model("rewrite"))
        found = replace(found, task=rewrite.question)
        how = {
            "order": giving.order(opened.profile, opened.now()),
            "forgotten": giving.forgotten(opened.profile, opened.now()),
        }
    told = recall(
        opened.store,
        opened.project,
        opened.profile,
        found,
        now=opened.now(),
        most=size.most if limit is None else limit,
        floor=floor if min_score is None else min_score,
        asking=AskingRun(run, host, surface=surface) if run else None,
        include_held=include_held,
        include_stale=include_stale,
        as_of=as_of,
        person=opened.actor.is_person,
        **how,
    )
    return replace(told, level=size, rewrite=rewrite)


def is_origins(profile: Profile) -> bool:
    """Whether a profile tells no moments apart: its own number holds for everything."""
    return not profile.budget.start_tokens


def order_of(memories: Opened) -> Order | None:
    """An origin's way to rank what a question finds; none where plain ranking holds."""
    if not is_origins(memories.profile):
        return None
    from tacit.origins.giving import order

    return order(memories.profile, memories.now())
