"""Statements that both stores send, and the values that their rows become."""

from __future__ import annotations

from abc import ABC, abstractmethod

from tacit.core.links import EVIDENCE_COLUMNS, MARK_COLUMNS, USE_COLUMNS, Evidence, Mark, Use
from tacit.core.memory import DECIDED, NO_TALLY, Tally
from tacit.core.rows import FindingRow, Project, RunRow
from tacit.core.value import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeVar

    from tacit.core.journal import Entry
    from tacit.core.proposal import Proposal
    from tacit.stores.sql import Reads

    T = TypeVar("T")

COUNTED_SIGNALS = ("seen", "uses", "clean", "recurred", "contradicted", "confidence")
ENDLESS = 1 << 62  # no row has this number
HEADER = ("memory", "n", "project", "verb", "by", "at", "run", "profile", "machine")
MEMORY_COLUMNS = ", ".join(f"m.{name}" for name in DECIDED)


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
            named[f"{column}s"] = dumps(list(wanted))
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


def grouped_rows(by: Sequence[str]) -> str:
    columns = ", ".join(str(at + 1) for at in range(len(by)))
    return f"GROUP BY {columns} ORDER BY {len(by) + 1} DESC, {columns}"


def insert_into(table: str, columns: Iterable[str]) -> str:
    names = list(columns)
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({', '.join(':' + name for name in names)})"


def upsert_into(table: str, columns: Iterable[str], key: tuple[str, ...]) -> str:
    names = list(columns)
    rest = ", ".join(f"{name} = excluded.{name}" for name in names if name not in key)
    return f"{insert_into(table, names)} ON CONFLICT ({', '.join(key)}) DO UPDATE SET {rest}"


# The latest three tasks of a lesson; of one that was met everywhere, a sample is enough.
TASKS = (
    "SELECT r.task FROM (SELECT DISTINCT run FROM finding WHERE memory = :it AND memory <> '' LIMIT 64) f JOIN run r ON r.id = f.run"
    " WHERE r.task <> '' GROUP BY r.task ORDER BY max(r.seq) DESC LIMIT 3"
)
INSERT_MEMORY = insert_into("memory", (*DECIDED, "hash", "words"))
UPDATE_MEMORY = f"UPDATE memory SET {', '.join(f'{c} = :{c}' for c in (*DECIDED[1:], 'hash', 'words'))} WHERE id = :id"
INSERT_ENTRY = insert_into("journal", (*HEADER, "payload", "salt", "digest", "row", "hash"))
PUT_TALLY = insert_into("tally", ("memory", "signal", "project", "amount", "at"))
_SIGHTING = "SELECT 1 FROM evidence WHERE memory = :memory AND signal = 'seen' AND stance = 'supports' AND opening = 0 AND key <> :key"
SAME_UNIT = f"{_SIGHTING} AND CASE WHEN root <> '' THEN root ELSE run END = :unit LIMIT 1"
SAME_ORIGIN = f"{_SIGHTING} AND origin = :origin LIMIT 1"
COUNT_USE = (
    "INSERT INTO tally (memory, signal, project, amount, at) VALUES (:memory, 'uses', :project, 1.0, :at)"
    " ON CONFLICT (memory, signal) DO UPDATE SET amount = tally.amount + 1,"
    " at = CASE WHEN excluded.at > tally.at THEN excluded.at ELSE tally.at END"
)
OUTCOME_SIGNALS = {"not_occurred": "clean", "occurred": "recurred"}
COUNT_ON = (
    "INSERT INTO tally (memory, signal, project, amount, at) VALUES (:memory, :signal, :project, :step, '')"
    " ON CONFLICT (memory, signal) DO UPDATE SET amount = tally.amount + excluded.amount"
)
HAS_UNITS = "SELECT 1 FROM tally WHERE memory = :it AND signal = 'units'"
SAME_TASK = (  # another settled coin of the same lesson in the same task; the last outcome of a unit stands
    "SELECT 1 FROM use u WHERE u.memory = :memory AND u.task = :task AND u.unit <> :unit AND u.arm <> 'exempt' AND u.blank = 0"
    " AND (SELECT value FROM use_mark m WHERE m.memory = u.memory AND m.unit = u.unit AND m.signal = 'outcome' ORDER BY n DESC LIMIT 1)"
    " IN ('occurred', 'not_occurred') LIMIT 1"
)
_SEEN = "LEFT JOIN tally t ON t.memory = m.id AND t.signal = 'seen'"
_USED = "LEFT JOIN tally t ON t.memory = m.id AND t.signal = 'uses'"
SORT_ORDERS = {
    "new": ("", "m.n DESC"),
    "old": ("", "m.n"),
    "updated": ("", "m.updated_at DESC, m.n DESC"),
    "seen": (_SEEN, "coalesce(t.amount, 0) DESC, m.n DESC"),
    "used": (_USED, "coalesce(t.at, '') DESC, m.n DESC"),
    "state": ("", "m.state, m.n DESC"),
    "kind": ("", "m.kind, m.n DESC"),
    "text": ("", "m.text, m.n"),
}
SORTS = tuple(SORT_ORDERS)
# What an order goes by before the row's number, and which way each of the two goes.
_SORT_PLACES = {
    "new": ("0", "<", "<"),
    "old": ("0", "<", ">"),
    "updated": ("m.updated_at", "<", "<"),
    "seen": ("coalesce(t.amount, 0)", "<", "<"),
    "used": ("coalesce(t.at, '')", "<", "<"),
    "state": ("m.state", ">", "<"),
    "kind": ("m.kind", ">", "<"),
    "text": ("m.text", ">", ">"),
}


def place_of(sort: str) -> str:
    """The statement for where a memory stands in an order: what it goes by, and its number."""
    return f"SELECT {_SORT_PLACES[sort][0]}, m.n FROM memory m {SORT_ORDERS[sort][0]} WHERE m.id = :behind"


def behind_place(sort: str, place: Sequence[Any]) -> tuple[str, dict[str, Any]]:
    """The condition for what comes behind a place in an order."""
    column, first, then = _SORT_PLACES[sort]
    if column == "0":
        return f"m.n {then} :place_n", {"place_n": place[1]}
    return f"({column} {first} :place OR ({column} = :place AND m.n {then} :place_n))", {
        "place": place[0],
        "place_n": place[1],
    }


def tally_from(counts: Mapping[str, tuple[float, str]] | None) -> Tally:
    if not counts:
        return NO_TALLY

    def number(signal: str) -> int:
        return int(counts[signal][0]) if signal in counts else 0

    def level(signal: str) -> float | None:
        return counts[signal][0] if signal in counts else None

    others = {
        signal: amount for signal, (amount, _) in counts.items() if signal not in COUNTED_SIGNALS
    }
    return Tally(
        number("seen"),
        number("uses"),
        number("clean"),
        number("recurred"),
        number("contradicted"),
        level("confidence"),
        counts["seen"][1] or None if "seen" in counts else None,
        counts["uses"][1] or None if "uses" in counts else None,
        others or None,
    )


def entry_of(row: tuple[Any, ...]) -> Entry:
    at = dict(zip(HEADER, row[1:-1]))
    reason, before, after = loads(row[-1]) if row[-1] else ("(erased)", {}, {})
    from tacit.core.journal import Entry

    return Entry(**at, reason=reason, before=before, after=after, id=row[0], erased=not row[-1])


def use_of(row: tuple[Any, ...]) -> Use:
    at = dict(zip(USE_COLUMNS, row))
    at["instrument_eligible"], at["blank"] = bool(at["instrument_eligible"]), bool(at["blank"])
    use = Use.__new__(Use)  # a lesson may have thousands: filled as they are, without an `__init__`
    use.__dict__.update(at)
    return use


def mark_of(row: tuple[Any, ...]) -> Mark:
    mark = Mark.__new__(Mark)
    mark.__dict__.update(zip(MARK_COLUMNS, row))
    return mark


def run_row(row: tuple[Any, ...]) -> RunRow:
    at = dict(zip(RunRow.FIELDS, row))  # type: ignore[attr-defined]
    return RunRow(
        **{
            **at,
            "complete": bool(at["complete"]),
            "facts": loads(at["facts"]) if at["facts"] else None,
        }
    )


def proposal_of(row: tuple[Any, ...]) -> Proposal:
    from tacit.core.proposal import Proposal

    at = dict(zip(Proposal.FIELDS, row))  # type: ignore[attr-defined]
    approvals = tuple(tuple(a) for a in loads(at["approvals"])) if at["approvals"] else ()
    return Proposal(
        **{**at, "payload": loads(at["payload"]) if at["payload"] else None, "approvals": approvals}
    )


def listed(column: str) -> list[str]:
    """A column that holds a list, as a list."""

    return [str(item) for item in loads(column)] if column else []


def context_of(left_out: str) -> str:
    """The context of an answer, which stands beside what it left out."""
    if '"context"' not in left_out:
        return ""
    asked = loads(left_out).get("asked")
    return str(asked.get("context") or "") if isinstance(asked, dict) else ""


def json_text(field: Any) -> str:
    return dumps(field, ensure_ascii=False, separators=(",", ":")) if field else ""


def shown_text(name: str) -> str:
    return repr(name if len(name) <= 40 else name[:40] + "…")


def settled_with(store: Reads, id: str, most: int = 24) -> list[str]:
    """The lessons that the run put down in which this one was first met, in their order."""
    first = "SELECT min(n) FROM evidence WHERE memory = {} AND run <> '' AND stance = 'supports'"
    sql = (
        f"SELECT o.memory FROM evidence e JOIN evidence o ON o.run = e.run WHERE e.n = ({first.format(':it')})"
        f" AND o.memory <> :it AND o.n = ({first.format('o.memory')}) ORDER BY o.n LIMIT {most}"
    )
    return [row[0] for row in store.rows(sql, it=id)]


# Tables whose rows are known by a key: columns and key.
KEYED: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "project": (Project.FIELDS, ("id",)),  # type: ignore[attr-defined]
    "profile": (("id", "name", "compiled", "created_at"), ("id",)),
    "alias": (("project", "namespace", "alias", "memory"), ("project", "namespace", "alias")),
    "tombstone": (("run", "place", "project", "reason", "at"), ("run", "place")),
    "meta": (("key", "value"), ("key",)),
}


class Statements(ABC):
    """How a reader asks. An engine provides `rows`."""

    @abstractmethod
    def rows(self, sql: str, *bound: Any, **named: Any) -> list[Any]:
        """The rows that a statement answers with."""

    def one(self, sql: str, **named: Any) -> Any:
        """The first row, or None."""
        found = self.rows(sql, **named)
        return found[0] if found else None

    def values_of(self, of: type[T], where: str, **named: Any) -> list[T]:
        """The values of a kind that a table keeps."""
        table, columns, made = _KEPT[of]
        return [
            made(row)
            for row in self.rows(f"SELECT {', '.join(columns)} FROM {table} WHERE {where}", **named)
        ]

    def each(self, sql: str, **named: Any) -> Iterator[Any]:
        """Rows one by one; a store reads them in pieces, for what may be large."""
        yield from self.rows(sql, **named)


_KEPT: dict[type, tuple[str, tuple[str, ...], Callable[[Any], Any]]] = {
    Project: ("project", Project.FIELDS, lambda row: Project(*row)),  # type: ignore[attr-defined]
    RunRow: ("run", RunRow.FIELDS, run_row),  # type: ignore[attr-defined]
    FindingRow: ("finding", FindingRow.FIELDS, lambda row: FindingRow(*row)),  # type: ignore[attr-defined]
    Evidence: ("evidence", EVIDENCE_COLUMNS[1:], lambda row: Evidence(*(*row[:-1], bool(row[-1])))),
    Use: ("use", USE_COLUMNS, use_of),
    Mark: ("use_mark", MARK_COLUMNS, mark_of),
}


class WaitingRows(Statements):
    """What waits for a person or for the worker."""

    def proposals(
        self,
        project: str = "",
        *,
        state: str = "open",
        memory: str = "",
        kinds: Sequence[str] = (),
        limit: int = 200,
        offset: int = 0,
        behind: str = "",
    ) -> list[Proposal]:
        """Proposals, oldest first; those that come behind one, where it is named."""
        where = [] if not state else ["state = :state"]
        where += ["project = :project"] if project else []
        where += (
            ["memory = :memory AND memory <> ''"] if memory else []
        )  # as the partial index asks
        where += ["kind IN (SELECT value FROM json_each(:kinds))"] if kinds else []
        where += (
            ["(created_at, id) > (SELECT created_at, id FROM proposal WHERE id = :behind)"]
            if behind
            else []
        )
        return self.proposals_where(
            f"{' AND '.join(where) or '1 = 1'} ORDER BY created_at, id LIMIT :limit OFFSET :offset",
            state=state,
            project=project,
            memory=memory,
            kinds=dumps(list(kinds)),
            limit=limit,
            offset=offset,
            behind=behind,
        )

    def proposals_where(self, where: str, **named: Any) -> list[Proposal]:
        """Proposals by a condition of their rows."""
        from tacit.core.proposal import Proposal  # not needed by hooks

        columns = ", ".join(Proposal.FIELDS)  # type: ignore[attr-defined]
        return [
            proposal_of(row)
            for row in self.rows(f"SELECT {columns} FROM proposal WHERE {where}", **named)
        ]

    def proposals_named(self, project: str, beginning: str) -> list[Proposal]:
        """A project's proposals whose ids begin so, in any state."""
        low = beginning.lower()
        return self.proposals_where(
            "id >= :low AND id < :high AND project = :p", low=low, high=low + "{", p=project
        )

    def proposals_about(self, project: str, *, state: str = "open") -> list[tuple[str, str]]:
        """(kind, memory) of each proposal in a state, oldest first."""
        sql = (
            "SELECT kind, memory FROM proposal WHERE project = :p AND state = :state"
            " ORDER BY created_at, id"
        )
        return [tuple(row) for row in self.rows(sql, p=project, state=state)]

    def proposal(self, id: str) -> Proposal | None:
        """A proposal by its id."""
        return next(iter(self.proposals_where("id = :id", id=id)), None)

    def is_job_due(self, now: str) -> bool:
        """Whether a job may be taken that nobody works on."""
        asked = "SELECT 1 FROM queue WHERE not_before <= :now AND lease_until <= :now LIMIT 1"
        return self.one(asked, now=now) is not None

    def queued(self) -> int:
        """How many jobs wait or are under way."""
        return int(self.one("SELECT count(*) FROM queue")[0])
