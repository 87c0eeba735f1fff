"""Which lines of a session a question shows, and how wide.

Kept lines hold the whole text each was cut from, so nothing is rendered anew. The first question shows every line; wider is what tells
most: what was added to an instruction file, the edit that ended a failure, an offer of the agent to which the person said yes.
"""

from __future__ import annotations

from collections.abc import Sequence

from tacit.core.value import replace
from tacit.learn.reader.agreed import is_assent
from tacit.learn.reader.check import commands
from tacit.learn.reader.render import NOTE, PERSON, Line

OFFERED, CHANGED, NOTED = 900, 300, 1200  # characters of what was agreed to, of an edit after which a command passed, of a note
_EDITS = ("Edit ", "MultiEdit ", "Write ", "apply_patch ", "write_file ", "replace ", "edit ", "create ")


def lesson_lines(lines: Sequence[Line]) -> tuple[Line, ...]:
    """All lines, under their numbers, some of them wider than they are kept."""
    ended = _ended(lines)
    found: list[Line] = []
    for at, line in enumerate(lines):
        after = lines[at + 1] if at + 1 < len(lines) else None
        if line.letter == "A" and after is not None and after.letter in PERSON and is_assent(after.whole):
            line = _wider(line, OFFERED)
        elif line.letter == "T" and NOTE in line.whole:
            line = _wider(line, NOTED)
        elif line.number in ended:
            line = _wider(line, CHANGED)
        found.append(line)
    return tuple(found)


def _ended(lines: Sequence[Line]) -> set[int]:
    """The edits that ended a failure: the last one before a command passed that had failed."""
    failed: set[tuple[str, ...]] = set()
    edits = [line.number for line in lines if line.letter == "T" and line.whole.startswith(_EDITS)]
    found: set[int] = set()
    for command, number, wrong in commands(lines):
        if wrong:
            failed.add(command)
        elif command in failed:
            failed.discard(command)
            found |= {*[each for each in edits if each < number][-1:]}
    return found


def _wider(line: Line, most: int) -> Line:
    return replace(line, text=line.whole if len(line.whole) <= most else f"{line.whole[:most]} …")
