"""What learning a run brought."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.core.value import replace, value

if TYPE_CHECKING:
    pass


@value
class Learned:
    """What one run brought."""

    run: str
    format: str
    already: bool = False  # learned before, and nothing new was said
    findings: int = 0  # new ones
    known: int = 0  # said before in this run
    buried: int = 0  # left out: what stood at their place was erased
    new: tuple[str, ...] = ()
    matched: tuple[str, ...] = ()
    held: int = 0
    quarantined: int = 0
    discarded: int = 0
    rejected: int = 0  # kept as rejected, with the reason
    linked: int = 0
    redacted: int = 0
    settled: int = 0
    moves: tuple[tuple[str, str, str, str], ...] = ()  # (memory, from, to, reason)
    proposals: int = 0
    dry_run: bool = False
    warnings: tuple[str, ...] = ()
    project: str = ""  # where it went


def added(first: Learned, second: Learned) -> Learned:
    """Two reports of one run as one."""
    summed = (
        "findings known buried held quarantined discarded rejected linked redacted proposals moves new warnings".split()
    )
    parts = {name: getattr(first, name) + getattr(second, name) for name in summed}
    matched = tuple(dict.fromkeys((*first.matched, *second.matched)))
    return replace(first, **parts, matched=matched, already=first.already and not second.findings)
