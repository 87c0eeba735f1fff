"""Plots as SVG: coordinates only, so that templates draw them and style sheets colour them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

PLOT_WIDTH = 320.0


def at(x: float, width: float = PLOT_WIDTH) -> float:
    """Where a difference between −1 and +1 stands."""
    return round((max(-1.0, min(1.0, x)) + 1) / 2 * width, 1)


def plotted_interval(lesson: Mapping[str, Any], width: float = PLOT_WIDTH) -> dict[str, Any]:
    """A lesson's interval as a bar, its estimate as a dot."""
    low, high, dot = at(lesson["low"], width), at(lesson["high"], width), lesson["estimate"]
    return {"low": low, "width": max(1.0, round(high - low, 1)), "dot": None if dot is None else at(dot, width)}


def scaled(part: float, peak: float, width: float = 120.0) -> float:
    """The length of a bar."""
    return round(max(0.0, part) / peak * width, 1) if peak > 0 else 0.0
