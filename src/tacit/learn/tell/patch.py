"""The one line of an instruction file that should read otherwise, and how: for a person to accept, and to take back byte for byte.

What was noticed names a line by its plain spelling; here that line is found in the file as it stands now. An exception or a remark goes
into the sentence's end, a command that is not there is replaced by the one that was. Everything else of the file stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tacit.core.value import value
from tacit.learn.lines import plain_line

_STOPS = (".", ":", ";", "!")
_CODE = re.compile(r"(?<!`)(`{1,3})(?!`).+?(?<!`)\1(?!`)")
_NO_ROOM = re.compile(r"\s*(?:#{1,6}\s|\|.*\|\s*$|<!--)")  # a heading, a table's row, a comment: no sentence to add to


@value
class Patch:
    """One line of a file, as it stands and as it would."""

    file: str
    number: int  # from 1
    before: str
    after: str


def patch_of(payload: Mapping[str, Any], text: str) -> Patch | None:
    """The patch that a notice comes to in its file's present text; None where it has none, or the line is not there any more."""
    file, quote, swap = (
        str(payload.get("file") or ""),
        plain_line(str(payload.get("quote") or "")),
        [*(payload.get("swap") or ())],
    )
    if not (file and quote and len(swap) == 2):
        return None
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        if plain_line(line) != quote:
            continue
        after = _reworded(line, str(swap[0]), str(swap[1]), fenced)
        return Patch(file, number, line, after) if after != line else None
    return None


def _reworded(line: str, old: str, new: str, fenced: bool) -> str:
    if old:
        word = re.compile(rf"(?<![\w./-]){re.escape(old)}(?![\w/-]|\.\w)")
        if fenced or "`" not in line:
            return word.sub(lambda _: new, line)
        return _CODE.sub(lambda span: word.sub(lambda _: new, span[0]), line)  # what is no code is prose, and stays
    if _NO_ROOM.match(line) and not fenced:
        return line
    body = line.rstrip()
    space = line[len(body) :]
    if fenced:
        return f"{body}  # {new}{space}"
    stop = body[-1:] if body[-1:] in _STOPS else ""
    return f"{body[: len(body) - len(stop)]} ({new}){stop}{space}"


def replaced(text: str, patch: Patch) -> str | None:
    """The text with the line as it should be; None where that line does not stand there as it did."""
    lines = text.split("\n")
    places = [n for n, line in enumerate(lines, 1) if line == patch.before]
    if not places:
        return None
    at = patch.number if patch.number in places else min(places, key=lambda n: abs(n - patch.number))
    lines[at - 1] = patch.after
    return "\n".join(lines)


def turned(patch: Patch) -> Patch:
    """The patch that takes this one back."""
    return Patch(patch.file, patch.number, patch.after, patch.before)
