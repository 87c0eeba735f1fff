"""What the person agreed to: the agent's sentence, and their plain yes in the next line, both quoted.

It is a tier of its own: more than what an agent found by itself, and never the person's word. Only words that can mean nothing but assent
count; a yes with a condition, a question or another matter behind it is read by whoever weighs that line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tacit.learn.reader.check import Checked
from tacit.learn.reader.render import CHOSEN, PERSON, Line

_ASSENT = re.compile(
    r"\W*(?:(?:yes|yep|yeah|yup|ok(?:ay)?|right|correct|exactly|precisely|agreed|absolutely|definitely|sure|perfect|great|good"
    r"|makes? sense|sounds? (?:good|right)|works? for me|(?:that|it)(?:'s| is| was) (?:right|correct|it|the rule|what i (?:want|meant?))"
    r"|do (?:that|it|so)|go (?:ahead|with (?:that|it))|let'?s (?:do|go with) (?:that|it)|settled|deal|confirmed|i agree|fine|ja|genau|oui"
    r"|exactement|sí|si|exacto)\b)",
    re.I,
)
SPOKEN = 900  # characters of what the person said around it
_BUT = re.compile(
    r"\?|\b(?:but|however|although|though|except|instead|unless|not|don'?t|never ?mind|wait|only if)\b", re.I
)


def is_assent(text: str) -> bool:
    """Whether a line of the person begins with a plain yes, and its first sentence takes nothing of it back."""
    first = re.split(r"(?<=[.!?])\s|\s[–—-]\s|;", text.strip(), maxsplit=1)[0]
    return bool(_ASSENT.match(first)) and not _BUT.search(first)


def spoken_around(told: Line, lines: Sequence[Line]) -> str:
    """What the person typed before a line of the agent and in their plain yes to it; empty where there is no such yes."""
    spoken = [line for line in lines if line.letter in PERSON]
    after = next((line for line in spoken if line.number > told.number), None)
    if told.letter != "A" or after is None or not is_assent(after.whole):
        return ""
    before = [line.whole for line in spoken if line.number < told.number][-1:]
    return " / ".join((*before, after.whole))[:SPOKEN]


def why_not_agreed(checked: Checked, lines: Sequence[Line]) -> str:
    """Why what a reader calls agreed is not; empty where the agent's line is quoted and the person's next line is a plain yes."""
    if checked.quotes and checked.quotes[0].line.letter == CHOSEN:
        return ""  # the agent's words and the person's yes in one line
    told = [quote for quote in checked.quotes if quote.line.letter == "A"]
    yes = [quote for quote in checked.quotes if quote.line.letter in PERSON]
    if not told or not yes:
        return "not both the agent's line and the person's are quoted"
    spoken = [line for line in lines if line.letter in PERSON and line.number > told[0].line.number]
    if not spoken or spoken[0].number not in {quote.line.number for quote in yes}:
        return "the person's next line is not the one that is quoted"
    return "" if is_assent(spoken[0].whole) else "the person's next line is no plain yes"
