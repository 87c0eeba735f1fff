"""Checks at the end of the work: typed by a person for a lesson, tried on past sessions, armed and taken back."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tacit.app.guarding import Guarding
from tacit.core.errors import Refused
from tacit.core.value import value
from tacit.guards.finish import CHECKS, Check, check_from, check_json, check_of, sentence
from tacit.guards.finish_history import FinishRecord, finish_record
from tacit.hosts.source import Source
from tacit.learn.feedback import confirm


@value
class ArmedCheck:
    """A check that speaks at the end of the work."""

    lesson: str
    text: str  # the lesson's words when it was armed
    check: Check
    by: str = ""
    at: str = ""
    record: str = ""


class Finishing(Guarding):
    """Checks at the end of the work, on a person's word alone."""

    def checks(self) -> list[ArmedCheck]:
        """The checks of this project that are armed."""
        kept = self._checks()
        return [
            ArmedCheck(
                lesson, row["text"], check_from(row["check"]), row["by"], row["at"], row["record"]
            )
            for lesson, row in kept.items()
        ]

    def try_check(
        self, id: str, typed: str, sessions: Iterable[Any | Source]
    ) -> tuple[Check, FinishRecord]:
        """What a check, as it is typed, would have said in past sessions."""
        self._may_guard(id)
        check = check_of(typed)
        return check, finish_record(check, self._runs_of(sessions))

    def arm_check(self, id: str, typed: str, sessions: Iterable[Any | Source] = ()) -> ArmedCheck:
        """Have a check speak at the end of the work from now on; one that this lesson had gives way."""
        self.need_person("A check")
        lesson = self._may_guard(id)
        check, record = self.try_check(id, typed, sessions)
        armed = ArmedCheck(lesson.id, lesson.text, check, self.actor.name, self.now(), record.said)
        self._keep_checks({**self._checks(), lesson.id: _row(armed)})
        self.note(f"check armed for {lesson.id}: {sentence(check)}. {record.said}")
        with self.store.write() as tx:
            confirm(tx, lesson.id, by=self.actor.name, at=self.now())
        return armed

    def disarm_check(self, id: str) -> ArmedCheck:
        """Make a check a note again."""
        self.need_person("A check")
        lesson = self.get(id).id
        found = next((each for each in self.checks() if each.lesson == lesson), None)
        if found is None:
            raise Refused(f"No check is armed for {id}.", "tacit guard lists them.")
        kept = self._checks()
        kept.pop(lesson)
        self._keep_checks(kept)
        self.note(f"check for {lesson} is a note again")
        return found

    def _checks(self) -> dict[str, Any]:
        if not self.project:
            return {}
        found: dict[str, Any] = json.loads(self.store.meta(CHECKS + self.project_id) or "{}")
        return found

    def _keep_checks(self, rows: dict[str, Any]) -> None:
        project = self.ensure_project().id
        with self.store.write() as tx:
            tx.put_meta(CHECKS + project, json.dumps(rows))


def _row(armed: ArmedCheck) -> dict[str, Any]:
    return {
        "text": armed.text,
        "check": check_json(armed.check),
        "by": armed.by,
        "at": armed.at,
        "record": armed.record,
    }
