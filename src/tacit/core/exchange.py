"""A memory on its way in from another system, or out to one.

Formats that know a foreign system's memories offer two functions: `memories(source)` yields rows and never raises on
bad content, `dump(rows)` writes them back field for field. What the foreign record holds beyond our fields travels in
`Memory.extra`, in its own order; its counts come as opening balances; its id becomes an alias and never a path.
"""

from __future__ import annotations

from tacit.core.memory import Memory
from tacit.core.value import value


@value
class Opening:
    """A count that an imported memory brings without its runs."""

    signal: str  # seen, uses, confidence, or a counter of the profile's own
    amount: float
    at: str = ""


@value
class Row:
    """One foreign memory."""

    memory: Memory  # id and project are given by whoever keeps it
    alias: str = ""
    openings: tuple[Opening, ...] = ()
    place: str = ""  # where it stands in its file


@value
class Skipped:
    """A line or record that could not be read: counted and reported, never silently dropped."""

    place: str
    reason: str
