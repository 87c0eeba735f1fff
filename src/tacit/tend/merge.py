"""Lessons that say the same become one; lessons that say opposite things are put before somebody.

Not every pair is asked: what changed since the last pass is compared with its neighbours by signature and by full text.
Likeness is `core.match`'s, and so are the claims that speak against it: "delete it at once" and "never delete it" are as
alike as two texts can be and are never one lesson. Such a pair becomes a proposal, once, whatever its answer.
"""

from __future__ import annotations

import re

from tacit.core.clock import after_days
from tacit.core.lifecycle import ACTIVE, INJECTABLE
from tacit.core.match import compare, prepare, rarity
from tacit.core.merge import brought, joined, keeper, prevailing
from tacit.core.proposal import OPEN, Proposal
from tacit.core.value import value
from tacit.core.words import query_words
from tacit.tend.context import StepReport
from tacit.tend.due import entries_after, last_entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tacit.core.match import Likeness
    from tacit.core.memory import Memory
    from tacit.core.profile import Profile
    from tacit.stores.sqlite import Transaction
    from tacit.tend.context import Context

BY = "tend"
NEIGHBOURS = 12  # lessons that one is compared with
WORDS = 12  # of a lesson's words by which they are found
PORTION = 25  # lessons between two marks of how far it came
MOST = 2000  # lessons that one pass looks at; the next goes on where it stopped
OPPOSITE = (
    "negation",
    "antonym",
    "order",
)  # claims that make two alike texts opposites; another name or scope does not
FIGURES = ("number", "version")  # one sentence with two figures: one of them is out of date

_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


@value
class Pair:
    """Two alike lessons, and what is between them."""

    a: Memory
    b: Memory
    score: float
    against: str = ""  # the claim on which they disagree
    doubt: bool = False  # each says so much of its own that words do not vouch for it


def step(context: Context) -> StepReport:
    """Merge what says the same, propose what contradicts."""
    return _Merging(context).report()


class _Merging:
    """One pass over what changed."""

    def __init__(self, context: Context) -> None:
        self.context, self.store, self.profile, self.project = (
            context,
            context.store,
            context.profile,
            context.project.id,
        )
        self.changes: list[tuple[str, str, str, str]] = []
        self.asked: list[str] = []
        self.looked = self.left = 0
        self.seen: set[tuple[str, str]] = set()

    def report(self) -> StepReport:
        """Do it, and say what was done."""
        mark = self.context.mark("merged")
        after = int(mark) if mark.isdigit() and int(mark) <= last_entry(self.store) else 0
        changed = entries_after(self.store, self.project, 0 if self.context.since else after, self.context.since, MOST)
        for start in range(0, len(changed), PORTION):
            portion = changed[start : start + PORTION]
            self.context.tell("merge", f"{start} of {len(changed)} changed lessons compared")
            found = self._pairs([id for id, _ in portion])
            with self.context.write() as tx:
                for pair in found:
                    self._settle(tx, pair)
                if not self.left:  # what is left must be found again
                    self.context.put_mark(tx, "merged", str(max(after, *(entry for _, entry in portion))))
            self.context.alive()
        facts = {"compared": self.looked, "contradictions": len(self.asked)}
        done = len(self.changes) + len(self.asked)
        return StepReport("merge", done, tuple(self.changes), tuple(self.asked), self.left, facts=facts)

    def _pairs(self, ids: Sequence[str]) -> list[Pair]:
        """Outside of any transaction: who is alike."""
        found = []
        for memory in self.store.memories(ids):
            if memory.state not in ACTIVE or memory.gate != "allow" or not memory.text:
                continue
            self.looked += 1
            near = self.store.find([self.project], query_words(memory.text, WORDS), limit=NEIGHBOURS)
            others = {hit.memory.id: hit.memory for hit in near.hits}
            if memory.signature:
                others.update(
                    (hit.memory.id, hit.memory) for hit in self.store.signed([self.project], [memory.signature])
                )
            rare = rarity(near.frequency, near.rows)
            mine = prepare(memory.text, memory.tags, memory.signature, memory.category)
            for other in others.values():
                names = (min(memory.id, other.id), max(memory.id, other.id))
                if other.id == memory.id or names in self.seen or not comparable(memory, other, self.profile):
                    continue
                self.seen.add(names)
                theirs = prepare(other.text, other.tags, other.signature, other.category)
                pair = judged(memory, other, compare(mine, theirs, rare), self.profile)
                if pair is not None:
                    found.append(pair)
        return found

    def _settle(self, tx: Transaction, pair: Pair) -> None:
        a, b = tx.get(pair.a.id), tx.get(pair.b.id)
        if (a.text, b.text) != (pair.a.text, pair.b.text) or not comparable(a, b, self.profile):
            return  # changed since it was looked at; then it is found again
        stays, goes = keeper(a, b)
        if pair.against:
            stays, goes, why = prevailing(a, b, self.profile.trust.person)
            # Which words they are stands in the two lessons: here one would outlive the erasure of its lesson.
            told = f"says the opposite of {goes.id} ({pair.against.partition(':')[0]}); would stay: {why}"
            self._propose(tx, "contradiction", stays, goes, told)
        elif was_parted(tx, a, b):
            return
        elif pair.doubt:
            self._propose(tx, "merge", stays, goes, f"may say the same as {goes.alias or goes.id}; each says more besides")
        elif goes.pinned or goes.on_page or goes.trust in self.profile.trust.person:
            self._propose(
                tx, "merge", stays, goes, f"says the same as {goes.alias or goes.id}, which is a person's word"
            )
        elif self.context.bound.take():
            self._merge(tx, stays, goes, f"says the same as {stays.alias or stays.id} (alike {pair.score:.2f})")
        else:
            self.left += 1

    def _merge(self, tx: Transaction, stays: Memory, goes: Memory, told: str) -> None:
        at = self.context.now()
        more = brought(goes, stays, tx.evidence(goes.id), tx.evidence(stays.id), by=BY, at=at)
        for change in joined(goes, stays, by=BY, reason=told, at=at, profile=self.context.project.profile):
            tx.apply(change)
        if more is not None:
            tx.add_evidence(more)
        tx.count(self.project, "merged", at)
        self.changes.append((goes.id, goes.state, "superseded", told))

    def _propose(self, tx: Transaction, kind: str, stays: Memory, goes: Memory, told: str) -> None:
        pair = {stays.id, goes.id}
        asked = [each for id in pair for each in tx.proposals(memory=id, state="", limit=-1) if each.kind == kind]
        if any({each.memory, str((each.payload or {}).get("other", ""))} == pair for each in asked):
            return  # once: a pair that somebody looked at, or let pass, is not brought up again
        at = self.context.now()
        expires = after_days(at, self.profile.triage.expire_days)
        made = Proposal(
            self.context.ids(), self.project, kind, told, BY, at, stays.id, OPEN, "person", {"other": goes.id}, expires_at=expires
        )  # fmt: skip
        tx.put_proposal(made)
        self.asked.append(made.id)


def was_parted(tx: Transaction, a: Memory, b: Memory) -> bool:
    """Whether somebody took the merge of these two back: it is not made again."""
    for one, other in ((a, b), (b, a)):
        if any(entry.before.get("superseded_by") == other.id for entry in tx.entries(memory=one.id, verb="unmerge")):
            return True
    return False


def judged(a: Memory, b: Memory, likeness: Likeness, profile: Profile) -> Pair | None:
    """What two neighbours are to each other: the same lesson, opposites, or nothing."""
    against = likeness.blocked
    if not against:
        if likeness.score < profile.tend.merge_threshold or (likeness.doubt == 1.0 and profile.match.doubt < 1.0):
            return None  # another lesson, or nearly the same with one place changed, which is the point of it
        return Pair(a, b, likeness.score, doubt=likeness.doubt > profile.match.doubt)
    opposites = against.startswith(OPPOSITE) and likeness.score >= profile.match.threshold
    opposites = opposites or (against.startswith(FIGURES) and _is_one_sentence(a, b, against))
    return (
        Pair(a, b, likeness.score, against) if opposites and a.state in INJECTABLE and b.state in INJECTABLE else None
    )


def _is_one_sentence(a: Memory, b: Memory, against: str) -> bool:
    """Whether two texts differ in their figures only; a numbered name (worker#1, worker#2) is another subject."""
    blank = [" ".join(_FIGURE.sub("0", each.text).casefold().split()) for each in (a, b)]
    return "#" not in against and blank[0] == blank[1]


def comparable(a: Memory, b: Memory, profile: Profile) -> bool:
    """Whether two lessons could be one at all: both in force and let in, of one reach and for one reader."""
    both = (a, b)
    if any(each.state not in ACTIVE or each.gate != "allow" or not each.text for each in both):
        return False
    if (a.project, a.scope, a.agent, a.domain, a.klass) != (b.project, b.scope, b.agent, b.domain, b.klass):
        return False
    rules = profile.match
    return not (rules.same_kind and a.kind != b.kind) and not (rules.same_task and a.task_type != b.task_type)
