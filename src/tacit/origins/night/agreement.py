"""How often a tier of triage decides as people and outcomes do, and whether it may decide alone.

A decision is a promotion or a rejection; passing on decides nothing. It is compared with what came later: a person's
decision on the same proposal (each tenth is shown to one for that purpose, and all while a tier may not decide alone),
what a person did to the lesson, what the control group found. Where nothing came, nothing is known, and it counts neither way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tacit.core.states import GONE
from tacit.core.value import value

if TYPE_CHECKING:
    pass

DECIDING_TIERS = ("rules", "model")  # that decide before a person does


@value
class Later:
    """What is known by now of a proposal that a tier decided, and of its lesson."""

    person: str = ""  # approved or rejected, where a person decided the same proposal
    taken_off: bool = False  # a person took the lesson off the page, forgot or rejected it
    put_on: bool = False  # a person put it on the page, pinned or approved it
    state: str = ""
    verdict: str = ""


@value
class TrackRecord:
    """A tier's record."""

    tier: str
    decided: int = 0  # promotions and rejections, as decisions or as advice
    known: int = 0  # of them: those of which something came later
    agreed: int = 0  # of the last `watch` known ones
    last: int = 0  # how many those are
    autonomous: bool = True

    @property
    def share(self) -> float | None:
        """The agreement over the last known decisions; None where none is known."""
        return self.agreed / self.last if self.last else None


def agrees(action: str, later: Later) -> bool | None:
    """Whether what came later bears a decision out; None where nothing is known, or nothing was decided.

    A person's word on the proposal goes before what a person did to the lesson, and that before outcomes.
    """
    if action not in ("promote", "reject"):
        return None
    wanted = action == "promote"
    if later.person:
        return (later.person == "approved") is wanted
    if later.taken_off or later.put_on:
        return (later.put_on and not later.taken_off) is wanted
    if later.verdict == "harms" or later.state == GONE:
        return not wanted
    if later.verdict == "helps":
        return wanted
    return None


# So many last decisions of a tier are compared; below the first agreement it decides no more, from the second on it does again.
WATCHED, LOSE, REGAIN = 30, 0.8, 0.9


def track_record(tier: str, decisions: Iterable[tuple[str, Later]]) -> TrackRecord:
    """A tier's record from its decisions, oldest first. Whether it may decide alone follows from all of them in their order."""
    agreed: list[bool] = []
    autonomous, decided = True, 0
    for action, later in decisions:
        decided += action in ("promote", "reject")
        word = agrees(action, later)
        if word is not None:
            agreed.append(word)
            autonomous = is_autonomous(agreed, autonomous)
    last = agreed[-WATCHED:]
    return TrackRecord(tier, decided, len(agreed), sum(last), len(last), autonomous)


def is_autonomous(agreed: Sequence[bool], before: bool) -> bool:
    """Whether a tier decides by itself: it loses that below `lose` agreement over its last decisions, and has it back from `regain`."""
    last = agreed[-WATCHED:]
    if len(last) < WATCHED:
        return before
    share = sum(last) / len(last)
    return share >= (LOSE if before else REGAIN)
