"""Figures by day: lessons that came into force and left it, runs and what they consumed by host and model, tokens given to agents.

Derived from the journal, the runs and the answers, counted on in the transaction that writes them, made anew by `tacit reindex`. A picture
of half a year reads one row per day and figure, however many lessons and runs there are. What both engines speak stands here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from tacit.core.states import ENDING_VERDICTS, INJECTABLE
from tacit.core.value import value

if TYPE_CHECKING:
    from tacit.core.journal import Entry
    from tacit.core.links import Use
    from tacit.core.memory import Memory
    from tacit.core.rows import RunRow
    from tacit.stores.sql import Reads

    class Writes(Protocol):
        """What counting needs of a transaction."""

        def rows(self, sql: str, **named: Any) -> list[Any]: ...
        def run(self, id: str) -> RunRow | None: ...
        def count_day(
            self, project: str, at: str, what: str, amount: float, whose: str = ""
        ) -> None: ...

    from tacit.stores.sql import Store


# What models have cost and how they fared: counters by day and one line of state each, shared by all processes.
#
# The store is where many processes meet, so the daily budget and a circuit that is open hold for all of them.

_MODEL_TOKENS = ("model.tokens.in", "model.tokens.out")


class StoreLedger:
    """The ledger of one store. Calls are short transactions; nothing waits for a model inside one."""

    def __init__(self, store: Store, now: Callable[[], str]) -> None:
        self._store, self.now = store, now

    def update(
        self, key: str, change: Callable[[str, int, int], str], counts: Mapping[str, int]
    ) -> None:
        """Change a line of state by a function of it and of the tokens of today and of this month, and count; all or nothing."""
        at = self.now()
        with self._store.write() as tx:
            before = tx.meta(key)
            names = f'["{_MODEL_TOKENS[0]}", "{_MODEL_TOKENS[1]}"]'
            today, month = tx.one(_SPENT, day=at[:10], month=f"{at[:7]}-01", names=names)
            after = change(before, today, month)
            if after != before:
                tx.put_meta(key, after)
            for name, by in counts.items():
                tx.count("", name, at, by)


_SPENT = (
    "SELECT coalesce(sum(CASE WHEN day = :day THEN count ELSE 0 END), 0), coalesce(sum(count), 0) FROM counter"
    " WHERE day >= :month AND day <= :day AND name IN (SELECT value FROM json_each(:names))"
)


DAILY_IN_FORCE, DAILY_RUNS, DAILY_TOKENS, USD, DAILY_GIVEN = (
    "in_force",
    "runs",
    "tokens",
    "usd",
    "given",
)
# Runs by when they were learned; uses by arm, the units they are of, and what came of those that were given.
DAILY_LEARNED, USES, UNITS, DAILY_CAME = "learned", "uses", "units", "came"
_OUTCOMES = ("occurred", "not_occurred")
_DAILY_BATCH = 5_000  # rows of the journal or of runs that are read at once


@value
class Figure:
    """One figure of one day."""

    day: str
    what: str
    # of runs and what they consumed: host and model, with a space between; of uses the arm; of outcomes which
    whose: str
    amount: float


def figures(store: Reads, projects: Sequence[str], since_day: str = "") -> list[Figure]:
    """The figures of some projects since a day, by day."""
    sql = (
        "SELECT day, what, whose, sum(amount) FROM daily WHERE project IN (SELECT value FROM json_each(:projects)) AND day >= :day"
        " GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
    )
    return [
        Figure(*row) for row in store.rows(sql, projects=json.dumps(list(projects)), day=since_day)
    ]


def week(store: Reads, project: str, since: str) -> dict[str, int]:
    """What happened since a day: sessions learned, lessons given, withheld, in how many units; of what could be told, what came back."""
    found: dict[tuple[str, str], int] = {}
    for each in figures(store, [project], since[:10]):
        found[each.what, each.whose] = found.get((each.what, each.whose), 0) + round(each.amount)
    uses = {arm: n for (what, arm), n in found.items() if what == USES}
    back, clean = (
        max(0, found.get((DAILY_CAME, "occurred"), 0)),
        max(0, found.get((DAILY_CAME, "not_occurred"), 0)),
    )
    withheld = uses.pop("withheld", 0)
    sums = {
        "sessions": found.get((DAILY_LEARNED, ""), 0),
        "given": sum(uses.values()),
        "withheld": withheld,
        "units": found.get((UNITS, ""), 0),
    }
    return {**sums, "told": back + clean, "back": back}


def first_day(store: Reads, projects: Sequence[str]) -> str:
    """The first day that has a figure; empty where none has."""
    sql = "SELECT min(day) FROM daily WHERE project IN (SELECT value FROM json_each(:projects))"
    row = store.one(sql, projects=json.dumps(list(projects)))
    return str(row[0] or "") if row else ""


# -- counting on -----------------------------------------------------------------------------------


def entered(tx: Writes, memory: Memory, entry: Entry) -> None:
    """Count a lesson that comes into force with a change, or leaves it."""
    if not entry.after:
        return
    now = {name: getattr(memory, name) for name in _BY}
    step = is_in_force(now) - bool(entry.before and is_in_force({**now, **entry.before}))
    if step:
        tx.count_day(memory.project, entry.at, DAILY_IN_FORCE, step)


def ran(tx: Writes, run: RunRow) -> None:
    """Count a learned run in place of what its row held so far; call it before the row is written."""
    before = tx.run(run.id)
    step = consumed(run)
    for at, amount in (consumed(before) if before and before.learned_at else {}).items():
        step[at] = step.get(at, 0.0) - amount
    for (day, what, whose), amount in step.items():
        if amount:
            tx.count_day(run.project, day, what, amount, whose)


def came(tx: Writes, use: Use, at: str, outcome: str, last: str) -> None:
    """Count what came of a use that was given, in place of what was known of it before."""
    if use.arm != "withheld":
        for word, step in ((last, -1), (outcome, 1)):
            if word in _OUTCOMES:
                tx.count_day(use.project, at, DAILY_CAME, step, word)


def is_in_force(row: Mapping[str, Any]) -> bool:
    """Whether agents are given a lesson with this state, gate and verdict."""
    return (
        row["state"] in INJECTABLE
        and row["gate"] == "allow"
        and row["verdict"] not in ENDING_VERDICTS
    )


def consumed(run: RunRow) -> dict[tuple[str, str, str], float]:
    """What a run adds to the figures of the day it ended on."""
    day, whose = (run.ended_at or run.started_at or run.learned_at)[:10], f"{run.host} {run.model}"
    cost = (run.facts or {}).get("cost") or {}
    tokens = sum(
        float(cost.get(name) or 0) for name in ("input", "output", "cache_read", "cache_write")
    )
    told = {DAILY_RUNS: 1.0, DAILY_TOKENS: tokens, USD: float(cost.get("usd") or 0.0)}
    return {
        (run.learned_at[:10], DAILY_LEARNED, ""): 1.0,
        **{(day, what, whose): amount for what, amount in told.items() if amount},
    }


_BY = ("state", "gate", "verdict")


# -- anew ------------------------------------------------------------------------------------------


def rebuild_daily(tx: Writes) -> None:
    """All figures from the rows they are derived from. What was erased from the journal can no longer be counted."""
    tx.rows("DELETE FROM daily")
    stands: dict[str, dict[str, Any]] = {}
    for memory, project, at, payload in _batches(tx, _DAILY_ENTRIES, 0):
        _, before, after = json.loads(payload)
        row = {
            **stands.get(memory, _NOTHING),
            **{name: before[name] for name in _BY if name in before},
        }
        now = {**row, **{name: after[name] for name in _BY if name in after}}
        stands[memory] = now
        step = is_in_force(now) - is_in_force(row)
        if step:
            tx.count_day(project, at, DAILY_IN_FORCE, step)
    for (id,) in _batches(tx, _LEARNED_RUNS, ""):
        run = tx.run(id)
        for (day, what, whose), amount in consumed(run).items() if run else ():
            tx.count_day(run.project if run else "", day, what, amount, whose)
    for project, day, tokens in tx.rows(
        "SELECT project, substr(at, 1, 10), sum(tokens) FROM injection WHERE tokens > 0 GROUP BY 1, 2"
    ):
        tx.count_day(project, day, DAILY_GIVEN, tokens)
    for project, day, arm, n in tx.rows(
        "SELECT project, substr(at, 1, 10), arm, count(*) FROM use GROUP BY 1, 2, 3"
    ):
        tx.count_day(project, day, USES, n, arm)
    for project, day, n in tx.rows(_DAILY_UNITS):
        tx.count_day(project, day, UNITS, n)
    for project, day, word, n in tx.rows(_CAME):
        tx.count_day(project, day, DAILY_CAME, n, word)


_NOTHING = {"state": "", "gate": "allow", "verdict": ""}
_DAILY_ENTRIES = "SELECT id, memory, project, at, payload FROM journal WHERE id > :after AND payload <> '' ORDER BY id LIMIT :most"
_DAILY_UNITS = (
    "SELECT project, day, count(*) FROM (SELECT project, unit, substr(min(at), 1, 10) AS day FROM use GROUP BY 1, 2) AS first"
    " GROUP BY 1, 2"
)
_CAME = (  # the last outcome of each use that was given
    "SELECT m.project, substr(m.at, 1, 10), m.value, count(*) FROM use_mark m JOIN use u ON u.memory = m.memory AND u.unit = m.unit"
    " WHERE m.signal = 'outcome' AND m.value IN ('occurred', 'not_occurred') AND u.arm <> 'withheld'"
    " AND m.n = (SELECT max(n) FROM use_mark x WHERE x.memory = m.memory AND x.unit = m.unit AND x.signal = 'outcome') GROUP BY 1, 2, 3"
)
_LEARNED_RUNS = (
    "SELECT id, id FROM run WHERE id > :after AND learned_at <> '' ORDER BY id LIMIT :most"
)


def _batches(tx: Writes, sql: str, after: Any) -> Iterator[Any]:
    """The rows of a statement, so many at a time, each without its first column, by which they go on."""
    while rows := tx.rows(sql, after=after, most=_DAILY_BATCH):
        yield from (row[1:] for row in rows)
        after = rows[-1][0]
