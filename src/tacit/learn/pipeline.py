"""Read a finished session with a model: render → ask → check → weigh → hold against what is known →
take in."""

from __future__ import annotations

from tacit.core.errors import Unavailable
from tacit.core.value import replace
from tacit.learn import asked_cures as cures
from tacit.learn.stage import Learned
from tacit.learn.take import take
from tacit.reading.judge import judge
from tacit.reading.questions import Questions, ReaderContext
from tacit.reading.session import READING_PATIENCE, examined, postponed
from tacit.store import readings
from tacit.store.readings import Reading


def read(desk: ReaderContext, reading: Reading) -> Learned:
    """Ask what is still to be asked about a session and take in what comes of it. A model that
    cannot be asked is a warning: it waits."""
    try:
        desk = examined(desk)
    except Unavailable as error:
        readings.keep_on(desk.folder, postponed(reading, error.message, desk.now()), reading.at)
        return Learned(
            reading.session,
            reading.host,
            warnings=(f"{reading.session}: not read yet. {error.message}",),
        )
    asking = Questions(
        reading, desk.folder, desk.model, READING_PATIENCE * desk.profile.model.timeout_s, desk.now
    )
    try:
        heard = judge(desk, asking)
    except Unavailable as error:
        readings.keep_on(
            desk.folder, postponed(asking.reading, error.message, desk.now()), reading.at
        )
        return Learned(
            reading.session,
            reading.host,
            warnings=(f"{reading.session}: not read yet. {error.message}",),
        )
    report, became = take(desk, asking.reading, heard)
    try:
        became += [
            {"failure": mark, "reason": reason}
            for mark, reason in cures.ask_cures(desk, asking.reading)
        ]
    except Unavailable as error:
        report = replace(report, warnings=(*report.warnings, f"{reading.session}: {error.message}"))
    done = replace(
        asking.reading,
        state=readings.IS_READ,
        done=len(reading.lines),
        lessons=(*asking.reading.lessons, *became),
        error="",
        not_before="",
        at=desk.now(),
    )
    readings.keep_on(desk.folder, done, reading.at)
    return report
