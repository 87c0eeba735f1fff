"""Lessons that are at hand as values, asked as a store's full text is: what was known at an earlier time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import apsw

from tacit.core.rows import Hit
from tacit.lesson import HEARSAY, Lesson, met_in
from tacit.store.moments import NEIGHBOURS, PARTS, WAYS, Text
from tacit.words.tokens import index_words, task_words


class HeldText:
    """These lessons, numbered in the order in which they come."""

    def __init__(self, memories: Iterable[Lesson]) -> None:
        self.held = dict(enumerate(memories, 1))
        self.total = len(self.held)
        self.db = apsw.Connection(":memory:")
        self.db.execute(
            "CREATE VIRTUAL TABLE lesson USING fts5(text, words, tokenize = 'porter unicode61')"
        )
        self.read = self.db.fts5_tokenizer("porter", ["unicode61"])
        self.words: dict[int, str] = {}
        self.counted: dict[str, int] = {}
        for n, memory in self.held.items():
            beside = " ".join((memory.about, *memory.tags, *memory.paths))
            task = task_words(met_in(memory, "task"))
            self.words[n] = "\n".join((index_words(memory.text, beside=beside), task)).rstrip("\n")
            row = (n, memory.text, self.words[n])
            self.db.execute("INSERT INTO lesson (rowid, text, words) VALUES (?, ?, ?)", row)
            for token in {*self.tokens(f"{memory.text}\n{self.words[n]}")}:
                self.counted[token] = self.counted.get(token, 0) + 1
        lengths = [len(self.tokens(each.text)) for each in self.held.values()]
        self.usual = sum(lengths) / max(1, len(lengths))

    def tokens(self, text: str) -> list[str]:
        """The words that the index makes of a text."""
        raw = text.encode("utf-8", "replace")
        how: dict[str, Any] = {"include_offsets": False, "include_colocated": False}
        return self.read(raw, apsw.FTS5_TOKENIZE_DOCUMENT, None, **how)  # type: ignore[return-value]

    def counts(self, tokens: Iterable[str]) -> dict[str, int]:
        """How many lessons hold each word."""
        return {token: self.counted[token] for token in tokens if token in self.counted}

    def match(self, words: Sequence[str], most: int) -> list[int]:
        """The lessons that hold any of these words, the best first."""
        asked = " OR ".join(f'"{word}"' for word in words)
        sql = (
            "SELECT rowid FROM lesson WHERE lesson MATCH ?"
            f" ORDER BY bm25(lesson, 1.0, {PARTS}), rowid LIMIT ?"
        )
        return [n for (n,) in self.db.execute(sql, (asked, most))] if asked else []

    def beside(self, numbers: Sequence[int]) -> list[int]:
        """What stands one step or two beside these lessons."""
        return sorted({n + step for n in numbers for step in NEIGHBOURS} & self.held.keys())

    def ways(self) -> list[int]:
        """What is pinned, then rules and preferences, the newest first."""
        found = [
            (not each.pinned, -n)
            for n, each in self.held.items()
            if each.pinned or each.klass in ("rule", "preference")
        ]
        return [-n for _, n in sorted(found)[:WAYS]]

    def number(self, id: str) -> int:
        """A lesson's number."""
        return next(n for n, memory in self.held.items() if memory.id == id)

    def lessons(self, scores: Mapping[int, float]) -> tuple[Hit, ...]:
        """The lessons themselves, in the order of these scores."""
        return tuple(
            Hit(self.held[n], "words", score, n, self.words[n]) for n, score in scores.items()
        )

    def texts(self, numbers: Iterable[int]) -> dict[int, Text]:
        """Their texts, by number."""
        return {n: self._text(n) for n in numbers}

    def _text(self, n: int) -> Text:
        memory = self.held[n]
        parts, *tasks = self.words[n].split("\n")
        about, group = memory.about.replace("*", ""), met_in(memory, "group")
        return Text(memory.text, about, parts, tasks, group, memory.trust in HEARSAY)
