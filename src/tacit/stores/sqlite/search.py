"""Candidates for a query, by channel. The store finds; ranking and wording are pure and live elsewhere.

Full text costs what its words' postings cost: OR-ing every word of a prompt over 100,000 rows takes a tenth of a
second, the rare ones a millisecond. So each word is counted first, up to a cap, and words are taken from the rarest
on until the postings budget is spent. In a small store that is all of them. The counts go out with the candidates:
ranking needs to know how rare a word is here.
"""

from __future__ import annotations

import json

from tacit.core.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tacit.core.memory import Memory
    from tacit.stores.sqlite import SqliteStore

WORDS = 24  # distinct words of a query that are looked up at all
COUNT_CAP = 4000  # a word found more often than this is just "common"
POSTINGS = 6000  # matches that one query may score
SMALL = 3000  # rows; below, every word is used

# What may ever be given to an agent (design §4); rank and trial narrow it further, nothing widens it.
INJECTABLE = "m.state IN ('provisional', 'stable', 'canonical') AND m.gate = 'allow' AND m.verdict NOT IN ('harms', 'no difference') AND m.superseded_by = ''"


@value
class Hit:
    """One candidate and the channel that found it."""

    memory: Memory
    channel: str  # words, recurring, standing
    score: float  # the channel's own: BM25 for words (higher is better), sightings for recurring


@value
class Found:
    """Candidates, and how common each word of the query is here."""

    hits: tuple[Hit, ...]
    rows: int  # memories in the store
    frequency: dict[str, int]  # word -> rows that hold it, up to the cap


def find(
    store: SqliteStore, projects: Sequence[str], words: Sequence[str], *, limit: int = 50, injectable: bool = False
) -> Found:
    """The rows of these projects that hold the query's words, best BM25 first."""
    total = store.one("SELECT coalesce(max(n), 0) FROM memory")[0]
    asked = [word for word in dict.fromkeys(words) if '"' not in word][:WORDS]
    if not asked or not total or limit <= 0:
        return Found((), total, {})
    common: dict[str, int] = {
        word: store.one(
            "SELECT count(*) FROM (SELECT 1 FROM memory_fts WHERE memory_fts MATCH :word LIMIT :cap)",
            word=f'"{word}"',
            cap=COUNT_CAP,
        )[0]
        for word in asked
    }
    chosen = _affordable(common, total)
    if not chosen:
        return Found((), total, common)
    rows = store.rows(
        "SELECT m.id, -bm25(memory_fts, 3.0, 1.0) AS score FROM memory_fts JOIN memory m ON m.n = memory_fts.rowid"
        " WHERE memory_fts MATCH :match AND m.project IN (SELECT value FROM json_each(:projects))"
        + (f" AND {INJECTABLE}" if injectable else "")
        + " ORDER BY score DESC, m.n LIMIT :limit",
        match=" OR ".join(f'"{word}"' for word in chosen), projects=json.dumps(list(projects)), limit=min(limit, 1000),
    )  # fmt: skip
    scores = dict(rows)
    return Found(
        tuple(Hit(memory, "words", scores[memory.id]) for memory in store.memories(list(scores))), total, common
    )


def _affordable(common: dict[str, int], total: int) -> list[str]:
    present = sorted((word for word in common if common[word]), key=lambda word: common[word])
    if total <= SMALL:
        return present
    spent, chosen = 0, list[str]()
    for word in present:
        spent += common[word]
        if chosen and spent > POSTINGS:
            break
        chosen.append(word)
    return chosen


def recurring(store: SqliteStore, projects: Sequence[str], *, limit: int = 50) -> tuple[Hit, ...]:
    """What was seen most often in these projects and may be given, most often first."""
    found: list[tuple[str, float]] = []
    for project in projects:
        found += store.rows(
            "SELECT m.id, t.amount FROM tally t INDEXED BY tally_seen JOIN memory m ON m.id = t.memory"
            f" WHERE t.signal = 'seen' AND t.project = :project AND {INJECTABLE} ORDER BY t.amount DESC LIMIT :limit",
            project=project, limit=limit,
        )  # fmt: skip
    found.sort(key=lambda row: (-row[1], row[0]))
    scores = dict(found[:limit])
    return tuple(Hit(memory, "recurring", scores[memory.id]) for memory in store.memories(list(scores)))


def standing(store: SqliteStore, projects: Sequence[str], *, limit: int = 50) -> tuple[Hit, ...]:
    """Preferences, rules, security lessons and pinned ones: what applies whatever the task is, newest first."""
    found: list[str] = []
    for project in projects:
        found += [
            row[0]
            for row in store.rows(
                "SELECT m.id FROM memory m INDEXED BY memory_standing WHERE m.project = :project"
                " AND (m.pinned = 1 OR m.klass IN ('preference', 'rule', 'security'))"
                f" AND {INJECTABLE} ORDER BY m.pinned DESC, m.n DESC LIMIT :limit",
                project=project,
                limit=limit,
            )  # fmt: skip
        ]
    return tuple(Hit(memory, "standing", 0.0) for memory in store.memories(found[:limit]))
