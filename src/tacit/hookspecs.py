"""What may be plugged in: the policies of the origins, and what strangers' packages bring.

A way of remembering names its policies. Tacit's own stand in the rooms that use them, those of an origin are
imported here when one is first named. A stranger's package declares its own as entry points:

    tacit.matchers   (prepared, prepared, idf) -> Likeness: do two texts say the same
    tacit.rankers    (hits, asked, profile, facts) -> [Ranked]
    tacit.renderers  (ranked, profile, words) -> text
    tacit.gates      (finding, rules, known_lines) -> GateDecision: may it become a lesson
"""

from __future__ import annotations

from tacit.core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any


def of_origins(kind: str, name: str) -> Any:
    """The policy of that name that an origin brings; None where none does."""
    from tacit.origins.policies import of_origins as found

    return found(kind, name)


def policy(kind: str, name: str, known: Iterable[str]) -> Any:
    """A policy by the name that a profile or a person said; a name of nobody is refused."""
    if found := of_origins(kind, name):
        return found
    offered = plugged_in(kind)
    if name in offered:
        return offered[name].load()
    raise UsageError(f"There is no {kind} {name!r}.", f"One of: {', '.join((*known, *offered))}.")


def plugged_in(kind: str) -> Mapping[str, Any]:
    """What strangers' packages offer of a kind, by name, not loaded yet."""
    from importlib.metadata import entry_points

    return {each.name: each for each in entry_points(group=f"tacit.{kind}s")}
