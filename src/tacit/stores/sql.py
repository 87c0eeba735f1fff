"""Rows in, rows out. Rooms take `Store` and `Transaction`; SQLite's derive from them.

An engine's folder brings the connection, its transactions and full text; everything else stands here once, in SQL
that both speak, with named parameters. Read inside the transaction you write in: it has all readers of the store.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from tacit.core.errors import Ambiguous, NotFound
from tacit.core.links import Evidence, Mark, Telling, Use
from tacit.core.memory import Memory, Tally, from_row
from tacit.core.rows import FindingRow, Project, RunRow
from tacit.core.value import dumps, loads, value
from tacit.stores.sql_rows import (
    HEADER,
    MEMORY_COLUMNS,
    SORT_ORDERS,
    Statements,
    WaitingRows,
    behind_place,
    context_of,
    entry_of,
    grouped_rows,
    narrowed,
    place_of,
    shown_text,
    tally_from,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, Self

    from tacit.core.journal import Entry
    from tacit.core.profile import Profile
    from tacit.core.rows import Fault, Found, Hit
    from tacit.core.trust import Actor
    from tacit.stores.sql_writer import Transaction
    from tacit.stores.sqlite.fulltext import FullText

# Uses of one moment in the order in which their memories were written: ids are drawn, and say nothing.
_BY_WRITING = "at, (SELECT m.n FROM memory m WHERE m.id = use.memory), memory"


class Alone:
    """Nothing to wait for: a file is looked after by one worker, and what people do there at once is harmless."""

    def __enter__(self) -> Alone:
        return self

    def __exit__(self, *_: object) -> None:
        pass


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
        row = self.one("SELECT compiled FROM profile WHERE id = :id", id=id)
        return row[0] if row else None

    def meta(self, key: str) -> str:
        """A setting of the store; empty where it is not set."""
        row = self.one("SELECT value FROM meta WHERE key = :key", key=key)
        return row[0] if row else ""


class LessonRows(Statements):
    """Memories, what they are called, and what is counted of each."""

    def get(self, id: str) -> Memory:
        """A memory by its full id."""
        found = self.memories([id])
        if not found:
            raise NotFound(
                f"There is no lesson {id}.",
                "tacit list shows what there is; tacit list --archived also what was taken out.",
            )
        return found[0]

    def memories(self, ids: Sequence[str]) -> list[Memory]:
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

    def _with_tallies(self, rows: Sequence[tuple[Any, ...]]) -> list[Memory]:
        if not rows:
            return []
        wanted = dumps([row[0] for row in rows])
        counts: dict[str, dict[str, tuple[float, str]]] = {}
        for memory, signal, amount, at in self.rows(
            "SELECT memory, signal, amount, at FROM tally WHERE memory IN (SELECT value FROM json_each(:ids))",
            ids=wanted,
        ):
            counts.setdefault(memory, {})[signal] = (amount, at)
        names: dict[str, str] = dict(
            self.rows(
                "SELECT memory, min(alias) FROM alias WHERE memory IN (SELECT value FROM json_each(:ids)) GROUP BY memory",
                ids=wanted,
            )
        )
        return [
            from_row(row, tally_from(counts.get(row[0])), names.get(row[0], "")) for row in rows
        ]

    def tally(self, memory: str) -> Tally:
        """What is kept of a memory's counts."""
        rows = self.rows("SELECT signal, amount, at FROM tally WHERE memory = :it", it=memory)
        return tally_from({signal: (amount, at) for signal, amount, at in rows})

    def resolve(self, name: str, project: str = "") -> str:
        """The full id behind an id, a unique prefix of one, or an alias in this project."""
        asked = name.strip()
        row = self.one("SELECT id FROM memory WHERE id = :id", id=asked.lower())
        if row:
            return str(row[0])
        found = self.rows(
            "SELECT DISTINCT memory FROM alias WHERE alias = :alias AND project = :project",
            alias=asked,
            project=project,
        )
        if not found and asked and asked.isalnum() and asked.isascii():
            low = asked.lower()
            found = self.rows(
                "SELECT id FROM memory WHERE id >= :low AND id < :high ORDER BY id LIMIT 9",
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
    ) -> list[Memory]:
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

    def alias_of(self, memory: str) -> list[tuple[str, str]]:
        """(namespace, alias) of a memory."""
        return self.rows(
            "SELECT namespace, alias FROM alias WHERE memory = :it ORDER BY 1, 2", it=memory
        )

    def aliases(self, project: str, namespace: str) -> set[str]:
        """Every name ever given in a namespace, whatever became of what bears it."""
        rows = self.rows(
            "SELECT alias FROM alias WHERE project = :p AND namespace = :n", p=project, n=namespace
        )
        return {row[0] for row in rows}


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
        named = {"memory": memory, "verb": verb, "by": by, "run": run}
        where = [
            "id > :after",
            *(f"{column} = :{column}" for column, wanted in named.items() if wanted),
        ]
        where += ["project IN (SELECT value FROM json_each(:projects))"] if projects else []
        where += ["at >= :since"] if since else []
        where += ["at <= :until"] if until else []
        named |= {"since": since, "until": until, "projects": dumps(list(projects))}
        order = "id DESC" if newest else "id"
        sql = f"SELECT id, {', '.join(HEADER)}, payload FROM journal WHERE {' AND '.join(where)} ORDER BY {order} LIMIT :limit"
        return [entry_of(row) for row in self.rows(sql, limit=limit, after=after, **named)]

    def entry(self, id: int) -> Entry:
        """One entry by its number."""
        row = self.one(
            f"SELECT id, {', '.join(HEADER)}, payload FROM journal WHERE id = :id", id=id
        )
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
            "SELECT (SELECT count(*) FROM use), (SELECT coalesce(max(n), 0) FROM use_mark),"
            " (SELECT coalesce(max(id), 0) FROM journal)"
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

    machine: str
    lock = ""  # the project whose writers follow each other; a file has one lock for all of them
    path = ""  # the file

    @abstractmethod
    def find(
        self,
        projects: Sequence[str],
        words: Sequence[str],
        *,
        limit: int = 50,
        injectable: bool = False,
    ) -> Found:
        """Candidates for a query's words, and how common each word is here; ranking is the caller's."""


class Bracket(ABC):
    """What holds a transaction together: it is kept as a whole at the end of its block, or taken back."""

    _keep: bool

    @abstractmethod
    def __enter__(self) -> Self: ...

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None and self._keep:
            try:
                self._commit()
                return
            except BaseException:
                self._roll_back()
                raise
        self._roll_back()

    @abstractmethod
    def _commit(self) -> None: ...

    @abstractmethod
    def _roll_back(self) -> None: ...


class Store(Reads):
    """Where it is kept: the port of every room, and the base of the file's."""

    wait: float
    engine = ""  # its package, in which `search` stands

    def _own(self, part: str) -> Any:
        """A module of the engine, loaded when it is asked for something."""
        return __import__(f"{self.engine}.{part}", fromlist=(part,))

    @abstractmethod
    def write(
        self, *, wait: float | None = None, confidence: str = "none", keep: bool = True
    ) -> Transaction:
        """One transaction: `with store.write() as tx: tx.apply(change)`. Acknowledge after the block, never inside."""

    @abstractmethod
    def snapshot(self) -> Any:
        """Inside `with store.snapshot():` everything is read as it is now, whatever others write meanwhile."""

    def alone(self, what: str) -> Alone:
        """Inside `with store.alone(what):` nobody else is at it, on any machine; whoever dies there lets it go."""
        return Alone()

    def tidy(self, added: int = 0) -> int:
        """Put derived data in order where an engine needs that, perhaps after rows were `added`; returns its steps."""
        return 0

    @abstractmethod
    def full_text(self, projects: Sequence[str], told: bool = False) -> FullText:
        """The texts of these projects, as the one ranking asks for them; with `told` only what may be told."""

    def signed(
        self, projects: Sequence[str], signatures: Sequence[str], *, limit: int = 20
    ) -> tuple[Hit, ...]:
        """Lessons about exactly these errors."""
        return self._own("search").by_signature(self, projects, signatures, limit=limit)  # type: ignore[no-any-return]

    def recurring(self, projects: Sequence[str], *, limit: int = 50) -> tuple[Hit, ...]:
        """What was seen most often in these projects and may be given."""
        return self._own("search").recurring(self, projects, limit=limit)  # type: ignore[no-any-return]

    def standing(
        self, projects: Sequence[str], *, limit: int = 50, newest: int = 0
    ) -> tuple[Hit, ...]:
        """What applies whatever the task is; and of the `newest` lessons the rules and preferences about one subject."""
        return self._own("search").always_given(self, projects, limit=limit, newest=newest)  # type: ignore[no-any-return]

    @abstractmethod
    def file_faults(self) -> Iterator[Fault]:
        """What is wrong with the file itself."""

    @abstractmethod
    def index_faults(self) -> Iterator[Fault]:
        """What is wrong with full text."""

    @property
    @abstractmethod
    def schema(self) -> int:
        """The number of its schema."""

    @abstractmethod
    def size(self) -> int:
        """Its bytes on disk, the write-ahead log included."""

    def scrub(self) -> None:
        """Leave no old page image of what was blanked, and nothing of it in this process."""

    def hurry(self) -> None:
        """Do not fold the write-ahead log back when this connection closes: a prompt is waiting, the next command does it."""

    def close(self) -> None:
        """Close the connection; what was acknowledged is on disk already."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


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
