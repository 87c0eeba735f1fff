"""What was counted in one project, in memory: for a look back, which keeps no store."""

from __future__ import annotations

from collections.abc import Iterable

from tacit.core.run import FAILURE, Incident
from tacit.store.failures import Noted


class Notebook:
    """The same answers as the store's `Counts`."""

    def __init__(self) -> None:
        self.by_mark: dict[str, list[Noted]] = {}
        self.known: set[str] = set()

    def add(self, run: str, lineage: str, noticed: Iterable[Incident]) -> None:
        """One more piece of work."""
        self.known.add(lineage)
        for each in noticed:
            if each.kind == FAILURE:
                note = Noted(run, lineage, len(self.known), each)
                self.by_mark.setdefault(each.mark, []).append(note)

    def lineages(self) -> int:
        """How many independent pieces of work there were."""
        return len(self.known)

    def failures(self, mark: str = "") -> list[Noted]:
        """Failures of one signature."""
        return self.by_mark.get(mark, [])
