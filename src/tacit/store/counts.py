"""How many there are: what status, statistics and effect count."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tacit.core.states import GONE

if TYPE_CHECKING:
    from tacit.store.reads import Reads


def events(store: Reads, project: str, since_day: str = "") -> dict[str, int]:
    """Events of a project and of the store itself, by name, since a day."""
    sql = "SELECT name, sum(count) FROM counter WHERE project IN (:p, '') AND day >= :day GROUP BY 1 ORDER BY 1"
    return dict(store.rows(sql, p=project, day=since_day))


def all_events(store: Reads) -> dict[str, int]:
    """Events of all projects, by name."""
    return dict(store.rows("SELECT name, sum(count) FROM counter GROUP BY 1 ORDER BY 1"))


def recent(store: Reads, prefix: str, since_day: str) -> dict[str, int]:
    """Events of all projects whose name begins so, by name, since a day."""
    sql = "SELECT name, sum(count) FROM counter WHERE day >= :day AND substr(name, 1, :n) = :prefix GROUP BY 1 ORDER BY 1"
    return dict(store.rows(sql, day=since_day, n=len(prefix), prefix=prefix))


def event(store: Reads, name: str) -> int:
    """How often one event happened, in all projects."""
    return _one(store, "SELECT coalesce(sum(count), 0) FROM counter WHERE name = :name", name=name)


def learned_runs(store: Reads, project: str, since: str = "") -> int:
    """Runs that were learned since a time."""
    sql = (
        "SELECT count(*) FROM run WHERE project = :p AND learned_at <> '' AND learned_at >= :since"
    )
    return _one(store, sql, p=project, since=since)


def learned_paths(store: Reads) -> dict[str, str]:
    """When each transcript was learned last."""
    rows = store.rows(
        "SELECT path, max(learned_at) FROM run WHERE path <> '' AND learned_at <> '' GROUP BY path"
    )
    return {str(path): str(at) for path, at in rows}


def week(store: Reads, project: str, day: str) -> dict[str, int]:
    """What happened since a day: sessions learned, lessons given and withheld, in how many units; of what could be told, what came back."""
    arms = dict(
        store.rows(
            "SELECT arm, count(*) FROM use WHERE project = :p AND at >= :day GROUP BY 1",
            p=project,
            day=day,
        )
    )
    came = dict(store.rows(_CAME, p=project, day=day))
    withheld, back = arms.pop("withheld", 0), came.get("occurred", 0)
    return {
        "sessions": learned_runs(store, project, day),
        "given": sum(arms.values()),
        "withheld": withheld,
        "units": _one(store, _UNITS, p=project, day=day),
        "told": sum(came.values()),
        "back": back,
    }


_UNITS = "SELECT count(*) FROM (SELECT unit FROM use WHERE project = :p GROUP BY unit HAVING min(at) >= :day) AS begun"
_CAME = (  # the last outcome of each use that was given; that nothing came, where its moment is known to have come
    "SELECT m.value, count(*) FROM use_mark m JOIN use u ON u.memory = m.memory AND u.unit = m.unit"
    " WHERE m.project = :p AND m.at >= :day AND m.signal = 'outcome' AND m.value IN ('occurred', 'not_occurred')"
    " AND u.arm <> 'withheld' AND (m.value = 'occurred' OR NOT EXISTS (SELECT 1 FROM use_mark y"
    " WHERE y.memory = m.memory AND y.unit = m.unit AND y.signal = 'unmet' GROUP BY y.memory"
    " HAVING sum(y.amount) > 0 OR max(y.value) <> '')) AND m.n = (SELECT max(n) FROM use_mark x"
    " WHERE x.memory = m.memory AND x.unit = m.unit AND x.signal = 'outcome') GROUP BY 1"
)


def pieces_of_work(store: Reads, project: str, most: int = 1_000) -> int:
    """Independent sessions among the newest that were learned: as many as what was noticed is counted over."""
    newest = (
        "SELECT root FROM run WHERE project = :p AND learned_at <> '' ORDER BY seq DESC LIMIT :most"
    )
    return _one(
        store, f"SELECT count(DISTINCT root) FROM ({newest}) AS newest", p=project, most=most
    )


def findings_since(store: Reads, project: str, since: str) -> int:
    """Findings since a time."""
    return _one(
        store,
        "SELECT count(*) FROM finding WHERE project = :p AND at >= :since",
        p=project,
        since=since,
    )


def tokens_given(store: Reads, project: str, since: str = "") -> int:
    """Tokens that runs were given since a time."""
    return _one(
        store,
        "SELECT coalesce(sum(tokens), 0) FROM injection WHERE project = :p AND at >= :since",
        p=project,
        since=since,
    )


def memories(store: Reads) -> int:
    """Lessons of all projects, in any state."""
    return _one(store, "SELECT count(*) FROM lesson")


def memories_by_project(store: Reads) -> dict[str, int]:
    """Lessons of each project, in any state."""
    return dict(store.rows("SELECT project, count(*) FROM lesson GROUP BY 1"))


def new_memories(store: Reads, project: str, since: str) -> int:
    """Lessons that were made since a time and were not taken out again."""
    made = _one(
        store,
        "SELECT count(*) FROM lesson WHERE project = :p AND created_at >= :since",
        p=project,
        since=since,
    )
    # By the few that were taken out since then: of all that are new each row would have to be looked at.
    out = (
        "SELECT count(*) FROM memory WHERE project = :p AND state IN (SELECT value FROM json_each(:out))"
        " AND updated_at >= :since AND created_at >= :since"
    )
    return made - _one(store, out, p=project, since=since, out=json.dumps([GONE]))


def in_states(store: Reads, project: str, states: Sequence[str]) -> int:
    """Lessons in one of these states."""
    sql = "SELECT count(*) FROM memory WHERE project = :p AND state IN (SELECT value FROM json_each(:states))"
    return _one(store, sql, p=project, states=json.dumps(states))


def with_signal(store: Reads, project: str, signal: str) -> int:
    """Lessons that have any of a signal."""
    return _one(
        store,
        "SELECT count(*) FROM lesson WHERE project = :p"
        " AND nullif(counts, '') ->> ('$.\"' || :s || '\"[0]') > 0",
        p=project,
        s=signal,
    )


def held_unsigned(store: Reads, project: str) -> int:
    """Lessons of the team's journal that are held because nobody allowed has signed them."""
    # By the few that the journal brought: an index of the project's lessons would lead over all of them.
    sql = (
        "SELECT count(*) FROM memory WHERE project || '' = :p AND gate = 'hold' AND trust = 'imported'"
        " AND id IN (SELECT lesson FROM journal WHERE project = :p AND standing = 'waiting')"
    )
    return _one(store, sql, p=project)


def _one(store: Reads, sql: str, **named: object) -> int:
    return int(store.one(sql, **named)[0] or 0)


def heard_in(store: Reads, project: str, run: str) -> list[str]:
    """What the person said in a run that was kept from it, in their own words, in order."""
    sql = (
        "SELECT e.quote FROM sighting e JOIN memory m ON m.id = e.memory WHERE e.run = :run AND e.project = :p AND e.tier = 'user' "
        "AND e.stance = 'supports' AND e.quote <> '' AND m.gate = 'allow' "
        "AND m.state <> 'gone' ORDER BY e.n"
    )
    return list(dict.fromkeys(quote for (quote,) in store.rows(sql, p=project, run=run)))


def waiting_for_a_person(store: Reads, project: str) -> int:
    """Open proposals, and lessons that are held: what `tacit review` shows."""
    asked = _one(
        store, "SELECT count(*) FROM proposal WHERE project = :p AND state = 'open'", p=project
    )
    return asked + _one(
        store,
        "SELECT count(*) FROM memory WHERE project = :p AND gate = 'hold' AND state = 'waiting'",
        p=project,
    )
