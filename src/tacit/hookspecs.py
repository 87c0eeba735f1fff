"""Where rooms find what an origin brings under a name that a person says: its wording, and how it draws its page."""

from __future__ import annotations

from tacit.core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


def of_origins(kind: str, name: str) -> Any:
    """What an origin brings under that name; None where none does."""
    from tacit.origins.policies import of_origins as found

    return found(kind, name)


def policy(kind: str, name: str, known: Iterable[str]) -> Any:
    """What a person named; a name of nobody is refused."""
    if found := of_origins(kind, name):
        return found
    raise UsageError(f"There is no {kind} {name!r}.", f"One of: {', '.join(known)}.")
