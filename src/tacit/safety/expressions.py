"""Expressions that are compiled when a text first needs them, for everything in this room."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int, str]  # start, end, kind

LONG_RUN = r"[\w.+/=%~:|@$-]{16,}"  # the least a credential that is known by its shape has

_cache: dict[tuple[str, int], re.Pattern[str]] = {}


def compiled(expression: str, flags: int = 0) -> re.Pattern[str]:
    """An expression, compiled when it is first needed."""
    found = _cache.get((expression, flags))
    if found is None:
        found = _cache[expression, flags] = re.compile(expression, flags)
    return found


def lower(text: str) -> str:
    """Lower case with every character in its old place (a few, such as İ, would become two)."""
    low = text.lower()
    return (
        low
        if len(low) == len(text)
        else "".join(c if len(c.lower()) != 1 else c.lower() for c in text)
    )


# Where a value begins and ends: in quotes of any kind, or up to the next space, quote or name.

LONGEST_VALUE = 4_096  # characters of one value


def value_at(text: str, at: int) -> tuple[int, int, bool]:
    """Start and end of the value that begins here, without its quotes, and whether it had any."""
    opened = compiled(r"(?:[rbfuRBFU]{1,2}(?=[\"']))?(\\{0,3})(\"{3}|'{3}|[\"'`“«])").match(
        text, at
    )
    if opened:
        begin = opened.end()
        close = {"“": "”", "«": "»"}.get(opened[2], opened[2])
        if opened[1]:
            stop = text.find(opened[1] + close, begin, begin + LONGEST_VALUE)
        elif len(close) == 3 or close in "”»`":
            stop = text.find(close, begin, begin + LONGEST_VALUE)
        else:
            inside = compiled(rf"(?:[^{close}\\\n]|\\.)*").match(text, begin, begin + LONGEST_VALUE)
            stop = inside.end() if inside else begin
            stop = stop if text[stop : stop + 1] == close else -1
        if stop >= 0:
            return begin, stop, True
        at = begin
    # To the next space, quote or escaped line end, or to where another `name=` begins.
    run = r"(?:(?![,;&]\s{0,4}[\w.-]{1,40}\s?[=:])(?!\\[\"'])[^\s\"'`<>”»])+"
    plain = compiled(run).match(text, at, at + LONGEST_VALUE)
    content = plain[0].rstrip(".,;:") if plain else ""
    opening = {")": "(", "]": "[", "}": "{"}
    while (last := content[-1:]) in opening and content.count(last) > content.count(opening[last]):
        content = content[:-1].rstrip(".,;:")
    return at, at + len(content), False
