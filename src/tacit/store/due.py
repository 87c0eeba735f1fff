"""Lessons by range of a date or a figure, and by what the journal says of them: what a pass of `tend` asks for instead of reading all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.value import dumps
from tacit.store.rows import LINE, said

if TYPE_CHECKING:
    from tacit.store.reads import Reads

_OF = "SELECT m.id FROM lesson m WHERE m.project = :p"
_OF_STATE = " AND m.stood IN (SELECT value FROM json_each(:states))"
_DATES = {
    "state": "changed_at",
    "age": "created_at",
    "review": "review_after",
    "seen": "seen_at",
    "uses": "used_at",
}


def _ids(store: Reads, sql: str, states: Sequence[str] = (), **named: Any) -> list[str]:
    return [row[0] for row in store.rows(sql, states=dumps(list(states)), **named)]


def in_range(
    store: Reads, project: str, of: str, low: str, high: str, states: Sequence[str]
) -> list[str]:
    """Lessons in these states one of whose dates (`state`, `age`, `review`, `seen`, `uses`) lies after `low` and up to `high`."""
    date = f"m.{_DATES[of]}"
    sql = f"{_OF} AND {date} > :low AND {date} <= :high AND {date} <> ''{_OF_STATE}"
    groups = [[each] for each in states] if of == "state" else [states]
    return [id for each in groups for id in _ids(store, sql, each, p=project, low=low, high=high)]


def in_states(store: Reads, project: str, states: Sequence[str]) -> list[str]:
    """All lessons in these states."""
    return _ids(store, _OF + _OF_STATE, states, p=project)


def by_tally(
    store: Reads, project: str, signal: str, op: str, bound: float, states: Sequence[str]
) -> list[str]:
    """Lessons in these states whose count of a signal stands beyond a bound."""
    sql = f"{_OF} AND nullif(m.counts, '') ->> '$.{signal}[0]' {op} :bound{_OF_STATE}"
    return _ids(store, sql, states, p=project, bound=bound)


def runs_that_could(
    store: Reads, project: str, last: int, since: str, agent: str, domain: str, most: int
) -> int:
    """Sessions after one by its number, and learned since a time, of an agent and in a domain if these are named; counted up to a bound."""
    sql = (
        "SELECT count(*) FROM (SELECT 1 FROM session WHERE project = :p AND number > :last"
        " AND learned_at > :since AND (:agent = '' OR agent IN ('', :agent))"
        f" AND (:domain = '' OR {said('extra', 'domain')} IN ('', :domain)) LIMIT :most)"
    )
    of = {"agent": agent, "domain": domain, "most": most}
    return int(store.one(sql, p=project, last=last, since=since, **of)[0])


def may_have_faded(
    store: Reads, project: str, before: int, until: int, step: int, states: Sequence[str]
) -> list[str]:
    """Lessons that may have lost a count between two sessions, one for each `step` sessions without it."""
    # What came from elsewhere brings its own quiet runs: as if it had been last seen so many runs earlier.
    opening, seq = said("e.extra", "opening", 0), said("e.extra", "seq", 0)
    sql = (
        f"SELECT id FROM (SELECT m.id, coalesce(max(CASE WHEN {opening} = 0 THEN {seq} END), -1)"
        f" AS seen, coalesce(max(CASE WHEN {opening} = 1 THEN {seq} END), 0) AS came,"
        " min(coalesce(sum(CASE WHEN e.measure = 'unseen' THEN e.amount END), 0), :step - 1) AS quiet"
        " FROM evidence e JOIN lesson m ON m.id = e.lesson WHERE m.project = :p"
        f"{_OF_STATE} AND {said('e.extra', 'stance', 'supports')} = 'supports'"
        " AND e.stance = 'supports' AND e.measure IN ('', 'unseen') GROUP BY m.id)"
        " WHERE seen > :before OR CASE WHEN seen > came"
        " THEN (:until - seen) / :step > (:before - seen) / :step"
        " ELSE CAST(:until - came + quiet AS INTEGER) / :step"
        " > CAST(max(:before, came) - came + quiet AS INTEGER) / :step END"
    )
    return _ids(store, sql, states, p=project, before=before, until=until, step=step)


def in_order(store: Reads, ids: Sequence[str]) -> list[str]:
    """Lessons in the order they were written, each once: what a pass does never hangs on their ids."""
    sql = "SELECT id FROM lesson WHERE id IN (SELECT value FROM json_each(:states)) ORDER BY n"
    return _ids(store, sql, ids)


def often_met(store: Reads, project: str, limit: int) -> list[str]:
    """Waiting and active lessons that more than one session met, most often met first."""
    sql = f"{_OF} AND m.stood IN ('waiting', 'active') AND m.seen >= 2"
    return _ids(store, f"{sql} ORDER BY m.seen DESC LIMIT :limit", p=project, limit=limit)


def touched(store: Reads, project: str, after: int) -> list[str]:
    """Lessons that the journal speaks of since an entry."""
    sql = f"SELECT DISTINCT lesson FROM journal WHERE project = :p AND n > :n AND verb <> '{LINE}'"
    return _ids(store, sql, p=project, n=after)


def entries_after(store: Reads, project: str, after: int, limit: int) -> list[tuple[str, int]]:
    """Lessons changed after an entry, each with its newest one, in that order."""
    return store.rows(
        f"SELECT lesson, max(n) FROM journal WHERE project = ? AND n > ? AND verb <> '{LINE}'"
        " GROUP BY lesson ORDER BY 2 LIMIT ?",
        *(project, after, limit),
    )


def last_entry(store: Reads, memory: str = "") -> int:
    """The newest entry of the journal, or of one lesson in it."""
    if memory:
        return int(store.one("SELECT max(n) FROM journal WHERE lesson = ?", memory)[0])
    return int(store.one("SELECT coalesce(max(n), 0) FROM journal")[0])
