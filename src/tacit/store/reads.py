"""The store as rooms know it that do not speak of `lesson.py` yet: memories, runs, uses, as rows in and rows out.

A `Store` is the store's file (`store/file.py`) with the views that these rooms read (`views.py`). Read inside the
transaction you write in: it has all readers of the store.
"""

from __future__ import annotations

from tacit.core.errors import Ambiguous, NotFound
from tacit.core.links import Evidence, Mark, Telling, Use
from tacit.core.rows import FindingRow, Project, RunRow
from tacit.core.value import dumps, loads, value
from tacit.lesson import Lesson, Tally
from tacit.store import file
from tacit.store.statements import (
    COMPILED,
    ENTRY,
    LINE,
    MEMORY_COLUMNS,
    NAME,
    SORT_ORDERS,
    Statements,
    WaitingRows,
    behind_place,
    context_of,
    entry_of,
    grouped_rows,
    memory_of,
    named_by,
    narrowed,
    place_of,
    shown_text,
    tally_from,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from tacit.core.journal import Entry
    from tacit.core.profile import Profile
    from tacit.core.rows import Found, Hit
    from tacit.core.trust import Actor
    from tacit.store.finding import FullText
    from tacit.store.writes import Transaction

# Uses of one moment in the order in which their memories were written: ids are drawn, and say nothing.
_BY_WRITING = "at, (SELECT m.n FROM lesson m WHERE m.id = use.memory), memory"


class ProjectRows(Statements):
    """Projects, profiles and settings."""

    def project(self, id: str) -> Project | None:
        """A project by its id."""
        return next(iter(self.values_of(Project, "id = :id", id=id)), None)

    def projects(self, *, remote: str = "", key: str = "") -> list[Project]:
        """All projects, or those with a remote or a path."""
        where = "remote = :remote" if remote else "key = :key" if key else "id <> ''"
        return self.values_of(Project, f"{where} ORDER BY created_at, id", remote=remote, key=key)

    def profile_json(self, id: str) -> str | None:
        """A compiled profile by its version."""
        return self.meta(f"{COMPILED}{id}") or None

    def meta(self, key: str) -> str:
        """A setting of the store; empty where it is not set."""
        row = self.one("SELECT value FROM setting WHERE key = :key", key=key)
        return row[0] if row else ""


class LessonRows(Statements):
    """Memories, what they are called, and what is counted of each."""

    def get(self, id: str) -> Lesson:
        """A memory by its full id."""
        found = self.memories([id])
        if not found:
            raise NotFound(
                f"There is no lesson {id}.",
                "tacit list shows what there is; tacit list --archived also what was taken out.",
            )
        return found[0]

    def memories(self, ids: Sequence[str]) -> list[Lesson]:
        """Memories by id, in the order asked for; unknown ids are left out."""
        if not ids:
            return []
        wanted = dumps(list(ids))
        rows = self.rows(
            f"SELECT {MEMORY_COLUMNS} FROM memory m WHERE m.id IN (SELECT value FROM json_each(:ids))",
            ids=wanted,
        )
        by_id = {memory.id: memory for memory in self._with_tallies(rows)}
        return [by_id[id] for id in ids if id in by_id]

    def _with_tallies(self, rows: Sequence[tuple[Any, ...]]) -> list[Lesson]:
        if not rows:
            return []
        names: dict[str, str] = {}
        asked = (
            "SELECT value, key FROM setting WHERE key >= 'name:' AND key < 'name;'"
            " AND value IN (SELECT value FROM json_each(:ids))"
        )
        projects = {row[0]: row[1] for row in rows}
        for id, key in self.rows(asked, ids=dumps([*projects])):
            _, alias = named_by(key, projects[id])
            names[id] = min(alias, names.get(id, alias))
        return [memory_of(row, _tally(row[_COUNTS]), names.get(row[0], "")) for row in rows]

    def tally(self, memory: str) -> Tally:
        """What is kept of a memory's counts."""
        row = self.one("SELECT counts FROM lesson WHERE id = :it", it=memory)
        return _tally(row[0] if row else "")

    def resolve(self, name: str, project: str = "") -> str:
        """The full id behind an id, a unique prefix of one, or an alias in this project."""
        asked = name.strip()
        row = self.one("SELECT id FROM lesson WHERE id = :id", id=asked.lower())
        if row:
            return str(row[0])
        called = {
            id for key, id in self._named(project, asked) if named_by(key, project)[1] == asked
        }
        found: list[Any] = [(id,) for id in sorted(called)]
        if not found and asked and asked.isalnum() and asked.isascii():
            low = asked.lower()
            found = self.rows(
                "SELECT id FROM lesson WHERE id >= :low AND id < :high ORDER BY id LIMIT 9",
                low=low,
                high=low + "{",
            )
        if not found:
            raise NotFound(
                f"There is no lesson {shown_text(asked)}.", "tacit list shows what there is."
            )
        if len(found) > 1:
            some = ", ".join(row[0] for row in found[:8])
            raise Ambiguous(
                f"{shown_text(asked)} fits {len(found) if len(found) < 9 else 'many'} memories: {some}.",
                "Give more of the id.",
            )
        return str(found[0][0])

    def select(
        self,
        projects: Sequence[str],
        *,
        states: Sequence[str] = (),
        equal: Mapping[str, str | int] | None = None,
        tag: str = "",
        since: str = "",
        text: str = "",
        sort: str = "new",
        limit: int = 50,
        offset: int = 0,
        behind: str = "",
    ) -> list[Lesson]:
        """Memories of some projects by their facets, newest first unless sorted otherwise; those behind one, where it is named."""
        where, named = narrowed(
            projects=projects, states=states, equal=equal, tag=tag, since=since, text=text
        )
        if behind and (place := self.one(place_of(sort), behind=behind)):
            further, bounds = behind_place(sort, place)
            where, named = [*where, further], {**named, **bounds}
        join, order = SORT_ORDERS[sort]
        # Chosen by number first: rows are wide, and sorting them whole is most of the cost.
        chosen = (
            f"SELECT m.n FROM memory m {join} WHERE {' AND '.join(where)}"
            f" ORDER BY {order} LIMIT :limit OFFSET :offset"
        )
        sql = (
            f"SELECT {MEMORY_COLUMNS} FROM memory m {join} WHERE m.n IN ({chosen}) ORDER BY {order}"
        )
        return self._with_tallies(self.rows(sql, limit=limit, offset=offset, **named))

    def counted(self, projects: Sequence[str], by: Sequence[str]) -> list[Any]:
        """How many memories these projects have for each combination of some facets: (their words …, count), most first."""
        columns = ", ".join(
            "CASE WHEN stale_at = '' THEN 0 ELSE 1 END" if name == "stale" else name for name in by
        )
        return self.rows(
            f"SELECT {columns}, count(*) FROM memory WHERE project IN (SELECT value FROM json_each(:projects)) {grouped_rows(by)}",
            projects=dumps(list(projects)),
        )

    def _named(self, project: str, alias: str = "") -> list[tuple[str, str]]:
        """The settings that name lessons of a project, by what their name begins with."""
        low = f"{NAME}{project}:{alias}:" if alias else f"{NAME}{project}:"
        sql = "SELECT key, value FROM setting WHERE key >= :low AND key < :high ORDER BY key"
        return self.rows(sql, low=low, high=f"{low[:-1]};")

    def alias_of(self, memory: str) -> list[tuple[str, str]]:
        """(namespace, alias) of a memory."""
        row = self.one("SELECT project FROM lesson WHERE id = :it", it=memory)
        rows = self.rows(
            "SELECT key FROM setting WHERE key >= 'name:' AND key < 'name;' AND value = :it",
            it=memory,
        )
        return sorted(named_by(key, row[0]) for (key,) in rows) if row else []

    def aliases(self, project: str, namespace: str) -> set[str]:
        """Every name ever given in a namespace, whatever became of what bears it."""
        return {alias for alias, _ in self.names_in(project, namespace)}

    def names_in(self, project: str, namespace: str) -> list[tuple[str, str]]:
        """(alias, memory) of every name in a namespace, by alias."""
        every = [(named_by(key, project), id) for key, id in self._named(project)]
        return sorted((alias, id) for (space, alias), id in every if space == namespace)


class JournalRows(Statements):
    """What happened to memories: entries, evidence, uses, marks, answers."""

    def entries(
        self,
        projects: Sequence[str] = (),
        *,
        memory: str = "",
        verb: str = "",
        by: str = "",
        run: str = "",
        since: str = "",
        after: int = 0,
        until: str = "",
        newest: bool = False,
        limit: int = -1,
    ) -> list[Entry]:
        """The journal in the order it was written, or its newest entries first."""
        named = {"lesson": memory, "verb": verb, "by": by, "session": run}
        where = [
            f"j.n > :after AND j.verb <> '{LINE}'",
            *(f'j."{column}" = :{column}' for column, wanted in named.items() if wanted),
        ]
        where += ["j.project IN (SELECT value FROM json_each(:projects))"] if projects else []
        where += ["j.at >= :since"] if since else []
        where += ["j.at <= :until"] if until else []
        named |= {"since": since, "until": until, "projects": dumps(list(projects))}
        order = "j.n DESC" if newest else "j.n"
        sql = f"SELECT {ENTRY} FROM journal j WHERE {' AND '.join(where)} ORDER BY {order} LIMIT :limit"
        return [entry_of(row) for row in self.rows(sql, limit=limit, after=after, **named)]

    def entry(self, id: int) -> Entry:
        """One entry by its number."""
        row = self.one(f"SELECT {ENTRY} FROM journal j WHERE j.n = :id", id=id)
        if row is None:
            raise NotFound(
                f"There is no journal entry {id}.",
                "tacit why ID --full shows them with their numbers.",
            )
        return entry_of(row)

    def evidence(self, memory: str) -> list[Evidence]:
        """All evidence of a memory, in the order it was written."""
        return self.values_of(Evidence, "memory = :it ORDER BY n", it=memory)

    def uses(self, *, memory: str = "", unit: str = "") -> list[Use]:
        """The uses of a memory, or all of a unit."""
        return self.values_of(
            Use, f"{'memory' if memory else 'unit'} = :it ORDER BY {_BY_WRITING}", it=memory or unit
        )

    def marks(self, *, memory: str = "", unit: str = "") -> list[Mark]:
        """The marks on a memory's uses, or on those of a unit, in the order they were written."""
        where = "memory = :it" if memory else "unit = :it AND unit <> ''"
        return self.values_of(Mark, f"{where} ORDER BY n", it=memory or unit)

    def all_uses(self, project: str) -> list[Use]:
        """Every use of a project, in the order of assignment; its global lessons' too."""
        return self.values_of(Use, f"project = :p ORDER BY {_BY_WRITING}", p=project)

    def all_marks(self, project: str) -> list[Mark]:
        """Every mark of a project, in the order of writing."""
        return self.values_of(Mark, "project = :p ORDER BY n", p=project)

    def injections(self, unit: str) -> list[tuple[str, str, str, str]]:
        """What a unit was given so far: (surface, given, withheld, at), ids as JSON."""
        return self.rows(
            "SELECT surface, given, withheld, at FROM injection WHERE unit = :unit ORDER BY id",
            unit=unit,
        )

    def tellings(self, unit: str) -> list[Telling]:
        """What each context of a unit was assigned, in order. Answers from before there were contexts are the main one's."""
        asked = "SELECT surface, given, withheld, left_out, at, tokens FROM injection WHERE unit = :unit ORDER BY id"
        rows = self.rows(asked, unit=unit)
        return [
            Telling(
                context_of(left), at, surface, tuple(loads(given)), tuple(loads(withheld)), tokens
            )
            for surface, given, withheld, left, at, tokens in rows
        ]

    def used(self, project: str) -> int:
        """How often a lesson of a project was assigned."""
        return int(self.one("SELECT count(*) FROM use WHERE project = :p", p=project)[0])

    def written(self) -> tuple[int, ...]:
        """What grows whenever a lesson changes, is assigned, or something comes of it."""
        asked = (
            "SELECT (SELECT coalesce(max(n), 0) FROM delivery), (SELECT coalesce(max(n), 0) FROM"
            " evidence), (SELECT coalesce(max(n), 0) FROM journal)"
        )
        return tuple(self.one(asked))


class RunRows(Statements):
    """Runs, and what was found in them."""

    def run(self, id: str) -> RunRow | None:
        """A run by its id in the store."""
        return next(iter(self.values_of(RunRow, "id = :id", id=id)), None)

    def find_run(self, project: str, foreign_id: str) -> RunRow | None:
        """A run by the host's own id; of several that bear it, the one that was learned."""
        named = "id IN (SELECT id FROM run WHERE project = :project AND foreign_id = :it UNION ALL SELECT :it)"
        found = [
            run
            for run in self.values_of(RunRow, named, project=project, it=foreign_id)
            if run.project == project
        ]
        return max(found, key=lambda run: run.seq, default=None)

    def runs(self, project: str, *, limit: int = 50, root: str = "") -> list[RunRow]:
        """A project's runs, newest first, or all runs of one unit."""
        where = "root = :it" if root else "project = :it"
        return self.values_of(
            RunRow,
            f"{where} ORDER BY seq DESC, started_at DESC LIMIT :limit",
            it=root or project,
            limit=limit,
        )

    def findings(self, *, run: str = "", memory: str = "") -> list[FindingRow]:
        """What a run said, or what was said of a memory."""
        where = "memory = :it AND memory <> ''" if memory else "run = :it"
        return self.values_of(FindingRow, f"{where} ORDER BY at, key", it=memory or run)

    def tombstones(self, run: str) -> set[str]:
        """Places of a run whose findings stay out."""
        return {
            row[0] for row in self.rows("SELECT place FROM tombstone WHERE run = :run", run=run)
        }


class Reads(ProjectRows, LessonRows, JournalRows, RunRows, WaitingRows):
    """What a store and a transaction in it both read."""

    if TYPE_CHECKING:
        path: str  # the file

        @property
        def machine(self) -> str: ...

    def find(
        self,
        projects: Sequence[str],
        words: Sequence[str],
        *,
        limit: int = 50,
        injectable: bool = False,
    ) -> Found:
        """Candidates for a query's words, and how common each word is here; ranking is the caller's."""
        from tacit.store.finding import find_words

        return find_words(self, projects, words, limit, injectable)


class Store(Reads, file.Store):
    """A connection to one store file."""

    def __init__(self, path: str, connection: Any, wait: float = file.WAIT) -> None:
        super().__init__(path, connection, wait)
        self.tokens: dict[str, list[str]] = {}  # how the full text reads texts that were met before

    def name_machine(self, name: str) -> None:
        """What this machine is called, where its user keeps a name of it."""
        self._machine = name or self._machine

    if TYPE_CHECKING:

        def write(  # type: ignore[override]
            self, *, wait: float | None = None, confidence: str = "none", keep: bool = True
        ) -> Transaction: ...

    def full_text(self, projects: Sequence[str], told: bool = False) -> FullText:
        """The texts of these projects, as the one ranking asks for them; with `told` only what may be told."""
        from tacit.store.finding import FullText

        return FullText(self, projects, told)

    def signed(
        self, projects: Sequence[str], signatures: Sequence[str], *, limit: int = 20
    ) -> tuple[Hit, ...]:
        """Lessons about exactly these errors."""
        from tacit.store.finding import by_signature

        return by_signature(self, projects, signatures, limit)

    def recurring(self, projects: Sequence[str], *, limit: int = 50) -> tuple[Hit, ...]:
        """What was seen most often in these projects and may be given."""
        from tacit.store.finding import recurring

        return recurring(self, projects, limit)

    def standing(
        self, projects: Sequence[str], *, limit: int = 50, newest: int = 0
    ) -> tuple[Hit, ...]:
        """What applies whatever the task is; and of the `newest` lessons the rules and preferences about one subject."""
        from tacit.store.finding import always_given

        return always_given(self, projects, limit, newest)

    def scrub(self) -> None:
        """Leave no old page image of what was blanked, and nothing of it in this process."""
        from tacit.store.write import scrub

        self.tokens.clear()
        scrub(self)

    def tidy(self, added: int = 0) -> None:
        """For the worker: what hooks look at before they open the store, and which words very many lessons hold."""
        from tacit.store.spoken import keep_common, write_spoken

        if not added:
            write_spoken(self)
            keep_common(self)


_COUNTS = MEMORY_COLUMNS.split(", ").index("m.counts")


def _tally(counts: str) -> Tally:
    return tally_from(loads(counts) if counts else None)


@value
class WorkContext:
    """What work on a project needs: a project of a store under its profile, the clock, new ids, and who acts."""

    store: Store
    project: Project
    profile: Profile
    now: Callable[[], str]
    ids: Callable[[], str]
    actor: Actor

    def write(self, keep: bool = True) -> Transaction:
        """A transaction under the profile's rules."""
        return self.store.write(confidence=self.profile.signals.confidence, keep=keep)
