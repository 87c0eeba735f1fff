"""A session on its way to being read: its page kept, its turn waited for, its model examined."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tacit.core import clock
from tacit.core.clock import days_between
from tacit.core.digest import short_hash
from tacit.core.errors import ModelUnavailable
from tacit.core.run import Run, Step
from tacit.core.value import replace
from tacit.reading import exam, page, prompt
from tacit.reading.answers import is_answer
from tacit.reading.page import UNSURE, rendered
from tacit.reading.questions import ReaderContext, kept_lines
from tacit.safety.record import texts_of
from tacit.safety.redact import redact, redact_value
from tacit.safety.repository import repository_before
from tacit.store import readings
from tacit.store.readings import WAITING, Reading

_HOLDS = {True: 30.0, False: 7.0}  # days for which an exam holds, by whether it was passed
READING_PATIENCE = (
    3  # a whole session takes longer than the questions that the profile's time is for
)
# seconds before a session is tried again, the last for ever
READING_BACKOFF = (60.0, 600.0, 3600.0, 21600.0, 86400.0)


def version() -> str:
    """Of rendering and questions together."""
    return f"{page.VERSION}.{prompt.VERSION}"


def prepared(
    folder: str, run: Run, id: str, project: str, at: str, *, again: bool = False
) -> Reading | None:
    """The reading of a finished run, waiting to be asked about, kept; None where there is nothing
    to read or nothing new in it.

    Every session with a typed line is read, or with one that perhaps is, and every run in which
    something failed. One that grew is read on; a fork that says nothing more than what was read of
    its origin is not read.
    """
    shown = rendered(run)
    if (
        not shown.typed
        and run.outcome != "failure"
        and not any(line.letter in ("E", UNSURE) for line in shown.lines)
    ):
        return None
    old, lines = readings.load(folder, id), kept_lines(shown)
    if old is not None and not again:
        if [line[3] or line[2] for line in old.lines] == [line[3] or line[2] for line in lines]:
            return old if old.state == readings.WAITING else None
        if old.state == readings.IS_READ and _goes_on(old.lines, lines):
            grown = replace(
                old,
                lines=lines,
                state=readings.WAITING,
                attempts=0,
                error="",
                not_before="",
                at=at,
            )
            return _begun(folder, grown, run)
    if (
        old is None
        and run.lineage
        and not again
        and _is_copy(readings.every(folder), run, project, lines)
    ):
        return None
    fresh = readings.Reading(
        id,
        project,
        run.host,
        run.id,
        run.path,
        lines=lines,
        version=version(),
        started_at=run.started_at,
        at=at,
        lineage=run.lineage,
    )
    return _begun(folder, fresh, run)


def _is_copy(
    read: Iterable[Reading], run: Run, project: str, lines: Sequence[Sequence[object]]
) -> bool:
    """Whether all that a run says was read, or is to be, in a session that it was copied from,
    or that was copied from it."""
    said = [(line[1], line[3] or line[2]) for line in lines]
    return any(
        [(line[1], line[3] or line[2]) for line in each.lines][: len(said)] == said
        for each in read
        if each.lineage == run.lineage and each.project == project
    )


def _begun(folder: str, reading: Reading, run: Run) -> Reading:
    """The reading, written down: where the session worked, and whose each of its texts is,
    scrubbed like all that is kept of it."""
    repository = repository_before(run.cwd, run.started_at, run.commit)
    reading = replace(reading, root=run.cwd, commit=repository.commit)
    readings.begin(folder, reading)
    # before calls are taken to pieces: a secret is known by what stands around it
    scrubbed = replace(run, steps=tuple(map(_scrubbed, run.steps)))
    readings.save_texts(folder, reading.run, texts_of(scrubbed, repository))
    return reading


def _scrubbed(step: Step) -> Step:
    said = {name: redact(getattr(step, name)).text for name in ("text", "output", "error")}
    return replace(step, **said, input=redact_value(step.input))


def afresh(reading: Reading) -> Reading:
    """A reading as if nobody had been asked yet: for another model, or other questions."""
    return replace(
        reading,
        state=WAITING,
        answers={},
        lessons=(),
        done=0,
        attempts=0,
        error="",
        not_before="",
        version=version(),
    )


def _goes_on(old: Sequence[Sequence[object]], new: Sequence[Sequence[object]]) -> bool:
    return len(new) > len(old) and all(a[1] == b[1] and a[5] == b[5] for a, b in zip(old, new))


def examined(desk: ReaderContext, *, again: bool = False) -> ReaderContext:
    """The desk with what the exam says of its model. It is taken once, again after a month (a
    week, if it failed), or on request."""
    if not desk.examine:
        return desk
    key = exam_key(desk.model.identity)
    own = desk.own or desk.store  # on a server everybody could write it
    at, _, ended = own.meta(key).partition(" ")
    if again or not at or days_between(at, desk.now()) >= _HOLDS[not ended]:
        asked = exam.prompts()
        schemas = (prompt.lessons_schema(), prompt.weigh_schema(len(exam.EXAM_PAIRS)))
        first = f"{key} first"  # its answer waits on the disk while the second question is asked
        said: list[str] = []
        for text, schema, name in zip(asked, schemas, ("lessons", "answers")):
            kept = "" if said or again else own.meta(first)
            each = kept or desk.model.ask(text, schema=schema, timeout=desk.profile.model.timeout_s)
            if not is_answer(each, name):
                raise ModelUnavailable(
                    f"{desk.model.identity} did not answer its exam in the form that was asked for.",
                    why="garbage",
                )  # nobody failed who was not heard
            if not said and not kept:
                with own.write() as tx:
                    tx.put_meta(first, each)
            said.append(each)
        graded = exam.grade(*said)
        ended = "" if graded.passed else graded.reason
        with own.write() as tx:
            tx.put_meta(key, f"{desk.now()} {ended}")
            tx.put_meta(first, "")
    return replace(desk, advises=ended, examine=False)


def exam_key(identity: str) -> str:
    """Where the store keeps how a model fared; another exam, or other words of its two
    questions, are another key."""
    return f"reader:exam:{short_hash(identity, exam.VERSION, *(prompt.VERSIONS[each] for each in ('lessons', 'weigh')))}"


def postponed(reading: Reading, error: str, now: str) -> Reading:
    """A reading that waits for another try, longer each time."""
    wait = READING_BACKOFF[min(reading.attempts, len(READING_BACKOFF) - 1)]
    return replace(
        reading,
        attempts=reading.attempts + 1,
        error=error,
        not_before=clock.stamp(clock.seconds(now) + wait),
        at=now,
    )
