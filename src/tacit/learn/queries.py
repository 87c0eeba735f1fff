"""Looking at what is kept: lists, the journal, the store's health, and why a lesson stands as it does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, Unpack

from tacit.core.digest import new_id
from tacit.core.journal import Entry
from tacit.core.ladder import Asked
from tacit.core.links import Evidence, Mark, Use
from tacit.core.run import Incident
from tacit.core.states import barred
from tacit.core.value import value
from tacit.hooks.answer import explain as explained
from tacit.hooks.coin import is_exempt
from tacit.hooks.events import Query
from tacit.hooks.known import is_told_at_starts as told_at_starts
from tacit.hooks.recalling import is_origins, order_of
from tacit.hooks.render import answered
from tacit.lesson import Lesson
from tacit.store import counts
from tacit.store.check import Health, check, rule_of
from tacit.store.counts import all_events
from tacit.store.erase import rebuild_derived
from tacit.store.failures import met
from tacit.store.file import SCHEMA
from tacit.store.lookups import signers as signers_of
from tacit.store.lookups import withheld_in
from tacit.store.story import VERB, notes_of

if TYPE_CHECKING:
    from tacit.facets import EntryFilters, QueryFacets
    from tacit.memory import Memory
    from tacit.opened import Opened


@value
class Checkup:
    """What `doctor` found."""

    store: str
    schema: int
    bytes: int
    health: Health
    queue: int
    counters: dict[str, int]


@value
class Why:
    """All that is known of one lesson: where it comes from, what became of it, and what would move it."""

    memory: Lesson
    evidence: tuple[Evidence, ...]
    runs: dict[str, str]  # a run's own name, by its id
    uses: tuple[Use, ...]
    marks: tuple[Mark, ...]
    journal: tuple[Entry, ...]
    next: str  # the nearest thing that is missing for a move
    score: dict[str, Any]  # the parts of its score for a question, or for any
    signer: str = ""  # of a team mate's lesson
    met: tuple[
        tuple[Incident, int], ...
    ] = ()  # the failures that it was noticed by, and how many sessions met each


def why(opened: Opened, id: str, question: str = "", *, run: str = "") -> Why:
    """All that is known of one lesson. Inside a run that it is withheld from, looking is marked as crossed."""
    memory, store = look_up(opened, id, run), opened.store
    evidence = store.evidence(memory.id)
    noticed = dict.fromkeys(
        [
            *memory.tags,
            memory.signature,
            *(row.quote.partition(": ")[2] for row in evidence if row.by == "notice"),
        ]
    )
    runs = {
        row.run: found.foreign_id for row in evidence if row.run and (found := store.run(row.run))
    }
    ladder = opened.profile.ladder
    known = ladder.known(memory, opened.profile, Asked(opened.now()), evidence)
    return Why(
        memory,
        tuple(evidence),
        runs,
        tuple(store.uses(memory=memory.id)),
        tuple(store.marks(memory=memory.id)),
        tuple(store.entries(memory=memory.id)),
        ladder.next_move(known),
        explain(opened, memory.id, question),
        signers(opened, [memory]).get(memory.id, ""),
        tuple(met(store, memory.project, filter(None, noticed))),
    )


def log(
    opened: Opened, *, everywhere: bool = False, **filters: Unpack[EntryFilters]
) -> list[Entry]:
    """The journal. Filters: memory, verb, by, run, since, until, after, newest, limit; everywhere=True for all projects."""
    found = opened.store.entries(() if everywhere else opened.scopes, **filters)
    asked: dict[str, Any] = {**filters}
    if any(map(asked.get, ("memory", "run", "after"))) or asked.get("verb") not in (
        None,
        "",
        VERB,
    ):
        return found
    by, since, until, limit = (
        asked.get("by"),
        asked.get("since"),
        asked.get("until"),
        asked.get("limit", -1),
    )
    notes = [
        each
        for each in notes_of(opened.store, opened.project_id)
        if (not by or each.by == by)
        and (not since or each.at >= since)
        and (not until or each.at <= until)
    ]
    if not notes:
        return found
    every = sorted([*found, *notes], key=lambda each: each.at, reverse=bool(asked.get("newest")))
    return every[:limit] if limit >= 0 else every


def week(opened: Opened, since: str) -> dict[str, int]:
    """What happened here since a day: sessions learned, new lessons, and what became of what was given."""
    return {
        "new": counts.new_memories(opened.store, opened.project_id, since[:10]),
        **counts.week(opened.store, opened.project_id, since[:10]),
    }


def health(opened: Opened) -> Checkup:
    """Verify the whole store."""
    return Checkup(
        opened.store.path,
        SCHEMA,
        opened.store.size(),
        check(opened.store, rule=rule_of(opened.store)),
        opened.store.queued(),
        all_events(opened.store),
    )


def reindex(opened: Opened) -> int:
    """Rebuild what is derived: full text and tallies."""
    return rebuild_derived(opened.store, opened.profile.signals.confidence)


def explain(
    opened: Opened, id: str, question: str = "", **facets: Unpack[QueryFacets]
) -> dict[str, Any]:
    """The parts of a memory's score for a question."""
    query = Query(task=question, **facets)
    return explained(opened.store, opened.scopes, opened.get(id), query, order_of(opened))


def is_told_at_starts(opened: Opened, memory: Lesson) -> bool:
    """Whether every start tells a lesson, as far as there is room; the others are told at their moments."""
    return is_origins(opened.profile) or told_at_starts(memory)


def notes(opened: Opened, memories: Iterable[Lesson], marks: Iterable[str] = ()) -> str:
    """Lessons as an agent should read them: one neutralised line each, in a fence that no text can know."""
    hits = [*zip(memories, chain(marks, repeat("")))]
    return answered(hits, new_id(), signers(opened, (memory for memory, _ in hits)))


def signers(opened: Opened, memories: Iterable[Lesson]) -> dict[str, str]:
    """Who signed lessons that came from a team, by id."""
    return signers_of(opened.store, memories)


def exempt(opened: Memory, *, limit: int = 180) -> Sequence[Lesson]:
    """The lessons that every run is given, newest first: what may stand on a page that a host loads."""
    every = opened.lessons(limit=-1) if opened.project else []
    return [
        m for m in every if not barred(m, opened.scopes) and is_exempt(m, opened.profile.trial)
    ][:limit]


def look_up(opened: Opened, id: str, run: str = "") -> Lesson:
    """A memory asked for by its id. Inside a run that it is withheld from, the use is marked as crossed and stays in its arm."""
    memory = opened.get(id)
    row = opened.store.find_run(opened.project_id, run) if run else None
    unit = row.root if row else ""
    crossed = any(
        m.memory == memory.id and m.signal == "crossed" for m in opened.store.marks(unit=unit)
    )
    if not crossed and memory.id in withheld_in(opened.store, opened.project_id, run):
        asked = row.id if row else ""
        mark = Mark(
            memory.id, unit, opened.project_id, "crossed", run=asked, surface="cli", at=opened.now()
        )
        with opened.store.write() as tx:
            tx.add_mark(mark)
    return memory
