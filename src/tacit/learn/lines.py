"""One spelling per line: what two lines have in common when bullet, id (before or behind), emphasis, case and spacing are set aside.

Echo asks whether a line is one we gave; the gate asks whether a lesson is already written in the project's own files.
Both mean the same line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from unicodedata import normalize

from tacit.core.page import split_id

# "- [k3v9x2m4q7ab] ", "* ", "3. ", "> ", "(3x) ": how lists, notes and our own rendering begin a line.
_OPENING = re.compile(
    r"^(?:[>\s]*(?:[-*+•–]|\d+[.)])\s+)?"
    r"(?:(?:\[[\w .:×#/-]{1,40}\]|\([\w .:×#/-]{1,40}\)|🔴|🟡|🟢|⚠️|✅|❌)\s*)*"
)
_MARKS = re.compile(r"[`*_\"“”„«»]|(?<!\w)'|'(?!\w)")


class KnownLines(dict[str, str]):
    """Lines of files, spelled for comparing, each with the file it stands in; `said` has each as it stands there."""

    def __init__(self) -> None:
        super().__init__()
        self.said: dict[str, str] = {}

    def add(self, line: str, file: str) -> None:
        """One more line of a file; of equal ones the first counts."""
        spelled = plain_line(line)
        if spelled and spelled not in self:
            self[spelled], self.said[spelled] = file, line.strip()


def as_said(lines: Mapping[str, str], spelled: str) -> str:
    """A line as its file has it, without the marks of a list."""
    said = lines.said.get(spelled, spelled) if isinstance(lines, KnownLines) else spelled
    return re.sub(r"^[>\s]*(?:[-*+•–]|\d+[.)]|#+)\s+", "", said).replace("**", "")


def stands_in(text: str, lines: Iterable[str]) -> bool:
    """Whether a lesson stands in one of these lines, as `plain_line` spells them: alone, or with more around it."""
    spelled = plain_line(text)
    return bool(spelled) and any(spelled in line for line in lines)


def plain_line(text: str) -> str:
    """A line's one spelling, equal for equal lines; empty for a line without words."""
    line = normalize("NFKC", split_id(text)[0]).replace("’", "'")
    bare = _OPENING.sub("", line, count=1) or line
    return " ".join(_MARKS.sub("", bare).casefold().split()).strip(" .,;:!-–—")
