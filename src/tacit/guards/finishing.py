"""Checks at the end of the work: typed by a person for a lesson, tried on past sessions, armed and taken back."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tacit.core.errors import Refused
from tacit.core.value import value
from tacit.guards import guarding
from tacit.guards.finish import CHECKS, Check, check_from, check_json, check_of, sentence
from tacit.guards.finish_history import FinishRecord, finish_record
from tacit.hosts.source import Source
from tacit.learn import correcting
from tacit.learn.feedback import confirm

if TYPE_CHECKING:
    from tacit.opened import Opened


@value
class ArmedCheck:
    """A check that speaks at the end of the work."""

    lesson: str
    text: str  # the lesson's words when it was armed
    check: Check
    by: str = ""
    at: str = ""
    record: str = ""


def checks(opened: Opened) -> list[ArmedCheck]:
    """The checks of this project that are armed."""
    kept = _checks(opened)
    return [
        ArmedCheck(
            lesson, row["text"], check_from(row["check"]), row["by"], row["at"], row["record"]
        )
        for lesson, row in kept.items()
    ]


def try_check(
    opened: Opened, id: str, typed: str, sessions: Iterable[Any | Source]
) -> tuple[Check, FinishRecord]:
    """What a check, as it is typed, would have said in past sessions."""
    guarding.may_guard(opened, id)
    check = check_of(typed)
    return check, finish_record(check, guarding.runs_of(opened, sessions))


def arm_check(
    opened: Opened, id: str, typed: str, sessions: Iterable[Any | Source] = ()
) -> ArmedCheck:
    """Have a check speak at the end of the work from now on; one that this lesson had gives way."""
    opened.need_person("A check")
    lesson = guarding.may_guard(opened, id)
    check, record = try_check(opened, id, typed, sessions)
    armed = ArmedCheck(lesson.id, lesson.text, check, opened.actor.name, opened.now(), record.said)
    _keep_checks(opened, {**_checks(opened), lesson.id: _row(armed)})
    correcting.note(opened, f"check armed for {lesson.id}: {sentence(check)}. {record.said}")
    with opened.store.write() as tx:
        confirm(tx, lesson.id, by=opened.actor.name, at=opened.now())
    return armed


def disarm_check(opened: Opened, id: str) -> ArmedCheck:
    """Make a check a note again."""
    opened.need_person("A check")
    lesson = opened.get(id).id
    found = next((each for each in checks(opened) if each.lesson == lesson), None)
    if found is None:
        raise Refused(f"No check is armed for {id}.", "tacit guard lists them.")
    kept = _checks(opened)
    kept.pop(lesson)
    _keep_checks(opened, kept)
    correcting.note(opened, f"check for {lesson} is a note again")
    return found


def _checks(opened: Opened) -> dict[str, Any]:
    if not opened.project:
        return {}
    found: dict[str, Any] = json.loads(opened.store.meta(CHECKS + opened.project_id) or "{}")
    return found


def _keep_checks(opened: Opened, rows: dict[str, Any]) -> None:
    project = opened.ensure_project().id
    with opened.store.write() as tx:
        tx.put_meta(CHECKS + project, json.dumps(rows))


def _row(armed: ArmedCheck) -> dict[str, Any]:
    return {
        "text": armed.text,
        "check": check_json(armed.check),
        "by": armed.by,
        "at": armed.at,
        "record": armed.record,
    }
