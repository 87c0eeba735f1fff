"""Looking at what is kept: lists, the journal, the store's health, and why a lesson stands as it does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, Unpack

from tacit.app.recalling import is_origins, order_of
from tacit.app.settings import put_profile
from tacit.app.tending import Tending
from tacit.core.digest import new_id
from tacit.core.journal import Entry
from tacit.core.lifecycle import next_move
from tacit.core.links import Evidence, Mark, Use
from tacit.core.profile import Profile
from tacit.core.run import Incident
from tacit.core.standing import early_confidence, standing_of
from tacit.core.states import KEPT, barred
from tacit.core.value import value
from tacit.hooks.answer import explain
from tacit.hooks.coin import is_exempt
from tacit.hooks.events import Query
from tacit.hooks.known import is_told_at_starts
from tacit.hooks.render import answered
from tacit.lesson import Lesson
from tacit.origins import named
from tacit.store import counts
from tacit.store.check import Health, check, rule_of
from tacit.store.counts import all_events
from tacit.store.erase import rebuild_derived
from tacit.store.failures import met
from tacit.store.file import SCHEMA
from tacit.store.lookups import signers
from tacit.store.story import VERB, notes_of

if TYPE_CHECKING:
    from tacit.app.facets import EntryFilters, ListFilters, QueryFacets


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
    gone: tuple[str, ...]  # what it names that is not in the work tree any more
    early_confidence: float | None  # by how many runs met it, before anything was measured
    score: dict[str, Any]  # the parts of its score for a question, or for any
    signer: str = ""  # of a team mate's lesson
    met: tuple[
        tuple[Incident, int], ...
    ] = ()  # the failures that it was noticed by, and how many sessions met each


class Queries(Tending):
    """Looking at what is kept: lists, the journal, the store's health, and why a lesson stands as it does; and the profile."""

    def use_profile(self, name: str, values: Mapping[str, Any] | None = None) -> Profile:
        """Let this project remember like an origin from now on, or by `default` as Tacit does; some values set otherwise."""
        profile = named(name, values)
        self.need_person("To choose how a project remembers")
        self.ensure_project()
        return put_profile(self, profile, {"name": name, "by": self.actor.name, "at": self.now()})

    def why(self, id: str, question: str = "", *, run: str = "") -> Why:
        """All that is known of one lesson. Inside a run that it is withheld from, looking is marked as crossed."""
        memory, store = self.look_up(id, run), self.store
        evidence = store.evidence(memory.id)
        noticed = dict.fromkeys(
            [
                *memory.tags,
                memory.signature,
                *(row.quote.partition(": ")[2] for row in evidence if row.by == "notice"),
            ]
        )
        runs = {
            row.run: found.foreign_id
            for row in evidence
            if row.run and (found := store.run(row.run))
        }
        ladder = standing_of(memory, self.profile, self.now(), evidence=evidence)
        return Why(
            memory,
            tuple(evidence),
            runs,
            tuple(store.uses(memory=memory.id)),
            tuple(store.marks(memory=memory.id)),
            tuple(store.entries(memory=memory.id)),
            next_move(self.profile, ladder),
            tuple(self.gone(memory)),
            early_confidence(memory, self.profile),
            self.explain(memory.id, question),
            self.signers([memory]).get(memory.id, ""),
            tuple(met(store, memory.project, filter(None, noticed))),
        )

    def log(self, *, everywhere: bool = False, **filters: Unpack[EntryFilters]) -> list[Entry]:
        """The journal. Filters: memory, verb, by, run, since, until, after, newest, limit; everywhere=True for all projects."""
        found = self.store.entries(() if everywhere else self.scopes, **filters)
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
            for each in notes_of(self.store, self.project_id)
            if (not by or each.by == by)
            and (not since or each.at >= since)
            and (not until or each.at <= until)
        ]
        if not notes:
            return found
        every = sorted(
            [*found, *notes], key=lambda each: each.at, reverse=bool(asked.get("newest"))
        )
        return every[:limit] if limit >= 0 else every

    def week(self, since: str) -> dict[str, int]:
        """What happened here since a day: sessions learned, new lessons, and what became of what was given."""
        return {
            "new": counts.new_memories(self.store, self.project_id, since[:10]),
            **counts.week(self.store, self.project_id, since[:10]),
        }

    def health(self) -> Checkup:
        """Verify the whole store."""
        return Checkup(
            self.store.path,
            SCHEMA,
            self.store.size(),
            check(self.store, rule=rule_of(self.store)),
            self.store.queued(),
            all_events(self.store),
        )

    def reindex(self) -> int:
        """Rebuild what is derived: full text and tallies."""
        return rebuild_derived(self.store, self.profile.signals.confidence)

    def explain(self, id: str, question: str = "", **facets: Unpack[QueryFacets]) -> dict[str, Any]:
        """The parts of a memory's score for a question."""
        query = Query(task=question, **facets)
        return explain(self.store, self.scopes, self.get(id), query, order_of(self))

    def is_told_at_starts(self, memory: Lesson) -> bool:
        """Whether every start tells a lesson, as far as there is room; the others are told at their moments."""
        return is_origins(self.profile) or is_told_at_starts(memory)

    def notes(self, memories: Iterable[Lesson], marks: Iterable[str] = ()) -> str:
        """Lessons as an agent should read them: one neutralised line each, in a fence that no text can know."""
        hits = [*zip(memories, chain(marks, repeat("")))]
        return answered(hits, new_id(), self.signers(memory for memory, _ in hits))

    def signers(self, memories: Iterable[Lesson]) -> dict[str, str]:
        """Who signed lessons that came from a team, by id."""
        return signers(self.store, memories)

    def exempt(self, *, limit: int = 180) -> Sequence[Lesson]:
        """The lessons that every run is given, newest first: what may stand on a page that a host loads."""
        every = self.list(limit=-1) if self.project else []
        return [
            m for m in every if not barred(m, self.scopes) and is_exempt(m, self.profile.trial)
        ][:limit]

    def withheld_in(self, run: str) -> frozenset[str]:
        """The lessons that are withheld in the unit of a run; none outside of one."""
        row = self.store.find_run(self.project_id, run) if run and self.project else None
        uses = self.store.uses(unit=row.root) if row else ()
        return frozenset(use.memory for use in uses if use.arm == "withheld")

    def look_up(self, id: str, run: str = "") -> Lesson:
        """A memory asked for by its id. Inside a run that it is withheld from, the use is marked as crossed and stays in its arm."""
        memory = self.get(id)
        row = self.store.find_run(self.project_id, run) if run else None
        unit = row.root if row else ""
        crossed = any(
            m.memory == memory.id and m.signal == "crossed" for m in self.store.marks(unit=unit)
        )
        if not crossed and memory.id in self.withheld_in(run):
            asked = row.id if row else ""
            mark = Mark(
                memory.id, unit, self.project_id, "crossed", run=asked, surface="cli", at=self.now()
            )
            with self.store.write() as tx:
                tx.add_mark(mark)
        return memory

    def list(
        self,
        *,
        states: Sequence[str] = (),
        archived: bool = False,
        everywhere: bool = False,
        **filters: Unpack[ListFilters],
    ) -> list[Lesson]:
        """Memories of this project (and global ones), newest first. Filters: equal, tag, since, text, sort, limit, offset."""
        wanted = states or (() if archived else KEPT)
        projects = [project.id for project in self.store.projects()] if everywhere else self.scopes
        return self.store.select(projects, states=wanted, **filters)
