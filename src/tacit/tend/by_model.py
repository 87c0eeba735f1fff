"""A model's word on which lessons are one: on what words leave open, and on what they took for the same.

Words decide at once, inside a run's transaction, and go on alone where no model answers. Between runs a model reads after them.
Of a changed lesson's neighbours that words leave open (`tend.same`) it says which are one with it; those are merged, reversibly.
Of the sightings that words counted for a lesson in other words it says which are none; such a finding becomes a lesson of its own,
of the same family, and its sighting is taken off the other. Nothing is asked twice, and what is a person's word stays.

A model is examined before its word counts, and again each month. One merge in ten is left to a person, and it decides alone only as
long as people leave its merges standing.
"""

from __future__ import annotations

from tacit.core.clock import days_between
from tacit.core.errors import Unavailable
from tacit.core.keep import made
from tacit.core.lifecycle import INJECTABLE
from tacit.core.match import compare, prepare
from tacit.core.merge import apart, keeper, left_without
from tacit.core.profile import class_of, kind_named
from tacit.core.proposal import APPROVED, REJECTED
from tacit.core.value import replace, value
from tacit.tend.agreement import Later, standing
from tacit.tend.judge import is_checked, is_person, judged_proposals, with_word
from tacit.tend.pairs import BY, Joining, Pair, is_in_force, was_parted, was_raised, were_parted
from tacit.tend.same import (
    BATCH,
    DIFFERENT,
    OPPOSITE,
    SAME,
    Pairing,
    answers,
    examination,
    nearest,
    passed,
    question,
    schema,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tacit.core.memory import Memory
    from tacit.core.ports import Model
    from tacit.core.profile import Triage
    from tacit.core.proposal import Proposal
    from tacit.stores.sql import FindingRow, SqlStore
    from tacit.stores.sqlite import Transaction
    from tacit.tend.agreement import Standing
    from tacit.tend.context import Context

BY_MODEL = f"{BY}:model"  # who decided what a model was asked about
EXAMINED = 30.0  # days after which a model is examined again: what stands behind a name changes
MOST = 200  # lessons, and sightings, that one pass looks at; the next goes on where it stopped


@value
class Sighting:
    """A finding that words counted for a lesson, in other words than the lesson's."""

    n: int  # of its evidence
    finding: FindingRow
    memory: Memory


class Asking(Joining):
    """One pass: sightings first, for what is taken off a lesson is a lesson with neighbours of its own."""

    def __init__(self, context: Context, model: Model) -> None:
        super().__init__(context)
        self.model = model
        self.alone = merging(self.store, self.project, self.profile.triage).autonomous
        self.answered = self.same = self.parted = 0

    def walk(self) -> None:
        """Ask and settle, batch by batch, until nobody answers; what was not asked is asked in the next pass."""
        if not self._is_able():
            return
        if self.alone and not self._sightings():
            return
        self._neighbours()
        if self.parted:
            counted = "1 finding was" if self.parted == 1 else f"{self.parted} findings were"
            self.notes.append(f"{counted} counted for another lesson; by a model's word it is one of its own.")

    def _ask(self, shown: Sequence[Pairing]) -> Mapping[str, str] | None:
        """The model's word on each pair, by its name; None where nobody answers."""
        self.context.alive()
        self.context.tell("merge", f"asking about {len(shown)} pairs")
        try:
            said = self.model.ask(question(shown), schema=schema(), timeout=self.profile.model.timeout_s)
        except Unavailable as error:
            self.notes.append(f"Lessons that may be one wait for the model. {error.message}")
            return None
        return answers(said, shown)

    def _words(self, texts: Sequence[tuple[str, str]]) -> Mapping[int, str] | None:
        """The same, by a pair's place."""
        shown = [Pairing(f"p{n}", a, b) for n, (a, b) in enumerate(texts, 1)]
        told = self._ask(shown)
        if told is None:
            return None
        self.answered += len(told)
        return {place: told[each.id] for place, each in enumerate(shown) if each.id in told}

    def _is_able(self) -> bool:
        """Whether this model passed the exam, which is taken now if it was not within a month."""
        at, able, name = (*self.context.mark("exam").split(" ", 2), "", "", "")[:3]
        if name == self.model.identity and days_between(at, self.context.now()) < EXAMINED:
            return able == "able"
        told: dict[str, str] = {}
        asked = examination()
        for start in range(0, len(asked), BATCH):
            words = self._ask(asked[start : start + BATCH])
            if words is None:
                return False
            told.update(words)
        able_now, how = passed(told)
        with self.context.write() as tx:
            word = "able" if able_now else "unable"
            self.context.put_mark(tx, "exam", f"{self.context.now()} {word} {self.model.identity}")
        if not able_now:
            self.notes.append(f"{self.model.identity} is not asked which lessons are one: of pairs with known answers it {how}.")
        return able_now

    # -- what words leave open --------------------------------------------------------------------

    def _neighbours(self) -> bool:
        for ids, mark in self.changed("same", MOST):
            pairs = self._pairs(ids)
            for start in range(0, len(pairs), BATCH):
                batch = pairs[start : start + BATCH]
                told = self._words([(pair.a.text, pair.b.text) for pair in batch])
                if told is None:
                    return False
                with self.context.write() as tx:
                    for place, word in told.items():
                        self._settle(tx, batch[place], word)
            with self.context.write() as tx:
                if not self.left:  # what is left must be found again
                    self.context.put_mark(tx, "same", mark)
        return True

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

    def _settle(self, tx: Transaction, pair: Pair, word: str) -> None:
        both = self.as_seen(tx, pair)
        if both is None:
            return
        stays, goes = keeper(*both)
        if word == SAME:
            self._join(tx, pair, stays, goes)
        elif word == OPPOSITE and all(each.state in INJECTABLE for each in both):
            self.contradicts(tx, *both, "a model's word")
        else:
            self._keep_apart(tx, stays, goes)

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

    def _keep_apart(self, tx: Transaction, stays: Memory, goes: Memory) -> None:
        """Kept as decided: the pair is not asked about again."""
        told = f"a model was asked whether it says the same as {goes.alias or goes.id}"
        self._keep(tx, self.proposal("merge", stays, goes, told), REJECTED, DIFFERENT)

    def _keep(self, tx: Transaction, made: Proposal, state: str, word: str) -> None:
        action = "promote" if word == SAME else "reject"
        told = with_word(made, "model", action, word, made.created_at, alone=True)
        tx.put_proposal(
            replace(told, state=state, tier="model", decided_by=BY_MODEL, decided_at=made.created_at, decision=word)
        )

    # -- what words took for the same -------------------------------------------------------------

    def _sightings(self) -> bool:
        mark = self.context.mark("vetted")
        rows = self.store.rows(_COUNTED, p=self.project, after=int(mark) if mark.isdigit() else 0, most=MOST)
        waiting = [each for n, key, memory in rows if (each := self._sighting(n, key, memory)) is not None]
        for start in range(0, len(waiting), BATCH):
            batch = waiting[start : start + BATCH]
            told = self._words([(each.finding.text, each.memory.text) for each in batch])
            if told is None:
                return False
            with self.context.write() as tx:
                for place, word in told.items():
                    if word != SAME and not self._part(tx, batch[place]):
                        self.left += 1
                if not self.left:
                    self.context.put_mark(tx, "vetted", str(batch[-1].n))
        if rows and not self.left:
            with self.context.write() as tx:
                self.context.put_mark(tx, "vetted", str(rows[-1][0]))
        return True

    def _sighting(self, n: int, key: str, memory: str) -> Sighting | None:
        """What words alone vouch for: other words than the lesson's own, about no equal error, and nobody's hand in it."""
        found, row = self.store.memories([memory]), self.store.finding(key)
        if not found or row is None or not is_in_force(found[0]) or row.tier in self.profile.trust.person:
            return None
        lesson = found[0]
        if row.signature and row.signature == lesson.signature:
            return None
        mine, its = prepare(row.text), prepare(lesson.text)
        if mine.text == its.text or any(entry.at >= row.at for entry in self.store.entries(memory=memory, verb="edit")):
            return None  # a person's words for a lesson need not be those of its sightings
        nearer = compare(mine, its).score
        if any(compare(mine, prepare(each.text)).score >= nearer for each in self.store.memories(lesson.supersedes)):
            return None  # it was met in the words of one that was merged into it
        return Sighting(n, row, lesson)

    def _part(self, tx: Transaction, sighting: Sighting) -> bool:
        """The finding becomes a lesson of its own; False where this pass may change no more."""
        row, lesson = tx.finding(sighting.finding.key), tx.get(sighting.memory.id)
        if row is None or (row.memory, row.text, lesson.text) != (lesson.id, sighting.finding.text, sighting.memory.text):
            return True  # changed since it was looked at
        if not self.context.bound.take():
            return False
        at, id, kind = self.context.now(), self.context.ids(), kind_named(self.profile, row.kind)
        told = f"was counted for {lesson.id}; by a model's word it is another lesson"
        new = apart(lesson, row, id, kind, class_of(self.profile, kind), at)
        tx.apply(made(new, by=BY, reason=told, at=at, run=row.run, profile=self.context.project.profile))
        its = tx.evidence(lesson.id)
        for each in its:
            if each.finding == row.key:
                tx.add_evidence(replace(each, memory=id))
        if (less := left_without(lesson, its, row.key, by=BY, at=at)) is not None:
            tx.add_evidence(less)
        tx.put_finding(replace(row, memory=id, reason=told))
        tx.reword(lesson.id)
        tx.count(self.project, "parted", at)
        self._keep_apart(tx, lesson, new)
        self.parted += 1
        return True


# Sightings that were counted since the mark, each text once for each lesson.
_COUNTED = (
    "SELECT e.n, f.key, f.memory FROM evidence e JOIN finding f ON f.key = e.finding AND f.memory = e.memory"
    " WHERE e.project = :p AND e.n > :after AND e.signal = 'seen' AND e.stance = 'supports' AND e.opening = 0"
    " AND f.outcome = 'allow' AND f.text <> ''"
    " AND NOT EXISTS (SELECT 1 FROM finding g JOIN evidence h ON h.finding = g.key WHERE g.memory = f.memory AND g.memory <> ''"
    " AND g.digest = f.digest AND h.n < e.n) ORDER BY e.n LIMIT :most"
)


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
