"""Guards: typed or proposed, tried on past sessions, armed and disarmed by a person, and what became of their firings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.errors import Refused, TacitError, UsageError
from tacit.core.links import CONFIRMED
from tacit.core.run import Run
from tacit.core.states import ACTIVE
from tacit.core.value import replace, value
from tacit.guards.condition import (
    GUARD_STEPS,
    OFF,
    REFUSE,
    Guard,
    guard_from,
    guard_json,
)
from tacit.guards.forms import EXAMPLES, MOST, Form, condition_of, proposed, question
from tacit.guards.history import (
    Record,
    offered,
    recorded,
    why_not_offered,
)
from tacit.guards.settle import armed_in, counted, keep_armed
from tacit.hosts import formats
from tacit.hosts.source import Source
from tacit.learn import correcting, learning, looking
from tacit.learn.feedback import confirm
from tacit.lesson import Lesson, is_found_once
from tacit.reading.asked import rows
from tacit.reading.session import READING_PATIENCE
from tacit.safety.redact import redact

if TYPE_CHECKING:
    from tacit.opened import Opened

LONGEST_ANSWER = 40_000  # characters
FORMS = "forms:"  # with a project's id, what the store notes: forms that a reader proposed


@value
class Standing:
    """A guard that may be, is or was armed."""

    guard: Guard
    by: str = ""
    at: str = ""
    record: str = ""  # what it was armed on, in a sentence
    firings: Mapping[str, int] = {}  # since then: told, asked, refused; obeyed, overruled, went on


def guards(opened: Opened) -> list[Standing]:
    """The guards of this project that are armed."""
    return [
        Standing(guard, each["by"], each["at"], each["record"], counted(marks, each["at"]))
        for lesson, each in _armed(opened).items()
        for guard, marks in [(guard_from(each["guard"]), list(opened.store.marks(memory=lesson)))]
    ]


def guard_for(opened: Opened, id: str, form: str = "") -> Guard:
    """A lesson's guard, as its condition is typed, or as a reader proposed it; refused where nobody
    said it, or the lesson may be none."""
    memory = may_guard(opened, id)
    known = proposed_form(opened, memory)
    typed = form or (known.text if known and not known.end else "")
    if not typed:
        raise Refused(f"Nobody has said yet on which call {memory.id} speaks.", EXAMPLES)
    condition, instead = condition_of(typed)
    return Guard(memory.id, memory.text, condition, instead)


def guardable(opened: Opened) -> list[Guard]:
    """What lessons in force could guard, by a form that a reader proposed, and do not yet."""
    lessons = opened.store.memories([*_forms(opened)]) if opened.project else []
    armed = _armed(opened)
    return [
        guard_for(opened, each.id)
        for each in lessons
        if each.id not in armed
        and not why_not(each)
        and (known := proposed_form(opened, each)) is not None
        and not known.end
    ]


def proposed_form(opened: Opened, memory: Lesson) -> Form | None:
    """The form that a reader proposed for a lesson in the words that it has now."""
    kept = _forms(opened).get(memory.id, {})
    said = Form(str(kept.get("form", "")), bool(kept.get("end")))
    return said if said.text and kept.get("text") == memory.text else None


def reader_asks(opened: Opened) -> Callable[[str], str] | None:
    """How the reader of this project's sessions is asked; None where the user agreed to none."""
    left = looking.sessions_left(opened).values() if opened.project else ()
    models = (learning.reader_of(opened, each.host, each.session) for each in left)
    model = next((each for each in models if each is not None), None)
    if model is None:
        return None
    patience = READING_PATIENCE * opened.profile.model.timeout_s
    return lambda asked: redact(model.ask(asked, timeout=patience)).text[:LONGEST_ANSWER]


def propose_forms(opened: Opened, lessons: Sequence[Lesson], ask: Callable[[str], str]) -> int:
    """Have a reader say in which form each of these lessons can be checked; how many have one. What
    it leaves out is kept too, and not asked again in the same words."""
    known: dict[str, dict[str, Any]] = _forms(opened)
    new = [
        each
        for each in lessons
        if not why_not(each) and known.get(each.id, {}).get("text") != each.text
    ][:MOST]
    texts = [each.text for each in new]
    answer = rows(ask(question(texts)), "forms", "form") if new else None
    if answer is None:
        return 0
    found = proposed(answer, texts)
    none = Form("")
    kept = {
        each.id: {"text": each.text, "form": said.text, "end": said.end}
        for n, each in enumerate(new)
        for said in [found.get(n, none)]
    }
    with opened.store.write() as tx:
        tx.put_meta(FORMS + opened.project_id, json.dumps({**known, **kept}))
    return len(found)


def try_guard(
    opened: Opened, id: str, sessions: Iterable[Run | Source], form: str = ""
) -> tuple[Guard, Record]:
    """A lesson's guard, and what it would have done in past sessions."""
    guard = guard_for(opened, id, form)
    return guard, recorded(guard, runs_of(opened, sessions))


def arm_guard(
    opened: Opened,
    id: str,
    step: str,
    sessions: Iterable[Run | Source] = (),
    *,
    form: str = "",
    anyway: bool = False,
) -> Standing:
    """Arm a lesson's guard, or change its step, on a person's word and on its record; `anyway`:
    whatever its record is."""
    if step not in GUARD_STEPS:
        raise UsageError(f"{step!r} is no step of a guard.", "ask or refuse.")
    opened.need_person("A guard")
    guard, record = try_guard(opened, id, sessions, form)
    enough = offered(record)
    if not anyway and enough not in GUARD_STEPS[GUARD_STEPS.index(step) :]:
        raise Refused(
            f"{record.said} {_lacks(record, step)}",
            f"It stays a note; tacit guard {step} {guard.lesson} --anyway does it all the same.",
        )
    return _arm(opened, replace(guard, step=step), record.said)


def _arm(opened: Opened, guard: Guard, said: str) -> Standing:
    by, at = opened.actor.name, opened.now()
    kept = {"guard": guard_json(guard), "by": by, "at": at, "record": said}
    keep_armed(opened.store, opened.ensure_project().id, {**_armed(opened), guard.lesson: kept})
    correcting.note(opened, f"guard {guard.step} armed for {guard.lesson}: {said}")
    with opened.store.write() as tx:
        # whoever arms it stands for it: it has no coin of its own
        confirm(tx, guard.lesson, by=by, at=at)
    return Standing(guard, by, at, said)


def disarm_guard(opened: Opened, id: str) -> list[Standing]:
    """Make a guard a note again."""
    opened.need_person("A guard")
    known, lesson = _armed(opened), opened.get(id).id
    kept = known.pop(lesson, None)
    if kept is None:
        raise Refused(f"No guard is armed for {id}.", "tacit guard lists them.")
    keep_armed(opened.store, opened.project_id, known)
    correcting.note(opened, f"guard for {id} is a note again")
    off = replace(guard_from(kept["guard"]), step=OFF)
    return [Standing(off, kept["by"], kept["at"], kept["record"])]


def may_guard(opened: Opened, id: str) -> Lesson:
    memory = opened.get(id)
    if reason := why_not(memory):
        raise Refused(
            f"{memory.id} can be no guard: {reason}.",
            "A guard stops work: it needs your own word, or what two pieces of work saw.",
        )
    return memory


def _armed(opened: Opened) -> dict[str, dict[str, Any]]:
    return armed_in(opened.store, opened.project_id) if opened.project else {}


def _forms(opened: Opened) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(
        opened.store.meta(FORMS + opened.project_id) or "{}"
    )
    return found


def runs_of(opened: Opened, sessions: Iterable[Run | Source]) -> Iterable[Run]:
    for each in sessions:
        if isinstance(each, Run):
            yield each
            continue
        try:
            yield from (run for run in formats.read(each) if not run.is_replayed)
        except (TacitError, OSError):
            continue


def why_not(memory: Lesson) -> str:
    """Why a lesson can be no guard whatever it says; empty where it may: its words are a person's, or seen in two pieces of work.

    Found once, imported, quoted, synced and agents' words never are: a guard in the wrong hands stops somebody's work.
    """
    signals = memory.tally.signals or {}
    if memory.state != ACTIVE or memory.gate != "allow" or memory.verdict == "harms":
        return "it is not in force"
    if memory.trust == "user" or signals.get(CONFIRMED):
        heard = (memory.extra or {}).get("word")
        vouched = not heard or signals.get(CONFIRMED) or heard in ("said", "shown")
        return "" if vouched else f"heard as {heard}, and nobody confirmed it"
    if memory.trust == "observed":
        twice = memory.tally.seen >= 2 and not is_found_once(memory)
        return "" if twice else "one piece of work saw it"
    return "its words are not yet a person's: keep it first (tacit keep)"


def _lacks(record: Record, step: str) -> str:
    """What a record lacks for a step."""
    lacks = why_not_offered(record)
    if step == REFUSE and not lacks:
        lacks = "a refusal needs 10 judged firings in three pieces of work, none of them wrong"
    return f"{lacks[0].upper()}{lacks[1:]}."
