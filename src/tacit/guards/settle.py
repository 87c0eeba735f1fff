"""What became of a guard's firings once their session is over: obeyed or overruled, what followed,
and the step down by itself."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tacit.core.links import ENDING, FIRED, TOLD, TURN, Mark
from tacit.core.rows import run_id
from tacit.core.run import Run
from tacit.core.value import value
from tacit.guards.armed import GUARDS, write_armed
from tacit.guards.condition import Guard, call_key, guard_from
from tacit.guards.finish import BROKEN, CHECKS, check_from, judged, work_of
from tacit.guards.history import RIGHT, firings_in
from tacit.reading.calls import is_refused
from tacit.reading.command import line_of
from tacit.store.reads import Reads, Store, WorkContext
from tacit.store.story import put_note

OBEYED, OVERRULED, WENT_ON = "obeyed", "overruled", "went on"
OVERRULED_AT_MOST = 1  # two overruled firings make a guard a note again


@value
class End:
    """How one firing ended."""

    fired: Mark
    # OBEYED: the call did not run; OVERRULED: the person let it; WENT_ON: it was only told; of a
    # check what became of it by the end of the session
    what: str
    followed: str  # right, wrong or moot where the call ran; empty where it did not
    why: str = ""


def ends(guard: Guard, marks: Iterable[Mark], run: Run) -> list[End]:
    """How the firings that hooks recorded in this run ended."""
    ran: dict[str, list[str]] = {}
    for step in run.steps:
        if step.tool and not step.interrupted and not is_refused(step.error or step.output):
            for said in {line_of(step), *step.files} - {""}:
                ran.setdefault(call_key(said), []).append(step.place)
    judged = {each.place: each for each in firings_in(guard, run)}
    found = []
    for mark in marks:
        places = ran.get(mark.reason.partition(" ")[2], [])
        if not places:
            found.append(End(mark, OBEYED, ""))
            continue
        after = judged.get(places.pop(0))  # the same call twice is two firings, in their order
        what = WENT_ON if mark.value == TOLD else OVERRULED
        found.append(End(mark, what, after.verdict if after else "", after.why if after else ""))
    return found


def counted(marks: Sequence[Mark], since: str) -> dict[str, int]:
    """How often a lesson's guard fired since then, and how often each end came of it."""
    fired = {mark.reason: mark.value for mark in _firings(marks) if mark.at >= since}
    ended = {
        mark.surface: mark.value
        for mark in marks
        if mark.signal == ENDING and mark.surface in fired
    }
    return dict(Counter([*fired.values(), *ended.values()]))


def is_overruled(marks: Sequence[Mark], since: str) -> bool:
    """Whether a guard becomes a note by itself: two firings were overruled, and nothing that
    followed shows that they were right."""
    fired = {mark.reason for mark in _firings(marks) if mark.at >= since}
    last = {mark.surface: mark for mark in marks if mark.signal == ENDING and mark.surface in fired}
    against = [m for m in last.values() if m.value == OVERRULED and m.reason != RIGHT]
    return len(against) > OVERRULED_AT_MOST


def _firings(marks: Iterable[Mark], *, turns: bool = False) -> list[Mark]:
    """The firings of a guard, or those of a check, which are keyed by their turn."""
    return [m for m in marks if m.signal == FIRED and m.reason.startswith(TURN) is turns]


def settle_run(context: WorkContext, run: Run) -> list[End]:
    """Keep what became of the firings in a run that was learned; what was overruled twice becomes a note."""
    store, project = context.store, context.project.id
    known, checks = armed_in(store, project), json.loads(store.meta(CHECKS + project) or "{}")
    row = store.run(run_id(project, run.host, run.id)) if known or checks else None
    if row is None:
        return []
    found: list[End] = []
    for lesson, kept in [*known.items()]:
        guard, marks = guard_from(kept["guard"]), list(store.marks(memory=lesson))
        mine = ends(guard, [mark for mark in _firings(marks) if mark.run == row.id], run)
        found += mine
        marks += _put(context, marks, mine)
        if is_overruled(marks, kept["at"]):
            known.pop(lesson)
            keep_armed(store, project, known)
            with store.write() as tx:
                said = f"guard for {lesson} is a note again"
                put_note(tx, project, said, "overruled twice", "guard", context.now())
    for lesson, kept in checks.items():
        marks = list(store.marks(memory=lesson))
        fired = [mark for mark in _firings(marks, turns=True) if mark.run == row.id]
        if fired:
            word = judged(check_from(kept["check"]), work_of(run), lambda _: None).word
            mine = [End(mark, word, RIGHT if word == BROKEN else "") for mark in fired]
            found += mine
            _put(context, marks, mine)
    return found


def _put(context: WorkContext, marks: Sequence[Mark], found: Sequence[End]) -> list[Mark]:
    """Keep the ends that are new, or differ from what was kept before."""
    before = {(mark.run, mark.surface): mark for mark in marks if mark.signal == ENDING}
    made = []
    for end in found:
        fired = end.fired
        was = before.get((fired.run, fired.reason))
        if was is not None and (was.value, was.reason) == (end.what, end.followed):
            continue
        mark = Mark(
            fired.memory,
            fired.unit,
            context.project.id,
            ENDING,
            end.what,
            run=fired.run,
            surface=fired.reason,
            reason=end.followed,
            at=context.now(),
        )
        made.append(mark)
        with context.store.write() as tx:
            tx.add_mark(made[-1])
    return made


def armed_in(store: Reads, project: str) -> dict[str, dict[str, Any]]:
    """What a project's store notes of its armed guards, by lesson."""
    found: dict[str, dict[str, Any]] = json.loads(store.meta(GUARDS + project) or "{}")
    return found


def keep_armed(store: Store, project: str, guards: Mapping[str, Mapping[str, Any]]) -> None:
    """Note which guards are armed, and write the file that hooks read."""
    with store.write() as tx:
        tx.put_meta(GUARDS + project, json.dumps(guards))
    every = {each.id: armed_in(store, each.id).values() for each in store.projects()}
    write_armed(
        store.path, {id: [guard_from(one["guard"]) for one in some] for id, some in every.items()}
    )
