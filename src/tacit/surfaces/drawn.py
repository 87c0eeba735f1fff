"""Which picture tells what: the outlook of a memory as titles, sentences and drawings, the same for the desk's home and for a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tacit.core.value import value
from tacit.surfaces import pictures
from tacit.surfaces.outlook import ENOUGH_SESSIONS, Outlook, Spared, Weekly, named_model
from tacit.surfaces.pictures import Caption, compact, day_words
from tacit.surfaces.wording import TONES


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


def in_force(found: Outlook) -> Drawn:
    """How many lessons agents are given, week by week."""
    week, title = found.weekly, "Lessons in force"
    big = f"{found.in_force:,}"
    if len(week.days) < 2:
        begins = "The picture begins with the second week that is counted."
        return Drawn("in-force", title, big, begins if week.days else "Nothing was counted yet.")
    grown = week.in_force[-1] - week.in_force[0]
    told = f"{_more(grown)} than {_ago(len(week.days) - 1)}."
    desc = f"From {compact(week.in_force[0])} on {day_words(week.days[0])} to {compact(week.in_force[-1])} on {day_words(week.days[-1])}."
    rows = tuple((day, f"{n:,.0f}") for day, n in zip(reversed(week.days), reversed(week.in_force)))
    picture = pictures.line(Caption("in-force", title, desc), week.days, week.in_force)
    return Drawn("in-force", title, big, told, picture, ("Week to", "in force"), rows)


def spared(found: Spared | None) -> Drawn:
    """What the whole memory spares, as far as it is known."""
    title = "Failures spared"
    if found is None:
        return Drawn("spared", title, "…", "Being reckoned from all sessions; look again in a moment.")
    if not found.is_known or found.about is None:
        told = "No session that could tell went without a lesson so far, so there is nothing to compare with."
        return Drawn("spared", title, "Not yet known", told)
    low, high, about = -found.high, -found.low, -found.about  # left is fewer, as on every screen
    between = (
        f"between {pictures.with_sign(low)} and {pictures.with_sign(high)} failures a session that was given lessons"
    )
    desc = f"The change lies {between}; the best guess is {pictures.with_sign(about)}."
    tone, ends = TONES.get(found.word, "open"), ("fewer failures", "more failures")
    picture = pictures.interval(Caption("spared", title, desc), (low, high), about, tone=tone, ends=ends)
    few = f" Below {ENOUGH_SESSIONS} sessions nothing is claimed." if found.units < ENOUGH_SESSIONS else ""
    big = {"helps": f"{found.about:.2f} a session", "harms": f"{-found.about:.2f} more a session"}.get(found.word, "")
    return Drawn("spared", title, big or "Not yet known", found.told + ("" if big else few), picture)


def tokens_by_week(found: Outlook) -> Drawn:
    """What agents consumed, week by week, by model."""
    return _consumed("tokens", "Tokens a week", compact, found.weekly, found.weekly.tokens)


def cost(found: Outlook) -> Drawn:
    """What it cost, where hosts say so."""
    return _consumed("cost", "Cost a week", money, found.weekly, found.weekly.usd)


def _consumed(
    id: str, title: str, words: Callable[[float], str], week: Weekly, by: Mapping[str, Sequence[float]]
) -> Drawn:
    sums = [sum(column) for column in zip(*by.values())] if by else []
    if not week.days or not sum(sums):
        return Drawn(id, title, "–", f"No session of these weeks says what it {'cost' if id == 'cost' else 'took'}.")
    kept = pictures.fewer([(named_model(whose), figures) for whose, figures in by.items() if sum(figures)])
    told = f"in the week to {day_words(week.days[-1])}; {words(sum(sums))} since {day_words(week.days[0])}."
    each = "; ".join(f"{name} {words(sum(figures))}" for name, figures in kept)
    desc = f"{words(sums[0])} in the first week shown, {words(sums[-1])} in the last; by model {each}."
    rows = tuple(
        (week.days[n], *(words(figures[n]) for _, figures in kept)) for n in reversed(range(len(week.days))) if sums[n]
    )
    picture = pictures.stacked(Caption(id, title, desc), week.days, kept, words=words)
    return Drawn(id, title, words(sums[-1]), told, picture, ("Week to", *(name for name, _ in kept)), rows)


def hosts(found: Outlook) -> Drawn:
    """Sessions by host and model."""
    title, totals = "Sessions by host and model", {whose: sum(figures) for whose, figures in found.weekly.runs.items()}
    ordered = sorted(((n, whose) for whose, n in totals.items() if n), reverse=True)[:6]
    if not ordered:
        return Drawn("hosts", title, "0", "No session was learned yet.")
    rows = []
    for n, whose in ordered:
        tokens, usd = sum(found.weekly.tokens.get(whose, ())), sum(found.weekly.usd.get(whose, ()))
        said = [f"{n:,.0f}", *([f"{compact(tokens)} tokens"] if tokens else []), *([money(usd)] if usd else [])]
        rows.append((named_model(whose), n, " · ".join(said)))
    desc = "; ".join(f"{name}: {words}" for name, _, words in rows)
    since = f"since {day_words(found.weekly.days[0])}." if found.weekly.days else ""
    return Drawn(
        "hosts", title, f"{sum(totals.values()):,.0f}", since, pictures.bars(Caption("hosts", title, desc), rows)
    )


def _more(step: float) -> str:
    return f"{step:,.0f} more" if step > 0 else f"{-step:,.0f} fewer" if step < 0 else "As many"


def _ago(weeks: int) -> str:
    return "a week ago" if weeks == 1 else f"{weeks} weeks ago"


def money(usd: float) -> str:
    """Dollars."""
    return f"${usd:,.0f}" if usd >= 100 else f"${usd:,.2f}"
