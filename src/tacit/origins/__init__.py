"""The four systems that Tacit grew from: how each remembers, and its files, read and written as it wrote them.

Each has a folder and one class in it (`origin.Origin` says what a class is). A fifth is a package of its own with one
such class, named by an entry point of the group `tacit.origins`. Hooks load this module, and of a project that is like
an origin that origin's class.
"""

from __future__ import annotations

from tacit.core.errors import OriginUnknown
from tacit.core.profile import Profile
from tacit.core.value import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

ORIGINS = ("archeflow", "ralph", "geas", "joelclaw")


def named(name: str = "default", values: Mapping[str, Any] | None = None) -> Profile:
    """The way of remembering of that name, with some of its values set otherwise; `default` is Tacit's own."""
    return _class_of(name)(values)


def kept(text: str) -> Profile:
    """The way of remembering that a store keeps (`core.profile.to_json`)."""
    found = loads(text)
    return named(found["name"], found.get("values"))


def names() -> list[str]:
    """Every origin that can be named."""
    from importlib.metadata import entry_points

    return [*ORIGINS, *sorted(each.name for each in entry_points(group="tacit.origins"))]


def _class_of(name: str) -> type[Profile]:
    if name == Profile.name:
        return Profile
    if name == "archeflow":
        from tacit.origins.archeflow.rules import ArcheFlow

        return ArcheFlow
    if name == "ralph":
        from tacit.origins.ralph.rules import Ralph

        return Ralph
    if name == "geas":
        from tacit.origins.geas.rules import Geas

        return Geas
    if name == "joelclaw":
        from tacit.origins.joelclaw.rules import Joelclaw

        return Joelclaw
    return _from_a_package(name)


def _from_a_package(name: str) -> type[Profile]:
    from difflib import get_close_matches
    from importlib.metadata import entry_points

    for each in entry_points(group="tacit.origins", name=name):
        found: type[Profile] = each.load()
        return found
    near = get_close_matches(name, names(), 1)
    hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(names())}, and default."
    raise OriginUnknown(f"There is no origin {name!r}.", hint)
