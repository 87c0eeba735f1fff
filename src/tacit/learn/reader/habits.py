"""The third look at a session: requests of the person that belong to their way of working, though made once, for the task in hand.

The first question leaves orders out that are now carried out, and has to: most of them are. But "also update the changelog" is asked for
again in the next piece of work, and again, and nobody ever says that it always holds. So requests are asked about apart, of what was
typed and what the agent had said before it: a few lines. What is heard so stays *asked*: it waits until a second piece of work asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence

from tacit.core.value import replace
from tacit.learn.reader.render import PERSON, Line

MOST_HABITS = 5
BEFORE = 240  # characters of what the agent had said before a typed line
FEWEST_WORDS = 3  # of a typed line that can ask for something


def asks_for_something(lines: Sequence[Line]) -> bool:
    """Whether somebody typed more than "yes" and "go on"."""
    return any(line.letter in PERSON and len(line.whole.split()) >= FEWEST_WORDS for line in lines)


def habit_lines(lines: Sequence[Line]) -> tuple[Line, ...]:
    """What was typed, under its number, each with the end of what the agent had said before it."""
    found: list[Line] = []
    said: Line | None = None
    for line in lines:
        if line.letter == "A":
            said = line
        elif line.letter in PERSON:
            found += [_ending(said), line] if said is not None else [line]
            said = None
    return tuple(found)


def _ending(line: Line) -> Line:
    return replace(line, text=line.text if len(line.text) <= BEFORE else f"… {line.text[-BEFORE:]}")
