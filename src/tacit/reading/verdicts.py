"""What a session's verdict on a remembered lesson comes to."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tacit.core.states import ACTIVE
from tacit.core.trust import READ_AS, reaches
from tacit.core.value import value
from tacit.lesson import HEARD_WORDS, PERSONAL, Lesson
from tacit.reading.answers import Weighed
from tacit.reading.check import Found, telling
from tacit.reading.decide import exchange, is_assent, proposal_before
from tacit.reading.page import AGENT_LINES, PERSON, Line, happened
from tacit.safety.provenance import stems
from tacit.safety.witness import Witness
from tacit.trial.outcome import OCCURRED, Outcome

AGAINST = ("reversed", "amended", "outdated")
MET = ("came_back", "said_again")  # its problem was met again
# … or its advice was not kept: what a trial is about; a breach that nobody minded is no sighting
PROBLEM = (*MET, "breached")
EXCEPTION = "an exception for this time"
AGREED_TO = "the person agreed to"
# tier of what speaks against a lesson, by who says it
VERDICT_WITNESSES = {"E": "observed", "T": "agent", "A": "agent"}


@value
class Ruled:
    """What a verdict does."""

    act: str  # sighting, contradiction, amend, suspend, propose, or nothing
    tier: str = "agent"
    reason: str = ""


def needs_weighing(verdict: str, quote: Found, agreed: bool = False) -> bool:
    """Whether a second question is asked."""
    return verdict in AGAINST and (quote.line.letter in PERSON or (agreed and verdict == "amended"))


def ruled(
    verdict: str,
    memory: Lesson,
    quote: Found,
    weighed: Weighed | None = None,
    *,
    needed: str,
    agreed: bool = False,
) -> Ruled:
    """What one verdict with a quote that stands in the session does to a lesson."""
    theirs = is_theirs(memory)
    spoke = (
        agreed
        and not theirs
        and verdict == "amended"
        and weighed is not None
        and weighed.says == "yes"
    )
    typed = quote.line.letter in PERSON or spoke
    if verdict in MET:
        if not typed and (memory.extra or {}).get(READ_AS) == "asked":
            return Ruled("nothing", reason="what was asked for is asked for again by a person")
        # a line of what happened is a witness of the problem; an agent's word for it is none
        return Ruled("sighting", "observed" if happened(quote.line) else "agent", "met again")
    kept = memory.pinned or memory.klass == "security"
    if verdict == "excepted" and typed and not kept:
        return Ruled("contradiction", "user", EXCEPTION)
    if verdict not in AGAINST:
        return Ruled("nothing", reason=verdict)
    if verdict == "amended" and agreed and not typed:
        act = "amend" if reaches("agent", needed) and not (kept or theirs) else "propose"
        return Ruled(act, "agent", f"{AGREED_TO}: {quote.words}")
    if not typed:
        return _by_events(verdict, memory, quote, needed)
    if weighed is None or weighed.says not in ("yes", "partly" if verdict == "amended" else "yes"):
        if is_assent(quote.line.whole) and memory.state == ACTIVE:
            return Ruled(
                "propose",
                "user",
                f"the person agreed to something that may change it: {quote.words}",
            )
        return Ruled("nothing", reason="the person's line does not take it back")
    if weighed.holds in ("order", "once"):
        return Ruled("nothing" if kept else "contradiction", "user", EXCEPTION)
    if kept or (theirs and not names(quote.line, memory)):
        return Ruled("propose", "user", f"the person says otherwise: {quote.words}")
    if verdict == "amended":
        return Ruled("amend", "user", f"the person changed a part of it: {quote.words}")
    if memory.state == ACTIVE:
        return Ruled("suspend", "user", f"the person says otherwise: {quote.words}")
    return Ruled("contradiction", "user", f"the person says otherwise: {quote.words}")


def is_theirs(memory: Lesson) -> bool:
    """Whether a lesson is a wish of the person: typed, entered, or heard of them by a reader."""
    return memory.trust in PERSONAL or (memory.extra or {}).get(READ_AS) in HEARD_WORDS


def names(line: Line, memory: Lesson) -> bool:
    """Whether a typed line says itself what it is about."""
    said, wished = (
        stems(text) | {*re.findall(r"\b[A-Z]{2,}\b", text)} for text in (line.whole, memory.text)
    )
    return bool(said & wished)


def ruled_by_yes(
    verdict: str, memory: Lesson, quote: Found, lines: Sequence[Line], witness: Witness
) -> tuple[Ruled, Found] | None:
    """What the agent's proposal to end or change a lesson does, and its line, where the person's
    next one is a plain yes."""
    offer = proposal_before(quote.line, lines)
    if offer is None or verdict not in ("reversed", "amended") or memory.state != ACTIVE:
        return None
    told = offer.whole
    if memory.pinned or memory.klass == "security" or _FOR_NOW.search(told):
        return None
    if not telling(exchange(offer, lines)) & telling(memory.text):
        return None
    found = Found(offer, told, told)
    if is_theirs(memory):
        return Ruled("propose", "agent", f"{AGREED_TO}: {told[:200]}"), found
    if not witness(told, [offer.step]).grounded:
        return None
    act = "amend" if verdict == "amended" else "suspend"
    return Ruled(act, "agent", f"{AGREED_TO}: {told[:200]}"), found


_FOR_NOW = re.compile(
    r"\b(?:this (?:time|once|one)|just (?:here|now|once|for)|for (?:now|this|today)|only (?:here|now)|once)\b",
    re.I,
)


def settles(quote: Found) -> bool:
    """Whether a line that a reader quotes may say that a problem came back."""
    return quote.line.letter not in AGENT_LINES


def judged_by_reader(came_back: str | None, last: str) -> Outcome | None:
    """What a reading settles about one use, beside what the rules settled."""
    if last == OCCURRED:
        return None
    if came_back:
        return Outcome(OCCURRED, f"the reader: {came_back}", settled=True, loss=1.0)
    return (
        Outcome("not_occurred", "the reader looked for it and quotes nothing", settled=True)
        if last in ("", "unknown")
        else None
    )


def _by_events(verdict: str, memory: Lesson, quote: Found, needed: str) -> Ruled:
    """What happened, or the agent, speaks against a lesson."""
    tier = VERDICT_WITNESSES.get(quote.line.letter)
    if tier is None:
        return Ruled("nothing", reason="pasted, planned and outside words take nothing back")
    gone = verdict == "outdated"
    if not reaches(tier, needed) or memory.klass == "security":
        asks = gone and memory.state == ACTIVE
        told = (
            f"it may be outdated: {quote.words}"
            if asks
            else "a person's lesson is taken back by a person"
        )
        return Ruled("propose" if asks else "nothing", tier, told)
    if gone and (memory.extra or {}).get(READ_AS) and memory.state == ACTIVE:
        return Ruled("suspend", tier, f"outdated: {quote.words}")
    return Ruled("contradiction", tier, "what happened speaks against it")
