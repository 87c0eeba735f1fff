"""How many there are: what status, statistics and effect count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tacit.core.states import GONE
from tacit.core.value import dumps
from tacit.store.rows import EVENT, FOUND, MARK, facet

if TYPE_CHECKING:
    from tacit.store.reads import Reads

_EVENTS = f"SELECT substr(what, 12), sum(count) FROM common WHERE kind = '{EVENT}'"
_SINCE = " AND substr(what, 1, 10) >= :day"


def events(store: Reads, project: str, since_day: str = "") -> dict[str, int]:
    """Events of a project and of the store itself, by name, since a day."""
    sql = f"{_EVENTS} AND project IN (:p, ''){_SINCE} GROUP BY 1 ORDER BY 1"
    return dict(store.rows(sql, p=project, day=since_day))


def all_events(store: Reads) -> dict[str, int]:
    """Events of all projects, by name."""
    return dict(store.rows(f"{_EVENTS} GROUP BY 1 ORDER BY 1"))


def recent(store: Reads, prefix: str, since_day: str) -> dict[str, int]:
    """Events of all projects whose name begins so, by name, since a day."""
    sql = f"{_EVENTS} AND substr(what, 12, :n) = :prefix{_SINCE} GROUP BY 1 ORDER BY 1"
    return dict(store.rows(sql, day=since_day, n=len(prefix), prefix=prefix))


def event(store: Reads, name: str) -> int:
    """How often one event happened, in all projects."""
    sql = f"SELECT sum(count) FROM common WHERE kind = '{EVENT}' AND substr(what, 12) = :name"
    return _one(store, sql, name=name)


def learned_runs(store: Reads, project: str, since: str = "") -> int:
    """Sessions that were learned since a time."""
    sql = (
        "SELECT count(*) FROM session WHERE project = :p AND learned_at <> '' AND learned_at >= :at"
    )
    return _one(store, sql, p=project, at=since)


def week(store: Reads, project: str, day: str) -> dict[str, int]:
    """What happened since a day: sessions learned, lessons given and withheld, in how many units; of what could be told, what came back."""
    sql = "SELECT arm, count(*) FROM delivery WHERE lesson <> '' AND project = :p AND at >= :day"
    arms = dict(store.rows(f"{sql} GROUP BY 1", p=project, day=day))
    came = dict(store.rows(_CAME, p=project, day=day))
    withheld = arms.pop("held out", 0)
    return {
        "sessions": learned_runs(store, project, day),
        "given": sum(arms.values()),
        "withheld": withheld,
        "units": _one(store, _UNITS, p=project, day=day),
        "told": sum(came.values()),
        "back": came.get("occurred", 0),
    }


_UNITS = (
    "SELECT count(*) FROM (SELECT 1 FROM delivery WHERE lesson <> '' AND project = :p"
    ' GROUP BY "group" HAVING min(at) >= :day)'
)
# The outcome of each use that was given; that nothing came, where its moment is known to have come.
_CAME = (
    "SELECT u.outcome, count(*) FROM delivery u WHERE u.lesson <> '' AND u.project = :p"
    " AND u.settled_at >= :day AND u.outcome IN ('occurred', 'not_occurred') AND u.arm <> 'held out'"
    " AND (u.outcome = 'occurred' OR NOT EXISTS (SELECT 1 FROM evidence y WHERE y.lesson = u.lesson"
    f' AND y."group" = u."group" AND y.measure = \'{MARK}unmet\' GROUP BY y.lesson'
    " HAVING sum(y.amount) > 0 OR max(coalesce(nullif(y.extra, '') ->> '$.value', '')) <> ''))"
    " GROUP BY 1"
)


def pieces_of_work(store: Reads, project: str, most: int = 1_000) -> int:
    """Independent sessions among the newest that were learned: as many as what was noticed is counted over."""
    sql = (
        'SELECT count(DISTINCT "group") FROM (SELECT "group" FROM session WHERE project = :p'
        " AND learned_at <> '' ORDER BY number DESC LIMIT :most)"
    )
    return _one(store, sql, p=project, most=most)


def findings_since(store: Reads, project: str, since: str) -> int:
    """Findings since a time."""
    sql = f"SELECT count(*) FROM evidence WHERE measure = '{FOUND}' AND project = :p AND at >= :at"
    return _one(store, sql, p=project, at=since)


def tokens_given(store: Reads, project: str, since: str = "") -> int:
    """Tokens that sessions were given since a time."""
    sql = "SELECT sum(tokens) FROM delivery WHERE lesson = '' AND project = :p AND at >= :at"
    return _one(store, sql, p=project, at=since)


def memories_by_project(store: Reads) -> dict[str, int]:
    """Lessons of each project, in any state."""
    return dict(store.rows("SELECT project, count(*) FROM lesson GROUP BY 1"))


def new_memories(store: Reads, project: str, since: str) -> int:
    """Lessons that were made since a time and were not taken out again."""
    new = "SELECT count(*) FROM lesson WHERE project = :p AND created_at >= :at"
    # By the few that were taken out since then: of all that are new each row would have to be looked at.
    out = f"{new} AND stood = '{GONE}' AND changed_at >= :at"
    return _one(store, new, p=project, at=since) - _one(store, out, p=project, at=since)


def in_states(store: Reads, project: str, states: Sequence[str]) -> int:
    """Lessons in one of these states."""
    sql = "SELECT count(*) FROM lesson WHERE project = :p AND stood IN (SELECT value FROM json_each(:in))"
    return _one(store, sql, **{"p": project, "in": dumps(list(states))})


def with_signal(store: Reads, project: str, signal: str) -> int:
    """Lessons that have any of a signal."""
    sql = "SELECT count(*) FROM lesson WHERE project = :p"
    having = " AND nullif(counts, '') ->> ('$.\"' || :s || '\"[0]') > 0"
    return _one(store, sql + having, p=project, s=signal)


def held_unsigned(store: Reads, project: str) -> int:
    """Lessons of the team's journal that are held because nobody allowed has signed them."""
    # By the few that the journal brought: an index of the project's lessons would lead over all of them.
    sql = (
        f"SELECT count(*) FROM lesson m WHERE m.project || '' = :p AND {facet('gate')} = 'hold'"
        f" AND {facet('trust')} = 'imported' AND m.id IN"
        " (SELECT lesson FROM journal WHERE project = :p AND standing = 'waiting')"
    )
    return _one(store, sql, p=project)


def heard_in(store: Reads, project: str, run: str) -> list[str]:
    """What the person said in a session that was kept from it, in their own words, in order."""
    said = store.evidence_where("session = ? AND project = ?", run, project)
    quotes = [each for each in said if each.tier == "user" and each.stance == "supports"]
    kept = {
        lesson.id
        for lesson in store.memories([each.memory for each in quotes])
        if lesson.gate == "allow" and lesson.state != GONE
    }
    return list(dict.fromkeys(each.quote for each in quotes if each.quote and each.memory in kept))


def _one(store: Reads, sql: str, **named: object) -> int:
    return int(store.one(sql, **named)[0] or 0)
