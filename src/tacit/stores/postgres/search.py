"""Candidates for a query on PostgreSQL, by channel; the same answers as the SQLite store gives, from other indexes.

Words are cut by SQLite's own tokenizer, which apsw brings along: a team's store and a person's find by the same words. All rows
of the project that hold a word are weighed inside the server; the project stands in front of each word in the index, so that
its lists are its own however many others share the server.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import apsw

from tacit.core.rows import Fault, Found, Hit, index_fault
from tacit.stores.sql_rows import MEMORY_COLUMNS, listed
from tacit.stores.sqlite.fulltext import INJECTABLE_ROWS, loaded
from tacit.stores.sqlite.search import MOST_HITS, MOST_WORDS, WHATEVER_THE_TASK
from tacit.words.passages import cut as cut_passages
from tacit.words.passages import rarity_of
from tacit.words.tokens import are_index_words

if TYPE_CHECKING:
    from tacit.stores.postgres import PostgresStore
    from tacit.words.passages import Passage

ASKED_APART, MASS = (
    32,
    8,
)  # passages of a long question that are asked by themselves, by so many of their rarest words
CANDIDATES = (
    400  # rows that are taken from a project at least; some of them may turn out not to be given
)


def find_words(
    store: PostgresStore,
    projects: Sequence[str],
    words: Sequence[str],
    *,
    limit: int = 50,
    injectable: bool = False,
) -> Found:
    """Rows of these projects that hold the query's words, those with the rarest first."""
    asked = [word for word in dict.fromkeys(words) if word][:MOST_WORDS]
    cut = [porter_words(word) for word in asked]
    total = _extent(store, projects)
    if not asked or not total or limit <= 0:
        return Found((), total, {}, porter_words)
    wanted = min(limit, MOST_HITS)
    parts = list(dict.fromkeys(part for word in cut for part in word))
    held, scores = _weighed(store, projects, parts, total, max(CANDIDATES, 2 * wanted))
    frequency = {word: min((held[part] for part in of), default=0) for word, of in zip(asked, cut)}
    best = _best(store, scores, wanted, injectable)
    return Found(
        loaded(store, "words", [(*row, scores[row[-1]]) for row in best]),
        total,
        frequency,
        porter_words,
    )


def ask_passages(
    store: PostgresStore,
    projects: Sequence[str],
    passages: Sequence[Passage],
    *,
    limit: int = 50,
    injectable: bool = False,
) -> Found:
    """As `find_words`, for a question of any length: for each of its most telling passages the rows whose words are rarest."""
    cut = cut_passages(passages, porter_words)
    total = _extent(store, projects)
    if not cut or not total or limit <= 0:
        return Found((), total, {}, porter_words, cut)
    wanted = min(limit, MOST_HITS)
    parts = list(dict.fromkeys(token for each in cut for token in each))
    held, scores = _weighed(store, projects, parts, total, max(CANDIDATES, 2 * wanted))
    if len(cut) > 1:
        told = {token: rarity_of(count, total) for token, count in held.items()}
        best = sorted(cut, key=lambda each: -sum(sorted(map(told.__getitem__, each))[-MASS:]))[
            :ASKED_APART
        ]
        for each in best:
            for n, amount in _weighed(store, projects, list(each), total, wanted)[1].items():
                scores[n] = max(scores.get(n, 0.0), amount)
    rows = _best(store, scores, 2 * wanted if len(cut) > 1 else wanted, injectable)
    return Found(
        loaded(store, "words", [(*row, scores[row[-1]]) for row in rows]),
        total,
        held,
        porter_words,
        cut,
    )


def _weighed(
    store: PostgresStore, projects: Sequence[str], parts: Sequence[str], total: int, most: int
) -> tuple[dict[str, int], dict[int, float]]:
    """How many rows hold each word, and the rows whose words are rarest. A name is found by its words; ranking looks for it whole."""
    held = dict.fromkeys(parts, 0)
    scores: dict[int, float] = {}
    sql = "SELECT word, n, amount FROM rows_weighed(:p, :parts, :total, :most)"
    for project in projects:
        for at, n, amount in store.rows(
            sql, p=project, parts=list(parts), total=float(total), most=most
        ):
            if at:
                held[parts[at - 1]] += int(amount)
            else:
                scores[n] = amount
    return held, scores


def _extent(store: PostgresStore, projects: Sequence[str]) -> int:
    """How many memories these projects have."""
    sql = "SELECT coalesce(sum(memories), 0) FROM extent WHERE project = ANY(:them)"
    return int(store.one(sql, them=list(projects))[0])


def _best(
    store: PostgresStore, scores: dict[int, float], limit: int, injectable: bool
) -> list[Any]:
    order = [n for _, n in sorted(zip(scores.values(), scores), reverse=True)]
    sql = f"SELECT {MEMORY_COLUMNS}, m.words, m.n FROM memory m WHERE m.n = ANY(:ns)" + (
        f" AND {INJECTABLE_ROWS}" if injectable else ""
    )
    found: list[Any] = []
    start, size = 0, max(limit + limit // 3, 16)
    while start < len(order) and len(found) < limit:
        rows = store.rows(sql, ns=order[start : start + size])
        found += sorted(rows, key=lambda row: (-scores[row[-1]], -row[-1]))
        start, size = start + size, 4 * size
    return found[:limit]


def by_signature(
    store: PostgresStore, projects: Sequence[str], signatures: Sequence[str], *, limit: int = 20
) -> tuple[Hit, ...]:
    """Lessons about exactly these errors, newest first."""
    found = store.rows(
        f"SELECT {MEMORY_COLUMNS}, m.words, m.n, 1.0::float8 FROM memory m WHERE m.project = ANY(:projects)"
        f" AND m.signature = ANY(:signatures) AND m.signature <> '' AND {INJECTABLE_ROWS} ORDER BY m.n DESC LIMIT :limit",
        projects=list(projects),
        signatures=list(signatures),
        limit=max(limit, 0),
    )
    return loaded(store, "signature", found)


def recurring(store: PostgresStore, projects: Sequence[str], *, limit: int = 50) -> tuple[Hit, ...]:
    """What was seen most often in these projects and may be given, most often first."""
    found: list[Any] = []
    for project in projects:
        found += store.rows(
            f"SELECT {MEMORY_COLUMNS}, m.words, m.n, t.amount FROM tally t JOIN memory m ON m.id = t.memory"
            f" WHERE t.signal = 'seen' AND t.project = :project AND {INJECTABLE_ROWS} ORDER BY t.amount DESC, m.n LIMIT :limit",
            project=project,
            limit=max(limit, 0),
        )
    found.sort(key=lambda row: (-row[-1], row[-2]))
    return loaded(store, "recurring", found[:limit])


def always_given(
    store: PostgresStore, projects: Sequence[str], *, limit: int = 50, newest: int = 0
) -> tuple[Hit, ...]:
    """Ways of working, rules and wishes of which nobody said what they are about, and pinned ones: what applies whatever the task is. Those
    that most pieces of work met first, then the newest. After them the rules and preferences among the `newest` lessons."""
    found: list[Any] = []
    for project in projects:
        found += store.rows(
            f"SELECT {MEMORY_COLUMNS}, m.words, m.n, coalesce(t.amount, 0.0)::float8 FROM memory m"
            " LEFT JOIN tally t ON t.memory = m.id AND t.signal = 'seen' WHERE m.project = :project"
            f" AND {WHATEVER_THE_TASK} AND {INJECTABLE_ROWS} ORDER BY m.pinned DESC, coalesce(t.amount, 0.0) DESC, m.n DESC LIMIT :limit",
            project=project,
            limit=max(limit, 0),
        )
    found = found[:limit]
    for project in projects if newest else ():
        found += store.rows(
            f"SELECT {MEMORY_COLUMNS}, m.words, m.n, 1.0::float8 FROM (SELECT n FROM memory WHERE project = :project"
            " ORDER BY created_at DESC LIMIT :newest) late JOIN memory m ON m.n = late.n"
            f" WHERE m.klass IN ('preference', 'rule') AND m.about NOT IN ('', '*') AND {INJECTABLE_ROWS}",
            project=project,
            newest=newest,
        )
    return loaded(store, "standing", found)


def porter_words(text: str) -> list[str]:
    """What SQLite's `porter unicode61` makes of a text."""
    return _tokenizer()(text)


@lru_cache(maxsize=1)
def _tokenizer() -> Callable[[str], list[str]]:
    cut = apsw.Connection(":memory:").fts5_tokenizer("porter", ["unicode61"])

    def read(text: str) -> list[str]:
        raw = text.encode("utf-8", "replace")
        return cut(
            raw, apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False
        )  # type: ignore[return-value]

    return read


def index_faults(store: PostgresStore) -> Iterator[Fault]:
    """Every memory's words, as the index has them and as its text says."""
    stale = wrong = 0
    sql = "SELECT n, project, text, about, tags, paths, words FROM memory ORDER BY n"
    for n, project, text, about, tags, paths, words in store.rows(sql):
        own, _, tasks = words.partition("\n")
        stale += not are_index_words(
            own, text, " ".join((about, *listed(tags), *listed(paths)))
        ) or bool(tasks and not text)
        wrong += store.one("SELECT indexed(:n)", n=n)[0] != sorted(
            {f"{project} {token}" for token in porter_words(f"{text} {words}")}
        )
    if stale:
        yield index_fault("memory", f"the derived words of {stale} memories are not theirs")
    counted = "SELECT count(*) FROM memory m WHERE m.project = e.project"
    for (project,) in store.rows(f"SELECT project FROM extent e WHERE memories <> ({counted})"):
        yield index_fault(
            "extent", f"project {project} does not have as many memories as noted", "counts them"
        )
    if wrong:
        yield index_fault(
            "memory_fts", f"{wrong} memories are not found by their words", "rebuilds it"
        )
