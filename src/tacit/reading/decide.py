"""How far a checked lesson goes: whose word it is, whether it is in force, and why.

    said    the person's line alone says it, and it is a way of working or a fact that holds: theirs, in force after one sighting
    shown   they did or asked for it once, the general words are the model's: on trial after one sighting, never leave to act unasked
    found   from what happened: at its moment, and at starts after two lineages of which one quotes output, a call or the person
    agreed  the agent's sentence, and the person's plain yes in the next line: told at its subject, never as their word
    asked   an order of theirs that may be a habit: waits until it is asked for in a second lineage, and is then shown

The words that will be printed decide the tier. Where the model's wording says something that the
person's line does not, it is shown, not said; where nobody in the session said it, their own line
is the lesson if it can be read alone, and else they are asked; where nobody ran or typed a name in
it, it is found. Whoever tells it: what an output, a page or a paste brought is quoted, and waits
for a person.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tacit.core.tables import Tables
from tacit.core.value import replace, value
from tacit.reading.answers import Weighed
from tacit.reading.check import (
    Checked,
    done,
    fails_then_passes,
    names_missing,
    sentence_of,
    was_done,
)
from tacit.reading.page import CHOSEN_LETTER, PERSON, Line, happened
from tacit.reading.whose import brought_in, put_in, unsaid
from tacit.safety.provenance import ACT, OUTSIDE
from tacit.safety.witness import Witness
from tacit.words.match import shares_half

_tables = Tables(__file__)

# Closed: a mark that is not here is a reader's to hear.
STANDING_MARKS = (
    "always",
    "never",
    "from now on",
    "remember",
    "going forward",
    "in the future",
    "as a rule",
    "every time",
    "each time",
    "before every",
    "after every",
    "do not ever",
)

# What the person agreed to: the agent's sentence, and their plain yes in the next line, both
# quoted.
#
# It is a tier of its own: more than what an agent found by itself, and never the person's word.
# Only words that can mean nothing but assent count; a yes with a condition, a question or another
# matter behind it is read by whoever weighs that line.

_ASSENT = _tables.pattern("_ASSENT", re.I)
_LAST = _tables.pattern("_LAST", re.I)
SPOKEN = 900  # characters of what the person said around it
_BUT = _tables.pattern("_BUT", re.I)


def is_assent(text: str) -> bool:
    """Whether a line of the person begins with a plain yes, and its first sentence takes nothing
    of it back, or ends with one and nothing in it does."""
    first = re.split(r"(?<=[.!?])\s|\s[–—-]\s|;", text.strip(), maxsplit=1)[0]
    return bool(_ASSENT.match(first) and not _BUT.search(first)) or bool(
        _LAST.search(text) and not _BUT.search(text)
    )


def proposal_before(quoted: Line, lines: Sequence[Line]) -> Line | None:
    """The agent's line to which the person's next one is a plain yes: the quoted line, or the
    one that the quoted yes answers."""
    spoken = [
        line for line in lines if line.number < quoted.number and line.letter in (*PERSON, "A")
    ]
    told = spoken[-1] if quoted.letter in PERSON and spoken else quoted
    return told if spoken_around(told, lines) else None


def exchange(told: Line, lines: Sequence[Line]) -> str:
    """What the person and the agent said last, up to a line of the agent."""
    spoken = [
        line.whole for line in lines if line.number <= told.number and line.letter in (*PERSON, "A")
    ]
    return " / ".join(spoken[-5:])


def spoken_around(told: Line, lines: Sequence[Line]) -> str:
    """What the person typed before a line of the agent and in their plain yes to it; empty where
    there is no such yes."""
    spoken = [line for line in lines if line.letter in PERSON]
    after = next((line for line in spoken if line.number > told.number), None)
    if told.letter != "A" or after is None or not is_assent(after.whole):
        return ""
    before = [line.whole for line in spoken if line.number < told.number][-1:]
    return " / ".join((*before, after.whole))[:SPOKEN]


def why_not_agreed(checked: Checked, lines: Sequence[Line]) -> str:
    """Why what a reader calls agreed is not; empty where the agent's line is quoted and the
    person's next line is a plain yes."""
    if checked.quotes and checked.quotes[0].line.letter == CHOSEN_LETTER:
        return ""  # the agent's words and the person's yes in one line
    told = [quote for quote in checked.quotes if quote.line.letter == "A"]
    yes = [quote for quote in checked.quotes if quote.line.letter in PERSON]
    if not told or not yes:
        return "not both the agent's line and the person's are quoted"
    spoken = [line for line in lines if line.letter in PERSON and line.number > told[0].line.number]
    if not spoken or spoken[0].number not in {quote.line.number for quote in yes}:
        return "the person's next line is not the one that is quoted"
    return "" if is_assent(spoken[0].whole) else "the person's next line is no plain yes"


_PLAIN = re.compile(r"[A-Z][a-z]+")  # a product or a person by name, nothing that could be run
# standings of what was asked for once, and of what was agreed to
HABIT, AGREED_BY_WORD = "asked", "agreed"
_STANDING_MARK = re.compile(rf"\b(?:{'|'.join(STANDING_MARKS)})\b", re.I)
_STANDING = ("preference", "way")  # kinds of what holds at every start, whatever the task
LONGEST_OWN = 240  # characters of a person's line that is the lesson itself; of a longer one the words that are quoted
READERS_WORDS = "a reader's words for a line of yours"
_LEANS = _tables.pattern("_LEANS", re.I)
_FOR_A_TIME = _tables.pattern("_FOR_A_TIME", re.I)
_ONE_OF_MANY = _tables.pattern("_ONE_OF_MANY", re.I)
_DECIDING_ORDERS = _tables.pattern("_ORDERS", re.I)
_LEFT_TO = _tables.pattern("_LEFT_TO", re.I)
_ASKS_LEAVE = re.compile(
    r"\bask first\b|\bstop and ask\b|\bonly (?:once|after|when|if) the (?:person|user) allow", re.I
)
_THING_AT_HAND = re.compile(r"\b(?:it|this|that|these|those)\b", re.I)
NOT_KNOWN = "perhaps not the person's words: whether they were typed is not known"


@value
class Decided:
    """What becomes of one lesson of a reading."""

    text: str
    word: str  # said, shown, agreed, found or asked; empty: dropped
    tier: str = "agent"  # of the words that are printed
    witness: str = "agent"  # of the evidence behind them
    hold: str = ""  # why a person is asked first
    reason: str = ""
    kind: str = ""  # of a way of working; empty: as the model calls it

    @property
    def whose(self) -> str:
        """One of the three words that a lesson has: what a person said is theirs alone where the
        words that will be printed are. What was shown, agreed to, asked for or found is the
        session's, and never "you said it"."""
        return {"user": "person", "quoted": "outside"}.get(self.tier, "session")


def decide(
    checked: Checked, weighed: Weighed | None, lines: Sequence[Line], witness: Witness
) -> Decided:
    """The word of one lesson. `weighed` is the second question's answer; without one nobody
    vouches for the wording. What is not grounded in its session (`witness`) is quoted, and
    waits."""
    decided = _grounded(_decided(checked, weighed, lines), checked, witness)
    if decided.word and (passing := _FOR_A_TIME.search(decided.text)):
        return Decided(
            decided.text, "", reason=f"says “{passing[0]}”: nobody can tell when that is over"
        )
    if (
        decided.word == "shown"
        and checked.person
        and (one := _ONE_OF_MANY.search(checked.person.words))
    ):
        return Decided(decided.text, "", reason=f"said of “{one[0]}”")
    if (
        decided.word == "shown"
        and not decided.hold
        and checked.person
        and _LEFT_TO.search(checked.person.words)
    ):
        decided = replace(decided, hold="you allowed it or asked about it once: is it for good?")
    return decided


def _grounded(decided: Decided, checked: Checked, witness: Witness) -> Decided:
    """The same, as a question to the person where it would act unasked, or a name or its words
    stood outside first. What a person typed is theirs, and acts where they say so for good."""
    if not decided.word:
        return decided
    found = witness(decided.text, [quote.line.step for quote in checked.quotes])
    if found.word == ACT:
        line = checked.person.around if decided.word == "said" and checked.person else ""
        waits = not decided.hold and not _STANDING_MARK.search(line)
        return replace(decided, hold=found.reason) if waits else decided
    if found.word != OUTSIDE or decided.word == "said":
        return decided
    reason = f"{found.reason}; {decided.reason}"
    return replace(decided, tier="quoted", witness="quoted", hold=found.reason, reason=reason)


def is_habit(checked: Checked, decided: Decided) -> bool:
    """Whether what was asked for once is likely to be asked for again: the reader says so, and
    the words are not about the one thing that was at hand."""
    quote = checked.person or checked.quotes[0]
    asked = decided.word == checked.lesson.standing == HABIT
    return asked and not _THING_AT_HAND.search(quote.words)


def _decided(checked: Checked, weighed: Weighed | None, lines: Sequence[Line]) -> Decided:
    lesson = checked.lesson
    if checked.dropped:
        return Decided(lesson.text, "", reason=checked.dropped)
    if checked.unsure:
        return Decided(
            lesson.text,
            "found",
            "quoted",
            "quoted",
            NOT_KNOWN,
            "nobody knows whether the person said it",
        )
    if lesson.standing == AGREED_BY_WORD:
        return _agreed(checked, lines)
    person = checked.person
    if person is None or (lesson.standing == "found" and not _says_for_good(weighed)):
        return _found(checked, lines, weighed)
    if weighed is None:
        return Decided(lesson.text, "asked", reason="the person's line was not weighed")
    if weighed.holds == "once":
        if _ASKS_LEAVE.search(lesson.text):
            return _found(
                checked, lines, weighed
            )  # leave that was given once shows that it is asked for
        return Decided(lesson.text, "", reason="an exception for this time")
    if lesson.standing == HABIT:
        return _asked(lesson.text) if weighed.says != "no" else _found(checked, lines, weighed)
    if weighed.holds == "order":
        return _asked(lesson.text)
    if person.line.whole.lstrip().startswith("/") and not _DECIDING_ORDERS.search(lesson.text):
        return Decided(lesson.text, "", reason="what a task is to change, told as a fact")
    kind = lesson.kind
    if weighed.holds in ("working", "decision") and (kind in _STANDING) != (
        weighed.holds == "working"
    ):
        kind = "way" if weighed.holds == "working" else "decision"
    if weighed.says == "yes":
        return replace(_said(checked, person.around, lines), kind=kind)
    if weighed.says == "partly":
        return replace(_shown(checked, "the person's line says a part of it", lines), kind=kind)
    return _found(checked, lines, weighed)


def _says_for_good(weighed: Weighed | None) -> bool:
    return weighed is not None and weighed.says == "yes" and weighed.holds not in ("order", "once")


def _said(checked: Checked, line: str, lines: Sequence[Line]) -> Decided:
    text, reason = checked.lesson.text, "the person's line says it"
    least = min(
        (quote.around for quote in checked.quotes),
        key=lambda around: -len(names_missing(text, around)),
    )
    lacking = names_missing(text, line) if checked.all_person else names_missing(text, least)
    said = [quote for quote in checked.quotes if quote.line.letter in PERSON]
    lacking = lacking or unsaid(text, " ".join(quote.around for quote in said))
    if lacking:
        shown = _shown(checked, f"the person's line does not say {lacking[0]}", lines)
        if shown.word == "shown" and not put_in(text, lines):
            return shown
        wholes = (
            said[0].around if len(said[0].around) <= LONGEST_OWN else said[0].words,
            sentence_of(said[0]),
        )
        own = next(
            (
                each
                for each in filter(reads_alone, wholes)
                if shares_half(text, each) or shares_half(each, text)
            ),
            "",
        )
        if not own:
            why = f"the line does not say {lacking[0]}, and is no lesson by itself"
            return Decided(
                text, "shown", hold=READERS_WORDS, reason=why
            )  # no word of theirs vouches for it
        return Decided(
            own,
            "said",
            "user",
            "user",
            reason=f"in their own words: the line does not say {lacking[0]}",
        )
    return Decided(text, "said", "user", "user", reason=reason)


def reads_alone(line: str) -> bool:
    """Whether a stranger could act on a person's line as it stands: it asks nothing and leans on
    nothing that was said before it."""
    return not _LEANS.search(line)


def _shown(checked: Checked, reason: str, lines: Sequence[Line]) -> Decided:
    foreign = [
        name
        for name in names_missing(checked.lesson.text, done(lines))
        if not _PLAIN.fullmatch(name)
    ]
    foreign = foreign or put_in(checked.lesson.text, lines, names=True)
    if foreign:
        told = _found(checked, lines)
        return replace(told, reason=f"nobody ran or typed {foreign[0]}; {told.reason}")
    if brought := brought_in(checked.lesson.text, lines):
        why = f"an output or a page brought the word {brought[0]}: did you mean it so?"
        return Decided(checked.lesson.text, "shown", "agent", "user", hold=why, reason=reason)
    return Decided(checked.lesson.text, "shown", "agent", "user", reason=reason)


def _asked(text: str) -> Decided:
    return Decided(
        text, "asked", reason="an order about the task; it counts when it is asked for again"
    )


def _agreed(checked: Checked, lines: Sequence[Line]) -> Decided:
    both = " ".join(quote.around for quote in checked.quotes)
    lacking = names_missing(checked.lesson.text, both)
    if why := why_not_agreed(checked, lines) or (
        f"neither line names {lacking[0]}" if lacking else ""
    ):
        told = _found(checked, lines)
        return replace(told, reason=f"{why}; {told.reason}")
    return Decided(
        checked.lesson.text, AGREED_BY_WORD, reason="the agent said it, and the person agreed"
    )


def _found(checked: Checked, lines: Sequence[Line], weighed: Weighed | None = None) -> Decided:
    shown = fails_then_passes(checked, lines) and was_done(checked.lesson.text, lines)
    # else the person's line speaks of something else
    says = weighed is not None and weighed.says != "no"
    quoted = any(
        happened(quote.line) and (says or quote.line.letter not in PERSON)
        for quote in checked.quotes
    )
    witness = "observed" if shown or quoted else "agent"
    passed = "a command failed and passed afterwards" if shown else ""
    reason = passed or ("what happened is quoted" if quoted else "the agent's word")
    return Decided(checked.lesson.text, "found", "agent", witness, reason=reason)
