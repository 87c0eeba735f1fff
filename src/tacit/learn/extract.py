"""What a run says that may be worth remembering, without a model: what it says outright, and the
floor's standing lines.

What a run says outright, its format has already read: that passes through. A profile switches each
by its name. Name and version are part of each finding's key: the same run twice says the same.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from tacit.core.run import Finding, Run
from tacit.core.value import replace
from tacit.learn.floor import NAME, standing


def outright(run: Run) -> Iterator[Finding]:
    """What the run says itself: review verdicts, submitted observations, failed tests, as its
    format read them."""
    yield from run.findings


EXTRACTORS: Mapping[str, Callable[[Run], Iterator[Finding]]] = {
    "outright": outright,
    NAME: standing,
}


def extract(run: Run, on: Collection[str] = tuple(EXTRACTORS)) -> tuple[Finding, ...]:
    """The findings of a run by the extractors that are switched on, each with its own key."""
    found = [*outright(run)] if "outright" in on else []
    return (*found, *(_apart(standing(run)) if NAME in on else ()))


def _apart(findings: Iterator[Finding]) -> Iterator[Finding]:
    """Each text once; the second of one step stands at `place#2`, and so has its own key."""
    texts: set[str] = set()
    places: dict[str, int] = {}
    for finding in findings:
        if finding.text in texts:
            continue
        texts.add(finding.text)
        places[finding.place] = number = places.get(finding.place, 0) + 1
        yield finding if number == 1 else replace(finding, place=f"{finding.place}#{number}")
