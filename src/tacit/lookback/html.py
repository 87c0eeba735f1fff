"""A look back as one file for a browser (page.html): no request, no script, light and dark, readable on a phone.

Everything that came out of a transcript is somebody's text, so the template escapes every one, and the page forbids itself to load or run
anything. Bars are drawn by hand.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from tacit.core import clock
from tacit.core.errors import numbered
from tacit.lookback import words
from tacit.lookback.result import WEEK_SECONDS, Count, Lookback, Week, assumptions, limits
from tacit.words.diagnose import OF_NO_LESSON

WEEK_BARS = 26  # bars; half a year fits a phone


def html_page(of: Lookback, made_at: str, version: str) -> str:
    """The whole page."""
    page = Environment(
        loader=FileSystemLoader(os.path.dirname(__file__)),
        autoescape=True,
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    page.filters |= {"numbered": numbered, "quoting": _quoting}
    every, count = _every_week(of.weeks)[-WEEK_BARS:], of.count
    highest = max((each.failures for _, each in every), default=0)
    projects = numbered(len(of.projects), "project") + (
        f", {words.days(of.first_at, of.last_at)}" if of.first_at else ""
    )
    problems = [each for each in of.problems if each.lesson or each.nature not in OF_NO_LESSON]
    rendered: str = page.get_template("page.html").render(
        of=of,
        words=words,
        made_at=made_at,
        version=version,
        assumptions=assumptions(of),
        limits=limits(of),
        lead=". ".join(filter(None, (projects, words.calls_words(of)))),
        digits=max(
            len(words.quantity(n)) for n in (count.failures, count.repeated, count.forewarned)
        ),
        weeks=_bars(every, highest) if len(every) > 1 and highest else (),
        highest=highest,
        first=every[0][0] if every else "",
        last=every[-1][0] if every else "",
        problems=problems,
        most=max((each.spent.calls for each in problems), default=0),
        read=[
            f"Read: {numbered(of.files.files, 'file')}, {of.files.bytes / 1e6:,.1f} MB.",
            *words.left_out(of),
        ],
    )
    return rendered


def _bars(
    weeks: Sequence[tuple[str, Count]], highest: int
) -> list[tuple[str, list[tuple[str, float, float, float, float]]]]:
    """Stacked bars, one a week; weeks without a session are gaps."""
    step, top, height = 100 / len(weeks), 2.0, 34.0
    bars = []
    for number, (start, count) in enumerate(weeks):
        y, pieces = top + height, []
        title = f"Week of {start}: {numbered(count.failures, 'failure')} in {numbered(count.sessions, 'session')}"
        title += f", {count.repeated} had happened before, {count.forewarned} forewarned"
        back, first = count.repeated - count.forewarned, count.failures - count.repeated
        for name, n in (("told", count.forewarned), ("back", back), ("first", first)):
            tall = height * n / highest
            y -= tall
            pieces += [(name, number * step + step * 0.12, y, step * 0.76, tall)] if n else []
        bars.append((title, pieces))
    return bars


def _every_week(weeks: Sequence[Week]) -> list[tuple[str, Count]]:
    by_start = {each.start: each.count for each in weeks}
    if not by_start:
        return []
    found, at = [], clock.seconds(min(by_start))
    while at <= clock.seconds(max(by_start)):
        start = clock.stamp(at)[:10]
        found.append((start, by_start.get(start, Count())))
        at += WEEK_SECONDS
    return found


def _quoting(text: str) -> Markup:
    """A sentence; what it quotes in backticks as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))
