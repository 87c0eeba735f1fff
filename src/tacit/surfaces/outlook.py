"""What the page of figures tells: how memory grew, what it spared, what agents consumed.

`looked` reads the store; everything else is a pure function of what it found. Nothing here grows with lessons or runs: weeks come from
figures by day, and the one thing that must be reckoned from all uses, what was spared, is handed in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.app import Memories
from tacit.core import clock
from tacit.core.value import value
from tacit.stores import daily
from tacit.stores.daily import Figure
from tacit.surfaces.selection import counted

if TYPE_CHECKING:
    from tacit.prove.effect import Effects

WEEKS_SHOWN = 26  # half a year fits a phone
ENOUGH_SESSIONS = 20  # sessions with a comparison below which nothing is claimed

# What a question is about, as a badge.
BADGES = {
    "archive": "no difference", "revive": "came back", "promote": "needs your word", "review": "in question", "confirm": "needs your word",
    "held": "needs your word", "heard": "heard from you", "candidate": "worth a look", "contradiction": "contradiction",
    "merge": "same as another", "edit": "better words", "tend": "many changes", "page": "page", "request": "asked again",
    "notice": "to mend", "fork": "changed twice", "guard": "ask before it",
}  # fmt: skip


@value
class Weekly:
    """Figures of the last weeks, by the day each ends on."""

    days: tuple[str, ...]
    in_force: tuple[float, ...]
    runs: Mapping[str, tuple[float, ...]]  # by host and model
    tokens: Mapping[str, tuple[float, ...]]
    usd: Mapping[str, tuple[float, ...]]
    given: tuple[float, ...]  # tokens that agents were given


@value
class Spared:
    """What the memory as a whole spares a session, in failures; negative is harm."""

    word: str  # the verdict
    about: float | None
    low: float
    high: float
    units: int
    told: str  # a sentence that claims no more than its verdict
    more: tuple[str, ...] = ()  # in calls, minutes, tokens, money

    @property
    def is_known(self) -> bool:
        return self.about is not None and self.units > 0


@value
class Outlook:
    """All of it."""

    project: str
    at: str
    in_force: int
    weekly: Weekly


def looked(memories: Memories, *, weeks: int = WEEKS_SHOWN) -> Outlook:
    """Look, and count."""
    store, at, scopes = memories.store, memories.now(), memories.scopes
    first = daily.first_day(store, scopes)
    begin = clock.after_days(at, -7 * weeks)[:10]
    in_force = counted(memories).in_force
    found = by_week(daily.figures(store, scopes, begin), in_force, at, first, weeks)
    return Outlook(memories.project.name if memories.project else "", at, in_force, found)


# -- pure ----------------------------------------------------------------------------------------


def by_week(figures: Sequence[Figure], in_force: int, at: str, first: str, weeks: int = WEEKS_SHOWN) -> Weekly:
    """Days as weeks that end today, none before the first that was counted. What is in force is known now: the past is reckoned back."""
    ends = [clock.after_days(at, -7 * n)[:10] for n in range(weeks - 1, -1, -1)]
    days = tuple(day for day in ends if day >= first) if first else ()

    def place(day: str) -> int | None:
        return next((n for n, end in enumerate(days) if day <= end), None)

    def summed(wanted: Iterable[Figure]) -> tuple[float, ...]:
        sums = [0.0] * len(days)
        for each in wanted:
            at_week = place(each.day)
            if at_week is not None:
                sums[at_week] += each.amount
        return tuple(sums)

    def split(what: str) -> dict[str, tuple[float, ...]]:
        mine = [each for each in figures if each.what == what]
        return {
            whose: summed(each for each in mine if each.whose == whose)
            for whose in dict.fromkeys(each.whose for each in mine)
        }

    steps = summed(each for each in figures if each.what == daily.DAILY_IN_FORCE)
    standing = [float(in_force)]
    for step in reversed(steps[1:]):
        standing.insert(0, max(0.0, standing[0] - step))
    given = summed(each for each in figures if each.what == daily.DAILY_GIVEN)
    return Weekly(
        days,
        tuple(standing) if days else (),
        split(daily.DAILY_RUNS),
        split(daily.DAILY_TOKENS),
        split(daily.USD),
        given,
    )


def spared(found: Effects) -> Spared:
    """What the control group says of the whole memory; never what was merely not seen again."""
    whole, more = found.whole, tuple(line.strip() for line in found.headline[1:])
    if whole.per_run is None:
        return Spared(whole.verdict.word, None, 0.0, 0.0, whole.units, whole.sentence, more)
    return Spared(whole.verdict.word, -whole.per_run, -whole.high, -whole.low, whole.given, whole.sentence, more)


def named_model(whose: str) -> str:
    """Host and model as people read them."""
    host, _, model = whose.partition(" ")
    return f"{model} in {host}" if model else f"{host}, model unknown"
