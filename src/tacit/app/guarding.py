"""Guards: made from a lesson, tried on past sessions, armed and disarmed by a person, and what became of their firings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tacit import formats
from tacit.app.mending import Mending
from tacit.core.errors import Refused, TacitError, UsageError
from tacit.core.memory import Memory
from tacit.core.run import Run
from tacit.core.states import INJECTABLE
from tacit.core.value import replace, value
from tacit.enforce.guard import OFF, STEPS, Guard, guard_from, guard_json
from tacit.enforce.make import guard_of, why_not
from tacit.enforce.record import Record, best_part, of_part, offered, part_for, recorded, why_not_offered
from tacit.enforce.settle import armed_in, counted, keep_armed
from tacit.formats.source import Source
from tacit.learn.feedback import confirm
from tacit.learn.tell.lessons import best_form
from tacit.stores.incidents import Counts, Form


@value
class Standing:
    """A guard that may be, is or was armed."""

    guard: Guard
    by: str = ""
    at: str = ""
    record: str = ""  # what it was armed on, in a sentence
    firings: Mapping[str, int] = {}  # since then: told, asked, refused; obeyed, overruled, went on


class Guarding(Mending):
    """Guards: made from a lesson, tried on past sessions, armed and disarmed by a person."""

    def guards(self) -> list[Standing]:
        """The guards of this project that are armed."""
        return [
            Standing(
                guard_from(each["guard"]),
                each["by"],
                each["at"],
                each["record"],
                counted(self.store.marks(memory=lesson), each["at"]),
            )
            for lesson, each in self._armed().items()
        ]

    def guard_for(self, id: str) -> Guard:
        """The guard that a lesson makes; refused where it makes none, or may make none."""
        memory = self.get(id)
        if reason := why_not(memory):
            raise Refused(
                f"{memory.id} can be no guard: {reason}.",
                "A guard stops work: it needs your own word, or what two pieces of work saw.",
            )
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
        serving = self._serving()
        known = {lesson: guard_from(each["guard"]).condition.calls for lesson, each in self._armed().items()}
        lessons: Sequence[Memory] = self.store.select([self.project_id], states=INJECTABLE, limit=-1)
        made = (guard_of(each, serving) for each in lessons if not why_not(each))
        # what was noticed grows: a guard that is armed may come to know more calls
        return [
            each
            for each in made
            if each is not None and (each.lesson not in known or not {*each.condition.calls} <= {*known[each.lesson]})
        ]

    def try_guard(self, id: str, sessions: Iterable[Run | Source], step: str = "") -> tuple[Guard, Record]:
        """The part of a lesson's guard that is best offered, or offered for a step, and what it would have done in past sessions."""
        guard = self.guard_for(id)
        record = recorded(guard, self._runs_of(sessions))
        part = part_for(guard, record, step) if step else best_part(guard, record)[1]
        return part, of_part(part, record)

    def arm_guard(self, id: str, step: str, sessions: Iterable[Run | Source] = (), *, anyway: bool = False) -> Standing:
        """Arm a lesson's guard, or raise it, on a person's word and on its record; `anyway`: whatever its record is."""
        if step not in STEPS:
            raise UsageError(f"{step!r} is no step of a guard.", "ask or refuse.")
        self._need_person("A guard")
        self._need_file("A guard")
        guard, record = self.try_guard(id, sessions, "" if anyway else step)
        if not anyway and offered(record) not in STEPS[STEPS.index(step) :]:
            lacks = (
                why_not_offered(record)
                or "a refusal needs 10 judged firings in three pieces of work, none of them wrong"
            )
            raise Refused(
                f"{record.said} {lacks[0].upper()}{lacks[1:]}.",
                f"It stays a note; tacit guard {step} {guard.lesson} --anyway does it all the same.",
            )
        kept: dict[str, Any] = {
            "guard": guard_json(replace(guard, step=step)), "by": self.actor.name, "at": self.now(), "record": record.said,
        }  # fmt: skip
        self._keep_guards(
            {**self._armed(), guard.lesson: kept}, f"guard {step} armed for {guard.lesson}: {record.said}"
        )
        with self.store.write() as tx:
            # whoever arms it stands for it: it has no coin of its own
            confirm(tx, guard.lesson, by=self.actor.name, at=self.now())
        return Standing(replace(guard, step=step), kept["by"], kept["at"], record.said)

    def disarm_guard(self, id: str) -> Standing:
        """Make a guard a note again."""
        self._need_person("A guard")
        known = self._armed()
        found = known.pop(self.get(id).id, None)
        if found is None:
            raise Refused(f"No guard is armed for {id}.", "tacit guard lists them.")
        self._keep_guards(known, f"guard for {id} is a note again")
        return Standing(replace(guard_from(found["guard"]), step=OFF), found["by"], found["at"], found["record"])

    def _armed(self) -> dict[str, dict[str, Any]]:
        return armed_in(self.store, self.project_id) if self.project else {}

    def _keep_guards(self, guards: dict[str, dict[str, Any]], note: str) -> None:
        project = self.ensure_project().id
        keep_armed(self.store, project, guards)
        self.note(note)

    def _serving(self) -> dict[str, list[str]]:
        """The commands that serve a purpose here, the best first."""
        by: dict[str, list[Form]] = {}
        for form in Counts(self.store, self.project_id).forms() if self.project else ():
            by.setdefault(form.purpose, []).append(form)
        return {
            purpose: list(
                dict.fromkeys(
                    ([best.text] if (best := best_form(some)) else []) + [form.text for form in some if form.passed]
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
