"""How the figures of a look back read: the same words on a terminal and on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.core.errors import numbered
from tacit.core.value import value

if TYPE_CHECKING:
    from tacit.lookback.excerpt import Spent
    from tacit.lookback.result import Lookback, Problem

YOU_SAID = "you said it"
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def percent(part: int, whole: int) -> str:
    """A share; never rounded to all or nothing."""
    if not whole or part in (0, whole):
        return "100%" if whole and part else "0%"
    return f"{min(99, max(1, round(100 * part / whole)))}%"


def duration(seconds: float) -> str:
    """40 s, 12 min, 3.4 h."""
    if seconds < 90:
        return f"{round(seconds)} s"
    return f"{round(seconds / 60)} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


def tokens_in_words(n: int) -> str:
    """900, 12k, 3.4M."""
    if n < 1000:
        return str(n)
    return f"{n / 1e3:.0f}k" if n < 999_500 else f"{n / 1e6:.1f}M"


def spent_words(spent: Spent) -> str:
    """12 extra calls, 4 min, about 30k tokens."""
    said = [numbered(spent.calls, "extra call")] if spent.calls else []
    said += [duration(spent.seconds)] if round(spent.seconds) else []
    said += [f"about {tokens_in_words(spent.tokens)} tokens"] if spent.tokens else []
    return ", ".join(said)


def calls_words(of: Lookback) -> str:
    """119 of 544 tool calls failed."""
    return (
        f"{of.failed_calls:,} of {numbered(of.tool_calls, 'tool call')} failed"
        if of.tool_calls
        else ""
    )


def lesson_words(each: Problem) -> str:
    """What is known about a problem; empty where that is nothing, or no more than the problem
    itself says."""
    return "" if each.lesson == each.label else each.lesson


@value
class LessonLine:
    """A lesson that the next session would be told, and what its problems cost so far."""

    project: str
    text: str
    met: int = 0  # sessions in which it was met
    sessions: int = 0  # of so many
    how: str = "met"
    repeated: int = 0  # times that one of its problems came back
    typical: Spent | None = None  # of the one that came back most often: each time, the median
    said: int = 0  # sessions in which the person had to say it
    problems: int = 1


def lesson_lines(of: Lookback) -> list[LessonLine]:
    """What the next sessions would be told, at their start or when its problem is near, the
    costly first: by what its problems took whenever they came back."""
    found = []
    for project in of.projects:
        later = [
            each.lesson
            for each in of.problems
            if each.project == project.name and not each.known and lesson_words(each)
        ]
        for text in dict.fromkeys((*project.notes, *later)):
            about = [
                each for each in of.problems if each.project == project.name and each.lesson == text
            ]
            worst = max(about, key=lambda each: each.repeated, default=None)
            cost = (
                sum(each.typical.seconds * each.repeated for each in about),
                sum(each.repeated for each in about),
            )
            how, met = project.how.get(text, "met"), project.met.get(text, 0)
            said = met if how == YOU_SAID and met > 1 else 0
            found.append(
                (
                    (cost[0], cost[1] + said),
                    LessonLine(
                        project.name,
                        text,
                        met,
                        project.count.sessions,
                        how,
                        cost[1],
                        worst.typical if worst else None,
                        said,
                        len(about),
                    ),
                )
            )
    return [told for _, told in sorted(found, key=lambda each: each[0], reverse=True)]


def cost_words(told: LessonLine) -> str:
    """What a lesson's problem cost so far."""
    if told.said:
        return f"you said it in {numbered(told.said, 'session')}"
    where = (
        f"{told.how} in {told.met} of {numbered(told.sessions, 'session')}"
        if told.met
        else "what your sessions do, or what you said"
    )
    if not told.repeated:
        return where
    took = spent_words(told.typical) if told.typical else ""
    worst = "the costliest of them " if told.problems > 1 else ""
    return where + (f", {worst}typically {took}" if took else "")


def day(at: str) -> str:
    """9 Feb 2026."""
    return f"{int(at[8:10])} {MONTHS[int(at[5:7]) - 1]} {at[:4]}"


def days(first: str, last: str) -> str:
    """12 Jan to 9 Feb 2026."""
    begin, end = day(first), day(last)
    if begin == end:
        return begin
    return f"{begin.removesuffix(first[:4]).strip() if first[:4] == last[:4] else begin} to {end}"


def left_out(of: Lookback) -> list[str]:
    """What the figures leave out, in sentences."""
    files, said = of.files, []
    if of.passed_over:
        said.append(
            f"{numbered(of.passed_over, 'failed call')} of the agent program's own tools (an edit before a read, say): left out."
        )
    if of.untimed:
        said.append(
            f"{numbered(of.untimed, 'session')} without a time, taken in the order of reading."
        )
    if files.malformed_lines:
        said.append(f"{numbered(files.malformed_lines, 'malformed line')} left out.")
    if files.foreign:
        said.append(f"{numbered(files.foreign, 'file')} in no known format left out.")
    if files.unread_count:
        named = "; ".join(f"{path} ({reason})" for path, reason in files.unread[:3])
        said.append(f"{numbered(files.unread_count, 'file')} could not be read: {named}.")
    return said
