"""Lessons without a coin are followed: given so often, not followed so often, and in whose words.

What a person entered, confirmed or pinned is never withheld, so nothing can be said of its effect. That it was given and its problem came
back all the same can be said, and is what its author wants to know: such a lesson needs other words, or a check that enforces it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tacit.core.links import Evidence, Mark, Use
from tacit.core.value import value
from tacit.trial.outcome import NOT_OCCURRED, OCCURRED

READER = "the reader: "  # how a reading's outcome begins; the words that it quotes follow
QUOTES, CHARS = 3, 160


@value
class Followed:
    """What became of a lesson that is given every time."""

    memory: str
    given: int  # units
    told: int  # of these could tell
    broken: int  # its problem came back
    kept: int = 0  # a reader saw that it was followed on an occasion where it mattered
    quotes: tuple[
        tuple[str, str], ...
    ] = ()  # of what was not followed: day and words, the latest first

    @property
    def sentence(self) -> str:
        """For instance "Given in 9 sessions, not followed in 2 of the 7 that could tell"."""
        told = (
            f"not followed in {self.broken} of the {self.told} that could tell"
            if self.told
            else "none of them could tell"
        )
        kept = f", seen to be followed in {self.kept}" if self.kept else ""
        return f"Given in {_sessions(self.given)}, {told}{kept}."

    @property
    def lines(self) -> list[str]:
        """The sentence, then each quote on a line of its own."""
        return [self.sentence, *(f"  {day} “{words}”" for day, words in self.quotes)]


def followed(
    memory: str, uses: Iterable[Use], marks: Sequence[Mark], evidence: Sequence[Evidence] = ()
) -> Followed | None:
    """What became of the uses of a lesson that no coin decided; None where there are none. `evidence` is where quotes are looked for that
    its outcome does not hold."""
    units = dict.fromkeys(use.unit for use in uses if use.memory == memory and use.arm == "exempt")
    if not units:
        return None
    mine = [mark for mark in marks if mark.memory == memory and mark.unit in units]
    last = {
        mark.unit: mark for mark in mine if mark.signal == "outcome"
    }  # settled again, the last word stands
    broken = [mark for mark in last.values() if mark.value == OCCURRED]
    latest = sorted(broken, key=lambda mark: mark.at, reverse=True)
    quotes = [(mark.at[:10], words) for mark in latest if (words := quote_of(mark, mine, evidence))]
    return Followed(
        memory,
        len(units),
        sum(mark.value in (OCCURRED, NOT_OCCURRED) for mark in last.values()),
        len(broken),
        len(
            {mark.unit for mark in mine if mark.signal == "followed"}
            - {mark.unit for mark in broken}
        ),
        tuple(quotes[:QUOTES]),
    )


def quote_of(outcome: Mark, marks: Iterable[Mark], evidence: Iterable[Evidence]) -> str:
    """The words in which it came back: a reader's quote, else what was seen of the lesson in that unit."""
    said = (
        mark.reason
        for mark in (outcome, *marks)
        if mark.unit == outcome.unit and mark.value == OCCURRED
    )
    heard = next((each.partition(READER)[2] for each in said if READER in each), "")
    seen = next(
        (
            each.quote
            for each in evidence
            if each.root == outcome.unit and each.stance == "supports" and each.quote
        ),
        "",
    )
    words = " ".join((heard or seen).split())
    return words if len(words) <= CHARS else f"{words[:CHARS]} …"


def _sessions(n: int) -> str:
    return f"{n} session" if n == 1 else f"{n} sessions"
