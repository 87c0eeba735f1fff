"""What somebody asked for in passing, worded as a standing order: the same words without what makes them a request of that moment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tacit.core.errors import Refused
from tacit.core.tables import Tables

_tables = Tables(__file__)

_BEFORE = _tables.pattern("_BEFORE", re.I)
_AFTER = re.compile(r"[\s,]*\b(?:please|pls|thanks|thank you|for me|now|then|again|ok(?:ay)?)[\s.!]*$", re.I)


# "when you are done, …", "before each commit, …": what stands before it says when, not what.
_WHEN = re.compile(r"(?:when|whenever|once|after|before|if|every time|each time|at the end)\b[^,]{2,60},\s*", re.I)
_ALWAYS = re.compile(r"(?:always|never|do not|don't|dont|make sure (?:to|that you)|remember to|be sure to)\s+", re.I)
_ORDERS = _tables.words("_ORDERS")


ONLY_WHEN_TOLD = "and do it only when told to"


def offered(said: str, after: bool = False) -> str:
    """An act that was asked for each time, as what one may do unasked: offer it."""
    return f"{'When the work is done, offer' if after else 'Offer'} to {said}, {ONLY_WHEN_TOLD}."


def is_order(text: str) -> bool:
    """Whether a sentence asks for something to be done: “seems to work” and “did you push?” do not."""
    rest, asks = _stripped(text)
    if rest.endswith("?") and not asks:
        return False
    rest = _ALWAYS.sub("", _WHEN.sub("", rest, count=1), count=1)
    word = rest.split(maxsplit=1)[0].lower().rstrip(",.:;!?") if rest.split() else ""
    return word in _ORDERS


def _stripped(text: str) -> tuple[str, bool]:
    """A sentence without what people put before a request, and whether that asked."""
    rest, asks = text.strip(), False
    while (met := _BEFORE.match(rest)) and len(rest) > met.end() > 0:
        rest, asks = rest[met.end() :].lstrip(" ,:;-"), asks or bool(met["asks"])
    return rest, asks


def as_order(text: str) -> str:
    """“ok, can you update the changelog please?” → “Update the changelog.” What is no request keeps its words."""
    rest, asks = _stripped(text)
    if asks:
        rest = rest.rstrip(" ?")
    while _AFTER.search(rest) and len(cut := _AFTER.sub("", rest)) > 3:
        rest = cut
    if len(rest.split()) < 2:  # nothing but politeness, or what is left says nothing
        rest = text.strip()
    return rest[:1].upper() + rest[1:] + ("" if rest[-1:] in ".!?:`)" else ".")


def order_of(payload: Mapping[str, Any]) -> str:
    """What was asked for, as the order it becomes. Stores of before hold requests that order nothing: those take other words, or a no."""
    asked = str(payload.get("text", ""))
    if not is_order(asked):
        raise Refused(
            f"“{asked}” orders nothing that an agent could do.", "Say it in words that do: --text 'TEXT'; or reject it."
        )
    return str(payload.get("order") or as_order(asked))
