"""A memory on its way in from another system, or out to one.

Formats that know a foreign system's memories offer, beside what they offer for runs:

    holds(source)     how sure they are that a file holds memories of theirs, 0 … 1
    memories(source)  what is in it: `Row`, `Given`, `OriginVerdict`, `Header`, `Note`, and `Skipped` for what cannot be read.
                      Bad content never raises; only a file that does not verify as a whole does (`Damaged`)
    PARTS             the files they write, by name: {"lessons": "lessons.jsonl", …}; the first is the main one
    dump(items, part, now)  one of those files as text, field for field
    name_for(memory, taken) the foreign id of a memory that has none yet; without it our own id is its name
    NAMESPACE         in which its ids are kept, where that is not its name

What the foreign record holds travels in `Memory.extra`, in its own order; its counts come as opening balances; its id
becomes an alias and never a path.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.core.value import value
from tacit.lesson import Lesson


@value
class Opening:
    """A count that an imported memory brings without its runs."""

    signal: str  # seen, uses, confidence, or a counter of the profile's own
    amount: float
    at: str = ""


@value
class Row:
    """One foreign memory."""

    memory: Lesson  # id and project are given by whoever keeps it
    alias: str = ""
    openings: tuple[Opening, ...] = ()
    place: str = ""  # where it stands in its file
    # on the way out: the hosts' ids of the runs that saw it, in order; our own since it came
    runs: tuple[str, ...] = ()
    tier: str = ""  # how far a store of ours trusted it; an import never trusts it further
    order: int = (
        -1
    )  # on the way out: the how many-th lesson of its first run it is; -1 where no run is known


@value
class Header:
    """What a file says of itself, beside its rows; kept for the way back."""

    part: str
    record: Mapping[str, Any] | None = None
    changed: str = (
        ""  # on the way out: when something last changed here since the import; empty: nothing did
    )


@value
class Note:
    """Something whoever imports should know."""

    text: str


@value
class Given:
    """Memories that a run was given, as an origin's audit trail or application log has it."""

    run: str
    memories: tuple[str, ...]  # aliases
    at: str = ""
    domain: str = ""
    agent: str = ""
    record: Mapping[str, Any] | None = None  # the foreign record, field for field
    place: str = ""
    cautions: tuple[str, ...] = ()  # those among them that were given with a caution
    suppressed: tuple[str, ...] = ()  # the nearest of those that were not given


@value
class OriginVerdict:
    """An origin's own word on one use: helpful, ineffective, positive …; kept under its own name, never a verdict."""

    run: str
    memory: str  # its alias
    signal: str
    at: str = ""
    figure: float | None = None  # the number behind it, for instance an overlap in per cent
    text: str = ""
    record: Mapping[str, Any] | None = None
    place: str = ""
    agent: str = ""  # who was given it
    surface: str = ""  # and how
    followup: str = ""  # what is to be done about it


@value
class Skipped:
    """A line or record that could not be read: counted and reported, never silently dropped."""

    place: str
    reason: str
    field: str = (
        ""  # only this field could not be read as it stands, and the rest of the record was kept
    )
