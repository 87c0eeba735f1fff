"""Before a run: query → rank → budget → trial → render.

`inject` gives an agent the few lessons that matter now, records what was given and what was withheld, and says what it
left out. `recall` answers a person's or an agent's question. Both find by the store's channels; everything between
finding and writing is a pure step in a module of its own.
"""

from __future__ import annotations

from tacit.core.rows import scope_projects
from tacit.core.value import replace
from tacit.hooks.events import Injection as Injection
from tacit.hooks.record import RECORD_WITHIN as RECORD_WITHIN
from tacit.recall.query import AskingRun as AskingRun
from tacit.recall.query import Query as Query
from tacit.recall.query import asked, at_odds, found_for, with_signers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tacit.core.ports import Ids
    from tacit.core.profile import Profile
    from tacit.core.rows import Project
    from tacit.stores.sql import Store


def inject(
    store: Store,
    project: Project,
    profile: Profile,
    query: Query,
    asking: AskingRun,
    *,
    now: str,
    ids: Ids,
    level: str = "",
    renderer: str = "",
    wrap: bool | None = None,
    trial: bool = True,
    repeat: bool = False,
    look: bool = False,
    exists: Callable[[str], bool] | None = None,
) -> Injection:
    """The lessons for a run, recorded before they are given. Raises `Unavailable` where they cannot be.

    What a context was once assigned is not given to it again, unless `repeat` asks for it: after a compaction, for
    instance, the notes are gone from the agent's context. Another context of the unit is told as its coin fell. `exists` tells
    whether a file that a lesson names is there. A `look` is a person's: nothing is left out by a coin, nothing recorded.
    """
    from tacit.core.links import spent_on
    from tacit.hooks.coin import assignments
    from tacit.hooks.record import (
        cured_by,
        epoch_for,
        has_verdict,
        known_to,
        record_giving,
        run_row_for,
        still_allowed,
    )
    from tacit.hooks.render import frame_tokens, line_tokens, render, renderer_named
    from tacit.recall.budget import all_out, fit, level_for, nearest_out, tokens_of
    from tacit.recall.moments import newest_first, room_for

    renderer_named(renderer or profile.render.renderer)
    about: tuple[str, ...] = ()
    if query.command:
        from tacit.core.programs import acting

        about = acting(query.command)
    run = asking.run or ids()
    if query.command and not about:
        return Injection(run)
    wanted = asked(replace(query, task=query.command) if about else query, profile)
    row = run_row_for(store, project.id, asking, run, query, now)
    context = asking.context or query.agent
    told_before = known_to(store, row.root, context)
    tellings = () if repeat else store.tellings(row.root)
    size = room_for(
        profile,
        level_for(profile, level, query.task, query.agent),
        query,
        asking.surface.startswith("hook"),
        bool(told_before),
        spent=spent_on(tellings, context),
        here=spent_on((each for each in tellings if each.surface == asking.surface), context),
    )
    found, words = found_for(
        store, project, profile, wanted, size, told_before, repeat, now, exists, about
    )
    known = frozenset() if repeat else frozenset(told_before)
    fresh = with_signers(store, [each for each in found.ranked if each.memory.id not in known])
    fitted = fit(
        fresh,
        size,
        profile,
        cost=lambda each: line_tokens(each, profile, renderer),
        spent=frame_tokens(profile, renderer, wrap),
        at_odds=at_odds(store, project.id) if len(fresh) > 1 else frozenset(),
        words=words if size.moment else None,
        told=store.memories([id for id in known if told_before[id]])
        if size.moment and fresh
        else (),
    )
    kept_at_first = newest_first(fitted.kept) if size.moment else fitted.kept
    again = all_out((each for each in found.ranked if each.memory.id in known), "assigned before")
    suppressed, counts = nearest_out((*fitted.left, *again, *found.left))
    if not fitted.kept:
        nothing = render((), profile, ids(), renderer=renderer, wrap=wrap)
        return Injection(run, nothing, tokens_of(nothing), (), (), suppressed, counts)
    if look:
        seen = render(kept_at_first, profile, ids(), renderer=renderer, wrap=wrap)
        shown = tuple(each.memory.id for each in kept_at_first)
        return Injection(run, seen, tokens_of(seen), shown, (), suppressed, counts)
    with store.write(wait=RECORD_WITHIN) as tx:
        allowed = {
            each.id
            for each in still_allowed(
                tx, [each.memory for each in kept_at_first], scope_projects(project.id)
            )
        }
        kept = [each for each in kept_at_first if each.memory.id in allowed]
        told = assignments(
            [each.memory for each in kept],
            tx.uses(unit=row.root),
            key=project.trial_key,
            unit=row.root,
            settings=profile.trial,
            trial=trial,
            epoch=epoch_for(asking.model or row.model, row.host),
            cured=cured_by(tx, [each.memory for each in kept]),
            pool=has_verdict(tx, project.id),
        )
        # What another event of this context recorded since we looked was told there; it is not told twice.
        known = frozenset() if repeat else frozenset(known_to(tx, row.root, context))
        given = [each for each, at in zip(kept, told) if at.given and each.memory.id not in known]
        injected = tuple(each.memory.id for each in given)
        withheld = tuple(at.memory for at in told if not at.given)
        markdown = render(given, profile, ids(), renderer=renderer, wrap=wrap)
        tokens = tokens_of(markdown)
        left = {
            "counts": counts,
            "nearest": [[each.id, each.reason] for each in suppressed],
            **(
                {"cautions": warned}
                if (warned := [each.memory.id for each in given if each.caution])
                else {}
            ),
            "asked": {
                "domain": query.domain,
                "agent": query.agent,
                **({"context": context} if context else {}),
            },
        }
        event = asking.event or f"{row.id} {ids()}"
        if not tx.add_injection(
            event,
            project.id,
            row.id,
            row.root,
            asking.surface,
            tokens,
            injected,
            withheld,
            left,
            now,
        ):
            return Injection(run, note="this very event was answered before")
        record_giving(tx, row, asking, query, [each.memory for each in kept], told, now)
    return Injection(run, markdown, tokens, injected, withheld, suppressed, counts)
