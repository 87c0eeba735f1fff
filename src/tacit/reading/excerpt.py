"""Which lines of a session the first question shows, and how wide."""

from __future__ import annotations

from collections.abc import Sequence

from tacit.core.value import replace
from tacit.reading.check import commands_run
from tacit.reading.decide import is_assent
from tacit.reading.page import CAUSE, NOTE_MARK, PERSON, Line

# characters of what was agreed to, of an edit after which a command passed, of a note
OFFERED_CHARS, CHANGED_CHARS, NOTED_CHARS = 900, 300, 1200
PASSING_CHARS = 80  # … of the agent's words before a call that say nothing
# … of a call that failed, of other calls, of the agent's words
FAILED_CHARS, CALL_CHARS, SAID_CHARS = 110, 80, 450
_EDIT_TOOLS = (
    "Edit ",
    "MultiEdit ",
    "Write ",
    "apply_patch ",
    "write_file ",
    "replace ",
    "edit ",
    "create ",
)


def lesson_lines(lines: Sequence[Line]) -> tuple[Line, ...]:
    """The lines that are shown, under their numbers."""
    ended, failed = _ended(lines), {line.step for line in lines if line.letter in ("E", "X")}
    found: list[Line] = []
    for at, line in enumerate(lines):
        after = lines[at + 1] if at + 1 < len(lines) else None
        if (
            line.letter == "A"
            and len(line.whole) < PASSING_CHARS
            and after is not None
            and after.letter == "T"
            and not CAUSE.search(line.whole)
        ):
            continue
        if line.letter == "A":
            agreed = after is not None and after.letter in PERSON and is_assent(after.whole)
            shown = _cut(
                line, line.whole if agreed else line.text, OFFERED_CHARS if agreed else SAID_CHARS
            )
        elif line.letter == "T" and NOTE_MARK in line.whole:
            shown = _cut(line, line.whole, NOTED_CHARS)
        elif line.number in ended:
            shown = _cut(line, line.whole, CHANGED_CHARS)
        elif line.letter == "T" and line.whole.startswith(_EDIT_TOOLS):
            shown = replace(line, text=" ".join(line.whole.split()[:2]))
            if found and found[-1].text == shown.text:
                continue
        else:
            shown = (
                _cut(line, line.text, FAILED_CHARS if line.step in failed else CALL_CHARS)
                if line.letter == "T"
                else line
            )
        found.append(shown)
    return tuple(found)


def _ended(lines: Sequence[Line]) -> set[int]:
    """What ended a failure: the command that passed after it had failed, and the last edit
    before it."""
    failed: set[tuple[str, ...]] = set()
    edits = [
        line.number for line in lines if line.letter == "T" and line.whole.startswith(_EDIT_TOOLS)
    ]
    found: set[int] = set()
    for command, number, wrong in commands_run(lines):
        if wrong:
            failed.add(command)
        elif command in failed:
            failed.discard(command)
            found |= {number, *[each for each in edits if each < number][-1:]}
    return found


def _cut(line: Line, text: str, most: int) -> Line:
    plain = text.removesuffix(" …")
    return replace(line, text=f"{plain[:most]} …" if len(plain) > most else text)
