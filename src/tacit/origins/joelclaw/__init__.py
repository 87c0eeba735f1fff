"""joelclaw: what its agents observed, its search index of that, and how it remembers (`rules`)."""

from __future__ import annotations

from tacit.origins.joelclaw.observations import (
    CATEGORIES,
    LASTING_IDS,
    NAME,
    PARTS,
    SPEAKS_ON_STDIN,
    WRITES_IN,
    detect,
    document_of,
    dump,
    holds,
    memories,
    name_for,
    read,
)

__all__ = [
    "CATEGORIES",
    "LASTING_IDS",
    "NAME",
    "PARTS",
    "SPEAKS_ON_STDIN",
    "WRITES_IN",
    "detect",
    "document_of",
    "dump",
    "holds",
    "memories",
    "name_for",
    "read",
]
