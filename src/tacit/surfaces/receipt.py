"""The receipt of a session: one line for the person, at the start of their next one.

What was learned comes first, numbered, so that `tacit keep 1` can follow; then what was given and came of it, without zeros, what was kept
of the person's own words, and how much waits for their word. It goes by the channel that the host shows to its user and not to its model;
what is held is not shown.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tacit.core.canary import NOT_READ
from tacit.core.memory import Memory
from tacit.core.rows import RunRow
from tacit.core.states import ACTIVE
from tacit.guard.one_line import plain_line
from tacit.stores.counts import heard_in, recent, waiting_for_a_person
from tacit.surfaces.selection import ROWS, renumbered
from tacit.trial.outcome import has_problem

if TYPE_CHECKING:
    from tacit.stores.sql import Store

HEARD_QUOTES, HEARD_CHARS = 2, 90  # quotes in a receipt, and characters of each
NEW_LESSONS, NEW_CHARS = 3, 120  # lessons, and characters of each


def leave(near: Store, store: Store, run: RunRow) -> None:
    """One line for the start of the next session, for the person alone: counts, and what was kept of their own words. A session
    whose receipt was shown gets no second one."""
    uses, heard = store.uses(unit=run.root), heard_in(store, run.project, run.id)
    unheard = any(f"{NOT_READ}{run.host} " in name for name in recent(store, NOT_READ, run.learned_at[:10]))
    if not uses and not heard and not unheard and not _new(store, run):
        return
    given = store.memories([use.memory for use in uses if use.arm != "withheld"])
    withheld = sum(use.arm == "withheld" for use in uses)
    shown = {memory.id: memory for memory in given}
    cited, back = set(), {}
    for mark in store.marks(unit=run.root):
        memory = shown.get(mark.memory)
        if memory is not None and mark.signal == "cited":
            cited.add(memory.id)
        elif memory is not None and mark.signal == "outcome" and has_problem(memory):
            back[memory.id] = mark.value == "occurred"  # settled again, the last word stands
    new = _new(store, run)
    figures = (len(given), "given"), (withheld, "left out"), (len(cited), "cited"), (sum(back.values()), "came back")
    said = [", ".join(f"{word} {n}" for n, word in figures if n)]  # no zeros
    said += [heard_line([] if new else heard, waiting_for_a_person(store, run.project)).removeprefix("; ")]
    said += [f"what you say in {run.host} may go unheard (tacit doctor)"] if unheard else []
    key, shown = f"receipt:{run.project}", f"{ROWS}:{run.project}"
    with near.write() as tx:
        unit, _, waiting = tx.meta(key).partition("\t")
        if unit != run.root or waiting:
            numbers = renumbered(json.loads(tx.meta(shown) or "[]"), [each.id for each in new])
            line = "; ".join(filter(None, [_learned(new, numbers), *said])) or "nothing new"
            tx.put_meta(shown, json.dumps(numbers))
            tx.put_meta(key, f"{run.root}\t{line}")


def _new(store: Store, run: RunRow) -> list[Memory]:
    """The lessons that a session brought and that nobody holds back, what agents are given first."""
    ids = dict.fromkeys(each.memory for each in store.findings(run=run.id) if each.memory)
    found = [each for each in store.memories(list(ids)) if each.gate == "allow" and each.created_at >= run.learned_at]
    fresh = [each for each in found if each.state in ACTIVE and each.tally.seen <= 1]
    return sorted(fresh, key=lambda each: each.state == "candidate")[:NEW_LESSONS]


def _learned(new: Sequence[Memory], shown: Sequence[str]) -> str:
    numbers = [shown.index(each.id) + 1 for each in new]
    told = " · ".join(f"{n} {plain_line(each.text, NEW_CHARS)}" for n, each in zip(numbers, new))
    return f"learned {told} (tacit keep {numbers[0]}, tacit drop {numbers[0]})" if told else ""


def heard_line(heard: Sequence[str], waiting: int) -> str:
    """What was kept of a person's words, and how much waits for theirs; nothing that anybody else has said."""
    kept = [f"“{plain_line(quote, HEARD_CHARS)}”" for quote in heard[:HEARD_QUOTES]]
    more = f" and {len(heard) - HEARD_QUOTES} more" if len(heard) > HEARD_QUOTES else ""
    said = f"; kept {', '.join(kept)}{more}" if kept else ""
    return said + (f"; {waiting} wait for your word (tacit review)" if waiting else "")
