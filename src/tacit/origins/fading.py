"""ArcheFlow's fading by runs: every so many runs unmet take one off a lesson's frequency, replayed from where its sightings stand."""

from __future__ import annotations

from collections.abc import Iterable

from tacit.core.links import Evidence
from tacit.core.value import value

UNSEEN_OPENING = "unseen"  # the opening balance: runs without it before it came here


@value
class Faded:
    """What is left of a lesson's count after so many runs."""

    frequency: int
    unseen: int  # runs since it was last seen, or since fading last took one off
    lost: int  # taken off in all


def by_runs(
    seen: Iterable[int], now: int, step: int, *, opened: int = 0, unseen: int = 0, since: int = 0
) -> Faded:
    """ArcheFlow's decay, replayed: `seen` are the numbers of the runs that saw it, `now` the last run that counts.

    `opened` is the count it came with at run `since`, after `unseen` quiet runs; a run that saw it does not age it. A
    lesson at zero stays there until it is seen again. A counter already past the step, as another program may leave it,
    costs one at the next quiet run.
    """
    count, lost, quiet, at = opened, 0, unseen, since
    for place in [*sorted({n for n in seen if n > since}), None]:
        runs = max(0, (now if place is None else min(now, place - 1)) - at)
        first = max(1, step - quiet)
        if runs >= first:
            taken = min(count, 1 + (runs - first) // step)
            count, lost, quiet = count - taken, lost + taken, (runs - first) % step
        else:
            quiet += runs
        if place is not None:
            count, quiet, at = count + 1, 0, place
    return Faded(count, quiet, lost)


def runs(evidence: Iterable[Evidence], now: int, step: int) -> Faded:
    """What is left of a lesson's count by its evidence: opening balances first, then each unit of work that saw it."""
    opened = unseen = since = 0
    seen: dict[str, int] = {}
    for row in evidence:
        if row.stance != "supports":
            continue
        if row.opening and row.signal in ("seen", UNSEEN_OPENING):
            opened += int(row.amount) if row.signal == "seen" else 0
            unseen += int(row.amount) if row.signal == UNSEEN_OPENING else 0
            since = max(since, row.seq)
        elif not row.opening and row.signal == "seen":
            unit = row.root or row.run or row.key
            seen[unit] = min(row.seq, seen.get(unit, row.seq))
    early = sum(
        1 for n in seen.values() if n <= since
    )  # seen before it was written down, as what a person adds
    return by_runs(seen.values(), now, step, opened=opened + early, unseen=unseen, since=since)
