"""What rooms ask of the store: values of projects, lessons, what vouches for them, sessions and questions.

Read inside the transaction you write in: it has all readers of the store.
"""

from __future__ import annotations

from tacit.core.errors import Ambiguous, NotFound
from tacit.core.links import Evidence, Mark, Telling, Use
from tacit.core.rows import FindingRow, Project, RunRow
from tacit.core.value import dumps, loads, value
from tacit.lesson import Lesson, Tally
from tacit.store import file
from tacit.store.rows import (
    BURIED,
    COMPILED,
    ENTRY,
    EVIDENCE,
    FOUND,
    LINE,
    MARK,
    MEMORY_COLUMNS,
    NAME,
    PROJECT,
    QUESTION,
    SESSION,
    SIGHTING,
    USE,
    context_of,
    entry_from,
    evidence_from,
    facet,
    finding_from,
    lesson_from,
    mark_from,
    named_by,
    project_from,
    proposal_from,
    run_from,
    tally_from,
    use_from,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from tacit.core.journal import Entry
    from tacit.core.profile import Profile
    from tacit.core.proposal import Proposal
    from tacit.core.rows import Found, Hit
    from tacit.core.trust import Actor
    from tacit.store.finding import FullText
    from tacit.store.writes import Transaction

# Uses of one moment in the order in which their lessons were written: ids are drawn, and say nothing.
_BY_WRITING = "at, (SELECT m.n FROM lesson m WHERE m.id = lesson), lesson"
# What an order goes by before the row's number, and which way each of the two goes.
_ORDERS = {
    "new": ("", "DESC", "DESC"),
    "old": ("", "", ""),
    "updated": ("m.changed_at", "DESC", "DESC"),
    "seen": ("m.seen", "DESC", "DESC"),
    "used": ("m.used_at", "DESC", "DESC"),
    "state": ("m.stood", "", "DESC"),
    "kind": (facet("kind"), "", "DESC"),
    "text": ("m.text", "", ""),
}
SORTS = tuple(_ORDERS)


def shown_text(name: str) -> str:
    """A name as an error shows it."""
    return repr(name if len(name) <= 40 else name[:40] + "…")


def _narrowed(
    projects: Sequence[str],
    states: Sequence[str],
    equal: Mapping[str, str | int],
    tag: str,
    since: str,
    text: str,
) -> tuple[list[str], dict[str, Any]]:
    """The conditions on `lesson m` for what is asked, and their parameters."""
    where = ["m.project IN (SELECT value FROM json_each(:projects))"]
    where += ["m.stood IN (SELECT value FROM json_each(:states))"] if states else []
    where += [f"{facet(name)} = :{name}" for name in equal]
    if tag:
        tags = "m.extra ->> '$.was.tags'"
        where.append(
            f"m.extra <> '' AND EXISTS (SELECT 1 FROM json_each({tags}) WHERE value = :tag)"
        )
    where += ["m.changed_at >= :since"] if since else []
    where += ["instr(lower(m.text), lower(:text)) > 0"] if text else []
    named = {"projects": dumps(list(projects)), "states": dumps(list(states)), **equal}
    return where, {**named, "tag": tag, "since": since, "text": text}


class Reads:
    """What a store and a transaction in it both read; each provides `rows`."""

    if TYPE_CHECKING:
        path: str  # the file

        @property
        def machine(self) -> str: ...

        def rows(self, sql: str, *bound: Any, **named: Any) -> list[Any]: ...

    def one(self, sql: str, *bound: Any, **named: Any) -> Any:
        """The first row, or None."""
        found = self.rows(sql, *bound, **named)
        return found[0] if found else None

    # --- projects and settings

    def project(self, id: str) -> Project | None:
        """A project by its id."""
        row = self.one(f"SELECT {', '.join(PROJECT)} FROM project WHERE id = ?", id)
        return project_from(row) if row else None

    def projects(self) -> list[Project]:
        """All projects, the oldest first."""
        sql = f"SELECT {', '.join(PROJECT)} FROM project ORDER BY created_at, id"
        return [project_from(row) for row in self.rows(sql)]

    def profile_json(self, id: str) -> str | None:
        """A compiled profile by its version."""
        return self.meta(f"{COMPILED}{id}") or None

    def meta(self, key: str) -> str:
        """A setting of the store; empty where it is not set."""
        row = self.one("SELECT value FROM setting WHERE key = ?", key)
        return row[0] if row else ""

    # --- lessons

    def get(self, id: str) -> Lesson:
        """A lesson by its full id."""
        found = self.memories([id])
        if not found:
            raise NotFound(
                f"There is no lesson {id}.",
                "tacit list shows what there is; tacit list --archived also what was taken out.",
            )
        return found[0]

    def memories(self, ids: Sequence[str]) -> list[Lesson]:
        """Lessons by id, in the order asked for; unknown ids are left out."""
        if not ids:
            return []
        rows = self.rows(
            f"SELECT {MEMORY_COLUMNS} FROM lesson m WHERE m.id IN (SELECT value FROM json_each(?))",
            dumps(list(ids)),
        )
        by_id = {each.id: each for each in self.lessons_of(rows)}
        return [by_id[id] for id in ids if id in by_id]

    def lessons_of(self, rows: Sequence[tuple[Any, ...]]) -> list[Lesson]:
        """The lessons behind rows of MEMORY_COLUMNS, each by the first of its names."""
        if not rows:
            return []
        names: dict[str, str] = {}
        asked = (
            "SELECT value, key FROM setting WHERE key >= 'name:' AND key < 'name;'"
            " AND value IN (SELECT value FROM json_each(?))"
        )
        projects = {row[0]: row[1] for row in rows}
        for id, key in self.rows(asked, dumps([*projects])):
            _, alias = named_by(key, projects[id])
            names[id] = min(alias, names.get(id, alias))
        return [lesson_from(row, names.get(row[0], "")) for row in rows]

    def tally(self, id: str) -> Tally:
        """What is kept of a lesson's counts."""
        row = self.one("SELECT counts FROM lesson WHERE id = ?", id)
        return tally_from(loads(row[0]) if row and row[0] else None)

    def resolve(self, name: str, project: str = "") -> str:
        """The full id behind an id, a unique prefix of one, or an alias in this project."""
        asked = name.strip()
        row = self.one("SELECT id FROM lesson WHERE id = ?", asked.lower())
        if row:
            return str(row[0])
        named = self._named(project, asked)
        found = sorted({id for key, id in named if named_by(key, project)[1] == asked})
        if not found and asked and asked.isalnum() and asked.isascii():
            low = asked.lower()
            sql = "SELECT id FROM lesson WHERE id >= ? AND id < ? ORDER BY id LIMIT 9"
            found = [id for (id,) in self.rows(sql, low, low + "{")]
        if not found:
            raise NotFound(
                f"There is no lesson {shown_text(asked)}.", "tacit list shows what there is."
            )
        if len(found) > 1:
            many = len(found) if len(found) < 9 else "many"
            raise Ambiguous(
                f"{shown_text(asked)} fits {many} memories: {', '.join(found[:8])}.",
                "Give more of the id.",
            )
        return found[0]

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
        behind: str = "",
    ) -> list[Lesson]:
        """Lessons of some projects by their facets, newest first unless sorted otherwise; those behind one, where it is named."""
        where, named = _narrowed(projects, states, equal or {}, tag, since, text)
        by, first, then = _ORDERS[sort]
        order = f"{by} {first}, m.n {then}" if by else f"m.n {then}"
        sign = {"DESC": "<", "": ">"}
        place = self.one(f"SELECT {by or 0}, m.n FROM lesson m WHERE m.id = ?", behind)
        if place and by:
            named |= {"place": place[0], "place_n": place[1]}
            where.append(
                f"({by} {sign[first]} :place OR ({by} = :place AND m.n {sign[then]} :place_n))"
            )
        elif place:
            named["place_n"] = place[1]
            where.append(f"m.n {sign[then]} :place_n")
        # Chosen by number first: rows are wide, and sorting them whole is most of the cost.
        chosen = (
            f"SELECT m.n FROM lesson m WHERE {' AND '.join(where)} ORDER BY {order} LIMIT :limit"
        )
        sql = f"SELECT {MEMORY_COLUMNS} FROM lesson m WHERE m.n IN ({chosen}) ORDER BY {order}"
        return self.lessons_of(self.rows(sql, limit=limit, **named))

    def counted(self, projects: Sequence[str], by: Sequence[str]) -> list[Any]:
        """How many lessons these projects have for each combination of some facets: (their words …, count), most first."""
        columns = ", ".join(
            f"{facet('stale_at')} <> ''" if name == "stale" else facet(name) for name in by
        )
        places = ", ".join(str(at + 1) for at in range(len(by)))
        return self.rows(
            f"SELECT {columns}, count(*) FROM lesson m WHERE m.project IN"
            f" (SELECT value FROM json_each(?)) GROUP BY {places}"
            f" ORDER BY {len(by) + 1} DESC, {places}",
            dumps(list(projects)),
        )

    def _named(self, project: str, alias: str = "") -> list[tuple[str, str]]:
        """The settings that name lessons of a project, by what their name begins with."""
        low = f"{NAME}{project}:{alias}:" if alias else f"{NAME}{project}:"
        sql = "SELECT key, value FROM setting WHERE key >= ? AND key < ? ORDER BY key"
        return self.rows(sql, low, f"{low[:-1]};")

    def alias_of(self, id: str) -> list[tuple[str, str]]:
        """(namespace, alias) of a lesson."""
        row = self.one("SELECT project FROM lesson WHERE id = ?", id)
        sql = "SELECT key FROM setting WHERE key >= 'name:' AND key < 'name;' AND value = ?"
        return sorted(named_by(key, row[0]) for (key,) in self.rows(sql, id)) if row else []

    def aliases(self, project: str, namespace: str) -> set[str]:
        """Every name ever given in a namespace, whatever became of what bears it."""
        return {alias for alias, _ in self.names_in(project, namespace)}

    def names_in(self, project: str, namespace: str) -> list[tuple[str, str]]:
        """(alias, lesson) of every name in a namespace, by alias."""
        every = [(named_by(key, project), id) for key, id in self._named(project)]
        return sorted((alias, id) for (space, alias), id in every if space == namespace)

    # --- what happened to lessons

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
        named: dict[str, Any] = {"lesson": memory, "verb": verb, "by": by, "session": run}
        where = [f"j.n > :after AND j.verb <> '{LINE}'"]
        where += [f'j."{column}" = :{column}' for column, wanted in named.items() if wanted]
        where += ["j.project IN (SELECT value FROM json_each(:projects))"] if projects else []
        where += ["j.at >= :since"] if since else []
        where += ["j.at <= :until"] if until else []
        named |= {"since": since, "until": until, "projects": dumps(list(projects))}
        order = "j.n DESC" if newest else "j.n"
        sql = f"SELECT {ENTRY} FROM journal j WHERE {' AND '.join(where)} ORDER BY {order}"
        rows = self.rows(f"{sql} LIMIT :limit", limit=limit, after=after, **named)
        return [entry_from(row) for row in rows]

    def entry(self, id: int) -> Entry:
        """One entry by its number."""
        row = self.one(f"SELECT {ENTRY} FROM journal j WHERE j.n = ?", id)
        if row is None:
            raise NotFound(
                f"There is no journal entry {id}.",
                "tacit why ID --full shows them with their numbers.",
            )
        return entry_from(row)

    def evidence_where(self, where: str, *bound: Any) -> list[Evidence]:
        """Evidence by a condition on its rows, in the order it was written."""
        sql = f"SELECT {EVIDENCE} FROM evidence WHERE {where} AND {SIGHTING} ORDER BY n"
        return [evidence_from(row) for row in self.rows(sql, *bound)]

    def evidence(self, memory: str) -> list[Evidence]:
        """All evidence of a lesson."""
        return self.evidence_where("lesson = ?", memory)

    def _uses_where(self, where: str, *bound: Any) -> list[Use]:
        sql = f"SELECT {USE} FROM delivery WHERE {where} AND lesson <> '' ORDER BY {_BY_WRITING}"
        return [use_from(row) for row in self.rows(sql, *bound)]

    def uses(self, *, memory: str = "", unit: str = "") -> list[Use]:
        """The uses of a lesson, or all of a unit."""
        return self._uses_where("lesson = ?" if memory else '"group" = ?', memory or unit)

    def all_uses(self, project: str) -> list[Use]:
        """Every use of a project, in the order of assignment; its global lessons' too."""
        return self._uses_where("project = ?", project)

    def _marks_where(self, where: str, *bound: Any) -> list[Mark]:
        sql = f"SELECT {EVIDENCE} FROM evidence WHERE {where} AND measure GLOB '{MARK}*' ORDER BY n"
        return [mark_from(row) for row in self.rows(sql, *bound)]

    def marks(self, *, memory: str = "", unit: str = "") -> list[Mark]:
        """The marks on a lesson's uses, or on those of a unit, in the order they were written."""
        if memory:
            return self._marks_where("lesson = ?", memory)
        return self._marks_where('"group" = ? AND "group" <> \'\'', unit)

    def all_marks(self, project: str) -> list[Mark]:
        """Every mark of a project, in the order of writing."""
        return self._marks_where("project = ?", project)

    def tellings(self, unit: str) -> list[Telling]:
        """What each context of a unit was assigned, in order."""
        asked = "SELECT moment, extra, at, tokens FROM delivery WHERE \"group\" = ? AND lesson = ''"
        found = []
        for moment, extra, at, tokens in self.rows(f"{asked} ORDER BY n", unit):
            told = loads(extra)
            context = context_of(told.get("left_out") or {})
            arms = tuple(told["given"]), tuple(told["withheld"])
            found.append(Telling(context, at, moment, *arms, tokens))
        return found

    def used(self, project: str) -> int:
        """How often a lesson of a project was assigned."""
        sql = "SELECT count(*) FROM delivery WHERE project = ? AND lesson <> ''"
        return int(self.one(sql, project)[0])

    def written(self) -> tuple[int, ...]:
        """What grows whenever a lesson changes, is assigned, or something comes of it."""
        asked = (
            "SELECT (SELECT coalesce(max(n), 0) FROM delivery), (SELECT coalesce(max(n), 0) FROM"
            " evidence), (SELECT coalesce(max(n), 0) FROM journal)"
        )
        return tuple(self.one(asked))

    # --- sessions, and what was found in them

    def _runs_where(self, where: str, *bound: Any) -> list[RunRow]:
        sql = f"SELECT {SESSION} FROM session WHERE {where}"
        return [run_from(row) for row in self.rows(sql, *bound)]

    def run(self, id: str) -> RunRow | None:
        """A session by its id in the store."""
        return next(iter(self._runs_where("id = ?", id)), None)

    def find_run(self, project: str, foreign_id: str) -> RunRow | None:
        """A session by the host's own id; of several that bear it, the one that was learned."""
        where = (
            "id IN (SELECT id FROM session WHERE project = ?1 AND name = ?2 UNION ALL SELECT ?2)"
            " AND project = ?1"
        )
        found = self._runs_where(where, project, foreign_id)
        return max(found, key=lambda run: run.seq, default=None)

    def runs(self, project: str, *, limit: int = 50, root: str = "") -> list[RunRow]:
        """A project's sessions, newest first, or all of one unit."""
        where = '"group" = ?' if root else "project = ?"
        order = "ORDER BY number DESC, started_at DESC LIMIT ?"
        return self._runs_where(f"{where} {order}", root or project, limit)

    def findings(self, *, run: str = "", memory: str = "") -> list[FindingRow]:
        """What a session said, or what was said of a lesson."""
        where = "lesson = ? AND lesson <> ''" if memory else "session = ?"
        sql = f"SELECT {EVIDENCE} FROM evidence WHERE {where} AND measure = '{FOUND}'"
        return [finding_from(row) for row in self.rows(f"{sql} ORDER BY at, place", memory or run)]

    def tombstones(self, run: str) -> set[str]:
        """Places of a session whose findings stay out."""
        sql = f"SELECT place FROM evidence WHERE session = ? AND measure = '{BURIED}'"
        return {place for (place,) in self.rows(sql, run)}

    # --- what waits for a person or for the worker

    def proposals(
        self,
        project: str = "",
        *,
        state: str = "open",
        memory: str = "",
        kinds: Sequence[str] = (),
        limit: int = 200,
        behind: str = "",
    ) -> list[Proposal]:
        """Proposals, oldest first; those that come behind one, where it is named."""
        where = ["answered_at = ''"] if state == "open" else []
        where += ["answer = :state AND answered_at <> ''"] if state and not where else []
        where += ["project = :project"] if project else []
        where += ["lesson = :memory"] if memory else []
        where += ["kind IN (SELECT value FROM json_each(:kinds))"] if kinds else []
        if behind:
            where.append("(asked_at, id) > (SELECT asked_at, id FROM question WHERE id = :behind)")
        return self.proposals_where(
            f"{' AND '.join(where) or 'true'} ORDER BY asked_at, id LIMIT :limit",
            state=state,
            project=project,
            memory=memory,
            kinds=dumps(list(kinds)),
            limit=limit,
            behind=behind,
        )

    def proposals_where(self, where: str, **named: Any) -> list[Proposal]:
        """Proposals by a condition on the rows of `question`."""
        sql = f"SELECT {QUESTION} FROM question WHERE {where}"
        return [proposal_from(row) for row in self.rows(sql, **named)]

    def proposals_named(self, project: str, beginning: str) -> list[Proposal]:
        """A project's proposals whose ids begin so, in any state."""
        low = beginning.lower()
        where = "id >= :low AND id < :high AND project = :project"
        return self.proposals_where(where, low=low, high=low + "{", project=project)

    def proposals_about(self, project: str) -> list[tuple[str, str]]:
        """(kind, lesson) of each open proposal, oldest first."""
        sql = "SELECT kind, lesson FROM question WHERE project = ? AND answered_at = ''"
        return [tuple(row) for row in self.rows(f"{sql} ORDER BY asked_at, id", project)]

    def proposal(self, id: str) -> Proposal | None:
        """A proposal by its id."""
        return next(iter(self.proposals_where("id = :id", id=id)), None)

    def queued(self) -> int:
        """How many jobs wait or are under way."""
        return int(self.one("SELECT count(*) FROM job")[0])

    def find(self, projects: Sequence[str], words: Sequence[str], *, limit: int = 50) -> Found:
        """Candidates for a query's words, and how common each word is here; ranking is the caller's."""
        from tacit.store.finding import find_words

        return find_words(self, projects, words, limit)


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
        self.tokens.clear()
        super().scrub()

    def tidy(self, added: int = 0) -> None:
        """For the worker: what hooks look at before they open the store, and which words very many lessons hold."""
        from tacit.store.spoken import keep_common, write_spoken

        if not added:
            write_spoken(self)
            keep_common(self)


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
