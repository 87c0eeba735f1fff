"""The floor: what becomes a lesson where no reader reads. Two rules, both closed; all else waits
for a reader, or is counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tacit.core.run import Finding, Incident, Run
from tacit.core.value import value
from tacit.reading.command import commands
from tacit.reading.decide import STANDING_MARKS
from tacit.words.diagnose import said_of
from tacit.words.own_words import own_text

if TYPE_CHECKING:
    from tacit.store.failures import Counts, Noted

NAME, VERSION = "floor", 1

# words of a sentence: fewer say nothing by themselves, more are about a task
SHORTEST, LONGEST = 3, 40
LINEAGES = 2  # pieces of work that got over a failure by the same command
OF_CURED = 0.3  # of the pieces of work that got over it, in which that command did it
NEED = "at need"  # when a cure is given: with its program or its error
COMMIT = "git commit"

_LEAD = re.compile(r"(?:(?:please|and|also|but|ok|okay|no|yes)\b[\s,.!:–—-]*)+", re.I)
_STANDS = re.compile(
    rf"(?:{'|'.join(STANDING_MARKS)})\b(?!\s+(?:mind|again)\b)|.*\bfrom now on[.!]*$", re.I
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])|\n+")
_CODE = re.compile(r"^\s*(?:```|~~~).*?(?:^\s*(?:```|~~~)\s*$|\Z)", re.M | re.S)
_LIST_MARK = re.compile(r"^\s*(?:[-*•>#]|\d+[.)])\s+")


def standing(run: Run) -> Iterator[Finding]:
    """What the person typed to stay so, one finding a sentence."""
    before = ""
    for step in run.steps:
        if step.typed and step.text:
            for text, said in standing_sentences(own_text(step.text, before)):
                yield Finding(
                    run=run.id,
                    place=step.place,
                    text=text,
                    extractor=NAME,
                    version=VERSION,
                    kind="preference",
                    by="user",
                    tier="user",
                    severity="recommendation",
                    quote=said,
                    at=step.at,
                )
        if step.role == "assistant":
            before = step.text


def standing_sentences(text: str) -> Iterator[tuple[str, str]]:
    """The sentences of a message that open with a standing mark and ask nothing: without what
    leads in, and as typed."""
    for raw in _SENTENCE.split(_CODE.sub("\n", text)):
        said = " ".join(_LIST_MARK.sub("", raw).split())
        lead = _LEAD.match(said)
        order = said[lead.end() :] if lead else said
        if (
            SHORTEST <= len(order.split()) <= LONGEST
            and not order.endswith(("?", ":"))
            and _STANDS.match(order)
        ):
            yield order[:1].upper() + order[1:], said


@value
class Cure:
    """What to do about one failure, as those who got over it did: one lesson for each failure."""

    subject: str  # the failure's signature, by which the lesson is found and kept
    text: str
    witnesses: tuple[Noted, ...]
    tags: tuple[str, ...] = ()
    by: str = "notice"  # whose wording it is: counting's, or a reader's
    trust: str = "observed"  # of that wording
    hold: str = ""  # why a person is asked first
    advises: tuple[str, ...] = ()  # the commands it tells somebody to run, as sessions ran them
    about: tuple[str, ...] = ()  # the commands it is told before
    kind: str = "pitfall"
    when: str = NEED


def cures_of(counts: Counts, noticed: Iterable[Incident]) -> list[Cure]:
    """The cures of the failures that a run has met, by all that the project counted."""
    marks = dict.fromkeys(each.mark for each in noticed if outlives_task(each))
    return [cure for mark in marks if (cure := cure_of(mark, counts.failures(mark)))]


def cure_of(mark: str, met: Sequence[Noted]) -> Cure | None:
    """The cure of a failure, where two pieces of work passed after the same other command."""
    first = met[0].incident
    program = Counter(each.incident.program for each in met).most_common(1)[0][0]
    said = said_of(first)
    ran = command_after(met) if outlives_task(first) and said else ""
    if not ran or not _may_be_cured(first, program):
        return None
    text = f"Run `{ran}` before `{program}`; otherwise {said}."
    tags = tuple(dict.fromkeys((program.split(" ")[0], program)))
    about = tuple(printed_by(met)) or (program,)
    return Cure(mark, text, tuple(met), tags, advises=(ran,), about=about)


def printed_by(met: Sequence[Noted]) -> list[str]:
    """The programs that two pieces of work met a failure with, as they were first met."""
    by: dict[str, set[str]] = {}
    for each in met:
        by.setdefault(each.incident.program, set()).add(each.lineage)
    often = [program for program in by if len(by[program]) >= LINEAGES]
    return sorted(often, key=lambda program: program == COMMIT)  # its hook runs the check itself


def command_after(met: Sequence[Noted]) -> str:
    """The command that most got over a failure by, where two did and they are a fair part of
    those who got over it at all."""
    cured = {each.lineage for each in met if each.incident.ended not in ("never", "")}
    by_cure: dict[str, set[str]] = {}
    for each in met:
        if each.incident.cure and each.incident.ended == "command":
            by_cure.setdefault(each.incident.cure, set()).add(each.lineage)
    best = max(by_cure, key=lambda cure: (len(by_cure[cure]), -len(cure)), default="")
    return best if best and len(by_cure[best]) >= max(LINEAGES, OF_CURED * len(cured)) else ""


def outlives_task(of: Incident) -> bool:
    """Not the work in hand; an exception may be either, and is told where a command alone made
    it go away."""
    return of.nature in ("env", "gate", "git") or of.family == "exception"


def _may_be_cured(first: Incident, program: str) -> bool:
    """Whether a command run before may have cured it: not git's daily life, nor a path that
    somebody guessed while looking around."""
    looking = all(call.looks for call in commands(program))
    return first.family not in ("hook", "git", "lock", "network", "glob", "foreign") and not (
        first.family == "path" and looking
    )
