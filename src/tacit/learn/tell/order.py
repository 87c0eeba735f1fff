"""What somebody asked for in passing, worded as a standing order: the same words without what makes them a request of that moment."""

from __future__ import annotations

import re

# What people put before a request: it says to whom or how politely, never what. Each may follow another ("ok, and can you please …").
_BEFORE = re.compile(
    r"(?:(?:ok(?:ay)?|alright|thanks|thank you|now|then|so|and|also|but|just|please|pls|kindly)\b[\s,.!:;]*"
    r"|(?:great|cool|good|nice|perfect|yes|yeah|well|hey|hi|next|again|finally|first)\s*[,.!:;]\s*"
    r"|let'?s\b\s*|let us\b\s*"
    r"|(?P<asks>(?:can|could|would|will|may|should)\s+(?:you|we|i)\b(?!\s+mind)\s*|do you think (?:you|we) (?:can|could)\s+)"
    r"|(?:i|we)(?:'d| would)? (?:want|need|like)(?: you)? to\s+"
    r"|(?:you|we|i) (?:should|need to|have to|must)\s+)",
    re.I,
)
_AFTER = re.compile(r"[\s,]*\b(?:please|pls|thanks|thank you|for me|now|then|again|ok(?:ay)?)[\s.!]*$", re.I)


def as_order(text: str) -> str:
    """“ok, can you update the changelog please?” → “Update the changelog.” What is no request keeps its words."""
    rest, asks = text.strip(), False
    while (met := _BEFORE.match(rest)) and len(rest) > met.end() > 0:
        rest, asks = rest[met.end() :].lstrip(" ,:;-"), asks or bool(met["asks"])
    if asks:
        rest = rest.rstrip(" ?")
    while _AFTER.search(rest) and len(cut := _AFTER.sub("", rest)) > 3:
        rest = cut
    if len(rest.split()) < 2:  # nothing but politeness, or what is left says nothing
        rest = text.strip()
    return rest[:1].upper() + rest[1:] + ("" if rest[-1:] in ".!?:`)" else ".")
