"""A plot as plain SVG: lines over a logarithmic axis, or bars. Readable on light and dark pages, and in a diff."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 760, 420, 70, 50, 50, 190
COLOURS = ("#2563eb", "#dc2626", "#059669", "#d97706", "#7c3aed", "#0891b2", "#be185d")
STYLE = "<style>text{font:13px system-ui,sans-serif;fill:#6b7280}.t{font-size:15px;fill:#4b5563}line{stroke:#9ca3af55}</style>"


def lines(
    title: str, across: str, up: str, series: Mapping[str, Sequence[tuple[float, float]]]
) -> str:
    """Series of points on two logarithmic axes, each with its name at its end."""
    points = [point for line in series.values() for point in line]
    x0, x1 = _decades([x for x, _ in points])
    y0, y1 = _decades([y for _, y in points])
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def at(x: float, y: float) -> tuple[float, float]:
        return LEFT + wide * (log10(x) - x0) / (x1 - x0), TOP + high * (
            1 - (log10(y) - y0) / (y1 - y0)
        )

    parts = [
        _text(LEFT, 24, title, "t"),
        _text(LEFT + wide / 2, HEIGHT - 12, across, anchor="middle"),
        _text(8, TOP - 12, up),
    ]
    for power in range(x0, x1 + 1):
        x, y = at(10**power, 10**y0)
        parts += [
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{y:.1f}"/>',
            _text(x, y + 18, short(10**power), anchor="middle"),
        ]
    for power in range(y0, y1 + 1):
        x, y = at(10**x0, 10**power)
        parts += [
            f'<line x1="{x:.1f}" x2="{LEFT + wide}" y1="{y:.1f}" y2="{y:.1f}"/>',
            _text(x - 8, y + 4, short(10**power), anchor="end"),
        ]
    for line, ((name, told), colour) in enumerate(zip(series.items(), COLOURS)):
        drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(*point) for point in told))
        parts.append(f'<polyline points="{drawn}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>'
            for x, y in (at(*point) for point in told)
        ]
        y = TOP + 10 + 20 * line
        parts.append(
            f'<rect x="{WIDTH - RIGHT + 14}" y="{y - 9}" width="10" height="10" fill="{colour}"/>'
            + _text(WIDTH - RIGHT + 30, y, name)
        )
    return _svg(parts, HEIGHT)


def bars(title: str, groups: Mapping[str, Mapping[str, float]], unit: str) -> str:
    """One group of bars for each measure, on a logarithmic scale; ours is the first of each."""
    parts = [_text(16, 24, title, "t")]
    y = 52.0
    for measure, figures in groups.items():
        low, high = _decades(list(figures.values()))
        parts.append(_text(16, y, f"{measure} ({unit}, logarithmic)"))
        for number, (name, figure) in enumerate(figures.items()):
            y += 22
            long = max(2.0, 420 * (log10(figure) - low) / (high - low))
            colour = COLOURS[0] if not number else "#9ca3af"
            parts.append(
                f'<rect x="190" y="{y - 11:.0f}" width="{long:.0f}" height="14" rx="2" fill="{colour}"/>'
            )
            parts += [
                _text(180, y, name, anchor="end"),
                _text(198 + long, y, f"{figure:,.1f}" if figure < 100 else f"{figure:,.0f}"),
            ]
        y += 40
    return _svg(parts, int(y))


def short(number: float) -> str:
    """1000000 as 1M."""
    for size, letter in ((10**6, "M"), (10**3, "k")):
        if number >= size:
            return f"{number / size:g}{letter}"
    return f"{number:g}"


def _decades(numbers: Sequence[float]) -> tuple[int, int]:
    low, high = floor(log10(min(numbers))), ceil(log10(max(numbers)))
    return low, max(high, low + 1)


def _text(x: float, y: float, said: str, kind: str = "", anchor: str = "start") -> str:
    safe = said.replace("&", "&amp;").replace("<", "&lt;")
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{f" class={chr(34)}{kind}{chr(34)}" if kind else ""}>{safe}</text>'


def _svg(parts: Sequence[str], height: int) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}">\n{STYLE}\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )
