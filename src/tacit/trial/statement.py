"""What is said of a lesson's effect: one value, which every screen shows.

Counts before rates, never a rate without its sessions. Where there is no verdict the word is *not yet known*, the normal
answer. Of a lesson that nobody tosses only this can be said: given so often, and of the sessions that came to its moment,
how often its problem came all the same. A session that never came there, or that never ended, is no praise.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tacit.core.errors import numbered
from tacit.core.links import Evidence, Mark, Use
from tacit.core.value import value
from tacit.trial.coin import RARE
from tacit.trial.evalue import (
    ALPHA,
    GRADES,
    HARMS,
    HELPS,
    NOT_YET_KNOWN,
    estimate,
    interval,
    total,
    unmet_by,
)
from tacit.trial.outcome import NOT_OCCURRED, OCCURRED
from tacit.trial.pooled import TOGETHER

if TYPE_CHECKING:
    from tacit.trial.evalue import Counts, Table
    from tacit.trial.pooled import Pooled

NONE_WITH = "Of the sessions that were given it none could tell yet."
NONE_WITHOUT = "Of the sessions that went without it none could tell yet."
READER = "the reader: "  # how a reading's outcome begins; the words that it quotes follow
QUOTES, CHARS = 3, 160


@value
class Arm:
    """Sessions of one side."""

    sessions: int = 0
    came_back: int = 0  # of these, those in which the problem came


@value
class Statement:
    """What is known of one lesson's effect."""

    lesson: str
    word: str  # helps, harms or not yet known
    measured: bool  # False: nobody tosses it
    delivered: Arm = Arm()
    held_out: Arm = Arm()
    difference: float | None = None  # of problems a session, delivered minus held out
    low: float = -1.0
    high: float = 1.0
    sentence: str = ""
    quotes: tuple[tuple[str, str], ...] = ()  # of what came back: day and words, the latest first

    @property
    def units(self) -> int:
        """Sessions whose coin told something."""
        return self.delivered.sessions + self.held_out.sessions if self.measured else 0

    @property
    def lines(self) -> list[str]:
        """The sentence, then each quote on a line of its own."""
        return [self.sentence, *(f"  {day} “{words}”" for day, words in self.quotes)]


def tossed_statement(lesson: str, word: str, table: Table, alpha: float = ALPHA) -> Statement:
    """Of a lesson that the coin decides; `word` is the verdict that was kept."""
    sums = total(table)
    low, high = interval(table, alpha)
    return Statement(
        lesson,
        word if word in (HELPS, HARMS) else NOT_YET_KNOWN,
        True,
        Arm(sums.injected, sums.injected_occurred),
        Arm(sums.withheld, sums.withheld_occurred),
        estimate(table),
        low,
        high,
        counted(table, word, alpha) if table else "Not measured yet.",
    )


def counted(table: Table, word: str, alpha: float = ALPHA) -> str:
    """The sentence about a table, with the verdict that stands."""
    sums = total(table)
    given = f"{numbered(sums.injected_occurred, 'problem')} in {numbered(sums.injected, 'session')}"
    left = f"Left out to compare: {sums.withheld_occurred} in {sums.withheld}."
    said = [f"Given: {given}." if sums.injected else NONE_WITH]
    said.append(left if sums.withheld else NONE_WITHOUT)
    difference = estimate(table)
    if difference is not None:
        low, high = interval(table, alpha)
        between = f"somewhere between {_in_100(low)} and {_in_100(high)}"
        said.append(f"Difference {_in_100(difference)} in 100 sessions ({between}).")
    said += filter(None, [_took(sums)])
    if word in (HELPS, HARMS):
        said.append(f"{word.capitalize()}; error rate {100 * alpha:g} %, any number of looks.")
    elif word == RARE:
        said.append("Not yet known: its problem is rare; it goes on being given.")
    else:
        said.append("Not yet known.")
    return " ".join(said)


def _took(sums: Counts) -> str:
    """What a problem cost in either arm; nothing where it was never overcome, or struck in one arm only."""
    if sums == sums.plain or not (sums.injected_occurred and sums.withheld_occurred):
        return ""
    given, left = sums.lost
    with_it = f"{GRADES * given / sums.injected_occurred:.1f} calls where given"
    without = f"{GRADES * left / sums.withheld_occurred:.1f} where left out"
    return f"A problem took {with_it}, {without} ({GRADES} at most are counted)."


# Lessons without a coin


def untossed_statement(
    lesson: str, uses: Iterable[Use], marks: Sequence[Mark], evidence: Iterable[Evidence] = ()
) -> Statement:
    """Of a lesson that is given every time: there is nothing to compare with. `evidence` is where quotes are looked for
    that an outcome does not hold."""
    units = dict.fromkeys(use.unit for use in uses if use.memory == lesson and use.arm == "exempt")
    if not units:
        yet = "Given every time; not given yet."
        return Statement(lesson, NOT_YET_KNOWN, False, sentence=yet)
    mine = [mark for mark in marks if mark.memory == lesson and mark.unit in units]
    last = {mark.unit: mark for mark in mine if mark.signal == "outcome"}  # the last word stands
    back = [mark for mark in last.values() if mark.value == OCCURRED]
    reached = reached_in(last.values(), mine)
    latest = sorted(back, key=lambda mark: mark.at, reverse=True)
    quotes = [(mark.at[:10], words) for mark in latest if (words := quote_of(mark, mine, evidence))]
    told = (
        f"in {len(back)} of the {numbered(reached, 'one')} that came to its moment its problem came"
    )
    if not reached:
        told = "none of them is known to have come to its moment"
    return Statement(
        lesson,
        NOT_YET_KNOWN,
        False,
        Arm(reached, len(back)),
        sentence=f"Given every time, in {numbered(len(units), 'session')}; {told}.",
        quotes=tuple(quotes[:QUOTES]),
    )


def reached_in(outcomes: Iterable[Mark], marks: Iterable[Mark]) -> int:
    """How many sessions came to a lesson's moment: those in which its problem came, and those known to have been there."""
    away = unmet_by(marks, unknown=1.0)
    return sum(
        mark.value == OCCURRED
        or (mark.value == NOT_OCCURRED and away.get((mark.memory, mark.unit), 0.0) <= 0.0)
        for mark in outcomes
    )


def quote_of(outcome: Mark, marks: Iterable[Mark], evidence: Iterable[Evidence]) -> str:
    """The words in which it came back: a reader's quote, else what was seen of the lesson in that unit."""
    said = [
        mark.reason.partition(READER)[2]
        for mark in (outcome, *marks)
        if mark.unit == outcome.unit and mark.value == OCCURRED
    ]
    seen = [
        each.quote for each in evidence if each.root == outcome.unit and each.stance == "supports"
    ]
    words = " ".join(next(filter(None, (*said, *seen)), "").split())
    return words if len(words) <= CHARS else f"{words[:CHARS]} …"


# The lessons together


def together_sentence(found: Pooled) -> str:
    """The one statement about the lessons together, in failures, and no more than their verdict says."""
    if found.spared is None:
        return "Not yet known whether your lessons help: no session that could tell went without one so far."
    about, least, most = (round(each) for each in found.spared)
    where = f"in {numbered(found.given, 'session')} that {'was' if found.given == 1 else 'were'} given them"
    error = f"error rate {100 * TOGETHER:g} %"
    if found.word == HELPS:
        fewer = f"about {about:,} failures ({least:,} to {most:,}) did not happen"
        return f"Some of your lessons help: {where} {fewer}; {error}."
    if found.word == HARMS:
        more = f"about {-about:,} failures more ({-most:,} to {-least:,}) happened"
        return f"Some of your lessons harm: {where} {more}; {error}."
    ends = [f"{abs(each):,} {'more' if each < 0 else 'fewer'}" for each in (least, most)]
    span = f"between {ends[0]} and {ends[1]} failures happened than without"
    doubt = f" ({found.doubt})" if found.doubt else ""
    return f"Not yet known whether your lessons help{doubt}: {where} {span}."


def _in_100(rate: float) -> str:
    n = round(100 * rate)
    return f"{'+' if n > 0 else '−' if n < 0 else ''}{abs(n)}"
