"""What an agent resolved to do differently: "next time I will …", said in its own reflection.

Reflecting agents write such sentences after a failed attempt. They are the agent's claims, so their tier is agent, and
only the resolution is taken: the account of what happened stays where it is. The first person is taken out, so that the
next agent reads advice and not somebody's diary.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tacit.core.run import Finding, Run
from tacit.core.tables import Tables
from tacit.learn.cues import NAMED

_tables = Tables(__file__)

NAME, VERSION = "resolve", 1

_LONGEST = 420  # characters of a sentence: a longer one is a plan for this task
FEWEST_NAMES = (
    3  # words that name something: "try a different action when stuck" is a mood, not advice
)

_RESOLVE = _tables.pattern("_RESOLVE", re.I)
_RESOLUTION_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_VAGUE = _tables.words("_VAGUE")
# A plan without either restates the task: "find the mug, then put it on the desk".
_CHECKABLE = re.compile(rf"\d|{NAMED.pattern}")
_CONTRAST = re.compile(
    r"\b(?:not|never|instead|rather than|before|without|unless|only|until)\b", re.I
)
_DIARY = re.compile(
    r"\b(?:i|me|my|mine|we|our)\b", re.I
)  # what is left of it after the rewording below


def resolves(run: Run) -> Iterator[Finding]:
    """Resolutions in the agent's own reflections, one finding per sentence."""
    for step in run.steps:
        if step.role != "assistant" or not step.text:
            continue
        for sentence in _RESOLUTION_END.split(" ".join(step.text.split())):
            text = resolution(sentence)
            if text:
                yield Finding(
                    run=run.id,
                    place=step.place,
                    text=text,
                    extractor=NAME,
                    version=VERSION,
                    by="agent",
                    tier="agent",
                    severity="recommendation",
                    quote=sentence[:300],
                    at=step.at,
                )


def resolution(sentence: str) -> str:
    """The advice in one sentence of reflection; empty where it holds none, or none without the one who gave it."""
    match = _RESOLVE.match(sentence.strip())
    if match is None or len(sentence) > _LONGEST:
        return ""
    said = (match["led"] or match["ended"]).rstrip(" .")
    said = re.sub(r"^(?:also |always )?try to\s+|^also\s+", "", said)
    said = re.sub(r"^not\s+", "do not ", said)
    said = re.sub(r"(,|\b(?:and|then))\s+i (?:will|should|would)\b", r"\1", said, flags=re.I)
    if match["when"] and "stuck" in match["when"]:
        said += " when stuck"
    names = [word for word in re.findall(r"[^\W\d_]{4,}", said.lower()) if word not in _VAGUE]
    if (
        len(names) < FEWEST_NAMES
        or _DIARY.search(said)
        or not (_CHECKABLE.search(said) or _CONTRAST.search(said))
    ):
        return ""
    return said[0].upper() + said[1:] + "."
