"""What a session's verdict on a remembered lesson comes to: a sighting, a contradiction, a lesson suspended, a question to a person.

Taking away needs as much as putting in. Only the person's own words, weighed a second time, suspend a lesson; what is pinned, canonical
or about security waits for somebody's word all the same; an exception for this time suspends nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.core.states import INJECTABLE
from tacit.core.trust import READ_AS, reaches
from tacit.core.value import value
from tacit.learn.reader.render import AGENT_LINES, PERSON
from tacit.trial.outcome import OCCURRED, Outcome

if TYPE_CHECKING:
    from tacit.core.memory import Memory
    from tacit.learn.reader.answer import Weighed
    from tacit.learn.reader.check import Found

AGAINST = ("reversed", "amended", "outdated")
MET = ("came_back", "said_again")  # its problem was met again
PROBLEM = (*MET, "breached")  # … or its advice was not kept: what a trial is about; a breach that nobody minded is no sighting
WITNESSES = {"E": "observed", "T": "agent", "A": "agent"}  # tier of what speaks against a lesson, by who says it


@value
class Ruled:
    """What a verdict does."""

    act: str  # sighting, contradiction, suspend, propose, or nothing
    tier: str = "agent"
    reason: str = ""


def needs_weighing(verdict: str, quote: Found) -> bool:
    """Whether a second question is asked: the person's words against a lesson, for good."""
    return verdict in AGAINST and quote.line.letter in PERSON


def ruled(verdict: str, memory: Memory, quote: Found, weighed: Weighed | None = None, *, needed: str) -> Ruled:
    """What one verdict with a quote that stands in the session does to a lesson; `needed` is whose word it takes to take it away."""
    typed = quote.line.letter in PERSON
    if verdict in MET:
        if not typed and (memory.extra or {}).get(READ_AS) == "asked":
            return Ruled("nothing", reason="what was asked for is asked for again by a person")
        # whoever says so speaks of the problem, and vouches for nobody's words about it
        return Ruled("sighting", "agent", "met again")
    if verdict not in AGAINST:
        return Ruled("nothing", reason=verdict)
    if not typed:
        return _by_events(memory, quote, needed)
    if weighed is None or weighed.says != "yes" or weighed.holds in ("order", "once"):
        return Ruled("nothing", reason="the person's line does not take it back")
    if memory.pinned or memory.klass == "security" or memory.state == "canonical":
        return Ruled("propose", "user", f"the person says otherwise: {quote.words}")
    if memory.state in INJECTABLE:
        return Ruled("suspend", "user", f"the person says otherwise: {quote.words}")
    return Ruled("contradiction", "user", f"the person says otherwise: {quote.words}")


def settles(quote: Found) -> bool:
    """Whether a line that a reader quotes may say that a problem came back: what happened, or a person's words. An agent that was told the
    lesson speaks of its work otherwise than one that was not, in lines that are hidden from the reader: by the agent's words, whether the
    problem was seen would depend on the arm."""
    return quote.line.letter not in AGENT_LINES


def judged_by_reader(came_back: str | None, last: str) -> Outcome | None:
    """What a reading settles about one use, beside what the rules settled: a problem that came back came back, whoever saw it; where nobody
    could see it, that a reader who looked for it found nothing is the answer. The arm is no argument of this."""
    if last == OCCURRED:
        return None
    if came_back:
        return Outcome(OCCURRED, f"the reader: {came_back}", settled=True, loss=1.0)
    return (
        Outcome("not_occurred", "the reader looked for it and quotes nothing", settled=True)
        if last in ("", "unknown")
        else None
    )


def _by_events(memory: Memory, quote: Found, needed: str) -> Ruled:
    """What happened, or the agent, speaks against a lesson: never enough against what a person said, showed or confirmed."""
    tier = WITNESSES.get(quote.line.letter)
    if tier is None:
        return Ruled("nothing", reason="pasted, planned and outside words take nothing back")
    if not reaches(tier, needed) or memory.klass == "security":
        return Ruled("nothing", reason="a person's lesson is taken back by a person")
    return Ruled("contradiction", tier, "what happened speaks against it")
