"""Rankers and renderers by name: our own that few profiles use, and those of other packages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any


def from_outside(group: str, name: str, known: Iterable[str], ours: Mapping[str, str] = {}) -> Any:
    """What we keep at `module:function`, or another package offers, under this name; a profile or a person asks for it."""
    if name in ours:
        from importlib import import_module

        module, _, function = ours[name].partition(":")
        return getattr(import_module(module), function)
    from importlib.metadata import entry_points

    for point in entry_points(group=group, name=name):
        return point.load()
    what = group.rpartition(".")[2].removesuffix("s")
    raise UsageError(f"There is no {what} {name!r}.", f"One of: {', '.join((*known, *ours))}.")
