"""Candidates for a query, by channel. The store finds; ranking and wording are pure and live elsewhere.

Full text costs what its words' postings cost: OR-ing every word of a prompt over 100,000 rows, with `bm25()`, takes a
tenth of a second. So no word is read to its end that is common. Of each word the newest rows are fetched, and how near
together they lie tells how common it is, without counting: 128 rows among the last 1,280 of 100,000 make about 10,000.
A word with fewer rows than that is known completely. Candidates are the rows that hold the rarest of the asked words;
where all are common, the rows that hold two of them. The estimates go out with the candidates, as ranking needs them,
and so does the index's own tokenizer, so that what was found by a word is also ranked by it.

A file holds many projects. Where the best rows turn out to belong to others, a project with few rows is taken as a set
of row numbers, and the common words are read further within it.
"""

from __future__ import annotations

import json
from math import log

from tacit.core.value import value
from tacit.stores.sql import _MEMORY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from tacit.core.memory import Memory
    from tacit.stores.sqlite import SqliteStore

WORDS = 24  # distinct words of a query that are looked up at all
FEWER = 16  # in a large store, where each costs a fifth of a millisecond; of 100 twins the best seven hold 1 to 3 fewer
SMALL = 3000  # rows; a store up to here is read completely
NEWEST = 128  # rows of a word that are fetched at first
PROJECT = 5000  # rows of a project up to which they are taken as a set
POSTINGS = 8000  # rows of common words that are read further for such a project
PAIRS = 3  # of the common words, the rarest so many are asked for in pairs
CHECKED = 1500  # candidate rows that are looked at for their project and state
MOST = 1000  # hits of one search, whatever is asked for

# What may ever be given to an agent (design §4); rank and trial narrow it further, nothing widens it.
STATES = "m.state IN ('provisional', 'stable', 'canonical')"
INJECTABLE = f"{STATES} AND m.gate = 'allow' AND m.verdict NOT IN ('harms', 'no difference') AND m.superseded_by = ''"


@value
class Hit:
    """One candidate and the channel that found it."""

    memory: Memory
    channel: str  # words, signature, recurring, standing
    score: float  # the channel's own: rarity of the words it holds, sightings for recurring
    n: int = 0  # its row: the order of writing
    words: str = ""  # what the index holds beside the text: parts of identifiers and paths, pairs of letters


@value
class Found:
    """Candidates, and how common each word of the query is here."""

    hits: tuple[Hit, ...]
    rows: int  # memories in the store
    frequency: dict[str, int]  # word -> rows that hold it; exact for rare words, estimated for common ones
    tokens: Callable[[str], list[str]]  # the index's own tokenizer: what it makes of a text


def find(
    store: SqliteStore, projects: Sequence[str], words: Sequence[str], *, limit: int = 50, injectable: bool = False
) -> Found:
    """Rows of these projects that hold the query's words, those with the rarest first."""
    total: int = store.one("SELECT coalesce(max(n), 0) FROM memory")[0]
    asked = [word for word in dict.fromkeys(words) if word and '"' not in word][: WORDS if total <= SMALL else FEWER]
    if not asked or not total or limit <= 0:
        return Found((), total, {}, _tokenizer(store))
    first = SMALL if total <= SMALL else NEWEST
    held = {word: _newest(store, f'"{word}"', first) for word in asked}
    frequency = {word: _frequency(rows, first, total) for word, rows in held.items()}
    common = sorted((word for word in asked if len(held[word]) == first), key=frequency.__getitem__)
    oldest = {word: held[word][-1] for word in common}
    take = _Taker(store, projects, min(limit, MOST), injectable)
    scores = _scores(held, frequency, total)
    if _is_thin(held, common, scores, take.limit):
        _in_pairs(store, held, common[:PAIRS], take.limit)
        scores = _scores(held, frequency, total)
    rows = take.best(scores, portions=1)
    if 3 * len(rows) < 2 * take.limit and (common or len(scores) > take.size):
        sparse = len(rows) < take.size // 3
        here = _rows_of(store, projects, injectable) if sparse else None
        if here is not None:
            _read_on(store, held, oldest, frequency)
            scores = _scores(held, frequency, total, here)
        rows = take.best(scores)
    return Found(
        _loaded(store, "words", [(*row, scores[row[-1]]) for row in rows]), total, frequency, _tokenizer(store)
    )


def _newest(store: SqliteStore, match: str, limit: int, below: int = 1 << 62) -> list[int]:
    return [
        row[0]
        for row in store.rows(
            "SELECT rowid FROM memory_fts WHERE memory_fts MATCH :match AND rowid < :below"
            " ORDER BY rowid DESC LIMIT :limit",
            match=match, below=below, limit=limit,
        )
    ]  # fmt: skip


def _frequency(rows: list[int], first: int, total: int) -> int:
    """How many rows hold a word: counted, or told from how densely its newest ones lie."""
    return len(rows) if len(rows) < first else max(first, first * total // (total - rows[-1] + 1))


def _rows_of(store: SqliteStore, projects: Sequence[str], injectable: bool) -> set[int] | None:
    """The rows of these projects, if they are few; None if they are many."""
    rows = "SELECT m.n FROM memory m INDEXED BY memory_by_state WHERE m.project = :project"
    if injectable:
        rows += f" AND {STATES}"
    if any(store.one(f"{rows} LIMIT 1 OFFSET {PROJECT}", project=project) for project in projects):
        return None
    return {row[0] for project in projects for row in store.rows(rows, project=project)}


def _read_on(store: SqliteStore, held: dict[str, list[int]], oldest: dict[str, int], frequency: dict[str, int]) -> None:
    """Read common words further, the rarer ones first, as far as the budget goes."""
    left = POSTINGS
    for word, below in oldest.items():
        if frequency[word] > left:
            break
        held[word] = list({*held[word], *_newest(store, f'"{word}"', left, below)})
        left -= frequency[word]


def _is_thin(held: dict[str, list[int]], common: Sequence[str], scores: dict[int, float], limit: int) -> bool:
    """Whether the newest rows of common words bring neither enough rows of a rare word nor enough with two words."""
    if len(common) < 2 or len(scores) - len(set().union(*(held[word] for word in common))) >= limit:
        return False
    return sum(map(len, held.values())) - len(scores) < limit


def _in_pairs(store: SqliteStore, held: dict[str, list[int]], common: Sequence[str], limit: int) -> None:
    """Where all words are common: the rows that hold two of them."""
    for i, one in enumerate(common):
        for other in common[i + 1 :]:
            both = _newest(store, f'"{one}" AND "{other}"', 2 * limit)
            for word in (one, other):
                known = set(held[word])
                held[word] += [n for n in both if n not in known]


def _scores(
    held: dict[str, list[int]], frequency: dict[str, int], total: int, here: set[int] | None = None
) -> dict[int, float]:
    """How rare the words are that each row holds."""
    scores: dict[int, float] = {}
    for word, rows in held.items():
        rarity = log(1 + total / (frequency[word] + 0.5))
        for n in rows if here is None else here.intersection(rows):
            scores[n] = scores.get(n, 0.0) + rarity
    return scores


class _Taker:
    """Looks rows up, best first, in portions, until enough of them belong to these projects."""

    def __init__(self, store: SqliteStore, projects: Sequence[str], limit: int, injectable: bool) -> None:
        self.store = store
        self.projects = json.dumps(list(projects))
        self.limit = limit
        self.size = max(limit + limit // 3, 16)  # of the first portion
        self.sql = (
            f"SELECT {_MEMORY}, m.words, m.n FROM memory m WHERE m.n IN (SELECT value FROM json_each(:ns))"
            " AND m.project IN (SELECT value FROM json_each(:projects))" + (f" AND {INJECTABLE}" if injectable else "")
        )

    def best(self, scores: dict[int, float], portions: int = 9) -> list[Any]:
        order = [n for _, n in sorted(zip(scores.values(), scores), reverse=True)][: max(CHECKED, 2 * self.limit)]
        start, size = 0, self.size
        found: list[Any] = []
        while start < len(order) and len(found) < self.limit and portions:
            rows = self.store.rows(self.sql, ns=json.dumps(order[start : start + size]), projects=self.projects)
            found += sorted(rows, key=lambda row: (-scores[row[-1]], -row[-1]))
            start, size, portions = start + size, 4 * size, portions - 1
        return found[: self.limit]


def _loaded(store: SqliteStore, channel: str, rows: Sequence[Any]) -> tuple[Hit, ...]:
    """Hits from rows that end with the memory's words, its number and the channel's score."""
    memories = store._with_tallies([row[:-3] for row in rows])
    return tuple(Hit(memory, channel, row[-1], row[-2], row[-3]) for memory, row in zip(memories, rows))


def _tokenizer(store: SqliteStore) -> Callable[[str], list[str]]:
    import apsw

    tokens = store._connection.fts5_tokenizer("porter", ["unicode61"])
    flag = apsw.FTS5_TOKENIZE_DOCUMENT

    def read(text: str) -> list[str]:
        return tokens(text.encode("utf-8", "replace"), flag, None, include_offsets=False, include_colocated=False)  # type: ignore[return-value]

    return read


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
