"""Guards: made from a lesson, tried on past sessions, armed and disarmed by a person, and what became of their firings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tacit import formats
from tacit.app.by_hand import ByHand
from tacit.core.digest import short_hash
from tacit.core.errors import Refused, TacitError, UsageError
from tacit.core.memory import Memory
from tacit.core.proposal import Proposal
from tacit.core.rows import run_id
from tacit.core.run import Run
from tacit.core.states import INJECTABLE
from tacit.core.value import grouped, replace, value
from tacit.formats.source import Source
from tacit.guards.condition import (
    ASK,
    GUARD_STEPS,
    OFF,
    REFUSE,
    Guard,
    guard_from,
    guard_json,
    only,
    reasons,
    says,
)
from tacit.guards.forms import best_form
from tacit.guards.history import (
    RIGHT,
    Record,
    firings_in,
    of_part,
    offers,
    recorded,
    why_not_offered,
)
from tacit.guards.make import guard_of, why_not
from tacit.guards.settle import armed_in, counted, keep_armed
from tacit.learn.feedback import confirm
from tacit.stores.incidents import Counts
from tacit.stores.lookups import CAME_BACK, used_often
from tacit.trial.coin import WITHHELD


@value
class Standing:
    """A guard that may be, is or was armed."""

    guard: Guard
    by: str = ""
    at: str = ""
    record: str = ""  # what it was armed on, in a sentence
    firings: Mapping[str, int] = {}  # since then: told, asked, refused; obeyed, overruled, went on


class Guarding(ByHand):
    """Guards: made from a lesson, tried on past sessions, armed and disarmed by a person."""

    def guards(self) -> list[Standing]:
        """The guards of this project that are armed."""
        return [
            Standing(
                guard,
                each["by"],
                each["at"],
                each["record"],
                counted(guard, self.store.marks(memory=guard.lesson), each["at"]),
            )
            for each in self._armed().values()
            for guard in [guard_from(each["guard"])]
        ]

    def guard_for(self, id: str) -> Guard:
        """The guard that a lesson makes; refused where it makes none, or may make none."""
        memory = self._may_guard(id)
        made = guard_of(memory, self._serving())
        if made is None:
            raise Refused(
                f"{memory.id} says nothing that code could check on a call.",
                "Word it as one of: Never `CALL`. Run `CALL`, not `CALL`. Run `CALL` before `CALL`. Never commit to main. Never edit FILE.",
            )
        return made

    def guardable(self) -> list[Guard]:
        """What lessons in force could guard and do not yet."""
        if not self.project:
            return []
        known: dict[str, set[tuple[str, ...]]] = {}
        for each in self._armed().values():
            guard = guard_from(each["guard"])
            known.setdefault(guard.lesson, set()).update(guard.condition.calls)
        lessons: Sequence[Memory] = self.store.select(
            [self.project_id], states=INJECTABLE, limit=-1
        )
        # what was noticed grows: a guard that is armed may come to know more calls
        return [
            one
            for one in self._guards_of(lessons)
            if one.lesson not in known or not {*one.condition.calls} <= known[one.lesson]
        ]

    def _guards_of(self, lessons: Iterable[Memory]) -> list[Guard]:
        serving = self._serving()
        made = (guard_of(each, serving) for each in lessons if not why_not(each))
        return [one for one in made if one is not None]

    def try_guard(self, id: str, sessions: Iterable[Run | Source]) -> tuple[Guard, Record]:
        """A lesson's guard, and what it would have done in past sessions."""
        guard = self.guard_for(id)
        return guard, recorded(guard, self._runs_of(sessions))

    def arm_guard(
        self, id: str, step: str, sessions: Iterable[Run | Source] = (), *, anyway: bool = False
    ) -> Standing:
        """Arm a lesson's guard, or raise it, on a person's word and on its record; `anyway`: whatever its record is.

        Of many calls those are armed whose own record is enough; a question leaves alone what is refused, as long as it asks about another.
        """
        if step not in GUARD_STEPS:
            raise UsageError(f"{step!r} is no step of a guard.", "ask or refuse.")
        self.need_person("A guard")
        guard, record = self.try_guard(id, sessions)
        known, key = self._armed(), f"{guard.lesson} {step}"
        other = f"{guard.lesson} {ASK if step == REFUSE else REFUSE}"
        enough = [
            part
            for to, part in offers(guard, record)
            if to in GUARD_STEPS[GUARD_STEPS.index(step) :]
        ]
        rows = {row for part in ([guard] if anyway else enough) for row in part.condition.calls}
        if not anyway and not enough:
            raise Refused(
                f"{record.said} {_lacks(guard, record, step)}",
                f"It stays a note; tacit guard {step} {guard.lesson} --anyway does it all the same.",
            )
        if other in known:
            theirs = {*guard_from(known[other]["guard"]).condition.calls}
            rows = rows - theirs if step == ASK and rows - theirs else rows
            left = only(guard, theirs - rows)
            if left is None or left == guard:
                known.pop(other)
            else:
                known[other] = {
                    **known[other],
                    "guard": guard_json(replace(left, step=other.partition(" ")[2])),
                }
        if key in known:
            rows |= {*guard_from(known[key]["guard"]).condition.calls}
        part = replace(only(guard, rows) or guard, step=step)
        return self._arm(known, part, of_part(part, record).said)

    def _arm(self, known: dict[str, dict[str, Any]], part: Guard, said: str) -> Standing:
        kept: dict[str, Any] = {
            "guard": guard_json(part),
            "by": self.actor.name,
            "at": self.now(),
            "record": said,
        }
        known[f"{part.lesson} {part.step}"] = kept
        keep_armed(self.store, self.ensure_project().id, known)
        self.note(f"guard {part.step} armed for {part.lesson}: {said}")
        with self.store.write() as tx:
            # whoever arms it stands for it: it has no coin of its own
            confirm(tx, part.lesson, by=self.actor.name, at=self.now())
        return Standing(part, self.actor.name, kept["at"], said)

    def offer_guards(self, sessions: Callable[[], Iterable[Run | Source]]) -> list[Proposal]:
        """Put a step into the inbox for each lesson that code can check and that came back in two sessions although it was given, where its
        record is enough. Sessions are read only where a lesson could be offered; what was offered once is not offered again."""
        if not self.project:
            return []
        project, given = self.project_id, {}
        used = self.store.memories(used_often(self.store, project, CAME_BACK))
        for guard in self._guards_of(each for each in used if each.state in INJECTABLE):
            runs = {use.run for use in self.store.uses(memory=guard.lesson) if use.arm != WITHHELD}
            if len(runs) >= CAME_BACK:
                given[guard.lesson] = (guard, runs)
        records = {lesson: Record() for lesson in given}
        back: dict[str, set[str]] = {lesson: set() for lesson in given}
        for run in self._runs_of(sessions()) if given else ():
            row = run_id(project, run.host, run.id)
            for lesson, (guard, runs) in given.items():
                found = tuple(firings_in(guard, run))
                records[lesson] = Record(
                    records[lesson].sessions + 1, records[lesson].firings + found
                )
                if row in runs and any(each.verdict == RIGHT for each in found):
                    back[lesson].add(row)
        armed = self._armed()
        made = []
        for lesson, (guard, _) in given.items():
            for step, part in (
                offers(guard, records[lesson]) if len(back[lesson]) >= CAME_BACK else ()
            ):
                known = armed.get(f"{lesson} {step}")
                if known and {*part.condition.calls} <= {
                    *guard_from(known["guard"]).condition.calls
                }:
                    continue
                said = f"{of_part(part, records[lesson]).said} It came back in {len(back[lesson])} sessions that were told of it."
                payload = {"step": step, "guard": guard_json(replace(part, step=step))}
                id = short_hash(project, "guard", lesson, step, *sorted(reasons(part)))
                made.append(
                    Proposal(
                        id,
                        project,
                        "guard",
                        f"It {says(part)}. {said}",
                        "tend",
                        self.now(),
                        lesson,
                        payload=payload,
                    )
                )
        with self.store.write() as tx:
            new = [each for each in made if tx.proposal(each.id) is None]
            for each in new:
                tx.put_proposal(each)
        return new

    def accept_guard(self, offer: Proposal) -> str:
        """Arm what was offered, on the record that was shown, and say so; refused where the lesson says another thing by now."""
        self.need_person("A guard")
        part = guard_from((offer.payload or {})["guard"])
        now = self.guard_for(offer.memory)
        if not reasons(part) <= reasons(now):
            raise Refused(
                f"{offer.memory} says another thing by now.", f"tacit guard try {offer.memory}"
            )
        known = self._armed()
        weaker = f"{part.lesson} {ASK}"
        if part.step == REFUSE and weaker in known:
            asked = guard_from(known.pop(weaker)["guard"])
            left = only(
                asked, [row for row in asked.condition.calls if row not in part.condition.calls]
            )
            if left is not None and left != asked:
                known[weaker] = {**self._armed()[weaker], "guard": guard_json(left)}
        done = self._arm(known, part, offer.reason)
        return f"it {'asks you' if done.guard.step == ASK else 'is refused'} from now on; back: tacit guard off {part.lesson}"

    def disarm_guard(self, id: str) -> list[Standing]:
        """Make a guard a note again."""
        self.need_person("A guard")
        known, lesson = self._armed(), self.get(id).id
        found = [known.pop(key) for key in [key for key in known if key.startswith(f"{lesson} ")]]
        if not found:
            raise Refused(f"No guard is armed for {id}.", "tacit guard lists them.")
        keep_armed(self.store, self.project_id, known)
        self.note(f"guard for {id} is a note again")
        return [
            Standing(
                replace(guard_from(each["guard"]), step=OFF), each["by"], each["at"], each["record"]
            )
            for each in found
        ]

    def _may_guard(self, id: str) -> Memory:
        memory = self.get(id)
        if reason := why_not(memory):
            raise Refused(
                f"{memory.id} can be no guard: {reason}.",
                "A guard stops work: it needs your own word, or what two pieces of work saw.",
            )
        return memory

    def _armed(self) -> dict[str, dict[str, Any]]:
        return armed_in(self.store, self.project_id) if self.project else {}

    def _serving(self) -> dict[str, list[str]]:
        """The commands that serve a purpose here, the best first."""
        by = grouped(
            Counts(self.store, self.project_id).forms() if self.project else (),
            lambda form: form.purpose,
        )
        return {
            purpose: list(
                dict.fromkeys(
                    ([best.text] if (best := best_form(some)) else [])
                    + [form.text for form in some if form.passed]
                )
            )
            for purpose, some in by.items()
        }

    def _runs_of(self, sessions: Iterable[Run | Source]) -> Iterable[Run]:
        for each in sessions:
            if isinstance(each, Run):
                yield each
                continue
            try:
                yield from (run for run in formats.read(each) if not run.is_replayed)
            except (TacitError, OSError):
                continue


def _lacks(guard: Guard, record: Record, step: str) -> str:
    """What a record lacks for a step."""
    lacks = (
        why_not_offered(record) or "no call that it names has a record of its own that is enough"
    )
    if step == REFUSE and not why_not_offered(record):
        lacks = "a refusal needs 10 judged firings in three pieces of work, none of them wrong"
    return f"{lacks[0].upper()}{lacks[1:]}."
