"""What a run says that may be worth remembering, without a model.

A run's findings come from two sides. What it says outright, its format has already read: those pass through. The rest
is derived from its steps by extractors, each a named generator in `EXTRACTORS`, so that a profile can switch them. An
extractor names only what is in the record, in words a stranger can act on; it never repeats an agent's account of what
it is doing, and a tool's output only as `quoted`, which waits for a person's word. Its name and version are part of each
finding's key: the same run twice says the same, a better extractor may say more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tacit.core.run import Finding, Run
from tacit.core.value import replace, value
from tacit.learn.resolves import resolves
from tacit.learn.wishes import wishes


def outright(run: Run) -> Iterator[Finding]:
    """What the run says itself: review verdicts, submitted observations, failed tests, as its format read them."""
    yield from run.findings


EXTRACTORS: Mapping[str, Callable[[Run], Iterator[Finding]]] = {
    "outright": outright,
    "wish": wishes,
    "resolve": resolves,
}


@value
class Known:
    """What the profile and the store say to extraction."""

    extractors: tuple[str, ...] = tuple(EXTRACTORS)  # those switched on
    instructions: tuple[str, ...] = ()  # lines of the project's instruction files
    min_chars: int = 0  # shorter derived texts are not even named; the gate has its own limit, and counts its discards


def extract(run: Run, known: Known) -> tuple[Finding, ...]:
    """The findings of a run, in the order of the extractors, each with its own key."""
    found: list[Finding] = []
    for name, extractor in EXTRACTORS.items():
        if name == "outright" and name in known.extractors:
            found.extend(extractor(run))
        elif name in known.extractors:
            found.extend(
                _apart(
                    finding for finding in extractor(run) if len(finding.text) >= known.min_chars
                )
            )
    return tuple(found)


def _apart(findings: Iterator[Finding]) -> Iterator[Finding]:
    """One extractor's findings, each text once; the second of one step stands at `place#2`, and so has its own key."""
    texts: set[str] = set()
    places: dict[str, int] = {}
    for finding in findings:
        if finding.text in texts:
            continue
        texts.add(finding.text)
        places[finding.place] = number = places.get(finding.place, 0) + 1
        yield finding if number == 1 else replace(finding, place=f"{finding.place}#{number}")
