"""Rows that hold words, for comparing texts (`compare.py`), and lessons by channel: about an error, recurring, standing.

A file holds many projects. Where the best rows turn out to belong to others, a project with few rows is taken as a set
of row numbers, and the words are read further within it. The ranking asks another way (`fulltext.py`).

A process that asks again meets the same common words and the same lessons again: `Cached` has them, as long as nobody
writes. Nothing else is found because of it: what is kept is what would be looked up.
"""

from __future__ import annotations

from tacit.core.rows import Hit
from tacit.core.value import dumps
from tacit.stores.sql_rows import MEMORY_COLUMNS
from tacit.stores.sqlite.fulltext import (
    IN_STATES,
    INJECTABLE_ROWS,
    numbered,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from tacit.core.memory import Memory
    from tacit.stores.sqlite import SqliteStore

    _Lesson = tuple[int, Memory, str]  # its row, itself, and what the index holds beside its text

MOST_WORDS = 64  # distinct ones of a query that are looked up: cutting long questions cost up to six in a hundred
FEWER = 16  # in a large store; of 100 twins the best seven hold 1 to 3 fewer
SMALL = 3000  # rows; a store up to here is read completely
FIRST_FETCHED = 64  # rows of a word that are fetched at first
QUICK = 500  # rows of common words that are read on for a prompt: a quarter of a microsecond each
DEEP = (2000, 12_000)  # for a question: a twentieth of the store's rows, within these bounds
MEET = (
    3,
    8,
)  # common words that are asked for together with those known; more for a question to a large store
TELLING_WORDS = 4  # words of a text, its rarest, by which an equal one is looked for
LARGE = 20_000  # rows
COMMON = 4  # a word in more than one of so many rows tells too little to be asked for so
PROJECT = 5000  # rows of a project up to which they are taken as a set
SEGMENTS = (
    4,
    16,
)  # of the full text that are left alone; more in a very large store, where merging takes seconds
HUGE = 200_000  # rows
MERGED_MOST = 500  # pages of it that are written in one transaction when they are merged: some hundredths of a second
_KEPT = 500_000  # row numbers that a process keeps between questions: some twenty megabytes at most
LESSON_ROWS = 100  # row numbers that weigh as much as a lesson
READ_WHOLE = 2500  # rows; a word up to here is read to its end: no dearer than what it shares, and it serves again
CHECKED = 1500  # candidate rows that are looked at for their project and state
MOST_HITS = 1000  # hits of one search, whatever is asked for


# What applies whatever the task is: the index `memory_ways` holds the rows of exactly this.
WHATEVER_THE_TASK = "(m.about = '*' OR m.pinned = 1 OR (m.about = '' AND m.klass IN ('preference', 'rule', 'security')))"


def newest(store: SqliteStore, kept: Cached, match: str, limit: int) -> list[int]:
    """The newest rows that the full text finds, so many at most."""
    most, rows = kept.get(match, (0, []))
    if most < limit and len(rows) == most:
        asked = "SELECT rowid FROM memory_fts WHERE memory_fts MATCH :match ORDER BY rowid DESC LIMIT :limit"
        rows = store.column(asked, match=match, limit=limit)
        kept[match] = (limit, rows)
        kept.room -= len(rows) + 8
    return rows if len(rows) <= limit else rows[:limit]


class Cached(dict[str, tuple[int, list[int]]]):
    """What was looked up and is still true: a process that asks again meets the same common words and lessons again.

    By what the full text was asked for: how many rows at most, and those found, the newest first.
    """

    def __init__(self, since: tuple[int, int], total: int) -> None:
        self.since = since  # what others and we had written by then
        self.total = total  # memories, counted by the newest
        self.room = _KEPT
        self.lessons: dict[
            str, dict[int, _Lesson | None]
        ] = {}  # by what may be taken: row -> its lesson, if it may
        self.own: dict[tuple[str, ...], set[int] | None] = {}  # the rows of small projects

    def rows_of(self, store: SqliteStore, projects: Sequence[str]) -> set[int] | None:
        """The rows of these projects, if they are few."""
        name = tuple(projects)
        if name not in self.own:
            self.own[name] = _rows_of(store, projects, False)
            self.room -= len(self.own[name] or ())
        return self.own[name]


def _kept(store: SqliteStore) -> Cached:
    since = (store.one("PRAGMA data_version")[0], store._connection.total_changes())
    if store.kept is None or store.kept.since != since or store.kept.room < 0:
        store.kept = Cached(since, store.one("SELECT coalesce(max(n), 0) FROM memory")[0])
    return store.kept


def _rows_of(store: SqliteStore, projects: Sequence[str], injectable: bool) -> set[int] | None:
    """The rows of these projects, if they are few; None if they are many."""
    rows = "SELECT m.n FROM memory m INDEXED BY memory_by_state WHERE m.project = :project"
    if injectable:
        rows += f" AND {IN_STATES}"
    if any(store.one(f"{rows} LIMIT 1 OFFSET {PROJECT}", project=project) for project in projects):
        return None
    return {row[0] for project in projects for row in store.rows(rows, project=project)}


class _Taker:
    """Looks rows up, best first, in portions, until enough of them belong to these projects."""

    def __init__(
        self,
        store: SqliteStore,
        kept: Cached,
        projects: Sequence[str],
        limit: int,
        injectable: bool,
    ) -> None:
        self.store, self.kept = store, kept
        self.projects = dumps(list(projects))
        self.limit = limit
        self.size = max(
            limit + limit // 3, 16
        )  # rows that are looked at where most of them are these projects' own
        self.sql = (
            f"SELECT {MEMORY_COLUMNS}, m.words, m.n FROM memory m WHERE m.n IN (SELECT value FROM json_each(:ns))"
            " AND m.project IN (SELECT value FROM json_each(:projects))"
            + (f" AND {INJECTABLE_ROWS}" if injectable else "")
        )
        self.lessons = kept.lessons.setdefault(f"{injectable} {self.projects}", {})

    def best(self, scores: dict[int, float], most: int) -> list[Hit]:
        """The best lessons of these projects among the best so many rows."""
        order = self._order(scores, most)
        found: list[Hit] = []
        start, size = 0, self.limit
        while start < len(order) and len(found) < self.limit:
            lessons = self._looked_up(order[start : start + size])
            found += [Hit(memory, "words", scores[n], n, words) for n, memory, words in lessons]
            start, size = start + size, 4 * size
        return found[: self.limit]

    def _looked_up(self, numbers: list[int]) -> list[_Lesson]:
        """The lessons of these rows, in their order, without those of others."""
        lessons = self.lessons
        new = [n for n in numbers if n not in lessons]
        if new:
            rows = self.store.rows(self.sql, ns=dumps(new), projects=self.projects)
            lessons.update(dict.fromkeys(new))
            for memory, row in zip(self.store._with_tallies(rows), rows):
                lessons[row[-1]] = (row[-1], memory, row[-2])
            self.kept.room -= LESSON_ROWS * len(new)
        return [lesson for n in numbers if (lesson := lessons[n])]

    def _order(self, scores: dict[int, float], most: int) -> list[int]:
        """The best so many rows, the newer of equal ones first."""
        least = sorted(scores.values(), reverse=True)[most - 1] if len(scores) > 2 * most else 0.0
        high = sorted(((score, n) for n, score in scores.items() if score >= least), reverse=True)
        return [n for _, n in high[:most]]


def merge_segments(store: SqliteStore, added: int = 0) -> int:
    """Merge the full text's segments into one where they have become many; returns how many steps that took.

    After rows were `added` it is done only if they are a good part of the store: merging reads all of it.

    Each commit leaves a segment, and each word is looked for in all of them: one segment instead of thirteen makes a
    lookup in 100,000 rows two to three times cheaper. The steps are short, so that a prompt gets its turn in between.
    """
    total = store.one("SELECT coalesce(max(n), 0) FROM memory")[0]
    if added and 4 * added < total:
        return 0
    segments = store.one("SELECT count(DISTINCT segid) FROM memory_fts_idx")[0]
    steps, pages = 0, -MERGED_MOST
    while segments > SEGMENTS[total > HUGE]:
        with store.write() as tx:
            before = tx.one("SELECT total_changes()")[0]
            tx.rows(
                "INSERT INTO memory_fts (memory_fts, rank) VALUES ('merge', :pages)", pages=pages
            )
            done = tx.one("SELECT total_changes()")[0] - before < 2
        if done:
            break
        steps, pages = steps + 1, MERGED_MOST
    return steps


def by_signature(
    store: SqliteStore, projects: Sequence[str], signatures: Sequence[str], *, limit: int = 20
) -> tuple[Hit, ...]:
    """Lessons about exactly these errors, newest first."""
    found: list[Any] = []
    for project in projects:
        for signature in signatures:
            found += store.rows(
                "SELECT m.n, 1.0 FROM memory m INDEXED BY memory_by_signature WHERE m.project = :project"
                f" AND m.signature = :it AND m.signature <> '' AND {INJECTABLE_ROWS} ORDER BY m.n DESC LIMIT :limit",
                project=project,
                it=signature,
                limit=limit,
            )
    return numbered(store, "signature", found[:limit])


def recurring(store: SqliteStore, projects: Sequence[str], *, limit: int = 50) -> tuple[Hit, ...]:
    """What was seen most often in these projects and may be given, most often first."""
    found: list[Any] = []
    for project in projects:
        found += store.rows(
            "SELECT m.n, t.amount FROM tally t INDEXED BY tally_seen JOIN memory m ON m.id = t.memory"
            f" WHERE t.signal = 'seen' AND t.project = :project AND {INJECTABLE_ROWS} ORDER BY t.amount DESC LIMIT :limit",
            project=project,
            limit=max(limit, 0),
        )
    found.sort(key=lambda row: (-row[1], row[0]))
    return numbered(store, "recurring", found[:limit])


def always_given(
    store: SqliteStore, projects: Sequence[str], *, limit: int = 50, newest: int = 0
) -> tuple[Hit, ...]:
    """Ways of working, rules and wishes of which nobody said what they are about, and pinned ones: what applies whatever the task is. Those
    that most pieces of work met first, then the newest. After them the rules and preferences among the `newest` lessons."""
    found: list[Any] = []
    for project in projects:
        found += store.rows(
            "SELECT newest.n, coalesce(t.amount, 0.0) FROM (SELECT m.n, m.id, m.pinned FROM memory m INDEXED BY memory_ways"
            f" WHERE m.project = :project AND {WHATEVER_THE_TASK} AND {INJECTABLE_ROWS} ORDER BY m.n DESC LIMIT {MOST_HITS}) newest"
            " LEFT JOIN tally t ON t.memory = newest.id AND t.signal = 'seen'"
            " ORDER BY newest.pinned DESC, 2 DESC, newest.n DESC LIMIT :limit",
            project=project,
            limit=max(limit, 0),
        )
    found = found[:limit]
    for project in projects if newest else ():
        found += store.rows(
            "SELECT m.n, 1.0 FROM (SELECT n FROM memory INDEXED BY memory_by_age WHERE project = :project"
            " ORDER BY created_at DESC LIMIT :newest) late JOIN memory m ON m.n = late.n"
            f" WHERE m.klass IN ('preference', 'rule') AND m.about NOT IN ('', '*') AND {INJECTABLE_ROWS}",
            project=project,
            newest=newest,
        )
    return numbered(store, "standing", found)
