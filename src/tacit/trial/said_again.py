"""How often a person had to say it again: per wish and week, with it delivered and without.

Counted from two things and nothing else: the habits' answers, where every session that shows one is named by a line of
its own, and the reader's *said again* with its quote, where a person typed the line. A session counts only if it could
tell: a person typed in it, and a reader was asked about it. The interval speaks of what the coin decided; the sessions
before the wish was on file stand apart, since they are why it is there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from tacit.core.errors import numbered
from tacit.core.links import Evidence, Use
from tacit.core.value import grouped, value
from tacit.trial.coin import WITHHELD
from tacit.trial.evalue import ALPHA, Trial, estimate, interval, tabulate, trial_of
from tacit.trial.outcome import NOT_OCCURRED, OCCURRED
from tacit.trial.pooled import pooled

LOOKED_AT = "look habits"  # the place of a habit's evidence
HEARD = "#said_again"  # how the place of a reader's verdict ends
WEEKS = 4  # that the one screen shows


@value
class Heard:
    """Sessions that could tell, and those in which the person had to say it."""

    sessions: int = 0
    said: int = 0

    def __add__(self, other: Heard) -> Heard:
        return Heard(self.sessions + other.sessions, self.said + other.said)


@value
class Wish:
    """One wish of the person, and how often they had to say it."""

    lesson: str
    delivered: Heard
    without: Heard  # since it is on file: left out by the coin, or not delivered
    before: Heard  # it was on file
    weeks: Mapping[str, int]  # ISO week → sessions in which it was said
    difference: float | None  # said again in a session, delivered minus left out, by the coin alone
    low: float
    high: float
    quotes: tuple[tuple[str, str], ...] = ()  # day and words, the latest first

    @property
    def sentence(self) -> str:
        """How often it had to be said, with the interval where the coin compared."""
        sides = _sides(self.delivered, self.without)
        said = f"Said again in {sides}; before it was known in {_of(self.before)}."
        if self.difference is None:
            return said
        about, low, high = (round(100 * each) for each in (self.difference, self.low, self.high))
        between = f"somewhere between {low:+d} and {high:+d}"
        return f"{said} Difference {about:+d} in 100 sessions ({between})."


@value
class SaidAgain:
    """All wishes, the one that was said most often since it is on file first."""

    wishes: tuple[Wish, ...]
    # sessions in which something was not said again because it was delivered: about, at least, at most
    spared: tuple[float, float, float] | None = None

    @property
    def delivered(self) -> Heard:
        return sum((wish.delivered for wish in self.wishes), Heard())

    @property
    def without(self) -> Heard:
        return sum((wish.without for wish in self.wishes), Heard())

    @property
    def weeks(self) -> dict[str, int]:
        """Over all wishes, oldest first."""
        found: Counter[str] = Counter()
        for wish in self.wishes:
            found.update(wish.weeks)
        return dict(sorted(found.items()))

    @property
    def sentence(self) -> str:
        """The first number a person sees."""
        if not self.wishes:
            return "Nothing is known yet that you had to say twice."
        given, without = self.delivered, self.without
        if not (given.sessions or without.sessions):
            before = sum((wish.before for wish in self.wishes), Heard())
            wishes = numbered(len(self.wishes), "wish", "wishes")
            return f"Said again: {wishes}, {before.said} times in earlier sessions; none since."
        said = f"You had to say it again in {_sides(given, without)}"
        if self.spared is not None:
            about, least, most = (round(each) for each in self.spared)
            said += f"; by the coin, about {about:,} times fewer ({least:,} to {most:,})"
        weeks = [*self.weeks.values()][-WEEKS:]
        return f"{said}. By week: {' '.join(map(str, weeks))}." if len(weeks) > 1 else f"{said}."


def _sides(given: Heard, without: Heard) -> str:
    return f"{_of(given)} that were given it, {_of(without)} that were not"


def _of(heard: Heard) -> str:
    return f"{heard.said} of {numbered(heard.sessions, 'session')}"


def is_said(row: Evidence) -> bool:
    """Whether a row of evidence says that a person had to say it."""
    if row.stance != "supports" or not (row.root or row.run):
        return False
    return row.place == LOOKED_AT or (row.place.endswith(HEARD) and row.by == "user")


def said_again(
    rows: Iterable[Evidence],
    uses: Iterable[Use],
    sessions: Mapping[str, str],
    on_file: Mapping[str, str],
    alpha: float = ALPHA,
) -> SaidAgain:
    """Every wish that was said. `sessions` are the units that could tell, with the day of each; `on_file` says since
    when each lesson has been there."""
    said: dict[str, dict[str, str]] = {}
    for row in rows:
        unit = row.root or row.run
        if is_said(row) and unit in sessions and row.memory in on_file:
            said.setdefault(row.memory, {}).setdefault(unit, row.quote)
    own = grouped((use for use in uses if use.unit in sessions), lambda use: use.memory)
    tossed: list[Trial] = []
    found = []
    for lesson, quotes in said.items():
        told = own.get(lesson, ())
        came = {use.unit: OCCURRED if use.unit in quotes else NOT_OCCURRED for use in told}
        mine = [trial_of(use, came[use.unit], sessions[use.unit]) for use in told]
        tossed += mine
        found.append(_wish(lesson, quotes, told, mine, sessions, on_file[lesson], alpha))
    found.sort(key=lambda wish: (-wish.delivered.said - wish.without.said, wish.lesson))
    tossed.sort(key=lambda trial: (trial.at, trial.unit))
    return SaidAgain(tuple(found), pooled(tossed, alpha).spared)


def _wish(
    lesson: str,
    said: Mapping[str, str],
    uses: Sequence[Use],
    trials: Sequence[Trial],
    sessions: Mapping[str, str],
    since: str,
    alpha: float,
) -> Wish:
    given = {use.unit for use in uses if use.arm != WITHHELD}
    later = {unit for unit, day in sessions.items() if day > since} | {use.unit for use in uses}
    table = tabulate(trials)
    low, high = interval(table, alpha)
    days = sorted(((sessions[unit][:10], words) for unit, words in said.items()), reverse=True)
    return Wish(
        lesson,
        _heard(given, said),
        _heard(later - given, said),
        _heard(sessions.keys() - later - given, said),
        dict(sorted(Counter(_week(day) for day, _ in days).items())),
        estimate(table),
        low,
        high,
        tuple(days[:3]),
    )


def _heard(units: Iterable[str], said: Mapping[str, str]) -> Heard:
    units = list(units)
    return Heard(len(units), sum(unit in said for unit in units))


def _week(day: str) -> str:
    try:
        year, week, _ = date.fromisoformat(day).isocalendar()
    except ValueError:  # a session whose log keeps no times
        return "?"
    return f"{year}-W{week:02}"
