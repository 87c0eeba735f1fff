"""Lessons that say the same become one; lessons that say opposite things are put before somebody.

Likeness is `words.match`'s, and so are the claims that speak against it: "delete it at once" and "never delete it" are as
alike as two texts can be and are never one lesson. Such a pair becomes a proposal, once, whatever its answer. What words
leave open the reader is asked about when it reads a session (`learn.reader.twins`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tacit.core.memory import Memory
from tacit.core.merge import keeper
from tacit.core.profile import Profile
from tacit.core.states import INJECTABLE
from tacit.tend.context import Context, StepReport
from tacit.tend.pairs import Joining, Pair, is_in_force, is_plainly_one, pair_name, was_refused
from tacit.words.prepared import Likeness

if TYPE_CHECKING:
    from tacit.stores.sql_writer import Transaction

_MOST = 2000  # lessons that one pass looks at; the next goes on where it stopped
# claims that make two alike texts opposites; another name or scope does not
MERGED_FROM = 0.85  # two lessons this alike are merged
OPPOSITE_KINDS = ("negation", "antonym", "order")
FIGURES = ("number", "version")  # one sentence with two figures: one of them is out of date

_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


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
        facts = {"compared": self.looked, "contradictions": len(self.asked)}
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
                pair = judged(memory, other, likeness, self.profile)
                found += [pair] if pair is not None else []
        return found

    def _settle(self, tx: Transaction, pair: Pair) -> None:
        both = self.as_seen(tx, pair)
        if both is None:
            return
        stays, goes = keeper(*both)
        if pair.against:
            self.contradicts(tx, *both, pair.against.partition(":")[0])
        elif not is_plainly_one(*both) and was_refused(tx, *both):
            return
        elif pair.doubt:
            self.propose(
                tx,
                "merge",
                stays,
                goes,
                f"may say the same as {goes.alias or goes.id}; each says more besides",
            )
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


def _came(tx: Transaction, memory: Memory) -> bool:
    """Whether a memory is another system's record that a person brought: nobody said it, and the same record twice is one."""
    free = not memory.pinned and not memory.on_page and memory.source != "page"
    return (
        free
        and bool(tx.entries(memory=memory.id, verb="import", limit=1))
        and not tx.entries(memory=memory.id, verb="edit", limit=1)
    )


def judged(a: Memory, b: Memory, likeness: Likeness, profile: Profile) -> Pair | None:
    """What two neighbours are to each other: the same lesson, opposites, or nothing."""
    against = likeness.blocked
    if not against:
        if likeness.score < MERGED_FROM or (likeness.doubt == 1.0 and profile.match.doubt < 1.0):
            return None  # another lesson, or nearly the same with one place changed, which is the point of it
        return Pair(a, b, likeness.score, doubt=likeness.doubt > profile.match.doubt)
    opposites = against.startswith(OPPOSITE_KINDS) and likeness.score >= profile.match.threshold
    opposites = opposites or (against.startswith(FIGURES) and _is_one_sentence(a, b, against))
    return (
        Pair(a, b, likeness.score, against)
        if opposites and a.state in INJECTABLE and b.state in INJECTABLE
        else None
    )


def _is_one_sentence(a: Memory, b: Memory, against: str) -> bool:
    """Whether two texts differ in their figures only; a numbered name (worker#1, worker#2) is another subject."""
    blank = [" ".join(_FIGURE.sub("0", each.text).casefold().split()) for each in (a, b)]
    return "#" not in against and blank[0] == blank[1]
