"""Lessons found by words, by an error, by how often they were met, and what applies whatever the task is.

The ranking asks `FullText`; `find_words` brings what a text is compared with.
"""

from __future__ import annotations

from math import log

from tacit.core.rows import Found, Hit
from tacit.core.value import dumps
from tacit.store import search
from tacit.store.rows import MEMORY_COLUMNS
from tacit.store.search import TOLD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from tacit.store.reads import Reads, Store

MOST_WORDS = 64  # distinct words of a text that are looked up …
FEWER = 16  # … and its rarest in a large store
SMALL = 3_000  # rows; a store up to here is read completely
REACH = 4_000  # rows of a word that are read in a larger one, the newest first
FURTHER = 2  # of the rarest, read to their ends where a small project has none of the newest
EQUAL = 4  # of a text's rarest words, by which an equal one is found
OWN = 5_000  # rows of a project up to which words are counted among its own
CHECKED = 1_500  # candidate rows that are looked at for their project and state
TEXTS_KEPT = 2_000  # texts whose words a process keeps
MOST_HITS = 1_000  # hits of one search, whatever is asked for
STANDING = (
    "(m.about = '*' OR m.always = 1 OR"
    " (m.about = '' AND m.klass IN ('preference', 'rule', 'security')))"
)


class FullText(search.FullText):
    """The lessons of some projects as memories; with `told`, only what may be delivered."""

    store: Store

    def __init__(self, store: Store, projects: Sequence[str], told: bool) -> None:
        super().__init__(store, projects, told)
        if len(store.tokens) > TEXTS_KEPT:
            store.tokens.clear()
        self._tokens = store.tokens  # a process reads the same lessons again and again

    def number(self, id: str) -> int:
        """A lesson's number."""
        return int(self.store.rows("SELECT n FROM lesson WHERE id = ?", id)[0][0])

    def lessons(self, scores: Mapping[int, float], channel: str = "words") -> tuple[Hit, ...]:
        """The lessons themselves, in the order of these scores."""
        return _hits(self.store, channel, [*scores.items()])


def find_words(reads: Reads, projects: Sequence[str], words: Sequence[str], limit: int) -> Found:
    """Lessons of these projects that hold a text's words, those with the rarest first, and how common each word is.

    Inside a transaction, where texts are compared, a small project's counts are its own: what others keep in the same file must not
    decide what is alike here.
    """
    full = FullText(getattr(reads, "store", reads), projects, False)
    total = int(reads.rows("SELECT coalesce(max(n), 0) FROM lesson")[0][0])
    asked = [word for word in dict.fromkeys(words) if word and '"' not in word][:MOST_WORDS]
    if not asked or not total or limit <= 0:
        return Found((), total, {}, full.tokens)
    parts = {word: _parts(word) for word in asked}
    read = {part: full.tokens(part) for each in parts.values() for part in each}
    counted = full.counts({token for tokens in read.values() for token in tokens})
    held = {
        part: min(counted.get(token, 0) for token in tokens)
        for part, tokens in read.items()
        if tokens and all(token in counted for token in tokens)
    }
    rarest = sorted(held, key=lambda part: (held[part], part))
    if total > SMALL:
        rarest = rarest[:FEWER]
    rows = {part: _holding(reads, f'"{part}"', total) for part in rarest}
    if total > SMALL and len(rarest) > 1:
        equal = _holding(reads, " AND ".join(f'"{part}"' for part in rarest[:EQUAL]), total)
        for part in rarest:
            rows[part] = list(dict.fromkeys([*equal, *rows[part]]))
    own = _own(reads, projects)
    if own and total > SMALL and not any(own.intersection(each) for each in rows.values()):
        for part in rarest[:FURTHER]:
            rows[part] = _holding(reads, f'"{part}"', SMALL)
    scores: dict[int, float] = {}
    for part in rarest:
        rarity = log(1 + total / (held[part] + 0.5))
        for n in rows[part] if own is None else own.intersection(rows[part]):
            scores[n] = scores.get(n, 0.0) + rarity
    hits = _best(full, scores, min(limit, MOST_HITS))
    if own is not None and reads is not full.store:
        size = len(own)
        held = {
            part: len(own.intersection(rows[part]))
            if part in rows and (total <= SMALL or many < REACH)
            else min(size, round(many * size / total))
            for part, many in held.items()
        }
        total = size
    common = {
        word: min((held.get(part, 0) for part in each), default=0) for word, each in parts.items()
    }
    return Found(hits, total, common, full.tokens)


def _parts(word: str) -> tuple[str, ...]:
    """The words that the index makes of a name, as they are written; single letters only where there is nothing else."""
    parts = "".join(letter if letter.isalnum() else " " for letter in word).split()
    return tuple(part for part in parts if len(part) > 1 or not part.isascii()) or tuple(parts)


def _holding(reads: Reads, match: str, total: int) -> list[int]:
    found = reads.rows(
        "SELECT rowid FROM lesson_fts WHERE lesson_fts MATCH ? ORDER BY rowid DESC LIMIT ?",
        *(match, -1 if total <= SMALL else REACH),
    )
    return [n for (n,) in found]


def _own(reads: Reads, projects: Sequence[str]) -> set[int] | None:
    """The rows of these projects, if they are few."""
    found = reads.rows(
        "SELECT n FROM lesson WHERE project IN (SELECT value FROM json_each(?)) LIMIT ?",
        *(dumps(list(projects)), OWN + 1),
    )
    return {n for (n,) in found} if len(found) <= OWN else None


def _best(full: FullText, scores: dict[int, float], limit: int) -> tuple[Hit, ...]:
    """The best lessons of these projects among the best rows, the newer of equal ones first."""
    order = sorted(scores, key=lambda n: (-scores[n], -n))[: max(CHECKED, 2 * limit)]
    rows = full.store.rows(
        "SELECT m.n FROM lesson m WHERE m.n IN (SELECT value FROM json_each(?))"
        f" AND m.project IN (SELECT value FROM json_each(?)){full.may}",
        *(dumps(order), full.projects),
    )
    may = {n for (n,) in rows}
    return _hits(full.store, "words", [(n, scores[n]) for n in order if n in may][:limit])


def _hits(store: Reads, channel: str, rows: Sequence[Any]) -> tuple[Hit, ...]:
    """Hits from row numbers and scores, in their order."""
    if not rows:
        return ()
    wide = store.rows(
        f"SELECT {MEMORY_COLUMNS}, m.words, m.n FROM lesson m"
        " WHERE m.n IN (SELECT value FROM json_each(?))",
        dumps([row[0] for row in rows]),
    )
    memories = store.lessons_of([row[:-2] for row in wide])
    found = {row[-1]: (memory, row[-2]) for row, memory in zip(wide, memories)}
    return tuple(
        Hit(found[n][0], channel, score, n, found[n][1]) for n, score in rows if n in found
    )


def recurring(store: Store, projects: Sequence[str], limit: int) -> tuple[Hit, ...]:
    """What was seen most often in these projects and may be given, most often first."""
    found: list[Any] = []
    for project in projects:
        found += store.rows(
            "SELECT m.n, m.seen FROM lesson m WHERE m.project = ? AND m.seen > 0"
            f"{TOLD} ORDER BY m.seen DESC LIMIT ?",
            *(project, max(limit, 0)),
        )
    found.sort(key=lambda row: (-row[1], row[0]))
    return _hits(store, "recurring", found[:limit])


def always_given(store: Store, projects: Sequence[str], limit: int, newest: int) -> tuple[Hit, ...]:
    """Ways of working, rules and wishes of which nobody said what they are about, and pinned ones. Those that most pieces of
    work met first, then the newest. After them the rules and preferences among the `newest` lessons."""
    found: list[Any] = []
    for project in projects:
        found += store.rows(
            "SELECT n, seen FROM (SELECT m.n, m.seen, m.always FROM lesson m INDEXED BY lesson_ways"
            f" WHERE m.project = ? AND {STANDING}{TOLD} ORDER BY m.n DESC LIMIT {MOST_HITS})"
            " ORDER BY always DESC, seen DESC, n DESC LIMIT ?",
            *(project, max(limit, 0)),
        )
    found = found[:limit]
    for project in projects if newest else ():
        found += store.rows(
            "SELECT m.n, 1.0 FROM (SELECT n FROM lesson WHERE project = ?"
            " ORDER BY created_at DESC LIMIT ?) late JOIN lesson m ON m.n = late.n"
            f" WHERE m.klass IN ('preference', 'rule') AND m.about NOT IN ('', '*'){TOLD}",
            *(project, newest),
        )
    return _hits(store, "standing", found)
