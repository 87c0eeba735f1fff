"""What the page of figures tells: how memory grew, what it spared, what agents consumed.

`looked` reads the store; everything else is a pure function of what it found. Nothing here grows with lessons or runs: weeks come from
figures by day, and the one thing that must be reckoned from all uses, what was spared, is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from tacit.app import Memories
from tacit.core import clock
from tacit.core.value import value
from tacit.stores import daily
from tacit.stores.daily import Figure
from tacit.surfaces import pictures
from tacit.surfaces.pictures import Caption, compact, day_words
from tacit.surfaces.selection import counted
from tacit.surfaces.wording import TONES

if TYPE_CHECKING:
    from tacit.prove.effect import Effects

WEEKS_SHOWN = 26  # half a year fits a phone
ENOUGH_SESSIONS = 20  # sessions with a comparison below which nothing is claimed

# What a question is about, as a badge.
BADGES = {
    "archive": "no difference",
    "revive": "came back",
    "promote": "needs your word",
    "review": "in question",
    "confirm": "needs your word",
    "held": "needs your word",
    "heard": "heard from you",
    "candidate": "worth a look",
    "contradiction": "contradiction",
    "merge": "same as another",
    "edit": "better words",
    "tend": "many changes",
    "page": "page",
    "request": "asked again",
    "notice": "to mend",
    "fork": "changed twice",
    "guard": "ask before it",
}


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
class WeeklyFigures:
    """All of it."""

    project: str
    at: str
    in_force: int
    weekly: Weekly


def looked(memories: Memories, *, weeks: int = WEEKS_SHOWN) -> WeeklyFigures:
    """Look, and count."""
    store, at, scopes = memories.store, memories.now(), memories.scopes
    first = daily.first_day(store, scopes)
    begin = clock.after_days(at, -7 * weeks)[:10]
    in_force = counted(memories).in_force
    found = by_week(daily.figures(store, scopes, begin), in_force, at, first, weeks)
    return WeeklyFigures(memories.project.name if memories.project else "", at, in_force, found)


# -- pure ----------------------------------------------------------------------------------------


def by_week(
    figures: Sequence[Figure], in_force: int, at: str, first: str, weeks: int = WEEKS_SHOWN
) -> Weekly:
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
    return Spared(
        whole.verdict.word,
        -whole.per_run,
        -whole.high,
        -whole.low,
        whole.given,
        whole.sentence,
        more,
    )


def named_model(whose: str) -> str:
    """Host and model as people read them."""
    host, _, model = whose.partition(" ")
    return f"{model} in {host}" if model else f"{host}, model unknown"


# -- which picture tells what: titles, sentences and drawings, the same for the desk and for a report -------------------


@value
class Drawn:
    """One picture with what stands around it."""

    id: str
    title: str
    big: str  # what one reads first
    told: str  # a sentence; it says so where nothing is known
    picture: str = ""  # SVG, escaped
    heads: tuple[str, ...] = ()  # the figures behind it, as a table
    rows: tuple[tuple[str, ...], ...] = ()


def drawn_in_force(found: WeeklyFigures) -> Drawn:
    """How many lessons agents are given, week by week."""
    week, title = found.weekly, "Lessons in force"
    big = f"{found.in_force:,}"
    if len(week.days) < 2:
        begins = "The picture begins with the second week that is counted."
        return Drawn("in-force", title, big, begins if week.days else "Nothing was counted yet.")
    grown = week.in_force[-1] - week.in_force[0]
    more = f"{grown:,.0f} more" if grown > 0 else f"{-grown:,.0f} fewer" if grown < 0 else "As many"
    told = f"{more} than {'a week' if len(week.days) == 2 else f'{len(week.days) - 1} weeks'} ago."
    desc = f"From {compact(week.in_force[0])} on {day_words(week.days[0])} to {compact(week.in_force[-1])} on {day_words(week.days[-1])}."
    rows = tuple((day, f"{n:,.0f}") for day, n in zip(reversed(week.days), reversed(week.in_force)))
    picture = pictures.line(Caption("in-force", title, desc), week.days, week.in_force)
    return Drawn("in-force", title, big, told, picture, ("Week to", "in force"), rows)


def drawn_spared(found: Spared | None) -> Drawn:
    """What the whole memory spares, as far as it is known."""
    title = "Failures spared"
    if found is None:
        return Drawn(
            "spared", title, "…", "Being reckoned from all sessions; look again in a moment."
        )
    if not found.is_known or found.about is None:
        told = "No session that could tell went without a lesson so far, so there is nothing to compare with."
        return Drawn("spared", title, "Not yet known", told)
    low, high, about = -found.high, -found.low, -found.about  # left is fewer, as on every screen
    between = f"between {pictures.with_sign(low)} and {pictures.with_sign(high)} failures a session that was given lessons"
    desc = f"The change lies {between}; the best guess is {pictures.with_sign(about)}."
    tone, ends = TONES.get(found.word, "open"), ("fewer failures", "more failures")
    picture = pictures.interval(
        Caption("spared", title, desc), (low, high), about, tone=tone, ends=ends
    )
    few = (
        f" Below {ENOUGH_SESSIONS} sessions nothing is claimed."
        if found.units < ENOUGH_SESSIONS
        else ""
    )
    big = {
        "helps": f"{found.about:.2f} a session",
        "harms": f"{-found.about:.2f} more a session",
    }.get(found.word, "")
    return Drawn(
        "spared", title, big or "Not yet known", found.told + ("" if big else few), picture
    )


def tokens_by_week(found: WeeklyFigures) -> Drawn:
    """What agents consumed, week by week, by model."""
    return _consumed("tokens", "Tokens a week", compact, found.weekly, found.weekly.tokens)


def cost(found: WeeklyFigures) -> Drawn:
    """What it cost, where hosts say so."""
    return _consumed("cost", "Cost a week", money, found.weekly, found.weekly.usd)


def _consumed(
    id: str,
    title: str,
    words: Callable[[float], str],
    week: Weekly,
    by: Mapping[str, Sequence[float]],
) -> Drawn:
    sums = [sum(column) for column in zip(*by.values())] if by else []
    if not week.days or not sum(sums):
        return Drawn(
            id,
            title,
            "–",
            f"No session of these weeks says what it {'cost' if id == 'cost' else 'took'}.",
        )
    kept = pictures.fewer(
        [(named_model(whose), figures) for whose, figures in by.items() if sum(figures)]
    )
    told = f"in the week to {day_words(week.days[-1])}; {words(sum(sums))} since {day_words(week.days[0])}."
    each = "; ".join(f"{name} {words(sum(figures))}" for name, figures in kept)
    desc = (
        f"{words(sums[0])} in the first week shown, {words(sums[-1])} in the last; by model {each}."
    )
    rows = tuple(
        (week.days[n], *(words(figures[n]) for _, figures in kept))
        for n in reversed(range(len(week.days)))
        if sums[n]
    )
    picture = pictures.stacked(Caption(id, title, desc), week.days, kept, words=words)
    return Drawn(
        id, title, words(sums[-1]), told, picture, ("Week to", *(name for name, _ in kept)), rows
    )


def hosts(found: WeeklyFigures) -> Drawn:
    """Sessions by host and model."""
    title, totals = (
        "Sessions by host and model",
        {whose: sum(figures) for whose, figures in found.weekly.runs.items()},
    )
    ordered = sorted(((n, whose) for whose, n in totals.items() if n), reverse=True)[:6]
    if not ordered:
        return Drawn("hosts", title, "0", "No session of these weeks was learned.")
    rows = []
    for n, whose in ordered:
        tokens, usd = sum(found.weekly.tokens.get(whose, ())), sum(found.weekly.usd.get(whose, ()))
        said = [
            f"{n:,.0f}",
            *([f"{compact(tokens)} tokens"] if tokens else []),
            *([money(usd)] if usd else []),
        ]
        rows.append((named_model(whose), n, " · ".join(said)))
    desc = "; ".join(f"{name}: {words}" for name, _, words in rows)
    since = f"since {day_words(found.weekly.days[0])}." if found.weekly.days else ""
    return Drawn(
        "hosts",
        title,
        f"{sum(totals.values()):,.0f}",
        since,
        pictures.bars(Caption("hosts", title, desc), rows),
    )


def money(usd: float) -> str:
    """Dollars."""
    return f"${usd:,.0f}" if usd >= 100 else f"${usd:,.2f}"
