"""A model's word on which lessons are one, where words cannot tell.

Words go on alone where there is no model. Where one reads after them, learning counts for a lesson only what says it in the same words,
and leaves the rest for it (`learn.match`): a changed lesson's nearest neighbours of which nothing speaks against a merge are put to
it, and what it calls the same is merged, reversibly. A pair is asked about once, until one of the two is put into other words.

A model is examined before its word counts, and again each month. One merge in ten is left to a person, and so is what is a person's
word. It decides alone only as long as people leave its merges standing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.core.clock import days_between
from tacit.core.errors import Unavailable
from tacit.core.memory import Memory
from tacit.core.merge import keeper
from tacit.core.proposal import APPROVED, REJECTED, Proposal
from tacit.core.states import INJECTABLE
from tacit.core.value import replace
from tacit.stores.due import entries_after
from tacit.tend.agreement import Later, TrackRecord, track_record
from tacit.tend.context import Context
from tacit.tend.judge import is_checked, is_person, judged_proposals, with_word
from tacit.tend.pairs import BY, Joining, Pair, is_in_force, pair_name, raised, readied, were_parted
from tacit.tend.same import (
    BATCH,
    OPPOSITE,
    SAME,
    Pairing,
    answers,
    examination,
    passed,
    question,
    schema,
    was_heard,
    worth_asking,
)
from tacit.words.match import compare, rarity
from tacit.words.prepared import Likeness
from tacit.words.tokens import query_words

if TYPE_CHECKING:
    from tacit.core.ports import Model, Reads, Transaction

BY_MODEL = f"{BY}:model"  # who decided what a model was asked about
ABLE, UNABLE, UNHEARD, UNANSWERED = "able", "unable", "unheard", "unanswered"
_HOLDS = {ABLE: 30.0, UNABLE: 7.0, UNHEARD: 0.1}  # days for which an exam holds, by how it ended
MOST_ASKED = 200  # lessons about whose neighbours one pass asks; the next goes on where it stopped
CLOSEST = 6  # neighbours that are measured again, of which the nearest are asked about
READS = "reads"  # the mark of when a model last read all there was; learning looks at it


class MergePass(Joining):
    """One pass over what changed."""

    words, neighbours = 32, 30  # in other words it shares few

    def __init__(self, context: Context, model: Model) -> None:
        super().__init__(context)
        self.model = model
        self.alone = merging(self.store, self.project).autonomous
        self.answered = self.same = 0
        self.able: bool | None = None

    def walk(self) -> None:
        """Ask and settle, batch by batch, until nobody answers or the pass may change no more; the next goes on there."""
        reads = self.is_able() and self._asks() and self.alone
        if not self.context.since:
            with self.context.write() as tx:
                self.context.put_mark(tx, READS, self.context.now() if reads else "")

    def _ask(self, shown: Sequence[Pairing]) -> Mapping[str, str] | None:
        """The model's word on each pair, by its name; None where nobody answers."""
        self.context.alive()
        self.context.tell("merge", f"asking about {len(shown)} pair{'s' if len(shown) > 1 else ''}")
        try:
            said = self.model.ask(question(shown), schema=schema(), timeout=self.profile.model.timeout_s)
        except Unavailable as error:
            self.notes.append(f"Lessons that may be one wait for the model. {error.message}")
            return None
        return answers(said, shown)

    # -- the exam ---------------------------------------------------------------------------------

    def is_able(self) -> bool:
        """Whether this model passed the exam; it is taken now if it was not lately and there is something to ask."""
        if self.able is None:
            self.able = self._examined()
        return self.able

    def _examined(self) -> bool:
        taken = self.context.mark("exam").split(" ", 2)  # when, how it ended, who
        lately = len(taken) == 3 and days_between(taken[0], self.context.now()) < _HOLDS.get(taken[1], 0.0)
        if lately and taken[2] == self.model.identity:
            return taken[1] == ABLE
        if not entries_after(self.store, self.project, 0, self.context.since, 1):
            return False
        told: dict[str, str] = {}
        asked = examination()
        for start in range(0, len(asked), BATCH):
            words = self._ask(asked[start : start + BATCH])
            if words is None:
                return False
            told.update(words)
        able, how = passed(told)
        ended = UNHEARD if not was_heard(told) else ABLE if able else UNABLE
        with self.context.write() as tx:
            self.context.put_mark(tx, "exam", f"{self.context.now()} {ended} {self.model.identity}")
        if ended == UNHEARD:
            self.notes.append(
                f"{self.model.identity} answered {len(told)} of {len(asked)} questions of its exam; it is asked again."
            )
        elif ended == UNABLE:
            self.notes.append(
                f"{self.model.identity} is not asked which lessons are one: of pairs with known answers it {how}."
            )
        return ended == ABLE

    # -- pairs ------------------------------------------------------------------------------------

    def _asks(self) -> bool:
        """Whether all there was could be asked and settled."""
        for ids, mark in self.changed("same", MOST_ASKED):
            pairs = self._pairs(ids)
            for start in range(0, len(pairs), BATCH):
                if not self.context.bound.has_room:
                    self.left += len(pairs) - start
                    return False
                if not self._settled(pairs[start : start + BATCH]) or self.left:
                    return False
            with self.context.write() as tx:
                self.context.put_mark(tx, "same", mark)
        return not self.more

    def _pairs(self, ids: Sequence[str]) -> list[Pair]:
        found = []
        for memory in self.store.memories(ids):
            near = worth_asking(self.near(memory)) if is_in_force(memory) else []
            for other, likeness in near:
                self.seen.add(pair_name(memory, other))
                if not self._is_known(memory, other):
                    found.append(Pair(memory, other, likeness.score))
        return found

    def near(self, memory: Memory) -> Iterator[tuple[Memory, Likeness]]:
        """The nearest, measured with counts for the words of both: by one side's alone all others count as rare, and twins as strangers."""
        closest = sorted(super().near(memory), key=lambda each: -each[1].score)[:CLOSEST]
        texts = (memory.text, *(other.text for other, _ in closest))
        words = dict.fromkeys(word for text in texts for word in query_words(text, self.words))
        counted = self.store.find([self.project], [*words], limit=1)
        rare = rarity(counted.frequency, counted.rows)
        for other, _ in closest:
            yield other, compare(readied(memory), readied(other), rare)

    def _is_known(self, a: Memory, b: Memory) -> bool:
        """Whether nobody need be asked. What a model called opposite is put before a person once both may be given."""
        asked = [each for each in raised(self.store, a, b, "merge") if _was_answered(each)]
        contradiction = raised(self.store, a, b, "contradiction")
        if not contradiction and any(each.decision == OPPOSITE for each in asked) and _may_be_given(a, b):
            with self.context.write() as tx:
                self.contradicts(tx, a, b, "a model's word")
        return bool(asked or contradiction) or were_parted(self.store, a.id, b.id)

    def _settled(self, batch: Sequence[Pair]) -> bool:
        """Ask about a batch, and about what was left out in ever smaller ones; False where nobody answers."""
        waiting = {self.context.ids(): pair for pair in batch}
        told = self._ask([Pairing(id, pair.a.text, pair.b.text) for id, pair in waiting.items()])
        if told is None:
            return False
        self.answered += len(told)
        with self.context.write() as tx:
            for id, word in told.items():
                self._settle(tx, waiting.pop(id), word)
        left = list(waiting.values())
        if len(batch) == 1 and left:
            return self._unanswered(left[0])
        half = (len(left) + 1) // 2
        return all(self._settled(part) for part in (left[:half], left[half:]) if part)

    def _unanswered(self, pair: Pair) -> bool:
        """One pair, asked about alone, without an answer: kept so, if others are answered; else nobody answers at all."""
        if not self.answered:
            self.notes.append(
                f"{self.model.identity} answered nothing that can be read; its questions are asked again."
            )
            return False
        self.notes.append(f"{self.model.identity} does not say whether {pair.a.id} and {pair.b.id} are one.")
        with self.context.write() as tx:
            self._settle(tx, pair, UNANSWERED)
        return True

    def _settle(self, tx: Transaction, pair: Pair, word: str) -> None:
        both = self.as_seen(tx, pair)
        if both is None:
            return
        stays, goes = keeper(*both)
        if self.is_persons(goes) and not self.is_persons(stays):
            stays, goes = goes, stays  # what a person said stays; what runs saw in other words counts for it
        if word == SAME:
            self._join(tx, pair, stays, goes)
            return
        if word == OPPOSITE and _may_be_given(*both):
            self.contradicts(tx, *both, "a model's word")
        told = f"a model was asked whether it says the same as {goes.alias or goes.id}"
        self._keep(tx, self.proposal("merge", stays, goes, told), REJECTED, word)

    def _join(self, tx: Transaction, pair: Pair, stays: Memory, goes: Memory) -> None:
        """Merge, or leave it to a person: one in ten, what is a person's word, and all while people take its merges back."""
        made = self.proposal("merge", stays, goes, f"says the same as {goes.alias or goes.id}, by a model's word")
        self.same += 1
        persons = self.is_persons(goes) or any(is_person(entry.by) for entry in tx.entries(memory=goes.id, verb="edit"))
        if not self.alone or is_checked(made.id) or persons:
            tx.put_proposal(with_word(made, "model", "promote", SAME, made.created_at, alone=False))
            self.asked.append(made.id)
        elif not self.context.bound.take():
            self.left += 1
        else:
            told = f"says the same as {stays.alias or stays.id} (alike {pair.score:.2f}, by a model's word)"
            self.merge(tx, stays, goes, told)
            self._keep(tx, made, APPROVED, SAME)

    def _keep(self, tx: Transaction, made: Proposal, state: str, word: str) -> None:
        """A decided proposal: that is how it is known what was asked, and how the model fares."""
        action = "promote" if word == SAME else "reject"
        told = with_word(made, "model", action, word, made.created_at, alone=True)
        tx.put_proposal(
            replace(told, state=state, tier="model", decided_by=BY_MODEL, decided_at=made.created_at, decision=word)
        )


def forget_reader(context: Context) -> None:
    """No model is there: learning waits for none."""
    if context.mark(READS):
        with context.write() as tx:
            context.put_mark(tx, READS, "")


def _was_answered(proposal: Proposal) -> bool:
    """Whether a person or a model had a word on it; what words put before a person and nobody looked at is open still."""
    decided = proposal.state in (APPROVED, REJECTED) and (
        proposal.decided_by == BY_MODEL or is_person(proposal.decided_by)
    )
    return decided or bool((proposal.payload or {}).get("judged"))


def _may_be_given(a: Memory, b: Memory) -> bool:
    return a.state in INJECTABLE and b.state in INJECTABLE


def merging(store: Reads, project: str) -> TrackRecord:
    """How a model's merges fared with people: decided as it advised, or taken back. Of what it kept apart nothing is known."""
    told = []
    for proposal in judged_proposals(store, project, "merge", "promote"):
        pair = (proposal.memory, str((proposal.payload or {}).get("other", "")))
        decided = proposal.state if proposal.state in (APPROVED, REJECTED) and is_person(proposal.decided_by) else ""
        told.append(("promote", Later(decided, taken_off=were_parted(store, *pair))))
    return track_record("merges", told)
