"""What a machine's memory has to do with the team's lines: what it says of itself, what it takes in, what it asks.

Lesson by lesson, each in one transaction with all that belongs to it. The lines are kept before they are sent: whatever happens in
between, the next run finds what was not sent, and a line that comes twice changes nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tacit.core.clock import after_days
from tacit.core.digest import short_hash
from tacit.core.edits import ERASED_BY, erased
from tacit.core.errors import TacitError
from tacit.core.journal import Hand, recorded
from tacit.core.proposal import APPROVED, OPEN, Proposal
from tacit.core.states import GONE
from tacit.core.value import grouped, replace, value
from tacit.lesson import Lesson, columns_of
from tacit.safety.witness import Vouch, unless_it_acts
from tacit.store import lines as shared
from tacit.store.erase import blank
from tacit.store.reads import WorkContext
from tacit.store.writes import Transaction
from tacit.sync import lessons
from tacit.sync.fold import ADD, CHANGE, ERASE, HOLD, KNOWN, OUT, PASS, Act, Here, decided
from tacit.sync.line import Line, after, digest_of_says, item_of, written

CHUNK = 200  # lessons a transaction: others get their turn in between
BY = "sync"


@value
class Told:
    """What became of one lesson."""

    lesson: str
    what: str  # added, changed, taken out, brought back, erased, held, asked
    text: str
    was: str = ""  # its text before, where that changed
    by: str = ""
    signer: str = ""  # empty: nobody who is allowed
    state: str = ""


@value
class Taken:
    """What was done with the lines of others."""

    fresh: tuple[Line, ...] = ()  # new here
    told: tuple[Told, ...] = ()
    asked: int = 0  # questions made
    unsigned: Mapping[str, int] = {}  # machine, and lines of nobody who is allowed
    refused: tuple[tuple[str, str], ...] = ()  # machine, and why a line could not be taken


class Shelf:
    """The shared lessons of one project in one store."""

    def __init__(
        self,
        work: WorkContext,
        machine: str,
        *,
        me: str = "",
        erase_outside: Callable[[Lesson], object] = lambda memory: None,
        vouch: Vouch = unless_it_acts,
    ) -> None:
        self.vouch = vouch
        self.store, self.project, self.profile = work.store, work.project.id, work.profile
        self.machine, self.me, self.now = machine, me, work.now
        self._erase_outside = erase_outside

    # -- what is remembered of earlier runs ---------------------------------------------------------

    @property
    def state(self) -> dict[str, Any]:
        """How this project is shared, and how far each machine was heard."""
        found: dict[str, Any] = json.loads(self.store.meta(f"sync:{self.project}") or "{}")
        return found

    def keep(self, state: Mapping[str, Any]) -> None:
        """Remember it."""
        with self.store.write() as tx:
            tx.put_meta(f"sync:{self.project}", json.dumps(state, sort_keys=True))

    # -- what is told to others ---------------------------------------------------------------------

    def say(self) -> int:
        """Make a line of each shared lesson that says something else than its last line; how many."""
        said, made = shared.said(self.store, self.project), 0
        every = self.store.select([self.project], sort="old", limit=-1, states=())
        todo = [m.id for m in every if lessons.is_new(m, said.get(m.id))]
        number = shared.last_number(self.store, self.project, self.machine)
        for start in range(0, len(todo), CHUNK):
            with self._write() as tx:
                for memory in tx.memories(todo[start : start + CHUNK]):
                    number += 1
                    self._say(tx, memory, number)
                    made += 1
        return made

    def _say(self, tx: Transaction, memory: Lesson, number: int) -> None:
        known = self._lines(tx, memory.id)
        last = max((line.at for line in known), default="")
        by = lessons.worded_by(tx.entries(memory=memory.id, newest=True, limit=100))
        says = lessons.says(memory)
        at = after(memory.updated_at, last)
        line = written(self.machine, number, memory.id, at, by, says)
        self._keep(tx, line, shared.OWN, memory)
        if known:
            self._close(tx, memory.id, frozenset())

    def untold(self) -> int:
        """How many lessons the next run would tell others of."""
        said = shared.said(self.store, self.project)
        every = self.store.select([self.project], sort="old", limit=-1)
        return sum(lessons.is_new(m, said.get(m.id)) for m in every)

    def private(self) -> int:
        """Lessons that only one person was heard to say: they stay at home until somebody raises them."""
        said = shared.said(self.store, self.project)
        every = self.store.select([self.project], sort="old", limit=-1)
        return sum(m.id not in said and lessons.is_one_persons(m) for m in every)

    def own(self) -> list[Line]:
        """The lines that were made here, in their order; those of erased lessons have no words and are not among them."""
        rows = shared.lines_by(self.store, self.project, self.machine)
        return [line for _, _, words in rows if words and (line := _line(words, self.machine))]

    def gone(self) -> dict[bytes, str]:
        """Digests of lines made here whose lesson was erased since."""
        rows = shared.lines_by(self.store, self.project, self.machine)
        return {bytes.fromhex(id): lesson for id, lesson, words in rows if not words}

    def kept(self) -> set[bytes]:
        """Every line that is here."""
        return {bytes.fromhex(id) for id in shared.ids_known(self.store, self.project)}

    def tell_again(self, lines: Iterable[Line]) -> None:
        """Forget lines of our own that reached nobody: their lessons are told anew under another name."""
        with self._write() as tx:
            shared.drop_lines(tx, self.project, [line.digest.hex() for line in lines])

    # -- what others tell ---------------------------------------------------------------------------

    def take(self, lines: Iterable[Line], *, dry_run: bool = False) -> Taken:
        """Take in the lines that are not known yet, lesson by lesson."""
        known = shared.ids_known(self.store, self.project)
        fresh = [line for line in lines if _is_news(line, known.get(line.digest.hex()))]
        taking = _Taking()
        by_lesson = [*grouped(fresh, lambda line: line.lesson).items()]
        for start in range(0, len(by_lesson), CHUNK):
            with self._write(keep=not dry_run) as tx:
                for lesson, told in by_lesson[start : start + CHUNK]:
                    self._take(tx, lesson, sorted(told, key=lambda line: line.stamp), taking)
        self.finish_erasing()
        return taking.done()

    def _take(self, tx: Transaction, lesson: str, lines: Sequence[Line], taking: _Taking) -> None:
        memory = next(iter(tx.memories([lesson])), None)
        if memory is not None and memory.project != self.project:
            taking.refuse(lines[0], "it names a lesson of another project")
            return
        known = self._lines(tx, lesson)
        counted = [line for line in known if line.signer != _NOBODY]
        asked: dict[str, Proposal] = {}
        for line in lines:
            line = replace(line, signer="me" if self._is_mine(line) else line.signer)
            act = self._decided(tx, memory, line, counted)
            try:
                memory = self._do(tx, memory, line, act, taking)
            except TacitError as error:
                taking.refuse(line, error.message)
                continue
            if line.signer:
                counted.append(line)
            if act.asks and memory is not None:
                proposal = self._question(memory, line, act.asks)
                asked[proposal.id] = proposal
        if memory is not None:
            says = digest_of_says(lessons.says(memory))
            shared.settle_lesson(tx, self.project, lesson, says)
        self._ask(tx, lesson, asked, any(line.signer for line in lines), taking)

    def _decided(
        self, tx: Transaction, memory: Lesson | None, line: Line, counted: Sequence[Line]
    ) -> Act:
        last = max((each.stamp for each in counted), default=None)
        authors = {each.signer for each in counted if each.says.get("text")}
        if memory is not None and not counted and not lessons.is_held(memory):
            authors.add("me")  # it came here another way
        here = None
        if memory is not None:
            confirmed = lessons.is_confirmed(
                memory, tx.machine, tx.entries(memory=memory.id, newest=True, limit=100)
            )
            here = Here(lessons.says(memory), confirmed, lessons.is_held(memory))
        return decided(line, here, last, authors)

    def _is_mine(self, line: Line) -> bool:
        return bool(line.signer) and line.signer == self.me

    def _do(
        self, tx: Transaction, was: Lesson | None, line: Line, act: Act, taking: _Taking
    ) -> Lesson | None:
        """Make a line's change; the lesson as it is then."""
        standing = shared.MATE if line.signer else shared.UNKNOWN
        if not line.signer and act.what != HOLD:
            taking.leave(line)
        now = was
        if act.what == ERASE:
            now = self._erase(tx, was, line)
        elif act.what in (ADD, HOLD):
            now = lessons.born(line, self.project, was, self.vouch, mine=line.signer == "me")
        elif act.what == CHANGE and was is not None:
            now = lessons.changed(was, line, self.vouch, mine=line.signer == "me")
        elif act.what == OUT and was is not None:
            now = lessons.put_away(was, line)
        if now is not None and act.what not in (ERASE, KNOWN):
            self._enter(tx, was, now, line, act)
        if act.what != KNOWN or line.signer:
            self._keep(tx, line, standing, now)
            taking.fresh.append(line)
        if now is not None and (act.asks or was is None or columns_of(now) != columns_of(was)):
            taking.tell(was, now, line, act)
        return now

    def _enter(
        self, tx: Transaction, was: Lesson | None, now: Lesson, line: Line, act: Act
    ) -> None:
        reason = f"{_name(line)} said so on another machine"
        if act.what == PASS:
            said = line.says.get("text") or line.state
            reason = (
                f"{_name(line)} said: {said} ({'asked' if act.asks else 'a later word stands'})"
            )
        elif was is not None and columns_of(was) == columns_of(now):
            return
        made = recorded(
            was, now, Hand(line.by or BY, line.at), "add" if was is None else BY, reason
        )
        tx.apply(replace(made, entry=replace(made.entry, machine=line.machine)))

    def _erase(self, tx: Transaction, was: Lesson | None, line: Line) -> Lesson | None:
        """Blank what its own author erased; what lies outside the store is noted and blanked after the commit."""
        if was is None:
            return None
        made = erased(was, Hand(line.by or BY, line.at))
        tx.apply(replace(made, entry=replace(made.entry, machine=line.machine)))
        blank(tx, tx.get(was.id), self.now())
        left = json.loads(tx.meta(self._erasing) or "{}")
        tx.put_meta(self._erasing, json.dumps({**left, was.id: was.on_page}))
        return tx.get(was.id)

    @property
    def _erasing(self) -> str:
        return f"sync:erasing:{self.project}"

    def finish_erasing(self) -> None:
        """Blank what lies outside the store for each lesson that others erased, also for those a killed run left to us."""
        waiting = json.loads(self.store.meta(self._erasing) or "{}")
        for id, on_page in waiting.items():
            self._erase_outside(replace(self.store.get(id), on_page=on_page))
        if waiting:
            with self.store.write() as tx:
                left = json.loads(tx.meta(self._erasing) or "{}")
                rest = {id: flag for id, flag in left.items() if id not in waiting}
                tx.put_meta(self._erasing, json.dumps(rest))

    # -- questions ----------------------------------------------------------------------------------

    def _question(self, memory: Lesson, line: Line, what: str) -> Proposal:
        name = _name(line)
        told = f"{name} worded it anew; your words stay as they are"
        fields: dict[str, Any] = {"text": line.says.get("text", "")}
        if what == "end":
            told = f"{name} took it out; it stays as it is here"
            fields = {"state": GONE, "closed_by": name, "previous_state": memory.state}
        if what == "erase":
            told = f"{name} erased it on another machine; a yes erases it here, too, for good"
        payload = {"erase": True} if what == "erase" else {"fields": fields}
        return Proposal(
            short_hash("line", self.project, line.digest.hex()),
            self.project,
            "fork",
            told,
            BY,
            self.now(),
            memory.id,
            tier="person",
            payload={**payload, "by": name, "stands": "you"},
            expires_at=after_days(self.now(), self.profile.triage.expire_days),
        )

    def _ask(
        self,
        tx: Transaction,
        lesson: str,
        asked: Mapping[str, Proposal],
        settles: bool,
        taking: _Taking,
    ) -> None:
        newest = list(asked)[-1:]
        if settles:
            self._close(tx, lesson, frozenset(newest))
        for id in newest:
            if tx.proposal(id) is None:
                tx.put_proposal(asked[id])
                taking.asked += 1

    def _close(self, tx: Transaction, lesson: str, but: frozenset[str]) -> None:
        """A later word leaves no question about the former one."""
        for each in tx.proposals(memory=lesson, state=OPEN):
            if each.kind == "fork" and each.by == BY and each.id not in but:
                closed = {"decided_by": BY, "decided_at": self.now()}
                why = "a later word settled it"
                tx.put_proposal(replace(each, state=APPROVED, decision=why, **closed))

    # -- the store ----------------------------------------------------------------------------------

    def _write(self, keep: bool = True) -> Transaction:
        return self.store.write(confidence=self.profile.signals.confidence, keep=keep)

    def _lines(self, tx: Transaction, lesson: str) -> list[Line]:
        """The lines of a lesson that are known, each with its signer."""
        found = []
        for standing, signer, machine, n, at, body in shared.rows_of(tx, self.project, lesson):
            line = _line(body, machine) if body else None
            if line is None:
                line = Line(machine, n, lesson, at, "", {"state": "erased"}, "")
            nobody = standing == shared.UNKNOWN
            found.append(replace(line, signer=_NOBODY if nobody else signer or "me"))
        return found

    def _keep(self, tx: Transaction, line: Line, standing: str, memory: Lesson | None) -> None:
        signer = "" if line.signer == "me" else line.signer
        said = digest_of_says(lessons.says(memory)) if memory else ""
        shared.keep_line(tx, self.project, line, standing, signer, said)


_NOBODY = "nobody"


class _Taking:
    """What is found on the way."""

    def __init__(self) -> None:
        self.asked = 0
        self.fresh: list[Line] = []
        self.told: list[Told] = []
        self.unsigned: dict[str, int] = {}
        self.refused: list[tuple[str, str]] = []

    def leave(self, line: Line) -> None:
        self.unsigned[line.machine] = self.unsigned.get(line.machine, 0) + 1

    def refuse(self, line: Line, why: str) -> None:
        self.refused.append((line.machine, f"line {line.n}: {why}"))

    def tell(self, was: Lesson | None, now: Lesson, line: Line, act: Act) -> None:
        if act.asks:
            what = "asked"
        elif now.closed_by == ERASED_BY:
            what = "erased"
        elif was is None or lessons.is_held(was):
            what = "added" if now.gate == "allow" else "held"
        elif now.state == GONE and was.state != GONE:
            what = "taken out"
        elif was.state == GONE and now.state != GONE:
            what = "brought back"
        else:
            what = "changed"
        before = was.text if was is not None and was.text != now.text else ""
        self.told.append(Told(now.id, what, now.text, before, line.by, _signer(line), now.state))

    def done(self) -> Taken:
        return Taken(
            tuple(self.fresh),
            tuple(self.told),
            self.asked,
            dict(self.unsigned),
            tuple(self.refused),
        )


def _is_news(line: Line, standing: str | None) -> bool:
    """Whether a line is not known, or somebody who is allowed has signed it after all."""
    return standing is None or (standing == shared.UNKNOWN and bool(line.signer))


def _line(words: str, machine: str) -> Line | None:
    found = item_of(words.encode(), machine, "store")
    return found if isinstance(found, Line) else None


def _signer(line: Line) -> str:
    return line.by if line.signer == "me" else line.signer


def _name(line: Line) -> str:
    return _signer(line) or f"somebody on machine {line.machine}"
