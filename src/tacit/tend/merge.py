"""Lessons that say the same become one; lessons that say opposite things are put before somebody.

Not every pair is looked at: what changed since the last pass is compared with its neighbours by signature and by full text.
Likeness is `core.match`'s, and so are the claims that speak against it: "delete it at once" and "never delete it" are as
alike as two texts can be and are never one lesson. Such a pair becomes a proposal, once, whatever its answer.

What words leave open a model is asked about, where there is one (`tend.same`). Its word on a pair is kept as a decided
proposal, so that no pair is asked about twice; it merges alone as long as people leave its merges standing.
"""

from __future__ import annotations

import re

from tacit.core.clock import after_days
from tacit.core.errors import Unavailable
from tacit.core.lifecycle import ACTIVE, INJECTABLE
from tacit.core.match import compare, prepare, rarity
from tacit.core.merge import brought, joined, keeper, prevailing
from tacit.core.proposal import APPROVED, OPEN, REJECTED, Proposal
from tacit.core.value import replace, value
from tacit.core.words import query_words
from tacit.tend.agreement import Later, standing
from tacit.tend.context import StepReport
from tacit.tend.due import entries_after, last_entry
from tacit.tend.judge import is_checked, is_person, judged_proposals, with_word
from tacit.tend.same import BATCH, DIFFERENT, OPPOSITE, SAME, Pairing, answers, nearest, question, schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tacit.core.match import Likeness
    from tacit.core.memory import Memory
    from tacit.core.ports import Model
    from tacit.core.profile import Profile, Triage
    from tacit.stores.sql import SqlStore
    from tacit.stores.sqlite import Transaction
    from tacit.tend.agreement import Standing
    from tacit.tend.context import Context

BY = "tend"
BY_MODEL = f"{BY}:model"  # who decided what a model was asked about
NEIGHBOURS = 12  # lessons that one is compared with
WORDS = 12  # of a lesson's words by which they are found
PORTION = 25  # lessons between two marks of how far it came
MOST = 2000  # lessons that one pass looks at; the next goes on where it stopped
MOST_ASKED = 200  # lessons about whose neighbours one pass asks a model; some fifty pairs
OPPOSITES = (
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
    """Merge what says the same, propose what contradicts; then ask about what words leave open."""
    by_words = _Merging(context)
    by_words.walk()
    model = context.model if "same" in context.profile.model.steps else None
    if model is None or context.dry_run:
        return by_words.report({})
    asking = _Asking(context, model)
    asking.walk()
    return by_words.report({"asked": asking.answered, "same": asking.same}, asking)


class _Joining:
    """What both ways of looking at changed lessons do with a pair."""

    def __init__(self, context: Context) -> None:
        self.context, self.store, self.profile, self.project = (
            context,
            context.store,
            context.profile,
            context.project.id,
        )
        self.changes: list[tuple[str, str, str, str]] = []
        self.asked: list[str] = []
        self.notes: list[str] = []
        self.left = 0
        self.seen: set[tuple[str, str]] = set()

    def changed(self, mark: str, most: int) -> Iterator[tuple[list[str], str]]:
        """Lessons that changed since the mark, in portions, each with the mark to be set when it is done."""
        at = self.context.mark(mark)
        after = int(at) if at.isdigit() and int(at) <= last_entry(self.store) else 0
        found = entries_after(self.store, self.project, 0 if self.context.since else after, self.context.since, most)
        for start in range(0, len(found), PORTION):
            portion = found[start : start + PORTION]
            self.context.tell("merge", f"{start} of {len(found)} changed lessons compared")
            yield [id for id, _ in portion], str(max(after, *(entry for _, entry in portion)))
            self.context.alive()

    def near(self, memory: Memory) -> Iterator[tuple[Memory, Likeness]]:
        """The neighbours that a lesson could be one with, each pair once in a pass; outside of any transaction."""
        found = self.store.find([self.project], query_words(memory.text, WORDS), limit=NEIGHBOURS)
        others = {hit.memory.id: hit.memory for hit in found.hits}
        if memory.signature:
            others.update((hit.memory.id, hit.memory) for hit in self.store.signed([self.project], [memory.signature]))
        rare = rarity(found.frequency, found.rows)
        mine = prepare(memory.text, memory.tags, memory.signature, memory.category)
        for other in others.values():
            names = (min(memory.id, other.id), max(memory.id, other.id))
            if other.id == memory.id or names in self.seen or not comparable(memory, other, self.profile):
                continue
            self.seen.add(names)
            yield other, compare(mine, prepare(other.text, other.tags, other.signature, other.category), rare)

    def as_seen(self, tx: Transaction, pair: Pair) -> tuple[Memory, Memory] | None:
        """Both as they are now; nothing where one changed since it was looked at, for then it is found again."""
        a, b = tx.get(pair.a.id), tx.get(pair.b.id)
        same = (a.text, b.text) == (pair.a.text, pair.b.text)
        return (a, b) if same and comparable(a, b, self.profile) else None

    def is_persons(self, memory: Memory) -> bool:
        """Whether a person's word keeps it where it is."""
        return memory.pinned or memory.on_page or memory.trust in self.profile.trust.person

    def merge(self, tx: Transaction, stays: Memory, goes: Memory, told: str) -> None:
        """One takes the other's place."""
        at = self.context.now()
        more = brought(goes, stays, tx.evidence(goes.id), tx.evidence(stays.id), by=BY, at=at)
        for change in joined(goes, stays, by=BY, reason=told, at=at, profile=self.context.project.profile):
            tx.apply(change)
        if more is not None:
            tx.add_evidence(more)
        tx.count(self.project, "merged", at)
        self.changes.append((goes.id, goes.state, "superseded", told))

    def contradicts(self, tx: Transaction, a: Memory, b: Memory, how: str) -> None:
        """Put two that say opposite things before a person."""
        stays, goes, why = prevailing(a, b, self.profile.trust.person)
        # Which words they are stands in the two lessons: here one would outlive the erasure of its lesson.
        self.propose(tx, "contradiction", stays, goes, f"says the opposite of {goes.id} ({how}); would stay: {why}")

    def propose(self, tx: Transaction, kind: str, stays: Memory, goes: Memory, told: str) -> None:
        """Ask a person, once: a pair that somebody looked at, or let pass, is not brought up again."""
        if not was_raised(tx, stays.id, goes.id, kind):
            made = self.proposal(kind, stays, goes, told)
            tx.put_proposal(made)
            self.asked.append(made.id)

    def proposal(self, kind: str, stays: Memory, goes: Memory, told: str) -> Proposal:
        """A proposal that waits for a person."""
        at = self.context.now()
        expires = after_days(at, self.profile.triage.expire_days)
        return Proposal(
            self.context.ids(), self.project, kind, told, BY, at, stays.id, OPEN, "person", {"other": goes.id}, expires_at=expires
        )  # fmt: skip


class _Merging(_Joining):
    """One pass over what changed, by words."""

    looked = 0

    def walk(self) -> None:
        """Merge and propose, portion by portion."""
        for ids, mark in self.changed("merged", MOST):
            found = self._pairs(ids)
            with self.context.write() as tx:
                for pair in found:
                    self._settle(tx, pair)
                if not self.left:  # what is left must be found again
                    self.context.put_mark(tx, "merged", mark)

    def report(self, facts: dict[str, int], also: _Asking | None = None) -> StepReport:
        """What was done, by words and `also` by a model."""
        changes, asked = (*self.changes, *(also.changes if also else ())), (*self.asked, *(also.asked if also else ()))
        left, notes = self.left + (also.left if also else 0), tuple(also.notes) if also else ()
        told = {"compared": self.looked, "contradictions": len(self.asked), **facts}
        return StepReport("merge", len(changes) + len(asked), changes, asked, left, notes=notes, facts=told)

    def _pairs(self, ids: Sequence[str]) -> list[Pair]:
        found = []
        for memory in self.store.memories(ids):
            if not is_in_force(memory):
                continue
            self.looked += 1
            pairs = (judged(memory, other, likeness, self.profile) for other, likeness in self.near(memory))
            found += [pair for pair in pairs if pair is not None]
        return found

    def _settle(self, tx: Transaction, pair: Pair) -> None:
        both = self.as_seen(tx, pair)
        if both is None:
            return
        stays, goes = keeper(*both)
        if pair.against:
            self.contradicts(tx, *both, pair.against.partition(":")[0])
        elif was_parted(tx, *both):
            return
        elif pair.doubt:
            self.propose(tx, "merge", stays, goes, f"may say the same as {goes.alias or goes.id}; each says more besides")
        elif self.is_persons(goes):
            self.propose(
                tx, "merge", stays, goes, f"says the same as {goes.alias or goes.id}, which is a person's word"
            )
        elif self.context.bound.take():
            self.merge(tx, stays, goes, f"says the same as {stays.alias or stays.id} (alike {pair.score:.2f})")
        else:
            self.left += 1


class _Asking(_Joining):
    """One pass over what changed, by a model's word on what words leave open."""

    def __init__(self, context: Context, model: Model) -> None:
        super().__init__(context)
        self.model = model
        self.alone = merging(self.store, self.project, self.profile.triage).autonomous
        self.answered = self.same = 0

    def walk(self) -> None:
        """Ask and settle, batch by batch, until nobody answers; what was not asked is asked in the next pass."""
        for ids, mark in self.changed("same", MOST_ASKED):
            pairs = self._pairs(ids)
            for start in range(0, len(pairs), BATCH):
                if not self._ask(pairs[start : start + BATCH]):
                    return
            with self.context.write() as tx:
                if not self.left:
                    self.context.put_mark(tx, "same", mark)

    def _pairs(self, ids: Sequence[str]) -> list[Pair]:
        found = []
        for memory in self.store.memories(ids):
            if is_in_force(memory):
                near = nearest(self.near(memory))
                found += [Pair(memory, other, likeness.score) for other, likeness in near if not self._is_known(memory, other)]
        return found

    def _is_known(self, a: Memory, b: Memory) -> bool:
        asked = any(was_raised(self.store, a.id, b.id, kind) for kind in ("merge", "contradiction"))
        return asked or was_parted(self.store, a, b)

    def _ask(self, pairs: Sequence[Pair]) -> bool:
        """One question and what comes of it; False where nobody answers."""
        self.context.alive()
        self.context.tell("merge", f"asking about {len(pairs)} pairs")
        batch = {f"p{n}": pair for n, pair in enumerate(pairs, 1)}
        shown = [Pairing(name, pair.a.text, pair.b.text) for name, pair in batch.items()]
        try:
            said = self.model.ask(question(shown), schema=schema(), timeout=self.profile.model.timeout_s)
        except Unavailable as error:
            self.notes.append(f"Lessons that may be one wait for the model. {error.message}")
            return False
        told = answers(said, shown)
        self.answered += len(told)
        with self.context.write() as tx:
            for name, word in told.items():
                self._settle(tx, batch[name], word)
        return True

    def _settle(self, tx: Transaction, pair: Pair, word: str) -> None:
        both = self.as_seen(tx, pair)
        if both is None:
            return
        stays, goes = keeper(*both)
        if word == OPPOSITE and all(each.state in INJECTABLE for each in both):
            self.contradicts(tx, *both, "a model's word")
        elif word == SAME:
            self._join(tx, pair, stays, goes)
        else:  # kept as decided: it is not asked again
            told = f"a model was asked whether it says the same as {goes.alias or goes.id}"
            self._keep(tx, self.proposal("merge", stays, goes, told), REJECTED, DIFFERENT)

    def _join(self, tx: Transaction, pair: Pair, stays: Memory, goes: Memory) -> None:
        """Merge, or leave it to a person: one in ten, what is a person's word, and all while people take its merges back."""
        made = self.proposal("merge", stays, goes, f"says the same as {goes.alias or goes.id}, by a model's word")
        self.same += 1
        if not self.alone or is_checked(made.id) or self.is_persons(goes):
            tx.put_proposal(with_word(made, "model", "promote", SAME, made.created_at, alone=False))
            self.asked.append(made.id)
        elif self.context.bound.take():
            told = f"says the same as {stays.alias or stays.id} (alike {pair.score:.2f}, by a model's word)"
            self.merge(tx, stays, goes, told)
            self._keep(tx, made, APPROVED, SAME)
        else:
            self.left += 1

    def _keep(self, tx: Transaction, made: Proposal, state: str, word: str) -> None:
        action = "promote" if word == SAME else "reject"
        told = with_word(made, "model", action, word, made.created_at, alone=True)
        decided = replace(told, state=state, tier="model", decided_by=BY_MODEL, decided_at=made.created_at, decision=word)
        tx.put_proposal(decided)


def merging(store: SqlStore, project: str, settings: Triage) -> Standing:
    """How a model's merges fared with people: decided as it advised, or taken back. Of what it kept apart nothing is known."""
    told = []
    for proposal in judged_proposals(store, project, "merge"):
        word = (proposal.payload or {})["judged"][-1]
        pair = (proposal.memory, str((proposal.payload or {}).get("other", "")))
        if word.get("action") == "promote":
            by_person = proposal.state if proposal.state in (APPROVED, REJECTED) and is_person(proposal.decided_by) else ""
            told.append(("promote", Later(by_person, taken_off=were_parted(store, *pair))))
    return standing("merges", told, settings)


def was_raised(store: SqlStore, a: str, b: str, kind: str) -> bool:
    """Whether these two were brought up as a pair of this kind, whatever came of it."""
    raised = [each for id in (a, b) for each in store.proposals(memory=id, state="", limit=-1) if each.kind == kind]
    return any({each.memory, str((each.payload or {}).get("other", ""))} == {a, b} for each in raised)


def was_parted(store: SqlStore, a: Memory, b: Memory) -> bool:
    """Whether somebody took the merge of these two back: it is not made again."""
    return were_parted(store, a.id, b.id)


def were_parted(store: SqlStore, a: str, b: str) -> bool:
    """The same, by their ids."""
    for one, other in ((a, b), (b, a)):
        if any(entry.before.get("superseded_by") == other for entry in store.entries(memory=one, verb="unmerge")):
            return True
    return False


def is_in_force(memory: Memory) -> bool:
    """Whether a lesson is looked at at all."""
    return memory.state in ACTIVE and memory.gate == "allow" and bool(memory.text)


def judged(a: Memory, b: Memory, likeness: Likeness, profile: Profile) -> Pair | None:
    """What two neighbours are to each other: the same lesson, opposites, or nothing."""
    against = likeness.blocked
    if not against:
        if likeness.score < profile.tend.merge_threshold or (likeness.doubt == 1.0 and profile.match.doubt < 1.0):
            return None  # another lesson, or nearly the same with one place changed, which is the point of it
        return Pair(a, b, likeness.score, doubt=likeness.doubt > profile.match.doubt)
    opposites = against.startswith(OPPOSITES) and likeness.score >= profile.match.threshold
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
    if not all(is_in_force(each) for each in both):
        return False
    if (a.project, a.scope, a.agent, a.domain, a.klass) != (b.project, b.scope, b.agent, b.domain, b.klass):
        return False
    rules = profile.match
    return not (rules.same_kind and a.kind != b.kind) and not (rules.same_task and a.task_type != b.task_type)
