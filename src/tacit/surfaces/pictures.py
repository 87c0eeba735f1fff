"""Pictures: data in, an SVG out, as a string. The desk and the report show the same ones.

Every picture has a title and a description that says in words what is seen, colours come from the page's CSS variables by class
(web/static/look.css), and nothing needs a script: what a mark stands for is its own `title`, which a browser shows under the pointer. They
are drawn 360 units wide, so that their letters are still letters on a phone. Every text is escaped here, whatever it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from html import escape
from math import floor, log10
from typing import TYPE_CHECKING, Any

from tacit.core.clock import DAY, seconds
from tacit.core.value import replace, value

if TYPE_CHECKING:
    Series = Sequence[tuple[str, Sequence[float]]]

HEIGHT = 150  # of a picture over time
WIDTH = 360
SERIES = 6  # colours; what is more goes into the last as "others"
OTHERS_NAME = "others"


@value
class Mark:
    """So much of something on a day."""

    day: str
    words: str
    tone: str = "s0"  # its class: s0 … s5, good, bad, hollow
    is_down: bool = False  # drawn below the line: what went against it
    n: int = 1


@value
class Caption:
    """What a picture is called, and what it shows in words, for those who do not see it."""

    id: str
    title: str
    desc: str


# -- pictures ------------------------------------------------------------------------------------


def line(said: Caption, days: Sequence[str], figures: Sequence[float]) -> str:
    """One figure over time, filled below: what there is of something at the end of each day named."""
    left, right, top, bottom = 34.0, WIDTH - 26.0, 12.0, HEIGHT - 22.0
    scale = _Scale(max(figures, default=0.0), top, bottom)
    step = (right - left) / max(1, len(figures) - 1)
    spots = [
        (left + n * step if len(figures) > 1 else right, scale.y(figure))
        for n, figure in enumerate(figures)
    ]
    body = [scale.grid(left, right), _days(days, left, right, HEIGHT)]
    if spots:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        body.append(
            f'<polygon class="area" points="{spots[0][0]:.1f},{bottom:.1f} {path} {spots[-1][0]:.1f},{bottom:.1f}"/>'
        )
        body.append(f'<polyline class="line" points="{path}"/>')
        told = (f"{day_words(day)}: {compact(figure)}" for day, figure in zip(days, figures))
        reach = max(6.0, min(step, 40.0))  # what a pointer need not hit exactly
        body += [
            _rect("over", x - reach / 2, top, reach, bottom - top, title=words)
            for (x, _), words in zip(spots, told)
        ]
        x, y = spots[-1]
        body.append(f'<circle class="end" cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>')
        body.append(_text(x + 2, max(y - 8, 14), compact(figures[-1]), "end", "said"))
    return _picture(said, HEIGHT, body)


def stacked(
    said: Caption, days: Sequence[str], series: Series, *, words: Callable[[float], str]
) -> str:
    """Bars over time, one piece for each series, with a legend below. What is beyond six colours is summed up."""
    kept = fewer(series)
    left, right, top, bottom = 34.0, WIDTH - 4.0, 10.0, HEIGHT - 22.0
    sums = [sum(figures[n] for _, figures in kept) for n in range(len(days))]
    scale = _Scale(max(sums, default=0.0), top, bottom)
    step = (right - left) / max(1, len(days))
    body = [scale.grid(left, right), _days(days, left + step / 2, right - step / 2, HEIGHT)]
    for n, day in enumerate(days):
        base, pieces = bottom, []
        for tone, (_, figures) in enumerate(kept):
            tall = bottom - scale.y(figures[n])
            if tall > 0:
                base -= tall
                pieces.append(
                    _rect(f"s{tone}", left + n * step + step * 0.12, base, step * 0.76, tall)
                )
        told = "; ".join(f"{name} {words(figures[n])}" for name, figures in kept if figures[n])
        if pieces:
            body.append(
                f"<g>{_title(f'{day_words(day)}: {words(sums[n])} ({told})')}{''.join(pieces)}</g>"
            )
    legend = [(f"s{tone}", name, words(sum(figures))) for tone, (name, figures) in enumerate(kept)]
    body.append(_legend(legend, HEIGHT + 6))
    return _picture(said, HEIGHT + 6 + 18 * len(kept), body)


def bars(said: Caption, rows: Sequence[tuple[str, float, str]], *, tone: str = "s0") -> str:
    """Lengths side by side: (name, figure, the figure in words)."""
    peak = max((figure for _, figure, _ in rows), default=0.0) or 1.0
    body = []
    for n, (name, figure, words) in enumerate(rows):
        y, wide = 34.0 * n, max(2.0, figure / peak * WIDTH) if figure else 0.0
        room = int(
            (WIDTH - 7.0 * len(words) - 12.0) / 7.0
        )  # beside the figure, at seven units a character
        body += [
            _text(0, y + 12, short(name, max(8, room)), "start", "said"),
            _text(WIDTH, y + 12, words, "end"),
        ]
        body += [
            _rect("track", 0, y + 17, WIDTH, 8, 4),
            _rect(tone, 0, y + 17, wide, 8, 4, title=f"{name}: {words}"),
        ]
    return _picture(said, max(34 * len(rows), 10), body)


def interval(
    said: Caption,
    between: tuple[float, float],
    about: float | None,
    *,
    tone: str = "open",
    ends: tuple[str, str],
) -> str:
    """What a figure lies between, around zero; left is better, right is worse. `about` is the best guess, where there is one."""
    low, high = between
    reach = max(abs(low), abs(high), 0.05)
    middle, half, top = WIDTH / 2, WIDTH / 2 - 20.0, 16.0

    def x(figure: float) -> float:
        return middle + max(-1.0, min(1.0, figure / reach)) * half

    body = [
        _rect("side-good", 0, top, middle, 44),
        _rect("side-bad", middle, top, middle, 44),
        _line("zero", middle, top - 4, middle, top + 48),
        _rect(tone, x(low), top + 17, max(2.0, x(high) - x(low)), 10, 5),
        _text(4, 11, ends[0]),
        _text(WIDTH - 4, 11, ends[1], "end"),
        _text(middle, top + 60, "0", "middle"),
    ]
    named = [
        (figure, x(figure)) for figure in (low, high) if abs(x(figure) - middle) > 26
    ]  # not where zero stands
    body += [
        _text(min(max(at, 24), WIDTH - 24), top + 60, with_sign(figure), "middle", "said")
        for figure, at in named
    ]
    if about is not None:
        body.append(
            f'<circle class="knob" cx="{x(about):.1f}" cy="{top + 22}" r="7">{_title(f"about {with_sign(about)}")}</circle>'
        )
    return _picture(said, 82, body)


def timeline(said: Caption, lanes: Sequence[tuple[str, Sequence[Mark]]]) -> str:
    """What happened when, a lane for each kind of thing: above its line what speaks for it, below what does not. Near days are one."""
    every = [mark.day for _, marks in lanes for mark in marks]
    if not every:
        return _picture(said, 20, [_text(0, 14, "nothing yet")])
    first, last = min(every), max(every)
    left, right, step = 72.0, WIDTH - 4.0, 7.0
    columns = int((right - left) // step)
    begin, span = seconds(first), max(seconds(last) - seconds(first), DAY)
    body = []
    for at, (name, marks) in enumerate(lanes):
        y, parts = (
            20.0 + 34 * at,
            _gathered(
                marks, lambda day: min(columns - 1, int((seconds(day) - begin) / span * columns))
            ),
        )
        body += [_text(0, y + 4, short(name, 13)), _line("grid", left, y, right, y)]
        peak = max((sum(mark.n for mark in side) for side in parts.values()), default=1)
        for (column, is_down), side in sorted(parts.items()):
            edge = y + 1 if is_down else y - 1
            for mark in side:
                tall = max(3.0, 14.0 * mark.n / peak)
                edge += 0 if is_down else -tall
                body.append(
                    _rect(
                        f"mark {_e(mark.tone)}",
                        left + column * step,
                        edge,
                        step - 1,
                        tall,
                        1,
                        title=_count(mark),
                    )
                )
                edge += tall if is_down else 0
    height = 34 * len(lanes) + 24
    body.append(_text(left, height - 4, day_words(first)))
    if first[:10] != last[:10]:
        body.append(_text(right, height - 4, day_words(last), "end"))
    return _picture(said, height, body)


def _gathered(
    marks: Iterable[Mark], column: Callable[[str], int]
) -> dict[tuple[int, bool], list[Mark]]:
    """Marks by their column and side; those of one tone and meaning as one."""
    found: dict[tuple[int, bool], dict[tuple[str, str], Mark]] = {}
    for mark in marks:
        side = found.setdefault((column(mark.day), mark.is_down), {})
        was = side.get((mark.tone, mark.words))
        side[mark.tone, mark.words] = replace(mark, n=mark.n + was.n, day=was.day) if was else mark
    return {place: [*side.values()] for place, side in found.items()}


def _count(mark: Mark) -> str:
    return f"{day_words(mark.day)}: {mark.words}" + (f", {mark.n} times" if mark.n > 1 else "")


# -- coordinates, for what a template draws ------------------------------------------------------


PLOT_WIDTH = 320.0


def at(x: float, width: float = PLOT_WIDTH) -> float:
    """Where a difference between −1 and +1 stands."""
    return round((max(-1.0, min(1.0, x)) + 1) / 2 * width, 1)


def plotted_interval(lesson: Mapping[str, Any], width: float = PLOT_WIDTH) -> dict[str, Any]:
    """A lesson's interval as a bar, its estimate as a dot."""
    low, high, dot = at(lesson["low"], width), at(lesson["high"], width), lesson["estimate"]
    return {
        "low": low,
        "width": max(1.0, round(high - low, 1)),
        "dot": None if dot is None else at(dot, width),
    }


def scaled(part: float, peak: float, width: float = 120.0) -> float:
    """The length of a bar."""
    return round(max(0.0, part) / peak * width, 1) if peak > 0 else 0.0


# -- parts ---------------------------------------------------------------------------------------


def fewer(series: Series, most: int = SERIES) -> list[tuple[str, Sequence[float]]]:
    """Series by size; where there are more than colours, the smallest as one."""
    ordered = sorted(series, key=lambda each: (-sum(each[1]), each[0]))
    if len(ordered) <= most:
        return ordered
    rest = [figures for _, figures in ordered[most - 1 :]]
    return [*ordered[: most - 1], (OTHERS_NAME, [sum(column) for column in zip(*rest)])]


def _legend(rows: Iterable[tuple[str, str, str]], top: float) -> str:
    parts = []
    for n, (tone, name, total) in enumerate(rows):
        y = top + 18 * n
        parts += [
            _rect(tone, 2, y + 2, 10, 10, 2),
            _text(18, y + 11, short(name, 44)),
            _text(WIDTH - 4, y + 11, total, "end", "said"),
        ]
    return "".join(parts)


class _Scale:
    """From figures to heights, with round lines to read them by."""

    def __init__(self, peak: float, top: float, bottom: float) -> None:
        self.step = nice(max(peak, 1e-9) / 3)
        self.lines = max(1, -int(-peak // self.step))
        self.top, self.bottom, self.most = top, bottom, self.step * self.lines

    def y(self, figure: float) -> float:
        return self.bottom - max(0.0, figure) / self.most * (self.bottom - self.top)

    def grid(self, left: float, right: float) -> str:
        levels = [(n * self.step, self.y(n * self.step)) for n in range(self.lines + 1)]
        return "".join(
            _line("grid", left, y, right, y) + _text(left - 5, y + 4, compact(figure), "end")
            for figure, y in levels
        )


def _days(days: Sequence[str], left: float, right: float, height: float) -> str:
    """The first, the middle and the last day below a picture."""
    if not days:
        return ""
    last = len(days) - 1
    named = (
        {last: ("end", right)}
        if len(days) < 4
        else {0: ("start", left - 4), last: ("end", right + 4)}
    )
    if len(days) >= 9:
        named[len(days) // 2] = ("middle", left + (right - left) * (len(days) // 2) / last)
    return "".join(
        _text(x, height - 5, day_words(days[n]), anchor) for n, (anchor, x) in named.items()
    )


def _picture(said: Caption, height: float, body: Iterable[str]) -> str:
    name = _e(said.id)
    return (
        f'<svg class="pic" viewBox="0 0 {WIDTH} {height:g}" role="img" aria-labelledby="{name}-t {name}-d">'
        f'<title id="{name}-t">{_e(said.title)}</title><desc id="{name}-d">{_e(said.desc)}</desc>{"".join(body)}</svg>'
    )


def _rect(
    tone: str, x: float, y: float, width: float, height: float, round: float = 0, *, title: str = ""
) -> str:
    corners = f' rx="{round:g}"' if round else ""
    place = f'<rect class="{tone}" x="{x:.1f}" y="{y:.2f}" width="{width:.1f}" height="{height:.2f}"{corners}'
    return f"{place}>{_title(title)}</rect>" if title else f"{place}/>"


def _text(x: float, y: float, words: str, anchor: str = "start", tone: str = "") -> str:
    named = f' class="{tone}"' if tone else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{_e(words)}</text>'


def _line(tone: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{tone}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _title(words: str) -> str:
    return f"<title>{_e(words)}</title>"


# -- words ---------------------------------------------------------------------------------------


def compact(figure: float) -> str:
    """A figure in four signs or so: 950, 1.2k, 34M, 0.25."""
    size = abs(figure)
    for unit, above in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if size >= above * 0.9995:
            scaled = figure / above
            return (
                f"{scaled:.0f}{unit}"
                if abs(scaled) >= 99.5
                else f"{scaled:.1f}".removesuffix(".0") + unit
            )
    return f"{figure:.0f}" if size >= 10 or figure == int(figure) else f"{figure:.2g}"


def with_sign(figure: float) -> str:
    """A difference, with a real minus sign."""
    return f"{figure:+.2f}".replace("-", "−") if figure else "0"


def day_words(day: str) -> str:
    """A day as people write it: 3 Aug."""
    try:
        at = date.fromisoformat(day[:10])
    except ValueError:
        return day[:10]
    return f"{at.day} {at:%b}"


def short(text: str, most: int) -> str:
    """A text on one line, cut where it is too long."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def nice(figure: float) -> float:
    """The next round step: 1, 2 or 5 times a power of ten; whole above one."""
    power = 10.0 ** floor(log10(figure))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= figure * 0.999999)


def _e(text: object) -> str:
    return escape(str(text), quote=True)
