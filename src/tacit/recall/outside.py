"""Rankers and renderers by name: our own that few profiles use, and those of other packages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from tacit.core.errors import UsageError


def from_outside(group: str, name: str, known: Iterable[str], ours: Mapping[str, str] = {}) -> Any:
    """What we keep at `module:function`, or another package offers, under this name; a profile or a person asks for it."""
    if name in ours:
        module, _, function = ours[name].partition(":")
        return getattr(import_module(module), function)

    for point in entry_points(group=group, name=name):
        return point.load()
    what = group.rpartition(".")[2].removesuffix("s")
    raise UsageError(f"There is no {what} {name!r}.", f"One of: {', '.join((*known, *ours))}.")
