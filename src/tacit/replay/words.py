"""What a replay says to people: counts before rates, and why nothing more can be said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tacit.core.errors import numbered
from tacit.replay.pairs import Spent
from tacit.replay.tasks import Skipped
from tacit.trial.evalue import ALPHA, HARMS, HELPS

if TYPE_CHECKING:
    from tacit.replay.replaying import Replay

_CLAIMS = {HELPS: "Helps: the problem costs less", HARMS: "Harms: the problem costs more"}


def sentence(found: Replay) -> str:
    """What is known now, in a few sentences."""
    standing = found.standing
    alike = standing.pairs - standing.better - standing.worse
    arms = f"better with the lesson in {standing.better}, worse in {standing.worse}"
    said = [f"{numbered(standing.pairs, 'pair')}: {arms}, alike in {alike}."]
    if claim := _CLAIMS.get(standing.word):
        said.append(
            f"{claim} with the lesson, in these tasks; error rate {100 * ALPHA:g} %, any number of looks."
        )
    else:
        said.append("Not yet known.")
    void = sum(pair.difference is None for pair in found.pairs)
    if void:
        said.append(f"{numbered(void, 'pair')} told nothing.")
    if found.unreached:
        said.append(f"In {found.unreached} of {len(found.pairs)} pairs the lesson was never given.")
    return " ".join(said)


def used(spent: Spent) -> str:
    """What it took, or is expected to take."""
    parts = [numbered(spent.runs, "run")] + ([took(spent.seconds)] if spent.seconds else [])
    parts += [f"{spent.tokens:,} tokens"] if spent.tokens else []
    parts += [f"{spent.usd:.2f} USD"] if spent.usd else []
    return ", ".join(parts)


def skipped_lines(skipped: Sequence[Skipped], most: int = 20) -> list[str]:
    """Why runs are left out, each by name."""
    ordered = sorted(skipped, key=lambda each: (each.reason, each.run))
    lines = [f"  {each.run}  {each.reason}" for each in ordered[:most]]
    return lines + ([f"  and {len(ordered) - most} more"] if len(ordered) > most else [])


def took(seconds: float) -> str:
    """A span as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
