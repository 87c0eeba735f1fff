"""What became of a guard's firings once their session is over: obeyed or overruled, what followed, and the step down by itself.

Looked up in the transcript as it stands, the arm unseen: a call ran or it did not, and what followed is judged like every past firing.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tacit.core.links import ENDING, FIRED, TOLD, Mark
from tacit.core.rows import run_id
from tacit.core.run import Run
from tacit.core.value import replace, value
from tacit.guards.armed import GUARDS, write_armed
from tacit.guards.condition import Guard, call_key, guard_from, guard_json, only, reasons, spelled
from tacit.guards.history import RIGHT, firings_in
from tacit.reading.calls import is_refused
from tacit.reading.command import line_of
from tacit.stores.sql import Reads, Store, WorkContext
from tacit.stores.story import put_note

OBEYED, OVERRULED, WENT_ON = "obeyed", "overruled", "went on"
OVERRULED_AT_MOST = 1  # two overruled firings make what they fired on a note again


@value
class End:
    """How one firing ended."""

    fired: Mark
    what: (
        str  # OBEYED: the call did not run; OVERRULED: the person let it; WENT_ON: it was only told
    )
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


def counted(guard: Guard, marks: Sequence[Mark], since: str) -> dict[str, int]:
    """How often a guard fired since then, and how often each end came of it."""
    said = reasons(guard)
    fired = {
        mark.reason: mark.value
        for mark in marks
        if mark.signal == FIRED and mark.at >= since and mark.surface in said
    }
    ended = {
        mark.surface: mark.value
        for mark in marks
        if mark.signal == ENDING and mark.surface in fired
    }
    return dict(Counter([*fired.values(), *ended.values()]))


def overruled(marks: Sequence[Mark], since: str) -> set[str]:
    """The calls whose guard becomes a note by itself: two firings were overruled, and nothing that followed shows that they were right."""
    on = {mark.reason: mark.surface for mark in marks if mark.signal == FIRED and mark.at >= since}
    last = {mark.surface: mark for mark in marks if mark.signal == ENDING and mark.surface in on}
    against = Counter(
        on[key] for key, mark in last.items() if mark.value == OVERRULED and mark.reason != RIGHT
    )
    return {call for call, times in against.items() if times > OVERRULED_AT_MOST}


def settle_run(context: WorkContext, run: Run) -> list[End]:
    """Keep what became of the firings in a run that was learned; what was overruled twice becomes a note."""
    store, project, now = context.store, context.project.id, context.now()
    known = armed_in(store, project)
    row = store.run(run_id(project, run.host, run.id)) if known else None
    if row is None:
        return []
    found: list[End] = []
    for lesson in dict.fromkeys(key.partition(" ")[0] for key in known):
        mine = {
            key: guard_from(kept["guard"])
            for key, kept in known.items()
            if key.startswith(f"{lesson} ")
        }
        guard, *others = mine.values()
        calls = guard.condition.calls + tuple(
            row for each in others for row in each.condition.calls
        )
        guard = replace(guard, condition=replace(guard.condition, calls=calls))
        marks = list(store.marks(memory=lesson))
        before = {mark.surface: mark for mark in marks if mark.signal == ENDING}
        for end in ends(
            guard, [mark for mark in marks if mark.signal == FIRED and mark.run == row.id], run
        ):
            found.append(end)
            was, key = before.get(end.fired.reason), end.fired.reason  # which firing
            if was is None or (was.value, was.reason) != (end.what, end.followed):
                unit = end.fired.unit
                marks.append(
                    Mark(
                        lesson,
                        unit,
                        project,
                        ENDING,
                        end.what,
                        run=row.id,
                        surface=key,
                        reason=end.followed,
                        at=now,
                    )
                )
                with store.write() as tx:
                    tx.add_mark(marks[-1])
        for key, each in mine.items():
            if notes := overruled(marks, known[key]["at"]) & reasons(each):
                left = only(
                    each, [row for row in each.condition.calls if spelled(row) not in notes]
                )
                if left is None or left == each:
                    known.pop(key)
                else:
                    known[key] = {**known[key], "guard": guard_json(left)}
                keep_armed(store, project, known)
                with store.write() as tx:
                    said = f"guard for {lesson} is a note again: {', '.join(sorted(notes))}"
                    put_note(tx, project, said, "overruled twice", "guard", now)
    return found


def armed_in(store: Reads, project: str) -> dict[str, dict[str, Any]]:
    """What a project's store notes of its armed guards, by lesson and step."""
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
