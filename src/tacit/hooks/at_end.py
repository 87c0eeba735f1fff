"""What a check says when an agent ends its work: one message back to it in a turn, with what to do; then the person hears of it.

Asked only where a check is armed. It counts as the store has it: armed by a person, its lesson in force in the words it was armed with.
A check is tossed against a mere note by the coin of lessons. What cannot be decided is silent and counted; what cannot be recorded is
not said; and whatever fails here lets the agent end.
"""

from __future__ import annotations

import os

from tacit.core import clock
from tacit.core.links import FIRED, GUARD_ASKED, TOLD, TURN, Mark
from tacit.core.rows import REPLAY_FOLDER, run_id
from tacit.core.states import ACTIVE
from tacit.core.value import loads
from tacit.hosts.dialect import SENDS_BACK, HookAnswer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tacit.core.run import Run
    from tacit.guards.finish import Check
    from tacit.hosts.dialect import Event
    from tacit.memory import Memory as Memories

LARGEST_TRANSCRIPT = 8_000_000  # bytes; a longer session is not judged while its agent waits
_WITHIN = 0.15  # seconds for the record of it


def at_end(memories: Memories, event: Event) -> HookAnswer:
    """What is said at the end of a turn; nothing where no check is armed, or nobody sits there."""
    nothing = HookAnswer()
    try:
        kept = loads(memories.store.meta("checks:" + memories.project_id) or "{}")
        if not kept or memories.env.get("TACIT_REPLAY") or REPLAY_FOLDER in event.folder:
            return nothing
        run = _run(event)
        if run is None or not _is_heard(memories, run):
            return nothing
        return _said(memories, event, run, kept)
    except Exception:
        return nothing  # a broken check is a note


def _run(event: Event) -> Run | None:
    from tacit.hosts import formats
    from tacit.hosts.source import FileSource

    if not event.transcript or os.path.getsize(event.transcript) > LARGEST_TRANSCRIPT:
        return None
    runs = formats.read(FileSource(event.transcript), None)
    return next((run for run in runs if run.id == event.session), None)


def _is_heard(memories: Memories, run: Run) -> bool:
    """Whether a person sits there. A program's call and CI are left alone unless somebody asks for it (TACIT_CHECKS=always)."""
    if memories.env.get("TACIT_CHECKS") == "always":
        return True
    reading = run.reading
    person = reading is not None and bool(reading.interactive or reading.entry)
    return person and not memories.env.get("CI")


def _said(
    memories: Memories, event: Event, run: Run, kept: dict[str, dict[str, object]]
) -> HookAnswer:
    from tacit.guards.finish import BROKEN, UNDECIDED, check_from, judged, work_of

    work = work_of(run)
    turn = sum(bool(step.typed and step.text and not step.agent) for step in run.steps)
    broken = []
    for lesson, row in kept.items():
        check = check_from(row["check"])  # type: ignore[arg-type]
        found = judged(check, work, _reads(event.folder))
        if found.word == UNDECIDED:
            _count(memories, "check_undecided")
        elif found.word == BROKEN and _is_in_force(memories, lesson, str(row["text"])):
            broken.append((lesson, check, found.said))
    return _spoken(memories, event, [*kept], broken, f"{TURN}{turn}") if broken else HookAnswer()


def _spoken(
    memories: Memories,
    event: Event,
    lessons: list[str],
    broken: list[tuple[str, Check, str]],
    key: str,
) -> HookAnswer:
    """Back to the agent, once in a turn with all that is not so; the second time the person hears of it."""
    from tacit.guards.finish import sentence

    project = memories.project_id
    run = run_id(project, event.host, event.session)
    said_before = {
        lesson: mark.value
        for lesson in lessons
        for mark in memories.store.marks(memory=lesson)
        if mark.signal == FIRED and mark.run == run and mark.reason == key
    }
    if said_before:
        heard = [
            f"{said} ({sentence(check)}; {lesson})"
            for lesson, check, said in broken
            if said_before.get(lesson) == GUARD_ASKED
        ]
        told = f"Not so at the end, although it was said: {'; '.join(heard)}."
        return HookAnswer(message=told if heard else "")
    unit, asked = run_id(project, event.host, event.root or event.session), []
    for lesson, check, said in broken:
        arm, rate = _tossed(memories, event, lesson)
        mark = Mark(
            lesson,
            unit,
            project,
            FIRED,
            arm,
            rate,
            run=run,
            surface=sentence(check),
            reason=key,
            at=clock.now(),
        )
        with memories.store.write(wait=_WITHIN) as tx:
            tx.add_mark(mark)
        if arm == GUARD_ASKED:
            asked.append(f"{said} (a check that the person armed: {sentence(check)})")
    if not asked:
        return HookAnswer()
    return HookAnswer(
        decision=SENDS_BACK, reason=f"Before you end: {'; '.join(asked)}. This is said once."
    )


def _tossed(memories: Memories, event: Event, lesson: str) -> tuple[str, float]:
    from tacit.trial.coin import WITHHELD, assign

    project = memories.project
    if project is None or memories.env.get("TACIT_COIN") == "never":
        return GUARD_ASKED, 0.0
    rate = memories.profile.trial.rate
    unit = run_id(project.id, event.host, event.root or event.session)
    arm = assign(project.trial_key, unit, f"check {lesson}", rate).arm
    return (TOLD if arm == WITHHELD else GUARD_ASKED), rate


def _reads(folder: str):  # type: ignore[no-untyped-def]
    from tacit.guards.finish import LARGEST
    from tacit.safety.files import head_of

    top = os.path.realpath(folder)

    def read(path: str) -> str | None:
        """What a file below the session's folder holds; None for any other, and for what is no text."""
        real = os.path.realpath(os.path.join(top, path))
        if not real.startswith(top + os.sep) or not os.path.isfile(real):
            return None
        try:
            return head_of(real, LARGEST).decode("utf-8")
        except UnicodeDecodeError:
            return None

    return read


def _is_in_force(memories: Memories, lesson: str, text: str) -> bool:
    found = memories.store.memories([lesson])
    return bool(found) and found[0].state == ACTIVE and found[0].text == text


def _count(memories: Memories, what: str) -> None:
    with memories.store.write(wait=_WITHIN) as tx:
        tx.count(memories.project_id, what, clock.now())
