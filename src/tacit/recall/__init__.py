"""Before a run: query → rank → budget → trial → render.

`inject` gives an agent the few lessons that matter now, records what was given and what was withheld, and says what it
left out. `recall` answers a person's or an agent's question. Both find by the store's channels; everything between
finding and writing is a pure step in a module of its own.
"""

from __future__ import annotations

from tacit.core.errors import Unavailable
from tacit.core.links import MAIN, Mark, Use, known_in
from tacit.core.rows import Near, RunRow, run_id, scope_projects
from tacit.core.value import replace, value
from tacit.recall.query import Query as Query
from tacit.recall.query import asked
from tacit.recall.rank import (
    BY_WORDS,
    Candidate,
    Facts,
    LeftOut,
    barred,
    ranking,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tacit.core.memory import Memory
    from tacit.core.ports import Embedder, Ids, Reads, Store, Transaction
    from tacit.core.profile import Profile
    from tacit.core.rows import Found, Project
    from tacit.recall.budget import Level
    from tacit.recall.query import Asked
    from tacit.recall.rank import Hit, Ranked, Ranking
    from tacit.recall.trial import Assigned
    from tacit.words.passages import Passage

RECORD_WITHIN = 0.15  # seconds; what cannot be recorded by then is not given
SPARE = 8  # lessons beyond the budget that are asked for at the start: some are about one error, some for other agents
FITTING = 24  # candidates by words that a prompt has time for; sixty found no more twins among the best seven than forty did
LONG_FITTING, MANY = 16, 6  # of a prompt of more passages than that, which takes its time to read; three are given
EVERY = 1000  # memories that a ranker which weighs everything is given at most


@value
class Asking:
    """The run that asks: the host's own id of it, and of the first run of its unit."""

    run: str = ""
    host: str = "cli"
    root: str = ""  # retries, sub-agents and resumptions share the first run's assignments; empty: itself
    model: str = ""
    surface: str = "cli"
    event: str = ""  # the host's own id of this very question: asked twice, answered once
    context: str = ""  # whose context: the host's id of a sub-agent, or what the agent is called; empty: the main one


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
    store: Store,
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
    embedder: Callable[[], Embedder | None] | None = None,
) -> Injection:
    """The lessons for a run, recorded before they are given. Raises `Unavailable` where they cannot be.

    What a context was once assigned is not given to it again, unless `repeat` asks for it: after a compaction, for
    instance, the notes are gone from the agent's context. Another context of the unit is told as its coin fell. `exists` tells
    whether a file that a lesson names is there. Where an `embedder` is at hand, meaning counts beside words.
    """
    from tacit.recall.budget import few_for, fit, level_for, tokens_of
    from tacit.recall.render import check_renderer, frame_tokens, line_tokens, render
    from tacit.recall.trial import assignments, epoch_for

    check_renderer(renderer or profile.render.renderer)
    about: tuple[str, ...] = ()
    if query.command:
        from tacit.core.programs import programs

        about = programs(query.command)
    run = asking.run or ids()
    if query.command and not about:
        return Injection(run)
    wanted = asked(replace(query, task=query.command) if about else query, profile)
    row = _run_of(store, project.id, asking, run, query, now)
    context = asking.context or query.agent
    told_before = _known(store, row.root, context)
    size = few_for(profile, level_for(profile, level, query.task, query.agent))
    found = _ranking(store, project, profile, wanted, size, told_before, repeat, now, exists, embedder, about)
    known = frozenset() if repeat else frozenset(told_before)
    fresh = _with_signers(store, [each for each in found.ranked if each.memory.id not in known][: 1 if about else None])
    fitted = fit(
        fresh, size, profile,
        cost=lambda each: line_tokens(each, profile, renderer), spent=frame_tokens(profile, renderer, wrap),
        at_odds=_at_odds(store, project.id) if len(fresh) > 1 else frozenset(),
    )  # fmt: skip
    again = _all_out((each for each in found.ranked if each.memory.id in known), "assigned before")
    suppressed, counts = _left_out((*fitted.left, *again, *found.left), profile.budget.nearest)
    if not fitted.kept:
        nothing = render((), profile, ids(), renderer=renderer, wrap=wrap)
        return Injection(run, nothing, tokens_of(nothing), (), (), suppressed, counts)
    with store.write(wait=RECORD_WITHIN) as tx:
        kept = _still(tx, fitted.kept, scope_projects(project.id))
        told = assignments(
            [each.memory for each in kept], tx.uses(unit=row.root),
            key=project.trial_key, unit=row.root, settings=profile.trial, trial=trial,
            epoch=epoch_for(asking.model or row.model, row.host), cured=_cured(tx, [each.memory for each in kept]),
        )  # fmt: skip
        # What another event of this context recorded since we looked was told there; it is not told twice.
        known = frozenset() if repeat else frozenset(_known(tx, row.root, context))
        given = [each for each, at in zip(kept, told) if at.given and each.memory.id not in known]
        injected = tuple(each.memory.id for each in given)
        withheld = tuple(at.memory for at in told if not at.given)
        markdown = render(given, profile, ids(), renderer=renderer, wrap=wrap)
        tokens = tokens_of(markdown)
        left = {
            "counts": counts,
            "nearest": [[each.id, each.reason] for each in suppressed],
            **({"cautions": warned} if (warned := [each.memory.id for each in given if each.caution]) else {}),
            "asked": {"domain": query.domain, "agent": query.agent, **({"context": context} if context else {})},
        }
        event = asking.event or f"{row.id} {ids()}"
        if not tx.add_injection(
            event, project.id, row.id, row.root, asking.surface, tokens, injected, withheld, left, now
        ):
            return Injection(run, note="this very event was answered before")
        _record(tx, row, asking, query, [each.memory for each in kept], told, now)
    return Injection(run, markdown, tokens, injected, withheld, suppressed, counts)


def _known(store: Reads, unit: str, context: str) -> dict[str, bool]:
    """What a context was assigned, and whether it was given. What was told on request stands in no answer; it is the main one's."""
    tellings = store.tellings(unit)
    known = known_in(tellings, context)
    if context == MAIN:
        answered = {id for each in tellings for id in (*each.given, *each.withheld)}
        known.update({use.memory: use.arm != "withheld" for use in store.uses(unit=unit) if use.memory not in answered})
    return known


def _run_of(store: Store, project: str, asking: Asking, run: str, query: Query, now: str) -> RunRow:
    """The run's row, as it is or as it will be written. Its task is not: a prompt may hold a secret, and `learn`, which
    redacts, writes it down."""
    id = run_id(project, asking.host, run)
    known = store.run(id)
    if known is None and asking.run and not asking.surface.startswith("hook"):  # a hook knows its host, an agent's shell may not
        known = store.find_run(project, run)
    if known is not None and known.project == project:
        return known
    root = run_id(project, asking.host, asking.root) if asking.root else id
    return RunRow(
        id, project, asking.host, run, root, agent="" if asking.context else query.agent, model=asking.model, domain=query.domain,
        task_id=query.task_id, task_type=query.task_type, started_at=now,
    )  # fmt: skip


def _ranking(
    store: Store,
    project: Project,
    profile: Profile,
    wanted: Asked,
    size: Level,
    before: Mapping[str, bool],
    repeat: bool,
    now: str,
    exists: Callable[[str], bool] | None,
    embedder: Callable[[], Embedder | None] | None,
    about: tuple[str, ...] = (),
) -> Ranking:
    """Everything the channels find that may be given at all, ranked.

    What applies whatever the task is, and what recurs, is asked for at the start of a run: later it has been assigned.
    """
    projects = scope_projects(project.id)
    fitting = LONG_FITTING if len(wanted.passages) > MANY else FITTING
    limit = min(size.fetch + len(before), profile.rank.candidates, fitting + len(before))
    start = not about and (wanted.nothing or not before)
    found = store.ask(projects, _parts(wanted, about), limit=limit, injectable=True, meaning=profile.rank.meaning)
    hits: list[Hit] = []
    if repeat:
        given = [id for id, was_given in before.items() if was_given]
        hits += [Candidate(memory, "before", n) for n, memory in enumerate(store.memories(given))]
    hits += _signed(store, projects, wanted.signatures)
    if start:
        whatever = [
            *store.standing(projects, limit=size.most + profile.budget.person + SPARE),
            *store.recurring(projects, limit=size.most + SPARE),
        ]
        from tacit.recall.budget import few_noticed

        hits += few_noticed(whatever)
    hits += found.hits
    meaning = _by_meaning(store, projects, wanted, found, embedder, hits, limit, injectable=True)
    hits += meaning.hits
    if profile.rank.ranker not in BY_WORDS:
        hits = _every(store, projects) or hits
    if about:  # what names the very program need not fit the words beside it
        from tacit.core.programs import part_about

        told = ((hit, part_about(hit.memory, wanted.query.task, about)) for hit in hits)
        hits = [Candidate(replace(hit.memory, text=part), "command", hit.n) for hit, part in told if part]
    hits = [hit for hit in hits if not barred(hit.memory, projects)]
    gone = _gone((hit.memory for hit in hits), exists) if exists else frozenset()
    facts = Facts(
        now, found.rows, found.frequency, found.tokens, meaning.cosines, gone, start, meaning.usual,
        _asked_for(wanted, found, about), found.length,
    )  # fmt: skip
    return ranking(hits, wanted, profile, facts)


def _parts(wanted: Asked, about: tuple[str, ...] = ()) -> tuple[Passage, ...]:
    """The passages to look for: what is asked, the program that is about to run, the files' names."""
    return (*((about,) if about else ()), *wanted.passages, *((wanted.file_words,) if wanted.file_words else ()))


def _asked_for(wanted: Asked, found: Found, about: tuple[str, ...] = ()) -> tuple[tuple[str, ...], ...]:
    """The passages that a lesson is weighed by: names of files and programs find candidates and weigh nothing themselves."""
    if not about and not wanted.file_words:
        return found.passages
    from tacit.words.passages import cut

    return cut(wanted.passages, found.tokens)


def _by_meaning(
    store: Store,
    projects: Sequence[str],
    wanted: Asked,
    found: Found,
    embedder: Callable[[], Embedder | None] | None,
    hits: Sequence[Hit],
    limit: int,
    injectable: bool = False,
) -> Near:
    """What is near in meaning, and how near each candidate is. Without vectors words go on alone, and say so.

    Where the store knows the question's words, they say where it points, on every surface; without an embedder, before a prompt, the
    candidates are compared and nothing is looked for beyond them.
    """
    if not wanted.passages:
        return Near()
    hits = [hit for hit in hits if hit.channel != "before"]  # which no search found: their numbers are no rows
    if found.direction is not None and embedder is None:
        return store.compared(found.direction, hits)
    if embedder is None:
        return Near()
    try:
        chosen = embedder()
        if chosen is None:
            return store.compared(found.direction, hits) if found.direction else Near()
        from tacit.recall.meaning import pointed

        identity, vector = pointed(chosen, wanted, found)
    except Unavailable as error:
        return Near(note=f"Words alone were compared: {error.message}")
    near = store.near(projects, identity, vector, hits, limit=limit, injectable=injectable)
    if near.note:
        return replace(near, note=f"Words alone were compared: {near.note}")
    return replace(near, usual=found.direction.usual) if found.direction else near


def _every(store: Store, projects: Sequence[str]) -> list[Hit]:
    """All memories, in the order of writing, for a ranker that goes by other things than words; none if too many."""
    from tacit.core.states import INJECTABLE

    every = store.select(projects, states=INJECTABLE, equal={"gate": "allow"}, sort="old", limit=EVERY + 1)
    return [Candidate(memory, "", n) for n, memory in enumerate(every)] if len(every) <= EVERY else []


def _signed(store: Store, projects: Sequence[str], signatures: Sequence[str]) -> Iterable[Hit]:
    """Lessons about exactly these errors."""
    from tacit.recall.budget import about_errors

    return about_errors(store.signed(projects, signatures), signatures) if signatures else ()


def _gone(memories: Iterable[Memory], exists: Callable[[str], bool]) -> frozenset[str]:
    """The files that these memories name and that are no longer there."""
    return frozenset(path for path in {path for memory in memories for path in memory.paths} if not exists(path))


def _with_signers(store: Store, ranked: list[Ranked]) -> list[Ranked]:
    """A team mate's lesson with who signed it."""
    if not any(each.memory.trust == "team" for each in ranked):
        return ranked
    from tacit.stores.lookups import signers

    names = signers(store, (each.memory for each in ranked))
    return [replace(each, signer=names[each.memory.id]) if each.memory.id in names else each for each in ranked]


def _at_odds(store: Store, project: str) -> frozenset[frozenset[str]]:
    """Pairs of lessons that wait for a judge because they say opposite things."""
    return frozenset(
        frozenset((each.memory, str((each.payload or {}).get("other", ""))))
        for each in store.proposals(project, state="open")
        if each.kind == "contradiction"
    )


def _all_out(ranked: Iterable[Ranked], reason: str) -> list[LeftOut]:
    return [LeftOut(each.memory.id, reason, each.score) for each in ranked]


def _left_out(left: Iterable[LeftOut], nearest: int) -> tuple[tuple[LeftOut, ...], dict[str, int]]:
    """The nearest of those left out, and how many there were of each reason."""
    every = sorted(left, key=lambda each: -each.score)
    counts: dict[str, int] = {}
    for each in every:
        counts[each.reason] = counts.get(each.reason, 0) + 1
    return tuple(every[:nearest]), counts


def _cured(tx: Transaction, memories: Sequence[Memory]) -> dict[str, Memory]:
    """The lessons whose cure one of these commands tells."""
    from tacit.recall.trial import tells_cure_of

    wanted = [id for memory in memories if (id := tells_cure_of(memory))]
    return {memory.id: memory for memory in tx.memories(wanted)} if wanted else {}


def _still(tx: Transaction, kept: Sequence[Ranked], projects: Sequence[str]) -> list[Ranked]:
    """What may be given now that nobody else can write: while we waited, somebody may have taken a lesson out."""
    now = {memory.id: memory for memory in tx.memories([each.memory.id for each in kept])}
    return [each for each in kept if each.memory.id in now and not barred(now[each.memory.id], projects)]


def _record(
    tx: Transaction,
    row: RunRow,
    asking: Asking,
    query: Query,
    memories: Sequence[Memory],
    told: Sequence[Assigned],
    now: str,
    signal: str = "",
) -> None:
    """Write down who was given what, before it is given; `signal` says how, where that is not as usual."""
    from tacit.recall.trial import epoch_for, instrument_of, is_told, task_of

    if tx.run(row.id) is None:
        tx.put_run(row)
    epoch, task = epoch_for(asking.model or row.model, row.host), task_of(query.task_id, query.task)
    for memory, at in zip(memories, told):
        if not at.recorded:
            tx.add_use(
                Use(
                    memory.id, row.root, row.project, row.id, at.family, at.arm, at.probability, asking.surface, epoch,
                    instrument_of(memory), is_told(memory, query.agent), task, at.blank, now,
                )
            )  # fmt: skip
        if at.crossed:
            tx.add_mark(Mark(memory.id, row.root, row.project, "crossed", run=row.id, surface=asking.surface, at=now))
        if signal and at.given:
            tx.add_mark(
                Mark(memory.id, row.root, row.project, "delivered", signal, 1.0, row.id, asking.surface, at=now)
            )
