"""A moment in a straight line: select, toss, record, render. What was recorded is told, and nothing else."""

from __future__ import annotations

from tacit.core.links import GONE, is_found_once, spent_on
from tacit.core.rows import scope_projects
from tacit.hooks.coin import assignments
from tacit.hooks.events import (
    COMMAND,
    FAILURE,
    FILE,
    START,
    TASK,
    Injection,
    LeftOut,
    Told,
    moment_of,
)
from tacit.hooks.known import Known
from tacit.hooks.record import (
    RECORD_WITHIN,
    cured_by,
    known_to,
    record_giving,
    run_row_for,
    still_allowed,
)
from tacit.hooks.render import render, renderer_named, tokens_of
from tacit.hooks.select import (
    CALL_TOKENS,
    PROMPT_TOKENS,
    START_TOKENS,
)
from tacit.stores.places import common_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import Any

    from tacit.core.memory import Memory
    from tacit.core.ports import Ids
    from tacit.core.profile import Profile
    from tacit.core.rows import Hit, Project
    from tacit.hooks.events import AskingRun, Query
    from tacit.hooks.select import Lesson
    from tacit.stores.sql import Store

    # what a context was assigned before, and whether that is told again -> lessons, those with a caution, what was left out
    Chooser = Callable[
        [Mapping[str, bool], bool], tuple[list[Memory], Collection[str], Sequence[LeftOut]]
    ]

CALLS = ("hook:before-command", "hook:before-file")  # surfaces that share one room
PAIRS_AT_ODDS = 1000  # of lessons at odds that are looked at
NO_LIMIT = 99
NEAREST = 20  # of those left out that are recorded with their reasons
NOTICED = "notice"  # the source that `learn/tell` names
# Where no prompt hook follows, as at `tacit inject`: half as much again; beside a task half for ways of working.
ALONE, WAYS_BESIDE = 3 * START_TOKENS // 2, START_TOKENS // 2


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
    chooser: Chooser | None = None,
) -> Injection:
    """The lessons for a moment, recorded before they are told. Raises `Unavailable` where they cannot be.

    What a context was once assigned is not told to it again, unless `repeat` asks for it: after a compaction the notes are gone.
    Another context of the unit is told as its coin fell. `exists` tells whether a file that a lesson names is there. A `look` is a
    person's: nothing is left out by a coin, nothing recorded. An origin's `chooser` stands in for plain selection at starts and prompts.
    """
    renderer_named(renderer or profile.render.renderer)
    run = asking.run or ids()
    row = run_row_for(store, project.id, asking, run, query, now)
    context = asking.context or query.agent
    before = known_to(store, row.root, context)
    left: Sequence[LeftOut] = ()
    cautions: Collection[str] = ()
    if chooser is None or moment_of(query, True) in (COMMAND, FILE):
        kept = chosen(
            store, project, profile, query, asking, row.root, before, level, repeat, exists
        )
    else:
        kept, cautions, left = chooser(before, repeat)
    kept = [each for each in kept if repeat or each.id not in before]
    again = not repeat and any(before.values())

    def worded(memories: Sequence[Memory]) -> str:
        told = signed(store, memories, cautions)
        return render(told, profile, ids(), renderer=renderer, wrap=wrap, again=again)

    nearest, counts = tuple(left[:NEAREST]), counted(left)
    if not kept or look:
        text = worded(kept)
        shown = tuple(each.id for each in kept)
        return Injection(run, text, tokens_of(text), shown, (), nearest, counts)
    with store.write(wait=RECORD_WITHIN) as tx:
        kept = still_allowed(tx, kept, scope_projects(project.id))
        told = assignments(
            kept,
            tx.uses(unit=row.root),
            key=project.trial_key,
            unit=row.root,
            settings=profile.trial,
            trial=trial,
            cured=cured_by(tx, kept),
        )
        # What another event of this context recorded since we looked was told there; it is not told twice.
        met = {} if repeat else known_to(tx, row.root, context)
        given = [each for each, at in zip(kept, told) if at.given and each.id not in met]
        injected = tuple(each.id for each in given)
        withheld = tuple(at.memory for at in told if not at.given)
        text = worded(given)
        tokens = tokens_of(text)
        asked = {"domain": query.domain, "agent": query.agent}
        asked |= {"context": context} if context else {}
        noted: dict[str, Any] = {"asked": asked}
        if left:
            near = [[each.id, each.reason] for each in nearest]
            noted |= {"counts": counts, "nearest": near}
        if warned := [id for id in injected if id in cautions]:
            noted["cautions"] = warned
        event = asking.event or f"{row.id} {ids()}"
        surface = asking.surface
        whose = (event, project.id, row.id, row.root, surface)
        if not tx.add_injection(*whose, tokens, injected, withheld, noted, now):
            return Injection(run, note="this very event was answered before")
        record_giving(tx, row, asking, query, kept, told, now)
    return Injection(run, text, tokens, injected, withheld, nearest, counts)


def chosen(
    store: Store,
    project: Project,
    profile: Profile,
    query: Query,
    asking: AskingRun,
    unit: str,
    before: Mapping[str, bool],
    level: str,
    repeat: bool,
    exists: Callable[[str], bool] | None,
) -> list[Memory]:
    """What belongs to this moment, in the order in which it is told."""
    projects = scope_projects(project.id)
    told = store.memories([id for id, was_given in before.items() if was_given])
    known = Known(
        store.full_text(projects, True),
        common=common_in(store.path, project.id),
        given=() if repeat else told,
        may=lambda memory: is_for(memory, query, profile),
        apart=at_odds(store, project.id),
    )
    moment = moment_of(query, asking.surface.startswith("hook"))
    most = getattr(profile.budget, level, NO_LIMIT) if level else NO_LIMIT
    room, at_calls = CALL_TOKENS, list[str]()
    if moment in (COMMAND, FILE) and asking.surface in CALLS:
        context = asking.context or query.agent
        told_at = [each for each in store.tellings(unit) if each.surface in CALLS]
        room -= spent_on(told_at, context)
        at_calls = [id for each in told_at if each.context == context for id in each.given]
    found: list[Lesson] = []
    if moment == COMMAND:
        found = known.command(query.command, room)
    elif moment == FILE:
        for path in query.files:
            found += known.file(path, query.task, room, at_calls)
    elif moment == FAILURE:
        error = "\n".join(query.errors)
        found = known.failure(query.command, error, failed_so(store, projects, error))
    elif moment == START:
        found = known.start(START_TOKENS if asking.surface.startswith("hook") else ALONE)
        if repeat:
            found += known.again(told, START_TOKENS + PROMPT_TOKENS)
    elif moment == TASK:
        found = [] if before else known.start(WAYS_BESIDE)
        asked = "\n".join((query.task, *query.files, *query.errors))
        found += known.task(asked, profile.rank.floor, ALONE, most)
    else:
        found = known.prompt(query.task)
        for error in query.errors:
            found += known.failure(query.command, error, failed_so(store, projects, error))
    return still_so(known, found, most, exists)


def failed_so(store: Store, projects: Sequence[str], error: str) -> list[Hit]:
    """Lessons about exactly this error; of one that names several things, those that are about this one."""
    from tacit.words.diagnose import signatures, told_of

    marks = {*signatures(error)}
    found = store.signed(projects, sorted(marks)) if marks else ()
    return [
        hit
        for hit in found
        if hit.memory.source != NOTICED
        or marks.intersection(told_of(hit.memory.signature, hit.memory.tags))
    ]


def still_so(
    known: Known, found: Sequence[Lesson], most: int, exists: Callable[[str], bool] | None
) -> list[Memory]:
    """Each once; those whose files are all gone come last."""
    order = {each.id: known.memories[each.id] for each in found}
    return sorted(order.values(), key=lambda each: names_what_is_gone(each, exists))[:most]


def names_what_is_gone(memory: Memory, exists: Callable[[str], bool] | None = None) -> bool:
    """Whether nothing that a lesson names is there any more: as the sweep found, or as it is now."""
    if (memory.tally.signals or {}).get(GONE):
        return True
    return exists is not None and bool(memory.paths) and not any(map(exists, memory.paths))


def is_for(memory: Memory, query: Query, profile: Profile) -> bool:
    """Whether a lesson is for whoever asks."""
    if memory.scope == "agent" and memory.agent != query.agent:
        return False  # in every project it would reach everybody
    if (query.main or query.agent) and memory.agent not in ("", query.agent):
        return False
    if query.agent and "subagent" in memory.text.replace("-", "").lower():
        return False  # it says who should do it: for whoever starts sub-agents
    if not profile.trust.once and is_found_once(memory):
        return False
    if query.category and memory.category != query.category:
        return False
    return not query.kind or query.kind in (memory.kind, memory.klass)


def at_odds(store: Store, project: str) -> Collection[frozenset[str]]:
    """Pairs of lessons that wait for a judge because they say opposite things. Mostly none do, and nothing is loaded."""
    if not store.proposals_about(project, kind="contradiction"):
        return ()
    waiting = store.proposals(project, kinds=("contradiction",), limit=PAIRS_AT_ODDS)
    return [
        frozenset((each.memory, str((each.payload or {}).get("other", "")))) for each in waiting
    ]


def counted(left: Iterable[LeftOut]) -> dict[str, int]:
    """How many were left out for each reason."""
    counts: dict[str, int] = {}
    for each in left:
        counts[each.reason] = counts.get(each.reason, 0) + 1
    return counts


def signed(store: Store, memories: Sequence[Memory], cautions: Collection[str]) -> list[Told]:
    """Lessons with who signed them, where a team mate did."""
    names: Mapping[str, str] = {}
    if any(each.trust == "team" for each in memories):
        from tacit.stores.lookups import signers

        names = signers(store, memories)
    return [Told(each, names.get(each.id, ""), each.id in cautions) for each in memories]
