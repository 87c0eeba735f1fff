"""What a replay says to people: counts before rates, which side is good, and why nothing more can be said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tacit.replay import Replay
from tacit.replay.bets import NO_DIFFERENCE
from tacit.replay.plan import Estimate, Spent
from tacit.replay.tasks import Skipped
from tacit.trial.evalue import ALPHA, HARMS, HELPS

_CLAIMS = {
    HELPS: "Helps: the problem costs less with the lesson",
    HARMS: "Harms: the problem costs more with the lesson",
    NO_DIFFERENCE: "No difference worth having, either way",
}


def sentence(found: Replay) -> str:
    """What is known now, in a few sentences."""
    standing = found.standing
    alike = standing.pairs - standing.better - standing.worse
    said = [
        f"{_many(standing.pairs, 'pair')}: better with the lesson in {standing.better}, worse in {standing.worse}, alike in {alike}."
    ]
    if standing.pairs:
        low, high = (
            f"{'+' if each > 0 else '−' if each < 0 else ''}{abs(each):.2f}"
            for each in (standing.interval.low, standing.interval.high)
        )
        said.append(f"Difference of losses somewhere between {low} and {high}; negative is good.")
    claim = _CLAIMS.get(standing.word)
    said.append(
        f"{claim}, in these tasks; error rate {100 * ALPHA:g} %, any number of looks."
        if claim
        else "Not yet known."
    )
    void = sum(pair.difference is None for pair in found.pairs)
    if void:
        said.append(f"{_many(void, 'pair')} told nothing.")
    if found.unreached:
        said.append(f"In {found.unreached} of {len(found.pairs)} pairs the lesson was never given.")
    return " ".join(said)


def used(spent: Spent) -> str:
    """What it took."""
    parts = [_many(spent.runs, "run"), took(spent.seconds)]
    parts += [f"{spent.tokens:,} tokens"] if spent.tokens else []
    parts += [f"{spent.usd:.2f} USD"] if spent.usd else []
    return ", ".join(parts)


def cost_lines(found: Estimate) -> list[str]:
    """What a plan would cost and what it can tell."""
    parts = [took(found.seconds)] if found.seconds else []
    parts += [f"{found.tokens:,} tokens"] if found.tokens else []
    parts += [f"{found.usd:.2f} USD"] if found.usd else []
    told = f"at most {_many(found.pairs, 'pair')}, {2 * found.pairs} runs: "
    lines = [
        told
        + (
            f"about {', '.join(parts)}, by what the tasks took the first time"
            if parts
            else "past runs do not tell what they took"
        )
    ]
    lines.append("what they can tell, by how often the problem strikes in these tasks:")
    for each in found.powers:
        when = (
            f"half of the replays are done by pair {each.median}"
            if each.median
            else "more than half need more pairs"
        )
        lines.append(
            f"  {each.without:.0%} without, {each.given:.0%} with the lesson: {when}; {each.decided:.0%} within {found.pairs}"
        )
    return lines


def skipped_lines(skipped: Sequence[Skipped], most: int = 20) -> list[str]:
    """Why runs are left out, the commonest reason first, and each by name."""
    kinds = Counter(each.reason.partition(":")[0] for each in skipped)
    ordered = sorted(
        skipped, key=lambda each: (-kinds[each.reason.partition(":")[0]], each.reason, each.run)
    )
    lines = [f"  {each.run}  {each.reason}" for each in ordered[:most]]
    return lines + ([f"  and {len(ordered) - most} more"] if len(ordered) > most else [])


def took(seconds: float) -> str:
    """A span as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _many(n: int, thing: str) -> str:
    return f"{n} {thing}" if n == 1 else f"{n} {thing}s"
