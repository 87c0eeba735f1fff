"""Rows that a text is compared with, for matching and tending: candidates by its words, one lookup a word.

Full text costs what its words' postings cost. Of each word the newest rows are fetched, and how near together they lie
tells how common it is, without counting; the rarest of the others are read completely, as far as the reach goes; of
what is left, only the rows that also hold a word known by then. A name of several words (`db/test_cache.py`) is never
asked for as a phrase, which would read all its words to their ends: its rows are among those of its rarest part.
Questions go another way (`search.ask`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING

from tacit.core.rows import Found
from tacit.stores.sqlite import search
from tacit.stores.sqlite.fulltext import tokenizer
from tacit.stores.sqlite.search import Cached

if TYPE_CHECKING:
    from tacit.stores.sqlite import SqliteStore


def find_words(
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
    kept = search._kept(store)
    total = kept.total
    asked = [word for word in dict.fromkeys(words) if word and '"' not in word][
        : search.MOST_WORDS if total <= search.SMALL else search.FEWER
    ]
    read = tokenizer(store)
    if not asked or not total or limit <= 0:
        return Found((), total, {}, read)
    postings = _Postings(store, kept, asked, brief)
    meet = search.MEET[deep and total > search.LARGE]
    if brief:
        postings.find_equal()
        meet = 0 if postings.known else meet
    take = search._Taker(store, kept, projects, min(limit, search.MOST_HITS), injectable)
    postings.read(
        min(max(total // 20, search.DEEP[0]), search.DEEP[1]) if deep else search.QUICK, meet
    )
    scores = postings.scores()
    hits = take.best(scores, take.size)
    if 3 * len(hits) < 2 * take.limit and (postings.common or len(scores) > take.size):
        here = search._rows_of(store, projects, injectable) if len(hits) < take.size // 3 else None
        if here is not None:
            postings.read(search.DEEP[1], meet)
            scores = postings.scores(here)
        hits = take.best(scores, max(search.CHECKED, 2 * take.limit))
    own = kept.rows_of(store, projects) if brief else None
    if own is not None:
        return Found(tuple(hits), len(own), postings.counted(own), read)
    return Found(tuple(hits), total, postings.frequency, read)


class _Postings:
    """Which rows hold each of the asked words, as far as that is known, and how many do."""

    def __init__(self, store: SqliteStore, kept: Cached, asked: Sequence[str], brief: bool) -> None:
        total = kept.total
        self.store, self.kept, self.total = store, kept, total
        self.again = bool(kept) and not brief  # what is read now may serve once more
        self.first = search.SMALL if total <= search.SMALL else search.FIRST_FETCHED
        self.cut = False  # whether a known word has more rows than are known
        # A small store answers phrases itself.
        self.parts = {word: (word,) if total <= search.SMALL else _parts(word) for word in asked}
        self.rows = {
            part: self._newest(f'"{part}"', self.first)
            for parts in self.parts.values()
            for part in parts
        }
        self.held = {part: self._estimate(rows) for part, rows in self.rows.items()}
        self.common = sorted(
            (p for p in self.rows if len(self.rows[p]) == self.first), key=self.held.__getitem__
        )
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
        met = [part for part in self.common[:meet] if self.held[part] * search.COMMON <= self.total]
        known = (
            set[int]().union(*map(self.rows.__getitem__, self.known))
            if met and self.again
            else set()
        )
        either = " OR ".join(f'"{part}"' for part in self.known)
        for part in met:
            if self.again and self.held[part] <= search.READ_WHOLE and not self.cut:
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
        if not known or len(rows) > search.TELLING_WORDS:
            rarest = sorted(self.rows, key=self.held.__getitem__)[: search.TELLING_WORDS]
            rows = {*self._newest(" AND ".join(f'"{part}"' for part in rarest), self.first)}
        for part in self.common if rows else ():
            self.rows[part] = list(dict.fromkeys([*rows, *self.rows[part]]))

    @property
    def frequency(self) -> dict[str, int]:
        """Asked word -> rows that hold it: counted, estimated, or at most so many for a name of several words."""
        return {
            word: min(self.held[part] for part in parts) if parts else 0
            for word, parts in self.parts.items()
        }

    def counted(self, own: set[int]) -> dict[str, int]:
        """The same among these rows: counted, or of a word that very many rows hold, as large a share as of all."""

        def count(part: str) -> int:
            if self.held[part] > max(search.READ_WHOLE, self.first):
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
        return search.newest(self.store, self.kept, match, limit)

    def _estimate(self, rows: list[int]) -> int:
        """How many rows hold a word: counted, or told from how densely its newest ones lie."""
        first, total = self.first, self.total
        return (
            len(rows) if len(rows) < first else max(first, first * total // (total - rows[-1] + 1))
        )


def _parts(word: str) -> tuple[str, ...]:
    """The words that the index makes of a name; single letters and digits only where there is nothing else."""
    if word.isalnum() and word.isascii():
        return (word,)
    parts = "".join(letter if letter.isalnum() else " " for letter in word).split()
    return tuple(part for part in parts if len(part) > 1 or not part.isascii()) or tuple(parts)
