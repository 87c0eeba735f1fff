"""What the memory was worth, in things people count: corrections that came back, calls, minutes, tokens, money.

A loss is the calls until a problem was overcome, over eight; so a difference of losses is one of calls, and a lower bound where more than
eight were lost. Only sessions that were given the lessons count. Minutes and tokens follow from what a call takes in this project, as its
host bills it, money from a table of prices with its date, and from nothing else. The interval is the control group's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.core.links import Mark, Use
from tacit.core.memory import HEARD_WORDS, Memory
from tacit.core.value import value
from tacit.prove.followed import Followed
from tacit.trial import effect as stats
from tacit.trial.effect import Interval
from tacit.trial.outcome import OCCURRED
from tacit.trial.overall import Whole
from tacit.trial.run_outcomes import PRICED_ON, UnitFacts
from tacit.trial.table import Counts, tabulate, trials_from

if TYPE_CHECKING:
    from tacit.trial.table import Table

_FEW_UNITS = 10  # givings below which a share says nothing
# tosses of all heard lessons together until half of those that bring 30 in 100 to 10 have a verdict: 50 to 80 sessions
ENOUGH_SESSIONS = 400
LEAST_FOLLOWED = 3


@value
class Heard:
    """What a person said and a reader heard, taken together: given, and did it come back?"""

    lessons: int
    given: int  # units that were given one and told what became of it
    came_back: int
    table: Table  # of those that the coin decided
    interval: Interval
    word: str
    followed: Sequence[Followed] = ()  # lessons without a coin, the least followed first


@value
class Worth:
    """What was spared so far where lessons were given: about, at least, at most; negative is a loss."""

    word: str  # the verdict behind it
    units: int  # sessions that were given them
    calls: tuple[float, float, float]
    minutes: tuple[float, float, float] | None
    tokens: (
        tuple[float, float, float] | None
    )  # that the host bills as new; what it read from its cache is apart
    cached: tuple[float, float, float] | None
    usd: tuple[float, float, float] | None
    priced: str = ""  # the day of the prices


def worth(whole: Whole, seconds_a_call: float | None, units: Iterable[UnitFacts]) -> Worth | None:
    """What all lessons on trial spared over the sessions that were given them; None where nothing was settled in both arms."""
    if whole.calls is None:
        return None
    told = [unit for unit in units if unit.calls and unit.tokens]
    paid = [unit for unit in told if unit.usd]

    def times(of: Sequence[UnitFacts], what: str) -> tuple[float, float, float] | None:
        each = sum(unit.calls for unit in of)
        total = sum(getattr(unit, what) or 0.0 for unit in of)
        return _times(whole.calls, total / each) if whole.calls and each and total else None

    return Worth(
        whole.verdict.word,
        whole.given,
        whole.calls,
        _times(whole.calls, seconds_a_call / 60) if seconds_a_call else None,
        times(told, "tokens"),
        times(told, "cached"),
        times(paid, "usd"),
        PRICED_ON if paid else "",
    )


def heard(
    memories: Mapping[str, Memory],
    uses: Sequence[Use],
    marks: Sequence[Mark],
    alpha: float,
    margin: float,
    exempt: Iterable[Followed] = (),
) -> Heard | None:
    """What became of the words of persons; None where none was given and judged. `exempt` are the lessons without a coin."""
    theirs = {
        id
        for id, memory in memories.items()
        if memory.trust == "user" or (memory.extra or {}).get("word") in HEARD_WORDS
    }
    outcome = {
        (mark.memory, mark.unit): mark.value
        for mark in marks
        if mark.signal == "outcome" and mark.memory in theirs
    }
    told = [
        use
        for use in uses
        if use.memory in theirs
        and outcome.get((use.memory, use.unit)) in ("occurred", "not_occurred")
    ]
    if not told:
        return None
    given = [use for use in told if use.arm != "withheld"]
    back = [use for use in given if outcome[use.memory, use.unit] == OCCURRED]
    tossed = trials_from(
        [use for use in told if use.arm != "exempt"],
        [mark for mark in marks if mark.memory in theirs],
    )
    table = tabulate(tossed)
    followed = sorted(
        (each for each in exempt if each.memory in theirs), key=lambda each: -each.broken
    )
    return Heard(
        len({use.memory for use in told}),
        len(given),
        len(back),
        table,
        stats.interval(table, alpha),
        stats.verdict(table, alpha, margin).word,
        tuple(followed),
    )


def why_untold(marks: Iterable[Mark]) -> dict[str, int]:
    """Why outcomes could not be told, by reason, the commonest first."""
    last = {(mark.memory, mark.unit): mark for mark in marks if mark.signal == "outcome"}
    found: dict[str, int] = {}
    for mark in last.values():
        if mark.value == "unknown":
            reason = mark.reason.split(": ", 1)[-1] if " runs: " in mark.reason else mark.reason
            found[reason] = found.get(reason, 0) + 1
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _times(figures: tuple[float, float, float], by: float) -> tuple[float, float, float]:
    about, least, most = (figure * by for figure in figures)
    return about, least, most


# Words


def worth_line(found: Worth | None) -> str:
    """What the failures that did not happen would have cost; said only where the lessons are known to help or to harm."""
    if found is None or found.word not in ("helps", "harms"):
        return ""
    sign = 1 if found.word == "helps" else -1
    about, least, most = sorted_span(found.calls, sign)
    head = f"{'Spared' if sign > 0 else 'Cost'} about {about:,.0f} calls of agents ({least:,.0f} to {most:,.0f})"
    said = [
        f"{sign * figures[0]:,.0f} {unit}"
        for figures, unit in (
            (found.minutes, "min"),
            (found.tokens, "tokens"),
            (found.cached, "tokens read from the cache"),
            (found.usd, f"dollars at the prices of {found.priced}"),
        )
        if figures
    ]
    return f"{head}{': ' + ', '.join(said) if said else ''}, over {found.units} sessions that were given them."


def sorted_span(figures: tuple[float, float, float], sign: int) -> tuple[float, float, float]:
    """About, least, most; turned round where it is a cost."""
    about, least, most = figures
    return (about, least, most) if sign > 0 else (-about, -most, -least)


def heard_lines(found: Heard) -> list[str]:
    """The person's own words first: given so often, came back so often."""
    what = "lesson" if found.lessons == 1 else "lessons"
    share = f" ({found.came_back / found.given:.0%})" if found.given >= _FEW_UNITS else ""
    lines = [
        f"Your own words: {found.lessons} {what}, given {found.given} times, came back {found.came_back} times{share}."
    ]
    if found.table:
        sums = sum(found.table.values(), Counts())
        tosses = sums.injected + sums.withheld
        compared = f"where the coin gave them, {sums.injected_occurred} of {sums.injected} times"
        compared += (
            f"; where it left them out, {sums.withheld_occurred} of {sums.withheld}"
            if sums.withheld
            else "; it left none out yet"
        )
        more = (
            f"; that takes about {ENOUGH_SESSIONS} tosses, {tosses} are in"
            if found.word == stats.NOT_YET_KNOWN and tosses < ENOUGH_SESSIONS
            else ""
        )
        lines.append(f"They came back, {compared}: {found.word}{more}.")
    for each in [each for each in found.followed if each.broken][:LEAST_FOLLOWED]:
        lines.append(f"Not followed in {each.broken} of {each.told} sessions: {each.memory}")
        lines += [f"  {day} “{words}”" for day, words in each.quotes[:1]]
    return lines


def may_be_said(units: int, lessons: int) -> str:
    """What so many sessions can tell."""
    if units < 20:
        return "Below 20 sessions with a control group nothing is claimed: lessons are ordered by how often they were met."
    if units < 60:
        return (
            "At 20 to 60 sessions lessons can be ordered by how likely each helps. A verdict is rare: even one that takes its"
            " problem from 50 to 20 in 100 sessions has it by session 60 in 4 of 10 cases only."
        )
    return (
        "From 60 sessions on strong effects show: a lesson that takes its problem from 50 to 20 in 100 sessions has its verdict"
        " by session 100 in 6 of 10 cases, by 200 in 9; a weaker one takes longer."
        f" Of {lessons} on trial about {0.05 * lessons:.1f} may be called wrongly (5 % each);"
        " those marked * hold for all of them together, one in ten false at most."
    )


ADVICE = {
    "held no review": "declare the reviewers of a run (instruments), or allow a reader: tacit connect HOST --read",
    "held no agent": "declare who looks (instruments), or allow a reader: tacit connect HOST --read",
    "held no user": "nobody typed in these sessions; a reader could tell: tacit connect HOST --read",
    "held no tool": "these sessions have no record of their steps: learn the host's transcript",
    "held no test": 'declare the tests of a run: instruments = ["test"]',
    "no finished run": "these sessions were never learned: tacit worker, or tacit learn PATH",
    "eligible for the lesson": "whoever would see it is told it too: let somebody else look",
}


def untold_lines(reasons: Mapping[str, int]) -> list[str]:
    """Why some outcomes could not be told, and what to do about it."""
    lines = []
    for reason, count in list(reasons.items())[:3]:
        todo = next((advice for part, advice in ADVICE.items() if part in reason), "")
        lines.append(f"  {count} could not be told: {reason}{'; ' + todo if todo else ''}")
    return lines
