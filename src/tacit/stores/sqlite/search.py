"""Candidates for a query, by channel. The store finds; ranking and wording are pure and live elsewhere.

Full text costs what its words' postings cost: OR-ing every word of a prompt over 100,000 rows, with `bm25()`, takes a
tenth of a second. So no word is read to its end that is common, and few are read into Python at all:

1. Of each word the newest rows are fetched, and how near together they lie tells how common it is, without counting:
   64 rows among the last 640 of 100,000 make about 10,000. A word with fewer rows is known completely.
2. The rarest of the others are read completely, as far as the reach goes: little for a prompt that waits, more for
   somebody who asks.
3. Of what is left, only the rows are fetched that also hold a word known by then. The index finds those by leaping from
   one word's rows to the other's, at a fifth of the cost of reading them.

Candidates are the rows with the greatest rarity of the asked words. A name of several words (`db/test_cache.py`) is
never asked for as a phrase, which would read all its words to their ends: its rows are among those of its rarest part,
and ranking looks for the phrase itself. The estimates go out with the candidates, as ranking needs them, and so does
the index's own tokenizer, so that what was found by a word is also ranked by it.

A file holds many projects. Where the best rows turn out to belong to others, a project with few rows is taken as a set
of row numbers, and the words are read further within it.

A process that asks again meets the same common words and the same lessons again: `Kept` has them, as long as nobody
writes. Nothing else is found because of it: what is kept is what would be looked up.
"""

from __future__ import annotations

import json
from math import log

from tacit.core import states
from tacit.core.rows import Found, Hit
from tacit.stores.sql import _MEMORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from tacit.core.memory import Memory
    from tacit.stores.sqlite import SqliteStore

    _Lesson = tuple[int, Memory, str]  # its row, itself, and what the index holds beside its text

WORDS = 64  # distinct words of a query that are looked up at all: cutting long questions cost up to six in a hundred
FEWER = 16  # in a large store; of 100 twins the best seven hold 1 to 3 fewer
SMALL = 3000  # rows; a store up to here is read completely
NEWEST = 64  # rows of a word that are fetched at first
QUICK = 500  # rows of common words that are read on for a prompt: a quarter of a microsecond each
DEEP = (2000, 12_000)  # for a question: a twentieth of the store's rows, within these bounds
MEET = (3, 8)  # common words that are asked for together with those known; more for a question to a large store
TELLING = 4  # words of a text, its rarest, by which an equal one is looked for
LARGE = 20_000  # rows
COMMON = 4  # a word in more than one of so many rows tells too little to be asked for so
PROJECT = 5000  # rows of a project up to which they are taken as a set
SEGMENTS = (4, 16)  # of the full text that are left alone; more in a very large store, where merging takes seconds
HUGE = 200_000  # rows
MERGED = 500  # pages of it that are written in one transaction when they are merged: some hundredths of a second
KEPT = 500_000  # row numbers that a process keeps between questions: some twenty megabytes at most
LESSON = 100  # row numbers that weigh as much as a lesson
WHOLE = 2500  # rows; a word up to here is read to its end, which costs no more than what it shares and serves again
READ = 2000  # texts whose words a process keeps …
LONG = 2000  # … of so many characters at most
CHECKED = 1500  # candidate rows that are looked at for their project and state
MOST = 1000  # hits of one search, whatever is asked for

# What may ever be given to an agent (design §4); rank and trial narrow it further, nothing widens it.
STATES = f"m.state IN {states.INJECTABLE}"
INJECTABLE = f"{STATES} AND m.gate = 'allow' AND m.verdict NOT IN {states.ENDING_VERDICTS} AND m.superseded_by = ''"


def find(
    store: SqliteStore,
    projects: Sequence[str],
    words: Sequence[str],
    *,
    limit: int = 50,
    injectable: bool = False,
    deep: bool = False,
    brief: bool = False,
) -> Found:
    """Rows of these projects that hold the query's words, those with the rarest first; `deep` looks further. `brief` asks for common
    words together only where there is no rare one, and for an equal text whatever its words are; it is for comparing, so that of a
    small project the counts are its own: what others keep in the same file must not decide what is alike here."""
    kept = _kept(store)
    total = kept.total
    asked = [word for word in dict.fromkeys(words) if word and '"' not in word][: WORDS if total <= SMALL else FEWER]
    read = _tokenizer(store)
    if not asked or not total or limit <= 0:
        return Found((), total, {}, read)
    postings = _Postings(store, kept, asked, brief)
    meet = MEET[deep and total > LARGE]
    if brief:
        postings.find_equal()
        meet = 0 if postings.known else meet
    take = _Taker(store, kept, projects, min(limit, MOST), injectable)
    postings.read(min(max(total // 20, DEEP[0]), DEEP[1]) if deep else QUICK, meet)
    scores = postings.scores()
    hits = take.best(scores, take.size)
    if 3 * len(hits) < 2 * take.limit and (postings.common or len(scores) > take.size):
        here = _rows_of(store, projects, injectable) if len(hits) < take.size // 3 else None
        if here is not None:
            postings.read(DEEP[1], meet)
            scores = postings.scores(here)
        hits = take.best(scores, max(CHECKED, 2 * take.limit))
    own = kept.rows_of(store, projects) if brief else None
    if own is not None:
        return Found(tuple(hits), len(own), postings.counted(own), read)
    return Found(tuple(hits), total, postings.frequency, read)


class Kept(dict[str, tuple[int, list[int]]]):
    """What was looked up and is still true: a process that asks again meets the same common words and lessons again.

    By what the full text was asked for: how many rows at most, and those found, the newest first.
    """

    def __init__(self, since: tuple[int, int], total: int) -> None:
        self.since = since  # what others and we had written by then
        self.total = total  # memories, counted by the newest
        self.room = KEPT
        self.lessons: dict[str, dict[int, _Lesson | None]] = {}  # by what may be taken: row -> its lesson, if it may
        self.own: dict[tuple[str, ...], set[int] | None] = {}  # the rows of small projects

    def rows_of(self, store: SqliteStore, projects: Sequence[str]) -> set[int] | None:
        """The rows of these projects, if they are few."""
        name = tuple(projects)
        if name not in self.own:
            self.own[name] = _rows_of(store, projects, False)
            self.room -= len(self.own[name] or ())
        return self.own[name]


def _kept(store: SqliteStore) -> Kept:
    since = (store.one("PRAGMA data_version")[0], store._connection.total_changes())
    if store.kept is None or store.kept.since != since or store.kept.room < 0:
        store.kept = Kept(since, store.one("SELECT coalesce(max(n), 0) FROM memory")[0])
    return store.kept


class _Postings:
    """Which rows hold each of the asked words, as far as that is known, and how many do."""

    def __init__(self, store: SqliteStore, kept: Kept, asked: Sequence[str], brief: bool) -> None:
        total = kept.total
        self.store, self.kept, self.total = store, kept, total
        self.again = bool(kept) and not brief  # what is read now may serve once more
        self.first = SMALL if total <= SMALL else NEWEST
        self.cut = False  # whether a known word has more rows than are known
        # A small store answers phrases itself.
        self.parts = {word: (word,) if total <= SMALL else _parts(word) for word in asked}
        self.rows = {part: self._newest(f'"{part}"', self.first) for parts in self.parts.values() for part in parts}
        self.held = {part: self._estimate(rows) for part, rows in self.rows.items()}
        self.common = sorted((p for p in self.rows if len(self.rows[p]) == self.first), key=self.held.__getitem__)
        self.known = [part for part, rows in self.rows.items() if 0 < len(rows) < self.first]

    def read(self, reach: int, meet: int) -> None:
        """Read the rarest of the common words to their ends as far as `reach` goes, and of some others what they share."""
        for part in list(self.common):
            # Where no word is known, the newest rows of the rarest have to do.
            if self.held[part] > reach and self.known:
                break
            rows = self._newest(f'"{part}"', reach)
            if len(rows) < reach:
                self.held[part] = len(rows)
            else:
                self.cut = True
            self.rows[part] = rows
            self.common.remove(part)
            self.known.append(part)
            reach -= len(rows)
        met = [part for part in self.common[:meet] if self.held[part] * COMMON <= self.total]
        known = set[int]().union(*map(self.rows.__getitem__, self.known)) if met and self.again else set()
        either = " OR ".join(f'"{part}"' for part in self.known)
        for part in met:
            if self.again and self.held[part] <= WHOLE and not self.cut:
                self.rows[part] = list(known.intersection(self._newest(f'"{part}"', self.total)))
            else:
                self.rows[part] = self._newest(f'"{part}" AND ({either})', self.total)

    def find_equal(self) -> None:
        """Where every asked word is in the store, the rows with the rarest of them together go first: an equal text is among those,
        however common its words are."""
        if not self.common or not all(self.rows.values()):
            return
        known = [{*self.rows[part]} for part in self.known]
        rows = set.intersection(*known) if known else set[int]()
        if not known or len(rows) > TELLING:
            rarest = sorted(self.rows, key=self.held.__getitem__)[:TELLING]
            rows = {*self._newest(" AND ".join(f'"{part}"' for part in rarest), self.first)}
        for part in self.common if rows else ():
            self.rows[part] = list(dict.fromkeys([*rows, *self.rows[part]]))

    @property
    def frequency(self) -> dict[str, int]:
        """Asked word -> rows that hold it: counted, estimated, or at most so many for a name of several words."""
        return {word: min(self.held[part] for part in parts) if parts else 0 for word, parts in self.parts.items()}

    def counted(self, own: set[int]) -> dict[str, int]:
        """The same among these rows: counted, or of a word that very many rows hold, as large a share as of all."""

        def count(part: str) -> int:
            if self.held[part] > max(WHOLE, self.first):
                return min(len(own), round(self.held[part] * len(own) / self.total))
            return len(own.intersection(self._newest(f'"{part}"', self.total)))

        return {word: min(map(count, parts)) if parts else 0 for word, parts in self.parts.items()}

    def scores(self, here: set[int] | None = None) -> dict[int, float]:
        """How rare the words are that each row holds."""
        scores: dict[int, float] = {}
        for part in sorted(self.rows, key=lambda part: -len(self.rows[part])):
            rarity = log(1 + self.total / (self.held[part] + 0.5))
            rows = self.rows[part]
            if not scores and here is None:  # the longest at once
                scores = dict.fromkeys(rows, rarity)
                continue
            get = scores.get
            for n in rows if here is None else here.intersection(rows):
                scores[n] = get(n, 0.0) + rarity
        return scores

    def _newest(self, match: str, limit: int) -> list[int]:
        most, rows = self.kept.get(match, (0, []))
        if most < limit and len(rows) == most:
            rows = self.store.column(
                "SELECT rowid FROM memory_fts WHERE memory_fts MATCH :match ORDER BY rowid DESC LIMIT :limit",
                match=match, limit=limit,
            )  # fmt: skip
            self.kept[match] = (limit, rows)
            self.kept.room -= len(rows) + 8
        return rows if len(rows) <= limit else rows[:limit]

    def _estimate(self, rows: list[int]) -> int:
        """How many rows hold a word: counted, or told from how densely its newest ones lie."""
        first, total = self.first, self.total
        return len(rows) if len(rows) < first else max(first, first * total // (total - rows[-1] + 1))


def _parts(word: str) -> tuple[str, ...]:
    """The words that the index makes of a name; single letters and digits only where there is nothing else."""
    if word.isalnum() and word.isascii():
        return (word,)
    parts = "".join(letter if letter.isalnum() else " " for letter in word).split()
    return tuple(part for part in parts if len(part) > 1 or not part.isascii()) or tuple(parts)


def _rows_of(store: SqliteStore, projects: Sequence[str], injectable: bool) -> set[int] | None:
    """The rows of these projects, if they are few; None if they are many."""
    rows = "SELECT m.n FROM memory m INDEXED BY memory_by_state WHERE m.project = :project"
    if injectable:
        rows += f" AND {STATES}"
    if any(store.one(f"{rows} LIMIT 1 OFFSET {PROJECT}", project=project) for project in projects):
        return None
    return {row[0] for project in projects for row in store.rows(rows, project=project)}


class _Taker:
    """Looks rows up, best first, in portions, until enough of them belong to these projects."""

    def __init__(self, store: SqliteStore, kept: Kept, projects: Sequence[str], limit: int, injectable: bool) -> None:
        self.store, self.kept = store, kept
        self.projects = json.dumps(list(projects))
        self.limit = limit
        self.size = max(limit + limit // 3, 16)  # rows that are looked at where most of them are these projects' own
        self.sql = (
            f"SELECT {_MEMORY}, m.words, m.n FROM memory m WHERE m.n IN (SELECT value FROM json_each(:ns))"
            " AND m.project IN (SELECT value FROM json_each(:projects))" + (f" AND {INJECTABLE}" if injectable else "")
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
            rows = self.store.rows(self.sql, ns=json.dumps(new), projects=self.projects)
            lessons.update(dict.fromkeys(new))
            for memory, row in zip(self.store._with_tallies(rows), rows):
                lessons[row[-1]] = (row[-1], memory, row[-2])
            self.kept.room -= LESSON * len(new)
        return [lesson for n in numbers if (lesson := lessons[n])]

    def _order(self, scores: dict[int, float], most: int) -> list[int]:
        """The best so many rows, the newer of equal ones first. Most rows are far below: they need not be put in order."""
        least = sorted(scores.values(), reverse=True)[most - 1] if len(scores) > 2 * most else 0.0
        best = [(score, n) for n, score in scores.items() if score >= least]
        best.sort(reverse=True)
        return [n for _, n in best[:most]]


def _loaded(store: SqliteStore, channel: str, rows: Sequence[Any]) -> tuple[Hit, ...]:
    """Hits from rows that end with the memory's words, its number and the channel's score."""
    memories = store._with_tallies([row[:-3] for row in rows])
    return tuple(Hit(memory, channel, row[-1], row[-2], row[-3]) for memory, row in zip(memories, rows))


def tidy(store: SqliteStore, added: int = 0) -> int:
    """Merge the full text's segments into one where they have become many; returns how many steps that took.

    After rows were `added` it is done only if they are a good part of the store: merging reads all of it.

    Each commit leaves a segment, and each word is looked for in all of them: one segment instead of thirteen makes a
    lookup in 100,000 rows two to three times cheaper. The steps are short, so that a prompt gets its turn in between.
    """
    total = store.one("SELECT coalesce(max(n), 0) FROM memory")[0]
    if added and 4 * added < total:
        return 0
    segments = store.one("SELECT count(DISTINCT segid) FROM memory_fts_idx")[0]
    steps, pages = 0, -MERGED
    while segments > SEGMENTS[total > HUGE]:
        with store.write() as tx:
            before = tx.one("SELECT total_changes()")[0]
            tx.rows("INSERT INTO memory_fts (memory_fts, rank) VALUES ('merge', :pages)", pages=pages)
            done = tx.one("SELECT total_changes()")[0] - before < 2
        if done:
            break
        steps, pages = steps + 1, MERGED
    return steps


class _Tokens(dict[str, list[str]]):
    """The words that the index makes of a text; a process that asks again reads the same lessons again."""

    def __init__(self, store: SqliteStore) -> None:
        from apsw import FTS5_TOKENIZE_DOCUMENT

        self.read, self.flag = store._connection.fts5_tokenizer("porter", ["unicode61"]), FTS5_TOKENIZE_DOCUMENT

    def __missing__(self, text: str) -> list[str]:
        raw = text.encode("utf-8", "replace")
        tokens: list[str] = self.read(raw, self.flag, None, include_offsets=False, include_colocated=False)  # type: ignore[assignment]
        if len(text) <= LONG:
            if len(self) >= READ:
                self.clear()
            self[text] = tokens
        return tokens


def _tokenizer(store: SqliteStore) -> Callable[[str], list[str]]:
    if store.tokens is None:
        store.tokens = _Tokens(store).__getitem__
    return store.tokens


def signed(
    store: SqliteStore, projects: Sequence[str], signatures: Sequence[str], *, limit: int = 20
) -> tuple[Hit, ...]:
    """Lessons about exactly these errors, newest first."""
    found: list[Any] = []
    for project in projects:
        for signature in signatures:
            found += store.rows(
                "SELECT m.n, 1.0 FROM memory m INDEXED BY memory_by_signature WHERE m.project = :project"
                f" AND m.signature = :it AND m.signature <> '' AND {INJECTABLE} ORDER BY m.n DESC LIMIT :limit",
                project=project, it=signature, limit=limit,
            )  # fmt: skip
    return _numbered(store, "signature", found[:limit])


def recurring(store: SqliteStore, projects: Sequence[str], *, limit: int = 50) -> tuple[Hit, ...]:
    """What was seen most often in these projects and may be given, most often first."""
    found: list[Any] = []
    for project in projects:
        found += store.rows(
            "SELECT m.n, t.amount FROM tally t INDEXED BY tally_seen JOIN memory m ON m.id = t.memory"
            f" WHERE t.signal = 'seen' AND t.project = :project AND {INJECTABLE} ORDER BY t.amount DESC LIMIT :limit",
            project=project, limit=max(limit, 0),
        )  # fmt: skip
    found.sort(key=lambda row: (-row[1], row[0]))
    return _numbered(store, "recurring", found[:limit])


def standing(store: SqliteStore, projects: Sequence[str], *, limit: int = 50) -> tuple[Hit, ...]:
    """Preferences, rules, security lessons and pinned ones: what applies whatever the task is, newest first."""
    found: list[Any] = []
    for project in projects:
        found += store.rows(
            "SELECT m.n, 0.0 FROM memory m INDEXED BY memory_standing WHERE m.project = :project"
            " AND (m.pinned = 1 OR m.klass IN ('preference', 'rule', 'security'))"
            f" AND {INJECTABLE} ORDER BY m.pinned DESC, m.n DESC LIMIT :limit",
            project=project, limit=max(limit, 0),
        )  # fmt: skip
    return _numbered(store, "standing", found[:limit])


def _numbered(store: SqliteStore, channel: str, rows: Sequence[Any]) -> tuple[Hit, ...]:
    """Hits from row numbers and scores, in their order. The rows were sorted without their texts: they are wide."""
    if not rows:
        return ()
    wide = store.rows(
        f"SELECT {_MEMORY}, m.words, m.n FROM memory m WHERE m.n IN (SELECT value FROM json_each(:ns))",
        ns=json.dumps([row[0] for row in rows]),
    )
    by_number = {row[-1]: row for row in wide}
    return _loaded(store, channel, [(*by_number[n], score) for n, score in rows if n in by_number])
