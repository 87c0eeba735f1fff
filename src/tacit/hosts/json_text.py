"""Changing a JSON file that belongs to somebody else: by its text, so that every byte we have no business with stays.

Parsing and writing again would be simpler and would reorder nothing, but it respells numbers, escapes and line breaks,
opens what was written on one line, and drops the first of two equal keys. So members and items are put in and taken
out at their places in the text, in the indentation the file already has.

Some hosts allow comments and a comma after the last part. Both are blanked, character for character, before anything is
parsed, so that places found in the blanked text hold in the real one. A comment stays on the line it stands on.
"""

from __future__ import annotations

import json
import re
from typing import Any

from tacit.core.value import value

_JSON_SPACE = " \t\r\n"


@value
class Part:
    """A member of an object or an item of an array, by its place in the text."""

    key: str  # empty for an item
    start: int  # of the key, or of the item
    value_start: int
    end: int


def bare(text: str) -> str:
    """The text with spaces in place of comments and of commas after a last part; every other character at its place."""
    return _TRAILING.sub(_blank, _without_comments(text))


def loads(text: str) -> Any:
    """What a text with comments says."""
    return json.loads(bare(text))


# Strings are matched first, so that what looks like a comment or a comma inside one is left alone.
_COMMENTS = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', re.S)
_TRAILING = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.S)


def _without_comments(text: str) -> str:
    return _COMMENTS.sub(_blank, text) if "/" in text else text


def _blank(found: re.Match[str]) -> str:
    return found[0] if found[0].startswith('"') else re.sub(r"[^\r\n]", " ", found[0])


def json_parts(text: str, at: int) -> list[Part]:
    """The parts of the object or array that begins at `at`. The text is JSON, perhaps with comments; `loads` has said so."""
    text = bare(text)
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
    return next((part for part in reversed(json_parts(text, at)) if part.key == key), None)


def top(text: str) -> int:
    """Where the outermost value begins."""
    return _skip(bare(text), 0)


def put(text: str, at: int, key: str, item: Any) -> str:
    """The text with one more part at the end of the object (by its key) or array (key empty) that begins at `at`."""
    have = json_parts(text, at)
    unit, newline = style(text)
    depth = _depth(text, have[-1].start if have else at, unit) + (0 if have else 1)
    inner = newline + unit * depth
    flat = (
        have and newline not in text[at : have[0].start]
    )  # everything on one line: go on like that
    said = json.dumps(item, ensure_ascii=False, indent=None if flat else unit).replace("\n", inner)
    if key:
        said = f"{json.dumps(key, ensure_ascii=False)}: {said}"
    if have:
        end = have[-1].end
        comma = _comma(text, end)
        after = end if comma is None else comma + 1
        place = after if flat else _behind_comment(text, after)
        before, closing = ("", ",") if comma is not None else (",", "")
        return (
            text[:end]
            + before
            + text[end:place]
            + (" " if flat else inner)
            + said
            + closing
            + text[place:]
        )
    closed = _skip(bare(text), at + 1)
    kept = text[at + 1 : closed].rstrip()  # comments in an otherwise empty place
    return text[: at + 1] + kept + inner + said + newline + unit * (depth - 1) + text[closed:]


def without_part(text: str, at: int, part: Part) -> str:
    """The text without one part of the object or array that begins at `at`, and without the comma it brought along."""
    have = json_parts(text, at)
    n = have.index(part)
    comma = _comma(text, part.end)
    end = part.end if comma is None else comma + 1
    start = (
        at + 1 + len(text[at + 1 : part.start].rstrip())
    )  # the line break and indentation before it go too
    if len(have) == 1:
        closed = _skip(bare(text), end)
        alone = start == at + 1 and not text[end:closed].strip()
        return _joined(text, start, closed if alone else end)
    if n < len(have) - 1:
        return text[: part.start] + text[_skip(text, end) :]
    if comma is not None:
        return _joined(text, start, end)
    before = _comma(text, have[n - 1].end)
    assert before is not None, "two parts have a comma between them"
    text = _joined(text, max(start, before + 1), end)
    return text[:before] + text[before + 1 :]


def _joined(text: str, start: int, end: int) -> str:
    """The text without what stands between two places; a line comment before them still ends with its line."""
    comment = any(
        found.start() < start <= found.end()
        for found in _COMMENTS.finditer(text)
        if found[0].startswith("//")
    )
    goes_on = text[end:].lstrip(" \t\r")[:1] not in ("\n", "")
    return text[:start] + ("\n" if comment and goes_on else "") + text[end:]


def _comma(text: str, at: int) -> int | None:
    """Where the comma stands that follows this place; None where none does."""
    found = _skip(_without_comments(text), at)
    return found if found < len(text) and text[found] == "," else None


def _behind_comment(text: str, at: int) -> int:
    """The end of a comment that stands on the rest of this line; the place itself where there is none."""
    stop = text.find("\n", at)
    stop = len(text) if stop < 0 else stop
    rest, plain = text[at:stop], _without_comments(text)[at:stop]
    return (
        at + len(rest.rstrip()) if rest.strip() and not plain.strip() and _ends_here(rest) else at
    )


def _ends_here(rest: str) -> bool:
    return rest.lstrip().startswith("//") or rest.rstrip().endswith("*/")


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
    while at < len(text) and text[at] in _JSON_SPACE:
        at += 1
    return at
