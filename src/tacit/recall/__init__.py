"""Before a run: query → rank → budget → trial → render.

`inject` gives an agent the few lessons that matter now, records what was given and what was withheld, and says what it
left out. `recall` answers a person's or an agent's question. Both find by the store's channels; everything between
finding and writing is a pure step in a module of its own.
"""

from __future__ import annotations

from tacit.core.links import Mark, Use
from tacit.core.value import value
from tacit.recall.query import Query, asked
from tacit.recall.rank import Facts, LeftOut, barred, rank
from tacit.stores.sql import RunRow, run_id, scope_projects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tacit.core.memory import Memory
    from tacit.core.ports import Ids
    from tacit.core.profile import Profile
    from tacit.recall.query import Asked
    from tacit.recall.rank import Hit, Ranked, Ranking
    from tacit.recall.trial import Assigned
    from tacit.stores.sql import Project
    from tacit.stores.sqlite import SqliteStore, Transaction

RECORD_WITHIN = 0.15  # seconds; an injection that cannot be recorded by then is not given
STANDING = 24  # lessons that apply whatever the task is: more than any budget, less than a flood
RECURRING = 32


@value
class Asking:
    """The run that asks: the host's own id of it, and of the first run of its unit."""

    run: str = ""
    host: str = "cli"
    root: str = ""  # retries, sub-agents and resumptions share the first run's assignments; empty: itself
    model: str = ""
    surface: str = "cli"
    event: str = ""  # the host's own id of this very question: asked twice, answered once


@value
class Injection:
    """What an agent is told, and what it is not."""

    run: str
    markdown: str = ""
    tokens: int = 0
    injected: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    suppressed: tuple[LeftOut, ...] = ()  # the nearest of those left out
    left_out: Mapping[str, int] = {}  # all of them, counted by reason
    note: str = ""  # why nothing is said, where that is not plain


def inject(
    store: SqliteStore,
    project: Project,
    profile: Profile,
    query: Query,
    asking: Asking,
    *,
    now: str,
    ids: Ids,
    level: str = "",
    renderer: str = "",
    wrap: bool | None = None,
    trial: bool = True,
    repeat: bool = False,
    exists: Callable[[str], bool] | None = None,
) -> Injection:
    """The lessons for a run, recorded before they are given. Raises `Unavailable` where they cannot be."""
    from tacit.recall.budget import fit, level as level_for, tokens_of
    from tacit.recall.render import frame_tokens, line_tokens, render
    from tacit.recall.trial import assignments

    wanted = asked(query, profile)
    run = asking.run or ids()
    row = _run_of(store, project.id, asking, run, query, now)
    projects = scope_projects(project.id)
    before = store.uses(unit=row.root)
    ranking = _ranking(store, projects, profile, wanted, now, exists, start=wanted.nothing or not before)
    known = frozenset() if repeat else frozenset(use.memory for use in before)
    fresh = [each for each in ranking.ranked if each.memory.id not in known]
    fitted = fit(
        fresh, level_for(profile, level, query.task, query.agent), profile,
        cost=lambda each: line_tokens(each, profile, renderer), spent=frame_tokens(profile, renderer, wrap),
        at_odds=_at_odds(store, project.id) if len(fresh) > 1 else frozenset(),
    )  # fmt: skip
    left = (*fitted.left, *(LeftOut(id, "given before in this run") for id in known), *ranking.left)
    suppressed, counts = _left_out(left, profile.budget.nearest)
    if not fitted.kept:
        return Injection(run, profile.render.empty, 0, (), (), suppressed, counts)
    with store.write(wait=RECORD_WITHIN) as tx:
        told = assignments(
            (each.memory for each in fitted.kept), tx.uses(unit=row.root),
            key=project.trial_key, unit=row.root, settings=profile.trial, trial=trial,
        )  # fmt: skip
        given = [each for each, at in zip(fitted.kept, told) if at.given]
        injected = tuple(each.memory.id for each in given)
        withheld = tuple(at.memory for at in told if not at.given)
        markdown = render(given, profile, ids(), renderer=renderer, wrap=wrap)
        tokens = tokens_of(markdown)
        event = asking.event or f"{row.id} {ids()}"
        if not tx.add_injection(
            event, project.id, row.id, row.root, asking.surface, tokens, injected, withheld,
            {"counts": counts, "nearest": [[each.id, each.reason] for each in suppressed]}, now,
        ):  # fmt: skip
            return Injection(run, note="this very event was answered before")
        _record(tx, row, project.id, asking, query, fitted.kept, told, now)
    return Injection(run, markdown, tokens, injected, withheld, suppressed, counts)


def _run_of(store: SqliteStore, project: str, asking: Asking, run: str, query: Query, now: str) -> RunRow:
    """The run's row, as it is or as it will be written."""
    id = run_id(project, asking.host, run)
    known = store.run(id)
    if known is not None:
        return known
    root = run_id(project, asking.host, asking.root) if asking.root else id
    return RunRow(
        id, project, asking.host, run, root, agent=query.agent, model=asking.model, domain=query.domain, task=query.task,
        task_id=query.task_id, task_type=query.task_type, started_at=now,
    )  # fmt: skip


def _ranking(
    store: SqliteStore,
    projects: Sequence[str],
    profile: Profile,
    wanted: Asked,
    now: str,
    exists: Callable[[str], bool] | None,
    *,
    start: bool,
) -> Ranking:
    found = store.find(projects, (*wanted.words, *wanted.file_words), limit=profile.rank.candidates, injectable=True)
    hits: list[Hit] = list(_signed(store, projects, wanted.signatures))
    hits += store.standing(projects, limit=STANDING)
    hits += found.hits
    if start:
        hits += store.recurring(projects, limit=RECURRING)
    hits = [hit for hit in hits if not barred(hit.memory, projects)]
    gone = _gone((hit.memory for hit in hits), exists) if exists else frozenset()
    facts = Facts(now, found.rows, found.frequency, found.tokens, gone, start=start)
    return rank(hits, wanted, profile, facts)


def _signed(store: SqliteStore, projects: Sequence[str], signatures: Sequence[str]) -> Iterable[Hit]:
    by_signature = getattr(store, "signed", None)
    return by_signature(projects, signatures) if signatures and by_signature else ()


def _gone(memories: Iterable[Memory], exists: Callable[[str], bool]) -> frozenset[str]:
    paths = {path for memory in memories for path in memory.paths}
    return frozenset(path for path in paths if not exists(path))


def _at_odds(store: SqliteStore, project: str) -> frozenset[frozenset[str]]:
    """Pairs of lessons that wait for a judge because they say opposite things."""
    return frozenset(
        frozenset((each.memory, str((each.payload or {}).get("other", ""))))
        for each in store.proposals(project, state="open")
        if each.kind == "contradiction"
    )


def _left_out(left: Iterable[LeftOut], nearest: int) -> tuple[tuple[LeftOut, ...], dict[str, int]]:
    """The nearest of those left out, and how many there were of each reason."""
    every = sorted(left, key=lambda each: -each.score)
    counts: dict[str, int] = {}
    for each in every:
        counts[each.reason] = counts.get(each.reason, 0) + 1
    return tuple(every[:nearest]), counts


def _record(
    tx: Transaction,
    row: RunRow,
    project: str,
    asking: Asking,
    query: Query,
    kept: Sequence[Ranked],
    told: Sequence[Assigned],
    now: str,
) -> None:
    """Write down who was given what, before it is given."""
    from tacit.recall.trial import epoch_for, instrument_of, is_told

    if tx.run(row.id) is None:
        tx.put_run(row)
    epoch = epoch_for(asking.model or row.model, asking.host)
    for each, at in zip(kept, told):
        if at.recorded:
            continue
        tx.add_use(
            Use(
                each.memory.id, row.root, project, row.id, at.family, at.arm, at.probability, asking.surface, epoch,
                instrument_of(each.memory), is_told(each.memory, query.agent), query.task_id or query.task, at.blank, now,
            )
        )  # fmt: skip
