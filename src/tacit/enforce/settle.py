"""What became of a guard's firings once their session is over: obeyed or overruled, what followed, and the step down by itself.

Looked up in the transcript as it stands, the arm unseen: a call ran or it did not, and what followed is judged like every past firing.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacit.core.links import ENDED, FIRED, TOLD, Mark
from tacit.core.rows import run_id
from tacit.core.run import Run
from tacit.core.value import value
from tacit.enforce.armed import GUARDS, write_armed
from tacit.enforce.guard import ASK, Guard, call_key, guard_from
from tacit.enforce.record import RIGHT, firings_in
from tacit.learn import shell
from tacit.learn.notice.calls import is_refused
from tacit.stores.notes import put_note

if TYPE_CHECKING:
    from tacit.core.context import WorkContext
    from tacit.core.ports import Reads, Store

OBEYED, OVERRULED, WENT_ON = "obeyed", "overruled", "went on"
OVERRULED_AT_MOST = 1  # two overruled firings make a guard a note again


@value
class End:
    """How one firing ended."""

    fired: Mark
    what: str  # OBEYED: the call did not run; OVERRULED: the person let it; WENT_ON: it was only told
    followed: str  # right, wrong or moot where the call ran; empty where it did not
    why: str = ""


def ends(guard: Guard, marks: Iterable[Mark], run: Run) -> list[End]:
    """How the firings that hooks recorded in this run ended."""
    ran: dict[str, list[str]] = {}
    for step in run.steps:
        if step.tool and not step.interrupted and not is_refused(step.error or step.output):
            ran.setdefault(call_key(shell.command_of(step) or "".join(step.files[:1])), []).append(step.place)
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


def counted(marks: Iterable[Mark], since: str) -> dict[str, int]:
    """How often a guard fired since then, and how often each end came of it."""
    last = {
        (mark.signal, mark.surface if mark.signal == ENDED else mark.reason): mark.value
        for mark in marks
        if mark.signal in (FIRED, ENDED) and mark.at >= since
    }
    return dict(Counter(last.values()))


def steps_down(guard: Guard, ended: Sequence[Mark]) -> str:
    """Why a guard becomes a note by itself; empty where it stays. What followed an overruled question may show that it was right."""
    against = [mark for mark in ended if mark.value == OVERRULED and mark.reason != RIGHT]
    if len(against) <= OVERRULED_AT_MOST:
        return ""
    return f"{len(against)} of its {'questions' if guard.step == ASK else 'refusals'} were overruled"


def settle_run(context: WorkContext, run: Run) -> list[End]:
    """Keep what became of the firings in a run that was learned; a guard that was overruled twice becomes a note."""
    store, project, now = context.store, context.project.id, context.now()
    known = armed_in(store, project)
    row = store.run(run_id(project, run.host, run.id)) if known else None
    if row is None:
        return []
    found: list[End] = []
    for lesson, kept in list(known.items()):
        guard, marks = guard_from(kept["guard"]), store.marks(memory=lesson)
        before = {mark.surface: mark for mark in marks if mark.signal == ENDED}
        for end in ends(guard, [mark for mark in marks if mark.signal == FIRED and mark.run == row.id], run):
            found.append(end)
            was = before.get(end.fired.reason)
            if was is None or (was.value, was.reason) != (end.what, end.followed):
                key = end.fired.reason  # which firing
                said = Mark(
                    lesson,
                    end.fired.unit,
                    project,
                    ENDED,
                    end.what,
                    run=row.id,
                    surface=key,
                    reason=end.followed,
                    at=now,
                )
                before[key] = said
                with store.write() as tx:
                    tx.add_mark(said)
        if why := steps_down(guard, [mark for mark in before.values() if mark.at >= kept["at"]]):
            known.pop(lesson)
            keep_armed(store, project, known)
            with store.write() as tx:
                put_note(tx, project, f"guard for {lesson} is a note again", why, "guard", now)
    return found


def armed_in(store: Reads, project: str) -> dict[str, dict[str, Any]]:
    """What a project's store notes of its armed guards, by lesson."""
    found: dict[str, dict[str, Any]] = json.loads(store.meta(GUARDS + project) or "{}")
    return found


def keep_armed(store: Store, project: str, guards: Mapping[str, Mapping[str, Any]]) -> None:
    """Note which guards are armed, and write the file that hooks read."""
    with store.write() as tx:
        tx.put_meta(GUARDS + project, json.dumps(guards))
    every = {each.id: armed_in(store, each.id).values() for each in store.projects()}
    write_armed(store.path, {id: [guard_from(one["guard"]) for one in some] for id, some in every.items()})
