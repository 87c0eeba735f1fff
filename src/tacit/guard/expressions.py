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
    return low if len(low) == len(text) else "".join(c if len(c.lower()) != 1 else c.lower() for c in text)
