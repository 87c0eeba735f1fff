"""Lessons by range of a date or a figure, and by what the journal says of them: what a pass of `tend` asks for instead of reading all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tacit.store.reads import Reads

_OF_STATE = " AND state IN (SELECT value FROM json_each(:states))"
_RANGE = {  # by the date of a memory
    "state": "SELECT id FROM memory WHERE project = :p AND updated_at > :low AND updated_at <= :high"
    + _OF_STATE,
    "age": "SELECT id FROM memory WHERE project = :p AND created_at > :low AND created_at <= :high"
    + _OF_STATE,
    "review": "SELECT id FROM memory WHERE project = :p AND review_after > :low"
    " AND review_after <= :high AND review_after <> ''" + _OF_STATE,
    **{
        signal: f"SELECT m.id FROM memory m WHERE m.project = :p AND m.{column} > :low"
        f" AND m.{column} <= :high AND m.state IN (SELECT value FROM json_each(:states))"
        for signal, column in (("seen", "seen_at"), ("uses", "used_at"))
    },
}


def in_range(
    store: Reads, project: str, of: str, low: str, high: str, states: Sequence[str]
) -> list[str]:
    """Memories in these states one of whose dates (`state`, `age`, `review`, `seen`, `uses`) lies after `low` and up to `high`."""
    if of == "state":  # one range a state: the index leads with it
        sql = _RANGE[of].replace(_OF_STATE, " AND state = :state")
        return [
            id
            for state in states
            for (id,) in store.rows(sql, p=project, low=low, high=high, state=state)
        ]
    rows = store.rows(_RANGE[of], p=project, low=low, high=high, states=json.dumps(states))
    return [row[0] for row in rows]


def in_states(store: Reads, project: str, states: Sequence[str]) -> list[str]:
    """All memories in these states."""
    sql = "SELECT id FROM memory WHERE project = :p" + _OF_STATE
    return [row[0] for row in store.rows(sql, p=project, states=json.dumps(states))]


def by_tally(
    store: Reads, project: str, signal: str, op: str, bound: float, states: Sequence[str]
) -> list[str]:
    """Memories in these states whose tally of a signal stands beyond a bound."""
    sql = (
        f"SELECT m.id FROM memory m WHERE m.project = :p AND nullif(m.counts, '') ->> '$.{signal}[0]' {op} :bound"
        " AND m.state IN (SELECT value FROM json_each(:states))"
    )
    return [row[0] for row in store.rows(sql, p=project, bound=bound, states=json.dumps(states))]


def runs_that_could(
    store: Reads, project: str, last: int, since: str, agent: str, domain: str, most: int
) -> int:
    """Runs after one by its number, and learned since a time, of an agent and in a domain if these are named; counted up to a bound."""
    found = store.one(
        "SELECT count(*) FROM (SELECT 1 FROM run WHERE project = :p AND seq > :last AND learned_at > :since"
        " AND (:agent = '' OR agent IN ('', :agent)) AND (:domain = '' OR domain IN ('', :domain)) LIMIT :most) AS met",
        p=project,
        last=last,
        since=since,
        agent=agent,
        domain=domain,
        most=most,
    )
    return int(found[0])


def may_have_faded(
    store: Reads, project: str, before: int, until: int, step: int, states: Sequence[str]
) -> list[str]:
    """Lessons that may have lost a count between two runs, one for each `step` runs without it."""
    # What came from elsewhere brings its own quiet runs: as if it had been last seen so many runs earlier.
    rows = store.rows(
        "SELECT memory FROM (SELECT e.memory, coalesce(max(CASE WHEN e.opening = 0 THEN e.seq END), -1) AS seen,"
        "  coalesce(max(CASE WHEN e.opening = 1 THEN e.seq END), 0) AS came,"
        "  min(coalesce(sum(CASE WHEN e.signal = 'unseen' THEN e.amount END), 0), :step - 1) AS quiet"
        "  FROM sighting e JOIN memory m ON m.id = e.memory"
        "  WHERE m.project = :p AND m.state IN (SELECT value FROM json_each(:states))"
        "  AND e.stance = 'supports' AND e.signal IN ('seen', 'unseen') GROUP BY e.memory)"
        " WHERE seen > :before OR CASE WHEN seen > came THEN (:until - seen) / :step > (:before - seen) / :step"
        "  ELSE CAST(:until - came + quiet AS INTEGER) / :step > CAST(max(:before, came) - came + quiet AS INTEGER) / :step END",
        p=project,
        states=json.dumps(states),
        before=before,
        until=until,
        step=step,
    )
    return [row[0] for row in rows]


def in_order(store: Reads, ids: Sequence[str]) -> list[str]:
    """Memories in the order they were written, each once: what a pass does never hangs on their ids."""
    sql = "SELECT id FROM memory WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY n"
    return [id for (id,) in store.rows(sql, ids=json.dumps(ids))]


def often_met(store: Reads, project: str, limit: int) -> list[str]:
    """Waiting and active lessons that more than one run met, most often met first."""
    sql = (
        "SELECT m.id FROM memory m WHERE m.project = :p"
        " AND m.state IN ('waiting', 'active') AND m.seen >= 2 ORDER BY m.seen DESC LIMIT :limit"
    )
    return [row[0] for row in store.rows(sql, p=project, limit=limit)]


def in_turn(store: Reads, project: str, last: int, limit: int) -> list[tuple[int, str]]:
    """The next memories after one, by their numbers."""
    sql = "SELECT n, id FROM memory WHERE project = :p AND n > :last ORDER BY n LIMIT :limit"
    return store.rows(sql, p=project, last=last, limit=limit)


def runs_after(store: Reads, project: str, seq: int, limit: int) -> list[tuple[str, str, int, str]]:
    """The next runs after one by its number: id, root, number, and when it was learned."""
    sql = "SELECT id, root, seq, learned_at FROM run WHERE project = :p AND seq > :after ORDER BY seq LIMIT :limit"
    return store.rows(sql, p=project, after=seq, limit=limit)


# -- by the journal -----------------------------------------------------------------------------------------------------


def touched(store: Reads, project: str, after: int) -> list[str]:
    """Memories that the journal speaks of since an entry."""
    sql = "SELECT DISTINCT lesson FROM journal WHERE project = :p AND n > :after AND verb <> 'line'"
    return [row[0] for row in store.rows(sql, p=project, after=after)]


def entries_after(store: Reads, project: str, after: int, limit: int) -> list[tuple[str, int]]:
    """Memories changed after an entry, each with its newest one, in that order."""
    sql = (
        "SELECT lesson, max(n) FROM journal WHERE project = :p AND n > :after AND verb <> 'line'"
        " GROUP BY lesson ORDER BY 2 LIMIT :limit"
    )
    return store.rows(sql, p=project, after=after, limit=limit)


def last_entry(store: Reads, memory: str = "") -> int:
    """The newest entry of the journal, or of one memory in it."""
    if memory:
        return int(store.one("SELECT max(n) FROM journal WHERE lesson = :m", m=memory)[0])
    return int(store.one("SELECT coalesce(max(n), 0) FROM journal")[0])
