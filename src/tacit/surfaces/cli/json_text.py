"""Changing a JSON file that belongs to somebody else: by its text, so that every byte we have no business with stays.

Parsing and writing again would be simpler and would reorder nothing, but it respells numbers, escapes and line breaks,
opens what was written on one line, and drops the first of two equal keys. So members and items are put in and taken
out at their places in the text, in the indentation the file already has.
"""

from __future__ import annotations

import json

from tacit.core.value import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SPACE = " \t\r\n"


@value
class Part:
    """A member of an object or an item of an array, by its place in the text."""

    key: str  # empty for an item
    start: int  # of the key, or of the item
    value_start: int
    end: int


def parts(text: str, at: int) -> list[Part]:
    """The parts of the object or array that begins at `at`. The text is JSON; `json.loads` has said so."""
    closing = "}" if text[at] == "{" else "]"
    decode = json.JSONDecoder().raw_decode
    found: list[Part] = []
    at = _skip(text, at + 1)
    while text[at] != closing:
        start, key = at, ""
        if closing == "}":
            key, at = decode(text, at)
            at = _skip(text, _skip(text, at) + 1)
        _, end = decode(text, at)
        found.append(Part(key, start, at, end))
        at = _skip(text, end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return found


def member(text: str, at: int, key: str) -> Part | None:
    """The member of that name; of several the last, which is the one readers see."""
    return next((part for part in reversed(parts(text, at)) if part.key == key), None)


def top(text: str) -> int:
    """Where the outermost value begins."""
    return _skip(text, 0)


def put(text: str, at: int, key: str, item: Any) -> str:
    """The text with one more part at the end of the object (by its key) or array (key empty) that begins at `at`."""
    have = parts(text, at)
    unit, newline = style(text)
    depth = _depth(text, have[-1].start if have else at, unit) + (0 if have else 1)
    inner = newline + unit * depth
    flat = have and newline not in text[at : have[0].start]  # everything on one line: go on like that
    said = json.dumps(item, ensure_ascii=False, indent=None if flat else unit).replace("\n", inner)
    if key:
        said = f"{json.dumps(key, ensure_ascii=False)}: {said}"
    if have:
        end = have[-1].end
        return text[:end] + ("," + (" " if flat else inner)) + said + text[end:]
    closing = _skip(text, at + 1)
    return text[: at + 1] + inner + said + newline + unit * (depth - 1) + text[closing:]


def take(text: str, at: int, part: Part) -> str:
    """The text without one part of the object or array that begins at `at`, and without the comma it brought along."""
    have = parts(text, at)
    n = have.index(part)
    if len(have) == 1:
        return text[: at + 1] + text[_skip(text, part.end) :]
    if n == len(have) - 1:
        return text[: have[n - 1].end] + text[part.end :]
    return text[: part.start] + text[have[n + 1].start :]


def style(text: str) -> tuple[str, str]:
    """How the file is written: one step of indentation, and its line break."""
    newline = "\r\n" if "\r\n" in text else "\n"
    for line in text.split("\n")[1:]:
        if line.strip():
            indent = line[: len(line) - len(line.lstrip(" \t"))]
            if indent:
                return indent, newline
    return "  ", newline


def _depth(text: str, at: int, unit: str) -> int:
    """How deep the line is indented on which this place stands."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    return len(indent) // len(unit)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at
