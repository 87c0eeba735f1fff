"""What a person does to a lesson by hand, as pure changes: make, edit, pin, forget, erase, take back.

Each returns a `Change`, the new row with its reasoned entry, or raises `Refused` with what to do instead.
Administrative verbs are legal in every state and every profile; they are journaled under their own name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tacit.core.errors import Refused, UsageError
from tacit.core.journal import Change, Entry, Hand, change
from tacit.core.states import ACTIVE, GONE
from tacit.core.value import replace
from tacit.lesson import (
    EDITABLE,
    Lesson,
    check_fields,
    columns_of,
    from_columns,
    kept_text,
)

# Blanked by erase, beside the text itself: whatever may repeat a person's words.
WORDY = {
    "text": "",
    "tags": (),
    "paths": (),
    "gate_reason": "",
    "signature": "",
    "extra": None,
    "source": "",
    "origin": "",
    "category": "",
    "domain": "",
    "agent": "",
    "task_type": "",
    "about": "",
}
ERASED_BY = "erase"


def made(memory: Lesson, hand: Hand, reason: str, verb: str = "add") -> Change:
    """A new memory."""
    return change(None, check_fields(memory), hand, verb, reason)


def edited(
    memory: Lesson,
    fields: Mapping[str, Any],
    hand: Hand,
    reason: str = "",
    *,
    klass: str = "",
    typo: bool = False,
) -> Change | None:
    """A corrected memory; None where nothing differs. Other words are another lesson, with a trial of its own, unless it is a typo."""
    for name in fields:
        if name not in EDITABLE:
            raise UsageError(
                f"{name} cannot be edited.",
                f"What can: {', '.join(EDITABLE)}. Id, times, evidence and origin never change.",
            )
    _refuse_erased(memory, "edited")
    wide = ("agent", "global")
    if fields.get("scope", memory.scope) != memory.scope and (
        fields["scope"] in wide or memory.scope in wide
    ):
        raise Refused(
            f"{memory.id} cannot be edited from {memory.scope} to {fields['scope']} scope: it would change its project.",
            f"Add it again with --scope {fields['scope']}, and forget this one.",
        )
    new = dict(fields)
    if "text" in new:
        new["text"] = kept_text(str(new["text"]))
    if klass:
        new["klass"] = klass
    differs = [name for name in new if getattr(memory, name) != new[name]]
    if not differs:
        return None
    told = reason or f"{hand.by} corrected {', '.join(n for n in differs if n != 'klass')}"
    return hand.change(
        memory, check_fields(replace(memory, **new)), "typo" if typo else "edit", told
    )


def pinned(memory: Lesson, on: bool, hand: Hand, reason: str = "") -> Change | None:
    """Pinned or unpinned; None where it already is."""
    _refuse_erased(memory, "pinned")
    if on and memory.state == GONE:
        raise Refused(
            f"{memory.id} is {memory.state}; what is taken out cannot be pinned.",
            f"Take it back first: tacit undo {memory.id}",
        )
    if memory.pinned == on:
        return None
    said = reason or ("always given, outside the budget" if on else "back under the budget")
    return hand.change(memory, replace(memory, pinned=on), "pin", said)


def paged(memory: Lesson, on: bool, hand: Hand, reason: str = "") -> Change | None:
    """Approved for a page that the host loads, and so off trial: what every run reads cannot be withheld. Or off the page again."""
    _refuse_erased(memory, "put on a page")
    if on and memory.state != ACTIVE:
        raise Refused(
            f"{memory.id} is {memory.state}; a page holds only what may be given.",
            f"tacit why {memory.id} tells what would move it.",
        )
    if memory.on_page == on:
        return None
    said = reason or (
        f"{hand.by} approved it for the page: off trial"
        if on
        else f"{hand.by} took it off the page: on trial again"
    )
    return hand.change(memory, replace(memory, on_page=on), "page", said)


def forgotten(memory: Lesson, hand: Hand, reason: str = "") -> Change | None:
    """Taken out by a person; None where it is out already. A finding that says the same again is counted, and makes nothing new."""
    if memory.state == GONE:
        return None
    return hand.change(
        memory, _put_away(memory, hand.by), "forget", reason or f"{hand.by} took it out"
    )


def _put_away(memory: Lesson, by: str) -> Lesson:
    return replace(
        memory,
        state=GONE,
        previous_state=memory.state,
        closed_by=by,
        pinned=False,
        on_page=False,
    )


def erased(memory: Lesson, hand: Hand, reason: str = "") -> Change:
    """Its text blanked; the row and its chain stay, so that nothing else breaks."""
    now = replace(_put_away(memory, ERASED_BY), **WORDY)
    return hand.change(memory, now, "erase", reason or "erased")


def laid_over(memory: Lesson, fields: Mapping[str, Any], at: str) -> Lesson:
    """A memory with some of its columns as they were, or as somebody else had them."""
    columns = {**columns_of(memory), **fields, "updated_at": at}
    return from_columns(columns, memory.tally, memory.alias)


def undone(memory: Lesson, entry: Entry, later: Sequence[Entry], hand: Hand) -> Change:
    """An entry taken back: its fields as they were before it, unless something later decided them again."""
    if entry.verb == "erase" or entry.erased:
        raise Refused(f"Entry {entry.id} cannot be taken back: what was erased is gone.", "")
    if memory.closed_by == ERASED_BY:
        raise Refused(f"{memory.id} was erased; nothing of it can be taken back.", "")
    contested = sorted(
        {
            name
            for other in later
            for name in other.after
            if name in entry.after and name not in ("updated_at", "previous_state")
        }
    )
    if contested:
        newest = later[-1]
        raise Refused(
            f"Entry {entry.id} cannot be taken back alone: {', '.join(contested)} changed again later.",
            f"Take back the later ones first: tacit undo {newest.id}",
        )
    made_it = not entry.before
    now = _put_away(memory, hand.by) if made_it else laid_over(memory, entry.before, hand.at)
    return hand.change(memory, now, "undo", f"takes back entry {entry.id} ({entry.verb})")


def _refuse_erased(memory: Lesson, what: str) -> None:
    if memory.closed_by == ERASED_BY:
        raise Refused(
            f"{memory.id} was erased and cannot be {what}.", "Add the lesson again if it is wanted."
        )
