"""What a run has said before: whether a finding is the same thing again.

A finding is known by its run and its content. Stores that were written before that knew it by its place: two things said
at one place, as every submission on standard input is, were taken for one, and the second was lost. Rows of that time are
told by their key, and then the words and the speaker decide. Only where a finding was derived from a run's steps does the
place still stand for it, so that other words of a newer extractor for the same step are no news.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tacit.core.digest import digest, short_hash
from tacit.core.rows import FindingRow
from tacit.core.run import OUTRIGHT, Finding


def key_by_place(run: str, place: str, extractor: str, version: int) -> str:
    """The key of a finding as it was before its content made it."""
    return short_hash(run, place, extractor, str(version))


class Said:
    """The findings that a run has brought so far."""

    def __init__(self, rows: Iterable[FindingRow], run: str) -> None:
        self._rows = {row.key: row for row in rows}
        placed = [
            row for row in self._rows.values() if row.key == key_by_place(run, row.place, row.extractor, row.version)
        ]
        self._words = {(bytes(row.digest), row.by): row for row in placed}
        self._new: set[str] = set()

    def knows(self, finding: Finding) -> bool:
        """Whether this run said so already, in an earlier learning or in this one."""
        return finding.key in self._new or self.row(finding) is not None

    def row(self, finding: Finding) -> FindingRow | None:
        """The row of an earlier learning that holds the same finding."""
        known = self._rows.get(finding.key) or self._words.get((digest("finding", finding.text), finding.by))
        if known is None and finding.extractor != OUTRIGHT:
            known = self._rows.get(key_by_place(finding.run, finding.place, finding.extractor, finding.version))
        return known

    def add(self, finding: Finding) -> None:
        """Note a finding of this learning."""
        self._new.add(finding.key)

    def before(self) -> Iterator[tuple[Finding, str]]:
        """What earlier learnings of this run took in, and the memory that each became."""
        for row in self._rows.values():
            if row.memory:
                yield Finding("", row.place, row.text, kind=row.kind, by=row.by, tier=row.tier, at=row.at), row.memory
