"""Candidates for a question, by channel. The store finds; ranking and wording are pure and live elsewhere.

A question comes in passages: a line, a sentence, a few dozen words (`words/passages.py`). All words of all passages
are looked up at once, in the table `term`: how many memories hold each, and which, where they are few. Of the common
ones the rarest are read from the full text as far as the reach goes, little for a prompt that waits, more for somebody
who asks; of the next few what they share with those known, which the index finds by leaping from one word's rows to
the other's. A row is worth what the words of its best passage are worth, so that what a pasted log says by the way
does not drown what is asked beside it: summed over the whole prompt, a question among 300 lines found its lesson in 5
of 100 cases, by passages in 75.

A file holds many projects. Where the best rows turn out to belong to others, a project with few rows is taken as a set
of row numbers, and the words are read further within it. The index's own tokenizer goes out with the candidates, so
that what was found by a word is also ranked by it.

A process that asks again meets the same common words and the same lessons again: `Cached` has them, as long as nobody
writes. Nothing else is found because of it: what is kept is what would be looked up.
"""

from __future__ import annotations

from tacit.core.memory import met_in
from tacit.core.rows import Found, Hit
from tacit.core.value import dumps
from tacit.stores.sql_rows import MEMORY_COLUMNS
from tacit.stores.sqlite.fulltext import (
    IN_STATES,
    INJECTABLE_ROWS,
    NEIGHBOURS,
    looked_up,
    numbered,
    tokenizer,
    usual_length,
)
from tacit.words.passages import (
    FULL,
    cut,
    power_of,
    slack_of,
    weighed,
    weights_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tacit.core.memory import Memory
    from tacit.stores.sqlite import SqliteStore
    from tacit.words.passages import Passage

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
AHEAD = 6  # rows for each one taken whose length is looked at before their texts: a long one holds many words
LONGER = 0.3  # … and some of them several times, which is only seen when it is read: for less than BM25 takes off
EQUAL = 3  # times as many rows as are wanted, at most, where many are equal
CHECKED = 1500  # candidate rows that are looked at for their project and state
MOST_HITS = 1000  # hits of one search, whatever is asked for

WORDS_READ = (96, 12)  # common words that are read at most: of a small store, of a large one
EITHER = 24  # known words, the rarest, that a common one is asked for together with

# What applies whatever the task is: the index `memory_ways` holds the rows of exactly this.
WHATEVER_THE_TASK = "(m.about = '*' OR m.pinned = 1 OR (m.about = '' AND m.klass IN ('preference', 'rule', 'security')))"


def ask_passages(
    store: SqliteStore,
    projects: Sequence[str],
    passages: Sequence[Passage],
    *,
    limit: int = 50,
    injectable: bool = False,
) -> Found:
    """Rows of these projects that hold what some passage asks for, the best first.

    A prompt gets a quick look, who asks for everything a deeper one."""
    deep = not injectable
    kept = _kept(store)
    total, read = kept.total, tokenizer(store)
    tokens = cut(passages, read)
    if not tokens or not total or limit <= 0:
        return Found((), total, {}, read, tokens)
    known = looked_up(store, dict.fromkeys(token for each in tokens for token in each))
    frequency = {
        token: known[token][0] if token in known else 0 for each in tokens for token in each
    }
    weights = weights_of(tokens, frequency, total)
    rows: dict[str, Sequence[int]] = {
        token: few for token, (_, few) in known.items() if few is not None
    }
    common = sorted(
        (token for token in known if token not in rows), key=lambda token: (frequency[token], token)
    )
    reader = _Reader(store, kept, deep, meets=deep or len(tokens) <= FULL)
    reader.read(common, rows, frequency)
    take = _Taker(store, kept, projects, limit, injectable)
    take.length, take.power = usual_length(store), power_of(len(tokens))
    scores = weighed(weights, rows)
    hits = take.best(scores, take.size)
    if 3 * len(hits) < 2 * take.limit and len(scores) > take.size:
        here = _rows_of(store, projects, injectable) if len(hits) < take.size // 3 else None
        if here is not None:
            reader.reach = DEEP[1]
            reader.read([token for token in common if token not in rows], rows, frequency)
            held = {token: [n for n in each if n in here] for token, each in rows.items()}
            scores = weighed(weights, held)
        hits = take.best(scores, max(CHECKED, 2 * take.limit))
    return Found(
        (*hits, *beside(store, hits, injectable)),
        total,
        frequency,
        read,
        tokens,
        take.length,
        weights,
    )


def beside(store: SqliteStore, hits: Sequence[Hit], injectable: bool) -> tuple[Hit, ...]:
    """What stands beside the hits in their group: the two before and the two after each, which may not hold a word of the question."""
    groups = {
        hit.n: (hit.memory.project, group) for hit in hits if (group := met_in(hit.memory, "group"))
    }
    if not groups:
        return ()
    near = sorted({n + step for n in groups for step in NEIGHBOURS} - {hit.n for hit in hits})
    numbers = (
        near
        if not injectable
        else store.column(
            f"SELECT m.n FROM memory m WHERE m.n IN (SELECT value FROM json_each(:ns)) AND {INJECTABLE_ROWS} ORDER BY m.n",
            ns=dumps(near),
        )
    )
    found = numbered(store, "beside", [(n, 0.0) for n in numbers])
    around = {hit.n: {groups.get(hit.n + step) for step in NEIGHBOURS} for hit in found}
    return tuple(
        hit for hit in found if (hit.memory.project, met_in(hit.memory, "group")) in around[hit.n]
    )


class _Reader:
    """Reads common words from the full text, the rarest first, as far as the reach goes."""

    def __init__(self, store: SqliteStore, kept: Cached, deep: bool, meets: bool) -> None:
        self.store, self.kept, self.total = store, kept, (total := kept.total)
        small = total <= SMALL
        self.words = WORDS_READ[not small]
        self.reach = (
            6 * SMALL if small else min(max(total // 20, DEEP[0]), DEEP[1]) if deep else QUICK
        )
        self.meet = 0 if small or not meets else MEET[deep and total > LARGE]

    def read(
        self, common: Sequence[str], rows: dict[str, Sequence[int]], frequency: dict[str, int]
    ) -> None:
        left = list(common[: self.words])
        while left and (frequency[left[0]] <= self.reach or not rows):
            token = left.pop(0)
            rows[token] = _of_token(self.store, self.kept, token, self.reach)
            self.reach -= len(rows[token])
        if not self.meet or not left:
            return
        rarest = sorted(rows, key=lambda token: (frequency[token], token))[:EITHER]
        either = " OR ".join(f'"{token}"' for token in rarest)
        for token in left[: self.meet]:
            if either and frequency[token] * COMMON <= self.total:
                rows[token] = _of_token(self.store, self.kept, token, self.total, beside=either)


def newest(store: SqliteStore, kept: Cached, match: str, limit: int) -> list[int]:
    """The newest rows that the full text finds, so many at most."""
    most, rows = kept.get(match, (0, []))
    if most < limit and len(rows) == most:
        asked = "SELECT rowid FROM memory_fts WHERE memory_fts MATCH :match ORDER BY rowid DESC LIMIT :limit"
        rows = store.column(asked, match=match, limit=limit)
        kept[match] = (limit, rows)
        kept.room -= len(rows) + 8
    return rows if len(rows) <= limit else rows[:limit]


def _of_token(
    store: SqliteStore, kept: Cached, token: str, limit: int, beside: str = ""
) -> list[int]:
    """Rows that hold a word, given as the index has it, so many at most; `beside` narrows them, as MATCH does."""
    if tokenizer(store)(token) == [token]:
        return newest(store, kept, f'"{token}" AND ({beside})' if beside else f'"{token}"', limit)
    if beside:  # a MATCH would stem it once more; the other way reads it to its end
        return []
    return store.column(
        "SELECT DISTINCT doc FROM term_row WHERE term = :token LIMIT :limit",
        token=token,
        limit=limit,
    )


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
        self.length = self.power = (
            0.0  # the usual words of a text, and the power of an amount that a score is
        )
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
        """The best so many rows, the longer ones for less: as good as ranking orders them, before their texts are read. Without a
        power, as matching counts: whatever their length, the newer of equal ones first."""
        if not self.power:
            least = (
                sorted(scores.values(), reverse=True)[most - 1] if len(scores) > 2 * most else 0.0
            )
            high = sorted(
                ((score, n) for n, score in scores.items() if score >= least), reverse=True
            )
            return [n for _, n in high[:most]]
        best = _highest(scores, AHEAD * most)
        if len(best) <= self.limit:
            return best
        lengths = _lengths(self.store, best)
        slack = {n: slack_of(lengths.get(n, self.length), self.length, LONGER) for n in best}
        weighed = {n: scores[n] / (1 + slack[n]) ** self.power for n in best}
        return self._by_content(_highest(weighed, most), weighed)

    def _by_content(self, order: list[int], fits: Mapping[int, float]) -> list[int]:
        """Equal rows of which only some can be taken go by their texts, not by when they were written: two builds of a store agree."""
        at = self.limit
        if at >= len(order) or fits[order[at - 1]] != fits[order[at]]:
            return order
        equal = [n for n in order if fits[n] == fits[order[at]]]
        sql = "SELECT n, text FROM memory WHERE n IN (SELECT value FROM json_each(:ns))"
        texts = dict(self.store.rows(sql, ns=dumps(equal)))
        start = order.index(equal[0])
        return [
            *order[:start],
            *sorted(equal, key=lambda n: (texts.get(n, ""), n)),
            *order[start + len(equal) :],
        ]


def _highest(scores: Mapping[int, float], most: int) -> list[int]:
    """The rows with the highest scores, and those that equal the last of them. Most rows are far below: they need not be put in order."""
    least = sorted(scores.values(), reverse=True)[most - 1] if len(scores) > most > 0 else 0.0
    best = [(-score, n) for n, score in scores.items() if score >= least]
    best.sort()
    return [n for _, n in best[: EQUAL * most]]


def _lengths(store: SqliteStore, numbers: Sequence[int]) -> dict[int, int]:
    """How many words the texts of these rows have: FTS5 keeps it beside the index, seven bits a byte."""
    found: dict[int, int] = {}
    sql = "SELECT id, sz FROM memory_fts_docsize WHERE id IN (SELECT value FROM json_each(:ns))"
    for n, sizes in store.rows(sql, ns=dumps(numbers)):
        length = 0
        for byte in sizes:
            length = length << 7 | byte & 0x7F
            if byte < 0x80:
                break
        found[n] = length
    return found


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
