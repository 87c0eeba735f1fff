"""How the reading of sessions goes, for people: by rules, whose canary speaks, and by a model, whose exam and troubles are told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tacit.core.canary import DOUBTED, NOT_READ, canary_lines, silent_lines
from tacit.core.clock import after_days
from tacit.core.errors import UsageError, numbered
from tacit.hosts import readers
from tacit.learn import learning
from tacit.reading.session import exam_key, examined
from tacit.store.counts import recent
from tacit.store.readings import IS_READ, every, readings_folder

if TYPE_CHECKING:
    from tacit.opened import Opened

_OFTEN = 3  # attempts from which on it is told that a model was busy: until then it is tried again by itself


def retake_exam(opened: Opened) -> str:
    """Have the reader take its exam now; how it went, for people. Raises where nobody reads here, or nobody answers."""
    by, hosts = (
        str(opened.settings()["reader.by"].value),
        [*opened.settings()["reader.hosts"].value],
    )
    desk = learning.desk_of(
        opened, (hosts or [by])[0] if by in readers() or hosts else next(iter(readers()))
    )
    if desk is None:
        raise UsageError(
            "tacit doctor --exam: nobody reads sessions here.",
            "tacit connect HOST --read asks for a reader.",
        )
    failed = examined(desk, again=True).advises
    return f"{desk.model.identity}: " + (
        f"its exam failed: {failed}; it only advises" if failed else "it passed its exam"
    )


def reading_trouble(opened: Opened) -> list[str]:
    """Why sessions that should have been read were not, for the first screen; nothing where all is well."""
    if str(opened.settings()["reader.by"].value) in ("", "nobody"):
        return []
    found = [
        each
        for each in every(readings_folder(opened.store.path))
        if each.project == opened.project_id
    ]
    waits = [each for each in found if each.state != IS_READ and each.error]
    waits = [each for each in waits if each.attempts >= _OFTEN or "nothing to do" not in each.error]
    return [f"{numbered(len(waits), 'session')} not read yet: {waits[-1].error}"] if waits else []


def reading_notes(opened: Opened) -> list[str]:
    """How reading goes here, for doctor: who reads, how the exam went, what waits; nothing where nobody reads."""
    settings = opened.settings()
    by, hosts = str(settings["reader.by"].value), [*settings["reader.hosts"].value]
    if by in ("", "nobody"):
        return []
    model = learning.reader(opened, settings, (hosts or [by])[0])
    if model is None or "read" not in opened.profile.model.steps:
        return [
            f"reader: {by}, not here (reader.off, the profile, or no model that could be asked)"
        ]
    found = [
        reading
        for reading in every(readings_folder(opened.store.path))
        if reading.project == opened.project_id
    ]
    fared = opened.store.meta(exam_key(model.identity))
    at, _, failed = fared.partition(" ")
    exam = (
        f"only advises, its exam failed: {failed}"
        if failed
        else "passed its exam"
        if at
        else "took no exam yet"
    )
    done, waits = (
        sum(each.state == IS_READ for each in found),
        [each for each in found if each.state != IS_READ],
    )
    told = f"; {len(waits)} wait: {waits[0].error}" if waits else ""
    return [f"reader: {model.identity}, {exam}; {numbered(done, 'session')} read{told}"]


def unread(opened: Opened) -> list[str]:
    """Hosts and versions whose sessions of late may not have been read right, for people."""
    silent = json.loads(opened.store.meta(f"silent:{opened.project_id}") or "{}")
    return [
        *canary_lines(recent(opened.store, NOT_READ, after_days(opened.now(), -DOUBTED)[:10])),
        *silent_lines(silent),
    ]
