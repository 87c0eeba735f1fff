"""Two memories that say the same become one, and apart again.

The one with more behind it stays; the other keeps its row, replaced, with its history. What only the other's runs saw
counts for the keeper as an opening balance that names the merge, so that taking it back takes back exactly that.
"""

from __future__ import annotations

from collections.abc import Sequence

from tacit.core.journal import Change, Hand
from tacit.core.links import Evidence, sightings
from tacit.core.states import GONE, STATES, WAITING
from tacit.core.value import replace
from tacit.lesson import TIERS, Lesson

_HEIGHT = {state: n for n, state in enumerate(STATES[:2])}


def keeper(a: Lesson, b: Lesson) -> tuple[Lesson, Lesson]:
    """Which of two stays, and which goes: pinned or on a page, then evidence, trust, state, age."""
    stays, goes = (a, b) if _weight(a) >= _weight(b) else (b, a)
    return stays, goes


def _weight(memory: Lesson) -> tuple[bool, int, int, int, int, str]:
    # Older is better: of two texts of digits and dashes the smaller, so each is turned round.
    older = "".join(chr(0x10FFFF - ord(letter)) for letter in f"{memory.created_at} {memory.id}")
    trust = -TIERS.index(memory.trust) if memory.trust in TIERS else -len(TIERS)
    return (
        memory.pinned or memory.on_page,
        memory.tally.seen,
        memory.tally.uses,
        trust,
        _HEIGHT.get(memory.state, -1),
        older,
    )


def merged(
    goes: Lesson, stays: Lesson, hand: Hand, reason: str, cause: str = "merge"
) -> tuple[Change, Change]:
    """The one that goes, replaced, and the one that stays, with what it replaces."""
    gone = replace(
        goes,
        state=GONE,
        previous_state=goes.state,
        superseded_by=stays.id,
        closed_by=cause,
        pinned=False,
        on_page=False,
    )
    more = replace(stays, supersedes=(*stays.supersedes, goes.id), merged=stays.merged + 1)
    told = f"takes the place of {goes.alias or goes.id}: {reason}"
    return hand.change(goes, gone, "merge", reason), hand.change(stays, more, "merge", told)


def parted(goes: Lesson, stays: Lesson, hand: Hand, reason: str) -> tuple[Change, Change]:
    """The merge taken back: each stands where it stood."""
    back = replace(
        goes,
        state=goes.previous_state or WAITING,
        previous_state=GONE,
        superseded_by="",
        closed_by="",
    )
    rest = tuple(each for each in stays.supersedes if each != goes.id)
    less = replace(stays, supersedes=rest, merged=max(0, stays.merged - 1))
    return hand.change(goes, back, "unmerge", reason), hand.change(stays, less, "unmerge", reason)


def brought(
    goes: Lesson,
    stays: Lesson,
    of_goes: Sequence[Evidence],
    of_stays: Sequence[Evidence],
    hand: Hand,
) -> Evidence | None:
    """What the other's runs add to the keeper's sightings; a run that saw both counts once."""
    more = sightings([*of_stays, *of_goes]) - sightings(of_stays)
    return _balance(goes, stays, float(more), "merge", hand) if more > 0 else None


def taken_back(
    goes: Lesson, stays: Lesson, of_stays: Sequence[Evidence], hand: Hand
) -> Evidence | None:
    """The same amount, taken off again."""
    places = (f"merge {goes.id} ", f"unmerge {goes.id} ")
    amount = sum(row.amount for row in of_stays if row.opening and row.place.startswith(places))
    return _balance(goes, stays, -amount, "unmerge", hand) if amount > 0 else None


def _balance(goes: Lesson, stays: Lesson, amount: float, verb: str, hand: Hand) -> Evidence:
    place = f"{verb} {goes.id} {hand.at}"
    return Evidence(
        stays.id,
        stays.project,
        signal="seen",
        amount=amount,
        by=hand.by,
        place=place,
        at=hand.at,
        opening=True,
    )
