"""Lessons that are at hand as values, asked as a store's full text is: what was known at an earlier time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tacit.core.rows import Hit
from tacit.lesson import Lesson
from tacit.store.finding import FullText
from tacit.store.rows import fields_of
from tacit.store.writes import NEW, open_store, put_lesson


class HeldText(FullText):
    """These lessons, numbered in the order in which they come, in a store of their own."""

    def __init__(self, memories: Iterable[Lesson]) -> None:
        self.held = dict(enumerate(memories, 1))
        store = open_store(":memory:")
        with store.write() as tx:
            for lesson in self.held.values():
                put_lesson(tx, {**NEW, **fields_of(lesson)})
        super().__init__(store, [*{each.project for each in self.held.values()}], False)

    def lessons(self, scores: Mapping[int, float], channel: str = "words") -> tuple[Hit, ...]:
        """The lessons themselves, in the order of these scores."""
        words = dict(self.store.rows("SELECT n, words FROM lesson"))
        return tuple(Hit(self.held[n], channel, at, n, words[n]) for n, at in scores.items())
