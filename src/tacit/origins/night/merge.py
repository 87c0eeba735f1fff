"""Lessons that say the same become one: those whose texts are equal after folding, and in an origin those its measure calls one.

What else may be one the reader is asked about when it reads a session (`reading.twins`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tacit.core.merge import keeper
from tacit.lesson import Lesson
from tacit.origins.night.context import Context, StepReport
from tacit.origins.night.pairs import (
    Joining,
    Pair,
    is_in_force,
    is_plainly_one,
    pair_name,
    was_refused,
)

if TYPE_CHECKING:
    from tacit.store.writes import Transaction

_MOST = 2000  # lessons that one pass looks at; the next goes on where it stopped
MERGED_FROM = 0.85  # two lessons this alike by an origin's measure are merged


def step(context: Context) -> StepReport:
    """Merge what says the same, propose what contradicts."""
    by_words = _Merging(context)
    by_words.walk()
    return by_words.report()


class _Merging(Joining):
    """One pass over what changed, by words."""

    looked = 0

    def walk(self) -> None:
        """Merge and propose, portion by portion."""
        for ids, mark in self.changed("merged", _MOST):
            found = self._pairs(ids)
            with self.context.write() as tx:
                for pair in found:
                    self._settle(tx, pair)
                if not self.left:  # what is left must be found again
                    self.context.put_mark(tx, "merged", mark)

    def report(self) -> StepReport:
        """What was done."""
        facts = {"compared": self.looked, "asked": len(self.asked)}
        done = len(self.changes) + len(self.asked)
        return StepReport(
            "merge", done, tuple(self.changes), tuple(self.asked), self.left, figures=facts
        )

    def _pairs(self, ids: Sequence[str]) -> list[Pair]:
        found = []
        for memory in self.store.memories(ids):
            if not is_in_force(memory):
                continue
            self.looked += 1
            for other, likeness in self.near(memory):
                self.seen.add(pair_name(memory, other))
                if likeness.score >= MERGED_FROM:
                    found.append(Pair(memory, other, likeness.score))
        return found

    def _settle(self, tx: Transaction, pair: Pair) -> None:
        both = self.as_seen(tx, pair)
        if both is None:
            return
        stays, goes = keeper(*both)
        if was_refused(tx, *both):
            return
        elif self.is_persons(goes) and not (
            is_plainly_one(*both) and _came(tx, goes) and _came(tx, stays)
        ):
            self.propose(
                tx,
                "merge",
                stays,
                goes,
                f"says the same as {goes.alias or goes.id}, which is a person's word",
            )
        elif self.context.bound.take():
            self.merge(
                tx,
                stays,
                goes,
                f"says the same as {stays.alias or stays.id} (alike {pair.score:.2f})",
            )
        else:
            self.left += 1


def _came(tx: Transaction, memory: Lesson) -> bool:
    """Whether a memory is another system's record that a person brought: nobody said it, and the same record twice is one."""
    free = not memory.pinned and not memory.on_page and memory.source != "page"
    return (
        free
        and bool(tx.entries(memory=memory.id, verb="import", limit=1))
        and not tx.entries(memory=memory.id, verb="edit", limit=1)
    )
