"""What an origin's class names and a function does: its gate, ranker, wording, fading, audits, questions to a model."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def of_origins(kind: str, name: str) -> Any:
    """The policy of that name that an origin brings; None where none does."""
    if kind == "ranker":
        from tacit.origins.ranking import POLICIES
    elif kind == "renderer":
        from tacit.origins.wording import POLICIES
    elif kind == "gate":
        from tacit.origins.gates import POLICIES
    elif kind == "audit":
        from tacit.origins.applied import POLICIES
    elif kind == "fade":
        from tacit.origins.fading import POLICIES
    elif kind == "page":
        from tacit.origins.joelclaw.page import POLICIES
    elif kind == "step":
        from tacit.origins.asking import POLICIES
    elif kind == "extractor" and name == "repeated":
        from tacit.origins.geas.repetition import POLICIES
    elif kind == "extractor":
        from tacit.origins.ralph.iterations import POLICIES
    elif kind == "matcher":
        from tacit.origins.likeness import POLICIES
    elif kind == "filing":
        from tacit.origins.filing import POLICIES
    else:
        return None
    return POLICIES.get(name)
