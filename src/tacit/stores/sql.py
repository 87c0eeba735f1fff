"""What every SQL engine does alike: rows in, rows out, and the one way to change a memory.

An engine's folder brings the connection, its transactions and full text; everything else stands here once, in SQL
that both speak, with named parameters. Read inside the transaction you write in: `Transaction` has all the readers of
`SqlStore`.
"""

from __future__ import annotations

import json

from tacit.core.contexts import Telling
from tacit.core.digest import digest
from tacit.core.errors import Ambiguous, NotFound
from tacit.core.journal import (
    GENESIS,
    Entry,
    entry_hash,
    new_salt,
    payload,
    payload_digest,
    shard_of,
    starts_new_table,
    xor,
)
from tacit.core.links import (
    ADDED_UP,
    EVIDENCE_COLUMNS,
    IN_EPOCH,
    MARK_COLUMNS,
    NEW_TABLE,
    UNKNOWN,
    UNTOLD,
    USE_COLUMNS,
    Evidence,
    Mark,
    Use,
    link_hash,
    link_row,
    seen_again,
    seen_more,
)
from tacit.core.memory import DECIDED, NO_TALLY, Memory, Tally, from_row, met_in, row_hash, to_row
from tacit.core.rows import FindingRow, Job, Near, Project, RunRow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from tacit.core.journal import Change
    from tacit.core.ports import Embedder, Placed, Reads
    from tacit.core.profile import Signals
    from tacit.core.proposal import Proposal

COUNTED = ("seen", "uses", "clean", "recurred", "contradicted", "confidence", "belief")
ENDLESS = 1 << 62  # no row has this number
HEADER = ("memory", "n", "project", "verb", "by", "at", "run", "profile", "machine")
_MEMORY = ", ".join(f"m.{name}" for name in DECIDED)


def asked_about(store: Reads, project: str, key: str) -> list[Proposal]:
    """Proposals about one line of a page, in any state, oldest first; `key` is a hash that stands in their payload."""
    rows = store.rows(
        "SELECT id FROM proposal WHERE project = :project AND kind = 'page' AND instr(payload, :key) > 0 ORDER BY created_at, id",
        project=project,
        key=key,
    )
    return [found for row in rows if (found := store.proposal(row[0])) is not None]


# What memories are told apart, counted and listed by. `stale` is whether there is a `stale_at`.
FACETS = ("project", "state", "kind", "klass", "category", "trust", "gate", "verdict", "severity", "pinned", "on_page", "stale")


def facet_columns(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """The facets of a memory's row."""
    return tuple(int(row["stale_at"] != "") if name == "stale" else row[name] for name in FACETS)


# Truth tables whose rows carry no hash of their own: columns and key. The XOR of their rows is kept in `seal`.
SEALED: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "project": (Project.FIELDS, ("id",)),  # type: ignore[attr-defined]
    "profile": (("id", "name", "compiled", "created_at"), ("id",)),
    "alias": (("project", "namespace", "alias", "memory"), ("project", "namespace", "alias")),
    "tombstone": (("run", "place", "project", "reason", "at"), ("run", "place")),
    "meta": (("key", "value"), ("key",)),
}


def seal_project(table: str, row: Mapping[str, Any]) -> str:
    """Under which project a row of such a table is sealed."""
    return str(row["id"] if table == "project" else row.get("project", ""))


class Alone:
    """Nothing to wait for: a file is looked after by one worker, and what people do there at once is harmless."""

    def __enter__(self) -> Alone:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class SqlStore:
    """Reading. An engine provides `rows`."""

    lock = ""  # the project whose writers follow each other; a file has one lock for all of them
    is_file = False  # one file of our own to copy, verify and repair; a server looks after its own
    is_whole = True  # whether all projects of the store are visible to us
    path = ""  # the file, or the address without its password
    url = ""  # the address of a server; empty for a file
    changed = False  # whether something was written to a server through this object
    far = ""  # the address of the server whose cache this is (stores/cache.py)

    def rows(self, sql: str, **named: Any) -> list[Any]:
        raise NotImplementedError

    def one(self, sql: str, **named: Any) -> Any:
        """The first row, or None."""
        found = self.rows(sql, **named)
        return found[0] if found else None

    def each(self, sql: str, **named: Any) -> Iterator[Any]:
        """Rows one by one, for what may be large."""
        raise NotImplementedError

    def write(self, *, wait: float | None = None, confidence: str | Signals = "none", keep: bool = True) -> Any:
        """One transaction: `with store.write() as tx: tx.apply(change)`. Acknowledge after the block, never inside."""
        raise NotImplementedError

    def snapshot(self) -> Any:
        """Inside `with store.snapshot():` everything is read as it is now, whatever others write meanwhile."""
        raise NotImplementedError

    def alone(self, what: str) -> Alone:
        """Inside `with store.alone(what):` nobody else is at it, on any machine; whoever dies there lets it go."""
        return Alone()

    def tidy(self, added: int = 0) -> int:
        """Put derived data in order where an engine needs that, perhaps after rows were `added`; returns its steps."""
        return 0

    # -- projects and profiles --------------------------------------------------------------------

    def project(self, id: str) -> Project | None:
        """A project by its id."""
        return self._project("id = :it", id)

    def projects(self, *, remote: str = "", key: str = "") -> list[Project]:
        """All projects, or those with a remote or a path."""
        if remote:
            return self._projects("remote = :it", remote)
        return self._projects("key = :it", key) if key else self._projects("id <> :it", "")

    def _project(self, where: str, it: str) -> Project | None:
        found = self._projects(where, it)
        return found[0] if found else None

    def _projects(self, where: str, it: str) -> list[Project]:
        columns = ", ".join(Project.FIELDS)  # type: ignore[attr-defined]
        return [
            Project(*row)
            for row in self.rows(f"SELECT {columns} FROM project WHERE {where} ORDER BY created_at, id", it=it)
        ]

    def profile_json(self, id: str) -> str | None:
        """A compiled profile by its version."""
        row = self.one("SELECT compiled FROM profile WHERE id = :id", id=id)
        return row[0] if row else None

    def meta(self, key: str) -> str:
        """A setting of the store; empty where it is not set."""
        row = self.one("SELECT value FROM meta WHERE key = :key", key=key)
        return row[0] if row else ""

    # -- memories ---------------------------------------------------------------------------------

    def get(self, id: str) -> Memory:
        """A memory by its full id."""
        found = self.memories([id])
        if not found:
            raise NotFound(
                f"There is no memory {id}.",
                "tacit list shows what there is; tacit list --archived also what was taken out.",
            )
        return found[0]

    def memories(self, ids: Sequence[str]) -> list[Memory]:
        """Memories by id, in the order asked for; unknown ids are left out."""
        if not ids:
            return []
        wanted = json.dumps(list(ids))
        rows = self.rows(
            f"SELECT {_MEMORY} FROM memory m WHERE m.id IN (SELECT value FROM json_each(:ids))", ids=wanted
        )
        by_id = {memory.id: memory for memory in self._with_tallies(rows)}
        return [by_id[id] for id in ids if id in by_id]

    def _with_tallies(self, rows: Sequence[tuple[Any, ...]]) -> list[Memory]:
        if not rows:
            return []
        wanted = json.dumps([row[0] for row in rows])
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
        return [from_row(row, _tally(counts.get(row[0])), names.get(row[0], "")) for row in rows]

    def tally(self, memory: str) -> Tally:
        """What is kept of a memory's counts."""
        rows = self.rows("SELECT signal, amount, at FROM tally WHERE memory = :it", it=memory)
        return _tally({signal: (amount, at) for signal, amount, at in rows})

    def course(self, memory: str, epoch: str) -> str:
        """How far a lesson has come in an epoch, as it was kept; empty where nothing was, or its past changed since."""
        row = self.one("SELECT kept FROM course WHERE memory = :it AND epoch = :epoch", it=memory, epoch=epoch)
        return str(row[0]) if row else ""

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
                "SELECT id FROM memory WHERE id >= :low AND id < :high ORDER BY id LIMIT 9", low=low, high=low + "{"
            )
        if not found:
            raise NotFound(f"There is no memory {_shown(asked)}.", "tacit list shows what there is.")
        if len(found) > 1:
            some = ", ".join(row[0] for row in found[:8])
            raise Ambiguous(
                f"{_shown(asked)} fits {len(found) if len(found) < 9 else 'many'} memories: {some}.",
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
    ) -> list[Memory]:
        """Memories of some projects by their facets, newest first unless sorted otherwise."""
        where, named = narrowed(projects=projects, states=states, equal=equal, tag=tag, since=since, text=text)
        join, order = ORDERS[sort]
        rows = self.rows(
            f"SELECT {_MEMORY} FROM memory m {join} WHERE {' AND '.join(where)} ORDER BY {order} LIMIT :limit OFFSET :offset",
            limit=limit,
            offset=offset,
            **named,
        )
        return self._with_tallies(rows)

    def counted(self, projects: Sequence[str], by: Sequence[str]) -> list[Any]:
        """How many memories these projects have for each combination of some facets: (their words …, count), most first."""
        columns = ", ".join("CASE WHEN stale_at = '' THEN 0 ELSE 1 END" if name == "stale" else name for name in by)
        return self.rows(
            f"SELECT {columns}, count(*) FROM memory WHERE project IN (SELECT value FROM json_each(:projects)) {_grouped(by)}",
            projects=json.dumps(list(projects)),
        )

    def alias_of(self, memory: str) -> list[tuple[str, str]]:
        """(namespace, alias) of a memory."""
        return [
            (row[0], row[1])
            for row in self.rows("SELECT namespace, alias FROM alias WHERE memory = :it ORDER BY 1, 2", it=memory)
        ]

    def aliases(self, project: str, namespace: str) -> set[str]:
        """Every name ever given in a namespace, whatever became of what bears it."""
        rows = self.rows("SELECT alias FROM alias WHERE project = :p AND namespace = :n", p=project, n=namespace)
        return {row[0] for row in rows}

    # -- journal, evidence, uses ------------------------------------------------------------------

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
        where, named = ["id > :after"], {"after": after}
        for column, wanted in (("memory", memory), ("verb", verb), ("by", by), ("run", run)):
            if wanted:
                where.append(f"{column} = :{column}")
                named[column] = wanted  # type: ignore[assignment]
        if projects:
            where.append("project IN (SELECT value FROM json_each(:projects))")
            named["projects"] = json.dumps(list(projects))  # type: ignore[assignment]
        if since:
            where.append("at >= :since")
            named["since"] = since  # type: ignore[assignment]
        if until:
            where.append("at <= :until")
            named["until"] = until  # type: ignore[assignment]
        order = "id DESC" if newest else "id"
        sql = f"SELECT id, {', '.join(HEADER)}, payload FROM journal WHERE {' AND '.join(where)} ORDER BY {order} LIMIT :limit"
        return [_entry(row) for row in self.rows(sql, limit=limit, **named)]

    def entry(self, id: int) -> Entry:
        """One entry by its number."""
        row = self.one(f"SELECT id, {', '.join(HEADER)}, payload FROM journal WHERE id = :id", id=id)
        if row is None:
            raise NotFound(f"There is no journal entry {id}.", "tacit log shows them with their numbers.")
        return _entry(row)

    def evidence(self, memory: str) -> list[Evidence]:
        """All evidence of a memory, in the order it was written."""
        columns = ", ".join(EVIDENCE_COLUMNS[1:])
        rows = self.rows(f"SELECT {columns} FROM evidence WHERE memory = :it ORDER BY n", it=memory)
        return [Evidence(*(*row[:-1], bool(row[-1]))) for row in rows]

    def uses(self, *, memory: str = "", unit: str = "") -> list[Use]:
        """The uses of a memory, or all of a unit."""
        where = "memory = :it" if memory else "unit = :it"
        columns = ", ".join(USE_COLUMNS)
        return [
            _use(row)
            for row in self.rows(f"SELECT {columns} FROM use WHERE {where} ORDER BY at, memory", it=memory or unit)
        ]

    def marks(self, *, memory: str = "", unit: str = "") -> list[Mark]:
        """The marks on a memory's uses, or on those of a unit, in the order they were written."""
        where = "memory = :it" if memory else "unit = :it AND unit <> ''"
        columns = ", ".join(MARK_COLUMNS)
        return [
            _mark(row)
            for row in self.rows(f"SELECT {columns} FROM use_mark WHERE {where} ORDER BY n", it=memory or unit)
        ]

    def all_uses(self, project: str) -> list[Use]:
        """Every use of a project, in the order of assignment; its global lessons' too."""
        columns = ", ".join(USE_COLUMNS)
        return [
            _use(row)
            for row in self.rows(f"SELECT {columns} FROM use WHERE project = :p ORDER BY at, memory", p=project)
        ]

    def all_marks(self, project: str) -> list[Mark]:
        """Every mark of a project, in the order of writing."""
        columns = ", ".join(MARK_COLUMNS)
        return [
            Mark(*row) for row in self.rows(f"SELECT {columns} FROM use_mark WHERE project = :p ORDER BY n", p=project)
        ]

    # -- vectors, where an engine keeps them --------------------------------------------------------

    def near(
        self,
        projects: Sequence[str],
        identity: str,
        vector: Sequence[float],
        hits: Sequence[Placed],
        *,
        limit: int,
        injectable: bool = False,
    ) -> Near:
        """The memories nearest in meaning, and how near these and the hits given are."""
        return Near(note="this store keeps no vectors.")

    def embed(self, embedder: Embedder, *, most: int = 1 << 30, anew: bool = False) -> int:
        """Make the vectors that are missing, or all of them anew; how many were made."""
        return 0

    # -- runs, findings, proposals, queue ---------------------------------------------------------

    def run(self, id: str) -> RunRow | None:
        """A run by its id in the store."""
        row = self.one(f"SELECT {', '.join(RunRow.FIELDS)} FROM run WHERE id = :id", id=id)  # type: ignore[attr-defined]
        return _run(row) if row else None

    def find_run(self, project: str, foreign_id: str) -> RunRow | None:
        """A run by the host's own id; of several that bear it, the one that was learned."""
        columns = ", ".join(RunRow.FIELDS)  # type: ignore[attr-defined]
        rows = self.rows(
            f"SELECT {columns} FROM run WHERE id IN (SELECT id FROM run WHERE project = :project AND foreign_id = :it"
            " UNION ALL SELECT :it)",
            project=project,
            it=foreign_id,
        )
        found = [run for run in map(_run, rows) if run.project == project]
        return max(found, key=lambda run: run.seq, default=None)

    def runs(self, project: str, *, limit: int = 50, root: str = "") -> list[RunRow]:
        """A project's runs, newest first, or all runs of one unit."""
        columns = ", ".join(RunRow.FIELDS)  # type: ignore[attr-defined]
        where = "root = :root" if root else "project = :project"
        return [
            _run(row)
            for row in self.rows(
                f"SELECT {columns} FROM run WHERE {where} ORDER BY seq DESC, started_at DESC LIMIT :limit",
                project=project,
                root=root,
                limit=limit,
            )
        ]

    def findings(self, *, run: str = "", memory: str = "") -> list[FindingRow]:
        """What a run said, or what was said of a memory."""
        columns = ", ".join(FindingRow.FIELDS)  # type: ignore[attr-defined]
        where = "memory = :it AND memory <> ''" if memory else "run = :it"
        return [
            FindingRow(*row)
            for row in self.rows(f"SELECT {columns} FROM finding WHERE {where} ORDER BY at, key", it=memory or run)
        ]

    def tombstones(self, run: str) -> set[str]:
        """Places of a run whose findings stay out."""
        return {row[0] for row in self.rows("SELECT place FROM tombstone WHERE run = :run", run=run)}

    def proposals(
        self, project: str = "", *, state: str = "open", memory: str = "", kinds: Sequence[str] = (), limit: int = 200, offset: int = 0
    ) -> list[Proposal]:
        """Proposals, oldest first."""
        from tacit.core.proposal import Proposal  # not needed by hooks

        columns = ", ".join(Proposal.FIELDS)  # type: ignore[attr-defined]
        where = [] if not state else ["state = :state"]
        where += ["project = :project"] if project else []
        where += ["memory = :memory AND memory <> ''"] if memory else []  # as the partial index asks
        where += ["kind IN (SELECT value FROM json_each(:kinds))"] if kinds else []
        rows = self.rows(
            f"SELECT {columns} FROM proposal WHERE {' AND '.join(where) or '1 = 1'} ORDER BY created_at, id LIMIT :limit OFFSET :offset",
            state=state,
            project=project,
            memory=memory,
            kinds=json.dumps(list(kinds)),
            limit=limit,
            offset=offset,
        )
        return [_proposal(row) for row in rows]

    def proposals_named(self, project: str, beginning: str) -> list[Proposal]:
        """A project's proposals whose ids begin so, in any state."""
        low = beginning.lower()
        rows = self.rows("SELECT id FROM proposal WHERE id >= :low AND id < :high AND project = :p", low=low, high=low + "{", p=project)
        return [found for row in rows if (found := self.proposal(row[0])) is not None]

    def proposals_about(self, project: str, *, state: str = "open") -> list[tuple[str, str]]:
        """(kind, memory) of each proposal in a state, oldest first."""
        sql = "SELECT kind, memory FROM proposal WHERE project = :p AND state = :state ORDER BY created_at, id"
        return [(kind, memory) for kind, memory in self.rows(sql, p=project, state=state)]

    def proposal(self, id: str) -> Proposal | None:
        """A proposal by its id."""
        from tacit.core.proposal import Proposal

        columns = ", ".join(Proposal.FIELDS)  # type: ignore[attr-defined]
        row = self.one(f"SELECT {columns} FROM proposal WHERE id = :id", id=id)
        return _proposal(row) if row else None

    def injections(self, unit: str) -> list[tuple[str, str, str, str]]:
        """What a unit was given so far: (surface, given, withheld, at), ids as JSON."""
        return [
            tuple(row)
            for row in self.rows(
                "SELECT surface, given, withheld, at FROM injection WHERE unit = :unit ORDER BY id", unit=unit
            )
        ]

    def tellings(self, unit: str) -> list[Telling]:
        """What each context of a unit was assigned, in order. Answers from before there were contexts are the main one's."""
        rows = self.rows("SELECT surface, given, withheld, left_out, at FROM injection WHERE unit = :unit ORDER BY id", unit=unit)
        return [
            Telling(_context_of(left), at, surface, tuple(json.loads(given)), tuple(json.loads(withheld)))
            for surface, given, withheld, left, at in rows
        ]

    def sealed(self, project: str) -> dict[str, int]:
        """How many rows a project has of each sealed table: journal, evidence, use, mark."""
        rows = self.rows("SELECT kind, sum(rows) FROM seal WHERE project = :p GROUP BY 1 ORDER BY 1", p=project)
        return {kind: int(count) for kind, count in rows}

    def queued_job(self, key: str) -> tuple[str, str] | None:
        """When a job was last asked for, and with what; None where it does not wait."""
        row = self.one("SELECT at, payload FROM queue WHERE key = :key", key=key)
        return (row[0], row[1]) if row else None

    def is_job_due(self, now: str) -> bool:
        """Whether a job may be taken that nobody works on."""
        return self.one("SELECT 1 FROM queue WHERE not_before <= :now AND lease_until <= :now LIMIT 1", now=now) is not None

    def queued(self) -> int:
        """How many jobs wait or are under way."""
        return int(self.one("SELECT count(*) FROM queue")[0])


class Writer(SqlStore):
    """Writing, inside one transaction. An engine provides `rows`, `index` and `machine`."""

    LOCKED = ""  # what makes a row that is read wait for others who write it, where a transaction does not lock all of them
    FREE = ""  # and what passes over those that others hold
    machine = ""
    confidence: str | Signals = "none"  # the profile's rule by which confidence is folded, with its numbers

    def many(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """One statement for each of many rows."""
        raise NotImplementedError

    def insert(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Write rows as they are, with their numbers and hashes: for a move, which brings their seals along."""
        if rows:
            self.many(_insert(table, rows[0]), rows)

    def number_on(self) -> None:
        """Let new rows be numbered behind those that brought their numbers."""

    def index(self, n: int, old: tuple[str, str] | None, new: tuple[str, str] | None) -> None:
        """Keep full text in step: (text, words) before and after."""
        raise NotImplementedError

    def classify(self, n: int, row: Mapping[str, Any], *, fresh: bool) -> None:
        """Keep the counts by facet in step with a memory's row, where an engine keeps them."""

    def reindex(self) -> None:
        """Build full text anew from the rows, and counts by facet where an engine keeps them."""
        raise NotImplementedError

    def blank_entries(self, memory: str) -> None:
        """Take the words out of a memory's journal; the digests stay, and its chain still verifies."""
        self.rows("UPDATE journal SET payload = '', salt = x'' WHERE memory = :it", it=memory)

    def words(self, memory: Memory) -> str:
        """The derived words that full text needs beside the text: parts of names, then a line for each task it was met in."""
        from tacit.words.tokens import index_words, task_words

        if not memory.text:
            return ""
        told = [met_in(memory, "task"), *(row[0] for row in self.rows(_TASKS, it=memory.id))]
        tasks = dict.fromkeys(task_words(task) for task in told if task)
        return "\n".join((index_words(" ".join((memory.text, *memory.tags, *memory.paths))), *filter(None, tasks)))

    def reword(self, id: str) -> None:
        """Derive a memory's words anew: it was met in another task."""
        n, text, words = self.one("SELECT n, text, words FROM memory WHERE id = :id", id=id)
        fresh = self.words(self.get(id))
        if fresh != words:
            self.rows("UPDATE memory SET words = :words WHERE n = :n", words=fresh, n=n)
            self.index(n, (text, words), (text, fresh))

    def may_change(self, project: str) -> bool:
        """Whether lessons of a project are this user's to change; on a server those that hold everywhere may not be."""
        return True

    def apply(self, change: Change) -> Entry:
        """The only way to write a memory: the new row and its reasoned entry, together."""
        row = to_row(change.memory)
        sealed = row_hash(row)
        self.copy_row(row, sealed, self.words(change.memory))
        entry = self._enter(change.entry, sealed)
        if starts_new_table(entry) and self.one("SELECT 1 FROM use WHERE memory = :it LIMIT 1", it=entry.memory):
            self.rows("DELETE FROM course WHERE memory = :it", it=entry.memory)
            self.rows("DELETE FROM tally WHERE memory = :it AND signal LIKE :epochs", it=entry.memory, epochs=f"{IN_EPOCH}%")
            self.add_mark(Mark(entry.memory, "", entry.project, NEW_TABLE, reason=entry.verb, at=entry.at))
        return entry

    def copy_row(self, row: Sequence[Any], sealed: bytes, words: str) -> None:
        """A memory's row as it is elsewhere, without an entry: half of `apply`, and all of it in a cache, whose truth is a server's."""
        named = dict(zip(DECIDED, row), hash=sealed, words=words)
        was = self.one(f"SELECT n, text, words FROM memory WHERE id = :id{self.LOCKED}", id=named["id"])
        if was is None:
            self.rows(_INSERT_MEMORY, **named)
            n = self.one("SELECT n FROM memory WHERE id = :id", id=named["id"])[0]
            self.index(n, None, (named["text"], words))
            self.classify(n, named, fresh=True)
        else:
            self.rows(_UPDATE_MEMORY, **named)
            self.classify(was[0], named, fresh=False)
            if (named["text"], words) != (was[1], was[2]):
                self.index(was[0], (was[1], was[2]), (named["text"], words))

    def _enter(self, entry: Entry, sealed: bytes) -> Entry:
        last = self.one(
            "SELECT n, hash FROM journal WHERE memory = :memory ORDER BY n DESC LIMIT 1", memory=entry.memory
        )
        n, previous = (last[0] + 1, last[1]) if last else (1, GENESIS)
        header = (
            entry.memory,
            n,
            entry.project,
            entry.verb,
            entry.by,
            entry.at,
            entry.run,
            entry.profile,
            entry.machine or self.machine,
        )
        text, salt = payload(entry), new_salt()
        said = payload_digest(salt, text)
        link = entry_hash(previous, header, said, sealed)
        self.rows(
            _INSERT_ENTRY, **dict(zip(HEADER, header)), payload=text, salt=salt, digest=said, row=sealed, hash=link
        )
        self.seal(entry.project, "journal", shard_of(entry.memory), 1, link)
        return entry

    def seal(self, project: str, kind: str, shard: int, rows: int, hash: bytes) -> None:
        now = self.one(
            "SELECT rows, xor FROM seal WHERE project = :p AND kind = :k AND shard = :s", p=project, k=kind, s=shard
        )
        count, sum_ = now or (0, GENESIS)
        self.rows(_PUT_SEAL, project=project, kind=kind, shard=shard, rows=count + rows, xor=xor(sum_, hash))

    def put_sealed(self, table: str, row: Mapping[str, Any], *, replace: bool = True) -> None:
        """Write a row of a table whose rows carry no hash, and keep the table's seal in step; without `replace` the first stays."""
        columns, key = SEALED[table]
        was = self.one(
            f"SELECT {', '.join(columns)} FROM {table} WHERE {' AND '.join(f'{name} = :{name}' for name in key)}",
            **{name: row[name] for name in key},
        )
        if was is not None and (not replace or tuple(was) == tuple(row[name] for name in columns)):
            return
        # Where the first stays, a right to add is enough.
        self.rows(_upsert(table, columns, key) if replace else _insert(table, columns), **{name: row[name] for name in columns})
        if was is not None:
            self.unseal(table, dict(zip(columns, was)))
        self.seal(seal_project(table, row), table, 0, 1, _row_seal(table, {name: row[name] for name in columns}))

    def unseal(self, table: str, row: Mapping[str, Any]) -> None:
        self.seal(seal_project(table, row), table, 0, -1, _row_seal(table, row))

    def add_alias(self, project: str, namespace: str, alias: str, memory: str) -> None:
        """Another name of a memory; the first to take a name keeps it."""
        row = {"project": project, "namespace": namespace, "alias": alias, "memory": memory}
        self.put_sealed("alias", row, replace=False)

    # -- links ------------------------------------------------------------------------------------

    def add_evidence(self, evidence: Evidence) -> bool:
        """Write a piece of evidence once; false if it was there."""
        row = link_row(evidence)
        if self.one("SELECT 1 FROM evidence WHERE key = :key", key=row[0]):
            return False
        sealed = link_hash(row)
        self.rows(_insert("evidence", (*EVIDENCE_COLUMNS, "hash")), **dict(zip(EVIDENCE_COLUMNS, row)), hash=sealed)
        self.seal(evidence.project, "evidence", shard_of(evidence.memory), 1, sealed)
        self._count_evidence(evidence)
        return True

    def _count_evidence(self, evidence: Evidence) -> None:
        """Bring the tally in step. A sighting leaves all that uses add up to as it is, so that these need not be read again."""
        rule = self.confidence if isinstance(self.confidence, str) else self.confidence.confidence
        plain = evidence.signal == "seen" and evidence.stance == "supports" and not evidence.opening
        if rule != "none" or not plain:
            self.refresh_tally(evidence.memory, evidence.project)
            return
        more, kept = self._sightings_of(evidence), self.tally(evidence.memory)
        tally = seen_again(kept, self.evidence(evidence.memory)) if more is None else seen_more(kept, more, evidence.at)
        self.put_tally(evidence.memory, evidence.project, tally)

    def _sightings_of(self, evidence: Evidence) -> int | None:
        """How many sightings a new row adds: none where its unit or its origin was met before. None: it may tie two into one."""
        unit, origin, memory = evidence.root or evidence.run, evidence.origin, evidence.memory
        if not unit:
            return None
        key = evidence.key
        known = self.one(_SAME_UNIT, memory=memory, unit=unit, key=key)
        if not origin:
            return 0 if known else 1
        met = self.one(_SAME_ORIGIN, memory=memory, origin=origin, key=key)
        return None if known and met else 0 if known or met else 1

    def add_use(self, use: Use) -> bool:
        """Write an assignment once; the recorded one wins over a recomputed one."""
        if self.one("SELECT 1 FROM use WHERE unit = :unit AND memory = :memory", unit=use.unit, memory=use.memory):
            return False
        row = link_row(use)
        sealed = link_hash(row)
        self.rows(_insert("use", (*USE_COLUMNS, "hash")), **dict(zip(USE_COLUMNS, row)), hash=sealed)
        self.seal(use.project, "use", shard_of(use.memory), 1, sealed)
        # Counted on instead of folded anew: a hook has no time for a lesson's whole history. `check` holds the two equal.
        used_at = use.at if use.arm != "withheld" else ""
        self.rows(_COUNT_USE, memory=use.memory, project=use.project, at=used_at)
        return True

    def add_mark(self, mark: Mark) -> None:
        """Write a later fact about a use, or an opening balance, and bring the tally in step."""
        self._write_mark(mark)
        if mark.signal in ADDED_UP:
            self._step(mark.memory, mark.project, mark.signal, mark.amount)
        else:
            self.refresh_tally(mark.memory, mark.project)

    def add_outcome(self, use: Use, mark: Mark, last: str) -> None:
        """The outcome of a use, and the one that stood before.

        Counted on: some lessons are given in every run, and folding all they ever did each time would cost more with
        every run. `check` holds the two equal. What a coin decided is folded anew where it is the first or was settled before.
        """
        self._write_mark(mark)
        known = [each for each in (last, mark.value) if each in _OUTCOMES]
        present = not use.blank and use.at > self.measured_since(use.memory)
        coin = bool(known) and present and use.arm != "exempt"
        again = bool(last) and present and UNKNOWN in (last, mark.value)
        if again or (coin and (last or not self.one(_HAS_UNITS, it=use.memory))):
            self.refresh_tally(use.memory, use.project)
            return
        for outcome, step in ((last, -1.0), (mark.value, 1.0)):
            if outcome in _OUTCOMES and use.arm != "withheld":
                self._step(use.memory, use.project, _OUTCOMES[outcome], step)
        if present and not last and mark.value == UNKNOWN:
            self._step(use.memory, use.project, UNTOLD, 1.0)
        elif present and not last:
            self.put_signal(use.memory, use.project, UNTOLD, 0.0)
        if coin:
            self._step(use.memory, use.project, "units", 1.0)
            if not use.task or not self.one(_SAME_TASK, memory=use.memory, task=use.task, unit=use.unit):
                self._step(use.memory, use.project, "tasks", 1.0)

    def measured_since(self, memory: str) -> str:
        """When a memory's present words came, as its marks say; empty where they are its first."""
        said = self.one("SELECT max(at) FROM use_mark WHERE memory = :it AND unit = '' AND signal = :mark", it=memory, mark=NEW_TABLE)
        return (said and said[0]) or ""

    def _write_mark(self, mark: Mark) -> None:
        row = link_row(mark)
        sealed = link_hash(row)
        self.rows(_insert("use_mark", (*MARK_COLUMNS, "hash")), **dict(zip(MARK_COLUMNS, row)), hash=sealed)
        self.seal(mark.project, "mark", shard_of(mark.memory), 1, sealed)

    def _step(self, memory: str, project: str, signal: str, step: float) -> None:
        self.rows(_COUNT_ON, memory=memory, project=project, signal=signal, step=step)

    def put_course(self, memory: str, project: str, epoch: str, kept: str) -> None:
        """Keep how far a lesson has come in an epoch."""
        self.rows(_PUT_COURSE, memory=memory, epoch=epoch, project=project, kept=kept)

    def refresh_tally(self, memory: str, project: str) -> Tally:
        """Fold all rows of a memory again; how far it had come is found out again when it is next judged.

        It is counted under its own project, not under that of a run that used it.
        """
        from tacit.trial.tally import tally_of

        project = (self.one("SELECT project FROM memory WHERE id = :it", it=memory) or (project,))[0]
        uses, marks = self.uses(memory=memory), self.marks(memory=memory)
        tally = tally_of(self.evidence(memory), uses, marks, self.confidence, self.tally(memory))
        self.put_tally(memory, project, tally)
        self.rows("DELETE FROM course WHERE memory = :it", it=memory)
        return tally

    def put_signal(self, memory: str, project: str, signal: str, amount: float) -> None:
        """Keep a signal that a fold carries on; none where it is nothing."""
        self.rows("DELETE FROM tally WHERE memory = :it AND signal = :signal", it=memory, signal=signal)
        if amount:
            self.rows(_PUT_TALLY, memory=memory, signal=signal, project=project, amount=amount, at="")

    def put_tally(self, memory: str, project: str, tally: Tally) -> None:
        """Keep a fold beside its memory."""
        self.rows("DELETE FROM tally WHERE memory = :it", it=memory)
        at = tally.__dict__
        for signal in COUNTED:
            if at[signal] or (at[signal] is not None and signal in ("confidence", "belief")):
                when = {"seen": tally.seen_at, "uses": tally.last_used_at}.get(signal) or ""
                self.rows(_PUT_TALLY, memory=memory, signal=signal, project=project, amount=float(at[signal]), at=when)
        for signal, amount in (tally.signals or {}).items():
            if signal not in COUNTED:
                self.rows(_PUT_TALLY, memory=memory, signal=signal, project=project, amount=float(amount), at="")

    # -- the rest ---------------------------------------------------------------------------------

    def put_project(self, project: Project) -> None:
        """Write or correct a project's row."""
        self.put_sealed("project", project.__dict__)

    def put_profile(self, id: str, name: str, compiled: str, at: str) -> None:
        """Keep a profile version once."""
        row = {"id": id, "name": name, "compiled": compiled, "created_at": at}
        self.put_sealed("profile", row, replace=False)

    def put_meta(self, key: str, value: str) -> None:
        """Set a setting of the store."""
        self.put_sealed("meta", {"key": key, "value": value})

    def next_seq(self, project: str) -> int:
        """Count one more learned run of a project."""
        found = self.project(project)
        if found is None:
            return 0
        self.put_project(Project(**{**found.__dict__, "run_seq": found.run_seq + 1}))
        return found.run_seq + 1

    def put_run(self, run: RunRow) -> None:
        """Write or correct a run's row."""
        named = {**run.__dict__, "complete": int(run.complete), "facts": _dump(run.facts)}
        self.rows(_upsert("run", (*RunRow.FIELDS, "hash"), ("id",)), **named, hash=_row_seal("run", named))  # type: ignore[attr-defined]

    def put_finding(self, finding: FindingRow) -> None:
        """Write or correct a finding's row."""
        named = dict(finding.__dict__)
        self.rows(_upsert("finding", (*FindingRow.FIELDS, "hash"), ("key",)), **named, hash=_row_seal("finding", named))  # type: ignore[attr-defined]

    def bury(self, run: str, place: str, project: str, reason: str, at: str) -> None:
        """Leave a tombstone, so that no later extractor brings this place back."""
        row = {"run": run, "place": place, "project": project, "reason": reason, "at": at}
        self.put_sealed("tombstone", row, replace=False)

    def put_proposal(self, proposal: Proposal) -> None:
        """Write or correct a proposal's row."""
        named = {**proposal.__dict__, "payload": _dump(proposal.payload), "approvals": _dump(proposal.approvals)}
        self.rows(_upsert("proposal", (*named, "hash"), ("id",)), **named, hash=_row_seal("proposal", named))

    def add_injection(
        self,
        event: str,
        project: str,
        run: str,
        unit: str,
        surface: str,
        tokens: int,
        given: Sequence[str],
        withheld: Sequence[str],
        left_out: Mapping[str, Any],
        at: str,
    ) -> bool:
        """Record an answer given to an agent; false if this very event was answered before."""
        if self.one("SELECT 1 FROM injection WHERE event = :event", event=event):
            return False
        self.rows(
            _insert(
                "injection",
                ("event", "project", "run", "unit", "surface", "tokens", "given", "withheld", "left_out", "at"),
            ),
            event=event,
            project=project,
            run=run,
            unit=unit,
            surface=surface,
            tokens=tokens,
            given=json.dumps(list(given)),
            withheld=json.dumps(list(withheld)),
            left_out=_dump(left_out),
            at=at,
        )
        return True

    def enqueue(
        self, kind: str, key: str, project: str, payload: Mapping[str, Any], at: str, not_before: str = ""
    ) -> None:
        """Ask the worker for something; the same key again refreshes what waits."""
        self.rows(
            "INSERT INTO queue (kind, key, project, payload, at, not_before, attempts, lease, lease_until, error)"
            " VALUES (:kind, :key, :project, :payload, :at, :not_before, 0, '', '', '')"
            " ON CONFLICT (key) DO UPDATE SET payload = excluded.payload, at = excluded.at, not_before = excluded.not_before, attempts = 0",
            kind=kind,
            key=key,
            project=project,
            payload=_dump(payload),
            at=at,
            not_before=not_before,
        )

    def lease(self, holder: str, now: str, until: str, *, after: int = 0, last: int = ENDLESS) -> Job | None:
        """Take the oldest job that is due and not held, of those numbered beyond `after` up to `last`."""
        row = self.one(
            "SELECT id, kind, key, project, payload, attempts, at FROM queue WHERE not_before <= :now"
            f" AND lease_until <= :now AND id > :after AND id <= :last ORDER BY id LIMIT 1{self.FREE}",
            now=now,
            after=after,
            last=last,
        )
        if row is None:
            return None
        self.rows(
            "UPDATE queue SET lease = :holder, lease_until = :until, attempts = attempts + 1 WHERE id = :id",
            holder=holder,
            until=until,
            id=row[0],
        )
        return Job(row[0], row[1], row[2], row[3], json.loads(row[4] or "{}"), row[5] + 1, row[6])

    def finish(self, job: Job, holder: str) -> None:
        """Take a done job off the queue, unless it was asked for again meanwhile or somebody else holds it."""
        self.rows(
            "DELETE FROM queue WHERE id = :id AND lease = :holder AND at = :at", id=job.id, holder=holder, at=job.at
        )
        self.rows(
            "UPDATE queue SET lease = '', lease_until = '' WHERE id = :id AND lease = :holder", id=job.id, holder=holder
        )

    def postpone(self, job: Job, error: str, not_before: str) -> None:
        """Put a failed job back for later."""
        self.rows(
            "UPDATE queue SET lease = '', lease_until = '', error = :error, not_before = :at WHERE id = :id",
            id=job.id,
            error=error[:500],
            at=not_before,
        )

    def count(self, project: str, name: str, at: str, by: int = 1) -> None:
        """Count an event of a kind that should be rare: a skipped line, a fallback, a refused move."""
        self.rows(
            "INSERT INTO counter (project, day, name, count) VALUES (:project, :day, :name, :by)"
            " ON CONFLICT (project, day, name) DO UPDATE SET count = counter.count + excluded.count",
            project=project,
            day=at[:10],
            name=name,
            by=by,
        )


# -- statements and rows -------------------------------------------------------------------------


def narrowed(
    *,
    projects: Sequence[str] | None = None,
    states: Sequence[str] = (),
    equal: Mapping[str, Any] | None = None,
    tag: str = "",
    since: str = "",
    text: str = "",
) -> tuple[list[str], dict[str, Any]]:
    """The conditions on `memory m` for what is asked, and their parameters."""
    where: list[str] = []
    named: dict[str, Any] = {}
    for column, wanted in (("project", projects), ("state", states or None)):
        if wanted is not None:
            where.append(f"m.{column} IN (SELECT value FROM json_each(:{column}s))")
            named[f"{column}s"] = json.dumps(list(wanted))
    for column, wanted in (equal or {}).items():
        where.append(f"m.{column} = :{column}")
        named[column] = wanted
    if tag:
        where.append(
            "EXISTS (SELECT 1 FROM json_each(CASE m.tags WHEN '' THEN '[]' ELSE m.tags END) WHERE value = :tag)"
        )
        named["tag"] = tag
    if since:
        where.append("m.updated_at >= :since")
        named["since"] = since
    if text:
        where.append("instr(lower(m.text), lower(:text)) > 0")
        named["text"] = text
    return where, named


def _grouped(by: Sequence[str]) -> str:
    columns = ", ".join(str(at + 1) for at in range(len(by)))
    return f"GROUP BY {columns} ORDER BY {len(by) + 1} DESC, {columns}"


def _insert(table: str, columns: Iterable[str]) -> str:
    names = list(columns)
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join(':' + name for name in names)})"


def _upsert(table: str, columns: Iterable[str], key: tuple[str, ...]) -> str:
    names = list(columns)
    rest = ", ".join(f"{name} = excluded.{name}" for name in names if name not in key)
    return f"{_insert(table, names)} ON CONFLICT ({', '.join(key)}) DO UPDATE SET {rest}"


# The latest three tasks of a lesson; of one that was met everywhere, a sample is enough.
_TASKS = (
    "SELECT r.task FROM (SELECT DISTINCT run FROM finding WHERE memory = :it AND memory <> '' LIMIT 64) f JOIN run r ON r.id = f.run"
    " WHERE r.task <> '' GROUP BY r.task ORDER BY max(r.seq) DESC LIMIT 3"
)
_INSERT_MEMORY = _insert("memory", (*DECIDED, "hash", "words"))
_UPDATE_MEMORY = f"UPDATE memory SET {', '.join(f'{c} = :{c}' for c in (*DECIDED[1:], 'hash', 'words'))} WHERE id = :id"
_INSERT_ENTRY = _insert("journal", (*HEADER, "payload", "salt", "digest", "row", "hash"))
_PUT_SEAL = _upsert("seal", ("project", "kind", "shard", "rows", "xor"), ("project", "kind", "shard"))
_PUT_TALLY = _insert("tally", ("memory", "signal", "project", "amount", "at"))
_SIGHTING = "SELECT 1 FROM evidence WHERE memory = :memory AND signal = 'seen' AND stance = 'supports' AND opening = 0 AND key <> :key"
_SAME_UNIT = f"{_SIGHTING} AND CASE WHEN root <> '' THEN root ELSE run END = :unit LIMIT 1"
_SAME_ORIGIN = f"{_SIGHTING} AND origin = :origin LIMIT 1"
_COUNT_USE = (
    "INSERT INTO tally (memory, signal, project, amount, at) VALUES (:memory, 'uses', :project, 1.0, :at)"
    " ON CONFLICT (memory, signal) DO UPDATE SET amount = tally.amount + 1,"
    " at = CASE WHEN excluded.at > tally.at THEN excluded.at ELSE tally.at END"
)

_OUTCOMES = {"not_occurred": "clean", "occurred": "recurred"}
_COUNT_ON = (
    "INSERT INTO tally (memory, signal, project, amount, at) VALUES (:memory, :signal, :project, :step, '')"
    " ON CONFLICT (memory, signal) DO UPDATE SET amount = tally.amount + excluded.amount"
)

_HAS_UNITS = "SELECT 1 FROM tally WHERE memory = :it AND signal = 'units'"
_SAME_TASK = (  # another settled coin of the same lesson in the same task; the last outcome of a unit stands
    "SELECT 1 FROM use u WHERE u.memory = :memory AND u.task = :task AND u.unit <> :unit AND u.arm <> 'exempt' AND u.blank = 0"
    " AND (SELECT value FROM use_mark m WHERE m.memory = u.memory AND m.unit = u.unit AND m.signal = 'outcome' ORDER BY n DESC LIMIT 1)"
    " IN ('occurred', 'not_occurred') LIMIT 1"
)
_PUT_COURSE = _upsert("course", ("memory", "epoch", "project", "kept"), ("memory", "epoch"))

_SEEN = "LEFT JOIN tally t ON t.memory = m.id AND t.signal = 'seen'"
_USED = "LEFT JOIN tally t ON t.memory = m.id AND t.signal = 'uses'"
ORDERS = {
    "new": ("", "m.n DESC"),
    "old": ("", "m.n"),
    "updated": ("", "m.updated_at DESC, m.n DESC"),
    "seen": (_SEEN, "coalesce(t.amount, 0) DESC, m.n DESC"),
    "used": (_USED, "coalesce(t.at, '') DESC, m.n DESC"),
    "state": ("", "m.state, m.n DESC"),
    "kind": ("", "m.kind, m.n DESC"),
    "text": ("", "m.text, m.n"),
}
SORTS = tuple(ORDERS)


def _tally(counts: Mapping[str, tuple[float, str]] | None) -> Tally:
    if not counts:
        return NO_TALLY

    def number(signal: str) -> int:
        return int(counts[signal][0]) if signal in counts else 0

    def level(signal: str) -> float | None:
        return counts[signal][0] if signal in counts else None

    others = {signal: amount for signal, (amount, _) in counts.items() if signal not in COUNTED}
    return Tally(
        number("seen"),
        number("uses"),
        number("clean"),
        number("recurred"),
        number("contradicted"),
        level("confidence"),
        level("belief"),
        counts["seen"][1] or None if "seen" in counts else None,
        counts["uses"][1] or None if "uses" in counts else None,
        others or None,
    )


def _entry(row: tuple[Any, ...]) -> Entry:
    at = dict(zip(HEADER, row[1:-1]))
    reason, before, after = json.loads(row[-1]) if row[-1] else ("(erased)", {}, {})
    return Entry(**at, reason=reason, before=before, after=after, id=row[0], erased=not row[-1])


def _use(row: tuple[Any, ...]) -> Use:
    at = dict(zip(USE_COLUMNS, row))
    at["instrument_eligible"], at["blank"] = bool(at["instrument_eligible"]), bool(at["blank"])
    use = Use.__new__(Use)  # a lesson may have thousands: filled as they are, without an `__init__`
    use.__dict__.update(at)
    return use


def _mark(row: tuple[Any, ...]) -> Mark:
    mark = Mark.__new__(Mark)
    mark.__dict__.update(zip(MARK_COLUMNS, row))
    return mark


def _run(row: tuple[Any, ...]) -> RunRow:
    at = dict(zip(RunRow.FIELDS, row))  # type: ignore[attr-defined]
    return RunRow(**{**at, "complete": bool(at["complete"]), "facts": json.loads(at["facts"]) if at["facts"] else None})


def _proposal(row: tuple[Any, ...]) -> Proposal:
    from tacit.core.proposal import Proposal

    at = dict(zip(Proposal.FIELDS, row))  # type: ignore[attr-defined]
    approvals = tuple(tuple(a) for a in json.loads(at["approvals"])) if at["approvals"] else ()
    return Proposal(**{**at, "payload": json.loads(at["payload"]) if at["payload"] else None, "approvals": approvals})


def _row_seal(table: str, named: Mapping[str, Any]) -> bytes:
    fields = [field.hex() if isinstance(field, bytes) else field for field in named.values()]
    return digest(table, json.dumps(fields, ensure_ascii=False, separators=(",", ":")))


def listed(column: str) -> list[str]:
    """A column that holds a list, as a list."""
    return [str(item) for item in json.loads(column)] if column else []


def _context_of(left_out: str) -> str:
    """The context of an answer, which stands beside what it left out."""
    if '"context"' not in left_out:
        return ""
    asked = json.loads(left_out).get("asked")
    return str(asked.get("context") or "") if isinstance(asked, dict) else ""


def _dump(field: Any) -> str:
    return json.dumps(field, ensure_ascii=False, separators=(",", ":")) if field else ""


def _shown(name: str) -> str:
    return repr(name if len(name) <= 40 else name[:40] + "…")
