"""Two lessons at a time: who is compared with whom, and what is done with a pair.

Not every pair is looked at: what changed since the last pass is compared with its neighbours by signature and by full text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tacit.core.journal import Hand
from tacit.core.merge import brought, merged
from tacit.core.profile import Profile
from tacit.core.proposal import REJECTED, Proposal
from tacit.core.states import GONE, UNDOUBTED
from tacit.core.value import value
from tacit.learn.same import EQUAL_TEXT
from tacit.lesson import PERSONAL, Lesson
from tacit.origins.likeness import MATCHERS
from tacit.origins.night.context import Context
from tacit.store.due import entries_after, last_entry
from tacit.store.reads import Reads
from tacit.words.prepared import Likeness, Prepared, prepare
from tacit.words.tokens import query_words

if TYPE_CHECKING:
    from tacit.store.writes import Transaction

TENDED_BY = "tend"
_PAIR_NEIGHBOURS = 12  # lessons that one is compared with
_WORDS = 12  # of a lesson's words by which they are found
_BETWEEN_MARKS = 25  # lessons between two marks of how far it came


@value
class Pair:
    """Two alike lessons, and what is between them."""

    a: Lesson
    b: Lesson
    score: float


class Joining:
    """What is done with a pair of lessons."""

    def __init__(self, context: Context) -> None:
        self.context, self.store, self.profile, self.project = (
            context,
            context.store,
            context.profile,
            context.project.id,
        )
        self.changes: list[tuple[str, str, str, str]] = []
        self.asked: list[str] = []
        self.left = 0
        self.seen: set[tuple[str, str]] = set()
        # an origin's measure; two lessons of ours are one where their texts are equal
        self.measure = "jaccard" if self.profile.match.matcher == "jaccard" else EQUAL_TEXT

    def changed(self, mark: str, most: int) -> Iterator[tuple[list[str], str]]:
        """Lessons that changed since the mark, in portions, each with the mark to be set when it is done."""
        at = self.context.mark(mark)
        after = int(at) if at.isdigit() and int(at) <= last_entry(self.store) else 0
        found = entries_after(
            self.store, self.project, 0 if self.context.since else after, self.context.since, most
        )
        for start in range(0, len(found), _BETWEEN_MARKS):
            portion = found[start : start + _BETWEEN_MARKS]
            self.context.tell("merge", f"{start} of {len(found)} changed lessons compared")
            # A look back, `since` a time, leaves the mark where it is: between the two there may be what nobody looked at.
            yield (
                [id for id, _ in portion],
                at if self.context.since else str(max(after, *(entry for _, entry in portion))),
            )
            self.context.alive()

    def near(self, memory: Lesson) -> Iterator[tuple[Lesson, Likeness]]:
        """The neighbours that a lesson could be one with, but for pairs that were `seen`; outside of any transaction."""
        found = self.store.find(
            [self.project], query_words(memory.text, _WORDS), limit=_PAIR_NEIGHBOURS
        )
        others = {hit.memory.id: hit.memory for hit in found.hits}
        if memory.signature:
            others.update(
                (hit.memory.id, hit.memory)
                for hit in self.store.signed([self.project], [memory.signature])
            )
        mine = readied(memory)
        for other in others.values():
            if (
                other.id == memory.id
                or pair_name(memory, other) in self.seen
                or not comparable(memory, other, self.profile)
            ):
                continue
            yield other, MATCHERS[self.measure](mine, readied(other))

    def as_seen(self, tx: Transaction, pair: Pair) -> tuple[Lesson, Lesson] | None:
        """Both as they are now; nothing where one changed since it was looked at, for then it is found again."""
        a, b = tx.get(pair.a.id), tx.get(pair.b.id)
        same = (a.text, b.text) == (pair.a.text, pair.b.text)
        return (a, b) if same and comparable(a, b, self.profile) else None

    def is_persons(self, memory: Lesson) -> bool:
        """Whether a person's word keeps it where it is."""
        return memory.pinned or memory.on_page or memory.trust in PERSONAL

    def merge(self, tx: Transaction, stays: Lesson, goes: Lesson, told: str) -> None:
        """One takes the other's place."""
        at = self.context.now()
        more = brought(
            goes, stays, tx.evidence(goes.id), tx.evidence(stays.id), Hand(TENDED_BY, at)
        )
        for change in merged(
            goes, stays, Hand(TENDED_BY, at, profile=self.context.project.profile), reason=told
        ):
            tx.apply(change)
        if more is not None:
            tx.add_evidence(more)
        tx.count(self.project, "merged", at)
        self.changes.append((goes.id, goes.state, GONE, told))

    def propose(self, tx: Transaction, kind: str, stays: Lesson, goes: Lesson, told: str) -> None:
        """Ask a person, once: a pair that somebody looked at, or let pass, is not brought up again in the same words."""
        if not raised(tx, stays, goes, kind):
            self.asked.append(
                self.context.propose(
                    tx, kind, told, stays.id, payload={"other": goes.id}, by=TENDED_BY
                )
            )


def readied(memory: Lesson) -> Prepared:
    """A lesson, read for comparing."""
    return prepare(memory.text, memory.tags, memory.signature, memory.category)


def pair_name(a: Lesson, b: Lesson) -> tuple[str, str]:
    """A pair's name, whichever comes first."""
    return (min(a.id, b.id), max(a.id, b.id))


def is_plainly_one(a: Lesson, b: Lesson) -> bool:
    """Whether nobody need be asked: the same words, or the very same error."""
    return readied(a).text == readied(b).text or bool(a.signature and a.signature == b.signature)


def raised(store: Reads, a: Lesson, b: Lesson, kind: str) -> list[Proposal]:
    """The proposals of this kind about these two, whatever came of them, since either was last put into other words."""
    about = [
        each
        for id in (a.id, b.id)
        for each in store.proposals(memory=id, state="", limit=-1)
        if each.kind == kind
    ]
    pairs = [
        each
        for each in about
        if {each.memory, str((each.payload or {}).get("other", ""))} == {a.id, b.id}
    ]
    if not pairs:
        return []
    edits = [
        entry.at
        for each in (a, b)
        for entry in store.entries(memory=each.id, verb="edit")
        if "text" in entry.after
    ]
    return [
        each for each in pairs if all((each.decided_at or each.created_at) >= at for at in edits)
    ]


def was_refused(store: Reads, a: Lesson, b: Lesson) -> bool:
    """Whether somebody was asked if these two are one and said no, or took their merge back."""
    refused = any(each.state == REJECTED for each in raised(store, a, b, "merge"))
    return refused or were_parted(store, a.id, b.id)


def were_parted(store: Reads, a: str, b: str) -> bool:
    """Whether somebody took the merge of these two back: it is not made again."""
    taken_back = (
        entry.before.get("superseded_by") == other and entry.after.get("superseded_by") != other
        for one, other in ((a, b), (b, a))
        for verb in ("unmerge", "undo")
        for entry in store.entries(memory=one, verb=verb)
    )
    return any(taken_back)


def is_in_force(memory: Lesson) -> bool:
    """Whether a lesson is looked at at all."""
    return memory.state in UNDOUBTED and memory.gate == "allow" and bool(memory.text)


def comparable(a: Lesson, b: Lesson, profile: Profile) -> bool:
    """Whether two lessons could be one at all: both in force and let in, of one reach and for one reader."""
    both = (a, b)
    if not all(is_in_force(each) for each in both):
        return False
    if (a.project, a.scope, a.agent, a.domain, a.klass) != (
        b.project,
        b.scope,
        b.agent,
        b.domain,
        b.klass,
    ):
        return False
    rules = profile.match
    return not (rules.same_kind and a.kind != b.kind) and not (
        rules.same_task and a.task_type != b.task_type
    )
