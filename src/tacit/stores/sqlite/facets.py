"""How many memories there are of each kind, state and so on, and which, without reading them all.

A row of `facet` is one combination that occurs, with its count; `facet_of` says which combination a memory has. There are as many
combinations as the words in use make, some dozens, however many memories there are. A count is a sum over them. A list is a merge: the
memories of one combination stand in the order of writing, and the first fifty of all are among the first fifty of each.

`classify` keeps both in step inside the transaction that writes a memory; `facet_faults` holds them against the rows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import merge
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from tacit.core.memory import Memory
from tacit.core.rows import Fault, index_fault
from tacit.core.value import value
from tacit.stores.sql_rows import (
    FACETS,
    MEMORY_COLUMNS,
    SORT_ORDERS,
    behind_place,
    facet_columns,
    grouped_rows,
    narrowed,
    place_of,
)

if TYPE_CHECKING:
    from tacit.stores.sql_writer import Transaction as Writes
    from tacit.stores.sqlite import SqliteStore, SqliteTransaction

COMBINATIONS = 500  # up to which lists are merged; where every lesson has a category of its own, that is no gain
_FEW_FACETS = 1000  # memories up to which sorting all of them is cheaper than walking an index
LOOKED = (
    100,
    2000,
)  # rows looked at together where more is asked than facets tell; twice as many each time
_SAME = " AND ".join(f"{name} = :{name}" for name in FACETS)
_BY_DATE = (
    "SELECT updated_at, n FROM memory INDEXED BY memory_by_state WHERE project = :p AND state = :s AND updated_at <= :at"
    " ORDER BY updated_at DESC, n DESC"
)

# Orders by a tally: its signal, the column and its index, what is above every figure, and what counts as none.
_TALLIES: dict[str, tuple[str, str, str, Any, Any]] = {
    "seen": ("seen", "amount", "tally_seen", 1e300, 0.0),
    "used": ("uses", "at", "tally_uses_at", "~", ""),
}


@value
class _Facet:
    """One combination, by what lists are made of."""

    id: int
    project: str
    state: str
    kind: str
    rows: int


def classify(tx: SqliteTransaction, n: int, row: Mapping[str, Any], *, fresh: bool) -> None:
    """Count a memory under the facets that its row has now, and no more under those it had."""
    facets = dict(zip(FACETS, facet_columns(row)))
    was = None if fresh else tx.one("SELECT facet FROM facet_of WHERE n = :n", n=n)
    found = tx.one(f"SELECT id FROM facet WHERE {_SAME}", **facets)
    if found is None:
        names = ", ".join((*FACETS, "rows"))
        tx.rows(
            f"INSERT INTO facet ({names}) VALUES ({', '.join(':' + name for name in FACETS)}, 0)",
            **facets,
        )
        found = tx.one(f"SELECT id FROM facet WHERE {_SAME}", **facets)
    if was == found:
        return
    tx.rows("UPDATE facet SET rows = rows + 1 WHERE id = :id", id=found[0])
    tx.rows("INSERT OR REPLACE INTO facet_of (n, facet) VALUES (:n, :id)", n=n, id=found[0])
    if was is not None:
        _less(tx, was[0])


def declassify(tx: Writes, n: int) -> None:
    """Count a memory no more: its row is gone."""
    for (facet,) in tx.rows("DELETE FROM facet_of WHERE n = :n RETURNING facet", n=n):
        _less(tx, facet)


def _less(tx: Writes, facet: int) -> None:
    tx.rows("UPDATE facet SET rows = rows - 1 WHERE id = :id", id=facet)
    tx.rows(
        "DELETE FROM facet WHERE id = :id AND rows = 0", id=facet
    )  # its words may have been erased


def rebuild_facets(tx: SqliteTransaction) -> None:
    """Count everything anew."""
    names = ", ".join(FACETS)
    of = ", ".join(_column(name) for name in FACETS)
    same = " AND ".join(f"f.{name} = {_column(name)}" for name in FACETS)
    tx.rows("DELETE FROM facet_of")
    tx.rows("DELETE FROM facet")
    tx.rows(f"INSERT INTO facet ({names}, rows) SELECT {of}, count(*) FROM memory m GROUP BY {of}")
    tx.rows(
        f"INSERT INTO facet_of (n, facet) SELECT m.n, f.id FROM memory m JOIN facet f ON {same}"
    )


def count_by_facets(
    store: SqliteStore | SqliteTransaction, projects: Sequence[str], by: Sequence[str]
) -> list[Any]:
    """How many memories these projects have for each combination of some facets."""
    return store.rows(
        f"SELECT {', '.join(by)}, sum(rows) FROM facet WHERE project IN (SELECT value FROM json_each(:projects)) {grouped_rows(by)}",
        projects=json.dumps(list(projects)),
    )


def facet_faults(store: SqliteStore) -> Iterator[Fault]:
    """Memories that are counted where they do not belong, and counts that are not those of their memories."""
    same = " AND ".join(f"f.{name} = {_column(name)}" for name in FACETS)
    wrong = store.one(
        "SELECT (SELECT count(*) FROM memory m LEFT JOIN facet_of o ON o.n = m.n LEFT JOIN facet f ON f.id = o.facet"
        f" WHERE f.id IS NULL OR NOT ({same}))"
        " + (SELECT count(*) FROM facet_of WHERE n NOT IN (SELECT n FROM memory))"
        " + (SELECT count(*) FROM facet f WHERE f.rows <> (SELECT count(*) FROM facet_of o WHERE o.facet = f.id))"
    )[0]
    if wrong:
        yield index_fault("facet", f"{wrong} memories or counts are not under their own facets")


def select(
    store: SqliteStore,
    projects: Sequence[str],
    *,
    states: Sequence[str] = (),
    equal: Mapping[str, Any] | None = None,
    tag: str = "",
    since: str = "",
    text: str = "",
    sort: str = "new",
    limit: int = 50,
    offset: int = 0,
    behind: str = "",
    few: int = _FEW_FACETS,
) -> list[Memory] | None:
    """Memories by their facets, in the order asked for; None where reading all of them is the way to it."""
    place = store.one(place_of(sort), behind=behind) if behind else None
    if (equal or {}).get("origin"):
        where, named = narrowed(
            projects=projects, states=states, equal=equal, tag=tag, since=since, text=text
        )
        return _sorted(
            store,
            _of_origin(store, (equal or {})["origin"]),
            where,
            named,
            sort,
            limit,
            offset,
            place,
        )
    told = {name: wanted for name, wanted in (equal or {}).items() if name in FACETS}
    within = _within(store, projects, states, told)
    rows = sum(facet.rows for facet in within)
    if len(within) > COMBINATIONS or (rows > few and not 0 <= limit < rows):
        return None
    where, named = narrowed(
        equal={n: w for n, w in (equal or {}).items() if n not in told},
        tag=tag,
        since=since,
        text=text,
    )
    if sort in ("new", "old"):
        numbers = _in_order(store, within, newest=sort == "new", behind=place[1] if place else None)
    elif sort in ("state", "kind"):
        numbers = _by_word(store, within, sort, place)
    elif rows <= few:
        return _sorted(store, _in_order(store, within), where, named, sort, limit, offset, place)
    elif sort == "updated":
        where, named = narrowed(equal=equal, tag=tag, since=since, text=text)
        numbers = _by_date(store, within, place)
    elif sort in _TALLIES:
        numbers = _by_tally(store, within, sort, few, place)
    else:
        return None
    if where:
        numbers = _fitting(store, numbers, where, named)
    return _loaded(store, list(islice(numbers, offset, offset + limit if limit >= 0 else None)))


def _within(
    store: SqliteStore, projects: Sequence[str], states: Sequence[str], told: Mapping[str, Any]
) -> list[_Facet]:
    """The combinations that fit, and one more than there may be."""
    where = [
        "project IN (SELECT value FROM json_each(:projects))",
        *(f"{name} = :{name}" for name in told),
    ]
    where += ["state IN (SELECT value FROM json_each(:states))"] if states else []
    rows = store.rows(
        f"SELECT id, project, state, kind, rows FROM facet WHERE {' AND '.join(where)} LIMIT :most",
        projects=json.dumps(list(projects)),
        states=json.dumps(list(states)),
        most=COMBINATIONS + 1,
        **told,
    )
    return [_Facet(*row) for row in rows]


def _of_origin(store: SqliteStore, origin: str) -> Iterator[int]:
    sql = "SELECT n FROM memory INDEXED BY memory_by_origin WHERE origin = :it AND origin <> ''"
    return (row[0] for row in store.rows(sql, it=origin))


def _in_order(
    store: SqliteStore, within: Iterable[_Facet], *, newest: bool = True, behind: int | None = None
) -> Iterator[int]:
    """The row numbers under some facets in the order of writing, all or behind one, read as far as somebody asks."""
    bound = "" if behind is None else f"AND n {'<' if newest else '>'} :behind "
    sql = f"SELECT n FROM facet_of WHERE facet = :id {bound}ORDER BY n {'DESC' if newest else ''}"
    runs = [
        store.each(sql, id=facet.id, **({} if behind is None else {"behind": behind}))
        for facet in within
    ]
    return (row[0] for row in merge(*runs, reverse=newest))


def _by_word(
    store: SqliteStore, within: Sequence[_Facet], by: str, place: Sequence[Any] | None
) -> Iterator[int]:
    """The row numbers under some facets by the words of one of them, the newest first within each; all, or behind a place."""
    words = sorted(
        {word for word in (getattr(facet, by) for facet in within) if not place or word >= place[0]}
    )
    behind = {place[0]: place[1]} if place else {}
    same = ((word, [facet for facet in within if getattr(facet, by) == word]) for word in words)
    return chain.from_iterable(
        _in_order(store, facets, behind=behind.get(word)) for word, facets in same
    )


def _by_date(
    store: SqliteStore, within: Iterable[_Facet], place: Sequence[Any] | None
) -> Iterator[int]:
    """The row numbers of these projects and states, those changed last first; all, or behind a place."""
    groups = dict.fromkeys((facet.project, facet.state) for facet in within)
    at, n = place or ("~", 0)
    runs = [store.each(_BY_DATE, p=project, s=state, at=at) for project, state in groups]
    return (row[1] for row in merge(*runs, reverse=True) if (row[0], row[1]) < (at, n))


def _by_tally(
    store: SqliteStore, within: Sequence[_Facet], sort: str, few: int, place: Sequence[Any] | None
) -> Iterator[int]:
    """The row numbers under some facets by a tally, level by level, the newest first within each; all, or behind a place."""
    signal, column, index, above, least = _TALLIES[sort]
    projects = sorted({facet.project for facet in within})
    below = (
        f"SELECT {column} FROM tally INDEXED BY {index} WHERE signal = '{signal}' AND project = :p AND {column} < :above"
        f" ORDER BY {column} DESC LIMIT 1"
    )
    if place:
        above = place[0]
        yield from (n for n in _at_level(store, within, projects, sort, above, few) if n < place[1])
        if above <= least:
            return
    while True:
        above = max(
            (row[0] for p in projects for row in store.rows(below, p=p, above=above)), default=least
        )
        yield from _at_level(store, within, projects, sort, above, few)
        if above <= least:
            return


def _at_level(
    store: SqliteStore,
    within: Sequence[_Facet],
    projects: Sequence[str],
    sort: str,
    level: Any,
    few: int,
) -> Iterator[int]:
    """The newest first of those with one figure: all of a few at once, or as many of a crowd as somebody asks for."""
    signal, column, index, _, least = _TALLIES[sort]
    member = f"SELECT memory FROM tally INDEXED BY {index} WHERE signal = '{signal}' AND project = :p AND {column} = :level LIMIT :most"
    ids = (
        [row[0] for p in projects for row in store.rows(member, p=p, level=level, most=few + 1)]
        if level > least
        else []
    )
    if 0 < len(ids) <= few:
        sql = (
            "SELECT m.n FROM memory m JOIN facet_of o ON o.n = m.n WHERE m.id IN (SELECT value FROM json_each(:ids))"
            " AND o.facet IN (SELECT value FROM json_each(:facets)) ORDER BY m.n DESC"
        )
        rows = store.rows(
            sql, ids=json.dumps(ids), facets=json.dumps([facet.id for facet in within])
        )
        return (row[0] for row in rows)
    at = f"coalesce((SELECT {column} FROM tally WHERE memory = m.id AND signal = '{signal}'), :least) = :level"
    return _fitting(store, _in_order(store, within), [at], {"level": level, "least": least})


def _fitting(
    store: SqliteStore, numbers: Iterator[int], where: Sequence[str], named: Mapping[str, Any]
) -> Iterator[int]:
    """Those of the row numbers whose memories are what was asked for, in their order."""
    size = LOOKED[0]
    sql = f"SELECT m.n FROM memory m WHERE m.n IN (SELECT value FROM json_each(:ns)) AND {' AND '.join(where)}"
    while part := list(islice(numbers, size)):
        fit = {row[0] for row in store.rows(sql, ns=json.dumps(part), **named)}
        yield from (n for n in part if n in fit)
        size = min(2 * size, LOOKED[1])


def _sorted(
    store: SqliteStore,
    numbers: Iterator[int],
    where: Sequence[str],
    named: Mapping[str, Any],
    sort: str,
    limit: int,
    offset: int,
    place: Sequence[Any] | None,
) -> list[Memory]:
    join, order = SORT_ORDERS[sort]
    if place:
        further, bounds = behind_place(sort, place)
        where, named = [*where, further], {**named, **bounds}
    rows = store.rows(
        f"SELECT m.n FROM memory m {join} WHERE {' AND '.join(('m.n IN (SELECT value FROM json_each(:ns))', *where))}"
        f" ORDER BY {order} LIMIT :limit OFFSET :offset",
        ns=json.dumps(list(numbers)),
        limit=limit,
        offset=offset,
        **named,
    )
    return _loaded(store, [row[0] for row in rows])


def _loaded(store: SqliteStore, numbers: Sequence[int]) -> list[Memory]:
    """The memories of these rows, in this order. They were chosen without their texts: rows are wide."""
    asked = f"SELECT m.n, {MEMORY_COLUMNS} FROM memory m WHERE m.n IN (SELECT value FROM json_each(:ns))"
    rows = store.rows(asked, ns=json.dumps(list(numbers)))
    by_number = {row[0]: row[1:] for row in rows}
    return store._with_tallies([by_number[n] for n in numbers if n in by_number])


def _column(facet: str) -> str:
    return "(m.stale_at <> '')" if facet == "stale" else f"m.{facet}"
