"""The second look at a session: what it found out that the next one would have to find out again.

The first question puts a person's words foremost and leaves how a system is built to the code. What a session found out at the price of
failures and searches is asked for apart, only where there was such a price, of lines chosen for it: less of the session, and wider.
Kept lines hold the whole text each was cut from, so nothing is rendered anew. What is found stays *found*: nobody's word.
"""

from __future__ import annotations

from collections.abc import Sequence

from tacit.core.value import replace
from tacit.learn.reader.check import commands
from tacit.learn.reader.render import CAUSE, NOTE, PERSON, Line

MOST_FINDINGS = 5
FAILURES, CAUSES = 3, 6  # of a session in which finding out cost something
CONCLUDED, CHANGED = 700, 300  # characters of what the agent concludes, of an edit after which a command passed
_EDITS = ("Edit ", "MultiEdit ", "Write ", "apply_patch ", "write_file ", "replace ", "edit ", "create ")


def why_asked(lines: Sequence[Line]) -> str:
    """Why a session is asked what it found out; empty where it is not."""
    if any(line.letter == "T" and NOTE in line.whole for line in lines):
        return "an instruction file was changed"
    if (failed := sum(line.letter in ("E", "X") for line in lines)) >= FAILURES:
        return f"{failed} failures"
    if (causes := sum(line.letter == "A" and bool(CAUSE.search(line.whole)) for line in lines)) >= CAUSES:
        return f"{causes} times a cause was given"
    return ""


def finding_lines(lines: Sequence[Line]) -> tuple[Line, ...]:
    """The lines that tell what was found out, under their numbers: what was typed, what failed and by which call, what the agent concluded,
    which edit ended a failure, and what was added to an instruction file."""
    ended = _ended(lines)
    found: list[Line] = []
    for at, line in enumerate(lines):
        after = lines[at + 1].letter if at + 1 < len(lines) else "U"
        if line.letter in (*PERSON, "E", "X"):
            found.append(line)
        elif line.letter == "A" and (CAUSE.search(line.whole) or after in (*PERSON, "Q", "P")):
            found.append(_wider(line, CONCLUDED))
        elif line.letter == "T" and NOTE in line.whole:
            found.append(_wider(line, len(line.whole)))
        elif line.letter == "T" and (after in ("E", "X") or line.number in ended):
            found.append(_wider(line, CHANGED) if line.number in ended else line)
    return tuple(found)


def _ended(lines: Sequence[Line]) -> set[int]:
    """The calls that ended a failure: the command that passed after it had failed, and the last edit before it."""
    failed: set[tuple[str, ...]] = set()
    edits = [line.number for line in lines if line.letter == "T" and line.whole.startswith(_EDITS)]
    found: set[int] = set()
    for command, number, wrong in commands(lines):
        if wrong:
            failed.add(command)
        elif command in failed:
            failed.discard(command)
            found |= {number, *[each for each in edits if each < number][-1:]}
    return found


def _wider(line: Line, most: int) -> Line:
    return replace(line, text=line.whole if len(line.whole) <= most else f"{line.whole[:most]} …")
