"""Statements of the rooms that do not speak of lessons yet, and the values that their rows become."""

from __future__ import annotations

from tacit.core.links import EVIDENCE_COLUMNS, MARK_COLUMNS, USE_COLUMNS, Evidence, Mark, Use
from tacit.core.rows import FindingRow, Project, RunRow
from tacit.core.value import dumps, loads
from tacit.lesson import NO_TALLY, Lesson, Tally

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeVar

    from tacit.core.journal import Entry
    from tacit.core.proposal import Proposal
    from tacit.store.reads import Reads

    T = TypeVar("T")

# What these rooms read, said as views of the twelve tables. A view is made for a connection and is nowhere in the file: `memory`,
# `sighting` (evidence), `use`, `use_mark`, `injection` (a delivery of no one lesson: the answer to an event), `run`, `finding` and
# `tombstone` (evidence that is a note), `incident`, `proposal`, `counter`, `change`. Each goes when the last room that reads it speaks of
# lessons, deliveries and sessions.

# What a lesson's `extra` says of it in the words of these rooms, and what it is where nothing is said.
WAS: dict[str, str | int] = {
    **dict.fromkeys(("klass", "kind", "category", "domain", "agent", "task_type", "tags"), ""),
    **dict.fromkeys(("source", "origin", "trust", "gate_reason", "previous_state"), ""),
    **dict.fromkeys(("closed_by", "signature", "stale_at", "review_after", "supersedes"), ""),
    **dict.fromkeys(("under_review_count", "on_page", "merged"), 0),
    "scope": "project",
    "severity": "info",
    "gate": "allow",
    "verdict": "not yet known",
}
OF_THE_ROW = ("klass", "signature", "origin", "review_after", "kind", "trust")
MARK, NOTE = "mark:", "note:"  # begin the measure of evidence that is a mark of a use, or a note
FOUND, BURIED = f"{NOTE}finding", f"{NOTE}buried"
EVENT = "event"  # the kind of what is common that is a count of what happened


def _said(column: str, name: str, default: str | int = "") -> str:
    unset = f"'{default}'" if isinstance(default, str) else str(default)
    return f"coalesce(nullif({column}, '') ->> '$.{name}', {unset})"


def _named(column: str, names: str) -> str:
    return ", ".join(f"{_said(column, name)} AS {name}" for name in names.split())


_WAS = ", ".join(
    f"{_said('extra', f'was.{name}', default)} AS {name}"
    for name, default in WAS.items()
    if name not in OF_THE_ROW
)
_KIND = "coalesce(nullif(extra, '') ->> '$.was.kind', kind)"
_TRUST = (
    "coalesce(nullif(extra, '') ->> '$.was.trust', CASE word WHEN 'person' THEN 'user'"
    " WHEN 'session' THEN 'agent' ELSE 'imported' END)"
)

VIEWS = {
    "memory": "SELECT n, id, project, text, about, files AS paths, always AS pinned, family,"
    " replaced_by AS superseded_by, created_at, changed_at AS updated_at, stood AS state, klass,"
    f" signature, origin, review_after, words, counts, seen, seen_at, used_at, extra AS whole,"
    f" state AS lesson_state, kind AS lesson_kind, word, {_KIND} AS kind, {_TRUST} AS trust,"
    f" {_WAS} FROM lesson",
    "sighting": 'SELECT n, lesson AS memory, project, session AS run, "group" AS root,'
    f" {_said('extra', 'finding')} AS finding, coalesce(nullif(extra, '') ->> '$.stance', stance)"
    " AS stance, CASE measure WHEN '' THEN 'seen' ELSE measure END AS signal, amount,"
    f" {_named('extra', 'origin')}, \"by\", coalesce(nullif(extra, '') ->> '$.tier', CASE word"
    " WHEN 'person' THEN 'user' WHEN 'session' THEN 'observed' ELSE 'imported' END) AS tier,"
    " coalesce(nullif(extra, '') ->> '$.place', place) AS place, quote, at,"
    f" {_said('extra', 'seq', 0)} AS seq, {_said('extra', 'opening', 0)} AS opening FROM evidence"
    f" WHERE measure NOT GLOB '{MARK}*' AND measure NOT GLOB '{NOTE}*'",
    "finding": f"SELECT place AS key, project, session AS run, {_named('extra', 'extractor')},"
    f" {_said('extra', 'place')} AS place, {_said('extra', 'version', 0)} AS version,"
    f" lesson AS memory, {_named('extra', 'outcome reason gate')}, quote AS text,"
    f' unhex({_said("extra", "digest")}) AS digest, {_named("extra", "kind")}, "by",'
    f" {_named('extra', 'tier origin signature')}, {_said('extra', 'score', 0)} AS score,"
    f" {_said('extra', 'runner_up', 0)} AS runner_up, at FROM evidence WHERE measure = '{FOUND}'",
    "tombstone": "SELECT session AS run, place, project, quote AS reason, at FROM evidence"
    f" WHERE measure = '{BURIED}'",
    "use_mark": f'SELECT n, lesson AS memory, "group" AS unit, project,'
    f" substr(measure, {len(MARK) + 1}) AS signal, {_named('extra', 'value')}, amount,"
    f" session AS run, {_named('extra', 'surface')}, quote AS reason, at FROM evidence"
    f" WHERE measure GLOB '{MARK}*'",
    "use": 'SELECT n, lesson AS memory, "group" AS unit, project, session AS run, family,'
    " CASE arm WHEN 'delivered' THEN 'injected' WHEN 'held out' THEN 'withheld' ELSE arm END AS arm,"
    f" probability, moment AS surface, {_named('extra', 'epoch instrument task')},"
    f" {_said('extra', 'instrument_eligible', 0)} AS instrument_eligible,"
    f" {_said('extra', 'blank', 0)} AS blank, at FROM delivery WHERE lesson <> ''",
    "injection": 'SELECT n AS id, event, project, session AS run, "group" AS unit,'
    " moment AS surface, tokens, extra ->> '$.given' AS given, extra ->> '$.withheld' AS withheld,"
    f" {_said('extra', 'left_out')} AS left_out, at FROM delivery WHERE lesson = ''",
    "run": 'SELECT id, project, host, name AS foreign_id, "group" AS root, number AS seq, agent,'
    f" model, {_named('extra', 'version domain')}, task, {_named('extra', 'task_id task_type')},"
    f" outcome, complete, started_at, ended_at, learned_at, {_named('extra', 'settled_at')}, path,"
    " coalesce(json_remove(nullif(extra, ''), '$.version', '$.domain', '$.task_id', '$.task_type',"
    " '$.settled_at'), '') AS facts FROM session",
    "incident": 'SELECT project, session AS run, "group" AS lineage,'
    f" {_named('extra', 'person')}, {_said('extra', 'seq', 0)} AS seq,"
    f" {_said('extra', 'kind', 'failure')} AS kind,"
    " coalesce(nullif(extra, '') ->> '$.mark', sign) AS mark, sign,"
    f" {_named('extra', 'family nature code name tool')}, program, {_named('extra', 'folder')},"
    f" line, {_said('extra', 'count', 0)} AS count, {_said('extra', 'failed', 0)} AS failed,"
    f" {_said('extra', 'soft', 0)} AS soft, calls, seconds, {_named('extra', 'ended')}, cure,"
    " place, at FROM failure",
    "proposal": "SELECT id, project, kind, text AS reason,"
    f' {_said("payload", "as_question.by")} AS "by", asked_at AS created_at, lesson AS memory,'
    " CASE answered_at WHEN '' THEN 'open' ELSE answer END AS state,"
    f" {_said('payload', 'as_question.tier')} AS tier,"
    " coalesce(nullif(json_remove(nullif(payload, ''), '$.as_question'), '{}'), '') AS payload,"
    f" {_said('payload', 'as_question.approvals')} AS approvals,"
    f' {_said("payload", "as_question.expires_at")} AS expires_at, "by" AS decided_by,'
    f" {_said('payload', 'as_question.decided_at')} AS decided_at,"
    f" {_said('payload', 'as_question.decision')} AS decision FROM question",
    "change": 'SELECT n AS id, lesson AS memory, project, verb, "by", at, session AS run, why,'
    " before, after FROM journal WHERE verb <> 'line'",
    "counter": "SELECT project, substr(what, 1, 10) AS day, substr(what, 12) AS name, count"
    f" FROM common WHERE kind = '{EVENT}'",
    "tally": "SELECT l.id AS memory, c.key AS signal, l.project, c.value ->> '$[0]' AS amount,"
    " c.value ->> '$[1]' AS at FROM lesson l, json_each(nullif(l.counts, '')) c",
}
MAKE = "; ".join(f"CREATE TEMP VIEW IF NOT EXISTS {name} AS {sql}" for name, sql in VIEWS.items())


# In the order in which `memory_of` takes them.
COLUMNS = "id project text about paths pinned family superseded_by created_at updated_at".split()
MEMORY_COLUMNS = ", ".join(
    f"m.{name}" for name in (*COLUMNS, "whole", "counts", "lesson_state", "lesson_kind", "word")
)
KLASSES = {"way": "rule", "cure": "fix", "preference": "preference"}
TRUSTS = {"person": "user", "session": "agent"}
_LISTS = ("tags", "supersedes")
OWN_NAMES = "own"  # under `was`: fields of a foreign record that are called as ours are
_SAME = {
    "text": "text",
    "about": "about",
    "family": "family",
    "replaced_by": "superseded_by",
    "created_at": "created_at",
}


def memory_of(row: tuple[Any, ...], tally: Tally, alias: str = "") -> Lesson:
    """The memory behind a row of MEMORY_COLUMNS."""
    at: dict[str, Any] = dict(zip(COLUMNS, row))
    whole, _, state, kind, word = row[len(COLUMNS) :]
    at["paths"] = tuple(loads(at["paths"])) if at["paths"] else ()
    at["pinned"] = bool(at["pinned"])
    extra = loads(whole) if whole else {}
    was = extra.pop("was", None) or {}
    extra.update(was.pop(OWN_NAMES, ()))
    for name, unset in WAS.items():
        at[name] = was.get(name, unset)
    for name in _LISTS:
        at[name] = tuple(at[name])
    at["on_page"] = bool(at["on_page"])
    at["kind"] = at["kind"] or kind
    at["klass"] = at["klass"] or KLASSES.get(kind, "fact")
    at["trust"] = at["trust"] or TRUSTS.get(word, "imported")
    at["state"] = was.get("state") or state
    at["extra"] = extra or None
    at["alias"], at["tally"] = alias, tally
    # rows come by the dozen on the hook path: filled as they are, without an `__init__`
    memory = Lesson.__new__(Lesson)
    object.__setattr__(memory, "__dict__", {name: at[name] for name in Lesson.FIELDS})  # type: ignore[attr-defined]
    return memory


def decided(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Any, Any]:
    """What an entry says changed, by the columns of a memory: as they were, and as they are."""
    was, now = _columns(before), _columns(after)
    if not before:
        return {}, {name: held for name, held in now.items() if held not in ("", 0)}
    same = {name for name in was if name in now and was[name] == now[name]}
    return tuple({name: at[name] for name in at if name not in same} for at in (was, now))


def _columns(fields: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {_SAME[name]: fields[name] for name in _SAME if name in fields}
    if "files" in fields:
        found["paths"] = _json(fields["files"])
    if "always" in fields:
        found["pinned"] = int(fields["always"])
    extra = dict(fields.get("extra") or {})
    was = dict(extra.pop("was", None) or {})
    if "state" in fields:
        found["state"] = was.get("state") or fields["state"]
    if "extra" not in fields:
        return found
    extra.update(was.pop(OWN_NAMES, ()))
    for name, unset in WAS.items():
        held = was.get(name, unset)
        found[name] = _json(held) if name in _LISTS else held
    found["extra"] = _json(extra)
    return found


def _json(field: Any) -> str:
    return dumps(field, ensure_ascii=False, separators=(",", ":")) if field else ""


COUNTED_SIGNALS = ("seen", "uses", "clean", "recurred", "contradicted", "confidence")
ENDLESS = 1 << 62  # no row has this number
LINE = "line"  # the verb of what a team's line said that changed nothing by itself
# An entry as these rooms know it; their number of it counts the entries of its lesson.
ENTRY = (
    "j.n, j.lesson, (SELECT count(*) FROM journal e WHERE e.lesson = j.lesson AND e.n <= j.n"
    f" AND e.verb <> '{LINE}'), j.project, j.verb, j.\"by\", j.at, j.session, j.machine, j.why,"
    " j.before, j.after"
)


NAME = "name:"  # begins the setting that is another name of a lesson
COMPILED = "compiled:"  # begins the setting that keeps a way of remembering


def name_key(project: str, alias: str, namespace: str) -> str:
    """The setting that says whose name this is."""
    return f"{NAME}{project}:{alias}:{namespace.replace(':', ' ')}"


def named_by(key: str, project: str) -> tuple[str, str]:
    """(namespace, alias) of such a setting."""
    alias, _, namespace = key[len(NAME) + len(project) + 1 :].rpartition(":")
    return namespace, alias


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
_SIGHTING = "SELECT 1 FROM sighting WHERE memory = :memory AND signal = 'seen' AND stance = 'supports' AND opening = 0 AND n <> :n"
SAME_UNIT = f"{_SIGHTING} AND CASE WHEN root <> '' THEN root ELSE run END = :unit LIMIT 1"
SAME_ORIGIN = f"{_SIGHTING} AND origin = :origin LIMIT 1"
OUTCOME_SIGNALS = {"not_occurred": "clean", "occurred": "recurred"}
SAME_TASK = (  # another settled coin of the same lesson in the same task; the last outcome of a unit stands
    "SELECT 1 FROM use u WHERE u.memory = :memory AND u.task = :task AND u.unit <> :unit AND u.arm <> 'exempt' AND u.blank = 0"
    " AND (SELECT value FROM use_mark m WHERE m.memory = u.memory AND m.unit = u.unit AND m.signal = 'outcome' ORDER BY n DESC LIMIT 1)"
    " IN ('occurred', 'not_occurred') LIMIT 1"
)
SORT_ORDERS = {
    "new": ("", "m.n DESC"),
    "old": ("", "m.n"),
    "updated": ("", "m.updated_at DESC, m.n DESC"),
    "seen": ("", "m.seen DESC, m.n DESC"),
    "used": ("", "m.used_at DESC, m.n DESC"),
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
    "seen": ("m.seen", "<", "<"),
    "used": ("m.used_at", "<", "<"),
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
    from tacit.core.journal import Entry

    id, memory, n, project, verb, by, at, run, machine, why, before, after = row
    erased = not (why or before or after)
    came = loads(after or "{}")
    was, now = decided(loads(before or "{}"), came)
    if not erased:
        now["updated_at"] = came.get("changed_at", at)
    told = (memory, project, verb, by, "(erased)" if erased else why, at, was, now)
    return Entry(*told, run=run, machine=machine, n=n, id=id, erased=erased)


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
            "facts": (loads(at["facts"]) or None) if at["facts"] else None,
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
    first = "SELECT min(n) FROM sighting WHERE memory = {} AND run <> '' AND stance = 'supports'"
    sql = (
        f"SELECT o.memory FROM sighting e JOIN sighting o ON o.run = e.run WHERE e.n = ({first.format(':it')})"
        f" AND o.memory <> :it AND o.n = ({first.format('o.memory')}) ORDER BY o.n LIMIT {most}"
    )
    return [row[0] for row in store.rows(sql, it=id)]


class Statements:
    """How a reader asks; a store and a transaction provide `rows`."""

    if TYPE_CHECKING:

        def rows(self, sql: str, *bound: Any, **named: Any) -> list[Any]: ...

    def one(self, sql: str, *bound: Any, **named: Any) -> Any:
        """The first row, or None."""
        found = self.rows(sql, *bound, **named)
        return found[0] if found else None

    def values_of(self, of: type[T], where: str, **named: Any) -> list[T]:
        """The values of a kind that a table keeps."""
        table, columns, made = _KEPT[of]
        return [
            made(row)
            for row in self.rows(f"SELECT {', '.join(columns)} FROM {table} WHERE {where}", **named)
        ]


PROJECT = ("id", "name", "root", "key", "remote", "origin", "trial_key", "sessions", "created_at")
EVIDENCE = tuple('"by"' if name == "by" else name for name in EVIDENCE_COLUMNS[1:])
FINDING = tuple('"by"' if name == "by" else name for name in FindingRow.FIELDS)  # type: ignore[attr-defined]

_KEPT: dict[type, tuple[str, tuple[str, ...], Callable[[Any], Any]]] = {
    Project: ("project", PROJECT, lambda row: Project(*row)),
    RunRow: ("run", RunRow.FIELDS, run_row),  # type: ignore[attr-defined]
    FindingRow: ("finding", FINDING, lambda row: FindingRow(*row)),
    Evidence: ("sighting", EVIDENCE, lambda row: Evidence(*(*row[:-1], bool(row[-1])))),
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

        columns = ", ".join(f'"{name}"' for name in Proposal.FIELDS)  # type: ignore[attr-defined]
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
        asked = "SELECT 1 FROM job WHERE not_before <= :now AND held_until <= :now LIMIT 1"
        return self.one(asked, now=now) is not None

    def queued(self) -> int:
        """How many jobs wait or are under way."""
        return int(self.one("SELECT count(*) FROM job")[0])
