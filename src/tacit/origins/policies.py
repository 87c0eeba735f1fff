"""What an origin brings under a name that a person says: its wording, and how it draws its page."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def of_origins(kind: str, name: str) -> Any:
    """What an origin brings under that name; None where none does."""
    if kind == "renderer":
        from tacit.origins.wording import POLICIES
    else:
        from tacit.origins.joelclaw.page import POLICIES
    return POLICIES.get(name)
