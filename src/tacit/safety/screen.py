"""The tripwire in front of every later prompt."""

from __future__ import annotations

from collections.abc import Iterator
from unicodedata import normalize

from tacit.core.tables import Tables
from tacit.core.value import value
from tacit.safety.one_line import CONTROLS, HIDDEN, JOINERS, plain_line
from tacit.safety.redact_values import compiled

LONGEST_LESSON = 4_000  # characters; the longest of 700 lessons that others collected has 712
BLOB = 400  # characters without a space: no word is that long, an encoded message is


@value
class Screening:
    """What the tripwire says of one text; `marks` name every wire that was touched."""

    clean: bool
    reason: str
    marks: tuple[str, ...]


def screen(text: str) -> Screening:
    """Whether a text may go on as a lesson, or has to wait for a person because it seems meant for the reader."""
    marks: dict[str, str] = {}  # mark -> what it was seen in, first of each
    if "\x1b" in text or "\x9b" in text:
        marks["terminal escapes"] = "a sequence that controls the terminal"
    # What is longer than a lesson waits for that alone; of it the beginning is read.
    if hidden := _hidden(text[: 2 * LONGEST_LESSON]):
        marks["hidden characters"] = hidden
    if len(text) > LONGEST_LESSON:
        marks["too long"] = f"{len(text)} characters"
    elif any(len(run) > BLOB for run in text.split()):
        marks["encoded text"] = f"more than {BLOB} characters without a space"
    flat = _flat(text[: 2 * LONGEST_LESSON])
    if compiled(r"(?:\b[^\W\d_] ){11}").search(flat):
        marks["letters apart"] = "words spelled with spaces between the letters"
    for mark, hints, expressions in _TRIPWIRES:
        if mark not in marks and any(hint in flat for hint in hints):
            found = compiled("|".join(expressions)).search(flat)
            if found:
                marks[mark] = plain_line(found[0].strip(" .,:;!?\"'"), 60)
    if not marks:
        return Screening(True, "nothing in it addresses the reader", ())
    reason = "; ".join(f"{mark}: {seen}" for mark, seen in list(marks.items())[:3])
    return Screening(False, reason, tuple(marks))


def _tripwires() -> Iterator[tuple[str, list[str], list[str]]]:
    """Each mark with the words without which it does not apply, and its expressions."""
    expressions: list[str] = []
    for first, *hints in Tables(__file__).rows("TRIPWIRES"):
        if hints:
            expressions = []
            yield first, hints[0].split(","), expressions
        else:
            expressions.append(first)


_TRIPWIRES = tuple(_tripwires())


def screened(text: str, *facets: str) -> Screening:
    """The same for a lesson with its title, names, paths and tags: they are printed beside its text, or instead of it."""
    found = screen(text)
    others = "\n".join(facet for facet in facets if facet and not facet.isalnum())
    if not found.clean or not others:
        return found
    beside = screen(others[: 2 * LONGEST_LESSON])
    marks = tuple(mark for mark in beside.marks if mark not in ("too long", "encoded text"))
    return Screening(False, f"beside the text: {beside.reason}", marks) if marks else found


def _flat(text: str) -> str:
    """Lower case in one alphabet, with nothing hidden and one space between words: by lines, then on a single one."""
    shown = compiled(f"{HIDDEN}|[{JOINERS}]").sub("", text)
    shown = normalize("NFKC", shown).lower().replace("’", "'").replace("‘", "'")
    # Line by line: an expression that looks for white space around a line's end reads a megabyte of spaces from every one of them.
    lines = "\n".join(
        filter(
            None,
            (" ".join(line.split()) for line in compiled(r"[\n\r\u2028\u2029\u0085]").split(shown)),
        )
    )
    return f"{lines}\n{lines.replace(chr(10), ' ')}" if "\n" in lines else lines


def _hidden(text: str) -> str:
    """What is hidden in a text, in words; empty if nothing is, or only what writing needs."""
    if text.isascii():
        control = compiled(f"[{CONTROLS}]").search(text)
        return f"control character U+{ord(control[0]):04X}" if control else ""
    if not compiled(f"{HIDDEN}|[{JOINERS}]|[{CONTROLS}]").search(text):
        return ""
    # A flag emoji carries tags, an emoji its variation and joiners, a word of some scripts a joiner.
    text = compiled("\U0001f3f4[\U000e0061-\U000e007a\U000e0030-\U000e0039]{2,6}\U000e007f").sub(
        "", text
    )
    text = compiled("(?<=[^\x00-\x7f]|[0-9#*])[\ufe0e\ufe0f](?![\ufe00-\ufe0f])").sub("", text)
    text = (
        compiled(f"(?<=[^\x00-\x7f])[{JOINERS}](?=[^\x00-\x7f])")
        .sub("", text)
        .removeprefix("\ufeff")
    )
    found = compiled(f"{HIDDEN}|[{JOINERS}]|[{CONTROLS}]").search(text)
    # one or two come with copied web pages
    if found is None or (found[0] == "\u00ad" and text.count("\u00ad") < 3):
        return ""
    return f"character U+{ord(found[0]):04X} that does not show"
