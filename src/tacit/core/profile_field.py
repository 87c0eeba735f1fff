"""What a field of a profile's section says about its key: what it means, its range, the words it takes.

    @value
    class Lexical:
        title: Annotated[float, key("weight of a memory's first words")]

The key's type is the field's own: a float is a number, a `tuple[str, ...]` a list of texts.
"""

from __future__ import annotations

import re
from typing import Any

from tacit.core import lifecycle, states
from tacit.core.memory import SCOPES, TIERS, VERDICTS
from tacit.core.profile import CLASSES
from tacit.core.value import value

REQUIRED: Any = object()  # in an entry of a named table or list: must be given
PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
MATCH_WAYS = ("substring", "word_start", "word", "inflected")
# beside facets: what decides between two lessons
OPINION = ("pinned", "newer", "older", "seen", "belief", "confidence")
WORDED_FACETS = {
    "class": CLASSES,
    "scope": SCOPES,
    "state": states.STATES,
    "trust": TIERS,
    "verdict": VERDICTS,
}
WORLDS = {  # what the words of conditions may be
    "verdict": VERDICTS,
    "class": CLASSES,
    "trust": TIERS,
    "cause": lifecycle.CAUSES,
    "moment": lifecycle.LADDER_MOMENTS,
    "word": lifecycle.HEARD_AS,
}


@value
class Key:
    """What one key may hold, and what it is for."""

    type: str  # text, flag, whole, number; or a list: texts, wholes, numbers, conditions. `profile_keys` fills it in
    doc: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    names: str = ""  # what its words must name: a kind or a role
    slot: str = ""  # the kind of function it names
    default: Any = (
        REQUIRED  # in entries of named tables and lists only; elsewhere default.toml has it
    )

    @property
    def range(self) -> str:
        """The range in words, for the documentation and for errors."""
        if self.choices:
            words = ", ".join(each or "nothing" for each in self.choices)
            return f"any of {words}" if self.type.endswith("s") else f"one of {words}"
        if self.slot:
            return f"a function: {self.slot}"
        if self.names:
            return f"{self.type} naming a {self.names}"
        if self.low is None:
            return {
                "flag": "true or false",
                "texts": "list of texts",
                "conditions": "list of conditions",
            }.get(self.type, self.type)
        kind = {
            "whole": "whole number",
            "wholes": "list of whole numbers",
            "numbers": "list of numbers",
        }
        top = f"{self.low:g} to {self.high:g}" if self.high is not None else f"{self.low:g} or more"
        return f"{kind.get(self.type, 'number')}, {top}"


def key(
    doc: str,
    *,
    low: float | None = 0,
    high: float | None = None,
    choices: tuple[str, ...] = (),
    names: str = "",
    slot: str = "",
    default: Any = REQUIRED,
) -> Key:
    """The key of a field. The range is a number's: 0 or more, if nothing else is said."""
    return Key("", doc, low, high, choices, names, slot, default)


def fraction(doc: str, default: Any = REQUIRED) -> Key:
    """The key of a number, or a list of numbers, from 0 to 1."""
    return key(doc, high=1.0, default=default)
